#include "ui/command/change.h"

#include "core/base.h"
#include "core/plan/question.h"
#include "ui/pane/pane.h"
#include "ui/state/baseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void change_step(struct ui *ui, int direction)
{
    struct plan plan = ui->plan;
    enum param id = ui_field(ui);
    if (ui_step(ui, &plan, id, direction) != 0) {
        ui_say(ui, ROLE_WARN, "%s: no %s value works; Enter types one", param_rows[id].key,
               direction > 0 ? "larger" : "smaller");
        return;
    }
    ui_change_key(ui, &plan, id);
}

static void do_step_up(struct ui *ui) { change_step(ui, 1); }
static void do_step_down(struct ui *ui) { change_step(ui, -1); }

bool change_enter(struct ui *ui, const char *text)
{
    struct plan plan = ui->plan;
    char why[UI_MESSAGE_MAX];
    enum param id = ui_field(ui);
    if (ui_parse(ui, &plan, id, text, why) != 0) {
        ui_say(ui, ROLE_BAD, "%s: %.200s", param_rows[id].key, why);
        return false;
    }
    if (plan_equal(&plan, &ui->plan) && plan.from[id] == ui->plan.from[id])
        return true;
    ui_change_key(ui, &plan, id);
    return true;
}

static void do_double(struct ui *ui) { change_enter(ui, "x2"); }
static void do_halve(struct ui *ui) { change_enter(ui, "/2"); }
static void do_reset(struct ui *ui) { change_enter(ui, ""); }

/* ---- the plan's file -------------------------------------------------------------------------------------------- */

/* What of the present file is not saved is kept for a later start; true when there is such. */
static bool leave_file(struct ui *ui)
{
    bool is_modified = ui_is_modified(ui);
    ui_autosave(ui);
    if (is_modified && ui->host->leave_kept)
        ui->host->leave_kept(ui->host->context, ui->history.file);
    return is_modified;
}

/* A copy of what a file left open; none where there is no memory. */
static void keep_questions(struct questions **kept, const struct questions *questions)
{
    struct questions *copy = questions ? malloc(sizeof *copy) : NULL;
    if (copy)
        *copy = *questions;
    free(*kept);
    *kept = copy;
}

static void remember_file(struct ui *ui)
{
    struct plan_file *file = &ui->files[ui->history.file];
    file->saved = ui->saved;
    keep_questions(&file->questions, ui->options.questions);
    snprintf(file->path, sizeof file->path, "%s", ui->path);
}

bool change_leave_file(struct ui *ui)
{
    struct plan_file *more = realloc(ui->files, (size_t)(ui->file_count + 2) * sizeof *more);
    bool is_modified = leave_file(ui);
    if (!more)
        return is_modified;
    ui->files = more;
    if (ui->file_count == 0)
        ui->files[0].questions = NULL; /* the first of all */
    ui->files[ui->file_count + 1].questions = NULL;
    remember_file(ui);
    ui->history.file = ++ui->file_count;
    return is_modified;
}

static void go_to_file(struct ui *ui, int number)
{
    if (number == ui->history.file)
        return;
    leave_file(ui);
    remember_file(ui);
    ui->history.file = number;
    ui->saved = ui->files[number].saved;
    ui->options.questions = ui->files[number].questions;
    snprintf(ui->path, sizeof ui->path, "%s", ui->files[number].path);
    if (ui->host->return_kept)
        ui->host->return_kept(ui->host->context, number);
    if (ui->host->reopen)
        ui->host->reopen(ui->host->context, ui->path, ui->options.questions);
}

/* ---- back and forth --------------------------------------------------------------------------------------------- */

/* Makes a state of the history the present one. */
static void go_to(struct ui *ui, const struct history_entry *entry)
{
    go_to_file(ui, entry->file);
    ui_adopt(ui, &entry->plan);
    ui->is_autosave_due = true;
}

