/*
 * src/runs/calibrate.c - for run i, r_i = log(estimated / measured time). Wanted are changes x_k of the logarithms of
 * the efficiencies that make
 *
 *     sum_i w_i huber(r_i(x) / noise) + sum_k (x_k / prior_k)^2
 *
 * small. r_i is close to linear in x, so each step solves the linear problem with reweighting, and leaving a run out
 * needs no new estimates but that of the run itself.
 */
#include "src/runs/calibrate.h"

#include "core/estimate/constants.h"
#include "core/estimate/estimate.h"
#include "core/estimate/range.h"
#include "core/plan/param.h"
#include "src/runs/runs.h"
#include "src/text/errors.h"
#include "src/text/progress.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = CALIBRATE_KEYS, STEPS = 12, WEIGHINGS = 60, SCALINGS = 15 };

/* Widths: how far fits on published runs of one family came from round values (2021 to 2026). */
const struct calibrate_key calibrate_keys[KEYS] = {
    {PARAM_hardware_gemm_efficiency, 0.08},
    {PARAM_hardware_attention_efficiency, 0.35},
    {PARAM_hardware_memory_efficiency, 0.10},
    {PARAM_hardware_network_efficiency, 0.15},
};

/* Spread of runs of one layout on one cluster (32 groups of public runs). */
static const double run_noise = 0.04;

enum { COMMON_RUNS = 32 /* at most, for the common factor */ };

/* A part of the time below this share tells nothing of its own error. */
static const double least_share = 0.1;

/* Degrees of freedom of the errors: a run far off is more likely odd than typical. */
static const double freedom = 4;

static const double noise = 0.05; /* spread of runs around a good model; mean error of explained families is 3 to 4 % */
static const double huber = 1.5;  /* in units of the noise: runs farther off count by their distance, not its square */
static const double told = 0.8;           /* a key is fitted when its uncertainty falls below this share of the prior */
static const double nudge = 0.05;         /* of a logarithm, for slopes */
static const double largest_step = 0.3;   /* of a logarithm */
static const double highest = 1, lowest = 0.02; /* of an efficiency */

/* One run with a measured time. */
struct sample {
    struct run run; /* of its texts the tags alone */
    enum metric metric;
    double weight;
    double residual, slope[KEYS]; /* at problem.at */
    double before, left_out, after; /* log errors */
    double spread_of[RANGE_COUNT];  /* share x sigma of the rows of range.def */
    double host_speed;
};

struct problem {
    struct sample *sample; /* every run, or every step-th once there are CALIBRATE_SAMPLES_MAX */
    int count, capacity, step;
    bool is_active[KEYS];
    double base[KEYS]; /* shipped values */
    double at[KEYS];   /* logarithms of fitted over shipped */
    size_t estimates; /* made so far */
    double spread[KEYS]; /* uncertainty of `at` over that of the prior */
    struct estimate *estimate;
};

/* ---- estimates -------------------------------------------------------------------------------------------------- */

/* Log error of the time with efficiencies changed by `x`. */
static double log_error(struct problem *problem, const struct sample *sample, const double x[KEYS])
{
    struct plan plan = sample->run.plan;
    struct estimate *e = problem->estimate;
    for (int k = 0; k < KEYS; k++)
        if (problem->is_active[k]) {
            plan.value[calibrate_keys[k].id] = problem->base[k] * exp(x[k]);
            plan.from[calibrate_keys[k].id] = FROM_FILE;
        }
    estimate_plan(&plan, e);
    progress_say(++problem->estimates, "estimates");
    return log1p(run_error(sample->metric, run_measured(&sample->run, sample->metric, e),
                           run_estimated(&sample->run, sample->metric, e)));
}

/* Residuals and slopes of all samples at problem->at. */
static void linearise(struct problem *problem)
{
    for (int i = 0; i < problem->count; i++) {
        struct sample *s = &problem->sample[i];
        s->residual = log_error(problem, s, problem->at);
        for (int k = 0; k < KEYS; k++) {
            double x[KEYS];
            memcpy(x, problem->at, sizeof x);
            x[k] += nudge;
            double above = problem->is_active[k] ? log_error(problem, s, x) : 0;
            x[k] -= 2 * nudge;
            double below = problem->is_active[k] ? log_error(problem, s, x) : 0;
            s->slope[k] = isfinite(above - below) ? (above - below) / (2 * nudge) : 0;
        }
    }
}

