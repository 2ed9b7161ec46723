#include "core/estimate/kinds.h"

#include "core/estimate/model.h"
#include "core/estimate/pipeline.h"
#include "core/estimate/serving.h"
#include "core/estimate/symbols.h"
#include "core/plan/key.h"
#include "core/plan/split.h"

#include <string.h>

/* Layers of each kind, and how many of them have which feed-forward block. */
struct counts {
    double layers, experts, dense, wide;
    double of[KINDS_MAX];
};

void kinds_symbols(const struct plan *resolved, unsigned char kind, struct symbols *out)
{
    struct plan plan;
    kind_plan(resolved, kind, &plan);
    symbols_of(&plan, out);
}

void kinds_costs(const struct plan *resolved, const struct layer_cost *first, struct kind_costs *out)
{
    const struct layer_pattern *pattern = &resolved->pattern;
    out->count = 0;
    if (pattern->layers == 0)
        return;
    out->count = pattern_kinds(pattern, out->kind);
    out->mtp_layers = pattern->mtp;
    out->has_experts = KEY_OF(resolved, model, num_experts) > 0;
    memcpy(out->mtp, pattern->of_mtp, sizeof out->mtp);
    memset(out->dummy, 0, sizeof out->dummy);
    for (int k = 0; k < out->count; k++) {
        struct symbols symbols;
        kinds_symbols(resolved, out->kind[k], &symbols);
        pipeline_layers(&symbols, &out->of[k]);
        out->scratch[k] = fold_scratch(&symbols);
        out->exchanged[k] = symbols.c > 1 ? fold_exchange(&symbols) : 0;
        for (int i = 0; i < 8; i++) /* shapes that two kinds share count once more, a few MiB at most */
            out->dummy[i] += k ? max(0, out->of[k].dummy[i] - first->dummy[i]) : out->of[k].dummy[i];
    }
}

/* ---- means ------------------------------------------------------------------------------------------------------ */

/* The cost of the kind that a layer is of. */
static int index_of(const struct kind_costs *kinds, unsigned char layer)
{
    for (int k = 0; k < kinds->count; k++)
        if (kinds->kind[k] == layer_kind(layer))
            return k;
    return 0;
}

static int wide_of(const unsigned char kind[], int count)
{
    for (int k = 0; k < count; k++)
        if (layer_feed(kind[k]) == FEED_WIDE)
            return k;
    return -1;
}

/* The mean over all layers. */
#define MEAN(list, name)                                                                                               \
    double sum = 0;                                                                                                   \
    for (int k = 0; k < count; k++)                                                                                   \
        sum += counts->of[k] * list[k].name;                                                                           \
    out->name = counts->layers > 0 ? sum / counts->layers : 0;

/* The mean over the layers without experts, of which some have no feed-forward block. */
#define MEAN_DENSE(list, name)                                                                                         \
    double each = out->name, more = wide >= 0 ? list[wide].name : 0, others = counts->layers - counts->experts;        \
    out->name = others > 0 ? (counts->dense * each + counts->wide * more) / others : 0;

