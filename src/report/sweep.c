#include "src/report/sweep.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/plan/param.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/svg_draw.h"
#include "src/report/table.h"
#include "src/text/json_out.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows, columns and what stands in them. */
struct map {
    const struct sweep *sweep;
    int rows, columns, best, here; /* -1 for none */
};

static bool is_now(const struct sweep_axis *axis, const struct plan *now, int at)
{
    char text[PARAM_TEXT_MAX];
    return param_print(now, axis->key, text, sizeof text) > 0 && strcmp(text, axis->text[at]) == 0;
}

static struct map map_of(const struct sweep *sweep)
{
    struct map map = {sweep, sweep->axis[0].count, sweep->axes > 1 ? sweep->axis[1].count : 1, -1, -1};
    map.best = sweep_best(&sweep->metric, sweep->cell, map.rows * map.columns);
    for (int i = 0; i < map.rows * map.columns; i++)
        if (is_now(&sweep->axis[0], &sweep->now->plan, i / map.columns) &&
            (sweep->axes == 1 || is_now(&sweep->axis[1], &sweep->now->plan, i % map.columns)))
            map.here = i;
    return map;
}

/* Four digits; below 0.1 as many decimals. */
static struct cell show(double value)
{
    struct cell cell;
    double size = fabs(value), scale = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 0.1 ? 3 : 4;
    snprintf(cell.text, sizeof cell.text, "%.*f", (int)scale, value);
    return cell;
}

/* Whose figures stand in the cells, behind the metric's name. */
static const char *of_what(const struct map *map)
{
    return map->sweep->has_best ? " of the best layout" : "";
}

