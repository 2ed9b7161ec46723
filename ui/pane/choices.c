#include "ui/pane/choices.h"

#include "core/search/differs.h"
#include "ui/action.h"
#include "ui/baseline.h"

#include <stdio.h>

static int rows_of(const struct choices *choices, const struct ui *ui)
{
    return panes[choices->pane]->rows(ui);
}

/* The plan of the selected row; says so where there is none. */
static bool selected(const struct choices *choices, struct ui *ui, struct plan *out)
{
    bool is_any = rows_of(choices, ui) > 0 && !choices->is_old(ui);
    if (is_any)
        choices->plan(ui, ui->at[choices->pane].row, out);
    else
        ui_say(ui, ROLE_DIM, "nothing to take here yet");
    return is_any;
}

void choices_draw(const struct choices *choices, const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const struct table table = {.columns = choices->columns,
                                .count = choices->count,
                                .context = ui,
                                .rows = rows_of(choices, ui),
                                .row = ui->at[choices->pane].row,
                                .column = -1,
                                .is_focused = pane_has_focus(ui, choices->pane)};
    table_draw(&table, canvas, 0, width, height);
    for (int y = 0; y < height && choices->is_open(ui); y++)
        canvas_paint(canvas, 0, y, width, ROLE_DIM, 0);
}

void choices_describe(const struct choices *choices, const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    char sentence[DIFFERS_MAX];
    struct plan plan;
    out[0] = '\0';
    if (rows_of(choices, ui) == 0 || choices->is_old(ui))
        return;
    choices->plan(ui, ui->at[choices->pane].row, &plan);
    estimate_plan(&plan, ui->scratch);
    differs_write(ui->now, ui->scratch, sentence);
    snprintf(out, UI_MESSAGE_MAX, "%.*s", UI_MESSAGE_MAX - 1, sentence);
}

void choices_label(const struct ui *ui, const struct plan *plan, char out[HISTORY_LABEL_MAX])
{
    struct plan resolved;
    plan_resolve(plan, &resolved);
    differs_keys(&ui->now->plan, &resolved, out, HISTORY_LABEL_MAX);
}

bool choices_take(const struct choices *choices, struct ui *ui)
{
    char label[HISTORY_LABEL_MAX];
    struct plan plan;
    if (!selected(choices, ui, &plan))
        return true;
    choices_label(ui, &plan, label);
    ui_change(ui, &plan, label);
    return true;
}

void choices_pin(const struct choices *choices, struct ui *ui, bool shows)
{
    struct plan plan;
    if (!selected(choices, ui, &plan))
        return;
    baseline_pin(ui, &plan);
    if (shows && ui->has_baseline && ui->view != PANE_DIFF)
        actions[ACTION_diff].run(ui);
}

void choices_click(const struct choices *choices, struct ui *ui, int y)
{
    if (y >= 1 && y <= rows_of(choices, ui))
        ui->at[choices->pane].row = y - 1;
}
