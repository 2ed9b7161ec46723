#include "ui/widget/layout.h"

#include <string.h>

enum { TITLE = 1, LEAST_ROWS = 3, LINE = 2, VIEW_ROWS = 6 /* that a lesson leaves to the panes */ };

struct rect layout_find(const struct layout *layout, enum pane_id pane)
{
    for (int i = 0; i < layout->slots; i++)
        if (layout->slot[i].pane == pane)
            return layout->slot[i].rect;
    return (struct rect){0, 0, 0, 0};
}

static void place(struct layout *layout, enum pane_id pane, struct rect rect)
{
    if (rect.width > 0 && rect.height > 0)
        layout->slot[layout->slots++] = (struct slot){pane, rect};
}

/* ---- the lines above and below ---------------------------------------------------------------------------------- */

/* Takes `rows` rows from the top of what is left. */
static struct rect take_top(struct rect *left, int rows)
{
    rows = rows > left->height ? left->height : rows;
    struct rect taken = {left->x, left->y, left->width, rows};
    left->y += rows;
    left->height -= rows;
    return taken;
}

static struct rect take_bottom(struct rect *left, int rows)
{
    rows = rows > left->height ? left->height : rows < 0 ? 0 : rows;
    left->height -= rows;
    return (struct rect){left->x, left->y + left->height, left->width, rows};
}

/* A lesson stands beside the panes where these are still many. */
static bool has_column(const struct layout_ask *ask)
{
    return ask->bar > 0 && ask->width >= 180 && ask->height >= 50 && !ask->is_single;
}

/* Splits off the right `width` columns; between stay a column for a line and a blank one. */
static struct rect take_right(struct rect *left, int width)
{
    left->width -= width + LINE;
    return (struct rect){left->x + left->width + LINE, left->y, width, left->height};
}

/* What is given up first as the screen gets lower: differences, hints, the second message line, figures. */
static void place_lines(const struct layout_ask *ask, int bar, struct layout *layout)
{
    int height = ask->height;
    struct rect left = {0, 0, ask->width, height};
    layout->header = take_top(&left, 1);
    layout->figures = take_top(&left, height >= 5);
    layout->delta = take_top(&left, ask->has_baseline && height >= 24);
    layout->hint = take_bottom(&left, height >= 8);
    layout->message = take_bottom(&left, height >= 16 ? 2 : height >= 4);
    int most = left.height - (height >= 20 ? VIEW_ROWS : 1);
    layout->bar = take_bottom(&left, bar < most ? bar : most);
    layout->body = layout->results = left;
}

/* The same where there is room for one field only: its valid values and two steps stand below it. */
static void place_small(const struct layout_ask *ask, struct layout *layout)
{
    struct rect left = {0, 0, ask->width, ask->height};
    bool is_low = ask->height < 8;
    layout->is_small = true;
    layout->header = take_top(&left, 1);
    layout->figures = take_top(&left, ask->height >= 3);
    layout->hint = take_bottom(&left, ask->height >= 6 && !(is_low && ask->has_message));
    layout->message = take_bottom(&left, !is_low || (ask->has_message && ask->height >= 4));
    layout->results = left;
    layout->field = take_top(&left, ask->width >= 40 && left.height >= 6 ? 4 : 3);
    layout->body = left;
    layout->body.height = ask->width >= 40 ? left.height : 0;
}

/* ---- stacks of panes -------------------------------------------------------------------------------------------- */

/* Shrinks the largest wishes until their sum is `height`; drops the last panes while they cannot have LEAST_ROWS. */
static int fit_rows(int rows[], int count, int height)
{
    while (count > 1 && count * LEAST_ROWS > height)
        count--;
    for (;;) {
        int sum = 0, largest = 0;
        for (int i = 0; i < count; i++) {
            sum += rows[i];
            largest = rows[i] > rows[largest] ? i : largest;
        }
        if (sum <= height) {
            rows[count - 1] += height - sum;
            return count;
        }
        rows[largest]--;
    }
}

