#include "core/estimate/op.h"

#include "core/base.h"
#include "core/estimate/symbols.h"
#include "core/estimate/twice.h"
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

#ifndef SECOND_TIME /* tables, and what reads no row */

const struct op_row op_rows[OP_COUNT] = {
#define OP(id_, kind_, path_, when_, times_, out_, in_, split_, bias_, m_, saved_, repeats_, freed_, flops_, fwd_,     \
           bwd_, kernels_, source_)                                                                                    \
    [OP_ID_##id_] = {.kind = OP_##kind_, .split = SPLIT_##split_, .id = #id_, .path = path_, .source = source_,        \
                     .text = {#when_, #times_, #out_, #in_, #bias_, #m_, #saved_, #repeats_, #freed_, #flops_,       \
                              #fwd_, #bwd_, #kernels_}},
#include "core/estimate/op.def"
};

#define COLUMN(name_, unit_, label_)                                                                                   \
    {.name = #name_, .unit = unit_, .label = label_, .offset = offsetof(struct op, name_)}
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
const size_t op_column_count = LENGTH(op_columns);

#define TEXT_OF(expression) #expression
#define TEXT(expression) TEXT_OF(expression)
const char op_adapter_saved_text[] = TEXT(ADAPTER_SAVED);

#define DERIVED(name_, unit_, label_, text_)                                                                           \
    {.name = #name_, .unit = unit_, .label = label_, .text = text_, .source = "", .offset = offsetof(struct op, name_)},
const struct term op_terms[] = {
    DERIVED(is_expert, "", "1 for weights of experts", "the kind of weight: 1 for those of experts")
    DERIVED(is_head, "", "1 for the output layer", "the part of the model: 1 for final norm, output layer and loss")
    DERIVED(quantises, "", "1 for operators whose products 8-bit recipes quantise",
            "the part of the model: 1 for layers, the router apart")
    DERIVED(rows_cut, "ranks", "ranks that cut the weight's rows", NULL)
    DERIVED(columns_cut, "ranks", "ranks that cut the weight's columns", NULL)
    DERIVED(matrices, "", "matrices that the weight is, as Hugging Face models hold it", NULL)
    DERIVED(adapters, "", "of them, those that carry an adapter", NULL)
    DERIVED(adapter_in, "", "their inputs together", NULL)
    DERIVED(adapter_out, "", "their outputs together", NULL)
    DERIVED(adapter_own, "", "of their inputs, what no other row keeps", NULL)
    DERIVED(adapter_saved, "bytes", "kept by adapters for backward", op_adapter_saved_text)
    DERIVED(input, "bytes", "the product's input, 0 where another row's is the same", NULL)
#define OPTERM(name, unit, label, expression) DERIVED(name, unit, label, #expression)
#include "core/estimate/op.def"
};
const size_t op_term_count = LENGTH(op_terms);

const char *const split_rows_text[] = {
    [SPLIT_WHOLE] = TEXT(ROWS_WHOLE), [SPLIT_OUT] = TEXT(ROWS_OUT),   [SPLIT_IN] = TEXT(ROWS_IN),
    [SPLIT_EOUT] = TEXT(ROWS_EOUT),   [SPLIT_EIN] = TEXT(ROWS_EIN),
};
const char *const split_columns_text[] = {
    [SPLIT_WHOLE] = TEXT(COLUMNS_WHOLE), [SPLIT_OUT] = TEXT(COLUMNS_OUT), [SPLIT_IN] = TEXT(COLUMNS_IN),
    [SPLIT_EOUT] = TEXT(COLUMNS_EOUT),   [SPLIT_EIN] = TEXT(COLUMNS_EIN),
};

const char *const op_input_text[OP_COUNT] = {
#define INPUT(id, formula) [OP_ID_##id] = #formula,
#include "core/estimate/op.def"
};

const char op_linear_when[] = TEXT(LINEAR_WHEN);

const char *const op_linear_text[OP_COUNT][LINEAR_COLUMNS] = {
#define LINEAR(id, ...) [OP_ID_##id] = {LINEAR_TEXTS(__VA_ARGS__)},
#define LINEAR_TEXTS(matrices, adapters, inputs, outputs, own) #matrices, #adapters, #inputs, #outputs, #own
#include "core/estimate/op.def"
};

const char *const op_set_names[SET_COUNT] = {"attention", "mlp", "moe", "embedding", "head", "multi-token prediction",
                                             "experts", "moe without experts", "core attention", "pre-mlp norm"};

const unsigned char op_sets[OP_COUNT][2] = {
#define OP(id, kind, path, when, times, out, in, split, ...)                                                           \
    [OP_ID_##id] = {SET_##kind, OP_##kind == OP_MOE ? (SPLIT_##split == SPLIT_EOUT || SPLIT_##split == SPLIT_EIN       \
                                                           ? SET_EXPERTS : SET_NO_EXPERTS)                             \
                                : OP_ID_##id == OP_ID_CORE || OP_ID_##id == OP_ID_MLA_CORE ? SET_CORE                  \
                                : OP_ID_##id == OP_ID_MLP_NORM                             ? SET_MLP_NORM              \
                                                                                           : SET_COUNT},
#include "core/estimate/op.def"
};

#endif

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

/* Whether a row has matrices that adapters see; inline, so that the others need not ask whether the model has any. */
static inline __attribute__((always_inline)) bool is_linear(enum op_id id)
{
    switch (id) {
#define LINEAR(id_, ...) case OP_ID_##id_:
#include "core/estimate/op.def"
        return true;
    default:
        return false;
    }
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

/*
 * Derives members of a row from the others: all, or with `is_repeat` those alone that read how much runs again. A row
 * is bare when it has no adapters and nothing is quantised or projected, and whole when nothing cuts its weight: most
 * are both, which leaves them products and sums. Inline, so that the rest costs nothing.
 */
static inline __attribute__((always_inline)) void derive(const struct symbols *symbols, bool is_repeat, bool is_bare,
                                                         bool is_whole, struct op *op)
{
    FROM_SYMBOLS(B) FROM_SYMBOLS(Bi) FROM_SYMBOLS(Bw) FROM_SYMBOLS(Bq) FROM_SYMBOLS(policy)
    FROM_SYMBOLS(r) FROM_SYMBOLS(dora) FROM_SYMBOLS(bnb4) FROM_SYMBOLS(gptq)
    FROM_SYMBOLS(scale_bytes) FROM_SYMBOLS(table_bytes) FROM_SYMBOLS(quantises_adapted) FROM_SYMBOLS(rank_g)
#define UNLESS(condition, usual, value) const double value = (condition) ? (usual) :
    UNLESS(is_bare, 0, quant) symbols->quant;
    UNLESS(is_bare, 0, galore) symbols->galore;
    UNLESS(is_bare, 0, matrices) op->matrices;
    UNLESS(is_bare, 0, adapters) op->adapters;
    UNLESS(is_bare, 0, adapter_in) op->adapter_in;
    UNLESS(is_bare, 0, adapter_out) op->adapter_out;
    UNLESS(is_whole, 1, rows_cut) op->rows_cut;
    UNLESS(is_whole, 1, columns_cut) op->columns_cut;
    const double out = op->out, in = op->in, times = op->times, bias = op->bias, m = op->m, flops = op->flops,
                 repeats = op->repeats, is_head = op->is_head, input = op->input, quantises = op->quantises;
#define OPTERM(name, unit, label, expression)                                                                          \
    const double name __attribute__((unused)) = !is_repeat || strstr(#expression, "repeats") ? (expression) : op->name;\
    op->name = name;
#include "core/estimate/op.def"
}

static void derive_all(const struct symbols *symbols, const struct op_list *present, struct op ops[OP_COUNT])
{
    FROM_SYMBOLS(lora) FROM_SYMBOLS(quant) FROM_SYMBOLS(galore)
    const bool is_bare = !(LINEAR_WHEN);
    for (int i = 0; i < present->count; i++) {
        struct op *op = &ops[present->id[i]];
        const bool is_whole = op->rows_cut == 1 && op->columns_cut == 1;
        if (is_bare && is_whole)
            derive(symbols, false, true, true, op);
        else if (is_bare)
            derive(symbols, false, true, false, op);
        else
            derive(symbols, false, false, false, op);
    }
}

/* Whether 8-bit recipes quantise the products of a row. */
#define QUANTISES(id, kind) ((kind) != OP_EMBEDDING && (kind) != OP_HEAD && (id) != OP_ID_ROUTER)

/* Whether most models have a row; the code of the others is out of the way. */
#define IS_USUAL(kind, when) ((kind) != OP_MOE && (kind) != OP_MTP && strncmp(when, "mla", 3) != 0)

void TWICE(op_evaluate)(const struct symbols *symbols, struct op out[OP_COUNT], struct op_list *present)
{
#include "core/estimate/locals.def"
    const bool has_linears = __builtin_expect(LINEAR_WHEN, 0);
    unsigned char *next = present->id;
#define OP(id_, kind_, path_, when_, times_, out_, in_, split_, bias_, m_, saved_, repeats_, freed_, flops_, fwd_,     \
           bwd_, kernels_, source_)                                                                                    \
    {                                                                                                                 \
        struct op *op = &out[OP_ID_##id_];                                                                            \
        op->when = OP_##kind_ == OP_MOE && !(E > 0) ? 0 : (when_);                                                    \
        if (__builtin_expect(op->when != 0, IS_USUAL(OP_##kind_, #when_))) {                                          \
            op->times = (times_);                                                                                     \
            op->out = (out_);                                                                                         \
            op->in = (in_);                                                                                           \
            op->bias = (bias_);                                                                                       \
            op->m = (m_);                                                                                             \
            op->matrices = op->adapters = op->adapter_in = op->adapter_out = op->adapter_own = op->adapter_saved = 0; \
            const double adapter_saved __attribute__((unused)) =                                                       \
                is_linear(OP_ID_##id_) && has_linears ? linears_of(symbols, OP_ID_##id_, op) : 0;                      \
            const double saved __attribute__((unused)) = op->saved = (saved_);                                        \
            op->repeats = (repeats_);                                                                                 \
            op->freed = (freed_);                                                                                     \
            op->flops = (flops_);                                                                                     \
            op->fwd_bytes = (fwd_);                                                                                   \
            op->bwd_bytes = (bwd_);                                                                                   \
            op->kernels = (kernels_);                                                                                 \
            op->input = input_of(symbols, OP_ID_##id_, op->saved);                                                    \
            op->is_expert = SPLIT_##split_ == SPLIT_EOUT || SPLIT_##split_ == SPLIT_EIN;                              \
            op->is_head = OP_##kind_ == OP_HEAD;                                                                      \
            op->quantises = QUANTISES(OP_ID_##id_, OP_##kind_);                                                       \
            op->rows_cut = (ROWS_##split_);                                                                           \
            op->columns_cut = (COLUMNS_##split_);                                                                     \
            *next++ = OP_ID_##id_;                                                                                    \
        }                                                                                                             \
    }
#include "core/estimate/op.def"
    present->count = (int)(next - present->id);
    derive_all(symbols, present, out);
}

void TWICE(op_repeat)(const struct symbols *symbols, struct op out[OP_COUNT])
{
#include "core/estimate/locals.def"
#define OP(id_, kind_, path_, when_, times_, out_, in_, split_, bias_, m_, saved_, repeats_, freed_, ...)              \
    if (out[OP_ID_##id_].when != 0) {                                                                                 \
        struct op *op = &out[OP_ID_##id_];                                                                            \
        const double adapter_saved __attribute__((unused)) = op->adapter_saved;                                        \
        const double saved __attribute__((unused)) = op->saved;                                                        \
        op->repeats = (repeats_);                                                                                     \
        op->freed = (freed_);                                                                                         \
        derive(symbols, true, false, false, op);                                                                      \
    }
#include "core/estimate/op.def"
}

/* Four of the numbers that sums add up. */
typedef double four __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));
enum { FOURS = OP_SUMMED_COUNT / 4 };
_Static_assert(OP_SUMMED_COUNT % 4 == 0, "all of them are added");

static inline void add_op(const struct op *op, four sum[FOURS])
{
    for (int k = 0; k < FOURS; k++)
        sum[k] += ((const four *)op->summed)[k];
}

/* Kind after kind, whose sum stays in registers meanwhile. */
void TWICE(op_sum)(const struct op ops[OP_COUNT], const struct op_list *present, struct op_sum sums[SET_COUNT])
{
    memset(sums, 0, SET_COUNT * sizeof *sums);
    for (int i = 0; i < present->count;) {
        const unsigned char kind = op_sets[present->id[i]][0];
        four sum[FOURS];
        for (int k = 0; k < FOURS; k++)
            sum[k] = (four){0};
        for (; i < present->count && op_sets[present->id[i]][0] == kind; i++) {
            const struct op *op = &ops[present->id[i]];
            const unsigned char part = op_sets[present->id[i]][1];
            add_op(op, sum);
            if (part < SET_COUNT)
                add_op(op, (four *)sums[part].summed);
        }
        memcpy(sums[kind].summed, sum, sizeof sum);
    }
}
