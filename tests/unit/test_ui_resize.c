/* Sizes: a screen that was resized looks as one that was opened in that size, in every view and over it. */
#include "tests/screen.h"
#include "tests/host.h"

#include "ui/state/advisor.h"

#include <locale.h>
#include <stdlib.h>

static const int sizes[][2] = {{200, 60}, {120, 40}, {80, 24}, {40, 12}, {20, 6}};

static struct ui *make(const char *plan_name, const int size[2], const char *script)
{
    static struct plan plan;
    char why[UI_MESSAGE_MAX];
    plan_clear(&plan);
    assert_int_equal(test_host()->load(test_session(), plan_name, &plan, why), 0);
    struct ui_options options = {.plan = &plan};
    setlocale(LC_CTYPE, "C.UTF-8");
    struct ui *ui = ui_create(test_host(), &options, size[0], size[1]);
    assert_non_null(ui);
    play(ui, script);
    return ui;
}

/* Draws as a loop does; what stays is what the canvas had. What takes long is worked out where it is looked at. */
static void draw(struct ui *ui, struct canvas *canvas)
{
    assert_int_equal(canvas_resize(canvas, ui->width, ui->height), 0);
    ui_update(ui);
    if (ui->view >= PANE_WHATIF && ui->view <= PANE_TUNER) {
        advisor_finish(ui);
        ui_update(ui);
    }
    ui_draw(ui, canvas);
}

static void expect_alike(const struct canvas *fresh, const struct canvas *kept, const char *what)
{
    static char lines[2][1 << 16];
    canvas_lines(fresh, lines[0], sizeof lines[0]);
    canvas_lines(kept, lines[1], sizeof lines[1]);
    const char *row[2] = {lines[0], lines[1]};
    for (int y = 0; y < fresh->height; y++, row[0] = strchr(row[0], '\n') + 1, row[1] = strchr(row[1], '\n') + 1)
        for (int x = 0; x < fresh->width; x++) {
            const struct cell *a = &fresh->cells[y * fresh->width + x], *b = &kept->cells[y * fresh->width + x];
            assert_that(a->glyph == b->glyph && a->role == b->role && a->mark == b->mark,
                        "%s: cell %d, %d: the resized screen has\n%.*s\nand a fresh one\n%.*s", what, x, y,
                        (int)strcspn(row[1], "\n"), row[1], (int)strcspn(row[0], "\n"), row[0]);
        }
}

/* The screen that was opened in the size `to`, with `script` pressed there, or pressed in `from` and resized once. */
static void draw_fresh(const char *plan, const char *script, const int from[2], const int to[2], struct canvas *out)
{
    struct ui *ui = make(plan, from, script);
    ui_resize(ui, to[0], to[1]);
    draw(ui, out);
    ui_free(ui);
}

/*
 * One screen goes from each size to each. It is as a fresh one, on which `script` was pressed in that size, or in the
 * first size where moving depends on what has room.
 */
static void check(const char *plan, const char *script, bool is_pressed_there)
{
    enum { SIZES = COUNT(sizes) };
    struct canvas fresh[SIZES] = {0}, kept = {0};
    struct ui *ui = make(plan, sizes[0], script);
    size_t at = 0;
    draw(ui, &kept);
    for (size_t i = 0; i < SIZES; i++)
        draw_fresh(plan, script, sizes[is_pressed_there ? i : 0], sizes[i], &fresh[i]);
    for (size_t i = 0; i < SIZES * (SIZES - 1); i++) { /* steps of one size, of two, ...: every pair in both ways */
        size_t to = (at + i / SIZES + 1) % SIZES;
        char what[160];
        ui_resize(ui, sizes[to][0], sizes[to][1]);
        draw(ui, &kept);
        snprintf(what, sizeof what, "%s, '%s', %dx%d to %dx%d", plan, script, sizes[at][0], sizes[at][1], sizes[to][0],
                 sizes[to][1]);
        expect_alike(&fresh[to], &kept, what);
        at = to;
    }
    for (size_t i = 0; i < SIZES; i++)
        canvas_free(&fresh[i]);
    canvas_free(&kept);
    ui_free(ui);
}

static void a_resized_screen_is_a_fresh_one(void **state)
{
    (void)state;
    static const char *const views[] = {
        "", "1", "1 >", "t", "t >", "2", "2 s", "2 a", "3", "3 H v", "4", "4 v", "4 1", "4 2 4", "5", "5 *", "6", "7",
        "8", "b : `gbs 256` Enter d", "b : `gbs 256` Enter d K", "e", "1 w", "/ rec", "?", "x", "i", "E", "0",
        "0 Right e", "z", "1 z", ": `tp 4`", ": `rank 37` Enter", "W", "B", "b B", "T", "C", "q"};
    for (size_t i = 0; i < COUNT(views); i++)
        check("llama3-70b-64h100", views[i], true);
}

static void what_is_selected_stays_so(void **state)
{
    (void)state;
    static const char *const moves[] = {
        "Down Down", "1 Down Down", "1 > Down", "t Down Enter", "2 s Down", "3 Down Right", "4 w", "4 ]", "4 [",
        "4 Right Right Right", "4 n", "4 End", "4 v Down", "4 Esc", "4 Tab", "5 Down Right", "6 Down", "8 Down Right",
        "b : `gbs 256` Enter d Down Down", "1 Down e", "t e Enter", "b : `gbs 256` Enter 1 c", "/ rec Down", "Enter 4"};
    for (size_t i = 0; i < COUNT(moves); i++)
        check("llama3-70b-64h100", moves[i], false);
}

static void plans_of_other_kinds_are_resized_alike(void **state)
{
    (void)state;
    static const char *const serving[] = {"", "1", "t", "2", "5", "7", "b + d"},
                             *const large[] = {"1", "3", "4", "4 v", "t", "5"};
    for (size_t i = 0; i < COUNT(serving); i++)
        check("llama3-8b-serving", serving[i], true);
    for (size_t i = 0; i < COUNT(large); i++)
        check("llama3.1-405b-16k", large[i], true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_resized_screen_is_a_fresh_one), cmocka_unit_test(what_is_selected_stays_so),
        cmocka_unit_test(plans_of_other_kinds_are_resized_alike),
    };
    return cmocka_run_group_tests_name("ui/resize", tests, NULL, NULL) != 0;
}
