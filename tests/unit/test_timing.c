/* Time: operations against published formulas, closed forms of the iteration, and directions that must hold. */
#include "tests/check.h"

static struct estimate estimate;

static const struct step *step_of(const char *settings)
{
    check_estimate(&estimate, settings);
    return &estimate.step;
}

/* Narayanan et al. 2021 section 3.1 without recomputation: 72 B s L h^2 (1 + s/6h + V/12Lh). */
static void operations_of_a_gpt(void **state)
{
    (void)state;
    double gbs = 16, s = 2048, L = 96, h = 12288, v = 51200;
    const struct step *step = step_of(GPT3_175B "tp=8 dp=1 global_batch_size=16");
    assert_near(step->model_flops, 72 * gbs * s * L * h * h * (1 + s / (6 * h) + v / (12 * L * h)), 1e-9);
}

/* Six operations a parameter and token, and twelve for each key that a query sees (Chowdhery et al. 2022). */
static void operations_of_a_llama(void **state)
{
    (void)state;
    const struct step *step = step_of(LLAMA3_8B "dp=8 global_batch_size=8");
    double tokens = 8 * 8192.0, h = 4096, L = 32;
    double weights = L * (h * 6144 + h * h + 3 * h * 14336) + h * 128256;
    assert_near(step->model_flops, tokens * (6 * weights + 12 * L * h * 8192), 1e-9);
    assert_near(step->model_flops_causal, tokens * (6 * weights + 6 * L * h * 8192), 1e-9);
}

/* Rows that pad the vocabulary are computed too; a multiple of 8 needs no padding here, whatever tp is. */
static void operations_do_not_depend_on_the_layout(void **state)
{
    (void)state;
#define RUN LLAMA3_70B "global_batch_size=64 nodes=8 make_vocab_size_divisible_by=8 "
    double one = step_of(RUN)->model_flops;
    assert_near(step_of(RUN "tp=8 sp=true")->model_flops, one, 1e-12);
    assert_near(step_of(RUN "tp=4 pp=4")->model_flops, one, 1e-12);
    assert_near(step_of(RUN "cp=2 pp=2 micro_batch_size=2")->model_flops, one, 1e-12);
#undef RUN
}

/* The figures of a report follow from one another. */
static void figures_are_consistent(void **state)
{
    (void)state;
    struct check_random random = {5};
    for (int i = 0; i < 300; i++) {
        struct plan plan;
        check_random_plan(&random, &plan);
        check_set(&plan, "total_tokens=1T");
        estimate_plan(&plan, &estimate);
        const struct step *step = &estimate.step;
        const struct symbols *y = &estimate.symbols;
        assert_near(step->iteration_s,
                    y->m * step->slowest_micro_s + step->bubble_s + step->dp_exposed_s + step->optimizer_s +
                        step->host_adam_s + y->overhead * 1e-3,
                    1e-12);
        assert_near(step->tokens_per_s, y->gbs * y->s / step->iteration_s, 1e-12);
        assert_near(step->tokens_per_s_per_gpu * y->world, step->tokens_per_s, 1e-12);
        assert_near(step->mfu * y->peak, step->model_tflops_per_gpu, 1e-12);
        assert_near(step->bubble_fraction * step->iteration_s, step->bubble_s, 1e-12);
        assert_near(step->gpu_hours, step->seconds * y->world / 3600, 1e-12);
        assert_near(step->cost, step->gpu_hours * 2.5, 1e-12);
        assert_near(step->kwh, step->gpu_hours * 0.7, 1e-12);
        assert_same(step->iterations, ceil(1e12 / (y->gbs * y->s)));
        assert_that(step->mfu > 0 && step->mfu < 1, "mfu %g: %s", step->mfu, check_describe(&plan));
        assert_at_most(step->mfu_causal, step->mfu * (1 + 1e-12));
        assert_at_most(step->mfu, step->hfu * (1 + 1e-12));
        assert_at_most(step->compute_s, step->iteration_s);
        assert_true(step->bubble_s >= 0 && step->optimizer_s > 0);
    }
}

