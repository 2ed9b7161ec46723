/*
 * src/import/tuning.c - tables map what is one to one; below them stands what several keys decide together: types,
 * adapters, sharding. What a file leaves out follows the framework's row in core/plan/framework.def.
 */
#include "src/import/tuning.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "src/import/deepspeed.h"
#include "src/import/dialect.h"
#include "src/import/import.h"
#include "src/import/rollout.h"
#include "src/import/table.h"
#include "src/import/words.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A file being read. */
struct tuning {
    struct tree tree;
    struct import *out;
    size_t faults;
};


/* What describes adapters, below a prefix and with the name of their rank. */
#define ADAPTER_ROWS(prefix, rank)                                                                                     \
    {rank, "train.lora_rank", TREE_WHOLE, NULL}, {prefix "lora_alpha", "train.lora_alpha", TREE_NUMBER, NULL},         \
        {prefix "lora_dropout", "train.lora_dropout", TREE_NUMBER, NULL}

/* TrainingArguments, and the names that TRL and LLaMA-Factory add. */
static const struct tree_row trainer_rows[] = {
    {"per_device_train_batch_size", "train.micro_batch_size", TREE_WHOLE, NULL},
    {"gradient_accumulation_steps", "train.gradient_accumulation_steps", TREE_WHOLE, NULL},
    {"max_seq_length|max_length|model_max_length|block_size|cutoff_len|max_seq_len|max_len", "train.seq_length",
     TREE_WHOLE, NULL},
    {"optim", "train.optimizer", TREE_AS(TRAINER)},
    {"attn_implementation|flash_attn", "train.attention", TREE_AS(TRAINER)},
    TREE_FLAG("torch_compile", "framework.compile"), TREE_SIZE("galore_rank", "train.galore_rank"),
    {"double_quant|bnb_4bit_use_double_quant|use_bnb_nested_quant|use_nested_quant", "train.double_quant", TREE_BOOL,
     NULL},
    ADAPTER_ROWS("", "lora_rank|lora_r|lora_dim"),
};
/* What trainers with a dialect have beside it (src/import/dialects.def). */
static const struct tree_row dialect_rows[] = {
    TREE_SIZE("global_batch_size", "train.global_batch_size"), TREE_SIZE("zero_stage", "parallel.zero_stage"),
    TREE_SIZE("tp_size", "parallel.tp"), TREE_SIZE("cp_size", "parallel.cp"),
};
static const struct tree_row axolotl_rows[] = {
    {"micro_batch_size", "train.micro_batch_size", TREE_WHOLE, NULL},
    {"gradient_accumulation_steps", "train.gradient_accumulation_steps", TREE_WHOLE, NULL},
    {"sequence_len", "train.seq_length", TREE_WHOLE, NULL},
    {"attn_implementation", "train.attention", TREE_AS(TRAINER)},
    {"optimizer", "train.optimizer", TREE_AS(TRAINER)},
    {"torch_compile", "framework.compile", TREE_BOOL, NULL},
    ADAPTER_ROWS("", "lora_r"),
};
static const struct tree_row torchtune_rows[] = {
    {"batch_size", "train.micro_batch_size", TREE_WHOLE, NULL},
    {"gradient_accumulation_steps", "train.gradient_accumulation_steps", TREE_WHOLE, NULL},
    {"tokenizer.max_seq_len|dataset.max_seq_len", "train.seq_length", TREE_WHOLE, NULL},
    {"optimizer._component_", "train.optimizer", TREE_AS(TRAINER)},
    TREE_FLAG("optimizer_in_bwd", "train.optimizer_in_backward"), TREE_FLAG("compile", "framework.compile"),
    TREE_SIZE("tensor_parallel_dim", "parallel.tp"), TREE_SIZE("context_parallel_dim", "parallel.cp"),
    ADAPTER_ROWS("model.", "model.lora_rank"),
};
/* Its builders take the shape too (torchtune/models/llama2/_component_builders.py). */
static const struct tree_row builder_rows[] = {
    TREE_SIZE("num_layers", "model.num_layers"), TREE_SIZE("embed_dim", "model.hidden_size"),
    TREE_SIZE("num_heads", "model.num_attention_heads"), TREE_SIZE("num_kv_heads", "model.num_query_groups"),
    TREE_SIZE("intermediate_dim", "model.ffn_hidden_size"), TREE_SIZE("vocab_size", "model.vocab_size"),
    TREE_SIZE("max_seq_len", "model.max_position_embeddings"),
};

static const struct tree_row v1_rows[] = {
    TREE_SIZE("micro_batch_size", "train.micro_batch_size"), TREE_SIZE("global_batch_size", "train.global_batch_size"),
    TREE_SIZE("cutoff_len", "train.seq_length"),
    ADAPTER_ROWS("peft_config.", "peft_config.r"),
};

/* What rules below read, for who writes a change back. */
static const struct tree_choice no_checkpoint_choice[] = {{"true", "none"}, {"false", "full"}, {NULL, NULL}};
static const struct tree_choice tuned_choice[] = {{"full", "none"}, {"lora", "lora"}, {NULL, NULL}};
static const struct tree_choice quantised_choice[] = {{"4", "qlora"}, {"null", "lora"}, {NULL, NULL}};
static const struct tree_choice packing_choice[] = {{"true", "packed"}, {"false", "padded"}, {NULL, NULL}};
static const struct tree_choice sample_choice[] = {{"true", "padding_free"}, {"false", "padded"}, {NULL, NULL}};
static const struct tree_choice liger_choice[] = {{"true", "liger"}, {"false", "none"}, {NULL, NULL}};
static const struct tree_row trainer_rules[] = {
    {"gradient_checkpointing", "train.recompute", TREE_CHOICE, checkpointing_choice},
    {"fsdp", "parallel.fsdp", TREE_AS(TRAINER)},
    {"packing", "train.packing", TREE_CHOICE, packing_choice},
    {"use_liger_kernel", "framework.fast_kernels", TREE_CHOICE, liger_choice},
};
static const struct tree_row factory_rules[] = {
    {"disable_gradient_checkpointing", "train.recompute", TREE_CHOICE, no_checkpoint_choice},
    {"fsdp", "parallel.fsdp", TREE_AS(TRAINER)},
    {"finetuning_type", "train.peft", TREE_CHOICE, tuned_choice},
    {"quantization_bit", "train.peft", TREE_CHOICE, quantised_choice},
    {"packing", "train.packing", TREE_CHOICE, packing_choice},
    {"enable_liger_kernel", "framework.fast_kernels", TREE_CHOICE, liger_choice},
};
static const struct tree_row v1_rules[] = {
    {"enable_activation_checkpointing", "train.recompute", TREE_CHOICE, checkpointing_choice}};
static const struct tree_row axolotl_rules[] = {
    {"gradient_checkpointing", "train.recompute", TREE_CHOICE, checkpointing_choice},
    {"fsdp", "parallel.fsdp", TREE_AS(TRAINER)},
    {"adapter", "train.peft", TREE_AS(TRAINER)},
    {"sample_packing", "train.packing", TREE_CHOICE, sample_choice},
    {"lora_target_modules", "train.lora_targets", TREE_CHOICE, NULL},
};
static const struct tree_row torchtune_rules[] = {
    {"enable_activation_checkpointing", "train.recompute", TREE_CHOICE, checkpointing_choice},
    {"enable_activation_offloading", "train.offload_activations", TREE_BOOL, NULL},
    {"dtype", "train.dtype", TREE_CHOICE, NULL},
    {"dataset.packed", "train.packing", TREE_CHOICE, packing_choice},
};

/* Keys that change memory or time and have no counterpart, and what they leave open of the plan; "" for little. */
static const char *const unmodelled[][2] = {
    {"neftune_noise_alpha", ""}, {"shift_attn", ""}, {"auto_find_batch_size", "train.micro_batch_size"},
    {"use_apollo", "train.optimizer"}, {"use_adam_mini", "train.optimizer"}, {"use_muon", "train.optimizer"},
    {"use_badam", "train.frozen"}, {"mixture_of_depths", "model.num_layers"}, {"reward_model", "workload"},
    {"use_kt", "train.offload_params"}, {"layer_offloading", "train.offload_params"},
    {"selective_checkpointing", "train.recompute"}, {"tiled_mlp", "train.recompute"},
    {"quantize_moe_experts", "train.quant_dtype"}, {"lora_target_parameters", "train.lora_targets"},
    {"max_packed_sequence_len", "train.seq_length"}, {"trainer_cls", "framework.name"},
    {"use_asft_loss", "train.reference_model"},
    {"vllm", "workload"}, {"use_vllm", "workload"}, {"fp8", "train.dtype"}};

/* ---- helpers ---------------------------------------------------------------------------------------------------- */

static void set(struct tuning *im, const char *key, const char *value, int line)
{
    keyvals_add(&im->out->settings, key, value, line);
}

/* The text of the first of several paths, NULL where none is there. */
static const char *text_of(struct tuning *im, const char *paths)
{
    const struct tree_value *value = tree_first(&im->tree, "", paths);
    return value ? value->text : NULL;
}

static const char *text_or(struct tuning *im, const char *paths, const char *otherwise)
{
    const char *text = text_of(im, paths);
    return text ? text : otherwise;
}

