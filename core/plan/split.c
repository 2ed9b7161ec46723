#include "core/plan/split.h"

#include "core/plan/framework.h"

#include <math.h>
#include <stdint.h>

enum { CHUNKS_MAX = LAYOUT_CHUNKS_MAX, LAYERS_MOST = INT16_MAX };

static int int_of(const struct plan *plan, enum param id)
{
    return isnan(plan->value[id]) ? 0 : (int)plan->value[id];
}

int split_place(int stages, bool folds, int stage, int chunk)
{
    return folds && chunk % 2 ? (chunk + 1) * stages - 1 - stage : chunk * stages + stage;
}

/* The stage of chunk `n` of the model. */
static int stage_of(const struct split *split, int n)
{
    int p = split->stages;
    return split->folds && n / p % 2 ? p - 1 - n % p : n % p;
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

/*
 * As many blocks on each chunk, embedding and loss among them where they count; what does not divide goes to the first
 * chunks, or is refused. DeepSpeed's balanced partition (runtime/utils.py, pipe/module.py) comes out so for equal layers.
 */
static bool evenly(const struct plan *plan, int L, struct split *out)
{
    int embedding = int_of(plan, PARAM_parallel_embedding_counts_as_layer), loss = int_of(plan, PARAM_parallel_loss_counts_as_layer);
    int slots = out->stages * out->chunks, blocks = L + embedding + loss, rest = blocks % slots;
    if (rest && split_of(plan) != SPLIT_FIRST_MORE)
        return false;
    for (int n = 0; n < slots; n++)
        out->layers[n] = (short)(blocks / slots + (n < rest) - (n == 0 ? embedding : 0) - (n == slots - 1 ? loss : 0));
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
    double layer = 4 * plan->value[PARAM_model_num_attention_heads] * plan->value[PARAM_model_kv_channels] * h + 3 * plan->value[PARAM_model_ffn_hidden_size] * h;
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

/* Spreads layers that do not divide: every chunk gets the floor, the rest go to the middle of the model first. */
static void nearly(int L, struct split *out)
{
    int slots = out->stages * out->chunks, rest = L % slots, skip = (slots - rest) / 2;
    for (int n = 0; n < slots; n++)
        out->layers[n] = (short)(L / slots + (n >= skip && n < skip + rest));
}

/* Sets where each chunk starts; returns the layers of all chunks. */
static int add_up(struct split *out)
{
    int at = 0;
    out->is_uniform = true;
    for (int n = 0; n < out->stages * out->chunks; n++) {
        out->is_uniform &= out->layers[n] == out->layers[0];
        out->start[n] = (short)at;
        at += out->layers[n];
    }
    return at;
}

enum split_fit split_layers(const struct plan *plan, struct split *out)
{
    int L = int_of(plan, PARAM_model_num_layers), p = int_of(plan, PARAM_parallel_pp), V = int_of(plan, PARAM_parallel_vpp);
    if (L < 1 || p < 1 || V < 1 || p > CHUNKS_MAX || V > CHUNKS_MAX || p * V > CHUNKS_MAX)
        return SPLIT_NONE;
    out->stages = p;
    out->chunks = V;
    out->folds = int_of(plan, PARAM_parallel_schedule) == SCHEDULE_ZB_V;
    int first = int_of(plan, PARAM_parallel_first_stage_layers), last = int_of(plan, PARAM_parallel_last_stage_layers);
    bool ok = plan->layout.chunks > 0           ? from_layout(plan, out)
              : split_of(plan) == SPLIT_BY_COST ? greedily(plan, L, out)
              : first > 0 || last > 0           ? from_ends(L, first, last, out)
                                                : evenly(plan, L, out);
    if (ok && add_up(out) == L)
        return SPLIT_EXACT;
    nearly(L, out);
    add_up(out);
    return SPLIT_NEAR;
}

bool split_evenly(const struct plan *plan, struct split *out)
{
    double L = plan->value[PARAM_model_num_layers];
    double slots = plan->value[PARAM_parallel_pp] * plan->value[PARAM_parallel_vpp];
    bool has_ends = plan->value[PARAM_parallel_first_stage_layers] + plan->value[PARAM_parallel_last_stage_layers] +
                        plan->value[PARAM_parallel_embedding_counts_as_layer] + plan->value[PARAM_parallel_loss_counts_as_layer] > 0;
    double each = L / slots;
    if (plan->layout.chunks > 0 || has_ends || split_of(plan) == SPLIT_BY_COST || plan->value[PARAM_model_num_experts] > 0 ||
        !(slots >= 1 && slots <= CHUNKS_MAX && each >= 1 && each < LAYERS_MOST) || each != (int)each)
        return false;
    out->stages = int_of(plan, PARAM_parallel_pp);
    out->chunks = int_of(plan, PARAM_parallel_vpp);
    out->folds = int_of(plan, PARAM_parallel_schedule) == SCHEDULE_ZB_V;
    out->is_uniform = true;
    out->layers[0] = (short)each;
    return true;
}

static int moe_before(const struct plan *plan, int layer)
{
    int dense = int_of(plan, PARAM_model_moe_first_dense), freq = int_of(plan, PARAM_model_moe_layer_freq);
    return layer > dense && freq > 0 ? (layer - dense) / freq : 0;
}

int split_moe_layers(const struct plan *plan, int from, int to)
{
    return int_of(plan, PARAM_model_num_experts) > 0 ? moe_before(plan, to) - moe_before(plan, from) : 0;
}
