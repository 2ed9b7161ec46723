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

static const struct tree_row litgpt_rows[] = {
    {"train.micro_batch_size", "train.micro_batch_size", TREE_WHOLE, NULL},
    {"train.global_batch_size", "train.global_batch_size", TREE_WHOLE, NULL},
    {"train.max_seq_length", "train.seq_length", TREE_WHOLE, NULL},
    {"train.max_tokens", "train.total_tokens", TREE_NUMBER, NULL},
    {"num_nodes", "hardware.nodes", TREE_WHOLE, NULL},
    {"devices", "hardware.gpus_per_node", TREE_WHOLE, NULL},
    {"lora_alpha", "train.lora_alpha", TREE_NUMBER, NULL},
    {"lora_dropout", "train.lora_dropout", TREE_NUMBER, NULL},
};
static const struct foreign_fixed litgpt_given[] = {{"framework.name", "litgpt"}, {NULL, NULL}};
static const struct foreign_fixed litgpt_silent[] = {
    {"train.micro_batch_size", "1"}, {"train.global_batch_size", "16"}, {"hardware.nodes", "1"}, {NULL, NULL}};

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
    bool is_lora = strstr(method, "lora") || tree_has(&im->tree, "lora_r"), is_full = strstr(method, "full") != NULL;
    const char *quantised = foreign_text(im, "quantize");
    if (!is_lora || is_full)
        return;
    foreign_set(im, "train.peft", strncmp(quantised, "bnb.nf4", 7) == 0 ? "qlora" : "lora", "lora_r");
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
    double global = foreign_number(im, "train.global_batch_size", 16);
    double micro = foreign_number(im, "train.micro_batch_size", 1);
    double steps = floor(floor(global / devices) / micro);
    if (fmod(global, micro * devices) == 0)
        return;
    foreign_set_number(im, "train.global_batch_size", fmax(1, steps) * micro * devices, "train.global_batch_size");
}

