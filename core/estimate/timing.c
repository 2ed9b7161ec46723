#include "core/estimate/timing.h"

#include "core/estimate/symbols.h"

#include <math.h>

#define ROW_(type, name_, unit_, label_, text_, source_)                                                              \
    {.name = #name_, .unit = unit_, .label = label_, .text = text_, .source = source_, .basis = BASIS_FORMULA,        \
     .offset = offsetof(struct type, name_)},
#define GIVEN_OP(name_, label_) ROW_(op_time, name_, "", label_, "", "")

const struct term op_time_terms[] = {
    GIVEN_OP(rows, "rows of the product's input") GIVEN_OP(out_rank, "rows of the weight on one rank")
    GIVEN_OP(in_rank, "columns of the weight on one rank") GIVEN_OP(times, "weights of this shape")
    GIVEN_OP(attention, "operations beside the product") GIVEN_OP(fwd_bytes, "moved forward")
    GIVEN_OP(bwd_bytes, "moved backward") GIVEN_OP(kernels, "memory-bound kernels each way")
    GIVEN_OP(expert, "1 for expert weights") GIVEN_OP(is_head, "1 for the output layer")
#define OPTIME(name, unit, label, expression, source) ROW_(op_time, name, unit, label, #expression, source)
#include "core/estimate/timing.def"
};
const size_t op_time_term_count = sizeof op_time_terms / sizeof *op_time_terms;

const struct term pass_terms[] = {
#define GIVEN_PASS(name, unit, label) ROW_(pass, name, unit, label, "", "")
#define PASS(name, unit, label, expression, source) ROW_(pass, name, unit, label, #expression, source)
#include "core/estimate/timing.def"
};
const size_t pass_term_count = sizeof pass_terms / sizeof *pass_terms;

const struct term step_terms[] = {
#define GIVEN_STEP(name, unit, label) ROW_(step, name, unit, label, "", "")
#define STEP(name, unit, label, expression, source) ROW_(step, name, unit, label, #expression, source)
#include "core/estimate/timing.def"
};
const size_t step_term_count = sizeof step_terms / sizeof *step_terms;

#define SYM(name, key, unit, meaning, expression) const double name __attribute__((unused)) = symbols->name;
#define LOCAL(name) const double name __attribute__((unused)) = out->name;

void timing_op(const struct symbols *symbols, const struct op *op, const struct op_row *row, struct op_time *out)
{
#include "core/estimate/symbols.def"
    out->rows = op->m;
    out->out_rank = op->out_rank;
    out->in_rank = op->in_rank;
    out->times = op->times;
    out->attention = op->flops;
    out->fwd_bytes = op->fwd_bytes;
    out->bwd_bytes = op->bwd_bytes;
    out->kernels = op->kernels;
    out->expert = row->split == SPLIT_EOUT || row->split == SPLIT_EIN;
    out->is_head = row->kind == OP_HEAD;
    LOCAL(rows) LOCAL(out_rank) LOCAL(in_rank) LOCAL(times) LOCAL(attention) LOCAL(fwd_bytes) LOCAL(bwd_bytes)
    LOCAL(kernels) LOCAL(expert) LOCAL(is_head)
#define OPTIME(name, unit, label, expression, source) const double name = (expression); out->name = name;
#include "core/estimate/timing.def"
}

void timing_pass(const struct symbols *symbols, const struct stage *sheet, struct pass *out)
{
#include "core/estimate/symbols.def"
#define GIVEN(name, ...) const double name __attribute__((unused)) = sheet->name;
#define TERM(name, ...) const double name __attribute__((unused)) = sheet->name;
#include "core/estimate/stage.def"
#undef GIVEN
#undef TERM
#define GIVEN_PASS(name, ...) LOCAL(name)
#define PASS(name, unit, label, expression, source) const double name = (expression); out->name = name;
#include "core/estimate/timing.def"
}

void timing_step(const struct symbols *symbols, struct step *out)
{
#include "core/estimate/symbols.def"
#define GIVEN_STEP(name, ...) LOCAL(name)
#define STEP(name, unit, label, expression, source) const double name = (expression); out->name = name;
#include "core/estimate/timing.def"
}

/* Traffic behind `window` seconds of compute: the larger of the contention and what does not fit. */
static double exposed(double time_s, double window_s)
{
    return max(time_s * contention_percent / 100, time_s - window_s);
}

/* Seconds of one row's traffic that nothing hides. */
static double exposed_of(const struct symbols *y, const struct pass *pass, enum comm_id id, const struct comm *row)
{
    double forward = pass->forward_s, backward = pass->recompute_s + pass->backward_s;
    bool is_gather = comm_rows[id].op == COMM_ALL_GATHER;
    switch (comm_rows[id].dim) {
    case COMM_TP:
        return y->ovt > 0 ? overlapped_tp * row->time_s : row->time_s;
    case COMM_CP:
        return y->ovc > 0 && y->cp_ring > 0 ? exposed(row->time_s, y->m * forward) : row->time_s;
    case COMM_PP:
        return y->ovm > 0 ? exposed(row->time_s, y->m * forward) : row->time_s;
    case COMM_DP:
    case COMM_EDP:
        if (y->zs < 3)
            return (is_gather ? y->ovp : y->ovg) > 0 ? exposed(row->time_s, is_gather ? forward : backward) : row->time_s;
        /* early gathers run behind every micro-batch */
        return !(y->prefetch > 0)
                   ? row->time_s
                   : exposed(row->time_s, y->m * (id == COMM_ID_SHARD_GATHER_F ? forward : backward / 2));
    default:
        return row->time_s;
    }
}

void timing_overlap(const struct symbols *symbols, const struct pass *pass, struct comm_table *comm)
{
    for (int i = 0; i < comm->count; i++) {
        struct comm *row = &comm->row[comm->present[i]];
        row->exposed_s = exposed_of(symbols, pass, comm->present[i], row);
    }
}
