/*
 * src/import/verl.c - verl at b178a3cd: the training step of the actor with the rollout around it, or supervised
 * fine-tuning.
 */
#include "core/base.h"
#include "src/import/foreign.h"
#include "src/import/foreign_read.h"
#include "src/import/import.h"
#include "src/import/rollout.h"
#include "src/text/errors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROLLOUT  "actor_rollout_ref.rollout."
#define ACTOR    "actor_rollout_ref.actor."
#define MEGATRON ACTOR "megatron."
#define MODEL    "actor_rollout_ref.model."
#define HYBRID   ACTOR "optim.override_optimizer_config."

/* Without kernels of its own it takes flash_attn's cross entropy, in place (verl/utils/torch_functional.py). */
static const struct tree_choice fused_choice[] = {{"true", "chunked"}, {"false", "te_fused"}, {NULL, NULL}};

/* ---- reinforcement learning ------------------------------------------------------------------------------------- */

static const struct tree_row actor_rows[] = {
    {ACTOR "ppo_micro_batch_size_per_gpu", "train.micro_batch_size", TREE_WHOLE, NULL},
    {MODEL "use_fused_kernels", "train.cross_entropy", TREE_CHOICE, fused_choice},
    TREE_REAL(MODEL "lora_alpha", "train.lora_alpha"), TREE_REAL(ROLLOUT "gpu_memory_utilization", "rl.rollout_share"),
    TREE_SIZE(ROLLOUT "tensor_model_parallel_size", "rl.rollout_tp"), TREE_SIZE(ROLLOUT "n", "rl.answers"),
    TREE_SIZE(ROLLOUT "log_prob_max_token_len_per_gpu", "rl.logprob_tokens"),
    TREE_SIZE("data.max_prompt_length", "rl.max_prompt"), TREE_SIZE("data.max_response_length", "rl.max_answer"),
    TREE_SIZE(ACTOR "ppo_epochs", "rl.epochs"),
    {ACTOR "fsdp_config.param_offload|" MEGATRON "param_offload", "rl.param_offload", TREE_BOOL, NULL},
    {ACTOR "fsdp_config.optimizer_offload|" MEGATRON "optimizer_offload", "rl.optimizer_offload", TREE_BOOL, NULL},
    TREE_SIZE("trainer.nnodes", "hardware.nodes"), TREE_SIZE("trainer.n_gpus_per_node", "hardware.gpus_per_node"),
};
static const struct tree_row fsdp_rows[] = {
    {MODEL "enable_gradient_checkpointing", "train.recompute", TREE_CHOICE, checkpointing_choice},
    {MODEL "enable_activation_offload", "train.offload_activations", TREE_CHOICE, share_choice},
    {ACTOR "ulysses_sequence_parallel_size", "parallel.cp", TREE_WHOLE, NULL},
    {ACTOR "fsdp_config.offload_policy", "train.offload_params", TREE_CHOICE, share_choice},
    {ACTOR "fsdp_config.offload_policy", "train.offload_optimizer", TREE_CHOICE, share_choice},
};
static const struct tree_row megatron_rows[] = {
    MEGATRON_LAYOUT(MEGATRON),
    MEGATRON_RECOMPUTE(MEGATRON "override_transformer_config."),
    {MEGATRON "override_transformer_config.num_layers_in_first_pipeline_stage", "parallel.first_stage_layers",
     TREE_WHOLE, NULL},
    {MEGATRON "override_transformer_config.num_layers_in_last_pipeline_stage", "parallel.last_stage_layers", TREE_WHOLE,
     NULL},
};
static const struct foreign_fixed actor_silent[] = {
    {"hardware.nodes", "1"}, {"hardware.gpus_per_node", "8"}, {"train.dtype", "bf16"},
    {"train.cross_entropy", "te_fused"}, {"rl.answers", "1"}, {"rl.max_prompt", "512"}, {"rl.max_answer", "512"},
    {NULL, NULL}};
static const struct foreign_fixed megatron_silent[] = {
    {"parallel.tp", "1?"}, {"parallel.pp", "1"}, {"parallel.sp", "true"}, {"parallel.zero_stage", "1"}, {NULL, NULL}};
