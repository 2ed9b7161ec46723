#include "src/cli/layouts.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "core/plan/step.h"
#include "core/search/advice.h"
#include "core/search/search.h"
#include "src/cli/cli.h"
#include "src/cli/condition.h"
#include "src/cli/threads.h"
#include "src/plan/plan_io.h"
#include "src/report/layouts.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char program[] = "shardtop";

/* ---- the question ------------------------------------------------------------------------------------------------ */

/* Calls `take` with every name of a list separated by commas. */
static void each_name(const char *list, void (*take)(struct search_ask *, const char *, struct errors *),
                      struct search_ask *ask, struct errors *errors)
{
    for (const char *at = list; at && *at;) {
        size_t length = strcspn(at, ",");
        char *name = xstrndup(at, length);
        take(ask, name, errors);
        free(name);
        at += length + (at[length] == ',');
    }
}

/* The axis that tries a key's values: its own, or one of those for other keys. -1 when all of these are taken. */
static int axis_for(struct search_ask *ask, int axis, enum param key)
{
    for (int i = 0; i < SPACE_OWN_MAX && axis < 0; i++)
        if (!(ask->space.free & 1u << (SEARCH_OWN + i))) {
            ask->space.own[i] = key;
            axis = SEARCH_OWN + i;
        }
    if (axis >= 0)
        ask->space.free |= 1u << axis;
    return axis;
}

static void refuse_own(const char *option, struct errors *errors)
{
    errors_add(errors, program, 0, option, "takes %d keys beside those of a layout at most", SPACE_OWN_MAX);
}

static void add_value(struct space_values *values, double value)
{
    for (int i = 0; i < values->count; i++)
        if (values->value[i] == value)
            return;
    if (values->count < (int)LENGTH(values->value))
        values->value[values->count++] = value;
}

/* Modules of which it makes a difference here whether they are recomputed: bits of the key. */
static unsigned modules_that_matter(const struct plan *plan)
{
    struct estimate *scratch = xmalloc(sizeof *scratch);
    struct plan with = *plan;
    struct figures none, one;
    unsigned matter = 0;
    with.value[PARAM_train_recompute] = RECOMPUTE_SELECTIVE;
    with.from[PARAM_train_recompute] = with.from[PARAM_train_recompute_modules] = FROM_SET;
    for (int bit = -1; bit < 0 || param_rows[PARAM_train_recompute_modules].choices[bit]; bit++) {
        KEY_OF(&with, train, recompute_modules) = bit < 0 ? 0 : 1u << bit;
        estimate_plan(&with, scratch);
        figures_of(scratch, bit < 0 ? &none : &one);
        if (bit >= 0 && !(one.iteration_s == none.iteration_s && one.device_bytes == none.device_bytes))
            matter |= 1u << bit;
    }
    free(scratch);
    return matter;
}

/* One and two modules that matter. */
static void add_modules(const struct plan *plan, struct space_values *out)
{
    enum { MODULES = 8 };
    unsigned matter = modules_that_matter(plan);
    for (int second = -1; second < MODULES; second++)
        for (int first = second + 1; first < MODULES; first++)
            if (matter >> first & 1 && (second < 0 || matter >> second & 1))
                add_value(out, (double)(1u << first | (second < 0 ? 0 : 1u << second)));
}

/*
 * What a key of words or switches may be here, the plan's own value first: it stays where another makes no difference.
 */
static void find_values(const struct plan *plan, enum param key, struct space_values *out)
{
    double valid[LENGTH(out->value)];
    struct plan resolved;
    plan_resolve(plan, &resolved);
    out->count = 0;
    add_value(out, resolved.value[key]);
    if (key == PARAM_train_recompute_modules) {
        add_modules(plan, out);
        return;
    }
    int count = param_valid(plan, key, valid, LENGTH(valid));
    for (int i = 0; i < count; i++)
        add_value(out, valid[i]);
}

