#include "core/plan/split.h"

#include "core/plan/framework.h"
#include "core/plan/frozen.h"

#include <math.h>

enum { CHUNKS_MAX = LAYOUT_CHUNKS_MAX, LAYERS_MOST = INT16_MAX };

static int int_of(const struct plan *plan, enum param id)
{
    return isnan(plan->value[id]) ? 0 : (int)plan->value[id];
}

/* The stage of chunk `n` of the model. */
static int stage_of(const struct split *split, int n)
{
    return split_stage(split->stages, split->folds, n);
}

/* A list as long as the stages gives whole stages; one entry for each chunk gives chunks in the order of the model. */
static bool from_layout(const struct plan *plan, struct split *out)
{
    const struct pipeline_layout *layout = &plan->layout;
    int p = out->stages, V = out->chunks;
    if (layout->per_stage) {
        if (layout->chunks != p * V || layout->per_stage != V)
            return false;
        for (int n = 0; n < p * V; n++)
            out->layers[n] = layout->layers[stage_of(out, n) * V + n / p];
        return true;
    }
    if (layout->chunks == p * V) {
        for (int n = 0; n < p * V; n++)
            out->layers[n] = layout->layers[n];
        return true;
    }
    if (layout->chunks != p)
        return false;
    for (int n = 0; n < p * V; n++) {
        int layers = layout->layers[stage_of(out, n)];
        if (layers % V)
            return false;
        out->layers[n] = (short)(layers / V);
    }
    return true;
}

static bool from_ends(int L, int first, int last, struct split *out)
{
    int p = out->stages, V = out->chunks, rest = L - first - last;
    int others = p - (first > 0) - (last > 0);
    if (rest < 0 || (others == 0 && rest != 0) || (others > 0 && rest % (others * V)) || first % V || last % V)
        return false;
    for (int n = 0; n < p * V; n++) {
        int stage = stage_of(out, n);
        int layers = stage == 0 && first > 0 ? first : stage == p - 1 && last > 0 ? last : rest / (others ? others : 1);
        out->layers[n] = (short)(layers / V);
    }
    return true;
}

static enum framework_split split_of(const struct plan *plan)
{
    return frameworks[int_of(plan, PARAM_framework_name)].split;
}

/* What of a model DeepSpeed spreads over the stages; BALANCED where the framework has no such choice. */
static enum partition partition_of(const struct plan *plan)
{
    return split_of(plan) == SPLIT_FIRST_MORE ? (enum partition)int_of(plan, PARAM_parallel_partition_method)
                                              : PARTITION_BALANCED;
}

/*
 * As many blocks on each chunk, embedding and loss among them where they count; what does not divide goes to the first
 * chunks, to those after the first (torchtitan pipelining_utils.py generate_split_points), or is refused. DeepSpeed's
 * balanced partition (runtime/utils.py, pipe/module.py) comes out so for equal layers; a tied output layer is an
 * embedding again there.
 */
static bool evenly(const struct plan *plan, int L, struct split *out)
{
    enum partition by = partition_of(plan);
    int embedding = by == PARTITION_BALANCED ? int_of(plan, PARAM_parallel_embedding_counts_as_layer)
                                             : by == PARTITION_LAYERS_EMBEDDINGS;
    int loss = by == PARTITION_BALANCED ? int_of(plan, PARAM_parallel_loss_counts_as_layer)
                                        : embedding && int_of(plan, PARAM_model_tied_embeddings);
    int slots = out->stages * out->chunks, blocks = L + embedding + loss, rest = blocks % slots;
    int fullest = split_of(plan) == SPLIT_NEXT_MORE;
    if ((rest && split_of(plan) == SPLIT_EVENLY) || (fullest && slots > L))
        return false;
    for (int n = 0; n < slots; n++) {
        bool has_more = n >= fullest && n < fullest + rest;
        out->layers[n] = (short)(blocks / slots + has_more - (n == 0 ? embedding : 0) - (n == slots - 1 ? loss : 0));
    }
    return out->layers[0] >= 0 && out->layers[slots - 1] >= 0;
}

/*
 * nanotron walks embedding, layers, norm, output layer and places each block on the current stage, moving on once the
 * running cost passes that stage's share. Costs: 4 a k h + 3 f h a layer, h v the output layer.
 * Source: nanotron parallel/pipeline_parallel/block.py and models/base.py (2026-04).
 */
