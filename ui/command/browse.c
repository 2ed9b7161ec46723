#include "ui/command/browse.h"

#include "core/show/ranks.h"
#include "ui/state/advisor.h"
#include "ui/command/change.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/members.h"
#include "ui/pane/pane.h"
#include "ui/widget/table.h"

/* ---- moving ----------------------------------------------------------------------------------------------------- */

void browse_fields(struct ui *ui, int by)
{
    int form = (int)ui->form, field = ui->field[form] + by;
    while (field < 0 && form > 0)
        field += ui->field_count[--form];
    while (field >= ui->field_count[form] && form < PANE_FORMS - 1)
        field -= ui->field_count[form++];
    field = field < 0 ? 0 : field >= ui->field_count[form] ? ui->field_count[form] - 1 : field;
    ui->form = (enum pane_id)form;
    ui->field[form] = field;
}

static void move_view(struct ui *ui, int dx, int dy)
{
    const struct pane *pane = panes[ui->view];
    int *row = &ui->at[ui->view].row, *column = &ui->at[ui->view].column;
    bool is_moved = true;
    if (pane->move) {
        is_moved = pane->move(ui, dx, dy);
    } else if (dy != 0) {
        int rows = pane->rows(ui);
        *row = row_within(*row + dy, rows);
    } else {
        int columns = pane->columns ? pane->columns(ui) : 1;
        is_moved = *column + dx >= 0 && *column + dx < columns;
        *column += is_moved ? dx : 0;
    }
    if (!is_moved && dx < 0)
        ui->is_view_focused = false;
}

static void move(struct ui *ui, int dx, int dy)
{
    if (ui->is_view_focused)
        move_view(ui, dx, dy);
    else if (dx > 0)
        ui->is_view_focused = true;
    else if (dy != 0)
        browse_fields(ui, dy);
}

int browse_page(const struct ui *ui)
{
    struct rect rect = layout_find(&ui->layout, ui->is_view_focused ? ui->view : ui->form);
    int rows = rect.height - 1 - ui->is_view_focused; /* title, and the head of a table */
    return rows > 2 ? rows : 2;
}

/* The form panes in order, then the view. */
static void go_pane(struct ui *ui, int by)
{
    int stops = PANE_FORMS + 1, at = ui->is_view_focused ? PANE_FORMS : (int)ui->form;
    do
        at = (at + by + stops) % stops;
    while (at == PANE_RL && ui->now->plan.value[PARAM_plan_workload] != WORKLOAD_RL);
    ui->is_view_focused = at == PANE_FORMS;
    if (at < PANE_FORMS)
        ui->form = (enum pane_id)at;
}

static void do_next_pane(struct ui *ui) { go_pane(ui, 1); }
static void do_previous_pane(struct ui *ui) { go_pane(ui, -1); }

static void do_zoom(struct ui *ui)
{
    bool was_zoomed = pane_is_zoomed(ui);
    ui->is_zoomed = false;
    ui->has_form = pane_is_zoomed(ui); /* a small terminal zooms by itself */
    ui->is_zoomed = !was_zoomed;
    ui->is_view_focused |= ui->is_zoomed;
}

/* A number key shows the view and moves the focus there; a click on its name also leaves what covers it. */
static void show(struct ui *ui, enum pane_id view)
{
    ui->mode = overlays[ui->mode]->draw ? MODE_BROWSE : ui->mode;
    ui->view = view;
    ui->is_view_focused = true;
}

bool browse_again(struct ui *ui, enum pane_id view)
{
    bool is_again = ui->is_view_focused && ui->view == view && ui->mode == MODE_BROWSE;
    if (!is_again || view == PANE_DIFF || !(pane_is_beside(ui) || pane_is_zoomed(ui)))
        return false;
    do_zoom(ui);
    return true;
}

void browse_view(struct ui *ui, enum pane_id view)
{
    show(ui, view == PANE_DIFF && ui->view == PANE_DIFF ? PANE_MEMORY : view);
    ui->has_form = false;
}

static void do_sweep_field(struct ui *ui) { sweep_ask_field(ui); }

static void do_serving(struct ui *ui)
{
    if (ui->now->is_serving) {
        show(ui, PANE_TIME);
        return;
    }
    ui_select(ui, PARAM_plan_workload);
    ui_say(ui, ROLE_TEXT, "this plan trains; + makes it serve");
}

static void go_stage(struct ui *ui, int by)
{
    int stage = ui_stage(ui) + by, stages = ui->shown->is_computed ? ui->shown->stages : 1;
    ui->stage = stage < 0 ? stages - 1 : stage >= stages ? 0 : stage;
}

static void do_next_stage(struct ui *ui) { go_stage(ui, 1); }
static void do_previous_stage(struct ui *ui) { go_stage(ui, -1); }

