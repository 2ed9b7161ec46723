#include "src/runs/ranges.h"

#include "core/base.h"
#include "core/plan/framework.h"
#include "src/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a row of range.def is thought to be off by before any run is seen; one without a prior is not fitted. */
static const double prior[RANGE_COUNT] = {
    [RANGE_PRODUCTS] = 0.04, [RANGE_ATTENTION] = 0.12, [RANGE_MEMORY] = 0.15, [RANGE_EXPERTS] = 0.25,
    [RANGE_TP] = 0.25,       [RANGE_CP] = 0.5,         [RANGE_EP] = 0.35,     [RANGE_DP] = 0.35,
    [RANGE_PP] = 0.3,        [RANGE_BUBBLE] = 0.15,    [RANGE_STEP] = 0.3,    [RANGE_HOST] = 0.35,
    [RANGE_ROW] = 0.025,     [RANGE_BASE] = 0.045,     [RANGE_FRAME] = 0.15,  [RANGE_GPUREL] = 0.06,
    [RANGE_GPUKER] = 0.10,   [RANGE_GPUGUESS] = 0.30,  [RANGE_EXPERT] = 0.08, [RANGE_BITS] = 0.03,
    [RANGE_FP4] = 0.15,      [RANGE_SMALL] = 0.30,     [RANGE_LONG] = 0.10,   [RANGE_SCALE] = 0.08,
    [RANGE_GUESSED] = 0.15,  [RANGE_SCHED] = 0.10};

/* How far, in logarithms, a sigma may lie from its prior: one standard deviation. */
static const double prior_width = 0.5;

/*
 * The quantiles of a level: below which share of its runs the lower end lies, and the power of a source's runs by which
 * each counts less. The farther from measured runs, the more a source counts as one. The ends are never nearer than
 * those of a fit that also saw 401 runs of a foreign stack on A100 (2026-11).
 */
static const struct {
    double tail, power, least_fast, least_slow;
} levels[LEVEL_COUNT] = {[LEVEL_NEAR] = {0.10, 0.5, 0.70, 1.45},
                         [LEVEL_PARTLY] = {0.10, 0.75, 0.70, 2.00},
                         [LEVEL_FAR] = {0.08, 1, 1.38, 2.05}};

enum { NO_SOURCE = -1 };

/* ---- the runs --------------------------------------------------------------------------------------------------- */

/* ln(measured/estimated) of the time, or NAN. */
static double residual_of(const struct run *run, const struct estimate *e)
{
    double error = NAN;
    for (int metric = METRIC_ITERATION; metric <= METRIC_TFLOPS && isnan(error); metric++)
        error = run_error((enum metric)metric, run_measured(run, (enum metric)metric, e),
                          run_estimated(run, (enum metric)metric, e));
    return -log1p(error);
}

/* The group up to a slash, or the first tag: runs of one team on one stack. */
static int place_of_source(struct ranges *ranges, const struct run *run)
{
    const char *start = run->group[0] ? run->group : run->tags + strspn(run->tags, " ");
    size_t n = strcspn(start, run->group[0] ? "/" : " ");
    for (int i = 0; i < ranges->sources; i++)
        if (strlen(ranges->source[i]) == n && memcmp(ranges->source[i], start, n) == 0)
            return i;
    ranges->source = xrealloc(ranges->source, (size_t)(ranges->sources + 1) * sizeof *ranges->source);
    ranges->source[ranges->sources] = xstrndup(start, n);
    return ranges->sources++;
}

void ranges_take(struct ranges *ranges, const struct run *run, const struct estimate *e)
{
    struct ranges_run out = {.is_core = runs_has_tag(run->tags, "core", strlen("core")), .q = residual_of(run, e)};
    if (!isfinite(out.q) || ranges->count == RANGES_RUNS_MAX ||
        runs_has_tag(run->tags, "not-modelled", strlen("not-modelled")))
        return;
    range_time(e, &out.compiled);
    if (!isfinite(out.compiled.sigma))
        return;
    out.stack = (int)frameworks[(int)KEY_OF(&e->plan, framework, name)].of;
    out.compute_capability = e->plan.gpu.compute_capability;
    out.is_amd = strcmp(e->plan.gpu.vendor, "amd") == 0;
    snprintf(out.gpu, sizeof out.gpu, "%s", e->plan.gpu.name);
    out.source = place_of_source(ranges, run);
    if (ranges->count == ranges->capacity) {
        ranges->capacity = ranges->capacity ? 2 * ranges->capacity : 64;
        ranges->item = xrealloc(ranges->item, ranges->capacity * sizeof *ranges->item);
    }
    ranges->item[ranges->count++] = out;
}

/* A source weighs as the square root of its runs; all weigh two a source. */
static void weigh(struct ranges *ranges)
{
    double *size = xmalloc((size_t)(ranges->sources + 1) * sizeof *size), sum = 0;
    memset(size, 0, (size_t)(ranges->sources + 1) * sizeof *size);
    for (size_t i = 0; i < ranges->count; i++)
        size[ranges->item[i].source]++;
    for (int i = 0; i < ranges->sources; i++)
        sum += sqrt(size[i]);
    for (size_t i = 0; i < ranges->count; i++)
        ranges->item[i].weight = 2 * ranges->sources / (sum * sqrt(size[ranges->item[i].source]));
    free(size);
}

