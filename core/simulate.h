/* core/simulate.h - plays a pipeline schedule event by event, for stages and chunks that take different times. */
#ifndef SHARDTOP_CORE_SIMULATE_H
#define SHARDTOP_CORE_SIMULATE_H

#include "core/schedule.h"

#include <stdbool.h>

/** One pass of one chunk and micro-batch. */
struct sim_event {
    int stage, chunk, micro_batch;
    bool is_backward;
    double start_s, end_s;
};

enum { SIM_PASSES_MAX = 16384 };

/** Room for the finish times of passes; lives on the caller's stack. */
struct sim_scratch {
    double forward[SIM_PASSES_MAX], backward[SIM_PASSES_MAX];
};

/**
 * Seconds from the first forward pass to the end of the last backward pass. `forward` and `backward` give the seconds
 * of each chunk in the order of the model (entry n: chunk n / p of stage n mod p). When chunks x micro-batches exceed
 * SIM_PASSES_MAX, the steady state goes on at the pace of the slowest stage. `each` (may be NULL) receives every pass
 * that was played, stage by stage in order of time. GPipe, 1F1B and interleaved are played; NAN for other schedules.
 * Source: Megatron-LM core pipeline_parallel/schedules.py 953-977 (warm-up and schedule table).
 */
double simulate(const struct schedule_shape *shape, const double forward[], const double backward[],
                struct sim_scratch *scratch, void (*each)(void *context, const struct sim_event *event), void *context);

/**
 * Which chunk and micro-batch pass number `k` of every stage is: groups of N micro-batches go through chunk 0, then
 * chunk 1, ... then the next group; backward passes take the chunks in reverse.
 */
void simulate_pass(const struct schedule_shape *shape, int k, bool is_backward, int *chunk, int *micro_batch);

/** Forward passes that a stage runs before its first backward pass. */
double simulate_warm_up(const struct schedule_shape *shape, int stage);

#endif
