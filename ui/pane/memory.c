/* The memory view: a bar for each stage, and the components of one stage. */
#include "core/plan/param.h"
#include "core/show/components.h"
#include "core/show/figure.h"
#include "ui/pane/lecture.h"
#include "ui/pane/lesson_marks.h"
#include "ui/pane/makeup.h"
#include "ui/pane/pane.h"
#include "ui/state/result.h"
#include "ui/widget/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STATE_PARTS = 3 };

/* How a component is painted. */
static enum role component_role(const struct component *component)
{
    static const enum role roles[COLOR_COUNT] = {
        [COLOR_NONE] = ROLE_TEXT,               [COLOR_WEIGHTS] = ROLE_WEIGHTS,
        [COLOR_GRADIENTS] = ROLE_GRADIENTS,     [COLOR_OPTIMIZER] = ROLE_OPTIMIZER,
        [COLOR_ACTIVATIONS] = ROLE_ACTIVATIONS, [COLOR_TRANSIENT] = ROLE_TRANSIENT,
        [COLOR_SCRATCH] = ROLE_SCRATCH,         [COLOR_CACHE] = ROLE_CACHE,
        [COLOR_DRIVER] = ROLE_DRIVER,           [COLOR_LINKS] = ROLE_DRIVER,
    };
    return roles[component->color];
}

struct bar_part component_part(const struct component *component, double bytes)
{
    return (struct bar_part){component->letter, component_role(component), bytes, component->brief};
}

void component_mark(struct canvas *canvas, int x, int y, const struct component *component)
{
    canvas_repeat(canvas, x, y, component_role(component), (uint32_t)(unsigned char)component->letter, 1);
}

static bool is_joined(const struct component *component)
{
    return component->style == COMPONENT_JOINED;
}

/* A component with what is joined to it. */
static double bytes_of(const struct estimate *e, int stage, const struct component *component)
{
    const struct component *end = stage_components.row + stage_components.count;
    double sum = stage_held(component, e, &e->stage[stage]);
    while (++component < end && is_joined(component))
        sum += stage_held(component, e, &e->stage[stage]);
    return sum;
}

/* The rows that screens show. */
static int component_rows(const struct estimate *e, const struct component *out[COMPONENTS_MAX])
{
    int count = 0;
    for (int i = 0; i < stage_components.count; i++) {
        const struct component *row = &stage_components.row[i];
        if (*row->words && row->kind != COMPONENT_ROOM && !is_joined(row) && stage_lists(row, e))
            out[count++] = row;
    }
    return count;
}

/* The selected row of all that can be shown. */
static const struct component *selected(const struct ui *ui)
{
    const struct component *rows[COMPONENTS_MAX];
    return rows[row_within(ui->at[PANE_MEMORY].row, component_rows(ui->shown, rows))];
}

static bool is_warned(const struct ui *ui, const struct component *component)
{
    return lesson_marks_part(ui, "memory.", component->term);
}

/* The letter of the part that a lesson's step marks; 0 for none. */
static char warned_letter(const struct ui *ui)
{
    for (int i = 0; i < stage_components.count; i++)
        if (is_warned(ui, &stage_components.row[i]))
            return stage_components.row[i].letter;
    return 0;
}

/* ---- bars ------------------------------------------------------------------------------------------------------- */

/* What a full bar means: usable memory, or more when a stage needs more. */
static double bar_scale(const struct estimate *e)
{
    double most = e->usable_bytes;
    for (int i = 0; i < e->stages; i++)
        most = e->stage[i].device_bytes > most || isnan(most) ? e->stage[i].device_bytes : most;
    return isnan(e->usable_bytes) ? most : bar_scale_of(e->usable_bytes, most);
}

static int parts_of(const struct estimate *e, int stage, struct bar_part out[])
{
    const struct component *rows[COMPONENTS_MAX];
    int parts = 0;
    for (int i = 0, count = component_rows(e, rows); i < count; i++)
        if (rows[i]->kind == COMPONENT_PART)
            out[parts++] = component_part(rows[i], bytes_of(e, stage, rows[i]));
    return parts;
}

static struct figure device_of(const struct estimate *e, int stage)
{
    return units_figure(FIGURE_GIB, e->stage[stage].device_bytes);
}

static bool is_over(const struct estimate *e, int stage)
{
    return e->stage[stage].headroom_bytes < 0;
}

