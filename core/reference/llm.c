/*
 * core/reference/llm.c - llm-analysis v0.2.2.
 *
 * Parameters of a layer: attention 2h^2 + 2h^2 k'/a with k' = max(k/t, 1) t, feed-forward 2hfE, router hE when E > 1,
 * norms 2h; the model adds Vh and h. Training keeps weights, gradients and 12 bytes of optimizer per parameter (or what
 * was asked), divided by t and, by ZeRO stage, by d; activations of all L layers whatever p. A micro-batch takes its
 * operations / (t p peak share); the forward latency is reported beside it, never used. Its slips are kept: the forward
 * latency always sees flash attention and fp32 norms, a batch of one counts logits and last norm twice, gated units are
 * forgotten for larger batches, inference holds all layers on every stage.
 *
 * Checks run in its own order, and the first that fails is the answer.
 */
#include "core/base.h"
#include "core/estimate/term.h"
#include "core/reference/reference.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Appends a warning, unless it is there or the inputs were refused. */
static void warn(struct reference_answer *out, const char *rule)
{
    if (out->rule || out->warnings == REFERENCE_WARNINGS_MAX)
        return;
    for (int i = 0; i < out->warnings; i++)
        if (strcmp(out->warning[i], rule) == 0)
            return;
    out->warning[out->warnings++] = rule;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

#define IN(kind, field, standard)                                                                                     \
    {"inputs." #field, "", REFERENCE_##kind, REFERENCE_NULLABLE, 0, offsetof(struct llm_inputs, field), standard}
#define NEED(field, standard)                                                                                         \
    {"inputs." #field, "", REFERENCE_NUMBER, REFERENCE_REQUIRED, 0, offsetof(struct llm_inputs, field), standard}
#define CONFIG(key, field, standard)                                                                                  \
    {key, "", REFERENCE_NUMBER, REFERENCE_NULLABLE, 0, offsetof(struct llm_inputs, field), standard}
#define TRAIN(key, unit, field)                                                                                       \
    {key, unit, REFERENCE_NUMBER, REFERENCE_NULLABLE, 0, offsetof(struct llm_train_values, field), 0}
#define TRAIN_AS(key, kind, field)                                                                                    \
    {key, "", REFERENCE_##kind, REFERENCE_NULLABLE, 0, offsetof(struct llm_train_values, field), 0}
#define INFER(key, unit, field)                                                                                       \
    {key, unit, REFERENCE_NUMBER, REFERENCE_NULLABLE, 0, offsetof(struct llm_infer_values, field), 0}
#define PRICE(key, field)                                                                                             \
    {key, "USD", REFERENCE_NUMBER, REFERENCE_OPTIONAL, 0, offsetof(struct llm_infer_values, field), 0}

/* A configuration given with a line; what it leaves out follows as in the original's configuration classes. */
#define CONFIGURATIONS                                                                                                \
    CONFIG("model_config.num_layers", model.num_layers, NAN),                                                         \
    CONFIG("model_config.n_head", model.n_head, NAN),                                                                 \
    CONFIG("model_config.hidden_dim", model.hidden_dim, NAN),                                                         \
    CONFIG("model_config.vocab_size", model.vocab_size, NAN),                                                         \
    CONFIG("model_config.max_seq_len", model.max_seq_len, NAN),                                                       \
    CONFIG("model_config.num_key_value_heads", model.num_key_value_heads, NAN),                                       \
    CONFIG("model_config.ffn_embed_dim", model.ffn_embed_dim, NAN),                                                   \
    CONFIG("model_config.expansion_ratio", model.expansion_ratio, NAN),                                               \
    CONFIG("model_config.moe_num_experts", model.moe_num_experts, 1),                                                 \
    CONFIG("model_config.moe_top_k", model.moe_top_k, 1),                                                             \
    CONFIG("gpu_config.mem_per_GPU_in_GB", gpu.memory_gb, NAN),                                                       \
    CONFIG("gpu_config.hbm_bandwidth_in_GB_per_sec", gpu.hbm_gb_s, NAN),                                              \
    CONFIG("gpu_config.intra_node_bandwidth_in_GB_per_sec", gpu.intra_node_gb_s, NAN),                                \
    CONFIG("gpu_config.intra_node_min_message_latency", gpu.intra_node_latency_s, NAN),                               \
    CONFIG("gpu_config.peak_fp16_TFLOPS", gpu.fp16_tflops, NAN),                                                      \
    CONFIG("gpu_config.peak_i8_TFLOPS", gpu.i8_tflops, NAN),                                                          \
    CONFIG("gpu_config.peak_i4_TFLOPS", gpu.i4_tflops, NAN),                                                          \
    CONFIG("gpu_config.inter_node_bandwidth_in_GB_per_sec", gpu.inter_node_gb_s, 200),                                \
    CONFIG("dtype_config.weight_bits", dtype.weight_bits, NAN),                                                       \
    CONFIG("dtype_config.activation_bits", dtype.activation_bits, 16),                                                \
    CONFIG("dtype_config.embedding_bits", dtype.embedding_bits, 16)

static const struct reference_member train_input_rows[] = {
    IN(NAME, model_name, 0), IN(NAME, gpu_name, 0), IN(NAME, dtype_name, 0),
    IN(NUMBER, batch_size_per_gpu, NAN), IN(NUMBER, gradient_accumulation_steps, NAN),
    IN(NUMBER, global_batch_size, NAN),
    IN(NUMBER, seq_len, NAN), IN(NUMBER, total_num_tokens, NAN), NEED(activation_recomputation, 0),
    NEED(ds_zero, 0), IN(NUMBER, dp_size, NAN), NEED(tp_size, 1), NEED(pp_size, 1),
    IN(NUMBER, sp_size, NAN), NEED(ep_size, 1), IN(NUMBER, total_num_gpus, NAN),
    NEED(layernorm_dtype_bytes, 4), NEED(master_weights_dtype_bytes, 4), IN(NUMBER, other_op_bytes, NAN),
    IN(BOOL, flash_attn, 1), IN(BOOL, softmax_dropout, 0), IN(NUMBER, mlp_activation_quant_bits, NAN),
    IN(NUMBER, mlp_1linear_quant_bits, NAN), IN(NUMBER, mlp_gelu_input_quant_bits, NAN),
    IN(NUMBER, mlp_2linear_quant_bits, NAN), IN(BOOL, mlp_recompute_gelu, 0), IN(BOOL, mlp_gated_linear_units, 0),
    IN(NUMBER, achieved_tflops, NAN), IN(NUMBER, flops_efficiency, NAN), IN(NUMBER, hbm_memory_efficiency, 1),
    IN(NUMBER, intra_node_memory_efficiency, 1), IN(NUMBER, inter_node_memory_efficiency, 1),
    NEED(num_gpus_per_node, 8), CONFIGURATIONS,
};

static const struct reference_member infer_input_rows[] = {
    IN(NAME, model_name, 0), IN(NAME, gpu_name, 0), IN(NAME, dtype_name, 0), NEED(batch_size_per_gpu, 1),
    NEED(ds_zero, 0), IN(NUMBER, dp_size, 1), NEED(tp_size, 1), NEED(pp_size, 1),
    IN(NUMBER, sp_size, NAN), NEED(seq_len, 512), NEED(num_tokens_to_generate, 32),
    IN(BOOL, use_kv_cache, 1), NEED(layernorm_dtype_bytes, 2), IN(NUMBER, kv_cache_dtype_bytes, NAN),
    IN(NUMBER, achieved_tflops, NAN), IN(NUMBER, achieved_memory_bandwidth_GBs, NAN), IN(NUMBER, flops_efficiency, NAN),
    IN(NUMBER, hbm_memory_efficiency, NAN), IN(NUMBER, intra_node_memory_efficiency, 1),
    IN(NUMBER, inter_node_memory_efficiency, 1), IN(NUMBER, cost_per_gpu_hour, NAN), CONFIGURATIONS,
};

static const struct reference_member train_value_rows[] = {
    TRAIN("batch_size_per_gpu", "", batch_size_per_gpu),
    TRAIN("max_batch_size_per_gpu", "", max_batch_size_per_gpu),
    TRAIN("gradient_accumulation_steps", "", gradient_accumulation_steps),
    TRAIN("global_batch_size", "", global_batch_size),
    TRAIN("dp_size", "", dp_size),
    TRAIN("tp_size", "", tp_size),
    TRAIN("pp_size", "", pp_size),
    TRAIN("sp_size", "", sp_size),
    TRAIN("ep_size", "", ep_size),
    TRAIN_AS("ds_zero", WORD, ds_zero),
    TRAIN("total_num_gpus", "", total_num_gpus),
    TRAIN("seq_len", "tokens", seq_len),
    TRAIN("total_num_tokens", "tokens", total_num_tokens),
    TRAIN("num_params_total", "params", num_params_total),
    TRAIN("num_active_params_total", "params", num_active_params_total),
    TRAIN_AS("activation_recomputation", WORD, activation_recomputation),
    TRAIN("layernorm_dtype_bytes", "", layernorm_dtype_bytes),
    TRAIN("mlp_activation_quant_bits", "", mlp_activation_quant_bits),
    TRAIN_AS("mlp_recompute_gelu", BOOL, mlp_recompute_gelu),
    TRAIN("achieved_flops", "TFLOP/s", achieved_flops),
    TRAIN("flops_efficiency", "", flops_efficiency),
    TRAIN("hbm_memory_efficiency", "", hbm_memory_efficiency),
    TRAIN("num_flops_total_per_micro_batch", "FLOP", num_flops_total_per_micro_batch),
    TRAIN("weight_memory_per_gpu", "bytes", weight_memory),
    TRAIN("weight_memory_embedding_per_gpu", "bytes", weight_memory_embedding),
    TRAIN("weight_memory_attn_per_gpu", "bytes", weight_memory_attn),
    TRAIN("weight_memory_mlp_per_gpu", "bytes", weight_memory_mlp),
    TRAIN("weight_memory_layernorm_per_gpu", "bytes", weight_memory_layernorm),
    TRAIN("gradient_memory_per_gpu", "bytes", gradient_memory),
    TRAIN("optimizer_state_memory_per_gpu", "bytes", optimizer_state_memory),
    TRAIN("(weight+op_state+grad)_memory_per_gpu", "bytes", state_memory),
    TRAIN("activation_memory_batch_size_1", "bytes", activation_memory_batch_size_1),
    TRAIN("activation_memory_per_gpu", "bytes", activation_memory),
    TRAIN("activation_memory_attn_per_gpu", "bytes", activation_memory_attn),
    TRAIN("activation_memory_mlp_per_gpu", "bytes", activation_memory_mlp),
    TRAIN("activation_memory_layernorm_per_gpu", "bytes", activation_memory_layernorm),
    TRAIN("activation_memory_embedding_output_per_gpu", "bytes", activation_memory_embedding_output),
    TRAIN("(weight+op_state+grad+act)_memory_per_gpu", "bytes", total_memory),
    TRAIN("memory_left_per_gpu", "bytes", memory_left),
    TRAIN("latency_per_micro_batch", "s", latency_per_micro_batch),
    TRAIN("latency_fwd", "s", forward.total),
    TRAIN("latency_fwd_attn", "s", forward.attn),
    TRAIN("latency_fwd_mlp", "s", forward.mlp),
    TRAIN("latency_fwd_layernorm", "s", forward.layernorm),
    TRAIN("latency_fwd_tp_comm", "s", forward.tp_comm),
    TRAIN("latency_fwd_input_embedding", "s", forward.input_embedding),
    TRAIN("latency_fwd_output_embedding_loss", "s", forward.output_embedding_loss),
    TRAIN("latency_per_iter", "s", latency_per_iter),
    TRAIN("total_training_latency", "s", total_training_latency),
    TRAIN("gpu_hours", "h", gpu_hours),
};

#define FORWARD(phase)                                                                                                \
    INFER(#phase "_latency", "s", phase.forward.total), INFER(#phase "_latency_fwd_attn", "s", phase.forward.attn),   \
        INFER(#phase "_latency_fwd_mlp", "s", phase.forward.mlp),                                                     \
        INFER(#phase "_latency_fwd_layernorm", "s", phase.forward.layernorm),                                         \
        INFER(#phase "_latency_fwd_tp_comm", "s", phase.forward.tp_comm),                                             \
        INFER(#phase "_latency_fwd_input_embedding", "s", phase.forward.input_embedding),                             \
        INFER(#phase "_latency_fwd_output_embedding_loss", "s", phase.forward.output_embedding_loss)

static const struct reference_member infer_value_rows[] = {
    INFER("batch_size_per_gpu", "", batch_size_per_gpu),
    INFER("seq_len", "tokens", seq_len),
    INFER("tp_size", "", tp_size),
    INFER("ep_size", "", ep_size),
    INFER("pp_size", "", pp_size),
    INFER("num_tokens_to_generate", "tokens", num_tokens_to_generate),
    INFER("flops_efficiency", "", flops_efficiency),
    INFER("hbm_memory_efficiency", "", hbm_memory_efficiency),
    INFER("layernorm_dtype_bytes", "", layernorm_dtype_bytes),
    {"use_kv_cache", "", REFERENCE_BOOL, REFERENCE_NULLABLE, 0, offsetof(struct llm_infer_values, use_kv_cache), 0},
    INFER("kv_cache_latency", "s", kv_cache_latency),
    INFER("kv_cache_memory_per_gpu", "bytes", kv_cache_memory),
    INFER("weight_memory_per_gpu", "bytes", weight_memory),
    INFER("weight_memory_embedding_per_gpu", "bytes", weight_memory_embedding),
    INFER("prefill_activation_memory_per_gpu", "bytes", prefill.activation_memory),
    INFER("prefill_max_batch_size_per_gpu", "", prefill.max_batch_size),
    INFER("prefill_num_flops_fwd_total", "FLOP", prefill.num_flops),
    INFER("decode_activation_memory_per_gpu", "bytes", decode.activation_memory),
    INFER("decode_max_batch_size_per_gpu", "", decode.max_batch_size),
    INFER("decode_num_flops_fwd_total", "FLOP", decode.num_flops),
    FORWARD(prefill),
    FORWARD(decode),
    INFER("total_decode_latency", "s", total_decode_latency),
    INFER("total_latency", "s", total_latency),
    INFER("total_per_token_latency", "s", total_per_token_latency),
    INFER("prefill_tokens_per_sec", "tokens/s", prefill.tokens_per_sec),
    INFER("decode_tokens_per_sec", "tokens/s", decode.tokens_per_sec),
    INFER("total_tokens_per_sec", "tokens/s", total_tokens_per_sec),
    PRICE("prefill_cost_per_1k_tokens", prefill.cost_per_1k_tokens),
    PRICE("decode_cost_per_1k_tokens", decode.cost_per_1k_tokens),
    PRICE("total_cost_per_1k_tokens", total_cost_per_1k_tokens),
};

/* ---- what both functions set up --------------------------------------------------------------------------------- */

enum { RECOMPUTE_LEVEL_NONE, RECOMPUTE_LEVEL_SELECTIVE, RECOMPUTE_LEVEL_FULL };

/* One analysis: inputs resolved, and where it refuses and warns. */
struct study {
    const struct llm_inputs *in;
    struct reference_answer *out;
    struct llm_model m;
    struct llm_gpu gpu;
    struct llm_dtype dtype;
    double tp, pp, dp, sp, ep;
    double flops_efficiency, hbm_efficiency;
    double params, active_params;
};

static double divide(struct study *y, double one, double two)
{
    return reference_divide(y->out, one, two);
}

/* None and 0 both mean "not given" where the original asks `if x`. */
static bool is_set(double value)
{
    return !isnan(value) && value != 0;
}

static double or_else(double value, double standard)
{
    return is_set(value) ? value : standard;
}

/* Names that are not given are those of the original's arguments. */
static const char *name_or(const struct reference_name *name, const char *standard)
{
    return name->text[0] ? name->text : standard;
}

static void check_feed_forward(struct study *y)
{
    struct llm_model *m = &y->m;
    if (isnan(m->expansion_ratio) && isnan(m->ffn_embed_dim))
        m->expansion_ratio = 4;
    if (isnan(m->ffn_embed_dim))
        m->ffn_embed_dim = m->hidden_dim * m->expansion_ratio;
    if (!isnan(m->expansion_ratio))
        return;
    m->expansion_ratio = divide(y, m->ffn_embed_dim, m->hidden_dim);
    if (m->expansion_ratio != floor(m->expansion_ratio))
        reference_refuse(y->out, "ffn_not_multiple_of_hidden",
                         "feed-forward width %g is not a multiple of hidden size %g; set expansion_ratio too",
                         m->ffn_embed_dim, m->hidden_dim);
}

static void take_model(struct study *y)
{
    const char *name = name_or(&y->in->model_name, "facebook_opt-1.3b");
    const struct llm_model *shipped = llm_find_model(name);
    struct llm_model *m = &y->m;
    bool is_given = !isnan(y->in->model.num_layers);
    if (!is_given && !shipped) {
        warn(y->out, "no_hub_lookup");
        reference_refuse(y->out, "unknown_model", "unknown model '%s'; add model_config to the line", name);
        return;
    }
    *m = is_given ? y->in->model : *shipped;
    if (isnan(m->n_head) || isnan(m->hidden_dim) || isnan(m->vocab_size))
        reference_refuse(y->out, "input_missing", "model_config needs num_layers, n_head, hidden_dim and vocab_size");
    check_feed_forward(y);
    m->num_key_value_heads = isnan(m->num_key_value_heads) ? m->n_head : m->num_key_value_heads;
    double groups = divide(y, m->n_head, m->num_key_value_heads);
    if (groups != floor(groups))
        reference_refuse(y->out, "heads_not_divisible_by_kv_heads",
                         "%g query heads are not a multiple of %g key/value heads", m->n_head, m->num_key_value_heads);
    m->moe_num_experts = isnan(m->moe_num_experts) ? 1 : m->moe_num_experts;
    m->moe_top_k = isnan(m->moe_top_k) ? 1 : m->moe_top_k;
}

static void take_gpu(struct study *y)
{
    const char *name = name_or(&y->in->gpu_name, "a100-sxm-40gb");
    const struct llm_gpu *shipped = llm_find_gpu(name);
    struct llm_gpu *gpu = &y->gpu;
    if (isnan(y->in->gpu.memory_gb) && !shipped) {
        reference_refuse(y->out, "unknown_gpu", "unknown device '%s'; add gpu_config to the line", name);
        return;
    }
    *gpu = isnan(y->in->gpu.memory_gb) ? *shipped : y->in->gpu;
    if (isnan(gpu->hbm_gb_s) || isnan(gpu->intra_node_gb_s) || isnan(gpu->intra_node_latency_s) ||
        isnan(gpu->fp16_tflops))
        reference_refuse(y->out, "input_missing",
                         "gpu_config needs memory, both bandwidths, the least latency and the fp16 peak");
    gpu->i8_tflops = isnan(gpu->i8_tflops) ? 2 * gpu->fp16_tflops : gpu->i8_tflops;
    gpu->i4_tflops = isnan(gpu->i4_tflops) ? 4 * gpu->fp16_tflops : gpu->i4_tflops;
}

static void take_dtype(struct study *y)
{
    const char *name = name_or(&y->in->dtype_name, "w16a16e16");
    const struct llm_dtype *shipped = llm_find_dtype(name);
    bool is_given = !isnan(y->in->dtype.weight_bits);
    if (!is_given && !shipped) {
        reference_refuse(y->out, "unknown_dtype", "unknown data type '%s'; add dtype_config to the line",
                         name);
        return;
    }
    y->dtype = is_given ? y->in->dtype : *shipped;
}

static double efficiency(struct study *y, double achieved, double peak, double asked)
{
    if (is_set(achieved))
        return divide(y, achieved, peak);
    return or_else(asked, 1);
}

static void take_efficiencies(struct study *y)
{
    const struct llm_inputs *in = y->in;
    y->hbm_efficiency = efficiency(y, in->achieved_memory_bandwidth_GBs, y->gpu.hbm_gb_s, in->hbm_memory_efficiency);
    if (!(y->hbm_efficiency > 0 && y->hbm_efficiency <= 1))
        reference_refuse(y->out, "hbm_efficiency_range", "memory efficiency is %g; it must be above 0 and at most 1",
                         y->hbm_efficiency);
    y->flops_efficiency = efficiency(y, in->achieved_tflops, y->gpu.fp16_tflops, in->flops_efficiency);
    if (!(y->flops_efficiency > 0 && y->flops_efficiency <= 1))
        reference_refuse(y->out, "flops_efficiency_range", "share of the peak is %g; it must be above 0 and at most 1",
                         y->flops_efficiency);
    if (y->flops_efficiency > 0.55)
        warn(y->out, "eff_above_0.55");
    if (y->sp > 1 && y->sp != y->tp)
        reference_refuse(y->out, "sp_not_equal_tp", "sp_size is %g and tp_size %g; they must be equal, or sp_size 1",
                         y->sp, y->tp);
}

static void check_levels(struct study *y, bool is_training)
{
    double level = y->in->activation_recomputation, zero = y->in->ds_zero;
    if (is_training && level != 0 && level != 1 && level != 2)
        reference_refuse(y->out, "bad_recompute_level", "activation_recomputation is %g; it is 0, 1 or 2", level);
    if (zero != 0 && zero != 1 && zero != 2 && zero != 3)
        reference_refuse(y->out, "bad_zero_stage", "ds_zero is %g; it is 0, 1, 2 or 3", zero);
}

/* ---- parameters ------------------------------------------------------------------------------------------------- */

static double params_attn(struct study *y)
{
    double h = y->m.hidden_dim, heads = max(divide(y, y->m.num_key_value_heads, y->tp), 1) * y->tp;
    return 2 * h * h + 2 * h * (h * divide(y, heads, y->m.n_head));
}

static double params_mlp(const struct study *y)
{
    return 2 * y->m.hidden_dim * y->m.ffn_embed_dim * y->m.moe_num_experts;
}

static double params_router(const struct study *y)
{
    return y->m.moe_num_experts > 1 ? y->m.hidden_dim * y->m.moe_num_experts : 0;
}

static double params_embedding(const struct study *y)
{
    return y->m.hidden_dim * y->m.vocab_size;
}

static void count_params(struct study *y)
{
    double h = y->m.hidden_dim, rest = params_attn(y) + params_router(y) + 2 * h;
    double active = divide(y, params_mlp(y) * y->m.moe_top_k, y->m.moe_num_experts);
    y->params = y->m.num_layers * (rest + params_mlp(y)) + params_embedding(y) + h;
    y->active_params = y->m.num_layers * (rest + active) + params_embedding(y) + h;
}

static double peak_tflops(struct study *y)
{
    double bits = max(y->dtype.weight_bits, y->dtype.activation_bits);
    if (bits != 4 && bits != 8 && bits != 16)
        reference_refuse(y->out, "unknown_dtype",
        "weights and activations of %g bits; supported are 4, 8 and 16", bits);
    double peak = bits == 4 ? y->gpu.i4_tflops : bits == 8 ? y->gpu.i8_tflops : y->gpu.fp16_tflops;
    return peak * y->flops_efficiency;
}

static double hbm_bytes_s(const struct study *y)
{
    return y->gpu.hbm_gb_s * y->hbm_efficiency * 1e9;
}

/* ---- weights, gradients, optimizer ------------------------------------------------------------------------------ */

/* Bytes of one layer by part, and of what stands outside the layers. */
struct states {
    double attn, mlp, layernorm, embedding, last_norm;
};

/* Ranks that share the dense part and the experts when a ZeRO stage shards. */
static void shard(struct study *y, bool is_sharded, double *dense, double *experts)
{
    *dense = is_sharded ? y->dp : 1;
    *experts = is_sharded ? divide(y, y->dp, y->ep) : 1;
}

static struct states weights(struct study *y)
{
    bool is_sharded = y->in->ds_zero == 3;
    double dense, experts, h = y->m.hidden_dim, bytes = y->dtype.weight_bits / 8, tp = y->tp;
    shard(y, is_sharded, &dense, &experts);
    return (struct states){
        .attn = divide(y, params_attn(y) * bytes / tp, dense),
        .mlp = divide(y, (divide(y, params_mlp(y), y->ep) + params_router(y)) * bytes / tp, experts),
        .layernorm = divide(y, 2 * h * bytes / tp, dense),
        .embedding = divide(y, params_embedding(y) * y->dtype.embedding_bits / 8 / tp, dense),
        .last_norm = divide(y, h * bytes / tp, dense),
    };
}

/* Gradients or optimizer states: the router counts with the attention here. */
static struct states trained(struct study *y, double bytes, bool is_sharded)
{
    double dense, experts, h = y->m.hidden_dim, tp = y->tp;
    shard(y, is_sharded, &dense, &experts);
    return (struct states){
        .attn = divide(y, bytes * (params_attn(y) + params_router(y)) / tp, dense),
        .mlp = divide(y, divide(y, bytes * params_mlp(y), y->ep) / tp, experts),
        .layernorm = divide(y, bytes * 2 * h / tp, dense),
        .embedding = divide(y, bytes * params_embedding(y) / tp, dense),
        .last_norm = divide(y, bytes * h / tp, dense),
    };
}

static double on_gpu(const struct states *s, double layers)
{
    return (s->attn + s->mlp + s->layernorm) * layers + s->embedding + s->last_norm;
}

/* ---- activations ------------------------------------------------------------------------------------------------ */

/* How activations are kept. */
struct keeping {
    bool is_inference, flash, softmax_dropout, recompute_gelu, gated;
    int level;                        /* of recomputation */
    double norm_bytes;
    double linear1, gelu, linear2;    /* bytes of the inputs of the feed-forward parts */
};

/* Bytes of one layer. */
struct kept {
    double all, attn, mlp, norms;
};

static struct keeping plain_keeping(const struct study *y, bool is_inference)
{
    double bytes = y->dtype.activation_bits / 8;
    return (struct keeping){.is_inference = is_inference, .flash = true, .norm_bytes = y->in->layernorm_dtype_bytes,
                            .linear1 = bytes, .gelu = bytes, .linear2 = bytes};
}

static double quantized(double all, double one, double bytes)
{
    return is_set(all) ? all / 8 : is_set(one) ? one / 8 : bytes;
}

static struct keeping asked_keeping(const struct study *y)
{
    const struct llm_inputs *in = y->in;
    struct keeping k = plain_keeping(y, false);
    k.flash = in->flash_attn > 0;
    k.softmax_dropout = in->softmax_dropout > 0;
    k.recompute_gelu = in->mlp_recompute_gelu > 0;
    k.gated = in->mlp_gated_linear_units > 0;
    k.level = (int)in->activation_recomputation;
    k.linear1 = quantized(in->mlp_activation_quant_bits, in->mlp_1linear_quant_bits, k.linear1);
    k.gelu = quantized(in->mlp_activation_quant_bits, in->mlp_gelu_input_quant_bits, k.gelu);
    k.linear2 = quantized(in->mlp_activation_quant_bits, in->mlp_2linear_quant_bits, k.linear2);
    return k;
}

static double kept_core(const struct study *y, const struct keeping *k, double b, double s)
{
    double h = y->m.hidden_dim, a = y->m.n_head, bytes = y->dtype.activation_bits / 8;
    if (k->level == RECOMPUTE_LEVEL_SELECTIVE)
        return 0;
    double core = k->flash ? (2 * s * b * h + 4 * a * s * b) * bytes / y->tp : 2 * a * s * s * b * bytes / y->tp;
    return core + (k->softmax_dropout ? a * s * s * b / y->tp : 0);
}

static double kept_attn(const struct study *y, const struct keeping *k, double b, double s)
{
    double sbh = s * b * y->m.hidden_dim, bytes = y->dtype.activation_bits / 8, core = kept_core(y, k, b, s);
    if (k->is_inference)
        return max(3 * bytes * sbh / y->sp, core);
    if (k->level == RECOMPUTE_LEVEL_FULL)
        return sbh * bytes / y->sp;
    return (sbh / y->sp + 4 * sbh / y->tp) * bytes + core + sbh / y->sp;
}

static double kept_mlp(struct study *y, const struct keeping *k, double b, double s)
{
    double sbh = s * b * y->m.hidden_dim, ratio = y->m.expansion_ratio;
    if (k->is_inference)
        return max(k->linear1, k->gelu * ratio) * sbh * y->m.moe_top_k / y->tp;
    if (k->level == RECOMPUTE_LEVEL_FULL)
        return 0;
    double tokens = sbh * divide(y, y->m.moe_num_experts, y->ep) * y->m.moe_top_k;
    double inner = !k->recompute_gelu ? k->gelu + k->linear2 : k->gated ? k->gelu / 3 : k->gelu;
    return k->linear1 * tokens / y->sp + inner * ratio * tokens / y->tp;
}

static double kept_norm(const struct study *y, const struct keeping *k, double b, double s)
{
    return k->level == RECOMPUTE_LEVEL_FULL ? 0 : s * b * y->m.hidden_dim / y->sp * k->norm_bytes;
}

static double kept_logits(const struct study *y, double b, double s)
{
    return y->m.vocab_size * b * s * y->dtype.activation_bits / 8 / y->tp;
}

static struct kept kept_layer(struct study *y, const struct keeping *k, double b, double s)
{
    if (!k->is_inference && k->level == RECOMPUTE_LEVEL_FULL)
        return (struct kept){.all = s * b * y->m.hidden_dim * y->dtype.activation_bits / 8 / y->tp};
    double attn = kept_attn(y, k, b, s), mlp = kept_mlp(y, k, b, s), norm = kept_norm(y, k, b, s);
    double all = k->is_inference ? max(max(attn, mlp), norm) : attn + mlp + 2 * norm;
    return (struct kept){all, attn, mlp, 2 * norm};
}

/* ---- operations and latency ------------------------------------------------------------------------------------- */

static double flops_attn(const struct study *y, double b, double s)
{
    double h = y->m.hidden_dim, groups = y->m.n_head / y->m.num_key_value_heads;
    return 4 * b * s * h * h + 4 * b * s * h * h / groups + 4 * b * s * s * h;
}

static double flops_mlp(const struct study *y, double b, double s)
{
    return 16 * b * s * y->m.hidden_dim * y->m.hidden_dim;
}

/* With one query head per key/value head its count must agree with 24 b s L h^2 (1 + s/6h + V/12Lh) within 1 %. */
static double flops_forward(struct study *y, double b, double s)
{
    double h = y->m.hidden_dim, L = y->m.num_layers, V = y->m.vocab_size;
    double flops = (flops_attn(y, b, s) + flops_mlp(y, b, s)) * L + 2 * b * s * h * V;
    if (y->m.n_head != y->m.num_key_value_heads)
        return flops;
    double expected = 24 * b * L * s * h * h * (1 + divide(y, s, 6 * h) + divide(y, V, 12 * L * h));
    if (!(fabs(divide(y, flops - expected, expected)) < 0.01))
        reference_refuse(y->out, "flops_self_check_1pct", "%g operations counted, %g expected", flops, expected);
    return flops;
}

static double roofline(struct study *y, double flops, double weight_params, double activation_bytes)
{
    double compute = divide(y, flops / y->tp, peak_tflops(y) * 1e12);
    double memory = weight_params * y->dtype.weight_bits / 8 / y->tp + activation_bytes;
    return max(compute, divide(y, memory, hbm_bytes_s(y)));
}

static double all_reduce(struct study *y, double b, double s, double bytes)
{
    if (y->tp == 1)
        return 0;
    double elements = 2 * b * s * y->m.hidden_dim * (y->tp - 1) / y->tp;
    return max(divide(y, elements * bytes, y->gpu.intra_node_gb_s * 1e9), y->gpu.intra_node_latency_s);
}

/* Sees flash attention and fp32 norms whatever was asked; of recomputation only that `full` keeps no feed-forward. */
static struct llm_forward forward(struct study *y, double b, double s, bool is_inference)
{
    struct keeping attn = plain_keeping(y, is_inference), mlp = attn;
    mlp.level = is_inference ? RECOMPUTE_LEVEL_NONE : (int)y->in->activation_recomputation;
    attn.norm_bytes = 4;
    double layers = trunc(divide(y, y->m.num_layers, y->pp)), embedding_bytes = y->dtype.embedding_bits / 8;
    double table = divide(y, params_embedding(y) * embedding_bytes, hbm_bytes_s(y));
    struct llm_forward f = {
        .attn = layers * roofline(y, flops_attn(y, b, s), params_attn(y), kept_attn(y, &attn, b, s)),
        .mlp = layers * roofline(y, flops_mlp(y, b, s), params_mlp(y), kept_mlp(y, &mlp, b, s)),
        .layernorm = layers * 2 * kept_norm(y, &attn, b, s) / hbm_bytes_s(y),
        .tp_comm = layers * 2 * all_reduce(y, b, s, y->dtype.activation_bits / 8),
        .input_embedding = table + all_reduce(y, b, s, embedding_bytes),
        .output_embedding_loss = divide(y, 2 * s * b * params_embedding(y) / y->tp, peak_tflops(y) * 1e12),
    };
    f.total = f.attn + f.mlp + f.layernorm + f.tp_comm + f.input_embedding + f.output_embedding_loss;
    return f;
}

/* ---- training --------------------------------------------------------------------------------------------------- */

static void take_gpus(struct study *y)
{
    const struct llm_inputs *in = y->in;
    double ranks = y->tp * y->pp, gpus = in->total_num_gpus;
    if (y->tp > in->num_gpus_per_node)
        reference_refuse(y->out, "tp_above_gpus_per_node", "tp_size is %g; a node has %g GPUs", y->tp,
                         in->num_gpus_per_node);
    y->dp = or_else(in->dp_size, 1);
    if (!is_set(gpus))
        return;
    if (is_set(in->dp_size)) {
        if (gpus != in->dp_size * ranks)
            reference_refuse(y->out, "gpus_not_dp_tp_pp", "total_num_gpus is %g; dp x tp x pp is %g", gpus,
                             in->dp_size * ranks);
        return;
    }
    y->dp = divide(y, gpus, ranks);
    if (y->dp != floor(y->dp))
        reference_refuse(y->out, "gpus_not_multiple_of_tp_pp", "total_num_gpus is %g; tp x pp is %g", gpus, ranks);
}

static double take_sequence(struct study *y)
{
    double s = y->in->seq_len, longest = y->m.max_seq_len;
    if (isnan(s) && isnan(longest))
        reference_refuse(y->out, "seq_len_missing", "the model has no longest sequence; give seq_len");
    if (isnan(s))
        return longest;
    if (isnan(longest))
        reference_refuse(y->out, "seq_len_compare_with_null_max",
                         "seq_len is %g, and the model has no longest sequence to compare it with", s);
    if (s > longest)
        reference_refuse(y->out, "seq_len_above_max", "seq_len is %g; the model allows %g", s, longest);
    return s;
}

static void hold_states(struct study *y, struct llm_train_values *v)
{
    const struct llm_inputs *in = y->in;
    double layers = trunc(divide(y, y->m.num_layers, y->pp)), master = in->master_weights_dtype_bytes;
    double optimizer_bytes = isnan(in->other_op_bytes) ? 12 : in->other_op_bytes + master;
    struct states w = weights(y);
    struct states optimizer = trained(y, optimizer_bytes, in->ds_zero >= 1),
                  gradient = trained(y, master, in->ds_zero >= 2);
    v->weight_memory = on_gpu(&w, layers);
    v->weight_memory_embedding = w.embedding;
    v->weight_memory_attn = w.attn * layers;
    v->weight_memory_mlp = w.mlp * layers;
    v->weight_memory_layernorm = w.layernorm * layers;
    v->optimizer_state_memory = on_gpu(&optimizer, layers);
    v->gradient_memory = on_gpu(&gradient, layers);
    v->state_memory = v->weight_memory + v->gradient_memory + v->optimizer_state_memory;
    v->memory_left = y->gpu.memory_gb * GIB - v->state_memory;
    if (v->memory_left < 0)
        warn(y->out, "model_states_over_memory");
}

/* All layers, logits and the last norm. */
static struct kept kept_model(struct study *y, const struct keeping *k, double b, double s)
{
    struct kept one = kept_layer(y, k, b, s);
    double L = y->m.num_layers;
    return (struct kept){one.all * L + kept_logits(y, b, s) + kept_norm(y, k, b, s), one.attn * L, one.mlp * L,
                         one.norms * L};
}

/* The largest divisor of `product` that is at most `limit`; 0 when there is none. */
static double largest_divisor(double product, double limit)
{
    double best = 0;
    for (double n = 1; n * n <= product; n++) {
        if (fmod(product, n) != 0)
            continue;
        best = n <= limit ? max(best, n) : best;
        best = product / n <= limit ? max(best, product / n) : best;
    }
    return best;
}

static void refuse_batch(struct study *y, const struct llm_train_values *v)
{
    reference_refuse(y->out, "no_batch_fits",
                     "one sequence needs %.2f GiB besides the model states; %.2f GiB are left, %.2f short",
                     v->activation_memory_batch_size_1 / GIB, v->memory_left / GIB,
                     (v->activation_memory_batch_size_1 - v->memory_left) / GIB);
}

static void batch_of_global(struct study *y, struct llm_train_values *v)
{
    double gbs = y->in->global_batch_size, share = floor(gbs / y->dp);
    if (fmod(gbs, y->dp) != 0)
        reference_refuse(y->out, "gbs_not_divisible_by_dp", "global batch %g is not a multiple of dp %g", gbs, y->dp);
    if (gbs > 1e12)
        reference_refuse(y->out, "input_out_of_range",
                         "global batch %g has too many divisors to try; give batch_size_per_gpu", gbs);
    if (y->out->rule)
        return;
    double b = v->max_batch_size_per_gpu >= share ? share : largest_divisor(share, v->max_batch_size_per_gpu);
    if (b < 1) {
        refuse_batch(y, v);
        return;
    }
    v->batch_size_per_gpu = b;
    v->gradient_accumulation_steps = floor(gbs / (b * y->dp));
    v->global_batch_size = gbs;
}

static void batch_of_two(struct study *y, struct llm_train_values *v, double given, const char *rule, double *missing)
{
    double gbs = y->in->global_batch_size, product = given * y->dp;
    *missing = floor(divide(y, gbs, product));
    if (fmod(gbs, product) != 0 || !(*missing > 0))
        reference_refuse(y->out, rule, "global batch %g is not a multiple of %g x dp %g", gbs, given, y->dp);
    v->global_batch_size = gbs;
}

static void batch_of_micro(struct study *y, struct llm_train_values *v)
{
    double b = y->in->batch_size_per_gpu, steps = y->in->gradient_accumulation_steps;
    if (b > v->max_batch_size_per_gpu)
        reference_refuse(y->out, "mbs_above_max", "batch_size_per_gpu is %g; at most %g fit", b,
                         v->max_batch_size_per_gpu);
    v->batch_size_per_gpu = b;
    v->gradient_accumulation_steps = isnan(steps) ? 1 : steps;
    v->global_batch_size = b * v->gradient_accumulation_steps * y->dp;
}

static void batch_of_nothing(struct study *y, struct llm_train_values *v)
{
    double steps = y->in->gradient_accumulation_steps;
    v->batch_size_per_gpu = v->max_batch_size_per_gpu;
    v->gradient_accumulation_steps = isnan(steps) ? 1 : steps;
    v->global_batch_size = v->batch_size_per_gpu * v->gradient_accumulation_steps * y->dp;
    if (v->max_batch_size_per_gpu < 1)
        refuse_batch(y, v);
}

static void take_batch(struct study *y, struct llm_train_values *v)
{
    const struct llm_inputs *in = y->in;
    double gbs = in->global_batch_size, b = in->batch_size_per_gpu, steps = in->gradient_accumulation_steps;
    v->batch_size_per_gpu = b;
    v->gradient_accumulation_steps = steps;
    v->global_batch_size = gbs;
    if (is_set(gbs) && is_set(b) && is_set(steps)) {
        if (gbs != b * steps * y->dp)
            reference_refuse(y->out, "gbs_not_mbs_ga_dp", "global batch %g is not %g x %g x dp %g", gbs, b, steps,
                             y->dp);
    } else if (is_set(gbs) && is_set(b)) {
        batch_of_two(y, v, b, "gbs_not_divisible_by_mbs_dp", &v->gradient_accumulation_steps);
    } else if (is_set(gbs) && is_set(steps)) {
        batch_of_two(y, v, steps, "gbs_not_divisible_by_ga_dp", &v->batch_size_per_gpu);
    } else if (is_set(b)) {
        batch_of_micro(y, v);
    } else if (is_set(gbs)) {
        batch_of_global(y, v);
    } else {
        batch_of_nothing(y, v);
    }
}

static void hold_activations(struct study *y, struct llm_train_values *v)
{
    double s = v->seq_len, b;
    struct keeping k = asked_keeping(y);
    struct kept one = kept_model(y, &k, 1, s), all;
    v->activation_memory_batch_size_1 = one.all;
    v->max_batch_size_per_gpu = floor(divide(y, v->memory_left, one.all));
    if (v->memory_left < one.all)
        warn(y->out, "mbs1_activation_over_memory");
    take_batch(y, v);
    b = v->batch_size_per_gpu;
    k.gated = false;
    all = b == 1 ? one : kept_model(y, &k, b, s);
    v->activation_memory_embedding_output = kept_logits(y, b, s);
    /* logits and last norm of a batch of one are in `one` already, and counted again */
    v->activation_memory = all.all + (b == 1 ? kept_logits(y, b, s) + kept_norm(y, &k, b, s) : 0);
    v->activation_memory_attn = all.attn;
    v->activation_memory_mlp = all.mlp;
    v->activation_memory_layernorm = all.norms;
    if (v->memory_left < v->activation_memory)
        warn(y->out, "activation_over_memory");
    v->memory_left -= v->activation_memory;
    v->total_memory = v->state_memory + v->activation_memory;
}

/* The comparison of its note is the wrong way round, and kept. */
static double recomputed_flops(struct study *y, double b, double s, double once)
{
    double level = y->in->activation_recomputation;
    if (level != RECOMPUTE_LEVEL_SELECTIVE)
        return level == RECOMPUTE_LEVEL_FULL ? once : 0;
    double again = 4 * b * s * s * y->m.hidden_dim * y->m.num_layers;
    if (again < 0.05 * once)
        warn(y->out, "recompute_flops_note");
    return again;
}

static void time_steps(struct study *y, struct llm_train_values *v)
{
    double b = v->batch_size_per_gpu, s = v->seq_len, once = flops_forward(y, b, s);
    v->num_flops_total_per_micro_batch = 3 * once + recomputed_flops(y, b, s, once);
    v->forward = forward(y, b, s, false);
    v->achieved_flops = peak_tflops(y);
    v->latency_per_micro_batch =
        divide(y, v->num_flops_total_per_micro_batch, y->tp * y->pp * v->achieved_flops * 1e12);
    v->latency_per_iter = v->latency_per_micro_batch * v->gradient_accumulation_steps;
}

static void time_training(struct study *y, struct llm_train_values *v)
{
    double tokens = v->total_num_tokens;
    v->total_training_latency = v->gpu_hours = NAN;
    if (isnan(tokens))
        return;
    if (tokens < 20 * y->params)
        warn(y->out, "below_chinchilla_20x");
    v->total_training_latency = v->latency_per_iter * trunc(divide(y, tokens, v->global_batch_size * v->seq_len));
    v->gpu_hours = v->total_training_latency * v->total_num_gpus / 3600;
    if (y->m.moe_num_experts != 1)
        return;
    double per_param = y->in->activation_recomputation == RECOMPUTE_LEVEL_FULL ? 8 : 6;
    double expected = divide(y, per_param * y->params * tokens, v->total_num_gpus * v->achieved_flops * 1e12);
    if (!(fabs(divide(y, v->total_training_latency - expected, expected)) < 0.05))
        warn(y->out, "differs_from_6ND");
}

static void report_settings(const struct study *y, struct llm_train_values *v)
{
    static const char *const stages[] = {"NONE", "STAGE_1", "STAGE_2", "STAGE_3"};
    static const char *const levels[] = {"NONE", "SELECTIVE", "FULL"};
    const struct llm_inputs *in = y->in;
    v->dp_size = y->dp;
    v->tp_size = y->tp;
    v->pp_size = y->pp;
    v->sp_size = y->sp;
    v->ep_size = y->ep;
    v->ds_zero = stages[(int)in->ds_zero];
    v->activation_recomputation = levels[(int)in->activation_recomputation];
    v->total_num_gpus = y->tp * y->pp * y->dp;
    v->total_num_tokens = in->total_num_tokens;
    v->num_params_total = y->params;
    v->num_active_params_total = y->active_params;
    v->layernorm_dtype_bytes = in->layernorm_dtype_bytes;
    v->mlp_activation_quant_bits = in->mlp_activation_quant_bits;
    v->mlp_recompute_gelu = in->mlp_recompute_gelu;
    v->flops_efficiency = y->flops_efficiency;
    v->hbm_memory_efficiency = y->hbm_efficiency;
}

/* Names and ranges, in the order of the original's constructors. Returns false when refused. */
static bool set_up(struct study *y, const struct reference_inputs *in, struct reference_answer *out, bool is_training)
{
    y->in = &in->of.llm;
    y->out = out;
    y->tp = y->in->tp_size;
    y->pp = y->in->pp_size;
    y->ep = is_training ? y->in->ep_size : 1;
    y->sp = or_else(y->in->sp_size, y->tp);
    y->dp = or_else(y->in->dp_size, 1);
    void (*const steps[])(struct study *) = {take_model, take_gpu, take_dtype, take_efficiencies, count_params};
    if (is_training)
        take_gpus(y);
    for (size_t i = 0; i < LENGTH(steps) && !out->rule; i++)
        steps[i](y);
    return !out->rule;
}

static void train(const struct reference_inputs *in, struct reference_answer *out)
{
    struct study y = {0};
    struct llm_train_values *v = &out->values.train;
    if (!set_up(&y, in, out, true))
        return;
    check_levels(&y, true);
    v->seq_len = take_sequence(&y);
    if (out->rule)
        return;
    if (y.in->ds_zero == 0)
        warn(out, "zero_off");
    report_settings(&y, v);
    hold_states(&y, v);
    hold_activations(&y, v);
    if (out->rule)
        return;
    time_steps(&y, v);
    time_training(&y, v);
}

const struct reference_function llm_train = {
    .estimator = REFERENCE_LLM, .name = "train", .help = "memory and time of training",
    .inputs = train_input_rows, .input_count = LENGTH(train_input_rows),
    .values = train_value_rows, .value_count = LENGTH(train_value_rows),
    .compute = train, .has_warnings = 1,
};

/* ---- inference -------------------------------------------------------------------------------------------------- */

/* Every stage is taken to hold all layers. */
static double hold_weights(struct study *y, struct llm_infer_values *v)
{
    struct states w = weights(y);
    v->weight_memory = on_gpu(&w, y->m.num_layers);
    v->weight_memory_embedding = w.embedding;
    double left = y->gpu.memory_gb * GIB - v->weight_memory;
    if (!(left > 0))
        reference_refuse(y->out, "infer_weights_over_memory", "weights take %.2f GiB of %g, %.2f short",
                         v->weight_memory / GIB, y->gpu.memory_gb, -left / GIB);
    return left;
}

static double prompt_activations(struct study *y, const struct keeping *k, double b, double s)
{
    return max(kept_layer(y, k, b, s).all, kept_logits(y, b, s));
}

static void prefill(struct study *y, struct llm_infer_values *v, double left)
{
    struct keeping k = plain_keeping(y, true);
    double b = v->batch_size_per_gpu, s = v->seq_len;
    v->prefill.max_batch_size = trunc(divide(y, left, prompt_activations(y, &k, 1, s)));
    v->prefill.activation_memory = prompt_activations(y, &k, b, s);
    if (!(left > v->prefill.activation_memory))
        reference_refuse(y->out, "infer_prefill_over_memory",
                         "the prompt takes %.2f GiB besides the weights; %.2f are left, %.2f short",
                         v->prefill.activation_memory / GIB, left / GIB, (v->prefill.activation_memory - left) / GIB);
    v->prefill.num_flops = flops_forward(y, b, s);
    v->prefill.forward = forward(y, b, s, true);
}

static double pivot(struct study *y)
{
    return divide(y, peak_tflops(y) * 1e12 * y->dtype.activation_bits / 8, hbm_bytes_s(y)) / 2;
}

static void hold_cache(struct study *y, struct llm_infer_values *v, double left)
{
    struct keeping k = plain_keeping(y, true);
    double b = v->batch_size_per_gpu, tokens = v->seq_len + v->num_tokens_to_generate;
    double bytes = isnan(y->in->kv_cache_dtype_bytes) ? y->dtype.activation_bits / 8 : y->in->kv_cache_dtype_bytes;
    double heads = max(y->m.num_key_value_heads / y->tp, 1), layers = trunc(divide(y, y->m.num_layers, y->pp));
    if (b * tokens < pivot(y))
        warn(y->out, "below_pivot_kv_cache");
    v->kv_cache_memory = 2 * b * tokens * (y->m.hidden_dim / y->m.n_head) * heads * bytes * layers;
    v->kv_cache_latency = divide(y, 2 * v->kv_cache_memory, hbm_bytes_s(y));
    v->decode.activation_memory = prompt_activations(y, &k, b, 1);
    double used = v->decode.activation_memory + v->kv_cache_memory;
    v->decode.max_batch_size = trunc(divide(y, left, divide(y, used, b)));
    if (!(left > used))
        reference_refuse(y->out, "infer_kv_over_memory",
                         "key/value cache and activations take %.2f GiB besides the weights; %.2f are left, %.2f short",
                         used / GIB, left / GIB, (used - left) / GIB);
}

static void hold_without_cache(struct study *y, struct llm_infer_values *v)
{
    struct keeping k = plain_keeping(y, true);
    double b = v->batch_size_per_gpu;
    v->decode.max_batch_size = v->prefill.max_batch_size;
    if (b > v->decode.max_batch_size)
        reference_refuse(y->out, "infer_kv_over_memory", "batch_size_per_gpu is %g; at most %g fit", b,
                         v->decode.max_batch_size);
    v->decode.activation_memory = kept_layer(y, &k, b, v->seq_len + v->num_tokens_to_generate).all;
}

static void decode(struct study *y, struct llm_infer_values *v, double left)
{
    bool has_cache = y->in->use_kv_cache > 0;
    double b = v->batch_size_per_gpu, s = has_cache ? 1 : floor((v->seq_len + v->num_tokens_to_generate) / 2);
    if (has_cache)
        hold_cache(y, v, left);
    else
        hold_without_cache(y, v);
    v->decode.num_flops = flops_forward(y, b, s);
    v->decode.forward = forward(y, b, s, true);
    v->decode.forward.total += v->kv_cache_latency;
}

static void total_up(struct study *y, struct llm_infer_values *v)
{
    double b = v->batch_size_per_gpu, n = v->num_tokens_to_generate;
    v->total_decode_latency = v->decode.forward.total * n;
    v->total_latency = v->prefill.forward.total + v->total_decode_latency;
    v->total_per_token_latency = divide(y, v->total_latency, n);
    v->decode.tokens_per_sec = divide(y, b, v->decode.forward.total);
    v->prefill.tokens_per_sec = divide(y, b * v->seq_len, v->prefill.forward.total);
    v->total_tokens_per_sec = divide(y, b, v->total_per_token_latency);
    v->prefill.cost_per_1k_tokens = v->decode.cost_per_1k_tokens = v->total_cost_per_1k_tokens = NAN;
    if (!is_set(y->in->cost_per_gpu_hour))
        return;
    double cost = 1000 * y->in->cost_per_gpu_hour * y->pp * y->tp / 3600;
    v->prefill.cost_per_1k_tokens = divide(y, cost, v->prefill.tokens_per_sec);
    v->decode.cost_per_1k_tokens = divide(y, cost, v->decode.tokens_per_sec);
    v->total_cost_per_1k_tokens = divide(y, cost, v->total_tokens_per_sec);
}

static void repeat_inputs(const struct study *y, struct llm_infer_values *v)
{
    v->batch_size_per_gpu = y->in->batch_size_per_gpu;
    v->seq_len = y->in->seq_len;
    v->num_tokens_to_generate = y->in->num_tokens_to_generate;
    v->tp_size = y->tp;
    v->ep_size = y->ep;
    v->pp_size = y->pp;
    v->flops_efficiency = y->flops_efficiency;
    v->hbm_memory_efficiency = y->hbm_efficiency;
    v->layernorm_dtype_bytes = y->in->layernorm_dtype_bytes;
    v->use_kv_cache = y->in->use_kv_cache > 0;
}

static void infer(const struct reference_inputs *in, struct reference_answer *out)
{
    struct study y = {0};
    struct llm_infer_values *v = &out->values.infer;
    if (!set_up(&y, in, out, false))
        return;
    if (y.hbm_efficiency > 0.8)
        warn(out, "hbm_eff_above_0.8_infer");
    check_levels(&y, false);
    repeat_inputs(&y, v);
    if (v->seq_len > y.m.max_seq_len)
        reference_refuse(out, "seq_len_above_max", "seq_len is %g; the model allows %g", v->seq_len, y.m.max_seq_len);
    double left = hold_weights(&y, v);
    if (out->rule)
        return;
    prefill(&y, v, left);
    if (!out->rule)
        decode(&y, v, left);
    if (!out->rule)
        total_up(&y, v);
}

const struct reference_function llm_infer = {
    .estimator = REFERENCE_LLM, .name = "infer", .help = "memory, latency and price of generation",
    .inputs = infer_input_rows, .input_count = LENGTH(infer_input_rows),
    .values = infer_value_rows, .value_count = LENGTH(infer_value_rows),
    .compute = infer, .has_warnings = 1,
};
