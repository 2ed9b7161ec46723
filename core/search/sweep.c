#include "core/search/sweep.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "core/show/line.h"
#include "core/show/quantity.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *const sweep_state_names[SWEEP_STATES] = {"fits", "tight", "no", "invalid", "unknown"};

/* ---- metrics ---------------------------------------------------------------------------------------------------- */

static double peak_gib(const struct estimate *e)
{
    struct figures figures;
    figures_of(e, &figures);
    return figures.device_bytes / GIB;
}

static double headroom_gib(const struct estimate *e)
{
    return e->headroom_bytes / GIB;
}

/* USD for a million tokens that are trained on, or generated. */
static double cost_per_million(const struct estimate *e)
{
    return e->step.cost_per_1t_tokens / 1e6;
}

static double training_days(const struct estimate *e)
{
    const double day_s = 86400;
    return e->step.seconds / day_s;
}

const struct sweep_metric sweep_metrics[] = {
    {"iteration_s", "time.iteration_s", "s", false, NULL},
    {"tokens_per_s", "time.tokens_per_s", "tokens/s", true, NULL},
    {"tokens_per_s_per_gpu", "time.tokens_per_s_per_gpu", "tokens/s", true, NULL},
    {"mfu", "time.mfu", "", true, NULL},
    {"bubble_fraction", "time.bubble_fraction", "", false, NULL},
    {"request_s", "serving.request_s", "s", false, NULL},
    {"tokens_per_s", "serving.tokens_per_s", "tokens/s", true, NULL},
    {"first_token_s", "serving.time_to_first_token_s", "s", false, NULL},
    {"per_token_s", "serving.per_token_s", "s", false, NULL},
    {"peak_gib", NULL, "GiB", false, peak_gib},
    {"headroom_gib", NULL, "GiB", true, headroom_gib},
    {"cost", "training.cost_per_1t_tokens", "USD per million tokens", false, cost_per_million},
    {"cost", "serving.cost_per_million_tokens", "USD per million tokens", false, NULL},
    {"training_days", "training.seconds", "days", false, training_days},
    {NULL, NULL, NULL, false, NULL},
};

bool sweep_metric_is_of(const struct sweep_metric *metric, bool is_serving)
{
    return !metric->path || (strncmp(metric->path, "serving.", strlen("serving.")) == 0) == is_serving;
}

int sweep_metric_for(int metric, bool is_serving)
{
    for (int i = 0; sweep_metrics[i].name; i++) {
        int at = sweep_metrics[metric].name ? metric : 0;
        if (sweep_metric_is_of(&sweep_metrics[at], is_serving))
            return at;
        metric = at + 1;
    }
    return 0;
}

struct sweep_metric sweep_metric_named(const char *name, bool is_serving)
{
    const struct sweep_metric *row = sweep_metrics;
    while (row->name && (strcmp(row->name, name) != 0 || !sweep_metric_is_of(row, is_serving)))
        row++;
    if (row->name)
        return *row;
    static const char *const more_is_better[] = {"tokens_per_s", "tflops", "mfu", "hfu", "headroom", "max_", "goodput",
                                                 "mtbf_s", "queued_batch", "probability"};
    bool is_speed = false;
    for (size_t i = 0; i < LENGTH(more_is_better); i++)
        is_speed |= strstr(name, more_is_better[i]) != NULL;
    return (struct sweep_metric){strlen(name) < EXPLAIN_PATH_MAX && *name ? name : NULL, name, "", is_speed, NULL};
}

enum param sweep_missing_key(const struct sweep_metric *metric, const struct plan *resolved)
{
    const struct quantity *row = metric->path ? quantity_find(metric->path) : NULL;
    return row ? quantity_lacks(row, resolved) : PARAM_COUNT;
}

static double value_of(const struct estimate *e, const struct sweep_metric *metric, struct explanation *opened)
{
    if (metric->of)
        return e->is_computed ? metric->of(e) : NAN;
    double value;
    return explain_number(e, metric->path, opened, &value) == 0 ? value : NAN;
}

/* ---- cells ------------------------------------------------------------------------------------------------------ */

static bool is_swept(enum param key, const enum param keys[], int count)
{
    for (int i = 0; i < count; i++)
        if (keys[i] == key)
            return true;
    return false;
}

static bool is_valid(const struct plan *plan)
{
    struct plan resolved;
    plan_resolve(plan, &resolved);
    return rule_errors(&resolved) == 0;
}

