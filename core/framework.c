#include "core/framework.h"

#include <math.h>

#define END {PARAM_COUNT, 0}

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
                     {PARAM_framework_create_attention_mask, 1}, {PARAM_framework_p2p_scatter_gather, 0},
                     {PARAM_parallel_fsdp, FSDP_NONE}, END}},
    [FRAMEWORK_NANOTRON] = {
        .name = "nanotron", .version = "", .summary = "nanotron", .is_modelled = false,
        .fallback = {{PARAM_model_make_vocab_size_divisible_by, 1}, END}},
    [FRAMEWORK_NANOTRON_203] = {
        .name = "nanotron-203", .version = "", .summary = "nanotron with its pull request 203", .is_modelled = false,
        .fallback = {{PARAM_model_make_vocab_size_divisible_by, 1}, END}},
    [FRAMEWORK_NANOTRON_PRE203] = {
        .name = "nanotron-pre203", .version = "", .summary = "nanotron before its pull request 203", .is_modelled = false,
        .fallback = {{PARAM_model_make_vocab_size_divisible_by, 1}, END}},
    [FRAMEWORK_DEEPSPEED] = {
        .name = "deepspeed", .version = "", .summary = "DeepSpeed and Megatron-DeepSpeed", .is_modelled = false,
        .fallback = {{PARAM_model_make_vocab_size_divisible_by, 128}, END}},
    [FRAMEWORK_FSDP2] = {
        .name = "fsdp2", .version = "", .summary = "PyTorch fully sharded data parallelism", .is_modelled = false,
        .fallback = {{PARAM_model_make_vocab_size_divisible_by, 1}, {PARAM_parallel_fsdp, FSDP_FULL}, END}},
};

double framework_default(enum framework_id framework, enum param param)
{
    for (int i = 0; frameworks[framework].fallback[i].param != PARAM_COUNT; i++)
        if (frameworks[framework].fallback[i].param == param)
            return frameworks[framework].fallback[i].value;
    return NAN;
}
