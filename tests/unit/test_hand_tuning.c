/*
 * Fine-tuning worked by hand, one row a case: Mistral-7B and Llama-3-8B with Hugging Face modules, as measured by FMS
 * (foundation-model-stack/fms-acceleration, a100_80gb.csv at 876e2ed) to 0.05 %, on this device's larger workspaces.
 */
#include "core/estimate/timeline.h"
#include "core/show/components.h"
#include "tests/hand.h"

#undef L
#undef V
#define T       16384.0 /* four sequences of 4096 tokens */
#define L       32.0
#define V       32000.0
#define BLAS    (2 * 32 * 1048576.0)
#define P       7241732096.0
#define ENDS    524820480.0 /* embedding, output layer and norms, two bytes a value */
#define LINEARS 6979321856.0
#define R       13631488.0 /* adapters of rank 16 on queries, keys, values and the output projection */
#define BATCH   (24 * T)
#define LAYER   ((P - 2 * V * 4096 - 4096) / L)
/* of a layer for each rank: Zhao et al. 2024, m + 2n of every matrix of m x n, m <= n */
#define GALORE_HEADS (2 * 3 * 4096 + 2 * (1024 + 2 * 4096.0))
#define GALORE_FEED  (3 * (4096 + 2 * 14336.0))
#define GALORE       (GALORE_HEADS + GALORE_FEED)

#define MISTRAL                                                                                                        \
    " num_layers=32 hidden_size=4096 ffn_hidden_size=14336 num_attention_heads=32 num_query_groups=8 vocab_size=32000" \
    " seq_length=4096 micro_batch_size=4 gated_mlp=true dp=1 recompute=full framework.name=hf-trainer-4.48 "
#define GRPO  "workload=rl rl.program=trl rl.algorithm=grpo rl.max_prompt=3072 rl.max_answer=1024"
#define LORA  MISTRAL "peft=lora lora_rank=16 lora_targets=[q,k,v,o] lora_dropout=0.1 mixed_precision=none "
#define QLORA MISTRAL "peft=qlora lora_rank=16 lora_targets=[q,k,v,o] lora_dropout=0.1 double_quant=true "
#define FULL  MISTRAL "main_param_dtype=bf16 mixed_precision=none "

/* One expert a rank, states over all eight; the router, the norms and both ends have whole moments. */
#define SPREAD                                                                                                         \
    " num_layers=32 hidden_size=4096 ffn_hidden_size=14336 num_attention_heads=32 num_query_groups=8 vocab_size=32000" \
    " seq_length=4096 gated_mlp=true num_experts=8 moe_router_topk=2 moe_ffn_hidden_size=14336 nodes=1"                \
    " gpus_per_node=8 ep=8 zero_stage=1 optimizer=galore galore_rank=128 framework.name=megatron-core "
#define HEADS  (2 * 4096 * 4096 + 2 * 1024 * 4096.0)
#define FEED   (3 * 4096 * 14336.0)
#define OTHERS (L * (2 * 4096 + 8 * 4096) + 4096 + 2 * V * 4096)

/* Each rank holds two of four stages. */
#define BOTH_WAYS                                                                                                      \
    " num_layers=32 hidden_size=4096 ffn_hidden_size=14336 num_attention_heads=32 num_query_groups=8 vocab_size=32000" \
    " seq_length=4096 gated_mlp=true nodes=1 gpus_per_node=8 pp=4 schedule=dualpipe global_batch_size=32"              \
    " framework.name=megatron-core "

