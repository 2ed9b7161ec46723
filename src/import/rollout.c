/* TRL f2cd57710 grpo_config.py, ms-swift 3602360a5, OpenRLHF 3c3be623 cli/train_ppo_ray.py. */
#include "src/import/rollout.h"

#include "core/base.h"
#include "src/import/import.h"
#include "src/import/table.h"
#include "src/text/text.h"
#include "src/text/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct tree_row rows[] = {
    TREE_REAL("vllm_gpu_memory_utilization|vllm.gpu_memory_utilization", "rl.rollout_share"),
    TREE_SIZE("vllm_tensor_parallel_size|vllm.tensor_parallel_size", "rl.rollout_tp"),
    TREE_SIZE("num_generations|n_samples_per_prompt|rollout.n_samples_per_prompt", "rl.answers"),
    TREE_SIZE("num_iterations|num_ppo_epochs|max_epochs|train.max_epochs", "rl.epochs"),
    TREE_SIZE("sleep_level", "rl.sleep_level"), TREE_SIZE("generation_batch_size", "rl.samples"),
    TREE_FLAG("offload_model", "rl.param_offload"), TREE_SIZE("actor_num_nodes|actor.num_nodes", "hardware.nodes"),
    TREE_SIZE("actor_num_gpus_per_node|actor.num_gpus_per_node", "hardware.gpus_per_node"),
};

/* Settings that go by a key of the training step, or change neither memory nor time. */
static const char *const passed[] = {
    "use_vllm", "vllm_mode", "vllm_device", "vllm_num_engines", "vllm.num_engines", "vllm_max_model_len", "beta",
    "init_kl_coef",
    "temperature", "top_p", "top_k", "reward_funcs", "reward_weights", "reward_pretrain", "remote_rm_url",
    "critic_num_nodes", "critic_num_gpus_per_node", "ref_num_nodes", "ref_num_gpus_per_node", "reward_num_nodes",
    "reward_num_gpus_per_node", "critic_pretrain", "vllm_sync_backend", "enforce_eager", "loss_type", "epsilon",
    "num_episodes", "max_samples", "normalize_reward", "eps_clip", "critic_learning_rate", "actor_learning_rate",
    "vllm.enforce_eager", "train.dynamic_batch_enable", "train.colocate_actor_ref", "move_model_batches",
    "steps_per_generation", "advantage_estimator", "overlong_filter", "algo.dynamic_filtering_enable",
    "algo.dynamic_filtering_range", "algo.advantage", "ref", "ckpt", "actor.adam", "critic", "rlhf_type", "max_length",
    "offload_optimizer", "offload_bridge", "importance_sampling_level"};

static const char *text_of(struct tree *tree, const char *paths)
{
    const struct tree_value *value = tree_first(tree, "", paths);
    return value ? value->text : "";
}

static bool is_on(struct tree *tree, const char *paths)
{
    return tree_is_true(tree_first(tree, "", paths));
}

static double number_of(struct tree *tree, const char *paths, double otherwise)
{
    char *end;
    const char *text = text_of(tree, paths);
    double value = strtod(text, &end);
    return end != text && isfinite(value) ? value : otherwise;
}

static void set(struct import *out, const char *key, const char *value)
{
    keyvals_add(&out->settings, key, value, 0);
}

static bool is_openrlhf(struct tree *tree)
{
    return strstr(text_of(tree, "program"), "openrlhf") || tree_has(tree, "n_samples_per_prompt") ||
           tree_has(tree, "rollout.n_samples_per_prompt") || tree_has(tree, "actor_num_gpus_per_node");
}

static bool is_swift(struct tree *tree)
{
    return strstr(text_of(tree, "program"), "swift") || tree_has(tree, "rlhf_type") ||
           tree_has(tree, "sleep_level") || tree_has(tree, "offload_model");
}

/* ---- who frees what ---------------------------------------------------------------------------------------------- */

