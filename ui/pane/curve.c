/*
 * The time view of a plan that serves a model: what each batch size, prompt or tp needs and gives, as a table and as a
 * curve.
 */
#include "core/base.h"
#include "core/plan/param.h"
#include "core/plan/step.h"
#include "core/show/figure.h"
#include "core/show/line.h"
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
} runs[] = {{PARAM_serve_batch_size, "users"}, {PARAM_serve_prompt_tokens, "prompt"}, {PARAM_parallel_tp, "tp"}};

static enum param key_of(const struct ui *ui)
{
    return runs[ui->curve.key].id;
}

const char *curve_title(const struct ui *ui)
{
    return runs[ui->curve.key].title;
}

bool curve_is_now(const struct ui *ui, double value)
{
    return value == ui->shown->plan.value[key_of(ui)];
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
    c->point[at] = (struct serving_point){
        .value = value, .weights_bytes = s->weights_bytes, .cache_bytes = s->kv_cache_bytes,
        .needed_bytes = s->needed_bytes, .first_token_s = s->time_to_first_token_s, .token_s = s->per_token_s,
        .tokens_per_s = s->tokens_per_s, .cost = s->cost_per_million_tokens, .reply_s = s->request_s,
        .fits = ui->scratch->fits};
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
void curve_update(struct ui *ui)
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
    snprintf(out, CELL_TEXT_MAX, "%s", units_figure(FIGURE_GIB, point_at(c, row)->needed_bytes).text);
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
    snprintf(out, CELL_TEXT_MAX, "%s", units_figure(FIGURE_COUNT, point_at(c, row)->tokens_per_s).text);
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
    {"users", 6, 0, COLUMN_RIGHT, NULL, say_value}, {"GiB", 8, 1, COLUMN_RIGHT, NULL, say_needed},
    {"first", 8, 2, COLUMN_RIGHT, NULL, say_first}, {"token", 8, 1, COLUMN_RIGHT, NULL, say_token},
    {"tok/s", 7, 0, COLUMN_RIGHT, NULL, say_tokens}, {"$/1M", 7, 3, COLUMN_RIGHT, NULL, say_cost},
    {"reply", 8, 4, COLUMN_RIGHT, NULL, say_reply},
};
enum { COLUMNS = LENGTH(columns) };

/* ---- the curve -------------------------------------------------------------------------------------------------- */

/* The ends of both axes. */
struct plot {
    double most_per_s, longest_s;
    int across, rows;
};

static struct plot plot_of(const struct ui *ui, int across, int rows)
{
    struct plot plot = {0, 0, across, rows};
    for (int i = 0; i < ui->curve.count; i++) {
        plot.most_per_s = fmax(plot.most_per_s, ui->curve.point[i].tokens_per_s);
        plot.longest_s = fmax(plot.longest_s, ui->curve.point[i].token_s);
    }
    return plot;
}

enum { AXIS = 7 };

/* Lines and round values. */
static void draw_axes(struct canvas *canvas, int y, const struct plot *plot)
{
    enum { APART_ROWS = 3, APART = 12 };
    const double longest_ms = 1e3 * plot->longest_s;
    double step = units_step(plot->most_per_s, fmax((plot->rows - 1) / APART_ROWS, 1));
    for (int row = 0; row < plot->rows; row++)
        canvas_text(canvas, AXIS, y + row, ROLE_FAINT, canvas->ascii ? "|" : "\xe2\x94\x82");
    for (double value = 0; value <= plot->most_per_s; value += step)
        canvas_right(canvas, AXIS - 1, y + plot->rows - 1 - (int)lround(value / plot->most_per_s * (plot->rows - 1)),
                     ROLE_MUTED, units_figure(FIGURE_COUNT, value).text);
    step = units_step(longest_ms, fmax(plot->across / APART, 1));
    for (double value = 0; value <= longest_ms; value += step) {
        int x = (int)lround(value / longest_ms * (plot->across - 1));
        if (x + 8 <= plot->across)
            canvas_format(canvas, AXIS + 1 + x, y + plot->rows, ROLE_MUTED, value > 0 ? "%g ms" : "%g", value);
    }
}

/* tokens/s up, the time of a token across; each point has its value where there is room. */
static void draw_plot(const struct ui *ui, struct canvas *canvas, int y, int width, int height)
{
    const struct serving_curve *c = &ui->curve;
    const struct plot plot = plot_of(ui, width - AXIS - 1, height - 2);
    if (!(plot.most_per_s > 0) || !(plot.longest_s > 0) || plot.across < 8)
        return;
    canvas_pick(canvas, 0, y, width, ROLE_MUTED, "tokens/s against ms a token; o fits, x over, @ this plan|"
                                                 "tokens/s, ms a token; o fits, x over|tokens/s, ms a token|");
    draw_axes(canvas, y + 1, &plot);
    for (int i = 0; i < c->count; i++) {
        const struct serving_point *point = &c->point[i];
        bool is_now = curve_is_now(ui, point->value);
        int x = AXIS + 1 + (int)lround(point->token_s / plot.longest_s * (plot.across - 1));
        int row = y + plot.rows - (int)lround(point->tokens_per_s / plot.most_per_s * (plot.rows - 1));
        char text[24];
        int length = snprintf(text, sizeof text, "%s %.0f", is_now ? "@" : point->fits ? "o" : "x", point->value);
        canvas_text(canvas, x + length <= width ? x : x - 1, row,
                    is_now        ? ROLE_STRONG
                    : point->fits ? ROLE_KEY
                                  : ROLE_BAD,
                    x + length <= width ? text : (text[1] = '\0', text));
    }
}

/* "over: 128; up to 79 users, context 12,781 tokens" */
static void say_limits(const struct ui *ui, char *out, size_t size)
{
    const struct serving *s = &ui->shown->serving;
    char text[80];
    struct text_line line = line_in(text, sizeof text), all = line_in(out, size);
    for (int i = 0, over = 0; i < ui->curve.count; i++)
        if (!ui->curve.point[i].fits)
            line_add(&line, over++ ? ", %.0f" : "over: %.0f", ui->curve.point[i].value);
    line_add(&line, "%sup to %s users", line.at ? "; " : "", units_figure(FIGURE_COUNT, s->max_batch_size).text);
    line_add(&all, "%s, context %s tokens|%s", text, figure(FIGURE_EXACT, s->max_context_tokens).text, text);
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    enum { PLOT_LEAST = 6, PLOT_MOST = 28, WIDTH_MOST = 54 /* of the table */ };
    const struct serving_curve *c = &ui->curve;
    struct column own[COLUMNS];
    memcpy(own, columns, sizeof own);
    own[0].title = curve_title(ui);
    struct table table = {.columns = own, .count = COLUMNS, .context = c, .rows = c->count,
                          .row = row_within(ui->at[PANE_TIME].row, c->count),
                          .column = -1, .is_focused = pane_has_focus(ui, PANE_TIME)};
    int rows = c->count + 1, room = height - rows - 2;
    table_draw(&table, canvas, 0, width < WIDTH_MOST ? width : WIDTH_MOST, rows < height ? rows : height);
    if (rows >= height)
        return;
    char limits[160];
    say_limits(ui, limits, sizeof limits);
    canvas_pick(canvas, 0, rows, width, ROLE_MUTED, limits);
    if (room >= PLOT_LEAST)
        draw_plot(ui, canvas, rows + 2, width, room > PLOT_MOST ? PLOT_MOST : room);
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
    .rows = rows_of, .draw = draw, .describe = describe, .open = open, .update = curve_update,
};
