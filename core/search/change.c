#include "core/search/change.h"

#include "core/base.h"
#include "core/plan/framework.h"
#include "core/plan/param.h"
#include "core/plan/rule.h"

#include <math.h>

const char *const change_group_names[CHANGE_GROUPS] = {"layout", "framework", "hardware"};

enum axis_values {
    AXIS_GPUS,    /* what divides the GPUs */
    AXIS_EXPERTS, /* what divides the experts */
    AXIS_ETP,     /* 1 and tp */
    AXIS_BATCH,   /* what divides the sequences of a replica */
    AXIS_WHOLE,   /* whole numbers */
    AXIS_CHOICE,  /* all choices of the key */
    AXIS_SET,     /* the set with one choice more or less */
    AXIS_TENTHS,  /* tenths and twentieths of a share */
    AXIS_DOUBLE   /* twice and half */
};

/* Ties are shown in this order. */
static const struct axis {
    enum param key;
    enum change_group group;
    enum axis_values values;
    int limit; /* largest value */
} axes[] = {
#define ROW(group, key, whose, values, limit) {PARAM_##group##_##key, CHANGE_##whose, AXIS_##values, limit}
    ROW(parallel, tp, LAYOUT, GPUS, 64),
    ROW(parallel, sp, LAYOUT, CHOICE, 1),
    ROW(parallel, pp, LAYOUT, GPUS, 256),
    ROW(parallel, vpp, LAYOUT, WHOLE, 16),
    ROW(parallel, cp, LAYOUT, GPUS, 64),
    ROW(parallel, ep, LAYOUT, EXPERTS, 512),
    ROW(parallel, etp, LAYOUT, ETP, 64),
    ROW(parallel, zero_stage, LAYOUT, CHOICE, 3),
    ROW(parallel, fsdp, LAYOUT, CHOICE, 3),
    ROW(parallel, embedding_counts_as_layer, LAYOUT, CHOICE, 1),
    ROW(parallel, loss_counts_as_layer, LAYOUT, CHOICE, 1),
    ROW(train, micro_batch_size, LAYOUT, BATCH, 16),
    ROW(train, recompute, LAYOUT, CHOICE, 2),
    ROW(train, recompute_modules, LAYOUT, SET, 0),
    ROW(parallel, cp_comm, FRAMEWORK, CHOICE, 2),
    ROW(parallel, moe_dispatcher, FRAMEWORK, CHOICE, 2),
    ROW(parallel, overlap_grad_reduce, FRAMEWORK, CHOICE, 1),
    ROW(parallel, overlap_param_gather, FRAMEWORK, CHOICE, 1),
    ROW(parallel, overlap_tp, FRAMEWORK, CHOICE, 1),
    ROW(parallel, overlap_p2p, FRAMEWORK, CHOICE, 1),
    ROW(parallel, overlap_ep, FRAMEWORK, CHOICE, 1),
    ROW(parallel, overlap_cp, FRAMEWORK, CHOICE, 1),
    ROW(train, cross_entropy, FRAMEWORK, CHOICE, 3),
    ROW(train, dtype, FRAMEWORK, CHOICE, 5),
    ROW(framework, cuda_graph, FRAMEWORK, CHOICE, 2),
    ROW(serve, kv_dtype, LAYOUT, CHOICE, 5),
    ROW(serve, max_num_seqs, LAYOUT, DOUBLE, 4096),
    ROW(serve, max_num_batched_tokens, LAYOUT, DOUBLE, 65536),
    ROW(serve, max_model_len, LAYOUT, DOUBLE, 1048576),
    ROW(serve, memory_share, LAYOUT, TENTHS, 1),
    ROW(serve, enforce_eager, LAYOUT, CHOICE, 1),
    ROW(serve, weight_dtype, FRAMEWORK, CHOICE, WEIGHT_COUNT - 1),
    ROW(serve, engine, FRAMEWORK, CHOICE, ENGINE_COUNT - 1),
    ROW(rl, rollout_share, LAYOUT, TENTHS, 1),
    ROW(rl, rollout_tp, LAYOUT, DOUBLE, 8),
    ROW(rl, sleep_level, LAYOUT, WHOLE, 2),
    ROW(rl, staged_wake, FRAMEWORK, CHOICE, 1),
    ROW(rl, param_offload, LAYOUT, CHOICE, 1),
    ROW(rl, optimizer_offload, LAYOUT, CHOICE, 1),
    ROW(rl, logprob_tokens, LAYOUT, DOUBLE, 1048576),
    ROW(hardware, nodes, HARDWARE, DOUBLE, 1048576),
#undef ROW
};

