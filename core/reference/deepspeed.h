/* core/reference/deepspeed.h - deepspeed: the memory-need functions for ZeRO-2 and ZeRO-3 that DeepSpeed ships. */
#pragma once

#include "core/reference/member.h"

struct reference_function;

/** Arguments of both functions; ZeRO-2 has no largest layer, parameter offload or zero.Init. */
struct deepspeed_inputs {
    double total_params, largest_layer_params, gpus_per_node, nodes, offload_optimizer, offload_param, zero_init;
    double additional_buffer_factor;
};

/** Whole bytes: host memory of a node, device memory of a GPU, and of that the largest layer (ZeRO-3). */
struct deepspeed_values {
    double cpu_bytes, gpu_bytes, largest_layer_bytes;
};

/**
 * Compute `values.deepspeed`. Source: estimate_zero2_model_states_mem_needs and estimate_zero3_model_states_mem_needs
 * of deepspeedai/DeepSpeed, commit edaa72212.
 */
extern const struct reference_function deepspeed_zero2, deepspeed_zero3;