/* ---- the linear problem ----------------------------------------------------------------------------------------- */

/* Solves a y = b for a symmetric positive matrix by elimination; `b` becomes y. */
static void solve(double a[KEYS][KEYS], double b[KEYS])
{
    for (int i = 0; i < KEYS; i++)
        for (int j = i + 1; j < KEYS; j++) {
            double share = a[j][i] / a[i][i];
            for (int k = i; k < KEYS; k++)
                a[j][k] -= share * a[i][k];
            b[j] -= share * b[i];
        }
    for (int i = KEYS - 1; i >= 0; i--) {
        for (int k = i + 1; k < KEYS; k++)
            b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
}

/* Residual of a sample at `x` by its slopes. */
static double linear(const struct problem *problem, const struct sample *s, const double x[KEYS])
{
    double r = s->residual;
    for (int k = 0; k < KEYS; k++)
        r += s->slope[k] * (x[k] - problem->at[k]);
    return r;
}

/* Normal equations at `x` with the weights that Huber's loss gives there, without sample number `without`. */
static void normal_equations(const struct problem *problem, int without, const double x[KEYS], double a[KEYS][KEYS],
                             double b[KEYS])
{
    memset(a, 0, KEYS * sizeof *a);
    for (int k = 0; k < KEYS; k++) {
        a[k][k] = 1 / (calibrate_keys[k].prior * calibrate_keys[k].prior);
        b[k] = 0;
    }
    for (int i = 0; i < problem->count; i++) {
        const struct sample *s = &problem->sample[i];
        double far = fabs(linear(problem, s, x)) / noise, r = linear(problem, s, (const double[KEYS]){0});
        double weight = i == without ? 0 : s->weight * (far > huber ? huber / far : 1) / (noise * noise);
        for (int k = 0; k < KEYS; k++) {
            b[k] -= weight * s->slope[k] * r;
            for (int j = 0; j < KEYS; j++)
                a[k][j] += weight * s->slope[k] * s->slope[j];
        }
    }
}

static double limit(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

/* The best `x` of the linear problem, near problem->at and with efficiencies that can be. */
static void minimise(const struct problem *problem, int without, double x[KEYS])
{
    double a[KEYS][KEYS], next[KEYS], change = 1;
    memcpy(x, problem->at, KEYS * sizeof *x);
    for (int step = 0; step < WEIGHINGS && change > 1e-7; step++) {
        normal_equations(problem, without, x, a, next);
        solve(a, next);
        change = 0;
        for (int k = 0; k < KEYS; k++) {
            if (!problem->is_active[k])
                continue;
            double to = limit(next[k], problem->at[k] - largest_step, problem->at[k] + largest_step);
            to = limit(to, log(lowest / problem->base[k]), fmax(log(highest / problem->base[k]), 0));
            change = fmax(change, fabs(to - x[k]));
            x[k] = to;
        }
    }
}

/* How much the samples tell about each key: its uncertainty given all others, over that of the prior. */
static void weigh_keys(struct problem *problem)
{
    for (int k = 0; k < KEYS; k++) {
        double a[KEYS][KEYS], b[KEYS];
        normal_equations(problem, -1, problem->at, a, b);
        memset(b, 0, sizeof b);
        b[k] = 1;
        solve(a, b); /* column k of the inverse */
        problem->spread[k] = sqrt(b[k]) / calibrate_keys[k].prior;
    }
}

/* Fits the active keys. */
static void fit(struct problem *problem)
{
    double change = 1, x[KEYS];
    memset(problem->at, 0, sizeof problem->at);
    for (int step = 0; step < STEPS && change > 1e-4; step++) {
        linearise(problem);
        minimise(problem, -1, x);
        change = 0;
        for (int k = 0; k < KEYS; k++)
            change = fmax(change, fabs(x[k] - problem->at[k]));
        memcpy(problem->at, x, sizeof x);
    }
    linearise(problem);
    weigh_keys(problem);
}

/* Leaves out the key about which the samples tell least, until they tell enough about each. */
static void fit_what_is_told(struct problem *problem)
{
    for (;;) {
        int active = 0, least = -1;
        fit(problem);
        for (int k = 0; k < KEYS; k++) {
            active += problem->is_active[k];
            if (problem->is_active[k] && (least < 0 || problem->spread[k] > problem->spread[least]))
                least = k;
        }
        if (active == 0 || problem->spread[least] <= told)
            return;
        problem->is_active[least] = false;
    }
}

/* ---- samples ---------------------------------------------------------------------------------------------------- */

static size_t family_length(const struct run *run)
{
    return strcspn(run->tags, " ");
}

static bool is_same_family(const struct run *a, const struct run *b)
{
    size_t n = family_length(a);
    return n == family_length(b) && memcmp(a->tags, b->tags, n) == 0;
}

/* Runs of one family share what the model misses of it, so n of them tell as much as the root of n strangers. */
static void weigh_samples(struct problem *problem)
{
    for (int i = 0; i < problem->count; i++) {
        int family = 0;
        for (int j = 0; j < problem->count; j++)
            family += is_same_family(&problem->sample[i].run, &problem->sample[j].run);
        problem->sample[i].weight = 1 / sqrt(family);
    }
}

/* Notes the shipped efficiencies of the first run, and in which ones the others differ. */
static void take_shipped(struct calibration *out, const struct plan *resolved)
{
    for (int k = 0; k < KEYS; k++) {
        double value = resolved->value[calibrate_keys[k].id];
        if (out->runs == 1)
            out->shipped[k] = value;
        else if (!(fabs(value - out->shipped[k]) <= 1e-6 * value))
            out->differs[k] = !isnan(value) || !isnan(out->shipped[k]);
    }
}

/* Halves the samples: every second one stays, and of those to come as many. */
static void thin_out(struct problem *problem)
{
    for (int i = 0; i < problem->count; i++) {
        if (i % 2)
            free(problem->sample[i].run.tags);
        else
            problem->sample[i / 2] = problem->sample[i];
    }
    problem->count = (problem->count + 1) / 2;
    problem->step *= 2;
}

static void add_sample(struct problem *problem, const struct run *run, enum metric metric, double before)
{
    if (problem->count == problem->capacity) {
        problem->capacity = problem->capacity ? 2 * problem->capacity : 64;
        problem->sample = xrealloc(problem->sample, (size_t)problem->capacity * sizeof *problem->sample);
    }
    struct sample *sample = &problem->sample[problem->count++];
    *sample = (struct sample){.run = *run, .metric = metric, .before = before, .left_out = before};
    sample->run.tags = xstrdup(run->tags);
    struct time_range range;
    range_time(problem->estimate, &range);
    for (int i = 0; i < RANGE_COUNT; i++)
        sample->spread_of[i] = range.share[i] * range_sigmas[i];
    sample->host_speed = KEY_OF(&problem->estimate->plan, hardware, host_speed);
}

/* What the runs pass through. */
struct taking {
    struct problem *problem;
    struct calibration *out;
    struct errors *errors;
};

/* Takes a run whose time is measured and estimated; a run_taker. */
static void take_run(void *to, const struct run *run)
{
    struct taking *taking = to;
    struct problem *problem = taking->problem;
    struct calibration *out = taking->out;
    struct estimate *e = problem->estimate;
    double error = NAN;
    int metric = METRIC_ITERATION - 1;
    estimate_plan(&run->plan, e);
    while (isnan(error) && ++metric <= METRIC_TFLOPS)
        error = run_error((enum metric)metric, run_measured(run, (enum metric)metric, e),
                          run_estimated(run, (enum metric)metric, e));
    bool serves = e->is_serving && e->serving.has_engine > 0 && server_fit_take(&out->served, run, e, taking->errors);
    if (!serves && (isnan(error) || error <= -1))
        return;
    if (!*out->gpu)
        snprintf(out->gpu, sizeof out->gpu, "%s", e->plan.text[TEXT_GPU]);
    if (strcmp(out->gpu, e->plan.text[TEXT_GPU]) != 0) {
        errors_add(taking->errors, run->file, run->line, "hardware.gpu",
                   "is %s where earlier runs have %s, but a hardware file is for one device; "
                   "keep one with --tags hardware.gpu=%s",
                   e->plan.text[TEXT_GPU], out->gpu, out->gpu);
        return;
    }
    if (serves)
        return;
    out->runs++;
    take_shipped(out, &e->plan);
    if (problem->count == CALIBRATE_SAMPLES_MAX)
        thin_out(problem);
    if ((out->runs - 1) % problem->step == 0)
        add_sample(problem, run, (enum metric)metric, log1p(error));
}

static int take_samples(struct problem *problem, const struct runs_request *request, struct calibration *out,
                        struct errors *errors)
{
    struct taking taking = {problem, out, errors};
    if (runs_read(request, take_run, &taking, errors) != 0)
        return -1;
    weigh_samples(problem);
    for (int k = 0; k < KEYS; k++) {
        out->shipped[k] = out->differs[k] ? NAN : out->shipped[k];
        problem->base[k] = isnan(out->shipped[k]) ? 1 : out->shipped[k];
        problem->is_active[k] = out->shipped[k] > 0;
    }
    return 0;
}

/* ---- the factor common to runs ---------------------------------------------------------------------------------- */

/* Covariance of what two runs have in common. */
static double common_of(const double a[RANGE_COUNT], const double b[RANGE_COUNT])
{
    double sum = 0;
    for (int i = 0; i < RANGE_COUNT; i++)
        sum += a[i] * b[i];
    return range_common * sum;
}

/* Solves a y = b for n equations, two right sides; they become y. */
static void solve_pair(int n, double a[COMMON_RUNS][COMMON_RUNS], double b[COMMON_RUNS], double c[COMMON_RUNS])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double share = j == i ? 0 : a[j][i] / a[i][i];
            for (int k = i; k < n; k++)
                a[j][k] -= share * a[i][k];
            b[j] -= share * b[i];
            c[j] -= share * c[i];
        }
    for (int i = 0; i < n; i++) {
        b[i] /= a[i][i];
        c[i] /= a[i][i];
    }
}