/* "tp 4 -> 8" of "tp 8 -> 4", each of several; a label of another kind as it is. */
static void turn_round(const char *label, char out[2 * HISTORY_LABEL_MAX])
{
    size_t used = 0;
    for (const char *p = label; *p; p += strspn(p, ", ")) {
        int n = (int)strcspn(p, ","), name = (int)strcspn(p, " ");
        const char *arrow = strstr(p, " -> ");
        if (*p == '+' && used > 0) { /* how many more */
            snprintf(out + used, 2 * HISTORY_LABEL_MAX - used, ", %s", p);
            return;
        }
        if (!arrow || arrow >= p + n || arrow < p + name + 1) {
            snprintf(out, 2 * HISTORY_LABEL_MAX, "%s", label);
            return;
        }
        int old = (int)(arrow - p) - name - 1, new = (int)(p + n - arrow) - 4;
        used += (size_t)snprintf(out + used, 2 * HISTORY_LABEL_MAX - used, "%s%.*s %.*s -> %.*s", used ? ", " : "",
                                 name, p, new, arrow + 4, old, p + name + 1);
        p += n;
    }
}

/* One state back (-1) or forth; the change that this undid or did, NULL at the end. */
static const struct history_entry *go_by(struct ui *ui, int by)
{
    const struct history_entry *left = history_at(&ui->history, ui->history.now);
    const struct history_entry *entry = by < 0 ? history_undo(&ui->history) : history_redo(&ui->history);
    if (!entry)
        return NULL;
    const struct history_entry *change = by < 0 ? left : entry;
    go_to(ui, entry);
    baseline_unswap(ui, change->label, &left->plan);
    return change;
}

static void do_undo(struct ui *ui)
{
    char label[2 * HISTORY_LABEL_MAX] = "";
    if (baseline_repin(ui))
        return;
    const struct history_entry *undone = go_by(ui, -1);
    if (!undone) {
        ui_say(ui, ROLE_MUTED, "nothing left to undo");
        return;
    }
    turn_round(undone->label, label);
    ui_say(ui, ROLE_TEXT, "undone: %s", label);
}

static void do_redo(struct ui *ui)
{
    const struct history_entry *entry = go_by(ui, 1);
    if (!entry)
        ui_say(ui, ROLE_MUTED, "nothing to redo");
    else
        ui_say(ui, ROLE_TEXT, "done again: %s", entry->label);
}

void change_go(struct ui *ui, int index)
{
    int by = index < ui->history.now ? -1 : 1, count = 0;
    while (ui->history.now != index && go_by(ui, by))
        count++;
    if (count == 0)
        ui_say(ui, ROLE_MUTED, "no changes to go back");
    else
        ui_say(ui, ROLE_TEXT, "%s: %d change%s", by < 0 ? "undone" : "done again", count, count == 1 ? "" : "s");
}

static void do_undo_all(struct ui *ui) { change_go(ui, 0); }

/* Presenting: the next figure, those without a table to read. */
static void show_next(struct ui *ui)
{
    static const enum action figures[] = {ACTION_memory, ACTION_time, ACTION_schedule, ACTION_grid};
    size_t at = 0;
    while (at < LENGTH(figures) && view_of_action(figures[at]) != (int)ui->view)
        at++;
    ui_do(ui, figures[(at + 1) % LENGTH(figures)]);
}

static void do_toggle(struct ui *ui)
{
    if (ui->options.present) {
        show_next(ui);
        return;
    }
    enum param id = ui_field(ui);
    double value = ui->now->plan.value[id];
    const struct param_type *type = param_type(id);
    if (ui->is_view_focused || type->json != PARAM_JSON_BOOL)
        ui_say(ui, ROLE_MUTED, "Space turns fields on and off; %s", ui->is_view_focused ? "Left goes to them"
                                                                                       : "+ and - step this one");
    else
        change_step(ui, value > 0 ? -1 : 1);
}

const struct action_handler change_handlers[] = {
    {ACTION_step_up, do_step_up}, {ACTION_step_down, do_step_down}, {ACTION_double, do_double},
    {ACTION_halve, do_halve}, {ACTION_reset, do_reset}, {ACTION_undo, do_undo}, {ACTION_redo, do_redo},
    {ACTION_undo_all, do_undo_all}, {ACTION_toggle, do_toggle}, {0},
};