/* What is stored: weights, scales, adapters, states. */
static const struct hand stored[] = {
    {LORA, "stage.0.params", P},
    {LORA, "stage.0.adapters", L * 16 * (2 * 4096 + 2 * (4096 + 1024) + 2 * 4096)},
    {LORA, "stage.0.trained", R},
    {LORA, "stage.0.primary_bytes", 2 * LINEARS + ENDS},
    {LORA, "stage.0.adapter_bytes", 4 * R},
    {LORA, "stage.0.optimizer_bytes", 8 * R},
    {LORA "optimizer=paged_adam8bit", "stage.0.optimizer_bytes", 0},
    {LORA "optimizer=paged_adam8bit", "stage.0.paged_bytes", (2 + 8 / 256.0) * R},
    /* bitsandbytes optim/lion.py: one state of a byte, with an fp32 scale for each block of 256 */
    {LORA "optimizer=lion8bit", "stage.0.optimizer_bytes", (1 + 4 / 256.0) * R},
    {LORA "optimizer=paged_lion8bit", "stage.0.paged_bytes", (1 + 4 / 256.0) * R},
    {LORA "lora_dtype=bf16", "stage.0.optimizer_bytes", 4 * R},
    {LORA "lora_targets=[c_attn]", "stage.0.trained", L * 16 * (4096 + 6144)},
    {LORA "lora_targets=[all]", "stage.0.trained", R + L * 16 * 3 * (4096 + 14336)},
    {LORA "lora_targets=[q] peft=dora", "stage.0.trained", L * (16 * 2 * 4096 + 4096)},
    {LORA "lora_targets=[lm_head]", "stage.0.trained", 16 * (4096 + V)},
    {LORA "modules_to_save=[wte,lm_head]", "stage.0.trained", R + 2 * V * 4096},
    {LORA "modules_to_save=[wte,lm_head]", "stage.0.adapter_bytes", 4 * R},
    {LORA "modules_to_save=[wte,lm_head]", "stage.0.saved_modules_bytes", 4 * 2 * V * 4096},
    {LORA "modules_to_save=[wte,lm_head] gradient_accumulation_steps=2", "stage.0.saved_modules_gradients_bytes",
     4 * 2 * V * 4096},
    {LORA "modules_to_save=[wte,lm_head]", "stage.0.saved_modules_states_bytes", 8 * 2 * V * 4096},
    {LORA "modules_to_save=[wte,lm_head] zero_stage=2 dp=4", "stage.0.saved_modules_states_bytes",
     8 * 2 * V * 4096 / 4},
    {LORA "modules_to_save=[norms]", "stage.0.trained", R + (2 * L + 1) * 4096},
    {LORA "modules_to_save=[input_layernorm]", "step.trained_params", R + (2 * L + 1) * 4096},
    {QLORA, "stage.0.primary_bytes", LINEARS / 2 + ENDS},
    {QLORA, "stage.0.quant_constants_bytes", LINEARS / 64 * (1 + 4 / 256.0) + L * 7 * 1024},
    {QLORA "double_quant=false", "stage.0.quant_constants_bytes", LINEARS / 64 * 4 + L * 7 * 512},
    {QLORA "quant_dtype=gptq4", "stage.0.quant_constants_bytes", LINEARS / 128 * 2.5 + L * 4 * (6 * 4096 + 14336)},
    {QLORA, "stage.0.shard_bytes", LINEARS / 2 + ENDS},
    {QLORA "quant_dtype=gptq8", "stage.0.primary_bytes", LINEARS + ENDS},
    {QLORA "quant_dtype=gptq8", "stage.0.quant_constants_bytes", LINEARS / 128 * 3 + L * 4 * (6 * 4096 + 14336)},
    {QLORA "quant_dtype=int8", "stage.0.quant_constants_bytes", L * 4 * (4096 + 2 * 1024 + 4096 + 2 * 14336 + 4096)},
    {QLORA "norm_dtype=fp32", "stage.0.upcast_bytes", 2 * (2 * L + 1) * 4096},
    {QLORA "upcast=all", "stage.0.upcast_bytes", 2 * ((2 * L + 1) * 4096 + 2 * V * 4096)},
    {QLORA "framework.name=torchtune lora_targets=[q,v]", "stage.0.quantised_dense", L * 4096 * (4096 + 1024)},
    {FULL, "stage.0.trained", P},
    {FULL "frozen=embeddings", "stage.0.trained", P - 2 * V * 4096 - 4096},
    /* DeepSpeed's engine: 16-bit weights, fp32 copies and moments of a part */
    {MISTRAL "zero_stage=1 dp=4", "stage.0.primary_bytes", 2 * P},
    {MISTRAL "zero_stage=2 dp=4", "stage.0.optimizer_bytes", 12 * P / 4},
    {MISTRAL "zero_stage=2 dp=4", "stage.0.autocast_bytes", 0},
    {MISTRAL "zero_stage=3 dp=4", "stage.0.primary_bytes", 2 * P / 4},
    {FULL "frozen=norms", "stage.0.trained", P - (2 * L + 1) * 4096},
    {FULL "frozen=layers:0-27", "stage.0.trained", 4 * LAYER + 2 * V * 4096 + 4096},
    {FULL "frozen=layers:0-27", "stage.0.idle_layers", 0}, /* gradients reach the embedding */
    {FULL "frozen=[embeddings,layers:0-27]", "stage.0.trained", 4 * LAYER},
    {FULL "frozen=all-but:layers:28-31", "stage.0.trained", 4 * LAYER},
    {FULL "frozen=all-but:layers:28-31", "stage.0.optimizer_bytes", 4 * 4 * LAYER},
    {FULL "frozen=all-but:layers:28-31", "stage.0.idle_layers", 28},
    {FULL "frozen=all-but:layers:28-31", "stage.0.in_flight_bytes", 4 * T * 2 * 4096},
    /* through those above, to where they are */
    {FULL "frozen=all-but:layers:4-7", "stage.0.in_flight_bytes", 28 * T * 2 * 4096},
    {FULL "frozen=all-but:layers:28-31 pp=2", "stage.0.trained", 0},
    {FULL "frozen=all-but:layers:28-31 pp=2", "stage.1.idle_layers", 12},
    {FULL "frozen=all-but:layers:28-31", "model.trainable", 4 * LAYER},
    {FULL "frozen=all-but:layers:28-31", "model.frozen", P - 4 * LAYER},
    {FULL "frozen=all-but:layers:28-31 num_experts=4 moe_router_topk=2", "stage.0.fixed_moe_layers", 28},
    /* its rank holds the first stage and the last */
    {BOTH_WAYS "frozen=layers:0-31", "stage.0.trained", 2 * V * 4096 + 4096},
    {BOTH_WAYS "frozen=layers:0-7", "stage.3.trained", 8 * LAYER + 2 * V * 4096 + 4096},
    {BOTH_WAYS "frozen=layers:0-7", "stage.2.trained", 16 * LAYER},
    {FULL "frozen=all-but:layers:-4", "stage.0.trained", 4 * LAYER},
    /* fp32 where trained */
    {MISTRAL "framework.name=llama-factory frozen=all-but:layers:-4", "stage.0.primary_bytes", 2 * P + 2 * 4 * LAYER},
    {MISTRAL "framework.name=llama-factory", "stage.0.primary_bytes", 4 * P},
    {MISTRAL "frozen=all-but:layers:-4", "stage.0.primary_bytes", 4 * P},
    {FULL "optimizer=galore galore_rank=128", "stage.0.optimizer_bytes", 4 * (P - LINEARS) + 2 * L * 128 * GALORE},
    {FULL "optimizer=galore galore_rank=16 frozen=all-but:layers:31", "stage.0.optimizer_bytes",
     4 * 2 * 4096 + 2 * 16 * GALORE},
    {SPREAD, "stage.0.optimizer_bytes", /* over eight ranks, but those of the one expert that only this rank has */
     (12 * OTHERS + 4 * L * HEADS + 4 * L * 128 * GALORE_HEADS) / 8 + 4 * L * (FEED + 128 * GALORE_FEED)},
    {FULL "optimizer=galore", "model.optimizer_bytes", 4 * (P - LINEARS) + 2 * L * 128 * GALORE},
};

