/*
 * What an edit sends to a terminal: the frame that answers the key, and what is drawn when no key waits. Counted on
 * frames that are painted here, so that neither a line nor a clock has a part in it.
 */
#include "tests/host.h"
#include "tests/screen.h"

#include "core/plan/param.h"
#include "ui/state/advisor.h"
#include "ui/state/result.h"
#include "ui/term/paint.h"
#include "ui/term/paint_order.h"
#include "ui/term/term.h"
#include "ui/widget/layout.h"

#include <locale.h>

static struct canvas canvas;
static struct paint paint = {.words = {.plain = "\033[m", .underline = "\033[4m", .reverse = "\033[7m",
                                       .unreverse = "\033[27m", .own_fg = "\033[39m", .own_bg = "\033[49m",
                                       .dim = "\033[2m", .bold = "\033[1m",
                                       .clear = "\033[H\033[2J", .erase_rest = "\033[K", .has_erase = true,
                                       .has_erase_in_color = true, .is_ansi = true, .has_column = true,
                                       .has_steps = true, .has_tabs = true, .has_repeat = true,
                                       .has_corner = true, .joins = true}};

/* The word for a colour; "" for the terminal's own. */
static void word(char out[PAINT_WORD_MAX], int color, bool is_ground)
{
    int tens = color < 8 ? is_ground ? 40 : 30 : is_ground ? 100 : 90;
    out[0] = '\0';
    if (color >= 16)
        snprintf(out, PAINT_WORD_MAX, "\033[%d;5;%dm", is_ground ? 48 : 38, color);
    else if (color >= 0)
        snprintf(out, PAINT_WORD_MAX, "\033[%dm", tens + color % 8);
}

/* The looks of a theme with 256 colours, as an xterm has the words. */
static void take_theme(const struct theme *theme)
{
    for (int role = 0; role < ROLE_COUNT; role++) {
        struct look look = theme_look(theme, (enum role)role, 256);
        struct paint_look *out = &paint.look[role];
        out->attributes = (look.bold ? PAINT_BOLD : 0u) | (look.underline ? PAINT_UNDERLINE : 0u) |
                          (look.reverse ? PAINT_REVERSE : 0u) | (look.dim ? PAINT_DIM : 0u);
        out->fg = look.fg256;
        out->bg = look.bg256;
        out->fill = role_fill((enum role)role);
        word(out->fg_word, look.fg256, false);
        word(out->bg_word, look.bg256, true);
        word(out->bar_word, look.bg256, false);
    }
    paint.is_forgotten = true;
}

/* Bytes of a frame as term_show() sends it; 0 where nothing has changed. */
static int frame(struct ui *ui, int room)
{
    int x, y;
    struct rect first[ORDER_MAX] = {{0}};
    ui_update(ui);
    ui_draw(ui, &canvas);
    if (room < PAINT_ALL)
        order_parts(ui, &canvas, first);
    canvas_selected(&canvas, &x, &y);
    paint.used = 0;
    paint_frame(&paint, &canvas, first, room, true);
    size_t sent = paint.used;
    paint_move(&paint, x, y);
    return sent > 0 ? (int)paint.used : 0;
}

static enum verdict verdict_of(const struct ui *ui)
{
    return result_verdict_text(ui->shown).verdict;
}

/* What a key sends: at once, and when no other one follows. */
struct sent {
    int hot, rest;
    bool flips; /* the verdict */
};

static struct sent press_key(struct ui *ui, int key)
{
    struct sent sent;
    enum verdict was = verdict_of(ui);
    bool is_large = layout_shape(ui->width, ui->height).views >= VIEWS_BROAD;
    ui_update(ui);
    ui->is_hurried = true;
    ui_key(ui, key);
    sent.flips = verdict_of(ui) != was;
    sent.hot = frame(ui, term_hot_bytes(is_large, sent.flips));
    ui->is_hurried = false;
    sent.rest = frame(ui, PAINT_ALL);
    advisor_finish(ui);
    sent.rest += frame(ui, PAINT_ALL);
    return sent;
}

