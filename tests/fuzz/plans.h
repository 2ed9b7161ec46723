/* tests/fuzz/plans.h - plans near valid ones, made of bytes. */
#pragma once

#include "core/plan/param.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { CHANGE = 3, CHANGES_MAX = 24, VALUES = 8 };

static const char *const models[] = {"gpt2-xl", "llama3.1-8b", "mixtral-8x7b", "deepseek-v2-lite", "gemma2-2b",
                                     "gpt2-124m", "bloom-7b1", "gpt-oss-20b"};

/* Values that people give, and their neighbours. */
static const struct {
    enum param id;
    const char *value[VALUES];
} likely[] = {
    {PARAM_parallel_pp, {"1", "2", "3", "4", "6", "8", "16", "2"}},
    {PARAM_parallel_vpp, {"1", "2", "3", "4", "5", "2", "2", "6"}},
    {PARAM_parallel_tp, {"1", "2", "4", "8", "3", "1", "2", "16"}},
    {PARAM_parallel_cp, {"1", "2", "4", "3", "8", "1", "1", "2"}},
    {PARAM_parallel_ep, {"1", "2", "4", "8", "3", "1", "16", "2"}},
    {PARAM_parallel_etp, {"1", "2", "4", "8", "3", "auto", "16", "2"}},
    {PARAM_parallel_dp, {"0", "1", "2", "3", "4", "8", "5", "0"}},
    {PARAM_parallel_sp, {"true", "false", "true", "true", "false", "true", "true", "false"}},
    {PARAM_parallel_schedule, {"gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2", "zb-v", "dualpipe", "auto"}},
    {PARAM_parallel_microbatch_group, {"0", "1", "2", "3", "4", "5", "8", "17"}},
    {PARAM_parallel_first_stage_layers, {"0", "1", "2", "7", "3", "40", "1", "0"}},
    {PARAM_parallel_last_stage_layers, {"0", "1", "2", "7", "3", "40", "1", "0"}},
    {PARAM_parallel_pipeline_layout,
     {"[16,16]", "[1,2,3]", "[0,32]", "[12,12,12,12]", "[24,24]", "auto", "[8,8,8,8]", "[9]"}},
    {PARAM_parallel_zero_stage, {"0", "1", "2", "3", "1", "1", "3", "0"}},
    {PARAM_parallel_fsdp, {"none", "full_shard", "shard_grad_op", "hybrid_shard", "auto", "none", "auto", "none"}},
    {PARAM_train_global_batch_size, {"1", "2", "5", "7", "9", "16", "33", "64"}},
    {PARAM_train_micro_batch_size, {"1", "2", "3", "4", "1", "1", "8", "1"}},
    {PARAM_train_seq_length, {"128", "1024", "4096", "4097", "8k", "32k", "1", "1m"}},
    {PARAM_train_recompute, {"none", "selective", "full", "full", "none", "selective", "full", "none"}},
    {PARAM_train_recompute_num_layers, {"1", "2", "5", "12", "4096", "1", "3", "7"}},
    {PARAM_train_dtype, {"bf16", "fp16", "fp32", "fp8", "mxfp8", "nvfp4", "bf16", "fp8"}},
    {PARAM_train_total_tokens, {"1", "1e12", "15e12", "auto", "1e18", "3e11", "1000", "2"}},
    {PARAM_hardware_nodes, {"1", "2", "3", "4", "1", "8", "128", "1000"}},
    {PARAM_hardware_gpus_per_node, {"1", "2", "4", "8", "8", "4", "6", "72"}},
    {PARAM_model_num_layers, {"1", "2", "3", "5", "7", "32", "61", "48"}},
    {PARAM_model_num_experts, {"0", "8", "16", "60", "1", "256", "2", "0"}},
    {PARAM_model_moe_router_topk, {"0", "1", "2", "6", "8", "9", "300", "2"}},
    {PARAM_framework_name,
     {"megatron-core", "megatron-2023", "nanotron", "nanotron-203", "nanotron-pre203", "deepspeed", "fsdp2",
      "nanotron"}},
    {PARAM_plan_workload,
     {"training", "inference", "inference", "training", "inference", "inference", "training", "inference"}},
    {PARAM_serve_batch_size, {"1", "2", "8", "64", "1024", "1000000", "auto", "3"}},
    {PARAM_serve_prompt_tokens, {"1", "128", "2048", "131072", "1m", "7", "auto", "512"}},
    {PARAM_serve_generate_tokens, {"1", "2", "128", "2048", "1m", "7", "auto", "0"}},
};

/* The plans of the models, read once. */
static inline const struct plan *base_plan(uint8_t byte)
{
    static struct plan plans[COUNT(models)];
    static bool is_read;
    for (size_t i = 0; i < COUNT(models) && !is_read; i++) {
        struct errors errors = {0};
        plan_clear(&plans[i]);
        if (plan_load_model(&plans[i], models[i], FROM_FILE, &errors) != 0)
            abort();
        errors_free(&errors);
        plan_finish(&plans[i]);
    }
    is_read = true;
    return &plans[byte % COUNT(models)];
}

/* Any key between its limits: at the ends, or close to the lower one. */
static void set_any(struct plan *plan, unsigned key, uint8_t value)
{
    char text[32], why[PARAM_WHY_MAX];
    enum param id = (enum param)(key % PARAM_COUNT);
    const struct param_row *row = &param_rows[id];
    snprintf(text, sizeof text, "%.17g", value < 8 ? row->max : value < 16 ? row->min : row->min + (value - 16) / 8.0);
    const char *choice = row->type == TYPE_ENUM ? row->choices[value % ((int)row->max + 1)] : text;
    param_parse(plan, id, choice, FROM_SET, false, why);
}

/* Three bytes change a key; what a key does not take changes nothing. */
static void change(struct plan *plan, const uint8_t *data)
{
    char why[PARAM_WHY_MAX];
    size_t row = data[0] % COUNT(likely);
    if (data[0] >= 240)
        set_any(plan, data[1] | (data[0] & 1u) << 8, data[2]);
    else
        param_parse(plan, likely[row].id, likely[row].value[data[1] % VALUES], FROM_SET, false, why);
}

/* Changes keys, three bytes each. */
static inline void change_all(struct plan *plan, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + CHANGE <= size && i < CHANGE * CHANGES_MAX; i += CHANGE)
        change(plan, data + i);
}