static void do_label(struct ui *ui)
{
    if (!ui->is_view_focused || ui->view != PANE_GRID)
        ui_say(ui, ROLE_MUTED, "v changes what view 3 is labelled by; 3 goes there");
    ui->label = (enum grid_label)((ui->label + 1) % LABEL_COUNT);
    if (ui->label == LABEL_EDP && !ranks_has_group(&ui->shown->grid, AXIS_EDP))
        ui->label = LABEL_NODE; /* they are those of dp */
    ui->group = 0;
    ui->group_row = GROUP_ROW_NONE;
}

bool browse_close(struct ui *ui)
{
    bool has_list = ui->view == PANE_GRID && ui->is_view_focused && members_are_open(ui);
    if (has_list)
        ui->group_row = GROUP_ROW_CHOSEN;
    else if (pane_is_zoomed(ui))
        do_zoom(ui);
    else
        return false;
    return true;
}

/* Whether a view has taken the place of all that stand beside the forms. */
static bool is_view_alone(const struct ui *ui)
{
    bool has_others = layout_shape(ui->width, ui->height).views != VIEWS_NONE && !ui->aside && !ui->options.present;
    return has_others && !pane_is_beside(ui);
}

/* Esc stops the tuner's search, closes what is open here, leaves the view, and then shows all views again. */
static void back(struct ui *ui)
{
    bool is_stopped = ui->is_view_focused && ui->view == PANE_TUNER && advisor_stop(ui);
    if (is_stopped || browse_close(ui))
        return;
    if (!ui->is_view_focused && is_view_alone(ui))
        ui->view = PANE_MEMORY;
    ui->is_view_focused = false;
}

/* ---- mouse and clipboard ---------------------------------------------------------------------------------------- */

static void point_at_form(struct ui *ui, const struct slot *slot, const struct event *event)
{
    int field = form_hit(ui, slot->pane, slot->rect.height, event->y - slot->rect.y);
    ui->form = slot->pane;
    ui->field[slot->pane] = field < 0 ? ui->field[slot->pane] : field;
    if (field >= 0 && event->button != MOUSE_LEFT)
        change_step(ui, event->button == MOUSE_WHEEL_UP ? 1 : -1);
}

static void point_at_view(struct ui *ui, const struct slot *slot, const struct event *event)
{
    const struct pane *pane = panes[slot->pane];
    int y = event->y - pane_inside(ui, slot->pane).y, by = event->button == MOUSE_WHEEL_UP ? -1 : 1;
    ui->view = slot->pane;
    if (event->button != MOUSE_LEFT && pane->wheel && pane->wheel(ui, y, by))
        return;
    if (event->button != MOUSE_LEFT)
        move_view(ui, 0, by);
    else if (pane->click)
        pane->click(ui, event->x - slot->rect.x, y);
    else
        pane_click_row(ui, slot->pane);
}

static void mouse(struct ui *ui, const struct event *event)
{
    for (int i = 0; i < ui->layout.slots; i++) {
        const struct slot *slot = &ui->layout.slot[i];
        if (!rect_has(slot->rect, event->x, event->y))
            continue;
        ui->is_view_focused = slot->pane >= PANE_FORMS;
        if (ui->is_view_focused)
            point_at_view(ui, slot, event);
        else
            point_at_form(ui, slot, event);
        /* what it would take was not meant */
        bool is_beside = ui->is_view_focused && panes[slot->pane]->open && ui->pressed.link < LINK_ROWS;
        if (ui->pressed.is_again && !is_beside)
            ui_do(ui, ACTION_edit);
        return;
    }
}

/* Text of the focused pane as it is on the screen. */
static size_t copy(const struct ui *ui, char *out, size_t size)
{
    struct canvas canvas = {0};
    bool has_view = layout_shape(ui->width, ui->height).views != VIEWS_NONE;
    struct rect r = layout_find(&ui->layout, ui->is_view_focused || has_view ? ui->view : ui->form);
    out[0] = '\0';
    if (r.height == 0 || canvas_resize(&canvas, r.width, r.height) != 0)
        return 0;
    canvas.ascii = !ui->utf8;
    canvas_clip(&canvas, (struct rect){0, 0, r.width, r.height});
    if (has_view)
        panes[ui->view]->draw(ui, &canvas, r.width, r.height - 1);
    size_t used = canvas_lines(&canvas, out, size);
    canvas_free(&canvas);
    return used;
}

const struct overlay overlay_browse = {
    .move = move, .page = browse_page, .back = back, .mouse = mouse, .copy = copy,
};

const struct action_handler browse_handlers[] = {
    {ACTION_next_pane, do_next_pane}, {ACTION_previous_pane, do_previous_pane}, {ACTION_sweep_field, do_sweep_field},
    {ACTION_serving, do_serving}, {ACTION_zoom, do_zoom}, {ACTION_next_stage, do_next_stage},
    {ACTION_previous_stage, do_previous_stage}, {ACTION_label, do_label}, {0},
};
