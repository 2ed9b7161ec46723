/*
 * The trace of a schedule keeps the rules of the Chrome trace format that Perfetto reads: complete events with times in
 * microseconds, on threads that have names and no number 0, none over another; and it ends with the pipeline.
 */
#include "tests/check.h"

#include "src/report/trace.h"
#include "src/text/text.h"

#include <cjson/cJSON.h>

enum { THREADS = 9 };

static double number_of(const cJSON *event, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(event, name);
    assert_that(cJSON_IsNumber(item), "an event without %s", name);
    return item->valuedouble;
}

static int thread_of(const cJSON *event)
{
    double thread = number_of(event, "tid");
    assert_true(number_of(event, "pid") == 1);
    assert_true(thread >= 1 && thread < THREADS && thread == floor(thread));
    return (int)thread;
}

/* Checks all events; returns when the last one ends, in seconds. */
static double check_events(const cJSON *events, const char *schedule)
{
    double end[THREADS] = {0}, last = 0;
    bool is_named[THREADS] = {0};
    const cJSON *event;
    int passes = 0;
    cJSON_ArrayForEach(event, events)
    {
        const char *phase = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "ph"));
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "name"));
        int thread = thread_of(event);
        assert_true(phase && name && *name);
        if (strcmp(phase, "M") == 0) {
            is_named[thread] |= strcmp(name, "thread_name") == 0;
            assert_true(cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(event, "args")));
            continue;
        }
        double start = number_of(event, "ts"), duration = number_of(event, "dur");
        assert_string_equal(phase, "X");
        assert_that(is_named[thread], "%s: thread %d has no name", schedule, thread);
        assert_that(duration > 0 && start >= end[thread] * (1 - 1e-9), "%s: %s starts at %g, before %g", schedule, name,
                    start, end[thread]);
        end[thread] = start + duration;
        last = end[thread] > last ? end[thread] : last;
        passes++;
    }
    assert_true(passes > 0);
    return last * 1e-6;
}

static void every_schedule_keeps_the_rules(void **state)
{
    (void)state;
#define HIDDEN_EXPERTS "interleaved vpp=2 tp=1 ep=2 num_experts=8 moe_router_topk=2 overlap_ep=true"
    static const char *const schedules[] = {"gpipe", "1f1b",       "interleaved vpp=2", "zb-h1",
                                            "zb-h2", "zb-v vpp=2", "dualpipe", "1f1b recompute=full", HIDDEN_EXPERTS};
    for (size_t i = 0; i < COUNT(schedules); i++) {
        static struct estimate estimate;
        struct plan plan;
        struct buffer text = {0};
        char settings[400];
        snprintf(settings, sizeof settings, LLAMA3_8B "nodes=1 pp=4 tp=2 global_batch_size=16 schedule=%s",
                 schedules[i]);
        check_plan(&plan, settings);
        estimate_plan(&plan, &estimate);
        assert_that(report_trace(&text, &estimate) == 0, "%s", schedules[i]);
        cJSON *json = cJSON_Parse(text.text);
        assert_that(json, "%s: no JSON", schedules[i]);
        double end = check_events(cJSON_GetObjectItemCaseSensitive(json, "traceEvents"), schedules[i]);
        assert_between(end, 0.9 * estimate.step.iteration_s, 1.0001 * estimate.step.iteration_s);
        cJSON_Delete(json);
        buffer_free(&text);
    }
}

/* Of more passes than are kept the first are there, and who looks at them is told. */
static void a_trace_of_the_first_micro_batches_says_so(void **state)
{
    (void)state;
    static struct estimate estimate;
    struct plan plan;
    struct buffer text = {0};
    check_plan(&plan, LLAMA3_8B "nodes=4 pp=32 tp=1 micro_batch_size=1 global_batch_size=1024");
    estimate_plan(&plan, &estimate);
    assert_int_equal(report_trace(&text, &estimate), 0);
    assert_non_null(strstr(text.text, "1f1b, the first 512 of 1024 micro-batches\""));
    buffer_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_schedule_keeps_the_rules),
                                       cmocka_unit_test(a_trace_of_the_first_micro_batches_says_so)};
    return cmocka_run_group_tests_name("trace", tests, NULL, NULL) != 0;
}
