/*
 * core/plan/resolve.c - fills the blanks of a plan: framework defaults, fallbacks, the GPU's figures, derived values.
 */
#include "core/base.h"
#include "core/estimate/constants.h"
#include "core/estimate/rl.h"
#include "core/estimate/varies.h"
#include "core/plan/engine.h"
#include "core/plan/framework.h"
#include "core/plan/frozen.h"
#include "core/plan/kind.h"
#include "core/plan/param.h"

#include <math.h>
#include <string.h>

void plan_clear(struct plan *plan)
{
    memset(plan, 0, sizeof *plan);
    for (int i = 0; i < PARAM_COUNT; i++)
        plan->value[i] = NAN;
    gpu_clear(&plan->gpu);
}

bool plan_equal(const struct plan *a, const struct plan *b)
{
    for (int i = 0; i < PARAM_COUNT; i++)
        if (a->value[i] != b->value[i] && !(isnan(a->value[i]) && isnan(b->value[i])))
            return false;
    return memcmp(a->text, b->text, sizeof a->text) == 0 && memcmp(&a->layout, &b->layout, sizeof a->layout) == 0 &&
           memcmp(&a->pattern, &b->pattern, sizeof a->pattern) == 0;
}

/* Fills key `id` when it is blank and `value` is known. */
static void fill(struct plan *plan, enum param id, double value, enum origin from)
{
    if (isnan(plan->value[id]) && !isnan(value)) {
        plan->value[id] = value;
        plan->from[id] = plan->from[id] == FROM_ASSUMED && from < FROM_PRESET ? FROM_ASSUMED : (uint8_t)from;
    }
}

#define KEY(group, key)           KEY_OF(plan, group, key)
#define DERIVE(group, key, value) fill(plan, PARAM_##group##_##key, value, FROM_DERIVED)
#define PRESET(group, key, value) fill(plan, PARAM_##group##_##key, value, FROM_PRESET)

/* Megatron rounds 8/3 of the hidden size down to a multiple of 64 (arguments.py); ungated blocks take 4 x. */
static double default_ffn(double hidden, bool is_gated)
{
    return is_gated ? floor(hidden * 8 / 3 / 64) * 64 : 4 * hidden;
}

/*
 * What training starts from when nobody says how long its sequences are: pretraining runs of 2024 and later begin with
 * 4,096 to 8,192 tokens, whatever lengths the model is stretched to afterwards (Llama 3 paper section 3.4, DeepSeek-V3
 * 4.3).
 */
static double default_seq_length(double positions)
{
    enum { PRETRAINING_TOKENS = 8192 };
    return positions > PRETRAINING_TOKENS ? PRETRAINING_TOKENS : positions;
}

static void derive_model(struct plan *plan)
{
    if (KEY(plan, workload) == WORKLOAD_INFERENCE) /* training's length plays no part */
        DERIVE(train, seq_length, KEY(serve, prompt_tokens));
    if (KEY(plan, workload) == WORKLOAD_RL)
        DERIVE(train, seq_length, KEY(rl, max_prompt) + KEY(rl, max_answer));
    if (plan->pattern.layers > 0)
        DERIVE(model, num_layers, plan->pattern.layers);
    if (pattern_is_halves(&plan->pattern) && KEY(model, norms_per_layer) == 1)
        KEY(model, norms_per_layer) = 2; /* of a mixer with its block, each of which has its own */
    DERIVE(model, ffn_hidden_size, default_ffn(KEY(model, hidden_size), KEY(model, gated_mlp) > 0));
    DERIVE(model, num_query_groups, KEY(model, num_attention_heads));
    DERIVE(model, kv_channels, KEY(model, hidden_size) / KEY(model, num_attention_heads));
    DERIVE(train, seq_length, default_seq_length(KEY(model, max_position_embeddings)));
    DERIVE(model, max_position_embeddings, KEY(train, seq_length));
    DERIVE(model, add_qkv_bias, KEY(model, add_bias_linear));
    DERIVE(model, add_mlp_bias, KEY(model, add_bias_linear));
    DERIVE(model, moe_ffn_hidden_size, KEY(model, ffn_hidden_size));
}

