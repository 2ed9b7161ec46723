/* core/estimate/estimate.h - everything that follows from a plan, complete after one call. */
#ifndef SHARDTOP_CORE_ESTIMATE_ESTIMATE_H
#define SHARDTOP_CORE_ESTIMATE_ESTIMATE_H

#include "core/estimate/comm.h"
#include "core/estimate/op.h"
#include "core/estimate/rank.h"
#include "core/estimate/schedule.h"
#include "core/estimate/serving.h"
#include "core/estimate/simulate.h"
#include "core/estimate/stage.h"
#include "core/estimate/symbols.h"
#include "core/estimate/timing.h"
#include "core/plan/finding.h"
#include "core/plan/plan.h"

enum { STAGES_MAX = 256 };

/** Counts of parameters (elements) and the model without any parallelism (bytes). */
struct totals {
    double total, unpadded, active, embedding; /* elements */
    double params, param_bytes, gradient_bytes, optimizer_bytes, activations_bytes, total_bytes; /* full model */
};

/** Layers of one stage: `first` .. `first + layers - 1` for each chunk; a contiguous run when vpp is 1. */
struct stage_split {
    int layers, moe_layers;
    int first_layer, last_layer; /* of the first and the last chunk */
};

/**
 * The answer to a plan. Values that are not known are NAN. When `is_computed` is false the layout has no meaning
 * (sizes do not fit together), `diags` says why, and only `plan`, `diags`, `symbols`, `totals` are set.
 */
struct estimate {
    struct plan plan;       /* resolved */
    struct diags diags;
    struct symbols symbols;
    struct symbols unparallel; /* the same model on one rank */
    struct rank_grid grid;
    struct schedule_shape schedule;
    struct totals totals;
    struct op full[OP_COUNT]; /* operators without parallelism */
    struct op op[OP_COUNT];   /* operators on one rank */
    struct op_time time[OP_COUNT];
    int stages;             /* 0 when not computed */
    bool is_computed;       /* layout, parameters, memory of states */
    bool is_modelled;       /* activations and time too: false for frameworks and features not modelled yet */
    struct stage_split split[STAGES_MAX];
    struct stage stage[STAGES_MAX];
    struct pass pass[STAGES_MAX];
    double stage_params_all[STAGES_MAX]; /* whole stage: all tp ranks, replicas once */
    int peak_stage;    /* whose device memory is the largest */
    int binding_stage; /* whose micro-batch takes longest */
    double exposed_s[COMM_DIM_COUNT]; /* traffic that nothing hides, on the binding stage (dp: the largest) */
    bool host_fits;    /* what is offloaded fits the host memory of a node; true when nothing is */
    bool fits;         /* on every stage; false also when unknown (see headroom NAN) */
    double capacity_bytes, usable_bytes, headroom_bytes; /* the least headroom over stages */
    struct step step;
    bool is_serving;   /* workload inference: `serving` holds the answer, stages and step hold no training figures */
    struct serving serving;
};

/** Computes everything for `plan` (blanks allowed). Never fails: faults are findings. Same input, same bytes out. */
void estimate_plan(const struct plan *plan, struct estimate *out);

/** Communication rows of one stage, with times and what overlaps; rows that are not there have `when` 0. */
void estimate_comm(const struct estimate *estimate, int stage, struct comm out[COMM_COUNT]);

/** The same with the list of rows that are there. */
void estimate_comm_table(const struct estimate *estimate, int stage, struct comm_table *out);

/**
 * Plays the estimate's schedule with some number of micro-batches; every pass goes to `each` (may be NULL), stage by stage
 * in order of time. Returns the seconds of simulate(), NAN when there is no training to play or no order of passes is known.
 */
double estimate_play(const struct estimate *estimate, double micro_batches,
                     void (*each)(void *context, const struct sim_event *event), void *context);

/** Name of the layer kinds present: how many layers have an operator (`count` of the layer table). */
int estimate_op_count(const struct estimate *estimate, enum op_id op);

/** What a search needs of one layout. */
struct quick {
    double peak_device_bytes, iteration_s;
    bool fits;
};

/** Sums over the operators of a layer: what all layouts with the same tp, cp, ep, micro-batch and recomputation share. */
struct layer_cost {
    struct op_sum sum[OP_KIND_COUNT];
    double forward[OP_KIND_COUNT], backward[OP_KIND_COUNT]; /* seconds of one micro-batch */
    double wgrad[OP_KIND_COUNT];      /* of backward: weight gradients */
    double core_forward, fc2_forward; /* of them: the attention kernel, the second feed-forward product */
    double dense_dropped, moe_dropped;                      /* bytes that selective recomputation frees in a layer */
    double dummy[8]; /* elements of distinct weight shapes; bit 0: with dense layers, 1: expert layers, 2: last stage */
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
