/* core/reference/report.h - megatron-report: Megatron-LM's own theoretical memory report. */
#pragma once

#include "core/reference/member.h"

struct reference_function;

/** Megatron's arguments as they stand after its own checks; NAN is None. */
struct report_inputs {
    double num_layers, hidden_size, ffn_hidden_size, num_attention_heads, kv_channels, is_gqa, num_query_groups;
    double seq_length, micro_batch_size, vocab_size, make_vocab_size_divisible_by, padded_vocab_size, is_untied;
    struct reference_name normalization;
    double is_swiglu, has_bias;
    double num_experts, moe_ffn_hidden_size, moe_router_topk, shared_ffn_hidden_size, has_shared_gate, moe_latent_size;
    struct reference_list moe_layer_freq;
    double is_mla, q_lora_rank, kv_lora_rank, qk_head_dim, qk_pos_emb_head_dim, v_head_dim, mtp_num_layers;
    double tensor_parallel, pipeline_parallel, virtual_pipeline, context_parallel, expert_parallel,
        expert_tensor_parallel;
    double world_size, data_parallel_size, num_microbatches;
    double is_distributed_optimizer, is_sequence_parallel;
    struct reference_name recompute_granularity;
};

/** Parameter counts, bytes before rounding, and the three printed figures (MiB). */
struct report_values {
    double total_params, active_params, block_params, active_block_params, mtp_params, embedding_params;
    double most_loaded_params, tp_sharded_params, replicated_params, expert_params, other_shard_params;
    double expert_data_parallel_size, weight_and_optimizer_bytes;
    double with_sp_bytes, without_sp_bytes;
    const char *selected;
    double selected_bytes;
    double printed_weight, printed_activation, printed_total;
};

/**
 * Computes `values.report`. Source: megatron/training/theoretical_memory_usage.py of NVIDIA/Megatron-LM, commit
 * d98e8a64 (2026-08-22); activations after arXiv 2205.05198, table 2.
 */
extern const struct reference_function report_estimate;
