/*
 * core/explain/detail.h - figures of single operators that no sheet holds: what each keeps on a stage, and its
 * collectives.
 */
#pragma once

#include "core/estimate/op.h"

#include <stdbool.h>

struct estimate;

/** A tensor-parallel collective before or after an operator; `op` is NULL where there is none. */
struct layer_traffic {
    const char *op; /* name of the collective */
    double shape[3];
    double bytes;     /* of one call */
    const char *text; /* their formula */
    const char *shape_text[3];
};

/**
 * The collectives of one operator in forward and in backward. Source: the tensor-parallel rows of
 * core/estimate/comm.def.
 */
void detail_traffic(const struct estimate *estimate, enum op_id id, struct layer_traffic *forward,
                    struct layer_traffic *backward);

/** What one operator keeps on a stage: the rows of core/explain/kept.def. */
struct kept {
#define GIVEN(name, ...) double name;
#define TERM(name, ...) double name;
#include "core/explain/kept.def"
#undef GIVEN
#undef TERM
};
extern const struct term kept_terms[];
extern const size_t kept_term_count;

/** Computes them for an operator, or for what recomputation keeps instead (OP_COUNT); returns the bytes. */
double detail_keep(const struct estimate *estimate, int stage, enum op_id id, struct kept *out);

/**
 * The `index`-th part of a stage's activations that is not 0: the bytes that an operator keeps, micro-batches in flight
 * and recomputation counted; last, as OP_COUNT, what recomputation keeps instead: layer inputs mostly. False past the
 * end.
 */
bool detail_kept(const struct estimate *estimate, int stage, int index, enum op_id *id, double *bytes);