static const struct foreign_fixed megatron_checkpoint[] = {{"train.recompute", "none?"}, {NULL, NULL}};
static const struct foreign_fixed fsdp_silent[] = {{"train.recompute", "full?"}, {NULL, NULL}};

/*
 * Micro-batches of as many samples as come nearest to their tokens, since shorter ones fill them: the last one may be
 * smaller, here all of them are as large.
 */
static void take_packed(struct foreign *im, double samples, double batch, double ranks)
{
    double world = foreign_number(im, "trainer.nnodes", 1) * foreign_number(im, "trainer.n_gpus_per_node", 8);
    double tensor = foreign_number(im, MEGATRON "tensor_model_parallel_size", 1);
    double stages = foreign_number(im, MEGATRON "pipeline_model_parallel_size", 1);
    double each = batch / fmax(1, floor(world / (ranks * tensor * stages))); /* samples of a replica */
    double micro = fmin(samples, fmax(1, ceil(each)));
    foreign_set_number(im, "train.micro_batch_size", micro, ACTOR "ppo_max_token_len_per_gpu");
    if (fmod(each, micro) == 0)
        return;
    double filled = ceil(each / micro) * micro * batch / each;
    foreign_set_number(im, "train.global_batch_size", filled, ACTOR "ppo_mini_batch_size");
    errors_note(im->tree.errors, im->tree.file, tree_line(&im->tree, ACTOR "ppo_max_token_len_per_gpu"),
                ACTOR "use_dynamic_bsz",
                "fills micro-batches by tokens; %.0f samples are counted as %.0f in equal ones", batch, filled);
}

/*
 * The batch of a step: prompts of a mini-batch with all their answers; tokens of a micro-batch where a number of them
 * is given.
 */
static void take_batches(struct foreign *im)
{
    double s = foreign_number(im, "data.max_prompt_length", 512) + foreign_number(im, "data.max_response_length", 512);
    double batch = fmin(foreign_number(im, ACTOR "ppo_mini_batch_size", 256),
                        foreign_number(im, "data.train_batch_size", 1024)) *
                   foreign_number(im, ROLLOUT "n", 1);
    double ranks = foreign_number(im, ACTOR "ulysses_sequence_parallel_size",
                                  foreign_number(im, MEGATRON "context_parallel_size", 1));
    double tokens = foreign_number(im, ACTOR "ppo_max_token_len_per_gpu", 16384) * ranks;
    foreign_set_number(im, "train.seq_length", s, "data.max_response_length");
    foreign_set_number(im, "train.global_batch_size", batch, ACTOR "ppo_mini_batch_size");
    if (foreign_is_true(im, ACTOR "use_dynamic_bsz"))
        take_packed(im, fmax(1, round(tokens / s)), batch, ranks);
    else if (!(foreign_number(im, ACTOR "ppo_micro_batch_size_per_gpu", 0) >= 1))
        import_ask(im->out, "train.micro_batch_size",
                   &(struct asked){ACTOR "ppo_micro_batch_size_per_gpu", "1", im->tree.file, 0,
                                   "--set micro_batch_size=N", false});
    if (!foreign_is_true(im, ACTOR "use_dynamic_bsz") && foreign_is_true(im, MODEL "use_remove_padding"))
        foreign_set(im, "train.packing", "padding_free", MODEL "use_remove_padding");
}

/* How FSDP spreads the weights, and in which type it keeps them. */
static void take_fsdp(struct foreign *im, const char *group, const char *dtype, const char *reshard)
{
    double size = foreign_number(im, group, -1);
    foreign_set(im, "parallel.fsdp",
                size > 1                                ? "hybrid"
                : foreign_is_word(im, reshard, "false") ? "shard_grad_op"
                                                        : "full",
                group);
    if (size > 1)
        foreign_set_number(im, "parallel.shard_group", size, group);
    if (foreign_is_word(im, dtype, "bf16 bfloat16"))
        foreign_set(im, "train.main_param_dtype", "bf16", dtype);
}

