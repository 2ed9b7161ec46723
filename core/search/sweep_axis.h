/* core/search/sweep_axis.h - the keys of a sweep and their values: "1,2,4", "1..16", "1..64*2", "0.1..1+0.1", "*". */
#pragma once

#include "core/plan/key.h"

enum { SWEEP_AXES = 2, SWEEP_VALUES_MAX = 256, SWEEP_TEXT_MAX = 1024, SWEEP_WHY_MAX = 320 /* bytes */ };

/** One key and its values as texts: names are swept too. */
struct sweep_axis {
    enum param key;
    int count;
    char text[SWEEP_VALUES_MAX][SWEEP_TEXT_MAX];
};

/** Reads a value into a plan: 0, or -1 with the reason in `why` (PARAM_WHY_MAX bytes). */
typedef int sweep_parse(const void *context, struct plan *plan, enum param key, const char *text, char *why);

/**
 * Reads the values of `axes` keys, which are set, from `list`. A range without a step, and `*`, stand for the values
 * that are valid in the plan, or with any value of the other key; `*` leaves out a value that means "follows from the
 * others". Listed values are checked with `parse` unless it is NULL. Returns -1; or the number of the key at fault with
 * the reason in `why` (SWEEP_WHY_MAX bytes).
 */
int sweep_axes_read(struct sweep_axis axis[], const char *const list[], int axes, const struct plan *plan,
                    sweep_parse *parse, const void *context, char *why);
