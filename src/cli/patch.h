/* src/cli/patch.h - `shardtop export --patch FILE`: the plan back into a launch script or a configuration. */
#ifndef SHARDTOP_SRC_CLI_PATCH_H
#define SHARDTOP_SRC_CLI_PATCH_H

#include "src/cli/cli.h"

/** Prints the patch as a unified diff, and with `--apply` then changes the file. Returns the exit status. */
int patch_run(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors);

/** Appends a text with what a terminal must not see as `?`, line by line. */
void patch_show(struct buffer *out, const struct buffer *text);

#endif
