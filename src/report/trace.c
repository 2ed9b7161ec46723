#include "src/report/trace.h"

#include "core/estimate/estimate.h"
#include "core/plan/param.h"
#include "src/text/json_out.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>

/* The one process; 0 would be the idle one to Perfetto, as a thread's 0 would. */
enum { PROCESS = 1, FIRST_THREAD = 1 };

static void open_event(struct json *json, const char *name, const char *phase, int stage)
{
    json_open(json, NULL, '{');
    json_text(json, "name", name);
    json_text(json, "ph", phase);
    json_number(json, "pid", PROCESS);
    json_number(json, "tid", FIRST_THREAD + stage);
}

/* What the viewer knows about the process or a thread: a name, or a place in the order. */
static void write_metadata(struct json *json, const char *what, int stage, const char *name, int place)
{
    open_event(json, what, "M", stage);
    json_open(json, "args", '{');
    if (name)
        json_text(json, "name", name);
    else
        json_number(json, "sort_index", place);
    json_close(json, '}');
    json_close(json, '}');
}

static void write_pass(void *context, const struct sim_event *event)
{
    static const char *const words[] = {
        [SIM_FORWARD] = "forward", [SIM_BACKWARD] = "backward", [SIM_WGRAD] = "weight gradients"};
    const double microseconds = 1e6;
    struct json *json = context;
    char name[24];
    snprintf(name, sizeof name, "%c%d", "fbw"[event->pass], event->micro_batch);
    open_event(json, name, "X", event->stage);
    json_text(json, "cat", words[event->pass]);
    json_number(json, "ts", event->start_s * microseconds);
    json_number(json, "dur", (event->end_s - event->start_s) * microseconds);
    json_open(json, "args", '{');
    json_number(json, "micro_batch", event->micro_batch);
    json_number(json, "chunk", event->chunk);
    json_close(json, '}');
    json_close(json, '}');
}

static void name_stage(struct json *json, int stage)
{
    char name[24];
    snprintf(name, sizeof name, "stage %d", stage);
    write_metadata(json, "thread_name", stage, name, 0);
    write_metadata(json, "thread_sort_index", stage, NULL, stage);
}

/* The model and the schedule, and how much of that was played where it is not all. */
static void name_process(struct json *json, const struct estimate *e, double played)
{
    char name[PLAN_TEXT_MAX + 160], schedule[64];
    const char *model = e->plan.text[TEXT_MODEL];
    param_print(&e->plan, PARAM_parallel_schedule, schedule, sizeof schedule);
    int used = snprintf(name, sizeof name, "%s%s%s", model, *model ? ", " : "", schedule);
    if (played < e->schedule.micro_batches)
        snprintf(name + used, sizeof name - (size_t)used, ", the first %.0f of %.0f micro-batches", played,
                 e->schedule.micro_batches);
    write_metadata(json, "process_name", 0, name, 0);
}

int report_trace(struct buffer *out, const struct estimate *e)
{
    double played = simulate_drawn(&e->schedule, e->schedule.micro_batches);
    struct json json = {.out = out, .lines = 2};
    if (!(played > 0) || isnan(estimate_play(e, played, NULL, NULL)))
        return -1;
    json_open(&json, NULL, '{');
    json_open(&json, "traceEvents", '[');
    name_process(&json, e, played);
    for (int i = 0; i < e->stages; i++)
        name_stage(&json, i);
    estimate_play(e, played, write_pass, &json);
    json_close(&json, ']');
    json_text(&json, "displayTimeUnit", "ms");
    json_open(&json, "otherData", '{');
    json_number(&json, "micro_batches", e->schedule.micro_batches);
    json_number(&json, "micro_batches_played", played);
    json_number(&json, "iteration_s", e->step.iteration_s);
    json_close(&json, '}');
    json_close(&json, '}');
    buffer_puts(out, "\n");
    return 0;
}
