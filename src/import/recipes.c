/*
 * src/import/recipes.c - configurations that are tables alone: litgpt, NeMo-RL, NeMo Automodel, SkyRL, levanter,
 * MaxText. CONTRIBUTING shows how one is added.
 */
#include "core/base.h"
#include "core/plan/param.h"
#include "src/import/foreign.h"
#include "src/import/foreign_read.h"
#include "src/import/import.h"
#include "src/import/rollout.h"
#include "src/import/sibling_files.h"
#include "src/import/tokenizer.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what several have ------------------------------------------------------------------------------------------ */

/* The model at the first of several paths that has a name; the last part of a path, which hubs have as a folder. */
static void take_model(struct foreign *im, const char *paths)
{
    const struct tree_value *value = tree_first(&im->tree, "", paths);
    if (value && *value->text)
        foreign_set(im, "model", value->text, value->path);
    else if (!keyvals_last(&im->out->settings, "model.num_layers"))
        import_ask(im->out, "model.num_layers", &(struct asked){"model", "", im->tree.file, 0, "--model NAME", false});
}

/* The vocabulary of the tokenizer that a hub has under a name; one without a row is assumed. */
static void take_vocabulary(struct foreign *im, const char *path)
{
    const char *name = foreign_text(im, path);
    const struct tokenizer *found = *name ? tokenizer_find("hub:", name) : NULL;
    char *size = xasprintf("%d", found ? found->size : (int)TOKENIZER_GUESS);
    if (found && found->kind != TOKENIZER_ASSUMED)
        keyvals_add(&im->out->defaults, "model.vocab_size", size, 0);
    else
        import_ask(im->out, "model.vocab_size",
                   &(struct asked){*name ? name : "vocabulary", size, im->tree.file, tree_line(&im->tree, path),
                                   "--set vocab_size=N", false});
    free(size);
}

/* ---- litgpt: litgpt/finetune/ and pretrain.py at 2026-10 -------------------------------------------------------- */

static const struct tree_choice litgpt_norm[] = {{"LayerNorm", "layernorm"}, {"RMSNorm", "rmsnorm"}, {NULL, NULL}};
static const struct tree_choice litgpt_block[] = {
    {"GptNeoxMLP", "false"}, {"LLaMAMLP", "true"}, {"GemmaMLP", "true"}, {"LLaMAMoE", "true"}, {NULL, NULL}};
static const struct tree_row litgpt_rows[] = {
    TREE_SIZE("train.micro_batch_size", "train.micro_batch_size"),
    TREE_SIZE("train.global_batch_size", "train.global_batch_size"),
    TREE_SIZE("train.max_seq_length|model_config.block_size", "train.seq_length"),
    TREE_REAL("train.max_tokens", "train.total_tokens"), TREE_FLAG("train.tie_embeddings", "model.tied_embeddings"),
    TREE_SIZE("model_config.n_layer", "model.num_layers"), TREE_SIZE("model_config.n_embd", "model.hidden_size"),
    TREE_SIZE("model_config.n_head", "model.num_attention_heads"),
    TREE_SIZE("model_config.n_query_groups", "model.num_query_groups"),
    TREE_SIZE("model_config.head_size", "model.kv_channels"),
    TREE_SIZE("model_config.intermediate_size", "model.ffn_hidden_size"),
    TREE_SIZE("model_config.padded_vocab_size|model_config.vocab_size", "model.vocab_size"),
    TREE_FLAG("model_config.bias", "model.add_bias_linear"), TREE_SIZE("model_config.n_expert", "model.num_experts"),
    TREE_SIZE("model_config.n_expert_per_token", "model.moe_router_topk"),
    {"model_config.norm_class_name", "model.normalization", TREE_CHOICE, litgpt_norm},
    {"model_config.mlp_class_name", "model.gated_mlp", TREE_CHOICE, litgpt_block},
    {"optimizer.class_path", "train.optimizer", TREE_AS(TRAINER)},
    {"optimizer", "train.optimizer", TREE_AS(CONFIG)},
    TREE_SIZE("num_nodes", "hardware.nodes"), TREE_SIZE("devices", "hardware.gpus_per_node"),
    TREE_REAL("lora_alpha", "train.lora_alpha"), TREE_REAL("lora_dropout", "train.lora_dropout"),
};
static const struct foreign_fixed litgpt_given[] = {{"framework.name", "litgpt"}, {NULL, NULL}};
static const struct foreign_fixed litgpt_silent[] = {
    {"train.micro_batch_size", "1"}, {"train.global_batch_size", "16"}, {"hardware.nodes", "1"}, {NULL, NULL}};
#define LITGPT_PRETRAIN "train.micro_batch_size=4 train.global_batch_size=512"
#define LITGPT_SHAPE /* litgpt/config.py Config */                                                                     \
    "num_layers=16 hidden_size=4096 num_attention_heads=32 train.seq_length=4096 normalization=layernorm "             \
    "gated_mlp=false add_bias_linear=true position_embedding=rope vocab_size=50254 make_vocab_size_divisible_by=512"

/* Queries and values, unless the file says which matrices. */
static void litgpt_targets(struct foreign *im)
{
    static const struct {
        const char *path, *target;
        bool is_default;
    } rows[] = {{"lora_query", "q", true},       {"lora_key", "k", false},   {"lora_value", "v", true},
                {"lora_projection", "o", false}, {"lora_mlp", "mlp", false}, {"lora_head", "head", false}};
    struct buffer list = {0};
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (tree_has(&im->tree, rows[i].path) ? foreign_is_true(im, rows[i].path) : rows[i].is_default)
            buffer_printf(&list, "%s%s", list.size ? "," : "[", rows[i].target);
    buffer_puts(&list, "]");
    if (list.size > 1)
        foreign_set(im, "train.lora_targets", list.text, "lora_query");
    buffer_free(&list);
}

static void litgpt_adapters(struct foreign *im, const char *method)
{
    bool is_full = strstr(method, "full"), is_alone = text_ends_with(method, "finetune"); /* that with adapters */
    bool is_lora = is_alone || strstr(method, "lora") || tree_has(&im->tree, "lora_r");
    const char *quantised = foreign_text(im, "quantize");
    if (strstr(method, "adapter")) /* prompts and biases, which have no counterpart */
        import_ask(im->out, "train.peft",
                   &(struct asked){method, "lora", im->tree.file, 0, "--set peft=METHOD", false});
    if (!is_lora || is_full)
        return;
    foreign_set(im, "train.peft", strstr(quantised, "4") ? "qlora" : "lora", "lora_r");
    foreign_set_number(im, "train.lora_rank", foreign_number(im, "lora_r", 8), "lora_r");
    if (strncmp(quantised, "bnb.int8", 8) == 0)
        foreign_set(im, "train.quant_dtype", "int8", "quantize");
    if (strstr(quantised, "-dq"))
        foreign_set(im, "train.double_quant", "true", "quantize");
    litgpt_targets(im);
}

/* What does not divide is cut off: iterations of accumulation are whole, and at least one. */
static void litgpt_batches(struct foreign *im, double devices)
{
    bool is_pretrain = tree_has(&im->tree, "model_name");
    double global = foreign_number(im, "train.global_batch_size", is_pretrain ? 512 : 16);
    double micro = foreign_number(im, "train.micro_batch_size", is_pretrain ? 4 : 1);
    double steps = floor(floor(global / devices) / micro);
    if (fmod(global, micro * devices) == 0)
        return;
    foreign_set_number(im, "train.global_batch_size", fmax(1, steps) * micro * devices, "train.global_batch_size");
}