/*
 * What a generation of attention kernels, in the order of enum attention_kernel, reaches of the best one on the device.
 */
static double kernel_share(const struct plan *plan)
{
    static const double hopper[] = {hopper_triton, hopper_fa1, hopper_fa2, 1, 1},
                        older[] = {ampere_triton, ampere_fa1, 1, 1, 1};
    enum attention_kernel kernel = (enum attention_kernel)KEY(train, attention_kernel);
    return plan->gpu.compute_capability >= 9 ? hopper[kernel] : older[kernel];
}

/* The dense peak of the compute type; an fp16-only device computes bf16 plans at an unknown rate. */
static double peak_of(const struct gpu *gpu, enum dtype dtype)
{
    const double peaks[DTYPE_COUNT] = {
        [DTYPE_FP32] = gpu->tflops_fp32, [DTYPE_FP16] = gpu->tflops_fp16,  [DTYPE_BF16] = gpu->tflops_bf16,
        [DTYPE_FP8] = gpu->tflops_fp8,   [DTYPE_MXFP8] = gpu->tflops_fp8, [DTYPE_NVFP4] = gpu->tflops_fp4,
    };
    return peaks[dtype];
}

/* What large products reach of that peak; in 4 bits, which nobody measured, after the 8-bit figure. */
static double efficiency_of(const struct gpu *gpu, enum dtype dtype)
{
    return dtype == DTYPE_NVFP4  ? fp4_rate * gpu->gemm_fp8_efficiency
           : dtype >= DTYPE_FP8 ? gpu->gemm_fp8_efficiency
                                : gpu->gemm_efficiency;
}

/* What a GPU's file leaves out and a rule can stand in for; range.def widens what follows from it. */
static void derive_device(struct plan *plan)
{
    DERIVE(hardware, usable_gib, usable_share * KEY(hardware, memory_gib));
    if (isfinite(plan->gpu.memory_gib)) /* a device is known */
        DERIVE(hardware, gpus_per_node, node_default);
    DERIVE(hardware, gemm_efficiency, gemm_default);
    DERIVE(hardware, attention_efficiency, attention_default * kernel_share(plan));
    DERIVE(hardware, memory_efficiency, memory_default);
    DERIVE(hardware, link_efficiency, link_default);
    DERIVE(hardware, network_efficiency, network_default);
}

static void take_from_gpu(struct plan *plan)
{
    const struct gpu *gpu = &plan->gpu;
    const double slower = KEY(hardware, time_factor), slower_links = KEY(hardware, network_factor);
    enum dtype dtype = (enum dtype)KEY(train, dtype);
    PRESET(hardware, memory_gib, gpu->memory_gib);
    if (KEY(hardware, memory_gib) == gpu->memory_gib) /* another size has its share by rule */
        PRESET(hardware, usable_gib, gpu->usable_gib);
    PRESET(hardware, peak_tflops, peak_of(gpu, dtype));
    PRESET(hardware, memory_gb_s, gpu->memory_gb_s);
    PRESET(hardware, gpus_per_node, gpu->gpus_per_node);
    PRESET(hardware, intra_node_gb_s, gpu->intra_node_gb_s);
    PRESET(hardware, inter_node_gb_s, gpu->inter_node_gb_s);
    PRESET(hardware, host_gb_s, gpu->host_gb_s);
    PRESET(hardware, gemm_efficiency, efficiency_of(gpu, dtype) / slower);
    PRESET(hardware, attention_efficiency, gpu->attention_efficiency * kernel_share(plan) / slower);
    PRESET(hardware, memory_efficiency, gpu->memory_efficiency / slower);
    PRESET(hardware, link_efficiency, gpu->link_efficiency / slower_links);
    PRESET(hardware, network_efficiency,
           gpu->network_efficiency * fabric_facts[(int)KEY(hardware, fabric)].rate / slower_links);
    derive_device(plan);
    PRESET(hardware, watts, gpu->watts);
    PRESET(hardware, price_per_gpu_hour, gpu->price_per_gpu_hour);
    bool has_racks = gpu->nvlink_domain > gpu->gpus_per_node; /* domains of several nodes */
    DERIVE(hardware, nvlink_domain, max(has_racks ? gpu->nvlink_domain : 1, KEY(hardware, gpus_per_node)));
}

