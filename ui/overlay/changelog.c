/* Every change so far, the newest first; Enter goes to one, back or forth. */
#include "core/show/figure.h"
#include "ui/command/browse.h"
#include "ui/command/change.h"
#include "ui/command/keymap.h"
#include "ui/overlay/overlay.h"
#include "ui/widget/table.h"
#include "ui/widget/units.h"

#include <stdio.h>

#define KEY(key, id) {MODE_CHANGELOG, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY(KEY_RETURN, accept), KEY(KEY_ARROW_UP, up), KEY('k', up), KEY(KEY_ARROW_DOWN, down), KEY('j', down),
    KEY(KEY_PAGE_UP, page_up), KEY(KEY_PAGE_DOWN, page_down), KEY('g', top), KEY(KEY_TO_HOME, top), KEY('G', bottom),
    KEY(KEY_TO_END, bottom), KEY('u', undo), KEY(KEY_CTRL('R'), redo), KEY('U', undo_all), KEY(KEY_ESCAPE, cancel),
    KEY('q', cancel), KEY('H', cancel), KEY('?', help), KEY(KEY_CTRL('C'), cancel), KEY(KEY_CTRL('L'), redraw),
    KEY(KEY_CTRL('Z'), suspend),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_CHANGELOG, ACTION_accept, ACTION_NONE, "go there", 0},
    {MODE_CHANGELOG, ACTION_down, ACTION_up, "select", 0},
    {MODE_CHANGELOG, ACTION_undo, ACTION_NONE, "undo", 0},
    {MODE_CHANGELOG, ACTION_redo, ACTION_NONE, "redo", 0},
    {MODE_CHANGELOG, ACTION_undo_all, ACTION_NONE, "undo all", 0},
    {MODE_CHANGELOG, ACTION_cancel, ACTION_NONE, "back", 0},
    {0},
};

/* The state that a row stands for. */
static int index_of(const struct ui *ui, int row)
{
    return ui->history.count - 1 - row;
}

static void open(struct ui *ui)
{
    ui->history_row = index_of(ui, ui->history.now);
    ui->mode = MODE_CHANGELOG;
}

static void title(const struct ui *ui, char text[OVERLAY_TITLE_MAX], char remark[OVERLAY_REMARK_MAX])
{
    snprintf(text, OVERLAY_TITLE_MAX, "Changes  the newest first, %s and time of each", units_name());
    snprintf(remark, OVERLAY_REMARK_MAX, "%d  Esc back", ui->history.count - 1);
}

static void draw_row(const struct ui *ui, struct canvas *canvas, int y, int width, int row)
{
    enum { MARK = 2, TIME = 10, MEMORY = 9 };
    int index = index_of(ui, row);
    const struct history_entry *entry = history_at(&ui->history, index);
    enum role role = index > ui->history.now ? ROLE_MUTED : ROLE_TEXT;
    if (index == ui->history.now)
        canvas_text(canvas, 0, y, ROLE_STRONG, "@");
    canvas_fit(canvas, MARK, y, width - MARK - TIME - MEMORY - 1, role, index == 0 ? "the beginning" : entry->label);
    canvas_right(canvas, width - TIME, y, role, units_figure(FIGURE_GIB, entry->peak_bytes).text);
    canvas_right(canvas, width, y, role, figure(FIGURE_SECONDS, entry->iteration_s).text);
    canvas_link(canvas, 0, y, width, LINK_ROWS + row);
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    int top = page_top(ui->history_row, ui->history.count, height);
    for (int y = 0; y < height && top + y < ui->history.count; y++) {
        draw_row(ui, canvas, y, width, top + y);
        if (top + y == ui->history_row)
            canvas_paint(canvas, 0, y, width, ROLE_FOCUS, 0);
    }
}

static void move(struct ui *ui, int dx, int dy)
{
    (void)dx;
    ui->history_row = row_within(ui->history_row + dy, ui->history.count);
}

static void accept(struct ui *ui)
{
    int index = index_of(ui, ui->history_row);
    ui->mode = MODE_BROWSE;
    if (index != ui->history.now)
        change_go(ui, index);
}

static int *row_of(struct ui *ui)
{
    return &ui->history_row;
}

const struct overlay overlay_changelog = {
    .keys = own_keys, .hints = own_hints, .is_in_corner = true, .open = open, .title = title, .draw = draw,
    .row = row_of, .move = move, .page = browse_page, .accept = accept,
};
