/* src/runs/validate.c - from runs to values, and from values to summaries; src/runs/validate_report.c prints them. */
#include "src/runs/validate.h"

#include "core/plan/nearest.h"
#include "core/plan/param.h"
#include "src/text/errors.h"
#include "src/text/progress.h"
#include "src/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const text_columns_by[] = {"id", "source", "study", "tags", "notes", "group", "family"};
enum { BY_ID, BY_SOURCE, BY_STUDY, BY_TAGS, BY_NOTES, BY_GROUP, BY_FAMILY, BY_TEXTS };

/* ---- values ----------------------------------------------------------------------------------------------------- */

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
                                            : i == BY_STUDY  ? run->study
                                            : i == BY_TAGS   ? run->tags
                                            : i == BY_GROUP  ? run->group
                                                             : run->notes);
    param_print(&estimate->plan, (enum param)param_find(by), text, sizeof text);
    return xstrdup(text);
}

/* The finding of a plan that breaks a rule, or what reading the run found. */
static char *note_of(const struct run *run, enum metric metric, double error, const struct estimate *estimate)
{
    char text[2 * DIAG_TEXT_MAX];
    if (isnan(error) && !isnan(run_measured(run, metric, estimate)))
        return xstrdup(run_why(run, metric, estimate, text, sizeof text));
    if (*run_finding(estimate, text, sizeof text))
        return xstrdup(text);
    return run->remark ? xstrdup(run->remark) : NULL;
}

/* ---- what is kept of them --------------------------------------------------------------------------------------- */

static struct validate_named name_value(const struct validate_value *value)
{
    return (struct validate_named){xstrdup(value->run->id), value->note ? xstrdup(value->note) : NULL, value->metric,
                                   value->measured, value->estimated, value->error};
}

static void free_named(struct validate_named *named)
{
    free(named->id);
    free(named->note);
}

/* Puts a value among the worst of its metric, behind those that are as bad. */
static void keep_worst(struct validate_metric *metric, const struct validate_value *value)
{
    int place = metric->worst_count;
    while (place > 0 && fabs(metric->worst[place - 1].error) < fabs(value->error))
        place--;
    if (place == VALIDATE_WORST || isnan(value->error) || value->error == 0)
        return;
    if (metric->worst_count == VALIDATE_WORST)
        free_named(&metric->worst[--metric->worst_count]);
    for (int i = metric->worst_count++; i > place; i--)
        metric->worst[i] = metric->worst[i - 1];
    metric->worst[place] = name_value(value);
}

static const struct validate_tally *find_tally(const struct validate_metric *metric, enum validate_part part,
                                               const char *name, size_t length)
{
    for (size_t i = 0; i < metric->tallies; i++) {
        const struct validate_tally *it = &metric->tally[i];
        if (it->part == part && strncmp(it->name, name, length) == 0 && it->name[length] == '\0')
            return it;
    }
    return NULL;
}

/* The tally of a name, a new one where there is none; NULL when there are too many. */
static struct validate_tally *tally_of(struct validate_metric *metric, enum validate_part part, const char *name,
                                       size_t length)
{
    const struct validate_tally *found = find_tally(metric, part, name, length);
    size_t names = 0;
    if (found)
        return &metric->tally[found - metric->tally];
    for (size_t i = 0; i < metric->tallies; i++)
        names += metric->tally[i].part == part;
    if (names == VALIDATE_GROUPS_MAX)
        return NULL;
    if (metric->tallies == metric->capacity) {
        metric->capacity = metric->capacity ? 2 * metric->capacity : 16;
        metric->tally = xrealloc(metric->tally, metric->capacity * sizeof *metric->tally);
    }
    metric->tally[metric->tallies] = (struct validate_tally){.part = part, .name = xstrndup(name, length)};
    return &metric->tally[metric->tallies++];
}

const double validate_bin_ends[RELIABILITY_BINS] = {0.1, 0.3, 0.5, 0.7, 0.9, 1};

static void count_probability(struct validate_reliability bins[RELIABILITY_BINS], const struct validate_value *value)
{
    int i = 0;
    while (i < RELIABILITY_BINS - 1 && (i == RELIABILITY_BINS - 2 ? value->probability >= validate_bin_ends[i]
                                                                  : value->probability > validate_bin_ends[i]))
        i++;
    bins[i].rows++;
    bins[i].ran += value->measured > 0;
    bins[i].said += value->probability;
}