/*
 * Rows that a view has beside others, however many it would like, so that the others do not move; 0 for what it would
 * like.
 */
static const int rows_given[PANE_COUNT] = {
    [PANE_DIFF] = 18, [PANE_WHATIF] = 11, [PANE_TUNER] = 8, [PANE_WHY] = 10, [PANE_HISTORY] = 6};

static int rows_beside(const struct layout_ask *ask, enum pane_id pane)
{
    int rows = rows_given[pane] ? rows_given[pane] : ask->wish[pane];
    return rows < LEAST_ROWS ? LEAST_ROWS : rows;
}

/* Stacks views from top to bottom; the last one takes what the others leave. */
static void stack(const struct layout_ask *ask, struct layout *layout, struct rect rect, const enum pane_id panes[],
                  int count)
{
    int rows[PANE_COUNT];
    if (rect.height < 1 || rect.width < 1)
        return;
    for (int i = 0; i < count; i++)
        rows[i] = rows_beside(ask, panes[i]);
    count = fit_rows(rows, count, rect.height);
    for (int i = 0; i < count; i++)
        place(layout, panes[i], take_top(&rect, rows[i]));
}

/* ---- forms ------------------------------------------------------------------------------------------------------ */

/* Which form opens first where not all can. */
static const enum pane_id form_priority[PANE_FORMS] = {PANE_PARALLEL, PANE_MODEL, PANE_TRAIN, PANE_RL, PANE_HARDWARE,
                                                       PANE_FRAMEWORK, PANE_SERVE},
                          serving_priority[PANE_FORMS] = {PANE_SERVE, PANE_PARALLEL, PANE_MODEL, PANE_HARDWARE,
                                                          PANE_FRAMEWORK, PANE_TRAIN, PANE_RL};

/* Opens a form to `want` rows (its title included) as far as there is room. */
static void open_form(int rows[], int pane, int want, int *left)
{
    int more = want - rows[pane];
    more = more > *left ? *left : more;
    if (rows[pane] == 0 || more <= 0)
        return;
    rows[pane] += more;
    *left -= more;
}

static void place_forms(const struct layout_ask *ask, struct layout *layout, struct rect rect)
{
    int rows[PANE_FORMS] = {0}, left = rect.height;
    bool is_low = rect.height < PANE_FORMS + 1 + ask->is_rl;
    int unused = ask->is_serving ? PANE_TRAIN : PANE_SERVE;
    const enum pane_id *priority = ask->is_serving ? serving_priority : form_priority;
    for (int i = 0; i < PANE_FORMS; i++)
        rows[i] = i == (int)ask->form ||
                          (!is_low && (i != unused || rect.height >= 40) && (i != PANE_RL || ask->is_rl))
                      ? TITLE
                      : 0;
    for (int i = 0; i < PANE_FORMS; i++)
        left -= rows[i];
    open_form(rows, (int)ask->form, TITLE + ask->brief[ask->form], &left);
    for (int i = 0; i < PANE_FORMS && left >= LEAST_ROWS; i++)
        open_form(rows, (int)priority[i], TITLE + ask->brief[priority[i]], &left);
    open_form(rows, (int)ask->form, TITLE + ask->fields[ask->form], &left);
    for (int i = 0; i < PANE_FORMS; i++)
        open_form(rows, (int)priority[i], TITLE + ask->fields[priority[i]], &left);
    for (int i = 0; i < PANE_FORMS; i++)
        place(layout, (enum pane_id)i, take_top(&rect, rows[i]));
}

/* ---- views ------------------------------------------------------------------------------------------------------ */

/* Splits off the left `width` columns; between stay a column for a line and a blank one. */
static struct rect take_left(struct rect *left, int width)
{
    struct rect taken = {left->x, left->y, width, left->height};
    left->x += width + LINE;
    left->width -= width + LINE;
    return taken;
}

/* Memory and time beside each other, stage by stage. */
static void place_pair(struct layout *layout, struct rect rect)
{
    place(layout, PANE_MEMORY, take_left(&rect, (rect.width - LINE + 1) / 2));
    place(layout, PANE_TIME, rect);
}

