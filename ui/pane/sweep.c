/* The sweep: one or two keys over values as a map; arrows move, the reason of a cell stands below, Enter loads it. */
#include "core/base.h"
#include "core/plan/param.h"
#include "core/plan/step.h"
#include "core/search/diff_text.h"
#include "core/show/figure.h"
#include "core/show/line.h"
#include "ui/state/advisor.h"
#include "ui/widget/bar.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/choices.h"
#include "ui/widget/form.h"
#include "ui/widget/table.h"
#include "ui/widget/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HEAD_MAX = 16, COLUMN = 9, COLUMN_ONE = 12 };

static const struct advisor *swept(const struct ui *ui)
{
    return ui->advisor && ui->advisor->axes > 0 ? ui->advisor : NULL;
}

static int rows_of(const struct ui *ui)
{
    return swept(ui) ? swept(ui)->axis[0].count : 0;
}

static int columns_of(const struct ui *ui)
{
    return swept(ui) ? advisor_columns(swept(ui)) : 0;
}

static int selected(const struct ui *ui)
{
    int row = row_within(ui->at[PANE_SWEEP].row, rows_of(ui)),
        column = row_within(ui->at[PANE_SWEEP].column, columns_of(ui));
    return row * columns_of(ui) + column;
}

static bool is_known(const struct ui *ui, int cell)
{
    return ui->advisor->generation == ui->generation && cell < ui->advisor->cells;
}

static bool is_here(const struct ui *ui, int cell)
{
    struct plan plan, resolved;
    advisor_cell_plan(ui, cell, &plan);
    plan_resolve(&plan, &resolved);
    return plan_equal(&resolved, &ui->now->plan);
}

/* What the marks of cells rest on. */
struct marks {
    int best; /* -1 for none */
    struct sweep_scale scale;
};

static struct marks marks_of(const struct ui *ui)
{
    struct advisor *advisor = ui->advisor;
    const struct sweep_metric *metric = &sweep_metrics[advisor->metric];
    struct marks marks = {.best = sweep_best(metric, advisor->cell, advisor->cells)};
    sweep_scale_of(metric, advisor->cell, advisor->cells, advisor->cell_value, &marks.scale);
    return marks;
}

static void cell_value_text(const struct sweep_cell *cell, char out[CELL_TEXT_MAX])
{
    double size = fabs(cell->value);
    snprintf(out, CELL_TEXT_MAX, "%.*f", size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 0.1 ? 3 : 4,
             cell->value);
}

/* "17.64.*", "[19.53:]", "55.60!", "35.98-<", "--", as in reports. */
static void cell_text(const struct ui *ui, int at, const struct marks *marks, char out[CELL_TEXT_MAX])
{
    const struct advisor *advisor = ui->advisor;
    const struct sweep_cell *cell = &advisor->cell[at];
    int step = sweep_step(&marks->scale, cell);
    bool here = is_here(ui, at);
    const char *before = here ? "[" : "", *after = here ? "]" : "", *idle = cell->idle_gpus > 0 ? "<" : "",
               *first = at == marks->best ? "*" : "";
    char value[CELL_TEXT_MAX];
    cell_value_text(cell, value);
    if (cell->state == SWEEP_INVALID)
        snprintf(out, CELL_TEXT_MAX, "%s--%s", before, after);
    else if (!isfinite(cell->value) || cell->state == SWEEP_UNKNOWN)
        snprintf(out, CELL_TEXT_MAX, "%s?%s", before, after);
    else
        snprintf(out, CELL_TEXT_MAX, "%s%.40s%c%s%s%s", before, value, step < 0 ? '!' : ".:-=#"[step], idle, first,
                 after);
}

static enum role cell_role(const struct sweep_cell *cell, const struct marks *marks)
{
    int step = sweep_step(&marks->scale, cell);
    if (step >= 0)
        return (enum role)(ROLE_HEAT1 + step);
    return cell->state == SWEEP_NO ? ROLE_BAD : cell->state >= SWEEP_INVALID ? ROLE_MUTED : ROLE_TEXT;
}