/* Bars, with an axis below when there is one; returns the row after. */
static int draw_bars(const struct ui *ui, struct canvas *canvas, bool has_axis, int width, int rows)
{
    const struct estimate *e = ui->shown;
    struct stage_bars bars = {.pane = PANE_MEMORY, .stage = ui_stage(ui), .decides = e->peak_stage,
                              .scale = bar_scale(e),
                              .limit = e->usable_bytes, .parts = parts_of, .number = device_of, .is_over = is_over,
                              .has_all = true, .warned = warned_letter(ui)};
    struct memory_range range;
    range_memory(e, e->peak_stage, &range);
    bars.low = range.device_low;
    bars.high = range.device_high;
    int y = stage_bars_draw(ui, canvas, &bars, 0, width, rows);
    if (has_axis)
        stage_bars_axis(ui, canvas, &bars, y, width);
    return y + has_axis;
}

/* ---- the components of one stage -------------------------------------------------------------------------------- */

/* The rows of the table; what is left out is part of the row above it. */
struct rows {
    const struct component *row[COMPONENTS_MAX];
    int count;
    bool is_chosen; /* only what a lesson looks at: nothing is part of another row */
};

/* True when a lesson's step looks at a component: of this stage, or of any (-1). */
static bool is_marked(const struct ui *ui, const struct component *component, int stage)
{
    const struct component *all[COMPONENTS_MAX];
    for (int i = 0, count = component_rows(ui->shown, all); i < count; i++)
        if (all[i] == component)
            return lesson_marks_cell(ui, PANE_MEMORY, i, stage);
    return false;
}

static void drop_row(struct rows *rows, int at)
{
    rows->count--;
    for (int i = at; i < rows->count; i++)
        rows->row[i] = rows->row[i + 1];
}

/* A part that is named beside the one above it: scratch beside transient, the driver beside the cache. */
static bool is_beside(const struct component *row)
{
    return row->color == COLOR_SCRATCH || row->color == COLOR_DRIVER;
}

/* The smallest part below another part, at first of those that go together; 0 without any. */
static int least_row(const struct ui *ui, const struct rows *rows, bool goes_together)
{
    double most = INFINITY;
    int least = 0;
    for (int i = 1; i < rows->count; i++) {
        double bytes = bytes_of(ui->shown, ui_stage(ui), rows->row[i]);
        if (rows->row[i]->kind != COMPONENT_PART || rows->row[i - 1]->kind != COMPONENT_PART || !(bytes < most) ||
            (goes_together && !is_beside(rows->row[i])))
            continue;
        if (is_marked(ui, rows->row[i], -1) || is_marked(ui, rows->row[i - 1], -1))
            continue;
        most = bytes;
        least = i;
    }
    return least;
}

/* The last detail; 0 without any. */
static int last_detail(const struct rows *rows)
{
    int at = rows->count - 1;
    while (at > 0 && rows->row[at]->kind != COMPONENT_DETAIL)
        at--;
    return at;
}

/* What is left over, then the last sum above the one of all that lies on the device; 0 without any. */
static int last_sum(const struct rows *rows)
{
    int at = rows->count - 1;
    if (at > 0 && rows->row[at]->kind == COMPONENT_LEFT)
        return at;
    for (at--; at > 0 && rows->row[at]->kind != COMPONENT_SUM;)
        at--;
    return at > 0 ? at : 0;
}

/* What a lesson looks at, and the last sum, where there is room for little else. */
static void choose_rows(const struct ui *ui, struct rows *rows, int room)
{
    int count = 0, sum = rows->count - 2;
    for (int i = 0; i < rows->count && count < room; i++)
        if (is_marked(ui, rows->row[i], -1) || (i == sum && count > 0))
            rows->row[count++] = rows->row[i];
    rows->is_chosen = count > 0;
    rows->count = count > 0 ? count : rows->count;
}

/*
 * As many rows as there is room for: details go first, then sums within the whole, then small parts join the one above
 * them.
 */
static struct rows table_rows(const struct ui *ui, int room)
{
    enum { CHOSEN_BELOW = 6 };
    struct rows rows = {.count = 0};
    rows.count = component_rows(ui->shown, rows.row);
    if (room < CHOSEN_BELOW)
        choose_rows(ui, &rows, room);
    while (rows.count > room) {
        int at = last_detail(&rows);
        at = at ? at : last_sum(&rows);
        at = at ? at : least_row(ui, &rows, true);
        at = at ? at : least_row(ui, &rows, false);
        if (!at)
            break;
        drop_row(&rows, at);
    }
    return rows;
}

