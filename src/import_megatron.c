#include "src/import_megatron.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/errors.h"
#include "src/shell.h"
#include "src/text.h"

/* ---- the table of flags -------------------------------------------------------------------------------------- */

/** What a flag does to the plan. */
enum kind {
    COPY,       /* its value is the value of `key` */
    CHOOSE,     /* its value is looked up in `choice` */
    SET,        /* its presence gives `key` the value `value` */
    HOLD,       /* kept for a rule below; `key` is only named in remarks */
    UNMODELLED, /* changes what training needs, but has no counterpart here */
};

/** A flag's value and the plan's word for it; a list ends with a NULL. */
struct choice {
    const char *from, *to;
};

struct flag_row {
    const char *name;
    int arity;
    enum kind kind;
    const char *key;
    const char *value;
    const struct choice *choice;
    bool is_launcher; /* belongs to srun or deepspeed: counts only in front of the training script */
};

static const struct choice impl_choice[] = {
    {"transformer_engine", "te"}, {"inference_optimized", "te"}, {"local", "local"}, {NULL, NULL}};
static const struct choice dispatcher_choice[] = {
    {"alltoall", "alltoall"}, {"alltoall_seq", "alltoall"}, {"allgather", "allgather"}, {"flex", "flex"}, {NULL, NULL}};
static const struct choice optimizer_choice[] = {{"adam", "adam"}, {"sgd", "sgd"},         {"lion", "lion"},
                                                 {"muon", "muon"}, {"dist_muon", "muon"}, {NULL, NULL}};
static const struct choice method_choice[] = {{"uniform", "uniform"}, {"block", "block"}, {NULL, NULL}};
static const struct choice cp_choice[] = {
    {"p2p", "p2p"}, {"a2a", "a2a"}, {"allgather", "all_gather"}, {"all_gather", "all_gather"}, {NULL, NULL}};
static const struct choice recipe_choice[] = {
    {"tensorwise", "tensorwise"}, {"delayed", "delayed"}, {"blockwise", "blockwise"}, {"mxfp8", "mxfp8"}, {NULL, NULL}};
static const struct choice state_choice[] = {
    {"fp32", "fp32"}, {"fp16", "fp16"}, {"bf16", "bf16"}, {"fp8", "fp8"}, {NULL, NULL}};
static const struct choice position_choice[] = {
    {"learned_absolute", "learned"}, {"absolute", "learned"}, {"learnable", "learned"}, {"rope", "rope"},
    {"rotary", "rope"},              {"yarn", "rope"},        {"mrope", "rope"},        {"alibi", "alibi"},
    {"none", "none"},                {NULL, NULL}};
static const struct choice norm_choice[] = {{"LayerNorm", "layernorm"}, {"layernorm", "layernorm"},
                                            {"RMSNorm", "rmsnorm"},     {"rmsnorm", "rmsnorm"},
                                            {NULL, NULL}};