enum change_group change_group_of(enum param key)
{
    for (size_t i = 0; i < LENGTH(axes); i++)
        if (axes[i].key == key)
            return axes[i].group;
    return key == PARAM_framework_name ? CHANGE_FRAMEWORK : key == PARAM_train_peft ? CHANGE_LAYOUT : CHANGE_HARDWARE;
}

static bool is_inference(const struct plan *plan)
{
    return KEY_OF(plan, plan, workload) == WORKLOAD_INFERENCE;
}

/* Whether a key is about what the plan does: serving, training, or both at once. */
static bool is_about(const struct plan *plan, enum param key)
{
    enum param_group group = param_rows[key].group_id;
    bool is_of_ranks = key == PARAM_parallel_tp || key == PARAM_parallel_pp || key == PARAM_parallel_ep ||
                       key == PARAM_hardware_nodes;
    if (is_inference(plan))
        return group == GROUP_serve || is_of_ranks;
    return group != GROUP_serve && (group != GROUP_rl || KEY_OF(plan, plan, workload) == WORKLOAD_RL);
}

static bool divides(double part, double whole)
{
    return fmod(whole, part) == 0;
}

/* Whether a given dp sets the number of GPUs, maybe less than whole nodes. */
static bool dp_holds_gpus(const struct plan *resolved)
{
    return resolved->from[PARAM_parallel_dp] > FROM_DERIVED && resolved->from[PARAM_hardware_nodes] <= FROM_DERIVED;
}

static double divided_by(const struct axis *axis, const struct plan *plan)
{
    enum { RANKS_MOST = 8 }; /* of a replica that serves, whose GPUs follow */
    switch (axis->values) {
    case AXIS_GPUS:
        if (is_inference(plan))
            return RANKS_MOST;
        if (dp_holds_gpus(plan)) /* of its ranks what the other sizes leave */
            return KEY_OF(plan, parallel, dp) * plan->value[axis->key];
        return KEY_OF(plan, hardware, nodes) * KEY_OF(plan, hardware, gpus_per_node);
    case AXIS_EXPERTS: return KEY_OF(plan, model, num_experts);
    case AXIS_BATCH: return KEY_OF(plan, train, global_batch_size) / KEY_OF(plan, parallel, dp);
    default: return 0;
    }
}

/* Whether no value of the axis can change this plan. */
static bool is_idle(const struct axis *axis, const struct plan *plan)
{
    bool has_experts = KEY_OF(plan, model, num_experts) > 0, has_context = KEY_OF(plan, parallel, cp) > 1,
         has_pipeline = KEY_OF(plan, parallel, pp) > 1;
    switch ((int)axis->key) {
    case PARAM_parallel_sp: return KEY_OF(plan, parallel, tp) == 1;
    case PARAM_parallel_vpp:
    case PARAM_parallel_embedding_counts_as_layer:
    case PARAM_parallel_loss_counts_as_layer:
    case PARAM_parallel_overlap_p2p: return !has_pipeline;
    case PARAM_parallel_ep:
    case PARAM_parallel_etp:
    case PARAM_parallel_moe_dispatcher:
    case PARAM_parallel_overlap_ep: return !has_experts;
    case PARAM_parallel_cp_comm:
    case PARAM_parallel_overlap_cp: return !has_context;
    case PARAM_train_recompute_modules: return KEY_OF(plan, train, recompute) != RECOMPUTE_SELECTIVE;
    default: return false;
    }
}

