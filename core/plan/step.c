#include "core/plan/step.h"

#include "core/estimate/term.h"
#include "core/plan/param.h"
#include "core/plan/rule.h"

#include <math.h>

/*
 * True when `candidate` breaks no rule, faults that `now` has already and that are about other keys apart: so a value
 * of one key can be right while another is still wrong.
 */
static bool is_acceptable(const struct plan *candidate, enum param id, const struct rule_set *now)
{
    struct plan resolved;
    struct rule_set broken;
    plan_resolve(candidate, &resolved);
    rule_broken(&resolved, &broken);
    return rule_is_elsewhere(&broken, now, id);
}

int param_step(struct plan *plan, enum param id, int direction)
{
    enum { TRIES = 512 };
    const struct param_row *row = &param_rows[id];
    struct plan resolved, candidate = *plan;
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
        candidate.value[id] = value;
        candidate.from[id] = FROM_SET;
        if (is_acceptable(&candidate, id, &now)) {
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
    struct plan candidate = *plan, resolved;
    plan_resolve(plan, &resolved);
    struct rule_set now;
    rule_broken(&resolved, &now);
    int count = 0;
    double gpus = resolved.value[PARAM_hardware_nodes] * resolved.value[PARAM_hardware_gpus_per_node];
    double last = row->max < SCAN ? row->max : SCAN;
    if (row->group_id == GROUP_parallel && row->type == TYPE_INT && gpus > 0) /* no size of a layout exceeds these */
        last = min(last, gpus + resolved.value[PARAM_model_num_layers]);
    for (double value = row->min; value <= last && count < max; value++) {
        candidate.value[id] = value;
        if (is_acceptable(&candidate, id, &now))
            out[count++] = value;
    }
    return count;
}
