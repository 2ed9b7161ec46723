#include "src/import/megatron_flags.h"

#include <string.h>

/* ---- flags that a plan has a counterpart for ------------------------------------------------------------------- */

enum { SEVERAL = MEGATRON_SEVERAL };

const struct flag_row flag_row[FLAG_ROWS] = {
#define COPY(flag, key)            {flag, 1, FLAG_COPY, key, NULL, false},
#define SET(flag, key, value)      {flag, 0, FLAG_SET, key, value, false},
#define CHOOSE(flag, key, choices) {flag, 1, FLAG_CHOOSE, key, choices, false},
#define RULE(flag, words, key)     {flag, words, FLAG_RULE, key, NULL, false},
#define LAUNCHER(flag, key)        {flag, 1, FLAG_RULE, key, NULL, true},
#define UNMODELLED(flag, words)    {flag, words, FLAG_UNMODELLED, NULL, NULL, false},
#define REASON(flag, words, why)   {flag, words, FLAG_UNMODELLED, NULL, why, false},
#define OTHER(flag, words, what)   {flag, words, FLAG_OTHER_MODEL, NULL, what, false},
#include "core/base.h"
#include "src/import/megatron_flags.def"
};

/* ---- flags that change nothing here ---------------------------------------------------------------------------- */

/* Without their dashes; with those above they are what Megatron and torchrun take. */
static const char *const other_switch[] = {
    "abort-on-unmet-fused-kernel-constraints", "adaptive-seq-len", "adlr-autoresume", "allow-ambiguous-pad-tokens",
    "apply-query-key-layer-scaling", "apply-residual-connection-post-layernorm", "apply-wd-to-qk-layernorm",
    "async-save", "attention-softmax-in-fp32", "auto-detect-ckpt-format", "biencoder-shared-query-context-model",
    "cache-mla-latents", "calc-ft-timeouts", "calculate-per-token-loss", "check-for-large-grads",
    "check-for-spiky-loss", "ckpt-assume-constant-structure", "ckpt-convert-update-legacy-dist-opt-format",
    "ckpt-drop-redundant-extra-state", "ckpt-fully-parallel-load", "ckpt-fully-parallel-save",
    "create-all-gather-group", "data-parallel-random-init", "dataloader-defer-npy-index-mmap",
    "dataloader-fast-cache-load", "ddp-average-in-collective", "ddp-pad-buckets-for-high-nccl-busbw",
    "ddp-reduce-scatter-with-fp32-accumulation", "decode-only-cuda-graphs", "decrease-batch-size-if-needed",
    "deepspeed-activation-checkpointing", "delay-param-gather", "dino-norm-last-layer",
    "disable-bf16-reduced-precision-matmul", "disable-chunked-prefill", "disable-gloo-process-groups",
    "disable-jit-fuser", "disable-mamba-mem-eff-path", "disable-msc", "disable-straggler-on-startup",
    "disable-symmetric-registration", "disable-tp-comm-bulk-dgrad", "disable-tp-comm-bulk-wgrad",
    "disable-tp-comm-overlap-ag", "disable-tp-comm-overlap-rs", "disable-tp-comm-split-ag", "disable-tp-comm-split-rs",
    "dist-ckpt-optim-fully-reshardable", "dist-ckpt-save-pre-mcore-014",
    "distrib-optim-fully-reshardable-mem-efficient", "enable-chunked-prefill", "enable-experimental",
    "enable-ft-package", "enable-full-sharding-in-hsdp", "enable-gloo-process-groups", "enable-gpt-oss", "enable-msc",
    "eod-mask-loss", "exit-on-missing", "exit-on-missing-checkpoint", "exit-signal-handler",
    "export-force-local-attention", "export-te-mcore-model", "faiss-use-gpu", "fake-process-group", "fim-data",
    "finetune", "first-last-layers-bf16", "flash-decode", "force-multi", "fp16-lm-cross-entropy", "fp32-allreduce",
    "fsdp-db-use-persist-buf-on-alloc-fail", "fsdp-double-buffer", "fsdp-manual-registration", "full-validation",
    "grpo-filter-groups-with-same-reward", "gtp-expert-remat-nccl-ub", "gtp-remat-nccl-ub",
    "gtp-remat-reduce-scatter-with-fp32-accumulation", "high-priority-a2a-comm-stream", "inference",
    "inference-cuda-graph-all-prefills", "inference-dynamic-batching",
    "inference-dynamic-batching-track-generated-token-events",
    "inference-dynamic-batching-track-paused-request-events", "inference-rng-tracker", "init-method-xavier-uniform",
    "init-model-with-meta-device", "inprocess-empty-cuda-cache", "inprocess-restart", "keep-fp8-transpose-cache",
    "keep-fp8-transpose-cache-when-using-custom-fsdp", "load-main-params-from-ckpt", "load-model-opt-format",
    "log-batch-size-to-tensorboard", "log-energy", "log-max-attention-logit", "log-memory-to-tensorboard",
    "log-num-zeros-in-grad", "log-optimizer-states-to-tensorboard", "log-params-norm", "log-progress", "log-straggler",
    "log-throughput", "log-timers-to-tensorboard", "log-validation-ppl-to-tensorboard",
    "log-world-size-to-tensorboard", "logits-load-ignore-errors", "loss-on-targets-only", "manual-gc",
    "megatron-fsdp-enable-fine-grained-param-gather", "megatron-fsdp-max-pool-double-buffer", "mla-down-proj-fusion",
    "mock-data", "modelopt-enabled", "moe-apply-probs-on-input", "moe-enable-deepep",
    "moe-pad-experts-for-cuda-graph-inference", "moe-per-layer-logging", "moe-permute-fusion",
    "moe-permute-padding-for-quantization", "moe-router-force-load-balancing", "moe-router-fusion",
    "moe-router-padding-for-fp8", "moe-router-padding-for-quantization", "moe-router-pre-softmax",
    "moe-shared-expert-overlap", "moe-use-legacy-grouped-gemm", "moe-use-upcycling", "multiple-validation-sets",
    "muon-nesterov", "muon-no-split-qkv", "muon-use-nesterov", "muon-use-syrk", "nccl-all-reduce-for-prefill",
    "no-align-grad-reduce", "no-align-param-gather", "no-async-tensor-model-parallel-allreduce",
    "no-barrier-with-level-1-timing", "no-bias-dropout-fusion", "no-check-for-nan-in-loss-and-grad",
    "no-ckpt-fully-parallel-save", "no-clone-scatter-output-in-embedding", "no-data-sharding", "no-delay-grad-reduce",
    "no-fp8-wgrad", "no-gradient-reduce-div-fusion", "no-initialization", "no-load-optim", "no-load-rng",
    "no-local-rank", "no-log-learnig-rate-to-tensorboard", "no-log-loss-scale-to-tensorboard", "no-manual-gc-eval",
    "no-mmap-bin-files", "no-one-logger", "no-persist-layer-norm", "no-pin-cpu-grads", "no-pin-cpu-params",
    "no-python", "no-rope-fusion", "no-save-optim", "no-save-rng", "no-strict-fsdp-dtensor-load",
    "no-use-layer-wise-param-layout", "no-use-tokenizer-model-from-checkpoint-args",
    "no-yarn-correction-range-round-to-int", "norm-target-loss", "one-logger-async", "openai-gelu",
    "optimizer-cuda-graph", "otel-enabled", "output-bert-embeddings", "overlap-cpu-optimizer-d2h-h2d",
    "overlap-p2p-communication-warmup-flush", "overlap-param-gather-with-optimizer-step", "override-lr-scheduler",
    "override-opt-param-scheduler", "pp-partition-method-auto", "profile", "qk-clip", "qk-l2-norm",
    "record-memory-history", "replication", "reset-attention-mask", "reset-position-ids", "reset-progress",
    "retriever-score-scaling", "retro-no-verify-neighbor-count", "retro-return-doc-ids",
    "reuse-grad-buf-for-mxfp8-param-ag", "reweight-loss-based-on-position-frequency", "rl-durable-rollout-bank",
    "rl-offload-optimizer-during-inference", "rl-profile", "rl-use-sequence-packing", "rotary-interleaved", "run-path",
    "run-workload-inspector-server", "sft", "skip-train", "skip-train-iteration-range-check", "standalone",
    "sync-tp-duplicated-parameters", "te-rng-tracker", "test-mode", "tokenizer-hf-include-special-tokens",
    "tokenizer-hf-use-fast", "tokenizer-sentencepiece-legacy", "tp-comm-overlap-rs-dgrad", "trust-remote-code",
    "universal-checkpoint", "use-checkpoint-lr-scheduler", "use-checkpoint-opt-param-scheduler",
    "use-cpu-initialization", "use-dist-ckpt", "use-fused-rotary", "use-legacy-models", "use-legacy-static-engine",
    "use-mcore-models", "use-mp-args-from-checkpoint-args", "use-nccl-ub", "use-one-sent-docs",
    "use-persistent-ckpt-worker", "use-pin-memory", "use-precision-aware-optimizer", "use-pytorch-profiler",
    "use-ring-exchange-p2p", "use-rope-scaling", "use-same-sampling-seed-across-dp-ranks", "use-sharp", "use-te",
    "use-te-activation-func", "use-te-rng-tracker", "use-torch-optimizer-for-cpu-offload", "vision-pretraining",
    "yarn-correction-range-round-to-int", "zero-contigious-gradients", "zero-reduce-scatter", NULL,
};

