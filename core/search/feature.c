#include "core/search/feature.h"

#include "core/base.h"
#include "core/plan/framework.h"

#include <string.h>

/* ---- what there is ----------------------------------------------------------------------------------------------- */

/* What a plan needs to have before a feature can change a number. */
enum need { ALWAYS, EXPERTS, FP8, STAGES };

static const struct {
    enum param key;
    enum need need;
    bool of_core, of_fsdp, of_nanotron, of_deepspeed;
} features[] = {
    {PARAM_parallel_moe_dispatcher, EXPERTS, true, false, true, false},
    {PARAM_parallel_overlap_ep, EXPERTS, true, false, false, false},
    {PARAM_parallel_overlap_tp, ALWAYS, true, true, false, false},
    {PARAM_parallel_overlap_p2p, STAGES, true, false, false, false},
    {PARAM_parallel_microbatch_group, ALWAYS, true, false, false, false},
    {PARAM_parallel_cp_comm, ALWAYS, true, true, false, false},
    {PARAM_parallel_overlap_grad_reduce, ALWAYS, true, false, false, true},
    {PARAM_parallel_overlap_param_gather, ALWAYS, true, false, false, false},
    {PARAM_train_recompute_modules, ALWAYS, true, false, false, false},
    {PARAM_train_cross_entropy, ALWAYS, true, false, false, false},
    {PARAM_train_grad_dtype, ALWAYS, true, false, false, false},
    {PARAM_train_exp_avg_dtype, ALWAYS, true, false, false, false},
    {PARAM_train_exp_avg_sq_dtype, ALWAYS, true, false, false, false},
    {PARAM_framework_cuda_graph, ALWAYS, true, false, false, false},
    {PARAM_framework_fp8_recipe, FP8, true, true, false, false},
    {PARAM_framework_fp8_param_gather, FP8, true, false, false, false},
    {PARAM_framework_compile, ALWAYS, false, true, false, false},
    {PARAM_framework_tp_async, ALWAYS, false, false, true, false},
    {PARAM_framework_tp_mode, ALWAYS, false, false, true, false},
    {PARAM_framework_tp_recompute_allgather, ALWAYS, false, false, true, false},
    {PARAM_framework_partition_activations, ALWAYS, false, false, false, true},
};

static bool can_use(enum need need, const struct plan *resolved)
{
    double dtype = KEY_OF(resolved, train, dtype);
    switch (need) {
    case EXPERTS: return KEY_OF(resolved, model, num_experts) > 0;
    case FP8: return dtype == DTYPE_FP8 || dtype == DTYPE_MXFP8;
    case STAGES: return KEY_OF(resolved, parallel, overlap_p2p) >= 0 && KEY_OF(resolved, parallel, vpp) > 1;
    default: return true;
    }
}

