#include "core/reference/reference.h"

#include "core/base.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const struct reference_row reference_rows[REFERENCE_COUNT] = {
    [REFERENCE_TOOL] = {"megatron-tool", "memory and traffic of Megatron-LM, as the analysis tool of 2023 prints them",
                        "yxyOo/Megatron-LM, tools/get_training_info, 9771366 (2023-09-02)"},
    [REFERENCE_REPORT] = {"megatron-report", "Megatron-LM's own theoretical memory report",
                          "NVIDIA/Megatron-LM, megatron/training/theoretical_memory_usage.py, d98e8a64 (2026-08-22)"},
    [REFERENCE_LLM] = {"llm-analysis", "latency and memory of training and inference",
                       "cli99/llm-analysis, v0.2.2 (0571436, 2023-11-12)"},
    [REFERENCE_DEEPSPEED] = {"deepspeed", "DeepSpeed's memory needs of model states under ZeRO-2 and ZeRO-3",
                             "deepspeedai/DeepSpeed, estimate_zero{2,3}_model_states_mem_needs, edaa72212"},
};

const struct reference_function *const reference_functions[REFERENCE_FN_COUNT] = {
    [REFERENCE_TOOL_ANALYZE] = &tool_analyze, [REFERENCE_REPORT_REPORT] = &report_estimate,
    [REFERENCE_LLM_TRAIN] = &llm_train,       [REFERENCE_LLM_INFER] = &llm_infer,
    [REFERENCE_ZERO2] = &deepspeed_zero2,     [REFERENCE_ZERO3] = &deepspeed_zero3,
};

/* ---- rules ------------------------------------------------------------------------------------------------------ */

static const struct {
    const char *rule, *text;
} rules[] = {
    /* any estimator */
    {"input_missing", "an input that the estimator needs is not given"},
    {"input_not_a_count", "sizes and counts are whole numbers above 0"},
    {"input_out_of_range", "an input is implausibly large"},
    {"division_by_zero", "the estimator divides by zero here"},
    /* megatron-tool */
    {"flash_attention_required", "the tool supports fused attention only"},
    {"distributed_optimizer_required", "the tool supports the distributed optimizer only"},
    {"swiglu_required", "the tool supports gated feed-forward blocks only"},
    /* megatron-report */
    {"moe_pattern_length", "the list of expert layers is not as long as the model"},
    {"mla_with_gqa", "latent attention has no key/value groups"},
    /* llm-analysis: refusals */
    {"tp_above_gpus_per_node", "tensor parallelism must stay inside a node"},
    {"gpus_not_dp_tp_pp", "the number of GPUs must be dp x tp x pp"},
    {"gpus_not_multiple_of_tp_pp", "the number of GPUs must be a multiple of tp x pp"},
    {"sp_not_equal_tp", "sequence parallelism takes the tensor-parallel ranks"},
    {"unknown_model", "unknown model, and the inputs do not describe one"},
    {"unknown_gpu", "unknown device, and the inputs do not describe one"},
    {"unknown_dtype", "unknown data type, and the inputs do not describe one"},
    {"heads_not_divisible_by_kv_heads", "query heads must be a multiple of key/value heads"},
    {"ffn_not_multiple_of_hidden",
     "without an expansion ratio the feed-forward width must be a multiple of the hidden size"},
    {"flops_self_check_1pct", "its two counts of operations differ by 1 % or more"},
    {"hbm_efficiency_range", "the memory efficiency must be above 0 and at most 1"},
    {"flops_efficiency_range", "the share of the peak must be above 0 and at most 1"},
    {"bad_recompute_level", "recomputation levels are 0 (none), 1 (selective) and 2 (full)"},
    {"bad_zero_stage", "ZeRO stages are 0 to 3"},
    {"seq_len_missing", "the model has no longest sequence, so a sequence length must be given"},
    {"seq_len_above_max", "the sequence is longer than the model allows"},
    {"seq_len_compare_with_null_max",
     "it compares the sequence length with a longest one that the model does not have"},
    {"gbs_not_mbs_ga_dp", "the global batch must be micro-batch x accumulation steps x dp"},
    {"gbs_not_divisible_by_mbs_dp", "the global batch must be a multiple of micro-batch x dp"},
    {"gbs_not_divisible_by_ga_dp", "the global batch must be a multiple of accumulation steps x dp"},
    {"mbs_above_max", "the micro-batch does not fit the memory"},
    {"gbs_not_divisible_by_dp", "the global batch must be a multiple of dp"},
    {"no_batch_fits", "not even one sequence fits the memory"},
    {"infer_weights_over_memory", "the weights do not fit the memory"},
    {"infer_prefill_over_memory", "the activations of the prompt do not fit beside the weights"},
    {"infer_kv_over_memory", "key/value cache and activations do not fit beside the weights"},
    /* llm-analysis: warnings */
    {"eff_above_0.55", "a share of the peak above 0.55 is more than large trainings reach"},
    {"hbm_eff_above_0.8_infer", "a memory efficiency above 0.8 is more than inference reaches"},
    {"zero_off", "nothing is sharded over data-parallel ranks"},
    {"model_states_over_memory", "weights, gradients and optimizer states alone exceed the memory"},
    {"mbs1_activation_over_memory", "the activations of one sequence exceed the remaining memory"},
    {"activation_over_memory", "the activations exceed the remaining memory"},
    {"recompute_flops_note", "its note on recomputed operations, which it gives when they are below 5 %"},
    {"below_chinchilla_20x", "fewer than 20 tokens per parameter"},
    {"differs_from_6ND", "the total time is more than 5 % off the 6 N D rule (8 N D with full recomputation)"},
    {"no_hub_lookup", "llm-analysis looks unknown models up on the network; shardtop does not"},
    {"below_pivot_kv_cache", "so few tokens that the operations cost less than reading the weights"},
};

