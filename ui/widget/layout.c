#include "ui/widget/layout.h"

#include <string.h>

enum { TITLE = 1, LEAST_ROWS = 3, LINE = 2, VIEW_ROWS = 6 /* that a lesson leaves to the panes */,
       CAPTIONS_HEIGHT = 30 /* rows of a screen that says what its headline figures are */,
       BIG_WIDTH = 100 /* columns of one whose figures are read from afar */,
       ROOMY_HEIGHT = 50 /* and of one with blank rows */ };

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

/* Splits off the left `width` columns, and two blank ones. */
static struct rect take_left(struct rect *left, int width)
{
    struct rect taken = {left->x, left->y, width, left->height};
    left->x += width + LINE;
    left->width -= width + LINE;
    return taken;
}

/* Splits off the right `width` columns, and two blank ones. */
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
    bool is_big = ask->is_single && bar == 0 && height >= CAPTIONS_HEIGHT && ask->width >= BIG_WIDTH;
    layout->figures = take_top(&left, is_big ? BIG_FIGURES : height >= CAPTIONS_HEIGHT ? 2 : height >= 5);
    layout->delta = take_top(&left, ask->has_baseline && height >= 24 && height < CAPTIONS_HEIGHT);
    take_top(&left, height >= ROOMY_HEIGHT);
    layout->hint = take_bottom(&left, height >= 8);
    layout->message = take_bottom(&left, height >= 16 ? 2 : height >= 4);
    int most = left.height - (height >= 20 ? VIEW_ROWS : 1);
    layout->bar = take_bottom(&left, bar < most ? bar : most);
    layout->body = layout->results = left;
}

/* A lesson: its title above the header, its text on the left; one figure on the right, and the time below it. */
static void place_halves(const struct layout_ask *ask, struct layout *layout)
{
    enum { TEXT_MOST = 72, TEXT_SHARE = 45 /* percent */, TIME_MOST = 16, FIGURE_LEAST = 14 };
    struct rect left = {0, 0, ask->width, ask->height};
    int text = ask->width * TEXT_SHARE / 100, time = ask->wish[PANE_TIME];
    layout->is_halved = true;
    take_top(&left, 1);
    layout->header = take_top(&left, 1);
    take_top(&left, 1);
    layout->hint = take_bottom(&left, 1);
    layout->message = take_bottom(&left, 2);
    layout->body = left;
    layout->bar = take_left(&left, text < TEXT_MOST ? text : TEXT_MOST);
    layout->results = left;
    time = time < TIME_MOST ? time : TIME_MOST;
    bool has_time = ask->has_waterfall && ask->view != PANE_TIME && left.height - time - 1 >= FIGURE_LEAST;
    struct rect below = take_bottom(&left, has_time ? time : 0);
    take_bottom(&left, has_time);
    place(layout, ask->view, left);
    place(layout, PANE_TIME, below);
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
                          (!is_low && i != unused && (i != PANE_RL || ask->is_rl))
                      ? TITLE
                      : 0;
    for (int i = 0; i < PANE_FORMS; i++)
        left -= rows[i];
    open_form(rows, (int)ask->form, TITLE + ask->brief[ask->form], &left);
    for (int i = 0; i < PANE_FORMS && left >= LEAST_ROWS; i++)
        open_form(rows, (int)priority[i], TITLE + ask->brief[priority[i]], &left);
    int groups = 0;
    for (int i = 0; i < PANE_FORMS; i++)
        groups += rows[i] > 0;
    int gap = ask->height >= ROOMY_HEIGHT && left >= groups;
    left -= gap * (groups - 1);
    open_form(rows, (int)ask->form, TITLE + ask->fields[ask->form], &left);
    for (int i = 0; i < PANE_FORMS; i++)
        open_form(rows, (int)priority[i], TITLE + ask->fields[priority[i]], &left);
    for (int i = 0; i < PANE_FORMS; i++) {
        place(layout, (enum pane_id)i, take_top(&rect, rows[i]));
        take_top(&rect, rows[i] > 0 ? gap : 0);
    }
}

