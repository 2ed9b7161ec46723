#include "ui/state/result.h"

#include "ui/widget/units.h"

#include <stdio.h>
#include <string.h>

static double exposed_share(const struct estimate *e)
{
    double sum = 0;
    for (int i = 0; i < COMM_DIM_COUNT; i++)
        sum += i == COMM_EDP || i == COMM_EMBEDDING ? 0 : e->exposed_s[i]; /* inside COMM_DP */
    return sum / e->step.iteration_s;
}

/* What a figure is of an estimate. */
#define VALUE(name, value) static double name(const struct estimate *e) { return value; }
VALUE(headroom, e->headroom_bytes)
VALUE(tokens_per_s_per_gpu, e->step.tokens_per_s_per_gpu)
VALUE(bubble_fraction, e->step.bubble_fraction)
VALUE(cost, e->step.cost)
VALUE(seconds, e->step.seconds)
VALUE(gpu_hours, e->step.gpu_hours)
VALUE(model_tflops_per_gpu, e->step.model_tflops_per_gpu)
/* Reinforcement learning: the whole iteration; figures that only its update has are unknown. */
VALUE(peak, e->is_rl ? e->rl.peak_bytes : e->stage[e->peak_stage].device_bytes)
VALUE(iteration_s, estimate_pace(e))
VALUE(mfu, e->is_rl ? (double)NAN : e->step.mfu)
VALUE(cost_per_1t_tokens, e->is_rl ? (double)NAN : e->step.cost_per_1t_tokens)
VALUE(tokens_per_s, e->is_rl ? e->rl.iteration_tokens / e->rl.iteration_s : e->step.tokens_per_s)

static const struct result training[RESULT_COUNT] = {
    [RESULT_PEAK] = {"peak", " GiB", "device_bytes", FIGURE_GIB, -1, EVERY_WIDTH, NULL, peak},
    [RESULT_ITERATION] = {"iteration", "", "time.iteration_s", FIGURE_SECONDS, -1, EVERY_WIDTH, "an iteration|",
                          iteration_s},
    [RESULT_MFU] = {"MFU", "", "time.mfu", FIGURE_PERCENT, 1, EVERY_WIDTH, "MFU", mfu},
    [RESULT_BUBBLE] = {"bubble", "", "time.bubble_fraction", FIGURE_PERCENT, -1, 0, NULL, bubble_fraction},
    [RESULT_EXPOSED] = {"exposed", "", "time.exposed_communication_s", FIGURE_PERCENT, -1, 0, NULL, exposed_share},
    [RESULT_TOKENS] = {"tok/s", " tok/s", "time.tokens_per_s", FIGURE_COUNT, 1, 64, "tokens/s|tok/s", tokens_per_s},
    [RESULT_TOKENS_GPU] = {"tok/s a GPU", " tok/s a GPU", "time.tokens_per_s_per_gpu", FIGURE_COUNT, 1, 0, NULL,
                           tokens_per_s_per_gpu},
    [RESULT_TFLOPS] = {"TFLOP/s", " TFLOP/s", "time.model_tflops_per_gpu", FIGURE_COUNT, 1, 140, "TFLOP/s a GPU",
                       model_tflops_per_gpu},
    [RESULT_PRICE] = {"cost of 1T", " per 1T tokens", "training.cost_per_1t_tokens", FIGURE_MONEY, -1, EVERY_WIDTH,
                      "per 1T tokens|per 1T", cost_per_1t_tokens},
    [RESULT_COST] = {"cost", "", "training.cost", FIGURE_MONEY, -1, 180, "in all", cost},
    [RESULT_SPAN] = {"training", "", "training.seconds", FIGURE_SPAN, -1, 180, "in all", seconds},
    [RESULT_GPU_HOURS] = {"GPU hours", " gpu-h", "training.gpu_hours", FIGURE_COUNT, -1, 0, NULL, gpu_hours},
    [RESULT_HEADROOM] = {"headroom", " GiB", "headroom_bytes", FIGURE_GIB, 1, 0, NULL, headroom},
};

VALUE(serving_peak, e->serving.needed_bytes)
VALUE(serving_per_token_s, e->serving.per_token_s)
VALUE(serving_time_to_first_token_s, e->serving.time_to_first_token_s)
VALUE(serving_tokens_per_s, e->serving.tokens_per_s)
VALUE(serving_cost_per_million_tokens, e->serving.cost_per_million_tokens)
VALUE(serving_max_batch_size, e->serving.max_batch_size)
VALUE(serving_max_context_tokens, e->serving.max_context_tokens)
VALUE(serving_prefill_s, e->serving.prefill_s)
VALUE(serving_request_s, e->serving.request_s)
VALUE(serving_kv_tokens, e->serving.kv_tokens)
VALUE(serving_decode_step_s, e->serving.decode_step_s)
VALUE(room_bytes, e->serving.room_bytes)

