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

/* The entry of these symbols, or the one to put them in, which then does not have them yet. */
static struct quick_entry *find_entry(const struct symbols *y, struct quick_cache *cache)
{
    const struct depend *of = &cache->of_layers;
    struct quick_entry *entry = &cache->entry[cache->last];
    double key[QUICK_KEY_MAX];
    if (entry->is_set && depend_equal(of, y, entry->key))
        return entry;
    depend_take(of, y, key);
    unsigned home = home_of(of, key);
    for (int i = 0; i < QUICK_PROBES; i++) {
        cache->last = (int)((home + (unsigned)i) % QUICK_ENTRIES);
        entry = &cache->entry[cache->last];
        if (!entry->is_set || depend_equal(of, y, entry->key))
            return entry;
    }
    entry->is_set = false;
    return entry;
}

static const struct layer_cost *cached_layers(const struct symbols *y, struct quick_cache *cache)
{
    struct quick_entry *entry = find_entry(y, cache);
    if (!entry->is_set) {
        struct layer_part part;
        pipeline_layers(y, &part, NULL);
        entry->cost = part.cost;
        depend_take(&cache->of_layers, y, entry->key);
        entry->is_set = true;
    }
    return &entry->cost;
}

/* Takes the memory of a stage into that of the layout. */
static void add_memory(const struct quick_layout *layout, const struct stage *stage, struct quick *out)
{
    struct memory_range range;
    range_stage(layout->plan, &layout->symbols, stage, &range);
    out->peak_device_bytes = max(out->peak_device_bytes, stage->device_bytes);
    out->host_bytes = max(out->host_bytes, stage->host_bytes * layout->symbols.node_gpus);
    out->fit_probability = range.fit_probability >= out->fit_probability ? out->fit_probability : range.fit_probability;
}

/* The stages of a class behind its first, where one of them may hold more. */
static void add_others(const struct quick_layout *layout, const struct layer_cost *cost, int class, double enough, struct quick *out)
{
    struct stage stage;
    struct pass pass;
    for (int i = layout->classes.first[class] + 1; i < layout->split.stages && !(out->peak_device_bytes > enough); i++) {
        if (layout->classes.of[i] != class)
            continue;
        pipeline_hold(layout->plan, &layout->symbols, &layout->split, &layout->schedule, cost, i, &stage, &pass);
        add_memory(layout, &stage, out);
    }
}

/* The first stage of every class, and all others where they count. */
static void add_stages(struct quick_layout *layout, const struct layer_cost *cost, double enough, struct quick *out)
{
    out->peak_device_bytes = out->host_bytes = 0;
    out->fit_probability = 1;
    for (int c = 0; c < layout->classes.count && !(out->peak_device_bytes > enough); c++) {
        pipeline_hold(layout->plan, &layout->symbols, &layout->split, &layout->schedule, cost, layout->classes.first[c],
                      &layout->stage[c], &layout->pass[c]);
        add_memory(layout, &layout->stage[c], out);
    }
    for (int c = 0; c < layout->classes.count && pipeline_is_played(&layout->schedule); c++)
        add_others(layout, cost, c, enough, out);
}

void quick_memory(const struct plan *plan, const struct symbols *symbols, double enough, struct quick_cache *cache,
                  struct quick_layout *layout, struct quick *out)
{
    *out = (struct quick){.peak_device_bytes = NAN, .host_bytes = NAN, .fit_probability = NAN, .iteration_s = NAN};
    layout->classes.count = 0;
    if (!split_evenly(plan, &layout->split) && split_layers(plan, &layout->split) == SPLIT_NONE)
        return;
    layout->plan = plan;
    layout->symbols = *symbols;
    rank_grid_of(plan, &layout->grid);
    begin(symbols, cache);
    const struct layer_cost *cost = cached_layers(symbols, cache);
    pipeline_schedule(plan, &layout->symbols, &layout->schedule);
    pipeline_classify(plan, &layout->split, &layout->schedule, &layout->grid, &layout->classes);
    add_stages(layout, cost, enough, out);
    bool is_held = !(out->host_bytes > KEY_OF(plan, hardware, host_memory_gib) * GIB);
    out->fit_probability = is_held ? out->fit_probability : 0;
    out->fits = is_held && out->peak_device_bytes <= symbols->usable * GIB;
}

double quick_least_s(struct quick_layout *layout)
{
    double slowest = 0;
    for (int c = 0; c < layout->classes.count; c++) {
        timing_pass(&layout->symbols, &layout->stage[c], &layout->pass[c]);
        slowest = max(slowest, layout->pass[c].micro_s);
    }
    bool is_pair = layout->schedule.kind == SCHEDULE_DUALPIPE; /* a stage has half of the micro-batches */
    return layout->symbols.m * slowest / (is_pair ? 2 : 1);
}

/* Seconds from the first forward to the last backward pass; NAN where the closed form stands. */
static double schedule_s(const struct quick_layout *layout, const struct pipeline_sheets *sheets, enum quick_time time)
{
    if (time == QUICK_CLOSED || layout->split.stages == 1)
        return NAN;
    return time == QUICK_PLAYED ? pipeline_play(&layout->schedule, &layout->split, sheets, NULL, NULL)
                                : bound_play(&layout->schedule, &layout->split, sheets);
}

void quick_time(struct quick_layout *layout, enum quick_time time, struct quick_cache *cache, struct quick *out)
{
    struct pipeline all = {.binding = 0};
    struct comm_table comm;
    const struct pipeline_sheets sheets = {layout->stage, layout->pass, layout->classes.of};
    comm_clear(&comm, &cache->calls);
    for (int c = 0; c < layout->classes.count; c++) {
        double exposed_s[COMM_DIM_COUNT];
        pipeline_traffic(&layout->symbols, &layout->stage[c], &layout->grid, NULL, &comm, &layout->pass[c], exposed_s);
        pipeline_add(&all, &layout->stage[c], &layout->pass[c], exposed_s, layout->classes.stages[c]);
    }
    if (layout->schedule.kind == SCHEDULE_DUALPIPE)
        pipeline_pair(&sheets, layout->split.stages, &all.step);
    all.step.played_s = schedule_s(layout, &sheets, time);
    timing_step(&layout->symbols, &all.step);
    out->iteration_s = all.step.iteration_s;
    out->is_bound = time == QUICK_BOUND && isfinite(all.step.played_s) && !(layout->symbols.measured_s > 0);
}

void estimate_quick(const struct plan *plan, enum quick_time time, struct quick_cache *cache, struct quick *out)
{
    struct symbols symbols;
    struct quick_layout layout;
    symbols_of(plan, &symbols);
    quick_memory(plan, &symbols, INFINITY, cache, &layout, out);
    if (layout.classes.count == 0)
        return;
    quick_least_s(&layout);
    quick_time(&layout, time, cache, out);
}