static void litgpt_rule(struct foreign *im)
{
    const char *program = foreign_text(im, "program"), *precision = foreign_text(im, "precision");
    bool is_true = strstr(precision, "-true") != NULL, is_pretrain = tree_has(&im->tree, "model_name");
    const char *type = strstr(precision, "32") ? "fp32" : strncmp(precision, "16", 2) == 0 ? "fp16" : "bf16";
    if (tree_has(&im->tree, "model_config.padded_vocab_size"))
        foreign_set(im, "model.make_vocab_size_divisible_by", "1", "model_config.padded_vocab_size");
    if (tree_has(&im->tree, "model_config") && !tree_peek(&im->tree, "model_config")) /* a group, no blank */
        foreign_pairs(im, LITGPT_SHAPE, NULL);
    else
        take_model(im, "checkpoint_dir|model_name|model");
    foreign_set(im, "train.dtype", type, "precision");
    foreign_set(im, "train.main_param_dtype", is_true ? type : "fp32", "precision");
    litgpt_adapters(im, program);
    foreign_pairs(im, is_pretrain ? LITGPT_PRETRAIN : "hardware.gpus_per_node=1", NULL);
    const struct tree_value *written = tree_peek(&im->tree, "devices");
    bool is_auto = written && strcmp(written->text, "auto") == 0; /* those of a node */
    double each = is_auto ? 8 : foreign_number(im, "devices", 1), devices = each * foreign_number(im, "num_nodes", 1);
    if (devices > 1)
        foreign_set(im, "parallel.fsdp", is_pretrain ? "hybrid" : "full", "devices");
    if (devices > 1 && is_pretrain)
        foreign_set_number(im, "parallel.shard_group", each, "devices");
    if (devices > 1 && !is_pretrain)
        foreign_set(im, "train.recompute", "full", "devices");
    tree_use(&im->tree, "train.max_norm");
    litgpt_batches(im, devices);
}

static const struct foreign_format litgpt = {litgpt_rows,  LENGTH(litgpt_rows), NULL,       0,
                                             litgpt_given, litgpt_silent,       litgpt_rule};
FOREIGN_READER(litgpt_import, litgpt)

/* ---- NeMo-RL: nemo_rl/models/policy and examples/configs at 2026-10 --------------------------------------------- */

#define POLICY "policy."
#define DTENSOR POLICY "dtensor_cfg."
#define BRIDGE POLICY "megatron_cfg."
#define GENERATION POLICY "generation."

static const struct tree_choice reduce_choice[] = {{"true", "fp32"}, {"false", "bf16"}, {NULL, NULL}};
static const struct tree_choice moment_choice[] = {
    {"torch.float32", "fp32"}, {"torch.bfloat16", "bf16"}, {"torch.float16", "fp16"}, {NULL, NULL}};
static const struct tree_row rl_rows[] = {
    {POLICY "train_global_batch_size", "train.global_batch_size", TREE_WHOLE, NULL},
    {POLICY "train_micro_batch_size", "train.micro_batch_size", TREE_WHOLE, NULL},
    {POLICY "max_total_sequence_length", "train.seq_length", TREE_WHOLE, NULL},
    {POLICY "optimizer.name", "train.optimizer", TREE_AS(TRAINER)},
    {POLICY "optimizer.kwargs.exp_avg_dtype", "train.exp_avg_dtype", TREE_CHOICE, moment_choice},
    {POLICY "optimizer.kwargs.exp_avg_sq_dtype", "train.exp_avg_sq_dtype", TREE_CHOICE, moment_choice},
    {POLICY "precision", "train.dtype", TREE_AS(TORCH)},
    TREE_SIZE("cluster.num_nodes", "hardware.nodes"), TREE_SIZE("cluster.gpus_per_node", "hardware.gpus_per_node"),
};
static const struct tree_row dtensor_rows[] = {
    TREE_SIZE(DTENSOR "tensor_parallel_size", "parallel.tp"), TREE_SIZE(DTENSOR "context_parallel_size", "parallel.cp"),
    TREE_SIZE(DTENSOR "expert_parallel_size", "parallel.ep"), TREE_FLAG(DTENSOR "sequence_parallel", "parallel.sp"),
    {DTENSOR "activation_checkpointing", "train.recompute", TREE_CHOICE, checkpointing_choice},
    {DTENSOR "cpu_offload", "train.offload_params", TREE_CHOICE, share_choice},
    {DTENSOR "cpu_offload", "train.offload_optimizer", TREE_CHOICE, share_choice},
};
static const struct tree_choice attention_choice[] = {
    {"unfused", "unfused"}, {"local", "unfused"}, {"flash", "flash"}, {"fused", "flash"}, {"auto", "flash"},
    {NULL, NULL}};
static const struct tree_row bridge_rows[] = {
    MEGATRON_LAYOUT(BRIDGE),
    {BRIDGE "attention_backend", "train.attention", TREE_CHOICE, attention_choice},
    {BRIDGE "optimizer.optimizer", "train.optimizer", TREE_AS(MEGATRON)},
    {BRIDGE "num_layers_in_first_pipeline_stage", "parallel.first_stage_layers", TREE_WHOLE, NULL},
    {BRIDGE "num_layers_in_last_pipeline_stage", "parallel.last_stage_layers", TREE_WHOLE, NULL},
    {BRIDGE "distributed_data_parallel_config.grad_reduce_in_fp32", "train.grad_dtype", TREE_CHOICE, reduce_choice},
    {BRIDGE "optimizer.use_distributed_optimizer", "parallel.zero_stage", TREE_CHOICE, share_choice},
    {BRIDGE "optimizer.optimizer_offload_fraction", "train.offload_optimizer", TREE_NUMBER, NULL},
};
static const struct tree_row rollout_rows[] = {
    {GENERATION "vllm_cfg.gpu_memory_utilization", "rl.rollout_share", TREE_NUMBER, NULL},
    TREE_SIZE(GENERATION "vllm_cfg.tensor_parallel_size", "rl.rollout_tp"), TREE_SIZE("ppo.ppo_epochs", "rl.epochs"),
};
/* Groups that are read by other means; the critic of PPO is as large as the policy here. */
static const char *const rl_read[] = {POLICY "megatron_cfg",     POLICY "dtensor_cfg", POLICY "dynamic_batching",
                                      POLICY "sequence_packing", POLICY "generation",  "value", "env"};
static const struct foreign_fixed rl_silent[] = {
    {"hardware.nodes", "1"}, {"hardware.gpus_per_node", "8"}, {"train.dtype", "bf16"}, {NULL, NULL}};
static const struct foreign_fixed bridge_silent[] = {{"parallel.zero_stage", "1"}, {NULL, NULL}};

/* Adapters below a group, where they are switched on. */
static void rl_adapters(struct foreign *im, const char *group)
{
    char *enabled = xasprintf("%s.enabled", group), *rank = xasprintf("%s.dim", group);
    if (foreign_is_true(im, enabled)) {
        foreign_set(im, "train.peft", "lora", enabled);
        foreign_set_number(im, "train.lora_rank", foreign_number(im, rank, 8), rank);
        foreign_set(im, "train.lora_targets", "[all]", enabled);
    }
    free(enabled);
    free(rank);
}

