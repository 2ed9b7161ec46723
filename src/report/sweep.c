#include "src/report/sweep.h"

#include "core/plan/param.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/svg_draw.h"
#include "src/report/table.h"
#include "src/text/json_out.h"
#include "src/text/text.h"
#include "src/text/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RULES_MAX = 12 }; /* that get a letter; all are in JSON and tables */

struct map {
    const struct sweep *sweep;
    int rows, columns, best, here; /* -1 for none */
    int idle;                      /* the first cell that leaves GPUs idle; -1 for none */
    struct sweep_scale scale;
    int rules;
    const struct sweep_reason *rule[RULES_MAX]; /* each rule that refuses cells, as the first of them has it */
};

static bool is_now(const struct sweep_axis *axis, const struct plan *now, int at)
{
    char text[PARAM_TEXT_MAX];
    return param_print(now, axis->key, text, sizeof text) > 0 && strcmp(text, axis->text[at]) == 0;
}

/* Index of a rule, or their number if it is not listed. */
static int place_of_rule(const struct map *map, const char *rule)
{
    int at = 0;
    while (at < map->rules && strcmp(map->rule[at]->rule, rule) != 0)
        at++;
    return at;
}

static void list_rules(struct map *map, const struct sweep_cell *cell)
{
    for (int i = 0; i < cell->reasons && map->rules < RULES_MAX; i++)
        if (cell->reason[i].rule && place_of_rule(map, cell->reason[i].rule) == map->rules)
            map->rule[map->rules++] = &cell->reason[i];
}

static struct map map_of(const struct sweep *sweep)
{
    struct map map = {.sweep = sweep, .rows = sweep->axis[0].count, .columns = 1, .best = -1, .here = -1, .idle = -1};
    map.columns = sweep->axes > 1 ? sweep->axis[1].count : 1;
    int cells = map.rows * map.columns;
    double *values = xmalloc((size_t)cells * sizeof *values);
    map.best = sweep_best(&sweep->metric, sweep->cell, cells);
    sweep_scale_of(&sweep->metric, sweep->cell, cells, values, &map.scale);
    free(values);
    for (int i = 0; i < cells; i++) {
        bool is_broken = sweep->cell[i].state == SWEEP_INVALID && sweep->now->diags.errors == 0;
        if ((sweep->has_best || !is_broken) && is_now(&sweep->axis[0], &sweep->now->plan, i / map.columns) &&
            (sweep->axes == 1 || is_now(&sweep->axis[1], &sweep->now->plan, i % map.columns)))
            map.here = i;
        if (sweep->cell[i].idle_gpus > 0 && map.idle < 0)
            map.idle = i;
        if (sweep->axes > 1) /* a list has the words beside each value */
            list_rules(&map, &sweep->cell[i]);
    }
    return map;
}

/* Four digits, at most four decimals. */
static struct cell show(double value)
{
    struct cell cell;
    double size = fabs(value), scale = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 0.1 ? 3 : 4;
    snprintf(cell.text, sizeof cell.text, "%.*f", (int)scale, value);
    return cell;
}

static const char *of_what(const struct map *map)
{
    return map->sweep->has_best ? " of the best layout" : "";
}

