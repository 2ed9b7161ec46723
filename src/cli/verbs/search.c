/* `shardtop search`: the command line's question about layouts. */
#include "src/cli/verbs/verbs.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "core/search/advice.h"
#include "core/search/option.h"
#include "src/cli/cli.h"
#include "src/cli/threads.h"
#include "src/cli/verbs/search_serving.h"
#include "src/cli/verbs/search_size.h"
#include "src/export/wish.h"
#include "src/plan/plan_io.h"
#include "src/report/advice.h"
#include "src/report/layouts.h"
#include "src/text/errors.h"
#include "src/text/progress.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char program[] = "shardtop";

/* ---- the question ------------------------------------------------------------------------------------------------ */

static void take(struct search_ask *ask, const char *name, const char *text, struct estimate *scratch,
                 struct errors *errors)
{
    char option[40], why[SEARCH_WHY_MAX];
    snprintf(option, sizeof option, "--%s", name);
    if (text && search_option_read(search_option_named(name), ask, text, scratch, why) != 0)
        errors_add(errors, program, 0, option, "%s", why);
}

static void take_values(struct search_ask *ask, const struct keyval *given, struct estimate *scratch,
                        struct errors *errors)
{
    char *text = xmalloc(strlen(given->key) + strlen(given->value) + 2);
    sprintf(text, "%s=%s", given->key, given->value);
    take(ask, "values", text, scratch, errors);
    free(text);
}

/* A plan that serves has keys of its own to change: src/cli/verbs/search_serving.c reads them. */
static void read_ask(const struct cli *cli, const struct plan *plan, bool is_serving, struct search_ask *out,
                     struct errors *errors)
{
    struct estimate *scratch = xmalloc(sizeof *scratch);
    search_ask_about(plan, out);
    take(out, "free", is_serving ? NULL : cli->free, scratch, errors);
    take(out, "keep", is_serving ? NULL : cli->keep, scratch, errors);
    enum search_objective goal = cli->objective ? search_goal_named(cli->objective) : SEARCH_OBJECTIVES;
    out->objective = goal < SEARCH_OBJECTIVES ? goal : out->objective; /* the largest of models: by time */
    out->top = cli->top ? cli->top : out->top;
    if (out->top > SEARCH_TOP_MAX)
        errors_add(errors, program, 0, "--top", "%d results are too many; use 1 to %d",
                   out->top, SEARCH_TOP_MAX);
    for (size_t i = 0; i < cli->values.count && !is_serving; i++)
        take_values(out, &cli->values.item[i], scratch, errors);
    take(out, "nodes", cli->nodes, scratch, errors);
    if (!is_serving)
        search_option_nodes(out);
    take(out, "fit", cli->fit, scratch, errors);
    take(out, "schedules", cli->schedules, scratch, errors);
    take(out, "tp-in-node", cli->tp_in_node ? "" : NULL, scratch, errors);
    take(out, "max-memory", cli->max_memory, scratch, errors);
    take(out, "headroom", cli->headroom, scratch, errors);
    take(out, "deadline", cli->deadline, scratch, errors);
    take(out, "tokens-per-s", cli->tokens_per_s, scratch, errors);
    for (size_t i = 0; i < cli->where.count; i++)
        take(out, "where", cli->where.item[i].key, scratch, errors);
    free(scratch);
}