/* Rows that memory and time would like, of what leaves `others` rows for what stands below them. */
static int pair_rows(const struct layout_ask *ask, int height, int others)
{
    int rows[2] = {ask->wish[PANE_MEMORY] > ask->wish[PANE_TIME] ? ask->wish[PANE_MEMORY] : ask->wish[PANE_TIME],
                   others};
    fit_rows(rows, 2, height);
    return rows[0];
}

/* Devices, what could be changed and the best layouts, one number's reasons and the history; or differences. */
static void place_right(const struct layout_ask *ask, struct layout *layout, struct rect rect)
{
    enum { ALL_ROWS = 52 };
    static const enum pane_id all[] = {PANE_GRID, PANE_WHATIF, PANE_TUNER, PANE_WHY, PANE_HISTORY},
                              compared[] = {PANE_GRID, PANE_DIFF, PANE_WHATIF, PANE_WHY}, few[] = {PANE_GRID, PANE_WHY},
                              few_compared[] = {PANE_GRID, PANE_DIFF, PANE_WHY};
    /* asks what could be changed */
    bool is_compared = ask->has_baseline || ask->view == PANE_DIFF, is_lesson = ask->bar > 0;
    if (ask->is_serving || is_lesson)
        stack(ask, layout, rect, is_compared ? few_compared : few, is_compared ? 3 : 2);
    else if (is_compared)
        stack(ask, layout, rect, compared, 4);
    else
        stack(ask, layout, rect, all, rect.height >= ALL_ROWS ? 5 : 4);
}

/* Memory, time, traffic (or layers) and the schedule in the middle. */
static void place_wide(const struct layout_ask *ask, struct layout *layout, struct rect rect)
{
    const enum pane_id middle[] = {ask->view == PANE_LAYERS ? PANE_LAYERS : PANE_COMM, PANE_SCHEDULE};
    int third = rect.width * 2 / 5;
    int width = third < 54 ? 54 : third > 76 ? 76 : third;
    struct rect columns = take_left(&rect, rect.width - width - LINE);
    place_pair(layout,
               take_top(&columns, pair_rows(ask, columns.height, ask->wish[middle[0]] + ask->wish[PANE_SCHEDULE])));
    stack(ask, layout, columns, middle, 2);
    place_right(ask, layout, rect);
}

enum { GRID_WIDTH = 36, BAND_ROWS = 9 };

/* Memory and time, below them what could be changed and the devices, and the schedule at the bottom. */
static void place_bands(const struct layout_ask *ask, struct layout *layout, struct rect rect)
{
    int most = rect.height - 2 * BAND_ROWS, wanted = pair_rows(ask, rect.height, 2 * BAND_ROWS);
    place_pair(layout, take_top(&rect, wanted < most ? wanted : most));
    struct rect band = take_top(&rect, rect.height / 2);
    place(layout, PANE_WHATIF, take_left(&band, band.width - GRID_WIDTH));
    place(layout, PANE_GRID, band);
    place(layout, PANE_SCHEDULE, rect);
}

/* Memory and time above; below them the view that is chosen, with the devices beside it. */
static void place_broad(const struct layout_ask *ask, struct layout *layout, struct rect rect)
{
    enum { BANDS_LEAST = 34 };
    bool is_there = ask->view == PANE_MEMORY || ask->view == PANE_TIME || ask->view == PANE_GRID;
    enum pane_id below = is_there ? PANE_COMM : ask->view;
    if (is_there && !ask->is_serving && ask->bar == 0 && rect.height >= BANDS_LEAST) {
        place_bands(ask, layout, rect);
        return;
    }
    place_pair(layout, take_top(&rect, pair_rows(ask, rect.height, ask->wish[below] > 12 ? ask->wish[below] : 12)));
    if (below != PANE_SCHEDULE) { /* which needs the width */
        place(layout, below, take_left(&rect, rect.width - GRID_WIDTH));
        below = PANE_GRID;
    }
    place(layout, below, rect);
}

