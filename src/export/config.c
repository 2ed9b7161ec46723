/*
 * src/export/config.c - a plan as settings of other trainers: torchtitan's TOML, overrides of a Megatron-Bridge recipe,
 * LLaMA-Factory's and axolotl's YAML, the command of `trl sft`.
 *
 * A format is a list of settings, path and value, written in its own syntax. Most settings of torchtitan and
 * Megatron-Bridge come from the tables that import them; the others, and the fine-tuning formats, are rows here.
 */
#include "core/base.h"
#include "src/export/common.h"
#include "src/import/foreign_read.h"
#include "src/import/import.h"
#include "src/import/spelling.h"
#include "src/import/table.h"
#include "src/text/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- settings ---------------------------------------------------------------------------------------------------- */

static void put(struct keyvals *out, const char *path, const char *value)
{
    keyvals_add(out, path, value, 0);
}

static void put_number(struct keyvals *out, const char *path, double value)
{
    keyvals_number(out, path, value, 0);
}

static void put_if(struct keyvals *out, bool is, const char *path, const char *value)
{
    if (is)
        put(out, path, value);
}

/* The word that a table of pairs has for a value of a key; NULL for none. */
static const char *chosen(const struct tree_choice *choices, const char *text)
{
    for (; choices && choices->from; choices++)
        if (strcmp(choices->to, text) == 0)
            return choices->from;
    return NULL;
}

/* The setting that a row of a reader's table reads as the plan's value; nothing for what is off. */
static void put_row(struct keyvals *out, const struct tree_row *row, const struct plan *plan)
{
    char path[96], text[PARAM_TEXT_MAX], word[SPELLING_MAX];
    int id = param_find(row->key);
    double value = plan->value[id];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(row->path, "|"), row->path);
    if (isnan(value) || param_print(plan, (enum param)id, text, sizeof text) == 0)
        return;
    if (row->kind == TREE_CHOICE)
        put_if(out, chosen(row->choices, text) != NULL, path, chosen(row->choices, text));
    else if (row->kind == TREE_BOOL)
        put(out, path, value > 0 ? "true" : "false");
    else if (row->kind >= TREE_WORD)
        put_if(out, spelling_usual((enum param)id, value, (enum dialect)(row->kind - TREE_WORD), word), path, word);
    else if (value > 0)
        put(out, path, text);
}

static bool is_dense(const struct plan *plan)
{
    return !(KEY(model, num_experts) > 0);
}

/* Whether a setting says nothing: the named model has it, or the plan has no such thing. */
static bool is_idle(enum param key, const struct plan *plan)
{
    switch ((int)key) {
    case PARAM_parallel_ep:
    case PARAM_parallel_etp:
    case PARAM_parallel_moe_dispatcher:
    case PARAM_parallel_overlap_ep:
    case PARAM_framework_moe_grouped_gemm: return is_dense(plan);
    case PARAM_framework_moe_pad_to_capacity: return !(KEY(model, moe_capacity_factor) > 0);
    case PARAM_parallel_cp_comm: return KEY(parallel, cp) == 1;
    case PARAM_parallel_vpp:
    case PARAM_parallel_overlap_p2p: return KEY(parallel, vpp) == 1;
    case PARAM_train_lora_rank:
    case PARAM_train_lora_dropout_kept:
    case PARAM_train_lora_alpha: return KEY(train, peft) == PEFT_NONE;
    case PARAM_train_recompute_method:
    case PARAM_train_recompute_num_layers: return KEY(train, recompute) != RECOMPUTE_FULL;
    default: return param_rows[key].group_id == GROUP_model && plan->from[key] <= FROM_PRESET;
    }
}

/* The rows of a table by which the format is read. */
static void put_table(struct keyvals *out, const struct foreign_format *format, const struct plan *plan)
{
    for (size_t i = 0; i < format->rows; i++)
        if (!is_idle((enum param)param_find(format->row[i].key), plan))
            put_row(out, &format->row[i], plan);
}

/* ---- ways to write them ------------------------------------------------------------------------------------------ */

/* Numbers, switches and lists stand as they are; other words in quotes. */
static bool is_bare(const char *value)
{
    char *end = NULL;
    strtod(value, &end);
    return (*value && !*end) || *value == '[' || strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
}