static int cell_width(const struct advisor *advisor)
{
    int width = COLUMN;
    for (int i = 0; advisor->axes > 1 && i < advisor->axis[1].count; i++) {
        int needed = (int)strlen(advisor->axis[1].text[i]) + 1;
        width = needed > width ? needed : width;
    }
    return width < HEAD_MAX ? width : HEAD_MAX;
}

static void draw_cell(const struct ui *ui, struct canvas *canvas, int at, const struct marks *marks, int end, int y)
{
    char text[CELL_TEXT_MAX];
    int width = cell_width(ui->advisor);
    canvas_link(canvas, end - width + 1, y, width - 1, LINK_ROWS + at);
    if (!is_known(ui, at)) {
        canvas_right(canvas, end, y, ROLE_MUTED, "..");
        return;
    }
    cell_text(ui, at, marks, text);
    canvas_right(canvas, end, y, cell_role(&ui->advisor->cell[at], marks), text);
    if (pane_has_focus(ui, PANE_SWEEP) && at == selected(ui))
        canvas_paint(canvas, end - width + 1, y, width - 1, ROLE_FOCUS, 0);
}

/* "iteration_s" as "iteration, s". */
static void metric_words(const struct sweep_metric *metric, char out[48])
{
    static const struct {
        const char *name, *words;
    } known[] = {{"iteration_s", "iteration, s"},       {"tokens_per_s", "tokens/s"},
                 {"tokens_per_s_per_gpu", "tokens/s of a GPU"}, {"mfu", "MFU"},
                 {"bubble_fraction", "bubble, share"},  {"request_s", "a whole answer, s"},
                 {"first_token_s", "first token, s"},   {"per_token_s", "each token, s"},
                 {"peak_gib", "memory, GiB"},           {"headroom_gib", "memory free, GiB"},
                 {"cost", "USD per million tokens"},    {"training_days", "training, days"}};
    snprintf(out, 48, "%s", metric->name);
    for (size_t i = 0; i < LENGTH(known); i++)
        if (strcmp(known[i].name, metric->name) == 0)
            snprintf(out, 48, "%s", known[i].words);
}

static void head_text(const struct advisor *advisor, char out[CELL_TEXT_MAX])
{
    char down[64], across[64] = "";
    form_name(advisor->axis[0].key, down);
    if (advisor->axes > 1)
        form_name(advisor->axis[1].key, across);
    snprintf(out, CELL_TEXT_MAX, *across ? "%.40s %.40s>" : "%.40s", down, across);
}

static int head_width(const struct advisor *advisor)
{
    char text[CELL_TEXT_MAX];
    head_text(advisor, text);
    int width = (int)strlen(text);
    for (int i = 0; i < advisor->axis[0].count; i++)
        width = (int)strlen(advisor->axis[0].text[i]) > width ? (int)strlen(advisor->axis[0].text[i]) : width;
    return width + 1 < HEAD_MAX ? width + 1 : HEAD_MAX;
}

static void draw_head(const struct advisor *advisor, struct canvas *canvas, int width)
{
    char text[CELL_TEXT_MAX];
    head_text(advisor, text);
    canvas_fit(canvas, 0, 0, width - 1, ROLE_MUTED, text);
}

/* Cut at the front: the ends of names differ. */
static void draw_name(struct canvas *canvas, int end, int width, const char *name)
{
    int length = (int)strlen(name), over = length > width - 1 ? length - (width - 1) : 0;
    canvas_right(canvas, end, 0, ROLE_MUTED, name + over);
}

static void draw_map(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const struct advisor *advisor = ui->advisor;
    int head = head_width(advisor), wide = cell_width(advisor), fit = (width - head) / wide,
        columns = columns_of(ui), rows = height - 1;
    struct marks marks = marks_of(ui);
    fit = fit < 1 ? 1 : fit;
    int left = page_top(selected(ui) % columns, columns, fit),
        top = page_top(selected(ui) / columns, rows_of(ui), rows);
    draw_head(advisor, canvas, head);
    for (int k = 0; k < fit && left + k < columns; k++)
        draw_name(canvas, head + (k + 1) * wide, wide, advisor->axis[1].text[left + k]);
    for (int i = 0; i < rows && top + i < rows_of(ui); i++) {
        canvas_fit(canvas, 0, 1 + i, head - 1, ROLE_TEXT, advisor->axis[0].text[top + i]);
        for (int k = 0; k < fit && left + k < columns; k++)
            draw_cell(ui, canvas, (top + i) * columns + left + k, &marks, head + (k + 1) * wide, 1 + i);
    }
}

