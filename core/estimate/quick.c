#include "core/estimate/quick.h"

#include "core/base.h"
#include "core/estimate/bound.h"
#include "core/estimate/range.h"
#include "core/plan/key.h"

#include <string.h>

/* What layouts that differ in no more than the pipeline, recomputation and sharding differ in. */
enum { VARIES_INSIDE = VARIES_SHARDED | VARIES_RECOMPUTED | VARIES_PIPELINED };

/* Whether a symbol may differ between them. */
static bool is_of_inside(short symbol)
{
    static const unsigned char marks[] = {
#define SYM(name, ...) VARIES(name) & VARIES_INSIDE,
#include "core/estimate/symbols.def"
#undef SYM
    };
    return marks[symbol];
}

/* Puts the symbols that may differ between them first; returns how many. */
static int inside_first(struct depend *depend)
{
    struct depend all = *depend;
    int count = 0, inside;
    for (int i = 0; i < all.count; i++)
        if (is_of_inside(all.symbol[i]))
            depend->symbol[count++] = all.symbol[i];
    inside = count;
    for (int i = 0; i < all.count; i++)
        if (!is_of_inside(all.symbol[i]))
            depend->symbol[count++] = all.symbol[i];
    return inside;
}

/* Makes the cache ready for a plan: prices of calls stand for one model, framework and hardware. */
static void begin(const struct symbols *y, bool rest_known, struct quick_cache *cache)
{
    if (cache->of_layers.count == 0) {
        depend_layers(&cache->of_layers);
        depend_calls(&cache->of_calls);
        depend_states(&cache->of_states);
        cache->layers_inside = inside_first(&cache->of_layers);
        cache->calls_inside = inside_first(&cache->of_calls);
    } else if (depend_equal_first(&cache->of_calls, rest_known ? cache->calls_inside : cache->of_calls.count, y,
                                  cache->call_key)) {
        return;
    }
    memset(&cache->calls, 0, sizeof cache->calls);
    depend_take(&cache->of_calls, y, cache->call_key);
}

/* Starts from these symbols: none varies yet. */
static void begin_layers(const struct symbols *y, struct quick_cache *cache)
{
    cache->same = cache->of_layers;
    cache->same_inside = cache->layers_inside;
    cache->varies.count = 0;
    depend_take(&cache->same, y, cache->common);
    for (int i = 0; i < QUICK_ENTRIES; i++)
        cache->entry[i].is_set = false;
}

/* From now on a symbol is part of every entry's key. */
static void add_varying(struct quick_cache *cache, short symbol, double common)
{
    int i = cache->varies.count++;
    cache->varies.symbol[i] = symbol;
    cache->first[i] = common;
    for (int j = 0; j < QUICK_ENTRIES; j++)
        cache->entry[j].key[i] = common;
}

/* Finds the symbols that all plans had in common until this one. */
static void learn_layers(const struct symbols *y, struct quick_cache *cache)
{
    struct depend *same = &cache->same;
    int kept = 0, inside = cache->same_inside;
    for (int i = 0; i < same->count; i++) {
        const struct depend one = {1, {same->symbol[i]}};
        if (depend_equal(&one, y, &cache->common[i])) {
            cache->common[kept] = cache->common[i];
            same->symbol[kept++] = same->symbol[i];
        } else if (cache->varies.count < QUICK_VARIES_MAX) {
            add_varying(cache, same->symbol[i], cache->common[i]);
            cache->same_inside -= i < inside;
        } else {
            begin_layers(y, cache);
            return;
        }
    }
    same->count = kept;
}

/* Where a key belongs. First values add nothing, so that entries stay where they are when one more symbol varies. */
static unsigned home_of(const struct quick_cache *cache, const double key[])
{
    uint64_t hash = 0;
    for (int i = 0; i < cache->varies.count; i++) {
        uint64_t bits, first;
        memcpy(&bits, &key[i], sizeof bits);
        memcpy(&first, &cache->first[i], sizeof first);
        hash = (hash ^ bits ^ first) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32; /* doubles that are powers of two differ in few and high bits */
    }
    return (unsigned)(hash >> 32);
}