static int line_of(struct tuning *im, const char *paths)
{
    const struct tree_value *value = tree_first(&im->tree, "", paths);
    return value ? value->line : 0;
}

/* True in any spelling, and where a word says that it is on by itself. */
static bool is_on(struct tuning *im, const char *paths)
{
    const struct tree_value *value = tree_first(&im->tree, "", paths);
    return value && (tree_is_true(value) || strcasecmp(value->text, "auto") == 0);
}

static bool says(struct tuning *im, const char *paths, const char *word)
{
    const char *text = text_of(im, paths);
    return text && strcasecmp(text, word) == 0;
}

/* Says that the first of several settings is not modelled; what it decides is open. */
static void leave_open(struct tuning *im, const char *paths, const char *key)
{
    const struct tree_value *value = tree_first(&im->tree, "", paths);
    tree_warn(&im->tree, value ? value->path : paths, IMPORT_NOT_MODELLED);
    if (*key)
        keyvals_add(&im->out->unread, key, value ? value->path : paths, value ? value->line : 0);
}

/* ---- adapters --------------------------------------------------------------------------------------------------- */

/* Matrices by name; a pattern, or a name that is not known, counts as all. */
static void read_targets(struct tuning *im, const char *paths)
{
    const struct tree_value *value = tree_first(&im->tree, "", paths);
    struct plan scratch;
    char why[PARAM_WHY_MAX];
    if (!value)
        return;
    plan_clear(&scratch);
    bool is_known = param_parse(&scratch, PARAM_train_lora_targets, value->text, FROM_FILE, false, why) == 0;
    if (!is_known)
        tree_note(&im->tree, value->path, "names unknown matrices; counting all of a layer");
    set(im, "train.lora_targets", is_known && scratch.value[PARAM_train_lora_targets] > 0 ? value->text : "[all]",
        value->line);
}

/* Modules trained whole beside the adapters. */
static void read_saved(struct tuning *im, const char *paths)
{
    const struct tree_value *value = tree_first(&im->tree, "", paths);
    struct plan scratch;
    char why[PARAM_WHY_MAX];
    if (!value)
        return;
    plan_clear(&scratch);
    if (param_parse(&scratch, PARAM_train_modules_to_save, value->text, FROM_FILE, false, why) == 0)
        set(im, "train.modules_to_save", value->text, value->line);
    else
        leave_open(im, value->path, "train.frozen");
}

/* LoRA, with the base in 4 or 8 bits where `bits` says so. */
static void set_lora(struct tuning *im, const char *bits, int line)
{
    bool is_4bit = bits && strcmp(bits, "nf4") == 0;
    set(im, "train.peft", is_4bit ? "qlora" : "lora", line);
    if (bits && !is_4bit)
        set(im, "train.quant_dtype", bits, line);
}

/* The type of weights that are quantized to a number of bits; NULL for none. */
static const char *bits_of(struct tuning *im, const char *path)
{
    const enum param key = PARAM_train_quant_dtype;
    int value = spelling_find(key, DIALECT_TRAINER, text_or(im, path, ""));
    return value < 0 ? NULL : param_rows[key].choices[value];
}

/* ---- preferences ------------------------------------------------------------------------------------------------ */

/*
 * Methods that learn from preferences or rewards: whether the chosen and the rejected sample go through together,
 * whether a frozen model runs beside, and whether samples are made by further models (trl trainers, LLaMA-Factory
 * train/, 2026-08). Of a program such as train_ppo_with_prm.py the first row counts.
 */
static const struct preference {
    const char *name;
    bool has_pairs, has_reference, generates, has_score; /* instead of an output layer */
} preferences[] = {
    {"online", true, true, true, false},  {"nash", true, true, true, false},   {"xpo", true, true, true, false},
    {"rloo", false, true, true, false},   {"ppo", false, true, true, false},   {"grpo", false, true, true, false},
    {"dpo", true, true, false, false},    {"ipo", true, true, false, false},   {"kto", true, true, false, false},
    {"orpo", true, false, false, false},  {"simpo", true, false, false, false}, {"rm", true, false, false, true},
    {"reward", true, false, false, true}, {"prm", false, false, false, true},
};

static void read_pairs(struct tuning *im, int line)
{
    const struct keyval *micro = keyvals_last(&im->out->settings, "train.micro_batch_size");
    const struct keyval *global = keyvals_last(&im->out->settings, "train.global_batch_size");
    keyvals_number(&im->out->settings, "train.micro_batch_size", micro ? 2 * atof(micro->value) : 2, line);
    if (global)
        keyvals_number(&im->out->settings, "train.global_batch_size", 2 * atof(global->value), line);
}

/*
 * The method at `path`; with adapters the base without them is the reference, which needs no memory of its own. False
 * for one that is not known.
 */
static bool read_preference(struct tuning *im, const char *path)
{
    const char *given = text_or(im, path, "");
    bool is_known = !*given || strcasecmp(given, "false") == 0;
    for (size_t i = 0; i < LENGTH(preferences); i++) {
        const struct preference *method = &preferences[i];
        if (!words_any(given, method->name)) /* "dpo", "kto_pair", "TRL_GRPO" */
            continue;
        is_known = true;
        if (method->has_pairs) {
            read_pairs(im, line_of(im, path));
            tree_note(&im->tree, path, "runs two samples together, so micro_batch_size is doubled");
        }
        if (method->has_score) /* logits are a number or two a token */
            set(im, "train.cross_entropy", "fused_linear", line_of(im, path));
        const struct keyval *peft = keyvals_last(&im->out->settings, "train.peft");
        if (method->has_reference && (!peft || strcmp(peft->value, "none") == 0))
            set(im, "train.reference_model", "frozen", line_of(im, path));
        if (method->generates && !rollout_read(&im->tree, im->out, method->name)) {
            tree_note(&im->tree, path,
                      "makes samples with an engine, a critic or a reward model, which are not counted");
            import_ask(im->out, "workload",
                       &(struct asked){method->name, "train", im->tree.file, line_of(im, path), "--set workload=rl",
                                       false});
        }
    }
    if (text_of(im, "ref_model"))
        set(im, "train.reference_model", "frozen", line_of(im, "ref_model"));
    return is_known;
}

/* ---- sharding --------------------------------------------------------------------------------------------------- */

/* The stage that the name of a DeepSpeed file has in it, as in ds_z3_config.json or zero2_cpu.json; -1 for none. */
static int stage_in_name(const char *name)
{
    static const char *const marks[] = {"zero", "stage", "_z", "/z"};
    for (size_t i = 0; i < LENGTH(marks); i++)
        for (const char *at = name; (at = strcasestr(at, marks[i])); at++) {
            const char *digit = at + strlen(marks[i]);
            digit += *digit == '_' || *digit == '-';
            if (*digit >= '0' && *digit <= '3')
                return *digit - '0';
        }
    return -1;
}

/*
 * Asks about a missing DeepSpeed file. Its name may give the ZeRO stage; offloading stays unknown. One of accelerate
 * (YAML) may hold more, so that what its name says is only assumed.
 */
static void ask_engine(struct tuning *im, const struct tree_value *file)
{
    int stage = stage_in_name(file->text);
    bool is_said = stage >= 0 && !text_ends_with(file->text, ".yaml") && !text_ends_with(file->text, ".yml");
    char text[16];
    snprintf(text, sizeof text, "%d", stage < 0 ? 2 : stage);
    if (is_said)
        set(im, "parallel.zero_stage", text, file->line);
    import_ask(im->out, "parallel.zero_stage",
               &(struct asked){file->text, text, im->tree.file, file->line, "--set zero_stage=N", is_said});
    if (strcasestr(file->text, "offload"))
        import_ask(im->out, "train.offload_optimizer",
                   &(struct asked){file->text, "1", im->tree.file, file->line, "--set offload_optimizer=1", false});
    else if (!strstr(file->text, "ds_z")) /* those of LLaMA-Factory have `offload` in their names */
        import_ask(im->out, "train.offload_params",
                   &(struct asked){file->text, "0", im->tree.file, file->line, "--set offload_params=1", false});
}

/* The DeepSpeed settings, or the name of a file of them. */
static void read_deepspeed_file(struct tuning *im)
{
    const struct tree_value *value =
        tree_first(&im->tree, "", "deepspeed|deepspeed_config|deepspeed.zero_optimization.stage");
    const struct tree_value *file = tree_peek(&im->tree, "deepspeed_config");
    if (value && file && strcasecmp(value->text, "true") == 0) /* `--deepspeed --deepspeed_config FILE` */
        value = file;
    if (!value || !*value->text || strcasecmp(value->text, "true") == 0) /* a switch beside its own flags */
        return;
    bool is_stage = text_ends_with(value->path, ".stage");
    bool is_own = strncmp(value->text, "zero", 4) == 0 && !strpbrk(value->text, "./"); /* one that the trainer ships */
    tree_use(&im->tree, "deepspeed");
    tree_use(&im->tree, "deepspeed_config");
    if (!is_stage && deepspeed_beside(value->text, im->out))
        return;
    if (!is_stage && !(is_own && stage_in_name(value->text) >= 0)) {
        ask_engine(im, value);
        return;
    }
    int stage = is_stage ? atoi(value->text) : stage_in_name(value->text);
    keyvals_number(&im->out->settings, "parallel.zero_stage", stage < 0 ? 2 : stage > 3 ? 3 : stage, value->line);
    if (is_own && strstr(value->text, "offload"))
        set(im, "train.offload_optimizer", "1", value->line);
}