/* Allocated after a step. */
static const struct hand steady[] = {
    {LORA, "stage.0.steady_bytes", 14483464192 + 12 * R + BLAS + BATCH},
    {QLORA, "stage.0.steady_bytes", 4306477056 - 17039360 + BLAS},
    {QLORA "norm_dtype=fp32", "stage.0.steady_bytes", 4307009536 - 17039360 + BLAS},
    {FULL, "stage.0.steady_bytes", 6 * P + BLAS + BATCH},
    {FULL "fsdp=full dp=2 micro_batch_size=2", "stage.0.steady_bytes", 8 * P / 2 + BLAS + BATCH / 2},
    {MISTRAL "fsdp=full dp=4", "stage.0.steady_bytes", 16 * P / 4 + BLAS + BATCH},
    {LORA "fsdp=full dp=2 micro_batch_size=2", "stage.0.steady_bytes", P + 8 * R + BLAS + BATCH / 2},
    {QLORA "quant_dtype=gptq4", "stage.0.steady_bytes", 4336787456 - 17039360 + BLAS},
};

/* At the peak. */
static const struct hand peaks[] = {
    {LORA, "stage.0.allocated_bytes", 26702454784 - 17039360 + BLAS},
    {QLORA, "stage.0.allocated_bytes", 16371720192 - 17039360 + BLAS},
    {QLORA "norm_dtype=fp32", "stage.0.allocated_bytes", 20667219968 - 17039360 + BLAS},
    {LORA "fast_kernels=unsloth", "stage.0.allocated_bytes", 24471085056 - 17039360 + BLAS},
    {FULL, "stage.0.at_step", 1},
    {FULL, "stage.0.allocated_bytes", 10 * P + BLAS + BATCH},
    {FULL "fsdp=full dp=2 micro_batch_size=2", "stage.0.allocated_bytes", 10 * P / 2 + BLAS + BATCH / 2},
    {MISTRAL "fsdp=full dp=4", "stage.0.allocated_bytes", 20 * P / 4 + BLAS + BATCH},
    {FULL "optimizer=adamw_fused", "stage.0.step_bytes", 0},
    {LORA "framework.name=hf-trainer-4.45", "stage.0.loss_peak_bytes", T * (6 * 4096 + 4 + 12 * V + 16)},
    {LORA "framework.name=hf-trainer framework.version=transformers==4.45.2,peft==0.13", "stage.0.loss_peak_bytes",
     T * (6 * 4096 + 4 + 12 * V + 16)},
    {LORA "framework.name=hf-trainer framework.version=transformers-4.46.0", "stage.0.loss_peak_bytes",
     T * (6 * 4096 + 4 + 14 * V + 16)},
    /* retained: the inputs of 32 layers, the gradients of 31, and those of one layer's backward */
    {LORA "fsdp=full dp=2 micro_batch_size=2", "stage.0.end_bytes", 2 * 31 * 2 * 4096 * T / 2},
    {LORA "fsdp=full dp=2 checkpoint_reentrant=false", "stage.0.end_bytes", 2 * 4096 * T},
    {LORA "fsdp=full dp=2 micro_batch_size=2", "stage.0.retained_bytes", 2 * 31 * 2 * 4096 * T / 2},
    {LORA "fsdp=full dp=2 checkpoint_reentrant=false", "stage.0.retained_bytes", 0},
    {LORA, "stage.0.base_weights_bytes", 2 * P},
    {LORA, "step.weights_bytes", 4 * R}, /* a checkpoint holds the adapters */
    {FULL, "step.weights_bytes", 2 * P},
    {LORA "optimizer_in_backward=true tied_embeddings=true", "stage.0.gradients_all_bytes", 4 * 2 * V * 4096},
};