/* Counts a value in a part. */
static void count_in(struct validate_results *results, const struct validate_value *value, enum validate_part part,
                     const char *name, size_t length)
{
    struct validate_tally *tally = tally_of(&results->metric[value->metric], part, name, length);
    if (!tally) {
        results->has_more_groups = true;
        return;
    }
    if (stats_add(&tally->errors, value->error)) {
        free(tally->worst_id);
        tally->worst_id = xstrdup(value->run->id);
    }
    if (isfinite(value->range.low)) {
        tally->ranged++;
        tally->inside += value->measured >= value->range.low && value->measured <= value->range.high;
    }
    if (!metric_is_answer(value->metric))
        return;
    if (value->metric == METRIC_FITS)
        tally->verdict[value->verdict][value->measured > 0]++;
    if (value->metric == METRIC_FITS && isfinite(value->probability))
        count_probability(tally->reliability, value);
    if (!isnan(value->estimated))
        tally->right[value->measured > 0][value->estimated > 0]++;
}

/* Whether the tag at `at` stands in the cell once more, further left. */
static bool is_said_before(const char *tags, const char *at, size_t length)
{
    for (const char *tag = tags + strspn(tags, " "); tag < at; tag += strcspn(tag, " "), tag += strspn(tag, " "))
        if (strcspn(tag, " ") == length && strncmp(tag, at, length) == 0)
            return true;
    return false;
}

static void count_value(struct validate_results *results, const struct validate_value *value)
{
    const char *at = value->run->tags + strspn(value->run->tags, " ");
    if (isnan(value->error) && results->missed_count++ < VALIDATE_MISSED)
        results->missed[results->missed_count - 1] = name_value(value);
    keep_worst(&results->metric[value->metric], value);
    results->values++;
    if (isnan(value->measured))
        return;
    count_in(results, value, PART_ALL, "", 0);
    count_in(results, value, PART_FAMILY, at, strcspn(at, " "));
    if (value->group)
        count_in(results, value, PART_GROUP, value->group, strlen(value->group));
    for (size_t length; *at; at += length + strspn(at + length, " ")) {
        length = strcspn(at, " ");
        if (!is_said_before(value->run->tags, at, length))
            count_in(results, value, PART_TAG, at, length);
    }
}

/* ---- all runs --------------------------------------------------------------------------------------------------- */

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
               "'%.60s' is not a column; did you mean %s? id, source, tags, notes, group and family will do too", by,
               nearest.name[0]);
    return -1;
}

/* What the runs pass through. */
struct measuring {
    const struct validate_request *request;
    struct validate_results *results;
    validate_taker *take;
    void *to;
    struct estimate *estimate;
};

static void measure_values(struct measuring *all, const struct run *run)
{
    const struct estimate *estimate = all->estimate;
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
        value.group = all->request->by ? group_of(run, all->request->by, estimate) : NULL;
        count_value(all->results, &value);
        all->take(all->to, &value);
        free(value.note);
        free(value.group);
    }
}

static void rank_run(struct measuring *all, const struct run *run)
{
    struct ranking *ranking = &all->results->ranking;
    size_t before = ranking->rows;
    ranking_take(ranking, run, all->estimate);
    if (before == VALIDATE_RANKED_MAX && ranking->rows > before)
        errors_add(all->request->errors, run->file, run->line, "--ranking",
                   "is one run too many; choose at most %d with --tags", VALIDATE_RANKED_MAX);
}

/* A run_taker. */
static void measure_run(void *to, const struct run *run)
{
    struct measuring *all = to;
    estimate_plan(&run->plan, all->estimate);
    progress_say(++all->results->runs, "runs estimated");
    measure_values(all, run);
    if (all->request->ranking)
        rank_run(all, run);
    if (all->request->ranges)
        ranges_take(&all->results->ranges, run, all->estimate);
}

/* An unread_taker. */
static void take_unread(void *to, const char *file, int line, const char *id, const char *reason)
{
    struct measuring *all = to;
    struct validate_results *results = all->results;
    errors_warn(all->request->errors, file, line, NULL, "%s; the row is not read", reason);
    if (results->unread_count < VALIDATE_UNREAD)
        results->unread[results->unread_count] = (struct validate_unread){xstrdup(id), xstrdup(reason), line};
    results->unread_count++;
}

