/* tests/screen.h - what tests of the screen share: keys pressed one by one, and what is drawn after them as text. */
#pragma once

#include "tests/check.h"

#include "ui/command/action.h"
#include "ui/pane/pane.h"
#include "ui/state/state.h"

#include <ctype.h>

/* One key, with everything that follows from it computed. */
static inline void press(void *ui, int key)
{
    ui_update(ui);
    ui_key(ui, key);
    ui_update(ui);
}

/* A script of keys, as --keys takes it; returns how many it has. */
static inline int play(struct ui *ui, const char *script)
{
    int keys = 0;
    while (key_script_next(&script, press, ui))
        keys++;
    return keys;
}

/* The screen, a line a row; valid until the next call. */
static inline const char *screen_of(struct ui *ui)
{
    static char text[1 << 16];
    struct canvas canvas = {0};
    assert_int_equal(canvas_resize(&canvas, ui->width, ui->height), 0);
    ui_update(ui);
    ui_draw(ui, &canvas);
    canvas_lines(&canvas, text, sizeof text);
    canvas_free(&canvas);
    return text;
}

/* Words of two letters and more on the whole screen, the names of keys among them. */
static inline int words_shown(struct ui *ui)
{
    struct canvas canvas = {0};
    int words = 0, letters = 0;
    assert_int_equal(canvas_resize(&canvas, ui->width, ui->height), 0);
    ui_update(ui);
    ui_draw(ui, &canvas);
    for (int i = 0; i < ui->width * ui->height; i++) {
        bool is_letter = canvas.cells[i].glyph < 0x80 && isalpha((int)canvas.cells[i].glyph);
        letters = !is_letter ? 0 : i % ui->width ? letters + 1 : 1;
        words += letters == 2;
    }
    canvas_free(&canvas);
    return words;
}

static inline void expect(struct ui *ui, const char *part)
{
    const char *text = screen_of(ui);
    assert_that(check_mentions(text, part), "the screen has no '%s':\n%s", part, text);
}

static inline void expect_not(struct ui *ui, const char *part)
{
    const char *text = screen_of(ui);
    assert_that(!strstr(text, part), "the screen has '%s':\n%s", part, text);
}