static const char *here_name(const struct map *map)
{
    return map->sweep->has_best ? "this plan's values" : "this plan";
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

enum { COLUMN = 12, FIRST = 14, NAME = 24, VALUE = 24 };

static bool has_rule(const struct sweep_cell *cell, const char *rule)
{
    for (int i = 0; i < cell->reasons; i++)
        if (cell->reason[i].rule && strcmp(cell->reason[i].rule, rule) == 0)
            return true;
    return false;
}

static struct cell letters_of(const struct map *map, const struct sweep_cell *cell)
{
    struct cell out = {""};
    int count = 0;
    for (int i = 0; i < map->rules; i++)
        if (has_rule(cell, map->rule[i]->rule))
            out.text[count++] = (char)('a' + i);
    return out;
}

/* "19.53 :", "[20.33 -]", "19.02 .*", "55.60!", "35.98 -<", "--a", "?b" */
static struct cell cell_text(const struct map *map, int at)
{
    static const char heat[] = ".:-=#";
    const struct sweep_cell *cell = &map->sweep->cell[at];
    struct cell out, letters = letters_of(map, cell);
    int step = sweep_step(&map->scale, cell);
    bool is_here = at == map->here;
    const char *before = is_here ? "[" : "", *idle = cell->idle_gpus > 0 ? "<" : "", *best = at == map->best ? "*" : "",
               *after = is_here ? "]" : " ";
    if (cell->state == SWEEP_INVALID)
        snprintf(out.text, sizeof out.text, "%s--%.6s%s", before, letters.text, after);
    else if (isnan(cell->value) || cell->state == SWEEP_UNKNOWN)
        snprintf(out.text, sizeof out.text, "%s?%.6s%s%s", before, letters.text, idle, after);
    else
        snprintf(out.text, sizeof out.text, "%s%.16s %c%s%s%s", before, show(cell->value).text,
                 step < 0 ? '!' : heat[step], idle, best, *best && !is_here ? "" : after);
    return out;
}

static void print_idle(struct page *page, const struct sweep_cell *cell)
{
    if (cell->idle_gpus > 0)
        buffer_printf(page->out, ", on %g of %g GPUs", cell->gpus, cell->gpus + cell->idle_gpus);
}

static void print_whys(struct page *page, const struct sweep_cell *cell)
{
    buffer_printf(page->out, "  %s", cell->reason[0].why);
    for (int i = 1; i < cell->reasons; i++)
        buffer_printf(page->out, "%s%s", i > 1 ? ", " : "; also ", cell->reason[i].rule);
    buffer_puts(page->out, "\n");
}

static void print_list(struct page *page, const struct map *map)
{
    const struct sweep *sweep = map->sweep;
    bool is_serving = sweep->now->is_serving,
         is_time = strcmp(sweep->metric.name, is_serving ? "request_s" : "iteration_s") == 0;
    page_pad(page, param_short_name(sweep->axis[0].key), NAME);
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
            print_whys(page, cell);
            continue;
        }
        if (!is_time)
            page_pad(page, cell_seconds(cell->figures.iteration_s).text, -COLUMN);
        page_pad(page, cell_bytes(cell->figures.device_bytes).text, -COLUMN);
        page_pad(page, cell_bytes(cell->figures.headroom_bytes).text, -COLUMN);
        buffer_printf(page->out, "  %s", sweep_state_names[cell->state]);
        print_idle(page, cell);
        buffer_puts(page->out, "\n");
    }
}

static int width_of(const struct sweep_axis *axis, const char *name, int least)
{
    enum { MOST = 32, APART = 2 };
    int width = text_columns(name) + APART;
    for (int i = 0; i < axis->count; i++)
        width = text_columns(axis->text[i]) + APART > width ? text_columns(axis->text[i]) + APART : width;
    return width < least ? least : width > MOST ? MOST : width;
}

static void print_map(struct page *page, const struct map *map)
{
    const struct sweep *sweep = map->sweep;
    const struct sweep_axis *down = &sweep->axis[0], *across = &sweep->axis[1];
    int first = width_of(down, param_short_name(down->key), FIRST), wide = width_of(across, "", COLUMN);
    buffer_printf(page->out, "%s%s%s%s; rows %s, columns %s\n%-*s", sweep->metric.name, of_what(map),
                  *sweep->metric.unit ? ", " : "", sweep->metric.unit, param_rows[down->key].dotted,
                  param_rows[across->key].dotted, first, param_short_name(down->key));
    for (int column = 0; column < map->columns; column++)
        buffer_printf(page->out, "%*.*s ", wide - 1, wide - 2, across->text[column]);
    for (int row = 0; row < map->rows; row++) {
        buffer_printf(page->out, "\n%-*.*s", first, first - 1, down->text[row]);
        for (int column = 0; column < map->columns; column++)
            page_pad(page, cell_text(map, row * map->columns + column).text, -wide);
    }
    buffer_puts(page->out, "\n");
}

static void print_place(struct page *page, const struct map *map, int at)
{
    const struct sweep *sweep = map->sweep;
    buffer_printf(page->out, "%s %s", param_short_name(sweep->axis[0].key), sweep->axis[0].text[at / map->columns]);
    if (sweep->axes > 1)
        buffer_printf(page->out, ", %s %s", param_short_name(sweep->axis[1].key),
                      sweep->axis[1].text[at % map->columns]);
}

static struct plan plan_of(const struct change *follower)
{
    struct plan plan;
    plan_clear(&plan);
    plan.value[follower->key] = follower->value;
    return plan;
}

/* `derived` is written for a value that follows from the others. */
static void print_follower(const struct change *follower, const char *derived, char out[PARAM_TEXT_MAX])
{
    struct plan plan = plan_of(follower);
    if (follower->key == PARAM_parallel_dp)
        snprintf(out, PARAM_TEXT_MAX, "%s", derived);
    else
        param_print(&plan, follower->key, out, PARAM_TEXT_MAX);
}