/* DeepSpeed's ZeRO keeps fp32 copies of weights that are trained, whatever type they are loaded in. */
static void keep_copies(struct tuning *im)
{
    const struct keyvals *settings = &im->out->settings;
    const struct keyval *method = keyvals_last(settings, "train.peft");
    bool has_engine = keyvals_last(settings, "parallel.zero_stage") ||
                      keyvals_last(&im->out->assumed, "parallel.zero_stage");
    if ((!method || strcmp(method->value, "none") == 0) && has_engine)
        set(im, "train.main_param_dtype", "fp32", line_of(im, "deepspeed"));
}

#define OFFLOAD "fsdp_config.offload_params|fsdp_config.fsdp_offload_params|fsdp_config.cpu_offload"

/* True where a group has something in it. */
static bool has_below(const struct tuning *im, const char *group)
{
    for (size_t i = 0; i < im->tree.count; i++)
        if (strncmp(im->tree.item[i].path, group, strlen(group)) == 0)
            return true;
    return false;
}

static double count_of(struct tuning *im, const char *path)
{
    const struct tree_value *value = tree_find(&im->tree, path);
    double n = NAN;
    return value && tree_number(&im->tree, value, &n) && n >= 1 && n == floor(n) ? n : (double)NAN;
}

/*
 * fsdp as the Trainer takes it: words, a list of them, or true; the rest lies in fsdp_config, which may switch it on by
 * itself.
 */
static void read_fsdp(struct tuning *im, bool is_switch)
{
    const char *words = text_of(im, "fsdp");
    const char *strategy = text_of(im, "fsdp_config.fsdp_sharding_strategy|fsdp_config.sharding_strategy");
    bool is_off = !words || !*words || strcmp(words, "[]") == 0 || strcasecmp(words, "false") == 0;
    bool keeps = says(im, "fsdp_config.reshard_after_forward|fsdp_config.fsdp_reshard_after_forward", "false");
    if (is_off && !(is_switch && has_below(im, "fsdp_config.")))
        return;
    const char *all = strategy ? strategy : words ? words : "full";
    set(im, "parallel.fsdp",
        strcasestr(all, "no_shard")                 ? "none"
        : strcasestr(all, "hybrid")                 ? "hybrid"
        : strcasestr(all, "shard_grad_op") || keeps ? "shard_grad_op"
                                                    : "full",
        line_of(im, "fsdp|fsdp_version|fsdp_config.fsdp_version"));
    if ((words && strcasestr(words, "offload")) || is_on(im, OFFLOAD)) {
        set(im, "train.offload_params", "1", 0);
        set(im, "train.offload_optimizer", "1", 0);
    }
    if (is_on(im, "fsdp_config.activation_checkpointing|fsdp_config.fsdp_activation_checkpointing"))
        set(im, "train.recompute", "full", 0);
}

/* ---- what all of them have -------------------------------------------------------------------------------------- */

static void note_unmodelled(struct tuning *im)
{
    bool has_engine = keyvals_last(&im->out->settings, "rl.program") != NULL; /* which is counted */
    for (size_t i = 0; i < LENGTH(unmodelled); i++) {
        const char *path = unmodelled[i][0];
        if (has_engine && strstr(path, "vllm"))
            continue;
        const struct tree_value *value = tree_find(&im->tree, path);
        bool is_off = !value || strcasecmp(value->text, "false") == 0 || !*value->text || strcmp(value->text, "0") == 0;
        if (!is_off)
            leave_open(im, path, unmodelled[i][1]);
    }
}

/* Both halves of 16 bits, or neither. */
static void read_dtype(struct tuning *im, const char *bf16, const char *otherwise)
{
    const char *dtype = is_on(im, bf16) ? "bf16" : is_on(im, "fp16|float16") ? "fp16" : otherwise;
    const char *given = text_of(im, bf16);
    /* fp16 where the device has none */
    bool is_open = strcmp(dtype, "bf16") == 0 && (!given || strcasecmp(given, "auto") == 0);
    if (is_open)
        keyvals_add(&im->out->defaults, "train.dtype", dtype, 0);
    else
        set(im, "train.dtype", dtype, line_of(im, bf16));
    if (strcmp(dtype, "fp32") == 0)
        set(im, "train.mixed_precision", "none", 0);
}

/* True when any of several switches separated by `|` is on. */
static bool is_any_on(struct tuning *im, const char *paths)
{
    bool is = false;
    for (char path[96]; *paths; paths += strcspn(paths, "|"), paths += *paths == '|') {
        snprintf(path, sizeof path, "%.*s", (int)strcspn(paths, "|"), paths);
        is |= is_on(im, path);
    }
    return is;
}

static const char *loaded_bits(struct tuning *im)
{
    return is_any_on(im, "load_in_4bit|use_4bit_quantization")   ? "nf4"
           : is_any_on(im, "load_in_8bit|use_8bit_quantization") ? "int8"
                                                                 : NULL;
}

static void read_kernels(struct tuning *im, const char *liger)
{
    const char *kernels = is_any_on(im, liger) ? "liger" : is_on(im, "use_unsloth") ? "unsloth" : NULL;
    if (kernels)
        set(im, "framework.fast_kernels", kernels, line_of(im, liger));
}

static void read_model(struct tuning *im, const char *paths)
{
    const struct tree_value *value = tree_first(&im->tree, "", paths);
    if (value && *value->text)
        set(im, "model", value->text, value->line);
}

static int finish(struct tuning *im)
{
    note_unmodelled(im);
    tree_unused(&im->tree, "", NULL, im->out);
    return im->tree.errors->faults > im->faults ? -1 : 0;
}

/* What a model that is not told yet decides. */
static const struct tree_row model_rows[] = {{"model_name_or_path|base_model", "model.num_layers", TREE_CHOICE, NULL},
                                             {"model_name_or_path|base_model", "model.hidden_size", TREE_CHOICE, NULL}};

static int read_file(const char *text, size_t size, const char *name, struct import *out, struct errors *errors,
                     int (*import_config)(struct tuning *))
{
    struct tuning im = {.out = out, .faults = errors->faults};
    int result = tree_read(text, size, name, tree_format(text, size), TREE_LENIENT, &im.tree, errors);
    tree_override(&im.tree, out->overrides);
    if (result == 0) {
        tree_ask_open(&im.tree, trainer_rows, LENGTH(trainer_rows), false, out);
        tree_ask_open(&im.tree, axolotl_rows, LENGTH(axolotl_rows), false, out);
        tree_ask_open(&im.tree, dialect_rows, LENGTH(dialect_rows), false, out);
        tree_ask_open(&im.tree, model_rows, LENGTH(model_rows), false, out);
        result = import_config(&im);
    }
    tree_free(&im.tree);
    return result;
}

/* Defines the reader of a format (src/import/tuning.h). */
#define TUNING_READER(function, import_config)                                                                         \
    int function(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)           \
    {                                                                                                                  \
        return read_file(text, size, name, out, errors, import_config);                                                \
    }

/* ---- Hugging Face Trainer --------------------------------------------------------------------------------------- */

/* The number behind `name=` in a list such as `n_embd=1024,n_head=16`; NAN where it is not there. */
static double override_of(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = list; p && *p; p = strchr(p, ','), p = p ? p + 1 : NULL)
        if (strncmp(p, name, n) == 0 && p[n] == '=')
            return atof(p + n + 1);
    return NAN;
}

/* A GPT-2 of the shape that run_clm.py's config_overrides give it (transformers examples/pytorch/language-modeling). */
static void read_overrides(struct tuning *im)
{
    const char *list = says(im, "model_type", "gpt2") ? text_of(im, "config_overrides") : NULL;
    int line = line_of(im, "config_overrides");
    double h = override_of(list, "n_embd"), heads = override_of(list, "n_head");
    const struct {
        const char *key;
        double value;
    } rows[] = {{"model.num_layers", override_of(list, "n_layer")}, {"model.hidden_size", h},
                {"model.ffn_hidden_size", 4 * h},
                {"model.num_attention_heads", heads}, {"model.num_query_groups", heads},
                {"model.kv_channels", h / heads}, {"model.max_position_embeddings", override_of(list, "n_positions")}};
    if (!list)
        return;
    set(im, "model", "gpt2-124m", line);
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (rows[i].value >= 1 && rows[i].value == floor(rows[i].value))
            keyvals_number(&im->out->settings, rows[i].key, rows[i].value, line);
    if (strstr(list, "gradient_checkpointing=true"))
        set(im, "train.recompute", "full", line);
}