/* clang-format off */
static const struct flag_row flag_row[] = {
    /* model */
    {"--num-layers", 1, COPY, "model.num_layers", NULL, NULL, false},
    {"--encoder-num-layers", 1, COPY, "model.num_layers", NULL, NULL, false},
    {"--hidden-size", 1, COPY, "model.hidden_size", NULL, NULL, false},
    {"--ffn-hidden-size", 1, COPY, "model.ffn_hidden_size", NULL, NULL, false},
    {"--num-attention-heads", 1, COPY, "model.num_attention_heads", NULL, NULL, false},
    {"--group-query-attention", 0, HOLD, "model.num_query_groups", NULL, NULL, false},
    {"--num-query-groups", 1, HOLD, "model.num_query_groups", NULL, NULL, false},
    {"--kv-channels", 1, COPY, "model.kv_channels", NULL, NULL, false},
    {"--vocab-size", 1, HOLD, "model.vocab_size", NULL, NULL, false},
    {"--padded-vocab-size", 1, HOLD, "model.vocab_size", NULL, NULL, false},
    {"--pad-vocab-size-to", 1, HOLD, "model.vocab_size", NULL, NULL, false},
    {"--make-vocab-size-divisible-by", 1, HOLD, "model.make_vocab_size_divisible_by", NULL, NULL, false},
    {"--tokenizer-type", 1, HOLD, NULL, NULL, NULL, false},
    {"--max-position-embeddings", 1, COPY, "model.max_position_embeddings", NULL, NULL, false},
    {"--position-embedding-type", 1, HOLD, "model.position_embedding", NULL, NULL, false},
    {"--use-rotary-position-embeddings", 0, HOLD, "model.position_embedding", NULL, NULL, false},
    {"--no-position-embedding", 0, HOLD, "model.position_embedding", NULL, NULL, false},
    {"--swiglu", 0, SET, "model.gated_mlp", "true", NULL, false},
    {"--quick-geglu", 0, SET, "model.gated_mlp", "true", NULL, false},
    {"--glu-activation", 1, HOLD, "model.gated_mlp", NULL, NULL, false},
    {"--squared-relu", 0, SET, "model.gated_mlp", "false", NULL, false},
    {"--normalization", 1, HOLD, "model.normalization", NULL, NULL, false},
    {"--apply-layernorm-1p", 0, HOLD, "model.normalization", NULL, NULL, false},
    {"--embed-layernorm", 0, SET, "model.embedding_norm", "true", NULL, false},
    {"--disable-bias-linear", 0, SET, "model.add_bias_linear", "false", NULL, false},
    {"--add-qkv-bias", 0, SET, "model.add_qkv_bias", "true", NULL, false},
    {"--qk-layernorm", 0, SET, "model.qk_norm", "head", NULL, false},
    {"--softmax-type", 1, HOLD, "model.attention_sinks", NULL, NULL, false},
    {"--untie-embeddings-and-output-weights", 0, SET, "model.tied_embeddings", "false", NULL, false},
    {"--window-size", 1, HOLD, "model.sliding_window", NULL, NULL, false},
    {"--window-attn-skip-freq", 1, HOLD, "model.sliding_window_every", NULL, NULL, false},
    {"--hidden-dropout", 1, COPY, "model.hidden_dropout", NULL, NULL, false},
    {"--attention-dropout", 1, COPY, "model.attention_dropout", NULL, NULL, false},
    {"--multi-latent-attention", 0, SET, "model.multi_latent_attention", "true", NULL, false},
    {"--q-lora-rank", 1, COPY, "model.q_lora_rank", NULL, NULL, false},
    {"--kv-lora-rank", 1, COPY, "model.kv_lora_rank", NULL, NULL, false},
    {"--qk-head-dim", 1, COPY, "model.qk_head_dim", NULL, NULL, false},
    {"--qk-pos-emb-head-dim", 1, COPY, "model.qk_pos_emb_head_dim", NULL, NULL, false},
    {"--v-head-dim", 1, COPY, "model.v_head_dim", NULL, NULL, false},
    {"--num-experts", 1, COPY, "model.num_experts", NULL, NULL, false},
    {"--moe-router-topk", 1, COPY, "model.moe_router_topk", NULL, NULL, false},
    {"--moe-ffn-hidden-size", 1, COPY, "model.moe_ffn_hidden_size", NULL, NULL, false},
    {"--moe-shared-expert-intermediate-size", 1, COPY, "model.moe_shared_ffn_hidden_size", NULL, NULL, false},
    {"--moe-layer-freq", 1, HOLD, "model.moe_layer_freq", NULL, NULL, false},
    {"--moe-router-enable-expert-bias", 0, SET, "model.moe_router_bias", "true", NULL, false},
    {"--moe-shared-expert-gate", 0, SET, "model.moe_shared_expert_gate", "true", NULL, false},
    {"--moe-expert-capacity-factor", 1, HOLD, "model.moe_capacity_factor", NULL, NULL, false},
    {"--mtp-num-layers", 1, COPY, "model.mtp_num_layers", NULL, NULL, false},

    /* parallel */
    {"--tensor-model-parallel-size", 1, COPY, "parallel.tp", NULL, NULL, false},
    {"--model-parallel-size", 1, COPY, "parallel.tp", NULL, NULL, false},
    {"--sequence-parallel", 0, HOLD, "parallel.sp", NULL, NULL, false},
    {"--pipeline-model-parallel-size", 1, COPY, "parallel.pp", NULL, NULL, false},
    {"--num-layers-per-virtual-pipeline-stage", 1, HOLD, "parallel.vpp", NULL, NULL, false},
    {"--num-virtual-stages-per-pipeline-rank", 1, COPY, "parallel.vpp", NULL, NULL, false},
    {"--microbatch-group-size-per-virtual-pipeline-stage", 1, COPY, "parallel.microbatch_group", NULL, NULL, false},
    {"--context-parallel-size", 1, COPY, "parallel.cp", NULL, NULL, false},
    {"--cp-comm-type", MEGATRON_SEVERAL, HOLD, "parallel.cp_comm", NULL, NULL, false},
    {"--expert-model-parallel-size", 1, COPY, "parallel.ep", NULL, NULL, false},
    {"--expert-tensor-parallel-size", 1, COPY, "parallel.etp", NULL, NULL, false},
    {"--decoder-first-pipeline-num-layers", 1, COPY, "parallel.first_stage_layers", NULL, NULL, false},
    {"--decoder-last-pipeline-num-layers", 1, COPY, "parallel.last_stage_layers", NULL, NULL, false},
    {"--account-for-embedding-in-pipeline-split", 0, SET, "parallel.embedding_counts_as_layer", "true", NULL, false},
    {"--account-for-loss-in-pipeline-split", 0, SET, "parallel.loss_counts_as_layer", "true", NULL, false},
    {"--pipeline-model-parallel-layout", 1, HOLD, "parallel.pipeline_layout", NULL, NULL, false},
    {"--use-tp-pp-dp-mapping", 0, SET, "parallel.order", "tp-cp-ep-pp-dp", NULL, false},
    {"--moe-token-dispatcher-type", 1, CHOOSE, "parallel.moe_dispatcher", NULL, dispatcher_choice, false},
    {"--use-distributed-optimizer", 0, HOLD, "parallel.zero_stage", NULL, NULL, false},
    {"--zero-stage", 1, HOLD, "parallel.zero_stage", NULL, NULL, false},
    {"--num-distributed-optimizer-instances", 1, HOLD, "parallel.shard_group", NULL, NULL, false},
    {"--use-megatron-fsdp", 0, HOLD, "parallel.fsdp", NULL, NULL, false},
    {"--use-custom-fsdp", 0, HOLD, "parallel.fsdp", NULL, NULL, false},
    {"--use-torch-fsdp2", 0, HOLD, "parallel.fsdp", NULL, NULL, false},
    {"--torch-fsdp2-no-reshard-after-forward", 0, HOLD, "parallel.fsdp", NULL, NULL, false},
    {"--data-parallel-sharding-strategy", 1, HOLD, "parallel.fsdp", NULL, NULL, false},
    {"--overlap-grad-reduce", 0, SET, "parallel.overlap_grad_reduce", "true", NULL, false},
    {"--overlap-param-gather", 0, SET, "parallel.overlap_param_gather", "true", NULL, false},
    {"--tp-comm-overlap", 0, SET, "parallel.overlap_tp", "true", NULL, false},
    {"--no-overlap-p2p-communication", 0, SET, "parallel.overlap_p2p", "false", NULL, false},

    /* train */
    {"--seq-length", 1, COPY, "train.seq_length", NULL, NULL, false},
    {"--encoder-seq-length", 1, COPY, "train.seq_length", NULL, NULL, false},
    {"--micro-batch-size", 1, COPY, "train.micro_batch_size", NULL, NULL, false},
    {"--batch-size", 1, COPY, "train.micro_batch_size", NULL, NULL, false},
    {"--global-batch-size", 1, COPY, "train.global_batch_size", NULL, NULL, false},
    {"--train-iters", 1, HOLD, "train.total_tokens", NULL, NULL, false},
    {"--train-samples", 1, HOLD, "train.total_tokens", NULL, NULL, false},
    {"--train-tokens", 1, HOLD, "train.total_tokens", NULL, NULL, false},
    {"--fp16", 0, HOLD, "train.dtype", NULL, NULL, false},
    {"--bf16", 0, HOLD, "train.dtype", NULL, NULL, false},
    {"--fp8-format", 1, HOLD, "train.dtype", NULL, NULL, false},
    {"--fp8-hybrid", 0, HOLD, "train.dtype", NULL, NULL, false},
    {"--fp8-e4m3", 0, HOLD, "train.dtype", NULL, NULL, false},
    {"--fp4-format", 1, HOLD, "train.dtype", NULL, NULL, false},
    {"--fp8-recipe", 1, HOLD, "framework.fp8_recipe", NULL, NULL, false},
    {"--accumulate-allreduce-grads-in-fp32", 0, HOLD, "train.grad_dtype", NULL, NULL, false},
    {"--grad-reduce-in-bf16", 0, HOLD, "train.grad_dtype", NULL, NULL, false},
    {"--main-grads-dtype", 1, HOLD, "train.grad_dtype", NULL, NULL, false},
    {"--main-params-dtype", 1, CHOOSE, "train.main_param_dtype", NULL, state_choice, false},
    {"--exp-avg-dtype", 1, CHOOSE, "train.optimizer_dtype", NULL, state_choice, false},
    {"--optimizer", 1, CHOOSE, "train.optimizer", NULL, optimizer_choice, false},
    {"--use-bnb-optimizer", 0, SET, "train.optimizer", "adam8bit", NULL, false},
    {"--optimizer-cpu-offload", 0, HOLD, "train.offload_optimizer", NULL, NULL, false},
    {"--cpu-optimizer", 0, HOLD, "train.offload_optimizer", NULL, NULL, false},
    {"--optimizer-offload-fraction", 1, HOLD, "train.offload_optimizer", NULL, NULL, false},
    {"--recompute-activations", 0, HOLD, "train.recompute", NULL, NULL, false},
    {"--recompute-granularity", 1, HOLD, "train.recompute", NULL, NULL, false},
    {"--recompute-method", 1, CHOOSE, "train.recompute_method", NULL, method_choice, false},
    {"--recompute-num-layers", 1, COPY, "train.recompute_num_layers", NULL, NULL, false},
    {"--recompute-modules", MEGATRON_SEVERAL, HOLD, "train.recompute_modules", NULL, NULL, false},
    {"--moe-layer-recompute", 0, HOLD, "train.recompute_modules", NULL, NULL, false},
    {"--checkpoint-activations", 0, HOLD, "train.recompute", NULL, NULL, false},
    {"--checkpoint-num-layers", 1, COPY, "train.recompute_num_layers", NULL, NULL, false},
    {"--activations-checkpoint-method", 1, CHOOSE, "train.recompute_method", NULL, method_choice, false},
    {"--activations-checkpoint-num-layers", 1, COPY, "train.recompute_num_layers", NULL, NULL, false},
    {"--activations-checkpoint-granularity", 1, HOLD, "train.recompute", NULL, NULL, false},
    {"--use-flash-attn", 0, HOLD, "train.attention", NULL, NULL, false},
    {"--use-flash-attn-v1", 0, HOLD, "train.attention", NULL, NULL, false},
    {"--use-flash-attn-v2", 0, HOLD, "train.attention", NULL, NULL, false},
    {"--attention-backend", 1, HOLD, "train.attention", NULL, NULL, false},
    {"--cross-entropy-loss-fusion", 0, HOLD, "train.cross_entropy", NULL, NULL, false},
    {"--cross-entropy-fusion-impl", 1, HOLD, "train.cross_entropy", NULL, NULL, false},
    {"--no-bias-swiglu-fusion", 0, HOLD, "train.fused_glu", NULL, NULL, false},

    /* framework */
    {"--deepspeed", 0, SET, "framework.name", "deepspeed", NULL, false},
    {"--transformer-impl", 1, CHOOSE, "framework.transformer_impl", NULL, impl_choice, false},
    {"--no-gradient-accumulation-fusion", 0, SET, "framework.gradient_accumulation_fusion", "false", NULL, false},
    {"--defer-embedding-wgrad-compute", 0, SET, "framework.defer_embedding_wgrad", "true", NULL, false},
    {"--wgrad-deferral-limit", 1, COPY, "framework.defer_embedding_wgrad_limit", NULL, NULL, false},
    {"--no-create-attention-mask-in-dataloader", 0, SET, "framework.create_attention_mask", "false", NULL, false},
    {"--dataloader-inter-document-masking", 0, SET, "framework.create_attention_mask", "false", NULL, false},
    {"--no-bias-gelu-fusion", 0, HOLD, "framework.bias_activation_fusion", NULL, NULL, false},
    {"--no-masked-softmax-fusion", 0, SET, "framework.masked_softmax_fusion", "false", NULL, false},
    {"--no-scaled-masked-softmax-fusion", 0, SET, "framework.masked_softmax_fusion", "false", NULL, false},
    {"--deterministic-mode", 0, SET, "framework.deterministic", "true", NULL, false},
    {"--no-scatter-gather-tensors-in-pipeline", 0, SET, "framework.p2p_scatter_gather", "false", NULL, false},
    {"--fp8-param-gather", 0, SET, "framework.fp8_param_gather", "true", NULL, false},
    {"--moe-grouped-gemm", 0, SET, "framework.moe_grouped_gemm", "true", NULL, false},
    {"--moe-router-dtype", 1, CHOOSE, "framework.moe_router_dtype", NULL, state_choice, false},
    {"--distribute-saved-activations", 0, SET, "framework.partition_activations", "true", NULL, false},
    {"--distribute-checkpointed-activations", 0, SET, "framework.partition_activations", "true", NULL, false},
    {"--partition-activations", 0, SET, "framework.partition_activations", "true", NULL, false},

    /* hardware, from what starts the processes */
    {"--nproc-per-node", 1, HOLD, "hardware.gpus_per_node", NULL, NULL, false},
    {"--nnodes", 1, HOLD, "hardware.nodes", NULL, NULL, false},
    {"--num-gpus", 1, HOLD, "hardware.gpus_per_node", NULL, NULL, true},
    {"--num-nodes", 1, HOLD, "hardware.nodes", NULL, NULL, true},
    {"--nodes", 1, HOLD, "hardware.nodes", NULL, NULL, true},
    {"-N", 1, HOLD, "hardware.nodes", NULL, NULL, true},
    {"--gpus-per-node", 1, HOLD, "hardware.gpus_per_node", NULL, NULL, true},
    {"--gres", 1, HOLD, "hardware.gpus_per_node", NULL, NULL, true},
    {"--ntasks-per-node", 1, HOLD, "hardware.gpus_per_node", NULL, NULL, true},

    /* change memory or time, without a counterpart here */
    {"--hybrid-layer-pattern", 1, UNMODELLED, NULL, NULL, NULL, false},
    {"--hybrid-override-pattern", 1, UNMODELLED, NULL, NULL, NULL, false},
    {"--hybrid-attention-ratio", 1, UNMODELLED, NULL, NULL, NULL, false},
    {"--hybrid-mlp-ratio", 1, UNMODELLED, NULL, NULL, NULL, false},
    {"--is-hybrid-model", 0, UNMODELLED, NULL, NULL, NULL, false},
    {"--heterogeneous-layers-config-path", 1, UNMODELLED, NULL, NULL, NULL, false},
    {"--decoder-num-layers", 1, UNMODELLED, NULL, NULL, NULL, false},
    {"--decoder-seq-length", 1, UNMODELLED, NULL, NULL, NULL, false},
    {"--encoder-tensor-model-parallel-size", 1, UNMODELLED, NULL, NULL, NULL, false},
    {"--encoder-pipeline-model-parallel-size", 1, UNMODELLED, NULL, NULL, NULL, false},
    {"--pipeline-model-parallel-split-rank", 1, UNMODELLED, NULL, NULL, NULL, false},
    {"--standalone-embedding-stage", 0, UNMODELLED, NULL, NULL, NULL, false},
    {"--hierarchical-context-parallel-sizes", MEGATRON_SEVERAL, UNMODELLED, NULL, NULL, NULL, false},
    {"--cpu-offloading-num-layers", 1, UNMODELLED, NULL, NULL, NULL, false},
    {"--fine-grained-activation-offloading", 0, UNMODELLED, NULL, NULL, NULL, false},
    {"--offload-modules", MEGATRON_SEVERAL, UNMODELLED, NULL, NULL, NULL, false},
    {"--cuda-graph-impl", 1, UNMODELLED, NULL, NULL, NULL, false},
    {"--enable-cuda-graph", 0, UNMODELLED, NULL, NULL, NULL, false},
    {"--external-cuda-graph", 0, UNMODELLED, NULL, NULL, NULL, false},
    {"--moe-latent-size", 1, UNMODELLED, NULL, NULL, NULL, false},
    {"--moe-extended-tp", 0, UNMODELLED, NULL, NULL, NULL, false},
    {"--overlap-moe-expert-parallel-comm", 0, UNMODELLED, NULL, NULL, NULL, false},
    {"--delay-wgrad-compute", 0, UNMODELLED, NULL, NULL, NULL, false},
    {"--fp32-residual-connection", 0, UNMODELLED, NULL, NULL, NULL, false},
    {"--rampup-batch-size", MEGATRON_SEVERAL, UNMODELLED, NULL, NULL, NULL, false},
    {"--yaml-cfg", 1, UNMODELLED, NULL, NULL, NULL, false},
    {"--use-checkpoint-args", 0, UNMODELLED, NULL, NULL, NULL, false},
    {"--retro-add-retriever", 0, UNMODELLED, NULL, NULL, NULL, false},
    {"--experimental-attention-variant", 1, UNMODELLED, NULL, NULL, NULL, false},
    {"--linear-attention-freq", 1, UNMODELLED, NULL, NULL, NULL, false},
    {"--attention-output-gate", 0, UNMODELLED, NULL, NULL, NULL, false},
    {"--fp4-param-gather", 0, UNMODELLED, NULL, NULL, NULL, false},
};
/* clang-format on */

enum { FLAG_ROWS = sizeof flag_row / sizeof *flag_row };