/* Equal stages: the bubble of the closed form, (p-1)/V of a micro-batch, up to what embedding and output layer add. */
static void the_bubble_of_equal_stages(void **state)
{
    (void)state;
    const struct step *step = step_of(GPT3_175B "tp=8 pp=8 dp=1 global_batch_size=64");
    double plain = step->bubble_s;
    assert_near(plain, 7 * step->slowest_micro_s, 0.05);
    step = step_of(GPT3_175B "tp=8 pp=8 vpp=2 dp=1 global_batch_size=64");
    assert_near(step->bubble_s, 3.5 * step->slowest_micro_s, 0.05);
    assert_true(step->bubble_s < 0.55 * plain);
    assert_same(step_of(LLAMA3_8B "global_batch_size=64")->bubble_s, 0);
}

static void recomputation_costs_a_forward_pass(void **state)
{
    (void)state;
    const struct step *step = step_of(LLAMA2_7B "dp=8 global_batch_size=64");
    double without = step->iteration_s, flops = step->model_flops;
    step = step_of(LLAMA2_7B "dp=8 global_batch_size=64 recompute=full");
    assert_true(step->iteration_s > 1.2 * without && step->iteration_s < 1.4 * without);
    assert_same(step->model_flops, flops);
    /* a token */
    double output = 2.0 * 32000 * 4096, layers = 32 * (2 * (4.0 * 4096 + 3 * 11008) * 4096 + 4.0 * 4096 * 4096);
    assert_near(step->hfu / step->mfu, (4 * layers + 3 * output) / (3 * (layers + output)), 1e-12);
}

static void better_hardware_is_never_slower(void **state)
{
    (void)state;
    static const char *const better[] = {
        "peak_tflops=1500",        "gemm_efficiency=0.8",     "attention_efficiency=0.7", "memory_gb_s=5000",
        "memory_efficiency=0.95",  "intra_node_gb_s=900",     "inter_node_gb_s=100",      "link_efficiency=0.95",
        "network_efficiency=0.95", "intra_node_latency_us=1", "inter_node_latency_us=1",
    };
    struct check_random random = {6};
    for (int i = 0; i < 60; i++) {
        struct plan plan, other;
        check_random_plan(&random, &plan);
        check_set(&plan, "fixed_overhead_ms=5");
        estimate_plan(&plan, &estimate);
        double before = estimate.step.iteration_s;
        for (size_t j = 0; j < COUNT(better); j++) {
            other = plan;
            check_set(&other, better[j]);
            estimate_plan(&other, &estimate);
            assert_that(estimate.step.iteration_s <= before * (1 + 1e-12), "%s is slower (%.6g to %.6g s): %s",
                        better[j], before, estimate.step.iteration_s, check_describe(&plan));
        }
    }
}

static void overlap_never_costs_time(void **state)
{
    (void)state;
    static const char *const keys[] = {"overlap_grad_reduce", "overlap_param_gather", "overlap_tp", "overlap_p2p",
                                       "overlap_cp"};
    struct check_random random = {7};
    for (int i = 0; i < 60; i++) {
        struct plan plan;
        check_random_plan(&random, &plan);
        for (size_t j = 0; j < COUNT(keys); j++) {
            char text[64];
            snprintf(text, sizeof text, "%s=false", keys[j]);
            check_set(&plan, text);
            estimate_plan(&plan, &estimate);
            double without = estimate.step.iteration_s;
            snprintf(text, sizeof text, "%s=true", keys[j]);
            check_set(&plan, text);
            estimate_plan(&plan, &estimate);
            assert_that(estimate.step.iteration_s <= without * (1 + 1e-12), "%s costs time: %s", keys[j],
                        check_describe(&plan));
        }
    }
}

static void availability_stretches_the_training(void **state)
{
    (void)state;
    double whole = step_of(LLAMA3_8B "global_batch_size=64 total_tokens=15T")->seconds;
    assert_near(step_of(LLAMA3_8B "global_batch_size=64 total_tokens=15T availability=0.8")->seconds, whole / 0.8,
                1e-12);
}

static void a_checkpoint_holds_weights_and_states(void **state)
{
    (void)state;
    const struct step *step = step_of(LLAMA3_8B "global_batch_size=64 storage_gb_s=10");
    assert_same(step->weights_bytes, 2 * estimate.totals.total);
    assert_same(step->checkpoint_optimizer_bytes, 12 * estimate.totals.total);
    assert_near(step->write_s, 14 * estimate.totals.total / 10e9, 1e-12);
}

