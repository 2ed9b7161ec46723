#include "ui/result.h"

#include "core/plan/param.h"

#include <math.h>
#include <stdio.h>

static double peak(const struct estimate *e)
{
    return e->stage[e->peak_stage].device_bytes;
}

static double exposed_share(const struct estimate *e)
{
    double sum = 0;
    for (int i = 0; i < COMM_DIM_COUNT; i++)
        sum += i == COMM_EDP || i == COMM_EMBEDDING ? 0 : e->exposed_s[i]; /* inside COMM_DP */
    return sum / e->step.iteration_s;
}

static double headroom(const struct estimate *e)
{
    return e->headroom_bytes;
}

#define STEP(member)                                                                                                  \
    static double member(const struct estimate *e)                                                                    \
    {                                                                                                                 \
        return e->step.member;                                                                                        \
    }
STEP(iteration_s)
STEP(mfu)
STEP(tokens_per_s_per_gpu)
STEP(tokens_per_s)
STEP(bubble_fraction)
STEP(cost)
STEP(seconds)
STEP(gpu_hours)
STEP(model_tflops_per_gpu)

static const struct result training[RESULT_COUNT] = {
    [RESULT_PEAK] = {"peak", " GiB", "device_bytes", FIGURE_GIB, -1, 21, peak},
    [RESULT_ITERATION] = {"iter", "", "time.iteration_s", FIGURE_SECONDS, -1, 11, iteration_s},
    [RESULT_MFU] = {"MFU", "", "time.mfu", FIGURE_PERCENT, 1, 9, mfu},
    [RESULT_TOKENS_GPU] = {"tok/s/gpu", " tok/s/gpu", "time.tokens_per_s_per_gpu", FIGURE_COUNT, 1, 15,
                           tokens_per_s_per_gpu},
    [RESULT_COST] = {"cost", "", "training.cost", FIGURE_MONEY, -1, 12, cost},
    [RESULT_BUBBLE] = {"bubble", "", "time.bubble_fraction", FIGURE_PERCENT, -1, 12, bubble_fraction},
    [RESULT_TOKENS] = {"tok/s", " tok/s", "time.tokens_per_s", FIGURE_COUNT, 1, 13, tokens_per_s},
    [RESULT_EXPOSED] = {"exposed comm", "", "time.exposed_communication_s", FIGURE_PERCENT, -1, 18, exposed_share},
    [RESULT_SPAN] = {"training", "", "training.seconds", FIGURE_SECONDS, -1, 17, seconds},
    [RESULT_GPU_HOURS] = {"GPU hours", " gpu-h", "training.gpu_hours", FIGURE_COUNT, -1, 15, gpu_hours},
    [RESULT_TFLOPS] = {"TFLOP/s/gpu", " TFLOP/s", "time.model_tflops_per_gpu", FIGURE_COUNT, 1, 13,
                       model_tflops_per_gpu},
    [RESULT_HEADROOM] = {"headroom", " GiB", "headroom_bytes", FIGURE_GIB, 1, 0, headroom},
};

static double serving_peak(const struct estimate *e)
{
    return e->serving.needed_bytes;
}

#define SERVING(member)                                                                                               \
    static double serving_##member(const struct estimate *e)                                                          \
    {                                                                                                                 \
        return e->serving.member;                                                                                     \
    }
SERVING(per_token_s)
SERVING(time_to_first_token_s)
SERVING(tokens_per_s)
SERVING(cost_per_million_tokens)
SERVING(max_batch_size)
SERVING(max_context_tokens)
SERVING(prefill_s)
SERVING(request_s)
SERVING(kv_cache_bytes)
SERVING(decode_step_s)

static const struct result serving[SERVING_RESULT_COUNT] = {
    [SERVING_NEEDS] = {"needs", " GiB", "serving.needed_bytes", FIGURE_GIB, -1, 21, serving_peak},
    [SERVING_TOKEN] = {"token", "", "serving.per_token_s", FIGURE_SECONDS, -1, 13, serving_per_token_s},
    [SERVING_FIRST_TOKEN] = {"first", "", "serving.time_to_first_token_s", FIGURE_SECONDS, -1, 13,
                    serving_time_to_first_token_s},
    [SERVING_TOKENS] = {"tok/s", " tok/s", "serving.tokens_per_s", FIGURE_COUNT, 1, 12, serving_tokens_per_s},
    [SERVING_COST] = {"$/M tok", "", "serving.cost_per_million_tokens", FIGURE_MONEY, -1, 14,
                     serving_cost_per_million_tokens},
    [SERVING_BATCH] = {"batch up to", "", "serving.max_batch_size", FIGURE_COUNT, 1, 17, serving_max_batch_size},
    [SERVING_CONTEXT] = {"context up to", "", "serving.max_context_tokens", FIGURE_COUNT, 1, 20,
                       serving_max_context_tokens},
    [SERVING_PREFILL] = {"prefill", "", "serving.prefill_s", FIGURE_SECONDS, -1, 15, serving_prefill_s},
    [SERVING_ANSWER] = {"answer", "", "serving.request_s", FIGURE_SECONDS, -1, 14, serving_request_s},
    [SERVING_CACHE] = {"cache", " GiB", "serving.kv_cache_bytes", FIGURE_GIB, -1, 15, serving_kv_cache_bytes},
    [SERVING_STEP] = {"step", "", "serving.decode_step_s", FIGURE_SECONDS, -1, 12, serving_decode_step_s},
    [SERVING_HEADROOM] = {"headroom", " GiB", "headroom_bytes", FIGURE_GIB, 1, 0, headroom},
};

_Static_assert((int)SERVING_RESULT_COUNT == (int)RESULT_COUNT, "both kinds of plans have as many figures");

const struct result *result_row(enum result_id id, const struct estimate *estimate)
{
    return estimate->is_serving ? &serving[id] : &training[id];
}

double result_value(enum result_id id, const struct estimate *estimate)
{
    return estimate->is_computed ? result_row(id, estimate)->of(estimate) : NAN;
}

bool result_is_measured(const struct estimate *estimate)
{
    return !estimate->is_serving && estimate->is_computed && estimate->plan.value[PARAM_train_measured_iteration_s] > 0;
}

double result_delta(enum result_id id, const struct estimate *before, const struct estimate *after)
{
    return before->is_serving == after->is_serving ? result_value(id, after) - result_value(id, before) : NAN;
}

enum verdict result_verdict(const struct estimate *estimate, char out[VERDICT_MAX])
{
    double room = result_value(RESULT_HEADROOM, estimate);
    enum verdict verdict = range_verdict(estimate);
    char word[16] = "";
    if (verdict == VERDICT_TIGHT)
        snprintf(word, sizeof word, "TIGHT %.0f %% ", 100 * range_fit_probability(estimate));
    else if (verdict != VERDICT_UNKNOWN)
        snprintf(word, sizeof word, "%s", verdict == VERDICT_FITS ? "FITS " : "NO ");
    if (isnan(room))
        snprintf(out, VERDICT_MAX, "? memory not known");
    else
        snprintf(out, VERDICT_MAX, "%s%s GiB %s", word, figure(FIGURE_GIB, fabs(room)).text, room < 0 ? "over" : "free");
    return verdict;
}

struct figure result_text(enum result_id id, const struct estimate *estimate)
{
    const struct result *row = result_row(id, estimate);
    double value = result_value(id, estimate);
    struct figure number = figure(row->kind, value), out;
    snprintf(out.text, sizeof out.text, "%.12s%.10s%s", number.text, isnan(value) ? "" : row->unit,
             finding_doubts(&estimate->diags, row->path) ? "!" : "");
    return out;
}