/* A dtype needs a known rate of the GPU; a given peak_tflops holds for the present dtype alone. */
static bool has_rate(const struct plan *plan, double dtype)
{
    const struct gpu *gpu = &plan->gpu;
    const double rates[DTYPE_COUNT] = {
        [DTYPE_FP32] = gpu->tflops_fp32, [DTYPE_FP16] = gpu->tflops_fp16, [DTYPE_BF16] = gpu->tflops_bf16,
        [DTYPE_FP8] = gpu->tflops_fp8,   [DTYPE_NVFP4] = gpu->tflops_fp4,
        [DTYPE_MXFP8] = isfinite(gpu->tflops_fp4) ? gpu->tflops_fp8 : NAN}; /* scales of blocks came with fp4 */
    return plan->from[PARAM_hardware_peak_tflops] <= FROM_PRESET && isfinite(rates[(int)dtype]);
}

/* Weights in 16 bits may be quantised, and so may the cache; experts are shared by all ranks or by none. */
static bool is_served(const struct plan *plan, enum param key, double value)
{
    double type = KEY_OF(plan, serve, weight_dtype), cache = KEY_OF(plan, serve, kv_dtype);
    switch ((int)key) {
    case PARAM_serve_weight_dtype:
        return (type == WEIGHT_BF16 || type == WEIGHT_FP16) &&
               (value == WEIGHT_W4A16 || (value == WEIGHT_FP8 && isfinite(plan->gpu.tflops_fp8)));
    case PARAM_serve_kv_dtype: return (cache == DTYPE_BF16 || cache == DTYPE_FP16) && value == DTYPE_FP8;
    case PARAM_serve_engine: return value > ENGINE_NONE;
    case PARAM_parallel_ep: return value == 1 || value == KEY_OF(plan, parallel, tp) * KEY_OF(plan, parallel, dp);
    default: return true;
    }
}

static int add(struct change out[CHANGES_MAX], int count, const struct plan *plan, const struct axis *axis,
               double value)
{
    const struct param_row *row = &param_rows[axis->key];
    bool is_new = value != plan->value[axis->key] && value >= row->min && value <= row->max && value <= axis->limit &&
                  (axis->key != PARAM_train_dtype || has_rate(plan, value)) &&
                  (!is_inference(plan) || is_served(plan, axis->key, value));
    for (int i = 0; i < count && is_new; i++)
        is_new = out[i].key != axis->key || out[i].value != value;
    if (is_new && count < CHANGES_MAX)
        out[count++] = (struct change){axis->key, value};
    return count;
}

/* Tensor parallelism spans two NVLink domains at most. */
static double limit_of(const struct axis *axis, const struct plan *plan)
{
    double domains = 2 * KEY_OF(plan, hardware, nvlink_domain);
    return axis->key == PARAM_parallel_tp && domains < axis->limit ? domains : axis->limit;
}

static int add_axis(struct change out[CHANGES_MAX], int count, const struct plan *plan, const struct axis *axis)
{
    double now = plan->value[axis->key], whole = divided_by(axis, plan);
    if (isnan(now) || is_idle(axis, plan) || !is_about(plan, axis->key))
        return count;
    if (axis->values == AXIS_TENTHS) {
        for (int twentieths = 4; twentieths < 20; twentieths++) /* whole tenths, and the last step to 0.95 */
            if (twentieths % 2 == 0 || twentieths == 19)
                count = add(out, count, plan, axis, twentieths / 20.0);
    } else if (axis->values == AXIS_SET) {
        for (int bit = 0; param_rows[axis->key].choices[bit]; bit++) {
            struct axis any = *axis;
            any.limit = 255;
            count = add(out, count, plan, &any, (double)((unsigned)now ^ 1u << bit));
        }
    } else if (axis->values == AXIS_DOUBLE) {
        count = add(out, count, plan, axis, 2 * now);
        bool is_even = divides(2, now) && (!dp_holds_gpus(plan) || divides(2, KEY_OF(plan, parallel, dp)));
        count = is_even ? add(out, count, plan, axis, now / 2) : count;
    } else if (axis->values == AXIS_ETP) {
        count = add(out, count, plan, axis, 1);
        count = add(out, count, plan, axis, KEY_OF(plan, parallel, tp));
    } else {
        for (double value = param_rows[axis->key].min; value <= limit_of(axis, plan) && !(whole > 0 && value > whole);
             value++)
            if (whole == 0 || divides(value, whole))
                count = add(out, count, plan, axis, value);
    }
    return count;
}

