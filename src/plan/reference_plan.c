#include "src/plan/reference_plan.h"

#include "core/estimate/estimate.h"
#include "core/estimate/term.h"
#include "core/plan/engine.h"
#include "core/plan/param.h"
#include "src/text/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- from a plan ------------------------------------------------------------------------------------------------ */

/* How an input follows from a plan value. */
enum how {
    COPY,     /* the value; it must be known */
    MAYBE,    /* the value, or null when it is not known */
    ABOVE,    /* the value when it is above `k`, else null */
    IS,       /* true when it is `k` */
    IS_NOT,   /* true when it is something else */
    AT_LEAST, /* true when it is `k` or more */
};

/* One input of an estimator and the plan key that means the same. */
struct plan_map {
    const char *input; /* without "inputs." */
    enum param key;
    enum how how;
    double k;
};

#define ID(group, name) PARAM_##group##_##name

static const struct plan_map tool_map[] = {
    {"--num-layers", ID(model, num_layers), COPY, 0},
    {"--hidden-size", ID(model, hidden_size), COPY, 0},
    {"--num-attention-heads", ID(model, num_attention_heads), MAYBE, 0},
    {"--seq-length", ID(train, seq_length), COPY, 0},
    {"--max-position-embeddings", ID(model, max_position_embeddings), MAYBE, 0},
    {"--vocab-entries", ID(model, vocab_size), COPY, 0},
    {"--make_vocab_size_divisible_by", ID(model, make_vocab_size_divisible_by), COPY, 0},
    {"--micro-batch-size", ID(train, micro_batch_size), COPY, 0},
    {"--global-batch-size", ID(train, global_batch_size), COPY, 0},
    {"--tensor-model-parallel-size", ID(parallel, tp), COPY, 0},
    {"--pipeline-model-parallel-size", ID(parallel, pp), COPY, 0},
    {"--nproc_per_node", ID(hardware, gpus_per_node), COPY, 0},
    {"--nnodes", ID(hardware, nodes), COPY, 0},
    {"--bf16", ID(train, dtype), IS, DTYPE_BF16},
    {"--fp16", ID(train, dtype), IS, DTYPE_FP16},
    {"--use-flash-attn", ID(train, attention), IS, ATTENTION_FLASH},
    {"--use-distributed-optimizer", ID(parallel, zero_stage), AT_LEAST, 1},
    {"--swiglu", ID(model, gated_mlp), AT_LEAST, 1},
};

