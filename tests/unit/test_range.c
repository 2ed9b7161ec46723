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

/* 70.14 x 1.045 + 1.3 = 74.60 GiB; up 4.40 of the estimate, 10.87 of the allocator, 0.6 of the context: 11.74. */
static void test_memory_of_fsdp(void **state)
{
    (void)state;
    struct memory_range range;
    check_estimate(&estimate, FSDP);
    set_memory(&estimate, 70.14, 79.15);
    range_memory(&estimate, 0, &range);
    assert_near(estimate.stage[0].device_bytes / 0x1p30, 74.60, 1e-3);
    assert_near(range.allocated_half / 0x1p30, 4.398, 1e-3);
    assert_near(range.cache_over / 0x1p30, 10.872, 1e-3);
    assert_near(range.upper_half / 0x1p30, 11.743, 1e-3);
    assert_near(range.allocated_low / 0x1p30, 0.94 * 70.14, 1e-9);
    assert_near(range.allocated_high / 0x1p30, 1.06 * 70.14, 1e-9);
    assert_near(range.reserved_low / 0x1p30, 73.296 - 5.037, 1e-3); /* 4.398 and 2.455 in quadrature */
    assert_near(range.reserved_high / 0x1p30, 73.296 + 11.728, 1e-3);
    assert_near(range.device_low / 0x1p30, 69.547, 1e-3);
    assert_near(range.device_high / 0x1p30, 86.343, 1e-3);
    assert_near(range_fit_probability(&estimate), 0.690, 2e-3);
    assert_int_equal(range_verdict(&estimate), VERDICT_TIGHT);
    /*
     * Short of memory the allocator gives back what it caches, 3.156 less 0.01 x 70.14: 2.455 beside 4.398 of the
     * estimate and 0.4: 6.871; (69.5 - 74.60)/(6.871/1.28), and so with 65.5.
     */
    set_memory(&estimate, 70.14, 69.5);
    range_memory(&estimate, 0, &range);
    assert_near(range.given_back_bytes / 0x1p30, 2.455, 1e-3);
    assert_near(range_fit_probability(&estimate), 0.171, 2e-2);
    assert_int_equal(range_verdict(&estimate), VERDICT_TIGHT);
    set_memory(&estimate, 70.14, 65.5);
    assert_near(range_fit_probability(&estimate), 0.045, 5e-2);
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

/* Updates without padding: answers may be short, so that only what needs no tokens rules a plan out. */
static void test_answers_may_be_short(void **state)
{
    (void)state;
#define UPDATE                                                                                                         \
    LLAMA3_8B "framework.name=fsdp2 fsdp=full recompute=full nodes=1 gpus_per_node=8 micro_batch_size=40 "             \
              "global_batch_size=320 workload=rl"
    estimate_any(UPDATE);
    assert_int_equal(range_verdict(&estimate), VERDICT_NO);
    estimate_any(UPDATE " packing=padding_free");
    assert_true(range_hangs_on_length(&estimate));
    assert_int_equal(range_verdict(&estimate), VERDICT_UNKNOWN);
#undef UPDATE
}

/* A batch padded to its longest sample is shorter than the longest one that is allowed; a measured one is not. */
static void test_samples_may_be_short(void **state)
{
    (void)state;
#define TUNED                                                                                                          \
    LLAMA3_8B "framework.name=llama-factory nodes=1 gpus_per_node=1 micro_batch_size=400 global_batch_size=400 "       \
              "peft=lora lora_rank=8 recompute=full packing="
    estimate_any(TUNED "fixed");
    assert_int_equal(range_verdict(&estimate), VERDICT_NO);
    estimate_any(TUNED "padded");
    assert_int_equal(range_verdict(&estimate), VERDICT_UNKNOWN);
    estimate_any(TUNED "padded mean_tokens=8192");
    assert_int_equal(range_verdict(&estimate), VERDICT_NO);
#undef TUNED
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
    [RANGE_PRODUCTS] = 0.032, [RANGE_ATTENTION] = 0.087, [RANGE_MEMORY] = 0.121, [RANGE_EXPERTS] = 0.227,
    [RANGE_TP] = 0.194,       [RANGE_CP] = 0.478,        [RANGE_EP] = 0.39,      [RANGE_DP] = 0.295,
    [RANGE_PP] = 0.303,       [RANGE_BUBBLE] = 0.144,    [RANGE_STEP] = 0.216,   [RANGE_HOST] = 0.323,
    [RANGE_ROW] = 0.019,      [RANGE_BASE] = 0.027,      [RANGE_FRAME] = 0.103,  [RANGE_EXPERT] = 0.072,
    [RANGE_BITS] = 0.028,     [RANGE_GUESSED] = 0.090,   [RANGE_GPUREL] = 0.049};

/* Ends in standard deviations by level; a nearly full card is slower. */
static void test_time_worked(void **state)
{
    (void)state;
    static const struct {
        double sigma;
        enum range_level level;
        double low, high;
    } cases[] = {{0.0704, LEVEL_NEAR, 0.952, 1.107}, {0.1506, LEVEL_FAR, 0.812, 1.361},
                 {0.3078, LEVEL_FAR, 0.654, 1.880}, {0.1, LEVEL_PARTLY, 0.9324, 1.2214}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct time_range range = {.sigma = cases[i].sigma, .level = cases[i].level};
        struct time_ends ends;
        range_ends(&estimate, &range, &ends);
        assert_near(ends.low_factor, cases[i].low, 1e-3);
        assert_near(ends.high_factor, cases[i].high, 2e-3);
    }
    struct time_ends full;
    range_ends(&estimate, &(struct time_range){.sigma = 0.01, .is_near_full = true}, &full);
    assert_near(full.high_factor, exp(0.15), 1e-12);
}

/* Where machines with the same GPU differ the range reaches the fastest; a rate of the user's own says which it is. */
static void test_fastest_machine(void **state)
{
    (void)state;
    struct time_range range;
    uint8_t *from = &estimate.plan.from[PARAM_hardware_gemm_efficiency];
    check_estimate(&estimate, LLAMA3_8B " nodes=1 global_batch_size=64");
    *from = FROM_PRESET;
    assert_true(isnan(range_fastest(&estimate)));
    estimate.plan.gpu.gemm_efficiency = 0.4;
    estimate.plan.gpu.gemm_fastest = 0.6;
    assert_near(range_fastest(&estimate), 1.5, 1e-12);
    range_time(&estimate, &range);
    assert_near(range.faster, range.share[RANGE_PRODUCTS] * log(1.5), 1e-12);
    assert_near(range.factor.low, exp(-range.faster), 1e-12);
    estimate.symbols.fp8 = 1;
    assert_true(isnan(range_fastest(&estimate)));
    estimate.symbols.fp8 = 0;
    *from = FROM_FILE;
    assert_true(isnan(range_fastest(&estimate)));
}

/* Each distance widens the range; the largest of the highest level is the reason. */
static void test_levels(void **state)
{
    (void)state;
    double share[RANGE_COUNT] = {[RANGE_BASE] = 1, [RANGE_BITS] = 1};
    const struct range_row *why;
    assert_int_equal(range_level_of(share, &why), LEVEL_NEAR);
    assert_null(why);
    share[RANGE_SMALL] = 0.4;
    assert_int_equal(range_level_of(share, &why), LEVEL_NEAR);
    share[RANGE_SMALL] = 0.6;
    assert_int_equal(range_level_of(share, &why), LEVEL_PARTLY);
    share[RANGE_EXPERT] = 1;
    assert_string_equal((range_level_of(share, &why), why->id), "SMALL");
    share[RANGE_GUESSED] = 1;
    assert_int_equal(range_level_of(share, &why), LEVEL_FAR);
    assert_string_equal(why->id, "GUESSED");
    struct plan plan;
    plan_clear(&plan);
    assert_int_equal(range_assumed(&plan), PARAM_COUNT);
    plan.from[PARAM_hardware_gpu] = plan.from[PARAM_parallel_tp] = FROM_ASSUMED;
    assert_int_equal(range_assumed(&plan), PARAM_parallel_tp);
}

/* A borrowed GPU is named, and how many times as wide the range is for it. */
static void test_borrowed_gpu_is_named(void **state)
{
    (void)state;
    struct time_range range;
    char label[RANGE_LABEL_MAX], why[RANGE_WHY_MAX];
    check_estimate(&estimate, LLAMA3_8B "nodes=1");
    snprintf(estimate.plan.gpu.efficiency_basis, GPU_NAME_MAX, "relative");
    snprintf(estimate.plan.gpu.efficiency_from, GPU_NAME_MAX, "h100-sxm-80");
    range_time(&estimate, &range);
    range_label(&range, RANGE_GPUREL, label);
    assert_string_equal(label, "GPU efficiencies borrowed from h100-sxm-80");
    assert_int_equal(range.level, LEVEL_NEAR);
    range_why(&range, why);
    assert_string_equal(why, "GPU as h100-sxm-80");
    double own = range.share[RANGE_GPUREL] * range_sigmas[RANGE_GPUREL];
    assert_near(range_widens(&range, RANGE_GPUREL),
                range.sigma / sqrt(range.sigma * range.sigma - own * own), 1e-9);
    range.calibrated_runs = 2;
    range_why(&range, why);
    assert_string_equal(why, "calibrated on 2 runs");
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
    for (int depth = 1; depth <= 3; depth++) {
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
    b.level = LEVEL_PARTLY; /* k 1.2 and noise 0.04: sd 0.0687 */
    assert_near(range_faster(&a, &b, sigmas, 0.05), 0.7686, 2e-3);
    a.share[RANGE_FRAME] = b.share[RANGE_FRAME] = 1; /* in both, so it cancels */
    assert_near(range_faster(&a, &b, sigmas, 0.05), 0.7686, 2e-3);
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
    assert_null(plain.why);
    static const char *const plans[] = {"tp=4 framework.name=deepspeed", "framework.name=fsdp2 tp=4", "tp=2 cp=4",
                                        "tp=4 pp=2 schedule=zb-h1"};
    for (size_t i = 0; i < COUNT(plans); i++) {
        char settings[300];
        snprintf(settings, sizeof settings, "%snodes=1 global_batch_size=64 %s", LLAMA3_8B, plans[i]);
        estimate_any(settings);
        range_time(&estimate, &other);
        assert_that(other.why != NULL, "%s", plans[i]);
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
        cmocka_unit_test(test_answers_may_be_short),
        cmocka_unit_test(test_samples_may_be_short),
        cmocka_unit_test(test_what_does_not_fit_the_host_does_not_fit),
        cmocka_unit_test(test_fits_from_one_half_on),
        cmocka_unit_test(test_time_worked), cmocka_unit_test(test_fastest_machine),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_borrowed_gpu_is_named),
        cmocka_unit_test(test_what_was_fitted),
        cmocka_unit_test(test_reasons), cmocka_unit_test(test_which_is_faster),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_what_no_run_is_like),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