/* Tables by the part of a path before its last point, in the order of their first setting. */
static void write_toml(struct buffer *out, const struct keyvals *settings)
{
    for (size_t i = 0; i < settings->count; i++) {
        const char *path = settings->item[i].key, *point = strrchr(path, '.');
        size_t length = (size_t)(point - path);
        bool is_first = true;
        for (size_t k = 0; k < i && is_first; k++)
            is_first = strncmp(settings->item[k].key, path, length + 1) != 0 ||
                       strchr(settings->item[k].key + length + 1, '.');
        if (!is_first)
            continue;
        buffer_printf(out, "%s[%.*s]\n", i ? "\n" : "", (int)length, path);
        for (size_t k = i; k < settings->count; k++) {
            const struct keyval *one = &settings->item[k];
            const char *quote = is_bare(one->value) ? "" : "\"";
            if (strncmp(one->key, path, length + 1) == 0 && !strchr(one->key + length + 1, '.'))
                buffer_printf(out, "%s = %s%s%s\n", one->key + length + 1, quote, one->value, quote);
        }
    }
}

/* A group of two levels at most: `fsdp_config.cpu_offload`. */
static void write_yaml(struct buffer *out, const struct keyvals *settings)
{
    const char *group = "";
    for (size_t i = 0; i < settings->count; i++) {
        const char *path = settings->item[i].key, *point = strchr(path, '.');
        size_t length = point ? (size_t)(point - path) : 0;
        if (length && strncmp(group, path, length + 1) != 0)
            buffer_printf(out, "%.*s:\n", (int)length, path);
        group = point ? path : "";
        buffer_printf(out, "%s%s: %s\n", point ? "  " : "", point ? point + 1 : path, settings->item[i].value);
    }
}

static void write_words(struct buffer *out, const struct keyvals *settings, const char *before, const char *between)
{
    for (size_t i = 0; i < settings->count; i++) {
        const char *value = settings->item[i].value, *quote = strpbrk(value, " '\"[]*|") ? "'" : "";
        buffer_printf(out, " \\\n    %s%s%s%s%s%s", before, settings->item[i].key, *value ? between : "", quote, value,
                      quote);
    }
    buffer_puts(out, "\n");
}

/* Ranks in all, on the nodes that they fill. */
static void put_launcher(struct buffer *out, const struct plan *plan)
{
    double world = KEY(parallel, tp) * KEY(parallel, pp) * KEY(parallel, cp) * KEY(parallel, dp);
    double node = fmin(KEY(hardware, gpus_per_node), world);
    buffer_printf(out, "torchrun --nnodes %.0f --nproc-per-node %.0f", ceil(world / node), node);
}

/* ---- torchtitan v0.2.2 ------------------------------------------------------------------------------------------- */

static void put_titan_sharding(struct keyvals *out, const struct plan *plan)
{
    double replicas = KEY(parallel, dp), shards = KEY(parallel, shard_group), fsdp = KEY(parallel, fsdp);
    bool is_hybrid = fsdp == FSDP_HYBRID && shards > 0;
    double copies = fsdp == FSDP_NONE ? replicas : is_hybrid ? replicas * KEY(parallel, cp) / shards : 1;
    put_number(out, "parallelism.data_parallel_replicate_degree", copies);
    put_number(out, "parallelism.data_parallel_shard_degree",
               fsdp == FSDP_NONE ? 1 : is_hybrid ? shards / KEY(parallel, cp) : replicas);
    put_if(out, fsdp == FSDP_SHARD_GRAD_OP, "parallelism.fsdp_reshard_after_forward", "never");
}

/* A pipeline splits the local batch into micro-batches; without one it is one. */
static void put_titan_batch(struct keyvals *out, const struct plan *plan)
{
    double micro = KEY(train, micro_batch_size), local = KEY(train, global_batch_size) / KEY(parallel, dp);
    bool has_stages = KEY(parallel, pp) > 1;
    put_number(out, "training.local_batch_size", has_stages ? local : micro);
    if (has_stages)
        put_number(out, "parallelism.pipeline_parallel_microbatch_size", micro);
}

static void put_titan_types(struct keyvals *out, const struct plan *plan)
{
    bool is_fp8 = KEY(train, dtype) == DTYPE_FP8, is_mx = KEY(train, dtype) == DTYPE_MXFP8;
    put_if(out, is_fp8, "model.converters", "[\"float8\"]");
    put_if(out, is_mx, "model.converters", "[\"mx\"]");
    put_if(out, is_fp8, "quantize.linear.float8.recipe_name",
           KEY(framework, fp8_recipe) == RECIPE_ROWWISE ? "rowwise" : "tensorwise");
    put_if(out, KEY(train, offload_params) > 0, "training.enable_cpu_offload", "true");
    put_if(out, KEY(framework, compile) > 0, "compile.enable", "true");
    put_if(out, KEY(framework, compile) > 0, "compile.components", "[\"model\", \"loss\"]");
}

