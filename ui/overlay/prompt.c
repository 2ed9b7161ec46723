/* The line below the panes in which a command is typed. */
#include "ui/command/assign.h"
#include "ui/command/command.h"
#include "ui/command/complete.h"
#include "ui/state/effect.h"
#include "ui/overlay/overlay.h"

#include <stdio.h>
#include <string.h>

/* Draws the typed line and the message or a hint below it; returns 2, its lines. */
static int draw(const struct ui *ui, struct canvas *canvas, int width, const char *hint)
{
    int x = canvas_text(canvas, 0, 0, ROLE_KEY, ":"), cursor;
    const char *text = edit_scrolled(&ui->edit, width - x, &cursor);
    canvas_text(canvas, x, 0, ROLE_TEXT, text);
    int skipped = (int)(text - ui->edit.text);
    if (ui->fault.length > 0 && ui->fault.at >= skipped)
        canvas_paint(canvas, x + ui->fault.at - skipped, 0, ui->fault.length, ROLE_BAD, CELL_STRONG);
    canvas_paint(canvas, x + cursor, 0, 1, ROLE_TEXT, CELL_INVERSE);
    int y = canvas->clip.height > 1, beside = y ? 0 : x + text_width(text) + 2; /* one row: behind the line */
    if (ui->message[0])
        canvas_fit(canvas, beside, y, width - beside, ui->message_role, ui->message);
    else
        canvas_fit(canvas, beside, y, width - beside, ROLE_MUTED, hint);
    return 2;
}

/* ---- the command line ------------------------------------------------------------------------------------------- */

/* Keeps a line for later; of two alike in a row one. Returns false for a line that is there already. */
static bool keep(struct lines *lines, const char *line)
{
    if (!*line || strlen(line) >= LINE_MAX_BYTES ||
        (lines->count > 0 && strcmp(lines->text[lines->count - 1], line) == 0))
        return false;
    if (lines->count == LINES_KEPT)
        memmove(lines->text[0], lines->text[1], sizeof lines->text[0] * (size_t)--lines->count);
    snprintf(lines->text[lines->count++], LINE_MAX_BYTES, "%s", line);
    return true;
}

static void take_line(void *lines, const char *line)
{
    keep(lines, line);
}

static void open(struct ui *ui)
{
    if (!ui->lines.is_read && ui->host->lines)
        ui->host->lines(ui->host->context, take_line, &ui->lines);
    ui->lines.is_read = true;
    overlay_open(ui, MODE_COMMAND, "", false);
    ui->fault.length = 0;
    ui->lines.at = ui->lines.count;
}

/* What could not be read, or is refused, stays for correction, its fault marked. */
static void accept(struct ui *ui)
{
    char line[EDIT_MAX];
    snprintf(line, sizeof line, "%s", ui->edit.text + strspn(ui->edit.text, " :"));
    if (keep(&ui->lines, line) && ui->host->keep_line)
        ui->host->keep_line(ui->host->context, line);
    ui->mode = MODE_BROWSE;
    if (command_run(ui, line))
        return;
    struct edit edit;
    edit_start(&edit, line, false);
    ui->edit = edit;
    ui->mode = MODE_COMMAND;
}

static void show_line(struct ui *ui, int at)
{
    ui->lines.at = at;
    ui->fault.length = 0;
    edit_start(&ui->edit, at < ui->lines.count ? ui->lines.text[at] : "", false);
}

/* Up and Down go through the lines of before. */
static void move(struct ui *ui, int dx, int dy)
{
    int at = ui->lines.at + dy;
    (void)dx;
    if (at >= 0 && at <= ui->lines.count)
        show_line(ui, at);
}

/* The last line before this one that has in it what was typed. */
static void search(struct ui *ui)
{
    struct lines *lines = &ui->lines;
    int at = lines->at - 1;
    if (lines->at == lines->count)
        snprintf(lines->wanted, sizeof lines->wanted, "%.*s", LINE_MAX_BYTES - 1, ui->edit.text);
    while (at >= 0 && !strstr(lines->text[at], lines->wanted))
        at--;
    if (at >= 0)
        show_line(ui, at);
    else
        ui_say(ui, ROLE_MUTED, "no earlier line has '%.60s' in it", lines->wanted);
}

/* Removing what is not there leaves. */
static bool type(struct ui *ui, int key, bool is_pasted)
{
    (void)is_pasted;
    if (key == KEY_RUBOUT && ui->edit.length == 0) {
        ui->mode = MODE_BROWSE;
        return true;
    }
    if (key == KEY_CTRL('R')) {
        search(ui);
        return true;
    }
    bool is_taken = edit_key(&ui->edit, key);
    if (is_taken)
        ui->fault.length = 0;
    return is_taken;
}

/* Before drawing: what the line would do, where it sets keys. */
static void update(struct ui *ui)
{
    struct assigned assigned;
    struct typed *t = &ui->typed;
    *t = (struct typed){.is_read = assign_read(ui, ui->edit.text, &assigned) == ASSIGN_READ};
    if (!t->is_read)
        return;
    assign_text(ui, &assigned, t->value, sizeof t->value);
    effect_of_plan(ui, &assigned.plan, assigned.id[0], &t->effect);
    if (ui->scratch->diags.errors > 0)
        snprintf(t->why, sizeof t->why, "%s", finding_text(&ui->scratch->diags.item[0]).text);
}

/* What the line sets, cut where it would leave no room for what that gives. */
static void say_effect(const struct ui *ui, int width, char out[UI_MESSAGE_MAX])
{
    const struct typed *t = &ui->typed;
    char figures[96];
    int length = (int)strlen(t->value), rest = width - length - 2;
    effect_figures(ui, &t->effect, rest > width / 2 ? rest : width / 2, figures, sizeof figures);
    rest = width - (int)strlen(figures) - 2;
    bool is_cut = length > rest;
    for (length = is_cut ? rest - 1 : length; length > 0 && (t->value[length] & 0xC0) == 0x80;)
        length--;
    snprintf(out, UI_MESSAGE_MAX, "%.*s%s: %s", length > 0 ? length : 0, t->value, is_cut ? "~" : "", figures);
}

static int message(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    char hint[UI_MESSAGE_MAX];
    const struct typed *t = &ui->typed;
    (void)height;
    if (t->is_read && t->why[0])
        snprintf(hint, sizeof hint, "%s", t->why);
    else if (t->is_read)
        say_effect(ui, width, hint);
    else
        complete_hint(ui, hint, sizeof hint);
    return draw(ui, canvas, width, hint);
}

const struct overlay overlay_command = {
    .open = open, .update = update, .message = message, .move = move, .accept = accept, .complete = complete_line,
    .type = type,
};