static double gcd(double a, double b)
{
    while (b >= 1) {
        double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return a;
}

/* The fewest ranks that hold every group: whole replicas, and with experts whole ep x etp x pp. */
static double fewest_ranks(const struct plan *plan)
{
    double replica = KEY(parallel, tp) * KEY(parallel, pp) * KEY(parallel, cp);
    double experts = KEY(model, num_experts) > 0 ? KEY(parallel, ep) * KEY(parallel, etp) * KEY(parallel, pp) : 1;
    return replica / gcd(replica, experts) * experts;
}

/* True if the number of nodes was given or already derived; a default of 1 is a placeholder. */
static bool has_nodes(const struct plan *plan)
{
    return plan->from[PARAM_hardware_nodes] > FROM_ASSUMED || KEY(hardware, nodes) > 1;
}

/* Nodes that nobody gave: the fewest whole ones that hold the layout. One is a default, more are derived. */
static void derive_nodes(struct plan *plan)
{
    double per_node = KEY(hardware, gpus_per_node), nodes = ceil(fewest_ranks(plan) / per_node);
    uint8_t *from = &plan->from[PARAM_hardware_nodes];
    if (has_nodes(plan) || KEY(parallel, dp) > 0 || !(nodes > 1 && nodes <= param_rows[PARAM_hardware_nodes].max))
        return;
    KEY(hardware, nodes) = nodes;
    *from = *from == FROM_ASSUMED ? FROM_ASSUMED : FROM_DERIVED;
}

/* GPUs of one node if none are given: the most that divide the batch if a whole node's do not. */
static void derive_gpus(struct plan *plan)
{
    double fewest = fewest_ranks(plan), replica = KEY(parallel, tp) * KEY(parallel, pp) * KEY(parallel, cp);
    double batches = KEY(train, global_batch_size) / KEY(train, micro_batch_size), all = KEY(hardware, gpus_per_node);
    bool is_counted = has_nodes(plan) || KEY(parallel, dp) > 0 ||
                      plan->from[PARAM_hardware_gpus_per_node] != FROM_PRESET;
    if (is_counted || !(batches >= 1) || !(fewest >= 1) || fmod(all, fewest) != 0)
        return;
    for (double gpus = all; gpus >= fewest; gpus -= fewest)
        if (fmod(batches, gpus / replica) == 0) {
            KEY(hardware, gpus_per_node) = gpus;
            plan->from[PARAM_hardware_gpus_per_node] = gpus == all ? FROM_PRESET : FROM_DERIVED;
            return;
        }
}

/*
 * Ranks that share an expert: tp, and of servers what ep leaves of all ranks whose experts belong together, those of
 * every rank of data-parallel attention (vLLM docs/serving/data_parallel_deployment.md; SGLang, TensorRT-LLM:
 * moe_tp = tp / ep).
 */
static double expert_ranks(const struct plan *plan)
{
    bool serves = KEY(serve, engine) > ENGINE_NONE && KEY(plan, workload) == WORKLOAD_INFERENCE;
    bool is_apart = serves && KEY(serve, attention_dp) > 0 && KEY(model, num_experts) > 0;
    double ranks = KEY(parallel, tp) * (is_apart ? fmax(1, KEY(parallel, dp)) : 1), ep = KEY(parallel, ep);
    return !serves || !(ep > 1) ? ranks : fmod(ranks, ep) == 0 ? ranks / ep : 1;
}

/* dp 0: what the GPUs leave after tp, pp and cp; a given dp fixes the number of nodes instead. */
static void derive_layout(struct plan *plan)
{
    DERIVE(parallel, etp, expert_ranks(plan));
    derive_nodes(plan);
    derive_gpus(plan);
    double per_replica = KEY(parallel, tp) * KEY(parallel, pp) * KEY(parallel, cp);
    double *dp = &KEY(parallel, dp);
    if (*dp == 0) {
        *dp = floor(KEY(hardware, nodes) * KEY(hardware, gpus_per_node) / per_replica);
        *dp = max(*dp, 1);
        plan->from[PARAM_parallel_dp] = FROM_DERIVED;
    } else if (plan->from[PARAM_hardware_nodes] <= FROM_DERIVED && KEY(hardware, gpus_per_node) > 0) {
        double world = per_replica * *dp;
        KEY(hardware, gpus_per_node) = min(KEY(hardware, gpus_per_node), world);
        KEY(hardware, nodes) = ceil(world / KEY(hardware, gpus_per_node));
        plan->from[PARAM_hardware_nodes] = FROM_DERIVED;
    }
    DERIVE(parallel, schedule, KEY(parallel, vpp) > 1 ? SCHEDULE_INTERLEAVED : SCHEDULE_1F1B);
    double replicas = *dp * KEY(train, micro_batch_size);
    DERIVE(train, global_batch_size, replicas * KEY(train, gradient_accumulation_steps));
    DERIVE(train, global_batch_size, replicas * KEY(parallel, pp));
    DERIVE(train, gradient_accumulation_steps, KEY(train, global_batch_size) / replicas);
}

/* What a method of fine-tuning means. */
static void derive_tuning(struct plan *plan)
{
    enum peft peft = (enum peft)KEY(train, peft);
    DERIVE(train, lora_alpha, 2 * KEY(train, lora_rank));
    DERIVE(train, frozen, peft == PEFT_NONE ? FROZEN_NONE : FROZEN_BASE);
    KEY(train, frozen) = frozen_of_model(KEY(train, frozen), KEY(model, num_layers));
    DERIVE(train, quant_dtype, peft == PEFT_QLORA ? QUANT_NF4 : QUANT_NONE);
    DERIVE(train, quant_blocksize, KEY(train, quant_dtype) >= QUANT_GPTQ4 ? gptq_block : bnb_block);
    DERIVE(train, norm_dtype, KEY(train, upcast) > UPCAST_NONE || KEY(train, dtype) == DTYPE_FP32 ? DTYPE_FP32
                              : KEY(train, dtype) == DTYPE_FP16                                   ? DTYPE_FP16
                                                                                                  : DTYPE_BF16);
}

/* What no framework says about fine-tuning. */
static void finish_tuning(struct plan *plan)
{
    fill(plan, PARAM_train_lora_targets, 1 << TARGET_ALL, FROM_DEFAULT);
    fill(plan, PARAM_train_galore_rank, galore_rank, FROM_DEFAULT);
    fill(plan, PARAM_train_lora_dtype, DTYPE_BF16, FROM_DEFAULT);
    fill(plan, PARAM_train_mixed_precision, MIXED_MASTER, FROM_DEFAULT);
    fill(plan, PARAM_train_double_quant, 0, FROM_DEFAULT);
    fill(plan, PARAM_train_checkpoint_reentrant, 0, FROM_DEFAULT);
    fill(plan, PARAM_framework_loss, PATH_HF, FROM_DEFAULT);
    DERIVE(train, quant_storage,
           KEY(parallel, fsdp) == FSDP_NONE ? STORAGE_UINT8 : min(KEY(train, dtype), STORAGE_BF16));
}

/* Fills the keys whose default follows other keys. */
static void take_late(struct plan *plan, enum framework_id framework)
{
#define FRAMEWORK(id, ...) if (framework == FRAMEWORK_##id) {
#define VERSION(id, ...) FRAMEWORK(id)
#define LATE(group, key, value) fill(plan, PARAM_##group##_##key, (value), FROM_DEFAULT);
#define GPU(field) plan->gpu.field
#define DONE }
#include "core/plan/framework.def"
#undef GPU
}

static void take_defaults(struct plan *plan, enum framework_id framework)
{
    for (int i = 0; frameworks[framework].fallback[i].param != PARAM_COUNT; i++)
        fill(plan, frameworks[framework].fallback[i].param, frameworks[framework].fallback[i].value, FROM_DEFAULT);
}

/* The default of devices without bf16 (compute capability below 8, as T4 and V100) is fp16. */
static void replace_bf16(struct plan *plan)
{
    double cc = plan->gpu.compute_capability;
    if (cc > 0 && cc < 8 && KEY(train, dtype) == DTYPE_BF16 && plan->from[PARAM_train_dtype] <= FROM_DEFAULT) {
        KEY(train, dtype) = DTYPE_FP16;
        plan->from[PARAM_train_dtype] = FROM_DERIVED;
    }
}

/* Fills every key that has a fallback, all by the same steps, which compilers then do for several keys at a time. */
static void take_fallbacks(struct plan *plan)
{
#define NONE NAN
#define ROW(group, key, type, min, max, value, ...) value,
    static const double fallback[PLAN_KEYS_MAX] = {
#include "core/plan/param.def"
    };
#undef ROW
#undef NONE
    for (int i = 0; i < PLAN_KEYS_MAX; i++) {
        uint8_t is_taken = isnan(plan->value[i]) & !isnan(fallback[i]) & (plan->from[i] != FROM_ASSUMED);
        plan->from[i] = is_taken ? FROM_DEFAULT : plan->from[i];
    }
    for (int i = 0; i < PLAN_KEYS_MAX; i++)
        plan->value[i] = isnan(plan->value[i]) ? fallback[i] : plan->value[i];
}

void plan_resolve_shared(const struct plan *in, struct plan *plan)
{
    *plan = *in;
    fill(plan, PARAM_framework_name, param_rows[PARAM_framework_name].fallback, FROM_DEFAULT);
    enum framework_id framework = framework_dated((enum framework_id)KEY(framework, name), plan->text[TEXT_VERSION]);
    KEY(framework, name) = framework;
    take_defaults(plan, framework);
    take_defaults(plan, frameworks[framework].of);
    if (!isnan(KEY(parallel, sp))) /* where tp_mode counts, its reduce-scatter is sequence parallelism */
        DERIVE(framework, tp_mode, KEY(parallel, sp));
    take_fallbacks(plan);
    replace_bf16(plan);
    derive_model(plan);
    derive_tuning(plan);
    DERIVE(train, exp_avg_dtype, KEY(train, optimizer_dtype));
    DERIVE(train, exp_avg_sq_dtype, KEY(train, optimizer_dtype));
    /* where the framework does not say: TE picks cuDNN on Hopper and later */
    DERIVE(train, attention_kernel, plan->gpu.compute_capability >= 9 ? KERNEL_CUDNN : KERNEL_FA2);
    take_from_gpu(plan);
}

/* What follows from the layout by the framework's rows, and from nothing else. */
static void finish_layout(struct plan *plan)
{
    enum framework_id framework = (enum framework_id)KEY(framework, name);
    take_late(plan, framework);
    take_late(plan, frameworks[framework].of);
    finish_tuning(plan);
    fill(plan, PARAM_train_recompute_modules, 1 << MODULE_CORE_ATTN, FROM_DEFAULT);
}

void plan_resolve_layout(struct plan *plan)
{
    derive_layout(plan);
    engine_resolve(plan);
    if (KEY(plan, workload) == WORKLOAD_RL)
        rl_resolve(plan);
    finish_layout(plan);
}

void plan_resolve_states(const struct plan *prepared, struct plan *plan)
{
#define KEY_(group, key) PARAM_##group##_##key,
    static const enum param keys[] = {PARAM_train_recompute, PARAM_train_recompute_num_layers, SHARDED_KEYS(KEY_)};
#undef KEY_
    for (size_t i = 0; i < LENGTH(keys); i++) {
        plan->value[keys[i]] = prepared->value[keys[i]];
        plan->from[keys[i]] = prepared->from[keys[i]];
    }
    finish_layout(plan);
}

void plan_resolve(const struct plan *in, struct plan *plan)
{
    plan_resolve_shared(in, plan);
    plan_resolve_layout(plan);
}
