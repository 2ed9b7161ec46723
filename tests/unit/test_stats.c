/* Statistics of errors and of orders, against numbers worked out by hand. */
#include "tests/check.h"

#include "src/runs/stats.h"

static void test_summary_of_known_errors(void **state)
{
    const double error[] = {0.1, -0.3, NAN, 0.2, 0};
    struct error_tally tally = {0};
    struct error_stats s;
    (void)state;
    for (int i = 0; i < 5; i++)
        assert_int_equal(stats_add(&tally, error[i]), i < 2);
    stats_sum(&tally, &s);
    stats_free(&tally);
    assert_int_equal(s.rows, 5);
    assert_int_equal(s.missed, 1);
    assert_near(s.mean_abs, 0.15, 1e-12);
    assert_true(fabs(s.mean) < 1e-12);
    assert_near(s.median_abs, 0.15, 1e-12);
    assert_same(s.p90, 0.2); /* floor(0.9 * 3) = 2 of 0, 0.1, 0.2, 0.3 */
    assert_same(s.worst, -0.3);
}

static void test_p90_is_the_element_at_nine_tenths_of_the_last_place(void **state)
{
    struct error_stats s;
    (void)state;
    for (int n = 1; n <= 100; n++) {
        struct error_tally tally = {0};
        for (int i = 0; i < n; i++)
            stats_add(&tally,
                      (i * 37) % n * (i % 2 ? -1 : 1)); /* 0 .. n-1 in another order when 37 does not divide n */
        stats_sum(&tally, &s);
        stats_free(&tally);
        if (n % 37)
            assert_that(s.p90 == 9 * (n - 1) / 10, "%d errors: p90 %g", n, s.p90);
    }
}

static void test_nothing_estimated_gives_no_numbers(void **state)
{
    struct error_tally tally = {0};
    struct error_stats s;
    (void)state;
    for (int n = 0; n <= 2; stats_add(&tally, NAN), n++) {
        stats_sum(&tally, &s);
        assert_int_equal(s.rows, n);
        assert_int_equal(s.missed, n);
        assert_true(isnan(s.mean) && isnan(s.mean_abs) && isnan(s.median_abs) && isnan(s.p90) && isnan(s.worst));
    }
}

/* Beyond what is kept: the sums stay exact, median and p90 come from an even choice. */
static void test_many_errors_are_thinned_out(void **state)
{
    enum { MANY = 5 * STATS_KEPT_MAX + 7 };
    struct error_tally tally = {0};
    struct error_stats s;
    (void)state;
    for (int i = 0; i < MANY; i++)
        stats_add(&tally, (double)(i * 7919L % MANY) / MANY); /* 0 to 1 in another order */
    stats_sum(&tally, &s);
    assert_true(tally.count <= STATS_KEPT_MAX && tally.count >= STATS_KEPT_MAX / 2);
    assert_int_equal(s.rows, MANY);
    assert_near(s.mean, 0.5, 1e-3);
    assert_near(s.median_abs, 0.5, 0.01);
    assert_near(s.p90, 0.9, 0.01);
    assert_near(s.worst, 1, 1e-4);
    stats_free(&tally);
}

static int compare(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static void test_middle_of_any_errors(void **state)
{
    struct check_random random = {7};
    (void)state;
    for (int turn = 0; turn < 200; turn++) {
        double value[64];
        struct error_tally tally = {0};
        struct error_stats s;
        int n = 1 + check_below(&random, 64);
        for (int i = 0; i < n; i++)
            stats_add(&tally, value[i] = check_below(&random, 40));
        stats_sum(&tally, &s);
        stats_free(&tally);
        qsort(value, (size_t)n, sizeof *value, compare);
        assert_same(s.median_abs, (value[(n - 1) / 2] + value[n / 2]) / 2);
        assert_same(s.p90, value[9 * (n - 1) / 10]);
        assert_same(s.worst, value[n - 1]);
    }
}

static void test_order_right_wrong_and_mixed(void **state)
{
    const double measured[] = {1, 2, 3, 4}, right[] = {10, 20, 30, 40}, wrong[] = {4, 3, 2, 1}, mixed[] = {1, 3, 2, 4};
    struct order_stats s;
    (void)state;
    stats_order(measured, right, 4, 0.05, &s);
    assert_same(s.tau, 1);
    assert_same(s.regret, 0);
    assert_same(s.pairs, 6);
    stats_order(measured, wrong, 4, 0.05, &s);
    assert_same(s.tau, -1);
    assert_same(s.regret, 3);
    assert_int_equal(s.chosen, 3);
    assert_int_equal(s.best, 0);
    stats_order(measured, mixed, 4, 0.05, &s);
    assert_near(s.tau, 4.0 / 6, 1e-12);
}

static void test_close_and_unknown_layouts_say_nothing(void **state)
{
    const double measured[] = {1, 1.04, NAN, 2}, estimated[] = {2, 1, 0.5, NAN};
    struct order_stats s;
    (void)state;
    stats_order(measured, estimated, 4, 0.05, &s);
    assert_int_equal(s.rows, 2);
    assert_same(s.pairs, 0);
    assert_true(isnan(s.tau));
    assert_near(s.regret, 0.04, 1e-12);
    stats_order(measured, estimated, 0, 0.05, &s);
    assert_true(isnan(s.regret) && s.chosen == -1 && s.best == -1);
}

static void test_equal_estimates_count_for_neither_side(void **state)
{
    const double measured[] = {1, 2, 3}, estimated[] = {1, 1, 1};
    struct order_stats s;
    (void)state;
    stats_order(measured, estimated, 3, 0.05, &s);
    assert_same(s.pairs, 3);
    assert_same(s.tau, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_summary_of_known_errors),
        cmocka_unit_test(test_p90_is_the_element_at_nine_tenths_of_the_last_place),
        cmocka_unit_test(test_nothing_estimated_gives_no_numbers),
        cmocka_unit_test(test_many_errors_are_thinned_out),
        cmocka_unit_test(test_middle_of_any_errors),
        cmocka_unit_test(test_order_right_wrong_and_mixed),
        cmocka_unit_test(test_close_and_unknown_layouts_say_nothing),
        cmocka_unit_test(test_equal_estimates_count_for_neither_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
