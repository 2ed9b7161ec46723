/* The question whether to leave without saving. */
#include "ui/command/browse.h"
#include "ui/command/command.h"
#include "ui/command/keymap.h"
#include "ui/overlay/overlay.h"

#include <stdio.h>

#define KEY(key, id) {MODE_QUIT, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY('y', quit), KEY('s', accept), KEY('n', cancel), KEY(KEY_ESCAPE, cancel),
    KEY(KEY_CTRL('C'), interrupt), KEY(KEY_CTRL('L'), redraw), KEY(KEY_CTRL('Z'), suspend),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_QUIT, ACTION_quit, ACTION_NONE, "leave without saving", 0},
    {MODE_QUIT, ACTION_accept, ACTION_NONE, "save", 0},
    {MODE_QUIT, ACTION_cancel, ACTION_NONE, "stay", 0},
    {0},
};

/*
 * Closes what is open; else asks where something is not saved. A q right after one that closed something does not
 * leave.
 */
static void open(struct ui *ui)
{
    enum { HASTE_MS = 400, AGAIN_MS = 250 /* keys that follow faster are one press that goes on */ };
    if (ui->aside) {
        lesson_leave(ui);
        return;
    }
    if (ui->mode == MODE_BROWSE && browse_close(ui)) {
        ui->closed_ms = ui->clock_ms;
        return;
    }
    bool is_asked = ui->mode == MODE_QUIT || !ui_is_modified(ui);
    if (ui->mode != MODE_QUIT && ui->closed_ms > 0 && ui->clock_ms - ui->closed_ms < HASTE_MS) {
        ui_say(ui, ROLE_MUTED, "press q again to quit");
        ui->closed_ms = ui->clock_ms - HASTE_MS + AGAIN_MS;
        return;
    }
    ui->is_done = is_asked;
    ui->mode = is_asked ? MODE_BROWSE : MODE_QUIT;
}

/* Saves as `:wq` does; a plan without a file gets the name of one typed. */
static void accept(struct ui *ui)
{
    if (!ui->path[0]) {
        overlay_open(ui, MODE_COMMAND, "wq ", false);
        return;
    }
    ui->mode = MODE_BROWSE;
    command_run(ui, "wq");
}

static int message(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    enum { BRIEF = 40, WORDS = 66 }; /* columns of the shorter questions */
    char changes[UI_MESSAGE_MAX], text[UI_MESSAGE_MAX];
    int count = ui_changes(ui, changes, sizeof changes);
    if (width < BRIEF)
        snprintf(text, sizeof text, "not saved: s d y Esc");
    else if (width < WORDS)
        snprintf(text, sizeof text, "%d not saved: s save, d show, y leave", count);
    else
        snprintf(text, sizeof text, "%d change%s not saved: s save, d show, y leave without, Esc stay", count,
                 count == 1 ? "" : "s");
    canvas_fit(canvas, 0, 0, width, ROLE_WARN, text);
    if (height > 1)
        canvas_fit(canvas, 0, 1, width, ROLE_TEXT, changes);
    return 2;
}

static bool type(struct ui *ui, int key, bool is_pasted)
{
    if (key != 'd' || is_pasted)
        return false;
    question_show_saved(ui);
    return true;
}

const struct overlay overlay_quit = {
    .keys = own_keys, .hints = own_hints, .open = open, .message = message, .accept = accept, .type = type,
};
