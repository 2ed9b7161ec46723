/* Other values of switches and choices: what a page says of them is what an estimate with them says. */
#include "tests/screen.h"
#include "tests/host.h"

#include "core/plan/param.h"
#include "core/search/diff_text.h"
#include "ui/widget/units.h"

#include <locale.h>
#include <math.h>

static const char *const plans[] = {"llama3-70b-64h100", "deepseek-v3-2048h800", "llama3-8b-serving"};

static void load(const char *name, struct plan *plan)
{
    char why[UI_MESSAGE_MAX];
    plan_clear(plan);
    assert_that(test_host()->load(test_session(), name, plan, why) == 0, "%s", why);
}

/* Unknown in both is alike, too. */
static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* All of the change is in the parts, where there are no more of them. */
static void expect_parts(const struct waterfall *parts, double change, double rounding)
{
    double sum = 0;
    int count = diff_text_part_count(parts);
    for (int i = 0; i < count; i++)
        sum += parts->step[i].delta;
    if (count > 0 && count < DIFF_PARTS)
        assert_that(fabs(sum - change) <= rounding, "parts come to %g, not %g", sum, change);
}

/* The value as somebody would type it, and all estimated anew. */
static void check(const struct plan *plan, const struct estimate *now, enum param id, int value)
{
    static struct estimate scratch, full;
    struct plan_diff diff;
    struct figures before, after;
    struct plan typed = *plan;
    char text[FIELD_TEXT_MAX], why[PARAM_WHY_MAX];
    param_number(id, value, text);
    assert_that(param_parse(&typed, id, text, FROM_SET, true, why) == 0, "%s %s: %s", param_rows[id].key, text, why);
    estimate_plan(&typed, &full);
    figures_of(&full, &after);
    figures_of(now, &before);
    plan_diff_value(plan, now, id, value, &scratch, &diff);
    assert_that(diff.to.is_valid == after.is_valid, "%s %s", param_rows[id].key, text);
    if (!after.is_valid) {
        char fault[DIFF_PARTS_MAX];
        diff_text_fault(&diff, fault);
        assert_that(fault[0], "%s %s: no reason", param_rows[id].key, text);
        return;
    }
    assert_that(is_same(diff.to.device_bytes, after.device_bytes) &&
                    is_same(diff.to.iteration_s, after.iteration_s),
                "%s %s: %.0f, %g, not %.0f, %g", param_rows[id].key, text, diff.to.device_bytes,
                diff.to.iteration_s, after.device_bytes, after.iteration_s);
    assert_true(diff.to.verdict == after.verdict);
    double memory_bytes = diff.to.device_bytes - diff.from.device_bytes,
           iteration_s = diff.to.iteration_s - diff.from.iteration_s;
    assert_true(is_same(memory_bytes, after.device_bytes - before.device_bytes));
    assert_true(is_same(iteration_s, after.iteration_s - before.iteration_s));
    expect_parts(&diff.memory, memory_bytes, 1e-4 * after.device_bytes);
    expect_parts(&diff.time, iteration_s, 1e-4 * after.iteration_s);
    bool is_nothing = memory_bytes == 0 && iteration_s == 0;
    assert_that(!diff_is_nothing(&diff) || is_nothing, "%s %s is said to change nothing", param_rows[id].key, text);
}

static void each_value_is_what_an_estimate_says(void **state)
{
    (void)state;
    static struct estimate now;
    int checked = 0;
    for (size_t i = 0; i < COUNT(plans); i++) {
        struct plan plan;
        load(plans[i], &plan);
        estimate_plan(&plan, &now);
        for (int id = 0; id < PARAM_COUNT; id++)
            for (int value = 0; value < plan_diff_values((enum param)id); value++, checked++)
                if (value != now.plan.value[id])
                    check(&plan, &now, (enum param)id, value);
    }
    assert_true(checked > 300);
}

/* A step of the screen or a value typed there, and the page, come to the same. */
static void the_page_has_a_row_for_each(void **state)
{
    (void)state;
    struct plan plan;
    load("llama3-70b-64h100", &plan);
    struct ui_options options = {.plan = &plan};
    setlocale(LC_CTYPE, "C.UTF-8");
    struct ui *ui = ui_create(test_host(), &options, 80, 24);
    play(ui, "/ `sp` Right");
    expect(ui, "off      ");
    expect(ui, "memory    activations +");
    expect(ui, "all send  ");
    expect(ui, "Enter makes it the value");
    expect(ui, "- + off ");
    char row[FIELD_TEXT_MAX], gib[32];
    snprintf(gib, sizeof gib, "%s", figure(FIGURE_GIB, ui->explained.value[0].diff.to.device_bytes).text);
    play(ui, "Enter");
    assert_true(ui->plan.value[PARAM_parallel_sp] == 0);
    snprintf(row, sizeof row, "%s of ", gib); /* the line of figures now */
    expect(ui, row);
    play(ui, "u q / `schedule` Right");
    expect(ui, "interleaved -- ");
    play(ui, "Down");
    expect(ui, "vpp > 1"); /* in full */
    play(ui, "q / `tp` Right");
    expect_not(ui, "Enter makes it");
    play(ui, "q 1 Down e");
    expect_not(ui, "+ 16: ");
    play(ui, "q Esc 0 Right e");
    expect(ui, "tp - 4 "); /* whose steps they are */
    play(ui, "q Esc b : `mbs 2` Enter d Home e");
    expect(ui, "this row has no value");
    play(ui, "c");
    assert_int_equal(ui->mode, MODE_BROWSE);
    play(ui, "Down c");
    assert_int_equal(ui->mode, MODE_EXPLAIN);
    expect(ui, "Explain  train.micro_batch_size");
    ui_free(ui);
}

/* Differences keep their unit, and words are not cut in two. */
static void little_room_takes_digits_not_units(void **state)
{
    (void)state;
    struct plan plan;
    load("llama3-70b-64h100", &plan);
    struct ui_options options = {.plan = &plan};
    struct ui *ui = ui_create(test_host(), &options, 80, 24);
    play(ui, "b + d");
    expect(ui, "+10.4 s"); /* below 18.5 s */
    play(ui, "u : `mbs=4` Enter G");
    expect(ui, "headroom GiB        28.4    -38.2    -66.6");
    play(ui, "u : `nodes=1 tp=1 pp=1 seq_length=131072` Enter 1");
    expect(ui, "3442.0");
    ui_resize(ui, 120, 40);
    play(ui, "3");
    expect(ui, "digit: stage (v)");
    expect_not(ui, "GP~");
    ui_free(ui);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_value_is_what_an_estimate_says), cmocka_unit_test(the_page_has_a_row_for_each),
        cmocka_unit_test(little_room_takes_digits_not_units)};
    return cmocka_run_group_tests_name("search/values", tests, NULL, NULL) != 0;
}
