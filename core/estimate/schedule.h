/* core/estimate/schedule.h - pipeline schedules: which forward passes are alive at the peak, and the bubble. */
#pragma once

#include "core/estimate/term.h"
#include "core/plan/plan.h"
#include "core/plan/split.h"

#include <stdbool.h>

enum { SCHEDULE_STAGES_MAX = 256 };

/** What decides the order of forward and backward passes. */
struct schedule_shape {
    int kind;       /* enum schedule */
    int stages;     /* p */
    int chunks;     /* V, chunks per stage */
    int group;      /* N, micro-batches a chunk runs before the next chunk */
    double micro_batches; /* m; NAN where the schedule cannot run: what depends on it is unknown */
};

/** Whether a plan's schedule can run. Where it cannot, no pass is played. */
static inline bool schedule_runs(const struct schedule_shape *shape)
{
    return shape->micro_batches >= 1;
}

/** The columns of a schedule's row that are opened as formulas. */
enum schedule_column {
    SCHEDULE_IN_FLIGHT, SCHEDULE_CHUNK_IN_FLIGHT, SCHEDULE_FIRST_CHUNK, SCHEDULE_WARM_UP, SCHEDULE_COLUMNS
};

/** The constant part of a row of core/estimate/schedule.def, by enum schedule. */
struct schedule_row {
    const char *text[SCHEDULE_COLUMNS];
    const char *source;
    bool apart; /* weight gradients run apart from input gradients */
};
extern const struct schedule_row schedule_rows[];

/** What is in flight on a pipeline of one stage, whatever the schedule. */
extern const char *const schedule_one_stage;

/** What the most passes of a stage's first chunk follow from: the FLIGHT rows. */
struct flight {
    double first_in_flight; /* chunk_in_flight of chunk 0 */
#define FLIGHT(name, ...) double name;
#include "core/estimate/schedule.def"
};
extern const struct term flight_terms[];
extern const size_t flight_term_count;

/** One chunk of a stage: layers and what is in flight of them. */
struct chunk {
    double chunk, layers, moe_layers; /* the caller's */
    double in_flight;                 /* column chunk_in_flight, or from the order of passes */
#define CHUNK(name, ...) double name;
#include "core/estimate/schedule.def"
};
extern const struct term chunk_terms[];
extern const size_t chunk_term_count;

/** Computes the CHUNK rows of a chunk, whose other members are set. */
void schedule_chunk(struct chunk *out);

/** Computes the FLIGHT rows of a stage. */
void schedule_flight(const struct schedule_shape *shape, int stage, struct flight *out);

/** Column in_flight: forward passes of chunks alive at the peak on `stage` (0-based), summed over its chunks. */
double schedule_in_flight(const struct schedule_shape *shape, int stage);

/** Column chunk_in_flight: how many of them belong to one chunk of the stage. */
double schedule_chunk_in_flight(const struct schedule_shape *shape, int stage, int chunk);

/** The same where chunks_in_flight, which schedule_in_flight() says, is known. */
double schedule_share_in_flight(const struct schedule_shape *shape, double chunks_in_flight, int chunk);

/** Column first_chunk: the most passes of the first chunk that are ever among the passes alive. */
double schedule_first_chunk_peak(const struct schedule_shape *shape, int stage);

/** Column warm_up: forward passes that a stage runs before its first backward pass. */
double schedule_warm_up(const struct schedule_shape *shape, int stage);

/**
 * Whether the schedule can run: whole micro-batches, and column plays. Sources: Megatron-LM core arguments.py and
 * pipeline_parallel/schedules.py; DeepSeek DualPipe 2025 dualpipe/dualpipe.py step.
 */
bool schedule_is_possible(const struct schedule_shape *shape);

/**
 * Which chunk of the model (0 .. p V - 1) a chunk of the stage is. Of DualPipe chunk 1 is what comes from the other
 * end.
 */
static inline int schedule_place(const struct schedule_shape *shape, int stage, int chunk)
{
    int p = shape->stages;
    if (shape->kind == SCHEDULE_DUALPIPE)
        return (chunk == 1) != (stage >= p / 2) ? p - 1 - stage : stage;
    return split_place(p, shape->kind == SCHEDULE_ZB_V, stage, chunk);
}

/**
 * The stage that holds chunk `n` of the model; with DualPipe the one whose own it is. A stage of the pipeline for every
 * number of chunks, those that the schedule cannot run too.
 */
static inline int schedule_stage(const struct schedule_shape *shape, int n)
{
    return split_stage(shape->stages, shape->kind == SCHEDULE_ZB_V, n);
}
