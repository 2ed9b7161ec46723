#include "src/import/nanotron.h"

#include "core/base.h"
#include "src/import/import.h"
#include "src/import/table.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CONFIG "model.model_config."
#define EXPERTS CONFIG "moe_config."

enum { STAGES_MAX = 64 }; /* stages of the data that are looked at */

/* nanotron's model classes. */
enum model { MODEL_LLAMA, MODEL_QWEN2, MODEL_STARCODER2, MODEL_COUNT };

static const char *const model_names[MODEL_COUNT] = {"llama", "qwen2", "starcoder2"};

/* One import under way. */
struct nanotron {
    struct tree tree;
    struct import *out;
    enum model model;
    size_t faults; /* before this import */
};

/* ---- tables ----------------------------------------------------------------------------------------------------- */


static const struct tree_row rows[] = {
    TREE_SIZE("parallelism.dp", "parallel.dp"), TREE_SIZE("parallelism.tp", "parallel.tp"),
    TREE_SIZE("parallelism.pp", "parallel.pp"), TREE_SIZE("parallelism.context_parallel_size", "parallel.cp"),
    TREE_SIZE("parallelism.expert_parallel_size", "parallel.ep"),
    {"parallelism.pp_engine", "parallel.schedule", TREE_AS(NANOTRON)},
    {"parallelism.tp_mode", "framework.tp_mode", TREE_AS(NANOTRON)},
    {"parallelism.tp_linear_async_communication", "framework.tp_async", TREE_BOOL, NULL},
    {"parallelism.tp_recompute_allgather", "framework.tp_recompute_allgather", TREE_BOOL, NULL},
    {"parallelism.recompute_granularity", "train.recompute", TREE_AS(MEGATRON)},
    {"model.dtype", "train.dtype", TREE_AS(TORCH)},
    {"model.make_vocab_size_divisible_by", "model.make_vocab_size_divisible_by", TREE_WHOLE, NULL},
    {"optimizer.accumulate_grad_in_fp32", "framework.accumulate_grad_fp32", TREE_BOOL, NULL},
    {"optimizer.optimizer_factory.name", "train.optimizer", TREE_AS(NANOTRON)},
    {"tokens.sequence_length", "train.seq_length", TREE_WHOLE, NULL},
    {"tokens.micro_batch_size", "train.micro_batch_size", TREE_WHOLE, NULL},
};

static const struct tree_row model_rows[] = {
    TREE_SIZE("num_hidden_layers", "model.num_layers"), TREE_SIZE("hidden_size", "model.hidden_size"),
    TREE_SIZE("intermediate_size", "model.ffn_hidden_size"),
    TREE_SIZE("num_attention_heads", "model.num_attention_heads"),
    TREE_SIZE("num_key_value_heads|num_kv_heads", "model.num_query_groups"),
    TREE_SIZE("max_position_embeddings", "model.max_position_embeddings"), TREE_REAL("rope_theta", "model.rotary_base"),
    TREE_FLAG("tie_word_embeddings", "model.tied_embeddings"), TREE_SIZE("sliding_window_size", "model.sliding_window"),
    TREE_SIZE("moe_num_experts", "model.num_experts"), TREE_SIZE("num_experts_per_tok", "model.moe_router_topk"),
    TREE_REAL("moe_capacity_factor", "model.moe_capacity_factor"),
};

static const struct tree_row expert_rows[] = {
    TREE_SIZE("num_experts", "model.num_experts"), TREE_SIZE("top_k", "model.moe_router_topk"),
    TREE_SIZE("moe_intermediate_size", "model.moe_ffn_hidden_size"),
    {"token_dispatcher_type", "parallel.moe_dispatcher", TREE_AS(NANOTRON)},
};

