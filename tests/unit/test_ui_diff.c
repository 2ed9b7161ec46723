/* The view of differences: figures of both plans, sums that hold, the user's changes first, all lines in reach. */
#include "tests/screen.h"
#include "tests/host.h"

#include "ui/state/result.h"

#include <locale.h>

static struct estimate one, other;

static struct ui *make(int width, int height)
{
    static struct plan plan;
    struct ui_options options = {.plan = &plan, .ascii = true};
    char why[UI_MESSAGE_MAX] = "";
    plan_clear(&plan);
    assert_that(test_host()->load(test_session(), "configs/plans/llama3-70b-64h100.yaml", &plan, why) == 0, "%s", why);
    struct ui *ui = ui_create(test_host(), &options, width, height);
    assert_non_null(ui);
    ui_update(ui);
    return ui;
}

/* The line of the screen that begins with this; the screen is `text`. */
static const char *line_with(const char *text, const char *words, char out[256])
{
    const char *at = strstr(text, words);
    while (at && at > text && at[-1] != '\n')
        at = strstr(at + 1, words);
    assert_that(at, "no '%s' in\n%s", words, text);
    snprintf(out, 256, "%.*s", (int)strcspn(at, "\n"), at);
    return out;
}

/* Takes the next word of a line, which has to be this one or begin it. */
static void take_words(const char **line, const char *words)
{
    *line += strspn(*line, " ");
    assert_that(strncmp(*line, words, strlen(words)) == 0, "'%s' does not begin with '%s'", *line, words);
    *line += strlen(words);
}

/* Every figure is that of an estimate of its own, and the change the one between them. */
static void figures_are_those_of_both_plans(void **state)
{
    (void)state;
    struct ui *ui = make(120, 60);
    char text[256];
    int count = 0;
    play(ui, "b : `micro_batch_size 2` Enter : `pp 2` Enter : `recompute full` Enter d");
    estimate_plan(&ui->pin[0].plan, &one);
    estimate_plan(&ui->plan, &other);
    const char *screen = strstr(screen_of(ui), "changed by you");
    for (int id = 0; id < RESULT_COUNT; id++) {
        const struct result *row = result_row((enum result_id)id, &other);
        double before = result_value((enum result_id)id, &one), after = result_value((enum result_id)id, &other);
        if (isnan(before) || isnan(after))
            continue;
        const enum figure_kind kind = row->kind == FIGURE_SPAN ? FIGURE_SECONDS : row->kind;
        char name[32];
        snprintf(text, sizeof text, "%s%s", row->name, row->kind == FIGURE_GIB ? " GiB" : "");
        snprintf(name, sizeof name, "%-14.14s", text);
        const char *line = line_with(screen, name, text) + strlen(name);
        take_words(&line, units_figure(kind, before).text);
        take_words(&line, units_figure(kind, after).text);
        take_words(&line, units_delta(kind, result_delta((enum result_id)id, &one, &other)).text);
        count++;
    }
    assert_true(count >= 10);
    assert_same(result_value(RESULT_ITERATION, &one), one.step.estimated_s);
    assert_same(result_value(RESULT_PEAK, &other), other.stage[other.peak_stage].device_bytes);
    ui_free(ui);
}

/* A signed amount of a line in seconds or GiB, and half of its last digit; NAN where it has none. */
static double amount_of(const char *line, double *half_digit)
{
    const char *at = line;
    while (*at && !((*at == '+' || *at == '-') && at[1] >= '0' && at[1] <= '9'))
        at++;
    char *end;
    double value = *at ? strtod(at, &end) : (double)NAN, unit = 1;
    if (isnan(value))
        return value;
    const char *point = memchr(at, '.', (size_t)(end - at));
    unit = strncmp(end, " ms", 3) == 0 ? 1e-3 : strncmp(end, " us", 3) == 0 ? 1e-6 : 1;
    *half_digit = 0.5 * unit * pow(10, point ? (double)(point + 1 - end) : 0);
    return value * unit;
}

/* The steps below a heading sum to what it says, in the digits that are printed; returns how many. */
static int check_sum(struct ui *ui, const char *heading)
{
    char line[256];
    const char *at = strstr(screen_of(ui), heading);
    assert_that(at, "no '%s' in\n%s", heading, screen_of(ui));
    double slack, digit, total = amount_of(at, &slack), sum = 0;
    int count = 0;
    for (at = strchr(at, '\n') + 1;; at = strchr(at, '\n') + 1) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        double amount = amount_of(line, &digit);
        if (strstr(line, "why ") || strstr(line, "other figures") || isnan(amount))
            break;
        sum += amount;
        slack += digit;
        count++;
    }
    assert_that(fabs(sum - total) <= slack + 1e-12, "%s: %g, but %g is the sum of %d", heading, total, sum, count);
    return count;
}