static const struct plan_map report_map[] = {
    {"num_layers", ID(model, num_layers), COPY, 0},
    {"hidden_size", ID(model, hidden_size), COPY, 0},
    {"ffn_hidden_size", ID(model, ffn_hidden_size), COPY, 0},
    {"num_attention_heads", ID(model, num_attention_heads), COPY, 0},
    {"kv_channels", ID(model, kv_channels), COPY, 0},
    {"num_query_groups", ID(model, num_query_groups), COPY, 0},
    {"seq_length", ID(train, seq_length), COPY, 0},
    {"micro_batch_size", ID(train, micro_batch_size), COPY, 0},
    {"vocab_size", ID(model, vocab_size), COPY, 0},
    {"make_vocab_size_divisible_by", ID(model, make_vocab_size_divisible_by), COPY, 0},
    {"untie_embeddings_and_output_weights", ID(model, tied_embeddings), IS, 0},
    {"swiglu", ID(model, gated_mlp), AT_LEAST, 1},
    {"add_bias_linear", ID(model, add_bias_linear), AT_LEAST, 1},
    {"num_experts", ID(model, num_experts), ABOVE, 0},
    {"moe_ffn_hidden_size", ID(model, moe_ffn_hidden_size), MAYBE, 0},
    {"moe_layer_freq", ID(model, moe_layer_freq), COPY, 0},
    {"moe_router_topk", ID(model, moe_router_topk), MAYBE, 0},
    {"moe_shared_expert_intermediate_size", ID(model, moe_shared_ffn_hidden_size), ABOVE, 0},
    {"moe_shared_expert_gate", ID(model, moe_shared_expert_gate), AT_LEAST, 1},
    {"multi_latent_attention", ID(model, multi_latent_attention), AT_LEAST, 1},
    {"q_lora_rank", ID(model, q_lora_rank), ABOVE, 0},
    {"kv_lora_rank", ID(model, kv_lora_rank), MAYBE, 0},
    {"qk_head_dim", ID(model, qk_head_dim), MAYBE, 0},
    {"qk_pos_emb_head_dim", ID(model, qk_pos_emb_head_dim), MAYBE, 0},
    {"v_head_dim", ID(model, v_head_dim), MAYBE, 0},
    {"mtp_num_layers", ID(model, mtp_num_layers), ABOVE, 0},
    {"tensor_model_parallel_size", ID(parallel, tp), COPY, 0},
    {"pipeline_model_parallel_size", ID(parallel, pp), COPY, 0},
    {"virtual_pipeline_model_parallel_size", ID(parallel, vpp), ABOVE, 1},
    {"context_parallel_size", ID(parallel, cp), COPY, 0},
    {"expert_model_parallel_size", ID(parallel, ep), COPY, 0},
    {"expert_tensor_parallel_size", ID(parallel, etp), COPY, 0},
    {"data_parallel_size", ID(parallel, dp), COPY, 0},
    {"use_distributed_optimizer", ID(parallel, zero_stage), AT_LEAST, 1},
    {"sequence_parallel", ID(parallel, sp), AT_LEAST, 1},
};

/* Of a model and a device, for both functions of llm-analysis. */
#define LLM_MAP                                                                                                       \
    {"model_config.num_layers", ID(model, num_layers), COPY, 0},                                                     \
    {"model_config.n_head", ID(model, num_attention_heads), COPY, 0},                                                \
    {"model_config.hidden_dim", ID(model, hidden_size), COPY, 0},                                                    \
    {"model_config.vocab_size", ID(model, vocab_size), COPY, 0},                                                     \
    {"model_config.max_seq_len", ID(model, max_position_embeddings), MAYBE, 0},                                      \
    {"model_config.num_key_value_heads", ID(model, num_query_groups), COPY, 0},                                      \
    {"model_config.ffn_embed_dim", ID(model, ffn_hidden_size), COPY, 0},                                             \
    {"gpu_config.mem_per_GPU_in_GB", ID(hardware, memory_gib), COPY, 0},                                             \
    {"gpu_config.hbm_bandwidth_in_GB_per_sec", ID(hardware, memory_gb_s), COPY, 0},                                  \
    {"gpu_config.intra_node_bandwidth_in_GB_per_sec", ID(hardware, intra_node_gb_s), COPY, 0},                       \
    {"gpu_config.inter_node_bandwidth_in_GB_per_sec", ID(hardware, inter_node_gb_s), MAYBE, 0},                      \
    {"flops_efficiency", ID(hardware, gemm_efficiency), MAYBE, 0},                                                   \
    {"hbm_memory_efficiency", ID(hardware, memory_efficiency), MAYBE, 0},                                            \
    {"ds_zero", ID(parallel, zero_stage), COPY, 0},                                                                  \
    {"dp_size", ID(parallel, dp), COPY, 0},                                                                          \
    {"tp_size", ID(parallel, tp), COPY, 0},                                                                          \
    {"pp_size", ID(parallel, pp), COPY, 0}

