/* core/plan/step.h - the next value of a key that works, and all that do: the rules of core/plan/rule.def decide. */
#pragma once

#include "core/plan/key.h"

#include <stdbool.h>

/**
 * Makes the key the next (`direction` > 0) or previous value that raises no error. Returns 0, or -1 with `plan`
 * unchanged when there is none. STEP_NAMES and STEP_FIXED keys return -1.
 */
int param_step(struct plan *plan, enum param id, int direction);

/**
 * Values of an integer, boolean or enumerated key that raise no error in this plan, ascending, at most `max`.
 * Returns how many were written to `out`.
 */
int param_valid(const struct plan *plan, enum param id, double out[], int max);

/** Whether a value leaves the number to the other keys, as 0 does of parallel.dp: it is no size of its own. */
bool param_follows(const struct plan *plan, enum param id, double value);