/* ---- views ------------------------------------------------------------------------------------------------------ */

/* Two views beside each other. */
static void place_pair(struct layout *layout, struct rect rect, enum pane_id left, enum pane_id right)
{
    place(layout, left, take_left(&rect, (rect.width - LINE) / 2));
    place(layout, right, rect);
}

/* Rows of a view: what it would like, at most so many, of what leaves the others theirs. */
static int rows_of(const struct layout_ask *ask, enum pane_id pane, int most, int left)
{
    int rows = ask->wish[pane] < most ? ask->wish[pane] : most;
    rows = rows < left ? rows : left;
    return rows < LEAST_ROWS ? LEAST_ROWS : rows;
}

enum { MEMORY_ROWS = 6, TIME_ROWS = 9, WHATIF_ROWS = 4, SCHEDULE_ROWS = 6, BAND_ROWS = 14, SECOND_ROWS = 9,
       TRAFFIC_ROWS = 12, STAIRS_ROWS = 11 };

/* Memory, time and what would be faster above each other; the schedule at the bottom of a high screen. */
static void place_column(const struct layout_ask *ask, struct layout *layout, struct rect rect)
{
    bool has_schedule = rect.height >= MEMORY_ROWS + TIME_ROWS + WHATIF_ROWS + SCHEDULE_ROWS - 1 && !ask->is_serving;
    int spare = rect.height - (has_schedule ? SCHEDULE_ROWS : 0) - WHATIF_ROWS;
    struct rect schedule = take_bottom(&rect, has_schedule ? SCHEDULE_ROWS : 0);
    if (rect.height < MEMORY_ROWS + LEAST_ROWS) {
        place(layout, ask->view, rect);
        return;
    }
    int memory = rows_of(ask, PANE_MEMORY, MEMORY_ROWS, spare - LEAST_ROWS);
    place(layout, PANE_MEMORY, take_top(&rect, memory));
    int time = rows_of(ask, PANE_TIME, TIME_ROWS, rect.height - WHATIF_ROWS);
    place(layout, PANE_TIME, take_top(&rect, rect.height < time + WHATIF_ROWS ? rect.height : time));
    place(layout, PANE_WHATIF, rect);
    place(layout, PANE_SCHEDULE, schedule);
}

/* Rows of the traffic: fewer where nothing is sent, and where many stages leave the memory beneath them few. */
static int traffic_rows(const struct layout_ask *ask)
{
    enum { QUIET_WISH = 4, QUIET_ROWS = 5, MANY_WISH = 22, MANY = 11 };
    if (ask->wish[PANE_COMM] <= QUIET_WISH)
        return QUIET_ROWS;
    return ask->wish[PANE_SCHEDULE] >= MANY_WISH ? MANY : TRAFFIC_ROWS;
}

/* Memory and time; what would be faster and who talks to whom; traffic and layouts; the schedule. */
static void place_bands(const struct layout_ask *ask, struct layout *layout, struct rect rect, bool is_wide)
{
    int gap = ask->height >= ROOMY_HEIGHT, last = is_wide ? STAIRS_ROWS + 1 : STAIRS_ROWS;
    if (ask->is_serving) {
        struct rect left = take_left(&rect, (rect.width - LINE) / 2);
        place(layout, PANE_MEMORY, take_top(&left, rows_of(ask, PANE_MEMORY, left.height, left.height - SECOND_ROWS)));
        take_top(&left, gap);
        place(layout, PANE_WHATIF, left);
        place(layout, PANE_TIME, rect);
        return;
    }
    int traffic = is_wide ? traffic_rows(ask) : 0;
    int spare = is_wide && traffic < TRAFFIC_ROWS - 1 ? TRAFFIC_ROWS - traffic : 0;
    int least = SECOND_ROWS + last + (is_wide ? TRAFFIC_ROWS + gap : 0) + 2 * gap;
    place_pair(layout, take_top(&rect, rows_of(ask, PANE_MEMORY, BAND_ROWS, rect.height - least)), PANE_MEMORY,
               PANE_TIME);
    take_top(&rect, gap);
    int below = last + (is_wide ? traffic + gap : 0) + gap, second = SECOND_ROWS + (is_wide ? 2 : 0) + spare;
    second = second > rect.height - below || !is_wide ? rect.height - below : second;
    place_pair(layout, take_top(&rect, second), PANE_WHATIF, PANE_GRID);
    take_top(&rect, gap);
    if (is_wide) {
        place_pair(layout, take_top(&rect, traffic), PANE_COMM, PANE_TUNER);
        take_top(&rect, traffic == TRAFFIC_ROWS - 1 ? 0 : gap);
    }
    place(layout, PANE_SCHEDULE, rect);
}

