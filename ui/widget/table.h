/* ui/widget/table.h - tables with a selection: columns by priority, rows by pages. */
#pragma once

#include "ui/term/canvas.h"

#include <stdbool.h>

enum { CELL_TEXT_MAX = 128 /* bytes */, TABLE_COLUMNS_MAX = 20 };

/** Where the texts of a column stand; changes of keys at the left, too, cut between them (core/search/diff_text.h). */
enum column_side { COLUMN_RIGHT, COLUMN_LEFT, COLUMN_CHANGES };

/** One column. Those with the lowest priority numbers are kept where there is little room. */
struct column {
    const char *title;
    int width;         /* the gap before it included; 0: it is not there */
    int priority;
    enum column_side side;
    const char *member; /* last part of the path that explain opens, or NULL */
    void (*text)(const void *context, int row, char out[CELL_TEXT_MAX]);
};

/** The first row to show so that `selected` is among `height` rows of `count`: whole pages. */
int page_top(int selected, int count, int height);

/** The row of `count` that is nearest to `row`; 0 when there is none. */
int row_within(int row, int count);

struct ui;

/** A table to draw. */
struct table {
    const struct column *columns;
    int count;
    const void *context; /* handed to the columns */
    int rows;
    int row;    /* the selected one */
    int column; /* the selected one among those shown; -1: the whole row */
    bool is_focused;
    const struct ui *ui; /* whose lesson marks cells of this pane; NULL: none are marked */
    int pane;
};

/** Draws header and rows into rows y .. y + height - 1 of the clip; the first column takes what is left over. */
void table_draw(const struct table *table, struct canvas *canvas, int y, int width, int height);

/** Which columns are shown in this width, in order; returns how many. */
int table_columns(const struct column *columns, int count, int width, int shown[TABLE_COLUMNS_MAX]);

/** The member of the selected one of the columns shown in this width, the last one's past the end; NULL without one. */
const char *table_member(const struct column *columns, int count, int width, int selected);