static const struct plan_map train_map[] = {
    LLM_MAP,
    {"batch_size_per_gpu", ID(train, micro_batch_size), COPY, 0},
    {"global_batch_size", ID(train, global_batch_size), COPY, 0},
    {"seq_len", ID(train, seq_length), COPY, 0},
    {"total_num_tokens", ID(train, total_tokens), MAYBE, 0},
    {"activation_recomputation", ID(train, recompute), COPY, 0},
    {"ep_size", ID(parallel, ep), COPY, 0},
    {"flash_attn", ID(train, attention), IS, ATTENTION_FLASH},
    {"softmax_dropout", ID(model, attention_dropout), IS_NOT, 0},
    {"mlp_gated_linear_units", ID(model, gated_mlp), AT_LEAST, 1},
    {"num_gpus_per_node", ID(hardware, gpus_per_node), COPY, 0},
    {"mlp_activation_quant_bits", ID(train, mlp_activation_quant_bits), MAYBE, 0},
    {"mlp_1linear_quant_bits", ID(train, mlp_1linear_quant_bits), MAYBE, 0},
    {"mlp_gelu_input_quant_bits", ID(train, mlp_gelu_input_quant_bits), MAYBE, 0},
    {"mlp_2linear_quant_bits", ID(train, mlp_2linear_quant_bits), MAYBE, 0},
    {"mlp_recompute_gelu", ID(train, mlp_recompute_gelu), AT_LEAST, 1},
};

static const struct plan_map infer_map[] = {
    LLM_MAP,
    {"batch_size_per_gpu", ID(serve, batch_size), COPY, 0},
    {"seq_len", ID(serve, prompt_tokens), COPY, 0},
    {"num_tokens_to_generate", ID(serve, generate_tokens), COPY, 0},
    {"cost_per_gpu_hour", ID(hardware, price_per_gpu_hour), MAYBE, 0},
};

static const struct plan_map deepspeed_map[] = {
    {"gpus_per_node", ID(hardware, gpus_per_node), COPY, 0},
    {"nodes", ID(hardware, nodes), COPY, 0},
    {"offload_optimizer", ID(train, offload_optimizer), IS_NOT, 0},
};

static double mapped(const struct plan_map *map, double value)
{
    switch (map->how) {
    case COPY:
    case MAYBE:
        return value;
    case ABOVE:
        return value > map->k ? value : NAN;
    case IS:
        return value == map->k;
    case IS_NOT:
        return value != map->k;
    default:
        return value >= map->k;
    }
}

static void set_number(const struct reference_function *f, struct reference_inputs *out, const char *input,
                       double value)
{
    char path[REFERENCE_NAME_MAX];
    snprintf(path, sizeof path, "%s%s", strchr(input, '.') ? "" : "inputs.", input);
    int row = reference_member_find(f->inputs, f->input_count, 0, path, strlen(path));
    if (row >= 0) /* a list is set by its number */
        *(double *)((char *)&out->of + f->inputs[row].offset) = value;
}

static int apply_map(const struct plan *plan, const struct plan_map *map, size_t count, struct reference_inputs *out,
                     char *why)
{
    const struct reference_function *f = reference_functions[out->fn];
    for (size_t i = 0; i < count; i++) {
        double value = plan->value[map[i].key];
        if (isnan(value) && map[i].how == COPY) {
            snprintf(why, REFERENCE_WHY_MAX, "%s is unknown; %s needs it", param_rows[map[i].key].dotted,
                     reference_rows[f->estimator].name);
            return -1;
        }
        set_number(f, out, map[i].input, mapped(&map[i], value));
    }
    return 0;
}
#define APPLY(plan, map, out, why) apply_map(plan, map, sizeof(map) / sizeof *(map), out, why)

static double value_of(const struct plan *plan, enum param key)
{
    return plan->value[key];
}

static int tool_from_plan(const struct plan *plan, struct reference_inputs *out, char *why)
{
    reference_defaults(REFERENCE_TOOL_ANALYZE, out);
    return APPLY(plan, tool_map, out, why);
}