const char *rollout_algorithm(const char *estimator)
{
    static const char *const names[][2] = {{"ppo", "ppo"}, {"gae", "ppo"}, {"reinforce", "reinforce"},
                                           {"rloo", "reinforce"}, {"remax", "reinforce"}, {"online", "online_dpo"},
                                           {"nash", "online_dpo"}, {"xpo", "online_dpo"}};
    for (size_t i = 0; i < LENGTH(names); i++)
        if (strstr(estimator, names[i][0]))
            return names[i][1];
    return "grpo";
}

/*
 * Micro-batches that are filled up to a number of tokens, for the update and for log-probabilities
 * (cli/train_ppo_ray.py). Each rank of a ring holds its share.
 */
static void read_dynamic(struct tree *tree, struct import *out, double length)
{
    double ranks = number_of(tree, "ring_attn_size|ds.ring_attn_size", 1);
    double tokens = number_of(tree, "train_max_tokens_per_gpu|train.max_tokens_per_gpu", 16192);
    double rollout = number_of(tree, "rollout_max_tokens_per_gpu|rollout.max_tokens_per_gpu", tokens);
    if (!is_on(tree, "use_dynamic_batch|train.dynamic_batch_enable"))
        return;
    keyvals_number(&out->settings, "train.micro_batch_size", fmax(1, round(tokens * ranks / length)), 0);
    keyvals_number(&out->settings, "rl.logprob_tokens", rollout, 0);
}

/* The GPUs of a model with GPUs of its own. */
static double gpus_of(struct tree *tree, const char *role)
{
    char *nodes = xasprintf("%s_num_nodes|%s.num_nodes", role, role),
         *each = xasprintf("%s_num_gpus_per_node|%s.num_gpus_per_node", role, role);
    double gpus = number_of(tree, nodes, 1) * number_of(tree, each, 8);
    free(nodes);
    free(each);
    return gpus;
}

/*
 * A reference on GPUs of its own takes 2 bytes a weight there; the actor some 16, or few where the optimizer is on the
 * host. Where its GPUs are so few that they may be the fullest, the verdict on the actor's is open.
 */
static void place_reference(struct tree *tree, struct import *out)
{
    bool is_few = gpus_of(tree, "ref") < gpus_of(tree, "actor") * (is_on(tree, "offload_optimizer") ? 1 : 2.0 / 16);
    set(out, "rl.reference", "none");
    keyvals_drop(&out->settings, "train.reference_model");
    if (is_few)
        import_ask(out, "train.reference_model", &(struct asked){"GPUs of the reference", "none", tree->file, 0,
                                                                 "--set train.reference_model=frozen", false});
    else
        set(out, "train.reference_model", "none");
}

/*
 * Engines share the GPUs with colocate_all, but not where both run at the same time; a critic and a reference that are
 * not colocated have GPUs of their own.
 */
static void read_openrlhf(struct tree *tree, struct import *out)
{
    bool sleeps = is_on(tree, "deepspeed_enable_sleep|ds.enable_sleep");
    bool is_shared = is_on(tree, "colocate_all_models|train.colocate_all|colocate_all");
    bool is_async = is_on(tree, "async_train|train.async_enable");
    double prompts = number_of(tree, "rollout_batch_size|rollout.batch_size", 1024),
           answers = number_of(tree, "n_samples_per_prompt|rollout.n_samples_per_prompt", 1);
    const char *estimator = text_of(tree, "advantage_estimator|algo.advantage.estimator|algo.advantage_estimator");
    bool has_critic = !*estimator || strcmp(estimator, "gae") == 0;
    set(out, "rl.program", "openrlhf");
    set(out, "rl.algorithm", has_critic ? "ppo" : rollout_algorithm(estimator));
    set(out, "rl.placement", is_shared && !is_async ? "colocate" : "split");
    set(out, "rl.sleep_level", is_on(tree, "vllm_enable_sleep|vllm.enable_sleep") ? "1" : "0");
    if (has_critic && !is_shared && gpus_of(tree, "critic") < gpus_of(tree, "actor")) /* which it may fill more */
        import_ask(out, "rl.critic", &(struct asked){"GPUs of the critic", "false", tree->file, 0,
                                                     "--set rl.critic=true", false});
    else if (has_critic && !is_shared)
        set(out, "rl.critic", "false");
    if (sleeps) {
        set(out, "rl.param_offload", "true");
        set(out, "rl.optimizer_offload", "true");
    }
    if (is_on(tree, "packing")) /* of samples as long as they are */
        set(out, "train.packing", "padding_free");
    keyvals_number(&out->settings, "rl.samples", prompts * answers, 0);
    set(out, "rl.answers", "1");
    bool is_beside = is_shared || is_on(tree, "colocate_actor_ref|train.colocate_actor_ref");
    if (number_of(tree, "init_kl_coef|algo.kl.init_coef", 0.01) == 0) {
        set(out, "rl.reference", "none");
        set(out, "train.reference_model", "none");
    } else if (!is_beside) {
        place_reference(tree, out);
    }
}