/* The last of the rows that does not stand below the selected one. */
static int selected_row(const struct ui *ui, const struct rows *rows)
{
    int at = 0;
    for (int i = 0; i < rows->count; i++)
        at = rows->row[i] <= selected(ui) ? i : at;
    return at;
}

/* A row with the parts after it that have none of their own. */
static double table_value(const struct estimate *e, int stage, const struct rows *rows, int at)
{
    const struct component *all[COMPONENTS_MAX], *row = rows->row[at];
    double sum = bytes_of(e, stage, row);
    bool has_others = row->kind == COMPONENT_PART && !rows->is_chosen;
    for (int i = 0, count = component_rows(e, all); i < count && has_others; i++)
        if (all[i] > row && (at + 1 == rows->count || all[i] < rows->row[at + 1]) && all[i]->kind == COMPONENT_PART)
            sum += bytes_of(e, stage, all[i]);
    return sum;
}

/*
 * The same in tenths of the unit, so that what is printed of the parts adds up to what is printed of their sum: those
 * with the largest remainders go up. Beside a lesson each number is that of its text.
 */
static double printed_value(const struct estimate *e, int stage, const struct rows *rows, int at)
{
    double unit = units_bytes() / 10, own = table_value(e, stage, rows, at), tenths[COMPONENTS_MAX] = {0}, floors = 0;
    int first = at, end = at, before = 0;
    while (first > 0 && rows->row[first - 1]->kind != COMPONENT_SUM)
        first--;
    while (end < rows->count && rows->row[end]->kind != COMPONENT_SUM)
        end++;
    if (rows->is_chosen || rows->row[at]->kind != COMPONENT_PART || end == rows->count || isnan(own))
        return own;
    double missing = round(table_value(e, stage, rows, end) / unit) -
                     (first > 0 ? round(table_value(e, stage, rows, first - 1) / unit) : 0);
    for (int i = first; i < end; i++) {
        tenths[i] = rows->row[i]->kind == COMPONENT_PART ? table_value(e, stage, rows, i) / unit : 0;
        floors += floor(tenths[i]);
    }
    double rest = own / unit - floor(own / unit);
    for (int i = first; i < end; i++) {
        double other = tenths[i] - floor(tenths[i]);
        before += other > rest || (other == rest && i < at);
    }
    return unit * (floor(own / unit) + (before < missing - floors));
}

/* The type of the weights, gradients or optimizer states as they lie in memory. */
static void state_type(const struct estimate *e, int i, char out[FIELD_TEXT_MAX])
{
    static const enum param types[STATE_PARTS] = {[1] = PARAM_train_grad_dtype, [2] = PARAM_train_main_param_dtype};
    if (i == 0)
        weights_type(e, out, FIELD_TEXT_MAX);
    else
        form_value(&e->plan, types[i], out);
}

/* "optimizer fp32, 1/8": with the type, and over how many ranks they are shared; experts over their own. */
static void state_label(const struct estimate *e, const struct component *component, int room, char *out, size_t size)
{
    int state = (int)component->color - COLOR_WEIGHTS;
    char type[FIELD_TEXT_MAX];
    state_type(e, state, type);
    int used = snprintf(out, size, room < 24 ? "%s" : "%s %.10s", component->name, type);
    bool is_shared = e->symbols.zs >= STATE_PARTS - state && e->symbols.D > 1;
    if (is_shared && used > 0 && (size_t)used < size)
        used += snprintf(out + used, size - (size_t)used, ", 1/%.0f", e->symbols.D);
    if (is_shared && room >= 36 && e->symbols.E > 0 && e->symbols.De != e->symbols.D && used > 0 && (size_t)used < size)
        snprintf(out + used, size - (size_t)used, ", experts 1/%.0f", e->symbols.De);
}

/* ", scratch": the parts that a row holds beside its own. */
static void say_added(const struct estimate *e, const struct rows *rows, int at, char *out, size_t size)
{
    const struct component *all[COMPONENTS_MAX];
    size_t used = 0;
    out[0] = '\0';
    bool has_others = rows->row[at]->kind == COMPONENT_PART && !rows->is_chosen;
    for (int i = 0, count = component_rows(e, all); i < count && has_others; i++)
        if (all[i] > rows->row[at] && all[i] < rows->row[at + 1] && all[i]->kind == COMPONENT_PART && used < size)
            used += (size_t)snprintf(out + used, size - used, ", %s", all[i]->brief);
}