/* The chosen and the rejected sample go through together (algorithms/dpo.py and rm.py: mbs and gbs are doubled). */
static void rl_pairs(struct foreign *im)
{
    static const char *const keys[][2] = {{POLICY "train_micro_batch_size", "train.micro_batch_size"},
                                          {POLICY "train_global_batch_size", "train.global_batch_size"}};
    for (size_t i = 0; i < LENGTH(keys); i++)
        if (tree_has(&im->tree, keys[i][0]))
            foreign_set_number(im, keys[i][1], 2 * foreign_number(im, keys[i][0], 1), keys[i][0]);
}

/* What decides and is not modelled here: replicas of shards, another engine, fp8, micro-batches counted in tokens. */
static void rl_leave_open(struct foreign *im, bool is_megatron)
{
    static const char *const open[][2] = {{BRIDGE "fp8_cfg.enabled", "train.dtype"},
                                          {BRIDGE "fine_grained_activation_offloading", "train.offload_activations"},
                                          {BRIDGE "distributed_data_parallel_config.use_custom_fsdp", "parallel.fsdp"}};
#define BINS(group) {POLICY group ".enabled", POLICY group ".train_mb_tokens"}
    static const char *const bins[][2] = {BINS("sequence_packing"), BINS("dynamic_batching")};
    static const char replicas[] = DTENSOR "dp_replicate_size";
    double each = foreign_number(im, POLICY "max_total_sequence_length", 0) *
                  foreign_number(im, POLICY "train_micro_batch_size", 1);
    for (size_t i = 0; i < LENGTH(open) && is_megatron; i++)
        if (foreign_is_true(im, open[i][0]))
            keyvals_add(&im->out->unread, open[i][1], open[i][0], 0);
    if (!is_megatron && foreign_number(im, replicas, 1) > 1)
        keyvals_add(&im->out->unread, "parallel.fsdp", replicas, 0);
    for (size_t i = 0; i < LENGTH(bins); i++) {
        const char *tokens = foreign_text(im, bins[i][1]);
        if (foreign_is_true(im, bins[i][0]) && *tokens && !strstr(tokens, "train_micro_batch_size") &&
            strtod(tokens, NULL) != each)
            keyvals_add(&im->out->unread, "train.micro_batch_size", bins[i][1], 0);
    }
}

/* GPUs left for training: whole nodes if there are several, else part of the only one (algorithms/grpo.py setup). */
static void rl_rest_of_cluster(struct foreign *im)
{
    static const char *const keys[][3] = {
        {"cluster.gpus_per_node", GENERATION "colocated.resources.gpus_per_node", "hardware.gpus_per_node"},
        {"cluster.num_nodes", GENERATION "colocated.resources.num_nodes", "hardware.nodes"}};
    const char *const *key = keys[foreign_number(im, "cluster.num_nodes", 1) > 1];
    double rest = foreign_number(im, key[0], NAN) - foreign_number(im, key[1], NAN);
    if (rest >= 1 && foreign_is_word(im, GENERATION "colocated.enabled", "false"))
        foreign_set_number(im, key[2], rest, key[1]);
}

/*
 * The iteration around the training step. Colocated, weights and optimizer are on the host while samples are made
 * (policy/lm_policy.py offload_before_refit, offload_after_refit); prompts and answers together have max_total.
 */
static void rl_iteration(struct foreign *im, const char *algorithm)
{
    char prompts[48], answers[48], assumed[24];
    double length = foreign_number(im, POLICY "max_total_sequence_length", 0), prompt = fmin(512, floor(length / 2));
    double answer = foreign_number(im, GENERATION "max_new_tokens", length);
    bool is_split = foreign_is_word(im, GENERATION "colocated.enabled", "false");
    snprintf(prompts, sizeof prompts, "%s.num_prompts_per_step", algorithm);
    snprintf(answers, sizeof answers, "%s.num_generations_per_prompt", algorithm);
    foreign_set(im, "workload", "rl", prompts);
    foreign_set(im, "rl.program", "nemo-rl", prompts);
    const char *estimator = foreign_text(im, "grpo.adv_estimator.name");
    foreign_set(im, "rl.algorithm", rollout_algorithm(*estimator ? estimator : algorithm), prompts);
    foreign_set_number(im, "rl.answers", foreign_number(im, answers, 1), answers);
    foreign_set_number(im, "rl.samples", foreign_number(im, prompts, 1) * foreign_number(im, answers, 1), prompts);
    tree_apply(&im->tree, "", rollout_rows, LENGTH(rollout_rows), im->out);
    foreign_set(im, "rl.placement", is_split ? "split" : "colocate", GENERATION "colocated.enabled");
    foreign_set(im, "rl.param_offload", is_split ? "false" : "true", GENERATION "colocated.enabled");
    foreign_set(im, "rl.optimizer_offload", is_split ? "false" : "true", GENERATION "colocated.enabled");
    bool has_reference = foreign_number(im, "loss_fn.reference_policy_kl_penalty", 0) > 0;
    foreign_set(im, "rl.reference", has_reference ? "full" : "none", "loss_fn.reference_policy_kl_penalty");
    snprintf(assumed, sizeof assumed, "%.0f", fmax(prompt, length - answer));
    if (prompt >= 1) {
        foreign_set_number(im, "rl.max_answer", fmin(answer, length - prompt), GENERATION "max_new_tokens");
        import_ask(im->out, "rl.max_prompt", &(struct asked){"longest prompt", assumed, im->tree.file, 0,
                                                             "--set rl.max_prompt=N", false});
    }
    double samples = foreign_number(im, POLICY "logprob_batch_size", 0);
    if (samples >= 1)
        foreign_set_number(im, "rl.logprob_tokens", samples * length, POLICY "logprob_batch_size");
}

static void rl_rule(struct foreign *im)
{
    bool has_engine = foreign_is_word(im, GENERATION "backend", "vllm sglang trtllm");
    const char *algorithm = tree_has(&im->tree, "ppo.num_prompts_per_step") ? "ppo" : "grpo";
    bool is_megatron = foreign_is_true(im, BRIDGE "enabled");
    bool has_adapters = foreign_is_true(im, BRIDGE "peft.enabled");
    if (!is_megatron && foreign_number(im, DTENSOR "expert_parallel_size", 1) > 1)
        foreign_like(im, "NeMo-RL's DTensor policy with experts", "other");
    else
        foreign_set(im, "framework.name", !is_megatron ? "fsdp2" : has_adapters ? "nemo-lora" : "megatron-core",
                    BRIDGE "enabled");
    take_model(im, POLICY "model_name");
    if (is_megatron) {
        tree_apply(&im->tree, "", bridge_rows, LENGTH(bridge_rows), im->out);
        foreign_silent(im, bridge_silent);
        foreign_clear_unless(im, "train.offload_optimizer", BRIDGE "optimizer.optimizer_cpu_offload");
        rl_adapters(im, BRIDGE "peft");
        if (foreign_is_true(im, BRIDGE "activation_checkpointing"))
            foreign_set(im, "train.recompute",
                        foreign_is_word(im, BRIDGE "recompute_granularity", "selective") ? "selective" : "full",
                        BRIDGE "activation_checkpointing");
    } else {
        tree_apply(&im->tree, "", dtensor_rows, LENGTH(dtensor_rows), im->out);
        rl_adapters(im, DTENSOR "lora_cfg");
        foreign_set(im, "parallel.fsdp", "full", POLICY "dtensor_cfg");
    }
    if (has_engine && (tree_has(&im->tree, "grpo") || *algorithm == 'p'))
        rl_iteration(im, algorithm);
    else if (tree_has(&im->tree, "grpo") || tree_has(&im->tree, POLICY "generation.colocated"))
        errors_warn(im->tree.errors, im->tree.file, 0, NULL,
                    "the policy's training step is estimated; the engine that generates is not counted");
    rl_rest_of_cluster(im);
    if (tree_has(&im->tree, "dpo"))
        foreign_set(im, "train.reference_model", "frozen", "dpo");
    if (tree_has(&im->tree, "dpo") || tree_has(&im->tree, "rm"))
        rl_pairs(im);
    rl_leave_open(im, is_megatron);
    for (size_t i = 0; i < LENGTH(rl_read); i++)
        tree_use(&im->tree, rl_read[i]);
    tree_use(&im->tree, algorithm);
}