int change_list(const struct plan *plan, struct change out[CHANGES_MAX])
{
    int count = 0;
    for (size_t i = 0; i < LENGTH(axes); i++)
        count = add_axis(out, count, plan, &axes[i]);
    return count;
}

int change_list_behind(const struct plan *plan, enum param key, struct change out[CHANGES_MAX])
{
    int count = 0;
    bool is_behind = false;
    for (size_t i = 0; i < LENGTH(axes); i++) {
        if (is_behind && axes[i].group == CHANGE_LAYOUT)
            count = add_axis(out, count, plan, &axes[i]);
        is_behind |= axes[i].key == key;
    }
    return count;
}

/* ---- what saves memory ------------------------------------------------------------------------------------------- */

/* What the changes of a key are: a value, or the plan's own times or divided by a number. */
enum saving { SAVING_VALUE, SAVING_TIMES, SAVING_DIVIDED };

static const struct {
    enum param key;
    enum saving how;
    double value;
    int price;
} savings[] = {
    {PARAM_train_recompute, SAVING_VALUE, RECOMPUTE_SELECTIVE, 0},
    {PARAM_train_recompute, SAVING_VALUE, RECOMPUTE_FULL, 0},
    {PARAM_parallel_zero_stage, SAVING_VALUE, 1, 0},
    {PARAM_parallel_zero_stage, SAVING_VALUE, 3, 0},
    {PARAM_parallel_fsdp, SAVING_VALUE, FSDP_FULL, 0},
    {PARAM_train_micro_batch_size, SAVING_VALUE, 1, 0},
    {PARAM_train_optimizer, SAVING_VALUE, OPTIMIZER_ADAM8BIT, 1},
    {PARAM_train_optimizer, SAVING_VALUE, OPTIMIZER_PAGED_ADAM8BIT, 1},
    {PARAM_train_offload_optimizer, SAVING_VALUE, 1, 1},
    {PARAM_train_offload_activations, SAVING_VALUE, 1, 2},
    {PARAM_train_offload_params, SAVING_VALUE, 1, 3},
    {PARAM_train_peft, SAVING_VALUE, PEFT_QLORA, 1},
    {PARAM_train_quant_dtype, SAVING_VALUE, QUANT_INT8, 1},
    {PARAM_serve_max_num_seqs, SAVING_VALUE, 64, 0},
    {PARAM_serve_enforce_eager, SAVING_VALUE, 1, 1},
    {PARAM_serve_kv_dtype, SAVING_VALUE, DTYPE_FP8, 1},
    {PARAM_serve_weight_dtype, SAVING_VALUE, WEIGHT_FP8, 2},
    {PARAM_serve_weight_dtype, SAVING_VALUE, WEIGHT_W4A16, 2},
    {PARAM_parallel_tp, SAVING_TIMES, 2, 3}, {PARAM_parallel_tp, SAVING_TIMES, 4, 3},
    {PARAM_serve_max_model_len, SAVING_DIVIDED, 2, 4}, {PARAM_serve_max_model_len, SAVING_DIVIDED, 4, 4},
    {PARAM_serve_max_model_len, SAVING_DIVIDED, 8, 4}, {PARAM_serve_max_model_len, SAVING_DIVIDED, 16, 4},
    {PARAM_serve_max_model_len, SAVING_DIVIDED, 32, 4}, {PARAM_hardware_nodes, SAVING_TIMES, 2, 3},
    {PARAM_hardware_nodes, SAVING_TIMES, 4, 3}, {PARAM_hardware_nodes, SAVING_TIMES, 8, 3},
    {PARAM_hardware_gpus_per_node, SAVING_TIMES, 2, 3}, {PARAM_hardware_gpus_per_node, SAVING_TIMES, 4, 3},
    {PARAM_hardware_gpus_per_node, SAVING_TIMES, 8, 3}, {PARAM_train_seq_length, SAVING_DIVIDED, 2, 4},
    {PARAM_train_seq_length, SAVING_DIVIDED, 4, 4}, {PARAM_train_seq_length, SAVING_DIVIDED, 8, 4},
};