static void follow_with(struct plan *plan, const struct plan *asked, enum param key, double value,
                        struct sweep_cell *out)
{
    struct plan resolved;
    plan_resolve(asked, &resolved);
    if (resolved.value[key] == value && !(key == PARAM_parallel_dp && asked->value[key] > 0))
        return;
    param_set(plan, key, value);
    out->follower[out->followers++] = (struct change){key, value};
}

static bool try(struct plan *plan, const struct plan *asked, bool frees_dp, double sp, double mbs,
                struct sweep_cell *out)
{
    *plan = *asked;
    out->followers = 0;
    if (frees_dp)
        follow_with(plan, asked, PARAM_parallel_dp, 0, out);
    if (isfinite(sp))
        follow_with(plan, asked, PARAM_parallel_sp, sp, out);
    if (isfinite(mbs))
        follow_with(plan, asked, PARAM_train_micro_batch_size, mbs, out);
    return is_valid(plan);
}

/* Changes as few keys as needed to make the plan valid; none if that is impossible. */
static void follow_along(struct plan *plan, const enum param keys[], int count, struct sweep_cell *out)
{
    static const double micro_batches[] = {NAN, 1, 2, 4, 8, 16}, switched[] = {NAN, 1, 0};
    const struct plan asked = *plan;
    bool frees_dp = KEY_OF(&asked, parallel, dp) > 0 && !is_swept(PARAM_parallel_dp, keys, count);
    bool has_sp = !is_swept(PARAM_parallel_sp, keys, count),
         has_mbs = !is_swept(PARAM_train_micro_batch_size, keys, count);
    for (size_t b = 0; b < (has_mbs ? LENGTH(micro_batches) : 1); b++)
        for (size_t s = 0; s < (has_sp ? LENGTH(switched) : 1); s++)
            for (int dp = 0; dp <= frees_dp; dp++)
                if (try(plan, &asked, dp, switched[s], micro_batches[b], out))
                    return;
    *plan = asked;
    out->followers = 0;
}

static bool is_reason(const struct diag *diag, bool is_invalid)
{
    return is_invalid ? diag->level == DIAG_ERROR : diag->is_unmodelled || diag->is_missing;
}

static bool names_rule(const struct sweep_cell *cell, const char *rule)
{
    for (int i = 0; i < cell->reasons; i++)
        if (strcmp(cell->reason[i].rule, rule) == 0)
            return true;
    return false;
}

/* The first finding of each rule. */
static void list_reasons(const struct diags *diags, struct sweep_cell *out)
{
    for (int i = 0; i < diags->count && out->reasons < SWEEP_REASONS_MAX; i++) {
        const struct diag *diag = &diags->item[i];
        struct sweep_reason *reason = &out->reason[out->reasons];
        if (!is_reason(diag, out->state == SWEEP_INVALID) || names_rule(out, diag->rule))
            continue;
        reason->rule = diag->rule;
        snprintf(reason->why, sizeof reason->why, "%s %s", param_rows[diag->param].dotted, finding_text(diag).text);
        out->reasons++;
    }
}

static void say_room(struct sweep_cell *out)
{
    out->reasons = 1;
    snprintf(out->reason[0].why, sizeof out->reason[0].why, "%.1f GiB %s on the fullest GPU",
             fabs(out->figures.headroom_bytes) / GIB, out->figures.headroom_bytes < 0 ? "too much" : "free");
}

static double ranks_of(const struct plan *resolved)
{
    return KEY_OF(resolved, parallel, tp) * KEY_OF(resolved, parallel, cp) * KEY_OF(resolved, parallel, pp) *
           KEY_OF(resolved, parallel, dp);
}

static void count_gpus(const struct plan *resolved, struct sweep_cell *out)
{
    out->gpus = ranks_of(resolved);
    out->idle_gpus = KEY_OF(resolved, hardware, nodes) * KEY_OF(resolved, hardware, gpus_per_node) - out->gpus;
}

void sweep_evaluate(struct plan *plan, const struct sweep_metric *metric, const enum param keys[], int key_count,
                    bool follow, struct estimate *scratch, struct explanation *opened, struct sweep_cell *out)
{
    *out = (struct sweep_cell){.value = NAN, .gpus = NAN, .idle_gpus = NAN};
    if (follow && !is_valid(plan))
        follow_along(plan, keys, key_count, out);
    estimate_plan(plan, scratch);
    figures_of(scratch, &out->figures);
    bool is_invalid = scratch->diags.errors > 0;
    out->state = is_invalid
                     ? SWEEP_INVALID
                     : (enum sweep_state[]){SWEEP_FITS, SWEEP_TIGHT, SWEEP_NO, SWEEP_UNKNOWN}[out->figures.verdict];
    if (!is_invalid) {
        out->value = value_of(scratch, metric, opened);
        count_gpus(&scratch->plan, out);
    }
    if (out->state >= SWEEP_INVALID)
        list_reasons(&scratch->diags, out);
    if (out->state == SWEEP_NO || out->state == SWEEP_TIGHT)
        say_room(out);
}