/* The entry of this key, or the one to put it in, which then does not have it yet. */
static struct quick_entry *find_entry(const double key[], struct quick_cache *cache)
{
    unsigned home = home_of(cache, key);
    struct quick_entry *entry = NULL;
    for (unsigned i = 0; i < QUICK_PROBES; i++) {
        entry = &cache->entry[(home + i) % QUICK_ENTRIES];
        if (!entry->is_set || memcmp(entry->key, key, (size_t)cache->varies.count * sizeof *key) == 0)
            return entry;
    }
    entry->is_set = false;
    return entry;
}

static const struct layer_cost *cached_layers(const struct symbols *y, bool rest_known, struct quick_cache *cache)
{
    double key[QUICK_VARIES_MAX];
    if (cache->same.count + cache->varies.count == 0)
        begin_layers(y, cache);
    else if (!depend_equal_first(&cache->same, rest_known ? cache->same_inside : cache->same.count, y, cache->common))
        learn_layers(y, cache);
    depend_take(&cache->varies, y, key);
    struct quick_entry *entry = find_entry(key, cache);
    if (!entry->is_set) {
        pipeline_layers(y, &entry->cost);
        memcpy(entry->key, key, (size_t)cache->varies.count * sizeof *key);
        entry->is_set = true;
    }
    return &entry->cost;
}

/* ---- what is alive ---------------------------------------------------------------------------------------------- */

static bool is_of(const struct stage_peaks *one, const struct schedule_shape *schedule, double micro_batches, int stage)
{
    const struct schedule_shape *of = &one->schedule;
    return one->stage == stage && of->kind == schedule->kind && of->stages == schedule->stages &&
           of->chunks == schedule->chunks && of->micro_batches == micro_batches;
}

/* The entry of a stage, or the one to put it in. */
static struct stage_peaks *place_of(struct quick_peaks *peaks, const struct schedule_shape *schedule,
                                    double micro_batches, int stage)
{
    uint64_t key = (((uint64_t)schedule->kind << 10 | (uint64_t)schedule->stages) << 10 | (uint64_t)micro_batches)
                       << 10 |
                   (uint64_t)stage;
    unsigned at = (unsigned)(key * 0x9e3779b97f4a7c15 >> 40);
    struct stage_peaks *one;
    do
        one = &peaks->of[at++ % QUICK_STAGES];
    while (one->count > 0 && !is_of(one, schedule, micro_batches, stage));
    return one;
}

static short larger(short a, short b)
{
    return a > b ? a : b;
}

static struct peak most_of(const struct peak peaks[], int count)
{
    struct peak most = peaks[0];
    for (int i = 1; i < count; i++)
        for (int chunk = 0; chunk < PASS_CHUNKS; chunk++) {
            most.kept[chunk] = larger(most.kept[chunk], peaks[i].kept[chunk]);
            most.waiting[chunk] = larger(most.waiting[chunk], peaks[i].waiting[chunk]);
        }
    return most;
}

