/* core/estimate/estimate.h - everything that follows from a plan, complete after one call. */
#pragma once

#include "core/estimate/comm.h"
#include "core/estimate/fold.h"
#include "core/estimate/model.h"
#include "core/estimate/op.h"
#include "core/estimate/rank.h"
#include "core/estimate/rl.h"
#include "core/estimate/schedule.h"
#include "core/estimate/serving.h"
#include "core/estimate/simulate.h"
#include "core/estimate/stage.h"
#include "core/estimate/symbols.h"
#include "core/estimate/timing.h"
#include "core/plan/finding.h"
#include "core/plan/plan.h"

enum { STAGES_MAX = 256 };

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
    int stages;             /* 0 when not computed */
    bool is_computed;       /* layout, parameters, memory of states */
    bool is_modelled;       /* activations and time too: false for frameworks and features not modelled yet */
    struct stage_split split[STAGES_MAX];
    struct stage stage[STAGES_MAX];
    struct pass pass[STAGES_MAX];
    double stage_params_all[STAGES_MAX]; /* whole stage: all tp ranks, replicas once */
    int peak_stage;    /* whose device memory is the largest */
    int binding_stage; /* whose micro-batch takes longest */
    double exposed_s[COMM_DIM_COUNT]; /* traffic not hidden, on the binding stage (dp: the largest) */
    bool host_fits;    /* what is offloaded fits the host memory of a node; true when nothing is */
    bool fits;         /* on every stage; false also when unknown (see headroom NAN) */
    double capacity_bytes, usable_bytes, headroom_bytes; /* the least headroom over stages */
    struct step step;
    bool is_serving;   /* workload inference: `serving` holds the answer, stages and step hold no training figures */
    struct serving serving;
    bool is_rl;        /* workload rl, and its actor is modelled: `rl` holds the phases beside the training step */
    struct rl rl;
};

/** Computes everything for `plan` (blanks allowed). Never fails: faults are findings. Same input, same bytes out. */
void estimate_plan(const struct plan *plan, struct estimate *out);

/** 1 when the server of a plan starts, 0 when not; NAN when that is not known or nothing is served. */
double serving_starts(const struct estimate *estimate);

/** Communication rows of one stage, with times and what overlaps; rows that are not there have `when` 0. */
void estimate_comm(const struct estimate *estimate, int stage, struct comm out[COMM_COUNT]);

/** The same with the list of rows that are there. */
void estimate_comm_table(const struct estimate *estimate, int stage, struct comm_table *out);

/**
 * Plays the estimate's schedule with some number of micro-batches; every pass goes to `each` (may be NULL), stage by
 * stage in order of time. Returns the seconds of simulate(), NAN when there is no training to play or no order of
 * passes is known.
 */
double estimate_play(const struct estimate *estimate, double micro_batches,
                     void (*each)(void *context, const struct sim_event *event), void *context);

/** The parameters of one whole stage, and what they are made of. */
void estimate_whole(const struct estimate *estimate, int stage, struct whole *out);

/**
 * The share of the wall time that failures and checkpoints leave, as in an estimate's step; it does not depend on how
 * long an iteration takes. 1 where nothing is said about failures.
 */
double estimate_goodput(const struct plan *resolved, const struct symbols *symbols);

/** The time by which changes are compared, in seconds: an iteration, or all answers of a batch. */
double estimate_pace(const struct estimate *estimate);

/**
 * One operator on one rank; all 0 where the model lacks it. What is kept is NAN where it is not modelled, and of
 * serving.
 */
void estimate_op(const struct estimate *estimate, enum op_id id, struct op *out);

/** The same operator without parallelism. */
void estimate_full_op(const struct estimate *estimate, enum op_id id, struct op *out);

/** The time of an operator, which must be there; NAN where time is not modelled, and of serving. */
void estimate_op_time(const struct estimate *estimate, enum op_id id, struct op_time *out);

/** How many layers have an operator (`count` of the layer table); 0 where the model lacks it. */
int estimate_op_count(const struct estimate *estimate, enum op_id id);

/** Number of layers of a stage that have an operator. */
int estimate_stage_op_count(const struct estimate *estimate, int stage, enum op_id id);

/** The layers of a stage, of a plan with a pattern. */
void estimate_stage_pattern(const struct estimate *estimate, int stage, struct layer_pattern *out);

/**
 * Whether the sequence is so long that counting attention in full, as Megatron does, or its causal half gives MFUs far
 * apart: from 16k tokens on.
 */
bool estimate_counts_causal(const struct estimate *estimate);