/* Learning from preferences, told by the name of the program, else by what only such trainers are told of a prompt. */
static void name_preference(struct tuning *im)
{
    const char *program = text_or(im, "program", "");
    bool is_group = tree_has(&im->tree, "num_generations") || tree_has(&im->tree, "max_completion_length");
    bool has_critic = tree_first(&im->tree, "", "actor_learning_rate|critic_learning_rate|rollout_batch_size") != NULL;
    const char *name = is_group                                    ? "grpo"
                       : has_critic                                 ? "ppo"
                       : tree_has(&im->tree, "reward_model_path")   ? "online"
                       : tree_has(&im->tree, "max_prompt_length")   ? "dpo"
                                                                   : NULL;
    struct keyvals method = {0};
    for (size_t i = LENGTH(preferences); i-- > 0;)
        if (words_any(program, preferences[i].name) && (preferences[i].generates || !has_critic))
            name = preferences[i].name;
    if (name && !tree_has(&im->tree, "rl")) {
        keyvals_add(&method, "rl", name, 0);
        tree_override(&im->tree, &method);
    }
    keyvals_free(&method);
}

#define METHOD "method|finetuning_type|train_mode|train_type|tuner_type|sft_type"
#define LORA   "use_peft|use_lora|use_qlora|q_lora|qlora|lora|use_peft_lora"
#define RANK   "lora_r|lora_rank|lora_dim"

/* The type that the base is quantised to, by any of the names that trainers have for it; NULL for none. */
static const char *quantised_bits(struct tuning *im)
{
    const char *bits = bits_of(im, "quantization_bit|quant_bits|bits"), *word = text_or(im, METHOD, "");
    bool is_4bit = is_any_on(im, "use_qlora|q_lora|qlora") || strcasestr(word, "qlora");
    return bits ? bits : is_4bit ? "nf4" : loaded_bits(im);
}

/* Whether adapters are trained: a word for the method, a switch, or a rank that the file gives. */
static void read_adapters(struct tuning *im, bool is_dialect)
{
    const struct tree_value *rank = tree_first(&im->tree, "", RANK), *method = tree_first(&im->tree, "", METHOD);
    const struct tree_value *on = tree_first(&im->tree, "", LORA);
    double r = 0;
    bool has_rank = rank && rank->line != DIALECT_SILENT && tree_number(&im->tree, rank, &r) && r > 0;
    bool is_full = is_on(im, "full_finetune") || (method && strcasecmp(method->text, "full") == 0);
    bool is_named = method && (strcasestr(method->text, "lora") || strcasestr(method->text, "dora"));
    bool is_switched = is_any_on(im, LORA) || says(im, "full_finetune", "false");
    if (is_full || (on && !is_switched && !is_named))
        set(im, "train.peft", "none", is_full && method ? method->line : 0);
    bool is_other = method && !is_full && !is_named && !is_switched;
    if (is_other) { /* adapters of another kind: bone, boft, vera, ia3, prefix tuning */
        import_ask(im->out, "train.peft",
                   &(struct asked){method->text, "lora", im->tree.file, method->line, "--set peft=lora", false});
        return;
    }
    bool is_zero = rank && rank->line != DIALECT_SILENT && !has_rank;
    if (is_full || is_zero || !(is_named || is_switched || (has_rank && !on)))
        return;
    int line = is_named ? method->line : is_switched ? line_of(im, LORA "|full_finetune") : rank->line;
    set_lora(im, quantised_bits(im), line);
    if (text_of(im, "upcast") && quantised_bits(im))
        set(im, "train.upcast", "all", 0);
    if (!rank)
        import_ask(im->out, "train.lora_rank",
                   &(struct asked){"lora_r", "16", im->tree.file, line, "--set lora_rank=N", false});
    if (!is_named && !is_switched && !is_dialect)
        import_ask(im->out, "train.peft",
                   &(struct asked){rank->path, "lora", im->tree.file, line, "--set peft=lora", true});
}

/* The matrices that adapters sit at, where nobody says which. */
static void ask_targets(struct tuning *im)
{
    const struct keyval *peft = keyvals_last(&im->out->settings, "train.peft");
    bool has_adapters = peft && strcmp(peft->value, "none") != 0;
    if (has_adapters && !keyvals_last(&im->out->settings, "train.lora_targets"))
        import_ask(im->out, "train.lora_targets",
                   &(struct asked){"lora_target_modules", "[q,v]", im->tree.file, 0, "--set lora_targets=LIST", false});
}

/* A program without a row may train adapters by itself: what its name and the model's say is taken, and asked for. */
static void ask_method(struct tuning *im)
{
    const char *program = text_or(im, "program", ""), *model = text_or(im, "model_name_or_path", "");
    ask_targets(im);
    bool is_4bit = words_any(model, "4bit|bnb|gptq|awq|int4") || words_any(program, "qlora");
    bool has_adapters = is_4bit || words_any(program, "lora|peft|dora|adapter");
    bool is_said = tree_first(&im->tree, "", METHOD "|" LORA "|" RANK "|full_finetune") ||
                   keyvals_last(&im->out->settings, "train.peft") || keyvals_last(&im->out->assumed, "train.peft");
    if (is_said || (!*program && !is_4bit) || (words_any(program, "full") && !is_4bit))
        return;
    const char *taken = is_4bit ? "qlora" : has_adapters ? "lora" : "none";
    const char *teller = is_4bit && *model ? model : program;
    import_ask(im->out, "train.peft", &(struct asked){teller, taken, im->tree.file, 0, "--set peft=VALUE", false});
    if (has_adapters)
        import_ask(im->out, "train.lora_rank",
                   &(struct asked){"lora_r", "16", im->tree.file, 0, "--set lora_rank=N", false});
}

/* A copy of qlora.py under another name that is told nothing of bits or adapters may train all weights. */
static void ask_copy(struct tuning *im)
{
    const char *program = text_or(im, "program", "");
    const struct tree_value *bits = tree_first(&im->tree, "", "quantization_bit");
    const struct tree_value *rank = tree_first(&im->tree, "", RANK);
    bool is_silent = bits && rank && bits->line == DIALECT_SILENT && rank->line == DIALECT_SILENT;
    if (is_silent && *program && !words_any(program, "qlora") && tree_has(&im->tree, "source_max_len") &&
        !tree_has(&im->tree, "full_finetune"))
        import_ask(im->out, "train.peft",
                   &(struct asked){program, "qlora", im->tree.file, 0, "--set peft=VALUE", false});
}

/*
 * Asks what a program without a row may default to otherwise: the type, and recomputation, which PEFT adds for few
 * bits. True where the type is open.
 */
static bool asks_program(struct tuning *im)
{
    bool is_open = !tree_first(&im->tree, "", "bf16|fp16|bfloat16|float16|torch_dtype|dtype|mixed_precision");
    if (is_open)
        import_ask(im->out, "train.dtype",
                   &(struct asked){"bf16", "fp32", im->tree.file, 0, "--set train.dtype=VALUE", false});
    if (is_open)
        set(im, "train.mixed_precision", "none", 0);
    if (!tree_has(&im->tree, "gradient_checkpointing") && quantised_bits(im))
        import_ask(im->out, "train.recompute",
                   &(struct asked){"gradient_checkpointing", "full", im->tree.file, 0, "--set train.recompute=VALUE",
                                   false});
    return is_open;
}

/* Samples of a prompt and an answer with a length each. */
static void read_halves(struct tuning *im)
{
    static const char *const halves[] = {"source_max_len|max_source_length", "target_max_len|max_target_length"};
    double sum = 0, n;
    for (size_t i = 0; i < LENGTH(halves); i++) {
        const struct tree_value *half = tree_first(&im->tree, "", halves[i]);
        if (!half || !tree_number(&im->tree, half, &n) || !(n >= 1))
            return;
        sum += n;
    }
    keyvals_number(&im->out->settings, "train.seq_length", sum, line_of(im, halves[0]));
}

/* What the trainer takes by itself is a default. */
static void move_silent(struct import *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < out->settings.count; i++) {
        struct keyval *it = &out->settings.item[i];
        if (it->line != DIALECT_SILENT) {
            out->settings.item[kept++] = *it;
            continue;
        }
        if (!keyvals_last(&out->defaults, it->key))
            keyvals_add(&out->defaults, it->key, it->value, 0);
        free(it->key);
        free(it->value);
    }
    out->settings.count = kept;
}

/* The type that trainers over DeepSpeed name, or that the model is loaded in; fp32 where none is. */
static const char *named_dtype(struct tuning *im)
{
    const char *word = text_or(im, "amp_dtype|dtype|torch_dtype", "");
    int type = spelling_find(PARAM_train_dtype, DIALECT_TRAINER, word);
    if (type < 0)
        type = spelling_find(PARAM_train_dtype, DIALECT_TORCH, word);
    return type < 0 ? "fp32" : param_rows[PARAM_train_dtype].choices[type];
}

/* What goes to host memory, and copies, as trainers over DeepSpeed have them. */
static void read_engine(struct tuning *im)
{
    keep_copies(im);
    if (is_any_on(im, "offload_optimizer|offload"))
        set(im, "train.offload_optimizer", "1", line_of(im, "offload_optimizer|offload"));
    if (is_on(im, "offload"))
        set(im, "train.offload_params", "1", line_of(im, "offload"));
}

/* A file of settings alone: who starts it, with which sharding, is said elsewhere. */
static void ask_launcher(struct tuning *im)
{
    bool is_sharded = keyvals_last(&im->out->settings, "parallel.zero_stage") ||
                      keyvals_last(&im->out->settings, "parallel.fsdp") || tree_has(&im->tree, "deepspeed");
    if (!tree_has(&im->tree, "program") && !im->out->overrides && !is_sharded)
        import_ask(im->out, "parallel.fsdp",
                   &(struct asked){"launcher", "none", im->tree.file, 0, "its accelerate or DeepSpeed file, given too",
                                   false});
}

