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
    static const char *const files[] = {RUNS, "tests/data/new_sources.csv", "tests/data/measured_h100.csv"};
    struct errors errors = {0};
    const struct runs_request request = {.files = files, .file_count = COUNT(files)};
    if (runs_read(&request, take, NULL, &errors) != 0)
        return -1;
    ranges_fit(&ranges);
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
    for (int i = 0; i < LEVEL_COUNT; i++) {
        check_close("lower end", range_levels[i].fast, -ranges.ends[i].low);
        check_close("upper end", range_levels[i].slow, ranges.ends[i].high);
    }
}

/* Of all, and of each level; sources left out count once each. */
static void ranges_hold_four_runs_in_five(void **state)
{
    (void)state;
    struct ranges_cover cover;
    for (int level = 0; level <= LEVEL_COUNT; level++)
        for (int is_left_out = 0; is_left_out < 2; is_left_out++) {
            ranges_cover(&ranges, level, is_left_out, &cover);
            assert_that(cover.rows > 80, "%d runs", cover.rows);
            assert_that(cover.inside >= 0.76 && cover.inside <= 0.94, "level %d: %g of the runs", level, cover.inside);
            assert_that(cover.inside_sources >= 0.76 && cover.inside_sources <= 0.92, "level %d: %g of the sources",
                        level, cover.inside_sources);
        }
    ranges_cover(&ranges, LEVEL_COUNT, false, &cover);
    assert_true(cover.core_width <= 0.18);
    for (int i = 0; i < ranges.sources; i++) {
        ranges_cover_source(&ranges, i, LEVEL_COUNT, true, &cover);
        assert_that(cover.rows < 10 || cover.inside >= 0.7, "%s: %g", ranges.source[i], cover.inside);
    }
}

/* A source is no witness for itself: without it its stack or GPU is as far as for a stranger. */
static void left_out_sources_are_farther(void **state)
{
    (void)state;
    for (size_t i = 0; i < ranges.count; i++)
        assert_true(ranges.item[i].level >= ranges.item[i].compiled.level);
}

/* Sources weigh as the square root of their runs, all together two a source. */
static void sources_weigh_as_their_root(void **state)
{
    (void)state;
    double sum = 0;
    for (size_t i = 0; i < ranges.count; i++)
        sum += ranges.item[i].weight;
    assert_near(sum, 2.0 * ranges.sources, 1e-9);
    for (size_t i = 1; i < ranges.count; i++) {
        struct ranges_cover one, other;
        ranges_cover_source(&ranges, ranges.item[0].source, LEVEL_COUNT, false, &one);
        ranges_cover_source(&ranges, ranges.item[i].source, LEVEL_COUNT, false, &other);
        assert_near(ranges.item[0].weight / ranges.item[i].weight, sqrt((double)other.rows / one.rows), 1e-9);
    }
}

static void no_runs_are_survived(void **state)
{
    (void)state;
    struct ranges none = {0};
    ranges_fit(&none);
    assert_int_equal(none.sources, 0);
    ranges_free(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_compiled_table_is_what_the_runs_give), cmocka_unit_test(ranges_hold_four_runs_in_five),
        cmocka_unit_test(sources_weigh_as_their_root), cmocka_unit_test(no_runs_are_survived),
        cmocka_unit_test(left_out_sources_are_farther),
    };
    return cmocka_run_group_tests_name("ranges", tests, read_runs, free_ranges) != 0;
}