static const struct result serving[SERVING_RESULT_COUNT] = {
    [SERVING_NEEDS] = {"needs", " GiB", "serving.needed_bytes", FIGURE_GIB, -1, EVERY_WIDTH, NULL, serving_peak},
    [SERVING_TOKEN] = {"token", "", "serving.per_token_s", FIGURE_SECONDS, -1, EVERY_WIDTH, "each token|a token",
                       serving_per_token_s},
    [SERVING_FIRST_TOKEN] = {"first token", "", "serving.time_to_first_token_s", FIGURE_SECONDS, -1, EVERY_WIDTH,
                             "first token|first", serving_time_to_first_token_s},
    [SERVING_TOKENS] = {"tok/s", " tok/s", "serving.tokens_per_s", FIGURE_COUNT, 1, EVERY_WIDTH, "tokens/s|tok/s",
                        serving_tokens_per_s},
    [SERVING_COST] = {"cost of 1M", " per 1M", "serving.cost_per_million_tokens", FIGURE_MONEY, -1, EVERY_WIDTH,
                      "per 1M tokens|per 1M", serving_cost_per_million_tokens},
    [SERVING_BATCH] = {"users", "", "serving.max_batch_size", FIGURE_COUNT, 1, EVERY_WIDTH, "users",
                       serving_max_batch_size},
    [SERVING_CONTEXT] = {"context up to", "", "serving.max_context_tokens", FIGURE_COUNT, 1, 120, "context at most",
                         serving_max_context_tokens},
    [SERVING_PREFILL] = {"prefill", "", "serving.prefill_s", FIGURE_SECONDS, -1, 180, "prefill", serving_prefill_s},
    [SERVING_ANSWER] = {"answer", "", "serving.request_s", FIGURE_SECONDS, -1, 160, "an answer", serving_request_s},
    [SERVING_CACHE] = {"cache", " tokens", "serving.kv_tokens", FIGURE_COUNT, 1, 100, "tokens cached|cached",
                       serving_kv_tokens},
    [SERVING_STEP] = {"step", "", "serving.decode_step_s", FIGURE_SECONDS, -1, 0, NULL, serving_decode_step_s},
    [SERVING_ROOM] = {"room", " GiB", "serving.room_bytes", FIGURE_GIB, 1, 0, NULL, room_bytes},
    [SERVING_HEADROOM] = {"headroom", " GiB", "headroom_bytes", FIGURE_GIB, 1, 0, NULL, headroom},
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

struct verdict_text result_verdict_text(const struct estimate *estimate)
{
    static const char *const words[VERDICT_COUNT] = {
        [VERDICT_FITS] = "FITS", [VERDICT_TIGHT] = "TIGHT", [VERDICT_NO] = "DOES NOT FIT",
        [VERDICT_UNKNOWN] = "UNKNOWN"};
    double room = result_value(RESULT_HEADROOM, estimate);
    struct verdict_text out = {.verdict = range_verdict(estimate)};
    snprintf(out.word, sizeof out.word, "%s", words[out.verdict]);
    if (isnan(room))
        snprintf(out.detail, sizeof out.detail, "memory not known");
    else if (out.verdict == VERDICT_TIGHT)
        snprintf(out.detail, sizeof out.detail, "fits in %.0f of 100 runs", 100 * range_fit_probability(estimate));
    else
        snprintf(out.detail, sizeof out.detail, "%s %s %s", units_figure(FIGURE_GIB, fabs(room)).text, units_name(),
                 room < 0 ? "over" : "free");
    return out;
}

enum verdict result_verdict(const struct estimate *estimate, char out[VERDICT_MAX])
{
    struct verdict_text text = result_verdict_text(estimate);
    snprintf(out, VERDICT_MAX, "%s %.30s", text.word, text.detail);
    return text.verdict;
}

struct figure result_text(enum result_id id, const struct estimate *estimate)
{
    const struct result *row = result_row(id, estimate);
    double value = result_value(id, estimate);
    struct figure number = units_figure(row->kind, value), out;
    snprintf(out.text, sizeof out.text, "%.8s%.14s%s", number.text, isnan(value) ? "" : units_word(row->unit).text,
             finding_doubts(&estimate->diags, row->path) ? "!" : "");
    return out;
}

void result_range(const struct estimate *e, char out[RESULT_RANGE_MAX])
{
    struct time_range time;
    out[0] = '\0';
    if (e->is_serving || e->is_rl || !e->is_computed)
        return;
    range_time(e, &time);
    struct interval ends = range_of(&time, e->step.iteration_s, 1);
    struct figure range = figure_range(FIGURE_SECONDS, e->step.iteration_s, ends.low, ends.high);
    char why[RANGE_WHY_MAX];
    range_why(&time, why);
    if (range.text[0])
        snprintf(out, RESULT_RANGE_MAX, why[0] ? "%.20s (%.24s)" : "%.20s", range.text, why);
}

bool result_in_line(enum result_id id, const struct estimate *e, int width)
{
    const struct result *row = result_row(id, e);
    bool is_needed = row->from_width < NAMES_WIDTH && !e->is_rl; /* no MFU, no price of tokens */
    return row->from_width > 0 && width >= row->from_width && (is_needed || !isnan(result_value(id, e)));
}

struct figure result_headline(enum result_id id, const struct estimate *e)
{
    const struct result *row = result_row(id, e);
    struct figure number = units_figure(row->kind, result_value(id, e)), out;
    size_t length = strlen(number.text);
    bool is_share = length > 0 && number.text[length - 1] == '%';
    snprintf(out.text, sizeof out.text, "%.*s%s%s", (int)(length - is_share), number.text, is_share ? " %" : "",
             finding_doubts(&e->diags, row->path) ? "!" : "");
    return out;
}

enum role verdict_pill(enum role role)
{
    return role == ROLE_GOOD ? ROLE_PILL_GOOD : role == ROLE_BAD ? ROLE_PILL_BAD : ROLE_PILL_WARN;
}

enum role verdict_role(enum verdict verdict)
{
    static const enum role roles[VERDICT_COUNT] = {
        [VERDICT_FITS] = ROLE_GOOD, [VERDICT_TIGHT] = ROLE_WARN, [VERDICT_NO] = ROLE_BAD,
        [VERDICT_UNKNOWN] = ROLE_WARN};
    return roles[verdict];
}