/* Nobody says how long a sequence is: the model's longest stands in. */
static void ask_length(struct tuning *im)
{
    static const char key[] = "train.seq_length";
    const struct plan *base = im->out->base;
    bool is_before = base && base->from[PARAM_train_seq_length] >= FROM_FILE;
    if (!is_before && !keyvals_last(&im->out->settings, key) && !keyvals_last(&im->out->defaults, key))
        import_ask(im->out, key, &(struct asked){"max_length", "", im->tree.file, 0, "--set seq_length=N", false});
}

static void read_machines(struct tuning *im);

/* Samples are padded to the longest of a batch, except by programs that cut a text into blocks. */
static void read_packing(struct tuning *im)
{
    const struct tree_value *program = tree_peek(&im->tree, "program");
    bool has_blocks = tree_has(&im->tree, "block_size") || (program && words_any(program->text, "clm|pretrain"));
    if (is_on(im, "packing"))
        set(im, "train.packing", "packed", line_of(im, "packing"));
    else if (!has_blocks)
        keyvals_add(&im->out->defaults, "train.packing", "padded", 0);
}

/* Without a dtype OpenRLHF trains in fp32 before 0.9, and in bf16 since. */
static void ask_dtype(struct tuning *im)
{
    const struct tree_value *dtype = tree_peek(&im->tree, "dtype");
    if (dtype && dtype->line == DIALECT_SILENT && strcmp(dtype->text, "bf16") == 0 && !tree_has(&im->tree, "bf16"))
        import_ask(im->out, "train.dtype", &(struct asked){"bf16", "bf16", im->tree.file, 0, "--set train.dtype=fp32",
                                                           false});
}

static int import_trainer(struct tuning *im)
{
    const char *row = dialect_apply(&im->tree);
    if (!keyvals_last(&im->out->assumed, "framework.name")) /* a command whose program is not known assumes one */
        set(im, "framework.name", row ? row : "hf-trainer", 0);
    read_model(im, "model_name_or_path");
    tree_use(&im->tree, "program");
    read_overrides(im);
    tree_apply(&im->tree, "", trainer_rows, LENGTH(trainer_rows), im->out);
    if (row)
        tree_apply(&im->tree, "", dialect_rows, LENGTH(dialect_rows), im->out);
    tree_keep(im->out, "", trainer_rules, LENGTH(trainer_rules));
    ask_dtype(im);
    if (row || !asks_program(im))
        read_dtype(im, "bf16", named_dtype(im));
    if (says(im, "torch_dtype|dtype", "bfloat16") || says(im, "torch_dtype|dtype", "float16") ||
        says(im, "torch_dtype|dtype", "auto"))
        set(im, "train.main_param_dtype", "bf16", line_of(im, "torch_dtype|dtype"));
    if (is_on(im, "gradient_checkpointing"))
        set(im, "train.recompute", "full", line_of(im, "gradient_checkpointing"));
    read_adapters(im, row != NULL);
    read_targets(im, "lora_target_modules|lora_target");
    if (!row)
        ask_method(im);
    ask_copy(im);
    read_saved(im, "lora_modules_to_save");
    read_packing(im);
    read_kernels(im, "use_liger_kernel|use_liger");
    read_halves(im);
    read_deepspeed_file(im);
    read_fsdp(im, false);
    read_engine(im);
    if (tree_has(&im->tree, "num_processes")) /* accelerate's settings in the same file */
        read_machines(im);
    ask_launcher(im);
    name_preference(im);
    read_preference(im, "rl");
    ask_length(im);
    int result = finish(im);
    move_silent(im->out);
    return result;
}

TUNING_READER(trainer_import, import_trainer)

/* ---- LLaMA-Factory ---------------------------------------------------------------------------------------------- */

/* True for the name of a word embedding, or of an output layer, in a list of modules. */
static bool names_module(const char *list, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strstr(list, names[i]))
            return true;
    return false;
}

/* Some layers, the last or the first ones, and modules beside them, in fp32; all else stays as it is loaded. */
static void read_freeze(struct tuning *im)
{
    static const char *const embeddings[] = {"embed_tokens", "wte", "word_embeddings", NULL}, *const heads[] = {
                                                                                                  "lm_head",
                                                                                                  "embed_out", NULL};
    enum { MOST = 4095 };
    const struct tree_value *given = tree_first(&im->tree, "", "freeze_trainable_layers");
    double count = 2;
    const char *extra = text_or(im, "freeze_extra_modules", "");
    const char *modules = text_or(im, "freeze_trainable_modules", "all");
    int line = line_of(im, "freeze_trainable_layers|finetuning_type");
    bool has_embedding = names_module(extra, embeddings), has_head = names_module(extra, heads);
    set(im, "train.peft", "none", line);
    if (given && (!tree_number(&im->tree, given, &count) || !(fabs(count) >= 1) || count != floor(count))) {
        tree_warn(&im->tree, "freeze_trainable_layers", "is not a number of layers; counting all of them as trained");
        return;
    }
    char *parts = xasprintf("all-but:%slayers:%s%.0f", has_embedding || has_head ? "embeddings," : "",
                            count > 0 ? "-" : "+", fmin(fabs(count), MOST));
    if (is_on(im, "use_llama_pro")) {
        tree_warn(&im->tree, "use_llama_pro",
                  "spreads the trained layers; the last ones are counted: backward reaches further down, so time is a "
                  "lower bound");
        keyvals_add(&im->out->unread, "model.num_layers", "use_llama_pro", line); /* the base, or the larger one */
    }
    set(im, "train.frozen", parts, line);
    free(parts);
    if (has_embedding != has_head)
        tree_warn(&im->tree, "freeze_extra_modules",
                  "trains one of embedding and output layer; both are counted: memory and time are upper bounds");
    if (!strstr(modules, "all"))
        tree_warn(&im->tree, "freeze_trainable_modules",
                  "trains parts of layers; whole ones are counted: memory and time are upper bounds");
}

/* LoRA unless the file says otherwise. */
static void read_method(struct tuning *im)
{
    int line = line_of(im, "finetuning_type");
    const char *given = text_of(im, "quantization_bit"), *bits = bits_of(im, "quantization_bit");
    static const char *const frozen[] = {"freeze_vision_tower", "freeze_multi_modal_projector",
                                         "freeze_language_model"};
    if (says(im, "finetuning_type", "full")) {
        set(im, "train.peft", "none", line);
        tree_frozen(&im->tree, frozen, 3, im->out); /* hparams/finetuning_args.py, model/model_utils/visual.py */
    } else if (says(im, "finetuning_type", "freeze"))
        read_freeze(im);
    else if (says(im, "finetuning_type", "oft"))
        import_ask(im->out, "train.peft",
                   &(struct asked){"finetuning_type oft", "lora", im->tree.file, line, "--set peft=lora", false});
    else
        set_lora(im, bits, tree_has(&im->tree, "finetuning_type") ? line : IMPORT_LINE_DEFAULT);
    if (given && !bits)
        leave_open(im, "quantization_bit", "train.quant_dtype");
    if (given && says(im, "finetuning_type", "freeze"))
        tree_warn(&im->tree, "quantization_bit", "LLaMA-Factory rejects it with freeze; ignored");
    else if (is_on(im, "double_quantization") || (given && !text_of(im, "double_quantization")))
        set(im, "train.double_quant", "true", line_of(im, "quantization_bit"));
}

/* A file that only talks to a model, evaluates it or writes it out. */
static bool only_serves(struct tuning *im)
{
    if (is_any_on(im, "do_predict|do_eval") && !is_on(im, "do_train"))
        return true;
    return !tree_has(&im->tree, "per_device_train_batch_size") && !tree_has(&im->tree, "stage") &&
           (tree_has(&im->tree, "infer_backend") || tree_has(&im->tree, "export_dir") ||
            tree_has(&im->tree, "template"));
}

/* Losses that need no reference model. */
static bool is_alone(struct tuning *im)
{
    return says(im, "pref_loss", "orpo") || says(im, "pref_loss", "simpo");
}

/* Sizes of its Megatron backends, which then run the training. */
static void read_megatron(struct tuning *im)
{
    static const struct tree_row rows[] = {
        MEGATRON_LAYOUT(""),
        MEGATRON_RECOMPUTE(""),
        {"use_distributed_optimizer", "parallel.zero_stage", TREE_CHOICE, share_choice},
        {"overlap_grad_reduce", "parallel.overlap_grad_reduce", TREE_BOOL, NULL},
        {"overlap_param_gather", "parallel.overlap_param_gather", TREE_BOOL, NULL},
    };
    if (!tree_has(&im->tree, "tensor_model_parallel_size") && !tree_has(&im->tree, "pipeline_model_parallel_size")) {
        if (is_any_on(im, "use_mca|use_megatron_bridge|use_hyper_parallel"))
            leave_open(im, "use_mca|use_megatron_bridge|use_hyper_parallel", "framework.name");
        return;
    }
    set(im, "framework.name", "megatron-core", line_of(im, "tensor_model_parallel_size|pipeline_model_parallel_size"));
    tree_apply(&im->tree, "", rows, LENGTH(rows), im->out);
}