static bool greedily(const struct plan *plan, int L, struct split *out)
{
    double h = plan->value[PARAM_model_hidden_size];
    double layer = 4 * plan->value[PARAM_model_num_attention_heads] * plan->value[PARAM_model_kv_channels] * h +
                   3 * plan->value[PARAM_model_ffn_hidden_size] * h;
    double multiple = plan->value[PARAM_model_make_vocab_size_divisible_by] * plan->value[PARAM_parallel_tp];
    double head = ceil(plan->value[PARAM_model_vocab_size] / multiple) * multiple * h;
    double total = L * layer + head, running = 0;
    int p = out->stages, stage = 0;
    if (out->chunks != 1)
        return false;
    for (int n = 0; n < p; n++)
        out->layers[n] = 0;
    for (int i = 0; i < L; i++) {
        out->layers[stage]++;
        running += layer;
        if (running > total * (stage + 1) / p && stage < p - 1)
            stage++;
    }
    return true;
}

/*
 * Megatron-DeepSpeed's pipeline as a row of modules (gpt_model.py): a cast in 16-bit types, the embedding, the layers,
 * the norm, the output layer, a cast. Layers have one size here.
 */
struct modules {
    int count, before; /* all of them; those before the first layer */
    double embedding, layer, head;
};

enum { MODULES_MAX = 320, PARTS_MAX = 64 };

static struct modules modules_of(const struct plan *plan, int L)
{
    const double *value = plan->value;
    double h = value[PARAM_model_hidden_size], k = value[PARAM_model_kv_channels];
    double heads = 2 * value[PARAM_model_num_attention_heads] + 2 * value[PARAM_model_num_query_groups];
    double table = value[PARAM_model_vocab_size] * h;
    int cast = int_of(plan, PARAM_train_dtype) != DTYPE_FP32;
    return (struct modules){.count = L + 3 + 2 * cast,
                            .before = 1 + cast,
                            .embedding = table + (int_of(plan, PARAM_model_position_embedding) == POSITION_LEARNED
                                                      ? value[PARAM_model_max_position_embeddings] * h
                                                      : 0),
                            .layer = heads * k * h +
                                     (2 + value[PARAM_model_gated_mlp]) * value[PARAM_model_ffn_hidden_size] * h,
                            .head = table};
}

/* Parameters of the first `n` modules. */
static double weight_before(const struct modules *m, int L, int n)
{
    int layers = n <= m->before ? 0 : n - m->before < L ? n - m->before : L;
    return (n >= m->before ? m->embedding : 0) + layers * m->layer + (n >= m->before + L + 2 ? m->head : 0);
}

/* Layers among the modules [from, to). */
static short layers_among(const struct modules *m, int L, int from, int to)
{
    from = from > m->before ? from : m->before;
    to = to < m->before + L ? to : m->before + L;
    return (short)(to > from ? to - from : 0);
}

/* As many modules on each stage, the first stages one more (DeepSpeed runtime/utils.py partition_uniform). */
static bool by_modules(const struct plan *plan, int L, struct split *out)
{
    struct modules m = modules_of(plan, L);
    int p = out->stages;
    for (int n = 0, at = 0, end; n < p; n++, at = end) {
        end = at + m.count / p + (n < m.count % p);
        out->layers[n] = layers_among(&m, L, at, end);
    }
    return out->chunks == 1;
}

/* The smallest and the largest stage of the first modules, spread over some stages. */
struct spread {
    double low, high;
};

/*
 * Stages of like numbers of parameters. As DeepSpeed's partition_balanced() since 2bdf061f (2023-12): for each number
 * of first modules and of stages, the last cut that leaves the least between the largest and the smallest stage.
 */
static bool by_parameters(const struct plan *plan, int L, struct split *out)
{
    struct modules m = modules_of(plan, L);
    int p = out->stages;
    short cut[PARTS_MAX + 1][MODULES_MAX + 1];
    struct spread spread[2][MODULES_MAX + 1];
    if (out->chunks != 1 || p > PARTS_MAX || m.count > MODULES_MAX)
        return false;
    if (m.count <= p)
        return by_modules(plan, L, out);
    for (int i = 0; i <= m.count; i++)
        spread[0][i] = (struct spread){INFINITY, i ? INFINITY : 0};
    for (int j = 1; j <= p; j++) {
        const struct spread *shorter = spread[(j - 1) % 2];
        spread[j % 2][0] = (struct spread){INFINITY, INFINITY};
        for (int i = 1; i <= m.count; i++) {
            struct spread best = {0, INFINITY};
            cut[j][i] = 0;
            for (int k = 0; k < i; k++) {
                double last = weight_before(&m, L, i) - weight_before(&m, L, k);
                struct spread with = {fmin(shorter[k].low, last), fmax(shorter[k].high, last)};
                if (with.high - with.low <= best.high - best.low) {
                    best = with;
                    cut[j][i] = (short)k;
                }
            }
            spread[j % 2][i] = best;
        }
    }
    for (int j = p, end = m.count; j >= 1; end = cut[j--][end])
        out->layers[j - 1] = layers_among(&m, L, cut[j][end], end);
    return true;
}