/* ---- tiles ------------------------------------------------------------------------------------------------------ */

enum { TILE_LEAST = 3, TILE_MOST = 5 /* rows */, TILE_WIDTH_LEAST = 14, TILE_WIDTH_MOST = 24, TILE_HEAD = 8 };

/* How large a tile is; height 0 where they have no room. */
struct tiles {
    int width, height;
};

static struct tiles tiles_of(const struct ui *ui, int width, int height)
{
    struct tiles t = {0, 0};
    int columns = columns_of(ui), rows = rows_of(ui);
    if (ui->advisor->axes < 2 || columns < 1 || rows < 1)
        return t;
    t.width = (width - TILE_HEAD) / columns < TILE_WIDTH_MOST ? (width - TILE_HEAD) / columns : TILE_WIDTH_MOST;
    t.height = (height - 1) / rows < TILE_MOST ? (height - 1) / rows : TILE_MOST;
    if (t.width < TILE_WIDTH_LEAST || t.height < TILE_LEAST)
        t.height = 0;
    return t;
}

static void draw_centred(struct canvas *canvas, struct rect where, int y, enum role role, const char *wordings)
{
    char text[CELL_TEXT_MAX];
    text_pick(wordings, where.width, text, sizeof text);
    canvas_text(canvas, where.x + (where.width - text_width(text)) / 2, where.y + y, role, text);
}

/* "62.8 GiB", or how much too much that is. */
static void say_tile_memory(const struct sweep_cell *cell, char out[CELL_TEXT_MAX])
{
    const char *need = units_figure(FIGURE_GIB, cell->figures.device_bytes).text;
    if (cell->state == SWEEP_NO)
        snprintf(out, CELL_TEXT_MAX, "%s, %s over|%s over", need,
                 units_figure(FIGURE_GIB, -cell->figures.headroom_bytes).text,
                 units_figure(FIGURE_GIB, -cell->figures.headroom_bytes).text);
    else
        snprintf(out, CELL_TEXT_MAX, "%s", need);
}

static void draw_tile_text(const struct ui *ui, struct canvas *canvas, struct rect where, const struct marks *marks,
                           int at)
{
    const struct sweep_cell *cell = &ui->advisor->cell[at];
    char text[CELL_TEXT_MAX], memory[CELL_TEXT_MAX];
    bool is_selected = pane_has_focus(ui, PANE_SWEEP) && at == selected(ui);
    enum role role = cell_role(cell, marks);
    cell_value_text(cell, memory);
    snprintf(text, sizeof text, is_selected ? "[ %.40s ]" : "%.40s", memory);
    draw_centred(canvas, where, 1, cell->state == SWEEP_NO ? ROLE_TEXT : role, text);
    if (is_selected)
        canvas_paint(canvas, where.x + (where.width - text_width(text)) / 2, where.y + 1, text_width(text), ROLE_FOCUS,
                     0);
    if (ui->options.present)
        snprintf(memory, sizeof memory, "%s", units_figure(FIGURE_GIB, cell->figures.device_bytes).text);
    else
        say_tile_memory(cell, memory);
    draw_centred(canvas, where, where.height >= TILE_MOST ? 3 : 2, cell->state == SWEEP_NO ? ROLE_BAD : role, memory);
    if (at == marks->best)
        draw_centred(canvas, where, 0, ROLE_PILL_GOOD,
                     is_here(ui, at) ? " this plan is best | best " : " best that fits | best ");
    else if (is_here(ui, at))
        draw_centred(canvas, where, 0, ROLE_SELECT, " this plan | here ");
    else if (cell->idle_gpus > 0)
        draw_centred(canvas, where, 0, ROLE_WARN, "leaves GPUs idle|idle GPUs");
}