/* Large products run near the rate of the device, small ones wait for their start. */
static void products_lose_speed_when_small(void **state)
{
    (void)state;
    check_estimate(&estimate, LLAMA3_70B "tp=8 sp=true");
    struct op_time sheet;
    estimate_op_time(&estimate, OP_ID_FC1, &sheet);
    double large = sheet.gemm_efficiency;
    check_estimate(&estimate, LLAMA3_70B "tp=8 sp=true seq_length=256");
    estimate_op_time(&estimate, OP_ID_FC1, &sheet);
    double small = sheet.gemm_efficiency;
    assert_true(large <= 0.67 * (1 + 110 / 4096.0) && large > 0.6);
    assert_true(small < 0.9 * large);
}

/* The source's own slips: a wrong batch size, a rounded time, a time of another row (lines 77, 213, 466; 19; 670). */
static bool is_slip(const char *id)
{
    static const char *const slips[] = {"bs005", "bs036", "bs073", "bs086", "bs175"};
    for (size_t i = 0; i < COUNT(slips); i++)
        if (strcmp(id, slips[i]) == 0)
            return true;
    return false;
}

/* TFLOPS that BigScience's notes state beside a measured time. */
static void bigscience_stated_what_its_formulas_give(void **state)
{
    (void)state;
    FILE *file = fopen("tests/data/bigscience_tflops.csv", "r");
    char line[256], id[16], formula[16];
    double size_b, stated, recompute;
    int rows = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        struct symbols y = {0};
        struct step step = {0};
        if (sscanf(line, "%15[^,],%15[^,],%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", id, formula, &size_b, &y.h, &y.L,
                   &y.s, &y.v, &y.gbs, &y.world, &recompute, &y.measured_s, &stated) != 12)
            continue;
        y.full_recompute = recompute;
        step.total_params = size_b * 1e9;
        timing_step(&y, &step);
        double given = strcmp(formula, "mega") == 0     ? step.bigscience_tflops
                       : strcmp(formula, "layers") == 0 ? step.bigscience_layers_tflops
                                                        : step.bigscience_size_tflops;
        assert_that(fabs(given / stated - 1) < 0.005 || is_slip(id), "%s: %.4g, stated %.4g", id, given, stated);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 122);
}

/* FSDP keeps fp32 weights, so the model, its shards and a checkpoint have four bytes a parameter. */
static void fsdp_stores_weights_in_fp32(void **state)
{
    (void)state;
    const struct step *step = step_of(LLAMA3_8B "framework.name=fsdp2 dp=8 global_batch_size=8");
    double bytes = 4 * estimate.totals.total;
    assert_same(estimate.totals.param_bytes, bytes);
    assert_same(step->weights_bytes, bytes);
    assert_same(step->total_bytes, 3 * bytes);
    assert_near(8 * estimate.stage[0].weights_bytes, bytes, 1e-4);
}

/* ---- failures --------------------------------------------------------------------------------------------------- */

static struct estimate failing;

/* Eight GPUs whose checkpoint takes 50 s, which fail every 10,000 s and need 200 s to go on. */
static const struct step *failing_with(const char *more)
{
    char settings[512];
    snprintf(settings, sizeof settings, "%s",
             LLAMA3_8B "nodes=1 gpus_per_node=8 global_batch_size=64 total_tokens=1e9 storage_gb_s=1 ");
    check_estimate(&failing, settings);
    snprintf(settings + strlen(settings), sizeof settings - strlen(settings),
             "storage_gb_s=%.17g mtbf_hours_per_gpu=%.17g %s", failing.step.total_bytes / 50e9, 10000 * 8 / 3600.0,
             more);
    check_estimate(&failing, settings);
    return &failing.step;
}

