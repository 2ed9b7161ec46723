#include "ui/pane/lesson_marks.h"

#include "ui/pane/pane.h"
#include "ui/state/result.h"
#include "ui/state/state.h"

#include <stdio.h>
#include <string.h>

enum { STAGE_BITS = 64 };

static const struct ui_lesson *page_of(const struct ui *ui)
{
    return ui->host->lessons->page(ui->host->context);
}

/* The stage that a path is of, -1 for none. */
static int stage_of(const char *path)
{
    int stage;
    return sscanf(path, "%*[a-z].stages.%4d.", &stage) == 1 ? stage : -1;
}

/* ---- where a path is --------------------------------------------------------------------------------------------- */

/* True when a cell's value is the one of a path, or stands for its row of a table that has no column for it. */
static bool is_of(const char *own, const char *path, bool is_row_enough)
{
    const char *last = strrchr(path, '.');
    size_t row = last && is_row_enough ? (size_t)(last - path) + 1 : strlen(path) + 1;
    return strncmp(own, path, row) == 0;
}

/*
 * Selects the row and column of a view that stand for a path; false, and nothing changes, when it shows no such value.
 */
static bool select_cell(struct ui *ui, enum pane_id view, const char *path, bool is_row_enough)
{
    const struct pane *pane = panes[view];
    char own[EXPLAIN_PATH_MAX];
    int rows = pane->path ? pane->rows(ui) : 0, columns = pane->columns ? pane->columns(ui) : 1;
    int row = ui->at[view].row, column = ui->at[view].column, stage = ui->stage;
    ui->stage = stage_of(path) >= 0 ? stage_of(path) : stage;
    for (int i = 0; i < rows * columns; i++) {
        ui->at[view].row = i / columns;
        ui->at[view].column = i % columns;
        if (pane->path(ui, own) && is_of(own, path, is_row_enough))
            return true;
    }
    ui->at[view].row = row;
    ui->at[view].column = column;
    ui->stage = stage;
    return false;
}

static bool select_in(struct ui *ui, enum pane_id view, const char *path)
{
    return select_cell(ui, view, path, false) || (panes[view]->columns && select_cell(ui, view, path, true));
}

static int figure_of(const struct ui *ui, const char *path)
{
    for (int i = 0; i < RESULT_COUNT; i++)
        if (strcmp(result_row((enum result_id)i, ui->shown)->path, path) == 0)
            return i;
    return -1;
}

/* The axis of `grid.groups.AXIS`; -1 for another path. */
static int axis_of(const char *path)
{
    static const char groups[] = "grid.groups.";
    for (int i = 0; i < AXIS_COUNT && strncmp(path, groups, strlen(groups)) == 0; i++)
        if (strcmp(path + strlen(groups), rank_axis_names[i]) == 0)
            return i;
    return -1;
}

/* Adds the cell of a view that shows a path. */
static bool add_cell(struct ui *ui, enum pane_id view, const char *path)
{
    struct lesson_marks *marks = &ui->marks;
    int row = ui->at[view].row, column = ui->at[view].column, stage = ui->stage;
    if (!select_in(ui, view, path))
        return false;
    marks->mark[marks->count++] = (struct lesson_mark){view, ui->at[view].row, ui->at[view].column, stage_of(path)};
    ui->at[view].row = row;
    ui->at[view].column = column;
    ui->stage = stage;
    return true;
}

/* The view that was chosen comes first, then those beside it. */
static void add_path(struct ui *ui, const char *path)
{
    int key = param_find(path), figure = figure_of(ui, path), stage = stage_of(path);
    bool is_found = key >= 0 || add_cell(ui, ui->view, path);
    if (key >= 0)
        ui->marks.key[ui->marks.keys++] = (enum param)key;
    if (figure >= 0)
        ui->marks.figures |= 1u << figure;
    if (stage >= 0 && stage < STAGE_BITS)
        ui->marks.stages |= (uint64_t)1 << stage;
    for (int i = 0; i < ui->layout.slots && !is_found; i++)
        if (ui->layout.slot[i].pane >= PANE_FORMS)
            is_found = add_cell(ui, ui->layout.slot[i].pane, path);
}

/* What the answer depends on: the plan, what is shown, and where. */
static uint64_t state_of(const struct ui *ui)
{
    uint64_t hash = (uint64_t)ui->generation * 31 + (uint64_t)ui->view;
    for (int i = 0; i < ui->layout.slots; i++)
        hash = hash * 1000003 + (uint64_t)ui->layout.slot[i].pane * 4096 + (uint64_t)ui->layout.slot[i].rect.width;
    return hash | 1;
}

void lesson_marks_update(struct ui *ui)
{
    uint64_t state = state_of(ui);
    if (!ui->aside || ui->marks.found_for == state)
        return;
    const struct ui_lesson *page = page_of(ui);
    bool is_new = ui->marks.found_for == 0;
    ui->marks = (struct lesson_marks){.found_for = state};
    for (int i = 0; i < page->looks && i < UI_LOOKS_MAX; i++)
        add_path(ui, page->look[i]);
    if (is_new)
        lesson_look(ui);
}

void lesson_look(struct ui *ui)
{
    const struct ui_lesson *page = page_of(ui);
    if (page->looks == 0)
        return;
    const char *path = page->look[ui->lesson.look % page->looks];
    int key = param_find(path), stage = stage_of(path);
    if (key >= 0)
        ui_select(ui, (enum param)key);
    else if (axis_of(path) >= 0)
        ui->group = 1 + axis_of(path);
    else if (!select_in(ui, ui->view, path) && stage >= 0)
        ui->stage = stage;
}

/* ---- what is marked ---------------------------------------------------------------------------------------------- */

bool lesson_marks_cell(const struct ui *ui, enum pane_id pane, int row, int stage)
{
    for (int i = 0; i < ui->marks.count; i++) {
        const struct lesson_mark *mark = &ui->marks.mark[i];
        if (mark->pane == pane && mark->row == row && (stage < 0 || mark->stage == stage))
            return true;
    }
    return false;
}

bool lesson_marks_table(const struct ui *ui, enum pane_id pane, int row, int column)
{
    for (int i = 0; i < ui->marks.count; i++)
        if (ui->marks.mark[i].pane == pane && ui->marks.mark[i].row == row && ui->marks.mark[i].column == column)
            return true;
    return false;
}

bool lesson_marks_part(const struct ui *ui, const char *root, const char *name)
{
    const char *mark = ui->aside ? page_of(ui)->mark : NULL, *at = mark ? strstr(mark, name) : NULL;
    return at && strncmp(mark, root, strlen(root)) == 0 && strchr(".=", at[-1]) && strchr(".]", at[strlen(name)]);
}

bool lesson_marks_stage(const struct ui *ui, int stage)
{
    return stage < STAGE_BITS && ui->marks.stages >> stage & 1;
}

bool lesson_marks_figure(const struct ui *ui, int figure)
{
    return ui->marks.figures >> figure & 1;
}

bool lesson_marks_key(const struct ui *ui, enum param key)
{
    for (int i = 0; i < ui->marks.keys; i++)
        if (ui->marks.key[i] == key)
            return true;
    return false;
}

void lesson_marks_draw(struct canvas *canvas, int x, int y, int width)
{
    canvas_paint(canvas, x, y, width, ROLE_FOCUS, 0);
    if (canvas_is_blank(canvas, x - 1, y))
        canvas_text(canvas, x - 1, y, ROLE_FOCUS, ">");
    if (canvas_is_blank(canvas, x + width, y))
        canvas_text(canvas, x + width, y, ROLE_FOCUS, "<");
}
