/* src/runs/validate.c - from runs to values, and from values to summaries; src/runs/validate_report.c prints them. */
#include "src/runs/validate.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/plan/nearest.h"
#include "core/plan/param.h"
#include "src/text/errors.h"
#include "src/text/progress.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const text_columns_by[] = {"id", "source", "tags", "notes", "family"};
enum { BY_ID, BY_SOURCE, BY_TAGS, BY_NOTES, BY_FAMILY, BY_TEXTS };

/* ---- values --------------------------------------------------------------------------------------------------------- */

static void add_value(struct validate_results *results, const struct validate_value *value)
{
    if (results->values == results->capacity) {
        results->capacity = results->capacity ? 2 * results->capacity : 256;
        results->value = xrealloc(results->value, results->capacity * sizeof *results->value);
    }
    results->value[results->values++] = *value;
}

/* The first tag. */
static char *family_of(const struct run *run)
{
    const char *start = run->tags + strspn(run->tags, " ");
    return xstrndup(start, strcspn(start, " "));
}

/* What the run has in the `by` column: its own text, or the plan's value, a default too. */
static char *group_of(const struct run *run, const char *by, const struct estimate *estimate)
{
    char text[PARAM_TEXT_MAX];
    for (int i = 0; i < BY_TEXTS; i++)
        if (strcmp(by, text_columns_by[i]) == 0)
            return i == BY_FAMILY ? family_of(run)
                                  : xstrdup(i == BY_ID       ? run->id
                                            : i == BY_SOURCE ? run->source
                                            : i == BY_TAGS   ? run->tags
                                                             : run->notes);
    param_print(&estimate->plan, (enum param)param_find(by), text, sizeof text);
    return xstrdup(text);
}

/* The finding of a plan that breaks a rule, or what reading the run found. */
static char *note_of(const struct run *run, enum metric metric, double error, const struct estimate *estimate)
{
    char text[2 * DIAG_MESSAGE_MAX];
    if (isnan(error) && !isnan(run_measured(run, metric, estimate)))
        return xstrdup(run_why(run, metric, estimate, text, sizeof text));
    if (*run_finding(estimate, text, sizeof text))
        return xstrdup(text);
    return run->remark ? xstrdup(run->remark) : NULL;
}

static void add_values(struct validate_results *results, const struct run *run, const struct estimate *estimate)
{
    bool is_failed = run->remark && isnan(run->measured[METRIC_FITS]);
    for (int i = 0; i < METRIC_COUNT; i++) {
        enum metric metric = (enum metric)i;
        struct validate_value value = {.run = run, .metric = metric, .measured = run_measured(run, metric, estimate)};
        if (isnan(value.measured) && !(is_failed && metric == METRIC_FITS))
            continue;
        value.estimated = run_estimated(run, metric, estimate);
        value.error = run_error(metric, value.measured, value.estimated);
        value.range = run_range(run, metric, estimate);
        value.probability = metric == METRIC_FITS ? range_fit_probability(estimate) : NAN;
        value.verdict = range_verdict(estimate);
        value.note = note_of(run, metric, value.error, estimate);
        value.group = results->by ? group_of(run, results->by, estimate) : NULL;
        add_value(results, &value);
    }
}

/* ---- order of layouts ------------------------------------------------------------------------------------------------ */

/* A run with a known speed. */
struct timed {
    const struct run *run;
    char *key; /* equal for layouts that may be compared */
    char *label;
    double measured, estimated; /* seconds of one GPU per token */
};

static bool is_shape(int id)
{
    static const enum param others[] = {PARAM_model_name, PARAM_model_make_vocab_size_divisible_by,
                                        PARAM_model_hidden_dropout, PARAM_model_attention_dropout,
                                        PARAM_model_moe_capacity_factor, PARAM_model_moe_imbalance,
                                        PARAM_model_max_position_embeddings};
    for (size_t i = 0; i < LENGTH(others); i++)
        if (id == (int)others[i])
            return false;
    return param_rows[id].group_id == GROUP_model || id == PARAM_train_seq_length || id == PARAM_hardware_gpu;
}

static char *key_of(const struct estimate *e)
{
    struct buffer key = {0};
    char text[PARAM_TEXT_MAX];
    buffer_printf(&key, "%d", e->grid.world);
    for (int id = 0; id < PARAM_COUNT; id++)
        if (is_shape(id)) {
            param_print(&e->plan, (enum param)id, text, sizeof text);
            buffer_printf(&key, "|%s", text);
        }
    return key.text;
}

static char *label_of(const struct estimate *e)
{
    const double *value = e->plan.value;
    return xasprintf("%.0f layers of %.0f, %.0f tokens, %d x %s", value[PARAM_model_num_layers],
                     value[PARAM_model_hidden_size], value[PARAM_train_seq_length], e->grid.world,
                     e->plan.text[TEXT_GPU]);
}

