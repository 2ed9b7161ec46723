/* The diff view: the present plan against the pinned baseline, changed keys and changed figures. */
#include "core/plan/param.h"
#include "ui/pane/pane.h"
#include "ui/result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 13, VALUE = 11 };

static int changed_keys(const struct ui *ui, enum param out[PARAM_COUNT])
{
    int count = 0;
    for (int id = 0; id < PARAM_COUNT; id++)
        if (!param_equal(&ui->baseline->plan, &ui->shown->plan, (enum param)id))
            out[count++] = (enum param)id;
    return count;
}

/* ##< : how large the change is, and whether it is for the better (>) or the worse (<). */
static void draw_weight(struct canvas *canvas, int x, int y, double share, bool is_better)
{
    int marks = share > 0.25 ? 3 : share > 0.05 ? 2 : 1;
    enum role role = is_better ? ROLE_GOOD : ROLE_BAD;
    canvas_text(canvas, x, y, role, is_better ? "better " : "worse  ");
    canvas_repeat(canvas, x + 7, y, role, '#', marks);
}

static void draw_result(const struct ui *ui, struct canvas *canvas, int y, int width, enum result_id id)
{
    const struct result *row = result_row(id, ui->shown);
    double new = result_value(id, ui->shown), delta = result_delta(id, ui->baseline, ui->shown), old = new - delta;
    canvas_text(canvas, 0, y, ROLE_TEXT, row->name);
    canvas_right(canvas, NAME + VALUE, y, ROLE_TEXT, figure(row->kind, old).text);
    canvas_right(canvas, NAME + 2 * VALUE, y, ROLE_TEXT, figure(row->kind, new).text);
    struct figure text = figure_delta(row->kind, delta);
    canvas_right(canvas, NAME + 3 * VALUE, y, ROLE_TITLE, text.text);
    if (width < NAME + 3 * VALUE + 12 || isnan(delta) || text.text[0] == '=')
        return;
    draw_weight(canvas, NAME + 3 * VALUE + 2, y, fabs(delta / old), (delta > 0) == (row->better > 0));
}

static void draw_key(const struct ui *ui, struct canvas *canvas, int y, int width, enum param id)
{
    char one[FIELD_TEXT_MAX], two[FIELD_TEXT_MAX], text[2 * FIELD_TEXT_MAX + 64];
    form_value(&ui->baseline->plan, id, one);
    form_value(&ui->shown->plan, id, two);
    snprintf(text, sizeof text, "%s %s -> %s", param_rows[id].key, one, two);
    canvas_fit(canvas, 0, y, width, ui->shown->plan.from[id] <= FROM_DERIVED ? ROLE_DIM : ROLE_TEXT, text);
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    enum param keys[PARAM_COUNT];
    if (!ui->has_baseline) {
        canvas_wrap(canvas, 0, 0, width, ROLE_TEXT,
                    "No baseline yet. Press b to pin the present plan, change something, and compare here.");
        return;
    }
    int y = 1, count = changed_keys(ui, keys);
    canvas_format(canvas, NAME + VALUE - 3, 0, ROLE_TITLE, "b%d", ui->baseline_number);
    canvas_right(canvas, NAME + 2 * VALUE, 0, ROLE_TITLE, "now");
    canvas_right(canvas, NAME + 3 * VALUE, 0, ROLE_TITLE, "change");
    for (int i = 0; i < RESULT_COUNT && y < height; i++) {
        draw_result(ui, canvas, y, width, (enum result_id)i);
        if (pane_has_focus(ui, PANE_DIFF) && ui->at[PANE_DIFF].row == i)
            canvas_paint(canvas, 0, y, NAME, ROLE_FOCUS, 0);
        y++;
    }
    if (y < height)
        canvas_format(canvas, 0, y++, ROLE_TITLE, "%d key%s changed", count, count == 1 ? "" : "s");
    for (int i = 0; i < count && y < height; i++)
        draw_key(ui, canvas, y++, width, keys[i]);
}

static int rows_of(const struct ui *ui)
{
    return ui->has_baseline ? RESULT_COUNT : 0;
}

static int wish(const struct ui *ui)
{
    enum param keys[PARAM_COUNT];
    return ui->has_baseline ? RESULT_COUNT + 4 + changed_keys(ui, keys) : 5;
}

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    if (ui->has_baseline)
        snprintf(out, SUBTITLE_MAX, "now against b%d", ui->baseline_number);
    else
        snprintf(out, SUBTITLE_MAX, "no baseline");
}

static bool path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    int row = ui->at[PANE_DIFF].row;
    if (!ui->has_baseline)
        return false;
    snprintf(out, EXPLAIN_PATH_MAX, "%s", result_row((enum result_id)row, ui->shown)->path);
    return true;
}

const struct pane pane_diff = {
    .name = "diff", .title = "Diff", .tab = "Diff", .wish = wish, .rows = rows_of,
    .subtitle = subtitle, .draw = draw, .path = path,
};
