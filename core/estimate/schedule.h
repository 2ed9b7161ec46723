/* core/estimate/schedule.h - pipeline schedules: which forward passes are alive at the peak, and the bubble. */
#ifndef SHARDTOP_CORE_ESTIMATE_SCHEDULE_H
#define SHARDTOP_CORE_ESTIMATE_SCHEDULE_H

#include <stdbool.h>

enum { SCHEDULE_STAGES_MAX = 256 };

/** What decides the order of forward and backward passes. */
struct schedule_shape {
    int kind;       /* enum schedule */
    int stages;     /* p */
    int chunks;     /* V, chunks per stage */
    int group;      /* N, micro-batches a chunk runs before the next chunk */
    double micro_batches; /* m; NAN: nothing can run, and what depends on it is unknown */
};

/**
 * Whether the schedule can run: whole micro-batches, as many chunks a stage as it knows, groups that it can walk through,
 * for DualPipe an even number of stages and of micro-batches and two micro-batches a stage or more.
 * Sources: Megatron-LM core arguments.py and pipeline_parallel/schedules.py; DeepSeek DualPipe 2025 dualpipe/dualpipe.py step.
 */
bool schedule_is_possible(const struct schedule_shape *shape);

/**
 * Forward passes of chunks alive at the peak on `stage` (0-based), summed over its chunks.
 * One stage: 1. GPipe: m. 1F1B and zero-bubble H1: min(p - i, m); interleaved: min(m V, 2 (p-i-1) + (V-1) N + 1);
 * from the literature: zero-bubble H2 min(2 (p - i) - 1, m), V min(p, m) V, DualPipe min(p + 1, m).
 * Sources: Narayanan et al. 2021 section 2.2; Megatron-LM core pipeline_parallel/schedules.py 953-977; Qi et al. 2023
 * (zero bubble) and 2024 (V); DeepSeek-V3 report 2024 table 2 (DualPipe).
 */
double schedule_in_flight(const struct schedule_shape *shape, int stage);

/** The same for one chunk of the stage: how many of its forward passes are among them. */
double schedule_chunk_in_flight(const struct schedule_shape *shape, int stage, int chunk);

/**
 * The most passes of the first chunk that are ever among the passes alive: with interleaving a later moment than the
 * first peak may hold more of them, just when the next group's passes through that chunk are done.
 */
double schedule_first_chunk_peak(const struct schedule_shape *shape, int stage);

/** Bubble over ideal time with equal stages: (p-1)/(V m). Source: Narayanan et al. 2021 sections 2.2.1 and 2.2.2. */
double schedule_bubble_ratio(const struct schedule_shape *shape);

#endif
