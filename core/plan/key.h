/*
 * core/plan/key.h - the keys of a plan and the frameworks by name. Apart from core/plan/plan.h, so that a new row of
 * param.def or framework.def compiles only the files that name one.
 */
#ifndef SHARDTOP_CORE_PLAN_KEY_H
#define SHARDTOP_CORE_PLAN_KEY_H

#include "core/plan/plan.h"

/** Identifies a plan key: PARAM_parallel_tp and so on, in the order of core/plan/param.def. */
enum param {
#define ROW(group, key, ...) PARAM_##group##_##key,
#include "core/plan/param.def"
#undef ROW
    PARAM_COUNT
};
_Static_assert((int)PARAM_COUNT <= (int)PLAN_KEYS_MAX, "a plan has room for every key");

/** The frameworks and their dated versions: FRAMEWORK_NANOTRON and so on, in the order of core/plan/framework.def. */
enum framework_id {
#define FRAMEWORK(id, ...) FRAMEWORK_##id,
#define VERSION(id, ...) FRAMEWORK_##id,
#include "core/plan/framework.def"
    FRAMEWORK_COUNT
};

/** The value of a key, as in KEY_OF(plan, parallel, tp); the sheets write KEY(parallel, tp) for that of their plan. */
#define KEY_OF(plan, group, key) ((plan)->value[PARAM_##group##_##key])

#endif
