/* core/explain/detail.h - figures of single operators that no sheet holds: what each keeps on a stage, and its collectives. */
#ifndef SHARDTOP_CORE_EXPLAIN_DETAIL_H
#define SHARDTOP_CORE_EXPLAIN_DETAIL_H

#include "core/estimate/op.h"

#include <stdbool.h>

struct estimate;

/** A tensor-parallel collective before or after an operator; `op` is NULL where there is none. */
struct layer_traffic {
    const char *op; /* name of the collective */
    double shape[3];
    double bytes; /* of one call */
};

/** The collectives of one operator in forward and in backward. Source: the tensor-parallel rows of core/estimate/comm.def. */
void detail_traffic(const struct estimate *estimate, enum op_id id, struct layer_traffic *forward, struct layer_traffic *backward);

/**
 * The `index`-th part of a stage's activations that is not 0: the bytes that an operator keeps, micro-batches in flight
 * and recomputation counted; last, as OP_COUNT, what recomputation keeps instead: layer inputs mostly. False past the end.
 */
bool detail_kept(const struct estimate *estimate, int stage, int index, enum op_id *id, double *bytes);

#endif
