/*
 * core/estimate/op_row.h - one row of core/estimate/op.def and what follows from it, as code; for op.c, which evaluates
 * one row, and fold.c, which adds them up. Both have every symbol as a local variable.
 */
#pragma once

#include "core/base.h"
#include "core/estimate/op.h"
#include "core/estimate/symbols.h"
#include "core/plan/plan.h"

#include <math.h>
#include <string.h>

/*
 * An adapter keeps its input in its own type, with dropout each a copy and a mask, and the narrow product between its
 * halves.
 */
#define ADAPTER_SAVED                                                                                                  \
    (adapters > 0 ? m*((pl || adapter_value_bytes > B ? (adapter_value_bytes + pl)*adapter_in : B*adapter_own) +       \
                       adapter_value_bytes*r*adapters + dora*(B + adapter_value_bytes)*adapter_out)/t : 0)

/* When a model has any. */
#define LINEAR_WHEN lora + quant + galore > 0

/* What tensor parallelism cuts: the ranks that cut rows and columns of a weight, by enum op_split. */
#define ROWS_WHOLE 1
#define ROWS_OUT t
#define ROWS_IN 1
#define ROWS_EOUT et
#define ROWS_EIN 1
#define COLUMNS_WHOLE 1
#define COLUMNS_OUT 1
#define COLUMNS_IN t
#define COLUMNS_EOUT 1
#define COLUMNS_EIN et

/* Whether a row is about weights of experts. */
#define IS_EXPERT(split) ((split) == SPLIT_EOUT || (split) == SPLIT_EIN)

/* Whether a row is about the vision tower. */
#define IS_VISION(id) ((id) >= OP_ID_VISION_NORM && (id) <= OP_ID_VISION_REST)

/* The set beside that of its kind that a row is part of, or SET_COUNT. */
#define PART_OF(id, kind, split)                                                                                       \
    ((kind) == OP_MOE                               ? (IS_EXPERT(split) ? SET_EXPERTS : SET_NO_EXPERTS)                \
     : (id) == OP_ID_CORE || (id) == OP_ID_MLA_CORE ? SET_CORE                                                         \
     : (id) == OP_ID_MLP_NORM                       ? SET_MLP_NORM                                                     \
     : IS_VISION(id)                                ? SET_VISION                                                       \
                                                    : SET_COUNT)

/* Whether 8-bit recipes quantise the products of a row. */
#define QUANTISES(id, kind) ((kind) != OP_EMBEDDING && (kind) != OP_HEAD && (id) != OP_ID_ROUTER)

/* Not 0 where the model has a row. */
#define WHEN(kind, when) ((kind) == OP_MOE && !(E > 0) ? 0 : (when))

/* What the adapters of a row keep; `op` has its matrices. Its m is its own, not the symbol. */
static double adapter_saved_of(const struct symbols *symbols, const struct op *op)
{
#define FROM_SYMBOLS(name) const double name = symbols->name;
    FROM_SYMBOLS(pl) FROM_SYMBOLS(adapter_value_bytes) FROM_SYMBOLS(B) FROM_SYMBOLS(r) FROM_SYMBOLS(dora)
    FROM_SYMBOLS(t)
    const double m = op->m, adapters = op->adapters, adapter_in = op->adapter_in, adapter_out = op->adapter_out,
                 adapter_own = op->adapter_own;
    return ADAPTER_SAVED;
}

/*
 * Sets the members about adapters and quantised storage where a row has any; returns what adapters keep for backward.
 */
static double linears_of(const struct symbols *symbols, enum op_id id, struct op *op)
{
#include "core/estimate/locals.def"
    double adapters;
    switch (id) {
#define LINEAR(id_, matrices_, adapters_, inputs_, outputs_, own_)                                                     \
    case OP_ID_##id_:                                                                                                  \
        op->matrices = (matrices_);                                                                                    \
        adapters = op->adapters = (adapters_);                                                                         \
        op->adapter_in = (inputs_);                                                                                    \
        op->adapter_out = (outputs_);                                                                                  \
        op->adapter_own = (own_);                                                                                      \
        break;
#include "core/estimate/op.def"
    default:
        return 0;
    }
    return op->adapter_saved = adapter_saved_of(symbols, op);
}

static inline double input_of(const struct symbols *symbols, enum op_id id, double saved)
{
#include "core/estimate/locals.def"
    switch (id) {
#define INPUT(id_, formula) case OP_ID_##id_: return (formula);
#include "core/estimate/op.def"
    default:
        return 0;
    }
}

/* The columns of a row into `op`; `has_linears` says whether LINEAR_WHEN. */
#define SET_COLUMNS(id_, kind_, path_, when_, times_, out_, in_, split_, bias_, m_, saved_, repeats_, freed_, flops_,  \
                    fwd_, bwd_, kernels_, source_)                                                                     \
    op->times = (times_);                                                                                             \
    op->out = (out_);                                                                                                 \
    op->in = (in_);                                                                                                   \
    op->bias = (bias_);                                                                                               \
    op->m = (m_);                                                                                                     \
    op->matrices = op->adapters = op->adapter_in = op->adapter_out = op->adapter_own = op->adapter_saved = 0;         \
    const double adapter_saved __attribute__((unused)) =                                                               \
        has_linears ? linears_of(symbols, OP_ID_##id_, op) : 0;                                                        \
    const double saved __attribute__((unused)) = op->saved = (saved_);                                                \
    op->repeats = (repeats_);                                                                                         \
    op->freed = (freed_);                                                                                             \
    op->flops = (flops_);                                                                                             \
    op->fwd_bytes = (fwd_);                                                                                           \
    op->bwd_bytes = (bwd_);                                                                                           \
    op->kernels = (kernels_);                                                                                         \
    op->input = input_of(symbols, OP_ID_##id_, op->saved);                                                            \
    op->is_expert = IS_EXPERT(SPLIT_##split_);                                                                        \
    op->is_head = OP_##kind_ == OP_HEAD;                                                                              \
    op->quantises = QUANTISES(OP_ID_##id_, OP_##kind_);                                                               \
    op->rows_cut = (ROWS_##split_);                                                                                   \
    op->columns_cut = (COLUMNS_##split_);

/*
 * What follows from the columns. A model is bare when it has no adapters and nothing is quantised or projected; inline,
 * so that this costs nothing then.
 */
static inline __attribute__((always_inline)) void derive(const struct symbols *symbols, bool is_bare, struct op *op)
{
    FROM_SYMBOLS(B) FROM_SYMBOLS(Bi) FROM_SYMBOLS(Bw) FROM_SYMBOLS(Bq) FROM_SYMBOLS(policy)
    FROM_SYMBOLS(r) FROM_SYMBOLS(dora) FROM_SYMBOLS(bnb4) FROM_SYMBOLS(gptq)
    FROM_SYMBOLS(scale_bytes) FROM_SYMBOLS(table_bytes) FROM_SYMBOLS(quantises_adapted) FROM_SYMBOLS(rank_g)
    const double quant = is_bare ? 0 : symbols->quant, galore = is_bare ? 0 : symbols->galore;
    const double out = op->out, in = op->in, times = op->times, bias = op->bias, m = op->m, flops = op->flops,
                 repeats = op->repeats, is_head = op->is_head, input = op->input, quantises = op->quantises,
                 rows_cut = op->rows_cut, columns_cut = op->columns_cut, matrices = op->matrices,
                 adapters = op->adapters, adapter_in = op->adapter_in, adapter_out = op->adapter_out;
#define OPTERM(name, unit, label, expression) const double name __attribute__((unused)) = op->name = (expression);
#include "core/estimate/op.def"
}
