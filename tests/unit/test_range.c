/* How far estimates may be off: worked by hand. */
#include "core/estimate/range.h"
#include "tests/check.h"

#include <math.h>

static struct estimate estimate;

#define FSDP LLAMA3_8B " framework.name=fsdp2 nodes=1 global_batch_size=64 "

/* Of a plan that may break rules. */
static void estimate_any(const char *settings)
{
    struct plan plan;
    check_plan(&plan, settings);
    estimate_plan(&plan, &estimate);
}

static void set_memory(struct estimate *e, double allocated_gib, double usable_gib)
{
    struct stage *stage = &e->stage[0];
    stage->allocated_bytes = allocated_gib * 0x1p30;
    stage->reserved_bytes = e->symbols.frag * stage->allocated_bytes;
    stage->device_bytes = stage->reserved_bytes + 1.3 * 0x1p30;
    stage->headroom_bytes = usable_gib * 0x1p30 - stage->device_bytes;
    e->usable_bytes = usable_gib * 0x1p30;
    e->headroom_bytes = stage->headroom_bytes;
}

/* 70.14 x 1.045 + 1.3 = 74.60 GiB; up 4.40 of the estimate, 5.26 of the allocator, 0.6 of the context: 6.88. */
static void test_memory_of_fsdp(void **state)
{
    (void)state;
    struct memory_range range;
    check_estimate(&estimate, FSDP);
    set_memory(&estimate, 70.14, 79.15);
    range_memory(&estimate, 0, &range);
    assert_near(estimate.stage[0].device_bytes / 0x1p30, 74.60, 1e-3);
    assert_near(range.allocated_half / 0x1p30, 4.398, 1e-3);
    assert_near(range.cache_over / 0x1p30, 5.26, 1e-3);
    assert_near(range.upper_half / 0x1p30, 6.88, 1e-3);
    assert_near(range.allocated_low / 0x1p30, 0.94 * 70.14, 1e-9);
    assert_near(range.allocated_high / 0x1p30, 1.06 * 70.14, 1e-9);
    assert_near(range.reserved_low / 0x1p30, 73.296 - 4.522, 1e-3); /* 4.398 and 1.05 in quadrature */
    assert_near(range.reserved_high / 0x1p30, 73.296 + 6.857, 1e-3);
    assert_near(range.device_low / 0x1p30, 70.06, 1e-3);
    assert_near(range.device_high / 0x1p30, 81.48, 1e-3);
    assert_near(range_fit_probability(&estimate), 0.801, 1e-3);
    assert_int_equal(range_verdict(&estimate), VERDICT_TIGHT);
    /* lower end: 4.398 of the estimate, 1.05 of the allocator, 0.4: 4.54; 74.60 of 70 is (70 - 74.60)/(4.54/1.28) */
    set_memory(&estimate, 70.14, 70);
    assert_near(range_fit_probability(&estimate), 0.0976, 5e-3);
    assert_int_equal(range_verdict(&estimate), VERDICT_NO);
    set_memory(&estimate, 70.14, 90);
    assert_int_equal(range_verdict(&estimate), VERDICT_FITS);
}

/* What the user gave is known: only what is allocated may differ. */
static void test_given_figures_are_known(void **state)
{
    (void)state;
    struct memory_range range;
    check_estimate(&estimate, FSDP "fragmentation=1.1 context_gib=1");
    range_memory(&estimate, 0, &range);
    assert_near(range.upper_half, 0.06 * estimate.stage[0].reserved_bytes, 1e-12);
    assert_near(range.lower_half, range.upper_half, 1e-12);
}

static void test_unknown_verdicts(void **state)
{
    (void)state;
    static const char *const plans[] = {LLAMA3_8B "tp=3", LLAMA3_8B "zero_stage=2", "num_layers=4"};
    for (size_t i = 0; i < COUNT(plans); i++) {
        estimate_any(plans[i]);
        assert_true(isnan(range_fit_probability(&estimate)));
        assert_int_equal(range_verdict(&estimate), VERDICT_UNKNOWN);
    }
    check_estimate(&estimate, LLAMA3_8B "workload=inference nodes=1");
    assert_int_equal(range_verdict(&estimate), estimate.fits ? VERDICT_FITS : VERDICT_NO);
}

static void test_what_does_not_fit_the_host_does_not_fit(void **state)
{
    (void)state;
    check_estimate(&estimate, LLAMA3_8B "nodes=1 global_batch_size=64 offload_optimizer=1 host_memory_gib=1");
    assert_false(estimate.host_fits);
    assert_true(range_fit_probability(&estimate) == 0);
    assert_int_equal(range_verdict(&estimate), VERDICT_NO);
}