static void litgpt_rule(struct foreign *im)
{
    const char *program = foreign_text(im, "program"), *precision = foreign_text(im, "precision");
    bool is_true = strstr(precision, "-true") != NULL, is_pretrain = tree_has(&im->tree, "model_name");
    take_model(im, "checkpoint_dir|model_name|model");
    foreign_set(im, "train.dtype", strstr(precision, "16") && !strstr(precision, "bf16") ? "fp16" : "bf16",
                "precision");
    if (is_true)
        foreign_set(im, "train.main_param_dtype", "bf16", "precision");
    litgpt_adapters(im, program);
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
    {"cluster.num_nodes", "hardware.nodes", TREE_WHOLE, NULL},
    {"cluster.gpus_per_node", "hardware.gpus_per_node", TREE_WHOLE, NULL},
};
static const struct tree_row dtensor_rows[] = {
    {DTENSOR "tensor_parallel_size", "parallel.tp", TREE_WHOLE, NULL},
    {DTENSOR "context_parallel_size", "parallel.cp", TREE_WHOLE, NULL},
    {DTENSOR "expert_parallel_size", "parallel.ep", TREE_WHOLE, NULL},
    {DTENSOR "sequence_parallel", "parallel.sp", TREE_BOOL, NULL},
    {DTENSOR "activation_checkpointing", "train.recompute", TREE_CHOICE, checkpointing_choice},
    {DTENSOR "cpu_offload", "train.offload_params", TREE_CHOICE, share_choice},
    {DTENSOR "cpu_offload", "train.offload_optimizer", TREE_CHOICE, share_choice},
};
static const struct tree_row bridge_rows[] = {
    MEGATRON_LAYOUT(BRIDGE),
    {BRIDGE "num_layers_in_first_pipeline_stage", "parallel.first_stage_layers", TREE_WHOLE, NULL},
    {BRIDGE "num_layers_in_last_pipeline_stage", "parallel.last_stage_layers", TREE_WHOLE, NULL},
    {BRIDGE "distributed_data_parallel_config.grad_reduce_in_fp32", "train.grad_dtype", TREE_CHOICE, reduce_choice},
    {BRIDGE "optimizer.use_distributed_optimizer", "parallel.zero_stage", TREE_CHOICE, share_choice},
    {BRIDGE "optimizer.optimizer_offload_fraction", "train.offload_optimizer", TREE_NUMBER, NULL},
};
static const struct tree_row rollout_rows[] = {
    {GENERATION "vllm_cfg.gpu_memory_utilization", "rl.rollout_share", TREE_NUMBER, NULL},
    {GENERATION "vllm_cfg.tensor_parallel_size", "rl.rollout_tp", TREE_WHOLE, NULL},
    {"ppo.ppo_epochs", "rl.epochs", TREE_WHOLE, NULL},
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

/* A recipe is read as the file that it is based on, with its own values over that. */
int nemo_rl_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    enum { DEPTH = 6 };
    struct keyvals own = {0};
    struct errors unheard = {0};
    const struct keyvals *outer = out->overrides;
    char *folder = xstrdup(""), *base = xstrndup(text, size);
    for (int depth = 0; depth < DEPTH; depth++) {
        struct tree tree = {0};
        struct keyvals below = {0};
        char *next = NULL;
        if (tree_read(base, strlen(base), name, TREE_YAML, TREE_LENIENT, &tree, &unheard) == 0)
            next = read_defaults(&tree, out, &folder, &size);
        for (size_t i = 0; next && i < tree.count; i++)
            if (strcmp(tree.item[i].path, "defaults") != 0)
                keyvals_add(&below, tree.item[i].path, tree.item[i].is_null ? "null" : tree.item[i].text,
                            tree.item[i].line);
        tree_free(&tree);
        if (!next)
            break;
        keyvals_join(&below, &own);
        keyvals_free(&own);
        own = below;
        free(base);
        base = next;
    }
    if (outer)
        keyvals_join(&own, outer);
    out->overrides = &own;
    int result = foreign_read(&rl, base, strlen(base), name, out, errors);
    out->overrides = outer;
    keyvals_free(&own);
    errors_free(&unheard);
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
    {"distributed.tp_size", "parallel.tp", TREE_WHOLE, NULL},
    {"distributed.cp_size", "parallel.cp", TREE_WHOLE, NULL},
    {"distributed.pp_size", "parallel.pp", TREE_WHOLE, NULL},
    {"distributed.ep_size", "parallel.ep", TREE_WHOLE, NULL},
    {"distributed.sequence_parallel", "parallel.sp", TREE_BOOL, NULL},
    {"distributed.activation_checkpointing", "train.recompute", TREE_CHOICE, layers_choice},
    {"benchmark.num_nodes", "hardware.nodes", TREE_WHOLE, NULL},
    {"compile.enabled", "framework.compile", TREE_BOOL, NULL},
    {"optimizer._target_", "train.optimizer", TREE_AS(TRAINER)},
    {"peft._target_", "train.peft", TREE_CHOICE, adapter_choice},
    {"quantization.load_in_4bit", "train.peft", TREE_CHOICE, quantised_choice},
    {"peft.dim", "train.lora_rank", TREE_WHOLE, NULL},
    {"peft.alpha", "train.lora_alpha", TREE_NUMBER, NULL},
    {"peft.dropout", "train.lora_dropout", TREE_NUMBER, NULL},
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
    {"model.num_layers", "model.num_layers", TREE_WHOLE, NULL},
    {"model.hidden_dim", "model.hidden_size", TREE_WHOLE, NULL},
    {"model.intermediate_dim", "model.ffn_hidden_size", TREE_WHOLE, NULL},
    {"model.num_heads", "model.num_attention_heads", TREE_WHOLE, NULL},
    {"model.num_kv_heads", "model.num_query_groups", TREE_WHOLE, NULL},
    {"model.tie_word_embeddings", "model.tied_embeddings", TREE_BOOL, NULL},
    {"model.seq_len|train_seq_len|max_seq_len", "train.seq_length", TREE_WHOLE, NULL},
    {"model.gradient_checkpointing|trainer.gradient_checkpointing", "train.recompute", TREE_CHOICE,
     checkpointing_choice},
    {"trainer.per_device_parallelism", "train.micro_batch_size", TREE_WHOLE, NULL},
    {"trainer.train_batch_size", "train.global_batch_size", TREE_WHOLE, NULL},
    {"optimizer.type", "train.optimizer", TREE_AS(CONFIG)},
    {"trainer.model_axis_size|trainer.tensor_parallel_axes", "parallel.tp", TREE_WHOLE, NULL},
};
static const struct foreign_fixed levanter_silent[] = {
    {"train.recompute", "full"}, {"parallel.fsdp", "full"}, {"train.dtype", "bf16"}, {NULL, NULL}};

static void levanter_rule(struct foreign *im)
{
    const char *type = foreign_text(im, "model.type");
    bool is_gpt2 = strcmp(type, "gpt2") == 0 || !*type;
    foreign_like(im, "levanter", "maxtext");
    if (!tree_has(&im->tree, "model.num_layers"))
        take_model(im, "initialize_from_hf|model.reference_checkpoint");
    if (tree_has(&im->tree, "model.num_layers"))
        take_vocabulary(im, "data.tokenizer");
    foreign_set(im, "model.gated_mlp", is_gpt2 ? "false" : "true", "model.type");
    foreign_set(im, "model.normalization", is_gpt2 ? "layernorm" : "rmsnorm", "model.type");
    foreign_set(im, "model.position_embedding", is_gpt2 ? "learned" : "rope", "model.type");
    foreign_set(im, "model.add_bias_linear", is_gpt2 ? "true" : "false", "model.type");
    if (strstr(foreign_text(im, "trainer.mp"), "f16") && !strstr(foreign_text(im, "trainer.mp"), "bf16"))
        foreign_set(im, "train.dtype", "fp16", "trainer.mp");
}

