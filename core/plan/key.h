/*
 * core/plan/key.h - the keys of a plan by name. Apart from core/plan/plan.h, so that a new row of param.def compiles
 * only the files that name a key.
 */
#pragma once

#include "core/plan/plan.h"

/** Identifies a plan key: PARAM_parallel_tp and so on, in the order of core/plan/param.def. */
enum param {
#define ROW(group, key, ...) PARAM_##group##_##key,
#include "core/plan/param.def"
#undef ROW
    PARAM_COUNT
};
_Static_assert((int)PARAM_COUNT <= (int)PLAN_KEYS_MAX, "a plan has room for every key");

/** The value of a key, as in KEY_OF(plan, parallel, tp); the sheets write KEY(parallel, tp) for that of their plan. */
#define KEY_OF(plan, group, key) ((plan)->value[PARAM_##group##_##key])