static void take_adapters(struct foreign *im, const char *rank, const char *targets)
{
    double r = foreign_number(im, rank, 0);
    const char *list = foreign_text(im, targets);
    if (r < 1)
        return;
    foreign_set(im, "train.peft", "lora", rank);
    foreign_set_number(im, "train.lora_rank", r, rank);
    foreign_set(im, "train.lora_targets", !*list || strstr(list, "all") ? "[all]" : list, targets);
}

/*
 * Settings that are newer than 072fc9fee of April 2025 (0.4.0): before it, every run had a reference model
 * (trainer/main_ppo.py).
 */
static bool is_since_reference(struct foreign *im)
{
    static const char newer[] =
        " use_kl_in_reward clip_ratio_low clip_ratio_high clip_ratio_c loss_agg_mode norm_adv_by_std_in_grpo "
        "policy_loss use_fused_kernels enable_activation_offload offload_policy model_dtype reshard_after_forward "
        "forward_prefetch multi_turn agent calculate_log_probs layered_summon engine_kwargs data_parallel_size "
        "rollout_correction rollout_is filter_groups entropy_checkpointing entropy_from_logits_with_chunking "
        "use_legacy_worker_impl override_transformer_config use_dist_checkpointing expert_model_parallel_size "
        "use_shm reward_fn_key filter_overlong_prompts_workers rollout_data_dir lora_rank use_mbridge "
        "checkpoint_engine ";
    for (size_t i = 0; i < im->tree.count; i++) {
        const char *last = strrchr(im->tree.item[i].path, '.');
        char word[80];
        snprintf(word, sizeof word, " %s ", last ? last + 1 : im->tree.item[i].path);
        if (strstr(newer, word) || strstr(im->tree.item[i].path, ".multi_turn."))
            return true;
    }
    return foreign_is_word(im, ACTOR "strategy", "fsdp2");
}

/* The reference model: for a KL term; in early releases, and in EasyR1 without disable_kl, always. */
static void take_reference(struct foreign *im)
{
    bool has_adapters = foreign_number(im, MODEL "lora_rank", 0) >= 1; /* their base is the reference */
    bool is_easy = tree_has(&im->tree, "worker") || tree_has(&im->tree, "algorithm.disable_kl");
    bool is_needed = is_easy ? !foreign_is_true(im, "algorithm.disable_kl")
                             : foreign_is_true(im, ACTOR "use_kl_loss") ||
                                   foreign_is_true(im, "algorithm.use_kl_in_reward");
    if (is_needed || is_easy || is_since_reference(im))
        foreign_set(im, "rl.reference", !is_needed ? "none" : has_adapters ? "lora" : "full", ACTOR "use_kl_loss");
    else
        import_ask(im->out, "rl.reference",
                   &(struct asked){"verl before 0.4",
                                   tree_has(&im->tree, "algorithm.kl_ctrl.kl_coef") ? "full" : "none", im->tree.file,
                                   0, "--set rl.reference=full", false});
}

/* The iteration around the actor's step: how many answers, which models, and what the engine frees. */
static void take_iteration(struct foreign *im)
{
    double answers = foreign_number(im, ROLLOUT "n", 1);
    const char *estimator = foreign_text(im, "algorithm.adv_estimator"), *config = foreign_text(im, "config_name");
    bool is_ppo = !*estimator && (!*config || strncmp(config, "ppo", strlen("ppo")) == 0); /* which has gae */
    foreign_set(im, "workload", "rl", "algorithm.adv_estimator");
    foreign_set(im, "rl.program", "verl", "algorithm.adv_estimator");
    foreign_set(im, "rl.algorithm", is_ppo ? "ppo" : rollout_algorithm(estimator), "algorithm.adv_estimator");
    if (foreign_is_word(im, "critic.enable", "false"))
        foreign_set(im, "rl.critic", "false", "critic.enable");
    take_reference(im);
    foreign_set_number(im, "rl.samples", foreign_number(im, "data.train_batch_size", 1024) * answers,
                       "data.train_batch_size");
    if (foreign_is_word(im, ROLLOUT "free_cache_engine", "false"))
        foreign_set(im, "rl.sleep_level", "0", ROLLOUT "free_cache_engine");
}

