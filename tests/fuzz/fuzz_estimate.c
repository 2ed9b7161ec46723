/* Bytes as values of keys: any plan is estimated without a crash, parts sum, and the quick estimate agrees. */
#include "core/estimate/quick.h"
#include "core/explain/explain.h"
#include "core/plan/param.h"
#include "core/plan/rule.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void set_base(struct plan *plan)
{
    static const struct {
        enum param id;
        double value;
    } base[] = {{PARAM_model_num_layers, 32},
                {PARAM_model_hidden_size, 4096},
                {PARAM_model_num_attention_heads, 32},
                {PARAM_model_vocab_size, 32000},
                {PARAM_train_seq_length, 4096},
                {PARAM_hardware_gpus_per_node, 8},
                {PARAM_hardware_usable_gib, 79},
                {PARAM_hardware_peak_tflops, 989},
                {PARAM_hardware_memory_gb_s, 3350},
                {PARAM_hardware_intra_node_gb_s, 450},
                {PARAM_hardware_inter_node_gb_s, 50},
                {PARAM_hardware_gemm_efficiency, 0.7},
                {PARAM_hardware_attention_efficiency, 0.5},
                {PARAM_hardware_memory_efficiency, 0.8},
                {PARAM_hardware_link_efficiency, 0.7},
                {PARAM_hardware_network_efficiency, 0.7}};
    plan_clear(plan);
    for (size_t i = 0; i < sizeof base / sizeof *base; i++) {
        plan->value[base[i].id] = base[i].value;
        plan->from[base[i].id] = FROM_FILE;
    }
}

/* Three bytes set a key: which, and a value between its limits, small ones more often. */
static void set_key(struct plan *plan, const uint8_t *data)
{
    enum param id = (enum param)((data[0] | (data[1] & 1u) << 8) % PARAM_COUNT);
    const struct param_row *row = &param_rows[id];
    if (row->type == TYPE_NAME || row->type == TYPE_LAYOUT)
        return;
    double value = data[1] < 192   ? row->min + data[2]
                   : data[1] < 224 ? ldexp(1, data[2] % 40)
                   : data[1] < 240 ? row->max
                                   : data[2] / 256.0;
    value = row->type == TYPE_REAL ? value : floor(value);
    plan->value[id] = value < row->min ? row->min : value > row->max ? row->max : value;
    plan->from[id] = FROM_SET;
}

static void open_path(void *context, const char *path)
{
    static struct explanation explanation;
    const struct estimate *estimate = context;
    if (explain_value(estimate, path, &explanation) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct plan plan;
    static struct estimate estimate;
    set_base(&plan);
    for (size_t i = 0; i + 3 <= size && i < 96; i += 3)
        set_key(&plan, data + i);
    estimate_plan(&plan, &estimate);
    if (estimate.stages < 0 || estimate.stages > STAGES_MAX || estimate.diags.count > DIAG_MAX)
        abort();
    for (int i = 0; i < estimate.diags.count; i++)
        if (!finding_text(&estimate.diags.item[i]).text[0])
            abort();
    for (int i = 0; i < estimate.stages; i++) {
        const struct stage *stage = &estimate.stage[i];
        double sum = stage->weights_bytes + stage->gradients_bytes + stage->optimizer_bytes + stage->activations_bytes +
                     stage->transient_bytes + stage->buffers_bytes;
        struct comm rows[COMM_COUNT];
        if (isfinite(sum) && sum != stage->allocated_bytes)
            abort();
        if (estimate.diags.errors == 0 && !(estimate.stage[i].params >= 0))
            abort();
        estimate_comm(&estimate, i, rows);
    }
    if (estimate.diags.errors == 0 && estimate.is_modelled && estimate.stages > 0) {
        static struct quick_cache cache;
        struct quick quick;
        estimate_quick(&estimate.plan, QUICK_PLAYED, &cache, &quick);
        double full = estimate.stage[estimate.peak_stage].device_bytes;
        if (isfinite(full) && fabs(quick.peak_device_bytes - full) > 1e-9 * full)
            abort();
        if (isfinite(estimate.step.iteration_s) &&
            fabs(quick.iteration_s - estimate.step.iteration_s) > 1e-9 * estimate.step.iteration_s)
            abort();
    }
    if (size % 8 == 0 && estimate.stages <= 4)
        explain_paths(&estimate, open_path, &estimate);
    return 0;
}