static void print_followers(struct page *page, const struct sweep_cell *cell)
{
    for (int i = 0; i < cell->followers; i++) {
        char text[PARAM_TEXT_MAX];
        print_follower(&cell->follower[i], "derived", text);
        buffer_printf(page->out, "%s%s %s", i ? ", " : " with ", param_short_name(cell->follower[i].key), text);
    }
}

static void print_best(struct page *page, const struct map *map)
{
    if (map->best < 0) {
        bool has_room = false;
        for (int i = 0; i < map->rows * map->columns; i++)
            has_room |= map->sweep->cell[i].state <= SWEEP_TIGHT;
        if (has_room)
            buffer_printf(page->out, "%s is unknown in all cells\n", map->sweep->metric.name);
        else
            buffer_puts(page->out, "nothing fits\n");
        return;
    }
    const struct sweep_cell *cell = &map->sweep->cell[map->best];
    buffer_puts(page->out, "best: ");
    print_place(page, map, map->best);
    print_followers(page, cell);
    const char *unit = map->sweep->metric.unit;
    buffer_printf(page->out, ": %s%s%s, %s on the fullest GPU, %s", show(cell->value).text, *unit ? " " : "", unit,
                  cell_bytes(cell->figures.device_bytes).text, sweep_state_names[cell->state]);
    print_idle(page, cell);
    buffer_puts(page->out, "\n");
}

/* "tp 8, pp 16 and 2 more" */
static void print_first(struct page *page, const struct map *map, int first, int count)
{
    print_place(page, map, first);
    if (count > 1)
        buffer_printf(page->out, " and %d more", count - 1);
}

static void print_rules(struct page *page, const struct map *map)
{
    for (int rule = 0; rule < map->rules; rule++) {
        int first = -1, count = 0;
        for (int i = map->rows * map->columns - 1; i >= 0; i--)
            if (has_rule(&map->sweep->cell[i], map->rule[rule]->rule)) {
                first = i;
                count++;
            }
        buffer_printf(page->out, "%c: ", 'a' + rule);
        print_first(page, map, first, count);
        buffer_printf(page->out, ": %s: %s\n", map->rule[rule]->rule, map->rule[rule]->why);
    }
}

/* The cell that exceeds the memory by least. */
static void print_nearest(struct page *page, const struct map *map)
{
    int nearest = -1;
    for (int i = 0; i < map->rows * map->columns; i++) {
        const struct sweep_cell *cell = map->sweep->cell;
        if (cell[i].state == SWEEP_NO &&
            (nearest < 0 || cell[i].figures.headroom_bytes > cell[nearest].figures.headroom_bytes))
            nearest = i;
    }
    if (nearest < 0)
        return;
    buffer_puts(page->out, "!: closest to fitting: ");
    print_place(page, map, nearest);
    buffer_printf(page->out, ": %s\n", map->sweep->cell[nearest].reason[0].why);
}

static void print_idles(struct page *page, const struct map *map)
{
    int count = 0;
    for (int i = 0; i < map->rows * map->columns; i++)
        count += map->sweep->cell[i].idle_gpus > 0;
    if (count == 0)
        return;
    buffer_puts(page->out, "<: ");
    print_first(page, map, map->idle, count);
    buffer_puts(page->out, count > 1 ? " leave GPUs idle; the first runs" : " leaves GPUs idle, running");
    const struct sweep_cell *cell = &map->sweep->cell[map->idle];
    buffer_printf(page->out, " on %g of %g\n", cell->gpus, cell->gpus + cell->idle_gpus);
}

