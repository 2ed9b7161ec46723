/*
 * core/estimate/op.h - the operators of a model: parameters, saved bytes, operations and traffic of each, on one rank.
 */
#pragma once

#include "core/estimate/term.h"

#include <stdbool.h>

struct symbols;

/** Which part of a model an operator belongs to. */
enum op_kind { OP_ATTENTION, OP_MLP, OP_MOE, OP_EMBEDDING, OP_HEAD, OP_MTP, OP_KIND_COUNT };

/** What tensor parallelism cuts of a weight [out, in]. */
enum op_split { SPLIT_WHOLE, SPLIT_OUT, SPLIT_IN, SPLIT_EOUT, SPLIT_EIN };

/** Operators by name; the rows are those of core/estimate/op.def. */
enum op_id {
#define OP(id, ...) OP_ID_##id,
#include "core/estimate/op.def"
    OP_COUNT
};

/** The figures of one operator on one rank and for one micro-batch. */
struct op {
    double when;    /* 0: the model has no such operator, and the other members mean nothing */
    double times;   /* weights of this shape on the rank */
    double out, in; /* shape before partitioning */
    double bias;    /* elements of one bias before partitioning */
    double m;       /* rows of the matrix product's input; 0 for none */
    double flops;   /* forward operations beside the matrix product */
    double fwd_bytes, bwd_bytes; /* moved by memory-bound kernels */
    double kernels; /* memory-bound kernels, each way */
    double saved;   /* bytes kept for backward */
    double repeats; /* share of the forward pass that backward runs again */
    double freed;   /* bytes of `saved` that selective recomputation does not keep */
    double is_expert, is_head; /* 1 for weights of experts; for the output layer and the loss */
    double quantises; /* 1 for operators of layers, the router apart: where 8-bit recipes quantise products */
    double rows_cut, columns_cut; /* ranks over which the weight's rows and columns are cut */
    /* matrices of the weight as Hugging Face models hold it, and those that carry an adapter */
    double matrices, adapters;
    /* widths of the adapters together; the input that no other row keeps */
    double adapter_in, adapter_out, adapter_own;
    double adapter_saved; /* bytes that adapters keep for backward, part of `saved` */
    double input; /* bytes of the product's input, 0 where another row's is the same */
    /* derived from the above */
#define OPTERM(name, ...) double name;
#include "core/estimate/op.def"
};

/** The constant part of a row. */
struct op_row {
    enum op_kind kind;
    enum op_split split;
    const char *id, *path, *source;
    const char *text[13]; /* formulas, in the order of op_columns */
};

extern const struct op_row op_rows[OP_COUNT];

/** Names of the members of struct op that have a formula in op_row.text, with units, as terms over struct op. */
extern const struct term op_columns[];
extern const size_t op_column_count;

/** The members that follow from them: rows_cut, columns_cut and the OPTERM rows of core/estimate/op.def. */
extern const struct term op_terms[];
extern const size_t op_term_count;

/** The formulas of rows_cut and columns_cut, by enum op_split. */
extern const char *const split_rows_text[], *const split_columns_text[];

/** The formula of `input`. */
extern const char *const op_input_text[OP_COUNT];

/** The formulas of matrices, adapters, adapter_in, adapter_out and adapter_own; NULL where the row has none. */
enum { LINEAR_COLUMNS = 5 };
extern const char *const op_linear_text[OP_COUNT][LINEAR_COLUMNS];

/** When they are worked out; they are 0 otherwise. */
extern const char op_linear_when[];

/** The formula of adapter_saved. */
extern const char op_adapter_saved_text[];

/** Evaluates one operator of the model whose symbols these are; all members are 0 where the model lacks it. */
void op_evaluate(const struct symbols *symbols, enum op_id id, struct op *out);

/** Whether the model has an operator. */
bool op_is_there(const struct symbols *symbols, enum op_id id);

/** Sets of operators that sums go over: those of a kind, and parts of them. */
enum op_set {
    SET_ATTENTION, SET_MLP, SET_MOE, SET_EMBEDDING, SET_HEAD, SET_MTP, /* as enum op_kind */
    SET_EXPERTS, SET_NO_EXPERTS,                              /* of SET_MOE */
    /* the attention kernel; the norm before a feed-forward block */
    SET_CORE, SET_MLP_NORM,
    SET_VISION, /* of SET_EMBEDDING */
    SET_COUNT
};

/** The sets of every operator: that of its kind, and a part of it or SET_COUNT. */
extern const unsigned char op_sets[OP_COUNT][2];

/** Whether an operator is in a set. */
bool op_is_in(enum op_set set, enum op_id id);
