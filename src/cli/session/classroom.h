/* src/cli/session/classroom.h - the lesson, or the exercises, that are open on the screen. */
#pragma once

#include "ui/ui.h"

/** What is open; release with classroom_free(), which keeps the learner's progress. */
struct classroom;
struct classroom *classroom_create(void);
void classroom_free(struct classroom *all);

/** What the screen asks about lessons and exercises; the context is a struct host. */
extern const struct ui_lessons classroom_functions;