/* Few runs of one cluster: what their errors have in common, and what is of each alone. */
struct common {
    int n;
    double q[COMMON_RUNS];                   /* ln(measured/estimated) */
    double covariance[COMMON_RUNS][COMMON_RUNS];
    double own[COMMON_RUNS];                 /* variance of one alone */
    double of_mean[COMMON_RUNS], variance;   /* covariance with a plan like their mean, and its variance */
    double scale, odd[COMMON_RUNS];          /* how much larger than thought: what is common, and what is not */
    double weight[COMMON_RUNS], reach[COMMON_RUNS]; /* solutions of all that for q and of_mean */
};

static void fill_common(const struct problem *problem, struct common *out)
{
    double mean[RANGE_COUNT] = {0};
    const int n = out->n = problem->count < COMMON_RUNS ? problem->count : COMMON_RUNS;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < RANGE_COUNT; k++)
            mean[k] += problem->sample[i].spread_of[k] / n;
    for (int i = 0; i < n; i++) {
        const double *own = problem->sample[i].spread_of;
        for (int j = 0; j < n; j++)
            out->covariance[i][j] = common_of(own, problem->sample[j].spread_of);
        out->q[i] = -problem->sample[i].before;
        out->own[i] = out->covariance[i][i] * (1 / range_common - 1) + run_noise * run_noise;
        out->of_mean[i] = common_of(mean, own);
        out->odd[i] = 1;
    }
    out->variance = common_of(mean, mean);
    out->scale = 1;
}

