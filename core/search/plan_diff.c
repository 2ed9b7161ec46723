#include "core/search/plan_diff.h"

#include "core/plan/param.h"
#include "core/show/components.h"

#include <string.h>

/* ---- figures ---------------------------------------------------------------------------------------------------- */

void figures_of(const struct estimate *e, struct figures *out)
{
    *out = (struct figures)FIGURES_UNKNOWN;
    out->is_valid = e->is_computed && e->is_modelled && e->diags.errors == 0;
    if (!out->is_valid)
        return;
    out->iteration_s = estimate_pace(e);
    out->device_bytes = e->serving.needed_bytes;
    out->headroom_bytes = e->headroom_bytes;
    if (!e->is_serving) {
        struct stage fullest = e->stage[e->peak_stage];
        stage_round(e, &fullest);
        out->device_bytes = fullest.device_bytes;
        out->headroom_bytes = fullest.headroom_bytes;
        out->mfu = e->step.mfu;
    } else if (e->serving.has_engine > 0) {
        out->kv_tokens = e->serving.kv_tokens;
    }
    if (e->is_rl) {
        out->device_bytes = e->rl.peak_bytes;
        out->headroom_bytes = e->headroom_bytes;
    }
    out->probability = range_fit_probability(e);
    out->verdict = range_verdict(e);
}

bool figures_are_nearer(const struct figures *a, const struct figures *b)
{
    return a->verdict == VERDICT_NO && b->verdict == VERDICT_NO && a->headroom_bytes > b->headroom_bytes;
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

bool plan_diff_matters(const struct plan *a, const struct plan *b, enum param key)
{
    bool is_of_experts =
        strncmp(param_rows[key].key, "moe_", 4) == 0 || key == PARAM_parallel_ep || key == PARAM_parallel_etp;
    bool has_experts = KEY_OF(a, model, num_experts) > 0 || KEY_OF(b, model, num_experts) > 0;
    bool is_serving =
        KEY_OF(a, plan, workload) == WORKLOAD_INFERENCE || KEY_OF(b, plan, workload) == WORKLOAD_INFERENCE;
    bool is_rl = KEY_OF(a, plan, workload) == WORKLOAD_RL || KEY_OF(b, plan, workload) == WORKLOAD_RL;
    enum param_group group = param_rows[key].group_id;
    return (!is_of_experts || has_experts) && (group != GROUP_serve || is_serving) && (group != GROUP_rl || is_rl);
}

enum diff_key plan_diff_key(const struct plan *a, const struct plan *b, enum param key)
{
    if (param_equal(a, b, key))
        return DIFF_NONE;
    if (a->from[key] > FROM_DERIVED || b->from[key] > FROM_DERIVED)
        return DIFF_GIVEN;
    return plan_diff_matters(a, b, key) ? DIFF_DERIVED : DIFF_NONE;
}

static bool is_given(const struct plan *plan, enum param key)
{
    return plan->from[key] > FROM_PRESET;
}

/* Whether a key would change its value if it were blank, as derived keys are. */
static bool would_change(const struct plan *resolved, enum param key)
{
    struct plan blank = *resolved, again;
    for (int i = 0; i < PARAM_COUNT; i++)
        if (blank.from[i] == FROM_DEFAULT || blank.from[i] == FROM_DERIVED || i == (int)key) {
            blank.value[i] = NAN;
            blank.from[i] = FROM_DEFAULT;
        }
    plan_resolve(&blank, &again);
    return !param_equal(resolved, &again, key);
}

void plan_diff_keys(const struct plan *a, const struct plan *b, struct diff_keys *out)
{
    for (int i = 0; i < PARAM_COUNT; i++) {
        enum param key = (enum param)i;
        bool differs = !param_equal(a, b, key);
        out->set[i] = differs ? is_given(a, key) || is_given(b, key)
                              : !is_given(a, key) && is_given(b, key) && would_change(b, key);
        out->follows[i] = differs && !out->set[i] && plan_diff_matters(a, b, key);
    }
    if (is_given(a, PARAM_train_gradient_accumulation_steps) && param_equal(a, b, PARAM_train_global_batch_size))
        out->set[PARAM_train_global_batch_size] = false; /* follows from the steps */
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static struct diag first_fault(const struct diags *diags)
{
    for (int i = 0; i < diags->count; i++)
        if (diags->item[i].level == DIAG_ERROR || diags->item[i].is_unmodelled)
            return diags->item[i];
    return (struct diag){.rule = NULL};
}

void plan_diff(const struct estimate *before, const struct estimate *after, struct plan_diff *out)
{
    figures_of(before, &out->from);
    figures_of(after, &out->to);
    out->fault = first_fault(&after->diags);
    waterfall_memory(before, after, &out->memory);
    waterfall_time(before, after, &out->time);
    out->traffic.count = 0;
}

void plan_diff_speed(const struct estimate *a, const struct estimate *b, struct diff_speed *out)
{
    struct time_range of_a, of_b;
    double sigma[RANGE_COUNT];
    *out = (struct diff_speed){.log_time = NAN, .probability = NAN};
    if (!isfinite(a->step.iteration_s + b->step.iteration_s))
        return;
    out->is_same_batch = KEY_OF(&a->plan, train, global_batch_size) == KEY_OF(&b->plan, train, global_batch_size) &&
                         KEY_OF(&a->plan, train, seq_length) == KEY_OF(&b->plan, train, seq_length);
    out->log_time = out->is_same_batch ? log(a->step.iteration_s / b->step.iteration_s)
                                       : log(b->step.tokens_per_s_per_gpu / a->step.tokens_per_s_per_gpu);
    range_time(a, &of_a);
    range_time(b, &of_b);
    for (int i = 0; i < RANGE_COUNT; i++)
        sigma[i] = range_sigmas[i];
    if (isfinite(of_a.sigma) && isfinite(of_b.sigma) && out->log_time != 0)
        out->probability = range_faster(&of_b, &of_a, sigma, out->log_time);
}

/* ---- the values of a key ---------------------------------------------------------------------------------------- */

int plan_diff_values(enum param key)
{
    enum { FEW = 4 };
    const struct param_row *row = &param_rows[key];
    int count = 0;
    if (row->type == TYPE_INT && row->min == 0 && row->max < FEW) /* zero_stage */
        return (int)row->max + 1;
    while (row->type == TYPE_ENUM && row->choices[count])
        count++;
    return row->type == TYPE_BOOL ? 2 : count;
}

void plan_diff_value(const struct plan *plan, const struct estimate *now, enum param key, double value,
                     struct estimate *scratch, struct plan_diff *out)
{
    struct plan changed = *plan;
    param_set(&changed, key, value);
    estimate_plan(&changed, scratch);
    plan_diff(now, scratch, out);
    if (out->to.is_valid)
        waterfall_traffic(now, scratch, &out->traffic);
    else
        out->memory.count = out->time.count = 0;
}
