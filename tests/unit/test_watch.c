/* Watch: a log that grows beside its plan: what is measured, what lies beyond the range, and why that may be. */
#include "tests/check.h"
#include "tests/json.h"

#include "core/plan/param.h"
#include "src/plan/plan_io.h"
#include "src/runs/watch.h"
#include "src/text/errors.h"
#include "src/text/json_out.h"
#include "src/text/text.h"

static struct watch *watch_default(void)
{
    struct errors errors = {0};
    struct plan plan;
    plan_clear(&plan);
    assert_int_equal(plan_load_preset(&plan, "default", &errors), 0);
    plan_finish(&plan);
    return watch_open(&plan);
}

/* `count` iterations from `first` on, each `by` seconds longer than the one before. */
static void feed_iterations(struct watch *watch, int first, int count, double s, double by)
{
    for (int i = 0; i < count; i++) {
        char line[160];
        int n = snprintf(line, sizeof line, " iteration %8d/     500 | elapsed time per iteration (s): %.3f |\n",
                         first + i, s + i * by);
        watch_feed(watch, line, (size_t)n);
    }
}

static void feed(struct watch *watch, const char *text)
{
    watch_feed(watch, text, strlen(text));
}

static void test_nothing_is_known_before_the_first_report(void **state)
{
    (void)state;
    struct watch *watch = watch_default();
    struct watch_view view;
    struct buffer line = {0};
    feed(watch, "loading data\n");
    watch_look(watch, &view);
    assert_true(view.rows == 0 && view.step == -1 && isnan(view.iteration_s) && !view.cause[0]);
    watch_line(&line, &view);
    assert_string_equal(line.text, "the log has no iteration and no memory yet\n");
    buffer_free(&line);
    watch_close(watch);
}

static void test_times_are_judged_after_the_warm_up(void **state)
{
    (void)state;
    struct watch *watch = watch_default();
    struct watch_view view;
    feed_iterations(watch, 1, 2, 60, 0); /* far beyond, but the first two do not count */
    watch_look(watch, &view);
    assert_true(view.rows == 1 && !view.row[0].is_beyond && !view.is_judged);
    feed_iterations(watch, 3, 5, 6.5, 0);
    watch_look(watch, &view);
    assert_true(view.is_judged && view.step == 7 && view.steps == 500 && !view.cause[0]);
    assert_near(view.iteration_s, 6.5, 1e-9);
    assert_near(view.tokens_per_s, 512 * 2048 / 6.5, 1e-9);
    assert_true(view.row[0].range.low < 6.5 && view.row[0].range.high > 6.5);
    watch_close(watch);
}

static void expect_cause(struct watch *watch, const char *wanted)
{
    struct watch_view view;
    watch_look(watch, &view);
    assert_that(strstr(view.cause, wanted), "'%s' has no '%s'", view.cause, wanted);
    watch_close(watch);
}

static void test_what_is_off_has_a_likely_cause(void **state)
{
    (void)state;
    struct watch *watch = watch_default();
    feed_iterations(watch, 1, 10, 12, 0);
    expect_cause(watch, "slower than the range");
    watch = watch_default();
    feed_iterations(watch, 1, 10, 2, 0);
    expect_cause(watch, "faster than the range");
    watch = watch_default();
    feed_iterations(watch, 1, 20, 6.5, 0);
    feed_iterations(watch, 21, 40, 8.5, 0);
    expect_cause(watch, "longer since step 2");
    watch = watch_default();
    feed(watch, "[Rank 0] memory (MB) | max allocated: 60000.0 | max reserved: 61000.0\n");
    expect_cause(watch, "more memory than the range");
    watch = watch_default();
    feed(watch, "torch.OutOfMemoryError: CUDA out of memory\n");
    expect_cause(watch, "ran out of memory");
}

static void test_tokens_a_second_become_iterations(void **state)
{
    (void)state;
    struct watch *watch = watch_default();
    struct watch_view view;
    feed(watch, "step: 1  loss: 9  memory: 40.10GiB(50.65%)  tps: 1,000\nstep: 2  loss: 9  memory: 40.10GiB(50.65%)  "
                "tps: 9,000\n"
                "step: 3  loss: 9  memory: 40.10GiB(50.65%)  tps: 10,000\n");
    watch_look(watch, &view);
    assert_near(view.iteration_s, 512 * 2048 / 16 / 10000.0, 1e-9); /* 16 GPUs */
    assert_near(view.last_s, view.iteration_s, 1e-9);
    assert_int_equal(view.row[0].metric, METRIC_TOKENS);
    watch_close(watch);
}

static void test_a_log_that_begins_again_is_forgotten(void **state)
{
    (void)state;
    struct watch *watch = watch_default();
    struct watch_view view;
    struct buffer text = {0};
    struct json json = {.out = &text};
    feed_iterations(watch, 1, 10, 6.5, 0);
    watch_restart(watch);
    watch_look(watch, &view);
    assert_int_equal(view.rows, 0);
    feed_iterations(watch, 1, 1, 6.6, 0);
    watch_look(watch, &view);
    assert_near(view.iteration_s, 6.6, 1e-9);
    watch_json(&json, &view);
    assert_true(json_is_valid(text.text, text.size));
    assert_non_null(strstr(text.text, "\"step\": 1, \"steps\": 500"));
    buffer_free(&text);
    watch_close(watch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_known_before_the_first_report),
        cmocka_unit_test(test_times_are_judged_after_the_warm_up),
        cmocka_unit_test(test_what_is_off_has_a_likely_cause),
        cmocka_unit_test(test_tokens_a_second_become_iterations),
        cmocka_unit_test(test_a_log_that_begins_again_is_forgotten),
    };
    return cmocka_run_group_tests_name("watch", tests, NULL, NULL) != 0;
}
