/* The time view of a plan that serves a model: what each batch size needs and gives, as a table and as a curve. */
#include "core/base.h"
#include "core/plan/param.h"
#include "core/show/figure.h"
#include "ui/pane/pane.h"
#include "ui/table.h"

#include <math.h>
#include <stdio.h>

/* ---- points ------------------------------------------------------------------------------------------------------- */

static void add_point(struct ui *ui, double batch)
{
    struct serving_curve *c = &ui->curve;
    struct plan plan = ui->plan;
    int at = c->count;
    for (int i = 0; i < c->count; i++)
        if (c->point[i].batch == batch)
            return;
    if (c->count == CURVE_POINTS || !(batch >= 1))
        return;
    plan.value[PARAM_serve_batch_size] = batch;
    plan.from[PARAM_serve_batch_size] = FROM_SET;
    estimate_plan(&plan, ui->scratch);
    const struct serving *s = &ui->scratch->serving;
    for (; at > 0 && c->point[at - 1].batch > batch; at--)
        c->point[at] = c->point[at - 1];
    c->point[at] = (struct serving_point){batch, s->needed_bytes, s->time_to_first_token_s, s->per_token_s, s->tokens_per_s,
                                          s->cost_per_million_tokens, s->request_s, ui->scratch->fits};
    c->count++;
}

/* Powers of two up to the first that does not fit, the present batch, and the largest that fits. */
void curve_update(struct ui *ui)
{
    enum { MOST = 4096 };
    if (ui->curve.generation == ui->generation || ui->shown != ui->now || !ui->now->is_serving || !ui->now->is_computed)
        return;
    double largest = ui->now->serving.max_batch_size;
    ui->curve = (struct serving_curve){.generation = ui->generation};
    add_point(ui, ui->now->plan.value[PARAM_serve_batch_size]);
    add_point(ui, largest <= MOST ? largest : NAN);
    for (double batch = 1; batch <= MOST && ui->curve.count < CURVE_POINTS; batch *= 2) {
        add_point(ui, batch);
        if (batch > largest)
            break;
    }
}

int curve_rows(const struct ui *ui)
{
    return ui->curve.count;
}

static const struct serving_point *point_at(const void *context, int row)
{
    return &((const struct serving_curve *)context)->point[row];
}

static void say_batch(const void *c, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%.0f", point_at(c, row)->batch);
}

static void say_needed(const void *c, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s%s", units_figure(FIGURE_GIB, point_at(c, row)->needed_bytes).text, point_at(c, row)->fits ? " " : "!");
}

static void say_first(const void *c, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", figure(FIGURE_SECONDS, point_at(c, row)->first_token_s).text);
}

static void say_token(const void *c, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", figure(FIGURE_SECONDS, point_at(c, row)->token_s).text);
}

static void say_tokens(const void *c, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", figure(FIGURE_COUNT, point_at(c, row)->tokens_per_s).text);
}

static void say_cost(const void *c, int row, char out[CELL_TEXT_MAX])
{
    double cost = point_at(c, row)->cost;
    snprintf(out, CELL_TEXT_MAX, isnan(cost) ? "?" : "%.2f", cost);
}

static void say_reply(const void *c, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", figure(FIGURE_SECONDS, point_at(c, row)->reply_s).text);
}

static const struct column columns[] = {
    {"batch", 6, 0, false, NULL, say_batch},   {"GiB", 8, 1, false, NULL, say_needed}, {"first", 8, 2, false, NULL, say_first},
    {"token", 8, 1, false, NULL, say_token},   {"tok/s", 7, 0, false, NULL, say_tokens}, {"$/1M", 7, 3, false, NULL, say_cost},
    {"reply", 8, 4, false, NULL, say_reply},
};
enum { COLUMNS = LENGTH(columns) };

/* ---- the curve ---------------------------------------------------------------------------------------------------- */

/* tokens/s up, the time of a token across; `*` is the present batch. */
static void draw_plot(const struct ui *ui, struct canvas *canvas, int y, int width, int height)
{
    enum { AXIS = 7 };
    const struct serving_curve *c = &ui->curve;
    double most = 0, longest = 0, now = ui->shown->plan.value[PARAM_serve_batch_size];
    int rows = height - 2, across = width - AXIS - 1;
    for (int i = 0; i < c->count; i++) {
        most = fmax(most, c->point[i].tokens_per_s);
        longest = fmax(longest, c->point[i].token_s);
    }
    if (!(most > 0) || !(longest > 0) || across < 8)
        return;
    canvas_text(canvas, 0, y, ROLE_TITLE, " tok/s");
    canvas_right(canvas, width, y, ROLE_DIM, "o a batch, * this one");
    for (int row = 0; row < rows; row++) {
        canvas_right(canvas, AXIS - 1, y + 1 + row, ROLE_DIM, figure(FIGURE_COUNT, most * (rows - 1 - row) / (rows - 1)).text);
        canvas_text(canvas, AXIS, y + 1 + row, ROLE_DIM, "|");
    }
    for (int i = 0; i < c->count; i++) {
        int x = (int)lround(c->point[i].token_s / longest * (across - 1));
        int up = (int)lround(c->point[i].tokens_per_s / most * (rows - 1));
        canvas_text(canvas, AXIS + 1 + x, y + rows - up, c->point[i].fits ? ROLE_KEY : ROLE_BAD, c->point[i].batch == now ? "*" : c->point[i].fits ? "o" : "!");
    }
    canvas_format(canvas, AXIS, y + rows + 1, ROLE_DIM, "0 .. %s a token", figure(FIGURE_SECONDS, longest).text);
}

void curve_draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    enum { PLOT_LEAST = 6, PLOT_MOST = 14 };
    const struct serving_curve *c = &ui->curve;
    struct table table = {.columns = columns, .count = COLUMNS, .context = c, .rows = c->count, .row = row_within(ui->at[PANE_TIME].row, c->count),
                          .column = -1, .is_focused = pane_has_focus(ui, PANE_TIME)};
    int rows = c->count + 1, room = height - rows - 2;
    table_draw(&table, canvas, 0, width, rows < height ? rows : height);
    if (room + 1 < PLOT_LEAST)
        return;
    canvas_format(canvas, 0, rows, ROLE_DIM, "! over; up to batch %s, context %s tokens",
                  figure(FIGURE_COUNT, ui->shown->serving.max_batch_size).text, figure(FIGURE_EXACT, ui->shown->serving.max_context_tokens).text);
    draw_plot(ui, canvas, rows + 1, width, room + 1 > PLOT_MOST ? PLOT_MOST : room + 1);
}

bool curve_open(struct ui *ui)
{
    struct plan plan = ui->plan;
    if (ui->curve.count == 0)
        return false;
    plan.value[PARAM_serve_batch_size] = ui->curve.point[row_within(ui->at[PANE_TIME].row, ui->curve.count)].batch;
    plan.from[PARAM_serve_batch_size] = FROM_SET;
    ui_change_key(ui, &plan, PARAM_serve_batch_size);
    return true;
}
