#include "core/estimate/quick.h"

#include "core/base.h"
#include "core/estimate/pipeline.h"
#include "core/plan/split.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The keys that the cost of a layer depends on, beside the model, the framework and the hardware. */
static const enum param layer_keys[LAYER_KEYS] = {
    PARAM_parallel_tp, PARAM_parallel_sp, PARAM_parallel_cp, PARAM_parallel_cp_comm, PARAM_parallel_ep,
    PARAM_parallel_etp, PARAM_train_micro_batch_size, PARAM_train_recompute, PARAM_train_recompute_modules,
    PARAM_train_attention};

static const struct layer_cost *cached_layers(const struct symbols *y, const struct plan *plan, struct quick_cache *cache)
{
    double key[LAYER_KEYS + 1];
    double hash = key[LAYER_KEYS] = y->tied > 0 && (y->p == 1 || y->folds > 0); /* a tied output layer on another stage holds a copy */
    for (int i = 0; i < LAYER_KEYS; i++) {
        key[i] = plan->value[layer_keys[i]];
        hash = hash * 7 + (key[i] < 4096 ? key[i] : 0);
    }
    uint64_t home = (uint64_t)hash;
    struct quick_entry *entry = &cache->entry[home % QUICK_ENTRIES];
    for (int i = 1; i < QUICK_PROBES && entry->is_set && memcmp(entry->key, key, sizeof key) != 0; i++)
        entry = &cache->entry[(home + (uint64_t)i) % QUICK_ENTRIES];
    if (!entry->is_set || memcmp(entry->key, key, sizeof key) != 0) {
        struct layer_part part;
        pipeline_layers(y, &part, NULL);
        entry->cost = part.cost;
        memcpy(entry->key, key, sizeof key);
        entry->is_set = true;
    }
    return &entry->cost;
}

/* True when the stages between the first and the last are alike, so that one of them stands for all. */
static bool is_even(const struct plan *plan, const struct split *split)
{
    return split->is_uniform && !(KEY_OF(plan, model, num_experts) > 0);
}

enum { HOPS = 4 };

/* Which of a stage's two hops leave the domain: what tells apart stages with the same layers. */
static int hops_of(const struct rank_grid *grid, int stage)
{
    int here = rank_stage_domain(grid, stage);
    return (here != rank_stage_domain(grid, stage + 1)) + 2 * (stage > 0 && here != rank_stage_domain(grid, stage - 1));
}

void estimate_quick(const struct plan *plan, struct quick_cache *cache, struct quick *out)
{
    struct symbols y;
    struct split split;
    struct schedule_shape schedule;
    struct rank_grid grid;
    struct pipeline all = {0};
    struct comm_table comm;
    comm_clear(&comm);
    symbols_of(plan, &y);
    *out = (struct quick){.peak_device_bytes = NAN, .iteration_s = NAN};
    if (!split_evenly(plan, &split) && split_layers(plan, &split) == SPLIT_NONE)
        return;
    rank_grid_of(plan, &grid);
    pipeline_schedule(plan, &y, &schedule);
    const struct layer_cost *cost = cached_layers(&y, plan, cache);
    int p = split.stages, alike[HOPS] = {0}, first[HOPS] = {0}; /* stages of each kind between the ends, and the first of them */
    bool shares = is_even(plan, &split) && p > 3;
    for (int i = 1; i < p - 1; i++)
        alike[hops_of(&grid, i)]++;
    struct stage stages[STAGES_MAX];
    struct pass passes[STAGES_MAX];
    double peak = 0;
    for (int i = 0; i < p; i++) {
        int kind = hops_of(&grid, i);
        bool is_between = shares && i > 0 && i < p - 1;
        if (is_between && first[kind]) { /* the first of a kind stands for all: it holds most */
            stages[i] = stages[first[kind]];
            passes[i] = passes[first[kind]];
            continue;
        }
        first[kind] = is_between ? i : first[kind];
        pipeline_stage(plan, &y, &split, &schedule, &grid, cost, i, is_between ? alike[kind] : 1, &comm, &stages[i], &passes[i], &all);
        peak = max(peak, stages[i].device_bytes);
    }
    if (schedule.kind == SCHEDULE_DUALPIPE)
        pipeline_pair(passes, p, &all.step);
    all.step.played_s = cache->plays && p > 1 ? pipeline_play(&schedule, &split, stages, passes, NULL, NULL) : NAN;
    timing_step(&y, &all.step);
    out->peak_device_bytes = peak;
    out->iteration_s = all.step.iteration_s;
    out->fits = peak <= y.usable * GIB;
}
