#include "ui/pane/pane.h"

#include "core/plan/param.h"
#include "core/show/figure.h"

#include <stdio.h>

const struct pane *const panes[PANE_COUNT] = {
    [PANE_MEMORY] = &pane_memory, [PANE_TIME] = &pane_time, [PANE_SCHEDULE] = &pane_schedule, [PANE_COMM] = &pane_comm,
    [PANE_GRID] = &pane_grid,
    [PANE_LAYERS] = &pane_layers, [PANE_WHATIF] = &pane_whatif, [PANE_SWEEP] = &pane_sweep, [PANE_TUNER] = &pane_tuner,
    [PANE_DIFF] = &pane_diff, [PANE_WHY] = &pane_why, [PANE_HISTORY] = &pane_history,
};

bool pane_has_focus(const struct ui *ui, enum pane_id pane)
{
    return pane < PANE_FORMS ? !ui->is_view_focused && ui->form == pane : ui->is_view_focused && ui->view == pane;
}

void pane_click_row(struct ui *ui, enum pane_id pane)
{
    int link = ui->pressed.link;
    if (link >= LINK_ROWS && link < LINK_BARS)
        ui->at[pane].row = link - LINK_ROWS;
}

/* The finding that says what is not modelled. */
static const char *unmodelled_message(const struct estimate *e)
{
    for (int i = 0; i < e->diags.count; i++)
        if (e->diags.item[i].is_unmodelled)
            return e->diags.item[i].message;
    return "this plan is not modelled yet";
}

static int draw_finding(struct canvas *canvas, int y, int width, const struct diag *finding)
{
    char text[DIAG_MESSAGE_MAX + 64];
    snprintf(text, sizeof text, "%s: %s", param_rows[finding->param].key, finding->message);
    return canvas_wrap(canvas, 0, y, width, ROLE_TEXT, text);
}

bool pane_excuse(const struct ui *ui, struct canvas *canvas, int width)
{
    const struct estimate *e = ui->shown;
    if (!e->is_computed) {
        int y = canvas_wrap(canvas, 0, 0, width, ROLE_BAD, "Nothing can be computed from this plan:");
        for (int i = 0; i < e->diags.errors && i < e->diags.count; i++)
            y = draw_finding(canvas, y + 1, width, &e->diags.item[i]);
        return true;
    }
    if (e->is_modelled)
        return false;
    int y = canvas_wrap(canvas, 0, 0, width, ROLE_WARN, "Not modelled yet:");
    y = canvas_wrap(canvas, 0, y, width, ROLE_TEXT, unmodelled_message(e));
    for (int i = 0; i < e->stages && i < 40; i++)
        canvas_format(canvas, 0, y + 1 + i, ROLE_TEXT, "s%-4d %s parameters on one rank", i,
                      figure(FIGURE_COUNT, e->stage[i].params).text);
    return true;
}