/* "  base nf4+bf16, frozen": a part of the row above it. */
static void detail_label(const struct estimate *e, const struct component *component, int room, char *out, size_t size)
{
    char note[40];
    component_note(component, e, note, sizeof note);
    bool is_long = (int)(strlen(component->words) + strlen(note)) + 2 <= room;
    if ((int)(strlen(component->brief) + strlen(note)) + 2 > room)
        note[strcspn(note, ",")] = '\0';
    snprintf(out, size, "  %s%s", is_long ? component->words : component->brief, note);
}

/* What a row is called: its words with types, sharing, passes in flight. */
static void component_label(const struct ui *ui, const struct rows *rows, int at, int room, char *out, size_t size)
{
    const struct estimate *e = ui->shown;
    const struct component *c = rows->row[at];
    double in_flight = e->stage[ui_stage(ui)].chunks_in_flight, waiting = e->stage[ui_stage(ui)].chunks_waiting;
    char added[80];
    say_added(e, rows, at, added, sizeof added);
    room -= (int)strlen(added);
    if (added[0])
        snprintf(out, size, "%s", c->brief);
    else if (c->color >= COLOR_WEIGHTS && c->color < COLOR_WEIGHTS + STATE_PARTS && !added[0])
        state_label(e, c, room, out, size);
    else if (c->kind == COMPONENT_DETAIL)
        detail_label(e, c, room, out, size);
    else if (c->color == COLOR_ACTIVATIONS && waiting > 0) /* for their weight gradients */
        snprintf(out, size, room < 28 ? "%s, %.0f+%.0fx" : "%s %.0f in flight, %.0f wait", c->brief, in_flight,
                 waiting);
    else if (c->color == COLOR_ACTIVATIONS && in_flight > 1)
        snprintf(out, size, room < 24 ? "%s, %.0fx" : "%s, %.0f in flight", c->brief, in_flight);
    else if (c->color == COLOR_DRIVER && e->stage[ui_stage(ui)].paged_bytes > 0)
        snprintf(out, size, room < 24 ? "driver, paged" : "driver, paged optimizer");
    else if (c->kind == COMPONENT_LEFT)
        snprintf(out, size, "%s %s", bytes_of(e, ui_stage(ui), c) < 0 ? "over" : "free of",
                 units_figure(FIGURE_GIB, e->usable_bytes).text);
    else
        snprintf(out, size, "%s", (int)strlen(c->words) <= room ? c->words : c->brief);
    bool is_long = (int)strlen(out) > room; /* then how many others there are */
    int others = 0;
    for (const char *comma = added; is_long && (comma = strchr(comma, ',')); comma++)
        others++;
    if (others > 0)
        snprintf(added, sizeof added, ", +%d", others);
    snprintf(out + strlen(out), size - strlen(out), "%s", added);
}

static double percent_of(const struct ui *ui, double value)
{
    return value / (isnan(ui->shown->usable_bytes) ? ui->shown->stage[ui_stage(ui)].device_bytes
                    : ui->shown->usable_bytes);
}

/* Where the columns of the component table stand. */
struct columns {
    int label, value, percent, delta;  /* right edges; 0: not there */
    /* other folds with a column of their own, the first one's right edge; how many */
    int stages, first_stage, all;
    int makeup; /* where words on how the row comes about begin; 0: not there */
};
enum { STAGE_COLUMN = 6, SHARE_COLUMN = 7, WIDE_TABLE = 47, STAGES_TABLE = 60 };

/*
 * From WIDE_TABLE columns on rows have a percentage, and their long names; beside other views, where bars are short,
 * and in less room other stages stand beside the chosen one instead.
 */