/* Llama-3-8B with fused kernels, autocast, 16 sequences: what a layer keeps for a token, and its backward. */
#define LLAMA                                                                                                          \
    LLAMA3_8B " seq_length=4096 micro_batch_size=16 dp=1 recompute=full framework.name=hf-trainer-4.45 peft=lora"      \
              " lora_rank=16 lora_targets=[q,k,v,o] lora_dropout=0.1 fast_kernels=unsloth framework.loss=liger_flce "
static const struct hand layers[] = {
    {LLAMA, "stage.0.dense_saved", 164104 * 4 * T},
    {LLAMA, "stage.0.layer_backward_bytes", 266504 * 4 * T},
    {LLAMA, "symbols.loss_chunk_bytes", 2 * 4096 * 4 * T + 2 * 128256 * 2048.0},
    {LLAMA, "stage.0.autocast_bytes", 2 * R},
    {LLAMA "micro_batch_size=4 lora_dropout_kept=false", "op.QKV.saved", 2 * (4096 + 3 * 16) * T},
    {LLAMA "micro_batch_size=4 lora_dropout=0", "op.QKV.saved", 2 * (4096 + 3 * 16) * T},
    {LLAMA "micro_batch_size=4 mixed_precision=none", "op.QKV.saved", (5 * 3 * 4096 + 4 * 3 * 16) * T},
    {LLAMA "micro_batch_size=4 lora_targets=[down]", "op.FC2.saved", (3 * 14336 + 2 * 16) * T},
    {LLAMA "micro_batch_size=4 peft=none", "op.FC2.saved", 2 * 14336 * T},
};

