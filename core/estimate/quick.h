/*
 * core/estimate/quick.h - the part of an estimate that a search needs, with what layouts share kept from one to the
 * next.
 */
#pragma once

#include "core/estimate/depend.h"
#include "core/estimate/kinds.h"
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
    double fit_deviations; /* normal() of them is the probability, as range_fit_probability() */
    double iteration_s;
    bool fits;     /* device and host, as in struct estimate */
    bool is_bound; /* iteration_s is less than, or as much as, the played time */
};

enum { QUICK_ENTRIES = 1024, QUICK_PROBES = 4, QUICK_KEY_MAX = 256 /* symbols that layers read; a test counts them */ };
enum { QUICK_VARIES_MAX = 48 }; /* of them, those that layouts of one search may differ in */
enum { QUICK_STAGES = 8192, QUICK_PEAKS = 96 * PASS_PEAKS_MAX };

/** Peaks of stages by schedule, found when they are asked for; all are forgotten where there is no more room. */
struct quick_peaks {
    struct stage_peaks {
        struct schedule_shape schedule; /* with no more micro-batches than passes_enough() */
        int stage, first, count;        /* count 0: nothing there */
        struct peak most; /* at least as much of everything as any of them has */
    } of[QUICK_STAGES];
    int stages, used;
    struct peak at[QUICK_PEAKS];
};

/**
 * Layer costs and prices of calls by the symbols that they depend on, so that any plan may follow any other;
 * zero-initialise, one per thread. Symbols that never differed are kept once, the others with every entry.
 */
struct quick_cache {
    struct depend of_layers, of_calls; /* what layers and calls depend on; found at first use */
    struct depend of_states;           /* what another sharding must leave alone, so that the rest stays */
    /* how many of the first two come first that follow from the pipeline, recomputation or sharding, */
    int layers_inside, calls_inside;
    int same_inside;                   /* and of `same` */
    const void *user;                  /* the layout that it was last used for */
    double call_key[QUICK_KEY_MAX];
    struct call_memo calls;
    struct depend same, varies; /* of_layers: those that all entries have in common, and the others */
    double common[QUICK_KEY_MAX], first[QUICK_VARIES_MAX]; /* the values of `same`, and the first values of `varies` */
    struct quick_entry {
        double key[QUICK_VARIES_MAX];
        bool is_set;
        struct layer_cost cost;
    } entry[QUICK_ENTRIES];
    struct quick_peaks peaks;
};

/** What of a class of stages is known: of another sharding, while its symbols of quick_cache.of_states are the same. */
enum quick_known {
    KNOWS_NOTHING,
    KNOWS_SHAPE,   /* all that recomputation and sharding leave alone of its memory */
    KNOWS_MEMORY,  /* all that sharding leaves alone of its memory */
    KNOWS_TRAFFIC, /* that of micro-batches, too */
    KNOWS_TIME,    /* that of weights and gradients, too, which is of one sharding */
};

/** Where the passes of a class are fullest, by the bytes of one micro-batch. */
struct quick_height {
    bool is_known, is_of_all; /* whether of all its stages, or of those that count */
    struct pass_weights weights;
    double most; /* bytes on the fullest of its stages */
    int end;     /* stages from here on need not be looked at: one stands for all */
};

/** A layout under estimate: a sheet for each class of its stages. */
struct quick_layout {
    const struct plan *plan; /* resolved */
    struct symbols symbols;  /* its own, set by the caller, as is */
    struct split split;      /* how its layers are spread */
    struct schedule_shape schedule;
    struct rank_grid grid;
    struct pipeline_classes classes;
    double state_key[QUICK_KEY_MAX]; /* of quick_cache.of_states */
    struct layer_cost cost;
    struct kind_costs kinds; /* beside it, where layers differ */
    struct stage stage[STAGES_MAX];
    struct pass pass[STAGES_MAX];
    enum quick_known known[STAGES_MAX];
    /* enum varies: what changed since all of a class was worked out, not its floor alone */
    unsigned behind[STAGES_MAX];
    struct quick_height height[STAGES_MAX];
    struct fullest fullest[STAGES_MAX]; /* of every stage whose schedule is played */
    struct comm_table comm;
    double exposed_s[STAGES_MAX][COMM_DIM_COUNT];
};

/**
 * Puts the stages in their places, for a resolved plan that breaks no rule; `layout` has its symbols and its split.
 * Layouts that differ in recomputation and sharding alone share the result.
 */
void quick_shape(const struct plan *resolved, struct quick_layout *layout);

/**
 * Memory over all stages of a plan of this shape, whose symbols `layout` has; `changed` (enum varies) says in what it
 * differs from the last one. The plan must stay. Beyond `enough` bytes, at least the device's (INFINITY: all),
 * no more is looked at, and what that would add is not known.
 */
void quick_memory(const struct plan *resolved, unsigned changed, double enough, struct quick_cache *cache,
                  struct quick_layout *layout, struct quick *out);

/** Seconds of an iteration without traffic that is not known yet, or bubble: what quick_time() is never below. */
double quick_least_s(struct quick_layout *layout);

/** The same with the traffic of the stage that computes longest, after quick_least_s(). */
double quick_busy_s(struct quick_layout *layout);

/** The time of a step, after quick_busy_s(). */
void quick_time(struct quick_layout *layout, enum quick_time time, struct quick *out);

/** All of them. */
void estimate_quick(const struct plan *resolved, enum quick_time time, struct quick_cache *cache, struct quick *out);
