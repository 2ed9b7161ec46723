#include "src/import/table.h"

#include "core/base.h"
#include "src/import/import.h"
#include "src/import/unknown.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { UNUSED_MAX = 300 };

const struct tree_choice checkpointing_choice[] = {{"true", "full"}, {"false", "none"}, {NULL, NULL}};
const struct tree_choice share_choice[] = {{"true", "1"}, {"false", "0"}, {NULL, NULL}};

/* ---- what is not used ------------------------------------------------------------------------------------------- */

/* The number of bytes of the shortest leading part of `path` that has no used value below it. */
static size_t unused_part(const struct tree *tree, const char *path, const size_t *used, size_t count)
{
    size_t n = 0;
    for (;;) {
        n += strcspn(path + n, ".");
        bool is_shared = false;
        for (size_t i = 0; i < count && !is_shared; i++)
            is_shared = tree_is_below(tree->item[used[i]].path, path, n);
        if (!is_shared || !path[n])
            return n;
        n++;
    }
}

/* Parts of names that tell of data, schedules, output or measuring. */
static const char *const harmless_parts[] = {
    "lr", "learning", "rate", "warmup", "decay", "beta", "beta1", "beta2", "betas", "eps", "epsilon", "seed", "log",
    "logs", "logging", "wandb", "mlflow", "comet", "tensorboard", "save", "saves", "eval", "evals", "evaluation",
    "val", "test", "data", "dataset", "datasets", "dataloader", "dataloaders", "tokenizer", "tokens", "token", "push",
    "hub", "prompt", "template", "report", "output", "dir", "run", "name", "worker", "workers", "scheduler",
    "schedule", "clip", "clipping", "norm_clip", "path", "paths", "file", "folder", "epochs", "steps", "iters",
    "iterations", "interval", "checkpoint", "checkpoints", "checkpointer", "callbacks", "callback", "loggers",
    "logger", "profiler", "profiling", "metric", "metrics", "monitor", "monitors", "resume", "load", "init",
    "initialization", "std", "exp", "manager", "nsys", "port", "host", "trust", "strict", "special", "experiment",
    "project", "description", "shuffle", "sampling", "generation", "inference", "dump", "early", "stopping",
    "threads", "timeout", "backend", "cache", "print", "git", "version", "do", "train_on_inputs", "plot", "overwrite",
    "preprocessing", "user", "entity", "remote", "download", "delimiter", "chat", "labels", "label", "comm", "debug",
    "faults", "autoresume", "algorithms", "duration", "weight", "loss_scale", "scale", "wall", "breakdown", "text",
    "vocab", "merge", "optim", "optimizer", "rng", "entropy", "kl", "reward", "critic", "algorithm", "loss",
    "gradient_clipping", "max_grad_norm", "grad_norm", "hysteresis", "prescale", "communication", "job", "tf32",
    "group", "trainer"};

/* Names that do as a whole. */
static const char *const harmless_names[] = {
    "compute_environment", "machine_rank", "use_cpu", "main_training_function", "same_network", "downcast_bf16",
    "tpu_env", "tpu_use_cluster", "tpu_use_sudo", "tpu_zone", "main_process_ip", "enable_cpu_affinity", "commands",
    "fsdp_auto_wrap_policy", "auto_wrap_policy", "fsdp_cpu_ram_efficient_loading", "cpu_ram_efficient_loading",
    "fsdp_state_dict_type", "state_dict_type", "transformer_layer_cls_to_wrap", "fsdp_transformer_layer_cls_to_wrap",
    "fsdp_sync_module_states", "sync_module_states", "fsdp_use_orig_params", "use_orig_params",
    "fsdp_limit_all_gathers", "limit_all_gathers", "max_samples", "model_type", "processor_type",
    "remove_unused_columns", "is_llama_derived_model", "gradient_checkpointing_kwargs", "bias_gelu_fusion",
    "rope_fusion", "layernorm_fusion", "rmsnorm_fusion", "synchronize_each_layer", "pack_impl",
    "zero_optimization.contiguous_gradients", "compile.components", "gptq_groupsize", "gptq_model_v1",
    "loss_watchdog_threshold", "loss_watchdog_patience", "device", "quantizer", "limit", "temperature", "top_k",
    "top_p", "collate_fn", "low_cpu_ram", "optimizer.fused", "ddp_find_unused_parameters", "rotary_pct",
    "rotary_emb_base", "finetune", "split", "launcher", "comment", "max_norm", "train_iters", "use_bias_in_norms",
    "quant_type", "bnb_4bit_quant_type", "bnb_4bit_compute_dtype", "zero_optimization.allgather_partitions",
    "zero_optimization.reduce_scatter", "optimizer.params", "kernel_config", "general", "lighteval", "s3_upload",
    "max_grad_norm", "hidden_act", "initializer_range", "pretraining_tp", "rope_scaling",
    "image_key", "video_key", "video_fps", "transformer_layer_cls", "bnb_4bit_quant_storage",
    "use_reentrant", "fsdp_version", "deepspeed_multinode_launcher", "deepspeed_config.gradient_accumulation_steps",
    "llm_int8_threshold", "llm_int8_has_fp16_weight", "hybrid_zero_optimizer.reduce_bucket_size",
    "deepspeed_config.gradient_clipping", "deepspeed_config.zero3_save_16bit_model"};

