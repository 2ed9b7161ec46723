#include "src/runs/watch.h"

#include "core/base.h"
#include "src/import/log.h"
#include "src/report/format.h"
#include "src/text/json_out.h"
#include "src/text/text.h"
#include "src/text/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RECENT = 16,      /* iterations that the pace is compared over, at the start and now */
    TIMES_JUDGED = 3, /* iterations behind the warm-up before a time is compared */
};
static const double slowed = 1.1; /* a pace that fell by a tenth is worth a word */

struct watch {
    struct log_reader *reader;
    struct estimate *estimate;
    int seen;                   /* iterations noted below */
    double first_s, recent_s;   /* means over the first RECENT after the warm-up, and over about the last RECENT */
    int slow_since;             /* the step from which on recent_s was above first_s by `slowed`; -1 while it is not */
};

/* ---- following -------------------------------------------------------------------------------------------------- */

static void forget(struct watch *watch)
{
    watch->reader = log_open();
    watch->seen = 0;
    watch->first_s = watch->recent_s = NAN;
    watch->slow_since = -1;
}

struct watch *watch_open(const struct plan *plan)
{
    struct watch *watch = xmalloc(sizeof *watch);
    watch->estimate = xmalloc(sizeof *watch->estimate);
    estimate_plan(plan, watch->estimate);
    forget(watch);
    return watch;
}

/* Notes the pace after an iteration was reported. */
static void note_pace(struct watch *watch, const struct log_run *log)
{
    int counted = log->iterations - LOG_WARM_UP;
    if (log->iterations == watch->seen)
        return;
    watch->seen = log->iterations;
    if (counted < 1)
        return;
    int n = counted < RECENT ? counted : RECENT;
    watch->recent_s = counted == 1 ? log->last_s : watch->recent_s + (log->last_s - watch->recent_s) / n;
    if (counted <= RECENT)
        watch->first_s = watch->recent_s;
    bool is_slow = watch->recent_s > slowed * watch->first_s;
    watch->slow_since = !is_slow ? -1 : watch->slow_since >= 0 ? watch->slow_since : log->step;
}

void watch_feed(struct watch *watch, const char *bytes, size_t size)
{
    for (const char *end = bytes + size; bytes < end;) { /* line by line, so that each report is noted */
        const char *line = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t n = line ? (size_t)(line + 1 - bytes) : (size_t)(end - bytes);
        struct log_run log;
        log_feed(watch->reader, bytes, n);
        log_peek(watch->reader, &log);
        note_pace(watch, &log);
        bytes += n;
    }
}

void watch_restart(struct watch *watch)
{
    struct log_run log;
    log_close(watch->reader, &log);
    forget(watch);
}

void watch_close(struct watch *watch)
{
    struct log_run log;
    log_close(watch->reader, &log);
    free(watch->estimate);
    free(watch);
}

/* ---- what is off ------------------------------------------------------------------------------------------------- */

enum row_kind { ROW_TIME, ROW_MEMORY, ROW_CACHE };

static enum row_kind kind_of(enum metric metric)
{
    return metric <= METRIC_DEVICE                              ? ROW_MEMORY
           : metric >= METRIC_WEIGHTS && metric <= METRIC_KV_TOKENS ? ROW_CACHE
                                                                : ROW_TIME;
}

/* The row of a time, a speed or a memory that lies beyond its range on one side. */
static const struct watch_row *find_beyond(const struct watch_view *view, enum row_kind kind, bool is_more)
{
    for (int i = 0; i < view->rows; i++) {
        const struct watch_row *row = &view->row[i];
        bool is_speed = row->metric == METRIC_TOKENS || row->metric == METRIC_GENERATED,
             is_above = row->measured > row->range.high;
        if (row->is_beyond && kind_of(row->metric) == kind &&
            (is_speed ? !is_above : is_above) == is_more)
            return row;
    }
    return NULL;
}

