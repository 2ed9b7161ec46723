/* src/cli/classroom.h - the lesson, or the exercises, that are open on the screen. */
#ifndef SHARDTOP_SRC_CLI_CLASSROOM_H
#define SHARDTOP_SRC_CLI_CLASSROOM_H

#include "ui/ui.h"

/** What the screen asks about lessons and exercises. */
extern const struct ui_lessons classroom;

#endif
