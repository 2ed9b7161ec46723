/* core/reference/llm.h - llm-analysis v0.2.2: training and inference with its names, rules and warnings. */
#pragma once

#include "core/reference/member.h"

struct reference_function;

/** A model in its vocabulary; NAN is None. */
struct llm_model {
    const char *name;
    double num_layers, n_head, hidden_dim, vocab_size, max_seq_len, num_key_value_heads, ffn_embed_dim, expansion_ratio;
    double moe_num_experts, moe_top_k;
};

/** A device in its vocabulary: GB are 2^30 bytes of memory, bandwidths 10^9 bytes a second. */
struct llm_gpu {
    const char *name;
    double memory_gb, hbm_gb_s, intra_node_gb_s, intra_node_latency_s, fp16_tflops, i8_tflops, i4_tflops,
        inter_node_gb_s;
};

/** A data type: bits of weights, activations and embeddings. */
struct llm_dtype {
    const char *name;
    double weight_bits, activation_bits, embedding_bits;
};

/** What it ships (core/reference/llm_names.c). */
extern const struct llm_model llm_models[];
extern const struct llm_gpu llm_gpus[];
extern const struct llm_dtype llm_dtypes[];
extern const int llm_model_count, llm_gpu_count, llm_dtype_count;

/** The shipped model, device or data type of this name, or NULL. */
const struct llm_model *llm_find_model(const char *name);
const struct llm_gpu *llm_find_gpu(const char *name);
const struct llm_dtype *llm_find_dtype(const char *name);

/** Arguments of both entry functions; a configuration given with the line takes the place of the name. */
struct llm_inputs {
    struct reference_name model_name, gpu_name, dtype_name;
    double batch_size_per_gpu, gradient_accumulation_steps, global_batch_size, seq_len, total_num_tokens;
    double activation_recomputation, ds_zero, dp_size, tp_size, pp_size, sp_size, ep_size, total_num_gpus;
    double layernorm_dtype_bytes, master_weights_dtype_bytes, other_op_bytes, flash_attn, softmax_dropout;
    double mlp_activation_quant_bits, mlp_1linear_quant_bits, mlp_gelu_input_quant_bits, mlp_2linear_quant_bits;
    double mlp_recompute_gelu, mlp_gated_linear_units, achieved_tflops, achieved_memory_bandwidth_GBs;
    double flops_efficiency, hbm_memory_efficiency, intra_node_memory_efficiency, inter_node_memory_efficiency;
    double num_gpus_per_node, num_tokens_to_generate, use_kv_cache, kv_cache_dtype_bytes, cost_per_gpu_hour;
    struct llm_model model; /* names in these three are not set */
    struct llm_gpu gpu;
    struct llm_dtype dtype;
};

/** Seconds of one forward pass. */
struct llm_forward {
    double total, attn, mlp, layernorm, tp_comm, input_embedding, output_embedding_loss;
};

/** The summary of train(): bytes, FLOP, seconds; achieved_flops in TFLOP/s. */
struct llm_train_values {
    double batch_size_per_gpu, max_batch_size_per_gpu, gradient_accumulation_steps, global_batch_size;
    double dp_size, tp_size, pp_size, sp_size, ep_size;
    const char *ds_zero;
    double total_num_gpus, seq_len, total_num_tokens, num_params_total, num_active_params_total;
    const char *activation_recomputation;
    double layernorm_dtype_bytes, mlp_activation_quant_bits, mlp_recompute_gelu;
    double achieved_flops, flops_efficiency, hbm_memory_efficiency, num_flops_total_per_micro_batch;
    double weight_memory, weight_memory_embedding, weight_memory_attn, weight_memory_mlp, weight_memory_layernorm;
    double gradient_memory, optimizer_state_memory, state_memory;
    double activation_memory_batch_size_1, activation_memory, activation_memory_attn, activation_memory_mlp;
    double activation_memory_layernorm, activation_memory_embedding_output, total_memory, memory_left;
    double latency_per_micro_batch;
    struct llm_forward forward;
    double latency_per_iter, total_training_latency, gpu_hours;
};

/** Latency, speed and price of one phase of generation. */
struct llm_phase {
    double activation_memory, max_batch_size, num_flops;
    struct llm_forward forward; /* decoding: `total` includes reading and writing the key/value cache */
    double tokens_per_sec, cost_per_1k_tokens;
};

/** The summary of infer(). */
struct llm_infer_values {
    double batch_size_per_gpu, seq_len, tp_size, ep_size, pp_size, num_tokens_to_generate;
    double flops_efficiency, hbm_memory_efficiency, layernorm_dtype_bytes, use_kv_cache;
    double kv_cache_latency, kv_cache_memory, weight_memory, weight_memory_embedding;
    struct llm_phase prefill, decode;
    double total_decode_latency, total_latency, total_per_token_latency, total_tokens_per_sec, total_cost_per_1k_tokens;
};

/**
 * Compute `values.train` and `values.infer`. Source: llm_analysis/analysis.py and config.py of cli99/llm-analysis, tag
 * v0.2.2 (commit 0571436). Where nothing fits and no batch was asked, it goes on with a batch of zero or less; here
 * that is refused with the shortfall.
 */
extern const struct reference_function llm_train, llm_infer;
