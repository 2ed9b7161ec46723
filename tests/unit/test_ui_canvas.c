/* The cell grid: clipping, wide and bad characters; figures as text; keys from bytes; themes from words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/show/figure.h"
#include "ui/term/canvas.h"
#include "ui/widget/units.h"
#include "ui/term/input.h"
#include "ui/term/theme.h"

static struct canvas canvas;

static int set_up(void **state)
{
    (void)state;
    setlocale(LC_CTYPE, "C.UTF-8");
    return canvas_resize(&canvas, 10, 3);
}

static int tear_down(void **state)
{
    (void)state;
    canvas_free(&canvas);
    return 0;
}

static void expect_row(int y, const char *text)
{
    char out[64];
    canvas_line(&canvas, y, out, sizeof out);
    assert_string_equal(out, text);
}

static void test_text_is_cut_at_the_clip(void **state)
{
    (void)state;
    canvas_text(&canvas, 7, 0, ROLE_TEXT, "abcdef");
    canvas_text(&canvas, -2, 1, ROLE_TEXT, "abcdef");
    canvas_text(&canvas, 0, 7, ROLE_TEXT, "nowhere");
    expect_row(0, "       abc");
    expect_row(1, "cdef");
    canvas_clip(&canvas, (struct rect){2, 2, 3, 1});
    canvas_text(&canvas, 0, 0, ROLE_TEXT, "abcdef");
    expect_row(2, "  abc");
}

static void test_cut_text_is_marked(void **state)
{
    (void)state;
    assert_int_equal(canvas_fit(&canvas, 0, 0, 5, ROLE_TEXT, "abcdefgh"), 5);
    expect_row(0, "abcd~");
    static const struct {
        const char *text, *cut;
    } numbers[] = {{"of 12345", "of ~"}, {"in 8.05 s", "in ~"}, {"ab 12 cd", "ab ~"}, {"1 234 56", "1 ~"},
                   {"12345678", "~"},    {"a1234 bc", "a~"},    {"v2 words", "v2 w~"}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) { /* a digit is never right before the mark */
        canvas_clear(&canvas);
        canvas_fit(&canvas, 0, 0, 5 + (i == 2), ROLE_TEXT, numbers[i].text);
        expect_row(0, numbers[i].cut);
    }
    static const struct {
        const char *text, *cut;
    } clauses[] = {{"a plan, to compare with", "a plan"}, {"use a, b, c or d", "use a, .."},
                   {"a short (of two)", "a short"}, {"use 1, 2 or 4 of all", "use 1, .."}};
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++) { /* a clause may be left out, not a list's rest */
        canvas_clear(&canvas);
        canvas_fit(&canvas, 0, 0, 10, ROLE_TEXT, clauses[i].text);
        expect_row(0, clauses[i].cut);
    }
    canvas_right(&canvas, 10, 1, ROLE_TEXT, "42");
    expect_row(1, "        42");
}

static void test_wide_characters_take_two_cells(void **state)
{
    (void)state;
    canvas_text(&canvas, 0, 0, ROLE_TEXT, "\xe6\xbc\xa2x");
    expect_row(0, "\xe6\xbc\xa2x");
    assert_int_equal(canvas.cells[1].glyph, 0);
    canvas_text(&canvas, 9, 1, ROLE_TEXT, "\xe6\xbc\xa2");
    expect_row(1, "");
}

/* Whatever is written over it, no half of a wide character is left. */
static void test_no_half_is_left(void **state)
{
    (void)state;
    srand(5);
    for (int i = 0; i < 3000; i++) {
        static const char *const texts[] = {"a", "模型模", "x模", "模", "1234 模"};
        const char *text = texts[rand() % 5];
        int x = rand() % canvas.width, y = rand() % canvas.height, width = rand() % 5;
        if (i % 3 == 0)
            canvas_blank(&canvas, (struct rect){x, y, width, 1});
        else if (i % 3 == 1)
            canvas_fit(&canvas, x, y, width, ROLE_TEXT, text);
        else
            canvas_text(&canvas, x, y, ROLE_TEXT, text);
        for (int j = 0; j < canvas.width; j++) {
            const struct cell *cell = &canvas.cells[y * canvas.width + j];
            bool has_half = j + 1 < canvas.width && cell[1].glyph == 0;
            if (cell->glyph != 0 && (glyph_width(cell->glyph) == 2) != has_half)
                fail_msg("round %d: a half at %d", i, j);
            assert_true(cell->glyph != 0 || j > 0);
        }
    }
}

