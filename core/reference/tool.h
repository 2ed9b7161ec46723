/* core/reference/tool.h - megatron-tool: the analysis tool for Megatron-LM of 2023. */
#pragma once

#include "core/reference/member.h"

struct reference_function;

/** The flags that the tool reads; names in files are the flags themselves. */
struct tool_inputs {
    double num_layers, hidden_size, num_attention_heads, seq_length, max_position_embeddings;
    double vocab_entries, make_vocab_size_divisible_by, micro_batch_size, global_batch_size;
    double tensor_parallel, pipeline_parallel, nproc_per_node, nnodes;
    double is_bf16, is_fp16, is_flash, is_distributed_optimizer, is_swiglu;
};

enum { TOOL_PP, TOOL_DP, TOOL_TP, TOOL_ALL, TOOL_COMM_COUNT };

/** What the tool prints, before it rounds; `printed_` members are rounded as it prints them (GiB). */
struct tool_values {
    struct {
        double world_size, data_parallel_size, num_micro_batches, padded_vocab_size, ffn_hidden_size;
        double layers_per_stage, bytes_per_element;
    } derived;
    struct {
        double params, param_bytes, grad_bytes, optimizer_bytes, activation_bytes, total_bytes;
        double embedding_act_bytes, layer_act_bytes, word_embedding_bytes, position_embedding_bytes;
        double printed_params, printed_grads, printed_optimizer, printed_activations, printed_total;
    } full;
    struct {
        double params_exact, params_printed, param_bytes, grad_bytes, optimizer_bytes, activation_bytes;
        double loss_logits_bytes, peak_candidate_init_bytes, peak_candidate_forward_bytes, peak_bytes;
        double printed_params, printed_grads, printed_optimizer, printed_activations, printed_peak;
    } gpu;
    struct {
        double cluster_frequency, cluster_bytes, per_gpu_frequency, single_message_bytes, per_gpu_bytes;
    } pp;
    struct {
        double frequency, summary_bytes, each_collective_bytes;
    } dp;
    struct {
        double cluster_frequency, cluster_bytes, micro_batch_frequency, micro_batch_bytes;
        double iteration_frequency, iteration_bytes;
    } tp;
    struct {
        double frequency, bytes;
    } all;
    struct {
        double frequency[TOOL_COMM_COUNT], gib[TOOL_COMM_COUNT];
        const char *order[TOOL_COMM_COUNT];
    } printed;
    struct reference_stages stages;
    struct reference_groups tp_groups, pp_groups, dp_groups;
};

/**
 * Computes `values.tool`. Source: get_training_info.py of yxyOo/Megatron-LM, commit 9771366 (2023-09-02), whose
 * closed forms are restated here.
 */
extern const struct reference_function tool_analyze;
