#include "ui/state/limits.h"

#include "core/show/link.h"

static const enum param keys[LIMITS_MAX] = {PARAM_hardware_peak_tflops, PARAM_hardware_intra_node_gb_s,
                                            PARAM_hardware_memory_gb_s, PARAM_hardware_inter_node_gb_s};

const char *limit_name(const struct ui *ui, int limit)
{
    static const char *const names[LIMITS_MAX] = {"FLOPS", NULL, "HBM", "network"};
    return names[limit] ? names[limit] : link_inside(&ui->shown->plan);
}

void limits_update(struct ui *ui)
{
    const double more = 1.1;
    if (ui->limits.generation == ui->generation || ui->now != ui->shown)
        return;
    ui->limits.generation = ui->generation;
    for (int i = 0; i < LIMITS_MAX; i++) {
        struct plan plan = ui->plan;
        double value = ui->shown->plan.value[keys[i]];
        param_set(&plan, keys[i], more * value);
        if (!isnan(value))
            estimate_plan(&plan, ui->scratch);
        ui->limits.delta_s[i] =
            isnan(value) ? (double)NAN : ui->scratch->step.estimated_s - ui->shown->step.estimated_s;
    }
}

int limits_order(const struct limits *limits, int out[LIMITS_MAX])
{
    int count = 0;
    for (int i = 0; i < LIMITS_MAX; i++) {
        int at = count;
        if (isnan(limits->delta_s[i]))
            continue;
        for (; at > 0 && limits->delta_s[out[at - 1]] > limits->delta_s[i]; at--)
            out[at] = out[at - 1];
        out[at] = i;
        count++;
    }
    return count;
}