static struct columns place_columns(const struct ui *ui, int width, int folds)
{
    bool is_wide = width >= WIDE_TABLE && !(ui->has_baseline && width < WIDE_TABLE + 2);
    bool is_long = is_wide && (width >= STAGES_TABLE || folds < 2 || ui->width < NAMES_WIDTH);
    struct columns c = {.label = is_long ? 29 : width < 29 ? width - 7 : 22, .all = folds - 1};
    c.value = c.label + (is_long && !ui->has_baseline ? 9 : 6);
    bool has_share = is_wide && !(pane_is_beside(ui) && folds > 1); /* beside others stages say more */
    c.percent = !has_share ? 0 : c.value + (ui->has_baseline ? 8 : is_long ? 10 : SHARE_COLUMN);
    int edge = c.percent ? c.percent : c.value;
    if (ui->has_baseline && edge + 8 <= width)
        c.delta = edge += 8;
    int makeup = MAKEUP_GAP + MAKEUP_LEAST, room = (width - edge) / STAGE_COLUMN;
    bool is_alone = !pane_is_beside(ui) && !ui->aside && !ui->draws_lines;
    bool has_makeup = is_wide && is_alone && width - edge >= makeup + 3 * STAGE_COLUMN;
    room = has_makeup ? (width - edge - makeup) / STAGE_COLUMN : room;
    c.stages = folds < 2 || room < 1 || (is_long && width < STAGES_TABLE) ? 0 : room < c.all ? room : c.all;
    c.first_stage = edge + STAGE_COLUMN;
    c.makeup = has_makeup ? edge + c.stages * STAGE_COLUMN + MAKEUP_GAP : 0;
    return c;
}

static void draw_table_header(const struct ui *ui, struct canvas *canvas, int y, const struct columns *c,
                              const struct fold folds[])
{
    char name[FOLD_NAME_MAX], title[96];
    bool is_fullest = ui_stage(ui) == ui->shown->peak_stage && ui->shown->stages > 1;
    snprintf(title, sizeof title, is_fullest ? "stage %d is the fullest|stage %d, the fullest|stage %d" : "stage %d",
             ui_stage(ui), ui_stage(ui), ui_stage(ui));
    int x = canvas_pick(canvas, 2, y, c->value - 6, ROLE_MUTED, title);
    if (c->stages < c->all && x + 4 < c->label)
        canvas_text(canvas, x, y, ROLE_MUTED, " < >");
    canvas_right(canvas, c->value, y, ROLE_MUTED, units_name());
    if (c->percent)
        canvas_right(canvas, c->percent, y, ROLE_MUTED, c->percent - c->value < 10 ? "%" : "of usable");
    if (c->delta)
        canvas_right(canvas, c->delta, y, ROLE_TITLE, "change");
    for (int i = 0; i < c->stages; i++) {
        fold_name(&folds[stage_column(ui, folds, c->all + 1, ui_stage(ui), i, c->stages)], name);
        canvas_right(canvas, c->first_stage + i * STAGE_COLUMN, y, ROLE_MUTED, name);
    }
    if (c->makeup)
        canvas_text(canvas, c->makeup, y, ROLE_MUTED, "how it comes");
}

static void draw_delta(const struct ui *ui, struct canvas *canvas, int end, int y, const struct rows *rows, int at,
                       double value)
{
    const struct component *component = rows->row[at];
    int stage = ui_stage(ui), stages = ui->baseline->is_computed ? ui->baseline->stages : 0;
    if (stages == 0 || !end)
        return;
    stage = ui->stage < 0 ? ui->baseline->peak_stage : stage < stages ? stage : stages - 1;
    double delta = value - table_value(ui->baseline, stage, rows, at);
    bool is_part = component->kind == COMPONENT_PART || component->kind == COMPONENT_DETAIL,
         is_good = component->kind == COMPONENT_LEFT ? delta > 0 : delta < 0;
    struct figure text = units_delta(FIGURE_GIB, delta);
    enum role role = is_part || text.text[0] == '=' ? ROLE_TEXT : is_good ? ROLE_GOOD : ROLE_BAD;
    canvas_right(canvas, end, y, role, text.text);
}

/* A component's number of a stage, which a lesson may look at. */
static void draw_number(const struct ui *ui, struct canvas *canvas, int end, int y, const struct component *component,
                        int stage, enum role role, double bytes)
{
    struct figure text = units_figure(FIGURE_GIB, component->kind == COMPONENT_LEFT ? fabs(bytes) : bytes);
    canvas_right(canvas, end, y, role, text.text);
    if (is_marked(ui, component, stage))
        lesson_marks_draw(canvas, end - text_width(text.text), y, text_width(text.text));
}