/* The model at a path; a hole of a template is asked for by what stands there. */
static void take_model(struct foreign *im, const char *path)
{
    const struct tree_value *written = tree_peek(&im->tree, path);
    const char *name = foreign_text(im, path);
    if (*name)
        foreign_set(im, "model", name, path);
    else
        import_ask(im->out, "model.num_layers",
                   &(struct asked){written && *written->text ? written->text : path, "", im->tree.file, 0,
                                   "--model NAME", false});
}

/* A group of settings that verl does not have marks a fork, which may train differently. */
static void doubt_fork(struct foreign *im)
{
    static const char *const groups[] = {
        "data", "actor_rollout_ref", "critic", "reward_model", "reward", "algorithm", "trainer", "worker", "ray_init",
        "ray_kwargs", "custom_reward_function", "reward_manager", "global_profiler", "transfer_queue", "hydra"};
    for (size_t i = 0; i < im->tree.count; i++) {
        const struct tree_value *it = &im->tree.item[i];
        size_t n = strcspn(it->path, "."), k = 0;
        while (k < LENGTH(groups) && (strncmp(groups[k], it->path, n) != 0 || groups[k][n]))
            k++;
        if (!it->path[n] || k < LENGTH(groups))
            continue;
        keyvals_add(&im->out->unread, "framework.name", it->path, it->line);
        return;
    }
}

static void take_actor(struct foreign *im)
{
    bool is_megatron = strstr(foreign_text(im, "config_name"), "megatron") ||
                       foreign_is_word(im, ACTOR "strategy", "megatron") ||
                       tree_has(&im->tree, "actor_rollout_ref.actor.megatron");
    foreign_set(im, "framework.name", is_megatron ? "megatron-core" : "fsdp2", ACTOR "strategy");
    take_model(im, MODEL "path");
    take_batches(im);
    if (is_megatron) {
        tree_apply(&im->tree, "", megatron_rows, LENGTH(megatron_rows), im->out);
        foreign_silent(im, megatron_silent);
        if (foreign_is_true(im, HYBRID "optimizer_cpu_offload"))
            foreign_set_number(im, "train.offload_optimizer",
                               foreign_number(im, HYBRID "optimizer_offload_fraction", 1),
                               HYBRID "optimizer_offload_fraction");
        tree_use(&im->tree, MEGATRON "grad_offload"); /* with the weights */
        if (foreign_is_true(im, MODEL "enable_gradient_checkpointing")) /* without Megatron's own: by release */
            foreign_silent(im, megatron_checkpoint);
    } else {
        tree_apply(&im->tree, "", fsdp_rows, LENGTH(fsdp_rows), im->out);
        foreign_silent(im, fsdp_silent);
        take_fsdp(im, ACTOR "fsdp_config.fsdp_size", ACTOR "fsdp_config.model_dtype",
                  ACTOR "fsdp_config.reshard_after_forward");
    }
    if (foreign_number(im, ACTOR "ulysses_sequence_parallel_size", 1) > 1)
        foreign_set(im, "parallel.cp_comm", "a2a", ACTOR "ulysses_sequence_parallel_size");
    take_adapters(im, MODEL "lora_rank", MODEL "target_modules");
    bool is_whole = foreign_number(im, ACTOR "ulysses_sequence_parallel_size", 1) == 1;
    if (foreign_number(im, MODEL "lora_rank", 0) >= 1 && !is_megatron && is_whole) /* peft's layers */
        foreign_set(im, "framework.name", "hf-trainer", MODEL "lora_rank");
    take_iteration(im);
    doubt_fork(im);
    tree_use(&im->tree, "actor_rollout_ref.rollout"); /* the engine's own settings */
    tree_use(&im->tree, "actor_rollout_ref.ref");
    tree_use(&im->tree, "program");
}

static const struct foreign_format actor = {actor_rows,      LENGTH(actor_rows), NULL,      0,
                                            foreign_nothing, actor_silent,       take_actor};
FOREIGN_READER(verl_import, actor)