/*
 * What it takes: the update, launches of 20 us of which three quarters count without recomputation, weights
 * dequantised.
 */
#define FC1 (2 * 4096 * 14336.0)
static const struct hand times[] = {
    {FULL, "symbols.norm2_bytes", 4 + 2}, /* the input in fp32, and what the trained weight multiplies */
    {FULL, "symbols.norm1_bytes", 4 + 2},
    {FULL "normalization=layernorm", "symbols.norm2_bytes", 4},
    {LORA, "symbols.norm2_bytes", 4},
    {FULL, "symbols.step_bytes_owned", (72 + 12) / 2.0}, /* all states in 16 bits */
    {FULL "optimizer=adamw_fused", "symbols.step_bytes_owned", (28 + 12) / 2.0},
    {FULL "framework.name=torchtune", "symbols.step_bytes_owned", 28 / 2.0},
    {LORA, "symbols.step_bytes_owned", 72 + 12},
    {FULL DEVICE "optimizer=adamw_fused", "step.optimizer_s", 20 * P / MEMORY},
    /* gradients are not cleared but freed */
    {FULL, "symbols.memory_traffic_factor", 1},
    {FULL "compile=true", "symbols.memory_traffic_factor", 0.8},
    {FULL "compile=true", "symbols.rotary_factor", 1},
    {LORA, "symbols.layer_host_ms", (106 + 4 * 29) * 0.015},
    {QLORA, "symbols.layer_host_ms", (106 + 4 * 29 + 7 * 9) * 0.015},
    {QLORA "quant_dtype=gptq4", "symbols.layer_host_ms", (106 + 4 * 29 + 7 * 27) * 0.015},
    {QLORA "quant_dtype=gptq4 lora_targets=[c_attn]", "symbols.layer_host_ms", (106 + 29 + 5 * 27) * 0.015},
    {QLORA "quant_dtype=gptq4 fast_kernels=unsloth", "symbols.layer_host_ms", (106 + 4 * 29 + 7 * 9) * 0.015},
    {QLORA "fast_kernels=unsloth", "symbols.adapter_read", 2}, /* matmul_lora in kernels of its own */
    {LORA "fast_kernels=unsloth", "symbols.adapter_read", 19},
    {LORA "framework.name=unsloth", "symbols.adapter_read", 2},
    /* in 16 bits a product reads its input; dropout reads, writes and keeps a mask before it */
    {LORA "lora_dtype=bf16", "symbols.adapter_read", 2 + 2 + 2 + 1},
    {LORA "lora_dtype=bf16 lora_dropout=0", "symbols.adapter_read", 2},
    {LORA "lora_dtype=bf16 lora_dropout=0", "symbols.adapter_read_back", 13 - 5},
    {LORA "lora_dtype=bf16", "symbols.adapter_read_back", 13},
    {LORA "lora_dtype=bf16", "symbols.adapter_write", 12},
    {LORA "lora_dtype=bf16", "symbols.adapter_write_back", 6},
    {LORA, "symbols.adapter_write", 28}, /* in fp32, whose values are cast there and back */
    {LORA, "symbols.adapter_read_back", 29},
    {LORA, "symbols.adapter_write_back", 18},
    {QLORA, "symbols.adapter_read", 23},
    {QLORA, "symbols.adapter_write", 12},
    {QLORA "fast_kernels=unsloth", "symbols.adapter_write", 4},
    {QLORA "fast_kernels=unsloth", "symbols.adapter_read_back", 10},
    {QLORA "fast_kernels=unsloth", "symbols.adapter_write_back", 6},
    {LORA "framework.name=unsloth", "symbols.adapter_write", 4},
    {LORA "framework.name=unsloth", "symbols.adapter_read_back", 10},
    {LORA "framework.name=unsloth", "symbols.adapter_write_back", 6},
    {LORA, "symbols.loss_factor", 2}, /* logits are cast to fp32 */
    {LORA "fast_kernels=unsloth", "symbols.loss_factor", 1},
    {LORA, "symbols.norm_factor", 8.75},
    {LORA "norm_dtype=fp32", "symbols.norm_factor", 8.75 / 2},
    {LORA "fast_kernels=liger", "symbols.norm_factor", 1},
    {LORA "compile=true", "symbols.norm_factor", 1},
    {LORA, "symbols.rotary_factor", 4},
    {LORA "fast_kernels=liger", "symbols.rotary_factor", 1},
    {LORA, "symbols.batch_token_bytes", 24}, /* int64 inputs, labels and mask */
    {LORA "framework.name=torchtune", "symbols.batch_token_bytes", 16},
    {LORA "framework.name=litgpt", "symbols.batch_token_bytes", 16},
    {LORA "framework.name=fsdp-qlora", "symbols.batch_token_bytes", 16},
    /* bytes a logit: shifted labels, and the loss in fp32 or, in models of GPT-2's kind, 16 bits */
    {LORA, "symbols.loss_bytes_per_logit", 14},
    {LORA "gated_mlp=false", "symbols.loss_bytes_per_logit", 8},
    {LORA "fast_kernels=unsloth", "symbols.loss_bytes_per_logit", 10},
    {LORA "fast_kernels=unsloth gated_mlp=false", "symbols.loss_bytes_per_logit", 6},
    {LORA "framework.name=hf-trainer-4.45", "symbols.loss_bytes_per_logit", 12},
    {LORA "framework.name=hf-trainer-4.45 gated_mlp=false", "symbols.loss_bytes_per_logit", 8},
    {LORA "framework.name=hf-trainer-4.45 fast_kernels=unsloth", "symbols.loss_bytes_per_logit", 8},
    {LORA "framework.name=hf-trainer-4.45 fast_kernels=unsloth gated_mlp=false", "symbols.loss_bytes_per_logit", 6},
    {LORA "framework.name=hf-trainer", "symbols.loss_bytes_per_logit", 12},
    {LORA "framework.name=hf-trainer fast_kernels=unsloth", "symbols.loss_bytes_per_logit", 8},
    {LORA "framework.name=hf-trainer fast_kernels=liger", "symbols.loss_bytes_per_logit", 0}, /* in chunks */
    /* TRL's GRPO: logits of answers alone, and a row's gradient in three blocks */
    {LORA "framework.name=hf-trainer mixed_precision=autocast " GRPO, "symbols.loss_bytes_per_logit", 10 / 4.0},
    {LORA "framework.name=hf-trainer " GRPO, "symbols.loss_bytes_per_logit", 6 / 4.0},
    {LORA "framework.name=hf-trainer mixed_precision=autocast zero_stage=2 dp=2 " GRPO, "symbols.loss_bytes_per_logit",
     6 / 4.0},
    {LORA "framework.name=hf-trainer fast_kernels=unsloth " GRPO, "symbols.loss_bytes_per_logit", 8},
    {LORA "framework.name=hf-trainer " GRPO " rl.algorithm=online_dpo", "symbols.loss_bytes_per_logit", 12},
    {LORA "framework.name=hf-trainer " GRPO " rl.program=ms-swift", "symbols.loss_bytes_per_logit", 12},
    {LORA "framework.name=hf-trainer-4.45 " GRPO, "symbols.loss_bytes_per_logit", 12},
    {LORA "framework.name=trl-sft", "symbols.loss_chunk_bytes", 2 * 4096 * T + 12 * 256 * V},
    {FULL "framework.name=torchtune", "symbols.loss_chunk_bytes", 2 * V * (2 * 4096 + T / 8)},
    {LORA "framework.name=torchtune", "symbols.loss_chunk_bytes", 0},
    {QLORA DEVICE, "time.FC1.dequantise_s", (4.5 + (1 + 4 / 256.0) / 64) * FC1 / MEMORY},
    {QLORA DEVICE "quant_dtype=gptq4", "time.FC1.dequantise_s", (4.5 + 2.5 / 128 + 14) * FC1 / MEMORY},
    {QLORA DEVICE "quant_dtype=gptq4 fast_kernels=unsloth", "time.FC1.dequantise_s", (4.5 + 2.5 / 128) * FC1 / MEMORY},
    {QLORA, "time.FC1.casts_bytes", 0},
    {QLORA "norm_dtype=fp32", "time.FC1.casts_bytes", 6 * T * (4096 + 2 * 14336)}, /* to 16 bits and back */
    {LORA "norm_dtype=fp32", "time.FC1.casts_bytes", 0},
    {QLORA "norm_dtype=fp32", "time.ACTIVATION.stream", 2},
    {QLORA "norm_dtype=fp32", "time.LOSS.stream", 1},
};

