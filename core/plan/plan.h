/* core/plan/plan.h - a plan: the value of every parameter and where it came from; plain data, copied by `=`. */
#ifndef SHARDTOP_CORE_PLAN_PLAN_H
#define SHARDTOP_CORE_PLAN_PLAN_H

#include "core/plan/gpu.h"

#include <stdbool.h>
#include <stdint.h>

/** Identifies a plan key: PARAM_parallel_tp and so on, in the order of core/plan/param.def. */
enum param {
#define ROW(group, key, ...) PARAM_##group##_##key,
#include "core/plan/param.def"
#undef ROW
    PARAM_COUNT
};

/** Where a value came from, weakest first; shown with every value. */
enum origin {
    FROM_DEFAULT,
    FROM_ASSUMED /* by an importer, where an input left it open */,
    FROM_DERIVED,
    FROM_PRESET,
    FROM_FILE,
    FROM_SET,
    ORIGIN_COUNT
};

enum dtype { DTYPE_FP32, DTYPE_FP16, DTYPE_BF16, DTYPE_FP8, DTYPE_MXFP8, DTYPE_NVFP4, DTYPE_COUNT };
enum position { POSITION_LEARNED, POSITION_ROPE, POSITION_ALIBI, POSITION_NONE };
enum norm { NORM_LAYERNORM, NORM_LAYERNORM1P, NORM_LAYERNORM_NOBIAS, NORM_LAYERNORM_NONPARAMETRIC, NORM_RMSNORM };
enum qk_norm { QK_NORM_NONE, QK_NORM_HEAD, QK_NORM_FULL };
enum cp_comm { CP_P2P, CP_ALL_GATHER, CP_A2A };
enum schedule {
    SCHEDULE_GPIPE,
    SCHEDULE_1F1B,
    SCHEDULE_INTERLEAVED,
    SCHEDULE_ZB_H1,
    SCHEDULE_ZB_H2,
    SCHEDULE_ZB_V,
    SCHEDULE_DUALPIPE
};
enum fsdp { FSDP_NONE, FSDP_SHARD_GRAD_OP, FSDP_FULL, FSDP_HYBRID };
enum attention { ATTENTION_FLASH, ATTENTION_UNFUSED };
enum attention_kernel { KERNEL_TRITON, KERNEL_FA1, KERNEL_FA2, KERNEL_FA3, KERNEL_CUDNN };
enum loss {
    LOSS_UNFUSED,
    LOSS_NATIVE_FUSED,
    LOSS_TE_FUSED,
    LOSS_CHUNKED,
    LOSS_TRITON,
    LOSS_FUSED_LINEAR,
    LOSS_CHUNKED_NLL
};
enum loss_path {
    PATH_HF,
    PATH_UNSLOTH_CE,
    PATH_LIGER_FLCE,
    PATH_LITGPT_CHUNKED_128,
    PATH_CHUNKED_NLL,
    PATH_COMPILED_CHUNKS
};
enum optimizer { OPTIMIZER_ADAM, OPTIMIZER_ADAM8BIT, OPTIMIZER_LION, OPTIMIZER_SGD, OPTIMIZER_ADAFACTOR, OPTIMIZER_MUON,
                 OPTIMIZER_ADAMW_FUSED, OPTIMIZER_PAGED_ADAM8BIT, OPTIMIZER_PAGED_ADAM32BIT, OPTIMIZER_GALORE };