/* Why the row has this size. */
static void draw_makeup(const struct ui *ui, struct canvas *canvas, int x, int y, const struct rows *rows, int at)
{
    char text[MAKEUP_MAX], added[80];
    say_added(ui->shown, rows, at, added, sizeof added);
    makeup_say(rows->row[at], ui->shown, ui_stage(ui), text);
    if (x > 0 && !added[0]) /* of a row that holds others it would be half the truth */
        canvas_pick(canvas, x, y, canvas->clip.width - x, ROLE_MUTED, text);
}

static void draw_table_row(const struct ui *ui, struct canvas *canvas, int y, const struct rows *rows, int at,
                           const struct columns *c, const struct fold folds[])
{
    const struct estimate *e = ui->shown;
    const struct component *component = rows->row[at];
    char label[80];
    double value = table_value(e, ui_stage(ui), rows, at);
    bool is_left = component->kind == COMPONENT_LEFT, is_short = is_left && value < 0;
    enum role role = is_short ? ROLE_BAD : is_warned(ui, component) ? ROLE_WARN
                     : component->kind == COMPONENT_SUM ? ROLE_STRONG
                     : value < 0.95 * units_bytes() ? ROLE_MUTED : ROLE_TEXT;
    component_label(ui, rows, at, c->label - 2, label, sizeof label);
    if (component->letter)
        component_mark(canvas, 0, y, component);
    canvas_fit(canvas, 2, y, c->label - 2, role, label);
    draw_number(ui, canvas, c->value, y, component, ui_stage(ui), role, printed_value(e, ui_stage(ui), rows, at));
    if (c->percent)
        canvas_right(canvas, c->percent, y, role,
                     figure(FIGURE_PERCENT, percent_of(ui, is_left ? fabs(value) : value)).text);
    draw_delta(ui, canvas, c->delta, y, rows, at, value);
    draw_makeup(ui, canvas, c->makeup, y, rows, at);
    for (int i = 0; i < c->stages; i++) {
        int stage = folds[stage_column(ui, folds, c->all + 1, ui_stage(ui), i, c->stages)].first;
        double other = table_value(e, stage, rows, at);
        draw_number(ui, canvas, c->first_stage + i * STAGE_COLUMN, y, component, stage,
                    is_left && other < 0 ? ROLE_BAD : ROLE_MUTED, printed_value(e, stage, rows, at));
    }
}

static void draw_table(const struct ui *ui, struct canvas *canvas, int y, int width, int height)
{
    struct fold folds[STAGES_MAX];
    struct rows rows = table_rows(ui, height - 1);
    int at = selected_row(ui, &rows), top = page_top(at, rows.count, height - 1);
    struct columns c = place_columns(ui, width, stage_folds(ui->shown, folds));
    const struct component *all[COMPONENTS_MAX];
    draw_table_header(ui, canvas, y, &c, folds);
    component_rows(ui->shown, all);
    for (int i = 0, row = 0; i + top < rows.count && i < height - 1; i++) {
        while (all[row] != rows.row[top + i])
            row++;
        canvas_link(canvas, 0, y + 1 + i, width, LINK_ROWS + row);
        draw_table_row(ui, canvas, y + 1 + i, &rows, top + i, &c, folds);
        if (top + i == at && pane_has_focus(ui, PANE_MEMORY))
            canvas_paint(canvas, 2, y + 1 + i, c.value - 2, ROLE_FOCUS, 0);
    }
}

/* ---- the view --------------------------------------------------------------------------------------------------- */

/* How the rows of the pane are shared out. */
struct shares {
    bool has_axis;
    int bars, table; /* rows, the table's title included */
};

enum { LEGEND_ROWS = 2, TABLE_LEAST = 5, PHASED_LEAST = 3 };

static int phase_rows(const struct ui *ui)
{
    return ui->shown->is_rl ? RL_PHASE_COUNT + 1 : 0;
}

static struct shares share_rows(const struct ui *ui, int height)
{
    height -= phase_rows(ui);
    int least = ui->options.present        ? LEGEND_ROWS
                                                            : ui->aside && height < 20 ? 3
                                                            : height >= 14             ? PANE_TABLE_LEAST
                                                            : height >= 10             ? 7
                                                                                       : 0;
    struct shares s = {.has_axis = height >= 4};
    s.bars = stage_bar_rows(ui, height - s.has_axis - least);
    s.table = height - s.has_axis - s.bars;
    return s;
}

