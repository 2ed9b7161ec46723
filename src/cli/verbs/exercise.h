/*
 * src/cli/verbs/exercise.h - `shardtop exercise` and `shardtop glossary`: questions made by the program, and the
 * words of the field.
 */
#ifndef SHARDTOP_SRC_CLI_VERBS_EXERCISE_H
#define SHARDTOP_SRC_CLI_VERBS_EXERCISE_H

#include "src/cli/cli.h"

/** Asks questions on lines, writes a sheet of them for a class, or grades one. Returns the exit status. */
int exercise_run(const struct cli *cli, const struct plan *none, struct buffer *out, struct errors *errors);

/** Prints a word with all that is known of it, or all words. Returns the exit status. */
int glossary_run(const struct cli *cli, const struct plan *none, struct buffer *out, struct errors *errors);

#endif