static const struct foreign_format rl = {rl_rows,         LENGTH(rl_rows), NULL,   0,
                                         foreign_nothing, rl_silent,       rl_rule};

/* The text of the file that `defaults` names, perhaps in a list, beside `folder`; NULL where it is not there. */
static char *read_defaults(const struct tree *tree, const struct import *out, char **folder, size_t *size)
{
    const struct tree_value *defaults = tree_peek(tree, "defaults");
    const char *name = defaults ? defaults->text + strspn(defaults->text, "[\"'") : "";
    size_t n = strcspn(name, "]\"'");
    if (n == 0 || memchr(name, ',', n) || memchr(name, '{', n))
        return NULL;
    char *path = xasprintf("%s%.*s", *folder, (int)n, name), *text = beside_read(out, path, size);
    char *slash = strrchr(path, '/');
    free(*folder);
    *folder = xstrndup(path, slash ? (size_t)(slash - path + 1) : 0);
    free(path);
    return text;
}

/* The file below `base`, whose values go before `own`; NULL for none, with the name of one that is not there. */
static char *read_below(const char *base, const char *name, const struct import *out, char **folder,
                        struct keyvals *own, char **missing)
{
    struct errors unheard = {0};
    struct tree tree = {0};
    struct keyvals below = {0};
    size_t size;
    bool is_read = tree_read(base, strlen(base), name, TREE_YAML, TREE_LENIENT, &tree, &unheard) == 0;
    char *next = is_read ? read_defaults(&tree, out, folder, &size) : NULL;
    const struct tree_value *defaults = tree_peek(&tree, "defaults");
    *missing = !next && defaults ? xstrdup(defaults->text) : NULL;
    for (size_t i = 0; next && i < tree.count; i++)
        if (&tree.item[i] != defaults)
            keyvals_add(&below, tree.item[i].path, tree.item[i].is_null ? "null" : tree.item[i].text,
                        tree.item[i].line);
    if (next) {
        keyvals_join(&below, own);
        keyvals_free(own);
        *own = below;
    }
    tree_free(&tree);
    errors_free(&unheard);
    return next;
}

/* A recipe is read as the file that it is based on, with its own values over that. A command names it by its path. */
int nemo_rl_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    enum { DEPTH = 6 };
    struct keyvals own = {0};
    const struct keyvals *outer = out->overrides;
    const char *path = out->options ? out->options->path : NULL, *slash = strrchr(name, '/');
    bool is_named = slash && !(path && strcmp(path, name) == 0);
    char *folder = xstrndup(name, is_named ? (size_t)(slash - name + 1) : 0), *base = xstrndup(text, size),
         *missing = NULL, *next;
    for (int depth = 0; depth < DEPTH && (next = read_below(base, name, out, &folder, &own, &missing)); depth++) {
        free(base);
        base = next;
    }
    if (outer)
        keyvals_join(&own, outer);
    out->overrides = &own;
    int result = foreign_read(&rl, base, strlen(base), name, out, errors);
    out->overrides = outer;
    if (missing && result == 0)
        import_doubt_file(out, missing, 0);
    keyvals_free(&own);
    free(missing);
    free(folder);
    free(base);
    return result;
}

/* ---- NeMo Automodel: nemo_automodel/recipes and examples at 2026-11 --------------------------------------------- */

static const struct tree_choice strategy_choice[] = {{"fsdp2", "full"}, {"megatron_fsdp", "full"}, {"ddp", "none"},
                                                     {NULL, NULL}};
static const struct tree_choice layers_choice[] = {{"true", "full"}, {"false", "none"}, {"selective", "selective"},
                                                   {NULL, NULL}};
static const struct tree_choice adapter_choice[] = {{"nemo_automodel.components._peft.lora.PeftConfig", "lora"},
                                                    {NULL, NULL}};
static const struct tree_choice quantised_choice[] = {{"true", "qlora"}, {NULL, NULL}};
static const struct tree_row automodel_rows[] = {
    {"model.pretrained_model_name_or_path|model.config.pretrained_model_name_or_path|model.config.name_or_path|"
     "recipe_args.target_model_name_or_path",
     "model", TREE_TEXT, NULL},
    {"step_scheduler.local_batch_size|recipe_args.micro_batch_size", "train.micro_batch_size", TREE_WHOLE, NULL},
    {"step_scheduler.global_batch_size", "train.global_batch_size", TREE_WHOLE, NULL},
    {"packed_sequence.pack_size|dataset.seq_length|dataset.seq_len|recipe_args.seq_length", "train.seq_length",
     TREE_WHOLE, NULL},
    {"model.torch_dtype", "train.dtype", TREE_AS(TORCH)},
    {"model.attn_implementation", "train.attention", TREE_AS(TRAINER)},
    {"distributed.strategy", "parallel.fsdp", TREE_CHOICE, strategy_choice},
    TREE_SIZE("distributed.tp_size", "parallel.tp"), TREE_SIZE("distributed.cp_size", "parallel.cp"),
    TREE_SIZE("distributed.pp_size", "parallel.pp"), TREE_SIZE("distributed.ep_size", "parallel.ep"),
    {"distributed.sequence_parallel", "parallel.sp", TREE_BOOL, NULL},
    {"distributed.activation_checkpointing", "train.recompute", TREE_CHOICE, layers_choice},
    TREE_SIZE("benchmark.num_nodes", "hardware.nodes"), TREE_FLAG("compile.enabled", "framework.compile"),
    {"optimizer._target_", "train.optimizer", TREE_AS(TRAINER)},
    {"peft._target_", "train.peft", TREE_CHOICE, adapter_choice},
    {"quantization.load_in_4bit", "train.peft", TREE_CHOICE, quantised_choice},
    TREE_SIZE("peft.dim", "train.lora_rank"), TREE_REAL("peft.alpha", "train.lora_alpha"),
    TREE_REAL("peft.dropout", "train.lora_dropout"),
};
static const struct foreign_fixed automodel_silent[] = {
    {"train.dtype", "bf16"}, {"parallel.fsdp", "full"}, {"train.recompute", "none"}, {NULL, NULL}};