/* Takes a run into the ranking when its speed is measured and estimated. */
static bool take_timed(const struct run *run, const struct estimate *e, struct timed *out)
{
    double error = NAN;
    for (int metric = METRIC_ITERATION; metric <= METRIC_TFLOPS && isnan(error); metric++)
        error = run_error((enum metric)metric, run_measured(run, (enum metric)metric, e),
                          run_estimated(run, (enum metric)metric, e));
    double cost = e->is_computed ? 1 / e->step.tokens_per_s_per_gpu : NAN;
    if (isnan(error) || !isfinite(cost))
        return false;
    *out = (struct timed){run, key_of(e), label_of(e), cost / (1 + error), cost};
    return true;
}

static int compare_timed(const void *one, const void *other)
{
    const struct timed *a = one, *b = other;
    int order = strcmp(a->key, b->key);
    return order ? order : (a->run > b->run) - (a->run < b->run);
}

static void add_order(struct validate_results *results, const struct timed *timed, int count)
{
    double *measured = xmalloc((size_t)count * sizeof *measured),
           *estimated = xmalloc((size_t)count * sizeof *estimated);
    struct validate_order *order = &results->order[results->orders++];
    for (int i = 0; i < count; i++) {
        measured[i] = timed[i].measured;
        estimated[i] = timed[i].estimated;
    }
    stats_order(measured, estimated, count, VALIDATE_GAP, &order->stats);
    order->label = xstrdup(timed[0].label);
    order->chosen = timed[order->stats.chosen].run;
    order->best = timed[order->stats.best].run;
    free(measured);
    free(estimated);
}

static void sum_orders(struct validate_results *results)
{
    struct order_stats *all = &results->all;
    double regrets = 0;
    *all = (struct order_stats){(int)results->orders, 0, 0, NAN, NAN, -1, -1};
    results->worst_regret = NAN;
    for (size_t i = 0; i < results->orders; i++) {
        const struct order_stats *it = &results->order[i].stats;
        all->pairs += it->pairs;
        all->agreement += it->agreement;
        regrets += it->regret;
        results->worst_regret = fmax(results->worst_regret, it->regret);
        results->best_found += it->regret == 0;
    }
    if (all->pairs > 0)
        all->tau = all->agreement / all->pairs;
    if (results->orders)
        all->regret = regrets / (double)results->orders;
}

/* Groups of at least two layouts. */
static void make_orders(struct validate_results *results, struct timed *timed, size_t count)
{
    results->order = xmalloc(count * sizeof *results->order);
    if (count)
        qsort(timed, count, sizeof *timed, compare_timed);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && strcmp(timed[next].key, timed[i].key) == 0;)
            next++;
        if (next - i > 1)
            add_order(results, timed + i, (int)(next - i));
    }
    sum_orders(results);
}

/* ---- all runs -------------------------------------------------------------------------------------------------------- */

static int check_by(const char *by, struct errors *errors)
{
    struct nearest nearest = {.typed = by, .takes_any = true};
    if (!by || param_find(by) >= 0)
        return 0;
    for (int i = 0; i < BY_TEXTS; i++)
        if (strcmp(by, text_columns_by[i]) == 0)
            return 0;
    param_nearest(&nearest);
    errors_add(errors, "shardtop", 0, "--by",
               "'%.60s' is not a column; did you mean %s? id, source, tags, notes and family will do too", by,
               nearest.name[0]);
    return -1;
}

static void estimate_runs(struct validate_results *results, bool ranking)
{
    struct estimate *estimate = xmalloc(sizeof *estimate);
    struct timed *timed = xmalloc(results->runs.count * sizeof *timed);
    size_t count = 0;
    for (size_t i = 0; i < results->runs.count; i++) {
        const struct run *run = &results->runs.item[i];
        estimate_plan(&run->plan, estimate);
        progress_say(i, "runs estimated");
        add_values(results, run, estimate);
        if (ranking)
            count += take_timed(run, estimate, &timed[count]);
    }
    progress_end();
    if (ranking)
        make_orders(results, timed, count);
    for (size_t i = 0; i < count; i++) {
        free(timed[i].key);
        free(timed[i].label);
    }
    free(timed);
    free(estimate);
}

int validate_measure(const struct validate_request *request, struct validate_results *out)
{
    struct runs_request runs = {request->files, request->file_count, request->settings, request->tags};
    int by = check_by(request->by, request->errors);
    if (runs_load(&out->runs, &runs, request->errors) != 0 || by != 0)
        return -1;
    out->by = request->by;
    estimate_runs(out, request->ranking);
    return 0;
}