static void test_control_and_bad_bytes_never_reach_cells(void **state)
{
    (void)state;
    canvas_text(&canvas, 0, 0, ROLE_TEXT, "a\x1b\x07\x7f\xff\xc2\x9b z");
    for (int x = 0; x < 10; x++)
        assert_true(canvas.cells[x].glyph == 0xfffd || canvas.cells[x].glyph < 0x7f);
    assert_int_equal(canvas.cells[1].glyph, '?');
}

static void test_ascii_canvas_has_only_ascii(void **state)
{
    (void)state;
    canvas.ascii = true;
    canvas_text(&canvas, 0, 0, ROLE_TEXT, "\xe2\x94\x80\xe6\xbc\xa2");
    expect_row(0, "???");
    canvas.ascii = false;
}

static void test_text_wraps_at_blanks(void **state)
{
    (void)state;
    assert_int_equal(canvas_wrap(&canvas, 0, 0, 10, ROLE_TEXT, "one two three"), 2);
    expect_row(0, "one two");
    expect_row(1, "three");
    canvas_wrap(&canvas, 0, 1, 10, ROLE_TEXT, "one two three four five six"); /* two rows are left */
    expect_row(1, "one two");
    expect_row(2, "three ..");
    canvas_wrap(&canvas, 0, 1, 10, ROLE_TEXT, "first part\nthe others");
    expect_row(1, "first part");
    expect_row(2, "the others");
}

