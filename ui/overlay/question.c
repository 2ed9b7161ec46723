/* A question that the program asks: before a file is replaced, and whether a kept plan is wanted. */
#include "core/base.h"
#include "ui/command/change.h"
#include "ui/command/command.h"
#include "ui/command/keymap.h"
#include "ui/overlay/overlay.h"

#include <stdio.h>

#define KEY(key, id) {MODE_QUESTION, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY(KEY_RETURN, accept), KEY('y', accept), KEY(KEY_ESCAPE, cancel), KEY('n', cancel), KEY('q', cancel),
    KEY(KEY_CTRL('C'), cancel), KEY(KEY_CTRL('L'), redraw), KEY(KEY_CTRL('Z'), suspend),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_QUESTION, ACTION_accept, ACTION_NONE, "do it", 0},
    {MODE_QUESTION, ACTION_cancel, ACTION_NONE, "change nothing", 0},
    {0},
};

void question_open(struct ui *ui, const char *text, void (*yes)(struct ui *ui, const char *rest), const char *rest)
{
    snprintf(ui->question.text, sizeof ui->question.text, "%s", text);
    snprintf(ui->question.rest, sizeof ui->question.rest, "%s", rest);
    ui->question.yes = yes;
    ui->question.kind = QUESTION_PLAIN;
    ui->question.is_last = false;
    ui->mode = MODE_QUESTION;
}

void question_changed(struct ui *ui, const char *text, void (*yes)(struct ui *ui, const char *rest), const char *rest)
{
    question_open(ui, text, yes, rest);
    ui->question.kind = QUESTION_CHANGED;
}

void question_save(struct ui *ui, void (*yes)(struct ui *ui, const char *rest), const char *rest)
{
    char changes[UI_MESSAGE_MAX], text[UI_MESSAGE_MAX];
    int count = ui_changes(ui, changes, sizeof changes);
    snprintf(text, sizeof text, count == 1 ? "%.60s: %d value changes: %.150s" : "%.60s: %d values change: %.150s",
             ui->path, count, changes);
    question_open(ui, text, yes, rest);
    ui->question.kind = QUESTION_SAVE;
}

/* ---- other answers than yes and no ------------------------------------------------------------------------------ */

void question_show_saved(struct ui *ui)
{
    changes_open(ui, &ui->saved, &ui->plan, ui->path[0] ? "in the file -> here" : "at the beginning -> here");
}

static void show_disk(struct ui *ui)
{
    struct plan plan;
    char why[UI_MESSAGE_MAX] = "";
    const char *path = ui->question.rest[0] ? ui->question.rest : ui->path;
    if (!ui->host->peek || ui->host->peek(ui->host->context, path, &plan, why) != 0) {
        ui->mode = MODE_BROWSE;
        ui_say(ui, ROLE_BAD, "%s", why);
    } else {
        changes_open(ui, &plan, &ui->plan, "on disk -> here");
    }
}

static void show_kept(struct ui *ui)
{
    struct plan plan;
    char text[UI_MESSAGE_MAX];
    if (ui->host->kept(ui->host->context, ui->path, &plan, text) == 0)
        changes_open(ui, &ui->plan, &plan, "here -> as it was kept");
}

static void drop_kept(struct ui *ui)
{
    ui->mode = MODE_BROWSE;
    ui->host->drop_kept(ui->host->context, ui->path);
    ui_say(ui, ROLE_TEXT, "the unsaved plan is deleted");
}

static void name_another(struct ui *ui)
{
    overlay_open(ui, MODE_COMMAND, ui->question.is_last ? "wq " : "save ", false);
}

static void read_again(struct ui *ui)
{
    char line[EDIT_MAX];
    snprintf(line, sizeof line, "load %.1000s", ui->question.rest);
    ui->mode = MODE_BROWSE;
    command_run(ui, line);
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

/* What else may be answered, and the line that says so. */
static const struct {
    const char *text;
    struct {
        char key;
        void (*run)(struct ui *ui);
    } answer[4];
} kinds[] = {
    [QUESTION_SAVE] = {"y writes it, d shows the differences, a asks for another name, Esc cancels",
                       {{'d', question_show_saved}, {'a', name_another}}},
    [QUESTION_CHANGED] = {"o overwrites, d shows the differences, r reloads, a saves under another name",
                          {{'o', accept}, {'d', show_disk}, {'r', read_again}, {'a', name_another}}},
    [QUESTION_OFFER] = {"r restores it, d shows the differences, n not now, x deletes it",
                        {{'r', accept}, {'d', show_kept}, {'x', drop_kept}}},
};

/* An offer is put off by working on. */
static bool type(struct ui *ui, int key, bool is_pasted)
{
    bool is_bound = keymap_find(&ui->settings.bindings, MODE_QUESTION, key) != ACTION_NONE;
    for (size_t i = 0; i < LENGTH(kinds->answer) && !is_pasted && ui->question.kind != QUESTION_PLAIN; i++)
        if (key != 0 && kinds[ui->question.kind].answer[i].key == key) {
            kinds[ui->question.kind].answer[i].run(ui);
            return true;
        }
    if (ui->question.kind != QUESTION_OFFER || is_pasted || is_bound)
        return false;
    ui->mode = MODE_BROWSE;
    ui_key(ui, key);
    return true;
}

/* Takes over the plan that an earlier run kept; it counts as not saved. */
static void restore(struct ui *ui, const char *rest)
{
    struct plan plan, saved;
    char path[PATH_MAX_BYTES], why[UI_MESSAGE_MAX];
    snprintf(path, sizeof path, "%s", rest);
    change_leave_file(ui);
    if (ui->host->restore(ui->host->context, &plan, &saved, path, sizeof path, why) != 0) {
        ui_say(ui, ROLE_BAD, "%s", why);
        return;
    }
    ui_change(ui, &plan, "restore");
    ui->saved = saved;
    ui->options.questions = ui->host->questions ? ui->host->questions(ui->host->context) : NULL;
    snprintf(ui->path, sizeof ui->path, "%s", path);
    ui_say(ui, ROLE_TEXT, "restored, not saved yet; u goes back");
}

void question_offer(struct ui *ui)
{
    char text[UI_MESSAGE_MAX];
    if (!ui->host->kept || ui->host->kept(ui->host->context, ui->path, NULL, text) != 0)
        return;
    question_open(ui, text, restore, ui->path);
    ui->question.kind = QUESTION_OFFER;
}

static int message(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const char *answers = kinds[ui->question.kind].text;
    if (!answers)
        return canvas_wrap(canvas, 0, 0, width, ROLE_WARN, ui->question.text);
    canvas_fit(canvas, 0, 0, width, ROLE_WARN, ui->question.text);
    if (height > 1)
        canvas_fit(canvas, 0, 1, width, ROLE_TEXT, answers);
    return 2;
}

const struct overlay overlay_question = {
    .keys = own_keys, .hints = own_hints, .message = message, .accept = accept, .type = type,
};