static const char *const other_value[] = {
    "activation-func-clamp-value", "adam-beta1", "adam-beta2", "adam-eps", "adlr-autoresume-interval",
    "app-tag-run-name", "app-tag-run-version", "bert-embedder-type", "bert-load", "biencoder-projection-dim",
    "block-data-path", "check-weight-hash-across-dp-replicas-interval", "ckpt-convert-format", "ckpt-convert-save",
    "ckpt-format", "ckpt-step", "classes-fraction", "clip-grad", "codecarbon-dir", "config-logger-dir",
    "cuda-graph-warmup-steps", "data-args-path", "data-cache-path", "data-per-class-fraction", "dataloader-save",
    "dataloader-type", "ddp-bucket-size", "ddp-num-buckets", "decoupled-lr", "decoupled-min-lr",
    "dino-bottleneck-size", "dino-freeze-last-layer", "dino-head-hidden-size", "dino-local-crops-number",
    "dino-local-img-size", "dino-teacher-temp", "dino-warmup-teacher-temp", "dino-warmup-teacher-temp-epochs",
    "dist-ckpt-format", "dist-ckpt-strictness", "dist-ckpt-workers", "distributed-backend", "distributed-port",
    "distributed-timeout-minutes", "distributed-timeout-seconds-after-init", "dump-param-to-param-group-map",
    "embedding-init-method-std", "embedding-path", "empty-unused-memory-level", "end-weight-decay",
    "error-injection-rate", "error-injection-type", "eval-fp32", "eval-interval", "eval-iters", "evidence-data-path",
    "exclude", "exit-duration-in-mins", "exit-interval", "export-kd-cfg", "export-model-type", "fim-eod-token",
    "fim-fragment-rate", "fim-middle-token", "fim-no-prefix", "fim-pad-token", "fim-prefix-token", "fim-rate",
    "fim-split-sample", "fim-spm-rate", "fim-suffix-token", "fp4-recipe", "fp8-amax-compute-algo",
    "fp8-amax-history-len", "fp8-interval", "fp8-margin", "ft-num-warmup-iters", "glu-linear-offset",
    "grpo-clamp-eps-lower", "grpo-clamp-eps-upper", "grpo-default-temperature", "grpo-default-top-p",
    "grpo-entropy-term-weight", "grpo-iterations", "grpo-kl-beta", "head-lr-mult",
    "heterogeneous-layers-config-encoded-json", "hostfile", "hysteresis", "ict-head-size", "ict-load", "img-dim",
    "img-h", "img-w", "indexer-batch-size", "indexer-log-interval", "inference-batch-times-seqlen-threshold",
    "inference-coordinator-port", "inference-cuda-graph-max-tokens", "inference-disable-ep-consensus",
    "inference-dynamic-batching-async-sched-mode", "inference-dynamic-batching-block-size",
    "inference-dynamic-batching-buffer-guaranteed-fraction", "inference-dynamic-batching-buffer-overflow-factor",
    "inference-dynamic-batching-buffer-size-gb", "inference-dynamic-batching-chunk-size",
    "inference-dynamic-batching-cuda-graph-max-tokens", "inference-dynamic-batching-cuda-graph-mixed-prefill-count",
    "inference-dynamic-batching-cuda-graph-sizing-distribution", "inference-dynamic-batching-logprobs-mode",
    "inference-dynamic-batching-mamba-memory-ratio", "inference-dynamic-batching-max-requests",
    "inference-dynamic-batching-max-requests-override", "inference-dynamic-batching-max-tokens",
    "inference-dynamic-batching-max-tokens-override", "inference-dynamic-batching-num-cuda-graphs",
    "inference-dynamic-batching-paused-buffer-size-gb", "inference-dynamic-batching-prefix-caching",
    "inference-dynamic-batching-prefix-caching-coordinator-policy",
    "inference-dynamic-batching-prefix-caching-eviction-policy", "inference-dynamic-batching-prefix-caching-mamba-gb",
    "inference-dynamic-batching-prefix-caching-routing-alpha", "inference-dynamic-batching-sampling-backend",
    "inference-dynamic-batching-unified-memory-level", "inference-logging-step-interval", "inference-max-batch-size",
    "inference-max-requests", "inference-max-seq-length", "inference-shards", "inference-text-gen-server-logging",
    "inference-use-synchronous-zmq-collectives", "inference-wandb-logging", "init-method-std", "initial-loss-scale",
    "inprocess-active-world-size", "inprocess-barrier-timeout", "inprocess-completion-timeout",
    "inprocess-granularity", "inprocess-hard-timeout", "inprocess-heartbeat-interval", "inprocess-heartbeat-timeout",
    "inprocess-last-call-wait", "inprocess-max-iterations", "inprocess-monitor-process-interval",
    "inprocess-monitor-thread-interval", "inprocess-progress-watchdog-interval", "inprocess-soft-timeout",
    "inprocess-termination-grace-time", "iter-per-epoch", "iterations-to-skip-file", "kill-switch-path",
    "kitchen-config-file", "kitchen-recipe-number", "langrl-env-config", "langrl-external-server",
    "langrl-inference-server-conversation-template", "langrl-inference-server-type", "lazy-mpu-init", "lion-beta1",
    "lion-beta2", "load", "local-addr", "local-rank", "log-dir", "log-interval", "log-memory-interval",
    "logging-level", "logits-load-decode-threads", "logits-load-dir", "logits-load-kd-loss-alpha",
    "logits-load-msc-prefetch-depth", "logits-load-prefetch-factor", "logits-save-dir", "logits-save-dtype",
    "logits-save-top-k", "logits-save-top-p", "logits-save-top-p-min-k", "loss-scale", "loss-scale-window", "lr",
    "lr-decay-iters", "lr-decay-samples", "lr-decay-style", "lr-warmup-fraction", "lr-warmup-init", "lr-warmup-iters",
    "lr-warmup-samples", "lr-wsd-decay-iters", "lr-wsd-decay-samples", "lr-wsd-decay-style",
    "mamba-inference-conv-states-dtype", "mamba-inference-ssm-states-dtype", "mamba-training-ssm-states-dtype",
    "manual-gc-interval", "mask-factor", "mask-prob", "mask-type", "master-addr", "master-port", "max-restarts",
    "max-tokens-to-oom", "megatron-fsdp-grad-comm-dtype", "megatron-fsdp-main-grads-dtype",
    "megatron-fsdp-main-params-dtype", "megatron-fsdp-version", "memory-snapshot-path", "mid-level-dataset-surplus",
    "min-loss-scale", "min-lr", "mlp-chunks-for-prefill", "moe-deepep-num-sms", "moe-flex-dispatcher-backend",
    "moe-hybridep-num-sms", "moe-input-jitter-eps", "moe-router-bias-update-rate", "moe-router-score-function",
    "moe-router-topk-scaling-factor", "moe-token-drop-policy", "moe-upcycling-granularity", "moe-z-loss-coeff",
    "monitor-interval", "mscale", "mscale-all-dim", "mtp-loss-scaling-factor", "muon-coefficient-type",
    "muon-extra-scale-factor", "muon-fp32-matmul-prec", "muon-momentum", "muon-num-ns-steps", "muon-scalar-optimizer",
    "muon-scale-mode", "muon-tp-mode", "nccl-communicator-config-path", "no-rope-freq", "no-weight-decay-cond-type",
    "node-rank", "non-persistent-ckpt-type", "non-persistent-global-ckpt-dir", "non-persistent-local-ckpt-algo",
    "non-persistent-local-ckpt-dir", "non-persistent-save-interval", "norm-epsilon", "num-channels", "num-classes",
    "num-dataset-builder-threads", "num-layers-at-end-in-bf16", "num-layers-at-start-in-bf16",
    "num-samples-per-sequence", "num-speculative-tokens", "num-workers", "object-storage-cache-path",
    "one-logger-project", "one-logger-run-name", "onnx-safe", "original-max-position-embeddings", "otel-service-name",
    "otel-span-groups", "outer-dp-sharding-strategy", "output-logit-dtype", "override-ckpt-iteration", "patch-dim",
    "per-dataset-sequences-path", "per-split-data-args-path", "persistent-save-interval",
    "phase-transition-iterations", "pipeline-model-parallel-comm-backend", "pos-encoding", "pretrained-checkpoint",
    "profile-memory", "profile-step-end", "profile-step-start", "query-in-block-prob", "rdzv-backend", "rdzv-conf",
    "rdzv-endpoint", "rdzv-id", "redirects", "refit-method", "relative-attention-max-distance",
    "relative-attention-num-buckets", "replication-factor", "replication-jump", "rerun-mode",
    "result-rejected-tracker-filename", "retriever-seq-length", "retro-attention-gate", "retro-cyclic-train-iters",
    "retro-encoder-attention-dropout", "retro-encoder-hidden-dropout", "retro-encoder-layers", "retro-num-neighbors",
    "retro-num-retrieved-chunks", "retro-project-dir", "retro-workdir", "rl-calculate-intra-group-similarity",
    "rl-consumption-granularity", "rl-default-temperature", "rl-default-top-k", "rl-default-top-p",
    "rl-generation-lag", "rl-importance-sampling-truncation-coef", "rl-inference-expert-model-parallel-size",
    "rl-inference-expert-tensor-model-parallel-size", "rl-inference-logprobs-is-correction",
    "rl-inference-model-unified-memory-level", "rl-inference-pipeline-model-parallel-size",
    "rl-inference-tensor-model-parallel-size", "rl-kv-cache-management-mode", "rl-max-inflight-requests",
    "rl-offload-inference-model-weights-when-idle", "rl-offload-kv-cache-during-training",
    "rl-parallel-generation-tasks", "rl-partial-rollouts", "rl-persist-cuda-graphs", "rl-profile-dir",
    "rl-prompts-per-eval", "rl-remove-kv-cache-during-training", "rl-reset-cuda-graphs", "rl-rollout-bank-dir",
    "rl-rollout-bank-max-bytes", "rl-sequence-packing-algo", "rl-sequence-packing-bin-size",
    "rl-sequence-packing-max-sequences-per-bin", "rl-skip-bos-token", "rl-submission-granularity",
    "rl-training-cuda-graphs", "rl-verify-model-weights-swap", "role", "rope-scaling-factor", "rope-type",
    "rotary-percent", "rotary-scaling-factor", "rotary-seq-len-interpolation-factor", "s3-cache-path", "sample-rate",
    "save", "save-interval", "save-retain-interval", "scaled-masked-softmax-fusion",
    "scaled-upper-triang-masked-softmax-fusion", "seed", "sft-tokenizer-prompt-format", "sgd-momentum",
    "sharp-enabled-group", "short-seq-prob", "split", "start-method", "start-weight-decay", "step-batch-size-schedule",
    "straggler-ctrlr-port", "straggler-minmax-count", "suggested-communication-unit-size", "swin-backbone-type",
    "symmetric-ar-type", "task", "te-fp8-format", "te-precision-config-file", "tee", "tensorboard-dir",
    "tensorboard-log-interval", "tensorboard-queue-size", "tiktoken-num-special-tokens", "tiktoken-pattern",
    "timing-log-level", "timing-log-option", "titles-data-path", "tokenizer-metadata", "tp-comm-bootstrap-backend",
    "tp-comm-overlap-cfg", "train-sync-interval", "train-weighted-split-paths-path", "valid-num-workers",
    "valid-weighted-split-paths-path", "vision-backbone-type", "vision-pretraining-type", "vocab-extra-ids",
    "wandb-entity", "wandb-exp-name", "wandb-project", "wandb-run-name", "wandb-save-dir", "warmup", "weight-decay",
    "weight-decay-incr-style", "yarn-beta-fast", "yarn-beta-slow", "yarn-original-max-position-embeddings", NULL,
};

