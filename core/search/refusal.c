#include "core/search/refusal.h"

#include "core/plan/param.h"
#include "core/plan/step.h"
#include "core/search/feature.h"
#include "core/show/line.h"

#include <stdio.h>
#include <string.h>

enum { TRIED = 256, KEYS_MAX = REFUSAL_KEYS_MAX };

/* ---- the layouts that are tried ---------------------------------------------------------------------------------- */

struct asked {
    enum param key;
    const struct space_values *values;
};

static int asked_keys(const struct search_ask *ask, struct asked out[KEYS_MAX])
{
    const struct space_ask *space = &ask->space;
    int count = 0;
    for (int i = 0; i < SEARCH_AXES; i++) {
        enum param key = i < SEARCH_NODES ? space->own[i] : space_axes[i].key;
        bool is_sharding = i == SEARCH_SHARDING;
        if (space->free & 1u << i && space->values[i].count > 0 && (key < PARAM_COUNT || is_sharding))
            out[count++] = (struct asked){is_sharding ? PARAM_parallel_zero_stage : key, &space->values[i]};
    }
    if (space->dp.count > 0)
        out[count++] = (struct asked){PARAM_parallel_dp, &space->dp};
    return count;
}

typedef void take_fn(void *to, const struct plan *plan);

/* Visits about TRIED layouts of the space. */
static void walk(const struct search_ask *ask, long layouts, take_fn *take, void *to)
{
    struct space space;
    struct plan plan;
    long at = 0, every = layouts / TRIED + 1;
    bool has_next = space_begin(&space, &ask->space, 0, 1);
    while (has_next && space_next(&space))
        if (at++ % every == 0) {
            space_plan(&ask->space, &space.at, &plan);
            take(to, &plan);
        }
}

/* Visits the plan with each combination of the requested values. */
static void combine(const struct search_ask *ask, take_fn *take, void *to)
{
    struct asked key[KEYS_MAX];
    int count = asked_keys(ask, key), at[KEYS_MAX] = {0}, i = 0;
    for (int tried = 0; tried < TRIED && i >= 0; tried++) {
        struct plan plan = ask->space.plan;
        for (i = 0; i < count; i++) {
            param_set(&plan, key[i].key, key[i].values->value[at[i]]);
        }
        take(to, &plan);
        for (i = count - 1; i >= 0 && ++at[i] == key[i].values->count; i--)
            at[i] = 0;
    }
}

static void each_layout(const struct search_ask *ask, long layouts, take_fn *take, void *to)
{
    if (layouts > 0)
        walk(ask, layouts, take, to);
    else
        combine(ask, take, to);
}

/* ---- the rules --------------------------------------------------------------------------------------------------- */

/* Counts layouts by rule, except those that a chosen rule refuses; `nearest` breaks `wanted` and the fewest others. */
struct tally {
    const struct refusals *chosen;
    long tried, count[RULE_COUNT];
    enum rule_id wanted; /* RULE_COUNT: none yet */
    int fewest;          /* rules that a layout breaks which `wanted` refuses */
    struct plan nearest;
};

static bool is_chosen(const struct refusals *chosen, const struct rule_set *broken)
{
    for (int i = 0; i < RULE_COUNT; i++)
        for (int k = 0; k < chosen->count; k++)
            if (broken->has[i] && strcmp(rule_name((enum rule_id)i), chosen->item[k].rule) == 0)
                return true;
    return false;
}

static void add(void *to, const struct plan *plan)
{
    struct tally *tally = to;
    struct plan resolved;
    struct rule_set broken;
    int all = 0;
    plan_resolve(plan, &resolved);
    rule_forbidding(&resolved, &broken);
    tally->tried++;
    if (is_chosen(tally->chosen, &broken))
        return;
    for (int i = 0; i < RULE_COUNT; i++) {
        tally->count[i] += broken.has[i];
        all += broken.has[i];
    }
    if (tally->wanted < RULE_COUNT && broken.has[tally->wanted] && (tally->fewest == 0 || all < tally->fewest)) {
        tally->fewest = all;
        tally->nearest = *plan;
    }
}

