/* core/plan/rule.h - the constraints on a plan, one row each, and what they say when they are broken. */
#pragma once

#include "core/plan/finding.h"
#include "core/plan/key.h"

#include <stdbool.h>

/** Identifies a rule: RULE_layers_split and so on, in the order of core/plan/rule.def. */
enum rule_id {
#define RULE(id, ...) RULE_##id,
#include "core/plan/rule.def"
#undef RULE
    RULE_COUNT
};

/** The levels of core/plan/rule.def. */
enum rule_kind { RULE_KIND_ERROR, RULE_KIND_MISSING, RULE_KIND_WARNING, RULE_KIND_NOTE, RULE_KIND_UNMODELLED,
                 RULE_KIND_REFUSED };

/** Quantities of rules and their messages that are no symbols. */
struct rule_extra {
    double gpus, tpc, bd;  /* of the hardware; tp x pp x cp; micro-batch x dp */
    double played;         /* micro-batches of the schedule that are played pass by pass */
    double chunk_layers;   /* the most layers of a chunk; NAN when they do not spread as asked */
    const char *framework; /* its name */
};

/** Rules that do not hold, ascending. */
struct rule_unheld {
    int count;
    enum rule_id rule[RULE_COUNT];
};

struct symbols;

/** The rules that do not hold for a resolved plan; an unknown operand breaks only the rule that asks for it. */
void rule_unheld(const struct plan *plan, const struct symbols *symbols, const struct rule_extra *extra,
                 struct rule_unheld *out);

/** A set of rules. */
struct rule_set {
    bool has[RULE_COUNT];
};

/** The rules of level error that a resolved plan breaks; no text is made, so this is cheap enough for a search. */
void rule_broken(const struct plan *resolved, struct rule_set *out);

/** The same with those that say that memory and time are unknown: a search offers no plan that breaks one. */
void rule_forbidding(const struct plan *resolved, struct rule_set *out);

/** A rule's short stable name, and the key that it is about. */
const char *rule_name(enum rule_id rule);
enum param rule_key(enum rule_id rule);

/**
 * The frameworks' own checks that a resolved plan breaks and that no layout mends: what the user's own setting of
 * another key breaks is no reason for a search to find nothing.
 */
void rule_excuses(const struct plan *resolved, struct rule_set *out);

/** Whether a resolved plan breaks a rule, `excused` apart, that keeps it out of searches. */
bool rule_forbids(const struct plan *resolved, const struct rule_set *excused);

/** Whether layouts differ in a key. */
static inline bool rule_is_of_layout(enum param key)
{
    return (key >= PARAM_parallel_tp && key <= PARAM_parallel_fsdp_prefetch) || key == PARAM_train_recompute;
}

/** Whether a resolved plan breaks a rule of the frameworks' own checks that another one, `base`, holds. */
bool rule_adds_refusal(const struct plan *resolved, const struct plan *base);

/** How many rules of level error a resolved plan breaks. */
int rule_errors(const struct plan *resolved);

/**
 * Whether a resolved plan, its symbols known, breaks no rule of level error and is modelled, as far as rules go that
 * follow from neither pipeline, sharding nor recomputation.
 */
bool rule_allows_rest(const struct plan *resolved, const struct symbols *symbols);

/** The same of the rules that follow from the pipeline alone; `splits`: the layers spread as asked. */
bool rule_allows_pipeline(const struct plan *resolved, const struct symbols *symbols, bool splits);

/** The same of the rules that follow from sharding, but not from recomputation. */
bool rule_allows_sharding(const struct plan *resolved, const struct symbols *symbols);

/** The same of the rules that follow from recomputation. */
bool rule_allows_recompute(const struct plan *resolved, const struct symbols *symbols);

/** True when `broken` has no rule that `known` lacks or whose finding points at key `id`. */
bool rule_is_elsewhere(const struct rule_set *broken, const struct rule_set *known, enum param id);

/**
 * Writes every broken rule of a resolved plan, whose symbols are given, into `diags`, errors first, without values that
 * work.
 */
void rule_check(const struct plan *resolved, const struct symbols *symbols, struct diags *diags);
