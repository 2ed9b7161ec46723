/* src/export/deepspeed.c - a plan as DeepSpeed's configuration: batch sizes, types, ZeRO, offloading. */
#include "core/base.h"
#include "src/export/common.h"
#include "src/import/spelling.h"
#include "src/text/json_out.h"
#include "src/text/text.h"

#include <math.h>
#include <string.h>

/* Keys that a DeepSpeed configuration is about. */
static const enum param held[] = {
    PARAM_parallel_dp,
    PARAM_parallel_zero_stage,
    PARAM_parallel_shard_group,
    PARAM_parallel_overlap_grad_reduce,
    PARAM_train_micro_batch_size,
    PARAM_train_global_batch_size,
    PARAM_train_dtype,
    PARAM_train_optimizer,
    PARAM_train_offload_optimizer,
    PARAM_train_offload_params,
    PARAM_train_offload_activations,
    PARAM_framework_accumulate_grad_fp32,
    PARAM_framework_partition_activations,
    PARAM_framework_zero_reduce_bucket_elements,
    PARAM_framework_zero_allgather_bucket_elements,
    PARAM_framework_zero_prefetch_bucket_elements,
    PARAM_framework_zero_max_live_params,
    PARAM_framework_zero_persistence_threshold,
};

static bool holds(enum param key)
{
    for (size_t i = 0; i < LENGTH(held); i++)
        if (held[i] == key)
            return true;
    return false;
}

static void put_batch(struct json *json, const struct plan *plan)
{
    double batch = KEY(train, global_batch_size), micro = KEY(train, micro_batch_size);
    json_number(json, "train_batch_size", batch);
    json_number(json, "train_micro_batch_size_per_gpu", micro);
    json_number(json, "gradient_accumulation_steps", fmax(floor(batch / (micro * KEY(parallel, dp))), 1));
}

static void put_switch(struct json *json, const char *block, bool is_on)
{
    json_open(json, block, '{');
    json_bool(json, "enabled", is_on);
    json_close(json, '}');
}

static void put_types(struct json *json, const struct plan *plan)
{
    double dtype = KEY(train, dtype);
    put_switch(json, "fp16", dtype == DTYPE_FP16);
    put_switch(json, "bf16", dtype >= DTYPE_BF16);
    json_open(json, "data_types", '{');
    json_text(json, "grad_accum_dtype",
              KEY(framework, accumulate_grad_fp32) > 0 ? "fp32" : dtype == DTYPE_FP16 ? "fp16" : "bf16");
    json_close(json, '}');
}

static void put_offload(struct json *json, const char *block, double share, bool has_ratio)
{
    if (!(share > 0))
        return;
    json_open(json, block, '{');
    json_text(json, "device", "cpu");
    json_bool(json, "pin_memory", true);
    if (has_ratio && share < 1)
        json_number(json, "ratio", share);
    json_close(json, '}');
}

/* Sharding by FSDP is the stage that shards as much. */
static double stage_of(const struct plan *plan)
{
    double stage = KEY(parallel, zero_stage), fsdp = KEY(parallel, fsdp);
    return fsdp == FSDP_SHARD_GRAD_OP ? fmax(stage, 2) : fsdp > FSDP_NONE ? 3 : stage;
}

static void put_zero(struct json *json, const struct plan *plan)
{
    double stage = stage_of(plan);
    json_open(json, "zero_optimization", '{');
    json_number(json, "stage", stage);
    json_bool(json, "overlap_comm", KEY(parallel, overlap_grad_reduce) > 0);
    json_bool(json, "contiguous_gradients", true);
    json_number(json, "reduce_bucket_size", KEY(framework, zero_reduce_bucket_elements));
    json_number(json, "allgather_bucket_size", KEY(framework, zero_allgather_bucket_elements));
    json_number(json, "stage3_prefetch_bucket_size", KEY(framework, zero_prefetch_bucket_elements));
    json_number(json, "stage3_param_persistence_threshold", KEY(framework, zero_persistence_threshold));
    json_number(json, "stage3_max_live_parameters", KEY(framework, zero_max_live_params));
    if (KEY(parallel, shard_group) > 0)
        json_number(json, "mics_shard_size", KEY(parallel, shard_group));
    put_offload(json, "offload_optimizer", KEY(train, offload_optimizer), true);
    put_offload(json, "offload_param", KEY(train, offload_params), false);
    json_close(json, '}');
}

static void put_optimizer(struct json *json, const struct plan *plan)
{
    char type[SPELLING_MAX];
    if (!spelling_usual(PARAM_train_optimizer, KEY(train, optimizer), DIALECT_DEEPSPEED, type))
        spelling_usual(PARAM_train_optimizer, OPTIMIZER_ADAM, DIALECT_DEEPSPEED, type);
    json_open(json, "optimizer", '{');
    json_text(json, "type", type);
    json_open(json, "params", '{');
    json_number(json, "lr", 0.0003);
    json_close(json, '}');
    json_close(json, '}');
    if (KEY(train, optimizer) == OPTIMIZER_SGD) /* zero/utils.py ZERO_SUPPORTED_OPTIMIZERS has none */
        json_bool(json, "zero_allow_untested_optimizer", true);
}

static void put_checkpointing(struct json *json, const struct plan *plan)
{
    if (!(KEY(framework, partition_activations) > 0) && !(KEY(train, offload_activations) > 0))
        return;
    json_open(json, "activation_checkpointing", '{');
    json_bool(json, "partition_activations", KEY(framework, partition_activations) > 0);
    json_bool(json, "cpu_checkpointing", KEY(train, offload_activations) > 0);
    json_close(json, '}');
}

static void write_config(struct buffer *out, const struct plan *plan)
{
    struct json json = {.out = out, .lines = 2};
    json_open(&json, NULL, '{');
    put_batch(&json, plan);
    put_types(&json, plan);
    put_zero(&json, plan);
    put_optimizer(&json, plan);
    put_checkpointing(&json, plan);
    json_close(&json, '}');
    buffer_puts(out, "\n");
}

static const enum param needed[] = {PARAM_train_global_batch_size, PARAM_train_micro_batch_size, PARAM_parallel_dp,
                                    PARAM_COUNT};

static const enum framework_id of[] = {FRAMEWORK_DEEPSPEED, FRAMEWORK_HF_TRAINER, FRAMEWORK_COUNT};

const struct export_format deepspeed_format = {"a DeepSpeed configuration", needed, holds, write_config,
    KIND_DEEPSPEED, false, of, false};
