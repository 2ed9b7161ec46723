/* core/plan/split.h - which layers each pipeline stage and chunk holds. */
#pragma once

#include "core/plan/kind.h"

#include <stdbool.h>

struct plan;

/** How the layers were spread. */
enum split_fit {
    SPLIT_NONE,  /* no meaning: no layers or more chunks than the program keeps */
    SPLIT_NEAR,  /* they do not divide; the nearest even split stands in, the ends taking less */
    SPLIT_EXACT, /* as asked */
};

/**
 * Layers of every chunk in the order of the model: entry n is chunk n / p of stage n mod p, folded chunk 1 of p - 1 - n
 * mod p.
 */
struct split {
    int stages, chunks; /* p and V */
    bool folds;         /* the V schedule: every second chunk runs back from the last stage to the first */
    bool is_uniform;    /* every chunk holds the same number of layers */
    short most;         /* layers of the largest chunk */
    short layers[512];
    short start[512]; /* first layer of the chunk */
    short moe[512];   /* of its layers, those with experts */
    int kinds;        /* kinds of layers; 0 where all are alike but for experts, and the rest is not set */
    unsigned char kind[KINDS_MAX];
    short of_kind[KINDS_MAX][512], dense[512], wide[512]; /* layers of each kind; those with a feed-forward block */
};

/**
 * Splits the layers of a resolved plan: an explicit layout wins, then first_stage_layers and last_stage_layers, else
 * evenly with the embedding and the loss taking a layer's place where asked; what does not divide as the framework
 * does. Source: Megatron-LM core transformer_block.py get_num_layers_to_build, transformer_layer.py offsets (2026-08).
 */
enum split_fit split_layers(const struct plan *resolved, struct split *out);

/**
 * As split_layers(), at once where every chunk takes the same number of layers and none has experts: then sets
 * `stages`, `chunks`, `folds`, `is_uniform`, `most` and `layers[0]` of `out`, nothing else.
 */
enum split_fit split_quickly(const struct plan *resolved, struct split *out);

/** Whether the first sparse layer of each chunk has an indexer of its own: indices are not sent between stages. */
bool split_has_indices(const struct plan *resolved);

/** Which chunk of the model a chunk of a stage is. */
static inline int split_place(int stages, bool folds, int stage, int chunk)
{
    return folds && chunk % 2 ? (chunk + 1) * stages - 1 - stage : chunk * stages + stage;
}

/** The stage that holds chunk `n` of the model: the inverse of split_place(). */
static inline int split_stage(int stages, bool folds, int n)
{
    return folds && n / stages % 2 ? stages - 1 - n % stages : n % stages;
}

/**
 * Of the layers [from, to), those with experts: layer i has them when i >= first_dense and every `freq`-th from there.
 */
int split_moe_layers(const struct plan *resolved, int from, int to);

/**
 * Of a range of layers those that train.frozen freezes, and those below everything that is trained, with experts among
 * them.
 */
struct split_frozen {
    int layers, moe_layers, idle, idle_moe;
};

/** Counts them in layers `from` to before `to`. */
struct split_frozen split_frozen(const struct plan *resolved, int from, int to);
