/* tests/check.h - what tests of the core share: cmocka, exact number checks, plans from text, random plans. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/estimate/estimate.h"
#include "core/plan/param.h"
#include "core/plan/rule.h"
#include "core/plan/split.h"
#include "core/plan/step.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define GIB          1073741824.0
#define MIB          1048576.0

/* cmocka compares floats only; this compares doubles, prints all digits, and never takes NAN for a number. */
static inline void check_near(double actual, double expected, double relative, const char *what, const char *file,
                              int line)
{
    double allowed = fabs(expected) * relative;
    if (fabs(actual - expected) <= allowed)
        return;
    print_error("%s is %.17g, expected %.17g +- %.3g\n", what, actual, expected, allowed);
    _fail(file, line);
}
#define assert_near(actual, expected, relative) check_near(actual, expected, relative, #actual, __FILE__, __LINE__)
#define assert_same(actual, expected)           check_near(actual, expected, 0, #actual, __FILE__, __LINE__)

static inline void check_at_most(double actual, double limit, const char *what, const char *file, int line)
{
    if (actual <= limit)
        return;
    print_error("%s is %.17g, more than %.17g\n", what, actual, limit);
    _fail(file, line);
}
#define assert_at_most(actual, limit) check_at_most(actual, limit, #actual " <= " #limit, __FILE__, __LINE__)

static inline void check_between(double actual, double low, double high, const char *what, const char *file, int line)
{
    if (actual >= low && actual <= high)
        return;
    print_error("%s is %.17g, not within %.17g to %.17g\n", what, actual, low, high);
    _fail(file, line);
}
#define assert_between(actual, low, high) check_between(actual, low, high, #actual, __FILE__, __LINE__)

/* Unlike assert_true, says which case of a loop failed. */
#define assert_that(condition, ...)                                                                                    \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_error(__VA_ARGS__);                                                                                  \
            print_error("\n");                                                                                         \
            _fail(__FILE__, __LINE__);                                                                                 \
        }                                                                                                              \
    } while (0)

/*
 * Whether a message consists of, or mentions, the words that a test expects. Built with MESSAGES_AS_IDS messages are
 * ids in place of sentences, and only whether there is one is compared.
 */
#ifdef MESSAGES_AS_IDS
#define IS_WORDED false
#else
#define IS_WORDED true
#endif

static inline bool check_message(const char *message, const char *expected)
{
    return IS_WORDED ? strcmp(message, expected) == 0 : (*message != '\0') == (*expected != '\0');
}

static inline bool check_mentions(const char *message, const char *expected)
{
    return IS_WORDED ? strstr(message, expected) != NULL : *message != '\0';
}

#define assert_message(actual, expected)                                                                               \
    assert_that(check_message(actual, expected), "%s\nis not\n%s", actual, expected)

/* Whether this is a sanitized or unoptimised build, whose tests of thousands of cases take a share of them. */
static inline bool check_is_slow(void)
{
    const char *variant = getenv("VARIANT");
    return variant && strcmp(variant, "release") != 0;
}

/* How many of so many cases a build takes. */
static inline int check_cases(int cases)
{
    return check_is_slow() ? cases / 8 : cases;
}

/* ---- plans ------------------------------------------------------------------------------------------------------ */

/* Sets keys from a text such as "tp=2 pp=4 model.name=x"; a value has no blanks. */
static inline void check_set(struct plan *plan, const char *settings)
{
    char text[2048], why[PARAM_WHY_MAX], *rest = NULL;
    assert_true(strlen(settings) < sizeof text);
    strcpy(text, settings);
    for (char *word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
        char *value = strchr(word, '=');
        assert_that(value, "no = in '%s'", word);
        *value++ = '\0';
        int id = param_find(word);
        assert_that(id >= 0, "no key '%s'", word);
        assert_that(param_parse(plan, (enum param)id, value, FROM_SET, false, why) == 0, "%s=%s: %s", word, value, why);
    }
}

/* An H100 SXM as far as the estimate needs one. */
static inline void check_h100(struct plan *plan)
{
    struct gpu *gpu = &plan->gpu;
    snprintf(gpu->efficiency_basis, sizeof gpu->efficiency_basis, "measured");
    gpu->compute_capability = 9;
    gpu->memory_gib = 80;
    gpu->usable_gib = 79.1;
    gpu->memory_gb_s = 3350;
    gpu->tflops_fp32 = 67;
    gpu->tflops_bf16 = gpu->tflops_fp16 = 989;
    gpu->tflops_fp8 = 1979;
    gpu->intra_node_gb_s = 450;
    gpu->inter_node_gb_s = 50;
    gpu->host_gb_s = 64;
    gpu->gpus_per_node = gpu->nvlink_domain = 8;
    gpu->gemm_efficiency = 0.67;
    gpu->gemm_fp8_efficiency = 0.5;
    gpu->attention_efficiency = 0.52;
    gpu->memory_efficiency = 0.75;
    gpu->link_efficiency = 0.7;
    gpu->network_efficiency = 0.65;
    gpu->watts = 700;
    gpu->price_per_gpu_hour = 2.5;
}

