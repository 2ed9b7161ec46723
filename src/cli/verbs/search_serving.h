/* src/cli/verbs/search_serving.h - the best layouts of a plan that serves: GPUs, parallelism, types, sequences. */
#pragma once

#include "core/search/search.h"
#include "src/cli/cli.h"
#include "src/report/servers.h"

/** A question about layouts that serve. */
struct servers_ask {
    const struct search_ask *ask; /* the plan, the objective, the limits */
    const struct keyvals *values; /* as --values, --free and --keep have them; NULL */
    const char *free, *keep;
    double users; /* at once on all replicas; NAN: as many as the plan says, or as the limits allow */
};

/** Finds the layouts; `now` of the answer is the caller's to set. Returns false with a fault added. */
bool servers_find(const struct servers_ask *asked, struct servers *out, struct errors *errors);

/** Searches layouts of a plan that serves and appends them; `ask` holds the limits. Returns the exit status. */
int search_serving(const struct cli *cli, const struct search_ask *ask, struct buffer *out, struct errors *errors);