static void automodel_rule(struct foreign *im)
{
    static const char *const without[] = {"model.backend", "distributed.pipeline", "packed_sequence", "distributed.moe",
                                          "distributed.dp_size", "loss_fn", "kd_loss_fn", "peft.use_triton",
                                          "peft.moe_rank_scaling", "quantization", "freeze_config.freeze_audio_tower",
                                          "freeze_config.freeze_embeddings"};
    static const char *const frozen[] = {"freeze_config.freeze_vision_tower", NULL,
                                         "freeze_config.freeze_language_model"};
    double stages = foreign_number(im, "distributed.pp_size", 1);
    double micro = foreign_number(im, "distributed.pipeline.pp_microbatch_size", 1);
    double packed = foreign_number(im, "packed_sequence.packed_sequence_size", 0);
    bool has_ranks = foreign_number(im, "distributed.ep_size", 1) > 1; /* of experts, which FSDP's row has not */
    foreign_like(im, "NeMo Automodel", has_ranks ? "other" : "fsdp2");
    if (stages > 1)
        foreign_set_number(im, "train.micro_batch_size", micro, "distributed.pipeline.pp_microbatch_size");
    if (foreign_number(im, "distributed.dp_replicate_size", 1) > 1)
        foreign_set(im, "parallel.fsdp", "hybrid", "distributed.dp_replicate_size");
    if (foreign_is_true(im, "fp8.enabled"))
        foreign_set(im, "train.dtype", "fp8", "fp8.enabled");
    if (packed >= 1)
        foreign_set_number(im, "train.seq_length", packed, "packed_sequence.packed_sequence_size");
    else if (!keyvals_last(&im->out->settings, "train.seq_length"))
        import_ask(im->out, "train.seq_length",
                   &(struct asked){"longest sample", "2048", im->tree.file, 0, "--set seq_length=N", false});
    if (tree_has(&im->tree, "peft"))
        foreign_set(im, "train.lora_targets", "[all]", "peft");
    else
        tree_frozen(&im->tree, frozen, 1, im->out); /* components/utils/model_utils.py apply_parameter_freezing */
    if (tree_has(&im->tree, "teacher_model") || tree_has(&im->tree, "recipe_args"))
        import_ask(im->out, "train.reference_model",
                   &(struct asked){"a second model", "frozen", im->tree.file, 0, "--set reference_model=VALUE", false});
    for (size_t i = 0; i < LENGTH(without); i++)
        tree_use(&im->tree, without[i]);
}

static const struct foreign_format automodel = {automodel_rows,  LENGTH(automodel_rows), NULL,          0,
                                                foreign_nothing, automodel_silent,       automodel_rule};
FOREIGN_READER(automodel_import, automodel)

/* ---- SkyRL: NovaSky-AI/SkyRL skyrl/train/config at 2026-11 ------------------------------------------------------ */

#define CORE "trainer.policy.megatron_config."

static const struct tree_choice backend_choice[] = {{"fsdp", "fsdp2"}, {"fsdp2", "fsdp2"},
                                                    {"megatron", "megatron-core"}, {NULL, NULL}};
static const struct tree_row skyrl_rows[] = {
    {"trainer.policy.model.path", "model", TREE_TEXT, NULL},
    {"trainer.strategy", "framework.name", TREE_CHOICE, backend_choice},
    {"trainer.micro_train_batch_size_per_gpu", "train.micro_batch_size", TREE_WHOLE, NULL},
    {"trainer.max_length", "train.seq_length", TREE_WHOLE, NULL},
    {"trainer.gradient_checkpointing", "train.recompute", TREE_CHOICE, checkpointing_choice},
    {"trainer.placement.policy_num_nodes|trainer.placement.num_nodes", "hardware.nodes", TREE_WHOLE, NULL},
    {"trainer.placement.policy_num_gpus_per_node|trainer.placement.num_gpus_per_node", "hardware.gpus_per_node",
     TREE_WHOLE, NULL},
    {"trainer.policy.fsdp_config.cpu_offload", "train.offload_params", TREE_CHOICE, share_choice},
    {"trainer.policy.fsdp_config.cpu_offload", "train.offload_optimizer", TREE_CHOICE, share_choice},
    {"trainer.policy.sequence_parallel_size", "parallel.cp", TREE_WHOLE, NULL},
    MEGATRON_LAYOUT(CORE),
    {"trainer.policy.model.lora.rank", "train.lora_rank", TREE_WHOLE, NULL},
    {"trainer.policy.model.lora.alpha", "train.lora_alpha", TREE_NUMBER, NULL},
};
static const struct foreign_fixed skyrl_silent[] = {
    {"framework.name", "fsdp2"}, {"train.dtype", "bf16"},    {"train.recompute", "full"},
    {"hardware.nodes", "1"},     {"hardware.gpus_per_node", "4"}, {"train.micro_batch_size", "1"}, {NULL, NULL}};

/* The settings of main_sft, which has no groups for the trainer and the policy. */
static const char skyrl_sft[] =
    "model.path=trainer.policy.model.path strategy=trainer.strategy max_length=trainer.max_length "
    "micro_train_batch_size_per_gpu=trainer.micro_train_batch_size_per_gpu batch_size=trainer.train_batch_size "
    "placement.num_nodes=trainer.placement.num_nodes placement.num_gpus_per_node=trainer.placement.num_gpus_per_node "
    "megatron_config.tensor_model_parallel_size=" CORE "tensor_model_parallel_size "
    "megatron_config.pipeline_model_parallel_size=" CORE "pipeline_model_parallel_size "
    "megatron_config.context_parallel_size=" CORE "context_parallel_size "
    "megatron_config.expert_model_parallel_size=" CORE "expert_model_parallel_size";

static void skyrl_rule(struct foreign *im)
{
    static const char *const groups[] = {"generator", "environment", "trainer.ref", "trainer.critic",
                                         "trainer.algorithm", "trainer.micro_forward_batch_size_per_gpu",
                                         "trainer.eval_batch_size", "trainer.train_batch_size",
                                         "trainer.policy_mini_batch_size", "trainer.critic_mini_batch_size"};
    double samples = foreign_number(im, "generator.n_samples_per_prompt", 5);
    double mini = foreign_number(im, "trainer.policy_mini_batch_size", NAN);
    double answer = foreign_number(im, "generator.sampling_params.max_generate_length", 1024);
    bool is_sft = !tree_has(&im->tree, "generator") && !isfinite(mini);
    double batch = is_sft ? foreign_number(im, "trainer.train_batch_size", NAN) : mini * samples;
    if (isfinite(batch) && batch >= 1)
        foreign_set_number(im, "train.global_batch_size", batch, "trainer.train_batch_size");
    if (!is_sft)
        foreign_set_number(im, "train.seq_length", foreign_number(im, "trainer.max_prompt_length", 512) + answer,
                           "trainer.max_prompt_length");
    if (foreign_number(im, "trainer.policy.model.lora.rank", 0) > 0)
        foreign_set(im, "train.peft", "lora", "trainer.policy.model.lora.rank");
    bool is_core = foreign_is_word(im, "trainer.strategy", "megatron");
    foreign_set(im, is_core ? "parallel.sp" : "parallel.fsdp", is_core ? "true" : "full", "trainer.strategy");
    if (foreign_is_true(im, "trainer.algorithm.use_kl_loss"))
        foreign_set(im, "train.reference_model", "frozen", "trainer.algorithm.use_kl_loss");
    for (size_t i = 0; i < LENGTH(groups) && !is_sft; i++)
        tree_use(&im->tree, groups[i]);
}

static const struct foreign_format skyrl = {skyrl_rows,      LENGTH(skyrl_rows), NULL,      0,
                                            foreign_nothing, skyrl_silent,       skyrl_rule};

int skyrl_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    return foreign_read_as(&skyrl, skyrl_sft, text, size, name, out, errors);
}

/* ---- levanter: src/levanter/trainer.py and models/ at 2026-10 --------------------------------------------------- */