/* Frees an axis, or another key with values of its own. */
static void free_axis(struct search_ask *ask, const char *name, struct errors *errors)
{
    int key = -1, axis = space_axis_named(name, &key);
    if (axis >= 0 && axis != SEARCH_NODES) {
        ask->space.free |= 1u << axis;
    } else if (key < 0) {
        errors_add(errors, program, 0, "--free", "'%.40s' is no key; see shardtop list keys", name);
    } else if (axis < 0 && param_rows[key].choices &&
               (param_rows[key].type != TYPE_SET || key == PARAM_train_recompute_modules)) {
        axis = axis_for(ask, -1, (enum param)key);
        if (axis >= 0)
            find_values(&ask->space.plan, (enum param)key, &ask->space.values[axis]);
        else
            refuse_own("--free", errors);
    } else {
        errors_add(errors, program, 0, "--free",
                   "%.40s has no values of its own to try; write --values %.40s=VALUE,VALUE", name, name);
    }
}

static void keep_axis(struct search_ask *ask, const char *name, struct errors *errors)
{
    int key = -1, axis = space_axis_named(name, &key);
    if (axis >= 0)
        ask->space.free &= ~(1u << axis);
    else
        errors_add(errors, program, 0, "--keep", "'%.40s' is nothing that a search changes", name);
}

/* Reads the values of one key; false with a fault added. */
static bool read_values(enum param key, const char *option, const char *list, struct space_values *out,
                        struct errors *errors)
{
    struct plan plan;
    char why[PARAM_WHY_MAX];
    plan_clear(&plan);
    out->count = 0;
    while (*list) {
        size_t length = strcspn(list, ",");
        char *text = xstrndup(list, length);
        int status = param_parse(&plan, key, text, FROM_SET, false, why);
        bool is_full = out->count == (int)LENGTH(out->value);
        free(text);
        if (status != 0 || isnan(plan.value[key]) || is_full) {
            errors_add(errors, program, 0, option, "%s: %s", param_rows[key].key,
                       status ? why : is_full ? "takes 32 values at most" : "needs values");
            return false;
        }
        out->value[out->count++] = plan.value[key];
        list += length + (list[length] == ',');
    }
    return out->count > 0;
}

static void add_values(struct search_ask *ask, const char *name, const char *option, const char *list,
                       struct errors *errors)
{
    int key = -1, axis = space_axis_named(name, &key);
    bool is_listed = key >= 0 && param_type((enum param)key)->json != PARAM_JSON_LAYOUT &&
                     param_rows[key].type != TYPE_NAME && key != PARAM_framework_name;
    if (axis >= 0 && key < 0)
        key = (int)space_axes[axis].key;
    bool is_state = axis == SEARCH_SHARDING || axis == SEARCH_SPLIT;
    if (axis == SEARCH_SHARDING && key == PARAM_parallel_zero_stage)
        is_state = false;
    if (key < 0 || key == PARAM_COUNT || is_state || (axis < 0 && !is_listed)) {
        errors_add(errors, program, 0, option, "'%.40s' is no key whose values can be tried", name);
        return;
    }
    struct space_values values;
    if (!read_values((enum param)key, option, list, &values, errors))
        return;
    axis = axis_for(ask, axis, (enum param)key);
    if (axis >= 0)
        ask->space.values[axis] = values;
    else
        refuse_own(option, errors);
}

/* Reads a size in bytes; NAN without one. */
static double read_size(const char *option, const char *text, struct errors *errors)
{
    char why[NUMBER_WHY_MAX];
    double gib = NAN;
    if (text && (number_parse(text, SUFFIX_GIB, NULL, NULL, &gib, why) != 0 || !(gib > 0)))
        errors_add(errors, program, 0, option, "'%.40s' is not a size; write one such as 72GiB", text);
    return gib * GIB;
}

