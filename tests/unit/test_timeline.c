/* The curve of a stage's memory through a step: it begins with the states, and its height is the peak of the report. */
#include "tests/check.h"

#include "core/estimate/timeline.h"

static struct estimate estimate;
static struct timeline_point points[TIMELINE_POINTS_MAX];

static void check_curve(const struct plan *plan, int stage)
{
    const struct stage *s = &estimate.stage[stage];
    int n = timeline_of(&estimate, stage, points, TIMELINE_POINTS_MAX);
    if (n == 0) {
        assert_that(isnan(estimate.symbols.m), "no curve: %s", check_describe(plan));
        return;
    }
    assert_between(n, 2, TIMELINE_POINTS_MAX);
    assert_int_equal(points[0].event, EVENT_START);
    assert_int_equal(points[n - 1].event, EVENT_STEP);
    double highest = 0, gradients = s->gradients_all_bytes - s->fresh_bytes; /* those of the step before are freed */
    double states = s->weights_bytes + gradients + s->optimizer_bytes;
    for (int i = 0; i < n; i++) {
        highest = fmax(highest, points[i].bytes);
        assert_that(points[i].bytes >= states * (1 - 1e-12), "stage %d point %d: %.0f bytes, states alone %.0f: %s",
                    stage, i, points[i].bytes, states, check_describe(plan));
        assert_that((points[i].event == EVENT_START || points[i].event == EVENT_STEP) == (points[i].micro_batch < 0),
                    "stage %d point %d", stage, i);
    }
    /*
     * with virtual chunks that hold different layers a later peak may hold other chunks than the first, which is
     * reported
     */
    double allowed = estimate.symbols.V > 1 && estimate.symbols.E > 0 ? 0.01 : 1e-9;
    assert_that(fabs(highest - s->allocated_bytes) <= allowed * s->allocated_bytes,
                "stage %d: the curve reaches %.0f, the peak is %.0f: %s", stage, highest, s->allocated_bytes,
                check_describe(plan));
}

static void the_height_of_the_curve_is_the_peak(void **state)
{
    (void)state;
    struct check_random random = {50};
    for (int i = 0; i < 300; i++) {
        struct plan plan;
        check_random_plan(&random, &plan);
        estimate_plan(&plan, &estimate);
        for (int stage = 0; stage < estimate.stages; stage++)
            check_curve(&plan, stage);
    }
}

/* The same where weight gradients run apart. */
static void schedules_with_weight_gradients_apart_have_a_curve(void **state)
{
    (void)state;
    static const char *const schedules[] = {"pp=4 vpp=1 schedule=zb-h1", "pp=4 vpp=1 schedule=zb-h2",
                                            "pp=4 vpp=2 schedule=zb-v",
                                            "pp=4 vpp=1 schedule=dualpipe", "pp=8 vpp=1 schedule=zb-h1"};
    struct check_random random = {51};
    for (int i = 0; i < 200; i++) {
        struct plan plan;
        char batch[64];
        check_random_plan(&random, &plan);
        check_set(&plan, check_pick(&random, schedules, COUNT(schedules)));
        snprintf(batch, sizeof batch, "dp=2 micro_batch_size=1 global_batch_size=%d",
                 2 * (8 + 2 * check_below(&random, 12)));
        check_set(&plan, batch);
        estimate_plan(&plan, &estimate);
        for (int stage = 0; stage < estimate.stages; stage++)
            check_curve(&plan, stage);
    }
}

/* Qi et al. 2023: with H1 stages are equally full, within what waits of one micro-batch. */
static void h1_keeps_stages_equally_full(void **state)
{
    (void)state;
    check_estimate(&estimate, LLAMA3_8B "pp=8 dp=1 schedule=zb-h1 micro_batch_size=1 global_batch_size=32");
    const struct stage *first = &estimate.stage[0];
    double one = 4 * first->dense_held;
    for (int stage = 0; stage < 8; stage++)
        assert_that(fabs(estimate.stage[stage].activations_bytes - first->activations_bytes) <= one,
                    "stage %d: %.0f, first %.0f", stage, estimate.stage[stage].activations_bytes,
                    first->activations_bytes);
}

/* What a forward pass adds, its backward pass frees: the curve ends where it began, the optimizer's own needs apart. */
static void what_is_kept_is_freed(void **state)
{
    (void)state;
    check_estimate(&estimate, LLAMA2_7B "tp=2 pp=2 dp=1 global_batch_size=6");
    for (int stage = 0; stage < 2; stage++) {
        int n = timeline_of(&estimate, stage, points, TIMELINE_POINTS_MAX), forward = 0, backward = 0;
        for (int i = 0; i < n; i++) {
            forward += points[i].event == EVENT_FORWARD;
            backward += points[i].event == EVENT_BACKWARD;
        }
        assert_int_equal(forward, 6);
        assert_int_equal(backward, 6);
        assert_int_equal(points[n - 2].event, EVENT_FREED);
        assert_near(points[n - 2].bytes, points[0].bytes, 1e-12);
    }
}

/* One stage has no pipeline to fill, whatever the schedule is called. */
static void one_stage_keeps_one_micro_batch(void **state)
{
    (void)state;
    struct plan plan;
    check_plan(&plan, LLAMA2_7B "tp=2 dp=1 global_batch_size=6 schedule=gpipe");
    estimate_plan(&plan, &estimate);
    check_curve(&plan, 0);
}

static void long_schedules_keep_their_ends(void **state)
{
    (void)state;
    struct plan plan;
    check_plan(&plan, LLAMA2_7B "tp=2 pp=4 dp=1 global_batch_size=4000");
    estimate_plan(&plan, &estimate);
    check_curve(&plan, 0);
    struct timeline_point few[8];
    int n = timeline_of(&estimate, 0, few, 8);
    assert_between(n, 0, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_height_of_the_curve_is_the_peak),
        cmocka_unit_test(schedules_with_weight_gradients_apart_have_a_curve),
        cmocka_unit_test(h1_keeps_stages_equally_full),
        cmocka_unit_test(what_is_kept_is_freed),
        cmocka_unit_test(one_stage_keeps_one_micro_batch),
        cmocka_unit_test(long_schedules_keep_their_ends),
    };
    return cmocka_run_group_tests_name("timeline", tests, NULL, NULL) != 0;
}
