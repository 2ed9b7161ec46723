/* The tuner: the best layouts of all on these GPUs, searched while nobody types; Enter loads one. */
#include "core/base.h"
#include "core/plan/param.h"
#include "core/search/diff_text.h"
#include "core/search/layout_name.h"
#include "core/show/figure.h"
#include "core/show/line.h"
#include "ui/state/advisor.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/choices.h"
#include "ui/pane/lecture.h"
#include "ui/pane/pane.h"
#include "ui/state/state.h"
#include "ui/widget/form.h"
#include "ui/widget/rule.h"
#include "ui/widget/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct search_answer *answer_of(const struct ui *ui)
{
    return ui->advisor && ui->advisor->has_search ? &ui->advisor->search.answer : NULL;
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

/* The layout to take is on top. */
static int rank_of(const struct ui *ui, int row)
{
    int take = ui->advisor->take;
    return row == 0 ? take : row <= take ? row - 1 : row;
}

static const struct search_result *result_at(const void *context, int row)
{
    return &answer_of(context)->best[rank_of(context, row)];
}

/* -1 while the selection is in the list, 0 for the fastest. */
static int chosen_of(const struct ui *ui)
{
    return ui->at[PANE_TUNER].column - 1;
}

static void row_plan(const struct ui *ui, int row, struct plan *out)
{
    const struct search_answer *answer = answer_of(ui);
    int chosen = chosen_of(ui);
    bool is_on_front = chosen >= 0 && chosen < answer->front_count;
    search_plan(&ui->advisor->search.ask,
                is_on_front ? &answer->front[answer->front_count - 1 - chosen] : result_at(ui, row), out);
}

static bool is_old(const struct ui *ui)
{
    return ui->advisor->generation != ui->generation;
}

static bool is_open(const struct ui *ui)
{
    return ui->advisor->is_searching;
}

static bool is_stopped(const struct ui *ui)
{
    return !ui->advisor->is_searching && !answer_of(ui)->is_complete;
}

static void resolve_row(const struct ui *ui, int row, struct plan *out)
{
    struct plan plan;
    search_plan(&ui->advisor->search.ask, result_at(ui, row), &plan);
    plan_resolve(&plan, out);
}

static struct layout_style style_of(const struct ui *ui)
{
    const struct space_ask *ask = &ui->advisor->search.ask.space;
    int own = 0;
    while (own < SPACE_OWN_MAX && ask->free & 1u << (SEARCH_OWN + own))
        own++;
    if (ui->advisor->search.has_rounds) /* too many: the line below names those that change */
        own = 0;
    bool is_of_nodes = own == 0 && ask->free & 1u << SEARCH_NODES;
    return (struct layout_style){.is_brief = true, .own = is_of_nodes ? 1 : own,
                                 .key = is_of_nodes ? &space_axes[SEARCH_NODES].key : ask->own};
}

static void name_layout(const struct ui *ui, const struct search_result *result, char *out, size_t size)
{
    struct plan plan, resolved;
    struct layout_style style = style_of(ui);
    search_plan(&ui->advisor->search.ask, result, &plan);
    plan_resolve(&plan, &resolved);
    layout_name(&resolved, &style, out, size);
}

/* "+" the one to take, "~" as good as the first. */
static void text_layout(const void *context, int row, char out[CELL_TEXT_MAX])
{
    const struct ui *ui = context;
    const struct recommendation *recommendation = &ui->advisor->recommendation[rank_of(ui, row)];
    bool is_judged = ui->advisor->is_judged;
    snprintf(out, CELL_TEXT_MAX, "%s",
             !is_judged ? "" : recommendation->is_recommended ? "+" : recommendation->as_good ? "~" : " ");
    name_layout(ui, result_at(ui, row), out + strlen(out), CELL_TEXT_MAX - strlen(out));
}

static void text_memory(const void *context, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", units_figure(FIGURE_GIB, result_at(context, row)->peak_device_bytes).text);
}

static void text_time(const void *context, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", figure(FIGURE_SECONDS, result_at(context, row)->iteration_s).text);
}

static void text_share(const void *context, int row, char out[CELL_TEXT_MAX])
{
    const struct ui *ui = context;
    double share = 100 * (result_at(context, row)->iteration_s / estimate_pace(ui->shown) - 1);
    out[0] = '\0';
    if (isfinite(share))
        snprintf(out, CELL_TEXT_MAX, "%+.*f%%", share < 99.95 ? 1 : 0, share);
}

/* Known only after the full estimate. */
static void text_mfu(const void *context, int row, char out[CELL_TEXT_MAX])
{
    const struct ui *ui = context;
    int rank = rank_of(ui, row);
    bool is_known = rank < ui->advisor->estimated;
    snprintf(out, CELL_TEXT_MAX, "%s", is_known ? figure(FIGURE_PERCENT, ui->advisor->mfu[rank]).text : "");
}

static void text_price(const void *context, int row, char out[CELL_TEXT_MAX])
{
    const struct ui *ui = context;
    int rank = rank_of(ui, row);
    bool is_known = rank < ui->advisor->estimated;
    snprintf(out, CELL_TEXT_MAX, "%s",
             is_known ? units_figure(result_row(RESULT_PRICE, ui->now)->kind, ui->advisor->price[rank]).text : "");
}

enum { ALSO = 22 /* columns */ };

/* What differs from this plan beside the keys that have columns. */
static void text_differs(const void *context, int row, char out[CELL_TEXT_MAX])
{
    static const enum param shown[] = {
        PARAM_parallel_tp, PARAM_parallel_sp, PARAM_parallel_cp, PARAM_parallel_ep, PARAM_parallel_pp,
        PARAM_parallel_vpp, PARAM_parallel_dp, PARAM_parallel_zero_stage, PARAM_train_micro_batch_size,
        PARAM_train_recompute, PARAM_parallel_first_stage_layers, PARAM_parallel_last_stage_layers,
        PARAM_parallel_embedding_counts_as_layer, PARAM_parallel_loss_counts_as_layer};
    const struct ui *ui = context;
    struct plan resolved, now = ui->now->plan;
    resolve_row(ui, row, &resolved);
    for (size_t i = 0; i < LENGTH(shown); i++)
        param_copy(&now, &resolved, shown[i], (enum origin)resolved.from[shown[i]]);
    form_changes(&now, &resolved, ALSO - 1, out, CELL_TEXT_MAX);
}

/* How the stages at the ends are split: what they have beside layers "count" like one, or so many: "5+", "5+4". */
static void text_ends(const void *context, int row, char out[CELL_TEXT_MAX])
{
    struct plan resolved;
    char first[16] = "", last[16] = "";
    resolve_row(context, row, &resolved);
    double before = resolved.value[PARAM_parallel_first_stage_layers];
    double behind = resolved.value[PARAM_parallel_last_stage_layers];
    bool is_count = resolved.value[PARAM_parallel_embedding_counts_as_layer] > 0 ||
                    resolved.value[PARAM_parallel_loss_counts_as_layer] > 0;
    if (before > 0)
        snprintf(first, sizeof first, "%.0f", before);
    if (behind > 0)
        snprintf(last, sizeof last, "%.0f", behind);
    if (is_count)
        snprintf(first, sizeof first, "count");
    snprintf(out, CELL_TEXT_MAX, "%s%s%s", first, !is_count && before + behind > 0 ? "+" : "", is_count ? "" : last);
}

static void text_free(const void *context, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", units_figure(FIGURE_GIB, result_at(context, row)->headroom_bytes).text);
}

/* "+" the one to take, "as good" as the first. */
static void text_advice(const void *context, int row, char out[CELL_TEXT_MAX])
{
    const struct ui *ui = context;
    const struct recommendation *recommendation = &ui->advisor->recommendation[rank_of(ui, row)];
    snprintf(out, CELL_TEXT_MAX, "%s", !ui->advisor->is_judged       ? ""
                                       : recommendation->is_recommended ? "+ take it"
                                       : recommendation->as_good        ? "  as good"
                                                                        : "");
}

static void print_key(const void *context, int row, enum param id, char out[CELL_TEXT_MAX])
{
    struct plan resolved;
    char text[FIELD_TEXT_MAX];
    resolve_row(context, row, &resolved);
    form_shown(&resolved, id, text);
    snprintf(out, CELL_TEXT_MAX, "%s", text);
}

#define KEY_TEXT(name, id)                                                                                             \
    static void text_##name(const void *context, int row, char out[CELL_TEXT_MAX])                                    \
    {                                                                                                                  \
        print_key(context, row, id, out);                                                                              \
    }
KEY_TEXT(tp, PARAM_parallel_tp)
KEY_TEXT(sp, PARAM_parallel_sp)
KEY_TEXT(zero, PARAM_parallel_zero_stage)
KEY_TEXT(cp, PARAM_parallel_cp)
KEY_TEXT(ep, PARAM_parallel_ep)
KEY_TEXT(pp, PARAM_parallel_pp)
KEY_TEXT(vpp, PARAM_parallel_vpp)
KEY_TEXT(dp, PARAM_parallel_dp)
KEY_TEXT(micro_batch, PARAM_train_micro_batch_size)
KEY_TEXT(recompute, PARAM_train_recompute)

enum { RESERVED = 27 /* columns for time and memory beside the names of layouts */, PAGE_LEAST = 73 /* columns */ };
static const struct column columns[] = {
    {"layout", 30, 0, COLUMN_LEFT, NULL, text_layout}, {"dp", 5, 4, COLUMN_RIGHT, NULL, text_dp},
    {"iteration", 10, 0, COLUMN_RIGHT, NULL, text_time}, {"change", 7, 1, COLUMN_RIGHT, NULL, text_share},
    {"GiB", 6, 2, COLUMN_RIGHT, NULL, text_memory},    {"free", 6, 3, COLUMN_RIGHT, NULL, text_free},
};
static const struct column page_columns[] = {
    {"", 9, 0, COLUMN_LEFT, NULL, text_advice},
    {"tp", 3, 0, COLUMN_RIGHT, NULL, text_tp},         {"sp", 4, 1, COLUMN_RIGHT, NULL, text_sp},
    {"cp", 3, 0, COLUMN_RIGHT, NULL, text_cp},
    {"ep", 3, 0, COLUMN_RIGHT, NULL, text_ep},         {"pp", 3, 0, COLUMN_RIGHT, NULL, text_pp},
    {"vpp", 4, 0, COLUMN_RIGHT, NULL, text_vpp},       {"dp", 5, 0, COLUMN_RIGHT, NULL, text_dp},
    {"ends", 0, 1, COLUMN_RIGHT, NULL, text_ends},     {"ZeRO", 5, 1, COLUMN_RIGHT, NULL, text_zero},
    {"micro", 6, 0, COLUMN_RIGHT, NULL, text_micro_batch}, {"recompute", 10, 0, COLUMN_RIGHT, NULL, text_recompute},
    {"iteration", 10, 0, COLUMN_RIGHT, NULL, text_time}, {"change", 8, 0, COLUMN_RIGHT, NULL, text_share},
    {"GiB", 7, 0, COLUMN_RIGHT, NULL, text_memory},    {"free", 6, 2, COLUMN_RIGHT, NULL, text_free},
    {"also", ALSO, 3, COLUMN_LEFT, NULL, text_differs},
    {"MFU", 7, 4, COLUMN_RIGHT, NULL, text_mfu},       {"$/1T", 8, 5, COLUMN_RIGHT, NULL, text_price},
};
_Static_assert(LENGTH(page_columns) <= TABLE_COLUMNS_MAX, "room for all");
static const struct choices choices = {.columns = columns, .count = LENGTH(columns), .reserved = RESERVED,
                                       .page = page_columns, .page_count = LENGTH(page_columns),
                                       .page_least = PAGE_LEAST,
                                       .is_old = is_old, .is_open = is_open, .plan = row_plan};

static void ask_again(struct ui *ui)
{
    char line[EDIT_MAX];
    if (!ui->advisor)
        return;
    advisor_search_line(ui, line, sizeof line);
    overlay_open(ui, MODE_COMMAND, line, false);
}

static int rows_of(const struct ui *ui)
{
    return answer_of(ui) ? answer_of(ui)->count : 0;
}

/* Up and down the list; right along the front from its fastest end. */
static bool move(struct ui *ui, int dx, int dy)
{
    int *row = &ui->at[PANE_TUNER].row, *column = &ui->at[PANE_TUNER].column;
    int points = answer_of(ui) ? answer_of(ui)->front_count : 0;
    if (dy != 0) {
        *column = 0;
        *row = row_within(*row + dy, rows_of(ui));
        return true;
    }
    bool is_moved = *column + dx >= 0 && *column + dx <= (points > 1 ? points : 0);
    *column += is_moved ? dx : 0;
    return is_moved;
}

/* ---- the front: memory against time ----------------------------------------------------------------------------- */

enum { AFAR_NAME = 24, LEFT = 7, FRONT_LINKS = 1000 /* links of points, beyond those of rows */, TABLE_LEAST = 8 };
enum { PLOT_MOST = 20, WIDTH_MOST = 256 }; /* rows and places of the largest plot */

/* The axes; memory up to what a device has, `y` the first row. */
struct plot {
    double least_s, most_s, least_bytes, most_bytes;
    int y, places, rows;
};

/* Time up to twice the fastest, or to this plan's if that is at most four times. */
static struct plot plot_of(const struct ui *ui, struct rect where)
{
    const double shown = 2, least_shown = 4, below = 0.97;
    const struct search_answer *answer = answer_of(ui);
    double fastest_s = answer->front[answer->front_count - 1].iteration_s, slowest_s = answer->front[0].iteration_s;
    double now_s = estimate_pace(ui->shown);
    struct plot plot = {below * fastest_s, fmin(slowest_s, shown * fastest_s), INFINITY, ui->shown->usable_bytes,
                        where.y, (int)fmin(where.width - LEFT - 1, WIDTH_MOST),
                        (int)fmin(where.height - 1, PLOT_MOST)};
    if (now_s <= least_shown * fastest_s)
        plot.most_s = fmax(plot.most_s, now_s);
    for (int i = 0; i < answer->front_count; i++)
        if (answer->front[i].iteration_s <= plot.most_s)
            plot.least_bytes = fmin(plot.least_bytes, below * answer->front[i].peak_device_bytes);
    plot.least_bytes = fmin(plot.least_bytes, below * plot.most_bytes);
    return plot;
}

static int place_of(double value, double from, double to, int places)
{
    double share = to != from ? (value - from) / (to - from) : 0;
    return (int)(fmin(fmax(share, 0), 1) * (places - 1) + 0.5);
}

static int column_of(const struct plot *plot, double seconds)
{
    return LEFT + place_of(seconds, plot->least_s, plot->most_s, plot->places);
}

static int row_of(const struct plot *plot, double bytes)
{
    return plot->y + place_of(bytes, plot->most_bytes, plot->least_bytes, plot->rows);
}

/* Points outside the axes are left out. */
static void draw_point(const struct plot *plot, struct canvas *canvas, double bytes, double seconds, enum role role,
                       const char *mark)
{
    if (seconds >= plot->least_s && seconds <= plot->most_s && bytes >= plot->least_bytes && bytes <= plot->most_bytes)
        canvas_text(canvas, column_of(plot, seconds), row_of(plot, bytes), role, mark);
}

static void link_point(const struct plot *plot, struct canvas *canvas, const struct search_result *one, int chosen)
{
    if (one->iteration_s <= plot->most_s)
        canvas_link(canvas, column_of(plot, one->iteration_s) - 1, row_of(plot, one->peak_device_bytes), 3,
                    LINK_ROWS + FRONT_LINKS + chosen);
}

/* Round values on both axes, and a line at what a device has. */
static void draw_scales(const struct plot *plot, struct canvas *canvas, int beyond)
{
    enum { APART_ROWS = 2, APART = 14, LABEL = 18 };
    uint32_t dash = canvas->ascii ? '-' : 0x2504;
    int end = plot->y + plot->rows, room = plot->places - (beyond > 0 ? LABEL + 8 : 0);
    char text[64];
    snprintf(text, sizeof text, "%s usable", units_figure(FIGURE_GIB, plot->most_bytes).text);
    canvas_repeat(canvas, LEFT, plot->y, ROLE_BAD, dash, plot->places - text_width(text) - 1);
    canvas_right(canvas, LEFT + plot->places, plot->y, ROLE_MUTED, text);
    double least = plot->least_bytes / units_bytes(), most = plot->most_bytes / units_bytes();
    double step = units_step(most - least, fmax((plot->rows - 1) / APART_ROWS, 1));
    for (double value = step * ceil(least / step); value < most; value += step) {
        snprintf(text, sizeof text, "%g", value);
        if (row_of(plot, value * units_bytes()) > plot->y)
            canvas_right(canvas, LEFT - 1, row_of(plot, value * units_bytes()), ROLE_MUTED, text);
    }
    step = units_step(plot->most_s - plot->least_s, fmax(plot->places / APART, 1));
    for (double value = step * ceil(plot->least_s / step); value < plot->most_s; value += step) {
        bool is_ms = plot->most_s < 0.9995;
        snprintf(text, sizeof text, is_ms ? "%g ms" : "%g s", is_ms ? 1e3 * value : value);
        if (column_of(plot, value) - LEFT + text_width(text) <= room)
            canvas_text(canvas, column_of(plot, value), end, ROLE_MUTED, text);
    }
    if (beyond > 0) {
        snprintf(text, sizeof text, "%d more beyond %s", beyond, figure(FIGURE_SECONDS, plot->most_s).text);
        canvas_right(canvas, LEFT + plot->places, end, ROLE_MUTED, text);
    }
}

/* All that fit: two by four points a cell. */
static void draw_cloud(const struct ui *ui, struct canvas *canvas, const struct plot *plot)
{
    static const unsigned char bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    enum { ROWS = 4, COLUMNS = 2 };
    const struct advisor *advisor = ui->advisor;
    unsigned char cell[PLOT_MOST][WIDTH_MOST] = {{0}};
    int width = plot->places;
    for (int i = 0; i < advisor->dots; i++) {
        const struct advisor_dot *dot = &advisor->dot[i];
        if (!(dot->iteration_s >= plot->least_s && dot->iteration_s <= plot->most_s && dot->bytes >= plot->least_bytes))
            continue;
        int x = place_of(dot->iteration_s, plot->least_s, plot->most_s, width * COLUMNS);
        int y = place_of(dot->bytes, plot->most_bytes, plot->least_bytes, plot->rows * ROWS);
        cell[y / ROWS][x / COLUMNS] |= bits[y % ROWS][x % COLUMNS];
    }
    for (int y = 0; y < plot->rows; y++)
        for (int x = 0; x < width; x++)
            if (cell[y][x])
                canvas_repeat(canvas, LEFT + x, plot->y + y, ROLE_MUTED, canvas->ascii ? '.' : 0x2800u + cell[y][x], 1);
}

/* A point with its name, before it at the right end. */
static void draw_named(const struct plot *plot, struct canvas *canvas, double bytes, double seconds, const char *sign,
                       const char *name)
{
    if (!(seconds >= plot->least_s && seconds <= plot->most_s && bytes >= plot->least_bytes &&
          bytes <= plot->most_bytes))
        return;
    int x = column_of(plot, seconds), y = row_of(plot, bytes);
    canvas_format(canvas, x, y, ROLE_STRONG, "%s ", sign);
    canvas_text(canvas, x + 2 + text_width(name) < LEFT + plot->places ? x + 2 : x - 1 - text_width(name), y,
                ROLE_STRONG, name);
}

static void draw_front(const struct ui *ui, struct canvas *canvas, struct rect where, int chosen)
{
    const struct search_answer *answer = answer_of(ui);
    const struct search_result *take = &answer->best[ui->advisor->take];
    const struct estimate *shown = ui->shown;
    struct plot plot = plot_of(ui, where);
    int beyond = 0;
    for (int i = 0; i < answer->front_count; i++)
        beyond += answer->front[i].iteration_s > plot.most_s;
    draw_scales(&plot, canvas, beyond);
    draw_cloud(ui, canvas, &plot);
    for (int i = 0; i < answer->front_count; i++) {
        const struct search_result *one = &answer->front[i];
        link_point(&plot, canvas, one, answer->front_count - 1 - i);
        draw_point(&plot, canvas, one->peak_device_bytes, one->iteration_s, ROLE_GOOD, "o");
    }
    if (ui->advisor->is_judged)
        draw_named(&plot, canvas, take->peak_device_bytes, take->iteration_s, "+", "take");
    draw_named(&plot, canvas, shown->stage[shown->peak_stage].device_bytes, estimate_pace(shown), "@", "this plan");
    if (chosen >= 0) {
        const struct search_result *one = &answer->front[answer->front_count - 1 - chosen];
        double seconds = fmin(one->iteration_s, plot.most_s), bytes = fmax(one->peak_device_bytes, plot.least_bytes);
        draw_point(&plot, canvas, bytes, seconds, ROLE_FOCUS, "o");
    }
}

static void draw_front_text(const struct ui *ui, struct canvas *canvas, int y, int width, int chosen)
{
    const struct search_answer *answer = answer_of(ui);
    const struct search_result *least = &answer->front[0], *fastest = &answer->front[answer->front_count - 1];
    char text[LAYOUT_NAME_MAX + 80], name[LAYOUT_NAME_MAX];
    if (chosen < 0) {
        snprintf(text, sizeof text, "front, %d: %s %s %s .. %s %s %s", answer->front_count,
                 figure(FIGURE_SECONDS, fastest->iteration_s).text,
                 units_figure(FIGURE_GIB, fastest->peak_device_bytes).text, units_name(),
                 figure(FIGURE_SECONDS, least->iteration_s).text,
                 units_figure(FIGURE_GIB, least->peak_device_bytes).text, units_name());
    } else {
        const struct search_result *one = &answer->front[answer->front_count - 1 - chosen];
        name_layout(ui, one, name, sizeof name);
        snprintf(text, sizeof text, "front %d of %d: %s %s %s, %s", chosen + 1, answer->front_count,
                 figure(FIGURE_SECONDS, one->iteration_s).text,
                 units_figure(FIGURE_GIB, one->peak_device_bytes).text, units_name(), name);
    }
    canvas_fit(canvas, 0, y, width, chosen < 0 ? ROLE_MUTED : ROLE_FOCUS, text);
}

static void click(struct ui *ui, int x, int y)
{
    int point = ui->pressed.link - LINK_ROWS - FRONT_LINKS;
    (void)x;
    (void)y;
    if (point >= 0 && ui->pressed.link < LINK_BARS) {
        ui->at[PANE_TUNER].column = point + 1;
    } else if (ui->pressed.link >= LINK_ROWS) {
        ui->at[PANE_TUNER].column = 0;
        pane_click_row(ui, PANE_TUNER);
    }
}

/* ---- the pane --------------------------------------------------------------------------------------------------- */

/* ", 640 ruled out by pp>100 (pp is 1 to 64)" for each condition on a key. */
static void add_conditions(const struct search *search, struct text_line *line)
{
    for (int i = 0; i < search->ask.conditions; i++) {
        const struct search_condition *one = &search->ask.condition[i];
        const struct search_tally *tally = &search->answer.tally[i];
        char range[SEARCH_RANGE_MAX];
        if (tally->excluded == 0)
            continue;
        search_range(one, tally, range);
        line_add(line, ", %ld ruled out by %.*s%s%s%s", tally->excluded, one->length, one->text, *range ? " (" : "",
                 range, *range ? ")" : "");
    }
}

/* ", none of the 1889 left meets mfu>=99%" for conditions on figures. */
static void add_figures(const struct search *search, struct text_line *line)
{
    bool is_first = true;
    for (int i = 0; i < search->ask.conditions && search->answer.feasible > 0; i++) {
        const struct search_condition *one = &search->ask.condition[i];
        if (!one->figure)
            continue;
        if (is_first)
            line_add(line, ", none of the %ld left meets %.*s", search->answer.feasible, one->length, one->text);
        else
            line_add(line, ", %.*s", one->length, one->text);
        is_first = false;
    }
}

/* " The least memory has tp 8, pp 4, ZeRO 1: 92.3 GiB." if only memory rules layouts out. */
static void add_nearest(const struct ui *ui, struct text_line *line)
{
    const struct search *search = &ui->advisor->search;
    const struct search_answer *answer = &search->answer;
    struct plan plan;
    char name[LAYOUT_NAME_MAX];
    long others = answer->excluded[search->ask.slowest_by] + answer->excluded[LIMIT_WHERE] + answer->feasible;
    if (!answer->has_nearest || others > 0)
        return;
    search_plan(&search->ask, &answer->nearest, &plan);
    form_changes(&ui->now->plan, &plan, 40, name, sizeof name);
    line_add(line, " The least memory has %s: %s %s.", *name ? name : "this plan",
             units_figure(FIGURE_GIB, answer->nearest.peak_device_bytes).text, units_name());
}

/* "No layout is within max-memory=9GiB: 642 are valid, 368 ruled out by fit, 274 by max-memory. ..." */
static void add_excluded(const struct ui *ui, struct text_line *line)
{
    const struct search_answer *answer = answer_of(ui);
    line_add(line, "No layout is within %s: %ld are valid", ui->advisor->line.text, answer->evaluated);
    for (int i = 0; i < LIMIT_COUNT; i++)
        if (answer->excluded[i] > 0 && i != LIMIT_WHERE)
            line_add(line, ", %ld ruled out by %s", answer->excluded[i], search_limit_names[i]);
    add_conditions(&ui->advisor->search, line);
    add_figures(&ui->advisor->search, line);
    line_add(line, ". F changes the limits; :search time removes them.");
    add_nearest(ui, line);
}

/* "No layout is valid: tp 3 does not divide 64 heads; works: 1 2 4 8 16." */
static void add_refused(const struct ui *ui, struct text_line *line)
{
    const struct refusals *refused = &ui->advisor->forbidden;
    line_add(line, "No layout is valid:");
    for (int i = 0; i < refused->count; i++)
        line_add(line, " %s.", refusal_text(&refused->item[i]).text);
    line_add(line, " F changes the search.");
}

/* " Enter opens what would make it fit: offload optimizer, 55.3 GiB." */
static void add_fix(const struct ui *ui, struct text_line *line)
{
    enum { ROOM = 40 };
    const struct advice *advice = &ui->advisor->shown_advice;
    struct plan plan;
    char keys[2 * ROOM];
    line_add(line, " Enter opens 6, what would make it fit");
    if (ui->advisor->has_advice && ui->advisor->shown_generation == ui->generation && advice->fixes > 0) {
        advice_plan(advice, advice->fixed[0].change, advice->fixed[0].changes, &plan);
        form_changes(&ui->now->plan, &plan, ROOM, keys, sizeof keys);
        line_add(line, ": %s, %s %s", keys, units_figure(FIGURE_GIB, advice->fixed[0].figures.device_bytes).text,
                 units_name());
    }
    line_add(line, ".");
}

static void add_nothing(const struct ui *ui, struct text_line *line)
{
    const struct search_answer *answer = answer_of(ui);
    const struct advisor *advisor = ui->advisor;
    enum param lacks = answer ? search_missing_key(advisor->objective, &ui->now->plan) : PARAM_COUNT;
    if ((answer && advisor->is_searching) || (!advisor && !ui->options.slow)) {
        line_add(line, "..");
    } else if (answer && is_stopped(ui)) {
        line_add(line, "Stopped at %.0f %%, no layout found yet; F and Enter search again.",
                 100 * search_share(&advisor->search));
    } else if (lacks < PARAM_COUNT) {
        line_add(line, "Ranking by %s needs %s; set it with :%s, or press o.", search_goals[advisor->objective].name,
                 param_rows[lacks].dotted, search_example(lacks));
    } else if (advisor && advisor->refused[0]) {
        line_add(line, "%s", advisor->refused);
    } else if (answer && advisor->forbidden.count > 0) {
        add_refused(ui, line);
    } else if (answer && advisor->line.text[0]) {
        add_excluded(ui, line);
    } else if (answer) {
        line_add(line, "Nothing fits on these GPUs.");
        add_nearest(ui, line);
        add_fix(ui, line);
    } else {
        line_add(line, "%s",
                 ui->shown->is_serving
                     ? "A plan that serves has no layouts here: 6 shows what is faster, / Serve users finds its GPUs."
                 : ui->options.slow || ui->is_line_slow ? "Not searched on a slow line; :search time does."
                                                        : "Nothing to search: numbers are missing; i lists them.");
    }
}

static void draw_none(const struct ui *ui, struct canvas *canvas, int width)
{
    char text[ADVISOR_TEXT_MAX + EDIT_MAX + REFUSALS_MAX * REFUSAL_TEXT_MAX];
    struct text_line line = line_in(text, sizeof text);
    add_nothing(ui, &line);
    canvas_wrap(canvas, 0, 0, width, ROLE_TEXT, text);
}

/* Rows of the plot, its axis included; the table below has the others. 0: there is none. */
static int plot_rows(const struct ui *ui, int height)
{
    int rows = height * 11 / 20;
    bool has_plot = height >= ADVISOR_PLOT_ROWS && answer_of(ui) && answer_of(ui)->front_count > 1;
    return !has_plot ? 0 : rows > PLOT_MOST ? PLOT_MOST : rows;
}

/* Beside other views, while another has the keys. */
static bool is_plot_alone(const struct ui *ui, int width, int height)
{
    return pane_is_beside(ui) && !pane_has_focus(ui, PANE_TUNER) && answer_of(ui)->front_count > 1 &&
           width >= ADVISOR_GLANCE_WIDTH && height >= ADVISOR_GLANCE_ROWS;
}

/* Over the front the wheel walks along it. */
static bool wheel(struct ui *ui, int y, int by)
{
    if (y >= plot_rows(ui, pane_inside(ui, PANE_TUNER).height))
        return false;
    move(ui, by, 0);
    return true;
}

/* "by energy, 194 Wh a Mtoken: 274 of 642 valid ones within max-memory=72GiB where=tp<=8" */
static void draw_question(const struct ui *ui, struct canvas *canvas, int width)
{
    const struct search_answer *answer = answer_of(ui);
    const struct search_goal *goal = &search_goals[ui->advisor->objective];
    double value = result_at(ui, row_within(ui->at[PANE_TUNER].row, answer->count))->value / goal->unit;
    char text[EDIT_MAX + ADVISOR_TEXT_MAX], of[64] = "", so_far[32] = "";
    if (goal->title)
        snprintf(of, sizeof of, ", %s %s", figure(goal->kind, value).text, goal->title);
    if (!answer->is_complete)
        snprintf(so_far, sizeof so_far, is_stopped(ui) ? ", stopped at %.0f %%" : ", %.0f %% (Esc stops)",
                 100 * search_share(&ui->advisor->search));
    snprintf(text, sizeof text, "by %s%s%s: %ld of %ld valid %s %s", goal->name, of, so_far, answer->feasible,
             answer->evaluated, ui->advisor->line.text[0] ? "within" : "fit", ui->advisor->line.text);
    canvas_fit(canvas, 0, 0, width, ROLE_TITLE, text);
}

/* The plot, what its signs mean, and the title of the table; returns the row after them. */
static int draw_above(const struct ui *ui, struct canvas *canvas, int width, int height, int chosen)
{
    static const char legend[] =
        "dots: layouts that fit   o the front: nothing is better in both   + take   @ this plan|"
        "dots fit   o the front   + take   @ this plan|";
    const struct rule rule = {.name = "As good as the fastest",
                              .about = "within the error of the estimate; the simplest first|", .note = ""};
    int rows = plot_rows(ui, height);
    if (rows == 0)
        return 0;
    draw_front(ui, canvas, (struct rect){0, 0, width, rows}, chosen);
    if (chosen < 0)
        canvas_pick(canvas, LEFT, rows, width - LEFT, ROLE_MUTED, legend);
    else
        draw_front_text(ui, canvas, rows, width, chosen);
    if (ui->advisor->is_judged)
        rule_draw(canvas, rows + 2, width, &rule);
    return rows + 3;
}

/* For those who look on: the layout to take, one of little memory that is at most half as fast, and this plan. */
static void draw_afar(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const struct search_answer *answer = answer_of(ui);
    const struct search_result *take = result_at(ui, 0), *ends[] = {take, take};
    for (int i = answer->front_count - 1; i >= 0 && answer->front[i].iteration_s <= 2 * take->iteration_s; i--)
        ends[1] = &answer->front[i];
    static const char *const names[] = {"fast", "small"};
    struct lecture_bar bar[LENGTH(ends) + 1];
    int count = ends[0]->peak_device_bytes == ends[1]->peak_device_bytes ? 1 : 2;
    for (int i = 0; i < count; i++) {
        struct plan plan;
        bar[i] = (struct lecture_bar){.part = {{'=', ROLE_USEFUL, ends[i]->iteration_s, NULL}}, .parts = 1};
        search_plan(&ui->advisor->search.ask, ends[i], &plan);
        snprintf(bar[i].name, LECTURE_TEXT_MAX, "%s: %s %s", names[i],
                 units_figure(FIGURE_GIB, ends[i]->peak_device_bytes).text, units_name());
        form_changes(&ui->now->plan, &plan, AFAR_NAME, bar[i].below, LECTURE_TEXT_MAX);
        snprintf(bar[i].value, LECTURE_TEXT_MAX, "%s", figure(FIGURE_SECONDS, ends[i]->iteration_s).text);
    }
    double now_s = estimate_pace(ui->shown);
    struct lecture_bar *now = &bar[count];
    *now = (struct lecture_bar){.part = {{'=', ROLE_BELOW, now_s, NULL}}, .parts = 1};
    snprintf(now->name, LECTURE_TEXT_MAX, "now: %s %s",
             units_figure(FIGURE_GIB, ui->shown->stage[ui->shown->peak_stage].device_bytes).text, units_name());
    snprintf(now->value, LECTURE_TEXT_MAX, "%s", figure(FIGURE_SECONDS, now_s).text);
    lecture_draw(canvas, bar, count + 1, NAN, width, height);
}

static void sentence(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    const struct search_answer *answer = answer_of(ui);
    double now_s = estimate_pace(ui->shown);
    *out = '\0';
    if (!answer || answer->count == 0 || !(now_s > 0))
        return;
    double saved = 1 - result_at(ui, 0)->iteration_s / now_s;
    snprintf(out, UI_MESSAGE_MAX, saved > 0.005 ? "Another layout saves %.0f %% of the time."
                                                : "No layout saves more than %.0f %%.", fmax(100 * saved, 1));
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const struct search_answer *answer = answer_of(ui);
    if (!answer || answer->count == 0) {
        draw_none(ui, canvas, width);
        return;
    }
    if (pane_is_lecture(ui) && answer->front_count > 0) {
        draw_afar(ui, canvas, width, height);
        return;
    }
    int chosen = ui->view == PANE_TUNER && chosen_of(ui) < answer->front_count ? chosen_of(ui) : -1;
    if (is_plot_alone(ui, width, height)) {
        draw_front(ui, canvas, (struct rect){0, 0, width, height}, chosen);
        return;
    }
    bool has_line = ui->advisor->objective != SEARCH_TIME || ui->advisor->line.text[0] || is_stopped(ui),
         has_text = chosen >= 0 && plot_rows(ui, height) == 0 && height > TABLE_LEAST;
    if (has_line)
        draw_question(ui, canvas, width);
    canvas_clip(canvas, rect_below(canvas->clip, has_line));
    int y = draw_above(ui, canvas, width, height - has_line, chosen);
    choices_draw(ui, PANE_TUNER, canvas, y, width, height - has_line - y - has_text);
    if (has_text)
        draw_front_text(ui, canvas, height - has_line - 1, width, chosen);
}

static int wish(const struct ui *ui)
{
    return rows_of(ui) + 5;
}

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    const struct search_answer *answer = answer_of(ui);
    if (!answer)
        snprintf(out, SUBTITLE_MAX, "the best layouts");
    else if (!answer->is_complete)
        snprintf(out, SUBTITLE_MAX, is_stopped(ui) ? "by %s, stopped at %.0f %%" : "by %s, %.0f %%",
                 search_goals[ui->advisor->objective].name, 100 * search_share(&ui->advisor->search));
    else
        snprintf(out, SUBTITLE_MAX, "by %s: %s valid, %s fit|", search_goals[ui->advisor->objective].name,
                 figure(FIGURE_EXACT, (double)answer->evaluated).text,
                 figure(FIGURE_EXACT, (double)answer->feasible).text);
}