static void write_titan(struct buffer *out, const struct plan *plan)
{
    struct keyvals settings = {0};
    const char *flavor = NULL, *name = titan_name_of(plan->text[TEXT_MODEL], &flavor);
    put(&settings, "model.name", name ? name : "MODEL");
    put(&settings, "model.flavor", flavor ? flavor : "FLAVOR");
    put_titan_types(&settings, plan);
    put_titan_batch(&settings, plan);
    put_table(&settings, &titan_format, plan);
    put_titan_sharding(&settings, plan);
    buffer_puts(out, "# Data, tokenizer, steps and learning rate are torchtitan's defaults until you set them.\n");
    write_toml(out, &settings);
    keyvals_free(&settings);
}

/* ---- Megatron-Bridge --------------------------------------------------------------------------------------------- */

/* A preset's name as recipes spell it: llama3.1-8b is llama31_8b. */
static void put_recipe(struct buffer *out, const struct plan *plan)
{
    for (const char *c = plan->text[TEXT_MODEL]; *c; c++)
        if (*c != '.')
            buffer_printf(out, "%c", *c == '-' ? '_' : tolower((unsigned char)*c));
    buffer_puts(out, KEY(train, peft) == PEFT_NONE ? "_pretrain_config" : "_finetune_config");
}

static const char *bridge_precision(const struct plan *plan)
{
    static const char *const recipes[] = {
        [RECIPE_TENSORWISE] = "bf16_with_fp8_current_scaling_mixed", [RECIPE_ROWWISE] = NULL,
        [RECIPE_DELAYED] = "bf16_with_fp8_delayed_scaling_mixed",
        [RECIPE_BLOCKWISE] = "bf16_with_fp8_subchannel_scaling_mixed", [RECIPE_MXFP8] = "bf16_with_mxfp8_mixed"};
    switch ((int)KEY(train, dtype)) {
    case DTYPE_FP16: return "fp16_mixed";
    case DTYPE_BF16: return "bf16_mixed";
    case DTYPE_FP8: return recipes[(int)KEY(framework, fp8_recipe)];
    case DTYPE_MXFP8: return "bf16_with_mxfp8_mixed";
    case DTYPE_NVFP4: return "bf16_with_nvfp4_mixed";
    default: return NULL;
    }
}

static void put_bridge_kernels(struct keyvals *out, const struct plan *plan)
{
    static const char *const graphs[] = {
        [GRAPH_NONE] = NULL, [GRAPH_PARTIAL] = "transformer_engine", [GRAPH_FULL] = "full_iteration"};
    const char *graph = graphs[(int)KEY(framework, cuda_graph)];
    bool is_te = KEY(train, cross_entropy) == LOSS_TE_FUSED;
    put_if(out, graph != NULL, "model.cuda_graph_impl", graph);
    put_if(out, is_te || KEY(train, cross_entropy) == LOSS_NATIVE_FUSED, "model.cross_entropy_loss_fusion", "true");
    put_if(out, is_te, "model.cross_entropy_fusion_impl", "te");
    put_if(out, KEY(train, attention) == ATTENTION_UNFUSED, "model.attention_backend", "unfused");
    put_if(out, KEY(train, offload_optimizer) > 0, "optimizer.optimizer_cpu_offload", "true");
}

static void put_bridge_rest(struct keyvals *out, const struct plan *plan)
{
    char text[PARAM_TEXT_MAX], word[SPELLING_MAX];
    bool has_fsdp = KEY(parallel, fsdp) != FSDP_NONE;
    const char *precision = bridge_precision(plan);
    put_if(out, KEY(parallel, vpp) == 1, "model.virtual_pipeline_model_parallel_size", "null");
    put_if(out, KEY(train, recompute) == RECOMPUTE_NONE, "model.recompute_granularity", "null");
    put_if(out, precision != NULL, "mixed_precision", precision);
    put_if(out, has_fsdp, "dist.use_megatron_fsdp", "true");
    if (has_fsdp && spelling_usual(PARAM_parallel_fsdp, KEY(parallel, fsdp), DIALECT_MEGATRON, word))
        put(out, "ddp.data_parallel_sharding_strategy", word);
    if (KEY(train, recompute) == RECOMPUTE_SELECTIVE && param_print(plan, PARAM_train_recompute_modules, text,
                                                                    sizeof text) > 0)
        put(out, "model.recompute_modules", text);
}