/* A tile: its shade is the fifth of its value; a dashed edge where it does not fit. */
static void draw_tile(const struct ui *ui, struct canvas *canvas, struct rect where, const struct marks *marks, int at)
{
    const struct sweep_cell *cell = &ui->advisor->cell[at];
    uint32_t dash = canvas->ascii ? '-' : 0x254C;
    for (int y = 0; y < where.height; y++)
        canvas_link(canvas, where.x, where.y + y, where.width, LINK_ROWS + at);
    if (!is_known(ui, at)) {
        draw_centred(canvas, where, 1, ROLE_MUTED, "..");
        return;
    }
    if (cell->state >= SWEEP_INVALID || !isfinite(cell->value)) {
        bool is_selected = pane_has_focus(ui, PANE_SWEEP) && at == selected(ui);
        draw_centred(canvas, where, 1, is_selected ? ROLE_FOCUS : ROLE_MUTED,
                     cell->state != SWEEP_INVALID ? "not known" : ui->options.present ? "--" : "not valid");
        return;
    }
    for (int y = 0; y < where.height && sweep_step(&marks->scale, cell) >= 0; y++)
        canvas_repeat(canvas, where.x, where.y + y, cell_role(cell, marks), ' ', where.width);
    if (cell->state == SWEEP_NO) {
        canvas_repeat(canvas, where.x, where.y, ROLE_BAD, dash, where.width);
        canvas_repeat(canvas, where.x, where.y + where.height - 1, ROLE_BAD, dash,
                      where.height > TILE_LEAST ? where.width : 0);
    }
    draw_tile_text(ui, canvas, where, marks, at);
}

static void draw_tiles(const struct ui *ui, struct canvas *canvas, const struct tiles *t)
{
    const struct advisor *advisor = ui->advisor;
    struct marks marks = marks_of(ui);
    int columns = columns_of(ui);
    char text[CELL_TEXT_MAX], name[64];
    for (int k = 0; k < columns; k++) {
        form_name(advisor->axis[1].key, name);
        snprintf(text, sizeof text, "%s %.24s|%.24s", ui->options.present && k > 0 ? "" : name,
                 advisor->axis[1].text[k], advisor->axis[1].text[k]);
        draw_centred(canvas, (struct rect){TILE_HEAD + k * t->width, 0, t->width - 1, 1}, 0, ROLE_MUTED, text);
    }
    for (int i = 0; i < rows_of(ui); i++) {
        form_name(advisor->axis[0].key, name);
        snprintf(text, sizeof text, "%s %.24s|%.24s", ui->options.present && i > 0 ? "" : name,
                 advisor->axis[0].text[i], advisor->axis[0].text[i]);
        canvas_pick(canvas, 1, 1 + i * t->height + 1, TILE_HEAD - 2, ROLE_MUTED, text);
        for (int k = 0; k < columns; k++)
            draw_tile(ui, canvas, (struct rect){TILE_HEAD + k * t->width, 1 + i * t->height, t->width - 1, t->height},
                      &marks, i * columns + k);
    }
}

/* ---- a list ----------------------------------------------------------------------------------------------------- */

/* The value of a cell as a bar, so that a list is a curve. */
static void draw_value(const struct ui *ui, struct canvas *canvas, int at, double most, struct rect where)
{
    const struct sweep_cell *cell = &ui->advisor->cell[at];
    const struct bar_part part = {'=', cell->state == SWEEP_NO ? ROLE_BAD : is_here(ui, at) ? ROLE_USEFUL : ROLE_BELOW,
                                  cell->value, "value"};
    if (where.width > 4 && cell->value >= 0)
        bar_draw(&(struct bar){.part = &part, .parts = 1, .scale = most, .limit = NAN}, canvas, where);
}

/* The largest value; 0 for none. */
static double largest_value(const struct ui *ui)
{
    double most = 0;
    for (int i = 0; i < ui->advisor->cells; i++)
        most = is_known(ui, i) && ui->advisor->cell[i].value > most ? ui->advisor->cell[i].value : most;
    return most;
}