static void count_parts(struct ranges *ranges)
{
    for (int part = 0; part < RANGE_COUNT; part++)
        for (int source = 0; source < ranges->sources; source++) {
            int rows = 0;
            for (size_t i = 0; i < ranges->count; i++)
                rows += ranges->item[i].source == source && ranges->item[i].share[part] >= 0.01;
            ranges->rows[part] += rows;
            ranges->in_sources[part] += rows > 0;
        }
}

/* ---- what a run is like where a source had never been seen ------------------------------------------------------- */

/* The distances of a run from the runs of other sources, as if `left_out` did not exist. */
static void measure_distance(const struct ranges *ranges, int left_out, struct ranges_run *run)
{
    bool has_stack = false, has_gpu = false, has_chip = false;
    for (size_t i = 0; i < ranges->count; i++) {
        const struct ranges_run *other = &ranges->item[i];
        if (other->source == run->source || other->source == left_out || other->compiled.share[RANGE_GUESSED] > 0)
            continue;
        has_stack |= other->stack == run->stack && !(other->compiled.share[RANGE_FRAME] > 0);
        has_gpu |= strcmp(other->gpu, run->gpu) == 0;
        has_chip |= other->compute_capability == run->compute_capability;
    }
    memcpy(run->share, run->compiled.share, sizeof run->share);
    if (!has_stack)
        run->share[RANGE_FRAME] = 1;
    if (has_gpu || run->share[RANGE_GPUREL] + run->share[RANGE_GPUKER] + run->share[RANGE_GPUGUESS] > 0)
        return;
    run->share[has_chip ? RANGE_GPUREL : run->is_amd ? RANGE_GPUKER : RANGE_GPUGUESS] = 1;
}

static void measure_distances(struct ranges *ranges, int left_out)
{
    for (size_t i = 0; i < ranges->count; i++)
        measure_distance(ranges, left_out, &ranges->item[i]);
}

/* ---- fitting ---------------------------------------------------------------------------------------------------- */

static double variance_of(const struct ranges_run *run, const double sigma[RANGE_COUNT])
{
    double sum = 0;
    for (int i = 0; i < RANGE_COUNT; i++)
        sum += run->share[i] * sigma[i] * run->share[i] * sigma[i];
    return sum;
}

/* How likely the runs of all sources but one are, with the priors: Student's t, so that an outlier widens little. */
static double likelihood(const struct ranges *ranges, int left_out, const double sigma[RANGE_COUNT])
{
    double sum = 0;
    for (size_t i = 0; i < ranges->count; i++) {
        const struct ranges_run *run = &ranges->item[i];
        if (run->source == left_out)
            continue;
        double variance = variance_of(run, sigma);
        sum -= run->weight * (log(variance) / 2 + 2.5 * log1p(run->q * run->q / (4 * variance)));
    }
    for (int i = 0; i < RANGE_COUNT; i++)
        if (prior[i] > 0) {
            double off = log(sigma[i] / prior[i]) / prior_width;
            sum -= off * off / 2;
        }
    return sum;
}

/* Moves one sigma by a factor as long as that is better; true when it moved. */
static bool improve(const struct ranges *ranges, int left_out, int part, double factor, double sigma[RANGE_COUNT],
                    double *best)
{
    bool moved = false;
    for (;;) {
        double was = sigma[part];
        sigma[part] = was * factor;
        double now = likelihood(ranges, left_out, sigma);
        if (now <= *best) {
            sigma[part] = was;
            return moved;
        }
        *best = now;
        moved = true;
    }
}

/* Coordinate search in the logarithms of the sigmas. */
static void fit(const struct ranges *ranges, int left_out, double sigma[RANGE_COUNT])
{
    static const double steps[] = {0.2, 0.05, 0.015, 0.005};
    for (int i = 0; i < RANGE_COUNT; i++)
        sigma[i] = prior[i] > 0 ? prior[i] : range_sigmas[i];
    double best = likelihood(ranges, left_out, sigma);
    for (size_t k = 0; k < LENGTH(steps); k++)
        for (bool moved = true; moved;) {
            moved = false;
            for (int part = 0; part < RANGE_COUNT; part++)
                if (prior[part] > 0) {
                    moved |= improve(ranges, left_out, part, exp(steps[k]), sigma, &best);
                    moved |= improve(ranges, left_out, part, exp(-steps[k]), sigma, &best);
                }
        }
}

struct weighted {
    double value, weight;
};

static int compare_weighted(const void *one, const void *other)
{
    const struct weighted *a = one, *b = other;
    return (a->value > b->value) - (a->value < b->value);
}

