#include "src/runs/calibrate_server.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/plan/key.h"
#include "core/plan/param.h"
#include "src/runs/runs.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <math.h>

/* Spread of a run around its server, and of servers around the estimate: errors of tests/data/serving_speed.csv. */
static const double run_noise = 0.04, server_spread = 0.13;

/* GiB of cache that a run shows; of tokens alone as many as the estimate's tokens take. */
static double measured_cache(const struct run *run, const struct serving *s)
{
    double gib = run->measured[METRIC_KV];
    return isfinite(gib) ? gib : run->measured[METRIC_KV_TOKENS] / s->kv_tokens * s->kv_gib;
}

/* Whether the log is of another model or another split than the plan: its weights differ by more than a quarter. */
static bool is_other_plan(const struct run *run, const struct serving *s, struct errors *errors)
{
    double weights = run->measured[METRIC_WEIGHTS];
    bool is = weights > 1.25 * s->weights_gib || weights < 0.8 * s->weights_gib;
    if (is)
        errors_note(errors, run->file, run->line, "weights_gib",
                    "%.3g GiB a GPU in the log, %.3g by the plan: another model or split; its cache is not used",
                    weights, s->weights_gib);
    return is;
}

/* The mean logarithm of measured over estimated time; NAN without any. */
static double log_ratio(const struct run *run, const struct estimate *e)
{
    static const enum metric times[] = {METRIC_GENERATED, METRIC_PER_TOKEN, METRIC_REQUEST};
    double sum = 0;
    int count = 0;
    for (size_t i = 0; i < LENGTH(times); i++) {
        double error = run_error(times[i], run_measured(run, times[i], e), run_estimated(run, times[i], e));
        if (error > -1) {
            sum -= log1p(error);
            count++;
        }
    }
    return count > 0 ? sum / count : (double)NAN;
}

bool server_fit_take(struct server_fit *fit, const struct run *run, const struct estimate *e, struct errors *errors)
{
    const struct serving *s = &e->serving;
    int engine = (int)KEY_OF(&e->plan, serve, engine);
    bool is_first = fit->caches + fit->speeds == 0;
    double cache = measured_cache(run, s), ratio = log_ratio(run, e);
    bool is_given = s->asked_bytes > 0 || KEY_OF(&e->plan, serve, max_total_tokens) > 0 || /* tells nothing of memory */
                    is_other_plan(run, s, errors);
    if ((!isfinite(cache) || is_given) && !isfinite(ratio))
        return false;
    if (!is_first && engine != fit->engine)
        errors_add(errors, run->file, run->line, "serve.engine",
                   "differs from that of earlier runs; keep one with --tags serve.engine=NAME");
    if (is_first)
        fit->engine = engine;
    if (isfinite(cache) && !is_given) {
        double share = s->is_trtllm > 0 ? s->share : 1; /* TensorRT-LLM takes its share of what is left */
        fit->other_gib += KEY_OF(&e->plan, serve, other_gib) + (s->kv_gib - cache) / share;
        fit->caches++;
    }
    if (isfinite(ratio)) {
        fit->log_ratio += log(KEY_OF(&e->plan, serve, time_factor)) + ratio;
        fit->speeds++;
    }
    return true;
}

/* A value that the key may have. */
static double bounded(enum param key, double value)
{
    return fmin(param_rows[key].max, fmax(param_rows[key].min, value));
}

double server_fit_other_gib(const struct server_fit *fit)
{
    return fit->caches > 0 ? bounded(PARAM_serve_other_gib, fit->other_gib / fit->caches) : (double)NAN;
}

double server_fit_time_factor(const struct server_fit *fit)
{
    double noise = run_noise * run_noise / (server_spread * server_spread);
    double factor = fit->speeds > 0 ? exp(fit->log_ratio / (fit->speeds + noise)) : (double)NAN;
    return isnan(factor) ? factor : bounded(PARAM_serve_time_factor, factor);
}

void server_fit_report(const struct server_fit *fit, const char *gpu, struct buffer *out, struct errors *errors)
{
    double other = server_fit_other_gib(fit), factor = server_fit_time_factor(fit);
    if (fit->caches + fit->speeds == 0)
        return;
    buffer_printf(out, "# A server on %s: its cache in %d and its speed in %d runs, by shardtop calibrate.\n", gpu,
                  fit->caches, fit->speeds);
    buffer_puts(out, "# Give this file after a plan: shardtop show PLAN FILE\n\nserve:\n");
    if (fit->caches > 0) {
        buffer_printf(out, "  other_gib: %.4g\n", other);
        errors_note(errors, NULL, 0, "serve.other_gib", "%.3g GiB beside what is estimated, by %d start-up log%s",
                    other, fit->caches, fit->caches == 1 ? "" : "s");
    }
    if (fit->speeds > 0) {
        buffer_printf(out, "  time_factor: %.4g\n", factor);
        errors_note(errors, NULL, 0, "serve.time_factor", "%.3g of the estimated time, by %d run%s", factor,
                    fit->speeds, fit->speeds == 1 ? "" : "s");
    }
}
