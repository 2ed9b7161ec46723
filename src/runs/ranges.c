#include "src/runs/ranges.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "src/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a part is thought to be off by before any run is seen; one without a prior is not fitted. */
static const double prior[RANGE_COUNT] = {
    [RANGE_PRODUCTS] = 0.04, [RANGE_ATTENTION] = 0.12, [RANGE_MEMORY] = 0.15, [RANGE_EXPERTS] = 0.25, [RANGE_TP] = 0.25,
    [RANGE_CP] = 0.5,        [RANGE_EP] = 0.35,        [RANGE_DP] = 0.35,     [RANGE_PP] = 0.3,
    [RANGE_BUBBLE] = 0.15,
    [RANGE_STEP] = 0.3,      [RANGE_HOST] = 0.35,      [RANGE_ROW] = 0.025,   [RANGE_ROUTING] = 0.08,
    [RANGE_BITS] = 0.03, [RANGE_STACK] = 0.08};

/* How far, in logarithms, a sigma may lie from its prior: one standard deviation. */
static const double prior_width = 0.5;

enum { NO_FAMILY = -1 };

/* ---- the runs --------------------------------------------------------------------------------------------------- */

static bool has_tag(const struct run *run, const char *tag)
{
    return runs_has_tag(run->tags, tag, strlen(tag));
}

static bool is_trusted(const struct run *run)
{
    static const char *const doubtful[] = {"loose", "slow-unexplained", "bigscience", "nanotron", "automodel"};
    for (size_t i = 0; i < LENGTH(doubtful) && !has_tag(run, "core"); i++)
        if (has_tag(run, doubtful[i]))
            return false;
    return true;
}

/* ln(measured/estimated) of the time, or NAN. */
static double residual_of(const struct run *run, const struct estimate *e)
{
    double error = NAN;
    for (int metric = METRIC_ITERATION; metric <= METRIC_TFLOPS && isnan(error); metric++)
        error = run_error((enum metric)metric, run_measured(run, (enum metric)metric, e),
                          run_estimated(run, (enum metric)metric, e));
    return -log1p(error);
}

static int place_of_family(struct ranges *ranges, const struct run *run)
{
    const char *start = run->tags + strspn(run->tags, " ");
    size_t n = strcspn(start, " ");
    for (int i = 0; i < ranges->families; i++)
        if (strlen(ranges->family[i]) == n && memcmp(ranges->family[i], start, n) == 0)
            return i;
    ranges->family = xrealloc(ranges->family, (size_t)(ranges->families + 1) * sizeof *ranges->family);
    ranges->family[ranges->families] = xstrndup(start, n);
    return ranges->families++;
}

void ranges_take(struct ranges *ranges, const struct run *run, const struct estimate *e)
{
    struct ranges_run out = {.is_core = has_tag(run, "core"), .q = residual_of(run, e)};
    if (!is_trusted(run) || !isfinite(out.q) || ranges->count == RANGES_RUNS_MAX)
        return;
    range_time(e, &out.compiled);
    if (!isfinite(out.compiled.sigma))
        return;
    for (int i = 0; i < RANGE_COUNT; i++)
        out.squares[i] = out.compiled.share[i] * out.compiled.share[i];
    out.family = place_of_family(ranges, run);
    if (ranges->count == ranges->capacity) {
        ranges->capacity = ranges->capacity ? 2 * ranges->capacity : 64;
        ranges->item = xrealloc(ranges->item, ranges->capacity * sizeof *ranges->item);
    }
    ranges->item[ranges->count++] = out;
}

/* A family weighs as the square root of its runs; all weigh two a family. */
static void weigh(struct ranges *ranges)
{
    double *size = xmalloc((size_t)(ranges->families + 1) * sizeof *size), sum = 0;
    memset(size, 0, (size_t)(ranges->families + 1) * sizeof *size);
    for (size_t i = 0; i < ranges->count; i++)
        size[ranges->item[i].family]++;
    for (int i = 0; i < ranges->families; i++)
        sum += sqrt(size[i]);
    for (size_t i = 0; i < ranges->count; i++)
        ranges->item[i].weight = 2 * ranges->families / (sum * sqrt(size[ranges->item[i].family]));
    free(size);
}

static void count_parts(struct ranges *ranges)
{
    for (int part = 0; part < RANGE_COUNT; part++)
        for (int family = 0; family < ranges->families; family++) {
            int rows = 0;
            for (size_t i = 0; i < ranges->count; i++)
                rows += ranges->item[i].family == family && ranges->item[i].compiled.share[part] >= 0.01;
            ranges->rows[part] += rows;
            ranges->in_families[part] += rows > 0;
        }
}

/* ---- fitting ---------------------------------------------------------------------------------------------------- */