/*
 * Spreads layers that do not divide as published layouts do (Megatron-Bridge recipes/deepseek, kimi, glm_vl and sarvam;
 * NeMo scripts/performance): as many each, the last chunk, which has the loss, what is left. Where two are lacking, or
 * more than the last could have, both ends have fewer.
 */
static void nearly(int L, struct split *out)
{
    int slots = out->stages * out->chunks, most = (L + slots - 1) / slots, lacks = most * slots - L;
    bool last_has_rest = lacks != 2 && lacks <= most;
    for (int n = 0; n < slots; n++) {
        bool at_end = n < lacks / 2 || n >= slots - (lacks + 1) / 2;
        out->layers[n] = (short)(most - (last_has_rest ? (n == slots - 1) * lacks : at_end));
    }
}

/* A server gives the remainder to the stages before the last (vLLM distributed/utils.py get_pp_indices). */
static bool as_served(int L, struct split *out)
{
    int slots = out->stages * out->chunks, rest = L % slots;
    for (int n = 0; n < slots; n++)
        out->layers[n] = (short)(L / slots + (n < slots - 1 && n >= slots - 1 - rest));
    return L >= slots;
}

/* Counts the kinds of layers in each chunk, where layers differ. */
static void count_kinds(const struct plan *plan, struct split *out)
{
    const struct layer_pattern *pattern = &plan->pattern;
    out->kinds = pattern->layers > 0 ? pattern_kinds(pattern, out->kind) : 0;
    for (int n = 0; out->kinds > 0 && n < out->stages * out->chunks; n++) {
        out->dense[n] = out->wide[n] = 0;
        for (int k = 0; k < out->kinds; k++)
            out->of_kind[k][n] = 0;
        for (int i = out->start[n]; i < out->start[n] + out->layers[n] && i < pattern->layers; i++) {
            enum feed feed = layer_feed(pattern->of[i]);
            for (int k = 0; k < out->kinds; k++)
                if (layer_kind(pattern->of[i]) == out->kind[k])
                    out->of_kind[k][n]++;
            if (feed == FEED_DENSE)
                out->dense[n]++;
            else if (feed == FEED_WIDE)
                out->wide[n]++;
        }
    }
}

/* Sets where each chunk starts, and what follows from that; returns the layers of all chunks. */
static int add_up(const struct plan *plan, struct split *out)
{
    int at = 0, before = 0;
    out->is_uniform = true;
    out->most = 0;
    for (int n = 0; n < out->stages * out->chunks; n++) {
        out->is_uniform &= out->layers[n] == out->layers[0];
        out->most = out->layers[n] > out->most ? out->layers[n] : out->most;
        out->start[n] = (short)at;
        at += out->layers[n];
        int with_experts = split_moe_layers(plan, 0, at);
        out->moe[n] = (short)(with_experts - before);
        before = with_experts;
    }
    count_kinds(plan, out);
    return at;
}

enum split_fit split_layers(const struct plan *plan, struct split *out)
{
    int L = int_of(plan, PARAM_model_num_layers), p = int_of(plan, PARAM_parallel_pp),
        V = int_of(plan, PARAM_parallel_vpp);
    if (L < 1 || p < 1 || V < 1 || p > CHUNKS_MAX || V > CHUNKS_MAX || p * V > CHUNKS_MAX)
        return SPLIT_NONE;
    out->stages = p;
    out->chunks = V;
    out->folds = int_of(plan, PARAM_parallel_schedule) == SCHEDULE_ZB_V;
    enum partition by = partition_of(plan);
    int first = int_of(plan, PARAM_parallel_first_stage_layers), last = int_of(plan, PARAM_parallel_last_stage_layers);
    bool is_served = int_of(plan, PARAM_plan_workload) == WORKLOAD_INFERENCE;
    bool ok = plan->layout.chunks > 0           ? from_layout(plan, out)
              : is_served                       ? as_served(L, out)
              : split_of(plan) == SPLIT_BY_COST ? greedily(plan, L, out)
              : first > 0 || last > 0           ? from_ends(L, first, last, out)
              : by == PARTITION_UNIFORM         ? by_modules(plan, L, out)
              : by == PARTITION_PARAMETERS      ? by_parameters(plan, L, out)
                                                : evenly(plan, L, out);
    if (ok && add_up(plan, out) == L)
        return SPLIT_EXACT;
    nearly(L, out);
    add_up(plan, out);
    return SPLIT_NEAR;
}

