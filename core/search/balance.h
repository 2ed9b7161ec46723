/* core/search/balance.h - layers cut into stages and chunks by the time that they take. */
#pragma once

#include "core/plan/plan.h"

/** Seconds of a pass through each layer and back, and of what stands before the first and behind the last. */
struct balance_times {
    int count;
    double layer[PATTERN_LAYERS_MAX], before, behind;
};

/**
 * Times the layers of a plan, blanks allowed: embedding, output layer and multi-token prediction included, nothing
 * recomputed. `count` is 0 where sizes are not known or there are too many layers.
 */
void balance_time(const struct plan *plan, struct balance_times *out);

/**
 * Cuts layers into `chunks` chunks, in the order of the model, whose slowest takes least; each has a layer, the last
 * one may do without. Returns 0, or -1 where there are fewer layers.
 */
int balance_layers(const struct balance_times *times, int chunks, struct pipeline_layout *out);
