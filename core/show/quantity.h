/* core/show/quantity.h - what is shown of time, training, checkpoint and serving, in the report's order. */
#pragma once

#include "core/estimate/estimate.h"
#include "core/plan/key.h"
#include "core/show/figure.h"

/** One number. */
struct quantity {
    const char *term;       /* in core/estimate/timing.def, or serving.def: its name in CSV */
    size_t offset;          /* of its double in that sheet */
    const char *path;       /* in results and for explain: time.mfu */
    const char *label;      /* in reports; NULL: for programs only */
    const char *name;       /* on screens; NULL: not there */
    enum figure_kind kind;  /* in reports; screens write it short */
    const char *unit;       /* behind the figure, or "" */
    const char *needs;      /* the key that is missing when it is unknown, or NULL */
    bool is_part;           /* of the iteration: its share stands beside it, and 0 is left out */
};

/** Rows in their order. */
struct quantity_list {
    const struct quantity *row;
    int count;
};

/** Where the time of an iteration goes (with hardware.fixed_overhead_ms its parts make it up), and how fast that is. */
extern const struct quantity_list time_quantities, speed_quantities;

/** The whole training; its checkpoints. */
extern const struct quantity_list training_quantities, checkpoint_quantities;

/** Serving, after the memory. */
extern const struct quantity_list serving_quantities;

/**
 * How a row follows the time of the iteration: 1 as it does, -1 as its inverse, 0 not, or not by a range of its own.
 */
int quantity_power(const struct quantity *row);

/** The row of a path among all but the checkpoints'; NULL for none. */
const struct quantity *quantity_find(const char *path);

/**
 * The key without which a row is unknown and that a resolved plan lacks: tokens before a price where the row is of the
 * whole training, and of what failures cost whatever is missing for them; PARAM_COUNT when none is missing.
 */
enum param quantity_lacks(const struct quantity *row, const struct plan *resolved);

/** The value of a row; NAN when it is not known. */
double quantity_value(const struct quantity *row, const struct estimate *estimate);
