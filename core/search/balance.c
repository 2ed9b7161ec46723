#include "core/search/balance.h"

#include "core/estimate/kinds.h"
#include "core/estimate/symbols.h"
#include "core/plan/key.h"
#include "core/plan/split.h"

#include <math.h>

static double time_of(const struct layer_cost *cost, enum feed feed)
{
    return cost->attn_f + cost->attn_b + cost->attn_r + (feed == FEED_EXPERTS ? cost->moe_f + cost->moe_b
                                          : feed == FEED_NONE  ? 0
                                                               : cost->mlp_f + cost->mlp_b);
}

/* Layers of several kinds; sets the cost of the first kind. */
static void time_pattern(const struct plan *resolved, struct balance_times *out, struct layer_cost *first)
{
    const struct layer_pattern *pattern = &resolved->pattern;
    unsigned char kind[KINDS_MAX];
    struct layer_cost cost[KINDS_MAX];
    int count = pattern_kinds(pattern, kind);
    for (int k = 0; k < count; k++) {
        struct symbols symbols;
        struct op_shapes shapes;
        kinds_symbols(resolved, kind[k], &symbols);
        fold_layers(&symbols, &cost[k], &shapes);
    }
    out->count = pattern->layers;
    for (int i = 0, k = 0; i < pattern->layers; i++, k = 0) {
        while (kind[k] != layer_kind(pattern->of[i]))
            k++;
        out->layer[i] = time_of(&cost[k], layer_feed(pattern->of[i]));
    }
    *first = cost[0];
}

/* Layers that differ in experts alone. */
static void time_alike(const struct plan *resolved, struct balance_times *out, struct layer_cost *cost)
{
    struct symbols symbols;
    struct op_shapes shapes;
    double layers = KEY_OF(resolved, model, num_layers);
    symbols_of(resolved, &symbols);
    fold_layers(&symbols, cost, &shapes);
    out->count = layers <= PATTERN_LAYERS_MAX ? (int)layers : 0;
    for (int i = 0; i < out->count; i++)
        out->layer[i] = time_of(cost, split_moe_layers(resolved, i, i + 1) ? FEED_EXPERTS : FEED_DENSE);
}

void balance_time(const struct plan *plan, struct balance_times *out)
{
    struct plan resolved;
    struct layer_cost cost;
    plan_resolve(plan, &resolved);
    KEY_OF(&resolved, train, recompute) = RECOMPUTE_NONE; /* which a search may still change */
    if (resolved.pattern.layers > 0)
        time_pattern(&resolved, out, &cost);
    else
        time_alike(&resolved, out, &cost);
    double modules = KEY_OF(&resolved, model, mtp_num_layers);
    double embed = cost.embed_f + cost.embed_b, head = cost.head_f + cost.head_b;
    double module = time_of(&cost, KEY_OF(&resolved, model, num_experts) > 0 ? FEED_EXPERTS : FEED_DENSE) +
                    cost.mtp_f + cost.mtp_b + embed + head;
    out->before = embed;
    out->behind = head + modules * module;
}

/* Fills chunks up to `most` seconds; returns whether all layers find a place. */
static bool fill_chunks(const struct balance_times *times, int chunks, double most, struct pipeline_layout *out)
{
    int at = 0;
    for (int chunk = 0; chunk < chunks; chunk++) {
        double sum = chunk == 0 ? times->before : 0, end = chunk == chunks - 1 ? times->behind : 0;
        int from = at, left = chunks - 1 - chunk, least = left > 0;
        while (at < times->count - (left > 1 ? left - 1 : 0) &&
               (at < from + least || sum + times->layer[at] + end <= most))
            sum += times->layer[at++];
        if (sum + end > most)
            return false;
        out->layers[chunk] = (int16_t)(at - from);
    }
    return at == times->count;
}

int balance_layers(const struct balance_times *times, int chunks, struct pipeline_layout *out)
{
    enum { HALVINGS = 12 };
    struct pipeline_layout tried = {.chunks = (int16_t)chunks};
    if (times->count < chunks || chunks > LAYOUT_CHUNKS_MAX)
        return -1;
    double low, high = times->before + times->behind;
    for (int i = 0; i < times->count; i++)
        high += times->layer[i];
    low = high / chunks;
    if (!isfinite(high) || !fill_chunks(times, chunks, high, &tried))
        return -1;
    *out = tried;
    for (int i = 0; i < HALVINGS; i++) {
        double most = (low + high) / 2;
        bool fits = fill_chunks(times, chunks, most, &tried);
        *(fits ? &high : &low) = most;
        if (fits)
            *out = tried;
    }
    return 0;
}
