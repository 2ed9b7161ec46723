#include "core/estimate/timing.h"

#include "core/base.h"
#include "core/estimate/symbols.h"

#include <string.h>

#define ROW_(type, name_, unit_, label_, text_, source_)                                                              \
    {.name = #name_, .unit = unit_, .label = label_, .text = text_, .source = source_, .basis = BASIS_FORMULA,        \
     .offset = offsetof(struct type, name_)},
const struct term op_time_terms[] = {
#define GIVEN_OP(name, unit, label, column) ROW_(op_time, name, unit, label, #column, "")
#define OPTIME(name, unit, label, expression, source) ROW_(op_time, name, unit, label, #expression, source)
#include "core/estimate/timing.def"
};
const size_t op_time_term_count = LENGTH(op_time_terms);

const struct term pass_terms[] = {
#define GIVEN_PASS(name, unit, label, words) ROW_(pass, name, unit, label, words, "")
#define FOLD_PASS(name_, unit_, label_, set_, column_)                                                                 \
    {.name = #name_, .unit = unit_, .label = label_, .text = "", .source = "", .basis = BASIS_FORMULA,                \
     .offset = offsetof(struct pass, name_), .set = SET_##set_, .column = #column_},
#define PASS(name, unit, label, expression, source) ROW_(pass, name, unit, label, #expression, source)
#include "core/estimate/timing.def"
};
const size_t pass_term_count = LENGTH(pass_terms);

const struct term step_terms[] = {
#define GIVEN_STEP(name, unit, label, words) ROW_(step, name, unit, label, words, "")
#define FROM(name, unit, label, expression) ROW_(step, name, unit, label, #expression, "")
#define STEP(name, unit, label, expression, source) ROW_(step, name, unit, label, #expression, source)
#include "core/estimate/timing.def"
};
const size_t step_term_count = LENGTH(step_terms);

const char *const exposed_text[COMM_DIM_COUNT] = {
#define EXPOSED(dim, expression, source) [COMM_##dim] = #expression,
#include "core/estimate/timing.def"
};
const char *const exposed_source[COMM_DIM_COUNT] = {
#define EXPOSED(dim, expression, source) [COMM_##dim] = source,
#include "core/estimate/timing.def"
};

const struct term exposure_terms[] = {
#define GIVEN_EXPOSURE(name, unit, label, words) ROW_(exposure, name, unit, label, words, "")
#include "core/estimate/timing.def"
};
const size_t exposure_term_count = LENGTH(exposure_terms);

#define LOCAL(name) const double name __attribute__((unused)) = out->name;

void timing_op(const struct symbols *symbols, const struct op *op, struct op_time *out)
{
#include "core/estimate/locals.def"
#define GIVEN_OP(name, unit, label, column) const double name = out->name = op->column;
#define OPTIME(name, unit, label, expression, source) const double name = (expression); out->name = name;
#include "core/estimate/timing.def"
}

void timing_pass(const struct symbols *symbols, const struct stage *sheet, struct pass *out)
{
#include "core/estimate/locals.def"
#include "core/estimate/stage_locals.def"
#define GIVEN_PASS(name, ...) LOCAL(name)
#define FOLD_PASS(name, ...) LOCAL(name)
#define PASS(name, unit, label, expression, source) const double name = (expression); out->name = name;
#include "core/estimate/timing.def"
}

void timing_traffic(const struct symbols *symbols, struct pass *out)
{
#include "core/estimate/locals.def"
#define GIVEN_PASS(name, ...) LOCAL(name)
#define FOLD_PASS(name, ...) LOCAL(name)
#define PASS(name, ...) LOCAL(name)
#define PASS_TRAFFIC(name, unit, label, expression, source) const double name = (expression); out->name = name;
#include "core/estimate/timing.def"
}

void timing_step(const struct symbols *symbols, struct step *out)
{
#include "core/estimate/locals.def"
#define GIVEN_STEP(name, ...) LOCAL(name)
#define FROM(name, ...) LOCAL(name)
#define STEP(name, unit, label, expression, source) const double name = (expression); out->name = name;
#include "core/estimate/timing.def"
}

/* Whether a row that computing may hide runs beside forward passes; the others run beside backward passes. */
#define RUNS_FORWARD(id)                                                                                               \
    ((id) == COMM_ID_CP_RING_F || (id) == COMM_ID_PP_FORWARD || (id) == COMM_ID_DP_GATHER ||                           \
     (id) == COMM_ID_EDP_GATHER || (id) == COMM_ID_SHARD_GATHER_F)

/* Whether it carries the input, or the input gradient, of a matrix and runs beside its other gradient. */
#define RUNS_BESIDE(id)                                                                                                \
    ((id) == COMM_ID_TP_BACKWARD || (id) == COMM_ID_SP_GATHER_AGAIN || (id) == COMM_ID_SP_SCATTER_B)

/* Whether it belongs to modules beside the matrices, whose traffic is never hidden. */
#define RUNS_APART(id)                                                                                                 \
    ((id) == COMM_ID_ADAPTER_FORWARD || (id) == COMM_ID_ADAPTER_BACKWARD || (id) == COMM_ID_ADAPTER_REDUCE)

/* What of a row says what hides it. */
static const struct hiding {
    unsigned char dim;
    bool is_of_weights, is_forward, is_beside, is_apart, is_pair;
} hidings[COMM_COUNT] = {
#define COMM(id, dim, op, ...)                                                                                         \
    [COMM_ID_##id] = {COMM_##dim, COMM_##dim == COMM_DP || COMM_##dim == COMM_EDP, RUNS_FORWARD(COMM_ID_##id),         \
                      RUNS_BESIDE(COMM_ID_##id), RUNS_APART(COMM_ID_##id), COMM_##op == COMM_SEND_RECV},
#include "core/estimate/comm.def"
#undef COMM
};

/* Seconds of all rows of weights and gradients, beside backward passes [0] and beside forward passes [1]. */
static void sum_weights(const struct comm_table *comm, double weights_s[2])
{
    weights_s[0] = weights_s[1] = 0;
    for (int i = 0; i < comm->count; i++) {
        const struct hiding *hiding = &hidings[comm->present[i]];
        if (hiding->is_of_weights)
            weights_s[hiding->is_forward] += comm->row[comm->present[i]].time_s;
    }
}

static inline void give_exposure(enum comm_id id, const struct comm *row, const double weights_s[2],
                                 struct exposure *out)
{
    const struct hiding *hiding = &hidings[id];
    out->time_s = row->time_s;
    out->pairs = hiding->is_pair;
    out->back = !hiding->is_forward;
    out->beside = hiding->is_beside;
    out->apart = hiding->is_apart;
    out->beside_s = hiding->is_of_weights ? weights_s[hiding->is_forward] : 0;
}

void timing_exposure(enum comm_id id, const struct comm_table *comm, struct exposure *out)
{
    double weights_s[2];
    sum_weights(comm, weights_s);
    give_exposure(id, &comm->row[id], weights_s, out);
}

/* Seconds of one row's traffic not hidden. */
static double exposed_of(const struct symbols *symbols, const struct pass *pass, enum comm_id id,
                         const struct comm *row, const double weights_s[2])
{
    struct exposure sheet, *out = &sheet;
    give_exposure(id, row, weights_s, out);
#include "core/estimate/locals.def"
#define GIVEN_EXPOSURE(name, ...) LOCAL(name)
#define GIVEN_PASS(name, ...) const double name __attribute__((unused)) = pass->name;
#define FOLD_PASS(name, ...) const double name __attribute__((unused)) = pass->name;
#define PASS(name, ...) const double name __attribute__((unused)) = pass->name;
#include "core/estimate/timing.def"
    switch (hidings[id].dim) {
#define EXPOSED(dim, expression, source) case COMM_##dim: return (expression);
#include "core/estimate/timing.def"
    default:
        return time_s;
    }
}

void timing_overlap(const struct symbols *symbols, const struct pass *pass, struct comm_table *comm)
{
    double weights_s[2];
    sum_weights(comm, weights_s);
    for (int i = 0; i < comm->count; i++) {
        enum comm_id id = comm->present[i];
        comm->row[id].exposed_s = exposed_of(symbols, pass, id, &comm->row[id], weights_s);
    }
}
