/* src/cli/verbs/sweep.h - the sweep command: one or two keys over values. */
#ifndef SHARDTOP_SRC_CLI_VERBS_SWEEP_H
#define SHARDTOP_SRC_CLI_VERBS_SWEEP_H

#include <stdbool.h>

struct buffer;
struct errors;
struct plan;
struct report_options;

/**
 * What is swept: `word` holds one or two texts such as "tp=1,2,4", "pp=1..16", "seq_length=4096..65536*2" or
 * "recompute=*".
 */
struct sweep_request {
    char *const *word;
    int words;
    const char *metric; /* NULL: the time of an iteration, or of whole answers when serving */
    bool follow, svg;
    bool best; /* each cell has the best layout with the swept keys as they are */
    const struct report_options *report;
};

/** True when a word is a key with values, and not a file of that name. */
bool sweep_is_axis(const char *word);

/** Appends the sweep. Returns the exit status: 130 where the user interrupted it. */
int sweep_run(struct buffer *out, const struct plan *plan, const struct sweep_request *request, struct errors *errors);

#endif