/* Flags that change nothing here, without their dashes; with those above they are what Megatron and torchrun take. */
/* clang-format off */
static const char *const other_switch[] = {
    "abort-on-unmet-fused-kernel-constraints", "adaptive-seq-len", "adlr-autoresume",
    "allow-ambiguous-pad-tokens", "apply-query-key-layer-scaling", "apply-residual-connection-post-layernorm",
    "apply-wd-to-qk-layernorm", "async-save", "attention-softmax-in-fp32", "auto-detect-ckpt-format",
    "bert-no-binary-head", "biencoder-shared-query-context-model", "cache-mla-latents", "calc-ft-timeouts",
    "calculate-per-token-loss", "check-for-large-grads", "check-for-spiky-loss", "checkpoint-in-cpu",
    "ckpt-assume-constant-structure", "ckpt-convert-update-legacy-dist-opt-format",
    "ckpt-drop-redundant-extra-state", "ckpt-fully-parallel-load", "ckpt-fully-parallel-save",
    "contigious-checkpointing", "create-all-gather-group", "data-parallel-random-init",
    "dataloader-defer-npy-index-mmap", "dataloader-fast-cache-load", "ddp-average-in-collective",
    "ddp-pad-buckets-for-high-nccl-busbw", "ddp-reduce-scatter-with-fp32-accumulation",
    "decode-only-cuda-graphs", "decrease-batch-size-if-needed", "deepspeed-activation-checkpointing",
    "delay-param-gather", "dino-norm-last-layer", "disable-bf16-reduced-precision-matmul",
    "disable-chunked-prefill", "disable-gloo-process-groups", "disable-jit-fuser",
    "disable-mamba-mem-eff-path", "disable-msc", "disable-straggler-on-startup",
    "disable-symmetric-registration", "disable-tp-comm-bulk-dgrad", "disable-tp-comm-bulk-wgrad",
    "disable-tp-comm-overlap-ag", "disable-tp-comm-overlap-rs", "disable-tp-comm-split-ag",
    "disable-tp-comm-split-rs", "dist-ckpt-optim-fully-reshardable", "dist-ckpt-save-pre-mcore-014",
    "distrib-optim-fully-reshardable-mem-efficient", "enable-chunked-prefill", "enable-experimental",
    "enable-ft-package", "enable-full-sharding-in-hsdp", "enable-gloo-process-groups", "enable-gpt-oss",
    "enable-msc", "eod-mask-loss", "exit-on-missing", "exit-on-missing-checkpoint", "exit-signal-handler",
    "export-force-local-attention", "export-te-mcore-model", "faiss-use-gpu", "fake-process-group",
    "fim-data", "finetune", "first-last-layers-bf16", "flash-decode", "force-multi", "fp16-lm-cross-entropy",
    "fp32-allreduce", "freeze-all-layers", "fsdp-db-use-persist-buf-on-alloc-fail", "fsdp-double-buffer",
    "fsdp-manual-registration", "full-validation", "grpo-filter-groups-with-same-reward",
    "gtp-expert-remat-nccl-ub", "gtp-remat-nccl-ub", "gtp-remat-reduce-scatter-with-fp32-accumulation",
    "high-priority-a2a-comm-stream", "inference", "inference-cuda-graph-all-prefills",
    "inference-dynamic-batching", "inference-dynamic-batching-track-generated-token-events",
    "inference-dynamic-batching-track-paused-request-events", "inference-rng-tracker",
    "init-method-xavier-uniform", "init-model-with-meta-device", "inprocess-empty-cuda-cache",
    "inprocess-restart", "keep-fp8-transpose-cache", "keep-fp8-transpose-cache-when-using-custom-fsdp",
    "legacy-tokenizer", "load-main-params-from-ckpt", "load-model-opt-format",
    "log-batch-size-to-tensorboard", "log-energy", "log-max-attention-logit", "log-memory-to-tensorboard",
    "log-num-zeros-in-grad", "log-optimizer-states-to-tensorboard", "log-params-norm", "log-progress",
    "log-straggler", "log-throughput", "log-timers-to-tensorboard", "log-validation-ppl-to-tensorboard",
    "log-world-size-to-tensorboard", "logits-load-ignore-errors", "loss-on-targets-only", "manual-gc",
    "megatron-fsdp-enable-fine-grained-param-gather", "megatron-fsdp-max-pool-double-buffer",
    "mla-down-proj-fusion", "mmap-warmup", "mock-data", "modelopt-enabled", "moe-apply-probs-on-input",
    "moe-enable-deepep", "moe-pad-expert-input-to-capacity", "moe-pad-experts-for-cuda-graph-inference",
    "moe-per-layer-logging", "moe-permute-fusion", "moe-permute-padding-for-quantization",
    "moe-router-force-load-balancing", "moe-router-fusion", "moe-router-padding-for-fp8",
    "moe-router-padding-for-quantization", "moe-router-pre-softmax", "moe-shared-expert-overlap",
    "moe-use-legacy-grouped-gemm", "moe-use-upcycling", "mtp-use-repeated-layer", "multiple-validation-sets",
    "muon-nesterov", "muon-no-split-qkv", "muon-use-nesterov", "muon-use-syrk", "nccl-all-reduce-for-prefill",
    "no-align-grad-reduce", "no-align-param-gather", "no-async-tensor-model-parallel-allreduce",
    "no-barrier-with-level-1-timing", "no-bias-dropout-fusion", "no-check-for-nan-in-loss-and-grad",
    "no-ckpt-fully-parallel-save", "no-clone-scatter-output-in-embedding",
    "no-contiguous-buffers-in-local-ddp", "no-data-sharding", "no-delay-grad-reduce", "no-fp8-wgrad",
    "no-gradient-reduce-div-fusion", "no-initialization", "no-load-optim", "no-load-rng", "no-local-rank",
    "no-log-learnig-rate-to-tensorboard", "no-log-loss-scale-to-tensorboard", "no-manual-gc-eval",
    "no-mmap-bin-files", "no-one-logger", "no-persist-layer-norm", "no-pin-cpu-grads", "no-pin-cpu-params",
    "no-pipeline-parallel", "no-python", "no-query-key-layer-scaling", "no-rope-fusion", "no-save-optim",
    "no-save-rng", "no-strict-fsdp-dtensor-load", "no-use-layer-wise-param-layout",
    "no-use-tokenizer-model-from-checkpoint-args", "no-yarn-correction-range-round-to-int",
    "norm-target-loss", "one-logger-async", "openai-gelu", "optimizer-cuda-graph", "otel-enabled",
    "output-bert-embeddings", "overlap-cpu-optimizer-d2h-h2d", "overlap-p2p-communication-warmup-flush",
    "overlap-param-gather-with-optimizer-step", "override-lr-scheduler", "override-opt-param-scheduler",
    "perform-rl-step", "pp-partition-method-auto", "profile", "qk-clip", "qk-l2-norm",
    "record-memory-history", "replication", "reset-attention-mask", "reset-position-ids", "reset-progress",
    "retriever-score-scaling", "retro-no-verify-neighbor-count", "retro-return-doc-ids",
    "reuse-grad-buf-for-mxfp8-param-ag", "reweight-loss-based-on-position-frequency",
    "rl-durable-rollout-bank", "rl-offload-optimizer-during-inference", "rl-profile",
    "rl-use-sequence-packing", "rotary-interleaved", "run-path", "run-workload-inspector-server", "sft",
    "skip-train", "skip-train-iteration-range-check", "standalone", "sync-tp-duplicated-parameters",
    "synchronize-each-layer", "te-rng-tracker", "test-mode", "tokenizer-hf-include-special-tokens",
    "tokenizer-hf-use-fast", "tokenizer-sentencepiece-legacy", "tp-comm-overlap-rs-dgrad",
    "trust-remote-code", "universal-checkpoint", "use-checkpoint-lr-scheduler",
    "use-checkpoint-opt-param-scheduler", "use-cpu-initialization", "use-dist-ckpt", "use-fused-rotary",
    "use-fused-weighted-squared-relu", "use-legacy-models", "use-legacy-static-engine", "use-mcore-models",
    "use-mp-args-from-checkpoint-args", "use-nccl-ub", "use-one-sent-docs", "use-persistent-ckpt-worker",
    "use-pin-memory", "use-precision-aware-optimizer", "use-pytorch-profiler", "use-ring-exchange-p2p",
    "use-rope-scaling", "use-same-sampling-seed-across-dp-ranks", "use-sharp", "use-te",
    "use-te-activation-func", "use-te-rng-tracker", "use-torch-optimizer-for-cpu-offload",
    "vision-pretraining", "yarn-correction-range-round-to-int", "zero-contigious-gradients",
    "zero-reduce-scatter",
};

