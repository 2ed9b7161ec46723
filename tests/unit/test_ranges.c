/* Ranges against measured runs: the compiled table is what they give, and ranges hold what they should. */
#include "tests/check.h"

#include "core/estimate/constants.h"
#include "src/runs/ranges.h"
#include "src/text/errors.h"

#define RUNS "tests/data/runs.csv"

static struct estimate estimate;
static struct ranges ranges;

static void take(void *to, const struct run *run)
{
    (void)to;
    estimate_plan(&run->plan, &estimate);
    ranges_take(&ranges, run, &estimate);
}

static int read_runs(void **state)
{
    (void)state;
    static const char *const files[] = {RUNS};
    struct errors errors = {0};
    const struct runs_request request = {.files = files, .file_count = 1};
    if (runs_read(&request, take, NULL, &errors) != 0)
        return -1;
    ranges_fit(&ranges, true);
    return 0;
}

static int free_ranges(void **state)
{
    (void)state;
    ranges_free(&ranges);
    return 0;
}

static void check_close(const char *what, double compiled, double fitted)
{
    assert_that(fabs(compiled / fitted - 1) <= 0.1, "%s is %g, the runs give %.3f: make ranges", what, compiled,
                fitted);
}

static void the_compiled_table_is_what_the_runs_give(void **state)
{
    (void)state;
    for (int i = 0; i < RANGE_COUNT; i++)
        check_close(range_rows[i].id, range_sigmas[i], ranges.sigma[i]);
    check_close("range_fast", range_fast, ranges.fast);
    check_close("range_slow", range_slow, ranges.slow);
    assert_near(range_widening, ranges.widening, 1e-12);
}

static void ranges_hold_four_runs_in_five(void **state)
{
    (void)state;
    const struct ranges_cover *covers[] = {&ranges.compiled, &ranges.without};
    for (size_t i = 0; i < COUNT(covers); i++) {
        assert_that(covers[i]->rows > 250, "%d runs", covers[i]->rows);
        assert_that(covers[i]->inside >= 0.76 && covers[i]->inside <= 0.88, "%g of the runs", covers[i]->inside);
        assert_that(covers[i]->inside_families >= 0.76 && covers[i]->inside_families <= 0.88, "%g of the families",
                    covers[i]->inside_families);
        assert_that(covers[i]->core_width <= 0.16, "runs tagged core: %g wide", covers[i]->core_width);
    }
    for (int i = 0; i < ranges.families; i++) {
        int count, inside = ranges_inside(&ranges, i, true, &count);
        assert_that(count < 10 || inside >= 0.45 * count, "%s: %d of %d", ranges.family[i], inside, count);
    }
}

/* Families weigh as the square root of their runs, all together two a family. */
static void families_weigh_as_their_root(void **state)
{
    (void)state;
    double sum = 0;
    for (size_t i = 0; i < ranges.count; i++)
        sum += ranges.item[i].weight;
    assert_near(sum, 2.0 * ranges.families, 1e-9);
    for (size_t i = 1; i < ranges.count; i++) {
        int one, other;
        ranges_inside(&ranges, ranges.item[0].family, false, &one);
        ranges_inside(&ranges, ranges.item[i].family, false, &other);
        assert_near(ranges.item[0].weight / ranges.item[i].weight, sqrt((double)other / one), 1e-9);
    }
}

static void no_runs_are_survived(void **state)
{
    (void)state;
    struct ranges none = {0};
    ranges_fit(&none, true);
    assert_int_equal(none.compiled.rows, 0);
    assert_true(isnan(none.fast));
    ranges_free(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_compiled_table_is_what_the_runs_give), cmocka_unit_test(ranges_hold_four_runs_in_five),
        cmocka_unit_test(families_weigh_as_their_root), cmocka_unit_test(no_runs_are_survived),
    };
    return cmocka_run_group_tests_name("ranges", tests, read_runs, free_ranges) != 0;
}
