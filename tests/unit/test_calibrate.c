/* Fitted efficiencies: what is planted is found, what is right stays, what cannot be told is left alone. */
#include "tests/check.h"

#include "src/plan/plan_io.h"
#include "src/runs/calibrate.h"
#include "src/runs/runs.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <unistd.h>

enum { GEMM, ATTENTION, MEMORY, NETWORK };

static const char *const layouts[] = {
    "8,1,1,1,2048", "4,2,1,1,4096", "2,1,4,2,4096", "1,1,8,1,2048", "2,2,2,1,8192", "4,1,2,2,2048", "8,1,1,4,16384",
    "1,8,1,1,4096",
};

/* A table of runs on H100s whose times come from the estimate with other efficiencies, times `scatter` up and down. */
static void plant(char path[64], const char *planted, double scatter, size_t count)
{
    struct estimate *e = calloc(1, sizeof *e);
    struct buffer out = {0};
    buffer_puts(&out, "id,tags,model,parallel.tp,parallel.pp,parallel.dp,train.micro_batch_size,train.seq_length,train."
                      "global_batch_size,"
                      "hardware.gpu,measured.iteration_s\n");
    for (size_t i = 0; i < count; i++) {
        int tp, pp, dp, micro, seq;
        char text[256];
        assert_int_equal(sscanf(layouts[i], "%d,%d,%d,%d,%d", &tp, &pp, &dp, &micro, &seq), 5);
        snprintf(text, sizeof text,
                 "model: llama2-7b\nparallel: {tp: %d, pp: %d, dp: %d}\ntrain: {micro_batch_size: %d, seq_length: %d, "
                 "global_batch_size: 64}\n",
                 tp, pp, dp, micro, seq);
        struct plan plan;
        struct errors errors = {0};
        plan_clear(&plan);
        assert_int_equal(plan_read(&plan, text, strlen(text), "plan", NULL, &errors), 0);
        plan_finish(&plan);
        if (*planted)
            check_set(&plan, planted);
        estimate_plan(&plan, e);
        assert_true(e->step.iteration_s > 0);
        buffer_printf(&out, "r%zu,mine,llama2-7b,%d,%d,%d,%d,%d,64,h100-sxm-80,%.9g\n", i, tp, pp, dp, micro, seq,
                      e->step.iteration_s * (1 + (i % 2 ? scatter : -scatter)));
        errors_free(&errors);
    }
    snprintf(path, 64, "/tmp/shardtop-test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, out.text, out.size) == (ssize_t)out.size);
    close(fd);
    buffer_free(&out);
    free(e);
}

static struct calibration fit_of(const char *path)
{
    struct errors errors = {0};
    struct calibration fit;
    assert_int_equal(calibrate_fit(&(struct runs_request){.files = &path, .file_count = 1}, &fit, &errors), 0);
    return fit;
}

static void test_planted_efficiency_is_found(void **state)
{
    char path[64];
    (void)state;
    plant(path, "hardware.gemm_efficiency=0.51", 0.01, COUNT(layouts));
    struct calibration fit = fit_of(path);
    assert_int_equal(fit.runs, COUNT(layouts));
    assert_true(fit.is_fitted[GEMM]);
    assert_true(fit.fitted[GEMM] < 0.57 && fit.fitted[GEMM] > 0.48);
    assert_true(fit.is_better);
    assert_true(fit.before > 0.12);
    assert_at_most(fit.left_out, 0.06);
    assert_at_most(fit.after, fit.left_out);
    unlink(path);
}

static void test_right_values_stay(void **state)
{
    char path[64];
    (void)state;
    plant(path, "", 0.02, COUNT(layouts));
    struct calibration fit = fit_of(path);
    assert_false(fit.is_better || fit.is_common_better);
    for (int k = 0; k < CALIBRATE_KEYS; k++)
        assert_near(fit.fitted[k], fit.shipped[k], 0.25 * calibrate_keys[k].prior + 0.02);
    unlink(path);
}

/* One run: a part of its ratio is taken as common, and ranges narrow. */
static void test_one_run_shifts(void **state)
{
    char path[64];
    struct plan plan;
    const char *file = path;
    struct buffer out = {0};
    struct errors errors = {0};
    (void)state;
    plant(path, "hardware.gemm_efficiency=0.4 hardware.host_speed=0.5", 0, 1);
    struct calibration fit = fit_of(path);
    assert_true(fit.common > 1 && fit.common < fit.ratio);
    assert_true(fit.left > 0 && fit.left < 1);
    assert_int_equal(
        calibrate_run(&(struct calibrate_request){.files = &file, .file_count = 1, .out = &out, .errors = &errors}), 0);
    plan_clear(&plan);
    assert_int_equal(plan_read(&plan, out.text, out.size, "fitted", NULL, &errors), 0);
    assert_near(plan.value[PARAM_hardware_calibrated_runs], 1, 0);
    assert_near(plan.value[PARAM_hardware_time_factor], fit.gpu_factor, 1e-3);
    assert_near(plan.value[PARAM_hardware_network_factor], fit.network_factor, 1e-3);
    assert_near(plan.value[PARAM_hardware_host_speed], 1 / fit.host_factor, 1e-3);
    assert_true(fit.gpu_factor > 1 && fit.gpu_factor < fit.ratio);
    buffer_free(&out);
    errors_free(&errors);
    unlink(path);
}

/* A log that prints no settings: those typed say how long its blocks of the cache are. */
static void test_logs_go_by_what_is_typed(void **state)
{
    static const char log[] = "INFO model_runner.py:1110] Loading model weights took 14.9888 GB\n"
                              "INFO executor_base.py:110] # CUDA blocks: 27454, # CPU blocks: 2048\n"
                              "INFO kv_cache_utils.py:395] # GPU blocks: 27454\n";
    static const char *const typed[][2] = {{"model.name", "llama3.1-8b"}, {"hardware.gpu", "h100-sxm-80"},
                                           {"hardware.nodes", "1"}, {"hardware.gpus_per_node", "1"},
                                           {"workload", "inference"}, {"serve.engine", "vllm"}};
    char path[] = "/tmp/shardtop-test-XXXXXX";
    const char *file = path;
    struct keyvals settings = {0};
    struct calibration fit;
    struct errors errors = {0};
    (void)state;
    for (size_t i = 0; i < COUNT(typed); i++)
        keyvals_add(&settings, typed[i][0], typed[i][1], 0);
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, log, strlen(log)) == (ssize_t)strlen(log));
    close(fd);
    const struct runs_request request = {.files = &file, .file_count = 1, .settings = &settings};
    assert_int_equal(calibrate_fit(&request, &fit, &errors), 0);
    assert_int_equal(fit.served.caches, 1);
    keyvals_free(&settings);
    errors_free(&errors);
    unlink(path);
}