/* A group of settings, which LLaMA-Factory's parser refuses: a trainer of its own has settings of these names. */
static void ask_groups(struct tuning *im)
{
    for (size_t i = 0; i < im->tree.count; i++) {
        const char *path = im->tree.item[i].path;
        char *group = xstrndup(path, strcspn(path, "."));
        bool is_foreign = path[strlen(group)] && !words_any(group, "config|kwargs|args|deepspeed|fsdp|worker");
        if (is_foreign)
            keyvals_add(&im->out->unread, "framework.name", path, im->tree.item[i].line);
        free(group);
        if (is_foreign)
            return;
    }
}

/* A file without a learning rate that only writes tokenised samples and ends. */
static void ask_samples(struct tuning *im)
{
    static const char path[] = "tokenized_path";
    if (tree_has(&im->tree, path) && !tree_has(&im->tree, "learning_rate"))
        import_ask(im->out, "workload", &(struct asked){path, "train", im->tree.file, line_of(im, path),
                                                        "--set workload=train", false});
}

static int import_llama_factory(struct tuning *im)
{
    read_model(im, "model_name_or_path|model");
    if (only_serves(im)) {
        set(im, "workload", "inference", 0);
        return finish(im);
    }
    set(im, "framework.name", "llama-factory", 0);
    ask_samples(im);
    tree_apply(&im->tree, "", trainer_rows, LENGTH(trainer_rows), im->out);
    keyvals_add(&im->out->defaults, "train.seq_length", "2048", 0);
    keyvals_add(&im->out->defaults, "train.lora_rank", "8", 0);
    tree_keep(im->out, "", factory_rules, LENGTH(factory_rules));
    read_dtype(im, "bf16|pure_bf16", "bf16");
    read_method(im);
    read_targets(im, "lora_target");
    read_saved(im, "additional_target");
    if (is_on(im, "use_galore")) { /* its rank: hparams/finetuning_args.py */
        set(im, "train.optimizer", "galore", line_of(im, "use_galore"));
        keyvals_add(&im->out->defaults, "train.galore_rank", "16", 0);
    }
    if (is_on(im, "pure_bf16"))
        set(im, "train.main_param_dtype", "bf16", line_of(im, "pure_bf16"));
    if (is_on(im, "disable_gradient_checkpointing"))
        set(im, "train.recompute", "none", line_of(im, "disable_gradient_checkpointing"));
    bool is_packed = is_on(im, "packing|neat_packing") || says(im, "stage", "pt");
    set(im, "train.packing", is_packed ? "packed" : "padded", line_of(im, "packing"));
    read_kernels(im, "enable_liger_kernel");
    read_megatron(im);
    ask_groups(im);
    read_deepspeed_file(im);
    read_fsdp(im, false);
    ask_launcher(im);
    read_preference(im, says(im, "stage", "dpo") && is_alone(im) ? "pref_loss" : "stage");
    if (atoi(text_or(im, "ray_num_workers", "0")) > 0)
        set(im, "hardware.gpus_per_node", text_of(im, "ray_num_workers"), line_of(im, "ray_num_workers"));
    const char *stage = text_or(im, "stage", "sft");
    if (!words_any("pt sft rm ppo dpo kto", stage)) /* a fork's */
        import_ask(im->out, "workload",
                   &(struct asked){stage, "train", im->tree.file, line_of(im, "stage"), "--set workload=train", false});
    return finish(im);
}

TUNING_READER(llama_factory_import, import_llama_factory)

/* Its files since version 1: groups, FSDP2, and all weights unless peft_config says otherwise. */
static int import_v1(struct tuning *im)
{
    bool is_lora = says(im, "peft_config.name", "lora");
    const char *bits = bits_of(im, "quant_config.quantization_bit");
    const char *file = text_of(im, "dist_config.config_file");
    set(im, "framework.name", "llama-factory", 0);
    read_model(im, "model");
    tree_apply(&im->tree, "", v1_rows, LENGTH(v1_rows), im->out);
    tree_keep(im->out, "", v1_rules, LENGTH(v1_rules));
    keyvals_add(&im->out->defaults, "train.seq_length", "2048", 0);
    set(im, "train.dtype", "bf16", 0);
    if (tree_has(&im->tree, "bf16") && !is_on(im, "bf16"))
        keyvals_add(&im->out->unread, "train.dtype", "bf16: false", line_of(im, "bf16"));
    if (is_lora)
        set_lora(im, bits, line_of(im, "peft_config.name"));
    else if (tree_has(&im->tree, "peft_config"))
        leave_open(im, "peft_config.name", "train.peft");
    read_targets(im, "peft_config.target_modules");
    if (says(im, "enable_activation_checkpointing", "false"))
        set(im, "train.recompute", "none", line_of(im, "enable_activation_checkpointing"));
    if (says(im, "dist_config.name", "fsdp2")) {
        set(im, "parallel.fsdp", "full", line_of(im, "dist_config.name"));
        set(im, "train.checkpoint_reentrant", "false", line_of(im, "dist_config.name"));
    } else if (file && stage_in_name(file) >= 0) {
        keyvals_number(&im->out->settings, "parallel.zero_stage", stage_in_name(file),
                       line_of(im, "dist_config.config_file"));
    }
    if (text_of(im, "cp_size") && !says(im, "cp_size", "1"))
        leave_open(im, "cp_size", "parallel.cp");
    return finish(im);
}

TUNING_READER(llama_factory_v1_import, import_v1)

/* ---- axolotl ---------------------------------------------------------------------------------------------------- */

static void read_axolotl_parallel(struct tuning *im)
{
    static const struct tree_row rows[] = {
        {"tensor_parallel_size", "parallel.tp", TREE_WHOLE, NULL},
        {"context_parallel_size|sequence_parallel_degree", "parallel.cp", TREE_WHOLE, NULL},
        {"expert_parallel_size", "parallel.ep", TREE_WHOLE, NULL},
        {"dp_shard_size", "parallel.shard_group", TREE_WHOLE, NULL},
    };
    tree_apply(&im->tree, "", rows, LENGTH(rows), im->out);
    double replicas = count_of(im, "dp_replicate_size");
    read_deepspeed_file(im);
    keep_copies(im);
    read_fsdp(im, true);
    if (replicas > 1 && tree_has(&im->tree, "dp_shard_size"))
        set(im, "parallel.fsdp", "hybrid", line_of(im, "dp_replicate_size"));
}

/* Of `model.layers.[4-7].` or `blocks.12` the layers, -1 for another pattern: a part of a layer, or all of them. */
static int pattern_layers(const char *text, int *last)
{
    const char *at = strstr(text, "layers."), *digits = at                               ? at + strlen("layers.")
                                                        : (at = strstr(text, "blocks.")) ? at + strlen("blocks.")
                                                                                         : NULL;
    int first = -1, used = 0;
    char rest[8];
    if (!digits)
        return -1;
    bool is_range = sscanf(digits, "[%4d-%4d]%n", &first, last, &used) == 2 && used > 0;
    if (!is_range && (used = 0, sscanf(digits, "%4d%n", &first, &used) != 1))
        return -1;
    *last = is_range ? *last : first;
    snprintf(rest, sizeof rest, "%s", digits + used);
    /* then it is a class of digits, and any number of them */
    bool is_repeated = is_range && strchr("*+", *rest) && *rest;
    bool is_whole = !is_repeated && rest[strspn(rest, ".*+\\$")] == '\0';
    return is_whole && first >= 0 && *last >= first ? first : -1;
}

/* What is trained alone: whole layers one after the other, and perhaps both ends; another list is not modelled. */
static void read_unfrozen(struct tuning *im)
{
    const struct tree_value *value = tree_first(&im->tree, "", "unfrozen_parameters");
    int first = -1, last = -1;
    bool has_head = false, has_embedding = false, is_known = true;
    if (!value || !*value->text)
        return;
    bool is_list = *value->text == '[';
    char *list = xstrndup(value->text + is_list, strlen(value->text) - 2 * (size_t)is_list);
    for (char *state = NULL, *word = strtok_r(list, ",\"' ", &state); word; word = strtok_r(NULL, ",\"' ", &state)) {
        int end = -1, begin = pattern_layers(word, &end);
        bool is_head = strstr(word, "lm_head"), is_embedding = strstr(word, "embed_tokens");
        is_known &= is_head || is_embedding || (begin >= 0 && (last < 0 || begin <= last + 1));
        has_head |= is_head;
        has_embedding |= is_embedding;
        first = begin >= 0 && first < 0 ? begin : first;
        last = begin >= 0 && end > last ? end : last;
    }
    free(list);
    char *parts = xasprintf("all-but:%slayers:%d-%d", has_head ? "embeddings," : "", first, last);
    if (is_known && has_head == has_embedding && first >= 0)
        set(im, "train.frozen", parts, value->line);
    else
        leave_open(im, "unfrozen_parameters", "train.frozen");
    free(parts);
}

static void read_axolotl_kernels(struct tuning *im)
{
    read_kernels(im, "liger_fused_linear_cross_entropy|liger_rms_norm|liger_rope|liger_glu_activation|liger_layer_norm|"
                     "liger_cross_entropy");
    if (is_any_on(im, "lora_mlp_kernel|lora_qkv_kernel|lora_o_kernel"))
        tree_warn(&im->tree, "lora_mlp_kernel",
                  "fuses adapters with their matrices, which is not modelled: memory and time are upper bounds");
}

