#include "core/estimate/iteration.h"

#include "core/base.h"
#include "core/estimate/stage_time.h"

const struct term iteration_terms[] = {
#define ROW_(name_, unit_, label_, text_, source_)                                                                     \
    {.name = #name_, .unit = unit_, .label = label_, .text = text_, .source = source_, .basis = BASIS_FORMULA,         \
     .offset = offsetof(struct iteration, name_)},
#define GIVEN(name, unit, label, words) ROW_(name, unit, label, words, "")
#define TERM(name, unit, label, expression, source) ROW_(name, unit, label, #expression, source)
#include "core/estimate/iteration.def"
};
const size_t iteration_term_count = LENGTH(iteration_terms);

const struct iteration_part iteration_parts[ITERATION_PARTS] = {
#define PART(name, unit, label, formula, source, words) {#name, words, label, offsetof(struct iteration, name)},
#include "core/estimate/iteration.def"
};

static void evaluate(const struct symbols *symbols, struct iteration *out)
{
    const double world = symbols->world, peak = symbols->peak;
#define GIVEN(name, ...) const double name = out->name;
#define TERM(name, unit, label, expression, source)                                                                    \
    const double name __attribute__((unused)) = out->name = (expression);
#include "core/estimate/iteration.def"
}

/* A micro-batch of a stage; with DualPipe the mean of it and of the mirrored stage's. */
static double micro_of(const struct estimate *e, int stage)
{
    bool is_paired = e->schedule.kind == SCHEDULE_DUALPIPE;
    return (e->pass[stage].micro_s + e->pass[is_paired ? e->stages - 1 - stage : stage].micro_s) / 2;
}

static void add_stage(const struct estimate *e, int stage, struct iteration *out)
{
    struct stage_time time;
    const struct pass *pass = &e->pass[stage];
    stage_time_of(e, stage, &time);
    out->mean_compute_s += time.compute_s / e->stages;
    out->mean_repeat_s += time.repeat_s / e->stages;
    out->mean_wait_s += e->symbols.m * (pass->micro_s - pass->busy_s) / e->stages;
    out->mean_lag_s += e->symbols.m * max(0, e->step.slowest_micro_s - micro_of(e, stage)) / e->stages;
    out->mean_early_s += max(0, e->step.dp_exposed_s - time.dp_s) / e->stages;
    out->mean_tp_s += time.tp_s / e->stages;
    out->mean_cp_s += time.cp_s / e->stages;
    out->mean_ep_s += time.ep_s / e->stages;
    out->mean_pp_s += time.pp_s / e->stages;
    out->mean_dp_s += time.dp_s / e->stages;
    out->mean_offload_s += time.offload_s / e->stages;
}

void iteration_of(const struct estimate *e, struct iteration *out)
{
    bool is_known = e->is_computed && e->is_modelled && !e->is_serving && e->stages > 0;
    *out = (struct iteration){
        .whole_s = is_known ? e->step.iteration_s : (double)NAN,
        .predicted_s = e->step.estimated_s,
        .operations = e->step.model_flops,
        .fixed_s = e->symbols.overhead * 1e-3,
        .fill_s = e->step.bubble_s,
        .update_s = e->step.optimizer_s,
    };
    for (int i = 0; is_known && i < e->stages; i++)
        add_stage(e, i, out);
    if (isfinite(out->whole_s)) {
        evaluate(&e->symbols, out);
        return;
    }
    for (size_t i = 0; i < iteration_term_count; i++)
        *(double *)((char *)out + iteration_terms[i].offset) = NAN;
}

double iteration_part(const struct iteration *iteration, int part)
{
    return *(const double *)((const char *)iteration + iteration_parts[part].offset);
}