static struct ui *open_screen(const char *theme, int width, int height, const char *keys)
{
    static struct plan plan;
    char why[UI_MESSAGE_MAX];
    plan_clear(&plan);
    assert_int_equal(test_host()->load(test_session(), "llama3-70b-64h100", &plan, why), 0);
    struct ui_options options = {.plan = &plan, .theme = theme};
    struct ui *ui = ui_create(test_host(), &options, width, height);
    assert_non_null(ui);
    assert_int_equal(canvas_resize(&canvas, width, height), 0);
    take_theme(&ui->theme);
    ui->utf8 = true;
    play(ui, keys);
    advisor_finish(ui);
    frame(ui, PAINT_ALL);
    return ui;
}

static void close_screen(struct ui *ui)
{
    const struct paint_words words = paint.words;
    ui_free(ui);
    paint_free(&paint);
    canvas_free(&canvas);
    paint.words = words;
}

static const struct {
    const char *theme;
    int width, height;
    int hot, flip, rest, explanation; /* most bytes */
} screens[] = {{"slate", 80, 24, 800, 1400, 450, 1700},
               {"slate", 200, 60, 1000, 1800, 3300, 2000},
               {"default", 200, 60, 1000, 1800, 3300, 2000}};

/* A batch, recomputation, a micro-batch, and a tp that does not fit, each there and back. */
static void an_edit_stays_within_its_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *field, *keys;
    } edits[] = {{"global_batch_size", "+-"}, {"recompute", "+-"}, {"micro_batch_size", "+-"}, {"tp", "-+"}};
    for (size_t s = 0; s < COUNT(screens); s++) {
        struct ui *ui = open_screen(screens[s].theme, screens[s].width, screens[s].height, "");
        for (size_t e = 0; e < COUNT(edits); e++) {
            char keys[64];
            snprintf(keys, sizeof keys, "/ `%s` Enter", edits[e].field);
            play(ui, keys);
            frame(ui, PAINT_ALL);
            for (const char *key = edits[e].keys; *key; key++) {
                struct sent sent = press_key(ui, *key);
                assert_that(sent.hot > 0 && sent.hot <= (sent.flips ? screens[s].flip : screens[s].hot) &&
                                sent.rest <= screens[s].rest,
                            "%s%c in %s at %dx%d: %d and %d bytes", edits[e].field, *key, screens[s].theme,
                            screens[s].width, screens[s].height, sent.hot, sent.rest);
            }
        }
        close_screen(ui);
    }
}

/* A frame without anything new is none, and an explanation that is left is not much more than what it covered. */
static void what_was_covered_is_drawn_again(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(screens); s++) {
        struct ui *ui = open_screen(screens[s].theme, screens[s].width, screens[s].height, "1 e");
        assert_int_equal(frame(ui, PAINT_ALL), 0);
        play(ui, "q");
        int bytes = frame(ui, PAINT_ALL);
        assert_that(bytes <= screens[s].explanation, "%d bytes at %dx%d", bytes, screens[s].width, screens[s].height);
        close_screen(ui);
    }
}

/* Gaps between bars come once the line is known to be fast, and go without a frame of their own. */
static void gaps_that_a_slow_line_takes_away_cost_nothing(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(screens); s++) {
        struct ui *ui = open_screen("slate", screens[s].width, screens[s].height, "/ `global_batch_size` Enter");
        ui->can_gap = true;
        assert_true(frame(ui, PAINT_ALL) > 0);
        ui->can_gap = false;
        assert_int_equal(frame(ui, PAINT_ALL), 0);
        play(ui, "Down");
        advisor_finish(ui);
        int moved = frame(ui, PAINT_ALL);
        assert_that(moved > 0 && moved <= screens[s].hot, "%d bytes at %dx%d", moved, screens[s].width,
                    screens[s].height);
        close_screen(ui);
    }
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_edit_stays_within_its_bytes),
                                       cmocka_unit_test(what_was_covered_is_drawn_again),
                                       cmocka_unit_test(gaps_that_a_slow_line_takes_away_cost_nothing)};
    return cmocka_run_group_tests_name("ui/bytes", tests, NULL, NULL) != 0;
}