/*
 * prepare_model_for_kbit_training raises norms, embedding and output layer to fp32, and the loader casts them back
 * (axolotl: utils/models.py of 2023, _configure_embedding_dtypes of loaders/model.py at 002a637c; QLoRA with FSDP
 * raises nothing).
 */
static void read_axolotl_adapter(struct tuning *im)
{
    bool has_adapter = says(im, "adapter", "lora") || says(im, "adapter", "qlora") || says(im, "adapter", "dora");
    const char *bits = has_adapter ? loaded_bits(im) : NULL;
    bool is_4bit = says(im, "adapter", "qlora") && !is_on(im, "load_in_8bit");
    if (has_adapter)
        set_lora(im, is_4bit ? "nf4" : bits, line_of(im, "adapter"));
    else if (text_of(im, "adapter") && *text_of(im, "adapter"))
        leave_open(im, "adapter", "train.peft");
    else
        set(im, "train.main_param_dtype", "bf16", 0); /* loaders/model.py loads in the type that is trained in */
    if (!text_of(im, "adapter") && keyvals_last(&im->out->settings, "train.lora_rank"))
        import_ask(im->out, "train.peft",
                   &(struct asked){"adapter", "none", im->tree.file, line_of(im, "lora_r"), "--set peft=lora", false});
}

/* Plugins that are not axolotl's own may change anything. */
static void ask_plugins(struct tuning *im)
{
    char *list = xstrdup(text_or(im, "plugins", ""));
    bool is_foreign = false;
    for (char *state = NULL, *word = strtok_r(list, "[],\"' ", &state); word; word = strtok_r(NULL, "[],\"' ", &state))
        is_foreign |= strncmp(word, "axolotl.", strlen("axolotl.")) != 0;
    free(list);
    if (is_foreign)
        leave_open(im, "plugins", "framework.name");
}

static int import_axolotl(struct tuning *im)
{
    set(im, "framework.name", "axolotl", 0);
    read_model(im, "base_model");
    tree_apply(&im->tree, "", axolotl_rows, LENGTH(axolotl_rows), im->out);
    tree_keep(im->out, "", axolotl_rules, LENGTH(axolotl_rules));
    keyvals_add(&im->out->defaults, "train.seq_length", "512", 0);
    read_dtype(im, "bf16|bfloat16", text_of(im, "bf16|bfloat16|fp16|float16") ? "fp32" : "bf16");
    read_axolotl_adapter(im);
    if (is_on(im, "lora_target_linear"))
        set(im, "train.lora_targets", "[all]", line_of(im, "lora_target_linear"));
    else
        read_targets(im, "lora_target_modules");
    read_saved(im, "lora_modules_to_save");
    if (is_on(im, "gradient_checkpointing") || says(im, "gradient_checkpointing", "offload"))
        set(im, "train.recompute", "full", line_of(im, "gradient_checkpointing"));
    if (says(im, "gradient_checkpointing", "offload") || is_on(im, "activation_offloading"))
        set(im, "train.offload_activations", "1", line_of(im, "gradient_checkpointing|activation_offloading"));
    if (is_on(im, "eager_attention"))
        set(im, "train.attention", "unfused", line_of(im, "eager_attention"));
    set(im, "train.packing",
        is_on(im, "sample_packing")        ? "padding_free"
        : is_on(im, "pad_to_sequence_len") ? "fixed"
                                           : "padded",
        line_of(im, "sample_packing|pad_to_sequence_len"));
    read_axolotl_kernels(im);
    bool is_cut = is_on(im, "cut_cross_entropy") || strstr(text_or(im, "plugins", ""), "CutCrossEntropy");
    if (is_cut || is_on(im, "chunked_cross_entropy"))
        set(im, "train.cross_entropy", is_cut ? "fused_linear" : "chunked_nll",
            line_of(im, "cut_cross_entropy|plugins"));
    text_of(im, "flash_attention|sdp_attention|xformers_attention|flex_attention");
    read_unfrozen(im);
    read_axolotl_parallel(im);
    if (!read_preference(im, "rl"))
        leave_open(im, "rl", "workload");
    ask_plugins(im);
    return finish(im);
}

TUNING_READER(axolotl_import, import_axolotl)

/* ---- torchtune -------------------------------------------------------------------------------------------------- */

/* torchtune.models.llama3_1.lora_llama3_1_8b is llama3.1-8b: versions and sizes have points, the rest dashes. */
static void name_torchtune_model(const char *component, char *out, size_t size)
{
    static const char *const methods[] = {"qlora_", "lora_", "dora_"}, *const halves[] = {"_0_5b", "_1_5b", "_0_6b",
                                                                                          "_1_7b"};
    const char *dot = strrchr(component, '.'), *name = dot ? dot + 1 : component;
    for (size_t i = 0; i < LENGTH(methods); i++)
        name += strncmp(name, methods[i], strlen(methods[i])) == 0 ? strlen(methods[i]) : 0;
    snprintf(out, size, "%s", name);
    for (size_t i = 0; i < LENGTH(halves); i++)
        if (strstr(out, halves[i]))
            strstr(out, halves[i])[2] = '.';
    for (char *c = out; *c; c++) {
        bool is_version =
            *c == '_' && c > out && isdigit((unsigned char)c[-1]) && isdigit((unsigned char)c[1]) && c[2] == '_';
        *c = *c != '_' ? *c : is_version ? '.' : '-';
    }
}

static void read_torchtune_adapters(struct tuning *im, const char *component)
{
    bool is_4bit = strstr(component, ".qlora_") || is_on(im, "model.quantize_base");
    if (!is_4bit && !strstr(component, ".lora_") && !strstr(component, ".dora_"))
        return;
    struct buffer targets = {0};
    const char *attention = text_of(im, "model.lora_attn_modules");
    buffer_printf(&targets, "%s%s%s", attention ? attention : "", is_on(im, "model.apply_lora_to_mlp") ? ",mlp" : "",
                  is_on(im, "model.apply_lora_to_output") ? ",head" : "");
    bool is_dora = strstr(component, "dora_") || is_on(im, "model.use_dora");
    set(im, "train.peft", is_dora ? "dora" : is_4bit ? "qlora" : "lora", line_of(im, "model._component_"));
    if (is_dora && is_4bit)
        set(im, "train.quant_dtype", "nf4", line_of(im, "model._component_"));
    set(im, "train.lora_targets", targets.size > 0 ? targets.text : "[all]", line_of(im, "model.lora_attn_modules"));
    buffer_free(&targets);
}

/* The model by the name of its builder, or by the shape that the builder is given. */
static void read_torchtune_model(struct tuning *im, const char *component)
{
    static const struct {
        const char *key, *value;
    } llama[] = {{"model.gated_mlp", "true"}, {"model.normalization", "rmsnorm"}, {"model.position_embedding", "rope"},
                 {"model.add_bias_linear", "false"}, {"model.tied_embeddings", "false"}};
    const char *group = tree_has(&im->tree, "policy_model") ? "policy_model." : "model.";
    char model[80];
    name_torchtune_model(component, model, sizeof model);
    bool has_shape = tree_has(&im->tree, "policy_model.num_layers") || tree_has(&im->tree, "model.num_layers");
    if (*model && !has_shape)
        set(im, "model", model, line_of(im, "model._component_"));
    if (!has_shape)
        return;
    tree_apply(&im->tree, group, builder_rows, LENGTH(builder_rows), im->out);
    for (size_t i = 0; i < LENGTH(llama); i++)
        set(im, llama[i].key, llama[i].value, 0);
}

/* Single device or FSDP depends on the recipe, which the file's name often gives. */
static void read_torchtune_recipe(struct tuning *im)
{
    const char *slash = strrchr(im->tree.file, '/'), *name = slash ? slash + 1 : im->tree.file;
    bool is_single = strstr(name, "single_device") != NULL;
    bool is_spread = strstr(name, "distributed") || tree_has(&im->tree, "nproc_per_node") ||
                     tree_has(&im->tree, "fsdp_cpu_offload") || tree_has(&im->tree, "fsdp_sharding_strategy") ||
                     tree_has(&im->tree, "tensor_parallel_dim") || tree_has(&im->tree, "custom_sharded_layers");
    set(im, is_single ? "parallel.dp" : "parallel.fsdp", is_single ? "1" : "full", 0);
    if (!is_single && !is_spread)
        keyvals_add(&im->out->unread, "parallel.fsdp", "its recipe is unknown", 0);
}

/* Losses over pairs of samples, and recipes that generate their own. */
static void read_torchtune_loss(struct tuning *im)
{
    static const char *const pairs[] = {"DPO", "RSO", "SimPO", "ORPO", "IPO"};
    const char *loss = text_or(im, "loss._component_", "");
    bool has_pairs = false, generates = tree_has(&im->tree, "grpo_samples") || tree_has(&im->tree, "policy_model");
    for (size_t i = 0; i < LENGTH(pairs); i++)
        has_pairs |= strstr(loss, pairs[i]) != NULL;
    if (has_pairs)
        read_pairs(im, line_of(im, "loss._component_"));
    if (tree_has(&im->tree, "ref_checkpointer"))
        set(im, "train.reference_model", "frozen", line_of(im, "ref_checkpointer"));
    if (generates)
        import_ask(im->out, "workload",
                   &(struct asked){"recipe", "train", im->tree.file, 0, "--set workload=rl", false});
    if (strstr(loss, "torch.nn.") && strstr(loss, "CrossEntropyLoss")) { /* over whole logits in fp32 */
        set(im, "train.cross_entropy", "unfused", line_of(im, "loss._component_"));
        set(im, "framework.loss", "hf", line_of(im, "loss._component_"));
    }
    tree_use(&im->tree, "loss");
}

