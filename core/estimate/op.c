#include "core/estimate/op.h"

#include "core/base.h"
#include "core/estimate/op_row.h"
#include "core/estimate/symbols.h"

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
    COLUMN(flops, "FLOP", "forward operations besides the matrix product"),
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
    DERIVED(adapter_own, "", "inputs not kept by any other row", NULL)
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

const unsigned char op_sets[OP_COUNT][2] = {
#define OP(id, kind, path, when, times, out, in, split, ...)                                                           \
    [OP_ID_##id] = {SET_##kind, PART_OF(OP_ID_##id, OP_##kind, SPLIT_##split)},
#include "core/estimate/op.def"
};

bool op_is_in(enum op_set set, enum op_id id)
{
    return op_sets[id][0] == set || op_sets[id][1] == set;
}

void op_evaluate(const struct symbols *symbols, enum op_id id, struct op *op)
{
#include "core/estimate/locals.def"
    const bool has_linears = LINEAR_WHEN;
    *op = (struct op){0};
    switch (id) {
#define OP(id_, kind_, path_, when_, ...)                                                                              \
    case OP_ID_##id_: {                                                                                               \
        op->when = WHEN(OP_##kind_, when_);                                                                           \
        if (op->when == 0)                                                                                            \
            return;                                                                                                   \
        SET_COLUMNS(id_, kind_, path_, when_, __VA_ARGS__)                                                            \
        break;                                                                                                        \
    }
#include "core/estimate/op.def"
    default:
        return;
    }
    derive(symbols, !has_linears, op);
}

bool op_is_there(const struct symbols *symbols, enum op_id id)
{
#include "core/estimate/locals.def"
    switch (id) {
#define OP(id_, kind_, path_, when_, ...) case OP_ID_##id_: return WHEN(OP_##kind_, when_) != 0;
#include "core/estimate/op.def"
    default:
        return false;
    }
}