/* TRL's defaults; those that differ between releases become questions (base_config.py, grpo_config.py). */
static void ask_by_release(struct tree *tree, struct import *out)
{
    static const struct {
        const char *paths, *key, *now, *how;
    } defaults[] = {{"gradient_checkpointing", "train.recompute", "full", "--set recompute=none"},
                    {"bf16|fp16|bfloat16", "train.dtype", "bf16", "--set train.dtype=fp32"},
                    {"vllm_mode", "rl.placement", "colocate", "--set rl.placement=split"}};
    for (size_t i = 0; i < LENGTH(defaults); i++)
        if (!tree_first(tree, "", defaults[i].paths))
            import_ask(out, defaults[i].key, &(struct asked){defaults[i].paths, defaults[i].now, tree->file, 0,
                                                             defaults[i].how, false});
    if (!tree_has(tree, "per_device_train_batch_size"))
        set(out, "train.micro_batch_size", "8");
}

/* The base without its adapters is the reference. */
static bool has_adapters(const struct import *out)
{
    const struct keyval *peft = keyvals_last(&out->settings, "train.peft");
    return peft && strcmp(peft->value, "none") != 0;
}

static void read_trl(struct tree *tree, struct import *out, const char *method)
{
    bool swift = is_swift(tree);
    const char *mode = text_of(tree, "vllm_mode");
    set(out, "rl.program", swift ? "ms-swift" : "trl");
    const char *estimator = text_of(tree, "advantage_estimator");
    set(out, "rl.algorithm", rollout_algorithm(*estimator ? estimator : method));
    bool is_apart = strcmp(mode, "server") == 0 || tree_has(tree, "vllm_device"); /* a GPU of its own, as of 2025 */
    if (swift || *mode || is_apart)
        set(out, "rl.placement", is_apart ? "split" : "colocate");
    if (is_on(tree, "vllm_enable_sleep_mode"))
        set(out, "rl.sleep_level", "2");
    if (swift && is_on(tree, "offload_optimizer")) { /* while samples are made, not in the step */
        set(out, "rl.optimizer_offload", "true");
        set(out, "train.offload_optimizer", "0");
    }
    bool is_loo = strcmp(method, "rloo") == 0, is_online = strcmp(method, "online") == 0;
    bool is_first = swift || tree_has(tree, "vllm_device"); /* with the beta of TRL before 0.19 */
    bool has_base = has_adapters(out), is_open = strcmp(method, "grpo") == 0 && !is_first && !tree_has(tree, "beta");
    if (is_open && !has_base) /* 0 since then: the reference is counted until the file sets beta (7359ddcc) */
        import_ask(out, "rl.reference",
                   &(struct asked){"beta", "full", tree->file, 0,
                                   "--set rl.reference=none --set reference_model=none", false});
    else if (number_of(tree, "beta", is_first ? 0.04 : is_loo ? 0.05 : is_online ? 0.1 : 0) == 0) {
        set(out, "rl.reference", "none");
        set(out, "train.reference_model", "none");
    }
    if (!swift)
        ask_by_release(tree, out);
}

