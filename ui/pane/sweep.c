/* The sweep: one or two keys over values as a map; arrows move, the reason of a cell stands below, Enter loads it. */
#include "core/plan/param.h"
#include "core/search/differs.h"
#include "core/show/figure.h"
#include "ui/advisor.h"
#include "ui/pane/choices.h"
#include "ui/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HEAD = 10, COLUMN = 9 };

static const struct advisor *swept(const struct ui *ui)
{
    return ui->advisor && ui->advisor->axes > 0 ? ui->advisor : NULL;
}

static int rows_of(const struct ui *ui)
{
    return swept(ui) ? swept(ui)->axis[0].count : 0;
}

static int columns_of(const struct ui *ui)
{
    return swept(ui) ? advisor_columns(swept(ui)) : 0;
}

static int selected(const struct ui *ui)
{
    int row = row_within(ui->at[PANE_SWEEP].row, rows_of(ui)),
        column = row_within(ui->at[PANE_SWEEP].column, columns_of(ui));
    return row * columns_of(ui) + column;
}

static bool is_known(const struct ui *ui, int cell)
{
    return ui->advisor->generation == ui->generation && cell < ui->advisor->cells;
}

static bool is_here(const struct ui *ui, int cell)
{
    struct plan plan;
    advisor_cell_plan(ui, cell, &plan);
    return plan_equal(&plan, &ui->plan);
}

static int best_of(const struct ui *ui)
{
    return sweep_best(&sweep_metrics[ui->advisor->metric], ui->advisor->cell, ui->advisor->cells);
}

/* "17.64 .*", "[19.53 :]", "55.60!", "--": as the reports write it. */
static void cell_text(const struct ui *ui, int at, int best, char out[CELL_TEXT_MAX])
{
    const struct advisor *advisor = ui->advisor;
    const struct sweep_cell *cell = &advisor->cell[at];
    int step = sweep_step(&sweep_metrics[advisor->metric], advisor->cell, advisor->cells, at);
    bool here = is_here(ui, at);
    const char *before = here ? "[" : "", *after = here ? "]" : at == best ? "*" : "";
    double size = fabs(cell->value);
    if (cell->state == SWEEP_INVALID)
        snprintf(out, CELL_TEXT_MAX, "%s--%s", before, after);
    else if (!isfinite(cell->value) || cell->state == SWEEP_UNKNOWN)
        snprintf(out, CELL_TEXT_MAX, "%s?%s", before, after);
    else
        snprintf(out, CELL_TEXT_MAX, "%s%.*f%c%s", before,
                 size >= 1000  ? 0
                 : size >= 100 ? 1
                 : size >= 10  ? 2
                               : 3,
                 cell->value, step < 0 ? '!' : ".:-=#"[step], after);
}

static void draw_cell(const struct ui *ui, struct canvas *canvas, int at, int best, int end, int y)
{
    char text[CELL_TEXT_MAX];
    if (!is_known(ui, at)) {
        canvas_right(canvas, end, y, ROLE_DIM, "..");
        return;
    }
    const struct sweep_cell *cell = &ui->advisor->cell[at];
    cell_text(ui, at, best, text);
    canvas_right(canvas, end, y,
                 cell->state == SWEEP_NO        ? ROLE_BAD
                 : cell->state >= SWEEP_INVALID ? ROLE_DIM
                 : at == best                   ? ROLE_GOOD
                                                : ROLE_TEXT,
                 text);
    if (pane_has_focus(ui, PANE_SWEEP) && at == selected(ui))
        canvas_paint(canvas, end - COLUMN + 1, y, COLUMN - 1, ROLE_FOCUS, 0);
}