#define IS_OF_MIXER(set) ((set) == SET_ATTENTION || (set) == SET_CORE || (set) == SET_MLP_NORM)
#define MIX(list, name, set)                                                                                           \
    if (IS_OF_MIXER(SET_##set)) {                                                                                     \
        MEAN(list, name)                                                                                               \
    } else if (SET_##set == SET_MLP) {                                                                                \
        MEAN_DENSE(list, name)                                                                                         \
    }

static void mix_layers(const struct kind_costs *kinds, const struct counts *counts, struct layer_cost *out)
{
    const int count = kinds->count, wide = wide_of(kinds->kind, count);
#define FOLD(name, unit, label, set, column) MIX(kinds->of, name, set)
#define GIVEN(...)
#define TERM(...)
#include "core/estimate/stage.def"
#undef FOLD
#undef GIVEN
#undef TERM
#define FOLD_PASS(name, unit, label, set, column) MIX(kinds->of, name, set)
#include "core/estimate/timing.def"
}

/* The layers of one multi-token-prediction module, and the feed-forward blocks that formulas give it. */
struct inner {
    int layers, of[PATTERN_MTP_MAX];
    double given_experts, given_dense, experts, dense;
};

/* A module that the pattern does not describe is one layer of the first kind. */
static struct inner inner_of(const struct kind_costs *kinds)
{
    const double experts = kinds->has_experts;
    struct inner out = {.layers = kinds->mtp_layers, .given_experts = experts, .given_dense = 1 - experts};
    out.experts = out.layers > 0 ? 0 : out.given_experts;
    out.dense = out.layers > 0 ? 0 : out.given_dense;
    for (int i = 0; i < out.layers; i++) {
        out.of[i] = index_of(kinds, kinds->mtp[i]);
        out.experts += layer_feed(kinds->mtp[i]) == FEED_EXPERTS;
        out.dense += layer_feed(kinds->mtp[i]) == FEED_DENSE;
    }
    return out;
}

/* Adds to `own` what the module has beyond the mean layer: by its own kinds, `list`, and the first's blocks. */
#define BEYOND(own, attn, mlp, moe)                                                                                    \
    {                                                                                                                 \
        double sum = inner.layers > 0 ? 0 : first->attn;                                                              \
        for (int i = 0; i < inner.layers; i++)                                                                         \
            sum += list[inner.of[i]].attn;                                                                             \
        out->own += sum - mean.attn + inner.dense * first->mlp - inner.given_dense * mean.mlp +                        \
                    (inner.experts - inner.given_experts) * first->moe;                                                \
    }

/* What a multi-token-prediction module has beyond a mean layer and one feed-forward block, in the sums of its own. */
static void mix_mtp(const struct kind_costs *kinds, const struct layer_cost *first, struct layer_cost *out)
{
    const struct inner inner = inner_of(kinds);
    const struct layer_cost mean = *out, *list = kinds->of;
    BEYOND(mtp_own_params, attn_params, mlp_params, moe_params)
    BEYOND(mtp_own_quantised, attn_quantised, mlp_quantised, moe_quantised)
    BEYOND(mtp_saved, attn_saved, mlp_saved, expert_saved)
    BEYOND(mtp_f, attn_f, mlp_f, moe_f)
    BEYOND(mtp_b, attn_b, mlp_b, moe_b)
    BEYOND(mtp_r, attn_r, mlp_r, moe_r)
}

/* Shares, and what the largest layer keeps. */
static void mix_shares(const struct kind_costs *kinds, const struct counts *counts, struct layer_cost *out)
{
    struct layer_share *share = &out->share;
    *share = (struct layer_share){0};
    for (int k = 0; k < kinds->count; k++) {
        const struct layer_cost *one = &kinds->of[k];
        enum mixer mixer = layer_mixer(kinds->kind[k]);
        bool feeds = layer_feed(kinds->kind[k]) != FEED_NONE, has_any = counts->of[k] > 0;
        double feed = !feeds ? 0 : counts->experts > 0 ? max(one->expert_saved, one->mlp_saved) : one->mlp_saved;
        double freed = !feeds ? 0 : counts->experts > 0 ? one->expert_freed : one->mlp_freed;
        share->mixing += (mixer != MIXER_NONE) * counts->of[k];
        share->attending += kind_attends(mixer) * counts->of[k];
        share->exchanging += (kinds->exchanged[k] > 0) * counts->of[k];
        share->exchanged += kinds->exchanged[k] * counts->of[k];
        share->widest_saved = has_any ? max(share->widest_saved, one->attn_saved + feed) : share->widest_saved;
        share->widest_dropped = has_any ? max(share->widest_dropped, one->attn_freed + freed) : share->widest_dropped;
        share->scratch = has_any ? max(share->scratch, kinds->scratch[k]) : share->scratch;
    }
    share->exchanged /= max(share->exchanging, 1);
    share->exchanging /= max(counts->layers, 1);
    share->mixing /= max(counts->layers, 1);
    share->attending /= max(counts->layers, 1);
    share->feeding = (counts->dense + counts->wide) / max(counts->layers - counts->experts, 1);
    memcpy(out->dummy, kinds->dummy, sizeof out->dummy);
}

/* ---- a stage ---------------------------------------------------------------------------------------------------- */

static void add_chunk(const struct split *split, int n, struct counts *out)
{
    out->layers += split->layers[n];
    out->experts += split->moe[n];
    out->dense += split->dense[n];
    out->wide += split->wide[n];
    for (int k = 0; k < split->kinds; k++)
        out->of[k] += split->of_kind[k][n];
}

const struct layer_cost *kinds_mix(const struct layer_cost *first, const struct kind_costs *kinds,
                                   const struct split *split, const struct schedule_shape *schedule, int stage,
                                   struct layer_cost *mixed)
{
    struct counts counts = {0};
    if (kinds->count == 0)
        return first;
    for (int chunk = 0; chunk < split->chunks; chunk++)
        add_chunk(split, schedule_place(schedule, stage, chunk), &counts);
    *mixed = *first;
    mix_layers(kinds, &counts, mixed);
    mix_mtp(kinds, first, mixed);
    mix_shares(kinds, &counts, mixed);
    return mixed;
}

/* ---- the whole model -------------------------------------------------------------------------------------------- */

static void count_model(const struct layer_pattern *pattern, const unsigned char kind[], int count, struct counts *out)
{
    *out = (struct counts){.layers = pattern->layers, .experts = pattern_experts(pattern, 0, pattern->layers)};
    for (int i = 0; i < pattern->layers; i++) {
        out->dense += layer_feed(pattern->of[i]) == FEED_DENSE;
        out->wide += layer_feed(pattern->of[i]) == FEED_WIDE;
        for (int k = 0; k < count; k++)
            out->of[k] += layer_kind(pattern->of[i]) == kind[k];
    }
}

static void mix_whole(const unsigned char kind[], const struct totals of[], int count, const struct counts *counts,
                      struct totals *out)
{
    const int wide = wide_of(kind, count);
#define FOLD(name, unit, label, set, column) MIX(of, name, set)
#include "core/estimate/model.def"
}

static void mix_whole_mtp(const struct plan *resolved, const struct totals list[], const struct totals *first,
                          struct totals *out)
{
    struct kind_costs kinds;
    const struct totals mean = *out;
    kinds.count = pattern_kinds(&resolved->pattern, kinds.kind);
    kinds.mtp_layers = resolved->pattern.mtp;
    kinds.has_experts = KEY_OF(resolved, model, num_experts) > 0;
    memcpy(kinds.mtp, resolved->pattern.of_mtp, sizeof kinds.mtp);
    const struct inner inner = inner_of(&kinds);
    BEYOND(mtp_own_params, attn_params, mlp_params, moe_params)
    BEYOND(mtp_own_saved, attn_saved, mlp_saved, moe_saved)
    BEYOND(mtp_own_flops, attn_flops, mlp_flops, moe_flops)
    BEYOND(mtp_repeated, attn_repeated, mlp_repeated, moe_repeated)
}

/* What the mixer of a layer computes beside matrix products: attention by what it reaches, a scan. */
static double flops_of(const struct symbols *one)
{
    double sum = 0;
    for (int i = 0; i < OP_COUNT; i++) {
        struct op op;
        op_evaluate(one, (enum op_id)i, &op);
        sum += op_rows[i].kind == OP_ATTENTION && op.when != 0 ? op.flops : 0;
    }
    return sum;
}

void kinds_whole(const struct plan *resolved, const struct symbols *one, struct totals *out)
{
    unsigned char kind[KINDS_MAX];
    struct totals of[KINDS_MAX];
    struct counts counts;
    fold_whole(one, out);
    out->kinds_flops = 0;
    if (resolved->pattern.layers == 0)
        return;
    int count = pattern_kinds(&resolved->pattern, kind);
    count_model(&resolved->pattern, kind, count, &counts);
    for (int k = 0; k < count; k++) {
        struct plan plan;
        struct symbols symbols, whole;
        kind_plan(resolved, kind[k], &plan);
        symbols_of(&plan, &symbols);
        symbols_unparallel(&plan, &symbols, &whole);
        fold_whole(&whole, &of[k]);
        out->kinds_flops += counts.of[k] * flops_of(&whole) * one->s / one->reach;
    }
    const struct totals first = *out;
    mix_whole(kind, of, count, &counts, out);
    mix_whole_mtp(resolved, of, &first, out);
}

/* ---- serving ---------------------------------------------------------------------------------------------------- */

/* What a served sequence keeps in one layer of a kind, and its weights. */
struct served_kind {
    struct layer_cache cache;
    double mixer_params, dense_params;
};

/* Adds what `times` layers of a kind keep. */
static void add_cache(struct layer_cache *sum, const struct layer_cache *one, double times)
{
    sum->values += times * one->values;
    sum->near += times * one->near;
    sum->bytes += times * one->bytes;
    sum->state += times * one->state;
}

/* Bytes of a sequence of `tokens`, of values of 2 bytes: which stage keeps most. */
static double bytes_of(const struct layer_cache *of, double tokens, double near)
{
    return tokens * (2 * of->values + of->bytes) + 2 * min(tokens, near) * of->near + of->state;
}

static void cache_of_stage(const struct split *split, int stage, const struct served_kind of[], struct layer_cache *out)
{
    *out = (struct layer_cache){0};
    for (int chunk = 0; chunk < split->chunks; chunk++)
        for (int k = 0, n = split_place(split->stages, split->folds, stage, chunk); k < split->kinds; k++)
            add_cache(out, &of[k].cache, split->of_kind[k][n]);
}

/* Sums over the layers of the model; returns what all of them keep. */
static struct layer_cache serve_layers(const struct layer_pattern *pattern, const unsigned char kind[],
                                       const struct served_kind of[], struct serving *out)
{
    struct layer_cache whole = {0};
    for (int i = 0, k = 0; i < pattern->layers; i++, k = 0) {
        enum mixer mixer = layer_mixer(pattern->of[i]);
        enum feed feed = layer_feed(pattern->of[i]);
        while (kind[k] != layer_kind(pattern->of[i]))
            k++;
        add_cache(&whole, &of[k].cache, 1);
        out->kinds_blocks += ((mixer != MIXER_NONE) + (feed != FEED_NONE)) / 2.0;
        out->kinds_attending += kind_attends(mixer) && mixer != MIXER_WINDOW && mixer != MIXER_CHUNK;
        out->mixer_params += of[k].mixer_params;
        out->dense_params += feed == FEED_DENSE || feed == FEED_WIDE ? of[k].dense_params : 0;
    }
    return whole;
}

static void serve_kind(const struct plan *resolved, unsigned char kind, struct served_kind *of, double *near)
{
    struct symbols symbols;
    struct layer_cost cost;
    struct op_shapes shapes;
    kinds_symbols(resolved, kind, &symbols);
    fold_layers(&symbols, &cost, &shapes);
    fold_cache(&symbols, &of->cache);
    of->mixer_params = cost.attn_params;
    of->dense_params = cost.mlp_params;
    *near = max(*near, symbols.forgets);
}

void kinds_served(const struct plan *resolved, const struct split *split, struct serving *out)
{
    double tokens = KEY_OF(resolved, serve, prompt_tokens) + KEY_OF(resolved, serve, generate_tokens);
    unsigned char kind[KINDS_MAX];
    struct served_kind of[KINDS_MAX];
    int count = resolved->pattern.layers > 0 ? pattern_kinds(&resolved->pattern, kind) : 0;
    if (count == 0)
        return;
    for (int k = 0; k < count; k++)
        serve_kind(resolved, kind[k], &of[k], &out->near_tokens);
    struct layer_cache whole = serve_layers(&resolved->pattern, kind, of, out), fullest = {0};
    for (int stage = 0; split && stage < split->stages; stage++) {
        struct layer_cache one;
        cache_of_stage(split, stage, of, &one);
        if (bytes_of(&one, tokens, out->near_tokens) > bytes_of(&fullest, tokens, out->near_tokens))
            fullest = one;
    }
    fullest = split ? fullest : whole;
    out->differs = 1;
    out->rank_values = fullest.values, out->rank_near_values = fullest.near;
    out->rank_index_bytes = fullest.bytes, out->state_bytes = fullest.state;
    out->whole_values = whole.values, out->whole_near_values = whole.near;
    out->whole_index_bytes = whole.bytes, out->whole_state_bytes = whole.state;
}
