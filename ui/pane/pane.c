#include "ui/pane/pane.h"

#include <stdio.h>

const struct pane *const panes[PANE_COUNT] = {
#define VIEW(id, ID, ...) [PANE_##ID] = &pane_##id,
#include "ui/pane/view.def"
#undef VIEW
};

const struct view_row view_rows[PANE_COUNT] = {
#define VIEW(id, ID, word, letter, ...) [PANE_##ID] = {.name = word, .key = letter, .action = ACTION_##id},
#include "ui/pane/view.def"
#undef VIEW
};

int view_of_action(enum action action)
{
    for (int i = PANE_FORMS; i < PANE_COUNT; i++)
        if (view_rows[i].action == action)
            return i;
    return -1;
}

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
static struct finding_text unmodelled_text(const struct estimate *e)
{
    for (int i = 0; i < e->diags.count; i++)
        if (e->diags.item[i].is_unmodelled)
            return finding_text(&e->diags.item[i]);
    return (struct finding_text){"this plan is not modelled yet"};
}

static int draw_finding(struct canvas *canvas, int y, int width, const struct diag *finding)
{
    char text[DIAG_TEXT_MAX + 64];
    snprintf(text, sizeof text, "%s: %s", param_rows[finding->param].key, finding_text(finding).text);
    return canvas_wrap(canvas, 0, y, width, ROLE_TEXT, text);
}

/* Whether another panel of this screen says why there is nothing. */
static bool is_said_elsewhere(const struct ui *ui, enum pane_id pane)
{
    for (int i = 0; i < ui->layout.slots && pane != PANE_MEMORY; i++)
        if (ui->layout.slot[i].pane == PANE_MEMORY)
            return true;
    return false;
}

bool pane_draw_unavailable(const struct ui *ui, struct canvas *canvas, int width, enum pane_id pane)
{
    const struct estimate *e = ui->shown;
    if ((!e->is_computed || !e->is_modelled) && is_said_elsewhere(ui, pane)) {
        canvas_pick(canvas, 0, 0, width, ROLE_MUTED,
                    "not known: 1 Memory says why, 6 what mends it|not known: see 1 and 6|");
        return true;
    }
    if (!e->is_computed) {
        int y = canvas_wrap(canvas, 0, 0, width, ROLE_BAD, "Nothing can be computed from this plan:");
        for (int i = 0; i < e->diags.errors && i < e->diags.count; i++)
            y = draw_finding(canvas, y + 1, width, &e->diags.item[i]);
        return true;
    }
    if (e->is_modelled)
        return false;
    int y = canvas_wrap(canvas, 0, 0, width, ROLE_WARN, "Not modelled yet:");
    y = canvas_wrap(canvas, 0, y, width, ROLE_TEXT, unmodelled_text(e).text);
    for (int i = 0; i < e->stages && i < 40; i++)
        canvas_format(canvas, 0, y + 1 + i, ROLE_TEXT, "s%-4d %s parameters on one rank", i,
                      figure(FIGURE_COUNT, e->stage[i].params).text);
    return true;
}

bool pane_is_zoomed(const struct ui *ui)
{
    enum { STAGES_BESIDE = 16 /* as many rows are left for them beside other views */,
           PAGE_WIDTH = 160 /* columns from which on a table has room beside the forms */ };
    bool has_room = layout_shape(ui->width, ui->height).views == VIEWS_WIDE ||
                    (ui->width >= NAMES_WIDTH && (!ui->shown->is_computed || ui->shown->stages <= STAGES_BESIDE));
    bool is_narrow = ui->width < PAGE_WIDTH && ui->width >= NAMES_WIDTH;
    bool needs_page = ui->is_view_focused &&
                      ((ui->view == PANE_SCHEDULE && !has_room) || (panes[ui->view]->is_page && is_narrow));
    return ui->is_zoomed || (needs_page && !ui->has_form);
}
