#include "ui/overlay/estimators.h"

#include "ui/command/keymap.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"
#include "ui/widget/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 53, SHARE = 10, VALUE = 11, REASON = BLOCK + 2, WIDE = 96, INDENT = 2 };

#define KEY(key, id) {MODE_ESTIMATORS, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY(KEY_RETURN, accept), KEY(KEY_ARROW_RIGHT, accept), KEY('l', accept), KEY('e', accept), KEY(KEY_ARROW_UP, up),
    KEY('k', up), KEY(KEY_ARROW_DOWN, down), KEY('j', down), KEY(KEY_PAGE_UP, page_up), KEY(KEY_CTRL('U'), page_up),
    KEY(KEY_PAGE_DOWN, page_down), KEY(KEY_CTRL('D'), page_down), KEY('g', top), KEY(KEY_TO_HOME, top),
    KEY('G', bottom), KEY(KEY_TO_END, bottom), KEY('q', cancel), KEY('E', cancel), KEY(KEY_ESCAPE, cancel),
    KEY(KEY_CTRL('C'), cancel), KEY(KEY_ARROW_LEFT, cancel), KEY('h', cancel), KEY('y', copy), KEY('?', help),
    KEY(KEY_F1, help), KEY('+', step_up), KEY('=', step_up), KEY('-', step_down), KEY('_', step_down), KEY('u', undo),
    KEY(KEY_CTRL('R'), redo), KEY(KEY_CTRL('L'), redraw), KEY(KEY_CTRL('Z'), suspend),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_ESTIMATORS, ACTION_down, ACTION_up, "select", 0},
    {MODE_ESTIMATORS, ACTION_accept, ACTION_NONE, "explain ours", 0},
    {MODE_ESTIMATORS, ACTION_step_up, ACTION_step_down, "step", 0},
    {MODE_ESTIMATORS, ACTION_copy, ACTION_NONE, "copy", 0},
    {MODE_ESTIMATORS, ACTION_cancel, ACTION_NONE, "back", 0},
    {0},
};

/* ---- asking ----------------------------------------------------------------------------------------------------- */

static void take(void *to, const struct ui_comparison *comparison)
{
    struct estimators *all = to;
    if (all->count == ESTIMATOR_ROWS_MAX)
        return;
    struct estimator_row *row = &all->row[all->count++];
    row->is = *comparison;
    snprintf(row->path, sizeof row->path, "%s", comparison->path);
    snprintf(row->reason, sizeof row->reason, "%s", comparison->reason);
    row->is.path = row->path;
    row->is.reason = row->reason;
}

int estimators_update(struct ui *ui)
{
    if (!ui->host->estimators || (!ui->estimators && !(ui->estimators = calloc(1, sizeof *ui->estimators))))
        return -1;
    struct estimators *all = ui->estimators;
    if (all->generation != ui->generation) {
        all->generation = ui->generation;
        all->count = 0;
        if (ui->shown->is_computed)
            ui->host->estimators(ui->host->context, ui->shown, take, all);
    }
    ui->estimator_row = row_within(ui->estimator_row, all->count);
    return 0;
}

/* ---- texts ------------------------------------------------------------------------------------------------------ */

static struct figure value_text(const struct ui_comparison *is, double value)
{
    if (strcmp(is->unit, "bytes") == 0)
        return figure(FIGURE_BYTES, value);
    return figure(strcmp(is->unit, "s") == 0 ? FIGURE_SECONDS : FIGURE_COUNT, value);
}

/* How far theirs is from ours: "+27.8%", "=" only when it is the same number. */
static struct figure share_text(const struct ui_comparison *is)
{
    struct figure out = {"?"};
    double share = is->theirs / is->ours - 1;
    if (is->theirs == is->ours)
        snprintf(out.text, sizeof out.text, "=");
    else if (fabs(share) < 0.0005)
        snprintf(out.text, sizeof out.text, "<0.1%%");
    else if (isfinite(share))
        snprintf(out.text, sizeof out.text, fabs(share) < 100 ? "%+.1f%%" : "%+.1e%%", 100 * share);
    return out;
}

void estimators_line(const struct estimator_row *row, char out[ESTIMATOR_LINE_MAX])
{
    const struct ui_comparison *is = &row->is;
    if (is->quantity)
        snprintf(out, ESTIMATOR_LINE_MAX, "%s: ours %s, %s %s, %s; %s", is->quantity,
                 value_text(is, is->ours).text, is->estimator, value_text(is, is->theirs).text, share_text(is).text,
                 is->reason);
    else
        snprintf(out, ESTIMATOR_LINE_MAX, "%s does not answer: %s", is->estimator, is->reason);
}

/* ---- drawing ---------------------------------------------------------------------------------------------------- */

static bool begins_quantity(const struct estimators *all, int i)
{
    return all->row[i].is.quantity && (i == 0 || all->row[i - 1].is.quantity != all->row[i].is.quantity);
}

/* The quantity and our value. */
static int draw_ours(const struct ui_comparison *is, struct canvas *canvas, int y, int width)
{
    struct figure ours = value_text(is, is->ours);
    canvas_fit(canvas, 0, y, width - VALUE, ROLE_TITLE, is->quantity);
    canvas_right(canvas, width, y, ROLE_TITLE, ours.text);
    return y + 1;
}