/* A part that those who look on hardly see. */
static bool is_speck(const struct ui *ui, const struct component *component)
{
    const struct estimate *e = ui->shown;
    const struct stage *stage = &e->stage[ui_stage(ui)];
    return pane_is_lecture(ui) && stage_held(component, e, stage) < LECTURE_SPECK * stage->device_bytes;
}

/* What the letters of the bars mean, where there is no table. */
static void draw_legend(const struct ui *ui, struct canvas *canvas, int y, int width, int height)
{
    const struct component *rows[COMPONENTS_MAX];
    for (int i = 0, x = 0, count = component_rows(ui->shown, rows); i < count; i++) {
        int need = 2 + (int)strlen(rows[i]->brief);
        if (rows[i]->kind != COMPONENT_PART || is_speck(ui, rows[i]))
            continue;
        if (x + need > width && ++y < height)
            x = 0;
        if (x + need > width || y >= height)
            return;
        component_mark(canvas, x, y, rows[i]);
        x = canvas_text(canvas, x + 2, y, ROLE_TEXT, rows[i]->brief) + 2;
    }
}

/* Reinforcement learning: a bar for each phase with its band; below it the update, part by part. */
static void draw_phases(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    enum { NAME = 18, VALUE = 7 };
    const struct rl *rl = &ui->shown->rl;
    double usable = ui->shown->usable_bytes;
    for (int y = 0; y < RL_PHASE_COUNT && y < height; y++) {
        struct rl_row row = rl_phase(rl, (enum rl_phase)y);
        enum role role = y == (int)rl_largest(rl) ? ROLE_STRONG : ROLE_TEXT;
        struct bar_part part = {'P', ROLE_ACTIVATIONS, row.bytes, NULL};
        struct bar bar = {.part = &part, .parts = 1, .limit = usable, .low = row.bytes - rl->band_bytes,
                          .high = row.bytes + rl->band_bytes};
        bar.scale = bar_scale_of(usable, rl->peak_bytes + rl->band_bytes);
        canvas_text(canvas, 0, y, role, row.name);
        bar_draw(&bar, canvas, (struct rect){NAME, y, width - NAME - VALUE, 1});
        canvas_right(canvas, width, y, role, units_figure(FIGURE_GIB, row.bytes).text);
    }
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    if (pane_draw_unavailable(ui, canvas, width, PANE_MEMORY))
        return;
    if (ui->shown->is_serving) {
        pane_serving.draw(ui, canvas, width, height);
        return;
    }
    struct shares s = share_rows(ui, height);
    if (ui->shown->is_rl)
        draw_phases(ui, canvas, width, height);
    height -= phase_rows(ui);
    if (height < PHASED_LEAST)
        return;
    canvas_clip(canvas, rect_below(canvas->clip, phase_rows(ui)));
    int y = draw_bars(ui, canvas, s.has_axis, width, s.bars);
    if (height - y >= (ui->aside ? 3 : TABLE_LEAST) && !ui->options.present)
        draw_table(ui, canvas, y, width, height - y);
    else if (y < height)
        draw_legend(ui, canvas, y, width, height);
}


static int wish(const struct ui *ui)
{
    struct fold folds[STAGES_MAX];
    if (ui->shown->is_serving)
        return pane_serving.wish(ui);
    int count = ui->shown->is_computed ? stage_folds(ui->shown, folds) : 1;
    return phase_rows(ui) + 1 + 1 + (count > 16 ? 16 : count) + 1 + 1 + table_rows(ui, COMPONENTS_MAX).count;
}

static int rows_of(const struct ui *ui)
{
    if (!ui->shown->is_computed)
        return 0;
    return ui->shown->is_serving ? pane_serving.rows(ui) : table_rows(ui, COMPONENTS_MAX).count;
}

/* Bars that fill the pane: neither a table nor a row says what their letters mean. */
static bool is_full(const struct ui *ui)
{
    int height = pane_inside(ui, PANE_MEMORY).height;
    return ui->shown->is_computed && !ui->shown->is_serving && height > 0 && share_rows(ui, height).table == 0;
}

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    if (is_full(ui)) {
        snprintf(out, SUBTITLE_MAX, "%s: W weights, G gradients, O optimizer, A activations|"
                                    "%s: W weights G grads O optimizer A act.|%s", units_name(), units_name(),
                 units_name());
        return;
    }
    snprintf(out, SUBTITLE_MAX,
             ui->shown->is_serving ? "what one GPU of a replica holds|"
             : ui->shown->is_rl ? "%s of a GPU by phase, and of the update|%s by phase"
             : ui->shown->stages > 1 ? "%s on one GPU of each stage|%s a GPU"
                                       : "%s on the GPU",
             units_name(), units_name());
}