static void test_figures(void **state)
{
    (void)state;
    static const struct {
        enum figure_kind kind;
        double value;
        const char *text;
    } cases[] = {
        {FIGURE_GIB, 48.94 * 0x1p30, "48.9"}, {FIGURE_BYTES, 0x1p27, "128 MiB"},
        {FIGURE_BYTES, 1.1 * 0x1p40, "1.10 TiB"},
        {FIGURE_SECONDS, 18, "18.0 s"},       {FIGURE_SECONDS, 0.812, "812 ms"}, {FIGURE_SECONDS, 3.2e-6, "3.20 us"},
        {FIGURE_PERCENT, 0.42, "42.0%"},      {FIGURE_COUNT, 5120, "5120"},      {FIGURE_COUNT, 131.3e6, "131M"},
        {FIGURE_MONEY, 763e3, "$763k"},     {FIGURE_MONEY, 2.5, "$2.50"},      {FIGURE_SECONDS, 199 * 86400.0, "199 d"},
        {FIGURE_SECONDS, 119, "119 s"},     {FIGURE_SECONDS, 120, "2.00 min"}, {FIGURE_SECONDS, 10800, "3.00 h"},
        {FIGURE_BYTES, 0x1p31, "2.00 GiB"}, {FIGURE_BYTES, 0x1p30 - 1, "1.00 GiB"}, {FIGURE_BYTES, 1023, "1023 B"},
        {FIGURE_COUNT, 45.67, "45.7"},      {FIGURE_COUNT, 999.96e3, "1.00M"},
        {FIGURE_EXACT, 6642515968.0, "6,642,515,968"},
        {FIGURE_MIB, 16384, "0.02"},        {FIGURE_MIB, 448 * 0x1p20, "448.0"}, {FIGURE_MIB_TO_SUM, 0x1p20, "1.00"},
        {FIGURE_SUM, 0.00123, "0.0012"},    {FIGURE_SUM, 1234.4, "1,234"},
        {FIGURE_EXACT, -99.9e15, "-99,900,000,000,000,000"},
        {FIGURE_GIB, NAN, "?"},               {FIGURE_COUNT, INFINITY, "inf"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(figure(cases[i].kind, cases[i].value).text, cases[i].text);
    assert_string_equal(figure_delta(FIGURE_GIB, -0x1p30).text, "-1.0");
    assert_string_equal(figure_delta(FIGURE_GIB, 1000).text, "=");
    assert_string_equal(figure_delta(FIGURE_PERCENT, 0.024).text, "+2.4");
    assert_string_equal(figure_delta(FIGURE_GIB, NAN).text, "?");
    assert_string_equal(figure_share(-0.111).text, "-11.1 %");
    assert_string_equal(figure_share(22.3).text, "+2230.0 %");
    assert_string_equal(figure_share(-0.0004).text, "=");
    assert_string_equal(figure_share(NAN).text, "?");
}

static void test_figures_of_any_number_fit(void **state)
{
    (void)state;
    for (int kind = 0; kind <= FIGURE_PLAIN; kind++)
        for (double value = 1e-300; value < 1e300; value *= 7.3) {
            assert_true(strlen(figure((enum figure_kind)kind, value).text) < sizeof(struct figure));
            assert_true(strlen(figure((enum figure_kind)kind, -value).text) < sizeof(struct figure));
        }
}

/* The keys that bytes give; a final flush stands for a quiet moment. */
static int keys_of(const char *bytes, int keys[16])
{
    struct input input = {0};
    struct event event;
    int count = 0;
    for (size_t i = 0; i < strlen(bytes); i++)
        for (bool is_key = input_byte(&input, (unsigned char)bytes[i], &event); is_key && count < 16;
             is_key = input_next(&input, &event))
            keys[count++] = event.key;
    if (input_flush(&input, &event) && count < 16)
        keys[count++] = event.key;
    return count;
}

static void test_bytes_become_keys(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        int keys[4];
    } cases[] = {
        {"a", {'a'}},
        {"\xc3\xa9", {0xe9}},
        {"\r", {KEY_RETURN}},
        {"\n", {KEY_RETURN}},
        {"\x1b[A", {KEY_ARROW_UP}},
        {"\x1bOA", {KEY_ARROW_UP}},
        {"\x1b[1;5A", {KEY_ARROW_UP}},
        {"\x1b[5~j", {KEY_PAGE_UP, 'j'}},
        {"\x1b[3;2~", {KEY_DELETE}},
        {"\x1b[11~", {KEY_F1}},
        {"\x1b[[A", {KEY_F1}},
        {"\x1bOP", {KEY_F1}},
        {"\x1b", {KEY_ESCAPE}},
        {"\x1b+", {'+' | KEY_WITH_ALT}},
        {"\x1b[99;99Xq", {KEY_UNKNOWN, 'q'}},
        {"\x1b]11;rgb:0/0/0\x07q", {KEY_GROUND_DARK, 'q'}},
        {"\x1b]11;rgb:ffff/fff0/f000\x1b\\q", {KEY_GROUND_LIGHT, 'q'}},
        {"\x1b[?997;1n\x1b[?997;2n\x1b[?997;3n", {KEY_SCHEME_DARK, KEY_SCHEME_LIGHT, KEY_UNKNOWN}},
        {"\x1b]11;rgb:x\x07\x1b]10;rgb:0/0/0\x07q", {KEY_REPORT, KEY_REPORT, 'q'}},
        {"\x1bP1+r544e\x1b\\q\x1bP>|tmux\x1b\\", {KEY_REPORT, 'q', KEY_REPORT}},
        {"\x1bPab", {'P' | KEY_WITH_ALT, 'a', 'b'}},
        {"\x1bP\x1b_j", {'P' | KEY_WITH_ALT, '_' | KEY_WITH_ALT, 'j'}},
        {"\x1bP", {'P' | KEY_WITH_ALT}},
        {"\x1b^j", {'^' | KEY_WITH_ALT, 'j'}},
        {"\x1b]11;rgba:ff/ff/ff/80\x07", {KEY_GROUND_LIGHT}},
        {"\x1b]q\x1b]11\r", {']' | KEY_WITH_ALT, 'q', KEY_RETURN}}, /* no string; and one that a key breaks off */
        {"\x1b]11;\x1b[Aq", {KEY_ARROW_UP, 'q'}},
        {"\x1bXj\x03", {'X' | KEY_WITH_ALT, 'j', 3}},
        {"\x08", {KEY_RUBOUT}},
        {"\x1b[?9999~", {KEY_SYNC}},
        {"\xff\xfe""a", {KEY_UNKNOWN, KEY_UNKNOWN, 'a'}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int keys[16] = {0};
        int count = keys_of(cases[i].bytes, keys), expected = 0;
        while (expected < 4 && cases[i].keys[expected])
            expected++;
        assert_int_equal(count, expected);
        for (int k = 0; k < count; k++)
            assert_int_equal(keys[k], cases[i].keys[k]);
    }
}

static void test_pasted_text_is_told_from_keys(void **state)
{
    (void)state;
    struct input input = {0};
    struct event event;
    const char *bytes = "\x1b[200~q\n\x1b[201~q";
    int pasted = 0, plain = 0;
    for (size_t i = 0; i < strlen(bytes); i++)
        if (input_byte(&input, (unsigned char)bytes[i], &event) && event.key < KEY_FIRST)
            event.is_pasted ? pasted++ : plain++;
    assert_int_equal(pasted, 2);
    assert_int_equal(plain, 1);
}

static void test_mouse_reports(void **state)
{
    (void)state;
    struct input input = {0};
    struct event event = {0};
    for (const char *p = "\x1b[<65;10;3M"; *p; p++)
        input_byte(&input, (unsigned char)*p, &event);
    assert_int_equal(event.key, KEY_MOUSE_EVENT);
    assert_int_equal(event.button, MOUSE_WHEEL_DOWN);
    assert_int_equal(event.x, 9);
    assert_int_equal(event.y, 2);
}

static void test_random_bytes_never_overflow(void **state)
{
    (void)state;
    struct input input = {0};
    struct event event;
    srand(7);
    for (int i = 0; i < 500000; i++) {
        int r = rand();
        input_byte(&input, (unsigned char)(r % 5 == 0 ? "\x1b[O;<?~M]\\"[r / 5 % 10] : r / 5), &event);
        assert_true(input.length >= 0 && input.length < INPUT_MAX);
    }
}

/* In powers of 1000 where that is chosen: 80 GB are 74.5 GiB. */
static void test_units(void **state)
{
    (void)state;
    units_use(UNITS_GB);
    assert_string_equal(units_figure(FIGURE_GIB, 80e9).text, "80.0");
    assert_string_equal(units_figure(FIGURE_GIB_TO_SUM, 1073741824).text, "1.07");
    assert_string_equal(units_figure(FIGURE_BYTES, 134217728).text, "134 MB");
    assert_string_equal(units_figure(FIGURE_BYTES, 999.7e6).text, "1.00 GB");
    assert_string_equal(units_figure(FIGURE_BYTES, 2.5e15).text, "2.50 PB");
    assert_string_equal(units_figure(FIGURE_BYTES, 12).text, "12 B");
    assert_string_equal(units_figure(FIGURE_SECONDS, 12).text, "12.0 s");
    assert_string_equal(units_delta(FIGURE_GIB, -1e9).text, "-1.0");
    assert_string_equal(units_word("kept: MiB").text, "kept: MB");
    units_use(UNITS_GIB);
    assert_string_equal(units_figure(FIGURE_GIB, 80e9).text, "74.5");
    assert_string_equal(units_word("kept: MiB").text, "kept: MiB");
}

/* Where the cursor goes: to what is typed, else to what is in use, in the last row that has such. */
static void test_the_selection_is_found(void **state)
{
    (void)state;
    int x, y;
    canvas_selected(&canvas, &x, &y);
    assert_true(x == 0 && y == 0);
    canvas_paint(&canvas, 1, 2, 1, ROLE_SELECTED, 0); /* of a pane that is not in use */
    canvas_selected(&canvas, &x, &y);
    assert_true(x == 1 && y == 2);
    canvas_paint(&canvas, 4, 0, 2, ROLE_FOCUS, 0);
    canvas_paint(&canvas, 2, 1, 3, ROLE_FOCUS, 0);
    canvas_selected(&canvas, &x, &y);
    assert_true(x == 2 && y == 1);
    canvas_paint(&canvas, 3, 0, 1, ROLE_EDIT, CELL_INVERSE);
    canvas_selected(&canvas, &x, &y);
    assert_true(x == 3 && y == 0);
}

static void test_theme_words(void **state)
{
    (void)state;
    struct theme theme;
    char why[THEME_MESSAGE_MAX];
    theme_default(&theme);
    assert_int_equal(theme_set(&theme, "weights", "fg=25 bg=default fg16=4 bold", why), 0);
    assert_int_equal(theme.look[ROLE_WEIGHTS].fg256, 25);
    assert_int_equal(theme.look[ROLE_WEIGHTS].bg256, -1);
    assert_true(theme.look[ROLE_WEIGHTS].bold);
    assert_int_equal(theme_set(&theme, "weights", "fg=256", why), -1);
    assert_int_equal(theme_set(&theme, "weights", "fg16=16", why), -1);
    assert_int_equal(theme_set(&theme, "weights", "shiny", why), -1);
    assert_int_equal(theme_set(&theme, "nothing", "bold", why), -1);
    assert_int_equal(theme.look[ROLE_WEIGHTS].fg256, 25);
    for (int i = 0; i < ROLE_COUNT; i++)
        assert_int_equal(theme_set(&theme, role_name((enum role)i), "", why), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_text_is_cut_at_the_clip),
        TEST(test_cut_text_is_marked),
        TEST(test_wide_characters_take_two_cells),
        TEST(test_no_half_is_left),
        TEST(test_control_and_bad_bytes_never_reach_cells),
        TEST(test_ascii_canvas_has_only_ascii),
        TEST(test_text_wraps_at_blanks),
        TEST(test_figures),
        TEST(test_figures_of_any_number_fit),
        TEST(test_bytes_become_keys),
        TEST(test_pasted_text_is_told_from_keys),
        TEST(test_mouse_reports),
        TEST(test_random_bytes_never_overflow),
        TEST(test_units),
        TEST(test_the_selection_is_found),
        TEST(test_theme_words),
    };
    return cmocka_run_group_tests_name("ui/canvas", tests, NULL, NULL) != 0;
}