static bool is_listed(const char *path)
{
    const char *part = strrchr(path, '.');
    for (size_t i = 0; i < LENGTH(harmless_names); i++)
        if (strcmp(path, harmless_names[i]) == 0 || (part && strcmp(part + 1, harmless_names[i]) == 0))
            return true;
    return false;
}

bool tree_is_harmless(const char *path)
{
    if (is_listed(path))
        return true;
    for (size_t n; *path; path += n + (path[n] != '\0')) {
        n = strcspn(path, "_-.");
        for (size_t i = 0; i < LENGTH(harmless_parts); i++)
            if (strncasecmp(path, harmless_parts[i], n) == 0 && !harmless_parts[i][n])
                return true;
    }
    return false;
}

/* Keeps the values below a path that may decide something; true where there is one. */
static bool keep_unknown(const struct tree *tree, const char *path, size_t size, struct import *out)
{
    bool is_kept = false;
    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_value *it = &tree->item[i];
        if (!it->is_used && !it->is_null && tree_is_below(it->path, path, size) && !is_listed(it->path))
            is_kept |= unknown_keep(out, it->path, it->text, it->line);
    }
    return is_kept;
}

/* The file is for a fork if it sets a value that the trainer does not have. */
static void refuse_below(const struct tree *tree, const char *path, size_t size, struct import *out)
{
    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_value *it = &tree->item[i];
        if (!it->is_used && !it->is_null && tree_is_below(it->path, path, size) && !tree_is_harmless(it->path))
            unknown_refuse(out, NULL, tree, &(struct keyval){it->path, it->text, it->line});
    }
}

void tree_unused(const struct tree *tree, const char *prefix, const char *why, struct import *out)
{
    struct keyvals *unused = &out->unused;
    size_t *used = xmalloc((tree->count + 1) * sizeof *used), count = 0, skip = strlen(prefix);
    for (size_t i = 0; i < tree->count; i++) {
        if (tree->item[i].is_used)
            used[count++] = i;
        if (tree->item[i].is_bad)
            keyvals_add(&out->unread, tree->item[i].path, tree->item[i].text, tree->item[i].line);
    }
    const char *last = "";
    size_t last_size = 0;
    for (size_t i = 0; i < tree->count && unused->count < UNUSED_MAX; i++) {
        const char *path = tree->item[i].path;
        if (tree->item[i].is_used || (last_size && tree_is_below(path, last, last_size)))
            continue;
        last = path;
        last_size = unused_part(tree, path, used, count);
        char *name = xstrndup(path, last_size);
        bool is_kept = !why && keep_unknown(tree, path, last_size, out);
        const char *judged = !is_kept && tree_is_harmless(name) ? IMPORT_NO_EFFECT : IMPORT_NOT_KNOWN;
        if (!why && !is_kept && !tree_is_harmless(name))
            refuse_below(tree, path, last_size, out);
        keyvals_add(unused, strncmp(name, prefix, skip) == 0 ? name + skip : name, why ? why : judged,
                    tree->item[i].line);
        free(name);
    }
    free(used);
}

/* ---- what is left open ------------------------------------------------------------------------------------------ */

/* A word of a template: BATCH_SIZE. */
static bool is_hole(const char *text)
{
    size_t n = strlen(text);
    return n > 3 && strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == n && strchr(text, '_') && text[0] >= 'A';
}