int change_price(enum param key)
{
    for (size_t i = 0; i < LENGTH(savings); i++)
        if (savings[i].key == key)
            return savings[i].price;
    return 0;
}

int change_list_saving(const struct plan *plan, struct change out[CHANGES_MAX])
{
    enum { GPUS_MOST = 8 /* of one node */ };
    bool tunes = KEY_OF(plan, train, peft) == PEFT_LORA || KEY_OF(plan, train, peft) == PEFT_DORA;
    int count = 0;
    for (size_t i = 0; i < LENGTH(savings); i++) {
        enum param key = savings[i].key;
        double now = plan->value[key], value = savings[i].value;
        bool is_of_base = key == PARAM_train_peft || key == PARAM_train_quant_dtype;
        value = savings[i].how == SAVING_TIMES ? now * value : savings[i].how == SAVING_DIVIDED ? now / value : value;
        bool is_of_gpus = key == PARAM_hardware_nodes || key == PARAM_hardware_gpus_per_node,
             is_full = key == PARAM_hardware_gpus_per_node && (value > GPUS_MOST || KEY_OF(plan, hardware, nodes) > 1);
        bool is_meant = is_inference(plan) ? !is_of_gpus && is_served(plan, key, value)
                                           : key != PARAM_parallel_tp && !is_full;
        bool is_new = value != now && value >= 1 && value == floor(value) && value <= param_rows[key].max;
        if (is_about(plan, key) && is_meant && is_new && (!is_of_base || tunes))
            out[count++] = (struct change){key, value};
    }
    return count;
}

int change_list_modelled(const struct plan *plan, struct change out[CHANGES_MAX])
{
    static const struct {
        enum param key;
        int values;
    } choices[] = {{PARAM_train_peft, PEFT_COUNT}, {PARAM_framework_name, FRAMEWORK_COUNT}};
    int count = 0;
    for (size_t i = 0; i < LENGTH(choices); i++)
        for (int value = 0; value < choices[i].values; value++)
            if (value != plan->value[choices[i].key])
                out[count++] = (struct change){choices[i].key, value};
    return count;
}

/* Splits layers evenly, removes chunks if there are no stages, and takes the schedule that chunks need. */
static void follow_pipeline(const struct plan *resolved, enum param key, struct plan *out)
{
    double pp = key == PARAM_parallel_pp ? KEY_OF(out, parallel, pp) : KEY_OF(resolved, parallel, pp);
    double vpp = key == PARAM_parallel_vpp ? KEY_OF(out, parallel, vpp) : KEY_OF(resolved, parallel, vpp);
    param_clear(out, PARAM_parallel_pipeline_layout);
    param_set(out, PARAM_parallel_first_stage_layers, 0);
    param_set(out, PARAM_parallel_last_stage_layers, 0);
    if (pp == 1 && vpp > 1)
        param_set(out, PARAM_parallel_vpp, vpp = 1);
    if ((KEY_OF(out, parallel, schedule) == SCHEDULE_INTERLEAVED) != (vpp > 1) || pp == 1)
        param_clear(out, PARAM_parallel_schedule);
}

/*
 * Keeps the number of GPUs. A given dp stands for GPUs, maybe a part of a node: it becomes what the other sizes leave,
 * and more GPUs are more of it.
 */
