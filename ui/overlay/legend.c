/* What letters, marks and words on the screen mean. */
#include "core/base.h"
#include "core/show/components.h"
#include "core/show/time_parts.h"
#include "ui/command/keymap.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"
#include "ui/widget/table.h"

#include <stdio.h>
#include <string.h>

#define KEY(key, id) {MODE_LEGEND, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY(KEY_ARROW_UP, up), KEY('k', up), KEY(KEY_ARROW_DOWN, down), KEY('j', down), KEY(KEY_PAGE_UP, page_up),
    KEY(KEY_PAGE_DOWN, page_down), KEY('g', top), KEY(KEY_TO_HOME, top), KEY('G', bottom), KEY(KEY_TO_END, bottom),
    KEY('q', cancel), KEY('L', cancel), KEY(KEY_RETURN, cancel), KEY(KEY_ESCAPE, cancel), KEY('?', help),
    KEY(KEY_CTRL('C'), cancel), KEY(KEY_CTRL('L'), redraw), KEY(KEY_CTRL('Z'), suspend),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_LEGEND, ACTION_down, ACTION_up, "scroll", 0},
    {MODE_LEGEND, ACTION_help, ACTION_NONE, "keys", 0},
    {MODE_LEGEND, ACTION_cancel, ACTION_NONE, "back", 0},
    {0},
};

/* Marks and words, each with its only meaning. */
static const struct {
    const char *mark, *meaning;
} marks[] = {
    {"*", "decides: fullest, slowest stage, top row"},
    {"!", "does not fit; of a link: leaves the node"},
    {"?", "not known, open; a range without a like run"},
    {"~", "text cut here; a layout as good as the best"},
    {"+", "before a layout: the simplest of them"},
    {"- 8 +", "a step down and a step up exist"},
    {"[ ] ( )", "selected GPU or cell; in one group with it"},
    {"(8)", "filled in: a default, preset or derived"},
    {"was 8", "behind a field: the baseline's value"},
    {"=", "no change; before a row: sum of the rows above"},
    {"--", "not valid"},
    {".:-=#", "shades of a map, from the least to the most"},
    {"FITS", "even where memory comes out high"},
    {"TIGHT", "it depends on values not known exactly"},
    {"NOT VALID", "the plan breaks a rule; 6 mends it"},
};
enum { MARKS = LENGTH(marks), MARK_WIDTH = 11 };

/* Parts of memory that have a letter; fills `out` with their places in the list. */
static int memory_parts(int out[COMPONENTS_MAX])
{
    int count = 0;
    for (int i = 0; i < stage_components.count; i++)
        if (stage_components.row[i].kind == COMPONENT_PART && *stage_components.row[i].words)
            out[count++] = i;
    return count;
}

/* Rows: a title, memory, a title, time, a title, marks. */
static int rows(void)
{
    int parts[COMPONENTS_MAX];
    return memory_parts(parts) + TIME_PARTS_MAX + MARKS + 3;
}

static void draw_row(struct canvas *canvas, int y, int width, int row)
{
    int parts[COMPONENTS_MAX], count = memory_parts(parts), time = row - count - 2, mark = time - TIME_PARTS_MAX - 1;
    if (row == 0)
        canvas_text(canvas, 0, y, ROLE_TITLE, "Capital letters are memory");
    else if (row <= count) {
        component_mark(canvas, 0, y, &stage_components.row[parts[row - 1]]);
        canvas_fit(canvas, 2, y, width - 2, ROLE_TEXT, stage_components.row[parts[row - 1]].words);
    } else if (time < 0)
        canvas_text(canvas, 0, y, ROLE_TITLE, "Small letters are time");
    else if (time < TIME_PARTS_MAX) {
        time_mark(canvas, 0, y, time);
        canvas_fit(canvas, 2, y, width - 2, ROLE_TEXT, time_parts[time].about);
    } else if (mark < 0)
        canvas_text(canvas, 0, y, ROLE_TITLE, "Marks and words");
    else if (mark < MARKS) {
        canvas_text(canvas, 0, y, ROLE_KEY, marks[mark].mark);
        canvas_fit(canvas, MARK_WIDTH, y, width - MARK_WIDTH, ROLE_TEXT, marks[mark].meaning);
    }
}

static void open(struct ui *ui)
{
    ui->mode = MODE_LEGEND;
    ui->legend_top = 0;
}

static void title(const struct ui *ui, char text[OVERLAY_TITLE_MAX], char remark[OVERLAY_REMARK_MAX])
{
    (void)ui;
    snprintf(text, OVERLAY_TITLE_MAX, "Legend");
    snprintf(remark, OVERLAY_REMARK_MAX, "q back");
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    for (int y = 0; y < height && ui->legend_top + y < rows(); y++)
        draw_row(canvas, y, width, ui->legend_top + y);
}

static int page(const struct ui *ui)
{
    int shown = overlay_rect(ui).height - 1;
    return shown > 1 ? shown : 1;
}

static void move(struct ui *ui, int dx, int dy)
{
    int most = rows() - page(ui);
    (void)dx;
    ui->legend_top = row_within(ui->legend_top + dy, most > 0 ? most + 1 : 1);
}

const struct overlay overlay_legend = {
    .keys = own_keys, .hints = own_hints, .open = open, .title = title, .draw = draw, .move = move, .page = page,
};
