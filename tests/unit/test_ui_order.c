/* What a slow line shows first: where the user types, the verdict, and what is in use, at every size. */
#include "tests/screen.h"
#include "tests/host.h"

#include "ui/term/paint_order.h"

#include <locale.h>

static const int sizes[][2] = {{200, 60}, {120, 40}, {80, 24}, {40, 12}, {20, 6}};

/* Draws what the keys lead to and returns how many parts it has. */
static int parts_of(const char *script, const int size[2], struct canvas *canvas, struct rect parts[ORDER_MAX])
{
    static struct plan plan;
    char why[UI_MESSAGE_MAX];
    plan_clear(&plan);
    assert_int_equal(test_host()->load(test_session(), "llama3-70b-64h100", &plan, why), 0);
    struct ui_options options = {.plan = &plan};
    struct ui *ui = ui_create(test_host(), &options, size[0], size[1]);
    int count = 0;
    assert_non_null(ui);
    play(ui, script);
    ui_update(ui);
    assert_int_equal(canvas_resize(canvas, size[0], size[1]), 0);
    ui_draw(ui, canvas);
    order_parts(ui, canvas, parts);
    while (parts[count].height > 0)
        assert_true(++count < ORDER_MAX);
    ui_free(ui);
    return count;
}

/* Whether a part holds this text, in one row. */
static bool holds(const struct canvas *canvas, struct rect part, const char *text)
{
    static char line[4096];
    for (int y = part.y; y < part.y + part.height; y++) {
        canvas_line(canvas, y, line, sizeof line);
        const char *at = strstr(line, text);
        if (at && text_width(line) >= part.x && text_width(line) - text_width(at) >= part.x &&
            text_width(line) - text_width(at) < part.x + part.width)
            return true;
    }
    return false;
}

static const char *const scripts[] = {"", "Down", "3 Right", "e", "/ t p", ": s e t", "/ t p Enter Enter 4", "2 z", "x",
                                      "0", "b + d", "?"};

/* Each part lies on the screen, and the first is the row of the cursor. */
static void the_row_of_the_cursor_is_first(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(scripts) * COUNT(sizes); i++) {
        const int *size = sizes[i % COUNT(sizes)];
        struct canvas canvas = {0};
        struct rect parts[ORDER_MAX];
        int x, y, count = parts_of(scripts[i / COUNT(sizes)], size, &canvas, parts);
        canvas_selected(&canvas, &x, &y);
        assert_true(count > 0);
        assert_that(rect_has(parts[0], x, y) && parts[0].height == 1, "'%s' at %dx%d: %d, %d is in row %d",
                    scripts[i / COUNT(sizes)], size[0], size[1], x, y, parts[0].y);
        for (int k = 0; k < count; k++)
            assert_true(parts[k].x >= 0 && parts[k].y >= 0 && parts[k].width > 0 &&
                        parts[k].x + parts[k].width <= size[0] && parts[k].y + parts[k].height <= size[1]);
        canvas_free(&canvas);
    }
}

/* How early a text comes: the first part that has it; or the count of them. */
static int place_of(const char *script, const int size[2], const char *text)
{
    struct canvas canvas = {0};
    struct rect parts[ORDER_MAX];
    int place = 0, count = parts_of(script, size, &canvas, parts);
    while (place < count && !holds(&canvas, parts[place], text))
        place++;
    canvas_free(&canvas);
    return place;
}

static void what_is_in_use_comes_before_the_rest(void **state)
{
    (void)state;
    const struct {
        const char *script, *early, *late;
    } cases[] = {{"", "- 8 +", "tensor-parallel"},           /* the field before its help */
                 {"", "tensor-parallel", "Traffic"},   /* its help before other views */
                 {"3", "rank 0", "W weights"},               /* and that in use before all */
                 {"3", "3 Who", "rank 0"},                 /* its title first */
                 {"/ t p", "> tp", "parallel.tp"},           /* what is typed before what it means */
                 {"+", "FITS", "ZeRO"}};                       /* the verdict before other fields */
    for (size_t i = 0; i < COUNT(cases); i++) {
        int early = place_of(cases[i].script, sizes[0], cases[i].early),
            late = place_of(cases[i].script, sizes[0], cases[i].late);
        assert_that(early < late, "'%s': %s is part %d, %s part %d", cases[i].script, cases[i].early, early,
                    cases[i].late, late);
    }
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_row_of_the_cursor_is_first),
                                       cmocka_unit_test(what_is_in_use_comes_before_the_rest)};
    return cmocka_run_group_tests_name("order", tests, NULL, NULL) != 0;
}
