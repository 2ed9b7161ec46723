/*
 * core/search/sweep.h - one cell of a sweep: a plan with one or two keys changed, its figures, or why it is invalid.
 */
#pragma once

#include "core/explain/explain.h"
#include "core/plan/finding.h"
#include "core/search/advice.h"
#include "core/search/search.h"
#include "core/search/sweep_axis.h"

/** The state of a cell; all but the last two have a value. */
enum sweep_state { SWEEP_FITS, SWEEP_TIGHT, SWEEP_NO, SWEEP_INVALID, SWEEP_UNKNOWN, SWEEP_STATES };

extern const char *const sweep_state_names[SWEEP_STATES];

enum {
    SWEEP_FOLLOWERS = 24 /* keys of a layout; a test counts them */,
    SWEEP_STEPS = 5,
    SWEEP_REASONS_MAX = 6
};

/** What a sweep shows of each cell. */
struct sweep_metric {
    const char *name;     /* as it is asked for */
    const char *path;     /* in results; NULL: none of them */
    const char *unit;     /* "" for none */
    bool is_larger_better;
    double (*of)(const struct estimate *estimate); /* NULL: the value at `path` */
};

/** Why a cell has no value, or does not fit. */
struct sweep_reason {
    const char *rule; /* that is broken, or that says why nothing is known; NULL for none */
    char why[DIAG_TEXT_MAX + 64]; /* the key, then the finding */
};

/** One cell. */
struct sweep_cell {
    enum sweep_state state;
    double value;           /* NAN where it is not known */
    struct figures figures; /* of the whole plan */
    int reasons;            /* one for each rule; further ones are left out */
    struct sweep_reason reason[SWEEP_REASONS_MAX];
    double gpus, idle_gpus; /* that its ranks have, and that they leave; NAN where it has no value */
    int followers;          /* keys that were changed so that the cell is valid */
    struct change follower[SWEEP_FOLLOWERS];
};

/** The metrics that have names of their own; NULL ends them. */
extern const struct sweep_metric sweep_metrics[];

/** The key that a metric needs and a resolved plan does not set; PARAM_COUNT for none. */
enum param sweep_missing_key(const struct sweep_metric *metric, const struct plan *resolved);

/** Whether plans of this kind have it. */
bool sweep_metric_is_of(const struct sweep_metric *metric, bool is_serving);

/** The metric at this place in sweep_metrics, or the next that this kind of plan has; the first follows the last. */
int sweep_metric_for(int metric, bool is_serving);

/**
 * The metric of this name that this kind of plan has, or of a path; its `name` is NULL when `name` cannot be a path.
 * `name` must outlive it.
 */
struct sweep_metric sweep_metric_named(const char *name, bool is_serving);

/**
 * Evaluates the cell of a plan. `opened` is used for metrics that are paths. With `follow`, sizes that are not among
 * the swept `keys` (data parallelism, sequence parallelism, micro-batch) follow so that the plan is valid where any do;
 * `plan` is changed to what was estimated.
 */
void sweep_evaluate(struct plan *plan, const struct sweep_metric *metric, const enum param keys[], int key_count,
                    bool follow, struct estimate *scratch, struct explanation *opened, struct sweep_cell *out);

/**
 * The question for the best layout of a cell: the plan's swept keys stay, the rest of the layout is free, what fits
 * comes first. By memory for the metrics that are about it, else by time.
 */
void sweep_ask(const struct plan *plan, const struct sweep_metric *metric, const enum param keys[], int key_count,
               struct search_ask *out);

/**
 * The same as sweep_evaluate() with the best layout of the answer, or what is nearest to fitting, whose keys follow.
 * Where no layout is valid the cell is that of the plan as it stands, unless that leaves GPUs idle: then it is invalid,
 * as where the swept sizes do not divide the GPUs.
 */
void sweep_evaluate_best(struct plan *plan, const struct sweep_metric *metric, const struct search_ask *ask,
                         const struct search_answer *answer, struct estimate *scratch, struct explanation *opened,
                         struct sweep_cell *out);

/** Sets the keys that followed in a cell. */
void sweep_follow(const struct sweep_cell *cell, struct plan *plan);

/** The best of `count` cells: among those that fit, else those that are tight; -1 for none. */
int sweep_best(const struct sweep_metric *metric, const struct sweep_cell cell[], int count);

/** The values that part the fifths of the cells that fit, best first; a larger value is worse. */
struct sweep_scale {
    double sign; /* -1 where larger values are better */
    double edge[SWEEP_STEPS - 1]; /* the worst value of each fifth but the last; NAN where nothing fits */
};

/** Finds the fifths of `count` cells; `scratch` has room for as many values. */
void sweep_scale_of(const struct sweep_metric *metric, const struct sweep_cell cell[], int count, double scratch[],
                    struct sweep_scale *out);

/**
 * How good a cell is among all that fit: 0 for the best fifth of them, SWEEP_STEPS - 1 for the worst; -1 for others.
 */
int sweep_step(const struct sweep_scale *scale, const struct sweep_cell *cell);
