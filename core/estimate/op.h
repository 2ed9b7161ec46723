/* core/estimate/op.h - the operators of a model: parameters, saved bytes, operations and traffic of each, on one rank. */
#ifndef SHARDTOP_CORE_ESTIMATE_OP_H
#define SHARDTOP_CORE_ESTIMATE_OP_H

#include "core/estimate/term.h"

#include <stdbool.h>

struct symbols;

/** Which part of a model an operator belongs to. */
enum op_kind { OP_ATTENTION, OP_MLP, OP_MOE, OP_EMBEDDING, OP_HEAD, OP_KIND_COUNT };

/** What tensor parallelism cuts of a weight [out, in]. */
enum op_split { SPLIT_WHOLE, SPLIT_OUT, SPLIT_IN, SPLIT_EOUT, SPLIT_EIN };

/** Operators by name; the rows are those of core/estimate/op.def. */
enum op_id {
#define OP(id, ...) OP_ID_##id,
#include "core/estimate/op.def"
#undef OP
    OP_COUNT
};

/** The figures of one operator on one rank and for one micro-batch; the member order is that of op_columns. */
struct op {
    double when;    /* 0: the model has no such operator, and the other members mean nothing */
    double times;   /* weights of this shape on the rank */
    double out, in; /* shape before partitioning */
    double bias;    /* elements of one bias before partitioning */
    double m;       /* rows of the matrix product's input; 0 for none */
    double saved;   /* bytes kept for backward */
    double drop;    /* bytes of `saved` (or of what its results cost) that recomputing its module frees */
    double flops;   /* forward operations beside the matrix product */
    double fwd_bytes, bwd_bytes; /* moved by memory-bound kernels */
    double kernels; /* memory-bound kernels, each way */
    /* derived from the above */
    double out_rank, in_rank; /* shape on one rank */
    double params;            /* elements on one rank, bias included */
    double gemm_flops;        /* forward, matrix products of all `times` weights */
};

/** The constant part of a row. */
struct op_row {
    enum op_kind kind;
    enum op_split split;
    int module;       /* recompute module (enum module) or -1 */
    const char *id, *path, *source;
    const char *text[12]; /* formulas, in the order of struct op up to `kernels` */
};

extern const struct op_row op_rows[OP_COUNT];

/** Names of the members of struct op that have a formula, with units, as terms over struct op. */
extern const struct term op_columns[];
extern const size_t op_column_count;

/** Computes all operators of one kind; other kinds in `out` are untouched. */
void op_evaluate(const struct symbols *symbols, enum op_kind kind, struct op out[OP_COUNT]);

/** Sums over the operators of one kind. */
struct op_sum {
    double params;      /* elements on one rank, experts apart */
    double expert_params;
    double saved;       /* bytes per micro-batch */
    double flops;       /* forward, matrix products included */
};
void op_sum_of(const struct op ops[OP_COUNT], enum op_kind kind, struct op_sum *sum);

/** Bytes that selective recomputation of the modules in `mask` frees in one layer (attention and `kind`). */
double op_dropped(const struct op ops[OP_COUNT], enum op_kind kind, unsigned mask);

#endif
