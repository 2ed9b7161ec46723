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
    assert_near(range.upper_half, 0.06 * 1.1 * estimate.stage[0].allocated_bytes, 1e-12);
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
        char settings[200];
        snprintf(settings, sizeof settings, "%s tp=2 global_batch_size=64 micro_batch_size=%d", LLAMA3_8B, b);
        estimate_any(settings);
        if (estimate.diags.errors == 0)
            assert_int_equal(range_fit_probability(&estimate) >= 0.5, estimate.fits);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_of_fsdp),
        cmocka_unit_test(test_given_figures_are_known),
        cmocka_unit_test(test_unknown_verdicts),
        cmocka_unit_test(test_what_does_not_fit_the_host_does_not_fit),
        cmocka_unit_test(test_fits_from_one_half_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