static int report_from_plan(const struct plan *plan, struct reference_inputs *out, char *why)
{
    struct report_inputs *i = &out->of.report;
    reference_defaults(REFERENCE_REPORT_REPORT, out);
    if (APPLY(plan, report_map, out, why) != 0)
        return -1;
    double first = value_of(plan, ID(model, moe_first_dense)), every = max(i->moe_layer_freq.scalar, 1),
           L = i->num_layers;
    if (i->num_experts > 0 && first > 0) /* a list: dense layers first */
        i->moe_layer_freq = (struct reference_list){NAN, L, ceil(max(L - first, 0) / every),
                                                    L > first && fmod(L - 1 - first, every) == 0};
    i->is_gqa = !(i->is_mla > 0) && i->num_query_groups != i->num_attention_heads;
    i->world_size = value_of(plan, ID(parallel, tp)) * value_of(plan, ID(parallel, pp)) *
                    value_of(plan, ID(parallel, cp)) * value_of(plan, ID(parallel, dp));
    i->num_microbatches = floor(value_of(plan, ID(train, global_batch_size)) /
                                (i->micro_batch_size * i->data_parallel_size));
    strcpy(i->normalization.text, value_of(plan, ID(model, normalization)) == NORM_RMSNORM ? "RMSNorm" : "LayerNorm");
    static const char *const granularity[] = {"", "selective", "full"};
    strcpy(i->recompute_granularity.text, granularity[(int)value_of(plan, ID(train, recompute))]);
    return 0;
}

_Static_assert((int)WEIGHT_NVFP4 == (int)DTYPE_NVFP4, "each compute type is a type of served weights");

static int llm_from_plan(const struct plan *plan, struct reference_inputs *out, char *why)
{
    bool is_serving = value_of(plan, ID(plan, workload)) == WORKLOAD_INFERENCE;
    struct llm_inputs *i = &out->of.llm;
    const struct gpu *gpu = &plan->gpu;
    reference_defaults(is_serving ? REFERENCE_LLM_INFER : REFERENCE_LLM_TRAIN, out);
    if ((is_serving ? APPLY(plan, infer_map, out, why) : APPLY(plan, train_map, out, why)) != 0)
        return -1;
    double bits = 8 * weight_facts(value_of(plan, is_serving ? ID(serve, weight_dtype) : ID(train, dtype))).value;
    if (bits > 16) {
        snprintf(why, REFERENCE_WHY_MAX, "%s is fp32; llm-analysis supports 16, 8 and 4 bits",
                 is_serving ? "serve.weight_dtype" : "train.dtype");
        return -1;
    }
    i->dtype = (struct llm_dtype){NULL, bits, bits, 16};
    i->gpu.fp16_tflops = isnan(gpu->tflops_bf16) ? value_of(plan, ID(hardware, peak_tflops)) : gpu->tflops_bf16;
    i->gpu.intra_node_latency_s = 8e-6; /* of every device that it ships */
    i->model.expansion_ratio = i->model.ffn_embed_dim / i->model.hidden_dim;
    i->sp_size = value_of(plan, ID(parallel, sp)) > 0 ? i->tp_size : 1;
    if (value_of(plan, ID(model, num_experts)) > 0) {
        i->model.moe_num_experts = value_of(plan, ID(model, num_experts));
        i->model.moe_top_k = value_of(plan, ID(model, moe_router_topk));
        i->model.ffn_embed_dim = value_of(plan, ID(model, moe_ffn_hidden_size));
        i->model.expansion_ratio = i->model.ffn_embed_dim / i->model.hidden_dim;
    }
    if (is_serving)
        i->kv_cache_dtype_bytes = weight_facts(value_of(plan, ID(serve, kv_dtype))).value;
    if (value_of(plan, ID(parallel, fsdp)) == FSDP_FULL)
        i->ds_zero = 3;
    return 0;
}

/* Parameters as they are counted for the model, and the largest single tensor, which is what the function asks for. */
static void count_for_deepspeed(const struct plan *plan, struct deepspeed_inputs *i)
{
    struct estimate *estimate = xmalloc(sizeof *estimate);
    double h = value_of(plan, ID(model, hidden_size));
    estimate_plan(plan, estimate);
    i->total_params = estimate->totals.unpadded;
    i->largest_layer_params = h *
                              max(value_of(plan, ID(model, vocab_size)), value_of(plan, ID(model, ffn_hidden_size)));
    free(estimate);
}