/* Solves the covariance of all runs, at these scales, for two right sides. */
static void solve_common(const struct common *all, double b[COMMON_RUNS], double c[COMMON_RUNS])
{
    double a[COMMON_RUNS][COMMON_RUNS];
    for (int i = 0; i < all->n; i++)
        for (int j = 0; j < all->n; j++)
            a[i][j] = all->scale * all->covariance[i][j] + (i == j) * all->own[i] * all->odd[i];
    solve_pair(all->n, a, b, c);
}

static void weigh_common(struct common *all)
{
    memcpy(all->weight, all->q, sizeof all->weight);
    memcpy(all->reach, all->of_mean, sizeof all->reach);
    solve_common(all, all->weight, all->reach);
}

/* The diagonal of the inverse covariance: a run's weight over it is its error when the others alone predict it. */
static double own_weight(const struct common *all, int i)
{
    double unit[COMMON_RUNS] = {0}, unused[COMMON_RUNS] = {0};
    unit[i] = 1;
    solve_common(all, unit, unused);
    return unit[i];
}

/* Scales by Student's t: runs that are off together have an odd cluster, one that is off alone is odd itself. */
static void scale_common(struct common *all)
{
    double distance = 0;
    for (int i = 0; i < all->n; i++) {
        double shared = 0;
        for (int j = 0; j < all->n; j++)
            shared += all->scale * all->covariance[i][j] * all->weight[j];
        double rest = all->q[i] - shared;
        distance += all->scale * all->weight[i] * shared;
        all->odd[i] = fmax(1, (freedom + rest * rest / all->own[i]) / (freedom + 1));
    }
    all->scale = fmax(1, (freedom + distance) / (freedom + 1));
}

