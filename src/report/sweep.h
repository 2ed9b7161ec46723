/* src/report/sweep.h - a sweep, printed as a map of text, as tables, JSON or a figure. */
#pragma once

#include "core/search/sweep.h"
#include "src/report/report.h"

/** A finished sweep: a row of cells for each value of the first key; one column where there is one key. */
struct sweep {
    int axes;
    struct sweep_axis axis[SWEEP_AXES];
    struct sweep_metric metric;
    bool has_best; /* each cell has the best layout with its values */
    const struct estimate *now; /* the plan as it was asked about */
    struct sweep_cell *cell;
};

/** Appends the sweep in the format of the options, or with `svg` as a figure. */
void report_sweep(struct buffer *out, const struct sweep *sweep, bool svg, const struct report_options *options);
