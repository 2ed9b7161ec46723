/* core/plan/plan.h - a plan: the value of every parameter and where it came from; plain data, copied by `=`. */
#pragma once

#include "core/plan/choice.h"
#include "core/plan/gpu.h"

#include <stdbool.h>
#include <stdint.h>

/** Where a value came from, weakest first; shown with every value. */
enum origin {
    FROM_DEFAULT,
    FROM_ASSUMED /* by an importer, where an input left it open */,
    FROM_DERIVED,
    FROM_PRESET,
    FROM_FILE,
    FROM_SET,
    ORIGIN_COUNT
};

/** Text parameters have a slot in plan.text. */
enum plan_text { TEXT_MODEL, TEXT_GPU, TEXT_CLUSTER, TEXT_VERSION, TEXT_COUNT };

enum { PLAN_KEYS_MAX = 320, PLAN_TEXT_MAX = 80, LAYOUT_CHUNKS_MAX = 512 };
enum { PATTERN_LAYERS_MAX = 512, PATTERN_MTP_MAX = 8 };

/** An explicit `parallel.pipeline_layout`: layers of every chunk. */
struct pipeline_layout {
    int16_t chunks;   /* entries used; 0 means auto */
    int16_t per_stage; /* chunks listed for each stage in a nested list; 0 for a plain list */
    int16_t layers[LAYOUT_CHUNKS_MAX]; /* plain: in the order of the model; nested: stage by stage */
};

/** `model.layer_pattern`: what each layer is made of (core/plan/kind.h). */
struct layer_pattern {
    int16_t layers; /* 0: none, all layers are alike but for experts */
    int16_t mtp;    /* layers of one multi-token-prediction module; 0: one like the others */
    uint8_t of[PATTERN_LAYERS_MAX], of_mtp[PATTERN_MTP_MAX];
};

/**
 * What a user asks for. A number that nobody gave is NAN ("blank"); plan_resolve() fills blanks in.
 * Enumerations and booleans are stored as their index, sets as a bit mask.
 */
struct plan {
    double value[PLAN_KEYS_MAX]; /* by enum param, of core/plan/key.h */
    uint8_t from[PLAN_KEYS_MAX]; /* enum origin */
    char text[TEXT_COUNT][PLAN_TEXT_MAX];
    struct pipeline_layout layout;
    struct layer_pattern pattern;
    uint8_t kind; /* a layer of core/plan/kind.h where the plan speaks for one kind; 0: for kind_first() */
    struct gpu gpu; /* the device that hardware.gpu names; name empty when none was loaded */
};

/** A plan in which every key is blank. */
void plan_clear(struct plan *plan);

/**
 * Copies `plan` with every blank filled in: framework defaults, fallbacks, the GPU's figures, derived values, each
 * marked FROM_DEFAULT or FROM_DERIVED. Keys that nothing determines stay NAN (unknown). Source: the rules are listed
 * beside each derivation in core/plan/resolve.c.
 */
void plan_resolve(const struct plan *plan, struct plan *resolved);

/**
 * The same in two steps, for many layouts of one plan: all but what follows from tp, cp, pp, vpp, ep, micro-batch and
 * sharding, then that. Between the two these keys may be set, and blank ones stay blank.
 */
void plan_resolve_shared(const struct plan *plan, struct plan *prepared);
void plan_resolve_layout(struct plan *prepared);

/** Takes recomputation and sharding from `prepared`, of which all else is resolved already. */
void plan_resolve_states(const struct plan *prepared, struct plan *resolved);

/** True when the two plans hold the same values (origins apart). */
bool plan_equal(const struct plan *a, const struct plan *b);