static double variance_of(const struct ranges_run *run, const double sigma[RANGE_COUNT])
{
    double sum = 0;
    for (int i = 0; i < RANGE_COUNT; i++)
        sum += run->squares[i] * sigma[i] * sigma[i];
    return sum;
}

/* How likely the runs of all families but one are, with the priors: Student's t, so that an outlier widens little. */
static double likelihood(const struct ranges *ranges, int left_out, const double sigma[RANGE_COUNT])
{
    double sum = 0;
    for (size_t i = 0; i < ranges->count; i++) {
        const struct ranges_run *run = &ranges->item[i];
        if (run->family == left_out)
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

/* The quantile of q over its sigma. */
static double quantile(const struct ranges *ranges, double share)
{
    struct weighted *list = xmalloc((ranges->count + 1) * sizeof *list);
    double sum = 0, seen = 0, value = NAN;
    for (size_t i = 0; i < ranges->count; i++) {
        const struct ranges_run *run = &ranges->item[i];
        list[i] = (struct weighted){run->q / sqrt(variance_of(run, ranges->sigma)), run->weight};
        sum += run->weight;
    }
    qsort(list, ranges->count, sizeof *list, compare_weighted);
    for (size_t i = 0; i < ranges->count && seen < share * sum; i++) {
        seen += list[i].weight;
        value = list[i].value;
    }
    free(list);
    return value;
}

/* ---- what ranges hold ------------------------------------------------------------------------------------------- */

/* The ends of a run's range, as logarithms over the estimate, from a table made without its family. */
static struct interval ends_without(const struct ranges *ranges, const struct ranges_run *run)
{
    double wide = ranges->widening * (run->compiled.unseen ? range_unseen : 1) * run->sigma_without;
    double high = ranges->slow * wide;
    return (struct interval){-ranges->fast * wide, run->compiled.is_near_full ? max(high, full_card_slower) : high};
}

static struct interval ends_of(const struct ranges *ranges, const struct ranges_run *run, bool is_left_out)
{
    const struct interval *factor = &run->compiled.factor;
    return is_left_out ? ends_without(ranges, run) : (struct interval){log(factor->low), log(factor->high)};
}

int ranges_inside(const struct ranges *ranges, int family, bool is_left_out, int *count)
{
    int inside = 0;
    *count = 0;
    for (size_t i = 0; i < ranges->count; i++) {
        const struct ranges_run *run = &ranges->item[i];
        struct interval ends = ends_of(ranges, run, is_left_out);
        if (run->family != family)
            continue;
        inside += run->q >= ends.low && run->q <= ends.high;
        ++*count;
    }
    return inside;
}

static void cover(const struct ranges *ranges, bool is_left_out, struct ranges_cover *out)
{
    int core = 0;
    *out = (struct ranges_cover){.rows = (int)ranges->count};
    for (int family = 0; family < ranges->families; family++) {
        int count, inside = ranges_inside(ranges, family, is_left_out, &count);
        out->inside += (double)inside / (double)ranges->count;
        out->inside_families += (double)inside / count / ranges->families;
    }
    for (size_t i = 0; i < ranges->count; i++) {
        struct interval ends = ends_of(ranges, &ranges->item[i], is_left_out);
        double width = ends.high - ends.low;
        out->width += width / (double)ranges->count;
        out->core_width += ranges->item[i].is_core ? width : 0;
        core += ranges->item[i].is_core;
    }
    out->core_width /= core;
}

/*
 * Sigmas of every family's runs from the other families, and the least widening with which they hold what ranges
 * should.
 */
static void leave_families_out(struct ranges *ranges)
{
    static const double most = 1.6;
    double sigma[RANGE_COUNT];
    for (int family = 0; family < ranges->families; family++) {
        fit(ranges, family, sigma);
        for (size_t i = 0; i < ranges->count; i++)
            if (ranges->item[i].family == family)
                ranges->item[i].sigma_without = sqrt(variance_of(&ranges->item[i], sigma));
    }
    for (int percent = 100; percent <= (int)(100 * most); percent += 5) {
        ranges->widening = percent / 100.0;
        cover(ranges, true, &ranges->without);
        if (ranges->without.inside_families >= range_probability)
            return;
    }
}

void ranges_fit(struct ranges *ranges, bool is_left_out)
{
    weigh(ranges);
    count_parts(ranges);
    fit(ranges, NO_FAMILY, ranges->sigma);
    ranges->fast = -quantile(ranges, (1 - range_probability) / 2);
    ranges->slow = quantile(ranges, (1 + range_probability) / 2);
    ranges->widening = NAN;
    cover(ranges, false, &ranges->compiled);
    if (is_left_out)
        leave_families_out(ranges);
}

void ranges_free(struct ranges *ranges)
{
    for (int i = 0; i < ranges->families; i++)
        free(ranges->family[i]);
    free(ranges->family);
    free(ranges->item);
    *ranges = (struct ranges){0};
}