/* What nanotron's classes assume where a file is silent (config/config.py and config/models_config.py, 2026-04). */
static const struct {
    int model; /* -1: all */
    const char *needs, *key, *value;
} default_rows[] = {
    {-1, NULL, "parallel.schedule", "gpipe"}, {-1, NULL, "framework.tp_mode", "all_reduce"},
    {-1, NULL, "train.dtype", "bf16"}, {-1, NULL, "model.normalization", "rmsnorm"},
    {MODEL_LLAMA, NULL, "model.num_layers", "32"}, {MODEL_LLAMA, NULL, "model.hidden_size", "4096"},
    {MODEL_LLAMA, NULL, "model.ffn_hidden_size", "11008"}, {MODEL_LLAMA, NULL, "model.num_attention_heads", "32"},
    {MODEL_LLAMA, NULL, "model.vocab_size", "32000"}, {MODEL_LLAMA, NULL, "model.max_position_embeddings", "2048"},
    {MODEL_QWEN2, NULL, "model.num_layers", "32"}, {MODEL_QWEN2, NULL, "model.hidden_size", "4096"},
    {MODEL_QWEN2, NULL, "model.ffn_hidden_size", "11008"}, {MODEL_QWEN2, NULL, "model.num_attention_heads", "32"},
    {MODEL_QWEN2, NULL, "model.vocab_size", "32000"}, {MODEL_QWEN2, NULL, "model.max_position_embeddings", "2048"},
    {MODEL_QWEN2, "model.model_config.moe_config", "model.num_experts", "8"},
    {MODEL_QWEN2, "model.model_config.moe_config", "model.moe_router_topk", "2"},
    {MODEL_QWEN2, "model.model_config.moe_config", "model.moe_ffn_hidden_size", "1408"},
    {MODEL_STARCODER2, NULL, "model.num_layers", "24"}, {MODEL_STARCODER2, NULL, "model.hidden_size", "2048"},
    {MODEL_STARCODER2, NULL, "model.num_attention_heads", "16"},
    {MODEL_STARCODER2, NULL, "model.vocab_size", "49280"},
    {MODEL_STARCODER2, NULL, "model.max_position_embeddings", "4096"},
};

/* ---- helpers ---------------------------------------------------------------------------------------------------- */

static void set(struct nanotron *im, const char *key, const char *value, int line)
{
    keyvals_add(&im->out->settings, key, value, line);
}

/* The number at `path`; `otherwise` where it is absent, null, or no number, which is said. */
static double number(struct nanotron *im, const char *path, double otherwise)
{
    const struct tree_value *value = tree_find(&im->tree, path);
    double n = otherwise;
    if (value)
        tree_number(&im->tree, value, &n);
    return n;
}

/* ---- which model ------------------------------------------------------------------------------------------------ */

static bool is_marked(struct nanotron *im, const char *marker)
{
    return tree_is_true(tree_find(&im->tree, marker));
}

/* The class by its marker, else by keys that only one class has. */
static enum model find_model(struct nanotron *im)
{
    if (is_marked(im, CONFIG "is_qwen2_config"))
        return MODEL_QWEN2;
    if (is_marked(im, CONFIG "is_starcoder2_config"))
        return MODEL_STARCODER2;
    if (is_marked(im, CONFIG "is_llama_config") || is_marked(im, CONFIG "is_llamoe_config"))
        return MODEL_LLAMA;
    if (tree_has(&im->tree, CONFIG "num_kv_heads") || tree_has(&im->tree, CONFIG "grouped_query"))
        return MODEL_STARCODER2;
    return tree_has(&im->tree, CONFIG "moe_config") || tree_has(&im->tree, CONFIG "_use_qkv_packed") ? MODEL_QWEN2
                                                                                                      : MODEL_LLAMA;
}