static const char *const other_list[] = {
    "cuda-graph-modules", "data-blend", "data-path", "ddp-param-name-patterns-for-fp32-local-accumulation",
    "extra-valid-data-path", "high-priority-stream-groups", "iterations-to-skip", "moe-aux-loss-coeff",
    "moe-router-load-balancing-type", "mrope-section", "profile-ranks", "report-topk-accuracies",
    "retriever-report-topk-accuracies", "rl-inference-parsers", "test-data-path", "tiktoken-special-tokens",
    "tokenizer-special-tokens", "train-data-path", "valid-data-path", NULL,
};

static const struct {
    const char *const *name;
    int arity;
} other_row[] = {{other_switch, 0}, {other_value, 1}, {other_list, MEGATRON_SEVERAL}};

enum { OTHER_ROWS = LENGTH(other_row) };

/* ---- looking flags up ------------------------------------------------------------------------------------------ */

bool flag_is(const char *a, const char *b)
{
    while (*b && (*a == *b || (*a == '_' && *b == '-'))) {
        a++;
        b++;
    }
    return !*b && (!*a || *a == '=');
}

const struct flag_row *flag_find(const char *flag)
{
    for (size_t i = 0; i < FLAG_ROWS; i++)
        if (flag_is(flag, flag_row[i].name))
            return &flag_row[i];
    return NULL;
}

bool flag_is_other(const char *flag, int *arity)
{
    for (size_t i = 0; i < OTHER_ROWS && strncmp(flag, "--", 2) == 0; i++)
        for (size_t k = 0; other_row[i].name[k]; k++)
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
    if (strchr(flag, '=') || (row ? row->is_launcher : !flag_is_other(flag, &found)))
        return false;
    if (arity)
        *arity = found;
    return true;
}

const char *megatron_flag_key(const char *flag)
{
    const struct flag_row *row = flag_find(flag);
    return row ? row->key : NULL;
}

const char *megatron_flag_name(size_t index)
{
    for (size_t i = 0; i < FLAG_ROWS; i++)
        if (!flag_row[i].is_launcher && index-- == 0)
            return flag_row[i].name + 2;
    for (size_t i = 0; i < OTHER_ROWS; i++)
        for (size_t k = 0; other_row[i].name[k]; k++)
            if (index-- == 0)
                return other_row[i].name[k];
    return NULL;
}
