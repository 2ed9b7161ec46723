#include "core/estimate/op.h"

#include "core/estimate/symbols.h"
#include "core/plan/plan.h"

#include <math.h>
#include <string.h>

const struct op_row op_rows[OP_COUNT] = {
#define OP(id_, kind_, path_, when_, times_, out_, in_, split_, bias_, m_, saved_, repeats_, freed_, flops_, fwd_, bwd_, \
           kernels_, source_)                                                                                         \
    [OP_ID_##id_] = {.kind = OP_##kind_, .split = SPLIT_##split_, .id = #id_, .path = path_, .source = source_,        \
                     .text = {#when_, #times_, #out_, #in_, #bias_, #m_, #saved_, #repeats_, #freed_, #flops_,       \
                              #fwd_, #bwd_, #kernels_}},
#include "core/estimate/op.def"
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
    COLUMN(repeats, "", "share of forward that backward runs again"),
    COLUMN(freed, "bytes", "freed by selective recomputation"),
    COLUMN(flops, "FLOP", "forward operations beside the matrix product"),
    COLUMN(fwd_bytes, "bytes", "moved by memory-bound kernels forward"),
    COLUMN(bwd_bytes, "bytes", "moved by memory-bound kernels backward"),
    COLUMN(kernels, "", "memory-bound kernels each way"),
};
const size_t op_column_count = sizeof op_columns / sizeof *op_columns;

#define DERIVED(name_, unit_, label_, text_)                                                                           \
    {.name = #name_, .unit = unit_, .label = label_, .text = text_, .source = "", .offset = offsetof(struct op, name_)},
const struct term op_terms[] = {
    DERIVED(is_expert, "", "1 for weights of experts", "the kind of weight: 1 for those of experts")
    DERIVED(is_head, "", "1 for the output layer", "the part of the model: 1 for final norm, output layer and loss")
    DERIVED(quantises, "", "1 for operators whose products 8-bit recipes quantise", "the part of the model: 1 for layers, the router apart")
    DERIVED(rows_cut, "ranks", "ranks that cut the weight's rows", NULL)
    DERIVED(columns_cut, "ranks", "ranks that cut the weight's columns", NULL)
    DERIVED(input, "bytes", "the product's input, 0 where another row's is the same", NULL)
#define OPTERM(name, unit, label, expression) DERIVED(name, unit, label, #expression)
#include "core/estimate/op.def"
};
const size_t op_term_count = sizeof op_terms / sizeof *op_terms;

/* What tensor parallelism cuts: SPLIT(split, ranks that cut rows, ranks that cut columns). */
#define SPLITS SPLIT(WHOLE, 1, 1) SPLIT(OUT, t, 1) SPLIT(IN, 1, t) SPLIT(EOUT, et, 1) SPLIT(EIN, 1, et)
#define SPLIT(split, rows, columns) [SPLIT_##split] = #rows,
const char *const split_rows_text[] = {SPLITS};
#undef SPLIT
#define SPLIT(split, rows, columns) [SPLIT_##split] = #columns,
const char *const split_columns_text[] = {SPLITS};
#undef SPLIT

const char *const op_input_text[OP_COUNT] = {
#define INPUT(id, formula) [OP_ID_##id] = #formula,
#include "core/estimate/op.def"
};

static double input_of(const struct symbols *symbols, enum op_id id, double saved)
{
#include "core/estimate/locals.def"
    switch (id) {
#define INPUT(id_, formula) case OP_ID_##id_: return (formula);
#include "core/estimate/op.def"
    default:
        return 0;
    }
}

/* Cuts the shape over the ranks and derives what follows from it. */
static void finish(struct op *op, enum op_id id, enum op_split split, double t, double et, double B, double Bi,
                   double Bw, double Bq, double policy)
{
#define SPLIT(split, rows, columns) [SPLIT_##split] = {rows, columns},
    const double cuts[][2] = {SPLITS};
#undef SPLIT
    const double rows_cut = op->rows_cut = cuts[split][0], columns_cut = op->columns_cut = cuts[split][1];
    const double out = op->out, in = op->in, times = op->times, bias = op->bias, m = op->m, flops = op->flops,
                 repeats = op->repeats;
    op->is_expert = split == SPLIT_EOUT || split == SPLIT_EIN;
    const double is_head = op->is_head = op_rows[id].kind == OP_HEAD, input = op->input;
    const bool of_layer = op_rows[id].kind <= OP_MOE || op_rows[id].kind == OP_MTP;
    const double quantises = op->quantises = of_layer && id != OP_ID_ROUTER;
#define OPTERM(name, unit, label, expression) const double name __attribute__((unused)) = op->name = (expression);
#include "core/estimate/op.def"
}

void op_evaluate(const struct symbols *symbols, enum op_kind kind, struct op out[OP_COUNT])
{
#include "core/estimate/locals.def"
#define OP(id_, kind_, path_, when_, times_, out_, in_, split_, bias_, m_, saved_, repeats_, freed_, flops_, fwd_, bwd_, \
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
            const double saved __attribute__((unused)) = op->saved = (saved_);                                        \
            op->repeats = (repeats_);                                                                                 \
            op->freed = (freed_);                                                                                     \
            op->flops = (flops_);                                                                                     \
            op->fwd_bytes = (fwd_);                                                                                   \
            op->bwd_bytes = (bwd_);                                                                                   \
            op->kernels = (kernels_);                                                                                 \
            op->input = input_of(symbols, OP_ID_##id_, op->saved);                                                    \
            finish(op, OP_ID_##id_, SPLIT_##split_, t, et, B, Bi, Bw, Bq, policy);                                    \
        } else {                                                                                                      \
            *op = (struct op){0};                                                                                     \
        }                                                                                                             \
    }
#include "core/estimate/op.def"
}

void op_clear(enum op_kind kind, struct op out[OP_COUNT])
{
    for (int i = 0; i < OP_COUNT; i++)
        if (op_rows[i].kind == kind)
            out[i] = (struct op){0};
}

const char *const op_set_names[SET_COUNT] = {"attention", "mlp", "moe", "embedding", "head", "multi-token prediction",
                                             "experts", "moe without experts", "core attention", "pre-mlp norm"};

/* The sets of every operator: that of its kind, and a part of it. */
static const unsigned char sets[OP_COUNT][2] = {
#define OP(id, kind, path, when, times, out, in, split, ...)                                                           \
    [OP_ID_##id] = {SET_##kind, OP_##kind == OP_MOE ? (SPLIT_##split == SPLIT_EOUT || SPLIT_##split == SPLIT_EIN       \
                                                           ? SET_EXPERTS : SET_NO_EXPERTS)                             \
                                : OP_ID_##id == OP_ID_CORE || OP_ID_##id == OP_ID_MLA_CORE ? SET_CORE                  \
                                : OP_ID_##id == OP_ID_MLP_NORM                             ? SET_MLP_NORM              \
                                                                                           : SET_COUNT},
#include "core/estimate/op.def"
};

bool op_in(enum op_set set, enum op_id id)
{
    return sets[id][0] == set || sets[id][1] == set;
}

void op_sum(const struct op ops[OP_COUNT], struct op_sum sums[SET_COUNT])
{
    memset(sums, 0, SET_COUNT * sizeof *sums);
    for (int i = 0; i < OP_COUNT; i++)
        for (int k = 0; k < 2 && sets[i][k] < SET_COUNT; k++) {
            struct op_sum *sum = &sums[sets[i][k]];
            sum->params += ops[i].params;
            sum->quantised += ops[i].quantised;
            sum->saved += ops[i].saved;
            sum->freed += ops[i].freed;
            sum->held += ops[i].held;
            sum->gemm_flops += ops[i].gemm_flops;
            sum->repeated_flops += ops[i].repeated_flops;
            sum->repeats += ops[i].repeats;
        }
}