static void place_views(const struct layout_ask *ask, struct layout *layout, struct rect rect)
{
    enum layout_views views = ask->is_single ? VIEWS_ONE : layout_shape(ask->width, ask->height).views;
    bool is_alone = ask->view >= PANE_WHATIF && ask->view <= PANE_TUNER; /* wants the whole width */
    layout->results = rect;
    if (is_alone)
        views = VIEWS_ONE;
    if (views == VIEWS_WIDE)
        place_wide(ask, layout, rect);
    else if (views == VIEWS_BROAD)
        place_broad(ask, layout, rect);
    else if (views == VIEWS_PAIR && (ask->view == PANE_MEMORY || ask->view == PANE_TIME))
        place_pair(layout, rect);
    else
        place(layout, ask->view, rect);
}

/* Whether the row `y` goes through a view of the corner. */
static bool cuts_view(const struct layout *layout, int y)
{
    for (int i = 0; i < layout->slots; i++) {
        const struct rect *r = &layout->slot[i].rect;
        if (r->x >= layout->corner.x && r->y < y && y < r->y + r->height)
            return true;
    }
    return false;
}

/* The column of the last view, or all where that is narrow; of its views as many from below as make a page. */
static void find_corner(struct layout *layout)
{
    enum { WIDTH = 54, ROWS = 18 };
    struct rect results = layout->results, last = layout->slot[layout->slots - 1].rect;
    int bottom = results.y + results.height, y = bottom - ROWS;
    if (last.width >= WIDTH)
        layout->corner = (struct rect){last.x, results.y, last.width, results.height};
    while (y > results.y && cuts_view(layout, y))
        y--;
    if (y > results.y)
        layout->corner.y = y, layout->corner.height = bottom - y;
}

struct layout_shape layout_shape(int width, int height)
{
    return (struct layout_shape){
        .views = width < 64                     ? VIEWS_NONE
                 : width < 100                  ? VIEWS_ONE
                 : width < 120 || height < 30   ? VIEWS_PAIR
                 : width >= 180 && height >= 40 ? VIEWS_WIDE
                                                : VIEWS_BROAD,
        .form_width = width >= 160 ? 34 : width >= 120 ? 30 : 26,
        .hint_gap = width >= 120 ? 3 : 2,
    };
}

/* Everything but the corner. */
static void place_all(const struct layout_ask *ask, struct layout *layout)
{
    layout->is_tiny = ask->width < 20 || ask->height < 3;
    if (layout->is_tiny) {
        layout->header = (struct rect){0, 0, ask->width, ask->height};
        return;
    }
    struct layout_ask beside = *ask;
    bool is_column = has_column(ask);
    if (is_column) {
        beside.width -= LESSON_COLUMN + LINE;
        beside.bar = 0;
    }
    struct layout_shape shape = layout_shape(beside.width, ask->height);
    if (shape.views == VIEWS_NONE && !ask->is_view_focused && !ask->is_zoomed && !ask->is_single) {
        place_small(ask, layout);
        return;
    }
    place_lines(ask, is_column ? 0 : ask->bar, layout);
    if (is_column)
        layout->bar = take_right(&layout->body, LESSON_COLUMN);
    struct rect body = layout->body;
    enum pane_id focused = ask->is_view_focused ? ask->view : ask->form;
    if (ask->is_single) { /* a lecture needs the page for its bars */
        place(layout, ask->view, body);
        return;
    }
    bool is_page = focused == PANE_TUNER && shape.views < VIEWS_WIDE; /* its table needs the width */
    if (shape.views == VIEWS_NONE || ask->is_zoomed || ask->is_alone || is_page) {
        place(layout, focused, body);
        return;
    }
    place_forms(ask, layout, take_left(&body, shape.form_width));
    place_views(&beside, layout, body);
}

void layout_of(const struct layout_ask *ask, struct layout *layout)
{
    memset(layout, 0, sizeof *layout);
    place_all(ask, layout);
    layout->corner = layout->results;
    if (layout->slots > 0)
        find_corner(layout);
}
