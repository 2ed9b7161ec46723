/*
 * core/estimate/fold.h - the FOLD rows of the sheets: sums of a column of the operators over a set of them, on which
 * all the rest of an estimate stands.
 */
#pragma once

#include "core/estimate/op.h"

struct totals;

/**
 * Of layers that differ: how many have what, and what the largest of them keeps. Where all are alike, ones and nothing.
 */
struct layer_share {
    double mixing, attending; /* share of the layers with a mixer, with attention */
    double feeding;           /* share of the layers without experts that have a feed-forward block */
    double widest_saved, widest_dropped; /* bytes; 0 where all layers are alike */
    double scratch;                      /* bytes of the mixer's backward kernel that needs most */
    double exchanging, exchanged; /* share of the layers that trade inputs with context ranks; bytes of a mean one */
};

/**
 * What all layouts with the same tp, cp, ep, micro-batch and recomputation share: the FOLD members of stage and pass.
 */
struct layer_cost {
#define GIVEN(...)
#define FOLD(name, ...) double name;
#define TERM(...)
#include "core/estimate/stage.def"
#undef GIVEN
#undef FOLD
#undef TERM
#define FOLD_PASS(name, ...) double name;
#include "core/estimate/timing.def"
    struct layer_share share;
    double dummy[8]; /* elements of distinct weight shapes; bit 0: with dense layers, 1: expert layers, 2: last stage */
};

/** The shapes on one rank of the weight matrices of a model, in the order of the rows of core/estimate/op.def. */
struct op_shapes {
    int count;
    struct op_shape {
        enum op_id id;
        double rows, columns;
    } of[OP_COUNT];
};

/** Sums of the operators on one rank and of their time: all of `out` but `dummy`; and the shapes of their weights. */
void fold_layers(const struct symbols *symbols, struct layer_cost *out, struct op_shapes *shapes);

/** Bytes that kernels of recurrent layers need in backward: the sum of the SCRATCH rows of one layer. */
double fold_scratch(const struct symbols *symbols);

/** Bytes that a recurrent layer trades with other context ranks: the sum of the EXCHANGE rows of one layer. */
double fold_exchange(const struct symbols *symbols);

/** What a served sequence keeps in one layer on one GPU: sums of the CACHE rows, named as their columns. */
struct layer_cache {
    double values, near, bytes, state;
};
void fold_cache(const struct symbols *symbols, struct layer_cache *out);

/** Sums of the operators of the whole model, whose symbols are those of one rank: the FOLD members of `out`. */
void fold_whole(const struct symbols *one, struct totals *out);
