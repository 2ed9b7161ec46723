/* core/estimate/quick.h - the part of an estimate that a search needs, with what layouts share kept from one to the next. */
#ifndef SHARDTOP_CORE_ESTIMATE_QUICK_H
#define SHARDTOP_CORE_ESTIMATE_QUICK_H

#include "core/estimate/estimate.h"

/** What a search needs of one layout. */
struct quick {
    double peak_device_bytes, iteration_s;
    bool fits;
};

enum { QUICK_ENTRIES = 1024, QUICK_PROBES = 8, LAYER_KEYS = 10 };

/** Layer costs by the keys they depend on; zero-initialise, one per thread and per model, framework and hardware. */
struct quick_cache {
    struct quick_entry {
        double key[LAYER_KEYS + 1];
        bool is_set;
        struct layer_cost cost;
    } entry[QUICK_ENTRIES];
    bool plays; /* set it to play the schedule event by event where stages differ, as estimate_plan() does */
};

/**
 * Peak device memory over all stages and the time of a step, for a resolved plan that breaks no rule. Layer costs are
 * shared through `cache`. Unless `cache->plays`, the schedule's time is the closed form for the slowest stage.
 */
void estimate_quick(const struct plan *resolved, struct quick_cache *cache, struct quick *out);

#endif
