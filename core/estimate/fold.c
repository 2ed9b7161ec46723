#include "core/estimate/fold.h"

#include "core/estimate/model.h"
#include "core/estimate/op_row.h"
#include "core/estimate/timing.h"
#include "core/estimate/varies.h"

/*
 * An operator's figures live no longer than its row: most of them are 0 in most rows, or read by no sum, and cost
 * nothing. Who wants to see them has op_evaluate() and timing_op().
 */

/* Whether most models have a row; the code of the others is out of the way. */
#define IS_USUAL(kind, when)                                                                                           \
    (OP_##kind != OP_MOE && OP_##kind != OP_MTP && strncmp(when, "mla", 3) != 0 && strncmp(when, "is_", 3) != 0 &&     \
     strncmp(when, "indexes", 7) != 0 && strncmp(when, "ple", 3) != 0 && strncmp(when, "streams", 7) != 0)

/* Symbols of a bare model that its operators' time reads, and those that are 1 where nothing is divided. */
#define NONE_quant ~, 1
#define ONE_t ~, 1
#define ONE_c ~, 1
#define ONE_ep ~, 1
#define ONE_et ~, 1

/* Adds a figure of a row to a sum over a set; what is known to be 0 is not added. */
#define ADD(sum, set_, figure)                                                                                         \
    if ((SET_##set_ == set || SET_##set_ == part) && !(__builtin_constant_p(figure) && (figure) == 0))                 \
        sum += (figure);

/* As timing_op(), of a bare model, for whom reads few of the rows. */
static inline __attribute__((always_inline)) void time_bare(const struct symbols *symbols, const struct op *op,
                                                            struct op_time *out)
{
#define SYM(name, ...) const double name __attribute__((unused)) = MARK_OF_(NONE_##name) ? 0 : symbols->name;
#include "core/estimate/symbols.def"
#undef SYM
#define GIVEN_OP(name, unit, label, column) const double name = op->column;
#define OPTIME(name, unit, label, expression, source)                                                                  \
    const double name __attribute__((unused)) = out->name = (expression);
#include "core/estimate/timing.def"
}

static inline __attribute__((always_inline)) void add_layer(enum op_set set, enum op_set part, const struct op *op,
                                                            const struct op_time *time, struct layer_cost *out)
{
#define FOLD(name, unit, label, set_, column) ADD(out->name, set_, op->column)
#define GIVEN(...)
#define TERM(...)
#include "core/estimate/stage.def"
#undef FOLD
#undef GIVEN
#undef TERM
#define FOLD_PASS(name, unit, label, set_, column) ADD(out->name, set_, time->column)
#include "core/estimate/timing.def"
}

static inline __attribute__((always_inline)) void add_shape(enum op_id id, const struct op *op,
                                                            struct op_shapes *shapes)
{
    if (op->m != 0)
        shapes->of[shapes->count++] = (struct op_shape){id, op->out_rank, op->in_rank};
}

/* The sums of a model with adapters, quantised weights or projected gradients, operator by operator. */
static void fold_layers_of_any(const struct symbols *symbols, struct layer_cost *out, struct op_shapes *shapes)
{
    for (int id = 0; id < OP_COUNT; id++) {
        struct op op;
        struct op_time time;
        op_evaluate(symbols, (enum op_id)id, &op);
        if (op.when == 0)
            continue;
        timing_op(symbols, &op, &time);
        add_layer(op_sets[id][0], op_sets[id][1], &op, &time, out);
        add_shape((enum op_id)id, &op, shapes);
    }
}

/* The same of a bare model, in one piece. */
static void fold_layers_of_bare(const struct symbols *symbols, struct layer_cost *out, struct op_shapes *shapes)
{
#include "core/estimate/locals.def"
    const bool has_linears = false;
#define OP(id_, kind_, path_, when_, times_, out_, in_, split_, ...)                                                   \
    if (__builtin_expect(WHEN(OP_##kind_, when_) != 0, IS_USUAL(kind_, #when_))) {                                    \
        struct op row, *op = &row;                                                                                    \
        struct op_time time;                                                                                          \
        SET_COLUMNS(id_, kind_, path_, when_, times_, out_, in_, split_, __VA_ARGS__)                                 \
        derive(symbols, true, op);                                                                                    \
        time_bare(symbols, op, &time);                                                                                \
        add_layer(SET_##kind_, PART_OF(OP_ID_##id_, OP_##kind_, SPLIT_##split_), op, &time, out);                     \
        add_shape(OP_ID_##id_, op, shapes);                                                                           \
    }
#include "core/estimate/op.def"
}

static bool is_bare(const struct symbols *symbols)
{
    FROM_SYMBOLS(lora) FROM_SYMBOLS(quant) FROM_SYMBOLS(galore)
    return !(LINEAR_WHEN);
}

void fold_layers(const struct symbols *symbols, struct layer_cost *out, struct op_shapes *shapes)
{
    memset(out, 0, offsetof(struct layer_cost, dummy));
    shapes->count = 0;
    (is_bare(symbols) ? fold_layers_of_bare : fold_layers_of_any)(symbols, out, shapes);
    out->share = (struct layer_share){.mixing = 1, .attending = 1, .feeding = 1};
}

double fold_scratch(const struct symbols *symbols)
{
#include "core/estimate/locals.def"
    double sum = 0;
#define SCRATCH(id, formula) sum += op_is_there(symbols, OP_ID_##id) ? (formula) : 0;
#include "core/estimate/op.def"
    return sum;
}

double fold_exchange(const struct symbols *symbols)
{
#include "core/estimate/locals.def"
    double sum = 0;
#define EXCHANGE(id, formula) sum += op_is_there(symbols, OP_ID_##id) ? (formula) : 0;
#include "core/estimate/op.def"
    return sum;
}

void fold_cache(const struct symbols *symbols, struct layer_cache *out)
{
#include "core/estimate/locals.def"
    *out = (struct layer_cache){0};
#define CACHE(id, values_, near_, bytes_, state_)                                                                      \
    if (op_is_there(symbols, OP_ID_##id)) {                                                                           \
        out->values += (values_);                                                                                      \
        out->near += (near_);                                                                                          \
        out->bytes += (bytes_);                                                                                        \
        out->state += (state_);                                                                                        \
    }
#include "core/estimate/op.def"
}

static inline __attribute__((always_inline)) void add_whole(enum op_set set, enum op_set part, const struct op *op,
                                                            struct totals *out)
{
#define FOLD(name, unit, label, set_, column) ADD(out->name, set_, op->column)
#include "core/estimate/model.def"
}

static void fold_whole_of_any(const struct symbols *symbols, struct totals *out)
{
    for (int id = 0; id < OP_COUNT; id++) {
        struct op op;
        op_evaluate(symbols, (enum op_id)id, &op);
        if (op.when != 0)
            add_whole(op_sets[id][0], op_sets[id][1], &op, out);
    }
}

static void fold_whole_of_bare(const struct symbols *symbols, struct totals *out)
{
#define SYM(name, ...) const double name __attribute__((unused)) = MARK_OF_(ONE_##name) ? 1 : symbols->name;
#include "core/estimate/symbols.def"
#undef SYM
    const bool has_linears = false;
#define OP(id_, kind_, path_, when_, times_, out_, in_, split_, ...)                                                   \
    if (__builtin_expect(WHEN(OP_##kind_, when_) != 0, IS_USUAL(kind_, #when_))) {                                    \
        struct op row, *op = &row;                                                                                    \
        SET_COLUMNS(id_, kind_, path_, when_, times_, out_, in_, split_, __VA_ARGS__)                                 \
        derive(symbols, true, op);                                                                                    \
        add_whole(SET_##kind_, PART_OF(OP_ID_##id_, OP_##kind_, SPLIT_##split_), op, out);                            \
    }
#include "core/estimate/op.def"
}

void fold_whole(const struct symbols *symbols, struct totals *out)
{
#define FOLD(name, ...) out->name = 0;
#include "core/estimate/model.def"
    (is_bare(symbols) ? fold_whole_of_bare : fold_whole_of_any)(symbols, out);
}
