/* Room for a plan to grow: on random plans as trying every value finds it. */
#include "tests/check.h"

#include "core/search/advice.h"

static struct advice advice;
static struct estimate scratch;

/* What a plan comes to with another value of a key. */
static enum verdict verdict_with(enum param key, double value)
{
    struct plan plan = advice.plan;
    struct figures figures;
    plan.value[key] = value;
    plan.from[key] = FROM_SET;
    estimate_plan(&plan, &scratch);
    figures_of(&scratch, &figures);
    return figures.verdict;
}

/* Takes a value that was tried, if it is the largest so far with its verdict. */
static void take(struct room *most, double value)
{
    enum verdict verdict = verdict_with(most->key, value);
    most->now = fmax(most->now, value);
    if (verdict == VERDICT_FITS && !(value <= most->fits))
        most->fits = value;
    if (verdict <= VERDICT_TIGHT && !(value <= most->tight))
        most->tight = value;
}

/* Tries so many values at most between two numbers of steps from the first: all of them, or some at equal distances. */
static void scan_between(const struct room *said, double from, double to, int tried, struct room *most)
{
    double first = fmod(said->now, said->step), apart = fmax(1, ceil((to - from) / tried));
    for (double steps = fmax(from, first > 0 ? 0 : 1); steps <= to; steps += apart)
        take(most, first + steps * said->step);
}

/* Everything near what was said to be the most, and some of the rest up to twice as much. */
static void scan(const struct room *said, struct room *most)
{
    enum { AROUND = 64, REST = 200 };
    const double said_most[] = {said->now, said->fits, said->tight};
    double last = 0;
    for (size_t i = 0; i < COUNT(said_most); i++) {
        double steps = floor(said_most[i] / said->step);
        if (!isfinite(steps))
            continue;
        scan_between(said, steps - AROUND, steps + AROUND, 2 * AROUND, most);
        last = fmax(last, steps);
    }
    scan_between(said, 0, 2 * last, REST, most);
}

static void scan_micro_batches(struct room *most)
{
    const struct plan *plan = &advice.resolved;
    double sequences = KEY_OF(plan, train, global_batch_size) / KEY_OF(plan, parallel, dp);
    for (double value = 1; value <= sequences; value++)
        if (fmod(sequences, value) == 0)
            take(most, value);
}

/* The same as a scan found; without a limit, the largest that it tried. */
static bool is_right(double said, double found, double tried)
{
    return isinf(said) ? found == tried : said == found || (isnan(said) && isnan(found));
}

static void room_is_what_a_scan_finds(void **state)
{
    (void)state;
    enum { PLANS = 100 };
    struct check_random random = {17};
    int found[ROOMS] = {0};
    for (int i = 0; i < PLANS; i++) {
        struct plan plan;
        check_random_plan(&random, &plan);
        advice_begin(&advice, &plan);
        while (advice_step(&advice, &scratch, 1000))
            ;
        for (int k = 0; k < advice.rooms; k++) {
            const struct room *said = &advice.room[k];
            struct room most = {.key = said->key, .fits = NAN, .tight = NAN};
            if (said->key == PARAM_train_micro_batch_size)
                scan_micro_batches(&most);
            else
                scan(said, &most);
            assert_that(is_right(said->fits, most.fits, most.now) && is_right(said->tight, most.tight, most.now),
                        "%s from %g: %g fits, %g is tight; a scan finds %g and %g: %s", param_rows[said->key].key,
                        said->now, said->fits, said->tight, most.fits, most.tight, check_describe(&plan));
            found[k] += !isnan(said->tight);
        }
    }
    for (int k = 0; k < ROOMS; k++)
        assert_that(found[k] > PLANS / 4, "%d plans have room for %s", found[k], param_rows[advice.room[k].key].key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(room_is_what_a_scan_finds)};
    return cmocka_run_group_tests_name("room", tests, NULL, NULL) != 0;
}