/* The rule that refuses most; in a tie one about a requested key. */
static enum rule_id most_of(const struct search_ask *ask, const struct tally *tally)
{
    struct asked key[KEYS_MAX];
    int keys = asked_keys(ask, key), most = 0;
    long best = 0;
    for (int i = 0; i < RULE_COUNT; i++) {
        bool is_asked = false;
        for (int k = 0; k < keys; k++)
            is_asked |= key[k].key == rule_key((enum rule_id)i);
        long worth = 2 * tally->count[i] + (tally->count[i] > 0 && is_asked);
        most = worth > best ? i : most;
        best = worth > best ? worth : best;
    }
    return best > 0 ? (enum rule_id)most : RULE_COUNT;
}

static bool has_any(const struct space_values *values, const double valid[], int count)
{
    for (int i = 0; i < count * values->count; i++)
        if (valid[i / values->count] == values->value[i % values->count])
            return true;
    return false;
}

/* Whether one of the refusals lists the values of a key. */
static bool lists_key(const struct refusals *refusals, enum param key)
{
    bool is_any = false;
    for (int i = 0; i < refusals->count; i++)
        for (int k = 0; k < refusals->item[i].valid_count; k++)
            is_any |= refusals->item[i].valid[k].key == key;
    return is_any;
}

/* Lists the values of keys that can have none of those asked for, unless another refusal lists them. */
static void add_valid(const struct search_ask *ask, const struct refusals *all, struct refusal *out)
{
    enum { VALID = 64 };
    double valid[VALID];
    struct asked key[KEYS_MAX];
    int keys = asked_keys(ask, key);
    if (out->finding.valid_kind == DIAG_VALID_ALL)
        return;
    for (int i = 0; i < keys; i++) {
        int count = param_valid(&ask->space.plan, key[i].key, valid, VALID);
        if (count == 0 || has_any(key[i].values, valid, count) || lists_key(all, key[i].key))
            continue;
        struct refusal_valid *to = &out->valid[out->valid_count++];
        *to = (struct refusal_valid){.key = key[i].key, .count = count};
        memcpy(to->value, valid, sizeof *valid * (size_t)(count < REFUSAL_VALID_MAX ? count : REFUSAL_VALID_MAX));
    }
}

struct refusal_text refusal_text(const struct refusal *refusal)
{
    struct refusal_text out;
    struct text_line line = line_in(out.text, sizeof out.text);
    line_add(&line, "%s", finding_text(&refusal->finding).text);
    for (int i = 0; i < refusal->valid_count; i++) {
        const struct refusal_valid *valid = &refusal->valid[i];
        line_add(&line, "; %s may be", param_rows[valid->key].key);
        for (int k = 0; k < valid->count && k < REFUSAL_VALID_MAX; k++) {
            char text[PARAM_NUMBER_MAX];
            param_number(valid->key, valid->value[k], text);
            line_add(&line, " %s", text);
        }
        line_add(&line, "%s", valid->count > REFUSAL_VALID_MAX ? " .." : "");
    }
    return out;
}

/* What the rule finds in the nearest layout. */
static void take_finding(const struct tally *tally, struct estimate *scratch, struct refusal *out)
{
    estimate_plan(&tally->nearest, scratch);
    for (int i = 0; i < scratch->diags.count; i++)
        if (strcmp(scratch->diags.item[i].rule, out->rule) == 0)
            out->finding = scratch->diags.item[i];
}

