/* src/cli/verbs/search_serving.h - the best layouts of a plan that serves: GPUs, parallelism, types, sequences. */
#ifndef SHARDTOP_SRC_CLI_VERBS_SEARCH_SERVING_H
#define SHARDTOP_SRC_CLI_VERBS_SEARCH_SERVING_H

#include "core/search/search.h"
#include "src/cli/cli.h"

/** Searches layouts of a plan that serves and appends them; `ask` holds the limits. Returns the exit status. */
int search_serving(const struct cli *cli, const struct search_ask *ask, struct buffer *out, struct errors *errors);

#endif
