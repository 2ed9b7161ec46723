/*
 * core/estimate/simulate.h - plays a pipeline schedule event by event, for stages and chunks that take different times.
 */
#pragma once

#include "core/estimate/passes.h"

#include <stdbool.h>

/** One pass of one chunk and micro-batch. */
struct sim_event {
    int stage, chunk, micro_batch;
    enum sim_pass pass;
    double start_s, end_s;
};

/** The most passes whose times are kept, and the most of schedules that keep their stages' last passes alone. */
enum { SIM_PASSES_MAX = 16384, SIM_STEPS_MAX = 32768 };

/** Room for the finish times of passes; lives on the caller's stack. */
struct sim_scratch {
    double forward[SIM_PASSES_MAX], backward[SIM_PASSES_MAX];
};

/** Seconds of each chunk's passes in the order of the model: entry n is chunk n / p of stage n mod p. */
struct sim_times {
    const double *forward_s, *backward_s; /* backward_s has both gradients */
    /* the part of backward_s that zero-bubble schedules run apart; else NULL will do */
    const double *wgrad_s;
};

/**
 * Seconds from the first forward pass to the end of the last backward pass. Of more passes than simulate_played() says,
 * the steady state goes on at the pace of the slowest stage. `each` (may be NULL) receives every pass that was played,
 * SIM_PASSES_MAX at most, stage by stage in order of time. For schedules that run weight gradients apart (the
 * zero-bubble ones and DualPipe) it is the longest time from a stage's first pass to its last, because the next
 * iteration begins where the last one ended on each stage. NAN where schedule_is_possible() is false.
 * Sources: Megatron-LM core pipeline_parallel/schedules.py 953-977 (warm-up and schedule table); Qi et al. 2023
 * (arXiv 2401.10241) figures 2 and 3 (H1, H2); Qi et al. 2024 (arXiv 2405.15362), as in PyTorch 2.6
 * distributed/pipelining/schedules.py ScheduleZBVZeroBubble; DeepSeek DualPipe 2025 dualpipe/dualpipe.py step 1 to 8.
 */
double simulate(const struct schedule_shape *shape, const struct sim_times *times, struct sim_scratch *scratch,
                void (*each)(void *context, const struct sim_event *event), void *context);

/**
 * Micro-batches that simulate() plays when nobody listens: all, or as many as have room, SIM_STEPS_MAX passes of 1F1B
 * and of chunks in whole groups of as many as there are stages, else SIM_PASSES_MAX, and leave the order as it is; 0
 * where too few have.
 */
double simulate_played(const struct schedule_shape *shape);

/**
 * Micro-batches to play for a drawing: at least `wanted` where there are so many and room for them, such that the order
 * of those at both ends is the order of all. 0 where none can be played.
 */
double simulate_drawn(const struct schedule_shape *shape, double wanted);

/**
 * Which chunk and micro-batch pass number `k` of every stage is: groups of N micro-batches go through chunk 0, then
 * chunk 1, ... then the next group; backward passes take the chunks in reverse.
 */
void simulate_pass(const struct schedule_shape *shape, int k, bool is_backward, int *chunk, int *micro_batch);