/* Where nothing fits, to what would make it fit. */
static bool open(struct ui *ui)
{
    const struct search_answer *answer = answer_of(ui);
    bool is_none = answer && answer->count == 0 && !ui->advisor->is_searching && !ui->advisor->line.text[0] &&
                   !is_stopped(ui);
    if (!is_none)
        return choices_take(ui);
    ui_do(ui, ACTION_whatif);
    return true;
}

static bool path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    snprintf(out, EXPLAIN_PATH_MAX, "time.iteration_s");
    return rows_of(ui) > 0;
}

/* choices_describe() leaves the layout's estimate in ui->scratch. */
static void describe(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    char bound[DIFF_TEXT_MAX];
    choices_describe(ui, out);
    if (!*out)
        return;
    diff_text_time_spent(ui->scratch, bound, sizeof bound);
    size_t used = strlen(out), room = UI_MESSAGE_MAX - used;
    char *comma = strchr(bound, ',');
    int left = choices_room(ui) - text_width(out) - 2;
    if (comma && (text_width(bound) > left || strlen(bound) + 2 >= room))
        *comma = '\0'; /* the most, else none of it */
    if (text_width(bound) <= left && strlen(bound) + 2 < room)
        snprintf(out + used, room, "; %.*s", (int)room, bound);
}

static const struct view_key keys[] = {{'o', "objective", "rank by time, memory, cost, energy, ...",
                                        advisor_next_objective},
                                       {'F', "free keys", "keys that a search may change, and its limits",
                                        ask_again},
                                       {'D', "compare", "compare with the selected layout", choices_compare},
                                       {'p', "pin", "pin the selected layout as a baseline", choices_pin},
                                       {0}};

static const char *question(const struct ui *ui)
{
    (void)ui;
    return "All layouts";
}

const struct pane pane_tuner = {
    .is_hidden_in_serving = true,
    .is_page = true,
    .is_extra = true,
    .title = "Layouts",
    .wish = wish,
    .rows = rows_of,
    .subtitle = subtitle,
    .question = question,
    .sentence = sentence,
    .draw = draw,
    .path = path,
    .describe = describe,
    .click = click,
    .wheel = wheel,
    .move = move,
    .open = open,
    .keys = keys,
    .choices = &choices,
};