/* hiyouga/EasyR1 verl/workers/config.py and examples/config.yaml at 2026-11: verl's actor under other names */
#define EASY "worker.actor."
static const char easy_names[] = /* clang-format off */
    EASY "model.model_path=" MODEL "path "
    EASY "model.enable_gradient_checkpointing=" MODEL "enable_gradient_checkpointing "
    EASY "model.lora.rank=" MODEL "lora_rank "
    EASY "model.lora.alpha=" MODEL "lora_alpha "
    EASY "model.lora.target_modules=" MODEL "target_modules "
    EASY "global_batch_size=" ACTOR "ppo_mini_batch_size "
    EASY "micro_batch_size_per_device_for_update=" ACTOR "ppo_micro_batch_size_per_gpu "
    EASY "ulysses_size=" ACTOR "ulysses_sequence_parallel_size "
    EASY "ppo_epochs=" ACTOR "ppo_epochs "
    EASY "fsdp.fsdp_size=" ACTOR "fsdp_config.fsdp_size "
    EASY "fsdp.torch_dtype=" ACTOR "fsdp_config.model_dtype "
    EASY "fsdp.enable_full_shard=" ACTOR "fsdp_config.reshard_after_forward "
    EASY "fsdp.enable_cpu_offload=" ACTOR "fsdp_config.offload_policy "
    EASY "offload.offload_params=" ACTOR "fsdp_config.param_offload "
    EASY "offload.offload_optimizer=" ACTOR "fsdp_config.optimizer_offload "
    "algorithm.use_kl_loss=" ACTOR "use_kl_loss "
    "data.rollout_batch_size=data.train_batch_size "
    "worker.rollout.n=" ROLLOUT "n "
    "worker.rollout.gpu_memory_utilization=" ROLLOUT "gpu_memory_utilization "
    "worker.rollout.tensor_parallel_size=" ROLLOUT "tensor_model_parallel_size"; /* clang-format on */

int easy_r1_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    return foreign_read_as(&actor, easy_names, text, size, name, out, errors);
}

/* ---- supervised fine-tuning ------------------------------------------------------------------------------------- */

static const struct tree_row sft_rows[] = {
    TREE_SIZE("data.micro_batch_size_per_gpu|data.micro_batch_size", "train.micro_batch_size"),
    TREE_SIZE("data.train_batch_size", "train.global_batch_size"), TREE_SIZE("data.max_length", "train.seq_length"),
    {"model.enable_gradient_checkpointing", "train.recompute", TREE_CHOICE, checkpointing_choice},
    {"ulysses_sequence_parallel_size|engine.ulysses_sequence_parallel_size", "parallel.cp", TREE_WHOLE, NULL},
    {"model.lora_alpha", "train.lora_alpha", TREE_NUMBER, NULL},
};
static const struct foreign_fixed sft_given[] = {{"framework.name", "fsdp2"}, {NULL, NULL}};
static const struct foreign_fixed sft_silent[] = {
    {"train.micro_batch_size", "4"}, {"train.global_batch_size", "256"}, {"train.seq_length", "1024"},
    {"train.recompute", "full?"}, {"train.dtype", "bf16"}, {NULL, NULL}};

static void take_sft(struct foreign *im)
{
    take_model(im, tree_has(&im->tree, "model.path") ? "model.path" : "model.partial_pretrain");
    take_fsdp(im, "model.fsdp_config.fsdp_size", "model.fsdp_config.model_dtype",
              "model.fsdp_config.reshard_after_forward");
    take_adapters(im, "model.lora_rank", "model.target_modules");
    if (foreign_is_true(im, "model.fsdp_config.cpu_offload")) {
        foreign_set(im, "train.offload_params", "1", "model.fsdp_config.cpu_offload");
        foreign_set(im, "train.offload_optimizer", "1", "model.fsdp_config.cpu_offload");
    }
    if (foreign_number(im, "ulysses_sequence_parallel_size", 1) > 1)
        foreign_set(im, "parallel.cp_comm", "a2a", "ulysses_sequence_parallel_size");
}

static const struct foreign_format sft = {sft_rows, LENGTH(sft_rows), NULL, 0, sft_given, sft_silent, take_sft};
FOREIGN_READER(verl_sft_import, sft)
