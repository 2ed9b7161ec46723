/* The screen without a terminal: keys in, lines of text out. */
#include "ui/command/action.h"
#include "ui/state/advisor.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"
#include "ui/state/result.h"
#include "ui/term/screenshot.h"
#include "ui/ui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void play(void *context, int key)
{
    struct ui *ui = context;
    if (ui->is_done)
        return;
    ui_update(ui);
    advisor_settle(ui);
    ui_key(ui, key);
}

/* Hands over each line of a text. */
static void each_line(char *text, void (*line)(void *, const char *), void *context)
{
    for (char *end; *text; text = end + 1) {
        end = text + strcspn(text, "\n");
        *end = '\0';
        line(context, text);
    }
}

int ui_screen(const struct ui_host *host, const struct ui_options *options,
              void (*line)(void *context, const char *text),
              void *context)
{
    struct canvas canvas = {0};
    struct ui *ui = ui_create(host, options, options->width, options->height);
    const char *script = options->keys ? options->keys : "";
    char title[VERDICT_MAX], why[UI_MESSAGE_MAX], *text = NULL;
    enum shot form = options->always_color ? SHOT_ANSI : SHOT_TEXT;
    int status = 3;
    if (!ui || canvas_resize(&canvas, options->width, options->height) != 0)
        goto done;
    if (options->shot && shot_form(options->shot, &form) && form == SHOT_SVG) { /* no terminal to ask for its ground */
        ui->ground = GROUND_DARK;
        ui_show_theme(ui, ui_theme_choice(ui), why);
    }
    if (options->lesson)
        lesson_begin(ui, options->lesson, options->step);
    else if (options->is_empty)
        start_open(ui);
    while (!ui->is_done && key_script_next(&script, play, ui))
        ;
    ui_update(ui);
    if (options->is_settled)
        advisor_finish(ui);
    else
        advisor_settle(ui);
    ui_update(ui);
    ui->can_gap = form != SHOT_TEXT;
    ui_draw(ui, &canvas);
    result_verdict(ui->shown, title);
    text = shot_write(&canvas, &ui->theme, form, title);
    if (text)
        each_line(text, line, context);
    status = text ? ui->status : 3;
done:
    free(text);
    canvas_free(&canvas);
    ui_free(ui);
    return status;
}