/* Whether a text stands for a value to come, and of a variable its name and how it is given. */
static bool is_open(const char *text, bool has_auto, bool is_size, struct asked *asked, char name[64], char how[96])
{
    size_t n = strncmp(text, "${", 2) == 0 ? strcspn(text + 2, "}:") : 0;
    if (n > 0 && n < 62 && strspn(text + 2, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") == n) {
        snprintf(name, 64, "%.*s", (int)n, text + 2);
        bool is_argument = name[strspn(name, "0123456789")] == '\0'; /* of a script */
        snprintf(how, 96, is_argument ? "-- ARGUMENTS" : "--env %s=VALUE", name);
        memmove(name + is_argument, name, (size_t)n + 1);
        name[0] = is_argument ? '$' : name[0];
        asked->variable = name;
        asked->how = how;
    }
    if (is_size && is_hole(text))
        asked->variable = text;
    return strcmp(text, "???") == 0 || (has_auto && strcasecmp(text, "auto") == 0) ||
           (text[0] && strchr("<{", text[0])) || n > 0 || (is_size && is_hole(text));
}

bool tree_row_has(const struct tree_row *row, const char *path)
{
    size_t n = strlen(path);
    for (const char *p = row->path; *p; p += strcspn(p, "|"), p += *p == '|')
        if (strcspn(p, "|") == n && strncmp(p, path, n) == 0)
            return true;
    return false;
}

void tree_ask_open(struct tree *tree, const struct tree_row *rows, size_t count, bool has_auto, struct import *out)
{
    for (size_t i = 0; i < tree->count; i++) {
        struct tree_value *value = &tree->item[i];
        char name[64], how[96];
        struct asked asked = {value->path, "", tree->file, value->line, "--set KEY=VALUE", false};
        bool is_size = false;
        for (size_t k = 0; k < count; k++)
            is_size |= rows[k].kind < TREE_CHOICE && tree_row_has(&rows[k], value->path);
        bool is_asked = false;
        if (!is_open(value->text, has_auto, is_size, &asked, name, how))
            continue;
        for (size_t k = 0; k < count; k++)
            if (tree_row_has(&rows[k], value->path)) {
                import_ask(out, rows[k].key, &asked);
                is_asked = true;
            }
        if (!is_asked && !value->is_null) /* what it decides is told by its words, or by a table read later */
            keyvals_add(&out->unread, value->path, asked.variable == value->path ? "" : asked.variable, value->line);
        value->is_null = value->is_used = true;
    }
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

void keyvals_number(struct keyvals *list, const char *key, double value, int line)
{
    char text[40];
    number_print(value, text, sizeof text);
    keyvals_add(list, key, text, line);
}

/* The plan's word for a text of the file; NULL where it has none. */
static const char *translate(const struct tree_row *row, const char *text)
{
    enum param key = (enum param)param_find(row->key);
    for (const struct tree_choice *choice = row->choices; choice && choice->from; choice++)
        if (strcasecmp(choice->from, text) == 0)
            return choice->to;
    if (row->kind < TREE_WORD)
        return NULL;
    int value = spelling_find(key, (enum dialect)(row->kind - TREE_WORD), text);
    return value < 0 ? NULL : param_rows[key].choices[value];
}

static void apply_choice(const struct tree *tree, const struct tree_row *row, const struct tree_value *value,
                         struct keyvals *out)
{
    const char *word = translate(row, value->text);
    if (word) {
        keyvals_add(out, row->key, word, value->line);
        return;
    }
    errors_note(tree->errors, tree->file, value->line, value->path, "%s has no counterpart here; give %s with --set",
                value->text, row->key);
    tree->item[value - tree->item].is_bad = true;
}

static void apply_number(const struct tree *tree, const struct tree_row *row, const struct tree_value *value,
                         struct keyvals *out)
{
    double number;
    if (!tree_number(tree, value, &number))
        return;
    if (number < 0 || (row->kind == TREE_WHOLE && number != floor(number)))
        tree_refuse(tree, value, "%s is not a %snumber of at least 0", value->text,
                    row->kind == TREE_WHOLE ? "whole " : "");
    else
        keyvals_number(out, row->key, number, value->line);
}

void tree_keep(struct import *out, const char *prefix, const struct tree_row *rows, size_t count)
{
    out->table = xrealloc(out->table, (out->tables + 1) * sizeof *out->table);
    out->table[out->tables++] = (struct import_table){xstrdup(prefix), rows, count};
}

void tree_apply(struct tree *tree, const char *prefix, const struct tree_row *rows, size_t count, struct import *import)
{
    struct keyvals *out = &import->settings;
    tree_keep(import, prefix, rows, count);
    for (size_t i = 0; i < count; i++) {
        const struct tree_row *row = &rows[i];
        const struct tree_value *value = tree_first(tree, prefix, row->path);
        bool is = false;
        if (!value)
            continue;
        if (row->kind == TREE_TEXT)
            keyvals_add(out, row->key, value->text, value->line);
        else if (row->kind >= TREE_CHOICE)
            apply_choice(tree, row, value, out);
        else if (row->kind != TREE_BOOL)
            apply_number(tree, row, value, out);
        else if (tree_bool(tree, value, &is))
            keyvals_add(out, row->key, is ? "true" : "false", value->line);
    }
}

void tree_frozen(struct tree *tree, const char *const paths[3], unsigned silent, struct import *out)
{
    enum { TOWER = 1, JOINT = 2, LANGUAGE = 4, SEEING = TOWER | JOINT };
    const struct tree_value *last = NULL;
    unsigned parts = silent;
    for (int i = 0; i < 3; i++) {
        const struct tree_value *value = paths[i] ? tree_first(tree, "", paths[i]) : NULL;
        last = value ? value : last;
        parts = !value ? parts : tree_is_true(value) ? parts | 1u << i : parts & ~(1u << i);
    }
    parts |= paths[1] || !(parts & TOWER) ? 0 : JOINT;
    if (!last || parts == 0)
        return;
    if ((parts & LANGUAGE) && parts != LANGUAGE) {
        tree_warn(tree, paths[2], "leaves a part trained that train.frozen has no name for; all is counted as trained");
        return;
    }
    keyvals_add(&out->settings, "train.frozen", parts == LANGUAGE ? "all-but:vision" : "vision", last->line);
    if (!(parts & LANGUAGE) && (parts & SEEING) != SEEING)
        tree_warn(tree, paths[parts & TOWER ? 1 : 0], "trains one of vision tower and projector; neither is counted as "
                                                      "trained: memory is a lower bound");
}