static void check_plan(const struct search_ask *ask, const struct estimate *now, struct errors *errors)
{
    const struct diag *missing = NULL;
    enum param lacks = search_missing_key(ask->objective, &now->plan);
    for (int i = 0; i < now->diags.count && !missing; i++)
        if (now->diags.item[i].is_missing)
            missing = &now->diags.item[i];
    if (missing || !(now->symbols.gbs > 0))
        errors_add(errors, program, 0, "search", "cannot judge this plan: %s %s",
                   missing ? param_rows[missing->param].dotted : "its batch",
                   missing ? finding_text(missing).text : "is unknown");
    else if (lacks < PARAM_COUNT)
        errors_add(errors, program, 0, "--objective", "%s needs %s; give it with --set %s",
                   search_goals[ask->objective].name, param_rows[lacks].dotted, search_example(lacks));
    else if (isfinite(KEY_OF(&now->plan, hardware, mtbf_hours_per_gpu)) && isnan(now->step.goodput))
        errors_warn(errors, program, 0, param_rows[PARAM_hardware_mtbf_hours_per_gpu].dotted,
                    "failures are left out of time and cost; to include them, set hardware.storage_gb_s and "
                    "train.restart_s");
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

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

/* The fastest layout without the limits; with the objective gpus that on fewer nodes. */
static void find_misses(const struct search_ask *ask, struct search_answer *answer, struct layouts *found,
                        struct search_result *fewer)
{
    struct search_answer *scratch = xmalloc(sizeof *scratch);
    struct search_result fastest;
    bool is_missed =
        answer->excluded[ask->slowest_by] + answer->excluded[LIMIT_WHERE] + answer->feasible > 0;
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

struct looked {
    struct search_ask ask;
    struct search_answer answer;
    struct search_result fewer;
    struct refusals refused;
    struct estimate now;
    struct layouts found;
};

static int look(const struct cli *cli, const struct plan *plan, struct looked *out, struct errors *errors)
{
    size_t faults = errors->faults;
    estimate_plan(plan, &out->now);
    read_ask(cli, plan, false, &out->ask, errors);
    check_plan(&out->ask, &out->now, errors);
    if (errors->faults > faults)
        return STATUS_INPUT;
    out->found = (struct layouts){.ask = &out->ask, .answer = &out->answer, .now = &out->now, .top = out->ask.top,
                                 .flags = wishes_of};
    double start_s = progress_clock_s();
    out->ask.top = SEARCH_TOP_MAX; /* the one to take may be further down */
    threads_search(&out->ask, threads_here(), &out->answer);
    find_misses(&out->ask, &out->answer, &out->found, &out->fewer);
    if (out->answer.is_complete && out->answer.evaluated == 0) {
        struct estimate *scratch = xmalloc(sizeof *scratch);
        refusals_of(&out->ask, &out->answer, scratch, &out->refused);
        out->found.refused = &out->refused;
        free(scratch);
    }
    out->found.seconds = progress_clock_s() - start_s;
    return !out->answer.is_complete ? STATUS_INTERRUPTED : out->answer.count > 0 ? STATUS_DONE : STATUS_UNFIT;
}

/* Layouts that serve. */
static int run_serving(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    struct search_ask *ask = xmalloc(sizeof *ask);
    size_t faults = errors->faults;
    read_ask(cli, plan, true, ask, errors);
    int status = errors->faults > faults ? STATUS_INPUT : search_serving(cli, ask, out, errors);
    free(ask);
    return status;
}

/* Where no layout fits, what else does: the question that follows. */
static void report_ways_out(const struct plan *plan, struct estimate *scratch, const struct report_options *options,
                            struct buffer *out)
{
    enum { AT_ONCE = 1 << 20 };
    struct advice *advice = xmalloc(sizeof *advice);
    advice_begin(advice, plan);
    while (advice_step(advice, scratch, AT_ONCE))
        ;
    if (advice->now.verdict == VERDICT_NO || advice->now.verdict == VERDICT_TIGHT)
        report_fixes(out, advice, options);
    free(advice);
}

static int search_layouts(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    if (KEY_OF(plan, plan, workload) == WORKLOAD_INFERENCE)
        return run_serving(cli, plan, out, errors);
    struct looked *looked = xmalloc(sizeof *looked);
    int status = look(cli, plan, looked, errors);
    if (status != STATUS_INPUT)
        report_layouts(out, &looked->found, &cli->report);
    if (status != STATUS_INPUT && looked->answer.count == 0 && !looked->found.refused && looked->now.is_computed &&
        cli->report.format == REPORT_TEXT)
        report_ways_out(plan, &looked->now, &cli->report, out);
    free(looked);
    return status;
}

/* ---- the largest of several models ------------------------------------------------------------------------------- */

enum { MODELS_MAX = 16 };

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

/* Sorted by size, largest first; the names are the caller's to free. Returns 0 with a fault added. */
static int read_models(const char *list, const struct plan *plan, struct layouts_model out[MODELS_MAX],
                       struct errors *errors)
{
    size_t faults = errors->faults;
    int count = 0;
    for (const char *at = list; *at && errors->faults == faults;) {
        size_t length = strcspn(at, ",");
        struct plan with;
        if (count == MODELS_MAX)
            errors_add(errors, program, 0, "--models", "takes at most %d models", MODELS_MAX);
        else if (with_model(plan, out[count++].name = xstrndup(at, length), &with, errors))
            out[count - 1].parameters = parameters_of(&with);
        at += length + (at[length] == ',');
    }
    qsort(out, (size_t)count, sizeof *out, larger_first);
    return count;
}

static int search_models(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
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

/* Where the layout stays and layers are added, what layouts to try and to leave out says nothing. */
static void refuse_layouts(const struct cli *cli, struct errors *errors)
{
    const struct {
        const char *option;
        bool is_given;
    } options[] = {{"--where", cli->where.count > 0}, {"--free", cli->free}, {"--keep", cli->keep},
                   {"--values", cli->values.count > 0},
                   {"--nodes", cli->nodes}, {"--max-memory", cli->max_memory}, {"--headroom", cli->headroom},
                   {"--deadline", cli->deadline}, {"--tokens-per-s", cli->tokens_per_s},
                   {"--tp-in-node", cli->tp_in_node}, {"--fit", cli->fit}, {"--schedules", cli->schedules}};
    for (size_t i = 0; i < LENGTH(options); i++)
        if (options[i].is_given)
            errors_add(errors, program, 0, options[i].option,
                       "applies to layouts; --objective size keeps the plan's layout unless --models is given");
}

int verb_search(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    enum { TOP = 5 };
    size_t faults = errors->faults;
    if (!cli->objective || strcmp(cli->objective, "size") != 0) {
        if (!cli->models)
            return search_layouts(cli, plan, out, errors);
        errors_add(errors, program, 0, "--models", "needs --objective size");
        return STATUS_INPUT;
    }
    if (cli->models)
        return search_models(cli, plan, out, errors);
    refuse_layouts(cli, errors);
    if (errors->faults > faults)
        return STATUS_INPUT;
    int result = search_size(out, plan, cli->top ? cli->top : TOP, cli->report.format, errors);
    return result < 0 ? STATUS_INPUT : result ? STATUS_UNFIT : STATUS_DONE;
}