/* ---- the best layout of a cell ---------------------------------------------------------------------------------- */

void sweep_ask(const struct plan *plan, const struct sweep_metric *metric, const enum param keys[], int key_count,
               struct search_ask *out)
{
    search_ask_about(plan, out);
    out->top = 1;
    out->objective = metric->of == peak_gib || metric->of == headroom_gib ? SEARCH_MEMORY : SEARCH_TIME;
    for (int i = 0; i < key_count; i++)
        if (space_axis_of(keys[i]) >= 0)
            out->space.free &= ~(1u << space_axis_of(keys[i]));
    if (is_swept(PARAM_parallel_dp, keys, key_count))
        out->space.dp = (struct space_values){1, {KEY_OF(plan, parallel, dp)}};
}

static int list_changes(const struct search_ask *ask, const struct plan *from, const struct plan *layout,
                        struct change out[SWEEP_FOLLOWERS])
{
    struct plan before, after;
    int count = 0;
    plan_resolve(from, &before);
    plan_resolve(layout, &after);
    for (int i = 0; i < PARAM_COUNT && count < SWEEP_FOLLOWERS; i++)
        if (space_axis_of((enum param)i) >= 0 && plan_diff_matters(&before, &after, (enum param)i) &&
            before.value[i] != after.value[i] && !isnan(after.value[i]))
            out[count++] = (struct change){(enum param)i, after.value[i]};
    double dp = KEY_OF(layout, parallel, dp) > 0 ? KEY_OF(layout, parallel, dp) : 0; /* a given one may make way */
    bool is_asked = ask->space.dp.count > 0; /* then it is what the layout leaves */
    if (!is_asked && KEY_OF(from, parallel, dp) > 0 && dp != KEY_OF(from, parallel, dp) && count < SWEEP_FOLLOWERS)
        out[count++] = (struct change){PARAM_parallel_dp, dp};
    if (isnan(KEY_OF(from, train, global_batch_size)) && count < SWEEP_FOLLOWERS)
        out[count++] = (struct change){PARAM_train_global_batch_size, KEY_OF(&before, train, global_batch_size)};
    return count;
}

void sweep_follow(const struct sweep_cell *cell, struct plan *plan)
{
    for (int i = 0; i < cell->followers; i++) {
        param_set(plan, cell->follower[i].key, cell->follower[i].value);
        if (space_axis_of(cell->follower[i].key) == SEARCH_SPLIT || cell->follower[i].key == PARAM_parallel_pp)
            param_clear(plan, PARAM_parallel_pipeline_layout);
    }
}

/* "pp x dp = 10": the fixed sizes and their product. */
static double kept_sizes(const struct search_ask *ask, char *out, size_t size)
{
    static const enum param sizes[] = {PARAM_parallel_tp, PARAM_parallel_pp, PARAM_parallel_cp};
    double product = 1;
    struct text_line line = line_in(out, size);
    for (size_t i = 0; i < LENGTH(sizes); i++)
        if (!(ask->space.free & 1u << space_axis_of(sizes[i]))) {
            product *= ask->space.plan.value[sizes[i]];
            line_add(&line, "%s%s", line.at ? " x " : "", param_rows[sizes[i]].key);
        }
    if (ask->space.dp.count > 0) {
        product *= ask->space.dp.value[0];
        line_add(&line, "%sdp", line.at ? " x " : "");
    }
    line_add(&line, " = %g", product);
    return product;
}

/* Whether the plan uses fewer GPUs than each layout of the search, or a number that is not valid. */
static bool is_of_other_gpus(const struct space *space, const struct plan *resolved, const struct sweep_cell *cell)
{
    if (cell->state != SWEEP_INVALID)
        return ranks_of(resolved) < space->world;
    return strcmp(cell->reason[0].rule, rule_name(RULE_gpus_divisible)) == 0 ||
           strcmp(cell->reason[0].rule, rule_name(RULE_gpus_enough)) == 0;
}