int validate_measure(const struct validate_request *request, struct validate_results *out, validate_taker *take,
                     void *to)
{
    struct runs_request runs = {request->files, request->file_count, request->settings, request->tags, take_unread};
    if (check_by(request->by, request->errors) != 0)
        return -1;
    struct measuring all = {request, out, take, to, xmalloc(sizeof *all.estimate)};
    int result = runs_read(&runs, measure_run, &all, request->errors);
    progress_end();
    out->by = request->by;
    if (result == 0 && request->ranking)
        ranking_finish(&out->ranking);
    if (result == 0 && request->ranges)
        ranges_fit(&out->ranges);
    if (out->has_more_groups)
        errors_note(request->errors, "shardtop", 0, NULL,
                    "there are more than %d different %s; the summaries are of the first", VALIDATE_GROUPS_MAX,
                    request->by ? request->by : "tags");
    free(all.estimate);
    return result;
}

int validate_run(const struct validate_request *request)
{
    struct validate_results results = {0};
    struct validate_print print;
    validate_print_open(&print, request);
    int result = validate_measure(request, &results, validate_print_value, &print);
    validate_print_close(&print, &results);
    bool lists_unread = request->report.format == REPORT_JSON && results.unread_count > 0;
    if (result != 0 && !print.has_spilled && !lists_unread) /* else what was printed stays whole */
        buffer_free(request->out);
    validate_free(&results);
    return result == 0 ? 0 : 2;
}

static void free_metric(struct validate_metric *metric)
{
    for (size_t i = 0; i < metric->tallies; i++) {
        free(metric->tally[i].name);
        free(metric->tally[i].worst_id);
        stats_free(&metric->tally[i].errors);
    }
    for (int i = 0; i < metric->worst_count; i++)
        free_named(&metric->worst[i]);
    free(metric->tally);
}

void validate_free(struct validate_results *results)
{
    for (int i = 0; i < METRIC_COUNT; i++)
        free_metric(&results->metric[i]);
    for (size_t i = 0; i < results->missed_count && i < VALIDATE_MISSED; i++)
        free_named(&results->missed[i]);
    for (size_t i = 0; i < results->unread_count && i < VALIDATE_UNREAD; i++) {
        free(results->unread[i].id);
        free(results->unread[i].reason);
    }
    ranking_free(&results->ranking);
    ranges_free(&results->ranges);
    *results = (struct validate_results){0};
}

/* ---- summaries -------------------------------------------------------------------------------------------------- */

void validate_sum(const struct validate_tally *tally, struct validate_summary *out)
{
    *out = (struct validate_summary){.worst_id = tally->worst_id, .inside = NAN};
    if (tally->ranged > 0)
        out->inside = (double)tally->inside / tally->ranged;
    memcpy(out->verdict, tally->verdict, sizeof out->verdict);
    memcpy(out->reliability, tally->reliability, sizeof out->reliability);
    stats_sum(&tally->errors, &out->stats);
    memcpy(out->right, tally->right, sizeof out->right);
}

void validate_summarise(const struct validate_results *results, enum metric metric, enum validate_part part,
                        const char *name, struct validate_summary *out)
{
    static const struct validate_tally none;
    const struct validate_tally *found =
        find_tally(&results->metric[metric], part, name ? name : "", name ? strlen(name) : 0);
    validate_sum(found ? found : &none, out);
}

static int compare_tallies(const void *one, const void *other)
{
    const struct validate_tally *a = *(const struct validate_tally *const *)one,
                                *b = *(const struct validate_tally *const *)other;
    return a->errors.rows != b->errors.rows ? b->errors.rows - a->errors.rows : (a > b) - (a < b);
}

const struct validate_tally **validate_parts(const struct validate_results *results, enum metric metric,
                                             enum validate_part part)
{
    const struct validate_metric *it = &results->metric[metric];
    const struct validate_tally **list = xmalloc((it->tallies + 1) * sizeof *list);
    size_t count = 0;
    for (size_t i = 0; i < it->tallies; i++)
        if (it->tally[i].part == part)
            list[count++] = &it->tally[i];
    qsort(list, count, sizeof *list, compare_tallies);
    list[count] = NULL;
    return list;
}

int validate_families(const struct validate_results *results, enum metric metric, double *mean_abs, double *mean)
{
    const struct validate_tally **list = validate_parts(results, metric, PART_FAMILY);
    int families = 0;
    *mean_abs = *mean = 0;
    for (size_t i = 0; list[i]; i++) {
        struct validate_summary summary;
        validate_sum(list[i], &summary);
        if (isnan(summary.stats.mean))
            continue;
        *mean_abs += summary.stats.mean_abs;
        *mean += summary.stats.mean;
        families++;
    }
    *mean_abs = families ? *mean_abs / families : NAN;
    *mean = families ? *mean / families : NAN;
    free(list);
    return families;
}