static const char *const other_value[] = {
    "DDP-impl", "activation-func-clamp-value", "adam-beta1", "adam-beta2", "adam-eps",
    "adlr-autoresume-interval", "app-tag-run-name", "app-tag-run-version", "bert-embedder-type", "bert-load",
    "biencoder-projection-dim", "block-data-path", "check-weight-hash-across-dp-replicas-interval",
    "ckpt-convert-format", "ckpt-convert-save", "ckpt-format", "ckpt-step", "classes-fraction", "clip-grad",
    "codecarbon-dir", "config-logger-dir", "cuda-graph-warmup-steps", "data-args-path", "data-cache-path",
    "data-impl", "data-per-class-fraction", "dataloader-save", "dataloader-type", "ddp-bucket-size",
    "ddp-num-buckets", "decoupled-lr", "decoupled-min-lr", "deepspeed-config", "dino-bottleneck-size",
    "dino-freeze-last-layer", "dino-head-hidden-size", "dino-local-crops-number", "dino-local-img-size",
    "dino-teacher-temp", "dino-warmup-teacher-temp", "dino-warmup-teacher-temp-epochs", "dist-ckpt-format",
    "dist-ckpt-strictness", "dist-ckpt-workers", "distributed-backend", "distributed-port",
    "distributed-timeout-minutes", "distributed-timeout-seconds-after-init", "dump-param-to-param-group-map",
    "embedding-init-method-std", "embedding-path", "empty-unused-memory-level", "end-weight-decay",
    "error-injection-rate", "error-injection-type", "eval-fp32", "eval-interval", "eval-iters",
    "evidence-data-path", "exclude", "exit-duration-in-mins", "exit-interval", "exp-avg-sq-dtype",
    "export-kd-cfg", "export-model-type", "fim-eod-token", "fim-fragment-rate", "fim-middle-token",
    "fim-no-prefix", "fim-pad-token", "fim-prefix-token", "fim-rate", "fim-split-sample", "fim-spm-rate",
    "fim-suffix-token", "fp4-recipe", "fp8-amax-compute-algo", "fp8-amax-history-len", "fp8-interval",
    "fp8-margin", "ft-num-warmup-iters", "glu-linear-offset", "grpo-clamp-eps-lower", "grpo-clamp-eps-upper",
    "grpo-default-temperature", "grpo-default-top-p", "grpo-entropy-term-weight", "grpo-group-size",
    "grpo-iterations", "grpo-kl-beta", "grpo-prompts-per-step", "head-lr-mult",
    "heterogeneous-layers-config-encoded-json", "hostfile", "hysteresis", "ict-head-size", "ict-load",
    "img-dim", "img-h", "img-w", "include", "indexer-batch-size", "indexer-log-interval",
    "inference-batch-times-seqlen-threshold", "inference-coordinator-port", "inference-cuda-graph-max-tokens",
    "inference-disable-ep-consensus", "inference-dynamic-batching-async-sched-mode",
    "inference-dynamic-batching-block-size", "inference-dynamic-batching-buffer-guaranteed-fraction",
    "inference-dynamic-batching-buffer-overflow-factor", "inference-dynamic-batching-buffer-size-gb",
    "inference-dynamic-batching-chunk-size", "inference-dynamic-batching-cuda-graph-max-tokens",
    "inference-dynamic-batching-cuda-graph-mixed-prefill-count",
    "inference-dynamic-batching-cuda-graph-sizing-distribution", "inference-dynamic-batching-logprobs-mode",
    "inference-dynamic-batching-mamba-memory-ratio", "inference-dynamic-batching-max-requests",
    "inference-dynamic-batching-max-requests-override", "inference-dynamic-batching-max-tokens",
    "inference-dynamic-batching-max-tokens-override", "inference-dynamic-batching-num-cuda-graphs",
    "inference-dynamic-batching-paused-buffer-size-gb", "inference-dynamic-batching-prefix-caching",
    "inference-dynamic-batching-prefix-caching-coordinator-policy",
    "inference-dynamic-batching-prefix-caching-eviction-policy",
    "inference-dynamic-batching-prefix-caching-mamba-gb",
    "inference-dynamic-batching-prefix-caching-routing-alpha", "inference-dynamic-batching-sampling-backend",
    "inference-dynamic-batching-unified-memory-level", "inference-logging-step-interval",
    "inference-max-batch-size", "inference-max-requests", "inference-max-seq-length", "inference-shards",
    "inference-text-gen-server-logging", "inference-use-synchronous-zmq-collectives",
    "inference-wandb-logging", "init-method-std", "initial-loss-scale", "inprocess-active-world-size",
    "inprocess-barrier-timeout", "inprocess-completion-timeout", "inprocess-granularity",
    "inprocess-hard-timeout", "inprocess-heartbeat-interval", "inprocess-heartbeat-timeout",
    "inprocess-last-call-wait", "inprocess-max-iterations", "inprocess-monitor-process-interval",
    "inprocess-monitor-thread-interval", "inprocess-progress-watchdog-interval", "inprocess-soft-timeout",
    "inprocess-termination-grace-time", "iter-per-epoch", "iterations-to-skip-file", "kill-switch-path",
    "kitchen-config-file", "kitchen-recipe-number", "langrl-env-config", "langrl-external-server",
    "langrl-inference-server-conversation-template", "langrl-inference-server-type", "layernorm-epsilon",
    "lazy-mpu-init", "lion-beta1", "lion-beta2", "load", "local-addr", "local-rank", "log-dir",
    "log-interval", "log-memory-interval", "logging-level", "logits-load-decode-threads", "logits-load-dir",
    "logits-load-kd-loss-alpha", "logits-load-msc-prefetch-depth", "logits-load-prefetch-factor",
    "logits-save-dir", "logits-save-dtype", "logits-save-top-k", "logits-save-top-p",
    "logits-save-top-p-min-k", "loss-scale", "loss-scale-window", "lr", "lr-decay-iters", "lr-decay-samples",
    "lr-decay-style", "lr-warmup-fraction", "lr-warmup-init", "lr-warmup-iters", "lr-warmup-samples",
    "lr-wsd-decay-iters", "lr-wsd-decay-samples", "lr-wsd-decay-style", "mamba-head-dim",
    "mamba-inference-conv-states-dtype", "mamba-inference-ssm-states-dtype", "mamba-num-groups",
    "mamba-num-heads", "mamba-state-dim", "mamba-training-ssm-states-dtype", "manual-gc-interval",
    "mask-factor", "mask-prob", "mask-type", "master-addr", "master-port", "max-restarts",
    "max-tokens-to-oom", "megatron-fsdp-grad-comm-dtype", "megatron-fsdp-main-grads-dtype",
    "megatron-fsdp-main-params-dtype", "megatron-fsdp-version", "memory-snapshot-path", "merge-file",
    "mid-level-dataset-surplus", "min-loss-scale", "min-lr", "mlp-chunks-for-prefill", "moe-deepep-num-sms",
    "moe-flex-dispatcher-backend", "moe-hybridep-num-sms", "moe-input-jitter-eps",
    "moe-router-bias-update-rate", "moe-router-group-topk", "moe-router-num-groups",
    "moe-router-score-function", "moe-router-topk-scaling-factor", "moe-token-drop-policy",
    "moe-upcycling-granularity", "moe-z-loss-coeff", "monitor-interval", "mscale", "mscale-all-dim",
    "mtp-loss-scaling-factor", "muon-coefficient-type", "muon-extra-scale-factor", "muon-fp32-matmul-prec",
    "muon-momentum", "muon-num-ns-steps", "muon-scalar-optimizer", "muon-scale-mode", "muon-tp-mode",
    "nccl-communicator-config-path", "no-rope-freq", "no-weight-decay-cond-type", "node-rank",
    "non-persistent-ckpt-type", "non-persistent-global-ckpt-dir", "non-persistent-local-ckpt-algo",
    "non-persistent-local-ckpt-dir", "non-persistent-save-interval", "norm-epsilon", "num-channels",
    "num-classes", "num-dataset-builder-threads", "num-layers-at-end-in-bf16", "num-layers-at-start-in-bf16",
    "num-samples-per-sequence", "num-speculative-tokens", "num-workers", "object-storage-cache-path",
    "one-logger-project", "one-logger-run-name", "onnx-safe", "original-max-position-embeddings",
    "otel-service-name", "otel-span-groups", "outer-dp-sharding-strategy", "output-logit-dtype",
    "override-ckpt-iteration", "patch-dim", "per-dataset-sequences-path", "per-split-data-args-path",
    "persistent-save-interval", "phase-transition-iterations", "pipeline-model-parallel-comm-backend",
    "pos-encoding", "pretrained-checkpoint", "profile-memory", "profile-step-end", "profile-step-start",
    "query-in-block-prob", "rdzv-backend", "rdzv-conf", "rdzv-endpoint", "rdzv-id", "redirects",
    "refit-method", "relative-attention-max-distance", "relative-attention-num-buckets", "replication-factor",
    "replication-jump", "rerun-mode", "result-rejected-tracker-filename", "retriever-seq-length",
    "retro-attention-gate", "retro-cyclic-train-iters", "retro-encoder-attention-dropout",
    "retro-encoder-hidden-dropout", "retro-encoder-layers", "retro-num-neighbors",
    "retro-num-retrieved-chunks", "retro-project-dir", "retro-workdir", "rl-calculate-intra-group-similarity",
    "rl-consumption-granularity", "rl-default-temperature", "rl-default-top-k", "rl-default-top-p",
    "rl-generation-lag", "rl-importance-sampling-truncation-coef", "rl-inference-expert-model-parallel-size",
    "rl-inference-expert-tensor-model-parallel-size", "rl-inference-logprobs-is-correction",
    "rl-inference-model-unified-memory-level", "rl-inference-pipeline-model-parallel-size",
    "rl-inference-tensor-model-parallel-size", "rl-kv-cache-management-mode", "rl-max-inflight-requests",
    "rl-offload-inference-model-weights-when-idle", "rl-offload-kv-cache-during-training",
    "rl-parallel-generation-tasks", "rl-partial-rollouts", "rl-persist-cuda-graphs", "rl-profile-dir",
    "rl-prompts-per-eval", "rl-remove-kv-cache-during-training", "rl-reset-cuda-graphs",
    "rl-rollout-bank-dir", "rl-rollout-bank-max-bytes", "rl-sequence-packing-algo",
    "rl-sequence-packing-bin-size", "rl-sequence-packing-max-sequences-per-bin", "rl-skip-bos-token",
    "rl-submission-granularity", "rl-training-cuda-graphs", "rl-verify-model-weights-swap", "role",
    "rope-scaling-factor", "rope-type", "rotary-base", "rotary-percent", "rotary-scaling-factor",
    "rotary-seq-len-interpolation-factor", "s3-cache-path", "sample-rate", "save", "save-interval",
    "save-retain-interval", "scaled-masked-softmax-fusion", "scaled-upper-triang-masked-softmax-fusion",
    "seed", "sft-tokenizer-prompt-format", "sgd-momentum", "sharp-enabled-group", "short-seq-prob", "split",
    "start-method", "start-weight-decay", "step-batch-size-schedule", "straggler-ctrlr-port",
    "straggler-minmax-count", "suggested-communication-unit-size", "swin-backbone-type", "symmetric-ar-type",
    "task", "te-fp8-format", "te-precision-config-file", "tee", "tensorboard-dir", "tensorboard-log-interval",
    "tensorboard-queue-size", "tiktoken-num-special-tokens", "tiktoken-pattern", "timing-log-level",
    "timing-log-option", "titles-data-path", "tokenizer-metadata", "tokenizer-model",
    "tokenizer-name-or-path", "tp-comm-bootstrap-backend", "tp-comm-overlap-cfg", "train-sync-interval",
    "train-weighted-split-paths-path", "valid-num-workers", "valid-weighted-split-paths-path",
    "vision-backbone-type", "vision-pretraining-type", "vocab-extra-ids", "vocab-file", "wandb-entity",
    "wandb-exp-name", "wandb-project", "wandb-run-name", "wandb-save-dir", "warmup", "weight-decay",
    "weight-decay-incr-style", "yarn-beta-fast", "yarn-beta-slow", "yarn-original-max-position-embeddings",
};

static const char *const other_list[] = {
    "cuda-graph-modules", "cuda-graph-scope", "data-blend", "data-path",
    "ddp-param-name-patterns-for-fp32-local-accumulation", "extra-valid-data-path",
    "high-priority-stream-groups", "iterations-to-skip", "moe-aux-loss-coeff",
    "moe-router-load-balancing-type", "mrope-section", "pp-partition-method", "profile-ranks",
    "report-topk-accuracies", "retriever-report-topk-accuracies", "rl-inference-parsers", "spec",
    "test-data-path", "tiktoken-special-tokens", "tokenizer-special-tokens", "train-data-path",
    "valid-data-path",
};
/* clang-format on */

/* ---- looking flags up ---------------------------------------------------------------------------------------- */

static const struct {
    const char *const *name;
    size_t count;
    int arity;
} other_row[] = {
    {other_switch, sizeof other_switch / sizeof *other_switch, 0},
    {other_value, sizeof other_value / sizeof *other_value, 1},
    {other_list, sizeof other_list / sizeof *other_list, MEGATRON_SEVERAL},
};

enum { OTHER_ROWS = sizeof other_row / sizeof *other_row };

/** Flag names are equal when they differ in `-` against `_` alone; `a` may go on with `=value`. */
static bool flag_is(const char *a, const char *b)
{
    while (*b && (*a == *b || (*a == '_' && *b == '-'))) {
        a++;
        b++;
    }
    return !*b && (!*a || *a == '=');
}

static const struct flag_row *flag_find(const char *flag)
{
    for (size_t i = 0; i < FLAG_ROWS; i++)
        if (flag_is(flag, flag_row[i].name))
            return &flag_row[i];
    return NULL;
}

static bool other_find(const char *flag, int *arity)
{
    if (strncmp(flag, "--", 2) != 0)
        return false;
    for (size_t i = 0; i < OTHER_ROWS; i++)
        for (size_t k = 0; k < other_row[i].count; k++)
            if (flag_is(flag + 2, other_row[i].name[k])) {
                *arity = other_row[i].arity;
                return true;
            }
    return false;
}

bool megatron_flag_known(const char *flag, int *arity)
{
    const struct flag_row *row = flag_find(flag);
    int found = row ? row->arity : 0;
    if (strchr(flag, '=') || (row ? row->is_launcher : !other_find(flag, &found)))
        return false;
    if (arity)
        *arity = found;
    return true;
}

const char *megatron_flag_name(size_t index)
{
    for (size_t i = 0; i < FLAG_ROWS; i++)
        if (!flag_row[i].is_launcher && index-- == 0)
            return flag_row[i].name + 2;
    for (size_t i = 0; i < OTHER_ROWS; i++) {
        if (index < other_row[i].count)
            return other_row[i].name[index];
        index -= other_row[i].count;
    }
    return NULL;
}

/* ---- collecting flags ---------------------------------------------------------------------------------------- */

/** The last occurrence of one flag of the table. */
struct seen {
    bool is_given, is_unknown, is_uncertain;
    char *value; /* words joined by blanks; "" for a switch */
    char *why;
    int line;
};

/** One import under way. */
struct importer {
    const char *file;
    struct errors *errors;
    struct megatron_import *out;
    struct seen seen[FLAG_ROWS];
    const struct shell_word *word;
    size_t count, at;
    bool is_script;    /* the training script's name has been passed */
    bool has_launcher; /* torchrun or its like starts the processes */
};

static bool is_flag(const char *text)
{
    return text[0] == '-' && (text[1] == '-' ? text[2] != '\0' : isalpha((unsigned char)text[1]));
}

static bool is_long_flag(const char *text)
{
    return strncmp(text, "--", 2) == 0 && isalpha((unsigned char)text[2]);
}

static bool ends_with(const char *text, const char *tail)
{
    size_t n = strlen(text), k = strlen(tail);
    return n >= k && strcmp(text + n - k, tail) == 0;
}

/** A key is listed once. */
static void unused_add(struct importer *im, const struct shell_word *w, const char *why)
{
    char *name = xstrndup(w->text, strcspn(w->text, "="));
    for (char *p = name; *p; p++)
        if (*p == '_')
            *p = '-';
    bool is_listed = false;
    for (size_t i = 0; i < im->out->unused.count; i++)
        is_listed |= strcmp(im->out->unused.item[i].key, name) == 0;
    if (!is_listed)
        keyvals_add(&im->out->unused, name, why, w->line);
    if (!is_listed && strcmp(why, MEGATRON_NOT_MODELLED) == 0)
        errors_note(im->errors, im->file, w->line, name, "is not modelled; the estimate is made without it");
    free(name);
}

/** Takes one word as (part of) a value of the flag. */
static void seen_take(struct seen *s, const struct shell_word *w, const char *text)
{
    char *joined = s->value[0] ? xasprintf("%s %s", s->value, text) : xstrdup(text);
    free(s->value);
    s->value = joined;
    s->is_unknown |= w->is_unknown;
    s->is_uncertain |= w->is_uncertain;
    if (w->why && !s->why)
        s->why = xstrdup(w->why);
}