/* Whether a screen of this shape has the view beside others. */
static bool is_overview(const struct layout_ask *ask, enum layout_views views, int height)
{
    bool is_above = ask->view == PANE_MEMORY || ask->view == PANE_TIME,
         is_below = ask->view == PANE_WHATIF || (!ask->is_serving && ask->view == PANE_SCHEDULE);
    if (ask->is_single || ask->bar > 0)
        return false;
    if (views == VIEWS_ONE)
        return is_above || ask->view == PANE_WHATIF ||
               (is_below && height >= MEMORY_ROWS + TIME_ROWS + WHATIF_ROWS + SCHEDULE_ROWS - 1);
    return is_above || is_below || (!ask->is_serving && ask->view == PANE_GRID) ||
           (views == VIEWS_WIDE && !ask->is_serving && (ask->view == PANE_COMM || ask->view == PANE_TUNER));
}

static void place_views(const struct layout_ask *ask, struct layout *layout, struct rect rect)
{
    enum layout_views views = ask->is_single ? VIEWS_ONE : layout_shape(ask->width, ask->height).views;
    layout->results = rect;
    if (!is_overview(ask, views, rect.height))
        place(layout, ask->view, rect);
    else if (views == VIEWS_ONE)
        place_column(ask, layout, rect);
    else
        place_bands(ask, layout, rect, views == VIEWS_WIDE);
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

enum { CORNER_WIDTH = 54, CORNER_ROWS = 18 }; /* of a page */

/*
 * Two views above each other beside others, without the one in use: they are drawn again in fewer bytes than what has
 * the whole width. False where no two make a page.
 */
static bool find_column(const struct layout_ask *ask, struct layout *layout)
{
    const struct rect all = layout->results, used = layout_find(layout, ask->view);
    for (int side = 0; side < 2; side++) {
        struct rect column = {0};
        for (int i = 0; i < layout->slots; i++) {
            struct rect r = layout->slot[i].rect;
            bool is_there = r.y > all.y && r.x >= all.x && r.width < all.width && (r.x > all.x) == (side == 0);
            if (is_there && column.height == 0)
                column = r;
            else if (is_there)
                column.height = r.y + r.height - column.y;
        }
        if (column.height >= CORNER_ROWS && !rect_has(column, used.x, used.y)) {
            layout->corner = column;
            return true;
        }
    }
    return false;
}

/* The column of the last view, or all where that is narrow; of its views as many from below as make a page. */
static void find_corner(struct layout *layout)
{
    struct rect results = layout->results, last = layout->slot[layout->slots - 1].rect;
    int bottom = results.y + results.height, y = bottom - CORNER_ROWS;
    if (last.width >= CORNER_WIDTH)
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
                 : width < 116 || height < 38   ? VIEWS_ONE
                 : width >= 180 && height >= 58 ? VIEWS_WIDE
                                                : VIEWS_BROAD,
        .form_width = width >= 180 ? 38 : width >= 160 ? 36 : width >= 116 ? 30 : width >= 100 ? 28 : 25,
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
    if (ask->is_halved) {
        place_halves(ask, layout);
        return;
    }
    struct layout_ask beside = *ask;
    bool is_column = ask->bar > 0 && ask->width >= 180 && ask->height >= 50 && !ask->is_single;
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
    bool is_page = focused == PANE_TUNER && shape.views == VIEWS_ONE; /* its table needs the width */
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
    if (layout->slots > 0 && !find_column(ask, layout))
        find_corner(layout);
}
