/* core/plan/rule.h - the constraints on a plan, one row each, and what they say when they are broken. */
#ifndef SHARDTOP_CORE_PLAN_RULE_H
#define SHARDTOP_CORE_PLAN_RULE_H

#include "core/plan/finding.h"
#include "core/plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

/** A set of rules, one bit each in the order of core/plan/rule.def. */
typedef uint64_t rule_set;

/** The rules of level error that a resolved plan breaks; no text is made, so this is cheap enough for a search. */
rule_set rule_errors(const struct plan *resolved);

/** The rules whose finding points at key `id`. */
rule_set rule_about(enum param id);

/** Writes every broken rule of a resolved plan into `diags`, errors first, without values that work. */
void rule_check(const struct plan *resolved, struct diags *diags);

/** True when memory and time of the plan are modelled; where not, a finding with `is_unmodelled` says what is missing. */
bool rule_is_modelled(const struct plan *resolved);

#endif