static void seen_begin(struct seen *s, const struct shell_word *w)
{
    free(s->value);
    free(s->why);
    *s = (struct seen){.is_given = true, .is_uncertain = w->is_uncertain, .line = w->line};
    s->value = xstrdup("");
    s->why = w->is_uncertain && w->why ? xstrdup(w->why) : NULL;
}

/** True if the word at `i` can be a value: not a flag, though a negative number is none. */
static bool is_value(const struct importer *im, size_t i)
{
    return i < im->count && !is_flag(im->word[i].text);
}

/** How many words behind the flag at `at` are its value. */
static size_t value_count(const struct importer *im, size_t at, int arity)
{
    size_t n = 0;
    if (strchr(im->word[at].text, '='))
        return 0;
    while (is_value(im, at + 1 + n) && (arity == MEGATRON_SEVERAL || n < (size_t)arity))
        n++;
    return n;
}

static void take_flag(struct importer *im, const struct flag_row *row)
{
    const struct shell_word *w = &im->word[im->at];
    struct seen *s = &im->seen[row - flag_row];
    const char *equals = strchr(w->text, '=');
    size_t n = value_count(im, im->at, row->arity);
    seen_begin(s, w);
    if (equals)
        seen_take(s, w, equals + 1);
    for (size_t i = 1; i <= n; i++)
        seen_take(s, &im->word[im->at + i], im->word[im->at + i].text);
    if (row->kind == UNMODELLED)
        unused_add(im, w, MEGATRON_NOT_MODELLED);
    if (row->arity == 1 && n == 0 && !equals) {
        s->is_given = false;
        errors_note(im->errors, im->file, w->line, row->name, "has no value; give one behind it");
    }
    im->at += 1 + n;
}

/** Passes over a word that is no flag of the table; returns whether it is Megatron's at all. */
static bool take_other(struct importer *im)
{
    const struct shell_word *w = &im->word[im->at];
    int arity = 0;
    bool is_known = other_find(w->text, &arity);
    if (is_known)
        unused_add(im, w, MEGATRON_NO_EFFECT);
    im->at += 1 + (is_known ? value_count(im, im->at, arity) : 0);
    return is_known;
}

static const struct flag_row *row_at(const struct importer *im)
{
    const struct flag_row *row = flag_find(im->word[im->at].text);
    return row && !(row->is_launcher && im->is_script) ? row : NULL;
}

/* ---- writing settings ---------------------------------------------------------------------------------------- */

static const struct flag_row *row_of(const struct seen *s, const struct importer *im)
{
    return &flag_row[s - im->seen];
}

static const struct seen *seen_of(const struct importer *im, const char *flag)
{
    const struct flag_row *row = flag_find(flag);
    return &im->seen[row - flag_row];
}

static bool has(const struct importer *im, const char *flag)
{
    return seen_of(im, flag)->is_given;
}

/** True if the flag is given with a known value. */
static bool is_known_value(const struct seen *s)
{
    return s->is_given && !s->is_unknown;
}

static bool has_value(const struct importer *im, const char *flag, const char *value)
{
    const struct seen *s = seen_of(im, flag);
    return is_known_value(s) && strcmp(s->value, value) == 0;
}

static bool number_parse(const char *text, int64_t *value)
{
    char *end;
    long long n = strtoll(text, &end, 10);
    *value = n;
    return end != text && !*end;
}

static bool has_number(const struct importer *im, const char *flag, int64_t *value)
{
    const struct seen *s = seen_of(im, flag);
    return is_known_value(s) && number_parse(s->value, value);
}

/** The value of a count such as `--pipeline-model-parallel-size`: 1 when the flag is absent; false if not known. */
static bool has_count(const struct importer *im, const char *flag, int64_t *value)
{
    *value = 1;
    return !has(im, flag) || (has_number(im, flag, value) && *value >= 1);
}

static bool is_set(const struct importer *im, const char *key)
{
    for (size_t i = 0; i < im->out->settings.count; i++)
        if (strcmp(im->out->settings.item[i].key, key) == 0)
            return true;
    return false;
}

/** Sets a key from a flag; a later flag for the same key wins. */
static void setting_add(struct importer *im, const struct seen *s, const char *key, const char *value)
{
    keyvals_add(&im->out->settings, key, value, s->line);
    if (s->is_uncertain)
        errors_note(im->errors, im->file, s->line, row_of(s, im)->name, "%s; check %s = %s",
                    s->why ? s->why : "is uncertain", key, value);
}

/** The last number that a flag gave to a key, 0 if there is none. */
static int64_t setting_integer(const struct importer *im, const char *key)
{
    int64_t n = 0;
    for (size_t i = 0; i < im->out->settings.count; i++)
        if (strcmp(im->out->settings.item[i].key, key) == 0 && !number_parse(im->out->settings.item[i].value, &n))
            n = 0;
    return n > 0 && n < INT32_MAX ? n : 0;
}

static void default_add(struct importer *im, const char *key, const char *value)
{
    if (!is_set(im, key))
        keyvals_add(&im->out->defaults, key, value, 0);
}

static void default_number(struct importer *im, const char *key, int64_t value)
{
    char *text = xasprintf("%lld", (long long)value);
    default_add(im, key, text);
    free(text);
}

static void setting_number(struct importer *im, const struct seen *s, const char *key, int64_t value)
{
    char *text = xasprintf("%lld", (long long)value);
    setting_add(im, s, key, text);
    free(text);
}

static void note_unknown(struct importer *im, const struct seen *s, const char *key)
{
    errors_note(im->errors, im->file, s->line, row_of(s, im)->name, "%s; give %s with --set",
                s->why ? s->why : "has no known value", key);
}

static void note_no_counterpart(struct importer *im, const struct seen *s)
{
    errors_note(im->errors, im->file, s->line, row_of(s, im)->name, "%s has no counterpart here; give %s with --set",
                s->value, row_of(s, im)->key);
}

static const char *choose(const struct choice *choice, const char *from)
{
    for (; choice->from; choice++)
        if (strcmp(choice->from, from) == 0)
            return choice->to;
    return NULL;
}

/** Sets `key` through a list of choices; a value that is not listed is remarked on. */
static void setting_choose(struct importer *im, const struct seen *s, const char *key, const struct choice *choice)
{
    const char *to = choose(choice, s->value);
    if (to)
        setting_add(im, s, key, to);
    else
        note_no_counterpart(im, s);
}

/** The flags that map by themselves, in the order of the table. */
static void apply_rows(struct importer *im)
{
    for (size_t i = 0; i < FLAG_ROWS; i++) {
        const struct flag_row *row = &flag_row[i];
        const struct seen *s = &im->seen[i];
        if (!s->is_given || row->kind == UNMODELLED || !row->key)
            continue;
        if (s->is_unknown && !row->is_launcher && !strstr(row->key, "hardware."))
            note_unknown(im, s, row->key);
        else if (row->kind == COPY)
            setting_add(im, s, row->key, s->value);
        else if (row->kind == SET)
            setting_add(im, s, row->key, row->value);
        else if (row->kind == CHOOSE)
            setting_choose(im, s, row->key, row->choice);
    }
}

/* ---- rules: model -------------------------------------------------------------------------------------------- */

static bool is_gated(const struct importer *im)
{
    return has(im, "--swiglu") || has(im, "--quick-geglu") || has(im, "--glu-activation");
}

static bool is_layernorm(const struct importer *im)
{
    return !has(im, "--normalization") || has_value(im, "--normalization", "LayerNorm");
}

static void rule_query_groups(struct importer *im)
{
    const struct seen *groups = seen_of(im, "--num-query-groups"), *gqa = seen_of(im, "--group-query-attention");
    if (groups->is_given && !gqa->is_given)
        errors_note(im->errors, im->file, groups->line, "--num-query-groups",
                    "has no effect without --group-query-attention; add that flag or give model.num_query_groups");
    else if (is_known_value(groups))
        setting_add(im, groups, "model.num_query_groups", groups->value);
    else if (gqa->is_given && !groups->is_given)
        setting_add(im, gqa, "model.num_query_groups", "1");
}

static void rule_vocabulary(struct importer *im)
{
    const struct seen *padded = seen_of(im, "--padded-vocab-size"), *size = seen_of(im, "--vocab-size");
    if (!padded->is_given)
        padded = seen_of(im, "--pad-vocab-size-to");
    const struct seen *multiple = seen_of(im, "--make-vocab-size-divisible-by");
    if (is_known_value(padded)) {
        setting_add(im, padded, "model.vocab_size", padded->value);
        setting_add(im, padded, "model.make_vocab_size_divisible_by", "1");
        return;
    }
    if (is_known_value(size))
        setting_add(im, size, "model.vocab_size", size->value);
    if (is_known_value(multiple))
        setting_add(im, multiple, "model.make_vocab_size_divisible_by", multiple->value);
    else if (!multiple->is_given)
        default_add(im, "model.make_vocab_size_divisible_by", "128");
    if (size->is_given || padded->is_given)
        return;
    if (has_value(im, "--tokenizer-type", "GPT2BPETokenizer"))
        default_add(im, "model.vocab_size", "50257"); /* size of the published GPT-2 vocabulary */
    else
        errors_note(im->errors, im->file, 0, "--vocab-size",
                    "is not given, the size comes from the tokenizer's files, which are not read; give "
                    "model.vocab_size with --set");
}

static void rule_position(struct importer *im)
{
    const struct seen *type = seen_of(im, "--position-embedding-type");
    const struct seen *rotary = seen_of(im, "--use-rotary-position-embeddings");
    const struct seen *none = seen_of(im, "--no-position-embedding");
    if (rotary->is_given)
        setting_add(im, rotary, "model.position_embedding", "rope");
    else if (is_known_value(type))
        setting_choose(im, type, "model.position_embedding", position_choice);
    else if (none->is_given)
        setting_add(im, none, "model.position_embedding", "none");
    else if (!type->is_given)
        default_add(im, "model.position_embedding", "learned");
}

static void rule_normalization(struct importer *im)
{
    const struct seen *norm = seen_of(im, "--normalization"), *plus_one = seen_of(im, "--apply-layernorm-1p");
    if (plus_one->is_given && is_layernorm(im))
        setting_add(im, plus_one, "model.normalization", "layernorm1p");
    else if (is_known_value(norm))
        setting_choose(im, norm, "model.normalization", norm_choice);
    else if (!norm->is_given)
        default_add(im, "model.normalization", "layernorm");
}

static void rule_bias(struct importer *im)
{
    bool has_bias = !has(im, "--disable-bias-linear");
    default_add(im, "model.add_bias_linear", "true");
    default_add(im, "model.add_qkv_bias", has_bias ? "true" : "false");
}

/** Megatron's width of the feed-forward block: 4 h, or with --swiglu two thirds of it in steps of 64. */
static void rule_ffn(struct importer *im)
{
    int64_t h;
    const struct seen *glu = seen_of(im, "--glu-activation");
    if (is_known_value(glu))
        setting_add(im, glu, "model.gated_mlp", "true");
    default_add(im, "model.gated_mlp", "false");
    if (has(im, "--ffn-hidden-size") || !has_number(im, "--hidden-size", &h) || h < 1 || h > INT32_MAX)
        return;
    default_number(im, "model.ffn_hidden_size", has(im, "--swiglu") ? 8 * h / 3 / 64 * 64 : 4 * h);
}

static void rule_window(struct importer *im)
{
    const struct seen *window = seen_of(im, "--window-size"), *skip = seen_of(im, "--window-attn-skip-freq");
    const struct seen *sinks = seen_of(im, "--softmax-type");
    int64_t every;
    if (is_known_value(window)) {
        /* (left, right): tokens before the one that looks; with itself one more */
        long left = strtol(window->value + strcspn(window->value, "-0123456789"), NULL, 10);
        if (left >= 0 && left < INT32_MAX)
            setting_number(im, window, "model.sliding_window", left + 1);
    }
    if (has_number(im, "--window-attn-skip-freq", &every))
        setting_number(im, skip, "model.sliding_window_every", every);
    else if (is_known_value(skip))
        note_no_counterpart(im, skip);
    if (has_value(im, "--softmax-type", "learnable"))
        setting_add(im, sinks, "model.attention_sinks", "true");
}

