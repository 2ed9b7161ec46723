/* Serving engines: their rows by version, and the defaults that follow from them. */
#include "core/plan/engine.h"

#include "core/base.h"
#include "core/plan/key.h"

#include <math.h>
#include <string.h>

static const struct engine_row rows[] = {
#define ENGINE(engine_, since_, date_, defaults_, sampler_, graphs_, non_torch_, source_)                              \
    {ENGINE_##engine_, since_, date_, source_, {defaults_, sampler_, graphs_, non_torch_}},
#include "core/plan/engine.def"
};

static const struct weight_facts weights[WEIGHT_COUNT] = {
#define WEIGHT(id, ...) [WEIGHT_##id] = {__VA_ARGS__},
#include "core/plan/engine.def"
};

double engine_version(double engine)
{
    static const double version[ENGINE_COUNT] = {
        [ENGINE_VLLM] = 0.19, [ENGINE_SGLANG] = 0.0506, [ENGINE_TRTLLM] = 1};
    return version[(int)engine];
}

const struct engine_row *engine_row(double engine, double version)
{
    const struct engine_row *found = &rows[0];
    if (isnan(version))
        version = engine_version(engine);
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (rows[i].engine == (int)engine && rows[i].since <= version + 1e-9)
            found = &rows[i];
    return found;
}

struct weight_facts weight_facts(double type)
{
    return weights[type >= 0 && type < WEIGHT_COUNT ? (int)type : WEIGHT_BF16];
}

#define KEY(group, key) KEY_OF(plan, group, key)

static void derive(struct plan *plan, enum param id, double value)
{
    if (isnan(plan->value[id]) && !isnan(value)) {
        plan->value[id] = value;
        plan->from[id] = FROM_DERIVED;
    }
}
#define DERIVE(key, value) derive(plan, PARAM_serve_##key, value)

/* SGLang's tp, which includes data-parallel attention. */
static double sglang_ranks(const struct plan *plan)
{
    return KEY(parallel, tp) * (KEY(serve, attention_dp) > 0 ? KEY(parallel, dp) : 1);
}

/* SGLang's chunk and largest captured batch by the device's memory (server_args.py 705-780). */
static void sglang_sizes(const struct plan *plan, double mib, double *chunk, double *graph_batch)
{
    static const struct {
        double below_gib, chunk, batch, batch_tp4;
    } sizes[] = {{20, 2048, 8, 8},       {35, 2048, 24, 80},      {60, 4096, 32, 160},
                 {160, 8192, 256, 512}, {INFINITY, 16384, 512, 512}};
    size_t i = 0;
    while (mib >= sizes[i].below_gib * 1024)
        i++;
    *chunk = sizes[i].chunk;
    *graph_batch = sglang_ranks(plan) >= 4 ? sizes[i].batch_tp4 : sizes[i].batch;
}

/* Part of the share left to models with images, by the size of their vision tower (adjust_mem_fraction_for_vlm). */
static double sglang_vision(const struct plan *plan)
{
    double layers = KEY(model, vision_num_layers), width = KEY(model, vision_hidden_size);
    double size = layers * width * width / (24 * 1024.0 * 1024);
    return layers > 0 ? 0.95 * fmax(0.8, fmin(1.05, 1 - 0.1 * (size - 1))) : 1;
}

/* SGLang leaves this many MiB out of its share (server_args.py 780-900); `chunk` is that of all attention ranks. */
static double sglang_share(const struct plan *plan, double mib, double chunk, double graph_batch)
{
    double reserved = 512 + 1.5 * fmax(chunk, 2048) + 2 * graph_batch +
                      sglang_ranks(plan) * KEY(parallel, pp) / 8 * 1024;
    if (KEY(serve, attention_dp) > 0)
        reserved += graph_batch * KEY(parallel, dp) * (graph_batch > 300 ? 4.5 : 3);
    if (mib > 60 * 1024)
        reserved = fmax(reserved, 10 * 1024);
    if (KEY(serve, spec_tokens) > 0)
        reserved += 2 * 1024;
    return round((mib - reserved) / mib * 1000) / 1000 * sglang_vision(plan);
}

/* vLLM before 0.8 chunks prompts only where requests are longer than 32,768 tokens. */
static double old_tokens(const struct plan *plan, const struct engine_facts *facts)
{
    double longest = KEY(serve, max_model_len);
    return longest > 32768 ? facts->old_chunk : fmax(2048, longest);
}

static void derive_sglang(struct plan *plan, double mib)
{
    double chunk, batch;
    sglang_sizes(plan, mib, &chunk, &batch);
    double parts = KEY(serve, attention_dp) > 0 ? KEY(parallel, dp) : 1;
    DERIVE(max_num_batched_tokens, floor(chunk / parts));
    chunk = KEY(serve, max_num_batched_tokens) * parts;
    if (mib > 0)
        derive(plan, PARAM_serve_memory_share, sglang_share(plan, mib, chunk, batch));
    if (KEY(serve, spec_tokens) > 0)
        DERIVE(max_num_seqs, 48);
}

static void derive_sizes(struct plan *plan, const struct engine_facts *facts)
{
    double gib = KEY(hardware, memory_gib);
    bool is_large = gib >= 70 && !(plan->gpu.compute_capability == 8 && KEY(serve, engine_version) >= 0.09);
    bool has_positions = plan->from[PARAM_model_max_position_embeddings] > FROM_DERIVED;
    DERIVE(max_model_len, has_positions ? KEY(model, max_position_embeddings)
                                        : KEY(serve, prompt_tokens) + KEY(serve, generate_tokens));
    if (KEY(serve, engine) == ENGINE_SGLANG)
        derive_sglang(plan, KEY(hardware, usable_gib) * 1024);
    DERIVE(max_num_seqs, is_large ? facts->seqs_large : facts->seqs);
    DERIVE(max_num_batched_tokens, facts->old_chunk > 0 ? old_tokens(plan, facts)
                                   : gib >= 160 && facts->tokens_huge > 0 ? facts->tokens_huge
                                   : is_large           ? facts->tokens_large
                                                        : facts->tokens);
    bool is_latent = KEY(serve, engine) == ENGINE_TRTLLM && KEY(model, multi_latent_attention) > 0;
    DERIVE(kv_block_size, is_latent ? 64 : facts->block);
}

/* Types of the checkpoints of models that are published quantised, as their config.json has them. */
static const struct {
    const char *model; /* prefix of its name; the first match counts */
    double type, expert, group;
} published[] = {
    {"gpt-oss-", WEIGHT_MXFP4, WEIGHT_MXFP4, NAN},
    {"deepseek-v3", WEIGHT_FP8_BLOCK, WEIGHT_FP8_BLOCK, NAN},
    {"deepseek-r1", WEIGHT_FP8_BLOCK, WEIGHT_FP8_BLOCK, NAN},
    {"minimax-m2", WEIGHT_FP8_BLOCK, WEIGHT_FP8_BLOCK, NAN},
    {"kimi-k2.5", WEIGHT_BF16, WEIGHT_W4A16, 32},
    {"kimi-k2", WEIGHT_FP8_BLOCK, WEIGHT_FP8_BLOCK, NAN},
};

static void derive_default(struct plan *plan, enum param id, double value)
{
    if (plan->from[id] == FROM_DEFAULT && !isnan(value)) {
        plan->value[id] = value;
        plan->from[id] = FROM_DERIVED;
    }
}

/* A server loads the published checkpoint; weights sent by a trainer to its rollout have the trainer's type. */
static void derive_types(struct plan *plan)
{
    const char *model = plan->text[TEXT_MODEL];
    bool is_free = KEY(plan, workload) == WORKLOAD_INFERENCE && plan->from[PARAM_serve_weight_dtype] == FROM_DEFAULT;
    for (size_t i = 0; i < LENGTH(published) && is_free; i++)
        if (strncmp(model, published[i].model, strlen(published[i].model)) == 0) {
            derive_default(plan, PARAM_serve_weight_dtype, published[i].type);
            derive_default(plan, PARAM_serve_group_size, published[i].group);
            DERIVE(expert_dtype, published[i].expert);
            is_free = false;
        }
    double type = KEY(serve, weight_dtype);
    DERIVE(expert_dtype, type);
    DERIVE(attention_dtype, type == WEIGHT_MXFP4 && KEY(model, num_experts) > 0 ? WEIGHT_BF16 : type);
}

void engine_resolve(struct plan *plan)
{
    double engine = KEY(serve, engine);
    if (engine > ENGINE_NONE)
        DERIVE(engine_version, engine_version(engine));
    const struct engine_facts *facts = &engine_row(engine, KEY(serve, engine_version))->facts;
    derive_types(plan);
    DERIVE(image_tokens, KEY(serve, vision_gib) > 0 ? 8192 : 0);
    if (engine > ENGINE_NONE)
        derive_sizes(plan, facts);
    if (isnan(KEY(serve, memory_share)))
        plan->from[PARAM_serve_memory_share] = FROM_DEFAULT;
    if (isnan(KEY(serve, memory_share)) && facts->share > 0)
        KEY(serve, memory_share) = facts->share;
}