static void test_failures_by_hand(void **state)
{
    (void)state;
    const struct step *step = failing_with("restart_s=200 checkpoint_interval_s=950");
    assert_near(step->mtbf_s, 10000, 1e-12);
    assert_near(step->write_s, 50, 1e-12);
    /*
     * Daly 2006: 1000 s without a failure take 10000 (e^0.1 - 1) = 1051.709 s on average where each failure begins
     * them anew, and e^0.02 = 1.02020134 times that with restarts of 200 s, which fail too; 950 s of them are steps.
     */
    assert_near(step->goodput, 950 / (1051.70918076 * 1.02020134), 1e-8);
    assert_near(step->seconds, step->iterations * step->iteration_s / step->goodput, 1e-12);
    assert_near(step->failures, step->seconds / 10000, 1e-12);
    assert_near(step->best_interval_s, 1000 * (1 + 0.05 / 3 + 0.0025 / 9) - 50, 1e-9);
    step = failing_with("restart_s=200 availability=0.5 checkpoint_interval_s=950");
    assert_near(step->seconds, step->iterations * step->iteration_s / (0.5 * step->goodput), 1e-12);
    /* six hours between checkpoints of a job that fails every 2.8 are reached now and then */
    assert_near(failing_with("restart_s=200 checkpoint_interval_s=21600")->goodput, 0.27444438, 1e-7);
}

static void test_the_best_interval_loses_least(void **state)
{
    (void)state;
    double best = failing_with("restart_s=200")->best_interval_s, goodput = failing.step.goodput;
    assert_same(failing.step.interval_s, best);
    for (int i = -5; i <= 5; i++) {
        char more[96];
        snprintf(more, sizeof more, "restart_s=200 checkpoint_interval_s=%.17g", best * (1 + i / 20.0));
        assert_true(failing_with(more)->goodput <= goodput * (1 + 1e-7));
    }
}

/* Daly 2006, figures 3 to 5: checkpoints of 5 minutes, restarts of 10, failures every 24 h, 6 h and 15 minutes. */
static void test_the_best_interval_is_the_published_one(void **state)
{
    (void)state;
    static const struct {
        double mtbf_minutes, interval_minutes, half_a_digit;
    } published[] = {{1440, 117, 0.5}, {360, 57, 0.5}, {15, 9.1, 0.05}};
    for (size_t i = 0; i < COUNT(published); i++) {
        char more[160];
        failing_with("restart_s=600");
        snprintf(more, sizeof more, "restart_s=600 storage_gb_s=%.17g mtbf_hours_per_gpu=%.17g",
                 failing.step.total_bytes / 300e9, published[i].mtbf_minutes * 8 / 60);
        const double minutes = failing_with(more)->best_interval_s / 60, of = published[i].interval_minutes;
        assert_between(minutes, of - published[i].half_a_digit, of + published[i].half_a_digit);
    }
}

/* Failures that are not known are not assumed, and a training without them takes what it took. */
static void test_unknown_failures_stay_unknown(void **state)
{
    (void)state;
    const struct step *step = failing_with(""); /* no restart */
    assert_true(isnan(step->goodput));
    assert_near(step->seconds, step->iterations * step->iteration_s, 1e-12);
    check_estimate(&failing, LLAMA3_8B
                   "nodes=1 gpus_per_node=8 global_batch_size=64 total_tokens=1e9 storage_gb_s=1 restart_s=10");
    assert_true(isnan(failing.step.goodput) && isnan(failing.step.failures) && isnan(failing.step.mtbf_s));
    /* Llama 3: 419 interruptions in 54 days of 16,384 GPUs */
    assert_near(54 * 24 * 16384 / 419.0, 50700, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures_by_hand),
        cmocka_unit_test(test_the_best_interval_loses_least),
        cmocka_unit_test(test_the_best_interval_is_the_published_one),
        cmocka_unit_test(test_unknown_failures_stay_unknown),
        cmocka_unit_test(bigscience_stated_what_its_formulas_give),
        cmocka_unit_test(operations_of_a_gpt),
        cmocka_unit_test(operations_of_a_llama),
        cmocka_unit_test(operations_do_not_depend_on_the_layout),
        cmocka_unit_test(figures_are_consistent),
        cmocka_unit_test(the_bubble_of_equal_stages),
        cmocka_unit_test(recomputation_costs_a_forward_pass),
        cmocka_unit_test(better_hardware_is_never_slower),
        cmocka_unit_test(overlap_never_costs_time),
        cmocka_unit_test(availability_stretches_the_training),
        cmocka_unit_test(a_checkpoint_holds_weights_and_states),
        cmocka_unit_test(fsdp_stores_weights_in_fp32),
        cmocka_unit_test(products_lose_speed_when_small),
    };
    return cmocka_run_group_tests_name("timing", tests, NULL, NULL) != 0;
}
