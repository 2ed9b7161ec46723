/*
 * The time view of a plan that serves a model: what each batch size, prompt or tp needs and gives, as a table and as a
 * curve.
 */
#include "core/base.h"
#include "core/plan/param.h"
#include "core/plan/step.h"
#include "core/show/figure.h"
#include "ui/pane/pane.h"
#include "ui/widget/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- points ----------------------------------------------------------------------------------------------------- */

/* What may run along the curve. */
static const struct {
    enum param id;
    const char *title;
} runs[] = {{PARAM_serve_batch_size, "batch"}, {PARAM_serve_prompt_tokens, "prompt"}, {PARAM_parallel_tp, "tp"}};

static enum param key_of(const struct ui *ui)
{
    return runs[ui->curve.key].id;
}

void curve_next(struct ui *ui)
{
    if (!ui->shown->is_serving) {
        ui_say(ui, ROLE_MUTED, "v runs along batch, prompt and tp where a plan serves");
        return;
    }
    ui->curve = (struct serving_curve){.key = (ui->curve.key + 1) % (int)LENGTH(runs)};
    ui->at[PANE_TIME].row = 0;
}

/* Adds what a value gives; false where it does not fit. */
static bool add_point(struct ui *ui, double value)
{
    struct serving_curve *c = &ui->curve;
    struct plan plan = ui->plan;
    int at = c->count;
    for (int i = 0; i < c->count; i++)
        if (c->point[i].value == value)
            return c->point[i].fits;
    if (c->count == CURVE_POINTS || !(value >= 1))
        return false;
    param_set(&plan, key_of(ui), value);
    estimate_plan(&plan, ui->scratch);
    if (ui->scratch->diags.errors > 0)
        return false;
    const struct serving *s = &ui->scratch->serving;
    for (; at > 0 && c->point[at - 1].value > value; at--)
        c->point[at] = c->point[at - 1];
    c->point[at] = (struct serving_point){value,          s->needed_bytes,  s->time_to_first_token_s,
                                          s->per_token_s, s->tokens_per_s,  s->cost_per_million_tokens,
                                          s->request_s,   ui->scratch->fits};
    c->count++;
    return ui->scratch->fits;
}

/* The values of tp that work. */
static void add_valid(struct ui *ui)
{
    double valid[CURVE_POINTS];
    int count = param_valid(&ui->plan, key_of(ui), valid, CURVE_POINTS);
    for (int i = 0; i < count; i++)
        add_point(ui, valid[i]);
}

/* Powers of two up to the first that does not fit, the present value, and the largest batch that fits. */
static void find_points(struct ui *ui)
{
    const double most = ui->curve.key == 0 ? 4096 : 1048576, least = ui->curve.key == 0 ? 1 : 128;
    double largest = ui->now->serving.max_batch_size;
    ui->curve = (struct serving_curve){.generation = ui->generation, .key = ui->curve.key};
    add_point(ui, ui->now->plan.value[key_of(ui)]);
    if (key_of(ui) == PARAM_parallel_tp) {
        add_valid(ui);
        return;
    }
    add_point(ui, ui->curve.key == 0 && largest <= most ? largest : NAN);
    for (double value = least; value <= most && add_point(ui, value); value *= 2)
        ;
}

/* The present value is selected. */
static void update(struct ui *ui)
{
    if (ui->curve.generation == ui->generation || ui->shown != ui->now || !ui->now->is_serving || !ui->now->is_computed)
        return;
    find_points(ui);
    for (int i = 0; i < ui->curve.count; i++)
        if (ui->curve.point[i].value == ui->now->plan.value[key_of(ui)])
            ui->at[PANE_TIME].row = i;
}

static int rows_of(const struct ui *ui)
{
    return ui->curve.count;
}

static const struct serving_point *point_at(const void *context, int row)
{
    return &((const struct serving_curve *)context)->point[row];
}

static void say_value(const void *c, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%.0f", point_at(c, row)->value);
}

static void say_needed(const void *c, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s%s", units_figure(FIGURE_GIB, point_at(c, row)->needed_bytes).text,
             point_at(c, row)->fits ? " " : "!");
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
    {"batch", 6, 0, COLUMN_RIGHT, NULL, say_value},   {"GiB", 8, 1, COLUMN_RIGHT, NULL, say_needed},
    {"first", 8, 2, COLUMN_RIGHT, NULL, say_first},
    {"token", 8, 1, COLUMN_RIGHT, NULL, say_token},   {"tok/s", 7, 0, COLUMN_RIGHT, NULL, say_tokens},
    {"$/1M", 7, 3, COLUMN_RIGHT, NULL, say_cost}, {"reply", 8, 4, COLUMN_RIGHT, NULL, say_reply},
};
enum { COLUMNS = LENGTH(columns) };

