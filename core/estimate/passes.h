/* core/estimate/passes.h - the order of a stage's passes where weight gradients run apart from input gradients. */
#ifndef SHARDTOP_CORE_ESTIMATE_PASSES_H
#define SHARDTOP_CORE_ESTIMATE_PASSES_H

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
    int at, repeat, letter;
    int limit;                              /* micro-batches of each chunk */
    int turn;                               /* the chunk whose weight gradient has waited longest */
    int count[SIM_PASS_KINDS][PASS_CHUNKS]; /* passes handed out */
};

/** Goes to the first pass of a stage. The schedule's row says `apart`. */
void passes_begin(const struct schedule_shape *shape, int stage, struct passes *out);

/** The next step in the stage's order; false when all passes have run. */
bool passes_next(struct passes *passes, struct pass_step *out);

/** Which chunk of the model (0 .. p V - 1) a chunk of the stage is. Of DualPipe chunk 1 is what comes from the other end. */
int passes_place(const struct schedule_shape *shape, int stage, int chunk);

/** Which micro-batch the `count`-th pass of a chunk of the stage is: DualPipe's second half comes from the last stage. */
int passes_micro_batch(const struct schedule_shape *shape, int stage, int chunk, int count);

#endif