/* The peaks of a stage; of the number after the last: the corners of all between the ends. */
static const struct stage_peaks *peaks_of(struct quick_peaks *peaks, const struct schedule_shape *schedule, int stage)
{
    double micro_batches = passes_enough(schedule);
    struct stage_peaks *one = place_of(peaks, schedule, micro_batches, stage);
    if (one->count > 0)
        return one;
    if (peaks->stages >= QUICK_STAGES / 4 * 3 || peaks->used + PASS_PEAKS_MAX > QUICK_PEAKS) {
        peaks->stages = peaks->used = 0;
        for (int i = 0; i < QUICK_STAGES; i++)
            peaks->of[i].count = 0;
        one = place_of(peaks, schedule, micro_batches, stage);
    }
    *one = (struct stage_peaks){.schedule = *schedule, .stage = stage, .first = peaks->used};
    one->schedule.micro_batches = micro_batches;
    one->count = (stage == schedule->stages ? passes_corners(schedule, &peaks->at[one->first])
                                            : passes_peaks(schedule, stage, &peaks->at[one->first]));
    one->most = most_of(&peaks->at[one->first], one->count);
    peaks->stages++;
    peaks->used += one->count;
    return one;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* Takes the memory of a stage into that of the layout. */
static void add_memory(const struct quick_layout *layout, const struct stage *stage, struct quick *out)
{
    double deviations = range_stage_deviations(layout->plan, &layout->symbols, stage);
    out->peak_device_bytes = max(out->peak_device_bytes, stage->device_bytes);
    out->host_bytes = max(out->host_bytes, stage->host_bytes * layout->symbols.node_gpus);
    out->fit_deviations = deviations >= out->fit_deviations ? out->fit_deviations : deviations;
}

/* Where a stage's passes are fullest; no bytes where that is easily seen to be below `least`. */
static void find_fullest(struct quick_cache *cache, const struct schedule_shape *schedule,
                         const struct pass_weights *weights, int stage, double least, struct fullest *out)
{
    const struct stage_peaks *one = peaks_of(&cache->peaks, schedule, stage);
    struct pass_weights most = *weights;
    most.forward = most.backward = most.loss = max(max(weights->forward, weights->backward), weights->loss);
    out->bytes = -1;
    if (passes_peak_bytes(&most, &one->most) >= least)
        passes_fullest(&cache->peaks.at[one->first], one->count, weights, out);
}

/* Whether a class has all stages between the ends, whose chunks weigh the same: the corners of their peaks will do. */
static bool is_between(const struct quick_layout *layout, int class, const struct pass_weights *weights)
{
    return layout->classes.first[class] == 1 && layout->classes.stages[class] == layout->split.stages - 2 &&
           (pipeline_pass_chunks(&layout->schedule) == 1 ||
            (weights->kept[0] == weights->kept[1] && weights->waiting[0] == weights->waiting[1]));
}

/*
 * Finds where the stages of a class are fullest, whose first has one micro-batch alive; of all, or of those that count.
 */
static void find_height(struct quick_layout *layout, struct quick_cache *cache, int class, bool all)
{
    struct quick_height *height = &layout->height[class];
    struct pass_weights weights;
    pipeline_weigh(layout->plan, &layout->split, &layout->schedule, &layout->stage[class], &weights);
    if (height->is_known && (height->is_of_all || !all) && memcmp(&weights, &height->weights, sizeof weights) == 0)
        return;
    *height = (struct quick_height){.is_known = true, .is_of_all = all, .end = layout->split.stages};
    memcpy(&height->weights, &weights, sizeof weights);
    int first = layout->classes.first[class];
    if (!all && is_between(layout, class, &weights)) {
        height->end = first + 1;
        find_fullest(cache, &layout->schedule, &weights, layout->split.stages, 0, &layout->fullest[first]);
        height->most = layout->fullest[first].bytes;
        return;
    }
    for (int i = first; i < height->end; i++) {
        if (layout->classes.of[i] != class)
            continue;
        find_fullest(cache, &layout->schedule, &weights, i, all ? 0 : height->most, &layout->fullest[i]);
        height->most = max(height->most, layout->fullest[i].bytes);
    }
}

/*
 * The stages of a class, which differ in what is alive alone: those where that is most, or all where that does not
 * decide.
 */
static void add_played(struct quick_layout *layout, struct quick_cache *cache, int class, double enough,
                       struct quick *out)
{
    const double apart = 1 - 1e-12; /* far more than sums of bytes lose in rounding */
    struct stage *stage = &layout->stage[class];
    bool is_decisive = pipeline_height_decides(&layout->symbols);
    find_height(layout, cache, class, !is_decisive);
    double least = is_decisive ? layout->height[class].most * apart : 0;
    for (int i = layout->classes.first[class]; i < layout->height[class].end && !(out->peak_device_bytes > enough);
         i++) {
        if (layout->classes.of[i] != class || layout->fullest[i].bytes < least)
            continue;
        stage->stage = i;
        pipeline_give_alive(layout->plan, &layout->split, &layout->schedule, &layout->fullest[i], stage);
        stage_alive(&layout->symbols, stage);
        add_memory(layout, stage, out);
    }
    stage->stage = layout->classes.first[class];
}

/* Whether a class needs more than `enough`: at least `bytes`, which is all that is known then. */
static bool is_beyond(double bytes, double enough, struct quick *out)
{
    const double apart = 1 - 1e-9; /* far more than sums of bytes lose in rounding */
    if (!(bytes * apart > enough))
        return false;
    out->peak_device_bytes = max(out->peak_device_bytes, bytes * apart);
    out->fit_deviations = -INFINITY;
    return true;
}

/* What of a class has changed since its floor was worked out. */
static unsigned changes_of(enum quick_known known, bool is_played)
{
    static const unsigned changes[] = {[KNOWS_NOTHING] = VARIES_ALL,
                                       [KNOWS_SHAPE] = VARIES_SHARDED | VARIES_RECOMPUTED | VARIES_ALIVE};
    return known <= KNOWS_SHAPE ? changes[known] : is_played ? VARIES_SHARDED | VARIES_ALIVE : VARIES_SHARDED;
}

/* What a layer of a class costs; the mean of those that it holds where layers differ. */
static const struct layer_cost *cost_of_class(const struct quick_layout *layout, int class, struct layer_cost *mixed)
{
    return kinds_mix(&layout->cost, &layout->kinds, &layout->split, &layout->schedule, layout->classes.first[class],
                     mixed);
}

/* The rows that the floor leaves out, of which some were left as they were before. */
static void finish_class(struct quick_layout *layout, int class)
{
    struct layer_cost mixed;
    if (layout->behind[class] & ~(unsigned)(VARIES_SHARDED | VARIES_ALIVE))
        pipeline_give_pass(cost_of_class(layout, class, &mixed), &layout->pass[class]);
    stage_finish(&layout->symbols, layout->behind[class], &layout->stage[class]);
    layout->behind[class] = 0;
}

/*
 * The stages of a class; of its first all that another sharding leaves alone may be known. Where one micro-batch is
 * alive, which passes have at least, it may be seen already that they need more than `enough`.
 */
static void add_class(struct quick_layout *layout, struct quick_cache *cache, int class, double enough,
                      struct quick *out)
{
    struct layer_cost mixed;
    struct stage *stage = &layout->stage[class];
    bool is_played = pipeline_is_played(&layout->schedule);
    bool shows_floor = !is_played || pipeline_height_decides(&layout->symbols);
    unsigned changed = changes_of(layout->known[class], is_played);
    if (layout->known[class] <= KNOWS_SHAPE)
        pipeline_give_layers(&layout->split, &layout->schedule, cost_of_class(layout, class, &mixed), stage);
    if (is_played)
        pipeline_give_one(&layout->schedule, stage);
    layout->known[class] = layout->known[class] >= KNOWS_TRAFFIC ? KNOWS_TRAFFIC : KNOWS_MEMORY;
    layout->behind[class] |= changed;
    if (is_beyond(stage_floor(&layout->symbols, changed, stage), shows_floor ? enough : INFINITY, out))
        return;
    finish_class(layout, class);
    if (!is_played)
        add_memory(layout, stage, out);
    else if (!is_beyond(stage->device_bytes, shows_floor ? enough : INFINITY, out))
        add_played(layout, cache, class, enough, out);
}

/* Whether layers cost the same but for what is freed and what runs again. */
static bool costs_the_same(const struct layer_cost *a, const struct layer_cost *b)
{
    bool is_same = memcmp(a->dummy, b->dummy, sizeof a->dummy) == 0;
#define FOLD(name, unit, meaning, set, column) is_same &= strcmp(#column, "freed") == 0 || a->name == b->name;
#define GIVEN(...)
#define TERM(...)
#include "core/estimate/stage.def"
#undef FOLD
#undef GIVEN
#undef TERM
    return is_same;
}

/* What is known of the classes is forgotten unless sharding alone changed, and with it nothing that the rest reads. */
static void keep_known(unsigned changed, bool rest_known, struct quick_cache *cache, struct quick_layout *layout)
{
    const struct symbols *symbols = &layout->symbols;
    if (changed == VARIES_SHARDED && depend_equal(&cache->of_states, symbols, layout->state_key))
        return;
    const struct layer_cost *cost = cached_layers(symbols, rest_known, cache);
    kinds_costs(layout->plan, cost, &layout->kinds);
    bool is_same_shape = layout->kinds.count == 0 &&
        !(changed & ~(unsigned)(VARIES_SHARDED | VARIES_RECOMPUTED)) && costs_the_same(cost, &layout->cost);
    layout->cost = *cost;
    depend_take(&cache->of_states, symbols, layout->state_key);
    for (int c = 0; c < layout->classes.count; c++) {
        layout->known[c] = is_same_shape && layout->known[c] > KNOWS_NOTHING ? KNOWS_SHAPE : KNOWS_NOTHING;
        layout->height[c].is_known = false;
    }
}

void quick_shape(const struct plan *plan, struct quick_layout *layout)
{
    layout->classes.count = 0;
    comm_clear(&layout->comm, NULL);
    rank_grid_of(plan, &layout->grid);
    pipeline_schedule(plan, &layout->symbols, &layout->schedule);
    pipeline_classify(plan, &layout->split, &layout->schedule, &layout->grid, &layout->classes);
    for (int c = 0; c < layout->classes.count; c++) {
        pipeline_place(plan, &layout->split, &layout->schedule, layout->classes.first[c], &layout->stage[c]);
        layout->behind[c] = VARIES_ALL;
    }
}

void quick_memory(const struct plan *plan, unsigned changed, double enough, struct quick_cache *cache,
                  struct quick_layout *layout, struct quick *out)
{
    const struct symbols *symbols = &layout->symbols;
    *out = (struct quick){.iteration_s = NAN, .fit_deviations = INFINITY};
    layout->plan = plan;
    bool rest_known = cache->user == layout && !(changed & ~(unsigned)VARIES_INSIDE);
    cache->user = layout;
    begin(symbols, rest_known, cache);
    keep_known(changed, rest_known, cache, layout);
    layout->comm.memo = &cache->calls;
    for (int c = 0; c < layout->classes.count && !(out->peak_device_bytes > enough); c++)
        add_class(layout, cache, c, enough, out);
    bool is_held = !(out->host_bytes > KEY_OF(plan, hardware, host_memory_gib) * GIB);
    out->fit_deviations = is_held ? out->fit_deviations : -(double)INFINITY;
    out->fits = is_held && out->peak_device_bytes <= symbols->usable * GIB;
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

/* The class that a micro-batch takes longest on. */
static int slowest_of(const struct quick_layout *layout)
{
    int slowest = 0;
    for (int c = 1; c < layout->classes.count; c++)
        if (layout->pass[c].micro_s > layout->pass[slowest].micro_s)
            slowest = c;
    return slowest;
}

/* All micro-batches on one stage; a pair has half of them on each. */
static double all_of(const struct quick_layout *layout, double micro_s)
{
    return layout->symbols.m * micro_s / (layout->schedule.kind == SCHEDULE_DUALPIPE ? 2 : 1);
}

/* Whether passes hide as much of their traffic: the rows of passes that EXPOSED rows name; a test looks. */
static bool hides_the_same(const struct pass *a, const struct pass *b)
{
    return a->forward_s == b->forward_s && a->recompute_s == b->recompute_s && a->backward_s == b->backward_s &&
           a->column_w == b->column_w;
}

/* A micro-batch of a class, whose traffic stays known while what hides it takes as long. */
static void retime(struct quick_layout *layout, int class)
{
    struct pass *pass = &layout->pass[class], before = *pass;
    timing_pass(&layout->symbols, &layout->stage[class], pass);
    if (layout->known[class] == KNOWS_MEMORY || hides_the_same(pass, &before))
        return;
    pass->tp_s = pass->cp_s = pass->ep_s = pass->pp_s = 0;
    timing_pass(&layout->symbols, &layout->stage[class], pass);
    layout->known[class] = KNOWS_MEMORY;
}

double quick_least_s(struct quick_layout *layout)
{
    for (int c = 0; c < layout->classes.count; c++)
        retime(layout, c);
    return all_of(layout, layout->pass[slowest_of(layout)].micro_s);
}

static void add_traffic(struct quick_layout *layout, int class)
{
    if (layout->known[class] >= KNOWS_TRAFFIC)
        return;
    pipeline_pass_traffic(&layout->symbols, &layout->stage[class], &layout->grid, &layout->comm, &layout->pass[class],
                          layout->exposed_s[class]);
    layout->known[class] = KNOWS_TRAFFIC;
}

static void add_exchange(struct quick_layout *layout, int class)
{
    add_traffic(layout, class);
    if (layout->known[class] < KNOWS_TIME)
        pipeline_exchange(&layout->symbols, &layout->stage[class], &layout->grid, &layout->comm, &layout->pass[class],
                          layout->exposed_s[class]);
    layout->known[class] = KNOWS_TIME;
}

double quick_busy_s(struct quick_layout *layout)
{
    int slowest = slowest_of(layout);
    add_traffic(layout, slowest);
    return all_of(layout, layout->pass[slowest].micro_s);
}

/* Seconds from the first forward to the last backward pass; NAN where the closed form stands. */
static double schedule_s(const struct quick_layout *layout, const struct pipeline_sheets *sheets, enum quick_time time)
{
    if (time == QUICK_CLOSED || layout->split.stages == 1)
        return NAN;
    return time == QUICK_PLAYED ? pipeline_play(&layout->schedule, &layout->split, sheets, NULL, NULL)
                                : bound_play(&layout->schedule, &layout->split, sheets);
}

void quick_time(struct quick_layout *layout, enum quick_time time, struct quick *out)
{
    struct pipeline all = {.binding = 0};
    const struct pipeline_sheets sheets = {layout->stage, layout->pass, layout->classes.of};
    for (int c = 0; c < layout->classes.count; c++) {
        add_exchange(layout, c);
        pipeline_add(&all, &layout->stage[c], &layout->pass[c], layout->exposed_s[c], layout->classes.stages[c]);
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
    struct quick_layout layout;
    symbols_of(plan, &layout.symbols);
    *out = (struct quick){.peak_device_bytes = NAN, .host_bytes = NAN, .fit_deviations = NAN, .iteration_s = NAN};
    if (split_quickly(plan, &layout.split) == SPLIT_NONE)
        return;
    quick_shape(plan, &layout);
    quick_memory(plan, VARIES_ALL, INFINITY, cache, &layout, out);
    for (int c = 0; c < layout.classes.count; c++) {
        pipeline_time(&layout.symbols, &layout.stage[c], &layout.grid, NULL, &layout.comm, &layout.pass[c],
                      layout.exposed_s[c]);
        layout.known[c] = KNOWS_TIME;
    }
    quick_time(&layout, time, out);
}
