#include "core/plan/question.h"

#include "core/plan/param.h"
#include "core/plan/plan.h"

#include <stdio.h>
#include <string.h>

const enum param question_decisive[] = {
    PARAM_model_num_layers, PARAM_model_hidden_size, PARAM_model_ffn_hidden_size, PARAM_model_num_attention_heads,
    PARAM_model_num_query_groups, PARAM_model_kv_channels,
    PARAM_model_num_experts, PARAM_model_moe_ffn_hidden_size, PARAM_model_moe_shared_ffn_hidden_size,
    PARAM_model_moe_first_dense, PARAM_model_moe_layer_freq, PARAM_model_gated_mlp, PARAM_parallel_tp,
    PARAM_parallel_pp, PARAM_parallel_cp, PARAM_parallel_vpp, PARAM_parallel_ep, PARAM_parallel_zero_stage,
    PARAM_parallel_fsdp, PARAM_train_micro_batch_size,
    PARAM_train_seq_length, PARAM_train_dtype, PARAM_train_recompute, PARAM_train_offload_optimizer,
    PARAM_train_offload_params, PARAM_train_offload_activations, PARAM_train_peft, PARAM_train_quant_dtype,
    PARAM_train_frozen, PARAM_plan_workload, PARAM_train_optimizer, PARAM_train_reference_model, PARAM_rl_critic,
    PARAM_train_vision_tokens, PARAM_train_lora_rank, PARAM_train_lora_targets, PARAM_model_vocab_size,
    PARAM_parallel_sp, PARAM_parallel_schedule, PARAM_framework_name, PARAM_hardware_gpu,
    PARAM_hardware_nodes, PARAM_hardware_gpus_per_node, PARAM_serve_other_gib, PARAM_serve_weight_dtype,
    PARAM_serve_kv_dtype, PARAM_COUNT};

const char *const question_kind_names[QUESTION_KINDS] = {
    "setting", "environment", "argument", "placeholder", "file", "tokenizer", "model", "gpu", "gpu_count"};

/*
 * True if no other value of an assumed key changes the verdict: splitting and offloading only save memory, images
 * and server flags only take it. `of_any`: any number of GPUs gives the same verdict.
 */
static bool is_moot(const struct plan *resolved, enum param key, int fits, bool of_any)
{
    bool is_number = key == PARAM_hardware_nodes || key == PARAM_hardware_gpus_per_node;
    bool only_saves = key == PARAM_parallel_fsdp || key == PARAM_parallel_sp || key == PARAM_train_offload_params;
    return (is_number && of_any) || (only_saves && fits > 0 && !(resolved->value[key] > 0)) ||
           ((key == PARAM_train_vision_tokens || key == PARAM_serve_other_gib) && fits < 0);
}

bool question_decides(const struct plan *resolved, enum param key, int fits, bool of_any)
{
    return resolved->from[key] == FROM_ASSUMED && !is_moot(resolved, key, fits, of_any);
}

bool question_is_decisive(const struct plan *resolved, int fits, bool of_any)
{
    for (const enum param *key = question_decisive; *key != PARAM_COUNT; key++)
        if (question_decides(resolved, *key, fits, of_any))
            return true;
    return false;
}

static struct question *find(struct questions *questions, const char *variable)
{
    for (int i = 0; i < questions->count; i++)
        if (strcmp(questions->item[i].variable, variable) == 0)
            return &questions->item[i];
    return NULL;
}

void question_ask(struct questions *questions, const struct question *question, enum param key)
{
    struct question *it = find(questions, question->variable);
    if (!it && questions->count < QUESTIONS_MAX) {
        it = &questions->item[questions->count++];
        *it = *question;
        it->count = 0;
    }
    for (int i = 0; it && i < it->count; i++)
        if (it->decides[i] == (int16_t)key)
            return;
    if (it && it->count < QUESTION_KEYS_MAX)
        it->decides[it->count++] = (int16_t)key;
}

const struct question *question_about(const struct questions *questions, enum param key)
{
    for (int i = 0; questions && i < questions->count; i++)
        for (int k = 0; k < questions->item[i].count; k++)
            if (questions->item[i].decides[k] == (int16_t)key)
                return &questions->item[i];
    return NULL;
}

void questions_join(struct questions *to, const struct questions *from)
{
    for (int i = 0; i < from->count; i++)
        for (int k = 0; k < from->item[i].count; k++)
            question_ask(to, &from->item[i], (enum param)from->item[i].decides[k]);
    if (!*to->hidden)
        memcpy(to->hidden, from->hidden, sizeof to->hidden);
}

static bool is_open(const struct question *question, const struct plan *plan, enum param key)
{
    enum origin from = (enum origin)plan->from[key];
    return from < FROM_PRESET || param_blank(plan, key) || (question->is_uncertain && from == FROM_FILE);
}

/* A family such as `a100`, or what is no device, by the one that was taken. */
static void name_device(struct question *question, const struct plan *plan)
{
    if (question->decides[0] == PARAM_hardware_gpu && plan->from[PARAM_hardware_gpu] <= FROM_ASSUMED &&
        plan->gpu.name[0])
        snprintf(question->assumed, sizeof question->assumed, "%s", plan->gpu.name);
}

void questions_settle(struct questions *questions, const struct plan *plan)
{
    int left = 0;
    for (int i = 0; i < questions->count; i++) {
        struct question *it = &questions->item[i];
        int keys = 0;
        for (int k = 0; k < it->count; k++)
            if (is_open(it, plan, (enum param)it->decides[k]))
                it->decides[keys++] = it->decides[k];
        it->count = keys;
        if (keys == 0)
            continue;
        name_device(it, plan);
        questions->item[left++] = *it;
    }
    questions->count = left;
}