static const struct tree_row levanter_rows[] = {
    TREE_SIZE("model.num_layers", "model.num_layers"), TREE_SIZE("model.hidden_dim", "model.hidden_size"),
    TREE_SIZE("model.intermediate_dim", "model.ffn_hidden_size"),
    TREE_SIZE("model.num_heads", "model.num_attention_heads"),
    TREE_SIZE("model.num_kv_heads", "model.num_query_groups"), TREE_SIZE("model.head_dim", "model.kv_channels"),
    TREE_SIZE("model.n_routed_experts", "model.num_experts"),
    TREE_SIZE("model.num_experts_per_tok", "model.moe_router_topk"),
    {"model.use_bias", "model.add_bias_linear", TREE_BOOL, NULL},
    {"model.tie_word_embeddings", "model.tied_embeddings", TREE_BOOL, NULL},
    {"train_seq_len|max_train_length|max_seq_len|model.seq_len", "train.seq_length", TREE_WHOLE, NULL},
    {"model.gradient_checkpointing|trainer.gradient_checkpointing", "train.recompute", TREE_CHOICE,
     checkpointing_choice},
    {"trainer.per_device_parallelism", "train.micro_batch_size", TREE_WHOLE, NULL},
    {"trainer.train_batch_size", "train.global_batch_size", TREE_WHOLE, NULL},
    {"optimizer.type", "train.optimizer", TREE_AS(CONFIG)},
    TREE_SIZE("trainer.model_axis_size", "parallel.tp"), TREE_SIZE("lora.r", "train.lora_rank"),
    TREE_REAL("lora.alpha", "train.lora_alpha"), TREE_REAL("lora.dropout", "train.lora_dropout"),
};
static const struct foreign_fixed levanter_silent[] = {
    {"train.recompute", "full"}, {"parallel.fsdp", "full"}, {"train.global_batch_size", "512"}, {NULL, NULL}};

/* What a model's class has where the file says nothing, the first that holds (models/NAME.py at 9263f81e). */
static const struct {
    const char *types, *pairs;
} levanter_shapes[] = {
    {"gpt2", "num_layers=12 hidden_size=768 num_attention_heads=12 train.seq_length=1024 tied_embeddings=true "
             "add_bias_linear=true gated_mlp=false normalization=layernorm position_embedding=learned"},
    {"gemma gemma2 gemma3", "num_layers=18 hidden_size=2048 ffn_hidden_size=16384 num_attention_heads=8 "
                            "num_query_groups=1 kv_channels=256 tied_embeddings=true"},
    {"gemma2 gemma3", "norms_per_layer=4"},
    {"mixtral", "num_experts=8 moe_router_topk=2"},
    {"mistral mixtral", "ffn_hidden_size=14336 num_query_groups=8"},
    {"mistral mixtral gemma gemma2 gemma3", "train.seq_length=8192"},
    {"olmo2", "train.seq_length=4096 qk_norm=full"},
    {"qwen3 gemma3", "qk_norm=head"},
    {"qwen", "add_qkv_bias=true"},
    {"llama qwen qwen3 olmo2", "num_query_groups=32 ffn_hidden_size=11008 train.seq_length=2048"},
    {"llama qwen qwen3 olmo2 mistral mixtral", "num_layers=32 hidden_size=4096 num_attention_heads=32"},
    {"llama qwen qwen3 olmo2 mistral mixtral gemma gemma2 gemma3", "gated_mlp=true normalization=rmsnorm"}};

/* The tokenizer of `data: !include FILE`, and where none is named that of gpt2 (data/text.py). */
static void levanter_data(struct foreign *im)
{
    const struct tree_value *data = tree_peek(&im->tree, "data"), *named = NULL;
    const char *slash = strrchr(im->tree.file, '/'), *file = data ? data->text : "";
    struct tree tree = {0};
    struct errors unheard = {0};
    size_t size;
    char *path = xasprintf("%.*s%s", slash ? (int)(slash - im->tree.file + 1) : 0, im->tree.file, file);
    char *text = beside_read(im->out, file, &size);
    text = text || !*file ? text : beside_read(im->out, path, &size);
    if (text && tree_read(text, size, path, TREE_YAML, TREE_LENIENT, &tree, &unheard) == 0)
        named = tree_peek(&tree, "tokenizer");
    bool is_silent = !tree_has(&im->tree, "data.tokenizer") && (text || !data);
    struct keyval own = {"data.tokenizer", named ? named->text : "gpt2", IMPORT_LINE_DEFAULT};
    if (is_silent)
        tree_override(&im->tree, &(struct keyvals){&own, 1, 1});
    tree_use(&im->tree, "data");
    tree_free(&tree);
    errors_free(&unheard);
    free(path);
    free(text);
}

/* The model that a hub has, or that of the class; one that is adapted is always the hub's (main/lora_lm.py). */
static void levanter_model(struct foreign *im)
{
    bool is_hub = foreign_is_true(im, "use_hf_model_config") || tree_has(&im->tree, "lora") ||
                  (!tree_has(&im->tree, "model") && !tree_has(&im->tree, "initialize_from_hf"));
    bool is_switch = foreign_is_word(im, "initialize_from_hf", "true false");
    bool is_plain = !*foreign_text(im, "model.type"); /* a llama, which rows of its kind begin with */
    tree_use(&im->tree, "initialize_from_hf");
    const char *names = is_switch ? "model.reference_checkpoint|model_name_or_path"
                                  : "initialize_from_hf|model.reference_checkpoint|model_name_or_path";
    if (is_hub && tree_first(&im->tree, "", names)) {
        take_model(im, names);
        return;
    }
    for (size_t i = 0; i < LENGTH(levanter_shapes); i++) {
        const char *types = levanter_shapes[i].types;
        if (foreign_is_word(im, "model.type", types) || (is_plain && strncmp(types, "llama", 5) == 0))
            foreign_pairs(im, levanter_shapes[i].pairs, NULL);
    }
    if (!keyvals_last(&im->out->settings, "model.num_layers") && !keyvals_last(&im->out->defaults, "model.num_layers"))
        take_model(im, "initialize_from_hf|model.reference_checkpoint");
    levanter_data(im);
    take_vocabulary(im, tree_has(&im->tree, "tokenizer") ? "tokenizer" : "data.tokenizer");
}

/* What `p=f32,c=bfloat16` or `params=...,compute=...` says of one letter; a policy without them is for all. */
static const char *levanter_type(struct foreign *im, char what)
{
    const char *policy = foreign_text(im, "trainer.mp"), *at = strchr(policy, '=') ? NULL : policy;
    for (const char *p = policy; *p && !at; p += strcspn(p, ","), p += *p == ',')
        at = *p == what ? p : NULL;
    size_t n = at ? strcspn(at, ",") : 0;
    char *part = xstrndup(at ? at : "", n);
    const char *type = strstr(part, "bf") ? "bf16" : strstr(part, "16") ? "fp16" : "fp32";
    free(part);
    return type;
}