/* Megatron's defaults of single keys, taken where `unless` is absent and, if named, `needs` is present. */
static const struct {
    const char *unless, *needs, *key, *value;
} default_row[] = {
    {"--hidden-dropout", NULL, "model.hidden_dropout", "0.1"},
    {"--attention-dropout", NULL, "model.attention_dropout", "0.1"},
    {"--untie-embeddings-and-output-weights", NULL, "model.tied_embeddings", "true"},
    {"--kv-lora-rank", "--multi-latent-attention", "model.kv_lora_rank", "32"},
    {"--qk-head-dim", "--multi-latent-attention", "model.qk_head_dim", "128"},
    {"--qk-pos-emb-head-dim", "--multi-latent-attention", "model.qk_pos_emb_head_dim", "64"},
    {"--v-head-dim", "--multi-latent-attention", "model.v_head_dim", "128"},
    {"--moe-router-topk", "--num-experts", "model.moe_router_topk", "2"},
    {"--moe-token-dispatcher-type", "--num-experts", "parallel.moe_dispatcher", "allgather"},
    {"--moe-grouped-gemm", "--num-experts", "framework.moe_grouped_gemm", "false"},
    {"--optimizer", NULL, "train.optimizer", "adam"},
    {"--no-create-attention-mask-in-dataloader", NULL, "framework.create_attention_mask", "true"},
};

static void rule_defaults(struct importer *im)
{
    if (setting_integer(im, "parallel.vpp") > 1)
        default_add(im, "parallel.overlap_p2p", "true");
    for (size_t i = 0; i < sizeof default_row / sizeof *default_row; i++)
        if (!has(im, default_row[i].unless) && (!default_row[i].needs || has(im, default_row[i].needs)))
            default_add(im, default_row[i].key, default_row[i].value);
    const struct seen *length = seen_of(im, "--seq-length");
    if (!has(im, "--max-position-embeddings") && is_known_value(length))
        default_add(im, "model.max_position_embeddings", length->value);
}

/* ---- rules: experts ------------------------------------------------------------------------------------------ */

enum { PATTERN_LAYERS = 4096, PATTERN_DEPTH = 16 };

/** A pattern of layers written as `[0]*3+[1]*58`, being evaluated. */
struct pattern {
    const char *p;
    unsigned char layer[PATTERN_LAYERS];
    size_t count;
    int depth;
    bool is_wrong;
};

static bool pattern_skip(struct pattern *x, char c)
{
    while (isspace((unsigned char)*x->p))
        x->p++;
    if (*x->p != c)
        return false;
    x->p++;
    return true;
}

/** Repeats what was added since `from` so that it is there `n` times. */
static void pattern_repeat(struct pattern *x, size_t from, int64_t n)
{
    size_t size = x->count - from;
    if (n < 0 || (size > 0 && (uint64_t)n > (PATTERN_LAYERS - from) / size)) {
        x->is_wrong = true;
        return;
    }
    for (int64_t i = 1; i < n && size > 0; i++)
        memcpy(x->layer + from + size * (size_t)i, x->layer + from, size);
    x->count = from + size * (size_t)n;
}

static void pattern_sum(struct pattern *x);

static void pattern_list(struct pattern *x)
{
    while (!x->is_wrong && !pattern_skip(x, ']')) {
        char *end;
        long bit = strtol(x->p, &end, 10);
        x->is_wrong = end == x->p || bit < 0 || bit > 1 || x->count >= PATTERN_LAYERS;
        if (!x->is_wrong)
            x->layer[x->count++] = (unsigned char)bit;
        x->p = end;
        pattern_skip(x, ',');
    }
}

static void pattern_factor(struct pattern *x)
{
    size_t from = x->count;
    if (pattern_skip(x, '(') && ++x->depth < PATTERN_DEPTH) {
        pattern_sum(x);
        x->is_wrong |= !pattern_skip(x, ')');
        x->depth--;
    } else if (pattern_skip(x, '[')) {
        pattern_list(x);
    } else {
        x->is_wrong = true;
    }
    while (!x->is_wrong && pattern_skip(x, '*')) {
        char *end;
        long n = strtol(x->p, &end, 10);
        x->is_wrong = end == x->p;
        x->p = end;
        if (!x->is_wrong)
            pattern_repeat(x, from, n);
    }
}

static void pattern_sum(struct pattern *x)
{
    do
        pattern_factor(x);
    while (!x->is_wrong && pattern_skip(x, '+'));
}

/** True if the pattern is `first` dense layers, then a layer with experts and another at every `freq`-th place. */
static bool pattern_fits(const struct pattern *x, size_t first, size_t freq)
{
    for (size_t i = 0; i < x->count; i++)
        if (x->layer[i] != (i >= first && (i - first) % freq == 0))
            return false;
    return true;
}

static void rule_layer_freq(struct importer *im)
{
    const struct seen *s = seen_of(im, "--moe-layer-freq");
    int64_t n;
    if (!is_known_value(s))
        return;
    if (number_parse(s->value, &n)) {
        setting_number(im, s, "model.moe_layer_freq", n);
        return;
    }
    struct pattern *x = xmalloc(sizeof *x);
    *x = (struct pattern){.p = s->value};
    pattern_sum(x);
    size_t first = 0, freq = 1;
    while (first < x->count && !x->layer[first])
        first++;
    while (first + freq < x->count && !x->layer[first + freq])
        freq++;
    bool is_regular = !x->is_wrong && !*x->p && first < x->count && pattern_fits(x, first, freq);
    if (is_regular && first > 0)
        setting_number(im, s, "model.moe_first_dense", (int64_t)first);
    if (is_regular)
        setting_number(im, s, "model.moe_layer_freq", (int64_t)freq);
    else
        note_no_counterpart(im, s);
    free(x);
}

static void rule_experts(struct importer *im)
{
    const struct seen *capacity = seen_of(im, "--moe-expert-capacity-factor");
    char *end;
    if (is_known_value(capacity) && strtod(capacity->value, &end) > 0 && !*end)
        setting_add(im, capacity, "model.moe_capacity_factor", capacity->value);
    rule_layer_freq(im);
    if (!has(im, "--num-experts"))
        return;
    const struct seen *ffn = seen_of(im, "--ffn-hidden-size"), *tp = seen_of(im, "--tensor-model-parallel-size");
    if (!has(im, "--moe-ffn-hidden-size") && is_known_value(ffn))
        default_add(im, "model.moe_ffn_hidden_size", ffn->value);
    if (!has(im, "--expert-tensor-parallel-size") && is_known_value(tp))
        default_add(im, "parallel.etp", tp->value);
}

/* ---- rules: parallel ----------------------------------------------------------------------------------------- */

static void rule_sequence_parallel(struct importer *im)
{
    const struct seen *sp = seen_of(im, "--sequence-parallel");
    int64_t tp;
    if (!sp->is_given)
        return;
    bool is_off = has_count(im, "--tensor-model-parallel-size", &tp) && tp == 1;
    setting_add(im, sp, "parallel.sp", is_off ? "false" : "true");
    if (is_off)
        errors_note(im->errors, im->file, sp->line, "--sequence-parallel",
                    "is switched off by Megatron with one tensor-parallel rank");
}

/** Virtual stages from the number of layers in each: layers / pp / n, embedding and loss counted if asked. */
static void rule_virtual_stages(struct importer *im)
{
    const struct seen *s = seen_of(im, "--num-layers-per-virtual-pipeline-stage");
    int64_t per, layers, pp;
    if (!is_known_value(s) || has(im, "--num-virtual-stages-per-pipeline-rank"))
        return;
    bool is_known = has_number(im, "--num-layers-per-virtual-pipeline-stage", &per) && per > 0 &&
                    (has_number(im, "--num-layers", &layers) || has_number(im, "--encoder-num-layers", &layers)) &&
                    layers > 0 && layers < INT32_MAX && has_count(im, "--pipeline-model-parallel-size", &pp);
    if (!is_known) {
        errors_note(im->errors, im->file, s->line, "--num-layers-per-virtual-pipeline-stage",
                    "needs known --num-layers and --pipeline-model-parallel-size; give parallel.vpp with --set");
        return;
    }
    layers += has(im, "--account-for-embedding-in-pipeline-split");
    layers += has(im, "--account-for-loss-in-pipeline-split");
    if (layers % pp == 0 && layers / pp % per == 0)
        setting_number(im, s, "parallel.vpp", layers / pp / per);
    else
        errors_note(im->errors, im->file, s->line, "--num-layers-per-virtual-pipeline-stage",
                    "%lld layers do not split over %lld stages in groups of %lld; give parallel.vpp with --set",
                    (long long)layers, (long long)pp, (long long)per);
}

enum { LAYOUT_TEXT = 65536, LAYOUT_STAGES = 4096 };

/** Writes a layout with `(...)*n` and `x*n` repeated out; returns whether it is well formed and not too long. */
static bool layout_unroll(const char **p, int depth, struct buffer *out)
{
    while (**p && **p != ')') {
        size_t from = out->size;
        char c = *(*p)++;
        if (c == '(') {
            if (depth >= PATTERN_DEPTH || !layout_unroll(p, depth + 1, out) || **p != ')')
                return false;
            (*p)++;
        } else if (strchr("EtmL|", c)) {
            buffer_add(out, &c, 1);
        } else if (c != ',' && !isspace((unsigned char)c)) {
            return false;
        }
        size_t size = out->size - from;
        if (**p != '*')
            continue;
        char *end;
        long n = strtol(*p + 1, &end, 10);
        if (end == *p + 1 || n < 1 || size == 0 || n > LAYOUT_TEXT / (long)size)
            return false;
        *p = end;
        char *once = xstrndup(out->text + from, size);
        for (long i = 1; i < n && out->size < LAYOUT_TEXT; i++)
            buffer_add(out, once, size);
        free(once);
        if (out->size >= LAYOUT_TEXT)
            return false;
    }
    return true;
}

/** Layers per stage of an unrolled layout as `[a,b,...]`; returns the number of stages. */
static int64_t layout_count(const char *text, struct buffer *list)
{
    int64_t stages = 0;
    buffer_puts(list, "[");
    for (;;) {
        int64_t layers = 0;
        for (; *text && *text != '|'; text++)
            layers += *text == 't';
        buffer_printf(list, stages++ ? ",%lld" : "%lld", (long long)layers);
        if (!*text++)
            break;
    }
    buffer_puts(list, "]");
    return stages;
}

static void rule_layout(struct importer *im)
{
    const struct seen *s = seen_of(im, "--pipeline-model-parallel-layout");
    if (!is_known_value(s))
        return;
    struct buffer whole = {0}, list = {0};
    const char *p = s->value;
    int64_t pp, stages = 0;
    if (layout_unroll(&p, 0, &whole) && !*p && whole.text)
        stages = layout_count(whole.text, &list);
    if (stages > 0 && stages <= LAYOUT_STAGES && has_count(im, "--pipeline-model-parallel-size", &pp) &&
        stages % pp == 0) {
        setting_add(im, s, "parallel.pipeline_layout", list.text);
        if (stages > pp)
            setting_number(im, s, "parallel.vpp", stages / pp);
    } else {
        note_no_counterpart(im, s);
    }
    buffer_free(&whole);
    buffer_free(&list);
}

/** One kind for all layers, or the first with a remark when they differ. */
static void rule_context_parallel(struct importer *im)
{
    const struct seen *s = seen_of(im, "--cp-comm-type");
    if (!is_known_value(s))
        return;
    size_t n = strcspn(s->value, " ");
    char *first = xstrndup(s->value, n);
    bool is_same = true;
    for (const char *p = s->value + n; *p; p += strcspn(p, " ")) {
        p += strspn(p, " ");
        is_same &= strncmp(p, first, n) == 0 && (!p[n] || p[n] == ' ');
    }
    const char *to = choose(cp_choice, first);
    if (to && is_same)
        setting_add(im, s, "parallel.cp_comm", to);
    else
        note_no_counterpart(im, s);
    free(first);
}