static int deepspeed_from_plan(const struct plan *plan, struct reference_inputs *out, char *why)
{
    double stage = value_of(plan, ID(parallel, zero_stage));
    bool is_full = value_of(plan, ID(parallel, fsdp)) == FSDP_FULL || stage == 3;
    if (!is_full && stage != 2) {
        snprintf(why, REFERENCE_WHY_MAX, "parallel.zero_stage is %g; DeepSpeed's functions support ZeRO-2 and ZeRO-3",
                 stage);
        return -1;
    }
    reference_defaults(is_full ? REFERENCE_ZERO3 : REFERENCE_ZERO2, out);
    if (APPLY(plan, deepspeed_map, out, why) != 0)
        return -1;
    out->of.deepspeed.offload_param = value_of(plan, ID(train, offload_params)) > 0;
    count_for_deepspeed(plan, &out->of.deepspeed);
    if (!isnan(out->of.deepspeed.total_params))
        return 0;
    snprintf(why, REFERENCE_WHY_MAX, "the model's parameters are not known; deepspeed needs them");
    return -1;
}

int reference_from_plan(const struct plan *resolved, enum reference_id id, struct reference_inputs *out, char *why)
{
    static int (*const from_plan[REFERENCE_COUNT])(const struct plan *, struct reference_inputs *, char *) = {
        [REFERENCE_TOOL] = tool_from_plan,
        [REFERENCE_REPORT] = report_from_plan,
        [REFERENCE_LLM] = llm_from_plan,
        [REFERENCE_DEEPSPEED] = deepspeed_from_plan,
    };
    *why = '\0';
    return from_plan[id](resolved, out, why);
}

/* ---- the same, for people ---------------------------------------------------------------------------------------- */

/* An input that takes more than one key or more than a comparison; `what` says how. */
struct plan_note {
    const char *input, *keys, *what;
};

static const struct plan_note report_notes[] = {
    {"moe_layer_freq", "model.moe_first_dense", "a list, dense layers first, when it is above 0"},
    {"group_query_attention", "model.num_query_groups", "true when it differs from num_attention_heads"},
    {"world_size", "parallel.tp, pp, cp, dp", "their product"},
    {"num_microbatches", "train.global_batch_size", "over micro_batch_size x dp"},
    {"normalization", "model.normalization", "RMSNorm or LayerNorm"},
    {"recompute_granularity", "train.recompute", "the word, none is left out"},
};

#define LLM_NOTES(dtype)                                                                                              \
    {"dtype_config.weight_bits", dtype, "its bits: 16, 8 or 4"},                                                      \
    {"dtype_config.activation_bits", dtype, "the same"},                                                              \
    {"gpu_config.peak_fp16_TFLOPS", "hardware.gpu", "its bf16 rate, else hardware.peak_tflops"},                      \
    {"gpu_config.intra_node_min_message_latency", "", "8e-06, as of every device that it ships"},                     \
    {"model_config.expansion_ratio", "model.ffn_hidden_size", "over hidden_size"},                                    \
    {"model_config.ffn_embed_dim", "model.moe_ffn_hidden_size", "in its place when there are experts"},               \
    {"model_config.moe_num_experts", "model.num_experts", "when it is above 0"},                                      \
    {"model_config.moe_top_k", "model.moe_router_topk", "when there are experts"},                                    \
    {"sp_size", "parallel.sp", "tp when it is true, else 1"},                                                         \
    {"ds_zero", "parallel.fsdp", "3 when it is full"}

static const struct plan_note train_notes[] = {LLM_NOTES("train.dtype")};
static const struct plan_note infer_notes[] = {LLM_NOTES("serve.weight_dtype"),
                                               {"kv_cache_dtype_bytes", "serve.kv_dtype", "its bytes"}};

static const struct plan_note zero2_notes[] = {{"total_params", "model", "parameters.unpadded of the report"}};