static void keep_gpus(const struct plan *plan, const struct plan *resolved, const struct change *change,
                      struct plan *out)
{
    enum param key = change->key;
    bool has_dp = KEY_OF(plan, parallel, dp) > 0, has_nodes = resolved->from[PARAM_hardware_nodes] > FROM_DERIVED,
         is_replica = key == PARAM_parallel_tp || key == PARAM_parallel_pp || key == PARAM_parallel_cp,
         is_of_experts = key == PARAM_parallel_ep || key == PARAM_parallel_etp;
    double times = change->value / resolved->value[key];
    if (has_dp ? !is_replica && key != PARAM_hardware_nodes : has_nodes || !(is_replica || is_of_experts))
        return;
    if (has_dp && !has_nodes) {
        param_set(out, PARAM_parallel_dp, KEY_OF(resolved, parallel, dp) * (is_replica ? 1 / times : times));
        return;
    }
    param_set(out, PARAM_hardware_nodes, KEY_OF(resolved, hardware, nodes));
    param_set(out, PARAM_parallel_dp, 0);
}

/* Of a plan that serves, replicas stay as many: GPUs follow from tensor and pipeline parallelism. */
static void make_serving(const struct plan *resolved, const struct change *change, struct plan *out)
{
    enum { NODE = 8 };
    enum param key = change->key;
    double each = KEY_OF(resolved, hardware, gpus_per_node), own = resolved->gpu.gpus_per_node,
           times = change->value / resolved->value[key], gpus = KEY_OF(resolved, hardware, nodes) * each * times,
           node = own > 1 ? own : fmax(NODE, each);
    param_set(out, key, change->value);
    if (key == PARAM_serve_engine)
        param_clear(out, PARAM_serve_engine_version);
    if (key != PARAM_parallel_tp && key != PARAM_parallel_pp)
        return;
    param_clear(out, PARAM_parallel_etp);
    param_set(out, PARAM_hardware_nodes, gpus > node ? ceil(gpus / node) : 1);
    param_set(out, PARAM_hardware_gpus_per_node, gpus > node ? node : gpus);
    if (KEY_OF(resolved, parallel, ep) > 1 && key == PARAM_parallel_tp)
        param_set(out, PARAM_parallel_ep, KEY_OF(resolved, parallel, ep) * times);
}

/* Some frameworks offload only states that are sharded. */
static void follow_offload(const struct plan *resolved, struct plan *out)
{
    struct plan after;
    plan_resolve(out, &after);
    if (KEY_OF(resolved, parallel, zero_stage) == 0 && rule_adds_refusal(&after, resolved))
        param_set(out, PARAM_parallel_zero_stage, 1);
}

void change_make(const struct plan *plan, const struct plan *resolved, const struct change *change, struct plan *out)
{
    *out = *plan;
    if (is_inference(resolved)) {
        make_serving(resolved, change, out);
        return;
    }
    if (isnan(KEY_OF(plan, train, global_batch_size)) || !isnan(KEY_OF(plan, train, gradient_accumulation_steps))) {
        /* it must not follow dp */
        param_set(out, PARAM_train_global_batch_size, KEY_OF(resolved, train, global_batch_size));
        KEY_OF(out, train, gradient_accumulation_steps) = NAN;
    }
    keep_gpus(plan, resolved, change, out);
    if (change->key != PARAM_hardware_nodes || !dp_holds_gpus(resolved)) /* else they follow */
        param_set(out, change->key, change->value);
    if (change->key == PARAM_framework_name)
        param_clear(out, PARAM_framework_version);
    bool has_experts = KEY_OF(resolved, model, num_experts) > 0;
    if (change->key == PARAM_parallel_tp && (change->value == 1 || has_experts))
        param_set(out, PARAM_parallel_sp, change->value > 1);
    if (change->key == PARAM_parallel_pp || change->key == PARAM_parallel_vpp)
        follow_pipeline(resolved, change->key, out);
    if (change->key == PARAM_train_offload_optimizer && change->value > 0)
        follow_offload(resolved, out);
}