static void draw_list(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const struct advisor *advisor = ui->advisor;
    int head = head_width(advisor), rows = height - 1, end = head + COLUMN_ONE, memory = width - 7;
    struct marks marks = marks_of(ui);
    char metric[48];
    int top = page_top(selected(ui), rows_of(ui), rows);
    double most = largest_value(ui);
    draw_head(advisor, canvas, head);
    metric_words(&sweep_metrics[advisor->metric], metric);
    canvas_right(canvas, end, 0, ROLE_MUTED, metric[strcspn(metric, ",")] ? strchr(metric, ',') + 2 : metric);
    canvas_right(canvas, memory, 0, ROLE_MUTED, units_name());
    canvas_right(canvas, width, 0, ROLE_MUTED, "free");
    for (int i = 0; i < rows && top + i < rows_of(ui); i++) {
        const struct sweep_cell *cell = &advisor->cell[top + i];
        const struct figures *figures = &cell->figures;
        canvas_fit(canvas, 0, 1 + i, head - 1, ROLE_TEXT, advisor->axis[0].text[top + i]);
        draw_cell(ui, canvas, top + i, &marks, end, 1 + i);
        if (!is_known(ui, top + i))
            continue;
        if (cell->reason[0].rule) {
            canvas_fit(canvas, end + 2, 1 + i, width - end - 2, ROLE_MUTED, cell->reason[0].why);
            continue;
        }
        draw_value(ui, canvas, top + i, most, (struct rect){end + 2, 1 + i, memory - 8 - end - 2, 1});
        canvas_right(canvas, memory, 1 + i, ROLE_TEXT, units_figure(FIGURE_GIB, figures->device_bytes).text);
        canvas_right(canvas, width, 1 + i, ROLE_TEXT, units_figure(FIGURE_GIB, figures->headroom_bytes).text);
    }
}

static bool has_idle(const struct ui *ui)
{
    for (int i = 0; i < ui->advisor->cells; i++)
        if (is_known(ui, i) && ui->advisor->cell[i].idle_gpus > 0)
            return true;
    return false;
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    enum { LEGEND = 2 };
    if (!swept(ui)) {
        canvas_wrap(
            canvas, 2, 0, width - 2, ROLE_MUTED,
            ui->options.present ? "No sweep yet: a begins one." :
            "No sweep yet: a sweeps the selected field, and a on a second one makes a map of both; "
            "or type :sweep tp=1,2,4,8 pp=1..16, or :sweep recompute=*. 1..16 means the valid values between, * all of "
            "them.");
        return;
    }
    struct tiles tiles = tiles_of(ui, width, height);
    if (tiles.height > 0) {
        draw_tiles(ui, canvas, &tiles);
        return;
    }
    (swept(ui)->axes > 1 ? draw_map : draw_list)(ui, canvas, width, height > LEGEND + 3 ? height - LEGEND : height);
    if (height <= LEGEND + 3)
        return;
    if (has_idle(ui))
        canvas_fit(canvas, 0, height - 2, width, ROLE_MUTED, "< leaves GPUs idle");
    canvas_pick(canvas, 0, height - 1, width, ROLE_MUTED,
                "fifths, least first: . : - = #   ! does not fit   -- not valid   [ ] this plan   * best|"
                ". : - = # fifths  ! does not fit  -- not valid  * best");
}

/* Where the plan's own value stands on an axis; 0 where it does not. */
static int position_of(const struct ui *ui, int axis)
{
    const struct sweep_axis *values = &ui->advisor->axis[axis];
    char now[PARAM_TEXT_MAX];
    param_print(&ui->now->plan, values->key, now, sizeof now);
    for (int i = 0; i < values->count; i++)
        if (strcmp(values->text[i], now) == 0)
            return i;
    return 0;
}

