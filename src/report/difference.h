/* src/report/difference.h - two plans beside each other: what was changed, what follows, and why, step by step. */
#pragma once

#include "src/report/report.h"

/** What is compared: [0] is "a", [1] is "b". */
struct difference {
    const char *name[2];
    const struct plan *plan[2]; /* with their blanks */
    const struct estimate *estimate[2];
    bool by_key; /* the steps are the changed keys, not the parts of memory and time */
};

/**
 * Appends keys that differ (the user's own first, then what follows from them), figures that differ (largest first) and
 * what leads from a's peak memory and iteration to b's, in steps that sum exactly; whether the faster one is so beyond
 * the estimate's error.
 */
void report_difference(struct buffer *out, const struct difference *difference, const struct report_options *options);
