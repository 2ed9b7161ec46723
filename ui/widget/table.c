#include "ui/widget/table.h"

#include "core/search/diff_text.h"
#include "ui/pane/lesson_marks.h"
#include "ui/widget/units.h"

#include <stdio.h>

int page_top(int selected, int count, int height)
{
    if (height < 1 || count <= height)
        return 0;
    int top = selected / height * height;
    return top > count - height ? count - height : top;
}

int row_within(int row, int count)
{
    return row < 0 || count < 1 ? 0 : row < count ? row : count - 1;
}

int table_columns(const struct column *columns, int count, int width, int shown[TABLE_COLUMNS_MAX])
{
    bool keep[TABLE_COLUMNS_MAX] = {false};
    for (int priority = 0; priority < TABLE_COLUMNS_MAX; priority++)
        for (int i = 0; i < count; i++)
            if (columns[i].priority == priority && (columns[i].width <= width || priority == 0)) {
                keep[i] = columns[i].width > 0;
                width -= columns[i].width;
            }
    int n = 0;
    for (int i = 0; i < count; i++)
        if (keep[i])
            shown[n++] = i;
    return n;
}

const char *table_member(const struct column *columns, int count, int width, int selected)
{
    int shown[TABLE_COLUMNS_MAX], n = table_columns(columns, count, width, shown);
    return n > 0 ? columns[shown[row_within(selected, n)]].member : NULL;
}

/* Draws one cell; numbers end where the column ends, what is too long is cut with a mark. */
static void draw_cell(struct canvas *canvas, int x, int y, int width, bool is_left, const char *text, enum role role)
{
    int gap = x > 0;
    if (is_left || text_width(text) > width - gap)
        canvas_fit(canvas, x + gap, y, width - gap, role, text);
    else
        canvas_right(canvas, x + width, y, role, text);
}

static int shown_width(const struct table *t, const int shown[], int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += t->columns[shown[i]].width;
    return sum;
}

/* How much wider the first column is than it asks for: narrower where the others would not be seen. */
static int first_extra(const struct table *t, const int shown[], int n, int width)
{
    enum { EXTRA_MOST = 24, FIRST_LEAST = 8 };
    int extra = width - shown_width(t, shown, n), least = FIRST_LEAST - t->columns[shown[0]].width;
    return extra > EXTRA_MOST && n > 1 ? EXTRA_MOST : extra < least ? least < 0 ? least : 0 : extra;
}

void table_draw(const struct table *t, struct canvas *canvas, int y, int width, int height)
{
    int shown[TABLE_COLUMNS_MAX];
    int n = table_columns(t->columns, t->count, width, shown);
    int extra = first_extra(t, shown, n, width), top = page_top(t->row, t->rows, height - 1);
    int chosen = t->column >= n ? n - 1 : t->column;
    for (int line = 0; line < height && top + line <= t->rows; line++) {
        int row = top + line - 1;
        if (line > 0)
            canvas_link(canvas, 0, y + line, width, LINK_ROWS + row);
        bool is_row = t->is_focused && line > 0 && row == t->row;
        for (int i = 0, x = 0; i < n; i++) {
            const struct column *c = &t->columns[shown[i]];
            int w = c->width + (i == 0 ? extra : 0);
            char text[CELL_TEXT_MAX] = "";
            if (line > 0)
                c->text(t->context, row, text);
            else
                snprintf(text, sizeof text, "%s", units_word(c->title).text);
            if (line > 0 && c->side == COLUMN_CHANGES)
                diff_text_shorten(text, w - (x > 0));
            draw_cell(canvas, x, y + line, w, c->side != COLUMN_RIGHT, text, line > 0 ? ROLE_TEXT : ROLE_MUTED);
            if (line > 0 && t->ui && lesson_marks_table(t->ui, (enum pane_id)t->pane, row, i))
                lesson_marks_draw(canvas, x + w - text_width(text), y + line, text_width(text));
            if (is_row && (chosen < 0 || i == chosen || i == 0))
                canvas_paint(canvas, x + (x > 0 && chosen >= 0), y + line, w - (x > 0 && chosen >= 0), ROLE_FOCUS, 0);
            x += w;
        }
    }
}
