/*
 * core/plan/frozen.h - train.frozen: which weights are not trained, as one number.
 *
 * The low bits are members of enum frozen, above them stand the first and the last layer of `layers:A-B`. With
 * `all-but:` the parts that are listed are the ones that are trained.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum frozen {
    FROZEN_NONE,
    FROZEN_BASE = 1,
    FROZEN_EMBEDDINGS = 2,
    FROZEN_NORMS = 4,
    FROZEN_LAYERS = 8,
    FROZEN_ALL_BUT = 16,
    FROZEN_LAST = 32, /* the layers are counted from the end, until frozen_of_model() */
    FROZEN_FIRST = 64, /* the layers are those of them that the model has, until then */
    FROZEN_VISION = 128
};

/**
 * The value with `layers:-N` and `layers:+N`, the last or first N or all where there are no more, as layers of a model
 * of `layers`.
 */
double frozen_of_model(double value, double layers);

/** True where weights of the layers are trained: not all of them are frozen. */
bool frozen_leaves(double value);

/** True where word embedding and output layer are frozen, and the base is trained otherwise. */
bool frozen_ends(double value);

/** True where a vision tower is frozen, by itself or with the embedding, and the base is trained otherwise. */
bool frozen_vision(double value);

/** True where the norms of trained layers are frozen. */
bool frozen_norms(double value);

/** How many of the layers `from` to before `to` are frozen, of a model whose layers are not all frozen by `base`. */
int frozen_layers(double value, int from, int to);

/** One past the last layer that `layers:A-B` names; 0 where no layers are named. */
int frozen_end(double value);

/**
 * The layers below the first one that is trained, through which no gradient flows; 0 where the embedding or a vision
 * tower is trained.
 */
int frozen_depth(double value);

/**
 * Reads `none`, `base`, or a list of `embeddings`, `norms`, `vision` and `layers:A-B` (or `layers:A`, layers from 0, or
 * `layers:-N` and `layers:+N`, the last and the first N), perhaps behind `all-but:`. Returns the value, or NAN with
 * what is wrong and what to do in `why` (`size` bytes).
 */
double frozen_parse(const char *text, char *why, size_t size);

/** Writes a value as frozen_parse() reads it; returns its length. */
int frozen_print(double value, char *out, size_t size);
