/* The memory view of a plan that serves a model. */
#include "core/show/components.h"
#include "core/show/quantity.h"
#include "ui/pane/lecture.h"
#include "ui/pane/pane.h"
#include "ui/widget/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 30 };

/* The quantities that screens show follow the components; NULL past the last one. */
static const struct quantity *quantity_of(int row)
{
    int n = row - serving_components.count;
    for (int i = 0; n >= 0 && i < serving_quantities.count; i++)
        if (serving_quantities.row[i].name && n-- == 0)
            return &serving_quantities.row[i];
    return NULL;
}

static int rows_of(const struct ui *ui)
{
    int count = serving_components.count;
    (void)ui;
    while (quantity_of(count))
        count++;
    return count;
}

/* The component of a row; NULL for the rows after them. */
static const struct component *component_of(int row)
{
    return row < serving_components.count ? &serving_components.row[row] : NULL;
}

static struct figure figure_of(const struct estimate *e, int row)
{
    const struct component *component = component_of(row);
    const struct quantity *quantity = quantity_of(row);
    return component ? units_figure(FIGURE_BYTES, serving_figure(component, &e->serving))
                     : units_short(quantity->kind, quantity_value(quantity, e));
}

static const char *label_of(int row, int room)
{
    const struct component *component = component_of(row);
    if (!component)
        return quantity_of(row)->name;
    return (int)strlen(component->words) <= room ? component->words : component->brief;
}

/* One bar: what is needed of what may be used. */
static void draw_bar(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const struct serving *s = &ui->shown->serving;
    struct bar_part parts[COMPONENTS_MAX];
    double room = s->room_bytes, usable = ui->shown->usable_bytes;
    struct bar bar = {.part = parts, .limit = room, .has_words = true};
    bar.scale = s->needed_bytes > usable || isnan(usable) ? s->needed_bytes : usable;
    for (int i = 0; i < serving_components.count; i++)
        if (serving_components.row[i].kind == COMPONENT_PART)
            parts[bar.parts++] =
                component_part(&serving_components.row[i], serving_component(&serving_components.row[i], s));
    bar_draw(&bar, canvas, (struct rect){0, 0, width, height});
}

static void draw_row(const struct estimate *e, struct canvas *canvas, int y, int row, int label, int end)
{
    const struct serving *s = &e->serving;
    const struct component *component = component_of(row);
    bool is_sum = component && component->kind == COMPONENT_SUM, is_over = is_sum && s->needed_bytes > s->room_bytes;
    if (component)
        component_mark(canvas, 0, y, component);
    canvas_fit(canvas, 2, y, label - 2, is_sum ? ROLE_TITLE : ROLE_TEXT, label_of(row, label - 2));
    canvas_right(canvas, end, y, is_over ? ROLE_BAD : ROLE_TEXT, figure_of(e, row).text);
}

/* The same for each number of users, prompt length or tp of the time view. */
static void draw_users(const struct ui *ui, struct canvas *canvas, int y, int width, int height)
{
    enum { NAME = 9, NUMBER = 11, EACH = 2 };
    const struct serving_curve *c = &ui->curve;
    int each = height - 1 >= EACH * c->count ? EACH : 1, shown = (height - 1) / each;
    double scale = ui->shown->serving.room_bytes;
    for (int i = 0; i < c->count; i++)
        scale = fmax(scale, c->point[i].needed_bytes);
    canvas_right(canvas, NAME - 2, y, ROLE_MUTED, curve_title(ui));
    canvas_pick(canvas, NAME, y, width - NAME - NUMBER, ROLE_MUTED, "weights, keys and values, the rest|");
    canvas_right(canvas, width, y++, ROLE_MUTED, units_name());
    for (int i = c->count > shown ? c->count - shown : 0; i < c->count; i++, y += each) {
        const struct serving_point *point = &c->point[i];
        double rest = point->needed_bytes - point->weights_bytes - point->cache_bytes;
        const struct bar_part parts[] = {{'W', ROLE_WEIGHTS, point->weights_bytes, "weights"},
                                         {'A', ROLE_ACTIVATIONS, point->cache_bytes, "keys, values"},
                                         {'T', ROLE_TRANSIENT, rest > 0 ? rest : 0, "rest"}};
        const struct bar bar = {.part = parts, .parts = 3, .scale = scale, .limit = ui->shown->serving.room_bytes,
                                .has_gap = each == 1};
        bool is_now = curve_is_now(ui, point->value);
        canvas_format(canvas, 0, y, is_now ? ROLE_STRONG : ROLE_TEXT, "%7.0f", point->value);
        bar_draw(&bar, canvas, (struct rect){NAME, y, width - NAME - NUMBER, 1});
        canvas_format(canvas, width - NUMBER + 1, y, point->fits ? is_now ? ROLE_STRONG : ROLE_TEXT : ROLE_BAD,
                      point->fits ? "%10s" : "%5s over",
                      units_figure(FIGURE_GIB, point->fits ? point->needed_bytes
                                                           : point->needed_bytes - bar.limit).text);
    }
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    enum { HIGH_MOST = 12 /* rows of a bar that is read from afar */, USERS_LEAST = 4 };
    int count = rows_of(ui), selected = ui->at[PANE_MEMORY].row, spare = height - 1 - count;
    int high = !ui->options.present || spare < 2 ? 1 : spare > HIGH_MOST ? HIGH_MOST : spare, first = high + 1;
    int label = width < LABEL + 9 ? width - 9 : LABEL, end = width < label + 12 ? width : label + 12;
    int top = page_top(selected, count, height - first);
    if (pane_is_lecture(ui) && ui->curve.generation == ui->generation && ui->curve.count > 0) {
        lecture_users(ui, canvas, false, width, height);
        return;
    }
    draw_bar(ui, canvas, width, high);
    for (int i = 0; i < height - first && top + i < count; i++) {
        draw_row(ui->shown, canvas, i + first, top + i, label, end);
        canvas_link(canvas, 0, i + first, width, LINK_ROWS + top + i);
        if (pane_has_focus(ui, PANE_MEMORY) && top + i == selected)
            canvas_paint(canvas, 2, i + first, end - 2, ROLE_FOCUS, 0);
    }
    spare = height - first - count - 1;
    if (spare > USERS_LEAST && !ui->options.present && ui->curve.generation == ui->generation)
        draw_users(ui, canvas, height - spare, width, spare);
}

static int wish(const struct ui *ui)
{
    enum { USERS = 9 };
    return 1 + 2 + rows_of(ui) + 2 + 2 * USERS;
}

static bool path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    int row = row_within(ui->at[PANE_MEMORY].row, rows_of(ui));
    const struct component *component = component_of(row);
    if (component)
        snprintf(out, EXPLAIN_PATH_MAX, "serving.%s", component->term);
    else
        snprintf(out, EXPLAIN_PATH_MAX, "%s", quantity_of(row)->path);
    return true;
}

static void describe(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    (void)ui;
    snprintf(out, UI_MESSAGE_MAX, "serving one replica of tp x pp GPUs; e explains the row");
}

static bool move(struct ui *ui, int dx, int dy)
{
    (void)dx;
    ui->at[PANE_MEMORY].row = row_within(ui->at[PANE_MEMORY].row + dy, rows_of(ui));
    return dy != 0;
}

const struct pane pane_serving = {.wish = wish, .rows = rows_of, .draw = draw, .path = path, .describe = describe,
                                 .move = move};