/* A map of tp and pp, until another one is asked for. */
static void update(struct ui *ui)
{
    char why[UI_MESSAGE_MAX];
    const struct estimate *e = ui->now;
    if (swept(ui) || ui->options.slow || ui->is_line_slow || !e->is_computed || e->is_serving || e->diags.errors > 0 ||
        e->grid.world < 2)
        return;
    if (advisor_sweep(ui, "tp=* pp=*", why) == 0) {
        ui->at[PANE_SWEEP].row = position_of(ui, 0);
        ui->at[PANE_SWEEP].column = position_of(ui, 1);
    }
}

static int wish(const struct ui *ui)
{
    return rows_of(ui) + 5;
}

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    const struct advisor *advisor = swept(ui);
    char down[64], across[64], metric[48];
    if (!advisor) {
        snprintf(out, SUBTITLE_MAX, "one or two keys over values|");
        return;
    }
    const char *best = advisor->has_best ? " of the best layout" : "";
    metric_words(&sweep_metrics[advisor->metric], metric);
    form_name(advisor->axis[0].key, down);
    snprintf(out, SUBTITLE_MAX, "%s%s", metric, best);
    if (advisor->axes < 2)
        return;
    form_name(advisor->axis[1].key, across);
    struct text_line line = line_in(out, SUBTITLE_MAX);
    line_add(&line, "%s%s; %s down, %s across; darker: more; dashed: does not fit; %s below|", metric, best, down,
             across, units_name());
    line_add(&line, "%s%s, %s by %s|", metric, best, down, across);
}

static void sentence(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    char metric[48];
    *out = '\0';
    if (!swept(ui))
        return;
    metric_words(&sweep_metrics[ui->advisor->metric], metric);
    snprintf(out, UI_MESSAGE_MAX, "%c%s and %s; darker: more; dashed: does not fit.", toupper((unsigned char)*metric),
             metric + 1, units_name());
}

static bool path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    const struct advisor *advisor = swept(ui);
    if (!advisor || !sweep_metrics[advisor->metric].path)
        return false;
    snprintf(out, EXPLAIN_PATH_MAX, "%s", sweep_metrics[advisor->metric].path);
    return true;
}

/* "heads_divisible_by_tp: tp 3 does not ..; also batch_divisible" */
static void write_rules(const struct sweep_cell *cell, char out[UI_MESSAGE_MAX])
{
    struct text_line line = line_in(out, UI_MESSAGE_MAX);
    line_add(&line, "%s: %.160s", cell->reason[0].rule, cell->reason[0].why);
    for (int i = 1; i < cell->reasons; i++)
        line_add(&line, "%s%s", i > 1 ? ", " : "; also ", cell->reason[i].rule);
}

/* "on 32 of 64 GPUs; 3.2 GiB too much; " */
static void add_shortage(const struct sweep_cell *cell, struct text_line *line)
{
    if (cell->idle_gpus > 0)
        line_add(line, "on %g of %g GPUs; ", cell->gpus, cell->gpus + cell->idle_gpus);
    if (cell->state == SWEEP_NO)
        line_add(line, "%s %s too much; ", units_figure(FIGURE_GIB, -cell->figures.headroom_bytes).text,
                 units_name());
}

static void describe(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    char sentence[DIFF_TEXT_MAX + 96], changes[DIFF_TEXT_MAX] = "this plan";
    struct text_line line = line_in(sentence, sizeof sentence);
    struct plan plan;
    out[0] = '\0';
    if (!swept(ui) || !is_known(ui, selected(ui)))
        return;
    const struct sweep_cell *cell = &ui->advisor->cell[selected(ui)];
    if (cell->reason[0].rule) {
        write_rules(cell, out);
        return;
    }
    advisor_cell_plan(ui, selected(ui), &plan);
    estimate_plan(&plan, ui->scratch);
    add_shortage(cell, &line);
    if (!is_here(ui, selected(ui))) {
        diff_text(ui->now, ui->scratch, changes);
        choices_name_changes(ui, changes, sizeof changes);
    }
    line_add(&line, "%s", changes);
    choices_shorten(ui, sentence, out);
}

static bool take(struct ui *ui)
{
    char label[HISTORY_LABEL_MAX];
    struct plan plan;
    if (!swept(ui)) {
        ui_say(ui, ROLE_MUTED, "nothing to load yet");
        return true;
    }
    advisor_cell_plan(ui, selected(ui), &plan);
    choices_label(ui, &plan, label);
    ui_change(ui, &plan, label);
    return true;
}