static void what_it_takes_by_hand(void **state)
{
    (void)state;
    check_hand(times, COUNT(times));
}

static void what_is_stored_by_hand(void **state)
{
    (void)state;
    check_hand(stored, COUNT(stored));
}

static void steady_memory_by_hand(void **state)
{
    (void)state;
    check_hand(steady, COUNT(steady));
}

static void peaks_by_hand(void **state)
{
    (void)state;
    check_hand(peaks, COUNT(peaks));
}

static void layers_by_hand(void **state)
{
    (void)state;
    check_hand(layers, COUNT(layers));
}

/*
 * Qwen-7B's first implementation: one matrix of queries, keys and values, output projection and second matrix by one
 * name.
 */
static void names_of_hugging_face_are_known(void **state)
{
    (void)state;
    check_estimate(&hand_estimate, " num_layers=32 hidden_size=4096 ffn_hidden_size=11008 num_attention_heads=32"
                                   " vocab_size=151936 seq_length=2048 gated_mlp=true dp=1 framework.name=hf-trainer"
                                   " peft=lora lora_rank=64 lora_targets=[c_attn,c_proj,w1,w2]");
    assert_same(hand_estimate.stage[0].trained, 143130624);
}

static double allocated(const char *settings, const char *more)
{
    struct plan plan;
    check_plan(&plan, settings);
    check_set(&plan, more);
    estimate_plan(&plan, &hand_estimate);
    return hand_estimate.stage[0].allocated_bytes;
}