/* Whose time a row of range.def is about; what is of a run alone is nobody's. */
enum whose { OF_GPU, OF_NETWORK, OF_HOST, OF_ALL, OF_NOBODY };

static const enum whose whose_rows[RANGE_COUNT] = {
    [RANGE_TP] = OF_NETWORK, [RANGE_CP] = OF_NETWORK, [RANGE_EP] = OF_NETWORK, [RANGE_DP] = OF_NETWORK,
    [RANGE_PP] = OF_NETWORK, [RANGE_HOST] = OF_HOST,  [RANGE_BASE] = OF_ALL,   [RANGE_FRAME] = OF_ALL,
    [RANGE_GUESSED] = OF_ALL, [RANGE_EXPERT] = OF_ALL, [RANGE_LONG] = OF_ALL,  [RANGE_SCHED] = OF_ALL,
    [RANGE_SMALL] = OF_ALL,  [RANGE_SCALE] = OF_ALL,  [RANGE_ROW] = OF_NOBODY};

/*
 * The best linear prediction of the error of each row of range.def, from the weights of the runs, summed up for the
 * GPU, the network and the host by their shares; distances of the whole time go to all of them.
 */
static void split_common(const struct problem *problem, int n, const double weight[COMMON_RUNS],
                         struct calibration *out)
{
    double error[OF_NOBODY + 1] = {0}, share[OF_NOBODY + 1] = {0}, common[OF_ALL];
    for (int k = 0; k < RANGE_COUNT; k++) {
        double mean = 0, of_row = 0;
        for (int i = 0; i < n; i++) {
            mean += problem->sample[i].spread_of[k] / n;
            of_row += range_common * weight[i] * problem->sample[i].spread_of[k];
        }
        share[whose_rows[k]] += k < RANGE_PARTS ? mean / range_sigmas[k] : 0;
        error[whose_rows[k]] += of_row * mean;
    }
    for (int who = 0; who < OF_ALL; who++)
        common[who] = exp(error[OF_ALL] + error[who] / fmax(share[who], least_share));
    out->gpu_factor = common[OF_GPU];
    out->network_factor = common[OF_NETWORK];
    out->host_factor = common[OF_HOST];
}

/*
 * The best linear prediction of ln(measured/estimated) of a plan like the runs: of each row of range.def a share
 * range_common of the variance is common to them. Sets the ratio, what of it is common, and how much variance is left;
 * and each run's error as the others predict it.
 */
static void fit_common(struct problem *problem, struct calibration *out)
{
    struct common all;
    double sum = 0, common = 0, explained = 0;
    fill_common(problem, &all);
    weigh_common(&all);
    for (int step = 0; step < SCALINGS; step++) {
        scale_common(&all);
        weigh_common(&all);
    }
    for (int i = 0; i < all.n; i++)
        problem->sample[i].left_out = -all.weight[i] / own_weight(&all, i);
    for (int i = 0; i < all.n; i++) {
        all.weight[i] *= all.scale;
        sum += all.q[i];
        common += all.of_mean[i] * all.weight[i];
        explained += all.scale * all.scale * all.of_mean[i] * all.reach[i];
    }
    split_common(problem, all.n, all.weight, out);
    out->host_speed = problem->sample[0].host_speed;
    out->ratio = exp(sum / all.n);
    out->common = exp(common);
    out->left = fmin(1, all.scale - explained / all.variance);
}

/* ---- judging ---------------------------------------------------------------------------------------------------- */

/* Estimates every run from a fit to the others, and from the fit to all. */
static void leave_out(struct problem *problem)
{
    for (int i = 0; i < problem->count; i++) {
        double x[KEYS];
        minimise(problem, i, x);
        problem->sample[i].left_out = log_error(problem, &problem->sample[i], x);
        problem->sample[i].after = problem->sample[i].residual;
    }
}