/* ---- the curve -------------------------------------------------------------------------------------------------- */

/* tokens/s up, the time of a token across; `*` is the present batch. */
static void draw_plot(const struct ui *ui, struct canvas *canvas, int y, int width, int height)
{
    enum { AXIS = 7 };
    const struct serving_curve *c = &ui->curve;
    double most = 0, longest = 0, now = ui->shown->plan.value[key_of(ui)];
    int rows = height - 2, across = width - AXIS - 1;
    for (int i = 0; i < c->count; i++) {
        most = fmax(most, c->point[i].tokens_per_s);
        longest = fmax(longest, c->point[i].token_s);
    }
    if (!(most > 0) || !(longest > 0) || across < 8)
        return;
    canvas_text(canvas, 0, y, ROLE_TITLE, " tok/s");
    canvas_right(canvas, width, y, ROLE_MUTED, ui->curve.key == 0 ? "o a batch, * this one" : "o a value, * this one");
    for (int row = 0; row < rows; row++) {
        canvas_right(canvas, AXIS - 1, y + 1 + row, ROLE_MUTED,
                     figure(FIGURE_COUNT, most * (rows - 1 - row) / (rows - 1)).text);
        canvas_text(canvas, AXIS, y + 1 + row, ROLE_FAINT, canvas->ascii ? "|" : "\xe2\x94\x82");
    }
    for (int i = 0; i < c->count; i++) {
        int x = (int)lround(c->point[i].token_s / longest * (across - 1));
        int up = (int)lround(c->point[i].tokens_per_s / most * (rows - 1));
        canvas_text(canvas, AXIS + 1 + x, y + rows - up, c->point[i].fits ? ROLE_KEY : ROLE_BAD,
                    c->point[i].value == now ? "*"
                    : c->point[i].fits       ? "o"
                                             : "!");
    }
    canvas_format(canvas, AXIS, y + rows + 1, ROLE_MUTED, "0 .. %s a token", figure(FIGURE_SECONDS, longest).text);
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    enum { PLOT_LEAST = 6, PLOT_MOST = 28, WORDS = 46 };
    const struct serving_curve *c = &ui->curve;
    struct column own[COLUMNS];
    memcpy(own, columns, sizeof own);
    own[0].title = runs[c->key].title;
    struct table table = {.columns = own, .count = COLUMNS, .context = c, .rows = c->count,
                          .row = row_within(ui->at[PANE_TIME].row, c->count),
                          .column = -1, .is_focused = pane_has_focus(ui, PANE_TIME)};
    int rows = c->count + 1, room = height - rows - 2;
    table_draw(&table, canvas, 0, width, rows < height ? rows : height);
    if (rows >= height)
        return;
    canvas_format(canvas, 0, rows, ROLE_MUTED, width < WORDS ? "! over; up to %s, context %s"
                                                          : "! over; up to batch %s, context %s tokens",
                  figure(FIGURE_COUNT, ui->shown->serving.max_batch_size).text,
                  figure(FIGURE_EXACT, ui->shown->serving.max_context_tokens).text);
    if (room + 1 >= PLOT_LEAST)
        draw_plot(ui, canvas, rows + 1, width, room + 1 > PLOT_MOST ? PLOT_MOST : room + 1);
}

static bool open(struct ui *ui)
{
    struct plan plan = ui->plan;
    if (ui->curve.count == 0)
        return false;
    param_set(&plan, key_of(ui), ui->curve.point[row_within(ui->at[PANE_TIME].row, ui->curve.count)].value);
    ui_change_key(ui, &plan, key_of(ui));
    return true;
}

static void describe(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    snprintf(out, UI_MESSAGE_MAX,
             "%s on the fullest GPU, first token, each further one, tokens a second, dollars for 1M, a whole reply; "
             "Enter takes the %s, v: batch prompt tp",
             units_name(), runs[ui->curve.key].title);
}

const struct pane pane_curve = {
    .rows = rows_of, .draw = draw, .describe = describe, .open = open, .update = update,
};