static void write_text(struct buffer *out, const struct map *map, const struct report_options *options)
{
    struct page page = page_on(out, options);
    (map->sweep->axes > 1 ? print_map : print_list)(&page, map);
    buffer_printf(out,
                  "\n. best fifth of the fitting cells  : - = #   ! does not fit  -- not valid  [ ] %s  * best that "
                  "fits%s\n",
                  here_name(map), map->idle >= 0 ? "  < GPUs idle" : "");
    if (map->sweep->has_best && map->sweep->axes == 1)
        buffer_puts(out, "each value has its best layout\n");
    print_best(&page, map);
    if (map->sweep->axes > 1) {
        print_nearest(&page, map);
        print_idles(&page, map);
        print_rules(&page, map);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

#define SHAPES "src/report/sweep.def"
#include "src/text/json_writers.def"

static void write_followers(struct json *json, const struct sweep_cell *cell)
{
    json_open(json, "plan", '{');
    for (int i = 0; i < cell->followers; i++) {
        struct plan plan = plan_of(&cell->follower[i]);
        json_value(json, param_rows[cell->follower[i].key].dotted, &plan, cell->follower[i].key);
    }
    json_close(json, '}');
}

#include "src/text/json_writers.def"

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static void list_followers(const struct map *map, bool follows[PARAM_COUNT])
{
    for (int i = 0; i < map->rows * map->columns; i++)
        for (int k = 0; k < map->sweep->cell[i].followers; k++)
            follows[map->sweep->cell[i].follower[k].key] = true;
}

static void add_follower(struct table *table, const struct sweep_cell *cell, enum param key)
{
    char text[PARAM_TEXT_MAX] = "";
    for (int i = 0; i < cell->followers; i++)
        if (cell->follower[i].key == key)
            print_follower(&cell->follower[i], "default", text);
    table_text(table, text);
}

/* "gpus_enough: hardware.nodes ..; batch_divisible: .." */
static void add_also(struct table *table, const struct sweep_cell *cell)
{
    struct buffer names = {0};
    for (int i = 1; i < cell->reasons; i++)
        buffer_printf(&names, "%s%s: %s", i > 1 ? "; " : "", cell->reason[i].rule, cell->reason[i].why);
    table_text(table, names.text ? names.text : "");
    buffer_free(&names);
}

static void add_row(struct table *table, const struct map *map, int at, const bool follows[PARAM_COUNT])
{
    const struct sweep *sweep = map->sweep;
    const struct sweep_cell *cell = &sweep->cell[at];
    table_text(table, sweep->axis[0].text[at / map->columns]);
    if (sweep->axes > 1)
        table_text(table, sweep->axis[1].text[at % map->columns]);
    table_text(table, sweep_state_names[cell->state]);
    table_number(table, cell->value);
    if (strcmp(sweep->metric.name, "iteration_s") != 0)
        table_number(table, cell->figures.iteration_s);
    table_number(table, cell->figures.device_bytes);
    table_number(table, cell->figures.headroom_bytes);
    table_text(table, cell->reason[0].rule ? cell->reason[0].rule : "");
    table_text(table, cell->reason[0].why);
    add_also(table, cell);
    table_number(table, cell->gpus);
    table_number(table, cell->idle_gpus);
    for (int i = 0; i < PARAM_COUNT; i++)
        if (follows[i])
            add_follower(table, cell, (enum param)i);
}

static void write_table(struct buffer *out, const struct map *map, enum report_format format)
{
    enum { COLUMNS = 12 };
    const struct sweep *sweep = map->sweep;
    bool follows[PARAM_COUNT] = {false}, is_time = strcmp(sweep->metric.name, "iteration_s") == 0;
    const struct table_column columns[COLUMNS] = {
        {param_rows[sweep->axis[0].key].dotted, COLUMN_TEXT},
        {sweep->axes > 1 ? param_rows[sweep->axis[1].key].dotted : NULL, COLUMN_TEXT},
        {"state", COLUMN_TEXT}, {sweep->metric.name, COLUMN_NUMBER}, {is_time ? NULL : "iteration_s", COLUMN_SECONDS},
        {"peak_device_bytes", COLUMN_BYTES}, {"headroom_bytes", COLUMN_BYTES}, {"rule", COLUMN_TEXT},
        {"why", COLUMN_TEXT}, {"also", COLUMN_TEXT}, {"gpus", COLUMN_NUMBER},
        {"idle_gpus", COLUMN_NUMBER}};
    struct table_column shown[COLUMNS + PARAM_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < COLUMNS; i++)
        if (columns[i].name)
            shown[count++] = columns[i];
    list_followers(map, follows);
    for (int i = 0; i < PARAM_COUNT; i++)
        if (follows[i])
            shown[count++] = (struct table_column){param_rows[i].dotted, COLUMN_TEXT};
    struct table table = {.name = "sweep", .column = shown, .columns = count};
    for (int i = 0; i < map->rows * map->columns; i++)
        add_row(&table, map, i, follows);
    (format == REPORT_CSV ? table_csv : table_markdown)(out, &table);
    table_free(&table);
}

/* ---- figure ----------------------------------------------------------------------------------------------------- */

enum { BOX_WIDTH = 92, BOX_HEIGHT = 34, LEFT = 150, TOP = 120, FOOT = 40, LEAST_WIDTH = 800 /* of the title */,
       RULE_WIDTH = 900 };

/* Best to worst in one hue, readable without colour vision. */
static const char *const shades[SWEEP_STEPS] = {"#e5f5f9", "#c7e9e4", "#99d8c9", "#66c2a4", "#2ca25f"};

static void draw_cell(struct buffer *out, const struct map *map, int at)
{
    const struct sweep_cell *cell = &map->sweep->cell[at];
    int step = sweep_step(&map->scale, cell);
    double x = LEFT + BOX_WIDTH * (at % map->columns), y = TOP + BOX_HEIGHT * (at / map->columns);
    svg_rect(out, sweep_state_names[cell->state], x, y, BOX_WIDTH - 2, BOX_HEIGHT - 2,
             step >= 0                 ? shades[step]
             : cell->state == SWEEP_NO ? SVG_GREY
                                       : SVG_PALE);
    svg_text(out, x + BOX_WIDTH / 2.0 - 1, y + BOX_HEIGHT / 2.0 + 4,
             at == map->best ? SVG_NORMAL " " SVG_MIDDLE " " SVG_BOLD : SVG_NORMAL " " SVG_MIDDLE, "%s%s%s%s%s%s%s",
             at == map->here ? "[" : "",
             cell->state == SWEEP_INVALID ? "--"
             : isnan(cell->value)         ? "?"
                                          : show(cell->value).text,
             letters_of(map, cell).text, cell->state == SWEEP_NO ? "!" : "", cell->idle_gpus > 0 ? "<" : "",
             at == map->best ? "*" : "", at == map->here ? "]" : "");
}

static void draw_rules(struct buffer *out, const struct map *map, double y)
{
    for (int i = 0; i < map->rules; i++)
        svg_text(out, 20, y + SVG_LINE * i, SVG_SMALL, "%c: %s: %.110s", 'a' + i, map->rule[i]->rule,
                 map->rule[i]->why);
}

static void write_svg(struct buffer *out, const struct map *map)
{
    const struct sweep *sweep = map->sweep;
    double width = fmax(LEFT + BOX_WIDTH * map->columns + 20, map->rules > 0 ? RULE_WIDTH : LEAST_WIDTH),
           legend = TOP + BOX_HEIGHT * map->rows + 30, height = legend + FOOT + SVG_LINE * map->rules;
    char title[SVG_TEXT_MAX];
    snprintf(title, sizeof title, "%s%s by %s%s%s", sweep->metric.name, of_what(map),
             param_short_name(sweep->axis[0].key), sweep->axes > 1 ? " and " : "",
             sweep->axes > 1 ? param_short_name(sweep->axis[1].key) : "");
    svg_open(out, sweep->now, width, height, title);
    svg_text(out, 20, TOP - 10, SVG_NORMAL " " SVG_BOLD, "%s", param_short_name(sweep->axis[0].key));
    svg_text(out, LEFT, TOP - 28, SVG_NORMAL " " SVG_BOLD, "%s",
             sweep->axes > 1 ? param_short_name(sweep->axis[1].key) : sweep->metric.name);
    for (int column = 0; column < map->columns && sweep->axes > 1; column++)
        svg_text(out, LEFT + BOX_WIDTH * column + BOX_WIDTH / 2.0 - 1, TOP - 10, SVG_NORMAL " " SVG_MIDDLE, "%.12s",
                 sweep->axis[1].text[column]);
    for (int row = 0; row < map->rows; row++)
        svg_text(out, LEFT - 10, TOP + BOX_HEIGHT * row + BOX_HEIGHT / 2.0 + 4, SVG_NORMAL " " SVG_END, "%.18s",
                 sweep->axis[0].text[row]);
    for (int i = 0; i < map->rows * map->columns; i++)
        draw_cell(out, map, i);
    svg_text(out, 20, legend, SVG_SMALL, "%s%s: light is good, dark is bad",
             *sweep->metric.unit ? sweep->metric.unit : sweep->metric.name,
             sweep->has_best ? ", each cell with its best layout" : "");
    svg_text(out, 20, legend + SVG_LINE, SVG_SMALL,
             "grey with !: does not fit; --: not valid; [ ]: %s; *: best that fits%s", here_name(map),
             map->idle >= 0 ? "; <: GPUs idle" : "");
    draw_rules(out, map, legend + 2 * SVG_LINE);
    svg_close(out);
}

void report_sweep(struct buffer *out, const struct sweep *sweep, bool svg, const struct report_options *options)
{
    struct map map = map_of(sweep);
    if (svg)
        write_svg(out, &map);
    else if (options->format == REPORT_JSON)
        WRITE_ANSWER(out, 2, map, &map)
    else if (options->format == REPORT_TEXT)
        write_text(out, &map, options);
    else
        write_table(out, &map, options->format);
}