static void write_bridge(struct buffer *out, const struct plan *plan)
{
    struct keyvals settings = {0};
    struct buffer layout = {0};
    put_table(&settings, &bridge_format, plan);
    put_bridge_rest(&settings, plan);
    export_pipeline_layout(&layout, plan);
    put_if(&settings, KEY(parallel, pp) > 1, "model.pipeline_model_parallel_layout",
           layout.size ? layout.text : "null");
    buffer_free(&layout);
    put_bridge_kernels(&settings, plan);
    buffer_puts(out, "#!/bin/bash\n");
    put_launcher(out, plan);
    buffer_puts(out, " scripts/training/run_recipe.py --recipe ");
    put_recipe(out, plan);
    write_words(out, &settings, "", "=");
    keyvals_free(&settings);
}

/* ---- fine-tuning ------------------------------------------------------------------------------------------------- */

/* What the three formats call the same setting, by enum tuner; NULL where one has none or says it otherwise. */
enum tuner { LLAMA_FACTORY, AXOLOTL, TRL, TUNERS };

static bool is_adapted(const struct plan *plan)
{
    return KEY(train, peft) != PEFT_NONE;
}

static bool has_galore(const struct plan *plan)
{
    return KEY(train, optimizer) == OPTIMIZER_GALORE;
}

enum { AS_NUMBER, AS_SWITCH, AS_WORD };
static const struct {
    enum param key;
    int how;
    const char *name[TUNERS];
    bool (*needs)(const struct plan *);
} tuned[] = {
    {PARAM_train_micro_batch_size, AS_NUMBER,
     {"per_device_train_batch_size", "micro_batch_size", "per_device_train_batch_size"}, NULL},
    {PARAM_train_gradient_accumulation_steps, AS_NUMBER,
     {"gradient_accumulation_steps", "gradient_accumulation_steps", "gradient_accumulation_steps"}, NULL},
    {PARAM_train_seq_length, AS_NUMBER, {"cutoff_len", "sequence_len", "max_length"}, NULL},
    {PARAM_train_optimizer, AS_WORD, {"optim", "optimizer", "optim"}, NULL},
    {PARAM_train_attention, AS_WORD, {NULL, "attn_implementation", "attn_implementation"}, NULL},
    {PARAM_framework_compile, AS_SWITCH, {"torch_compile", "torch_compile", "torch_compile"}, NULL},
    {PARAM_train_galore_rank, AS_NUMBER, {"galore_rank", NULL, "galore_rank"}, has_galore},
    {PARAM_train_lora_rank, AS_NUMBER, {"lora_rank", "lora_r", "lora_r"}, is_adapted},
    {PARAM_train_lora_alpha, AS_NUMBER, {"lora_alpha", "lora_alpha", "lora_alpha"}, is_adapted},
    {PARAM_train_lora_dropout, AS_NUMBER, {"lora_dropout", "lora_dropout", "lora_dropout"}, is_adapted},
};

static void put_tuned(struct keyvals *out, const struct plan *plan, enum tuner tuner)
{
    for (size_t i = 0; i < LENGTH(tuned); i++) {
        char word[SPELLING_MAX];
        const char *name = tuned[i].name[tuner];
        double value = plan->value[tuned[i].key];
        if (!name || isnan(value) || (tuned[i].needs && !tuned[i].needs(plan)))
            continue;
        if (tuned[i].how == AS_NUMBER)
            put_number(out, name, value);
        else if (tuned[i].how == AS_SWITCH)
            put_if(out, value > 0, name, "true");
        else
            put_if(out, spelling_usual(tuned[i].key, value, DIALECT_TRAINER, word), name, word);
    }
}

