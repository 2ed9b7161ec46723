#include "core/plan/step.h"

#include "core/estimate/term.h"
#include "core/plan/param.h"
#include "core/plan/rule.h"

#include <math.h>

/*
 * True when `resolved` breaks no rule, faults that `now` has already and that are about other keys apart: so a value
 * of one key can be right while another is still wrong.
 */
static bool is_acceptable(const struct plan *resolved, enum param id, const struct rule_set *now)
{
    struct rule_set broken;
    rule_broken(resolved, &broken);
    return rule_is_elsewhere(&broken, now, id);
}

/* Whether a key is one of those that may be set between plan_resolve_shared() and plan_resolve_layout(). */
static bool is_of_layout(enum param id)
{
    return id == PARAM_parallel_tp || id == PARAM_parallel_pp || id == PARAM_parallel_cp || id == PARAM_parallel_vpp ||
           id == PARAM_parallel_ep || id == PARAM_train_micro_batch_size;
}

int param_step(struct plan *plan, enum param id, int direction)
{
    enum { TRIES = 512 };
    const struct param_row *row = &param_rows[id];
    struct plan resolved, tried, candidate = *plan;
    plan_resolve(plan, &resolved);
    struct rule_set now;
    rule_broken(&resolved, &now);
    double value = resolved.value[id];
    if (isnan(value) || !param_type(id)->step)
        return -1;
    for (int i = 0; i < TRIES; i++) {
        value = param_type(id)->step(row, &resolved, value, direction);
        if (isnan(value) || value == resolved.value[id])
            return -1;
        param_set(&candidate, id, value);
        plan_resolve(&candidate, &tried);
        if (is_acceptable(&tried, id, &now)) {
            *plan = candidate;
            return 0;
        }
    }
    return -1;
}

int param_valid(const struct plan *plan, enum param id, double out[], int max)
{
    enum { SCAN = 1024 };
    const struct param_row *row = &param_rows[id];
    if (!param_type(id)->is_counted)
        return 0;
    struct plan candidate = *plan, resolved, tried;
    plan_resolve(plan, &resolved);
    struct rule_set now;
    rule_broken(&resolved, &now);
    int count = 0;
    double gpus = resolved.value[PARAM_hardware_nodes] * resolved.value[PARAM_hardware_gpus_per_node];
    double last = row->max < SCAN ? row->max : SCAN;
    if (row->group_id == GROUP_parallel && row->type == TYPE_INT && gpus > 0) /* no size of a layout exceeds these */
        last = min(last, gpus + resolved.value[PARAM_model_num_layers]);
    if (is_of_layout(id)) /* then all else is worked out once */
        plan_resolve_shared(plan, &candidate);
    for (double value = row->min; value <= last && count < max; value++) {
        candidate.value[id] = value;
        tried = candidate;
        if (is_of_layout(id))
            plan_resolve_layout(&tried);
        else
            plan_resolve(&candidate, &tried);
        if (is_acceptable(&tried, id, &now))
            out[count++] = value;
    }
    return count;
}

bool param_follows(const struct plan *plan, enum param id, double value)
{
    struct plan with = *plan, resolved;
    param_set(&with, id, value);
    plan_resolve(&with, &resolved);
    return resolved.value[id] != value;
}
