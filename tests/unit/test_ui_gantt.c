/*
 * The schedule as a chart: passes do not overlap, all are there, and the memory along them peaks where the estimate
 * says.
 */
#include "tests/check.h"

#include "ui/widget/gantt.h"

#include <math.h>

static struct estimate estimate;
static struct gantt gantt;

#define LAYOUT LLAMA3_8B "tp=1 framework.name=megatron-core "

static const char *const settings[] = {
    LAYOUT "pp=1 nodes=1 global_batch_size=16",
    LAYOUT "pp=2 nodes=1 global_batch_size=64",
    LAYOUT "pp=4 nodes=1 schedule=gpipe global_batch_size=32",
    LAYOUT "pp=8 nodes=1 global_batch_size=64",
    LAYOUT "pp=4 vpp=2 nodes=1 global_batch_size=64",
    LAYOUT "pp=4 nodes=1 schedule=zb-h1 global_batch_size=64",
    LAYOUT "pp=4 nodes=1 schedule=zb-h2 global_batch_size=64",
    LAYOUT "pp=4 vpp=2 nodes=1 schedule=zb-v global_batch_size=64",
    LAYOUT "pp=4 nodes=1 schedule=dualpipe global_batch_size=64",
    LAYOUT "pp=16 nodes=2 global_batch_size=4096"};

static void build(const char *words, bool is_brief)
{
    struct plan plan;
    check_plan(&plan, words);
    estimate_plan(&plan, &estimate);
    gantt_build(&gantt, &estimate, is_brief);
    assert_that(gantt.stages == estimate.stages, "%s: %d stages", words, gantt.stages);
}

static void passes_of_a_stage_do_not_overlap(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++)
        for (int brief = 0; brief < 2; brief++) {
            build(settings[i], brief);
            for (int stage = 0; stage < gantt.stages; stage++)
                for (int k = 1; k < gantt_count(&gantt, stage); k++) {
                    const struct sim_event *one = gantt_event(&gantt, stage, k - 1),
                                           *next = gantt_event(&gantt, stage, k);
                    assert_that(one->stage == stage && next->start_s >= one->end_s - 1e-9, "%s: stage %d, event %d",
                                settings[i], stage, k);
                }
        }
}

/* Every micro-batch that was played goes forward once through each chunk. */
static void every_pass_is_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) {
        build(settings[i], false);
        int forwards = 0;
        double chunks = estimate.schedule.kind == SCHEDULE_DUALPIPE ? 1 : estimate.schedule.chunks;
        for (int k = 0; k < gantt.first[gantt.stages]; k++)
            forwards += gantt.event[k].pass == SIM_FORWARD;
        assert_near(forwards, (gantt.micro_batches - gantt.left_out) * chunks * gantt.stages, 1e-12);
    }
}

static void a_cell_belongs_to_a_pass_that_runs_in_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) {
        build(settings[i], true);
        double dt = gantt.end_s / 97;
        for (int stage = 0; stage < gantt.stages; stage++)
            for (int x = 0; x < 97; x++) {
                int winner = gantt_winner(&gantt, stage, x * dt, (x + 1) * dt);
                if (winner == GANTT_NONE)
                    continue;
                const struct sim_event *event = gantt_event(&gantt, stage, winner);
                assert_true(event->start_s < (x + 1) * dt && event->end_s > x * dt);
            }
    }
}

static void memory_along_the_passes_peaks_where_the_estimate_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) {
        build(settings[i], false);
        for (int stage = 0; stage < gantt.stages; stage++) {
            double most = 0;
            gantt_weigh(&gantt, &estimate, stage);
            for (int k = gantt.first[stage]; k < gantt.first[stage + 1]; k++)
                most = fmax(most, gantt.height_bytes[k]);
            double expected = estimate.stage[stage].allocated_bytes;
            assert_that(most <= expected * (1 + 1e-9) && most >= expected * 0.97, "%s: stage %d: %.4g of %.4g GiB",
                        settings[i], stage, most / 0x1p30, expected / 0x1p30);
        }
    }
}

static void a_long_schedule_leaves_steady_rounds_out(void **state)
{
    int all;
    (void)state;
    build(LAYOUT "pp=4 nodes=1 global_batch_size=4096", true);
    int last = gantt_count(&gantt, 0) - 1;
    assert_true(gantt.left_out > 0 && gantt.cut_s < gantt.end_s);
    assert_int_equal(gantt_micro_batch(&gantt, gantt_event(&gantt, 0, 0)), 0);
    assert_int_equal(gantt_micro_batch(&gantt, gantt_event(&gantt, 0, last)), (int)gantt.micro_batches - 1);
    int number = gantt_number(&gantt, 0, last, &all);
    assert_int_equal(number, all);
    assert_int_equal(all, 2 * (int)gantt.micro_batches);
    assert_true(gantt_real_s(&gantt, gantt.end_s) > gantt.end_s);
}

static void a_wait_has_a_reason(void **state)
{
    (void)state;
    for (size_t i = 1; i < COUNT(settings); i++) {
        build(settings[i], true);
        for (int stage = 0; stage < gantt.stages; stage++)
            for (int k = 1; k < gantt_count(&gantt, stage); k++) {
                const struct sim_event *before = gantt_event(&gantt, stage, k - 1),
                                       *event = gantt_event(&gantt, stage, k);
                int other, needs = gantt_needs(&gantt, &estimate, stage, k, &other);
                bool waits = event->start_s > before->end_s + 1e-9 * gantt.end_s && event->pass != SIM_WGRAD;
                assert_that(!waits || needs != GANTT_NONE || estimate.schedule.kind == SCHEDULE_DUALPIPE,
                            "%s: stage %d, event %d", settings[i], stage, k);
                if (waits && needs != GANTT_NONE)
                    assert_true(gantt_event(&gantt, other, needs)->start_s < event->start_s);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_of_a_stage_do_not_overlap),
        cmocka_unit_test(every_pass_is_there),
        cmocka_unit_test(a_cell_belongs_to_a_pass_that_runs_in_it),
        cmocka_unit_test(memory_along_the_passes_peaks_where_the_estimate_does),
        cmocka_unit_test(a_long_schedule_leaves_steady_rounds_out),
        cmocka_unit_test(a_wait_has_a_reason),
    };
    int failed = cmocka_run_group_tests_name("ui/gantt", tests, NULL, NULL);
    gantt_free(&gantt);
    return failed != 0;
}
