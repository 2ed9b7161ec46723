#include "core/estimate/op.h"

#include "core/estimate/symbols.h"
#include "core/plan/plan.h"

#include <math.h>

#define MODULE_ALWAYS (-1)
const struct op_row op_rows[OP_COUNT] = {
#define OP(id_, kind_, path_, when_, times_, out_, in_, split_, bias_, m_, saved_, module_, drop_, flops_, fwd_, bwd_, \
           kernels_, source_)                                                                                         \
    [OP_ID_##id_] = {.kind = OP_##kind_, .split = SPLIT_##split_, .module = MODULE_##module_, .id = #id_,              \
                     .path = path_, .source = source_,                                                                \
                     .text = {#when_, #times_, #out_, #in_, #bias_, #m_, #saved_, #drop_, #flops_, #fwd_, #bwd_,      \
                              #kernels_}},
#include "core/estimate/op.def"
#undef OP
};

#define COLUMN(name_, unit_, label_) {.name = #name_, .unit = unit_, .label = label_, .offset = offsetof(struct op, name_)}
const struct term op_columns[] = {
    COLUMN(when, "", "present when not 0"),
    COLUMN(times, "", "weights of this shape on one rank"),
    COLUMN(out, "", "rows of the weight before partitioning"),
    COLUMN(in, "", "columns of the weight before partitioning"),
    COLUMN(bias, "", "elements of the bias before partitioning"),
    COLUMN(m, "tokens", "rows of the matrix product's input"),
    COLUMN(saved, "bytes", "kept from forward to backward, one micro-batch"),
    COLUMN(drop, "bytes", "freed when its module is recomputed"),
    COLUMN(flops, "FLOP", "forward operations beside the matrix product"),
    COLUMN(fwd_bytes, "bytes", "moved by memory-bound kernels forward"),
    COLUMN(bwd_bytes, "bytes", "moved by memory-bound kernels backward"),
    COLUMN(kernels, "", "memory-bound kernels each way"),
};
const size_t op_column_count = sizeof op_columns / sizeof *op_columns;

/* Cuts the shape over the ranks and derives what follows from it. */
static void finish(struct op *op, enum op_split split, double t, double et)
{
    double rows = split == SPLIT_OUT ? t : split == SPLIT_EOUT ? et : 1;
    double columns = split == SPLIT_IN ? t : split == SPLIT_EIN ? et : 1;
    op->out_rank = op->out / rows;
    op->in_rank = op->in / columns;
    op->params = op->times * (op->out_rank * op->in_rank + op->bias / rows);
    /* The tokens of an expert row are those of all local experts together, so they meet one weight each. */
    op->gemm_flops = 2 * op->m * op->out_rank * op->in_rank;
}

void op_evaluate(const struct symbols *symbols, enum op_kind kind, struct op out[OP_COUNT])
{
#define SYM(name, key, unit, meaning, expression) const double name __attribute__((unused)) = symbols->name;
#include "core/estimate/symbols.def"
#undef SYM
#define OP(id_, kind_, path_, when_, times_, out_, in_, split_, bias_, m_, saved_, module_, drop_, flops_, fwd_, bwd_, \
           kernels_, source_)                                                                                         \
    if (OP_##kind_ == kind) {                                                                                         \
        struct op *op = &out[OP_ID_##id_];                                                                            \
        op->when = (when_);                                                                                           \
        if (op->when != 0) {                                                                                          \
            op->times = (times_);                                                                                     \
            op->out = (out_);                                                                                         \
            op->in = (in_);                                                                                           \
            op->bias = (bias_);                                                                                       \
            op->m = (m_);                                                                                             \
            op->saved = (saved_);                                                                                     \
            op->drop = (drop_);                                                                                       \
            op->flops = (flops_);                                                                                     \
            op->fwd_bytes = (fwd_);                                                                                   \
            op->bwd_bytes = (bwd_);                                                                                   \
            op->kernels = (kernels_);                                                                                 \
            finish(op, SPLIT_##split_, t, et);                                                                        \
        } else {                                                                                                      \
            *op = (struct op){0};                                                                                     \
        }                                                                                                             \
    }
#include "core/estimate/op.def"
#undef OP
}

void op_sum_of(const struct op ops[OP_COUNT], enum op_kind kind, struct op_sum *sum)
{
    *sum = (struct op_sum){0};
    for (int i = 0; i < OP_COUNT; i++) {
        if (op_rows[i].kind != kind)
            continue;
        bool is_expert = op_rows[i].split == SPLIT_EOUT || op_rows[i].split == SPLIT_EIN;
        *(is_expert ? &sum->expert_params : &sum->params) += ops[i].params;
        sum->saved += ops[i].saved;
        sum->flops += ops[i].flops + ops[i].gemm_flops;
    }
}

double op_dropped(const struct op ops[OP_COUNT], enum op_kind kind, unsigned mask)
{
    double freed = 0, moe_saved = 0;
    for (int i = 0; i < OP_COUNT; i++) {
        if (op_rows[i].kind != OP_ATTENTION && op_rows[i].kind != kind)
            continue;
        bool is_moe = op_rows[i].kind == OP_MOE;
        bool whole_moe = is_moe && mask & 1u << MODULE_MOE;
        if (is_moe)
            moe_saved += ops[i].saved;
        if (op_rows[i].module >= 0 && mask & 1u << op_rows[i].module && !whole_moe)
            freed += ops[i].drop;
    }
    /* moe: only the block's input, the norm output, is kept; it stands in the router's row */
    if (kind == OP_MOE && mask & 1u << MODULE_MOE)
        freed += moe_saved - ops[OP_ID_ROUTER].drop;
    return freed;
}