static void levanter_rule(struct foreign *im)
{
    double batch = foreign_number(im, "trainer.train_batch_size", 512);
    char assumed[24];
    foreign_like(im, "levanter", "maxtext");
    levanter_model(im);
    foreign_set(im, "train.main_param_dtype", levanter_type(im, 'p'), "trainer.mp");
    foreign_set(im, "train.dtype",
                tree_has(&im->tree, "trainer.quantization.fp8") ? "fp8" : levanter_type(im, 'c'), "trainer.mp");
    if (tree_has(&im->tree, "trainer.fsdp_axis") && !*foreign_text(im, "trainer.fsdp_axis"))
        foreign_set(im, "parallel.fsdp", "none", "trainer.fsdp_axis");
    if (tree_has(&im->tree, "lora")) {
        foreign_set(im, "train.peft", "lora", "lora");
        foreign_set_number(im, "train.lora_rank", foreign_number(im, "lora.r", 8), "lora.r");
        foreign_set(im, "train.lora_targets", "[all]", "lora");
    }
    snprintf(assumed, sizeof assumed, "%.0f", fmax(1, floor(batch / 8)));
    if (foreign_number(im, "trainer.per_device_parallelism", -1) < 0) /* all of the batch at once */
        import_ask(im->out, "train.micro_batch_size",
                   &(struct asked){"train_batch_size / GPUs", assumed, im->tree.file, 0, "--set micro_batch_size=N",
                                   false});
}

static const struct foreign_format levanter = {levanter_rows,   LENGTH(levanter_rows), NULL,         0,
                                               foreign_nothing, levanter_silent,       levanter_rule};
FOREIGN_READER(levanter_import, levanter)

/* ---- MaxText: src/maxtext/configs/base.yml at 2026-10 ----------------------------------------------------------- */

static const struct tree_choice jax_choice[] = {
    {"float32", "fp32"}, {"bfloat16", "bf16"}, {"float16", "fp16"}, {NULL, NULL}};
static const struct tree_choice maxtext_optimizer[] = {
    {"adamw", "adam"}, {"adam_pax", "adam"}, {"sgd", "sgd"}, {"muon", "muon"}, {NULL, NULL}};
static const struct tree_choice head_choice[] = {{"true", "head"}, {"false", "none"}, {NULL, NULL}};
static const struct tree_row maxtext_rows[] = {
    TREE_SIZE("base_num_decoder_layers", "model.num_layers"), TREE_SIZE("base_emb_dim", "model.hidden_size"),
    TREE_SIZE("base_mlp_dim", "model.ffn_hidden_size"), TREE_SIZE("base_num_query_heads", "model.num_attention_heads"),
    TREE_SIZE("base_num_kv_heads", "model.num_query_groups"), TREE_SIZE("head_dim", "model.kv_channels"),
    TREE_SIZE("vocab_size", "model.vocab_size"), TREE_FLAG("logits_via_embedding", "model.tied_embeddings"),
    TREE_SIZE("max_target_length", "train.seq_length"),
    {"weight_dtype", "train.main_param_dtype", TREE_CHOICE, jax_choice},
    {"mu_dtype|weight_dtype", "train.exp_avg_dtype", TREE_CHOICE, jax_choice},
    {"grad_dtype", "train.grad_dtype", TREE_CHOICE, jax_choice},
    {"dtype", "train.dtype", TREE_CHOICE, jax_choice},
    {"opt_type", "train.optimizer", TREE_CHOICE, maxtext_optimizer},
    {"gradient_accumulation_steps", "train.gradient_accumulation_steps", TREE_WHOLE, NULL},
    {"optimizer_memory_host_offload", "train.offload_optimizer", TREE_CHOICE, share_choice},
    {"parameter_memory_host_offload", "train.offload_params", TREE_CHOICE, share_choice},
    TREE_SIZE("q_lora_rank", "model.q_lora_rank"), TREE_SIZE("kv_lora_rank", "model.kv_lora_rank"),
    TREE_SIZE("qk_nope_head_dim", "model.qk_head_dim"), TREE_SIZE("qk_rope_head_dim", "model.qk_pos_emb_head_dim"),
    TREE_SIZE("v_head_dim", "model.v_head_dim"), TREE_SIZE("first_num_dense_layers", "model.moe_first_dense"),
    TREE_SIZE("mtp_num_layers", "model.mtp_num_layers"),
    {"use_qk_norm", "model.qk_norm", TREE_CHOICE, head_choice},
};
static const struct foreign_fixed maxtext_given[] = {{"framework.name", "maxtext"}, {NULL, NULL}};
static const struct foreign_fixed maxtext_silent[] = {
    {"train.seq_length", "2048"}, {"train.micro_batch_size", "12"}, {"train.recompute", "full"},
    {"parallel.fsdp", "full"},    {"train.dtype", "bf16"},          {NULL, NULL}};

/* The size of an axis: inside a slice times that between slices; -1 is what others leave, 0 where nothing is given. */
static double axis_size(struct foreign *im, const char *axis)
{
    char *inner = xasprintf("ici_%s_parallelism", axis), *outer = xasprintf("dcn_%s_parallelism", axis);
    const struct tree_value *written = tree_peek(&im->tree, inner);
    bool is_rest = written && strcmp(written->text, "-1") == 0, is_given = written || tree_peek(&im->tree, outer);
    double size = foreign_number(im, inner, 1) * foreign_number(im, outer, 1);
    free(inner);
    free(outer);
    return is_rest ? -1 : is_given ? size : 0;
}

/* Axes with a key of their own; one of what is left of a slice is taken for eight GPUs and asked for. */
static double take_axes(struct foreign *im)
{
    static const struct {
        const char *axis, *key;
        bool has_batch; /* ranks have samples of their own (logical_axis_rules: activation_batch) */
    } rows[] = {{"tensor", "parallel.tp", false},  {"tensor_sequence", "parallel.tp", false},
                {"pipeline", "parallel.pp", false}, {"context", "parallel.cp", false},
                {"sequence", "parallel.cp", false}, {"expert", "parallel.ep", true}};
    static const char *const shards[] = {"fsdp", "fsdp_transpose", "data"};
    double inside = 1, share = 1;
    for (size_t i = 0; i < LENGTH(rows); i++)
        inside *= fmax(1, axis_size(im, rows[i].axis));
    for (size_t i = 0; i < LENGTH(shards); i++)
        inside *= fmax(1, axis_size(im, shards[i]));
    for (size_t i = 0; i < LENGTH(rows); i++) {
        double size = axis_size(im, rows[i].axis), rest = fmax(1, floor(8 / inside));
        char assumed[24];
        snprintf(assumed, sizeof assumed, "%.0f", rest);
        if (size > 1)
            foreign_set_number(im, rows[i].key, size, rows[i].axis);
        else if (size < 0)
            import_ask(im->out, rows[i].key,
                       &(struct asked){rows[i].axis, assumed, im->tree.file, 0, "--set KEY=VALUE", false});
        share *= rows[i].has_batch ? 1 : fmax(1, size < 0 ? rest : size);
    }
    if (axis_size(im, shards[0]) == 1 && axis_size(im, shards[1]) <= 1 && axis_size(im, shards[1]) >= 0)
        foreign_set(im, "parallel.fsdp", "none", "ici_fsdp_parallelism");
    return share;
}

static void maxtext_experts(struct foreign *im)
{
    double experts = foreign_number(im, "num_experts", 1), wide = foreign_number(im, "base_moe_mlp_dim", 0);
    wide = wide > 0 ? wide : foreign_number(im, "base_mlp_dim", 0);
    if (experts <= 1)
        return;
    foreign_set_number(im, "model.num_experts", experts, "num_experts");
    foreign_set_number(im, "model.moe_router_topk", foreign_number(im, "num_experts_per_tok", 1), "num_experts");
    foreign_set_number(im, "model.moe_layer_freq", foreign_number(im, "interleave_moe_layer_step", 1), "num_experts");
    if (wide <= 0)
        return;
    foreign_set_number(im, "model.moe_ffn_hidden_size", wide, "base_moe_mlp_dim");
    foreign_set_number(im, "model.moe_shared_ffn_hidden_size", wide * foreign_number(im, "shared_experts", 0),
                       "shared_experts");
}