/* Logs of a server whose cache is 2 GiB smaller, and whose steps take 1.2 times as long, than estimated. */
static void test_servers_are_shifted(void **state)
{
    static const char yaml[] = "workload: inference\nmodel: llama3.1-8b\nparallel: {tp: 1, dp: 1}\n"
                               "hardware: {gpu: h100-sxm-80, nodes: 1, gpus_per_node: 1}\n"
                               "serve: {engine: vllm, batch_size: 32}\n";
    char path[] = "/tmp/shardtop-test-XXXXXX", text[700];
    const char *file = path;
    struct calibration fit;
    struct errors errors = {0};
    struct buffer out = {0};
    (void)state;
    struct estimate *e = calloc(1, sizeof *e);
    struct plan plan;
    plan_clear(&plan);
    assert_int_equal(plan_read(&plan, yaml, strlen(yaml), "plan", NULL, &errors), 0);
    plan_finish(&plan);
    estimate_plan(&plan, e);
    double kv_gib = e->serving.kv_gib, token_s = e->serving.per_token_s;
    int size = snprintf(text, sizeof text,
                        "id,workload,model,hardware.gpu,hardware.nodes,hardware.gpus_per_node,parallel.tp,parallel.dp,"
                        "serve.engine,serve.batch_size,measured.kv_gib,measured.per_token_s,measured.weights_gib\n"
                        "a,inference,llama3.1-8b,h100-sxm-80,1,1,1,1,vllm,32,%.9g,,\n"
                        "b,inference,llama3.1-8b,h100-sxm-80,1,1,1,1,vllm,32,,%.9g,\n"
                        "other,inference,llama3.1-8b,h100-sxm-80,1,1,1,1,vllm,32,9,,60\n",
                        kv_gib - 2, token_s * 1.2);
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, (size_t)size) == size);
    close(fd);
    assert_int_equal(calibrate_fit(&(struct runs_request){.files = &file, .file_count = 1}, &fit, &errors), 0);
    assert_near(server_fit_other_gib(&fit.served), 2, 1e-6);
    assert_true(server_fit_time_factor(&fit.served) > 1.15 && server_fit_time_factor(&fit.served) < 1.2);
    assert_int_equal(
        calibrate_run(&(struct calibrate_request){.files = &file, .file_count = 1, .out = &out, .errors = &errors}), 0);
    assert_int_equal(plan_read(&plan, out.text, out.size, "fitted", NULL, &errors), 0);
    estimate_plan(&plan, e);
    assert_near(e->serving.kv_gib, kv_gib - 2, 1e-3);
    assert_true(e->serving.per_token_s > 1.15 * token_s && e->serving.per_token_s < 1.2 * token_s);
    unlink(path);
    buffer_free(&out);
    errors_free(&errors);
    free(e);
}

