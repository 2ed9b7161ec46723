/*
 * core/search/waterfall.h - why two plans differ: peak memory and time of a step as steps that sum to the difference.
 */
#pragma once

#include "core/plan/key.h"

struct estimate;

enum { WATERFALL_MAX = 24, WATERFALL_NAME_MAX = 120, WATERFALL_KEYS_MAX = 10 };

/** One step; steps of 0 are left out. */
struct waterfall_step {
    char name[WATERFALL_NAME_MAX]; /* a term, or keys: "parallel.tp+parallel.sp", "model.*" */
    const char *label;             /* of a term in words; NULL for keys */
    double delta;
};

/**
 * Steps from one figure to another: `from` plus all of them in their order is `to` to the last bit. The largest come
 * first, but for those of waterfall_in_order().
 */
struct waterfall {
    double from, to; /* NAN: not known in both plans, and there are no steps */
    int count;
    struct waterfall_step step[WATERFALL_MAX];
};

/** The label, or the keys where there is none. */
static inline const char *waterfall_label(const struct waterfall_step *step)
{
    return step->label ? step->label : step->name;
}

/**
 * Whole bytes on the fullest GPU, part by part. Where the fullest stages differ, the first step ("stage") is what plan
 * `a` holds on the stage that is fullest in `b` more than on its own.
 */
void waterfall_memory(const struct estimate *a, const struct estimate *b, struct waterfall *out);

/** Seconds of an iteration, by what the slowest stage spends them on. */
void waterfall_time(const struct estimate *a, const struct estimate *b, struct waterfall *out);

/** Bytes that all GPUs send in an iteration: the largest changes by kind of message; `from` is 0, `to` unknown. */
void waterfall_traffic(const struct estimate *a, const struct estimate *b, struct waterfall *out);

/** A part of an iteration. */
struct waterfall_part {
    const char *name, *label; /* as in the steps */
    double share;             /* of the iteration */
};

/** The `count` largest parts of an iteration, the largest first; shares are NAN where it is not known. */
void waterfall_largest(const struct estimate *e, int count, struct waterfall_part out[]);

/**
 * The same two by changed key: Shapley values (Shapley 1953), the mean over all orders in which the keys may be
 * changed. Keys that only work together are one step, and so are those of a group where more than WATERFALL_KEYS_MAX
 * changed. `scratch` is used for up to 1,024 estimates.
 */
void waterfall_keys(const struct plan *a, const struct plan *b, struct estimate *scratch, struct waterfall *memory,
                    struct waterfall *time);

/** A figure of an estimate; `of` returns NAN where it is not known. */
struct waterfall_figure {
    double (*of)(const void *context, const struct estimate *e);
    const void *context;
};

/** The same of any figure: what each changed key adds to it, of all orders the mean. */
void waterfall_keys_of(const struct waterfall_figure *figure, const struct plan *a, const struct plan *b,
                       struct estimate *scratch, struct waterfall *out);

/** Bytes on the fullest GPU, and seconds of an iteration. */
extern const struct waterfall_figure waterfall_fullest, waterfall_iteration;

/**
 * The same in one order: what each of `keys`, all those that differ, adds when they are changed one after another. The
 * steps stand in that order, and sum to what double precision has of `to`. A key after which the plan has faults is one
 * step with the next; where more than WATERFALL_KEYS_MAX differ, neighbours of one group are, too. `scratch` is used
 * for `count` + 2 estimates.
 */
void waterfall_in_order(const struct waterfall_figure *figure, const struct plan *a, const struct plan *b,
                        const enum param keys[], int count, struct estimate *scratch, struct waterfall *out);

/** The steps as whole multiples of `unit`, largest remainder: they sum to the rounded `to` less the rounded `from`. */
void waterfall_shown(const struct waterfall *waterfall, double unit, double shown[WATERFALL_MAX]);