static const struct plan_note zero3_notes[] = {
    {"total_params", "model", "parameters.unpadded of the report"},
    {"largest_layer_params", "model.hidden_size", "times the larger of vocab_size and ffn_hidden_size"},
    {"offload_param", "train.offload_params", "true when it is above 0"},
};

#define TABLE(table) table, sizeof(table) / sizeof *(table)

/* What each function takes from a plan, and when it is the one that answers. */
static const struct {
    const struct plan_map *map;
    size_t count;
    const struct plan_note *note;
    size_t notes;
    const char *when;
} taken[REFERENCE_FN_COUNT] = {
    [REFERENCE_TOOL_ANALYZE] = {TABLE(tool_map), NULL, 0, ""},
    [REFERENCE_REPORT_REPORT] = {TABLE(report_map), TABLE(report_notes), ""},
    [REFERENCE_LLM_TRAIN] = {TABLE(train_map), TABLE(train_notes), "workload train"},
    [REFERENCE_LLM_INFER] = {TABLE(infer_map), TABLE(infer_notes), "workload inference"},
    [REFERENCE_ZERO2] = {TABLE(deepspeed_map), TABLE(zero2_notes), "parallel.zero_stage 2"},
    [REFERENCE_ZERO3] = {TABLE(deepspeed_map), TABLE(zero3_notes), "parallel.zero_stage 3 or parallel.fsdp full"},
};

/* What a choice of the plan key is called, else its number. */
static const char *name_of(const struct plan_map *map, char *text, size_t size)
{
    const struct param_row *row = &param_rows[map->key];
    snprintf(text, size, "%g", map->k);
    return row->choices ? row->choices[(int)map->k] : text;
}

static void put_how(struct buffer *out, const struct plan_map *map)
{
    char text[32];
    const char *name = name_of(map, text, sizeof text);
    bool is_switch = param_rows[map->key].type == TYPE_BOOL;
    switch (map->how) {
    case COPY:
        break;
    case MAYBE:
        buffer_puts(out, "null when it is not known");
        break;
    case ABOVE:
        buffer_printf(out, "when it is above %s", name);
        break;
    case IS:
        buffer_printf(out, "true when it is %s", name);
        break;
    case IS_NOT:
        buffer_printf(out, "true when it is not %s", name);
        break;
    case AT_LEAST:
        if (!is_switch)
            buffer_printf(out, "true when it is %s or more", name);
        break;
    }
}

/* One line; nothing follows a column that is the last. */
static void put_input(struct buffer *out, const char *input, const char *key, const char *how)
{
    enum { INPUT = 49, KEY_WIDTH = 31 };
    if (*how)
        buffer_printf(out, "  %-*s %-*s %s\n", INPUT, input, KEY_WIDTH, key, how);
    else
        buffer_printf(out, "  %-*s %s\n", INPUT, input, key);
}

static void put_function(struct buffer *out, enum reference_fn fn)
{
    const struct reference_function *f = reference_functions[fn];
    buffer_printf(out, "%s, %s%s%s%s:\n", reference_rows[f->estimator].name, f->name, *taken[fn].when ? " (" : "",
                  taken[fn].when, *taken[fn].when ? ")" : "");
    for (size_t i = 0; i < taken[fn].count; i++) {
        struct buffer how = {0};
        buffer_puts(&how, "");
        put_how(&how, &taken[fn].map[i]);
        put_input(out, taken[fn].map[i].input, param_rows[taken[fn].map[i].key].dotted, how.text);
        buffer_free(&how);
    }
    for (size_t i = 0; i < taken[fn].notes; i++)
        put_input(out, taken[fn].note[i].input, taken[fn].note[i].keys, taken[fn].note[i].what);
    buffer_puts(out, "\n");
}

void reference_plan_help(struct buffer *out, enum reference_id id)
{
    for (int fn = 0; fn < REFERENCE_FN_COUNT; fn++)
        if (reference_functions[fn]->estimator == id)
            put_function(out, (enum reference_fn)fn);
    buffer_puts(out, "Inputs that are not listed stay as the estimator has them when nothing is given.\n");
}