enum packing { PACKING_FIXED, PACKING_PACKED, PACKING_PADDING_FREE, PACKING_PADDED };
enum peft {
    PEFT_NONE,
    PEFT_LORA,
    PEFT_QLORA,
    PEFT_DORA,
    PEFT_ADAPTER,
    PEFT_ADAPTER_V2,
    PEFT_IA3,
    PEFT_PROMPT_TUNING,
    PEFT_OFT
};
enum lora_target {
    TARGET_Q,
    TARGET_K,
    TARGET_V,
    TARGET_O,
    TARGET_QKV,
    TARGET_GATE,
    TARGET_UP,
    TARGET_GATE_UP,
    TARGET_DOWN,
    TARGET_MLP,
    TARGET_EXPERTS,
    TARGET_ROUTER,
    TARGET_EMBEDDING,
    TARGET_HEAD,
    TARGET_ALL
};
enum partition {
    PARTITION_BALANCED,
    PARTITION_UNIFORM,
    PARTITION_PARAMETERS,
    PARTITION_LAYERS,
    PARTITION_LAYERS_EMBEDDINGS,
    PARTITION_LAYERS_MLP
};
enum saved_module { SAVED_EMBEDDING, SAVED_HEAD, SAVED_NORMS };
enum quant { QUANT_NONE, QUANT_NF4, QUANT_FP4, QUANT_INT8, QUANT_GPTQ4, QUANT_GPTQ8, QUANT_AWQ4 };
enum quant_storage { STORAGE_FP32, STORAGE_FP16, STORAGE_BF16, STORAGE_UINT8 };
enum upcast { UPCAST_NONE, UPCAST_NORMS, UPCAST_ALL };
enum mixed_precision { MIXED_NONE, MIXED_AUTOCAST, MIXED_PURE, MIXED_MASTER };
enum fast_kernels { FAST_NONE, FAST_UNSLOTH, FAST_LIGER };
enum recompute { RECOMPUTE_NONE, RECOMPUTE_SELECTIVE, RECOMPUTE_FULL };
enum recompute_method { METHOD_UNIFORM, METHOD_BLOCK };
enum module {
    MODULE_CORE_ATTN,
    MODULE_LAYERNORM,
    MODULE_MLP,
    MODULE_MOE,
    MODULE_MOE_ACT,
    MODULE_SHARED_EXPERTS,
    MODULE_MLA_UP_PROJ,
    MODULE_MOE_GATE
};
enum impl { IMPL_TE, IMPL_LOCAL };
enum fp8_recipe { RECIPE_TENSORWISE, RECIPE_ROWWISE, RECIPE_DELAYED, RECIPE_BLOCKWISE, RECIPE_MXFP8 };
enum workload { WORKLOAD_TRAIN, WORKLOAD_INFERENCE };

/** The frameworks and their dated versions: FRAMEWORK_NANOTRON and so on, in the order of core/plan/framework.def. */
enum framework_id {
#define FRAMEWORK(id, ...) FRAMEWORK_##id,
#define VERSION(id, ...) FRAMEWORK_##id,
#include "core/plan/framework.def"
    FRAMEWORK_COUNT
};

/** Text parameters have a slot in plan.text. */
enum plan_text { TEXT_MODEL, TEXT_GPU, TEXT_CLUSTER, TEXT_VERSION, TEXT_COUNT };

enum { PLAN_TEXT_MAX = 80, LAYOUT_CHUNKS_MAX = 512 };

/** An explicit `parallel.pipeline_layout`: layers of every chunk. */
struct pipeline_layout {
    int16_t chunks;   /* entries used; 0 means auto */
    int16_t per_stage; /* chunks listed for each stage in a nested list; 0 for a plain list */
    int16_t layers[LAYOUT_CHUNKS_MAX]; /* plain: in the order of the model; nested: stage by stage */
};

/**
 * What a user asks for. A number that nobody gave is NAN ("blank"); plan_resolve() fills blanks in.
 * Enumerations and booleans are stored as their index, sets as a bit mask.
 */
struct plan {
    double value[PARAM_COUNT];
    uint8_t from[PARAM_COUNT]; /* enum origin */
    char text[TEXT_COUNT][PLAN_TEXT_MAX];
    struct pipeline_layout layout;
    struct gpu gpu; /* the device that hardware.gpu names; name empty when none was loaded */
};

/** The value of a key, as in KEY_OF(plan, parallel, tp); the sheets write KEY(parallel, tp) for that of their plan. */
#define KEY_OF(plan, group, key) ((plan)->value[PARAM_##group##_##key])

/** A plan in which every key is blank. */
void plan_clear(struct plan *plan);

/**
 * Copies `plan` with every blank filled in: framework defaults, fallbacks, the GPU's figures, derived values, each
 * marked FROM_DEFAULT or FROM_DERIVED. Keys that nothing determines stay NAN (unknown). Source: the rules are listed
 * beside each derivation in core/plan/resolve.c.
 */
void plan_resolve(const struct plan *plan, struct plan *resolved);

/**
 * The same in two steps, for many layouts of one plan: all but what follows from tp, cp, pp, vpp, ep, micro-batch and
 * sharding, then that. Between the two these keys may be set, and blank ones stay blank.
 */
void plan_resolve_shared(const struct plan *plan, struct plan *prepared);
void plan_resolve_layout(struct plan *prepared);

/** Takes recomputation and sharding from `prepared`, of which all else is resolved already. */
void plan_resolve_states(const struct plan *prepared, struct plan *resolved);

/** True when the two plans hold the same values (origins apart). */
bool plan_equal(const struct plan *a, const struct plan *b);

#endif