int validate_run(const struct validate_request *request)
{
    struct validate_results results = {0};
    int result = validate_measure(request, &results);
    if (result == 0)
        validate_print(&results, request);
    validate_free(&results);
    return result == 0 ? 0 : 2;
}

void validate_free(struct validate_results *results)
{
    for (size_t i = 0; i < results->values; i++) {
        free(results->value[i].note);
        free(results->value[i].group);
    }
    for (size_t i = 0; i < results->orders; i++)
        free(results->order[i].label);
    free(results->value);
    free(results->order);
    runs_free(&results->runs);
    *results = (struct validate_results){0};
}

/* ---- summaries ------------------------------------------------------------------------------------------------------- */

static bool is_in(const struct validate_value *value, enum validate_part part, const char *name)
{
    const char *tags = value->run->tags + strspn(value->run->tags, " ");
    size_t n = strcspn(tags, " ");
    switch (part) {
    case PART_TAG: return runs_has_tag(tags, name, strlen(name));
    case PART_FAMILY: return strlen(name) == n && memcmp(tags, name, n) == 0;
    case PART_GROUP: return value->group && strcmp(value->group, name) == 0;
    default: return true;
    }
}

void validate_summarise(const struct validate_results *results, enum metric metric, enum validate_part part,
                        const char *name, struct validate_summary *out)
{
    double *error = xmalloc(2 * results->values * sizeof *error), *scratch = error + results->values;
    const struct validate_value **from = xmalloc(results->values * sizeof *from);
    int n = 0;
    *out = (struct validate_summary){0};
    for (size_t i = 0; i < results->values; i++) {
        const struct validate_value *value = &results->value[i];
        if (value->metric != metric || isnan(value->measured) || !is_in(value, part, name))
            continue;
        from[n] = value;
        error[n++] = value->error;
        if (metric == METRIC_FITS && !isnan(value->estimated))
            out->right[value->measured > 0][value->estimated > 0]++;
    }
    stats_errors(error, n, scratch, &out->stats);
    out->worst_id = out->stats.worst_at >= 0 ? from[out->stats.worst_at]->run->id : NULL;
    free(from);
    free(error);
}

/* A name and how many values have it. */
struct counted {
    char *name;
    int count, place;
};

static int compare_counted(const void *one, const void *other)
{
    const struct counted *a = one, *b = other;
    return a->count != b->count ? b->count - a->count : a->place - b->place;
}

static int count_name(struct counted *list, int used, const char *name, size_t length)
{
    for (int i = 0; i < used; i++)
        if (strncmp(list[i].name, name, length) == 0 && list[i].name[length] == '\0') {
            list[i].count++;
            return used;
        }
    if (used == VALIDATE_GROUPS_MAX)
        return used;
    list[used] = (struct counted){xstrndup(name, length), 1, used};
    return used + 1;
}

/* Counts the names that one value has in a part. */
static int count_names(struct counted *list, int used, const struct validate_value *value, enum validate_part part)
{
    const char *at = value->run->tags + strspn(value->run->tags, " ");
    if (part == PART_GROUP)
        return value->group ? count_name(list, used, value->group, strlen(value->group)) : used;
    if (part == PART_FAMILY)
        return count_name(list, used, at, strcspn(at, " "));
    for (; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        used = count_name(list, used, at, length);
        at += length;
    }
    return used;
}

char **validate_names(const struct validate_results *results, enum metric metric, enum validate_part part)
{
    struct counted *list = xmalloc(VALIDATE_GROUPS_MAX * sizeof *list);
    int used = 0;
    for (size_t i = 0; i < results->values; i++)
        if (results->value[i].metric == metric && !isnan(results->value[i].measured))
            used = count_names(list, used, &results->value[i], part);
    qsort(list, (size_t)used, sizeof *list, compare_counted);
    char **names = xmalloc(((size_t)used + 1) * sizeof *names);
    for (int i = 0; i < used; i++)
        names[i] = list[i].name;
    names[used] = NULL;
    free(list);
    return names;
}

void validate_free_names(char **names)
{
    for (char **name = names; *name; name++)
        free(*name);
    free(names);
}

int validate_families(const struct validate_results *results, enum metric metric, double *mean_abs, double *mean)
{
    char **names = validate_names(results, metric, PART_FAMILY);
    int families = 0;
    *mean_abs = *mean = 0;
    for (char **name = names; *name; name++) {
        struct validate_summary summary;
        validate_summarise(results, metric, PART_FAMILY, *name, &summary);
        if (isnan(summary.stats.mean))
            continue;
        *mean_abs += summary.stats.mean_abs;
        *mean += summary.stats.mean;
        families++;
    }
    validate_free_names(names);
    *mean_abs = families ? *mean_abs / families : NAN;
    *mean = families ? *mean / families : NAN;
    return families;
}
