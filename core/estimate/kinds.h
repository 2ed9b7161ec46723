/*
 * core/estimate/kinds.h - layers of several kinds: what one of each costs, and the mean of those that a stage or the
 * model holds, which stands where a model of one kind has its layer. Sums over layers come out exactly.
 */
#pragma once

#include "core/estimate/fold.h"
#include "core/plan/kind.h"

struct plan;
struct schedule_shape;
struct serving;
struct split;
struct totals;

/** What a layer of each kind costs on one rank; count 0 where all layers are alike. */
struct kind_costs {
    int count, mtp_layers; /* layers of one multi-token-prediction module, 0 where it is one like the first kind */
    unsigned char kind[KINDS_MAX], mtp[PATTERN_MTP_MAX];
    double has_experts; /* 1 where the model has any */
    struct layer_cost of[KINDS_MAX];
    double scratch[KINDS_MAX], exchanged[KINDS_MAX], dummy[8];
};

/** Symbols of a plan as if all layers were of one kind. */
void kinds_symbols(const struct plan *resolved, unsigned char kind, struct symbols *out);

/** Costs of the kinds of a resolved plan, beside those of its first kind. */
void kinds_costs(const struct plan *resolved, const struct layer_cost *first, struct kind_costs *out);

/**
 * The mean layer of a stage, in `mixed`; `first` itself where all layers are alike. What stands beside layers is
 * first's.
 */
const struct layer_cost *kinds_mix(const struct layer_cost *first, const struct kind_costs *kinds,
                                   const struct split *split, const struct schedule_shape *schedule, int stage,
                                   struct layer_cost *mixed);

/** The mean layer of the whole model: the FOLD members of core/estimate/model.def; fold_whole() where all are alike. */
void kinds_whole(const struct plan *resolved, const struct symbols *one, struct totals *out);

/** The GIVEN members of core/estimate/serving.def about a model's kinds of layers; NULL for one stage. */
void kinds_served(const struct plan *resolved, const struct split *split, struct serving *out);