static int check_model(struct nanotron *im)
{
    struct tree *tree = &im->tree;
    const char *const mamba = CONFIG "is_mamba_config";
    if (is_marked(im, mamba) || tree_has(tree, CONFIG "ssm_cfg"))
        errors_add(tree->errors, tree->file, tree_line(&im->tree, mamba), mamba,
                   "a Mamba model has state-space layers, which are not modelled; give a transformer");
    else if (!tree_has(tree, "parallelism"))
        errors_add(tree->errors, tree->file, 0, "parallelism", "is missing; give the whole nanotron configuration");
    else if (!tree_has(tree, "model.model_config"))
        errors_add(tree->errors, tree->file, 0, "model.model_config",
                   "is missing; give the whole nanotron configuration");
    return tree->errors->faults > im->faults ? -1 : 0;
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

static void read_experts(struct nanotron *im)
{
    double width = number(im, EXPERTS "shared_expert_intermediate_size", 5632);
    tree_apply(&im->tree, EXPERTS, expert_rows, LENGTH(expert_rows), im->out);
    const struct tree_value *layers = tree_find(&im->tree, EXPERTS "layers");
    if (layers && strcmp(layers->text, "[-1]") != 0)
        tree_note(&im->tree, EXPERTS "layers",
                  "all layers are taken to have experts; give model.moe_first_dense with --set");
    if (!tree_is_true(tree_find(&im->tree, EXPERTS "enable_shared_expert")))
        return;
    int line = tree_line(&im->tree, EXPERTS "enable_shared_expert");
    if (!isnan(width))
        keyvals_number(&im->out->settings, "model.moe_shared_ffn_hidden_size", width, line);
    set(im, "model.moe_shared_expert_gate", "true", line);
}

static void read_starcoder2(struct nanotron *im)
{
    bool is_multi_query = tree_is_true(tree_find(&im->tree, CONFIG "multi_query"));
    struct keyvals *out = &im->out->settings;
    set(im, "model.normalization", "layernorm", 0);
    set(im, "model.gated_mlp", "false", 0);
    set(im, "model.add_bias_linear", "true", 0);
    if (is_multi_query)
        set(im, "model.num_query_groups", "1", tree_line(&im->tree, CONFIG "multi_query"));
    double residual = number(im, CONFIG "resid_pdrop", 0.1), attention = number(im, CONFIG "attn_pdrop", 0.1);
    if (!isnan(residual))
        keyvals_number(out, "model.hidden_dropout", residual, tree_line(&im->tree, CONFIG "resid_pdrop"));
    if (!isnan(attention))
        keyvals_number(out, "model.attention_dropout", attention, tree_line(&im->tree, CONFIG "attn_pdrop"));
}

/* The vocabulary; -1 takes that of the data. */
static void read_vocabulary(struct nanotron *im)
{
    const char *path = CONFIG "vocab_size";
    const struct tree_value *value = tree_find(&im->tree, path);
    double size = number(im, path, NAN);
    char stage[80];
    for (int i = 0; i < STAGES_MAX && size == -1; i++) {
        path = stage;
        snprintf(stage, sizeof stage, "data_stages.%d.data.dataset.vocab_size", i);
        size = number(im, stage, -1);
    }
    if (size > 0)
        keyvals_number(&im->out->settings, "model.vocab_size", size, tree_line(&im->tree, path));
    else if (value && !isnan(size))
        tree_note(&im->tree, CONFIG "vocab_size",
                  "comes from the tokenizer, which is not read; give model.vocab_size with --set");
}

static void read_model(struct nanotron *im)
{
    set(im, "framework.nanotron_model", model_names[im->model], 0);
    set(im, "model.name", model_names[im->model], 0);
    set(im, "model.position_embedding", "rope", 0);
    set(im, "model.gated_mlp", "true", 0);
    tree_apply(&im->tree, CONFIG, model_rows, LENGTH(model_rows), im->out);
    read_vocabulary(im);
    const struct tree_value *bias = tree_find(&im->tree, CONFIG "attention_bias");
    if (im->model == MODEL_QWEN2 && tree_is_true(bias))
        set(im, "model.add_qkv_bias", "true", bias->line);
    if (im->model == MODEL_STARCODER2)
        read_starcoder2(im);
    if (tree_has(&im->tree, EXPERTS "num_experts") || tree_has(&im->tree, EXPERTS "top_k"))
        read_experts(im);
    const struct tree_value *attention = tree_find(&im->tree, CONFIG "_attn_implementation");
    if (attention && strcmp(attention->text, "eager") == 0)
        set(im, "train.attention", "unfused", attention->line);
}

/* The reduce-scatter mode is sequence parallelism. */
static void read_mode(struct nanotron *im)
{
    const struct tree_value *mode = tree_find(&im->tree, "parallelism.tp_mode");
    if (mode && strcasecmp(mode->text, "REDUCE_SCATTER") == 0)
        set(im, "parallel.sp", "true", mode->line);
}

static void read_recompute(struct nanotron *im)
{
    const struct tree_value *layer = tree_find(&im->tree, "parallelism.recompute_layer");
    bool is_on = false;
    if (layer && tree_bool(&im->tree, layer, &is_on) && is_on)
        set(im, "train.recompute", "full", layer->line);
}

/* nanotron knows stages 0 and 1; what is above counts as 1 there. */
static void read_zero(struct nanotron *im)
{
    double stage = number(im, "optimizer.zero_stage", NAN);
    int line = tree_line(&im->tree, "optimizer.zero_stage");
    if (stage > 1)
        tree_note(&im->tree, "optimizer.zero_stage",
                  "nanotron only shards the optimizer; using stage 1");
    if (!isnan(stage))
        keyvals_number(&im->out->settings, "parallel.zero_stage", fmin(stage, 1), line);
}

/* Batch and length of the run: global batch = micro-batch x accumulation x dp. */
static void read_tokens(struct nanotron *im)
{
    double micro = number(im, "tokens.micro_batch_size", 1), steps = number(im, "tokens.train_steps", NAN);
    double times = number(im, "tokens.batch_accumulation_per_replica", 1), dp = number(im, "parallelism.dp", 1);
    double length = number(im, "tokens.sequence_length", NAN), batch = micro * times * dp;
    struct keyvals *out = &im->out->settings;
    if (batch > 0)
        keyvals_number(out, "train.global_batch_size", batch,
                       tree_line(&im->tree, "tokens.batch_accumulation_per_replica"));
    if (batch * steps * length > 0)
        keyvals_number(out, "train.total_tokens", batch * steps * length, tree_line(&im->tree, "tokens.train_steps"));
    for (int i = 0; i < STAGES_MAX; i++) {
        char path[64];
        snprintf(path, sizeof path, "data_stages.%d.sequence_length", i);
        double own = number(im, path, NAN);
        if (!isnan(own) && own != length)
            tree_note(&im->tree, path,
                      "differs from tokens.sequence_length, which is used; set train.seq_length for this stage");
    }
}

/* DDP buckets are given in MiB of 16-bit gradients; 25 is PyTorch's own. */
static void read_bucket(struct nanotron *im)
{
    double bucket_mib = number(im, "model.ddp_bucket_cap_mb", 25);
    if (bucket_mib > 0 && bucket_mib != 25)
        keyvals_number(&im->out->settings, "framework.ddp_bucket_elements", floor(bucket_mib * 1048576 / 2),
                       tree_line(&im->tree, "model.ddp_bucket_cap_mb"));
}

/* Files from before `optimizer_factory` and `tp_recompute_allgather` come from older releases. */
static void note_age(struct nanotron *im)
{
    bool is_old = tree_has(&im->tree, "optimizer") && !tree_has(&im->tree, "optimizer.optimizer_factory");
    if (is_old)
        errors_note(im->tree.errors, im->tree.file, tree_line(&im->tree, "optimizer.adam_beta1"), "optimizer",
                    "is in the spelling before 2024; for memory as of then set framework.name nanotron-pre203");
    if (number(im, "parallelism.expert_parallel_size", 1) > 1)
        tree_note(&im->tree, "parallelism.expert_parallel_size", "nanotron of 2026 does not start with more than 1");
}

static void add_defaults(struct nanotron *im)
{
    for (size_t i = 0; i < LENGTH(default_rows); i++) {
        bool applies = default_rows[i].model < 0 || default_rows[i].model == (int)im->model;
        if (applies && default_rows[i].needs)
            applies = tree_has(&im->tree, default_rows[i].needs) &&
                      keyvals_last(&im->out->settings, "model.num_experts");
        if (applies && !keyvals_last(&im->out->settings, default_rows[i].key))
            keyvals_add(&im->out->defaults, default_rows[i].key, default_rows[i].value, 0);
    }
}

static int import_config(struct nanotron *im)
{
    if (check_model(im) != 0)
        return -1;
    im->model = find_model(im);
    set(im, "framework.name", "nanotron", 0);
    read_model(im);
    tree_apply(&im->tree, "", rows, LENGTH(rows), im->out);
    read_mode(im);
    read_recompute(im);
    read_zero(im);
    read_tokens(im);
    read_bucket(im);
    note_age(im);
    add_defaults(im);
    tree_unused(&im->tree, "", NULL, im->out);
    return im->tree.errors->faults > im->faults ? -1 : 0;
}

int nanotron_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    struct nanotron im = {.out = out, .faults = errors->faults};
    int result = tree_read(text, size, name, TREE_YAML, TREE_LENIENT, &im.tree, errors);
    tree_override(&im.tree, out->overrides);
    if (result == 0)
        result = import_config(&im);
    tree_free(&im.tree);
    return result;
}
