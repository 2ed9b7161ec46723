/* core/split.h - which layers each pipeline stage and chunk holds. */
#ifndef SHARDTOP_CORE_SPLIT_H
#define SHARDTOP_CORE_SPLIT_H

#include <stdbool.h>

struct plan;

/** Layers of every chunk in the order of the model: entry n is chunk n / p of stage n mod p. */
struct split {
    int stages, chunks; /* p and V */
    bool is_uniform;    /* every chunk holds the same number of layers */
    short layers[512];
    short start[512]; /* first layer of the chunk */
};

/**
 * Splits the layers of a resolved plan: an explicit layout wins, then first_stage_layers and last_stage_layers, else
 * evenly with the embedding and the loss taking a layer's place where asked. Returns false when they do not divide.
 * Source: Megatron-LM core transformer_block.py get_num_layers_to_build, transformer_layer.py offsets (2026-08).
 */
bool split_layers(const struct plan *resolved, struct split *out);

/** Of the layers [from, to), those with experts: layer i has them when i >= first_dense and every `freq`-th from there. */
int split_moe_layers(const struct plan *resolved, int from, int to);

#endif