/* Whose values those in brackets are. */
static const char *here_name(const struct map *map)
{
    return map->sweep->has_best ? "this plan's values" : "this plan";
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

enum { COLUMN = 12, FIRST = 14, NAME = 24, VALUE = 24 };

/* "19.53 :", "[20.33 -]", "*19.02 .*", "55.60!", "--", "?" */
static struct cell cell_text(const struct map *map, int at)
{
    static const char heat[] = ".:-=#";
    const struct sweep_cell *cell = &map->sweep->cell[at];
    struct cell out;
    int step = sweep_step(&map->sweep->metric, map->sweep->cell, map->rows * map->columns, at);
    const char *before = at == map->here ? "[" : "", *after = at == map->here ? "]" : at == map->best ? "*" : " ";
    if (cell->state == SWEEP_INVALID)
        snprintf(out.text, sizeof out.text, "%s--%s", before, after);
    else if (isnan(cell->value) || cell->state == SWEEP_UNKNOWN)
        snprintf(out.text, sizeof out.text, "%s?%s", before, after);
    else
        snprintf(out.text, sizeof out.text, "%s%.20s %c%s", before, show(cell->value).text, step < 0 ? '!' : heat[step],
                 after);
    return out;
}

static const char *column_name(const struct map *map, int column)
{
    return map->sweep->axes > 1 ? map->sweep->axis[1].text[column] : map->sweep->metric.name;
}

/* One key: a line for each value, with its time and memory and, where it is no plan, why. */
static void print_list(struct page *page, const struct map *map)
{
    const struct sweep *sweep = map->sweep;
    bool is_serving = sweep->now->is_serving,
         is_time = strcmp(sweep->metric.name, is_serving ? "request_s" : "iteration_s") == 0;
    page_pad(page, param_rows[sweep->axis[0].key].key, NAME);
    page_pad(page, sweep->metric.name, -VALUE);
    buffer_printf(page->out, "%*s%12s%12s  %s\n", is_time ? 0 : COLUMN,
                  is_time      ? ""
                  : is_serving ? "reply"
                               : "iteration",
                  "memory", "left", "fits");
    for (int i = 0; i < map->rows; i++) {
        const struct sweep_cell *cell = &sweep->cell[i];
        page_pad(page, sweep->axis[0].text[i], NAME);
        page_pad(page, cell_text(map, i).text, -VALUE);
        if (cell->state == SWEEP_INVALID || cell->state == SWEEP_UNKNOWN) {
            buffer_printf(page->out, "  %s\n", cell->why);
            continue;
        }
        if (!is_time)
            page_pad(page, cell_seconds(cell->figures.iteration_s).text, -COLUMN);
        page_pad(page, cell_bytes(cell->figures.device_bytes).text, -COLUMN);
        page_pad(page, cell_bytes(cell->figures.headroom_bytes).text, -COLUMN);
        buffer_printf(page->out, "  %s\n", sweep_state_names[cell->state]);
    }
}

static void print_map(struct page *page, const struct map *map)
{
    const struct sweep *sweep = map->sweep;
    buffer_printf(page->out, "%s%s%s%s; rows %s, columns %s\n%-*s", sweep->metric.name, of_what(map),
                  *sweep->metric.unit ? ", " : "", sweep->metric.unit, param_rows[sweep->axis[0].key].dotted,
                  param_rows[sweep->axis[1].key].dotted, FIRST, param_rows[sweep->axis[0].key].key);
    for (int column = 0; column < map->columns; column++)
        buffer_printf(page->out, "%*.*s ", COLUMN - 1, COLUMN - 2, sweep->axis[1].text[column]);
    for (int row = 0; row < map->rows; row++) {
        buffer_printf(page->out, "\n%-*.*s", FIRST, FIRST - 1, sweep->axis[0].text[row]);
        for (int column = 0; column < map->columns; column++)
            page_pad(page, cell_text(map, row * map->columns + column).text, -COLUMN);
    }
    buffer_puts(page->out, "\n");
}

static void print_place(struct page *page, const struct map *map, int at)
{
    const struct sweep *sweep = map->sweep;
    buffer_printf(page->out, "%s %s", param_rows[sweep->axis[0].key].key, sweep->axis[0].text[at / map->columns]);
    if (sweep->axes > 1)
        buffer_printf(page->out, ", %s %s", param_rows[sweep->axis[1].key].key, sweep->axis[1].text[at % map->columns]);
}

/* A plan with a key that followed, and no other. */
static struct plan plan_of(const struct change *follower)
{
    struct plan plan;
    plan_clear(&plan);
    plan.value[follower->key] = follower->value;
    return plan;
}

static void print_followers(struct page *page, const struct sweep_cell *cell)
{
    for (int i = 0; i < cell->followers; i++) {
        char text[PARAM_TEXT_MAX] = "as it follows";
        enum param key = cell->follower[i].key;
        struct plan plan = plan_of(&cell->follower[i]);
        if (key != PARAM_parallel_dp)
            param_print(&plan, key, text, sizeof text);
        buffer_printf(page->out, "%s%s %s", i ? ", " : " with ", param_rows[key].key, text);
    }
}

static void print_best(struct page *page, const struct map *map)
{
    if (map->best < 0) {
        bool has_room = false;
        for (int i = 0; i < map->rows * map->columns; i++)
            has_room |= map->sweep->cell[i].state <= SWEEP_TIGHT;
        if (has_room)
            buffer_printf(page->out, "no %s is known here\n", map->sweep->metric.name);
        else
            buffer_puts(page->out, "nothing here fits\n");
        return;
    }
    const struct sweep_cell *cell = &map->sweep->cell[map->best];
    buffer_puts(page->out, "best: ");
    print_place(page, map, map->best);
    print_followers(page, cell);
    buffer_printf(page->out, ": %s %s, %s on the fullest GPU, %s\n", show(cell->value).text, map->sweep->metric.unit,
                  cell_bytes(cell->figures.device_bytes).text, sweep_state_names[cell->state]);
}

/* Each reason once, at the first cell that has it. */
static void print_reasons(struct page *page, const struct map *map)
{
    enum { REASONS = 8 };
    int shown = 0;
    for (int i = 0; i < map->rows * map->columns && shown < REASONS; i++) {
        const struct sweep_cell *cell = &map->sweep->cell[i];
        bool is_new = cell->rule != NULL;
        for (int k = 0; k < i && is_new; k++)
            is_new = map->sweep->cell[k].rule != cell->rule;
        if (!is_new)
            continue;
        print_place(page, map, i);
        buffer_printf(page->out, ": %s: %s\n", cell->rule, cell->why);
        shown++;
    }
}

static void write_text(struct buffer *out, const struct map *map, const struct report_options *options)
{
    struct page page = page_on(out, options);
    (map->sweep->axes > 1 ? print_map : print_list)(&page, map);
    buffer_printf(out,
                  "\n. best fifth of what fits  : - = #   ! does not fit  -- not valid  [ ] %s  * best that fits\n",
                  here_name(map));
    if (map->sweep->has_best && map->sweep->axes == 1)
        buffer_puts(out, "each value has its best layout\n");
    print_best(&page, map);
    if (map->sweep->axes > 1)
        print_reasons(&page, map);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void write_cell(struct json *json, const struct map *map, int at)
{
    const struct sweep *sweep = map->sweep;
    const struct sweep_cell *cell = &sweep->cell[at];
    json_open(json, NULL, '{');
    json_open(json, "values", '[');
    for (int i = 0; i < sweep->axes; i++)
        json_word(json, NULL, sweep->axis[i].text[i ? at % map->columns : at / map->columns]);
    json_close(json, ']');
    json_number(json, "value", cell->value);
    json_text(json, "state", sweep_state_names[cell->state]);
    json_bool(json, "valid", cell->state != SWEEP_INVALID);
    if (cell->state < SWEEP_INVALID)
        json_bool(json, "fits", cell->figures.probability >= 0.5 || cell->state == SWEEP_FITS);
    else
        json_null(json, "fits");
    json_text(json, "rule", cell->rule);
    json_text(json, "why", *cell->why ? cell->why : NULL);
    json_number(json, "iteration_s", cell->figures.iteration_s);
    json_bytes(json, "peak_device_bytes", cell->figures.device_bytes);
    json_open(json, "plan", '{');
    for (int i = 0; i < cell->followers; i++) {
        struct plan plan = plan_of(&cell->follower[i]);
        json_value(json, param_rows[cell->follower[i].key].dotted, &plan, cell->follower[i].key);
    }
    json_close(json, '}');
    json_close(json, '}');
}

static void write_range(struct json *json, const struct map *map)
{
    double least = NAN, most = NAN;
    for (int i = 0; i < map->rows * map->columns; i++) {
        least = fmin(least, map->sweep->cell[i].value);
        most = fmax(most, map->sweep->cell[i].value);
    }
    json_open(json, "range", '{');
    json_number(json, "min", least);
    json_number(json, "max", most);
    json_close(json, '}');
}

static void write_json(struct buffer *out, const struct map *map)
{
    struct json json = {.out = out, .lines = 2};
    json_open(&json, NULL, '{');
    json_number(&json, "schema", JSON_SCHEMA);
    json_open(&json, "keys", '[');
    for (int i = 0; i < map->sweep->axes; i++)
        json_text(&json, NULL, param_rows[map->sweep->axis[i].key].dotted);
    json_close(&json, ']');
    json_text(&json, "metric", map->sweep->metric.name);
    json_open(&json, "cells", '[');
    for (int i = 0; i < map->rows * map->columns; i++)
        write_cell(&json, map, i);
    json_close(&json, ']');
    if (map->best < 0)
        json_null(&json, "best");
    else
        json_numbers(&json, "best", (double[]){map->best / map->columns, map->best % map->columns}, 2);
    write_range(&json, map);
    json_close(&json, '}');
    buffer_puts(out, "\n");
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static void write_table(struct buffer *out, const struct map *map, enum report_format format)
{
    const struct sweep *sweep = map->sweep;
    const struct table_column columns[] = {
        {param_rows[sweep->axis[0].key].dotted, COLUMN_TEXT},
        {sweep->axes > 1 ? param_rows[sweep->axis[1].key].dotted : "state", COLUMN_TEXT},
        {"state", COLUMN_TEXT},
        {sweep->metric.name, COLUMN_NUMBER},
        {"iteration_s", COLUMN_SECONDS},
        {"peak_device_bytes", COLUMN_BYTES},
        {"headroom_bytes", COLUMN_BYTES},
        {"rule", COLUMN_TEXT},
        {"why", COLUMN_TEXT}};
    struct table_column shown[LENGTH(columns)];
    size_t count = 0;
    for (size_t i = 0; i < LENGTH(columns); i++)
        if (!(i == 1 && sweep->axes == 1) && !(i == 4 && strcmp(sweep->metric.name, "iteration_s") == 0))
            shown[count++] = columns[i];
    struct table table = {.name = "sweep", .column = shown, .columns = count};
    for (int i = 0; i < map->rows * map->columns; i++) {
        const struct sweep_cell *cell = &sweep->cell[i];
        table_text(&table, sweep->axis[0].text[i / map->columns]);
        if (sweep->axes > 1)
            table_text(&table, sweep->axis[1].text[i % map->columns]);
        table_text(&table, sweep_state_names[cell->state]);
        table_number(&table, cell->value);
        if (strcmp(sweep->metric.name, "iteration_s") != 0)
            table_number(&table, cell->figures.iteration_s);
        table_number(&table, cell->figures.device_bytes);
        table_number(&table, cell->figures.headroom_bytes);
        table_text(&table, cell->rule ? cell->rule : "");
        table_text(&table, cell->why);
    }
    if (format == REPORT_CSV)
        table_csv(out, &table);
    else
        table_markdown(out, &table);
    table_free(&table);
}

/* ---- figure ----------------------------------------------------------------------------------------------------- */

enum { BOX_WIDTH = 92, BOX_HEIGHT = 34, LEFT = 150, TOP = 120, FOOT = 70, LEAST_WIDTH = 800 /* of the title */ };

/* From the best fifth to the worst: one hue that gets darker, so that it needs no other to be read. */
static const char *const shades[SWEEP_STEPS] = {"#e5f5f9", "#c7e9e4", "#99d8c9", "#66c2a4", "#2ca25f"};

static void draw_cell(struct buffer *out, const struct map *map, int at)
{
    const struct sweep_cell *cell = &map->sweep->cell[at];
    int step = sweep_step(&map->sweep->metric, map->sweep->cell, map->rows * map->columns, at);
    double x = LEFT + BOX_WIDTH * (at % map->columns), y = TOP + BOX_HEIGHT * (at / map->columns);
    svg_rect(out, sweep_state_names[cell->state], x, y, BOX_WIDTH - 2, BOX_HEIGHT - 2,
             step >= 0                 ? shades[step]
             : cell->state == SWEEP_NO ? SVG_GREY
                                       : SVG_PALE);
    svg_text(out, x + BOX_WIDTH / 2.0 - 1, y + BOX_HEIGHT / 2.0 + 4,
             at == map->best ? SVG_NORMAL " " SVG_MIDDLE " " SVG_BOLD : SVG_NORMAL " " SVG_MIDDLE, "%s%s%s",
             at == map->here ? "[" : "",
             cell->state == SWEEP_INVALID ? "--"
             : isnan(cell->value)         ? "?"
                                          : show(cell->value).text,
             cell->state == SWEEP_NO ? "!"
             : at == map->best       ? "*"
             : at == map->here       ? "]"
                                     : "");
}

static void write_svg(struct buffer *out, const struct map *map)
{
    const struct sweep *sweep = map->sweep;
    double width = fmax(LEFT + BOX_WIDTH * map->columns + 20, LEAST_WIDTH),
           height = TOP + BOX_HEIGHT * map->rows + FOOT;
    char title[SVG_TEXT_MAX];
    snprintf(title, sizeof title, "%s%s by %s%s%s", sweep->metric.name, of_what(map),
             param_rows[sweep->axis[0].key].key, sweep->axes > 1 ? " and " : "",
             sweep->axes > 1 ? param_rows[sweep->axis[1].key].key : "");
    svg_open(out, sweep->now, width, height, title);
    svg_text(out, 20, TOP - 10, SVG_NORMAL " " SVG_BOLD, "%s", param_rows[sweep->axis[0].key].key);
    svg_text(out, LEFT, TOP - 28, SVG_NORMAL " " SVG_BOLD, "%s",
             sweep->axes > 1 ? param_rows[sweep->axis[1].key].key : sweep->metric.name);
    for (int column = 0; column < map->columns && sweep->axes > 1; column++)
        svg_text(out, LEFT + BOX_WIDTH * column + BOX_WIDTH / 2.0 - 1, TOP - 10, SVG_NORMAL " " SVG_MIDDLE, "%.12s",
                 column_name(map, column));
    for (int row = 0; row < map->rows; row++)
        svg_text(out, LEFT - 10, TOP + BOX_HEIGHT * row + BOX_HEIGHT / 2.0 + 4, SVG_NORMAL " " SVG_END, "%.18s",
                 sweep->axis[0].text[row]);
    for (int i = 0; i < map->rows * map->columns; i++)
        draw_cell(out, map, i);
    svg_text(out, 20, height - FOOT + 30, SVG_SMALL, "%s%s: light is good, dark is bad",
             *sweep->metric.unit ? sweep->metric.unit : sweep->metric.name,
             sweep->has_best ? ", each cell with its best layout" : "");
    svg_text(out, 20, height - FOOT + 30 + SVG_LINE, SVG_SMALL,
             "grey with !: does not fit; --: not valid; [ ]: %s; *: the best that fits", here_name(map));
    svg_close(out);
}

void report_sweep(struct buffer *out, const struct sweep *sweep, bool svg, const struct report_options *options)
{
    struct map map = map_of(sweep);
    if (svg)
        write_svg(out, &map);
    else if (options->format == REPORT_JSON)
        write_json(out, &map);
    else if (options->format == REPORT_TEXT)
        write_text(out, &map, options);
    else
        write_table(out, &map, options->format);
}
