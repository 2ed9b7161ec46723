/*
 * core/explain/explain.h - opens a number: its formula, the formula with values, its source, and the numbers it is made
 * of.
 */
#pragma once

#include "core/estimate/range.h"

enum { EXPLAIN_PATH_MAX = 96, EXPLAIN_TEXT_MAX = 1600, EXPLAIN_INPUTS_MAX = 32 };

/** One number that a formula uses. */
struct explain_input {
    char name[40];               /* as in the formula */
    char path[EXPLAIN_PATH_MAX]; /* explain_value() opens it; a plan key where it is one */
    const char *label, *unit;
    double value;
    bool is_key; /* `path` is a plan key, so it is opened by editing it */
};

/** One number, opened. */
struct explanation {
    bool is_number; /* the value alone: no texts, inputs or range */
    char path[EXPLAIN_PATH_MAX];
    const char *label, *unit;
    char source[320];          /* with the short names of core/estimate/op.def written out */
    const char *not_included; /* what the figure leaves out, or "" */
    double value;             /* NAN: not known */
    bool is_time; /* seconds or what is made of them: it rests on the efficiencies of the device */
    enum basis basis; /* its own; explain_basis() has that of all it is made of */
    char formula[EXPLAIN_TEXT_MAX];
    char substituted[EXPLAIN_TEXT_MAX]; /* the same with values, and the result */
    int inputs;
    struct explain_input input[EXPLAIN_INPUTS_MAX];
    struct interval range; /* of 80 %; NAN where the value has none */
    bool is_unseen;        /* no measured run is like the plan, so the range is a guess */
    int reasons;           /* why it is as wide, the largest first */
    struct range_reason reason[RANGE_COUNT];
};

/**
 * Opens the value at a dotted path of the result (`memory.stages.0.activations_bytes`, `time.iteration_s`,
 * `communication.3.sent_bytes_per_rank`, `layers.2.saved_bytes`, `parameters.total`), at its last part where that is
 * unique (`iteration_s`; for stages the peak stage is taken), or at an inner name (`symbols.Tk`,
 * `memory.stages.0.loss_peak_bytes`).
 * Returns 0, or -1 when there is no such value.
 */
int explain_value(const struct estimate *estimate, const char *path, struct explanation *out);

/** The value at a path alone, in a tenth of the time; `scratch` is overwritten. Returns 0, or -1. */
int explain_number(const struct estimate *estimate, const char *path, struct explanation *scratch, double *out);

/** Calls `each` with every path that explain_value() opens in this estimate, in the order of the report. */
void explain_paths(const struct estimate *estimate, void (*each)(void *context, const char *path), void *context);

/**
 * The communication rows of the whole report in order: row `index` is row `*id` of stage `*stage`. Returns false past
 * the end. The index is the one of `communication.N` in paths and JSON.
 */
bool explain_comm_row(const struct estimate *estimate, int index, int *stage, enum comm_id *id);

/** The operator of layer row `index` of the report (`layers.N`); false past the end. */
bool explain_layer_row(const struct estimate *estimate, int index, enum op_id *id);

/** The index of an operator's row; -1 for an operator that no layer of the model has. */
int explain_layer_of(const struct estimate *estimate, enum op_id id);