const char *reference_rule_text(const char *rule)
{
    for (size_t i = 0; i < LENGTH(rules); i++)
        if (strcmp(rules[i].rule, rule) == 0)
            return rules[i].text;
    return NULL;
}

void reference_refuse(struct reference_answer *out, const char *rule, const char *format, ...)
{
    va_list args;
    if (out->rule)
        return;
    out->rule = rule;
    va_start(args, format);
    vsnprintf(out->message, sizeof out->message, format, args);
    va_end(args);
}

double reference_divide(struct reference_answer *out, double one, double two)
{
    if (two != 0)
        return one / two;
    reference_refuse(out, "division_by_zero", "%s", reference_rule_text("division_by_zero"));
    return 0;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static const void *at(const void *base, const struct reference_member *row)
{
    return (const char *)base + row->offset;
}

static double number_at(const void *base, const struct reference_member *row)
{
    return *(const double *)at(base, row);
}

static const char *short_name(const char *name)
{
    return strncmp(name, "inputs.", 7) == 0 ? name + 7 : name;
}

int reference_member_find(const struct reference_member *rows, int count, int hint, const char *name, size_t length)
{
    for (int i = 0, n = hint; i < count; i++, n++) {
        n = n < 0 || n >= count ? 0 : n;
        if (strncmp(rows[n].name, name, length) == 0 && rows[n].name[length] == '\0')
            return n;
    }
    return -1;
}

static void set_fallback(void *base, const struct reference_member *row)
{
    void *place = (char *)base + row->offset;
    if (row->type == REFERENCE_NAME)
        ((struct reference_name *)place)->text[0] = '\0';
    else if (row->type == REFERENCE_LIST)
        *(struct reference_list *)place = (struct reference_list){.scalar = row->fallback};
    else
        *(double *)place = row->fallback;
}

void reference_defaults(enum reference_fn fn, struct reference_inputs *out)
{
    const struct reference_function *f = reference_functions[fn];
    memset(out, 0, sizeof *out);
    out->fn = fn;
    for (int i = 0; i < f->input_count; i++)
        set_fallback(&out->of, &f->inputs[i]);
}

int reference_find(const char *estimator, const char *fn)
{
    int found = -2;
    for (int i = 0; i < REFERENCE_FN_COUNT; i++) {
        if (strcmp(reference_rows[reference_functions[i]->estimator].name, estimator) != 0)
            continue;
        if (strcmp(reference_functions[i]->name, fn) == 0)
            return i;
        found = -1;
    }
    return found;
}

/* ---- running ---------------------------------------------------------------------------------------------------- */

static bool is_missing(const void *base, const struct reference_member *row)
{
    if (row->type == REFERENCE_NAME)
        return ((const struct reference_name *)at(base, row))->text[0] == '\0';
    return row->type != REFERENCE_LIST && isnan(number_at(base, row));
}

static bool is_out_of_range(const void *base, const struct reference_member *row)
{
    if (row->type == REFERENCE_LIST) {
        const struct reference_list *list = at(base, row);
        return fabs(list->scalar) > 1e18 || fabs(list->sum) > 1e18 || fabs(list->last) > 1e18;
    }
    return row->type != REFERENCE_NAME && fabs(number_at(base, row)) > 1e18;
}

void reference_require_counts(struct reference_answer *out, const struct reference_member *rows, int count,
                              const void *inputs)
{
    for (int i = 0; i < count && !out->rule; i++) {
        if (rows[i].type != REFERENCE_NUMBER || rows[i].presence != REFERENCE_REQUIRED)
            continue;
        double value = number_at(inputs, &rows[i]);
        if (!(value >= 1) || value != floor(value))
            reference_refuse(out, "input_not_a_count", "%s is %g; give a whole number above 0",
                             short_name(rows[i].name), value);
    }
}

static void check_inputs(const struct reference_function *f, const void *inputs, struct reference_answer *out)
{
    for (int i = 0; i < f->input_count && !out->rule; i++) {
        const struct reference_member *row = &f->inputs[i];
        if (row->presence == REFERENCE_REQUIRED && is_missing(inputs, row))
            reference_refuse(out, "input_missing", "%s is not given; %s %s needs it", short_name(row->name),
                             reference_rows[f->estimator].name, f->name);
        else if (is_out_of_range(inputs, row))
            reference_refuse(out, "input_out_of_range", "%s is beyond 1e18; give a smaller number",
                             short_name(row->name));
    }
}

void reference_run(const struct reference_inputs *in, struct reference_answer *out)
{
    const struct reference_function *f = reference_functions[in->fn];
    memset(out, 0, sizeof *out);
    out->fn = in->fn;
    check_inputs(f, &in->of, out);
    if (!out->rule)
        f->compute(in, out);
}
