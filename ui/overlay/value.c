/* A value being typed into its field, with what it would give. */
#include "core/plan/param.h"
#include "ui/command/browse.h"
#include "ui/command/change.h"
#include "ui/command/complete.h"
#include "ui/state/effect.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"

#include <stdio.h>

static void open(struct ui *ui)
{
    char text[PARAM_TEXT_MAX], shown[FIELD_TEXT_MAX];
    enum param id = ui_field(ui);
    if (ui->is_view_focused) {
        if (!panes[ui->view]->open || !panes[ui->view]->open(ui))
            ui_do(ui, ACTION_explain);
        return;
    }
    if (find_preset(ui, id))
        return;
    param_print(&ui->plan, id, text, sizeof text);
    form_value(&ui->now->plan, id, shown);
    bool is_blank = param_blank(&ui->plan, id);
    overlay_open(ui, MODE_EDIT, is_blank && !param_blank(&ui->now->plan, id) ? shown : text, true);
}

static bool take(struct ui *ui)
{
    bool is_taken = change_enter(ui, ui->edit.text);
    if (is_taken)
        ui->mode = MODE_BROWSE;
    return is_taken;
}

static void accept(struct ui *ui)
{
    take(ui);
}

static void do_accept_up(struct ui *ui)
{
    if (take(ui))
        browse_fields(ui, -1);
}

/* Completes a name; what is whole is taken. */
static void complete(struct ui *ui)
{
    if (!complete_value(ui, ui_field(ui), &ui->edit) && take(ui))
        browse_fields(ui, 1);
}

static bool type(struct ui *ui, int key, bool is_pasted)
{
    (void)is_pasted;
    return edit_key(&ui->edit, key);
}

/* While a value is typed: how it reads and what it would give, or why it cannot be. */
static void draw_typed(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const struct typed *t = &ui->typed;
    enum param id = ui_field(ui);
    char text[UI_MESSAGE_MAX];
    int x = canvas_format(canvas, 0, 0, ROLE_KEY, "%s ", param_rows[id].key);
    if (param_rows[id].type == TYPE_NAME) {
        complete_names(ui, id, ui->edit.is_selected ? "" : ui->edit.text, text, sizeof text);
        canvas_fit(canvas, x, 0, width - x, ROLE_TEXT, text);
        return;
    }
    if (!t->is_read) {
        canvas_fit(canvas, x, 0, width - x, ROLE_BAD, t->why);
        return;
    }
    x = canvas_format(canvas, x, 0, ROLE_TEXT, "= %s %s%s", t->value, param_rows[id].unit,
                      ui->edit.text[0] ? "" : " (default)");
    effect_text(ui, &t->effect, "gives", width, text, sizeof text);
    if (height > 1)
        canvas_fit(canvas, 0, 1, width, t->why[0] ? ROLE_BAD : ROLE_TEXT, t->why[0] ? t->why : text);
    else
        canvas_fit(canvas, x + 2, 0, width - x - 2, t->why[0] ? ROLE_BAD : ROLE_MUTED, t->why[0] ? t->why : text);
}

static int message(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    if (ui->message[0])
        canvas_fit(canvas, 0, 0, width, ui->message_role, ui->message);
    else
        draw_typed(ui, canvas, width, height);
    return 2;
}

/* The text being typed, scrolled so that the cursor is seen. */
static void draw_edit(const struct ui *ui, struct canvas *canvas, int x, int y, int width)
{
    int cursor;
    const char *text = edit_scrolled(&ui->edit, width, &cursor);
    canvas_repeat(canvas, x, y, ROLE_EDIT, ' ', width);
    canvas_text(canvas, x, y, ROLE_EDIT, text);
    if (ui->edit.is_selected)
        canvas_paint(canvas, x, y, text_width(ui->edit.text), ROLE_EDIT, CELL_INVERSE);
    else
        canvas_paint(canvas, x + cursor, y, 1, ROLE_EDIT, CELL_INVERSE);
}

const struct overlay overlay_edit = {
    .open = open, .update = effect_of_typed, .message = message, .value = draw_edit, .accept = accept,
    .complete = complete, .type = type,
};

const struct action_handler value_handlers[] = {
    {ACTION_accept_up, do_accept_up}, {0},
};