/* A plan on H100s with these settings over blanks. */
static inline void check_plan(struct plan *plan, const char *settings)
{
    plan_clear(plan);
    check_h100(plan);
    check_set(plan, settings);
}

/* The same, estimated. */
static inline void check_estimate(struct estimate *estimate, const char *settings)
{
    struct plan plan;
    check_plan(&plan, settings);
    estimate_plan(&plan, estimate);
    assert_that(estimate->diags.errors == 0, "%s", finding_text(&estimate->diags.item[0]).text);
}

/* One row of the communication table of a stage. */
static inline struct op check_op(const struct estimate *estimate, enum op_id id)
{
    struct op op;
    estimate_op(estimate, id, &op);
    return op;
}

static inline struct op_time check_op_time(const struct estimate *estimate, enum op_id id)
{
    struct op_time time;
    estimate_op_time(estimate, id, &time);
    return time;
}

static inline struct comm check_comm(const struct estimate *estimate, int stage, enum comm_id id)
{
    struct comm rows[COMM_COUNT];
    estimate_comm(estimate, stage, rows);
    return rows[id];
}

/* ---- shapes of known models; the settings of the runs they were measured with stand in the tests ---------------- */

/* The GPT of the 2023 analysis tool: 32 layers, SwiGLU, biases, learned positions, tied embeddings, dropout. */
#define GPT_6B                                                                                                         \
    " framework.name=megatron-2023 num_layers=32 hidden_size=4096 ffn_hidden_size=10880 num_attention_heads=32"        \
    " vocab_size=50257 max_position_embeddings=2048 seq_length=2048 position_embedding=learned "                       \
    "normalization=layernorm"                                                                                          \
    " gated_mlp=true add_bias_linear=true tied_embeddings=true hidden_dropout=0.1 attention_dropout=0.1 "
#define GPT3_175B                                                                                                      \
    " num_layers=96 hidden_size=12288 num_attention_heads=96 vocab_size=50257 max_position_embeddings=2048"            \
    " seq_length=2048 position_embedding=learned normalization=layernorm add_bias_linear=true tied_embeddings=true "
#define LLAMA2_7B                                                                                                      \
    " num_layers=32 hidden_size=4096 ffn_hidden_size=11008 num_attention_heads=32 vocab_size=32000 seq_length=4096"    \
    " gated_mlp=true "
#define LLAMA3_8B                                                                                                      \
    " num_layers=32 hidden_size=4096 ffn_hidden_size=14336 num_attention_heads=32 num_query_groups=8"                  \
    " vocab_size=128256 seq_length=8192 gated_mlp=true "
#define LLAMA3_70B                                                                                                     \
    " num_layers=80 hidden_size=8192 ffn_hidden_size=28672 num_attention_heads=64 num_query_groups=8"                  \
    " vocab_size=128256 seq_length=8192 gated_mlp=true "
#define QWEN3_32B                                                                                                      \
    " num_layers=64 hidden_size=5120 ffn_hidden_size=25600 num_attention_heads=64 num_query_groups=8 kv_channels=128"  \
    " vocab_size=151936 seq_length=4096 gated_mlp=true qk_norm=head "
#define MIXTRAL_8X7B                                                                                                   \
    " num_layers=32 hidden_size=4096 ffn_hidden_size=14336 num_attention_heads=32 num_query_groups=8"                  \
    " vocab_size=32000 seq_length=4096 gated_mlp=true num_experts=8 moe_router_topk=2 "
#define DEEPSEEK_V3                                                                                                    \
    " num_layers=61 hidden_size=7168 ffn_hidden_size=18432 num_attention_heads=128 kv_channels=128 vocab_size=129280"  \
    " seq_length=4096 gated_mlp=true multi_latent_attention=true q_lora_rank=1536 kv_lora_rank=512 qk_head_dim=128"    \
    " qk_pos_emb_head_dim=64 v_head_dim=128 num_experts=256 moe_router_topk=8 moe_ffn_hidden_size=2048"                \
    " moe_shared_ffn_hidden_size=2048 moe_first_dense=3 moe_router_bias=true "

/* ---- random plans, the same on every machine -------------------------------------------------------------------- */

struct check_random {
    uint64_t state;
};