/* Where every chunk takes the same number of layers and none has experts, sets that. */
static bool split_evenly(const struct plan *plan, struct split *out)
{
    double L = plan->value[PARAM_model_num_layers];
    double slots = plan->value[PARAM_parallel_pp] * plan->value[PARAM_parallel_vpp];
    bool has_ends = plan->value[PARAM_parallel_first_stage_layers] + plan->value[PARAM_parallel_last_stage_layers] +
                        plan->value[PARAM_parallel_embedding_counts_as_layer] +
                        plan->value[PARAM_parallel_loss_counts_as_layer] >
                    0;
    double each = L / slots;
    if (plan->layout.chunks > 0 || plan->pattern.layers > 0 || has_ends || split_of(plan) == SPLIT_BY_COST ||
        partition_of(plan) != PARTITION_BALANCED || plan->value[PARAM_model_num_experts] > 0 ||
        !(slots >= 1 && slots <= CHUNKS_MAX && each >= 1 && each < LAYERS_MOST) || each != (int)each)
        return false;
    out->stages = int_of(plan, PARAM_parallel_pp);
    out->chunks = int_of(plan, PARAM_parallel_vpp);
    out->folds = int_of(plan, PARAM_parallel_schedule) == SCHEDULE_ZB_V;
    out->is_uniform = true;
    out->kinds = 0;
    out->layers[0] = out->most = (short)each;
    return true;
}

enum split_fit split_quickly(const struct plan *plan, struct split *out)
{
    return split_evenly(plan, out) ? SPLIT_EXACT : split_layers(plan, out);
}

static int moe_before(const struct plan *plan, int layer)
{
    int dense = int_of(plan, PARAM_model_moe_first_dense), freq = int_of(plan, PARAM_model_moe_layer_freq);
    return layer > dense && freq > 0 ? (layer - dense) / freq : 0;
}

int split_moe_layers(const struct plan *plan, int from, int to)
{
    if (plan->pattern.layers > 0)
        return pattern_experts(&plan->pattern, from, to);
    return int_of(plan, PARAM_model_num_experts) > 0 ? moe_before(plan, to) - moe_before(plan, from) : 0;
}

struct split_frozen split_frozen(const struct plan *plan, int from, int to)
{
    double value = KEY_OF(plan, train, frozen);
    int depth = frozen_depth(value), idle = depth < from ? from : depth < to ? depth : to;
    struct split_frozen out = {
        .layers = frozen_layers(value, from, to), .idle = idle - from, .idle_moe = split_moe_layers(plan, from, idle)};
    for (int layer = from; layer < to && out.layers > 0; layer++)
        out.moe_layers += frozen_layers(value, layer, layer + 1) * split_moe_layers(plan, layer, layer + 1);
    return out;
}

/* Whether sparse layers of a chunk find indices in the chunk: one with an indexer comes first. */
static bool finds_indices(const struct layer_pattern *pattern, int from, int to)
{
    for (int i = from; i < to && i < pattern->layers; i++) {
        enum mixer mixer = layer_mixer(pattern->of[i]);
        if (mixer == MIXER_SPARSE || mixer == MIXER_SPARSE_SHARED)
            return mixer == MIXER_SPARSE;
    }
    return true;
}

bool split_has_indices(const struct plan *plan)
{
    struct split split;
    if (!pattern_has(&plan->pattern, MIXER_SPARSE_SHARED) || split_layers(plan, &split) == SPLIT_NONE)
        return true;
    for (int n = 0; n < split.stages * split.chunks; n++)
        if (!finds_indices(&plan->pattern, split.start[n], split.start[n] + split.layers[n]))
            return false;
    return true;
}