/* Common causes of a value beyond its range. */
static const struct {
    enum row_kind kind;
    bool is_more;
    const char *trains, *serves;
} causes[] = {
    {ROW_TIME, true,
     "slower than the range: often the data loader, logging or checkpoints in the iteration, a link below its rate, or "
     "a fused kernel that is off",
     "slower than the range: often other requests at the same time, longer prompts, a link below its rate, or CUDA "
     "graphs that are off"},
    {ROW_TIME, false,
     "faster than the range: the run may differ from the plan; compare recomputation, precision, sequence length, "
     "batch and GPU",
     "faster than the range: the server may differ from the plan; compare types, lengths, requests under way and GPU"},
    {ROW_MEMORY, true,
     "more memory than the range: longer sequences, an evaluation, a layer that keeps more than planned, or another "
     "process on the GPU", NULL},
    {ROW_MEMORY, false, "less memory than the range: recomputation, sharding or offloading may differ from the plan",
     NULL},
    {ROW_CACHE, true, NULL,
     "more cache or weights than the range: compare the server's version, memory_share, max_num_seqs and "
     "max_num_batched_tokens with the plan"},
    {ROW_CACHE, false, NULL,
     "less cache or weights than the range: compare the server's version, memory_share, max_num_seqs and "
     "max_num_batched_tokens with the plan, and what else uses the GPU"},
};