/* A quantile of q over sigma of the runs of a level, with the ends' weights, without one source. */
static double quantile(const struct ranges *ranges, enum range_level level, int left_out, double share)
{
    struct weighted *list = xmalloc((ranges->count + 1) * sizeof *list);
    int *size = xmalloc((size_t)(ranges->sources + 1) * sizeof *size);
    double sum = 0, seen = 0, value = NAN;
    size_t count = 0;
    memset(size, 0, (size_t)(ranges->sources + 1) * sizeof *size);
    for (size_t i = 0; i < ranges->count; i++)
        size[ranges->item[i].source] += ranges->item[i].level == level;
    for (size_t i = 0; i < ranges->count; i++) {
        const struct ranges_run *run = &ranges->item[i];
        if (run->level != level || run->source == left_out)
            continue;
        list[count] = (struct weighted){run->q / run->sigma, pow(size[run->source], -levels[level].power)};
        sum += list[count++].weight;
    }
    qsort(list, count, sizeof *list, compare_weighted);
    for (size_t i = 0; i < count && seen < share * sum; i++) {
        seen += list[i].weight;
        value = list[i].value;
    }
    free(size);
    free(list);
    return value;
}

/* The ends of a level in standard deviations, without one source. */
static struct interval ends_without(const struct ranges *ranges, enum range_level level, int left_out)
{
    const double tail = levels[level].tail;
    return (struct interval){fmin(quantile(ranges, level, left_out, tail), -levels[level].least_fast),
                             fmax(quantile(ranges, level, left_out, 1 - tail), levels[level].least_slow)};
}

/* ---- what ranges hold ------------------------------------------------------------------------------------------- */

static void add_row(const struct ranges_run *run, struct interval ends, struct ranges_cover *out)
{
    double width = ends.high - ends.low;
    out->rows++;
    out->inside += run->q >= ends.low && run->q <= ends.high;
    out->error += fabs(expm1(-run->q));
    out->bias += expm1(-run->q);
    out->width += width;
    out->core_rows += run->is_core;
    out->core_width += run->is_core ? width : 0;
}

static void finish_cover(struct ranges_cover *out)
{
    double rows = out->rows > 0 ? out->rows : (double)NAN;
    out->inside /= rows;
    out->error /= rows;
    out->bias /= rows;
    out->width /= rows;
    out->core_width /= out->core_rows > 0 ? out->core_rows : (double)NAN;
}

void ranges_cover_source(const struct ranges *ranges, int source, int level, bool is_left_out, struct ranges_cover *out)
{
    *out = (struct ranges_cover){0};
    for (size_t i = 0; i < ranges->count; i++) {
        const struct ranges_run *run = &ranges->item[i];
        enum range_level of = is_left_out ? run->level : run->compiled.level;
        if ((source != NO_SOURCE && run->source != source) || (level != LEVEL_COUNT && of != (enum range_level)level))
            continue;
        const struct interval *factor = &run->compiled.factor;
        add_row(run, is_left_out ? run->ends : (struct interval){log(factor->low), log(factor->high)}, out);
    }
    finish_cover(out);
}

void ranges_cover(const struct ranges *ranges, int level, bool is_left_out, struct ranges_cover *out)
{
    double sum = 0;
    int sources = 0;
    ranges_cover_source(ranges, NO_SOURCE, level, is_left_out, out);
    for (int source = 0; source < ranges->sources; source++) {
        struct ranges_cover one;
        ranges_cover_source(ranges, source, level, is_left_out, &one);
        sum += one.rows > 0 ? one.inside : 0;
        sources += one.rows > 0;
    }
    out->sources = sources;
    out->inside_sources = sources > 0 ? sum / sources : NAN;
}

/* Sigmas and levels of every source's runs as if it had never been seen, then the ends of each level. */
static void leave_sources_out(struct ranges *ranges)
{
    double sigma[RANGE_COUNT];
    const struct range_row *why;
    for (int source = 0; source < ranges->sources; source++) {
        measure_distances(ranges, source);
        fit(ranges, source, sigma);
        for (size_t i = 0; i < ranges->count; i++)
            if (ranges->item[i].source == source) {
                ranges->item[i].sigma = sqrt(variance_of(&ranges->item[i], sigma));
                ranges->item[i].level = range_level_of(ranges->item[i].share, &why);
            }
    }
    for (int level = 0; level < LEVEL_COUNT; level++)
        ranges->ends[level] = ends_without(ranges, (enum range_level)level, NO_SOURCE);
    for (size_t i = 0; i < ranges->count; i++) {
        struct ranges_run *run = &ranges->item[i];
        struct interval ends = ends_without(ranges, run->level, run->source);
        double high = ends.high * run->sigma;
        run->ends = (struct interval){fmin(ends.low * run->sigma, -run->compiled.faster),
                                      run->compiled.is_near_full ? fmax(high, full_card_slower) : high};
    }
}

void ranges_fit(struct ranges *ranges)
{
    weigh(ranges);
    leave_sources_out(ranges);
    measure_distances(ranges, NO_SOURCE);
    fit(ranges, NO_SOURCE, ranges->sigma);
    count_parts(ranges);
}

void ranges_free(struct ranges *ranges)
{
    for (int i = 0; i < ranges->sources; i++)
        free(ranges->source[i]);
    free(ranges->source);
    free(ranges->item);
    *ranges = (struct ranges){0};
}
