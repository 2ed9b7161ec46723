/* Why a number is what it is: its formula, the values, the source, and the numbers that it is made of. */
#include "core/explain/explain.h"
#include "core/plan/param.h"
#include "core/show/figure.h"
#include "ui/pane/pane.h"
#include "ui/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A number of a formula with its unit: bytes and seconds in the unit that suits. */
static struct figure value_text(double value, const char *unit)
{
    struct figure out;
    if (strcmp(unit, "bytes") == 0)
        return figure(FIGURE_BYTES, value);
    if (strcmp(unit, "s") == 0)
        return figure(FIGURE_SECONDS, value);
    if (fabs(value) >= 1e6 || (fabs(value) >= 1e5 && value != floor(value)))
        return figure(FIGURE_COUNT, value);
    snprintf(out.text, sizeof out.text, "%.12s%s%.9s", isnan(value) ? "?" : figure(FIGURE_PLAIN, value).text,
             *unit ? " " : "", unit);
    if (fabs(value) < 1e5 && value != floor(value))
        snprintf(out.text, sizeof out.text, "%.4g%s%.9s", value, *unit ? " " : "", unit);
    return out;
}

/* ---- a plan key --------------------------------------------------------------------------------------------------- */

static void draw_key(const struct ui *ui, struct canvas *canvas, int width, enum param id)
{
    const struct param_row *row = &param_rows[id];
    const struct diag *finding = ui_finding(ui, id);
    char value[FIELD_TEXT_MAX], low[32], high[32];
    form_value(&ui->now->plan, id, value);
    int y = canvas_wrap(canvas, 0, 0, width, ROLE_TEXT, row->help);
    if (*row->more)
        y = canvas_wrap(canvas, 0, y, width, ROLE_TEXT, row->more);
    y++;
    canvas_format(canvas, 0, y++, ROLE_TITLE, "%s %s", value, row->unit);
    canvas_format(canvas, 0, y++, ROLE_TEXT, "from:  %s", origin_names[ui->now->plan.from[id]]);
    number_print(row->min, low, sizeof low);
    number_print(row->max, high, sizeof high);
    if (param_type(id)->is_number)
        canvas_format(canvas, 0, y++, ROLE_TEXT, "range: %s to %s", low, high);
    for (int i = 0; row->choices && row->choices[i]; i++)
        canvas_format(canvas, 0, y++, ROLE_TEXT, "%s %s", i ? "      " : "choices", row->choices[i]);
    if (finding)
        canvas_wrap(canvas, 0, y + 1, width, finding->level == DIAG_ERROR ? ROLE_BAD : ROLE_WARN, finding->message);
}

/* ---- a result ----------------------------------------------------------------------------------------------------- */

static int draw_labelled(struct canvas *canvas, int y, int width, const char *label, const char *text)
{
    if (!text || !*text)
        return y;
    canvas_text(canvas, 0, y, ROLE_DIM, label);
    return canvas_wrap(canvas, 10, y, width - 10, ROLE_TEXT, text);
}

static void draw_inputs(const struct explanation *x, struct canvas *canvas, int y, int width, int height, int selected)
{
    int top = page_top(selected < 0 ? 0 : selected, x->inputs, height - y), name = width >= 64 ? 24 : 14;
    for (int i = top; i < x->inputs && y < height; i++, y++) {
        const struct explain_input *in = &x->input[i];
        char text[160];
        canvas_fit(canvas, 0, y, name, ROLE_TEXT, in->name);
        canvas_right(canvas, name + 13, y, ROLE_TEXT, value_text(in->value, in->unit ? in->unit : "").text);
        snprintf(text, sizeof text, "%s%s%s", in->label ? in->label : "", in->is_key ? "  key " : "",
                 in->is_key ? in->path : "");
        canvas_fit(canvas, name + 15, y, width - name - 15, in->is_key ? ROLE_KEY : ROLE_DIM, text);
        if (i == selected)
            canvas_paint(canvas, 0, y, name + 13 < width ? name + 13 : width, ROLE_FOCUS, 0);
    }
}

static void draw_value(const struct explanation *x, struct canvas *canvas, int width, int height, int selected)
{
    int y = 0;
    canvas_format(canvas, 0, y++, ROLE_TITLE, "%s = %s", x->label, value_text(x->value, x->unit).text);
    y = draw_labelled(canvas, y, width, "formula", x->formula);
    y = draw_labelled(canvas, y, width, "here", x->substituted);
    y = draw_labelled(canvas, y, width, "basis", basis_names[x->basis]);
    y = draw_labelled(canvas, y, width, "source", x->source);
    y = draw_labelled(canvas, y, width, "without", x->not_included);
    if (x->inputs > 0 && y + 2 < height)
        canvas_text(canvas, 0, y + 1, ROLE_TITLE, selected < 0 ? "made of" : "made of (Enter opens)");
    draw_inputs(x, canvas, y + 2, width, height, selected);
}

void explain_draw(const struct ui *ui, struct canvas *canvas, int width, int height, const char *path, int row)
{
    struct explanation x;
    int key = param_find(path);
    if (key >= 0)
        draw_key(ui, canvas, width, (enum param)key);
    else if (explain_value(ui->shown, path, &x) == 0)
        draw_value(&x, canvas, width, height, row);
    else
        canvas_wrap(canvas, 0, 0, width, ROLE_TEXT,
                    "There is nothing to explain about this value in the present plan.");
}

/* ---- as a pane: always about what is selected --------------------------------------------------------------------- */

/* The value selected in a view; while fields are edited, what the fullest stage needs. */
static void selected_path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    const struct pane *view = panes[ui->view];
    if (!ui->is_view_focused || !view->path || !view->path(ui, out))
        snprintf(out, EXPLAIN_PATH_MAX, "memory.stages.%d.device_bytes",
                 ui->shown->is_computed ? ui->shown->peak_stage : 0);
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    char path[EXPLAIN_PATH_MAX];
    selected_path(ui, path);
    explain_draw(ui, canvas, width, height, path, -1);
}

static int rows_of(const struct ui *ui)
{
    (void)ui;
    return 0;
}

static int wish(const struct ui *ui)
{
    (void)ui;
    return 12;
}

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    char path[EXPLAIN_PATH_MAX];
    selected_path(ui, path);
    snprintf(out, SUBTITLE_MAX, "%s", path);
}

const struct pane pane_why = {
    .name = "explain", .title = "Explain", .tab = "Explain", .wish = wish, .rows = rows_of,
    .subtitle = subtitle, .draw = draw,
};
