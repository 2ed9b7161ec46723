#include "src/cli/sweep.h"

#include "core/estimate/estimate.h"
#include "core/plan/number.h"
#include "core/plan/param.h"
#include "core/plan/step.h"
#include "src/cli/cli.h"
#include "src/cli/layouts.h"
#include "src/cli/threads.h"
#include "src/plan/plan_io.h"
#include "src/report/sweep.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char program[] = "shardtop";

bool sweep_is_axis(const char *word)
{
    const char *equals = strchr(word, '=');
    return equals && equals > word && access(word, F_OK) != 0;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* A word taken apart: the key as it was typed and what stands behind the sign. */
struct wanted {
    char *name;
    const char *list;
};

/* One value; false with a fault added where there are too many. */
static bool add_text(struct sweep_axis *axis, const char *text, size_t length, const struct wanted *asked,
                     struct errors *errors)
{
    if (axis->count == SWEEP_VALUES_MAX) {
        errors_add(errors, program, 0, asked->name, "has more than %d values; write fewer, or a larger step",
                   SWEEP_VALUES_MAX);
        return false;
    }
    axis->text[axis->count++] = xstrndup(text, length);
    return true;
}

static bool add_number(struct sweep_axis *axis, double value, const struct wanted *asked, struct errors *errors)
{
    struct plan plan;
    char text[PARAM_TEXT_MAX];
    plan_clear(&plan);
    plan.value[axis->key] = value;
    int length = param_print(&plan, axis->key, text, sizeof text);
    return add_text(axis, text, (size_t)length, asked, errors);
}

/* `2,4,8`; commas inside brackets belong to a value. */
static void list_values(struct sweep_axis *axis, const struct wanted *asked, struct errors *errors)
{
    int depth = 0;
    const char *start = asked->list;
    for (const char *p = start;; p++) {
        depth += *p == '[';
        depth -= *p == ']';
        if (*p && (*p != ',' || depth > 0))
            continue;
        if (p == start) {
            errors_add(errors, program, 0, asked->name, "has an empty value in '%.60s'; write %s=V1,V2", asked->list,
                       asked->name);
            return;
        }
        if (!add_text(axis, start, (size_t)(p - start), asked, errors) || !*p)
            return;
        start = p + 1;
    }
}

static bool is_listed(const double value[], int count, double one)
{
    for (int i = 0; i < count; i++)
        if (value[i] == one)
            return true;
    return false;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/*
 * All values from `low` to `high` that are valid with the plan, or with any value of the other key; without limits none
 * that only stands for one of the others.
 */
static void valid_values(struct sweep_axis *axis, const struct wanted *asked, double low, double high,
                         const struct plan *plan, const struct sweep_axis *other, struct errors *errors)
{
    enum { TRIED_MAX = 1024 };
    double *found = xmalloc(TRIED_MAX * sizeof *found), *tried = xmalloc(TRIED_MAX * sizeof *tried);
    int count = 0;
    for (int i = -1; i < (other ? other->count : 0); i++) {
        struct plan with = *plan;
        char why[PARAM_WHY_MAX];
        if (i >= 0 && param_parse(&with, other->key, other->text[i], FROM_SET, false, why) != 0)
            continue;
        int n = param_valid(&with, axis->key, tried, TRIED_MAX);
        for (int k = 0; k < n && count < TRIED_MAX; k++)
            if (tried[k] >= low && tried[k] <= high && !is_listed(found, count, tried[k]) &&
                !(isinf(low) && param_follows(&with, axis->key, tried[k])))
                found[count++] = tried[k];
    }
    qsort(found, (size_t)count, sizeof *found, by_value);
    for (int i = 0; i < count; i++)
        if (!add_number(axis, found[i], asked, errors))
            break;
    if (count == 0 && !param_type(axis->key)->is_number)
        errors_add(errors, program, 0, asked->name, "has no valid values in '%.60s'; list them, as in %s=V1,V2",
                   asked->list, asked->name);
    else if (count == 0)
        errors_add(errors, program, 0, asked->name,
                   "has no valid values in '%.60s'; write values, or a step such as %s=1..8*2", asked->list,
                   asked->name);
    free(found);
    free(tried);
}

static bool read_number(const char *text, size_t length, enum param key, const struct wanted *asked, double *value,
                        struct errors *errors)
{
    char why[NUMBER_WHY_MAX], *copy = xstrndup(text, length);
    bool is_good = number_parse(copy, param_rows[key].suffix, NULL, NULL, value, why) == 0;
    if (!is_good)
        errors_add(errors, program, 0, asked->name, "'%.40s' %s; write %s=A..B, A..B*2 or A..B+S",
                   copy, why, asked->name);
    free(copy);
    return is_good;
}

/* `A..B*2` and `A..B+S`. */
static void stepped_values(struct sweep_axis *axis, const struct wanted *asked, double low, double high, char sign,
                           double step, struct errors *errors)
{
    int count = 0;
    if (!(sign == '*' ? step > 1 && low > 0 : step > 0)) {
        errors_add(errors, program, 0, asked->name, "goes nowhere in steps of '%c%g' from %g; write a larger step",
                   sign, step, low);
        return;
    }
    for (double value = low; value <= high; value = sweep_stepped(low, sign, step, ++count))
        if (!add_number(axis, value, asked, errors))
            return;
    if (count == 0)
        errors_add(errors, program, 0, asked->name, "ends before it begins in '%.60s'; write the smaller value first",
                   asked->list);
}

static void range_values(struct sweep_axis *axis, const struct wanted *asked, const char *dots, const struct plan *plan,
                         const struct sweep_axis *other, struct errors *errors)
{
    double low, high, step = 0;
    const char *end = dots + 2 + strcspn(dots + 2, "*+");
    if (!param_type(axis->key)->is_number) {
        errors_add(errors, program, 0, asked->name, "has no order; list its values, or write %s=*", asked->name);
        return;
    }
    if (!read_number(asked->list, (size_t)(dots - asked->list), axis->key, asked, &low, errors) ||
        !read_number(dots + 2, (size_t)(end - dots - 2), axis->key, asked, &high, errors) ||
        (*end && !read_number(end + 1, strlen(end + 1), axis->key, asked, &step, errors)))
        return;
    if (*end)
        stepped_values(axis, asked, low, high, *end, step, errors);
    else if (low > high)
        errors_add(errors, program, 0, asked->name, "ends before it begins in '%.60s'; write the smaller value first",
                   asked->list);
    else if (!param_type(axis->key)->is_counted)
        errors_add(errors, program, 0, asked->name, "needs a step; write %s=%g..%g+S or *S", asked->name, low, high);
    else
        valid_values(axis, asked, low, high, plan, other, errors);
}

static void find_values(struct sweep_axis *axis, const struct wanted *asked, const struct plan *plan,
                        const struct sweep_axis *other, struct errors *errors)
{
    const char *dots = strstr(asked->list, "..");
    if (strcmp(asked->list, "*") == 0)
        valid_values(axis, asked, -INFINITY, INFINITY, plan, other, errors);
    else if (dots)
        range_values(axis, asked, dots, plan, other, errors);
    else
        list_values(axis, asked, errors);
}

/* ---- plans ------------------------------------------------------------------------------------------------------ */

/* The plan of a cell; -1 with a fault added. */
static int plan_of_cell(const struct plan *plan, const struct sweep *sweep, const struct wanted asked[], const int at[],
                        struct plan *out, struct errors *errors)
{
    const struct plan_source source = {.file = program, .from = FROM_SET, .is_last_wins = true, .is_typed = true};
    struct keyvals list = {0};
    *out = *plan;
    for (int i = 0; i < sweep->axes; i++)
        keyvals_add(&list, asked[i].name, sweep->axis[i].text[at[i]], 0);
    int result = plan_apply(out, &list, &source, errors);
    keyvals_free(&list);
    if (result == 0)
        plan_finish(out);
    return result;
}

static bool is_explicit(const struct wanted *asked)
{
    return strcmp(asked->list, "*") != 0 && !strstr(asked->list, "..");
}

/* The keys and their values: lists first, for ranges ask what is valid with them. */
static void find_axes(struct sweep *sweep, const struct wanted asked[], const struct plan *plan, struct errors *errors)
{
    for (int i = 0; i < sweep->axes; i++) {
        char name[64];
        snprintf(name, sizeof name, "%.40s.name", asked[i].name); /* `model` and `framework` stand for their names */
        int id = param_find(name) >= 0 ? param_find(name) : param_find_alias(asked[i].name);
        if (id < 0)
            errors_add(errors, program, 0, asked[i].name, "is not a key; `shardtop list keys` has them all");
        sweep->axis[i].key = (enum param)(id < 0 ? 0 : id);
    }
    if (sweep->axes > 1 && sweep->axis[0].key == sweep->axis[1].key && !errors_any(errors))
        errors_add(errors, program, 0, asked[1].name, "is swept twice; write all of its values once, or another key");
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < sweep->axes && !errors_any(errors); i++)
            if (is_explicit(&asked[i]) == (pass == 0))
                find_values(&sweep->axis[i], &asked[i], plan, sweep->axes > 1 ? &sweep->axis[!i] : NULL, errors);
}

/* A cell that nobody looked at, or not to the end. */
static const struct sweep_cell interrupted = {
    .state = SWEEP_UNKNOWN, .value = NAN, .gpus = NAN, .idle_gpus = NAN,
    .figures = {false, NAN, NAN, NAN, NAN, NAN, VERDICT_UNKNOWN},
    .reasons = 1, .reason = {{.why = "the search was interrupted"}}};

/* The cell of the best layout with these values; false where the user interrupted the search. */
static bool evaluate_best(struct plan *cell, const struct sweep *sweep, const enum param keys[],
                          struct estimate *scratch, struct explanation *opened, struct sweep_cell *out)
{
    struct search_ask *ask = xmalloc(sizeof *ask);
    struct search_answer *answer = xmalloc(sizeof *answer);
    sweep_ask(cell, &sweep->metric, keys, sweep->axes, ask);
    threads_search(ask, threads_here(), answer);
    bool is_complete = answer->is_complete;
    if (is_complete)
        sweep_evaluate_best(cell, &sweep->metric, ask, answer, scratch, opened, out);
    free(answer);
    free(ask);
    return is_complete;
}

/* Evaluates all cells; false where the user interrupted it, the rest of them then being unknown. */
static bool evaluate(struct sweep *sweep, const struct wanted asked[], const struct plan *plan,
                     const struct sweep_request *request, struct errors *errors)
{
    struct estimate *scratch = xmalloc(sizeof *scratch);
    struct explanation *opened = xmalloc(sizeof *opened);
    const enum param keys[SWEEP_AXES] = {sweep->axis[0].key, sweep->axis[1].key};
    int columns = sweep->axes > 1 ? sweep->axis[1].count : 1;
    bool goes_on = true;
    for (int i = 0; i < sweep->axis[0].count * columns && !errors_any(errors); i++) {
        struct plan cell;
        sweep->cell[i] = interrupted;
        if (!goes_on)
            continue;
        if (plan_of_cell(plan, sweep, asked, (const int[]){i / columns, i % columns}, &cell, errors) != 0)
            break;
        if (request->best)
            goes_on = evaluate_best(&cell, sweep, keys, scratch, opened, &sweep->cell[i]);
        else
            sweep_evaluate(&cell, &sweep->metric, keys, sweep->axes, request->follow, scratch, opened, &sweep->cell[i]);
    }
    free(opened);
    free(scratch);
    return goes_on;
}

static void check_metric(const struct sweep *sweep, const char *name, struct errors *errors)
{
    struct explanation *opened = xmalloc(sizeof *opened);
    bool is_path =
        sweep->metric.name && (sweep->metric.of || explain_value(sweep->now, sweep->metric.path, opened) == 0);
    if (!is_path && sweep->now->is_computed) {
        struct buffer names = {0};
        for (const struct sweep_metric *row = sweep_metrics; row->name; row++)
            if (sweep_metric_is_of(row, sweep->now->is_serving))
                buffer_printf(&names, "%s, ", row->name);
        errors_add(errors, program, 0, "--metric", "'%.40s' is not a value of the report; use one of %sor a path", name,
                   names.text);
        buffer_free(&names);
    }
    free(opened);
}

/* What nobody gave, where that leaves every cell without a value. */
static void warn_of_lack(const struct sweep *sweep, struct errors *errors)
{
    enum param lacks = sweep_lacks(&sweep->metric, &sweep->now->plan);
    int cells = sweep->axis[0].count * (sweep->axes > 1 ? sweep->axis[1].count : 1);
    bool is_known = lacks == PARAM_COUNT;
    for (int i = 0; i < cells && !is_known; i++)
        is_known = isfinite(sweep->cell[i].value);
    if (is_known)
        return;
    const char *example = search_example(lacks), *dotted = param_rows[lacks].dotted;
    errors_warn(errors, program, 0, "--metric", "%s needs %s; give it with --set %s%s", sweep->metric.name, dotted,
                *example ? example : dotted, *example ? "" : "=VALUE");
}

int sweep_run(struct buffer *out, const struct plan *plan, const struct sweep_request *request, struct errors *errors)
{
    struct sweep sweep = {.axes = request->words, .has_best = request->best};
    struct wanted asked[SWEEP_AXES] = {{0}};
    size_t faults = errors->faults;
    if (request->words < 1 || request->words > SWEEP_AXES) {
        errors_add(errors, program, 0, "sweep",
                   "takes one or two keys with values; write shardtop sweep [FILE...] tp=1,2,4,8 pp=1..16");
        return STATUS_INPUT;
    }
    struct estimate *now = xmalloc(sizeof *now);
    estimate_plan(plan, now);
    sweep.now = now;
    const char *metric = request->metric ? request->metric : sweep_metrics[sweep_metric_for(0, now->is_serving)].name;
    sweep.metric = sweep_metric_named(metric, now->is_serving);
    check_metric(&sweep, metric, errors);
    for (int i = 0; i < sweep.axes; i++) {
        size_t length = strcspn(request->word[i], "=");
        asked[i] = (struct wanted){xstrndup(request->word[i], length), request->word[i] + length + 1};
    }
    find_axes(&sweep, asked, plan, errors);
    if (request->best && now->is_serving)
        errors_add(errors, program, 0, "--best", "finds layouts for training; this plan serves");
    sweep.cell = xmalloc(SWEEP_VALUES_MAX * SWEEP_VALUES_MAX * sizeof *sweep.cell);
    bool is_whole = errors->faults > faults || evaluate(&sweep, asked, plan, request, errors);
    if (errors->faults == faults)
        warn_of_lack(&sweep, errors);
    if (errors->faults == faults)
        report_sweep(out, &sweep, request->svg, request->report);
    for (int i = 0; i < sweep.axes; i++) {
        for (int k = 0; k < sweep.axis[i].count; k++)
            free(sweep.axis[i].text[k]);
        free(asked[i].name);
    }
    free(sweep.cell);
    free(now);
    return errors->faults > faults ? STATUS_INPUT : is_whole ? STATUS_DONE : STATUS_INTERRUPTED;
}