int feature_list(const struct plan *resolved, enum param out[SPACE_OWN_MAX])
{
    enum framework_id id = frameworks[(int)KEY_OF(resolved, framework, name)].of;
    int count = 0;
    for (size_t i = 0; i < LENGTH(features) && count < SPACE_OWN_MAX; i++) {
        bool has = id == FRAMEWORK_MEGATRON_CORE ? features[i].of_core
                   : id == FRAMEWORK_FSDP2       ? features[i].of_fsdp
                   : id == FRAMEWORK_NANOTRON    ? features[i].of_nanotron
                                                 : id == FRAMEWORK_DEEPSPEED && features[i].of_deepspeed;
        if (has && can_use(features[i].need, resolved))
            out[count++] = features[i].key;
    }
    return count;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

/* Values of an own key that are tried; 1 where it is not free. */
static int values_of(const struct search_ask *ask, int axis)
{
    return ask->space.free & 1u << axis ? ask->space.values[axis].count : 1;
}

bool feature_has_rounds(const struct search_ask *ask)
{
    enum { EACH = 32 /* combinations that are tried one by one */ };
    double combinations = 1;
    for (int i = 0; i < SPACE_OWN_MAX; i++) {
        combinations *= max(values_of(ask, i), 1);
        if (ask->space.pinned[i] > 0)
            return false;
    }
    return combinations > EACH;
}

/* Notes the values of a round and sets them; false if there was such a round, or there is no room for another. */
static bool set_round(struct feature_rounds *rounds, const int number[SPACE_OWN_MAX], struct search_ask *ask)
{
    for (int i = 0; i < rounds->count; i++)
        if (memcmp(rounds->tried[i], number, sizeof rounds->tried[i]) == 0)
            return false;
    if (rounds->count == FEATURE_ROUNDS_MAX)
        return false;
    memcpy(rounds->tried[rounds->count++], number, sizeof rounds->tried[0]);
    for (int i = 0; i < SPACE_OWN_MAX; i++)
        ask->space.pinned[i] = ask->space.free & 1u << i ? number[i] + 1 : 0;
    return true;
}

/* Whether a layout with these values of own keys breaks a rule about one of them. */
static bool is_refused(const struct search_ask *ask, struct space_layout layout, const int number[SPACE_OWN_MAX],
                       int axis)
{
    struct plan plan, resolved;
    struct rule_set broken;
    memcpy(layout.value, number, SPACE_OWN_MAX * sizeof *number);
    space_plan(&ask->space, &layout, &plan);
    plan_resolve(&plan, &resolved);
    rule_forbidding(&resolved, &broken);
    for (int i = 0; i < RULE_COUNT; i++)
        if (broken.has[i] && rule_key((enum rule_id)i) == ask->space.own[axis])
            return true;
    return false;
}

void feature_begin(struct feature_rounds *rounds, struct search_ask *ask)
{
    struct space_layout given;
    int first[SPACE_OWN_MAX];
    for (int i = 0; i < SEARCH_AXES; i++)
        given.value[i] = SPACE_AS_GIVEN;
    for (int i = 0; i < SPACE_OWN_MAX; i++)
        first[i] = ask->space.free & 1u << i ? 0 : SPACE_AS_GIVEN;
    for (int i = 0; i < SPACE_OWN_MAX; i++) { /* the plan's value, unless no layout may have it */
        while (first[i] >= 0 && first[i] < values_of(ask, i) && is_refused(ask, given, first, i))
            first[i]++;
        first[i] = first[i] < values_of(ask, i) ? first[i] : 0;
    }
    *rounds = (struct feature_rounds){.by_time = ask->space.by_time};
    ask->space.by_time = false;
    search_excuses(ask, &rounds->excused);
    set_round(rounds, first, ask);
}

/* Estimates a layout; false if it is not valid or not within the limits. */
static bool look_at(const struct feature_rounds *rounds, const struct search_ask *ask,
                    const struct space_layout *layout, struct estimate *scratch, struct search_result *out)
{
    struct plan plan, resolved;
    space_plan(&ask->space, layout, &plan);
    plan_resolve(&plan, &resolved);
    if (rule_forbids(&resolved, &rounds->excused))
        return false;
    estimate_plan(&plan, scratch);
    return search_takes(ask, scratch) && search_result_of(ask, layout, scratch, out);
}

/* Tries the values of one key; true if one is better than the one it had. */
static bool improve_key(struct feature_rounds *rounds, const struct search_ask *ask, int axis,
                        struct estimate *scratch, struct search_result *best)
{
    struct space_layout layout = best->layout;
    bool is_better = false;
    for (int i = 0; i < values_of(ask, axis); i++) {
        struct search_result one;
        layout.value[axis] = i;
        if (i == best->layout.value[axis] || !look_at(rounds, ask, &layout, scratch, &one))
            continue;
        rounds->judged[axis] |= UINT64_C(1) << i;
        if (search_compare(&one, best) < 0) {
            *best = one;
            is_better = true;
        }
    }
    return is_better;
}

static void improve(struct feature_rounds *rounds, const struct search_ask *ask, struct estimate *scratch,
                    struct search_result *result)
{
    enum { SWEEPS = 4 };
    bool is_better = true;
    for (int i = 0; i < SPACE_OWN_MAX; i++)
        if (ask->space.free & 1u << i)
            rounds->judged[i] |= UINT64_C(1) << result->layout.value[i];
    for (int sweep = 0; sweep < SWEEPS && is_better; sweep++) {
        is_better = false;
        for (int i = 0; i < SPACE_OWN_MAX; i++)
            if (ask->space.free & 1u << i)
                is_better |= improve_key(rounds, ask, i, scratch, result);
    }
}

static bool is_improved(const struct feature_rounds *rounds, const struct space_layout *layout)
{
    for (int i = 0; i < rounds->improved && i < FEATURE_IMPROVED; i++)
        if (space_compare(&rounds->best[i], layout) == 0)
            return true;
    return false;
}

/* The best results, and the best of the last round, which may be behind them. */
static void improve_best(struct feature_rounds *rounds, const struct search_ask *ask, struct search_answer *answer,
                         struct estimate *scratch)
{
    enum { BEST = 8, LAST = 4, IMPROVED = BEST + LAST };
    struct search_result found[IMPROVED];
    int count = 0, of_round = 0;
    for (int i = 0; i < answer->count && count < IMPROVED; i++) {
        bool is_last =
            memcmp(answer->best[i].layout.value, rounds->tried[rounds->count - 1], sizeof rounds->tried[0]) == 0;
        if (i >= BEST && (!is_last || of_round == LAST))
            continue;
        of_round += i >= BEST;
        if (!is_improved(rounds, &answer->best[i].layout))
            found[count++] = answer->best[i];
    }
    for (int i = 0; i < count; i++) {
        improve(rounds, ask, scratch, &found[i]);
        search_add(answer, ask, &found[i]);
        rounds->best[rounds->improved++ % FEATURE_IMPROVED] = found[i].layout;
    }
}

/* The values that need the least memory, where nothing fits yet. */
static void shrink(const struct feature_rounds *rounds, const struct search_ask *ask,
                   const struct search_answer *answer, struct estimate *scratch, int number[SPACE_OWN_MAX])
{
    struct search_ask any = *ask;
    struct feature_rounds any_value = {.excused = rounds->excused};
    struct search_result least = answer->nearest;
    any.objective = SEARCH_MEMORY;
    any.fit = SEARCH_ANY;
    any.max_memory_bytes = any.headroom_bytes = any.slowest_token_s = NAN;
    any.conditions = 0;
    least.value = least.peak_device_bytes;
    improve(&any_value, &any, scratch, &least);
    memcpy(number, least.layout.value, SPACE_OWN_MAX * sizeof *number);
}

/* Whether a rule about the key forbids these values in layouts of all sizes: in those of the front, from end to end. */
static bool is_hopeless(const struct search_ask *ask, const struct search_answer *answer,
                        const int number[SPACE_OWN_MAX], int axis)
{
    enum { LAYOUTS = 32 };
    int step = answer->front_count / LAYOUTS + 1;
    for (int i = 0; i < answer->front_count; i += step)
        if (!is_refused(ask, answer->front[i].layout, number, axis))
            return false;
    return true;
}

/* The best values with one that no layout could try. */
static bool set_unjudged(struct feature_rounds *rounds, struct search_ask *ask, const struct search_answer *answer,
                         const int best[SPACE_OWN_MAX])
{
    for (int axis = 0; axis < SPACE_OWN_MAX; axis++)
        for (int i = 0; ask->space.free & 1u << axis && i < values_of(ask, axis); i++) {
            int number[SPACE_OWN_MAX];
            memcpy(number, best, sizeof number);
            number[axis] = i;
            bool is_of_stages = ask->space.own[axis] == PARAM_parallel_microbatch_group; /* others have other groups */
            if (is_of_stages || (rounds->judged[axis] >> i & 1) || is_hopeless(ask, answer, number, axis))
                continue;
            rounds->judged[axis] |= UINT64_C(1) << i;
            if (set_round(rounds, number, ask))
                return true;
        }
    return false;
}

/* The best values with all cheap modules computed again: what is fastest without them may leave no room for more. */
static bool set_leaner(struct feature_rounds *rounds, struct search_ask *ask, const int best[SPACE_OWN_MAX])
{
    enum { CHEAP = 1 }; /* behind the plan's own */
    for (int axis = 0; axis < SPACE_OWN_MAX; axis++)
        if (ask->space.own[axis] == PARAM_train_recompute_modules && values_of(ask, axis) > CHEAP) {
            int number[SPACE_OWN_MAX];
            memcpy(number, best, sizeof number);
            number[axis] = CHEAP;
            return set_round(rounds, number, ask);
        }
    return false;
}

/* The last rounds cut layers by time as well; false where they do already, or the question does not ask for it. */
static bool set_by_time(struct feature_rounds *rounds, struct search_ask *ask, const int best[SPACE_OWN_MAX])
{
    if (!rounds->by_time || ask->space.by_time)
        return false;
    ask->space.by_time = true;
    rounds->count = 0;
    return set_round(rounds, best, ask);
}

bool feature_next(struct feature_rounds *rounds, struct search_ask *ask, struct search_answer *answer,
                  struct estimate *scratch)
{
    int best[SPACE_OWN_MAX];
    for (int i = 0; i < SPACE_OWN_MAX; i++) {
        best[i] = rounds->tried[0][i];
        ask->space.pinned[i] = 0;
    }
    improve_best(rounds, ask, answer, scratch);
    if (answer->count > 0)
        memcpy(best, answer->best[0].layout.value, sizeof best);
    else if (answer->has_nearest)
        shrink(rounds, ask, answer, scratch, best);
    return set_round(rounds, best, ask) || set_leaner(rounds, ask, best) ||
           (answer->count > 0 && !(rounds->by_time && ask->space.by_time) && set_unjudged(rounds, ask, answer, best)) ||
           set_by_time(rounds, ask, best);
}
