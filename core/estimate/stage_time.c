#include "core/estimate/stage_time.h"

const struct term stage_time_terms[] = {
#define ROW_(name_, unit_, label_, text_, source_)                                                                     \
    {.name = #name_, .unit = unit_, .label = label_, .text = text_, .source = source_, .basis = BASIS_FORMULA,         \
     .offset = offsetof(struct stage_time, name_)},
#define GIVEN(name, unit, label, words) ROW_(name, unit, label, words, "")
#define TERM(name, unit, label, expression, source) ROW_(name, unit, label, #expression, source)
#include "core/base.h"
#include "core/estimate/stage_time.def"
};
const size_t stage_time_term_count = LENGTH(stage_time_terms);

static void evaluate(double m, struct stage_time *out)
{
#define GIVEN(name, ...) const double name = out->name;
#define TERM(name, unit, label, expression, source)                                                                    \
    const double name __attribute__((unused)) = out->name = (expression);
#include "core/estimate/stage_time.def"
}

/* Seconds of the rows of a stage that exchange gradients and weights. */
static double exchange_of(const struct estimate *e, int stage)
{
    struct comm_table comm;
    double sum = 0;
    estimate_comm_table(e, stage, &comm);
    for (int i = 0; i < comm.count; i++) {
        enum comm_dim dim = comm_rows[comm.present[i]].dim;
        if (dim == COMM_DP || dim == COMM_EDP || dim == COMM_EMBEDDING)
            sum += comm.row[comm.present[i]].exposed_s;
    }
    return sum;
}

void stage_time_of(const struct estimate *e, int stage, struct stage_time *out)
{
    bool is_paired = e->schedule.kind == SCHEDULE_DUALPIPE;
    const struct pass *a = &e->pass[stage], *b = is_paired ? &e->pass[e->stages - 1 - stage] : a;
    *out = (struct stage_time){
        .whole_s = e->step.estimated_s,
        .micro_forward_s = (a->forward_s + b->forward_s) / 2,
        .micro_backward_s = (a->backward_s + b->backward_s) / 2,
        .micro_repeat_s = (a->recompute_s + b->recompute_s) / 2,
        .micro_wgrad_s = (a->wgrad_s + b->wgrad_s) / 2,
        .micro_offload_s =
            (a->offload_forward_s + a->offload_backward_s + b->offload_forward_s + b->offload_backward_s) / 2,
        .update_s = e->step.optimizer_s,
        .host_update_s = e->step.host_adam_s,
        .all_tp_s = (a->tp_s + b->tp_s) / 2,
        .all_cp_s = (a->cp_s + b->cp_s) / 2,
        .all_ep_s = (a->ep_s + b->ep_s) / 2,
        .all_pp_s = (a->pp_s + b->pp_s) / 2,
        .all_dp_s = exchange_of(e, stage),
    };
    evaluate(e->symbols.m, out);
}