static int import_torchtune(struct tuning *im)
{
    const char *component = text_of(im, "model._component_|policy_model._component_");
    set(im, "framework.name", "torchtune", 0);
    read_torchtune_model(im, component ? component : "");
    tree_apply(&im->tree, "", torchtune_rows, LENGTH(torchtune_rows), im->out);
    tree_keep(im->out, "", torchtune_rules, LENGTH(torchtune_rules));
    if (!keyvals_last(&im->out->settings, "train.seq_length")) /* samples keep their length */
        import_ask(im->out, "train.seq_length",
                   &(struct asked){"tokenizer.max_seq_len", "2048", im->tree.file, 0, "--set seq_length=N", false});
    set(im, "train.dtype", says(im, "dtype", "fp32") || says(im, "dtype", "fp16") ? text_of(im, "dtype") : "bf16",
        line_of(im, "dtype"));
    if (component)
        read_torchtune_adapters(im, component);
    if (is_on(im, "enable_activation_checkpointing"))
        set(im, "train.recompute", "full", line_of(im, "enable_activation_checkpointing"));
    if (is_on(im, "enable_activation_offloading"))
        set(im, "train.offload_activations", "1", line_of(im, "enable_activation_offloading"));
    if (is_on(im, "fsdp_cpu_offload")) {
        set(im, "train.offload_params", "1", line_of(im, "fsdp_cpu_offload"));
        set(im, "train.offload_optimizer", "1", line_of(im, "fsdp_cpu_offload"));
    }
    read_torchtune_loss(im);
    read_torchtune_recipe(im);
    set(im, "train.packing", is_on(im, "dataset.packed") ? "packed" : "padded", line_of(im, "dataset.packed"));
    return finish(im);
}

TUNING_READER(torchtune_import, import_torchtune)

/* ---- accelerate ------------------------------------------------------------------------------------------------- */

/* num_processes counts those of all machines. */
static void read_machines(struct tuning *im)
{
    double machines = count_of(im, "num_machines"), processes = count_of(im, "num_processes");
    machines = isnan(machines) ? 1 : machines;
    keyvals_number(&im->out->settings, "hardware.nodes", machines, tree_line(&im->tree, "num_machines"));
    if (isnan(processes))
        return;
    if (fmod(processes, machines) != 0)
        errors_warn(im->tree.errors, im->tree.file, tree_line(&im->tree, "num_processes"), "num_processes",
                    "%.0f processes do not divide over %.0f machines; both are ignored", processes, machines);
    else
        keyvals_number(&im->out->settings, "hardware.gpus_per_node", processes / machines,
                       tree_line(&im->tree, "num_processes"));
}

/* DeepSpeed as accelerate configures it, or a file of its settings. */
static void read_launched_engine(struct tuning *im)
{
    static const struct tree_choice device[] = {{"cpu", "1"}, {"nvme", "1"}, {"none", "0"}, {NULL, NULL}};
    static const struct tree_row rows[] = {
        {"zero_stage", "parallel.zero_stage", TREE_WHOLE, NULL},
        {"offload_optimizer_device", "train.offload_optimizer", TREE_CHOICE, device},
        {"offload_param_device", "train.offload_params", TREE_CHOICE, device}};
    const struct tree_value *file = tree_find(&im->tree, "deepspeed_config.deepspeed_config_file");
    if (!file)
        keyvals_add(&im->out->defaults, "parallel.zero_stage", "2", 0);
    tree_apply(&im->tree, "deepspeed_config.", rows, LENGTH(rows), im->out);
    if (file && !deepspeed_beside(file->text, im->out))
        ask_engine(im, file);
}

static void read_distribution(struct tuning *im)
{
    static const struct tree_row sharding[] = {{"fsdp_sharding_strategy", "parallel.fsdp", TREE_AS(TORCH)}};
    static const struct tree_choice selects[] = {{"true", "selective"}, {"false", "none"}, {NULL, NULL}};
    static const struct tree_row megatron[] = {
        {"tp_degree", "parallel.tp", TREE_WHOLE, NULL}, {"pp_degree", "parallel.pp", TREE_WHOLE, NULL},
        {"num_micro_batches", "train.gradient_accumulation_steps", TREE_WHOLE, NULL},
        {"sequence_parallelism", "parallel.sp", TREE_BOOL, NULL},
        {"use_distributed_optimizer", "parallel.zero_stage", TREE_CHOICE, share_choice},
        {"recompute_activations", "train.recompute", TREE_CHOICE, selects}};
    static const char *const engines[][2] = {
        {"FSDP", "fsdp_config"}, {"DEEPSPEED", "deepspeed_config"}, {"MEGATRON_LM", "megatron_lm_config"}};
    bool is_answer = im->out->base && im->out->base->from[PARAM_parallel_fsdp] == FROM_ASSUMED;
    if (is_answer && !says(im, "distributed_type", "FSDP"))
        keyvals_add(&im->out->defaults, "parallel.fsdp", "none", 0);
    if (says(im, "distributed_type", "FSDP")) {
        bool keeps = says(im, "fsdp_config.fsdp_reshard_after_forward", "false");
        keyvals_add(&im->out->defaults, "parallel.fsdp", keeps ? "shard_grad_op" : "full", 0);
        tree_apply(&im->tree, "fsdp_config.", sharding, LENGTH(sharding), im->out);
        if (is_on(im, "fsdp_config.fsdp_activation_checkpointing"))
            set(im, "train.recompute", "full", line_of(im, "fsdp_config.fsdp_activation_checkpointing"));
        if (is_on(im, "fsdp_config.fsdp_offload_params")) {
            set(im, "train.offload_params", "1", line_of(im, "fsdp_config.fsdp_offload_params"));
            set(im, "train.offload_optimizer", "1", line_of(im, "fsdp_config.fsdp_offload_params"));
        }
    } else if (says(im, "distributed_type", "DEEPSPEED")) {
        read_launched_engine(im);
    } else if (says(im, "distributed_type", "MEGATRON_LM")) {
        set(im, "framework.name", "megatron-core", line_of(im, "distributed_type"));
        tree_apply(&im->tree, "megatron_lm_config.megatron_lm_", megatron, LENGTH(megatron), im->out);
    }
    for (size_t i = 0; i < LENGTH(engines); i++) /* accelerate reads the group of its type alone */
        if (!says(im, "distributed_type", engines[i][0]))
            tree_use(&im->tree, engines[i][1]);
}

/* Ranks by what they share: replicas of shards, tensor and context parallelism. */
static void read_mesh(struct tuning *im)
{
    static const struct tree_row mesh[] = {
        {"tp_size", "parallel.tp", TREE_WHOLE, NULL}, {"cp_size|sp_size", "parallel.cp", TREE_WHOLE, NULL},
        {"dp_shard_size", "parallel.shard_group", TREE_WHOLE, NULL}};
    static const char below[] = "parallelism_config.parallelism_config_";
    double replicas = count_of(im, "parallelism_config.parallelism_config_dp_replicate_size");
    if (!tree_has(&im->tree, "parallelism_config"))
        return;
    tree_apply(&im->tree, below, mesh, LENGTH(mesh) - !(replicas > 1), im->out);
    if (replicas > 1)
        set(im, "parallel.fsdp", "hybrid", line_of(im, "parallelism_config.parallelism_config_dp_replicate_size"));
    if (says(im, "parallelism_config.parallelism_config_cp_comm_strategy", "allgather"))
        set(im, "parallel.cp_comm", "all_gather", 0);
    if (tree_has(&im->tree, "parallelism_config.parallelism_config_sp_size"))
        set(im, "parallel.cp_comm", "a2a", 0);
    tree_use(&im->tree, "parallelism_config");
}

static int import_accelerate(struct tuning *im)
{
    static const char *const others[] = {"TPU", "XLA", "MPS", "MULTI_CPU", "MULTI_NPU", "MULTI_XPU"};
    static const struct tree_row rows[] = {{"mixed_precision", "train.dtype", TREE_AS(TRAINER)}};
    for (size_t i = 0; i < LENGTH(others); i++)
        if (says(im, "distributed_type", others[i]))
            errors_add(im->tree.errors, im->tree.file, line_of(im, "distributed_type"), "distributed_type",
                       "is for %s; GPUs are estimated; give a configuration of them", others[i]);
    set(im, "framework.name", "hf-trainer", 0);
    read_machines(im);
    if (!says(im, "mixed_precision", "no")) /* the script's own type then counts */
        tree_apply(&im->tree, "", rows, LENGTH(rows), im->out);
    read_distribution(im);
    read_mesh(im);
    return finish(im);
}

TUNING_READER(accelerate_import, import_accelerate)
