/*
 * src/cli/verbs/watch.h - `shardtop watch PLAN LOG`: a growing log beside the estimate, on a small screen or line by
 * line.
 */
#ifndef SHARDTOP_SRC_CLI_VERBS_WATCH_H
#define SHARDTOP_SRC_CLI_VERBS_WATCH_H

#include "src/cli/cli.h"

/**
 * Follows the last word of the command line, `-` for standard input. With `--once` what stands there now is one line
 * (or JSON) in `out`; on a terminal a screen is kept up to date until a key ends it; else each new report is a line on
 * standard output until the input ends. Returns the exit status.
 */
int watch_run(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors);

#endif