/* A slow link: traffic takes a larger factor than the GPU. Of a run three times as long less is common. */
static void test_few_runs_split_their_ratio(void **state)
{
    char path[64];
    (void)state;
    plant(path, "hardware.link_efficiency=0.1", 0, 4);
    struct calibration slow = fit_of(path);
    assert_true(slow.network_factor > slow.gpu_factor);
    unlink(path);
    plant(path, "hardware.host_speed=0.8", 0, 1);
    struct calibration near = fit_of(path);
    unlink(path);
    plant(path, "hardware.host_speed=0.2", 0, 1);
    struct calibration odd = fit_of(path);
    assert_true(log(odd.common) / log(odd.ratio) < log(near.common) / log(near.ratio));
    unlink(path);
}

/* One run far off may be odd; two that are off alike have an odd cluster, which is taken almost in full. */
static void test_runs_that_agree_are_believed(void **state)
{
    char path[64];
    (void)state;
    plant(path, "hardware.time_factor=1.4 hardware.network_factor=1.4", 0, 1);
    struct calibration one = fit_of(path);
    unlink(path);
    plant(path, "hardware.time_factor=1.4 hardware.network_factor=1.4", 0, 3);
    struct calibration three = fit_of(path);
    unlink(path);
    assert_true(log(one.common) < 0.5 * log(one.ratio));
    assert_true(log(three.common) > 0.75 * log(three.ratio));
    assert_true(three.gpu_factor > 1.25 && three.gpu_factor < 1.4);
    assert_true(three.left <= 1);
}

/* What slows the whole iteration alike is no efficiency; of many runs each is predicted from the others. */
static void test_many_runs_share_a_factor(void **state)
{
    char path[64];
    const char *file = path;
    struct buffer out = {0};
    struct errors errors = {0};
    (void)state;
    plant(path, "hardware.time_factor=1.4 hardware.network_factor=1.4 hardware.host_speed=0.7", 0, COUNT(layouts));
    struct calibration fit = fit_of(path);
    assert_true(fit.used >= CALIBRATE_FIT_FROM && fit.is_common_better);
    assert_true(fit.common_left_out < 0.2 * fit.before && fit.common_left_out < fit.left_out);
    assert_int_equal(
        calibrate_run(&(struct calibrate_request){.files = &file, .file_count = 1, .out = &out, .errors = &errors}), 0);
    assert_non_null(strstr(out.text, "time_factor: "));
    assert_null(strstr(out.text, "gemm_efficiency: "));
    buffer_free(&out);
    errors_free(&errors);
    unlink(path);
}

static void test_an_outlier_does_not_carry_the_fit(void **state)
{
    char path[64];
    (void)state;
    plant(path, "hardware.gemm_efficiency=0.55", 0.01, COUNT(layouts));
    struct calibration clean = fit_of(path);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fputs("odd,mine,llama2-7b,8,1,1,1,2048,64,h100-sxm-80,400\n", file);
    fclose(file);
    struct calibration odd = fit_of(path);
    assert_int_equal(odd.runs, clean.runs + 1);
    assert_near(odd.fitted[GEMM], clean.fitted[GEMM], 0.06);
    unlink(path);
}