/* Their value and the reason: beside it, or below where there is little room. Returns the row after. */
static int draw_theirs(const struct ui_comparison *is, struct canvas *canvas, int y, int width, bool is_selected)
{
    int block = width < BLOCK ? width : BLOCK, name = block - VALUE - SHARE - INDENT;
    canvas_fit(canvas, INDENT, y, name, ROLE_TEXT, is->estimator);
    canvas_right(canvas, block - VALUE, y, ROLE_TEXT, is->quantity ? share_text(is).text : "");
    canvas_right(canvas, block, y, ROLE_TEXT, is->quantity ? value_text(is, is->theirs).text : "no answer");
    if (is_selected)
        canvas_paint(canvas, INDENT, y, block - INDENT, ROLE_FOCUS, 0);
    if (width < WIDE)
        return canvas_wrap(canvas, 2 * INDENT, y + 1, width - 2 * INDENT, ROLE_MUTED, is->reason);
    int end = canvas_wrap(canvas, REASON, y, width - REASON, ROLE_MUTED, is->reason);
    return end > y ? end : y + 1;
}

static int draw_row(const struct estimators *all, int i, struct canvas *canvas, int y, int width, bool is_headed,
                    int selected)
{
    const struct ui_comparison *is = &all->row[i].is;
    if (is_headed && is->quantity)
        y = draw_ours(is, canvas, y, width < BLOCK ? width : BLOCK);
    return draw_theirs(is, canvas, y, width, i == selected);
}

/* The first row of the page that shows `selected`: pages hold whole rows, each page begins with its quantity. */
static int page_first(const struct estimators *all, int width, int height, int selected)
{
    struct canvas nowhere = {0};
    int first = 0;
    for (int i = 0, y = 0; i <= selected && i < all->count; i++) {
        int end = draw_row(all, i, &nowhere, y, width, y == 0 || begins_quantity(all, i), -1);
        if (end > height && i > first) {
            first = i;
            end = draw_row(all, i, &nowhere, 0, width, true, -1);
        }
        y = end;
    }
    return first;
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const struct estimators *all = ui->estimators;
    struct canvas nowhere = {0};
    if (!ui->shown->is_computed) {
        pane_draw_unavailable(ui, canvas, width, PANE_MEMORY);
        return;
    }
    if (!all || all->count == 0) {
        canvas_wrap(canvas, 0, 0, width, ROLE_TEXT, "No published estimator supports this plan.");
        return;
    }
    int first = page_first(all, width, height, ui->estimator_row);
    for (int i = first, y = 0; i < all->count; i++) {
        bool is_headed = i == first || begins_quantity(all, i);
        if (i > first && draw_row(all, i, &nowhere, y, width, is_headed, -1) > height)
            return;
        y = draw_row(all, i, canvas, y, width, is_headed, ui->estimator_row);
    }
}

/* ---- the overlay ------------------------------------------------------------------------------------------------ */

static void open(struct ui *ui)
{
    if (estimators_update(ui) != 0) {
        ui_say(ui, ROLE_MUTED, "no estimators can be asked here");
        return;
    }
    ui->mode = MODE_ESTIMATORS;
    ui->estimator_row = 0;
}

static void update(struct ui *ui)
{
    estimators_update(ui);
}

static void title(const struct ui *ui, char text[OVERLAY_TITLE_MAX], char remark[OVERLAY_REMARK_MAX])
{
    (void)ui;
    snprintf(text, OVERLAY_TITLE_MAX, "Estimators  ours, then theirs and why");
    snprintf(remark, OVERLAY_REMARK_MAX, "q back");
}

static void move(struct ui *ui, int dx, int dy)
{
    (void)dx;
    estimators_update(ui);
    ui->estimator_row = row_within(ui->estimator_row + dy, ui->estimators->count);
}

/* A row has two to four lines. */
static int page(const struct ui *ui)
{
    return ui->layout.results.height > 8 ? ui->layout.results.height / 4 : 2;
}

/* Enter on a row explains our value; q comes back here. */
static void accept(struct ui *ui)
{
    const struct estimators *all = ui->estimators;
    const char *path = ui->estimator_row < all->count ? all->row[ui->estimator_row].path : "";
    struct explanation x;
    if (explain_value(ui->shown, path, &x) == 0)
        explain_open(ui, path);
    else
        ui_say(ui, ROLE_MUTED, "no further detail");
}

/* The whole comparison, a line for each row. */
static size_t copy(const struct ui *ui, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < ui->estimators->count && used + ESTIMATOR_LINE_MAX + 1 < size; i++) {
        char line[ESTIMATOR_LINE_MAX];
        estimators_line(&ui->estimators->row[i], line);
        used += (size_t)snprintf(out + used, size - used, "%s\n", line);
    }
    return used;
}

const struct overlay overlay_estimators = {
    .keys = own_keys, .hints = own_hints, .open = open, .update = update, .title = title, .draw = draw, .move = move,
    .page = page, .accept = accept, .copy = copy,
};