/* Half of the range lies on either side of the estimate, so that a plan fits from one half on. */
static void test_fits_from_one_half_on(void **state)
{
    (void)state;
    for (int b = 1; b <= 16; b++) {
        char settings[256];
        snprintf(settings, sizeof settings, "%s tp=2 global_batch_size=64 micro_batch_size=%d", LLAMA3_8B, b);
        estimate_any(settings);
        if (estimate.diags.errors == 0)
            assert_int_equal(range_fit_probability(&estimate) >= 0.5, estimate.fits);
    }
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

/* Round figures. */
static const double sigmas[RANGE_COUNT] = {
    [RANGE_PRODUCTS] = 0.032, [RANGE_ATTENTION] = 0.073, [RANGE_MEMORY] = 0.127, [RANGE_EXPERTS] = 0.270,
    [RANGE_TP] = 0.194,       [RANGE_CP] = 0.499,        [RANGE_EP] = 0.314,     [RANGE_DP] = 0.285,
    [RANGE_PP] = 0.297,       [RANGE_BUBBLE] = 0.133,    [RANGE_STEP] = 0.293,   [RANGE_HOST] = 0.303,
    [RANGE_ROW] = 0.019,      [RANGE_ROUTING] = 0.098,   [RANGE_BITS] = 0.030,   [RANGE_STACK] = 0.081};

/* A dense plan, experts and memory, a host of a card that no run had. */
static void test_time_worked(void **state)
{
    (void)state;
    static const struct unseen unseen = {0};
    static const struct {
        double sigma;
        bool is_unseen;
        double low, high;
    } cases[] = {{0.0465, false, 0.9570, 1.0760}, {0.1285, false, 0.8857, 1.2243}, {0.3064, true, 0.5604, 2.6252}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct time_range range = {.sigma = cases[i].sigma, .unseen = cases[i].is_unseen ? &unseen : NULL};
        struct time_ends ends;
        range_ends(&estimate, &range, &ends);
        assert_near(ends.low_factor, cases[i].low, 2e-3);
        assert_near(ends.high_factor, cases[i].high, 5e-3);
    }
    struct time_ends full;
    range_ends(&estimate, &(struct time_range){.sigma = 0.01, .is_near_full = true}, &full);
    assert_near(full.high_factor, exp(0.15), 1e-12); /* a nearly full card */
}

/* What `make ranges` last made of the runs is like the round figures above: a part's errors do not double overnight. */
static void test_what_was_fitted(void **state)
{
    (void)state;
    for (int i = 0; i < RANGE_COUNT; i++)
        if (sigmas[i] > 0)
            assert_that(range_sigmas[i] > sigmas[i] / 1.4 && range_sigmas[i] < sigmas[i] * 1.4, "%s: %g, was %g",
                        range_rows[i].id, range_sigmas[i], sigmas[i]);
}

/*
 * The reasons for the width: the largest first, nine tenths of the variance, each with the ends that it alone would
 * make.
 */
static void test_reasons(void **state)
{
    (void)state;
    struct time_range range;
    struct range_reason reason[RANGE_COUNT];
    check_estimate(&estimate, LLAMA3_70B "nodes=8 tp=8 pp=4 sp=true global_batch_size=128");
    range_time(&estimate, &range);
    double sum = 0;
    for (int i = 0; i < RANGE_COUNT; i++)
        sum += pow(range.share[i] * range_sigmas[i], 2);
    assert_near(range.sigma, sqrt(sum), 1e-12);
    int count = range_reasons(&range, reason);
    struct time_ends whole;
    range_ends(&estimate, &range, &whole);
    assert_near(whole.iteration_low_s, range.factor.low * estimate.step.iteration_s, 1e-12);
    assert_near(whole.iteration_high_s, range.factor.high * estimate.step.iteration_s, 1e-12);
    double weight = 0;
    assert_between(count, 1, RANGE_COUNT - 1);
    for (int i = 0; i < count; i++) {
        assert_true(weight < reasons_shown);
        assert_true(i == 0 || reason[i].weight <= reason[i - 1].weight);
        assert_true(reason[i].low < 0 && reason[i].high > 0 && reason[i].low >= range.factor.low - 1 &&
                    reason[i].high <= range.factor.high - 1);
        weight += reason[i].weight;
    }
    assert_true(weight >= reasons_shown && weight <= 1 + 1e-12);
    range.sigma = NAN;
    assert_int_equal(range_reasons(&range, reason), 0);
    for (int depth = 1; depth <= MEMORY_REASONS; depth++) {
        struct interval ends = range_memory_ends(&estimate, 0, depth);
        int reasons = range_memory_reasons(&estimate, 0, depth, reason);
        double squares = 0;
        for (int i = 0; i < reasons; i++)
            squares += reason[i].high * reason[i].high;
        const struct stage *stage = &estimate.stage[0];
        double value = depth == 1 ? stage->allocated_bytes : depth == 2 ? stage->reserved_bytes : stage->device_bytes;
        assert_int_equal(reasons, depth);
        assert_near(sqrt(squares) * value, ends.high - value, 1e-9); /* independent parts add up in quadrature */
    }
}

/* Shares of tensor-parallel traffic that differ by .162, of products by .10: sd 0.0529, so 5 % are 0.828. */
static void test_which_is_faster(void **state)
{
    (void)state;
    struct time_range a = {.share = {[RANGE_TP] = .162, [RANGE_PRODUCTS] = .5}}, b = {.share = {[RANGE_PRODUCTS] = .6}};
    assert_near(range_faster(&a, &b, sigmas, 0.05), 0.828, 1e-3);
    assert_near(range_faster(&b, &a, sigmas, -0.05), 1 - 0.828, 5e-3);
    assert_near(range_faster(&a, &b, sigmas, 1), 0.95, 1e-12);
    b.unseen = &(struct unseen){"", PARAM_parallel_cp, ""};
    assert_true(range_faster(&a, &b, sigmas, 0.05) < 0.7);
}

/* All parts together are the iteration; what a plan has not has no share. */
static void test_shares(void **state)
{
    (void)state;
    static const char *const plans[] = {
        LLAMA3_8B "nodes=1 global_batch_size=64",
        LLAMA3_8B "tp=4 pp=2 sp=true zero_stage=1 nodes=2 global_batch_size=64",
        MIXTRAL_8X7B "ep=8 nodes=2 global_batch_size=64", LLAMA3_8B "framework.name=fsdp2 nodes=1 global_batch_size=64",
        LLAMA3_8B "cp=2 pp=4 nodes=2 global_batch_size=64"};
    for (size_t i = 0; i < COUNT(plans); i++) {
        struct time_range range;
        double sum = 0;
        estimate_any(plans[i]);
        range_time(&estimate, &range);
        for (int k = 0; k < RANGE_PARTS; k++) {
            sum += range.share[k];
            assert_true(range.share[k] > -1e-6);
        }
        assert_true(sum > 0.95 && sum < 1.6);
        assert_true(range.factor.low < 1 && range.factor.high > 1);
        assert_true((range.share[RANGE_EXPERTS] > 0) == (estimate.symbols.E > 0));
        assert_true((range.share[RANGE_PP] > 1e-9) == (estimate.symbols.p > 1));
    }
}

static void test_what_no_run_is_like(void **state)
{
    (void)state;
    struct time_range plain, other;
    estimate_any(LLAMA3_8B "tp=4 nodes=1 global_batch_size=64");
    range_time(&estimate, &plain);
    assert_null(plain.unseen);
    static const char *const plans[] = {"tp=4 framework.name=deepspeed", "framework.name=fsdp2 tp=4", "tp=2 cp=4",
                                        "tp=4 pp=2 schedule=zb-h1"};
    for (size_t i = 0; i < COUNT(plans); i++) {
        char settings[300];
        snprintf(settings, sizeof settings, "%snodes=1 global_batch_size=64 %s", LLAMA3_8B, plans[i]);
        estimate_any(settings);
        range_time(&estimate, &other);
        assert_that(other.unseen != NULL, "%s", plans[i]);
        assert_true(other.factor.high > plain.factor.high);
    }
    /* a measured time is what it is */
    estimate_any(LLAMA3_8B "nodes=1 global_batch_size=64 measured_iteration_s=9");
    range_time(&estimate, &other);
    assert_true(isnan(other.factor.low));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_of_fsdp),
        cmocka_unit_test(test_given_figures_are_known),
        cmocka_unit_test(test_unknown_verdicts),
        cmocka_unit_test(test_what_does_not_fit_the_host_does_not_fit),
        cmocka_unit_test(test_fits_from_one_half_on),
        cmocka_unit_test(test_time_worked),
        cmocka_unit_test(test_what_was_fitted),
        cmocka_unit_test(test_reasons), cmocka_unit_test(test_which_is_faster),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_what_no_run_is_like),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