/* If no layout is valid because of the number of GPUs, the plan's own faults do not matter. */
static void refuse_other_gpus(const struct search_ask *ask, const struct plan *resolved, struct sweep_cell *out)
{
    struct space space;
    char sizes[64];
    if (!space_begin(&space, &ask->space, 0, 1) || !is_of_other_gpus(&space, resolved, out))
        return;
    bool is_odd = fmod(space.world, kept_sizes(ask, sizes, sizeof sizes)) != 0;
    *out = (struct sweep_cell){.state = SWEEP_INVALID,
                               .value = NAN,
                               .gpus = NAN,
                               .idle_gpus = NAN,
                               .figures = FIGURES_UNKNOWN,
                               .reasons = 1,
                               .reason = {{.rule = rule_name(RULE_gpus_divisible)}}};
    char *why = out->reason[0].why;
    if (is_odd)
        snprintf(why, sizeof out->reason[0].why, "%s does not divide %g GPUs", sizes, space.world);
    else
        snprintf(why, sizeof out->reason[0].why, "no layout with these values uses all %g GPUs", space.world);
}

void sweep_evaluate_best(struct plan *plan, const struct sweep_metric *metric, const struct search_ask *ask,
                         const struct search_answer *answer, struct estimate *scratch, struct explanation *opened,
                         struct sweep_cell *out)
{
    const struct search_result *best = answer->count > 0     ? &answer->best[0]
                                       : answer->has_nearest ? &answer->nearest
                                                             : NULL;
    struct sweep_cell found = {.followers = 0};
    if (best) {
        struct plan layout;
        search_plan(ask, best, &layout);
        found.followers = list_changes(ask, plan, &layout, found.follower);
        sweep_follow(&found, plan);
    }
    sweep_evaluate(plan, metric, NULL, 0, false, scratch, opened, out);
    if (answer->evaluated == 0)
        refuse_other_gpus(ask, &scratch->plan, out);
    out->followers = found.followers;
    memcpy(out->follower, found.follower, sizeof out->follower);
}

/* ---- the best --------------------------------------------------------------------------------------------------- */

static bool is_better(const struct sweep_metric *metric, const struct sweep_cell *a, const struct sweep_cell *b)
{
    return metric->is_larger_better ? a->value > b->value : a->value < b->value;
}

int sweep_best(const struct sweep_metric *metric, const struct sweep_cell cell[], int count)
{
    int best = -1;
    for (int state = SWEEP_FITS; state <= SWEEP_TIGHT && best < 0; state++)
        for (int i = 0; i < count; i++)
            if ((int)cell[i].state == state && isfinite(cell[i].value) &&
                (best < 0 || is_better(metric, &cell[i], &cell[best])))
                best = i;
    return best;
}

static bool is_ranked(const struct sweep_cell *cell)
{
    return cell->state <= SWEEP_TIGHT && isfinite(cell->value);
}

/* The value that comes at place `k` in ascending order; reorders the values (Hoare's FIND). */
static double select_value(double value[], int count, int k)
{
    for (int low = 0, high = count - 1; low < high;) {
        double pivot = value[k];
        int i = low, j = high;
        while (i <= j) {
            for (; value[i] < pivot; i++)
                ;
            for (; value[j] > pivot; j--)
                ;
            if (i <= j) {
                double swapped = value[i];
                value[i++] = value[j];
                value[j--] = swapped;
            }
        }
        low = j < k ? i : low;
        high = k < i ? j : high;
    }
    return value[k];
}

void sweep_scale_of(const struct sweep_metric *metric, const struct sweep_cell cell[], int count, double scratch[],
                    struct sweep_scale *out)
{
    int ranked = 0;
    out->sign = metric->is_larger_better ? -1 : 1;
    for (int i = 0; i < count; i++)
        if (is_ranked(&cell[i]))
            scratch[ranked++] = out->sign * cell[i].value;
    for (int i = 0; i < SWEEP_STEPS - 1; i++)
        out->edge[i] =
            ranked > 0 ? select_value(scratch, ranked, ((i + 1) * ranked + SWEEP_STEPS - 1) / SWEEP_STEPS - 1) : NAN;
}

int sweep_step(const struct sweep_scale *scale, const struct sweep_cell *cell)
{
    int step = 0;
    if (!is_ranked(cell))
        return -1;
    for (int i = 0; i < SWEEP_STEPS - 1; i++)
        step += scale->sign * cell->value > scale->edge[i];
    return step;
}
