/* core/search/depth.h - the largest model that fits a layout: layers are added while there is room. */
#pragma once

struct estimate;
struct plan;

enum { SEARCH_LAYERS_MAX = 4096 };

/** What a search over depths found. */
struct search_depth {
    int step;    /* layers that are added at once: one for each chunk of each stage */
    int largest; /* the most layers that fit; 0 when not even `step` layers do */
    int evaluated, feasible;
};

/** The plan with another number of layers, which the pipeline splits evenly. */
void search_set_layers(const struct plan *plan, int layers, struct plan *out);

/**
 * Adds layers to `plan`, all else kept, until the fullest GPU has no room; `scratch` is used for the estimates. Returns
 * 0, or -1 with the plan's own estimate in `scratch` when its memory cannot be judged.
 */
int search_deepest(const struct plan *plan, struct estimate *scratch, struct search_depth *out);
