/* The overlay of the published estimators: what it lists, how it follows the plan, how it is left. */
#include "tests/screen.h"
#include "tests/host.h"

#include "src/cli/verbs/compare.h"
#include "src/text/text.h"
#include "ui/overlay/estimators.h"

#include <locale.h>

static struct plan start_plan;

static struct ui *make(const struct ui_host *host, int width, int height)
{
    struct ui_options options = {.plan = &start_plan, .ascii = true};
    char why[UI_MESSAGE_MAX] = "";
    plan_clear(&start_plan);
    assert_that(test_host()->load(test_session(), "configs/plans/default.yaml", &start_plan, why) == 0, "%s", why);
    struct ui *ui = ui_create(host, &options, width, height);
    assert_non_null(ui);
    ui_update(ui);
    return ui;
}

static const struct ui_comparison *find(const struct ui *ui, const char *quantity, const char *estimator)
{
    for (int i = 0; i < ui->estimators->count; i++) {
        const struct ui_comparison *is = &ui->estimators->row[i].is;
        if (is->quantity && strcmp(is->quantity, quantity) == 0 && strcmp(is->estimator, estimator) == 0)
            return is;
    }
    fail_msg("no %s of %s", quantity, estimator);
    return NULL;
}

/* The rows are those of `shardtop compare --estimators`. */
static void lists_what_compare_prints(void **state)
{
    (void)state;
    struct ui *ui = make(test_host(), 80, 24);
    struct buffer out = {0};
    int lines = 0, headings = 0;
    play(ui, "E");
    assert_int_equal(ui->mode, MODE_ESTIMATORS);
    compare_estimators(&out, ui->shown, false);
    for (const char *p = out.text; *p; p++)
        lines += *p == '\n';
    for (const char *p = out.text; (p = strstr(p, " shardtop ")); p++)
        headings++;
    assert_int_equal(ui->estimators->count, lines - headings);
    for (int i = 0; i < ui->estimators->count; i++)
        assert_that(strstr(out.text, ui->estimators->row[i].is.reason), "%s", ui->estimators->row[i].is.reason);
    assert_same(find(ui, "weights", "megatron-tool")->ours, ui->shown->stage[ui->shown->peak_stage].weights_bytes);
    buffer_free(&out);
    ui_free(ui);
}

/* Going down, every row comes on the screen with its quantity and the end of its reason. */
static void every_row_can_be_reached(void **state)
{
    (void)state;
    static const int sizes[][2] = {{80, 24}, {100, 30}, {120, 40}, {200, 50}, {50, 24}};
    for (size_t k = 0; k < COUNT(sizes); k++) {
        struct ui *ui = make(test_host(), sizes[k][0], sizes[k][1]);
        play(ui, "E");
        for (int i = 0; i < ui->estimators->count; i++, play(ui, "j")) {
            const struct ui_comparison *is = &ui->estimators->row[i].is;
            const char *word = strrchr(is->reason, ' ');
            assert_int_equal(ui->estimator_row, i);
            expect(ui, is->quantity ? is->quantity : "no answer");
            expect(ui, is->estimator);
            expect(ui, word ? word + 1 : is->reason);
        }
        assert_int_equal(ui->estimator_row, ui->estimators->count - 1);
        play(ui, "g");
        assert_int_equal(ui->estimator_row, 0);
        play(ui, "G PGUP PGDN");
        assert_int_equal(ui->estimator_row, ui->estimators->count - 1);
        ui_free(ui);
    }
}

static void follows_the_plan(void **state)
{
    (void)state;
    struct ui *ui = make(test_host(), 80, 24);
    play(ui, ": estimators ENTER");
    double before = find(ui, "weights", "megatron-tool")->theirs;
    play(ui, "+");
    assert_int_equal(ui->mode, MODE_ESTIMATORS);
    assert_true(find(ui, "weights", "megatron-tool")->theirs < before);
    play(ui, "u q");
    assert_int_equal(ui->mode, MODE_BROWSE);
    play(ui, ": `set micro_batch_size 2` ENTER E");
    assert_same(find(ui, "activations of all in flight", "megatron-tool")->ours,
                ui->shown->stage[ui->shown->peak_stage].activations_bytes);
    play(ui, "q : `set zero_stage 2` ENTER E G"); /* DeepSpeed's functions answer, our stages are not modelled */
    for (int i = 0; i < ui->estimators->count; i++)
        assert_string_not_equal(ui->estimators->row[i].reason, "");
    expect(ui, "Estimators");
    play(ui, "ESC");
    assert_int_equal(ui->mode, MODE_BROWSE);
    ui_free(ui);
}

