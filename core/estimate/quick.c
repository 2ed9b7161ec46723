#include "core/estimate/quick.h"

#include "core/base.h"
#include "core/estimate/bound.h"
#include "core/estimate/range.h"
#include "core/plan/split.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Makes the cache ready for a plan: prices of calls stand for one model, framework and hardware. */
static void begin(const struct symbols *y, struct quick_cache *cache)
{
    if (cache->of_layers.count == 0) {
        depend_layers(&cache->of_layers);
        depend_calls(&cache->of_calls);
    } else if (depend_equal(&cache->of_calls, y, cache->call_key)) {
        return;
    }
    memset(&cache->calls, 0, sizeof cache->calls);
    depend_take(&cache->of_calls, y, cache->call_key);
}

/* Where a key belongs. */
static unsigned home_of(const struct depend *depend, const double key[])
{
    uint64_t hash = 0;
    for (int i = 0; i < depend->count; i++) {
        uint64_t bits;
        memcpy(&bits, &key[i], sizeof bits);
        hash += (bits ^ bits >> 32) * (0x9e3779b97f4a7c15 + 2 * (uint64_t)i);
    }
    return (unsigned)(hash >> 32);
}

/* The entry of these symbols, or the one to put them in. */
static struct quick_entry *find_entry(const struct symbols *y, struct quick_cache *cache)
{
    double key[QUICK_KEY_MAX];
    depend_take(&cache->of_layers, y, key);
    unsigned home = home_of(&cache->of_layers, key), at = home;
    for (int i = 0; i < QUICK_PROBES; i++) {
        at = (home + (unsigned)i) % QUICK_ENTRIES;
        if (!cache->entry[at].is_set || depend_equal(&cache->of_layers, y, cache->entry[at].key))
            break;
    }
    cache->last = (int)at;
    return &cache->entry[at];
}

static const struct layer_cost *cached_layers(const struct symbols *y, struct quick_cache *cache)
{
    struct quick_entry *entry = &cache->entry[cache->last];
    if (!entry->is_set || !depend_equal(&cache->of_layers, y, entry->key))
        entry = find_entry(y, cache);
    if (!entry->is_set || !depend_equal(&cache->of_layers, y, entry->key)) {
        struct layer_part part;
        pipeline_layers(y, &part, NULL);
        entry->cost = part.cost;
        depend_take(&cache->of_layers, y, entry->key);
        entry->is_set = true;
    }
    return &entry->cost;
}

/* A layout being estimated: a sheet for each class of stages. */
struct quick_layout {
    const struct plan *plan;
    struct symbols symbols;
    struct split split;
    struct schedule_shape schedule;
    struct rank_grid grid;
    struct pipeline_classes classes;
    struct pipeline all;
    struct stage stage[STAGES_MAX];
    struct pass pass[STAGES_MAX];
};

/* Evaluates the first stage of every class, the one that holds most. */
static void evaluate(struct quick_layout *layout, const struct layer_cost *cost, struct call_memo *calls, struct quick *out)
{
    struct comm_table comm;
    comm_clear(&comm, calls);
    out->peak_device_bytes = out->host_bytes = 0;
    for (int c = 0; c < layout->classes.count; c++) {
        pipeline_stage(layout->plan, &layout->symbols, &layout->split, &layout->schedule, &layout->grid, cost,
                       layout->classes.first[c], layout->classes.stages[c], &comm, &layout->stage[c], &layout->pass[c],
                       &layout->all);
        out->peak_device_bytes = max(out->peak_device_bytes, layout->stage[c].device_bytes);
        out->host_bytes = max(out->host_bytes, layout->stage[c].host_bytes);
    }
    out->host_bytes *= layout->symbols.node_gpus;
}

/* The least probability over the stages that one fits. */
static double fit_probability(const struct quick_layout *layout, const struct quick *out)
{
    double least = 1;
    if (out->host_bytes > KEY_OF(layout->plan, hardware, host_memory_gib) * GIB)
        return 0;
    for (int c = 0; c < layout->classes.count; c++) {
        struct memory_range range;
        range_stage(layout->plan, &layout->symbols, &layout->stage[c], &range);
        least = range.fit_probability >= least ? least : range.fit_probability;
    }
    return least;
}

/* Seconds from the first forward to the last backward pass; NAN where the closed form stands. */
static double schedule_s(const struct quick_layout *layout, const struct pipeline_sheets *sheets, enum quick_time time)
{
    if (time == QUICK_CLOSED || layout->split.stages == 1)
        return NAN;
    return time == QUICK_PLAYED ? pipeline_play(&layout->schedule, &layout->split, sheets, NULL, NULL)
                                : bound_play(&layout->schedule, &layout->split, sheets);
}

static void time_layout(struct quick_layout *layout, enum quick_time time, struct quick *out)
{
    struct step *step = &layout->all.step;
    const struct pipeline_sheets sheets = {layout->stage, layout->pass, layout->classes.of};
    if (layout->schedule.kind == SCHEDULE_DUALPIPE)
        pipeline_pair(&sheets, layout->split.stages, step);
    step->played_s = schedule_s(layout, &sheets, time);
    timing_step(&layout->symbols, step);
    out->iteration_s = step->iteration_s;
    out->is_bound = time == QUICK_BOUND && isfinite(step->played_s) && !(layout->symbols.measured_s > 0);
}

void estimate_quick_of(const struct plan *plan, const struct symbols *symbols, enum quick_time time, struct quick_cache *cache,
                       struct quick *out)
{
    struct quick_layout layout;
    *out = (struct quick){.peak_device_bytes = NAN, .host_bytes = NAN, .fit_probability = NAN, .iteration_s = NAN};
    if (!split_evenly(plan, &layout.split) && split_layers(plan, &layout.split) == SPLIT_NONE)
        return;
    layout.plan = plan;
    layout.symbols = *symbols;
    layout.all = (struct pipeline){.binding = 0};
    rank_grid_of(plan, &layout.grid);
    begin(symbols, cache);
    pipeline_schedule(plan, &layout.symbols, &layout.schedule);
    pipeline_classify(plan, &layout.split, &layout.schedule, &layout.grid, &layout.classes);
    evaluate(&layout, cached_layers(symbols, cache), &cache->calls, out);
    time_layout(&layout, time, out);
    out->fit_probability = fit_probability(&layout, out);
    out->fits = out->peak_device_bytes <= layout.symbols.usable * GIB && !(out->host_bytes > KEY_OF(plan, hardware, host_memory_gib) * GIB);
}

void estimate_quick(const struct plan *plan, enum quick_time time, struct quick_cache *cache, struct quick *out)
{
    struct symbols symbols;
    symbols_of(plan, &symbols);
    estimate_quick_of(plan, &symbols, time, cache, out);
}
