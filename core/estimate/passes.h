/* core/estimate/passes.h - the order of a stage's passes where weight gradients run apart from input gradients. */
#pragma once

#include "core/estimate/schedule.h"

#include <stdbool.h>

/** What a pass computes. Where a schedule runs weight gradients apart, a backward pass is the input gradients alone. */
enum sim_pass { SIM_FORWARD, SIM_BACKWARD, SIM_WGRAD, SIM_PASS_KINDS };

enum { PASS_CHUNKS = 2, PASS_PHASES = 10, PASS_NONE = -1 };

/** What a stage runs in one go: the chunk of each kind of pass, PASS_NONE where there is none. */
struct pass_step {
    int chunk[SIM_PASS_KINDS];
};

/** A part of the order: letters (see passes.c) that repeat. */
struct pass_phase {
    int times;
    const char *letters;
};

/** Where a stage is in its order; begun by passes_begin(). */
struct passes {
    struct pass_phase phase[PASS_PHASES];
    int at, left;     /* the present part, and how often it is still to come */
    const char *next; /* its next letter */
    bool is_idle;     /* none of its letters has found a micro-batch since it began anew: none will */
    int limit;                              /* micro-batches of each chunk */
    int turn;                               /* the chunk whose weight gradient has waited longest */
    int count[SIM_PASS_KINDS][PASS_CHUNKS]; /* passes handed out, */
    int before[SIM_PASS_KINDS][PASS_CHUNKS]; /* and before the present letters came */
    /* of letters that repeat the first and the last time will do: what is alive is linear between them */
    bool is_brief;
};

/** Goes to the first pass of a stage. The schedule's row says `apart`. */
void passes_begin(const struct schedule_shape *shape, int stage, struct passes *out);

/** The next step in the stage's order; false when all passes have run. */
bool passes_next(struct passes *passes, struct pass_step *out);

/** Micro-batches of a stage that hold memory, by chunk of the stage. */
struct alive {
    int kept[PASS_CHUNKS];    /* the forward pass has run, the backward pass has not */
    int waiting[PASS_CHUNKS]; /* input gradients have run, weight gradients have not */
};

/** One pass of a stage, and what is alive before and after it. */
struct pass_moment {
    enum sim_pass pass;
    int chunk, micro_batch;
    struct alive before, after;
};

/** Goes through the passes of a stage one by one; begun by passes_walk_begin(). */
struct passes_walk {
    const struct schedule_shape *shape;
    int stage, pass;
    struct passes passes;
    struct pass_step step;
    struct alive alive;
};

void passes_walk_begin(const struct schedule_shape *shape, int stage, struct passes_walk *out);

/**
 * The next pass; false when all have run. Where a step has both gradients of a chunk, its weight gradients are no pass.
 */
bool passes_walk_next(struct passes_walk *walk, struct pass_moment *out);

/** Bytes of one micro-batch of each chunk of a stage, and what comes and goes in passes. */
struct pass_weights {
    double kept[PASS_CHUNKS], waiting[PASS_CHUNKS];
    double forward, loss, backward;
    int loss_chunk; /* the chunk whose forward pass has the loss, or PASS_NONE */
};

/** Bytes of what is alive. */
double passes_bytes(const struct pass_weights *weights, const struct alive *alive);

/** Bytes at the height of a pass. */
double passes_height(const struct pass_weights *weights, const struct pass_moment *moment);

/**
 * What may be alive where a stage is fullest: a pass that keeps no more of anything than another like it is left out.
 */
struct peak {
    short kept[PASS_CHUNKS], waiting[PASS_CHUNKS];
    short pass, chunk; /* enum sim_pass; the chunk of a forward pass, 0 for backward ones */
};
enum { PASS_PEAKS_MAX = 1024 };

/** Micro-batches, the same schedule's, beyond which no other peaks come. */
double passes_enough(const struct schedule_shape *shape);

/**
 * The peaks of a stage, in the order of its passes, micro-batches that repeat the steady state left out; returns how
 * many. Which of them is the fullest depends on what passes weigh, this does not.
 */
int passes_peaks(const struct schedule_shape *shape, int stage, struct peak out[PASS_PEAKS_MAX]);

/**
 * Of the peaks of all stages between the ends those that may be the fullest where the chunks of a stage weigh the same;
 * returns how many. There are three stages or more.
 */
int passes_corners(const struct schedule_shape *shape, struct peak out[PASS_PEAKS_MAX]);

/** Bytes at a peak. */
double passes_peak_bytes(const struct pass_weights *weights, const struct peak *peak);

/** Where a stage is fullest. */
struct fullest {
    struct alive alive;
    int pass; /* as peak_pass of core/estimate/stage.def */
    double bytes;
};

/** The fullest of a stage's peaks. */
void passes_fullest(const struct peak peaks[], int count, const struct pass_weights *weights, struct fullest *out);

/**
 * Which micro-batch the `count`-th pass of a chunk of the stage is: DualPipe's second half comes from the last stage.
 */
int passes_micro_batch(const struct schedule_shape *shape, int stage, int chunk, int count);