static void opens_our_value_and_comes_back(void **state)
{
    (void)state;
    struct ui *ui = make(test_host(), 120, 40);
    play(ui, "E ENTER");
    assert_int_equal(ui->mode, MODE_EXPLAIN);
    expect(ui, "parameters.total");
    play(ui, "q");
    assert_int_equal(ui->mode, MODE_ESTIMATORS);
    play(ui, "q e");
    assert_int_equal(ui->mode, MODE_EXPLAIN);
    play(ui, "q");
    assert_int_equal(ui->mode, MODE_BROWSE);
    play(ui, "E y");
    assert_non_null(
        strstr(ui->copy, "weights: ours 3.20 GiB, megatron-tool 3.20 GiB, <0.1%; embedding on every stage\n"));
    assert_non_null(strstr(ui->copy, "deepspeed does not answer: "));
    ui_free(ui);
}

static void says_so_when_nobody_answers(void **state)
{
    (void)state;
    struct ui_host host = *test_host();
    host.estimators = NULL;
    struct ui *ui = make(&host, 80, 24);
    play(ui, "E");
    assert_int_equal(ui->mode, MODE_BROWSE);
    expect(ui, "no estimators can be asked");
    ui_free(ui);
    ui = make(test_host(), 80, 24);
    play(ui, ": `set num_layers default` ENTER E");
    assert_int_equal(ui->mode, MODE_ESTIMATORS);
    expect(ui, "Estimators");
    ui_free(ui);
}

/* At 80 columns the price has its place: less of the tokens is shown where there is little. */
static void the_price_is_never_cut(void **state)
{
    (void)state;
    struct ui *ui = make(test_host(), 80, 24);
    static const char *const batches[] = {"64", "512", "65536"};
    static const char *const prices[] = {"0.01", "2.5", "99", "1234"};
    for (size_t i = 0; i < COUNT(batches); i++)
        for (size_t j = 0; j < COUNT(prices); j++) {
            char script[160];
            snprintf(script, sizeof script, ": `set global_batch_size %s` ENTER : `set price_per_gpu_hour %s` ENTER",
                     batches[i], prices[j]);
            play(ui, script);
            char line[400];
            const char *start = strchr(screen_of(ui), '\n') + 1;
            snprintf(line, sizeof line, "%.*s", (int)strcspn(start, "\n"), start);
            const char *price = strchr(line, '$');
            assert_that(!price || strstr(price, " per 1T"), "%s at %s: %s", batches[i], prices[j], line);
        }
    ui_free(ui);
}

/* With a measured time the screen says that it is one, and what follows from it follows. */
static void a_measured_time_says_so(void **state)
{
    (void)state;
    struct ui *ui = make(test_host(), 200, 50);
    double tflops = ui->shown->step.model_tflops_per_gpu, seconds = ui->shown->step.iteration_s;
    expect(ui, "6.42 s");
    expect(ui, "439 ");
    expect(ui, "TFLOP/s a GPU");
    play(ui, ": `set measured_iteration_s 13.5` ENTER");
    expect(ui, "13.5 s");
    expect(ui, "measured");
    expect(ui, "measured_iteration_s");
    assert_near(ui->shown->step.model_tflops_per_gpu, tflops * seconds / 13.5, 1e-12);
    play(ui, "DEL");
    expect(ui, "6.42 s");
    ui_free(ui);
}

/* The line of figures has whole figures only: each with its unit. */
static void figures_keep_their_units(void **state)
{
    (void)state;
    struct ui *ui = make(test_host(), 80, 24);
    play(ui, ": `set num_layers 2` ENTER : `set hidden_size 1024` ENTER : `set ffn_hidden_size 4096` ENTER : `set "
             "global_batch_size 64` ENTER");
    assert_true(ui->shown->step.iteration_s < 0.1 && ui->shown->step.tokens_per_s_per_gpu > 1e5);
    expect(ui, " ms ");
    expect(ui, " MFU");
    ui_resize(ui, 160, 40);
    expect(ui, "per 1T tokens");
    ui_free(ui);
}

/* An export never writes a text report over a plan. */
static void export_needs_a_form_that_it_has(void **state)
{
    (void)state;
    struct ui *ui = make(test_host(), 80, 24);
    play(ui, ": `export nothing.yaml` ENTER");
    expect(ui, "nothing.yaml: unknown report format");
    assert_null(fopen("nothing.yaml", "r"));
    ui_free(ui);
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_what_compare_prints), cmocka_unit_test(every_row_can_be_reached),
        cmocka_unit_test(follows_the_plan),          cmocka_unit_test(opens_our_value_and_comes_back),
        cmocka_unit_test(says_so_when_nobody_answers), cmocka_unit_test(the_price_is_never_cut),
        cmocka_unit_test(a_measured_time_says_so),     cmocka_unit_test(figures_keep_their_units),
        cmocka_unit_test(export_needs_a_form_that_it_has),
    };
    return cmocka_run_group_tests_name("ui/estimators", tests, NULL, NULL) != 0;
}