/* Samples of one generation: as many as several training steps use. */
static void read_samples(struct tree *tree, struct import *out)
{
    const struct tree_value *whole = tree_peek(tree, "global_batch_size"); /* a separate setting */
    double steps = number_of(tree, "steps_per_generation", 0), batch = whole ? strtod(whole->text, NULL) : 0,
           each = number_of(tree, "per_device_train_batch_size", 1);
    const struct keyval *gpus = keyvals_last(&out->settings, "hardware.gpus_per_node"),
                        *nodes = keyvals_last(&out->settings, "hardware.nodes");
    double world = gpus ? strtod(gpus->value, NULL) * (nodes ? strtod(nodes->value, NULL) : 1) : 0;
    if (!(steps > 0) || tree_has(tree, "generation_batch_size") ||
        steps == number_of(tree, "gradient_accumulation_steps", 0))
        return;
    if (batch > 0 || world > 0)
        keyvals_number(&out->settings, "rl.samples", steps * (batch > 0 ? batch : each * world), 0);
    else
        import_ask(out, "rl.samples", &(struct asked){"steps_per_generation", "", tree->file, 0, "--set rl.samples=N",
                                                      false});
}

/* A sequence is a prompt and the longest answer; OpenRLHF limits both together. */
static void read_lengths(struct tree *tree, struct import *out)
{
    static const char longest[] = "max_completion_length|generate_max_len|data.generate_max_len|"
                                  "rollout.max_new_tokens|max_new_tokens";
    static const char prompts[] = "max_prompt_length|prompt_max_len|data.prompt_max_len|rollout.max_prompt_len";
    bool is_open = is_openrlhf(tree);
    double both = is_open ? number_of(tree, "max_seq_length", 0) : 0;
    double answer = number_of(tree, longest, is_open ? 1024 : is_swift(tree) ? 512 : 256);
    double prompt = number_of(tree, prompts, both > answer ? both - answer : is_open ? 1024 : 512);
    bool is_open_length = is_swift(tree) && !tree_first(tree, "", prompts);
    if (is_open_length)
        import_ask(out, "rl.max_prompt",
                   &(struct asked){"longest prompt", "512", tree->file, 0, "--set rl.max_prompt=N", false});
    else
        keyvals_number(&out->settings, "rl.max_prompt", prompt, 0);
    keyvals_number(&out->settings, "rl.max_answer", answer, 0);
    keyvals_number(&out->settings, "train.seq_length", prompt + answer, 0);
    double micro = number_of(tree, "micro_rollout_batch_size|rollout.micro_batch_size", 0);
    if (micro >= 1)
        keyvals_number(&out->settings, "rl.logprob_tokens", micro * (prompt + answer), 0);
    if (is_open)
        read_dynamic(tree, out, prompt + answer);
}

bool rollout_read(struct tree *tree, struct import *out, const char *method)
{
    bool has_engine = is_on(tree, "use_vllm") || number_of(tree, "vllm_num_engines|vllm.num_engines", 0) > 0 ||
                      tree_has(tree, "vllm_mode") || tree_has(tree, "vllm_gpu_memory_utilization") ||
                      tree_has(tree, "vllm.gpu_memory_utilization");
    bool is_off = tree_has(tree, "use_vllm") && !is_on(tree, "use_vllm");
    if (!has_engine || is_off)
        return false;
    set(out, "workload", "rl");
    if (is_openrlhf(tree))
        read_openrlhf(tree, out);
    else
        read_trl(tree, out, method);
    tree_apply(tree, "", rows, LENGTH(rows), out);
    read_samples(tree, out);
    read_lengths(tree, out);
    for (size_t i = 0; i < LENGTH(passed); i++)
        tree_use(tree, passed[i]);
    return true;
}
