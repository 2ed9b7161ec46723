/*
 * core/search/plan_diff.h - the difference of two plans: changed keys, figures, and what makes up the change. What it
 * is in words is in core/search/diff_text.h.
 */
#pragma once

#include "core/estimate/estimate.h"
#include "core/estimate/range.h"
#include "core/plan/finding.h"
#include "core/search/waterfall.h"

#include <math.h>

/** The figures of an estimate that are compared. */
struct figures {
    bool is_valid; /* breaks no rule and is modelled; else all figures are NAN */
    double iteration_s, device_bytes, headroom_bytes, mfu, probability;
    double kv_tokens; /* of a server's cache; NAN for others */
    enum verdict verdict;
};

/** Figures of a plan without an estimate. */
#define FIGURES_UNKNOWN                                                                                                \
    {                                                                                                                  \
        .iteration_s = NAN, .device_bytes = NAN, .headroom_bytes = NAN, .mfu = NAN, .probability = NAN,                \
        .kv_tokens = NAN, .verdict = VERDICT_UNKNOWN                                                                   \
    }

void figures_of(const struct estimate *estimate, struct figures *out);

/** Whether neither plan fits and `a` exceeds the memory by less. */
bool figures_are_nearer(const struct figures *a, const struct figures *b);

/** How a key differs between two resolved plans. */
enum diff_key {
    DIFF_NONE,   /* it does not, or neither plan uses it */
    DIFF_GIVEN,  /* given in at least one plan */
    DIFF_DERIVED /* a default or a consequence in both */
};

enum diff_key plan_diff_key(const struct plan *before, const struct plan *after, enum param key);

/** True unless the key is about experts or serving and neither of two resolved plans has them. */
bool plan_diff_matters(const struct plan *before, const struct plan *after, enum param key);

/** The keys to set to get from one plan to another. */
struct diff_keys {
    bool set[PARAM_COUNT];     /* to be set by the user */
    bool follows[PARAM_COUNT]; /* these then change by themselves */
};

/**
 * Finds the keys that lead from one resolved plan to another: `before` with its derived keys blank and those of `set`
 * as in `after` resolves to `after`. A key that is equal in both is in `set` where its value would not follow from the
 * others: `etp` 1 with another `tp`.
 */
void plan_diff_keys(const struct plan *before, const struct plan *after, struct diff_keys *out);

/** The difference of two estimates. */
struct plan_diff {
    struct diag fault;             /* the first error of `after`, or what is not modelled; `rule` is NULL for none */
    struct figures from, to;
    struct waterfall memory, time; /* exact sums */
    struct waterfall traffic;      /* bytes that all GPUs send in an iteration; only of plan_diff_value() */
};

void plan_diff(const struct estimate *before, const struct estimate *after, struct plan_diff *out);

/** Which plan is faster, given the errors of both estimates. */
struct diff_speed {
    bool is_same_batch; /* if not, times are per token and GPU */
    double log_time;    /* ln of the time of `before` over that of `after` */
    double probability; /* that `after` is faster; NAN if unknown, or if both take equally long */
};

void plan_diff_speed(const struct estimate *before, const struct estimate *after, struct diff_speed *out);

/** Number of values of a switch or a choice, zero_stage included (its values are 0, 1 ...); 0 for other keys. */
int plan_diff_values(enum param key);

/**
 * The plan, whose estimate is `now`, compared with itself with another value of a key; estimates into `scratch`. There
 * are no steps where that value is not valid.
 */
void plan_diff_value(const struct plan *plan, const struct estimate *now, enum param key, double value,
                     struct estimate *scratch, struct plan_diff *out);
