#include "core/search/balance.h"

#include "core/base.h"
#include "core/estimate/kinds.h"
#include "core/estimate/symbols.h"
#include "core/plan/key.h"
#include "core/plan/plan.h"

#include <math.h>
#include <string.h>

/* Seconds of a pass through each layer and back, and of what stands before the first and behind the last. */
struct times {
    double layer[PATTERN_LAYERS_MAX], before, behind;
    int count;
};

static double time_of(const struct layer_cost *cost, unsigned char layer)
{
    enum feed feed = layer_feed(layer);
    return cost->attn_f + cost->attn_b + cost->attn_r + (feed == FEED_EXPERTS ? cost->moe_f + cost->moe_b
                                          : feed == FEED_NONE  ? 0
                                                               : cost->mlp_f + cost->mlp_b);
}

static void time_layers(const struct plan *resolved, struct times *out)
{
    const struct layer_pattern *pattern = &resolved->pattern;
    unsigned char kind[KINDS_MAX];
    struct layer_cost cost[KINDS_MAX], *first = cost;
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
        out->layer[i] = time_of(&cost[k], pattern->of[i]);
    }
    double modules = KEY_OF(resolved, model, mtp_num_layers);
    double embed = first->embed_f + first->embed_b, head = first->head_f + first->head_b;
    enum feed feed = KEY_OF(resolved, model, num_experts) > 0 ? FEED_EXPERTS : FEED_DENSE;
    double module = time_of(first, layer_of(MIXER_ATTENTION, feed)) + first->mtp_f + first->mtp_b + embed + head;
    out->before = embed;
    out->behind = head + modules * module;
}

/* Fills stages up to `most` seconds; returns whether all layers find a place, one in each stage at least. */
static bool fill_stages(const struct times *times, int stages, double most, struct pipeline_layout *out)
{
    int at = 0;
    for (int stage = 0; stage < stages; stage++) {
        double sum = stage == 0 ? times->before : 0, end = stage == stages - 1 ? times->behind : 0;
        int from = at, left = stages - 1 - stage;
        while (at < times->count - left && (at == from || sum + times->layer[at] + end <= most))
            sum += times->layer[at++];
        if (sum + end > most)
            return false;
        out->layers[stage] = (int16_t)(at - from);
    }
    return at == times->count;
}

int balance_layers(const struct plan *plan, int stages, struct pipeline_layout *out)
{
    enum { HALVINGS = 40 };
    struct plan resolved;
    struct times times;
    struct pipeline_layout tried = {.chunks = (int16_t)stages};
    if (plan->pattern.layers < stages || stages > LAYOUT_CHUNKS_MAX)
        return -1;
    plan_resolve(plan, &resolved);
    KEY_OF(&resolved, train, recompute) = RECOMPUTE_NONE; /* which a search may still change */
    time_layers(&resolved, &times);
    double low = 0, high = times.before + times.behind;
    for (int i = 0; i < times.count; i++)
        high += times.layer[i];
    if (!isfinite(high) || !fill_stages(&times, stages, high, &tried))
        return -1;
    *out = tried;
    for (int i = 0; i < HALVINGS; i++) {
        double most = (low + high) / 2;
        bool fits = fill_stages(&times, stages, most, &tried);
        *(fits ? &high : &low) = most;
        if (fits)
            *out = tried;
    }
    return 0;
}