/* More rank, tokens or targets never take less; neither does training more. */
static void memory_grows_with_what_is_trained(void **state)
{
    (void)state;
    static const char *const ladders[][4] = {
        {"lora_rank=4", "lora_rank=16", "lora_rank=64", "lora_rank=256"},
        {"micro_batch_size=1", "micro_batch_size=2", "micro_batch_size=4", "micro_batch_size=8"},
        {"lora_targets=[q]", "lora_targets=[q,v]", "lora_targets=[q,k,v,o]", "lora_targets=[all]"},
        {"peft=qlora double_quant=true", "peft=qlora double_quant=false", "peft=lora quant_dtype=int8", "peft=lora"},
        {"peft=lora", "peft=dora", "peft=none frozen=embeddings", "peft=none"},
    };
    for (size_t i = 0; i < COUNT(ladders); i++)
        for (int j = 1; j < 4; j++) {
            double less = allocated(LORA, ladders[i][j - 1]), more = allocated(LORA, ladders[i][j]);
            assert_that(less <= more, "%s takes %.0f, %s %.0f", ladders[i][j - 1], less, ladders[i][j], more);
        }
}

/* The curve of a step is as high as what is allocated, wherever the peak is. */
static void the_curve_reaches_the_peak(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        enum peak_at at;
    } cases[] = {
        {LORA, PEAK_LOSS}, {FULL, PEAK_OPTIMIZER}, {LORA "fsdp=full dp=2", PEAK_BACKWARD_LAST},
        {LORA "global_batch_size=16", PEAK_LOSS}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct timeline_point points[64];
        double highest = 0;
        check_estimate(&hand_estimate, cases[i].settings);
        int count = timeline_of(&hand_estimate, 0, points, COUNT(points));
        for (int k = 0; k < count; k++)
            highest = fmax(highest, points[k].bytes);
        assert_same(highest, hand_estimate.stage[0].allocated_bytes);
        assert_int_equal(stage_peak_at(&hand_estimate.stage[0]), cases[i].at);
        assert_true(points[0].bytes < hand_estimate.stage[0].allocated_bytes);
    }
}

