/* A question that the program asks: before a file is replaced, and whether a kept plan is wanted. */
#include "ui/baseline.h"
#include "ui/keymap.h"
#include "ui/overlay/overlay.h"

#include <stdio.h>

#define KEY(key, id) {MODE_QUESTION, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY(KEY_RETURN, accept), KEY('y', accept), KEY(KEY_ESCAPE, cancel), KEY('n', cancel), KEY('q', cancel),
    KEY(KEY_CTRL('C'), interrupt), KEY(KEY_CTRL('L'), redraw), KEY(KEY_CTRL('Z'), suspend),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_QUESTION, ACTION_accept, ACTION_NONE, "do it", 0},
    {MODE_QUESTION, ACTION_cancel, ACTION_NONE, "leave everything as it is", 0},
    {0},
};

void question_open(struct ui *ui, const char *text, void (*yes)(struct ui *ui, const char *rest), const char *rest)
{
    snprintf(ui->question.text, sizeof ui->question.text, "%s", text);
    snprintf(ui->question.rest, sizeof ui->question.rest, "%s", rest);
    ui->question.yes = yes;
    ui->question.is_save = ui->question.is_offer = false;
    ui->mode = MODE_QUESTION;
}

void question_save(struct ui *ui, void (*yes)(struct ui *ui, const char *rest), const char *rest)
{
    char changes[UI_MESSAGE_MAX], text[UI_MESSAGE_MAX];
    int count = ui_changes(ui, changes, sizeof changes);
    snprintf(text, sizeof text, count == 1 ? "%.60s: %d value changes: %.150s" : "%.60s: %d values change: %.150s", ui->path, count,
             changes);
    question_open(ui, text, yes, rest);
    ui->question.is_save = true;
}

/* Before a file is written: its differences, and another name for it. An offer is put off by working on. */
static bool type(struct ui *ui, int key, bool is_pasted)
{
    if (ui->question.is_offer && !is_pasted && keymap_find(&ui->settings.bindings, MODE_QUESTION, key) == ACTION_NONE) {
        ui->mode = MODE_BROWSE;
        ui_key(ui, key);
        return true;
    }
    if (!ui->question.is_save || is_pasted || (key != 'd' && key != 'a'))
        return false;
    ui->mode = MODE_BROWSE;
    if (key == 'a') {
        overlay_open(ui, MODE_COMMAND, "save ", false);
        return true;
    }
    baseline_pin(ui, &ui->saved);
    ui->view = PANE_DIFF;
    ui->is_view_focused = true;
    return true;
}

/* Takes over the plan that an earlier run kept; it counts as not saved. */
static void restore(struct ui *ui, const char *rest)
{
    struct plan plan, saved;
    char path[PATH_MAX_BYTES], why[UI_MESSAGE_MAX];
    snprintf(path, sizeof path, "%s", rest);
    if (ui->host->restore(ui->host->context, &plan, &saved, path, sizeof path, why) != 0) {
        ui_say(ui, ROLE_BAD, "%s", why);
        return;
    }
    ui_change(ui, &plan, "restore");
    ui->saved = saved;
    snprintf(ui->path, sizeof ui->path, "%s", path);
    ui_say(ui, ROLE_TEXT, "restored, not saved yet; u goes back");
}

void question_offer(struct ui *ui)
{
    char text[UI_MESSAGE_MAX];
    if (ui->host->kept && ui->host->kept(ui->host->context, ui->path, text) == 0)
        question_open(ui, text, restore, ui->path);
    ui->question.is_offer = ui->mode == MODE_QUESTION;
}

static void accept(struct ui *ui)
{
    char rest[EDIT_MAX];
    snprintf(rest, sizeof rest, "%s", ui->question.rest);
    ui->mode = MODE_BROWSE;
    ui->is_confirmed = true;
    ui->question.yes(ui, rest);
    ui->is_confirmed = false;
}

static int message(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    if (!ui->question.is_save)
        return canvas_wrap(canvas, 0, 0, width, ROLE_WARN, ui->question.text);
    canvas_fit(canvas, 0, 0, width, ROLE_WARN, ui->question.text);
    if (height > 1)
        canvas_fit(canvas, 0, 1, width, ROLE_TEXT, "y writes it, d shows what differs, a takes another name, Esc leaves it");
    return 2;
}

const struct overlay overlay_question = {
    .keys = own_keys, .hints = own_hints, .message = message, .accept = accept, .type = type,
};