static const struct {
    const char *strategy, *zero_stage, *fsdp;
} strategy_row[] = {
    {"no_shard", "0", NULL},
    {"optim", "1", NULL},
    {"optim_grads", "2", "shard_grad_op"},
    {"optim_grads_params", "3", "full"},
};

/** Megatron-FSDP: the strategy decides what is sharded. */
static void rule_megatron_fsdp(struct importer *im, const struct seen *fsdp)
{
    const struct seen *s = seen_of(im, "--data-parallel-sharding-strategy");
    const char *strategy = s->is_given ? s->value : "optim_grads_params";
    if (s->is_given && s->is_unknown)
        return;
    for (size_t i = 0; i < sizeof strategy_row / sizeof *strategy_row; i++) {
        if (strcmp(strategy, strategy_row[i].strategy) != 0)
            continue;
        setting_add(im, fsdp, "parallel.zero_stage", strategy_row[i].zero_stage);
        if (strategy_row[i].fsdp)
            setting_add(im, fsdp, "parallel.fsdp", strategy_row[i].fsdp);
        return;
    }
    note_no_counterpart(im, s);
}

static void rule_sharding(struct importer *im)
{
    const struct seen *distributed = seen_of(im, "--use-distributed-optimizer"), *zero = seen_of(im, "--zero-stage");
    const struct seen *custom = seen_of(im, "--use-custom-fsdp"), *megatron = seen_of(im, "--use-megatron-fsdp");
    const struct seen *torch = seen_of(im, "--use-torch-fsdp2");
    bool keeps = has(im, "--torch-fsdp2-no-reshard-after-forward");
    if (megatron->is_given || custom->is_given) {
        rule_megatron_fsdp(im, megatron->is_given ? megatron : custom);
    } else if (torch->is_given) {
        setting_add(im, torch, "parallel.zero_stage", keeps ? "2" : "3");
        setting_add(im, torch, "parallel.fsdp", keeps ? "shard_grad_op" : "full");
    } else if (is_known_value(zero)) {
        setting_add(im, zero, "parallel.zero_stage", zero->value);
    } else if (distributed->is_given) {
        setting_add(im, distributed, "parallel.zero_stage", "1");
    } else if (!zero->is_given) {
        default_add(im, "parallel.zero_stage", "0");
    }
}

/* ---- rules: training ----------------------------------------------------------------------------------------- */

static const char *const fp8_flag[] = {"--fp8-format", "--fp8-hybrid", "--fp8-e4m3"};

static const struct seen *fp8_of(const struct importer *im)
{
    for (size_t i = 0; i < sizeof fp8_flag / sizeof *fp8_flag; i++)
        if (has(im, fp8_flag[i]))
            return seen_of(im, fp8_flag[i]);
    return NULL;
}

static void rule_dtype(struct importer *im)
{
    const struct seen *fp4 = seen_of(im, "--fp4-format"), *fp8 = fp8_of(im), *bf16 = seen_of(im, "--bf16");
    const struct seen *fp16 = seen_of(im, "--fp16"), *recipe = seen_of(im, "--fp8-recipe");
    if (is_known_value(recipe))
        setting_choose(im, recipe, "framework.fp8_recipe", recipe_choice);
    else if (fp8 && !recipe->is_given)
        default_add(im, "framework.fp8_recipe", "delayed");
    if (fp4->is_given)
        setting_add(im, fp4, "train.dtype", "nvfp4");
    else if (fp8)
        setting_add(im, fp8, "train.dtype", has_value(im, "--fp8-recipe", "mxfp8") ? "mxfp8" : "fp8");
    else if (bf16->is_given)
        setting_add(im, bf16, "train.dtype", "bf16");
    else if (fp16->is_given)
        setting_add(im, fp16, "train.dtype", "fp16");
    else
        default_add(im, "train.dtype", "fp32");
}

static void rule_grad_dtype(struct importer *im)
{
    const struct seen *in_fp32 = seen_of(im, "--accumulate-allreduce-grads-in-fp32");
    const struct seen *in_bf16 = seen_of(im, "--grad-reduce-in-bf16"), *main_grads = seen_of(im, "--main-grads-dtype");
    bool is_low = is_known_value(main_grads) && strcmp(main_grads->value, "fp32") != 0;
    if (is_low)
        setting_choose(im, main_grads, "train.grad_dtype", state_choice);
    else if (in_bf16->is_given)
        setting_add(im, in_bf16, "train.grad_dtype", "bf16");
    else if (in_fp32->is_given)
        setting_add(im, in_fp32, "train.grad_dtype", "fp32");
    else
        default_add(im, "train.grad_dtype", has(im, "--fp16") ? "fp16" : "fp32");
}

static void rule_offload(struct importer *im)
{
    const struct seen *offload = seen_of(im, "--optimizer-cpu-offload"), *old = seen_of(im, "--cpu-optimizer");
    const struct seen *share = seen_of(im, "--optimizer-offload-fraction");
    const struct seen *s = offload->is_given ? offload : old;
    if (s->is_given && !share->is_unknown)
        setting_add(im, s, "train.offload_optimizer", share->is_given ? share->value : "1");
}

/** What the old and the new flags say about recomputation; NULL if nothing. */
static const struct seen *recompute_of(const struct importer *im, const char **value)
{
    static const struct {
        const char *flag, *value;
    } row[] = {
        {"--recompute-granularity", NULL},
        {"--activations-checkpoint-granularity", NULL},
        {"--recompute-activations", "selective"},
        {"--checkpoint-activations", "full"},
        {"--activations-checkpoint-method", "full"},
        {"--moe-layer-recompute", "selective"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const struct seen *s = seen_of(im, row[i].flag);
        if (!s->is_given)
            continue;
        *value = row[i].value ? row[i].value : s->value;
        return s;
    }
    return NULL;
}

static void rule_recompute_modules(struct importer *im)
{
    const struct seen *modules = seen_of(im, "--recompute-modules"), *moe = seen_of(im, "--moe-layer-recompute");
    if (is_known_value(modules)) {
        char *list = xasprintf("[%s%s]", modules->value, moe->is_given ? " moe" : "");
        for (char *p = list; *p; p++)
            if (*p == ' ')
                *p = ',';
        setting_add(im, modules, "train.recompute_modules", list);
        free(list);
    } else if (moe->is_given && !modules->is_given) {
        setting_add(im, moe, "train.recompute_modules", "[moe]");
    }
}

static void rule_recompute(struct importer *im)
{
    static const struct choice choice[] = {{"full", "full"}, {"selective", "selective"}, {NULL, NULL}};
    const char *value = NULL;
    const struct seen *s = recompute_of(im, &value);
    const char *to = s && !s->is_unknown ? choose(choice, value) : NULL;
    if (s && !s->is_unknown && !to)
        note_no_counterpart(im, s);
    if (to)
        setting_add(im, s, "train.recompute", to);
    rule_recompute_modules(im);
}

/** Without a flag, fused attention comes with Transformer Engine; flags of 2021 and 2022 tell of a time before it. */
static bool is_before_flash(const struct importer *im)
{
    static const char *const old[] = {"--deepspeed", "--checkpoint-activations", "--activations-checkpoint-method",
                                      "--activations-checkpoint-granularity", "--model-parallel-size"};
    bool is_old = has_value(im, "--transformer-impl", "local");
    for (size_t i = 0; i < sizeof old / sizeof *old; i++)
        is_old |= has(im, old[i]);
    return is_old;
}

static void rule_attention(struct importer *im)
{
    static const struct choice choice[] = {{"flash", "flash"},     {"fused", "flash"},   {"auto", "flash"},
                                           {"unfused", "unfused"}, {"local", "unfused"}, {NULL, NULL}};
    static const char *const flash[] = {"--use-flash-attn", "--use-flash-attn-v1", "--use-flash-attn-v2"};
    const struct seen *backend = seen_of(im, "--attention-backend");
    for (size_t i = 0; i < sizeof flash / sizeof *flash && !backend->is_given; i++)
        if (has(im, flash[i])) {
            setting_add(im, seen_of(im, flash[i]), "train.attention", "flash");
            return;
        }
    if (is_known_value(backend))
        setting_choose(im, backend, "train.attention", choice);
    if (has_value(im, "--attention-backend", "fused"))
        setting_add(im, backend, "train.attention_kernel", "cudnn");
    if (!backend->is_given)
        default_add(im, "train.attention", is_before_flash(im) ? "unfused" : "flash");
}

static void rule_fusions(struct importer *im)
{
    const struct seen *loss = seen_of(im, "--cross-entropy-loss-fusion");
    const struct seen *glu = seen_of(im, "--no-bias-swiglu-fusion"), *gelu = seen_of(im, "--no-bias-gelu-fusion");
    bool is_te = has_value(im, "--cross-entropy-fusion-impl", "te");
    if (loss->is_given)
        setting_add(im, loss, "train.cross_entropy", is_te ? "te_fused" : "native_fused");
    if (glu->is_given) {
        setting_add(im, glu, "train.fused_glu", "false");
        if (is_gated(im))
            setting_add(im, glu, "framework.bias_activation_fusion", "false");
    }
    if (gelu->is_given && !is_gated(im))
        setting_add(im, gelu, "framework.bias_activation_fusion", "false");
    else if (!is_gated(im) && has(im, "--disable-bias-linear"))
        default_add(im, "framework.bias_activation_fusion", "false");
}

/** The number that a default already gave to a key, 0 if none did. */
static int64_t default_integer(const struct importer *im, const char *key)
{
    int64_t n = 0;
    for (size_t i = 0; i < im->out->defaults.count; i++)
        if (strcmp(im->out->defaults.item[i].key, key) == 0)
            number_parse(im->out->defaults.item[i].value, &n);
    return n;
}

static void rule_tokens(struct importer *im)
{
    const struct seen *iterations = seen_of(im, "--train-iters"), *samples = seen_of(im, "--train-samples");
    const struct seen *tokens = seen_of(im, "--train-tokens");
    int64_t n, batch = 0, length;
    if (is_known_value(tokens)) {
        setting_add(im, tokens, "train.total_tokens", tokens->value);
        return;
    }
    bool is_samples = samples->is_given;
    const struct seen *s = is_samples ? samples : iterations;
    if (is_samples)
        batch = 1;
    else if (!has(im, "--global-batch-size"))
        batch = default_integer(im, "train.global_batch_size");
    if (!is_known_value(s) || !number_parse(s->value, &n) || n < 1)
        return;
    bool is_known = (batch > 0 || has_number(im, "--global-batch-size", &batch)) &&
                    has_number(im, "--seq-length", &length) && batch > 0 && length > 0 &&
                    !__builtin_mul_overflow(n, batch, &n) && !__builtin_mul_overflow(n, length, &n);
    if (is_known)
        setting_number(im, s, "train.total_tokens", n);
    else
        errors_note(im->errors, im->file, s->line, row_of(s, im)->name,
                    "needs known --global-batch-size and --seq-length; give train.total_tokens with --set");
}

/* ---- rules: hardware ----------------------------------------------------------------------------------------- */

/** A count as launchers write it: `8`, `gpu:8`, `gpu:h100:8`. */
static bool launcher_number(const char *value, int64_t *n)
{
    const char *last = strrchr(value, ':');
    bool is_gres = last && strncmp(value, "gpu", 3) == 0;
    return (!last || is_gres) && number_parse(is_gres ? last + 1 : value, n) && *n > 0;
}

/** Sets a hardware key from the first of several flags that gives a number. */
static void rule_launcher(struct importer *im, const char *const *flag, size_t flags, const char *key)
{
    const struct seen *unknown = NULL;
    int64_t n;
    for (size_t i = 0; i < flags; i++) {
        const struct seen *s = seen_of(im, flag[i]);
        if (is_known_value(s) && launcher_number(s->value, &n)) {
            setting_number(im, s, key, n);
            return;
        }
        if (s->is_given && !unknown)
            unknown = s;
    }
    if (unknown && unknown->is_unknown)
        note_unknown(im, unknown, key);
    else if (unknown)
        errors_note(im->errors, im->file, unknown->line, row_of(unknown, im)->name,
                    "%s is not one number; give %s with --set", unknown->value, key);
    else if (im->has_launcher)
        default_add(im, key, "1"); /* torchrun starts one process on one node when not told otherwise */
}

static void rule_hardware(struct importer *im)
{
    static const char *const nodes[] = {"--nnodes", "--num-nodes", "--nodes", "-N"};
    static const char *const gpus[] = {"--nproc-per-node", "--num-gpus", "--gpus-per-node", "--gres",
                                       "--ntasks-per-node"};
    rule_launcher(im, nodes, sizeof nodes / sizeof *nodes, "hardware.nodes");
    rule_launcher(im, gpus, sizeof gpus / sizeof *gpus, "hardware.gpus_per_node");
}

/** Keys that follow from the number of data-parallel ranks: the default batch and the sharding group. */
static void rule_data_parallel(struct importer *im)
{
    int64_t tp, pp, cp, mbs, instances, world;
    const struct seen *s = seen_of(im, "--num-distributed-optimizer-instances");
    world = setting_integer(im, "hardware.nodes") * setting_integer(im, "hardware.gpus_per_node");
    if (!has_count(im, "--tensor-model-parallel-size", &tp) || !has_count(im, "--pipeline-model-parallel-size", &pp) ||
        !has_count(im, "--context-parallel-size", &cp) || tp > INT16_MAX || pp > INT16_MAX || cp > INT16_MAX ||
        world <= 0 || world % (tp * pp * cp) != 0)
        return;
    int64_t replicas = world / tp / pp;
    if (has_number(im, "--num-distributed-optimizer-instances", &instances) && instances > 1 &&
        replicas % instances == 0)
        setting_number(im, s, "parallel.shard_group", replicas / instances);
    if (!has(im, "--global-batch-size") && has_number(im, "--micro-batch-size", &mbs) && mbs > 0 && mbs < INT32_MAX)
        default_number(im, "train.global_batch_size", mbs * (replicas / cp));
}

/* ---- all together -------------------------------------------------------------------------------------------- */

static void (*const rule[])(struct importer *) = {
    rule_query_groups, rule_vocabulary,        rule_position,       rule_normalization, rule_ffn,
    rule_bias,         rule_window,            rule_experts,        rule_sequence_parallel,
    rule_virtual_stages, rule_layout,          rule_context_parallel, rule_sharding,    rule_dtype,
    rule_grad_dtype,   rule_offload,           rule_recompute,      rule_attention,     rule_fusions,
    rule_hardware,     rule_data_parallel,     rule_tokens,         rule_defaults,
};

static void finish(struct importer *im)
{
    apply_rows(im);
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++)
        rule[i](im);
    for (size_t i = 0; i < FLAG_ROWS; i++) {
        free(im->seen[i].value);
        free(im->seen[i].why);
    }
}

