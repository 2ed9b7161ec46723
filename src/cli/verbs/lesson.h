/* src/cli/verbs/lesson.h - `shardtop lesson`: the lessons, one played, or files of one's own checked. */
#ifndef SHARDTOP_SRC_CLI_VERBS_LESSON_H
#define SHARDTOP_SRC_CLI_VERBS_LESSON_H

#include "src/cli/cli.h"

/**
 * Lists the lessons, plays the one that is named line by line, or with `--check` judges files. Returns the exit status.
 */
int lesson_run(const struct cli *cli, const struct plan *none, struct buffer *out, struct errors *errors);

#endif