/* ---- the line that asks ------------------------------------------------------------------------------------------ */

/* A quarter of the value to four times, doubling, within the range of the key. */
static void write_range(enum param key, double now, char *out, size_t size)
{
    const struct param_row *row = &param_rows[key];
    double low = now, high = now;
    char from[FIELD_TEXT_MAX], to[FIELD_TEXT_MAX];
    for (int i = 0; i < 2; i++) {
        bool is_possible = low / 2 >= row->min && (row->type != TYPE_INT || fmod(low, 2) == 0);
        low /= is_possible ? 2 : 1;
        high *= 2 * high <= row->max ? 2 : 1;
    }
    param_number(key, low, from);
    param_number(key, high, to);
    snprintf(out, size, "%s..%s*2", from, to);
}

/* "*" if few are valid, a range of other numbers, else the present value. */
static void write_values(const struct ui *ui, enum param key, char *out, size_t size)
{
    enum { FEW = 16 };
    double valid[FEW + 1], now = ui->now->plan.value[key];
    int count = param_valid(&ui->plan, key, valid, FEW + 1);
    bool is_scale = param_type(key)->is_number && now > 0;
    if ((count > 1 && count <= FEW) || (count > FEW && !is_scale)) {
        snprintf(out, size, "*");
    } else if (is_scale) {
        write_range(key, now, out, size);
    } else {
        param_print(&ui->now->plan, key, out, size);
        snprintf(out + strlen(out), size - strlen(out), *out ? "," : "");
    }
}

static void write_asked(const struct advisor *advisor, char *out, size_t size)
{
    struct text_line line = line_in(out, size);
    line_add(&line, "sweep");
    for (int i = 0; i < advisor->axes; i++)
        line_add(&line, " %s=%s", param_short_name(advisor->axis[i].key), advisor->asked[i]);
}

void sweep_ask_field(struct ui *ui)
{
    enum param key = ui_field(ui);
    const struct advisor *advisor = swept(ui);
    bool is_there = false;
    char line[EDIT_MAX] = "sweep", values[PARAM_TEXT_MAX];
    for (int i = 0; advisor && i < advisor->axes; i++)
        is_there |= advisor->axis[i].key == key;
    if (advisor && (is_there || advisor->axes < SWEEP_AXES))
        write_asked(advisor, line, sizeof line);
    if (!is_there) {
        write_values(ui, key, values, sizeof values);
        size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, " %s=%.*s", param_short_name(key), UI_MESSAGE_MAX, values);
    }
    overlay_open(ui, MODE_COMMAND, line, false);
}

/* The present sweep, or one of the selected field. */
static void ask(struct ui *ui)
{
    char line[EDIT_MAX];
    if (!swept(ui)) {
        sweep_ask_field(ui);
        return;
    }
    write_asked(swept(ui), line, sizeof line);
    overlay_open(ui, MODE_COMMAND, line, false);
}

static const struct view_key keys[] = {{'a', "values", "swept keys and their values", ask},
                                       {'v', "metric", "figure to show", advisor_next_metric},
                                       {'c', "best layouts", "show the best layout of each cell", advisor_toggle_best},
                                       {0}};

/* ---- the pane --------------------------------------------------------------------------------------------------- */

static void click(struct ui *ui, int x, int y)
{
    int cell = ui->pressed.link - LINK_ROWS;
    (void)x;
    (void)y;
    if (cell < 0 || columns_of(ui) == 0)
        return;
    ui->at[PANE_SWEEP].row = cell / columns_of(ui);
    ui->at[PANE_SWEEP].column = cell % columns_of(ui);
}

const struct pane pane_sweep = {
    .is_page = true,
    .title = "Sweep",
    .sentence = sentence,
    .wish = wish,
    .rows = rows_of,
    .columns = columns_of,
    .subtitle = subtitle,
    .draw = draw,
    .path = path,
    .describe = describe,
    .click = click, .open = take, .keys = keys, .update = update,
};