int megatron_arguments(int argc, char **argv, struct megatron_import *out, int *rest, struct errors *errors)
{
    struct importer *im = xmalloc(sizeof *im);
    struct shell_word *word = xmalloc(((size_t)argc + 1) * sizeof *word);
    int count = 0;
    for (int i = 0; i < argc; i++)
        word[i] = (struct shell_word){.text = argv[i]};
    *im = (struct importer){.errors = errors, .out = out, .word = word, .count = (size_t)argc, .is_script = true};
    while (im->at < im->count) {
        size_t at = im->at;
        const struct flag_row *row = row_at(im);
        if (row)
            take_flag(im, row);
        else if (!take_other(im) && !ends_with(word[at].text, ".py"))
            rest[count++] = (int)at;
    }
    finish(im);
    free(word);
    free(im);
    return count;
}

/* ---- scripts ------------------------------------------------------------------------------------------------- */

/* Flags by which a training command is told from others. */
static const char *const telling[] = {
    "--num-layers",       "--hidden-size",        "--num-attention-heads",        "--seq-length",
    "--micro-batch-size", "--global-batch-size",  "--tensor-model-parallel-size", "--pipeline-model-parallel-size",
    "--ffn-hidden-size",  "--encoder-num-layers", "--max-position-embeddings",    "--use-distributed-optimizer",
};

enum { TELLING = sizeof telling / sizeof *telling, TELLING_MIN = 2 };

static size_t command_telling(const struct shell_command *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < TELLING; k++)
            n += flag_is(c->word[i].text, telling[k]);
    return n;
}

/** Commands that only show or write text pass no flags to a training. */
static bool is_training(const struct shell_command *c)
{
    static const char *const shown[] = {"echo", "printf", "cat", "export", "log", "print"};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (c->count > 0 && strcmp(c->word[0].text, shown[i]) == 0)
            return false;
    return command_telling(c) >= TELLING_MIN;
}

/** What starts one process for each GPU, as it is called. */
static bool is_launcher(const char *word)
{
    static const char *const name[] = {"torchrun", "torch.distributed.launch", "torch.distributed.run"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (ends_with(word, name[i]))
            return true;
    return false;
}

static bool is_script_name(const struct shell_word *w)
{
    return ends_with(w->text, ".py");
}

/** Remarks once on each kind of words that may hold flags and are not known. */
static void note_hidden_words(struct importer *im, const struct shell_word *w)
{
    if (!w->is_unknown || *w->text || w == im->word)
        return;
    for (const struct shell_word *other = im->word; other < w; other++)
        if (other->is_unknown && other->why && w->why && strcmp(other->why, w->why) == 0)
            return;
    errors_note(im->errors, im->file, w->line, NULL, "a part of the training command %s; its flags are not read",
                w->why ? w->why : "is not known");
}

/** Takes one word of a command, and what belongs to it. */
static void take_word(struct importer *im)
{
    const struct shell_word *w = &im->word[im->at];
    const struct flag_row *row = row_at(im);
    im->has_launcher |= is_launcher(w->text);
    if (row) {
        take_flag(im, row);
        return;
    }
    if (take_other(im))
        return;
    if (is_script_name(w)) {
        im->is_script = true;
    } else if (is_long_flag(w->text) && im->is_script) {
        unused_add(im, w, MEGATRON_NOT_KNOWN);
        im->at += value_count(im, im->at - 1, 1); /* most flags have one value */
    } else if (im->is_script) {
        note_hidden_words(im, w);
    }
}

/** Takes the words of a command; those of the commands around it (srun ... bash -c) come first. */
static void take_command(struct importer *im, const struct shell_script *script, const struct shell_command *c,
                         int depth)
{
    if (c->parent > 0 && depth < PATTERN_DEPTH)
        take_command(im, script, &script->command[c->parent - 1], depth + 1);
    bool has_script = false;
    for (size_t i = 0; i < c->count; i++)
        has_script |= is_script_name(&c->word[i]);
    im->word = c->word;
    im->count = c->count;
    im->is_script = !has_script && depth == 0;
    for (im->at = 0; im->at < im->count;) {
        if (depth > 0 && im->at + 1 < im->count && strcmp(im->word[im->at].text, "-c") == 0)
            break;
        take_word(im);
    }
}

/** `#SBATCH --nodes=4` and its like, for what no command says. */
static void take_directives(struct importer *im, const char *text, size_t size)
{
    static const char mark[] = "#SBATCH";
    int line = 1;
    for (const char *p = text, *end = text + size; p < end; line++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p)), *stop = newline ? newline : end;
        if ((size_t)(stop - p) > sizeof mark && memcmp(p, mark, sizeof mark - 1) == 0) {
            char *directive = xstrndup(p + sizeof mark - 1, (size_t)(stop - p) - (sizeof mark - 1));
            struct shell_word word[2] = {{.line = line}, {.line = line}};
            const char *separator = " \t=\r";
            word[0].text = directive + strspn(directive, separator);
            char *value = word[0].text + strcspn(word[0].text, separator);
            if (*value)
                *value++ = '\0';
            value += strspn(value, separator);
            value[strcspn(value, separator)] = '\0';
            word[1].text = value;
            const struct flag_row *row = flag_find(word[0].text);
            im->word = word;
            im->count = 2;
            im->at = 0;
            if (row && row->is_launcher && *value && !is_known_value(&im->seen[row - flag_row]))
                take_flag(im, row);
            free(directive);
        }
        p = newline ? newline + 1 : end;
    }
}

/** The command to take: the first that runs for certain, else the first; NULL if there is none. */
static const struct shell_command *find_training(struct importer *im, const struct shell_script *script)
{
    const struct shell_command *found = NULL;
    size_t lines = 0;
    int last_line = 0;
    for (size_t i = 0; i < script->count; i++) {
        const struct shell_command *c = &script->command[i];
        if (!is_training(c))
            continue;
        lines += c->line != last_line;
        last_line = c->line;
        if (!found || (found->is_uncertain && !c->is_uncertain))
            found = c;
    }
    if (found && lines > 1)
        errors_note(im->errors, im->file, found->line, NULL, "this is the one taken of %zu commands that run training",
                    lines);
    if (found && found->is_uncertain)
        errors_note(im->errors, im->file, found->line, NULL,
                    "whether this command runs depends on a condition that is not known");
    return found;
}

/** Without a command, a file that only sets variables: those that hold flags, in the order they were set. */
static bool take_variables(struct importer *im, const struct shell_script *script)
{
    struct buffer names = {0};
    for (size_t i = 0; i < script->variables; i++) {
        const struct shell_command *v = &script->variable[i];
        if (command_telling(v) == 0)
            continue;
        buffer_printf(&names, names.size ? ", $%s" : "$%s", v->word[0].text);
        im->word = v->word + 1;
        im->count = v->count - 1;
        im->is_script = true;
        for (im->at = 0; im->at < im->count;)
            take_word(im);
    }
    bool is_found = names.size > 0;
    if (is_found)
        errors_note(im->errors, im->file, 0, NULL, "no command runs training; the flags are those of %s", names.text);
    buffer_free(&names);
    return is_found;
}

static bool take_script(struct importer *im, const struct shell_script *script)
{
    const struct shell_command *c = find_training(im, script);
    if (!c)
        return take_variables(im, script);
    take_command(im, script, c, 0);
    return true;
}

int megatron_import(const char *text, size_t size, const char *name, struct megatron_import *out,
                    struct errors *errors)
{
    struct shell_script script = {0};
    struct importer *im = xmalloc(sizeof *im);
    *im = (struct importer){.file = name, .errors = errors, .out = out};
    int result = shell_read(text, size, name, &script, errors);
    if (result == 0 && take_script(im, &script)) {
        take_directives(im, text, size);
        finish(im);
    } else if (result == 0) {
        errors_add(errors, name, 0, NULL,
                   "no command in it passes Megatron's flags (--num-layers, --hidden-size, ...); give the script "
                   "that starts the training");
        result = -1;
    }
    shell_free(&script);
    free(im);
    return result;
}

/** True if the text has this flag, in either spelling, as a word. */
static bool text_has_flag(const char *text, size_t size, const char *flag)
{
    const char *p = text, *end = text + size;
    size_t n = strlen(flag);
    while ((p = memchr(p, '-', (size_t)(end - p))) && (size_t)(end - p) > n) {
        size_t k = 0;
        while (k < n && (p[k] == flag[k] || (p[k] == '_' && flag[k] == '-')))
            k++;
        if (k == n && !isalnum((unsigned char)p[n]) && p[n] != '-' && p[n] != '_')
            return true;
        p++;
    }
    return false;
}

bool megatron_recognise(const char *text, size_t size)
{
    size_t n = 0, start = 0;
    while (start < size && isspace((unsigned char)text[start]))
        start++;
    if (start < size && strchr("{[", text[start]))
        return false; /* JSON */
    for (size_t i = 0; i < TELLING; i++)
        n += text_has_flag(text, size, telling[i]);
    return n >= TELLING_MIN;
}

void megatron_free(struct megatron_import *import)
{
    keyvals_free(&import->settings);
    keyvals_free(&import->defaults);
    keyvals_free(&import->unused);
}
