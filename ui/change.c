#include "ui/change.h"

#include "core/plan/param.h"

#include <stdio.h>

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

void action_step_up(struct ui *ui) { change_step(ui, 1); }
void action_step_down(struct ui *ui) { change_step(ui, -1); }

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

void action_double(struct ui *ui) { change_enter(ui, "x2"); }
void action_halve(struct ui *ui) { change_enter(ui, "/2"); }
void action_reset(struct ui *ui) { change_enter(ui, ""); }

/* Makes a state of the history the present one. */
static void go_to(struct ui *ui, const struct history_entry *entry)
{
    ui_adopt(ui, &entry->plan);
    ui->is_autosave_due = true;
}

void action_undo(struct ui *ui)
{
    const struct history_entry *undone = history_at(&ui->history, ui->history.now);
    const struct history_entry *entry = history_undo(&ui->history);
    if (!entry) {
        ui_say(ui, ROLE_DIM, "nothing left to undo");
        return;
    }
    go_to(ui, entry);
    ui_say(ui, ROLE_TEXT, "undone: %s", undone->label);
}

void action_redo(struct ui *ui)
{
    const struct history_entry *entry = history_redo(&ui->history);
    if (!entry) {
        ui_say(ui, ROLE_DIM, "nothing to redo");
        return;
    }
    go_to(ui, entry);
    ui_say(ui, ROLE_TEXT, "done again: %s", entry->label);
}