/* One sentence, of the first thing that is off. */
static void find_cause(const struct watch *watch, const struct log_run *log, struct watch_view *view)
{
    size_t size = sizeof view->cause;
    view->cause[0] = '\0';
    if (log->served.why)
        snprintf(view->cause, size, "the server did not start: %s", log->served.why);
    else if (log->is_out_of_memory)
        snprintf(view->cause, size, "the device ran out of memory");
    else if (watch->slow_since >= 0)
        snprintf(view->cause, size,
                 "iterations have become %.0f %% longer since step %d: the layout did not change, so look at the "
                 "data loader, a GPU that throttles, or a network that others use",
                 100 * (watch->recent_s / watch->first_s - 1), watch->slow_since);
    for (size_t i = 0; i < LENGTH(causes) && !view->cause[0]; i++) {
        const char *text = log->kind == LOG_SERVER ? causes[i].serves : causes[i].trains;
        if (text && find_beyond(view, causes[i].kind, causes[i].is_more))
            snprintf(view->cause, size, "%s", text);
    }
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static void add_row(const struct watch *watch, const struct run *run, enum metric metric, struct watch_view *view)
{
    struct watch_row row = {.metric = metric, .measured = run_measured(run, metric, watch->estimate),
                            .estimated = run_estimated(run, metric, watch->estimate),
                            .range = run_range(run, metric, watch->estimate)};
    if (isnan(row.measured) || view->rows == WATCH_ROWS_MAX)
        return;
    row.error = run_error(metric, row.measured, row.estimated);
    bool is_time = metric == METRIC_ITERATION || metric == METRIC_TOKENS;
    row.is_beyond = (row.measured < row.range.low || row.measured > row.range.high) && (view->is_judged || !is_time);
    view->row[view->rows++] = row;
}

/* The seconds of an iteration, from the last report in whatever the log counts. */
static double last_iteration_s(const struct log_run *log, const struct estimate *e)
{
    double batch = e->plan.value[PARAM_train_global_batch_size];
    if (!isnan(log->sample_s))
        return log->last_s * batch;
    return isnan(log->token_s) ? log->last_s
                               : log->last_s * batch * e->plan.value[PARAM_train_seq_length] / e->grid.world;
}

void watch_look(const struct watch *watch, struct watch_view *view)
{
    static const enum metric metrics[] = {METRIC_ITERATION, METRIC_TOKENS, METRIC_ALLOCATED, METRIC_RESERVED,
                                          METRIC_WEIGHTS, METRIC_PROFILE, METRIC_OUTSIDE, METRIC_GRAPHS, METRIC_KV,
                                          METRIC_KV_TOKENS, METRIC_FIRST_TOKEN, METRIC_PER_TOKEN, METRIC_GENERATED};
    const struct estimate *e = watch->estimate;
    struct log_run log;
    struct run run = run_new("", 0);
    log_peek(watch->reader, &log);
    run.plan = e->plan;
    run_take_log(&run, &log);
    *view = (struct watch_view){.kind = log_kind_names[log.kind], .step = log.step, .steps = log.steps,
                                .last_s = last_iteration_s(&log, e), .is_out_of_memory = log.is_out_of_memory,
                                .is_judged = log.iterations >= LOG_WARM_UP + TIMES_JUDGED};
    for (size_t i = 0; i < LENGTH(metrics); i++)
        add_row(watch, &run, metrics[i], view);
    double tokens = e->plan.value[PARAM_train_global_batch_size] * e->plan.value[PARAM_train_seq_length];
    view->iteration_s = run_measured(&run, METRIC_ITERATION, e);
    if (isnan(view->iteration_s))
        view->iteration_s = log.token_s * tokens / e->grid.world;
    view->tokens_per_s = tokens / view->iteration_s;
    find_cause(watch, &log, view);
    run_free(&run);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static enum figure_kind figure_of(enum metric metric)
{
    switch (metric) {
    case METRIC_ITERATION: case METRIC_FIRST_TOKEN: case METRIC_PER_TOKEN: return FIGURE_SECONDS;
    case METRIC_TOKENS: case METRIC_KV_TOKENS: case METRIC_GENERATED: return FIGURE_EXACT;
    default: return FIGURE_BYTES;
    }
}

void watch_row_text(struct buffer *out, const struct watch_row *row)
{
    static const char *const names[METRIC_COUNT] = {
        [METRIC_ITERATION] = "iteration", [METRIC_TOKENS] = "tokens/s per GPU", [METRIC_ALLOCATED] = "allocated",
        [METRIC_RESERVED] = "reserved", [METRIC_WEIGHTS] = "weights", [METRIC_PROFILE] = "profiling run",
        [METRIC_OUTSIDE] = "outside PyTorch", [METRIC_GRAPHS] = "CUDA graphs", [METRIC_KV] = "cache",
        [METRIC_KV_TOKENS] = "tokens of cache", [METRIC_FIRST_TOKEN] = "first token",
        [METRIC_PER_TOKEN] = "each further token", [METRIC_GENERATED] = "tokens/s"};
    enum figure_kind kind = figure_of(row->metric);
    double unit = kind == FIGURE_BYTES ? GIB : 1;
    buffer_printf(out, "%s %s, ", names[row->metric], cell_of(kind, row->measured * unit).text);
    if (isnan(row->estimated)) {
        buffer_puts(out, "estimate unknown");
        return;
    }
    buffer_printf(out, "estimated %s%s", cell_of(kind, row->estimated * unit).text,
                  cell_range(kind, row->estimated * unit, row->range.low * unit, row->range.high * unit).text);
    if (isfinite(row->range.low))
        buffer_puts(out, row->is_beyond ? ", beyond the range" : ", within the range");
}

void watch_line(struct buffer *out, const struct watch_view *view)
{
    if (view->step >= 0)
        buffer_printf(out, view->steps > 0 ? "step %d of %d: " : "step %d: ", view->step, view->steps);
    for (int i = 0; i < view->rows; i++) {
        buffer_puts(out, i ? "; " : "");
        watch_row_text(out, &view->row[i]);
    }
    if (!view->rows)
        buffer_puts(out, "the log has no iteration and no memory yet");
    if (view->cause[0])
        buffer_printf(out, "; %s", view->cause);
    buffer_puts(out, "\n");
}

#define SHAPES "src/runs/watch.def"
#include "src/text/json_writers.def"
#include "src/text/json_writers.def"

void watch_json(struct json *json, const struct watch_view *view)
{
    PUT(watched, NULL, view);
}