/* Weighted means; better by more than chance when the gain is above its own standard error. */
static void judge(const struct problem *problem, struct calibration *out)
{
    double weights = 0, gain = 0, squares = 0;
    out->before = out->left_out = out->after = 0;
    for (int i = 0; i < problem->count; i++) {
        const struct sample *s = &problem->sample[i];
        weights += s->weight;
        out->before += s->weight * fabs(expm1(s->before));
        out->left_out += s->weight * fabs(expm1(s->left_out));
        out->after += s->weight * fabs(expm1(s->after));
    }
    out->before /= weights;
    out->left_out /= weights;
    out->after /= weights;
    gain = out->before - out->left_out;
    for (int i = 0; i < problem->count; i++) {
        const struct sample *s = &problem->sample[i];
        double own = fabs(expm1(s->before)) - fabs(expm1(s->left_out)) - gain;
        squares += s->weight * s->weight * own * own;
    }
    out->is_better = problem->count > 1 && gain > sqrt(squares) / weights;
}

int calibrate_fit(const struct runs_request *request, struct calibration *out, struct errors *errors)
{
    struct problem problem = {.step = 1, .estimate = xmalloc(sizeof *problem.estimate)};
    *out = (struct calibration){.before = NAN, .left_out = NAN, .after = NAN};
    int result = take_samples(&problem, request, out, errors);
    out->used = problem.count;
    if (result == 0 && problem.count > 0) {
        fit_common(&problem, out);
        judge(&problem, out);
        out->is_common_better = out->is_better;
        out->common_left_out = out->left_out;
        fit_what_is_told(&problem);
        leave_out(&problem);
        judge(&problem, out);
    }
    for (int k = 0; k < KEYS; k++) {
        out->is_fitted[k] = result == 0 && problem.count > 0 && problem.is_active[k];
        out->fitted[k] = out->shipped[k] * (out->is_fitted[k] ? exp(problem.at[k]) : 1);
    }
    progress_end();
    for (int i = 0; i < problem.count; i++)
        free(problem.sample[i].run.tags);
    free(problem.sample);
    free(problem.estimate);
    return result;
}

/* ---- printing --------------------------------------------------------------------------------------------------- */

/* A value that hardly any other stack has. */
static bool is_far(const struct calibration *fit, int k)
{
    return fabs(log(fit->fitted[k] / fit->shipped[k])) > 2 * calibrate_keys[k].prior;
}

static void remark_keys(const struct calibration *fit, struct errors *errors)
{
    for (int k = 0; k < KEYS; k++) {
        const char *key = param_rows[calibrate_keys[k].id].dotted;
        if (fit->differs[k])
            errors_note(errors, NULL, 0, key,
                        "stays: the runs differ in it (type, kernel or their own value); fit runs of one kind for it");
        else if (fit->is_fitted[k])
            errors_note(
                errors, NULL, 0, key, "%.3g, shipped %.3g%s", fit->fitted[k], fit->shipped[k],
                is_far(fit, k)
                    ?
                    "; that is far enough off that the plans may differ from the runs (kernels, recomputation, fusion)"
                    : "");
        else
            errors_note(errors, NULL, 0, key, "stays: these runs do not tell");
    }
}

static void print_file(const struct calibration *fit, struct buffer *out)
{
    buffer_printf(out, "# Efficiencies of %s, fitted to the measured time of %d runs by shardtop calibrate.\n",
                  fit->gpu, fit->used);
    buffer_printf(
        out, "# Mean error of the time: %.1f %% with shipped values, %.1f %% for each run from a fit without it.\n",
        100 * fit->before, 100 * fit->left_out);
    buffer_puts(out, "# Give this file after a plan: shardtop show PLAN FILE\n\nhardware:\n");
    for (int k = 0; k < KEYS; k++)
        if (fit->is_fitted[k])
            buffer_printf(out, "  %s: %-8.4g # shipped: %.4g\n", param_rows[calibrate_keys[k].id].key, fit->fitted[k],
                          fit->shipped[k]);
    buffer_printf(out, "  calibrated_runs: %d\n  calibrated_left: %.3f\n", fit->used, fit->left);
}