/* base.yml's own shape, doubled in turns (configs/types.py get_individual_scales); false where nothing is scaled. */
static bool maxtext_scaled(struct foreign *im)
{
    static const struct {
        const char *path, *key;
        int base, turn; /* the doubling of three from which a size grows */
    } rows[] = {{"base_emb_dim", "model.hidden_size", 2048, 2},
                {"base_num_query_heads", "model.num_attention_heads", 16, 1},
                {"base_num_kv_heads", "model.num_query_groups", 16, 1},
                {"base_mlp_dim", "model.ffn_hidden_size", 7168, 1},
                {"base_num_decoder_layers", "model.num_layers", 16, 3},
                {"head_dim", "model.kv_channels", 128, 99},
                {"vocab_size", "model.vocab_size", 32000, 99}};
    double scale = foreign_number(im, "global_parameter_scale", 0);
    int doublings = scale >= 1 && scale < 1e9 ? (int)floor(log2(scale)) : -1;
    if (doublings < 0 || tree_has(&im->tree, "model_name"))
        return false;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        int times = rows[i].turn > 3 ? 0 : doublings / 3 + (doublings % 3 >= rows[i].turn);
        double size = foreign_number(im, rows[i].path, rows[i].base);
        foreign_set_number(im, rows[i].key, size * (1 << times), rows[i].path);
    }
    foreign_pairs(im, "gated_mlp=true normalization=rmsnorm", "global_parameter_scale");
    return true;
}

static void maxtext_model(struct foreign *im)
{
    bool is_older = foreign_is_word(im, "decoder_block", "gpt3");
    if (!tree_has(&im->tree, "mtp_num_layers")) /* base.yml: none, whatever the model has */
        foreign_set(im, "model.mtp_num_layers", "0", "mtp_num_layers");
    if (maxtext_scaled(im))
        return;
    if (!tree_has(&im->tree, "base_num_decoder_layers"))
        take_model(im, "model_name");
    else
        tree_use(&im->tree, "model_name");
    if (!tree_has(&im->tree, "base_emb_dim"))
        return;
    double layers = foreign_number(im, "base_num_decoder_layers", 0);
    bool is_latent = foreign_is_word(im, "attention_type", "mla");
    if (is_latent)
        foreign_set(im, "model.multi_latent_attention", "true", "attention_type");
    else if (!tree_has(&im->tree, "head_dim"))
        foreign_set(im, "model.kv_channels", "128", "base_emb_dim");
    if (foreign_is_word(im, "decoder_block", "gemma2") && layers > 0) /* a window and all, counted as one */
        foreign_set_number(im, "model.num_layers", 2 * layers, "base_num_decoder_layers");
    if (layers > 0 && foreign_is_word(im, "decoder_block", "qwen3_next qwen3_5 deepseek4 gemma3 gemma4 olmo3"))
        import_ask_words(im->out, "model.num_layers",
                         &(struct asked){"layers of another kind", "", im->tree.file, 0, "--model FILE", false},
                         foreign_text(im, "base_num_decoder_layers"));
    if (foreign_is_true(im, "use_post_attn_norm") && foreign_is_true(im, "use_post_ffw_norm"))
        foreign_set(im, "model.norms_per_layer", "4", "use_post_ffw_norm");
    if (keyvals_last(&im->out->settings, "model"))
        return;
    foreign_pairs(im, is_older ? "gated_mlp=false normalization=layernorm" : "gated_mlp=true normalization=rmsnorm",
                  "decoder_block");
    foreign_pairs(im, "vocab_size=32000", NULL);
}

static void maxtext_rule(struct foreign *im)
{
    static const char *const partly[] = {"minimal", "save_", "qkv_proj", "custom"};
    const char *remat = foreign_text(im, "remat_policy");
    double each = foreign_number(im, "per_device_batch_size", 12);
    maxtext_model(im);
    maxtext_experts(im);
    foreign_set_number(im, "train.micro_batch_size", fmax(1, floor(each * take_axes(im))), "per_device_batch_size");
    for (size_t i = 0; i < LENGTH(partly); i++)
        if (strncmp(remat, partly[i], strlen(partly[i])) == 0)
            foreign_set(im, "train.recompute", "selective", "remat_policy");
    if (strcmp(remat, "none") == 0)
        foreign_set(im, "train.recompute", "none", "remat_policy");
    if (strstr(foreign_text(im, "quantization"), "fp8"))
        foreign_set(im, "train.dtype", "fp8", "quantization");
}

static const struct foreign_format maxtext = {maxtext_rows,    LENGTH(maxtext_rows), NULL,        0,
                                              maxtext_given,   maxtext_silent,       maxtext_rule};

/* Blocks that sizes describe; others have windows or layers of several kinds, which presets know. */
#define PLAIN_BLOCKS " llama2 mistral mixtral gemma gemma2 gpt3 qwen2 qwen3 qwen3_moe qwen3_custom_moe deepseek envy "

/* Adds the values of the model's own file, which counts more than a file of settings and less than the command line. */
static void maxtext_file(const struct tree *own, struct import *out, const char *model, struct keyvals *to)
{
    static const char *const folders[] = {"models/", "src/maxtext/configs/models/", "MaxText/configs/models/"};
    const struct tree_value *over = tree_peek(own, "override_model_config");
    struct tree tree = {0};
    struct errors unheard = {0};
    size_t size;
    char *text = NULL;
    for (size_t i = 0; i < LENGTH(folders) && !text; i++) {
        char *path = xasprintf("%s%s.yml", folders[i], model);
        text = beside_read(out, path, &size);
        free(path);
    }
    bool is_read = text && tree_read(text, size, model, TREE_YAML, TREE_LENIENT, &tree, &unheard) == 0;
    const struct tree_value *block = is_read ? tree_peek(&tree, "decoder_block") : NULL;
    char *word = xasprintf(" %s ", block ? block->text : "-");
    if (strstr(PLAIN_BLOCKS, word) && !tree_peek(&tree, "use_indexer"))
        for (size_t i = 0; i < tree.count; i++)
            if (!(over && tree_is_true(over) && tree_peek(own, tree.item[i].path)))
                keyvals_add(to, tree.item[i].path, tree.item[i].text, IMPORT_LINE_DEFAULT);
    free(word);
    tree_free(&tree);
    errors_free(&unheard);
    free(text);
}

int maxtext_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    struct tree own = {0};
    struct errors unheard = {0};
    struct keyvals values = {0};
    const struct keyvals *outer = out->overrides;
    const struct keyval *given = outer ? keyvals_last(outer, "model_name") : NULL;
    if (tree_read(text, size, name, tree_format(text, size), TREE_LENIENT, &own, &unheard) == 0) {
        const struct tree_value *written = tree_peek(&own, "model_name");
        const char *model = given ? given->value : written ? written->text : "";
        if (*model && !strchr(model, '/'))
            maxtext_file(&own, out, model, &values);
    }
    if (outer)
        keyvals_join(&values, outer);
    out->overrides = &values;
    int result = foreign_read(&maxtext, text, size, name, out, errors);
    out->overrides = outer;
    keyvals_free(&values);
    tree_free(&own);
    errors_free(&unheard);
    return result;
}