/* Matrices by the names that Hugging Face's Llama has for them; `all` where all of a layer have adapters. */
static void put_targets(struct keyvals *out, const struct plan *plan, const char *path, const char *all)
{
    static const struct {
        enum lora_target target;
        const char *module;
    } modules[] = {{TARGET_Q, "q_proj"},   {TARGET_K, "k_proj"},   {TARGET_V, "v_proj"},       {TARGET_O, "o_proj"},
                   {TARGET_GATE, "gate_proj"}, {TARGET_UP, "up_proj"}, {TARGET_DOWN, "down_proj"}};
    struct buffer list = {0};
    unsigned targets = (unsigned)KEY(train, lora_targets), named = 0;
    for (size_t i = 0; i < LENGTH(modules); i++) {
        named |= 1u << modules[i].target;
        if (targets & 1u << modules[i].target)
            buffer_printf(&list, "%s%s", list.size ? "," : "", modules[i].module);
    }
    if (is_adapted(plan))
        put(out, path, (targets & ~named) || !list.size ? all : list.text);
    buffer_free(&list);
}

static bool is_4bit(const struct plan *plan)
{
    return KEY(train, quant_dtype) == QUANT_NF4;
}

static bool is_8bit(const struct plan *plan)
{
    return KEY(train, quant_dtype) == QUANT_INT8;
}

static void put_types(struct keyvals *out, const struct plan *plan)
{
    put(out, "bf16", KEY(train, dtype) == DTYPE_BF16 ? "true" : "false");
    put_if(out, KEY(train, dtype) == DTYPE_FP16, "fp16", "true");
}

/* DeepSpeed's stages by the names of the files that each project ships, or FSDP. */
static void put_sharding(struct keyvals *out, const struct plan *plan, const char *before, const char *behind)
{
    static const char *const strategies[] = {
        [FSDP_NONE] = NULL, [FSDP_SHARD_GRAD_OP] = "shard_grad_op auto_wrap", [FSDP_FULL] = "full_shard auto_wrap",
        [FSDP_HYBRID] = "hybrid_shard auto_wrap"};
    char path[96];
    const char *strategy = strategies[(int)KEY(parallel, fsdp)];
    double stage = KEY(parallel, zero_stage);
    if (strategy) {
        put(out, "fsdp", strategy);
    } else if (stage > 0) {
        snprintf(path, sizeof path, "%s%d%s", before, (int)stage, behind);
        put(out, "deepspeed", path);
    }
}

static const char *model_of(const struct plan *plan)
{
    return *plan->text[TEXT_MODEL] ? plan->text[TEXT_MODEL] : "MODEL";
}

static void write_llama_factory(struct buffer *out, const struct plan *plan)
{
    struct keyvals settings = {0};
    bool is_pure = KEY(train, main_param_dtype) == DTYPE_BF16 && !is_adapted(plan);
    put(&settings, "model_name_or_path", model_of(plan));
    put(&settings, "stage", "sft");
    put(&settings, "do_train", "true");
    put(&settings, "finetuning_type", is_adapted(plan) ? "lora" : "full");
    put_tuned(&settings, plan, LLAMA_FACTORY);
    put(&settings, "flash_attn", KEY(train, attention) == ATTENTION_FLASH ? "fa2" : "disabled");
    put_targets(&settings, plan, "lora_target", "all");
    put_if(&settings, is_4bit(plan), "quantization_bit", "4");
    put_if(&settings, is_8bit(plan), "quantization_bit", "8");
    put_if(&settings, is_4bit(plan), "double_quantization", KEY(train, double_quant) > 0 ? "true" : "false");
    if (is_pure)
        put(&settings, "pure_bf16", "true");
    else
        put_types(&settings, plan);
    put_if(&settings, KEY(train, recompute) == RECOMPUTE_NONE, "disable_gradient_checkpointing", "true");
    put_if(&settings, KEY(train, packing) == PACKING_PACKED, "packing", "true");
    put_if(&settings, KEY(framework, fast_kernels) == FAST_LIGER, "enable_liger_kernel", "true");
    put_if(&settings, KEY(framework, fast_kernels) == FAST_UNSLOTH, "use_unsloth", "true");
    put_sharding(&settings, plan, "examples/deepspeed/ds_z", "_config.json");
    buffer_puts(out, "# Data and learning rate are LLaMA-Factory's defaults until you set them.\n");
    write_yaml(out, &settings);
    keyvals_free(&settings);
}

/* A list of modules, or all linear ones. */
static void put_axolotl_targets(struct keyvals *out, const struct plan *plan)
{
    struct keyvals names = {0};
    put_targets(&names, plan, "lora_target_modules", "");
    const char *list = names.count ? names.item[0].value : "";
    char *quoted = xasprintf("[%s]", list);
    put_if(out, names.count && *list, "lora_target_modules", quoted);
    put_if(out, names.count && !*list, "lora_target_linear", "true");
    free(quoted);
    keyvals_free(&names);
}