static const struct foreign_format levanter = {levanter_rows,   LENGTH(levanter_rows), NULL,         0,
                                               foreign_nothing, levanter_silent,       levanter_rule};
FOREIGN_READER(levanter_import, levanter)

/* ---- MaxText: src/maxtext/configs/base.yml at 2026-10 ----------------------------------------------------------- */

static const struct tree_row maxtext_rows[] = {
    {"base_num_decoder_layers", "model.num_layers", TREE_WHOLE, NULL},
    {"base_emb_dim", "model.hidden_size", TREE_WHOLE, NULL},
    {"base_mlp_dim", "model.ffn_hidden_size", TREE_WHOLE, NULL},
    {"base_num_query_heads", "model.num_attention_heads", TREE_WHOLE, NULL},
    {"base_num_kv_heads", "model.num_query_groups", TREE_WHOLE, NULL},
    {"head_dim", "model.kv_channels", TREE_WHOLE, NULL},
    {"vocab_size", "model.vocab_size", TREE_WHOLE, NULL},
    {"logits_via_embedding", "model.tied_embeddings", TREE_BOOL, NULL},
    {"max_target_length", "train.seq_length", TREE_WHOLE, NULL},
    {"weight_dtype", "train.main_param_dtype", TREE_AS(TORCH)},
};
static const struct foreign_fixed maxtext_given[] = {{"framework.name", "maxtext"}, {NULL, NULL}};
static const struct foreign_fixed maxtext_silent[] = {
    {"train.seq_length", "2048"}, {"train.micro_batch_size", "12"}, {"train.recompute", "full"},
    {"parallel.fsdp", "full"},    {"train.dtype", "bf16"},          {NULL, NULL}};

/* An axis is its size inside a slice times that between slices; -1 is what is left. */
static void take_axis(struct foreign *im, const char *axis, const char *key)
{
    char *inner = xasprintf("ici_%s_parallelism", axis), *outer = xasprintf("dcn_%s_parallelism", axis);
    double size = foreign_number(im, inner, 1) * foreign_number(im, outer, 1);
    if (size > 1)
        foreign_set_number(im, key, size, inner);
    free(inner);
    free(outer);
}

static void maxtext_rule(struct foreign *im)
{
    static const char *const partly[] = {"minimal", "save_dot", "save_qkv", "qkv_proj", "custom"};
    const char *remat = foreign_text(im, "remat_policy");
    double each = foreign_number(im, "per_device_batch_size", 12);
    if (!tree_has(&im->tree, "base_num_decoder_layers"))
        take_model(im, "model_name");
    foreign_set_number(im, "train.micro_batch_size", fmax(1, each), "per_device_batch_size");
    take_axis(im, "tensor", "parallel.tp");
    take_axis(im, "pipeline", "parallel.pp");
    take_axis(im, "context", "parallel.cp");
    take_axis(im, "expert", "parallel.ep");
    for (size_t i = 0; i < LENGTH(partly); i++)
        if (strncmp(remat, partly[i], strlen(partly[i])) == 0)
            foreign_set(im, "train.recompute", "selective", "remat_policy");
    if (foreign_number(im, "num_experts", 1) > 1)
        foreign_set_number(im, "model.num_experts", foreign_number(im, "num_experts", 1), "num_experts");
    if (foreign_number(im, "base_moe_mlp_dim", 0) > 0)
        foreign_set_number(im, "model.moe_ffn_hidden_size", foreign_number(im, "base_moe_mlp_dim", 0),
                           "base_moe_mlp_dim");
    if (foreign_number(im, "num_experts_per_tok", 1) > 1)
        foreign_set_number(im, "model.moe_router_topk", foreign_number(im, "num_experts_per_tok", 1),
                           "num_experts_per_tok");
    if (strstr(foreign_text(im, "quantization"), "fp8"))
        foreign_set(im, "train.dtype", "fp8", "quantization");
}

static const struct foreign_format maxtext = {maxtext_rows,    LENGTH(maxtext_rows), NULL,        0,
                                              maxtext_given,   maxtext_silent,       maxtext_rule};
FOREIGN_READER(maxtext_import, maxtext)
