#include "core/plan/framework.h"

#include <math.h>

#define END {PARAM_COUNT, 0}

/* hardware.fragmentation 1.2: median of reserved over allocated memory in 72 logged stages of BigScience, PyTorch of 2021. */

const struct framework frameworks[FRAMEWORK_COUNT] = {
    [FRAMEWORK_MEGATRON_CORE] = {
        .name = "megatron-core", .version = "NVIDIA/Megatron-LM d98e8a6 (2026-08) with TransformerEngine",
        .summary = "Megatron-LM today: fused norms and activations, distributed optimizer over dp x cp", .is_modelled = true,
        .fallback = {{PARAM_model_make_vocab_size_divisible_by, 128}, {PARAM_train_fused_glu, 1},
                     {PARAM_framework_transformer_impl, IMPL_TE}, {PARAM_framework_gradient_accumulation_fusion, 1},
                     {PARAM_framework_create_attention_mask, 1}, {PARAM_framework_p2p_scatter_gather, 0},
                     {PARAM_parallel_fsdp, FSDP_NONE}, END}},
    [FRAMEWORK_MEGATRON_2023] = {
        .name = "megatron-2023", .version = "NVIDIA/Megatron-LM 99b044b (2023-08)",
        .summary = "Megatron-LM of 2023: unfused SwiGLU, out-of-place loss", .is_modelled = true,
        .fallback = {{PARAM_model_make_vocab_size_divisible_by, 128}, {PARAM_train_fused_glu, 0},
                     {PARAM_framework_transformer_impl, IMPL_LOCAL}, {PARAM_framework_gradient_accumulation_fusion, 1},
                     {PARAM_framework_create_attention_mask, 1},
                     {PARAM_parallel_fsdp, FSDP_NONE}, {PARAM_hardware_fragmentation, 1.2}, END}},
    [FRAMEWORK_NANOTRON] = {
        .name = "nanotron", .version = "huggingface/nanotron 2411b02 (2026-04)",
        .summary = "nanotron today: gathers again in backward, unfused gated activation", .is_modelled = true,
        .fallback = {{PARAM_model_make_vocab_size_divisible_by, 1}, {PARAM_framework_accumulate_grad_fp32, 1},
                     {PARAM_framework_create_attention_mask, 0}, {PARAM_framework_p2p_scatter_gather, 0},
                     {PARAM_framework_transformer_impl, IMPL_LOCAL}, {PARAM_framework_gradient_accumulation_fusion, 0},
                     {PARAM_parallel_fsdp, FSDP_NONE}, {PARAM_train_fused_glu, 0}, END}},
    [FRAMEWORK_NANOTRON_203] = {
        .name = "nanotron-203", .version = "huggingface/nanotron 4eb520f (2024-08, pull request 203)",
        .summary = "nanotron with pull request 203: gathers again in backward, fused gated activation", .is_modelled = true,
        .fallback = {{PARAM_model_make_vocab_size_divisible_by, 1}, {PARAM_framework_accumulate_grad_fp32, 1},
                     {PARAM_framework_create_attention_mask, 0}, {PARAM_framework_p2p_scatter_gather, 0},
                     {PARAM_framework_transformer_impl, IMPL_LOCAL}, {PARAM_framework_gradient_accumulation_fusion, 0},
                     {PARAM_parallel_fsdp, FSDP_NONE}, {PARAM_train_fused_glu, 1}, END}},
    [FRAMEWORK_NANOTRON_PRE203] = {
        .name = "nanotron-pre203", .version = "huggingface/nanotron before 4eb520f (2024-08)",
        .summary = "nanotron before pull request 203: keeps gathered inputs, unfused gated activation", .is_modelled = true,
        .fallback = {{PARAM_model_make_vocab_size_divisible_by, 1}, {PARAM_framework_accumulate_grad_fp32, 1},
                     {PARAM_framework_create_attention_mask, 0}, {PARAM_framework_p2p_scatter_gather, 0},
                     {PARAM_framework_transformer_impl, IMPL_LOCAL}, {PARAM_framework_gradient_accumulation_fusion, 0},
                     {PARAM_parallel_fsdp, FSDP_NONE}, {PARAM_train_fused_glu, 0}, END}},
    [FRAMEWORK_DEEPSPEED] = {
        .name = "deepspeed", .version = "deepspeedai/DeepSpeed edaa722 (2026) and Megatron-DeepSpeed of 2021-2023",
        .summary = "ZeRO stages 0 to 3, pipeline of DeepSpeed-3D, unfused layers", .is_modelled = true,
        .fallback = {{PARAM_model_make_vocab_size_divisible_by, 128}, {PARAM_framework_accumulate_grad_fp32, 0},
                     {PARAM_framework_create_attention_mask, 1}, {PARAM_framework_p2p_scatter_gather, 0},
                     {PARAM_framework_transformer_impl, IMPL_LOCAL}, {PARAM_framework_gradient_accumulation_fusion, 0},
                     {PARAM_parallel_fsdp, FSDP_NONE}, {PARAM_train_fused_glu, 0}, {PARAM_hardware_fragmentation, 1.2}, END}},
    [FRAMEWORK_FSDP2] = {
        .name = "fsdp2", .version = "pytorch/torchtitan 9dec370 (2024-12) and PyTorch FSDP2",
        .summary = "fully sharded data parallelism: weights, gradients and moments in fp32 shards", .is_modelled = true,
        .fallback = {{PARAM_model_make_vocab_size_divisible_by, 1}, {PARAM_framework_accumulate_grad_fp32, 0},
                     {PARAM_framework_create_attention_mask, 0}, {PARAM_framework_p2p_scatter_gather, 0},
                     {PARAM_framework_transformer_impl, IMPL_LOCAL}, {PARAM_framework_gradient_accumulation_fusion, 0},
                     {PARAM_parallel_fsdp, FSDP_FULL}, {PARAM_train_fused_glu, 1},
                     {PARAM_hardware_fixed_overhead_ms, 12}, END}},
};

double framework_default(enum framework_id framework, enum param param)
{
    for (int i = 0; frameworks[framework].fallback[i].param != PARAM_COUNT; i++)
        if (frameworks[framework].fallback[i].param == param)
            return frameworks[framework].fallback[i].value;
    return NAN;
}