static inline uint64_t check_next(struct check_random *random)
{
    uint64_t x = random->state + 0x9e3779b97f4a7c15u;
    random->state = x;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline int check_below(struct check_random *random, int limit)
{
    return (int)(check_next(random) % (uint64_t)limit);
}

static inline const char *check_pick(struct check_random *random, const char *const *list, int count)
{
    return list[check_below(random, count)];
}

/* Whether a resolved plan breaks no rule of level error and is modelled; its symbols on the way. */
static inline bool check_allows(const struct plan *resolved, struct symbols *symbols)
{
    struct split split;
    symbols_of(resolved, symbols);
    return rule_allows_rest(resolved, symbols) &&
           rule_allows_pipeline(resolved, symbols, split_quickly(resolved, &split) == SPLIT_EXACT) &&
           rule_allows_sharding(resolved, symbols) && rule_allows_recompute(resolved, symbols);
}

/* A plan that breaks no rule and is modelled: a known shape, a random layout and random switches. */
static inline void check_random_plan(struct check_random *random, struct plan *plan)
{
    static const char *const shapes[] = {GPT_6B,     GPT3_175B, LLAMA2_7B,    LLAMA3_8B,
                                         LLAMA3_70B, QWEN3_32B, MIXTRAL_8X7B, DEEPSEEK_V3};
    static const char *const families[] = {"",
                                           "",
                                           "",
                                           "",
                                           "framework.name=megatron-2023",
                                           "framework.name=nanotron",
                                           "framework.name=nanotron-pre203",
                                           "framework.name=deepspeed",
                                           "framework.name=fsdp2"};
    static const char *const layouts[] = {"tp=1", "tp=2", "tp=2 sp=true", "tp=4 sp=true", "tp=8", "tp=8 sp=true"};
    static const char *const pipes[] = {"pp=1",       "pp=1",       "pp=2", "pp=4",
                                        "pp=2 vpp=2", "pp=4 vpp=2", "pp=8", "pp=4 schedule=gpipe"};
    static const char *const contexts[] = {
        "cp=1", "cp=1", "cp=1", "cp=2", "cp=2 cp_comm=all_gather", "cp=4", "cp=2 cp_comm=a2a"};
    static const char *const experts[] = {"ep=1", "ep=1", "ep=2", "ep=4", "ep=4 etp=1", "ep=8 etp=1"};
    static const char *const states[] = {"zero_stage=0", "zero_stage=1", "zero_stage=1 grad_dtype=bf16",
                                         "dtype=fp16 zero_stage=1", "dtype=fp32 zero_stage=0"};
    static const char *const recomputes[] = {"recompute=none",
                                             "recompute=none",
                                             "recompute=selective",
                                             "recompute=full",
                                             "recompute=full recompute_num_layers=2",
                                             "recompute=full recompute_method=block",
                                             "recompute=selective recompute_modules=[core_attn,mlp]"};
    static const char *const switches[] = {"fused_glu=true",
                                           "fused_glu=false",
                                           "attention=unfused",
                                           "hidden_dropout=0.1",
                                           "overlap_grad_reduce=true overlap_param_gather=true",
                                           "overlap_tp=true",
                                           "cross_entropy=native_fused",
                                           "cross_entropy=te_fused",
                                           "order=tp-cp-ep-pp-dp",
                                           "transformer_impl=local",
                                           "p2p_scatter_gather=true",
                                           "moe_dispatcher=allgather"};
    struct plan resolved;
    struct symbols symbols;
    do {
        char text[64];
        plan_clear(plan);
        check_h100(plan);
        check_set(plan, check_pick(random, shapes, COUNT(shapes)));
        check_set(plan, check_pick(random, families, COUNT(families)));
        check_set(plan, check_pick(random, layouts, COUNT(layouts)));
        check_set(plan, check_pick(random, pipes, COUNT(pipes)));
        check_set(plan, check_pick(random, contexts, COUNT(contexts)));
        check_set(plan, check_pick(random, experts, COUNT(experts)));
        check_set(plan, check_pick(random, states, COUNT(states)));
        check_set(plan, check_pick(random, recomputes, COUNT(recomputes)));
        check_set(plan, check_pick(random, switches, COUNT(switches)));
        snprintf(text, sizeof text, "dp=%d micro_batch_size=%d", 1 << check_below(random, 4),
                 1 + check_below(random, 3));
        check_set(plan, text);
        plan_resolve(plan, &resolved);
        double unit = resolved.value[PARAM_parallel_dp] * resolved.value[PARAM_train_micro_batch_size] *
                      resolved.value[PARAM_parallel_pp];
        snprintf(text, sizeof text, "global_batch_size=%.0f", unit * (1 + check_below(random, 4)));
        check_set(plan, text);
        plan_resolve(plan, &resolved);
    } while (!check_allows(&resolved, &symbols));
}

/* The plan as settings, for the message of a failed property. */
static inline const char *check_describe(const struct plan *plan)
{
    static char out[4096];
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < PARAM_COUNT && used < sizeof out - 128; i++)
        if (!param_blank(plan, (enum param)i) && plan->from[i] == FROM_SET) {
            char text[64];
            param_print(plan, (enum param)i, text, sizeof text);
            used += (size_t)snprintf(out + used, sizeof out - used, "%s=%s ", param_rows[i].key, text);
        }
    return out;
}
