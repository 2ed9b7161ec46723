/* src/report/layouts.h - what a search of layouts found: text, JSON and CSV. */
#pragma once

#include "core/search/refusal.h"
#include "src/report/report.h"

/** A model that was tried. */
struct layouts_model {
    char *name;
    double parameters;
    bool has_layout; /* one is within the limits */
};

/** Lists the flags that a resolved plan needs and another does not, as wishes_of() of src/export/wish.h. */
typedef void layouts_flags(const char *format, const struct plan *before, const struct plan *after,
                           struct keyvals *out, struct keyvals *gone);

/** An answer, and what it is compared with. */
struct layouts {
    const struct search_ask *ask;
    const struct search_answer *answer; /* may have more results than are printed, to choose from */
    /* the fastest on the next smaller number of nodes that was tried; NULL for none */
    const struct search_result *fewer;
    bool is_fewer_known;                /* ... and one was asked about */
    const struct refusals *refused;     /* why no layout is valid; NULL where one is */
    bool is_nearest_fastest;            /* what is nearest is the fastest without the limits of time and conditions */
    int top;                            /* results to print */
    const struct estimate *now; /* of the plan as it was given */
    /* that were tried, the largest first, the last of which the answer is about; 0: the plan's own */
    int models;
    const struct layouts_model *model;
    double seconds;             /* that the search took */
    layouts_flags *flags;       /* NULL: none are listed */
};

/**
 * Appends the best layouts: each with its figures, what it changes in the plan and why that is better; the front in
 * JSON.
 */
void report_layouts(struct buffer *out, const struct layouts *found, const struct report_options *options);