/* Whether no requested dp divides the GPUs. */
static bool is_dp_odd(const struct search_ask *ask, struct refusal *out)
{
    struct space space;
    bool is_begun = space_begin(&space, &ask->space, 0, 1), is_odd = is_begun && ask->space.dp.count > 0;
    for (int i = 0; i < ask->space.dp.count; i++)
        is_odd &= fmod(space.world, ask->space.dp.value[i]) != 0;
    if (!is_odd)
        return false;
    struct diag finding = {.param = PARAM_parallel_dp, .rule = rule_name(RULE_gpus_divisible), .digits = 10,
                           .sentence = "dp {dp} does not divide {gpus} GPUs",
                           .number = {ask->space.dp.value[0], space.world}, .valid_kind = DIAG_VALID_ALL};
    for (double dp = 1; dp <= space.world && finding.valid_count < DIAG_VALID_MAX; dp++)
        if (fmod(space.world, dp) == 0)
            finding.valid[finding.valid_count++] = dp;
    *out = (struct refusal){.rule = finding.rule, .key = PARAM_parallel_dp, .layouts = 1, .finding = finding};
    return true;
}

/* Without layouts the requested values are tried in the plan. */
static void find(const struct search_ask *ask, long layouts, struct estimate *scratch, struct refusals *out)
{
    *out = (struct refusals){.tried = 0};
    if (layouts == 0 && is_dp_odd(ask, &out->item[0])) {
        out->tried = out->count = 1;
        return;
    }
    while (out->count < REFUSALS_MAX) {
        struct tally tally = {.chosen = out, .wanted = RULE_COUNT};
        each_layout(ask, layouts, add, &tally);
        enum rule_id rule = most_of(ask, &tally);
        out->tried = tally.tried;
        if (rule == RULE_COUNT)
            return;
        struct refusal *one = &out->item[out->count];
        *one = (struct refusal){.rule = rule_name(rule), .key = rule_key(rule), .layouts = tally.count[rule]};
        struct tally nearest = {.chosen = out, .wanted = rule};
        each_layout(ask, layouts, add, &nearest);
        take_finding(&nearest, scratch, one);
        out->count++;
    }
}

/* ---- one key at a time ------------------------------------------------------------------------------------------- */

static void ask_alone(const struct search_ask *ask, const struct asked *key, struct search_ask *out)
{
    *out = *ask;
    for (int i = 0; i < SEARCH_AXES; i++)
        if (&ask->space.values[i] != key->values)
            out->space.values[i].count = 0;
    if (&ask->space.dp != key->values)
        out->space.dp.count = 0;
}

static bool has_layouts(const struct search_ask *ask)
{
    struct space space;
    return space_begin(&space, &ask->space, 0, 1) && space_next(&space);
}

static void add_refusal(struct refusals *out, const struct refusals *own)
{
    bool is_new = own->count > 0 && out->count < REFUSALS_MAX;
    for (int i = 0; i < out->count && is_new; i++)
        is_new = out->item[i].key != own->item[0].key || strcmp(out->item[i].rule, own->item[0].rule) != 0;
    if (!is_new)
        return;
    out->item[out->count] = own->item[0];
    out->item[out->count++].layouts = own->item[0].layouts * out->tried / own->tried;
}

/* Keys whose requested values are never valid: changing another key would not help. */
static void add_others(const struct search_ask *ask, struct estimate *scratch, struct refusals *out)
{
    struct asked key[KEYS_MAX];
    int keys = asked_keys(ask, key);
    for (int i = 0; i < keys && keys > 1 && out->count > 0; i++) {
        struct search_ask alone;
        struct refusals own;
        ask_alone(ask, &key[i], &alone);
        if (has_layouts(&alone))
            continue;
        find(&alone, 0, scratch, &own);
        if (own.count > 0)
            add_valid(&alone, &own, &own.item[0]);
        add_refusal(out, &own);
    }
}

void refusals_of(const struct search_ask *asked, const struct search_answer *answer, struct estimate *scratch,
                 struct refusals *out)
{
    struct search_ask ask = *asked;
    struct feature_rounds rounds;
    *out = (struct refusals){.tried = 0};
    if (answer->evaluated > 0)
        return;
    if (feature_has_rounds(&ask)) /* the first was all that was looked at */
        feature_begin(&rounds, &ask);
    find(&ask, answer->candidates, scratch, out);
    int of_all = out->count;
    if (answer->candidates == 0)
        add_others(&ask, scratch, out);
    for (int i = 0; i < of_all; i++)
        add_valid(&ask, out, &out->item[i]);
}
