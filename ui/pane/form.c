/* The forms: plan keys with their values, where each value comes from, and which one is selected. */
#include "core/plan/param.h"
#include "ui/pane/pane.h"
#include "ui/result.h"
#include "ui/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- titles ------------------------------------------------------------------------------------------------------- */

static void model_summary(const struct ui *ui, char *out, size_t size)
{
    snprintf(out, size, "%s", figure(FIGURE_COUNT, ui->now->totals.total).text);
}

static void parallel_summary(const struct ui *ui, char *out, size_t size)
{
    snprintf(out, size, "%d gpu", ui->now->grid.world);
}

static void train_summary(const struct ui *ui, char *out, size_t size)
{
    const struct plan *p = &ui->now->plan;
    char dtype[FIELD_TEXT_MAX];
    form_value(p, PARAM_train_dtype, dtype);
    snprintf(out, size, "mbs%.0f gbs%.0f %.8s", p->value[PARAM_train_micro_batch_size],
             p->value[PARAM_train_global_batch_size], dtype);
}

static void hardware_summary(const struct ui *ui, char *out, size_t size)
{
    const struct plan *p = &ui->now->plan;
    snprintf(out, size, "%.0fx%.0f", p->value[PARAM_hardware_nodes], p->value[PARAM_hardware_gpus_per_node]);
}

static void framework_summary(const struct ui *ui, char *out, size_t size)
{
    char name[FIELD_TEXT_MAX];
    form_value(&ui->now->plan, PARAM_framework_name, name);
    snprintf(out, size, "%.14s", name);
}

static void serve_summary(const struct ui *ui, char *out, size_t size)
{
    snprintf(out, size, "%s", ui->now->plan.value[PARAM_plan_workload] == WORKLOAD_TRAIN ? "unused" : "");
}

static void (*const summaries[PANE_FORMS])(const struct ui *, char *, size_t) = {
    [PANE_MODEL] = model_summary, [PANE_PARALLEL] = parallel_summary, [PANE_TRAIN] = train_summary,
    [PANE_HARDWARE] = hardware_summary, [PANE_FRAMEWORK] = framework_summary, [PANE_SERVE] = serve_summary,
};

static void draw_title(const struct ui *ui, struct canvas *canvas, enum pane_id form, int width)
{
    char summary[48];
    summaries[form](ui, summary, sizeof summary);
    bool is_focused = pane_has_focus(ui, form);
    int x = canvas_format(canvas, 0, 0, ROLE_TITLE, "%s%s%s", is_focused ? "[" : " ", forms[form].title,
                          is_focused ? "]" : " ");
    int end = width - text_width(summary);
    if (end - 1 <= x)
        return;
    canvas_repeat(canvas, x, 0, ROLE_DIM, ui->utf8 ? 0x2500 : '-', end - x - 1);
    canvas_right(canvas, width, 0, ROLE_TEXT, summary);
}

/* ---- fields ------------------------------------------------------------------------------------------------------- */

/* Set by somebody: plain; found out by the program: dim. A sign in the last column says so without colour. */
static const struct {
    char sign;
    const char *word;
    enum role role;
} origins[ORIGIN_COUNT] = {
    [FROM_DEFAULT] = {'.', "default", ROLE_DIM},
    [FROM_DERIVED] = {'=', "derived", ROLE_DIM},
    [FROM_PRESET] = {' ', "preset", ROLE_TEXT},
    [FROM_FILE] = {' ', "file", ROLE_TEXT},
    [FROM_SET] = {' ', "set", ROLE_TEXT},
};

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

static enum role field_role(const struct ui *ui, enum param id)
{
    const struct diag *finding = ui_finding(ui, id);
    if (finding && finding->level == DIAG_ERROR)
        return ROLE_BAD;
    if (finding && finding->level == DIAG_WARNING)
        return ROLE_WARN;
    enum role role = param_blank(&ui->now->plan, id) ? ROLE_DIM : origins[ui->now->plan.from[id]].role;
    return ui->options.present ? ROLE_TEXT : role;
}

static void draw_field(const struct ui *ui, struct canvas *canvas, int y, int width, enum param id, bool is_selected)
{
    char value[FIELD_TEXT_MAX], word[16] = "";
    enum role role = field_role(ui, id);
    const struct diag *finding = ui_finding(ui, id);
    bool is_focused = is_selected && !ui->is_view_focused;
    if (is_selected && ui->mode == MODE_EDIT) {
        int room = width * 2 / 3 > 12 ? width * 2 / 3 : width;
        canvas_fit(canvas, 0, y, width - room - 1, ROLE_TEXT, param_rows[id].key);
        draw_edit(ui, canvas, width - room, y, room - 1);
        return;
    }
    form_value(&ui->now->plan, id, value);
    if (width >= 34)
        snprintf(word, sizeof word, " %s", origins[ui->now->plan.from[id]].word);
    bool is_dim = origins[ui->now->plan.from[id]].role == ROLE_DIM && !param_blank(&ui->now->plan, id);
    bool has_room = (int)(strlen(param_rows[id].key) + strlen(value) + strlen(word)) + 4 <= width;
    const char *extra = is_dim && has_room ? word : "";
    int value_width = text_width(value) + (int)strlen(extra), room = width - 3 - value_width - 1;
    canvas_fit(canvas, 0, y, room < 4 ? 4 : room, role == ROLE_DIM ? ROLE_TEXT : role, param_rows[id].key);
    int x = width - 2 - value_width < 5 ? 5 : width - 2 - value_width;
    int at = x;
    x = canvas_fit(canvas, x, y, width - 2 - x - (int)strlen(extra), role, value);
    canvas_text(canvas, x, y, ROLE_DIM, extra);
    char sign[2] = {finding && finding->level != DIAG_NOTE ? '!' : origins[ui->now->plan.from[id]].sign, '\0'};
    canvas_text(canvas, width - 1, y, role, *extra && sign[0] != '!' ? " " : sign);
    if (!is_selected)
        return;
    canvas_text(canvas, at - 2, y, ROLE_KEY, ">");
    canvas_text(canvas, width - 1, y, ROLE_KEY, "<");
    if (is_focused)
        canvas_paint(canvas, at - 2, y, width - at + 2, ROLE_FOCUS, 0);
}

void form_draw(const struct ui *ui, struct canvas *canvas, enum pane_id form, int width, int height)
{
    int count = ui->field_count[form], selected = ui->form == form ? ui->field[form] : 0;
    int top = page_top(selected, count, height - 1);
    draw_title(ui, canvas, form, width);
    for (int i = 0; i < height - 1 && top + i < count; i++)
        draw_field(ui, canvas, i + 1, width, ui->fields[form][top + i], ui->form == form && top + i == selected);
}

int form_hit(const struct ui *ui, enum pane_id form, int height, int y)
{
    int count = ui->field_count[form], selected = ui->form == form ? ui->field[form] : 0;
    int field = page_top(selected, count, height - 1) + y - 1;
    return y >= 1 && y < height && field < count ? field : -1;
}
