/* The largest model that fits: one step more does not fit, and nothing but the depth changes. */
#include "tests/check.h"

#include "core/search/depth.h"

static struct estimate estimate;
static struct search_depth found;

static struct plan plan_of(const char *settings)
{
    struct plan plan;
    check_plan(&plan, settings);
    return plan;
}

static void one_step_more_does_not_fit(void **state)
{
    (void)state;
    static const char *const settings[] = {GPT_6B "tp=2 pp=2 global_batch_size=64",
                                           LLAMA3_8B "dp=8 global_batch_size=8 parallel.zero_stage=1"};
    for (size_t i = 0; i < COUNT(settings); i++) {
        struct plan plan = plan_of(settings[i]), deeper;
        assert_int_equal(search_deepest(&plan, &estimate, &found), 0);
        assert_true(found.largest > 0);
        assert_int_equal(found.largest % found.step, 0);
        assert_int_equal(found.feasible, found.largest / found.step);
        search_set_layers(&plan, found.largest, &deeper);
        estimate_plan(&deeper, &estimate);
        assert_true(estimate.fits);
        search_set_layers(&plan, found.largest + found.step, &deeper);
        estimate_plan(&deeper, &estimate);
        assert_false(estimate.fits);
    }
}

static void nothing_fits_a_small_gpu(void **state)
{
    (void)state;
    struct plan plan = plan_of(GPT_6B "tp=2 pp=2 global_batch_size=64 usable_gib=1");
    assert_int_equal(search_deepest(&plan, &estimate, &found), 0);
    assert_int_equal(found.largest, 0);
    assert_int_equal(found.evaluated, 1);
}

static void what_is_not_known_is_not_searched(void **state)
{
    (void)state;
    struct plan plan = plan_of("num_layers=4");
    assert_int_equal(search_deepest(&plan, &estimate, &found), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step_more_does_not_fit),
        cmocka_unit_test(nothing_fits_a_small_gpu),
        cmocka_unit_test(what_is_not_known_is_not_searched),
    };
    return cmocka_run_group_tests_name("depth", tests, NULL, NULL) != 0;
}