static void steps_sum_to_the_change(void **state)
{
    (void)state;
    struct ui *ui = make(120, 60);
    play(ui, "b : `micro_batch_size 2` Enter : `pp 2` Enter : `recompute full` Enter d z");
    assert_true(check_sum(ui, "why iteration") >= 4);
    assert_true(check_sum(ui, "why fullest") >= 4);
    play(ui, "K");
    assert_int_equal(check_sum(ui, "why iteration"), 3);
    assert_int_equal(check_sum(ui, "why fullest"), 3);
    ui_free(ui);
}

/* By key each step is what the screen showed when the key was changed. */
static void keys_add_what_they_did_when_they_were_changed(void **state)
{
    (void)state;
    struct ui *ui = make(120, 60);
    double s[3], bytes[3];
    const char *const changes[] = {"b", ": `pp 2` Enter", ": `micro_batch_size 2` Enter"};
    static const char *const names[] = {"", "parallel.pp", "train.micro_batch_size"};
    for (int i = 0; i < 3; i++) {
        play(ui, changes[i]);
        s[i] = ui->now->step.iteration_s;
        bytes[i] = ui->now->stage[ui->now->peak_stage].device_bytes;
    }
    play(ui, "d z K");
    assert_int_equal(ui->by_key.time.count, 2);
    for (int i = 1; i < 3; i++) {
        assert_string_equal(ui->by_key.time.step[i - 1].name, names[i]);
        assert_near(ui->by_key.time.step[i - 1].delta, s[i] - s[i - 1], 1e-9);
        assert_near(ui->by_key.memory.step[i - 1].delta, bytes[i] - bytes[i - 1], 1e-9);
    }
    expect(ui, "in your order");
    expect(ui, "any order");
    ui_free(ui);
}

/* What the user changed stands first, then what follows, then figures; a list that is too long says so and moves. */
static void changes_come_first_and_all_lines_are_in_reach(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "b : `micro_batch_size 2` Enter : `pp 2` Enter : `recompute full` Enter : `tp 4` Enter d");
    const char *text = screen_of(ui);
    const char *const order[] = {"4 changed by you", "recompute", "follows: dp", "peak GiB"};
    const char *at = text;
    for (size_t i = 0; i < COUNT(order); i++) {
        at = strstr(at, order[i]);
        assert_that(at, "'%s' is not there, or too early:\n%s", order[i], text);
    }
    int lines = panes[PANE_DIFF]->rows(ui), height = pane_inside(ui, PANE_DIFF).height;
    char part[64];
    snprintf(part, sizeof part, "1-%d of %d", height, lines);
    expect(ui, part);
    play(ui, "End");
    snprintf(part, sizeof part, "%d-%d of %d", lines - height + 1, lines, lines);
    expect(ui, part);
    expect(ui, "headroom");
    ui_free(ui);
}

/* Each of several baselines is compared with, and the figures are its own. */
static void every_baseline_can_be_compared_with(void **state)
{
    (void)state;
    struct ui *ui = make(120, 40);
    char text[256];
    play(ui, "b : `pp 2` Enter b : `pp 8` Enter d");
    for (int i = 1; i >= 0; i--) {
        estimate_plan(&ui->pin[i].plan, &one);
        const char *screen = strstr(screen_of(ui), "changed by you");
        const char *line = line_with(screen, "iteration ", text) + strlen("iteration ");
        take_words(&line, units_figure(FIGURE_SECONDS, one.step.estimated_s).text);
        play(ui, "<");
    }
    assert_int_equal(ui->baseline_number, 2);
    ui_free(ui);
}

/* A difference within the error of the estimate is called so; one that is beyond it, too. */
static void the_faster_plan_is_said(void **state)
{
    (void)state;
    struct ui *ui = make(120, 40);
    play(ui, "b : `vpp 2` Enter d");
    assert_non_null(strstr(screen_of(ui), " faster than pinned 1 ("));
    assert_non_null(strstr(screen_of(ui), "within the error of the estimate"));
    play(ui, ": `recompute full` Enter Down");
    assert_non_null(strstr(screen_of(ui), " slower than pinned 1 ("));
    assert_null(strstr(screen_of(ui), "within the error of the estimate"));
    ui_free(ui);
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_both_plans),
        cmocka_unit_test(steps_sum_to_the_change),
        cmocka_unit_test(keys_add_what_they_did_when_they_were_changed),
        cmocka_unit_test(changes_come_first_and_all_lines_are_in_reach),
        cmocka_unit_test(every_baseline_can_be_compared_with),
        cmocka_unit_test(the_faster_plan_is_said),
    };
    return cmocka_run_group_tests_name("ui/diff", tests, NULL, NULL) != 0;
}
