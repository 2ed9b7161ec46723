#include "src/runs/ranking.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "core/search/space.h"
#include "src/runs/validate.h"
#include "src/text/text.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_LAYOUTS = 3, LEAST_PAIRS = 3, FIRST_THREE = 3 };

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* What all layouts of a study share beside what decides the cost of a layer, and what does not decide it. */
static bool is_shared(int id)
{
    static const enum param with[] = {PARAM_train_seq_length, PARAM_train_dtype, PARAM_hardware_gpu,
                                      PARAM_framework_name};
    static const enum param without[] = {PARAM_model_name,
                                         PARAM_model_make_vocab_size_divisible_by,
                                         PARAM_model_hidden_dropout,
                                         PARAM_model_attention_dropout,
                                         PARAM_model_moe_capacity_factor,
                                         PARAM_model_moe_imbalance,
                                         PARAM_model_max_position_embeddings};
    for (size_t i = 0; i < LENGTH(with); i++)
        if (id == (int)with[i])
            return true;
    for (size_t i = 0; i < LENGTH(without); i++)
        if (id == (int)without[i])
            return false;
    return param_rows[id].group_id == GROUP_model;
}

/* A run's study: its name where the table has one, else its source (a repository or a paper) and what must be equal. */
static char *key_of(const struct run *run, const struct estimate *e)
{
    struct buffer key = {0};
    char text[PARAM_TEXT_MAX];
    if (*run->study)
        return xstrdup(run->study);
    buffer_printf(&key, "%.*s|%d", (int)strcspn(run->source, ":@"), run->source, e->grid.world);
    for (int id = 0; id < PARAM_COUNT; id++)
        if (is_shared(id)) {
            param_print(&e->plan, (enum param)id, text, sizeof text);
            buffer_printf(&key, "|%s", text);
        }
    return key.text;
}

static char *label_of(const struct ranking_row *row)
{
    struct plan plan;
    plan_resolve(&row->plan, &plan);
    return xasprintf("%.0f layers of %.0f, %.0f tokens, %.0f x %s", KEY_OF(&plan, model, num_layers),
                     KEY_OF(&plan, model, hidden_size), KEY_OF(&plan, train, seq_length),
                     KEY_OF(&plan, hardware, nodes) * KEY_OF(&plan, hardware, gpus_per_node), plan.text[TEXT_GPU]);
}

void ranking_take(struct ranking *ranking, const struct run *run, const struct estimate *e)
{
    double error = NAN, cost = e->is_computed ? 1 / e->step.tokens_per_s_per_gpu : NAN;
    bool has_failed = run->measured[METRIC_FITS] == 0;
    for (int metric = METRIC_ITERATION; metric <= METRIC_TFLOPS && isnan(error) && !has_failed; metric++)
        error = run_error((enum metric)metric, run_measured(run, (enum metric)metric, e),
                          run_estimated(run, (enum metric)metric, e));
    if ((isnan(error) && !has_failed) || !isfinite(cost))
        return;
    if (ranking->rows == ranking->capacity) {
        ranking->capacity = ranking->capacity ? 2 * ranking->capacity : 256;
        ranking->row = xrealloc(ranking->row, ranking->capacity * sizeof *ranking->row);
    }
    ranking->row[ranking->rows] = (struct ranking_row){.id = xstrdup(run->id),
                                                       .runs = 1,
                                                       .place = ranking->rows,
                                                       .plan = run->plan,
                                                       .study = xstrdup(run->study),
                                                       .has_failed = has_failed,
                                                       .is_said_to_fit = !isfinite(e->headroom_bytes) || e->fits,
                                                       .measured_s = e->step.iteration_s / (1 + error),
                                                       .estimated_s = e->step.iteration_s,
                                                       .measured_cost = cost / (1 + error),
                                                       .cost = cost,
                                                       .key = key_of(run, e)};
    ranking->rows++;
}

static int compare_rows(const void *one, const void *other)
{
    const struct ranking_row *a = one, *b = other;
    int order = strcmp(a->key, b->key);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

static void free_row(struct ranking_row *row)
{
    free(row->id);
    free(row->study);
    free(row->key);
}

/* Runs of one layout become one row at their mean; returns how many rows are left. */
static int join_repeated(struct ranking_row row[], int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        int same = 0;
        while (same < kept && !(row[same].has_failed == row[i].has_failed && plan_equal(&row[same].plan, &row[i].plan)))
            same++;
        if (same == kept) {
            row[kept++] = row[i];
            continue;
        }
        struct ranking_row *to = &row[same];
        to->measured_s = (to->runs * to->measured_s + row[i].measured_s) / (to->runs + 1);
        to->measured_cost = (to->runs * to->measured_cost + row[i].measured_cost) / (to->runs + 1);
        to->runs++;
        free_row(&row[i]);
    }
    return kept;
}

/* ---- one study -------------------------------------------------------------------------------------------------- */

static int compare_measured(const void *one, const void *other)
{
    const struct ranking_row *a = one, *b = other;
    if (a->has_failed != b->has_failed)
        return a->has_failed - b->has_failed;
    return a->has_failed ? 0 : (a->measured_cost > b->measured_cost) - (a->measured_cost < b->measured_cost);
}

static bool is_offered(const struct ranking_row *row)
{
    return !row->has_failed || row->is_said_to_fit;
}

/* Ranks among the timed layouts; the estimate's choice is made among all that it lets fit. */
static void rank(struct ranking_study *study)
{
    study->chosen = NULL;
    for (int i = 0; i < study->rows; i++) {
        struct ranking_row *row = &study->row[i];
        row->rank_measured = row->has_failed ? 0 : i + 1;
        row->rank_estimated = 1;
        for (int k = 0; k < study->layouts; k++)
            row->rank_estimated += study->row[k].cost < row->cost;
        if (is_offered(row) && (!study->chosen || row->cost < study->chosen->cost))
            study->chosen = row;
    }
    study->best = study->layouts ? &study->row[0] : NULL;
    study->has_failed = study->chosen && study->chosen->has_failed;
}

