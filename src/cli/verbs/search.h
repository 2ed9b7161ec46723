/* src/cli/verbs/search.h - `shardtop search`: the command line's question about layouts. */
#ifndef SHARDTOP_SRC_CLI_VERBS_SEARCH_H
#define SHARDTOP_SRC_CLI_VERBS_SEARCH_H

struct buffer;
struct cli;
struct errors;
struct plan;

enum { STATUS_INTERRUPTED = 130 };

/**
 * Searches the layouts of `plan` as --objective, --free, --keep, --values, --nodes, --max-memory, --fit and --schedules
 * say and appends the best. Returns the exit status: 1 where nothing is within the limits, 130 where the user
 * interrupted it.
 */
int layouts_run(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors);

/** The same of the largest model of --models that has a layout within the limits; all that were tried are named. */
int layouts_models(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors);

#endif
