/* core/estimate/quick.h - the part of an estimate that a search needs, with what layouts share kept from one to the next. */
#ifndef SHARDTOP_CORE_ESTIMATE_QUICK_H
#define SHARDTOP_CORE_ESTIMATE_QUICK_H

#include "core/estimate/depend.h"
#include "core/estimate/estimate.h"
#include "core/estimate/pipeline.h"

/** How the time of the schedule is found. */
enum quick_time {
    QUICK_CLOSED, /* the closed form for the slowest stage */
    QUICK_BOUND,  /* no more than what playing it gives: core/estimate/bound.h */
    QUICK_PLAYED, /* event by event, as estimate_plan() does */
};

/** What a search needs of one layout. */
struct quick {
    double peak_device_bytes, host_bytes; /* of the fullest stage; host_bytes of a node */
    double fit_probability; /* as range_fit_probability() */
    double iteration_s;
    bool fits;     /* device and host, as in struct estimate */
    bool is_bound; /* iteration_s is less than, or as much as, the played time */
};

enum { QUICK_ENTRIES = 384, QUICK_PROBES = 4, QUICK_KEY_MAX = 192 /* symbols that layers read; a test counts them */ };

/**
 * Layer costs and prices of calls by the symbols that they depend on, so that any plan may follow any other;
 * zero-initialise, one per thread.
 */
struct quick_cache {
    struct depend of_layers, of_calls; /* what layers and calls depend on; found at first use */
    double call_key[QUICK_KEY_MAX];
    struct call_memo calls;
    struct quick_entry {
        double key[QUICK_KEY_MAX];
        bool is_set;
        struct layer_cost cost;
    } entry[QUICK_ENTRIES];
    int last; /* the entry that the last plan used */
};

/** A layout under estimate: a sheet for each class of its stages. */
struct quick_layout {
    const struct plan *plan; /* resolved */
    struct symbols symbols;
    struct split split;
    struct schedule_shape schedule;
    struct rank_grid grid;
    struct pipeline_classes classes;
    struct stage stage[STAGES_MAX];
    struct pass pass[STAGES_MAX];
};

/**
 * Memory over all stages, for a resolved plan that breaks no rule; its symbols are given. The plan must stay. Beyond `enough`
 * bytes (INFINITY: all) no more stages are looked at, and what they would add is not known.
 */
void quick_memory(const struct plan *resolved, const struct symbols *symbols, double enough, struct quick_cache *cache,
                  struct quick_layout *layout, struct quick *out);

/** Seconds of an iteration without any traffic or bubble, after quick_memory(): what quick_time() is never below. */
double quick_least_s(struct quick_layout *layout);

/** The time of a step, after quick_least_s(). */
void quick_time(struct quick_layout *layout, enum quick_time time, struct quick_cache *cache, struct quick *out);

/** All three. */
void estimate_quick(const struct plan *resolved, enum quick_time time, struct quick_cache *cache, struct quick *out);

#endif