static int complexity_of(const struct ranking_row *row)
{
    struct plan resolved;
    plan_resolve(&row->plan, &resolved);
    return space_complexity(&resolved);
}

/* The layout that a search recommends: the simplest within an expected loss of the one that it puts first. */
static void take(struct ranking_study *study)
{
    int least = 0;
    study->taken = NULL;
    for (int i = 0; i < study->rows && study->chosen; i++) {
        const struct ranking_row *row = &study->row[i];
        if (!is_offered(row) || row->cost > study->chosen->cost * (1 + take_loss))
            continue;
        int complexity = complexity_of(row);
        if (study->taken && (complexity > least || (complexity == least && row->cost >= study->taken->cost)))
            continue;
        study->taken = row;
        least = complexity;
    }
    study->take_regret = !study->taken             ? (double)NAN
                         : study->taken->has_failed ? 1
                                                    : study->taken->measured_cost / study->best->measured_cost - 1;
}

static void make_study(struct ranking *ranking, struct ranking_row *row, int count)
{
    struct ranking_study *study = &ranking->study[ranking->studies];
    *study = (struct ranking_study){.row = row, .rows = join_repeated(row, count)};
    qsort(row, (size_t)study->rows, sizeof *row, compare_measured);
    while (study->layouts < study->rows && !row[study->layouts].has_failed)
        study->layouts++;
    double *measured = xmalloc((size_t)count * sizeof *measured),
           *estimated = xmalloc((size_t)count * sizeof *estimated);
    for (int i = 0; i < study->layouts; i++) {
        measured[i] = row[i].measured_cost;
        estimated[i] = row[i].cost;
    }
    stats_order(measured, estimated, study->layouts, VALIDATE_GAP, &study->stats);
    free(measured);
    free(estimated);
    rank(study);
    take(study);
    study->is_counted = study->layouts >= LEAST_LAYOUTS && study->stats.pairs >= LEAST_PAIRS;
    if (study->has_failed)
        study->stats.regret = 1;
    for (int i = study->rows; i < count; i++)
        row[i].id = row[i].study = row[i].key = NULL; /* moved, or of rows that were joined */
    if (study->layouts > 1) {
        study->name = *row->study ? xstrdup(row->study) : label_of(row);
        ranking->studies++;
    }
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

static int compare_studies(const void *one, const void *other)
{
    const struct ranking_study *a = one, *b = other;
    return a->is_counted != b->is_counted ? b->is_counted - a->is_counted
                                          : (a->row->place > b->row->place) - (a->row->place < b->row->place);
}

/* Adds the squared deviations of a study's errors from their mean; returns the degrees of freedom. */
static int add_deviations(const struct ranking_study *study, double *sum)
{
    double mean = 0;
    for (int i = 0; i < study->layouts; i++)
        mean += log(study->row[i].measured_cost / study->row[i].cost) / study->layouts;
    for (int i = 0; i < study->layouts; i++)
        *sum += pow(log(study->row[i].measured_cost / study->row[i].cost) - mean, 2);
    return study->layouts - 1;
}

static void sum_up(struct ranking *ranking)
{
    double agreement = 0, tau = 0, regret = 0, take_regret = 0, deviations = 0, found = 0, n;
    int freedom = 0;
    ranking->regret_max = ranking->take_regret_max = NAN;
    for (ranking->counted = 0; ranking->counted < ranking->studies && ranking->study[ranking->counted].is_counted;
         ranking->counted++) {
        const struct ranking_study *study = &ranking->study[ranking->counted];
        ranking->pairs += study->stats.pairs;
        agreement += study->stats.agreement;
        tau += study->stats.tau;
        regret += study->stats.regret;
        ranking->regret_max = fmax(ranking->regret_max, study->stats.regret);
        take_regret += study->take_regret;
        ranking->take_regret_max = fmax(ranking->take_regret_max, study->take_regret);
        found += study->best->rank_estimated <= FIRST_THREE;
        freedom += add_deviations(study, &deviations);
    }
    n = ranking->counted ? (double)ranking->counted : NAN;
    ranking->tau_mean = tau / n;
    ranking->tau_pooled = ranking->counted ? agreement / ranking->pairs : NAN;
    ranking->regret_mean = regret / n;
    ranking->take_regret_mean = take_regret / n;
    ranking->top3 = found / n;
    ranking->within_sd = freedom ? sqrt(deviations / freedom) : NAN;
}

void ranking_finish(struct ranking *ranking)
{
    ranking->study = xmalloc((ranking->rows + 1) * sizeof *ranking->study);
    if (ranking->rows)
        qsort(ranking->row, ranking->rows, sizeof *ranking->row, compare_rows);
    for (size_t i = 0, next; i < ranking->rows; i = next) {
        for (next = i + 1; next < ranking->rows && strcmp(ranking->row[next].key, ranking->row[i].key) == 0;)
            next++;
        make_study(ranking, &ranking->row[i], (int)(next - i));
    }
    if (ranking->studies)
        qsort(ranking->study, ranking->studies, sizeof *ranking->study, compare_studies);
    sum_up(ranking);
}

void ranking_free(struct ranking *ranking)
{
    for (size_t i = 0; i < ranking->rows; i++)
        free_row(&ranking->row[i]);
    for (size_t i = 0; i < ranking->studies; i++)
        free(ranking->study[i].name);
    free(ranking->study);
    free(ranking->row);
    *ranking = (struct ranking){0};
}