static void draw_map(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const struct advisor *advisor = ui->advisor;
    int fit = (width - HEAD) / COLUMN, columns = columns_of(ui), rows = height - 1, best = best_of(ui);
    fit = fit < 1 ? 1 : fit;
    int left = page_top(selected(ui) % columns, columns, fit),
        top = page_top(selected(ui) / columns, rows_of(ui), rows);
    canvas_fit(canvas, 0, 0, HEAD - 1, ROLE_TITLE, param_rows[advisor->axis[0].key].key);
    for (int k = 0; k < fit && left + k < columns; k++)
        canvas_right(canvas, HEAD + (k + 1) * COLUMN, 0, ROLE_TITLE,
                     advisor->axes > 1 ? advisor->axis[1].text[left + k] : sweep_metrics[advisor->metric].name);
    for (int i = 0; i < rows && top + i < rows_of(ui); i++) {
        canvas_fit(canvas, 0, 1 + i, HEAD - 1, ROLE_TEXT, advisor->axis[0].text[top + i]);
        for (int k = 0; k < fit && left + k < columns; k++)
            draw_cell(ui, canvas, (top + i) * columns + left + k, best, HEAD + (k + 1) * COLUMN, 1 + i);
    }
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    enum { LEGEND = 3 };
    if (!swept(ui)) {
        canvas_wrap(
            canvas, 0, 0, width, ROLE_TEXT,
            "One or two keys over values. Type :sweep tp=1,2,4,8 pp=1..16, or :sweep recompute=* - 1..16 are the valid values "
            "between, * all of them.");
        return;
    }
    draw_map(ui, canvas, width, height > LEGEND + 3 ? height - LEGEND : height);
    if (height <= LEGEND + 3)
        return;
    canvas_fit(canvas, 0, height - 2, width, ROLE_DIM,
               ". best fifth  : - = #   ! does not fit  -- not valid  [ ] here  * best");
    canvas_fit(canvas, 0, height - 1, width, ROLE_DIM, "Enter loads   v metric   :sweep KEY=VALUES   u takes it back");
}

static int wish(const struct ui *ui)
{
    return rows_of(ui) + 5;
}

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    const struct advisor *advisor = swept(ui);
    if (!advisor)
        snprintf(out, SUBTITLE_MAX, "one or two keys over values");
    else
        snprintf(out, SUBTITLE_MAX, "%s%s%s%s", sweep_metrics[advisor->metric].name,
                 advisor->has_best ? " of the best layout" : "", advisor->axes > 1 ? "; across " : "",
                 advisor->axes > 1 ? param_rows[advisor->axis[1].key].key : "");
}

static bool path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    const struct advisor *advisor = swept(ui);
    if (!advisor || !sweep_metrics[advisor->metric].path)
        return false;
    snprintf(out, EXPLAIN_PATH_MAX, "%s", sweep_metrics[advisor->metric].path);
    return true;
}

static void describe(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    char sentence[DIFFERS_MAX];
    struct plan plan;
    out[0] = '\0';
    if (!swept(ui) || !is_known(ui, selected(ui)))
        return;
    const struct sweep_cell *cell = &ui->advisor->cell[selected(ui)];
    if (cell->rule) {
        snprintf(out, UI_MESSAGE_MAX, "%s: %.200s", cell->rule, cell->why);
        return;
    }
    advisor_cell_plan(ui, selected(ui), &plan);
    estimate_plan(&plan, ui->scratch);
    differs_write(ui->now, ui->scratch, sentence);
    snprintf(out, UI_MESSAGE_MAX, "%.*s", UI_MESSAGE_MAX - 1, is_here(ui, selected(ui)) ? "this plan" : sentence);
}

static bool take(struct ui *ui)
{
    char label[HISTORY_LABEL_MAX];
    struct plan plan;
    if (!swept(ui))
        return ui_say(ui, ROLE_DIM, "nothing to take here yet"), true;
    advisor_cell_plan(ui, selected(ui), &plan);
    choices_label(ui, &plan, label);
    ui_change(ui, &plan, label);
    return true;
}

static const struct view_key keys[] = {{'v', "metric", "what the map shows", advisor_next_metric},
                                       {'c', "best layouts", "each cell with its best layout", advisor_toggle_best},
                                       {0}};

const struct pane pane_sweep = {
    .name = "sweep",
    .title = "Sweep",
    .tab = "Swp",
    .key = '7',
    .wish = wish,
    .rows = rows_of,
    .columns = columns_of,
    .subtitle = subtitle,
    .draw = draw,
    .path = path,
    .describe = describe,
    .open = take, .keys = keys,
};