/* Says why nothing is fitted, in the file too: it is never empty, and leaves a plan as it is. */
static void print_reason(const struct calibration *fit, const struct calibrate_request *request, const char *why)
{
    errors_note(request->errors, NULL, 0, NULL, "nothing is fitted: %s; the shipped values stay", why);
    buffer_printf(request->out, "# shardtop calibrate fitted nothing: %s. The shipped values stay.\n", why);
    if (*fit->gpu)
        buffer_printf(request->out, "\nhardware:\n  gpu: %s\n", fit->gpu);
}

/* What the runs have in common, as slower or faster hardware. */
static void report_common(const struct calibration *fit, const struct calibrate_request *request)
{
    struct buffer *out = request->out;
    errors_note(request->errors, NULL, 0, NULL,
                "%d run%s: %.2f of the estimated time; %.2f is taken as common to this cluster and stack, and %.0f %% "
                "of that variance is left. %s",
                fit->used, fit->used == 1 ? "" : "s", fit->ratio, fit->common, 100 * fit->left,
                fit->used < CALIBRATE_FIT_FROM ? "Efficiencies are fitted from five runs on"
                                               : "Fitted efficiencies would be no better than that");
    buffer_printf(out, "# Common factor %.3f of %s, from the measured time of %d run%s by shardtop calibrate.\n",
                  fit->common, fit->gpu, fit->used, fit->used == 1 ? "" : "s");
    buffer_puts(out, "# Give this file after a plan: shardtop show PLAN FILE\n\nhardware:\n");
    buffer_printf(out, "  time_factor: %.4g\n  network_factor: %.4g\n  host_speed: %.4g\n", fit->gpu_factor,
                  fit->network_factor, fit->host_speed / fit->host_factor);
    buffer_printf(out, "  calibrated_runs: %d\n  calibrated_left: %.3f\n", fit->used, fit->left);
}

/* What the efficiencies of five runs and more come to. */
static void remark_fit(const struct calibration *fit, bool any, struct errors *errors)
{
    if (fit->used < fit->runs)
        errors_note(errors, NULL, 0, NULL, "the fit takes %d of the %d runs, evenly spaced", fit->used, fit->runs);
    remark_keys(fit, errors);
    if (any)
        errors_note(errors, NULL, 0, NULL,
                    "mean error of the time of %d runs: %.1f %% before, %.1f %% after with each run left out of its "
                    "own fit, %.1f %% with all of them in",
                    fit->used, 100 * fit->before, 100 * fit->left_out, 100 * fit->after);
    if (fit->is_common_better)
        errors_note(errors, NULL, 0, NULL, "%.1f %% with each run from the common factor of the others",
                    100 * fit->common_left_out);
}

/* Returns whether anything is fitted. */
static bool report(const struct calibration *fit, const struct calibrate_request *request)
{
    char untold[100];
    bool any = false, is_few = fit->used < CALIBRATE_FIT_FROM;
    bool is_served = fit->served.caches + fit->served.speeds > 0;
    if (is_served)
        server_fit_report(&fit->served, fit->gpu, request->out, request->errors);
    if (fit->used == 0 && !is_served)
        print_reason(fit, request, "no run with a measured time, or cache of a server, can be estimated");
    if (fit->used == 0)
        return is_served;
    for (int k = 0; k < KEYS; k++)
        any |= fit->is_fitted[k];
    if (!is_few)
        remark_fit(fit, any, request->errors);
    bool is_better = any && fit->is_better && !is_few;
    bool is_common = is_few || (fit->is_common_better && !(is_better && fit->left_out <= fit->common_left_out));
    snprintf(untold, sizeof untold, "the %d runs do not tell any of these keys; mean error %.1f %%", fit->used,
             100 * fit->before);
    if (is_common)
        report_common(fit, request);
    else if (is_better)
        print_file(fit, request->out);
    else
        print_reason(fit, request, any ? "no improvement beyond chance" : untold);
    return is_common || is_better;
}

int calibrate_run(const struct calibrate_request *request)
{
    struct runs_request wanted = {request->files, request->file_count, request->settings, request->tags, NULL};
    struct calibration *fit = xmalloc(sizeof *fit);
    int result = calibrate_fit(&wanted, fit, request->errors);
    bool is_fitted = result == 0 && report(fit, request);
    free(fit);
    return result != 0 ? 2 : !is_fitted;
}