/* Why stages differ, or what takes most. */
static void sentence(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    const struct estimate *e = ui->shown;
    int last = e->stages - 1;
    *out = '\0';
    if (!e->is_computed || e->is_serving || !e->is_modelled)
        return;
    double first_alive = e->stage[0].chunks_in_flight, last_alive = e->stage[last].chunks_in_flight;
    if (last > 0 && first_alive > last_alive)
        snprintf(out, UI_MESSAGE_MAX, "Stage 0 keeps activations of %.0f micro-batches, stage %d of %.0f.",
                 first_alive, last, last_alive);
    else
        snprintf(out, UI_MESSAGE_MAX, "Activations take %.0f %% of it, the optimizer %.0f %%.",
                 100 * e->stage[0].activations_bytes / e->stage[0].device_bytes,
                 100 * e->stage[0].optimizer_bytes / e->stage[0].device_bytes);
}

static bool path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    if (!ui->shown->is_computed)
        return false;
    if (ui->shown->is_serving)
        return pane_serving.path(ui, out);
    snprintf(out, EXPLAIN_PATH_MAX, "memory.stages.%d.%s", ui_stage(ui), selected(ui)->term);
    return true;
}

/* The label of the term that the row is, and when the stage peaks. */
static void describe(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    const char *name = selected(ui)->term;
    const struct term *term = term_find(stage_terms, stage_term_count, name, strlen(name));
    int stage = ui_stage(ui);
    out[0] = '\0';
    if (ui->shown->is_serving)
        pane_serving.describe(ui, out);
    else if (term && ui->shown->is_computed)
        snprintf(out, UI_MESSAGE_MAX, "%s. Stage %d peaks in %s", term->label, stage,
                 peak_at_names[stage_peak_at(&ui->shown->stage[stage])]);
}

/* Up and down go through the rows that are shown. */
static bool move_row(struct ui *ui, int dy)
{
    struct rect rect = layout_find(&ui->layout, PANE_MEMORY);
    struct rows all = table_rows(ui, COMPONENTS_MAX), rows = table_rows(ui, share_rows(ui, rect.height - 1).table - 1);
    int at = selected_row(ui, &rows), next = row_within(at + dy, rows.count);
    if (next == at || !ui->shown->is_computed)
        return false;
    for (int i = 0; i < all.count; i++)
        if (all.row[i] == rows.row[next])
            ui->at[PANE_MEMORY].row = i;
    return true;
}

/* Left and right go through the stages; left of the first one is the form. */
static bool move(struct ui *ui, int dx, int dy)
{
    if (ui->shown->is_serving)
        return pane_serving.move(ui, dx, dy);
    if (dy != 0)
        return move_row(ui, dy);
    struct fold folds[STAGES_MAX];
    int count = ui->shown->is_computed ? stage_folds(ui->shown, folds) : 0;
    int next = fold_of(folds, count, ui_stage(ui)) + dx;
    if (next < 0 || next >= count)
        return false;
    ui->stage = folds[next].first;
    return true;
}

/* A part of a bar is its stage and its row. */
static void click(struct ui *ui, int x, int y)
{
    const struct component *rows[COMPONENTS_MAX];
    char letter = stage_bar_click(ui);
    (void)x;
    (void)y;
    pane_click_row(ui, PANE_MEMORY);
    for (int i = 0, count = letter ? component_rows(ui->shown, rows) : 0; i < count; i++)
        if (rows[i]->kind == COMPONENT_PART && rows[i]->letter == letter)
            ui->at[PANE_MEMORY].row = i;
}

static const struct pane_member members[] = {PANE_MEMBER(curve.generation), PANE_MEMBER(curve.key), {0}};

const struct pane pane_memory = {
    .is_steady = true, .members = members, .update = curve_update, .title = "Memory", .wish = wish, .rows = rows_of,
    .subtitle = subtitle, .sentence = sentence,
    .draw = draw, .path = path, .describe = describe, .move = move, .click = click,
};