/* Bytes of the details that are listed below a part, which hold no more than it. */
static double listed_below(const struct estimate *e, const char *part)
{
    const struct component *above = component_find(&stage_components, part);
    double sum = 0;
    for (const struct component *row = above + 1; row->kind == COMPONENT_DETAIL; row++)
        sum += stage_lists(row, e) ? stage_held(row, e, &e->stage[0]) : 0;
    assert_true(sum <= stage_component(above, e, &e->stage[0]));
    return sum;
}

static void what_is_shown_below_a_part_adds_up(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *base;
        bool has_logits, has_retained; /* at the peak */
    } cases[] = {
        {LORA, " bf16, frozen", true, false},
        {QLORA, " nf4+bf16, frozen", true, false},
        {QLORA "upcast=all", " nf4+bf16, frozen", true, false},
        {QLORA "quant_dtype=int8", " int8+bf16, frozen", true, false},
        {LORA "reference_model=frozen", " bf16, frozen", true, false},
        {LORA "fsdp=full dp=2", " bf16, frozen", false, true},
        {FULL "frozen=layers:0-3", " bf16, partly frozen", false, false},
        {MISTRAL "framework.name=llama-factory frozen=layers:0-3", " bf16+fp32, partly frozen", false, false},
        {MISTRAL "framework.name=llama-factory frozen=layers:0-3 train.dtype=fp16", " fp16+fp32, partly frozen", false,
         false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char note[40];
        check_estimate(&hand_estimate, cases[i].settings);
        assert_near(listed_below(&hand_estimate, "weights_bytes"), hand_estimate.stage[0].weights_bytes, 1e-12);
        assert_int_equal(listed_below(&hand_estimate, "transient_bytes") > 0, cases[i].has_logits);
        assert_int_equal(listed_below(&hand_estimate, "activations_bytes") > 0, cases[i].has_retained);
        component_note(component_find(&stage_components, "base_weights_bytes"), &hand_estimate, note, sizeof note);
        assert_string_equal(note, cases[i].base);
    }
    check_estimate(&hand_estimate, FULL);
    assert_true(listed_below(&hand_estimate, "weights_bytes") == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_stored_by_hand),
        cmocka_unit_test(what_it_takes_by_hand),
        cmocka_unit_test(steady_memory_by_hand),
        cmocka_unit_test(peaks_by_hand),
        cmocka_unit_test(layers_by_hand),
        cmocka_unit_test(names_of_hugging_face_are_known),
        cmocka_unit_test(memory_grows_with_what_is_trained),
        cmocka_unit_test(the_curve_reaches_the_peak),
        cmocka_unit_test(what_is_shown_below_a_part_adds_up),
    };
    return cmocka_run_group_tests_name("hand_tuning", tests, NULL, NULL) != 0;
}