/* The file that is printed can be given after a plan, and its keys then count as the file's own. */
static void test_printed_file_is_a_plan_of_the_fitted_keys(void **state)
{
    char path[64];
    const char *file = path;
    struct buffer out = {0};
    struct errors errors = {0};
    struct plan plan;
    (void)state;
    plant(path, "hardware.gemm_efficiency=0.51", 0.01, COUNT(layouts));
    struct calibration fit = fit_of(path);
    assert_int_equal(
        calibrate_run(&(struct calibrate_request){.files = &file, .file_count = 1, .out = &out, .errors = &errors}), 0);
    assert_false(errors_any(&errors));
    plan_clear(&plan);
    assert_int_equal(plan_read(&plan, out.text, out.size, "fitted", NULL, &errors), 0);
    assert_near(plan.value[PARAM_hardware_gemm_efficiency], fit.fitted[GEMM], 1e-3);
    assert_int_equal(plan.from[PARAM_hardware_gemm_efficiency], FROM_FILE);
    assert_true(
        strstr(out.text,
               "# Efficiencies of h100-sxm-80, fitted to the measured time of 8 runs by shardtop calibrate.\n") ==
        out.text);
    buffer_free(&out);
    errors_free(&errors);
    unlink(path);
}

static void test_several_devices_are_refused(void **state)
{
    static const char *const files[] = {"tests/data/runs.csv"};
    struct buffer out = {0};
    struct errors errors = {0};
    (void)state;
    assert_int_equal(
        calibrate_run(&(struct calibrate_request){.files = files, .file_count = 1, .out = &out, .errors = &errors}), 2);
    assert_int_equal(out.size, 0);
    assert_true(
        check_mentions(errors.line[0], "a hardware file is for one device; keep one with --tags hardware.gpu="));
    errors_free(&errors);
}

/* A key in which the runs differ already cannot be one number in a file. */
static void test_keys_in_which_runs_differ_stay(void **state)
{
    char path[64], own[] = "/tmp/shardtop-test-XXXXXX";
    struct errors errors = {0};
    struct calibration fit;
    (void)state;
    plant(path, "hardware.gemm_efficiency=0.51", 0.01, COUNT(layouts));
    FILE *file = fdopen(mkstemp(own), "w");
    assert_non_null(file);
    fputs("id,model,parallel.tp,hardware.gpu,hardware.gemm_efficiency,measured.iteration_s\nx,llama2-7b,8,h100-sxm-80,"
          "0.6,4\n",
          file);
    fclose(file);
    const char *const files[] = {path, own};
    assert_int_equal(calibrate_fit(&(struct runs_request){.files = files, .file_count = 2}, &fit, &errors), 0);
    assert_int_equal(fit.runs, COUNT(layouts) + 1);
    assert_true(fit.differs[GEMM]);
    assert_false(fit.is_fitted[GEMM]);
    unlink(path);
    unlink(own);
}

/* Of more runs than a fit takes, every second or fourth: the fit stays what it is. */
static void test_many_runs_are_thinned_out(void **state)
{
    char path[64], line[256];
    (void)state;
    plant(path, "hardware.gemm_efficiency=0.55", 0.01, COUNT(layouts));
    struct calibration few = fit_of(path);
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    struct buffer rows = {0};
    for (int i = 0; fgets(line, sizeof line, file); i++)
        if (i > 0)
            buffer_puts(&rows, line);
    for (size_t i = 1; i < CALIBRATE_SAMPLES_MAX / COUNT(layouts) + 3; i++)
        fputs(rows.text, file);
    fclose(file);
    struct calibration many = fit_of(path);
    assert_int_equal(many.runs, CALIBRATE_SAMPLES_MAX + 3 * COUNT(layouts));
    assert_true(many.used > CALIBRATE_SAMPLES_MAX / 2 && many.used <= CALIBRATE_SAMPLES_MAX);
    assert_near(many.fitted[GEMM], few.fitted[GEMM], 0.05);
    buffer_free(&rows);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted_efficiency_is_found),
        cmocka_unit_test(test_right_values_stay),
        cmocka_unit_test(test_one_run_shifts),
        cmocka_unit_test(test_servers_are_shifted),
        cmocka_unit_test(test_logs_go_by_what_is_typed),
        cmocka_unit_test(test_few_runs_split_their_ratio),
        cmocka_unit_test(test_runs_that_agree_are_believed),
        cmocka_unit_test(test_many_runs_share_a_factor),
        cmocka_unit_test(test_an_outlier_does_not_carry_the_fit),
        cmocka_unit_test(test_printed_file_is_a_plan_of_the_fitted_keys),
        cmocka_unit_test(test_several_devices_are_refused),
        cmocka_unit_test(test_keys_in_which_runs_differ_stay),
        cmocka_unit_test(test_many_runs_are_thinned_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