/* Reads a time with its unit in seconds; NAN without one. */
static double read_duration(const char *option, const char *text, struct errors *errors)
{
    static const struct {
        char unit;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
    char *end = NULL;
    double number = text ? strtod(text, &end) : NAN;
    for (size_t i = 0; text && i < LENGTH(units); i++)
        if (end != text && number > 0 && isfinite(number) && end[0] == units[i].unit && !end[1])
            return number * units[i].seconds;
    if (text)
        errors_add(errors, program, 0, option, "'%.40s' is not a time; write one such as 30d, 12h or 90m", text);
    return NAN;
}

/* Seconds a token at most, from a deadline for the training or a rate; NAN without either. */
static double read_pace(const struct cli *cli, const struct plan *resolved, struct errors *errors)
{
    char why[NUMBER_WHY_MAX];
    double rate = NAN, deadline_s = read_duration("--deadline", cli->deadline, errors),
           tokens = KEY_OF(resolved, train, total_tokens);
    if (cli->deadline && isnan(tokens))
        errors_add(errors, program, 0, "--deadline", "needs train.total_tokens; give the tokens of the whole training");
    if (cli->tokens_per_s && (number_parse(cli->tokens_per_s, SUFFIX_DECIMAL, NULL, NULL, &rate, why) != 0 ||
                              !(rate > 0)))
        errors_add(errors, program, 0, "--tokens-per-s", "'%.40s' is not a rate; write a number such as 2M",
                   cli->tokens_per_s);
    return fmin(deadline_s * KEY_OF(resolved, hardware, availability) / tokens, 1 / rate);
}

/* The number of a choice; 0 with a fault added where it is none. */
static int read_choice(const char *option, const char *text, const char *const choices[], int count,
                       struct errors *errors)
{
    for (int i = 0; text && i < count; i++)
        if (strcmp(text, choices[i]) == 0)
            return i;
    if (text)
        errors_add(errors, program, 0, option, "'%.40s' is not a choice; see shardtop help search", text);
    return 0;
}

static void read_limits(const struct cli *cli, const struct plan *resolved, struct search_ask *ask,
                        struct errors *errors)
{
    static const char *const fits[] = {[SEARCH_FITS] = "fits", [SEARCH_TIGHT] = "tight", [SEARCH_ANY] = "any"};
    static const char *const schedules[] = {"own", "all"};
    ask->fit = (enum search_fit)read_choice("--fit", cli->fit, fits, LENGTH(fits), errors);
    ask->space.all_schedules = read_choice("--schedules", cli->schedules, schedules, LENGTH(schedules), errors);
    ask->space.tp_in_domain = cli->tp_in_node;
    ask->max_memory_bytes = read_size("--max-memory", cli->max_memory, errors);
    ask->headroom_bytes = read_size("--headroom", cli->headroom, errors);
    ask->slowest_token_s = read_pace(cli, resolved, errors);
    for (size_t i = 0; i < cli->where.count; i++)
        condition_add(ask, cli->where.item[i].key, errors);
}

/* Numbers of nodes from one up to those of the plan, each a third or a half more than the one before. */
static void try_nodes(struct search_ask *ask, double most)
{
    struct space_values *out = &ask->space.values[SEARCH_NODES];
    out->count = 0;
    for (double nodes = 1; nodes < most && out->count + 1 < (int)LENGTH(out->value); nodes *= 2) {
        out->value[out->count++] = nodes;
        if (nodes > 1 && nodes * 3 / 2 < most)
            out->value[out->count++] = nodes * 3 / 2;
    }
    out->value[out->count++] = most;
    ask->space.free |= 1u << SEARCH_NODES;
}

static void read_ask(const struct cli *cli, const struct plan *plan, const struct plan *resolved,
                     struct search_ask *out, struct errors *errors)
{
    search_ask_about(plan, out);
    for (int i = 0; cli->objective && i < SEARCH_OBJECTIVES; i++)
        if (strcmp(cli->objective, search_goals[i].name) == 0)
            out->objective = (enum search_objective)i;
    out->top = cli->top ? cli->top : out->top;
    if (out->top > SEARCH_TOP_MAX)
        errors_add(errors, program, 0, "--top", "%d is more than a search of layouts keeps; write one from 1 to %d",
                   out->top, SEARCH_TOP_MAX);
    if (cli->free && *cli->free != '+')
        out->space.free = 0;
    each_name(cli->free && *cli->free == '+' ? cli->free + 1 : cli->free, free_axis, out, errors);
    each_name(cli->keep, keep_axis, out, errors);
    for (size_t i = 0; i < cli->values.count; i++)
        add_values(out, cli->values.item[i].key, "--values", cli->values.item[i].value, errors);
    if (cli->nodes)
        add_values(out, "nodes", "--nodes", cli->nodes, errors);
    else if (out->objective == SEARCH_GPUS)
        try_nodes(out, KEY_OF(resolved, hardware, nodes));
    read_limits(cli, resolved, out, errors);
}

/* Why a plan cannot be searched, from its own estimate. */
static void check_plan(const struct search_ask *ask, const struct estimate *now, struct errors *errors)
{
    const struct diag *missing = NULL;
    enum param lacks = search_lacks(ask->objective, &now->plan);
    for (int i = 0; i < now->diags.count && !missing; i++)
        if (now->diags.item[i].is_missing)
            missing = &now->diags.item[i];
    if (now->is_serving)
        errors_add(errors, program, 0, "search", "finds layouts for training; this plan serves");
    else if (missing || !(now->symbols.gbs > 0))
        errors_add(errors, program, 0, "search", "cannot judge this plan: %s %s",
                   missing ? param_rows[missing->param].dotted : "its batch",
                   missing ? missing->message : "is not known");
    else if (lacks < PARAM_COUNT)
        errors_add(errors, program, 0, "--objective", "%s needs %s; give it", search_goals[ask->objective].name,
                   param_rows[lacks].dotted);
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The fastest layout on some numbers of nodes, however slow; false where nothing fits. */
static bool find_fastest(const struct search_ask *ask, const struct space_values *nodes, struct search_answer *scratch,
                         struct search_result *out)
{
    struct search_ask fastest = *ask;
    fastest.objective = SEARCH_TIME;
    fastest.slowest_token_s = NAN;
    fastest.conditions = 0;
    fastest.top = 1;
    fastest.space.values[SEARCH_NODES] = *nodes;
    threads_search(&fastest, threads_here(), scratch);
    if (scratch->count > 0)
        *out = scratch->best[0];
    return scratch->count > 0;
}

/* The largest number of nodes below those of a result; none where it is the smallest. */
static struct space_values fewer_nodes(const struct search_ask *ask, const struct search_result *result)
{
    const struct space_values *tried = &ask->space.values[SEARCH_NODES];
    struct space_values out = {0};
    double now = result->layout.value[SEARCH_NODES];
    for (int i = 0; i < tried->count; i++)
        if (tried->value[i] < now && !(out.count > 0 && tried->value[i] < out.value[0])) {
            out.count = 1;
            out.value[0] = tried->value[i];
        }
    return out;
}

/*
 * What missed its limits the least: of a deadline or a condition the fastest layout; with GPUs as the aim that on fewer
 * nodes.
 */
static void find_misses(const struct search_ask *ask, struct search_answer *answer, struct layouts *found,
                        struct search_result *fewer)
{
    struct search_answer *scratch = xmalloc(sizeof *scratch);
    struct search_result fastest;
    bool is_missed = answer->excluded[LIMIT_SPEED] + answer->excluded[LIMIT_WHERE] + answer->feasible > 0;
    found->is_nearest_fastest = answer->is_complete && answer->count == 0 && is_missed &&
                                find_fastest(ask, &ask->space.values[SEARCH_NODES], scratch, &fastest);
    if (found->is_nearest_fastest)
        answer->nearest = fastest;
    answer->has_nearest |= found->is_nearest_fastest;
    struct space_values nodes = {0};
    if (answer->is_complete && answer->count > 0 && ask->objective == SEARCH_GPUS)
        nodes = fewer_nodes(ask, &answer->best[0]);
    found->is_fewer_known = nodes.count > 0;
    if (nodes.count > 0 && find_fastest(ask, &nodes, scratch, fewer))
        found->fewer = fewer;
    free(scratch);
}

/* A question, its answer, and what it is compared with. */
struct looked {
    struct search_ask ask;
    struct search_answer answer;
    struct search_result fewer;
    struct estimate now;
    struct layouts found;
};

/* Searches the layouts of a plan. Returns the exit status. */
static int look(const struct cli *cli, const struct plan *plan, struct looked *out, struct errors *errors)
{
    size_t faults = errors->faults;
    estimate_plan(plan, &out->now);
    read_ask(cli, plan, &out->now.plan, &out->ask, errors);
    check_plan(&out->ask, &out->now, errors);
    if (errors->faults > faults)
        return STATUS_INPUT;
    out->found = (struct layouts){.ask = &out->ask, .answer = &out->answer, .now = &out->now, .top = out->ask.top};
    double start_s = now_s();
    out->ask.top = SEARCH_TOP_MAX; /* the one to take may be further down */
    threads_search(&out->ask, threads_here(), &out->answer);
    find_misses(&out->ask, &out->answer, &out->found, &out->fewer);
    out->found.seconds = now_s() - start_s;
    return !out->answer.is_complete ? STATUS_INTERRUPTED : out->answer.count > 0 ? STATUS_DONE : STATUS_UNFIT;
}

int layouts_run(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    struct looked *looked = xmalloc(sizeof *looked);
    int status = look(cli, plan, looked, errors);
    if (status != STATUS_INPUT)
        report_layouts(out, &looked->found, &cli->report);
    free(looked);
    return status;
}

/* ---- the largest of several models ------------------------------------------------------------------------------- */

enum { MODELS_MAX = 16 };

/* The plan with another model; false with a fault added. */
static bool with_model(const struct plan *plan, const char *name, struct plan *out, struct errors *errors)
{
    const struct plan_source source = {.file = program, .from = FROM_SET, .is_last_wins = true, .is_typed = true};
    struct keyvals list = {0};
    *out = *plan;
    keyvals_add(&list, "model", name, 0);
    bool is_done = plan_apply(out, &list, &source, errors) == 0;
    keyvals_free(&list);
    if (is_done)
        plan_finish(out);
    return is_done;
}

static double parameters_of(const struct plan *plan)
{
    struct estimate *e = xmalloc(sizeof *e);
    estimate_plan(plan, e);
    double parameters = e->totals.total;
    free(e);
    return parameters;
}

static int larger_first(const void *one, const void *two)
{
    double a = ((const struct layouts_model *)one)->parameters, b = ((const struct layouts_model *)two)->parameters;
    return (a < b) - (a > b);
}

/* The models of a list, the largest first; how many, 0 with a fault added. Their names are the caller's to free. */
static int read_models(const char *list, const struct plan *plan, struct layouts_model out[MODELS_MAX],
                       struct errors *errors)
{
    size_t faults = errors->faults;
    int count = 0;
    for (const char *at = list; *at && errors->faults == faults;) {
        size_t length = strcspn(at, ",");
        struct plan with;
        if (count == MODELS_MAX)
            errors_add(errors, program, 0, "--models", "takes %d models at most", MODELS_MAX);
        else if (with_model(plan, out[count++].name = xstrndup(at, length), &with, errors))
            out[count - 1].parameters = parameters_of(&with);
        at += length + (at[length] == ',');
    }
    qsort(out, (size_t)count, sizeof *out, larger_first);
    return count;
}

int layouts_models(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    struct layouts_model models[MODELS_MAX] = {{NULL, 0, false}};
    struct looked *looked = xmalloc(sizeof *looked);
    size_t faults = errors->faults;
    int count = read_models(cli->models, plan, models, errors),
        status = errors->faults > faults ? STATUS_INPUT : STATUS_UNFIT, tried = 0;
    while (status == STATUS_UNFIT && tried < count) {
        struct plan with;
        status = with_model(plan, models[tried].name, &with, errors) ? look(cli, &with, looked, errors) : STATUS_INPUT;
        models[tried++].has_layout = status == STATUS_DONE;
    }
    if (tried > 0 && status != STATUS_INPUT) {
        looked->found.model = models;
        looked->found.models = tried;
        report_layouts(out, &looked->found, &cli->report);
    }
    for (int i = 0; i < count; i++)
        free(models[i].name);
    free(looked);
    return status;
}