static void write_axolotl(struct buffer *out, const struct plan *plan)
{
    struct keyvals settings = {0};
    put(&settings, "base_model", model_of(plan));
    put_if(&settings, is_adapted(plan), "adapter", is_4bit(plan) ? "qlora" : "lora");
    put_if(&settings, is_4bit(plan), "load_in_4bit", "true");
    put_if(&settings, is_8bit(plan), "load_in_8bit", "true");
    put_tuned(&settings, plan, AXOLOTL);
    put_axolotl_targets(&settings, plan);
    put_types(&settings, plan);
    put(&settings, "gradient_checkpointing", KEY(train, recompute) == RECOMPUTE_FULL ? "true" : "false");
    put_if(&settings, KEY(train, packing) == PACKING_PADDING_FREE, "sample_packing", "true");
    put_if(&settings, KEY(framework, fast_kernels) == FAST_LIGER, "liger_fused_linear_cross_entropy", "true");
    if (KEY(parallel, tp) > 1)
        put_number(&settings, "tensor_parallel_size", KEY(parallel, tp));
    if (KEY(parallel, cp) > 1)
        put_number(&settings, "context_parallel_size", KEY(parallel, cp));
    put_sharding(&settings, plan, "deepspeed_configs/zero", ".json");
    buffer_puts(out, "# Data and learning rate have placeholders.\ndatasets:\n  - path: DATA\n    type: alpaca\n");
    write_yaml(out, &settings);
    keyvals_free(&settings);
}

static void write_trl(struct buffer *out, const struct plan *plan)
{
    struct keyvals settings = {0};
    double world = KEY(parallel, dp) * KEY(parallel, tp) * KEY(parallel, cp);
    put(&settings, "model_name_or_path", model_of(plan));
    put(&settings, "dataset_name", "DATA");
    put_if(&settings, is_adapted(plan), "use_peft", "true");
    put_tuned(&settings, plan, TRL);
    put_targets(&settings, plan, "lora_target_modules", "all-linear");
    put_if(&settings, is_4bit(plan), "load_in_4bit", "true");
    put_if(&settings, is_8bit(plan), "load_in_8bit", "true");
    put_types(&settings, plan);
    put(&settings, "gradient_checkpointing", KEY(train, recompute) == RECOMPUTE_FULL ? "true" : "false");
    put_if(&settings, KEY(train, packing) == PACKING_PACKED, "packing", "true");
    put_if(&settings, KEY(framework, fast_kernels) == FAST_LIGER, "use_liger_kernel", "true");
    put_sharding(&settings, plan, "ds_z", "_config.json");
    buffer_printf(out, "#!/bin/bash\naccelerate launch --num_processes %.0f --module trl sft", world);
    write_words(out, &settings, "--", " ");
    keyvals_free(&settings);
}

/* ---- the formats ------------------------------------------------------------------------------------------------- */

static const enum param needed[] = {PARAM_model_num_layers, PARAM_train_seq_length, PARAM_train_global_batch_size,
                                    PARAM_hardware_gpus_per_node, PARAM_COUNT};

static const enum framework_id of_titan[] = {FRAMEWORK_FSDP2, FRAMEWORK_COUNT};
static const enum framework_id of_bridge[] = {FRAMEWORK_MEGATRON_CORE, FRAMEWORK_COUNT};
static const enum framework_id of_trainer[] = {FRAMEWORK_HF_TRAINER, FRAMEWORK_COUNT};

const struct export_format
    titan_export = {"torchtitan's settings", needed, export_holds_run, write_titan, KIND_TORCHTITAN, true,
                    of_titan, false},
    bridge_export = {"Megatron-Bridge's overrides", needed, export_holds_run, write_bridge, KIND_SCRIPT, true,
                     of_bridge, false},
    llama_factory_export = {"LLaMA-Factory's settings", needed, export_holds_run, write_llama_factory,
                            KIND_LLAMA_FACTORY, true, of_trainer, false},
    axolotl_export = {"axolotl's settings", needed, export_holds_run, write_axolotl, KIND_AXOLOTL, true,
                      of_trainer, false},
    trl_export = {"trl's flags", needed, export_holds_run, write_trl, KIND_SCRIPT, true, of_trainer, false};
