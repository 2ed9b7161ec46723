/* Every size of the screen has a layout without overlaps, and nothing lies outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ui/widget/layout.h"

static struct layout_ask ask_of(int width, int height)
{
    struct layout_ask ask = {
        .width = width, .height = height, .fields = {41, 26, 21, 28, 25, 6}, .brief = {8, 9, 7, 8, 3, 3},
        .wish = {0, 0, 0, 0, 0, 0, 22, 18, 14, 14, 14, 20, 18, 12}, .form = PANE_PARALLEL, .view = PANE_MEMORY,
    };
    return ask;
}

static bool inside(struct rect r, int width, int height)
{
    return r.x >= 0 && r.y >= 0 && r.x + r.width <= width && r.y + r.height <= height && r.width >= 0 && r.height >= 0;
}

static bool overlap(struct rect a, struct rect b)
{
    return a.width > 0 && a.height > 0 && b.width > 0 && b.height > 0 && a.x < b.x + b.width && b.x < a.x + a.width &&
           a.y < b.y + b.height && b.y < a.y + a.height;
}

/* It holds views whole, and no half of one. */
static void check_corner(const struct layout *l)
{
    struct rect c = l->corner;
    assert_true(l->is_tiny || (c.width > 0 && c.height <= l->results.height && c.width <= l->results.width));
    for (int i = 0; i < l->slots; i++) {
        struct rect r = l->slot[i].rect;
        bool is_whole = r.x >= c.x && r.y >= c.y && r.x + r.width <= c.x + c.width && r.y + r.height <= c.y + c.height;
        assert_true(is_whole || !overlap(r, c));
    }
}

static void check(const struct layout_ask *ask)
{
    struct layout l;
    layout_of(ask, &l);
    struct rect all[PANE_COUNT + 7] = {l.header, l.figures, l.delta, l.message, l.hint};
    int count = 5;
    if (l.is_small) {
        all[count++] = l.field;
        all[count++] = l.body;
        assert_true(l.field.height > 0 || ask->height < 3);
    }
    for (int i = 0; i < l.slots; i++) {
        assert_true(l.slot[i].rect.width > 0 && l.slot[i].rect.height > 0);
        all[count++] = l.slot[i].rect;
    }
    for (int i = 0; i < count; i++) {
        assert_true(inside(all[i], ask->width, ask->height));
        for (int j = 0; j < i; j++)
            assert_false(overlap(all[i], all[j]));
    }
    assert_true(l.header.height > 0);
    assert_true(l.is_tiny || inside(l.results, ask->width, ask->height));
    check_corner(&l);
}

static void sweep(void (*change)(struct layout_ask *))
{
    for (int width = 1; width <= 300; width++)
        for (int height = 1; height <= 100; height++) {
            struct layout_ask ask = ask_of(width, height);
            change(&ask);
            check(&ask);
        }
}

static void leave(struct layout_ask *ask) { (void)ask; }
static void with_baseline(struct layout_ask *ask) { ask->has_baseline = true; }
static void in_view(struct layout_ask *ask) { ask->is_view_focused = true, ask->view = PANE_DIFF; }
static void in_serving(struct layout_ask *ask) { ask->form = PANE_SERVE; }
static void zoomed(struct layout_ask *ask) { ask->is_zoomed = true; }
static void single(struct layout_ask *ask) { ask->is_single = true, ask->view = PANE_GRID; }
static void huge_wishes(struct layout_ask *ask)
{
    for (int i = 0; i < PANE_COUNT; i++)
        ask->wish[i] = 500;
}

static void test_no_overlap_at_any_size(void **state) { (void)state; sweep(leave); }
static void test_no_overlap_with_a_baseline(void **state) { (void)state; sweep(with_baseline); }
static void test_no_overlap_with_the_view_focused(void **state) { (void)state; sweep(in_view); }
static void test_no_overlap_in_the_last_form(void **state) { (void)state; sweep(in_serving); }
static void test_no_overlap_when_zoomed(void **state) { (void)state; sweep(zoomed); }
static void test_no_overlap_with_one_view(void **state) { (void)state; sweep(single); }
static void test_no_overlap_when_all_want_much(void **state) { (void)state; sweep(huge_wishes); }

static void test_focused_form_is_always_there(void **state)
{
    (void)state;
    for (int form = 0; form < PANE_FORMS; form++)
        for (int height = 4; height <= 60; height++) {
            struct layout_ask ask = ask_of(80, height);
            struct layout l;
            ask.form = (enum pane_id)form;
            layout_of(&ask, &l);
            assert_true(layout_find(&l, ask.form).height >= 1);
        }
}

static void test_standard_sizes_show_what_they_promise(void **state)
{
    (void)state;
    struct layout l;
    struct layout_ask ask = ask_of(80, 24);
    layout_of(&ask, &l);
    assert_true(layout_find(&l, PANE_MEMORY).width >= 50 && layout_find(&l, PANE_TIME).height == 9 &&
                layout_find(&l, PANE_WHATIF).height >= 4);
    assert_int_equal(layout_find(&l, PANE_COMM).height, 0);
    ask = ask_of(120, 40);
    layout_of(&ask, &l);
    static const enum pane_id broad[] = {PANE_MEMORY, PANE_TIME, PANE_WHATIF, PANE_GRID, PANE_SCHEDULE};
    for (size_t i = 0; i < sizeof broad / sizeof *broad; i++)
        assert_true(layout_find(&l, broad[i]).height >= 9);
    ask.view = PANE_COMM; /* which is not among them */
    layout_of(&ask, &l);
    assert_true(layout_find(&l, PANE_COMM).height > 30 && layout_find(&l, PANE_WHATIF).height == 0);
    ask = ask_of(100, 30);
    layout_of(&ask, &l);
    static const enum pane_id column[] = {PANE_MEMORY, PANE_TIME, PANE_WHATIF, PANE_SCHEDULE};
    for (size_t i = 0; i < sizeof column / sizeof *column; i++)
        assert_true(layout_find(&l, column[i]).width >= 70 && layout_find(&l, column[i]).height >= 4);
    ask = ask_of(200, 60);
    layout_of(&ask, &l);
    static const enum pane_id wide[] = {PANE_MEMORY, PANE_TIME,  PANE_COMM,    PANE_SCHEDULE,
                                        PANE_GRID,   PANE_TUNER, PANE_WHATIF};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        assert_true(layout_find(&l, wide[i]).height >= 11);
    ask.is_serving = true;
    layout_of(&ask, &l);
    assert_true(layout_find(&l, PANE_TUNER).height == 0 && layout_find(&l, PANE_SERVE).height >= 4);
    ask = ask_of(19, 24);
    layout_of(&ask, &l);
    assert_true(l.is_tiny);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_overlap_at_any_size),
        cmocka_unit_test(test_no_overlap_with_a_baseline),
        cmocka_unit_test(test_no_overlap_with_the_view_focused),
        cmocka_unit_test(test_no_overlap_in_the_last_form),
        cmocka_unit_test(test_no_overlap_when_zoomed),
        cmocka_unit_test(test_no_overlap_with_one_view),
        cmocka_unit_test(test_no_overlap_when_all_want_much),
        cmocka_unit_test(test_focused_form_is_always_there),
        cmocka_unit_test(test_standard_sizes_show_what_they_promise),
    };
    return cmocka_run_group_tests_name("ui/layout", tests, NULL, NULL) != 0;
}
