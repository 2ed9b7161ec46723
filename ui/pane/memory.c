/* The memory view: a bar for each stage, and the components of one stage. */
#include "core/plan/param.h"
#include "core/show/components.h"
#include "core/show/figure.h"
#include "ui/pane/pane.h"
#include "ui/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STATE_PARTS = 3 };

/* How a component is painted. */
static enum role component_role(const struct component *component)
{
    static const enum role roles[COLOR_COUNT] = {
        [COLOR_NONE] = ROLE_TEXT,           [COLOR_WEIGHTS] = ROLE_WEIGHTS,
        [COLOR_GRADIENTS] = ROLE_GRADIENTS, [COLOR_OPTIMIZER] = ROLE_OPTIMIZER,
        [COLOR_ACTIVATIONS] = ROLE_ACTIVATIONS, [COLOR_TRANSIENT] = ROLE_TRANSIENT,
        [COLOR_BUFFERS] = ROLE_BUFFERS,     [COLOR_CACHED] = ROLE_BUFFERS,
        [COLOR_CONTEXT] = ROLE_BUFFERS,     [COLOR_LINKS] = ROLE_BUFFERS,
    };
    return roles[component->color];
}

/* Components that screens show, without those that join the part above them when `is_joined`; returns how many. */
static int component_rows(const struct component_list *list, bool is_joined, const struct component *out[COMPONENTS_MAX])
{
    int count = 0;
    for (int i = 0; i < list->count; i++)
        if (list->row[i].letter && !(is_joined && list->row[i].style == COMPONENT_SMALL))
            out[count++] = &list->row[i];
    return count;
}

void component_mark(struct canvas *canvas, int x, int y, const struct component *component, int count)
{
    canvas_repeat(canvas, x, y, component_role(component), (uint32_t)(unsigned char)component->letter, count);
}

static double bytes_of(const struct ui *ui, int stage, const struct component *component)
{
    return stage_component(component, ui->shown, &ui->shown->stage[stage]);
}

/* The selected row; rows are counted with the small ones. */
static const struct component *selected(const struct ui *ui)
{
    const struct component *rows[COMPONENTS_MAX];
    return rows[row_within(ui->at[PANE_MEMORY].row, component_rows(&stage_components, false, rows))];
}

/* ---- stages that look alike --------------------------------------------------------------------------------------- */

static bool looks_alike(const struct estimate *e, int a, int b)
{
    for (int i = 0; i < stage_components.count; i++) {
        double one = stage_component(&stage_components.row[i], e, &e->stage[a]);
        double other = stage_component(&stage_components.row[i], e, &e->stage[b]);
        if (one != other && !(isnan(one) && isnan(other)))
            return false;
    }
    return true;
}

/* Returns how many folds there are. */
static int stage_folds(const struct estimate *e, struct fold out[STAGES_MAX])
{
    int count = 0;
    for (int i = 0; i < e->stages; i++) {
        if (count > 0 && looks_alike(e, i, i - 1))
            out[count - 1].last = i;
        else
            out[count++] = (struct fold){i, i};
    }
    return count;
}

/* Writes "s0" or "s1-s6". */
static void fold_name(const struct fold *fold, char out[16])
{
    if (fold->first == fold->last)
        snprintf(out, 16, "s%d", fold->first);
    else
        snprintf(out, 16, "s%d-s%d", fold->first, fold->last);
}

/* The fold that holds a stage. */
static int fold_of(const struct fold folds[], int count, int stage)
{
    for (int i = 0; i < count; i++)
        if (stage <= folds[i].last)
            return i;
    return 0;
}

/* ---- bars --------------------------------------------------------------------------------------------------------- */

/* What a full bar means: usable memory, or more when a stage needs more. */
static double bar_scale(const struct estimate *e)
{
    double most = e->usable_bytes;
    for (int i = 0; i < e->stages; i++)
        most = e->stage[i].device_bytes > most || isnan(most) ? e->stage[i].device_bytes : most;
    return most;
}

/* The last, partly filled cell as an eighth block. */
static void draw_tip(const struct ui *ui, struct canvas *canvas, int x, int y, enum role role, double share)
{
    int eighths = (int)floor(share * 8);
    if (ui->utf8 && eighths > 0)
        canvas_repeat(canvas, x, y, role, 0x2590u - (uint32_t)eighths, 1);
}

/* The rows that are stacked into a bar; returns how many. */
static int bar_parts(const struct component *out[COMPONENTS_MAX])
{
    int count = 0;
    for (int i = 0; i < stage_components.count; i++)
        if (stage_components.row[i].kind == COMPONENT_PART)
            out[count++] = &stage_components.row[i];
    return count;
}

static void draw_bar(const struct ui *ui, struct canvas *canvas, int x, int y, int width, int stage, double scale)
{
    const struct estimate *e = ui->shown;
    const struct component *parts[COMPONENTS_MAX];
    double sum = 0;
    int at = 0, usable = isnan(e->usable_bytes) ? width : (int)lround(e->usable_bytes / scale * width);
    for (int i = 0, count = bar_parts(parts); i < count; i++) {
        sum += bytes_of(ui, stage, parts[i]);
        if (isnan(sum))
            return;
        if (i + 1 < count && component_role(parts[i]) == component_role(parts[i + 1]))
            continue; /* painted with the next one */
        double exact = sum / scale * width;
        int end = ui->utf8 && i == count - 1 ? (int)floor(exact) : (int)lround(exact);
        end = end > width ? width : end;
        component_mark(canvas, x + at, y, parts[i], end - at);
        at = end > at ? end : at;
        if (i == count - 1 && at < width)
            draw_tip(ui, canvas, x + at, y, component_role(parts[i]), exact - at);
    }
    int free_from = at + (ui->utf8 && at < width && sum / scale * width - at >= 0.125);
    canvas_repeat(canvas, x + free_from, y, ROLE_TEXT, '.', usable - free_from);
    if (usable < width)
        canvas_repeat(canvas, x + usable, y, ROLE_BAD, '|', 1);
}

static void draw_bar_row(const struct ui *ui, struct canvas *canvas, int y, int width, const struct fold *fold,
                         double scale)
{
    const struct estimate *e = ui->shown;
    const struct stage *stage = &e->stage[fold->first];
    bool is_over = stage->headroom_bytes < 0;
    bool is_peak = e->peak_stage >= fold->first && e->peak_stage <= fold->last;
    char name[16];
    int value_width = 8;
    fold_name(fold, name);
    canvas_text(canvas, 0, y, ROLE_TEXT, name);
    if (fold->first <= ui_stage(ui) && ui_stage(ui) <= fold->last && pane_has_focus(ui, PANE_MEMORY))
        canvas_paint(canvas, 0, y, (int)strlen(name), ROLE_FOCUS, 0);
    int label = width < 40 ? 4 : 7;
    draw_bar(ui, canvas, label, y, width - label - value_width, fold->first, scale);
    canvas_right(canvas, width - 2, y, is_over ? ROLE_BAD : ROLE_TEXT, figure(FIGURE_GIB, stage->device_bytes).text);
    canvas_text(canvas, width - 2, y, is_over ? ROLE_BAD : ROLE_TEXT, is_over ? "!" : is_peak ? "*" : " ");
}

/* Bars from row `y` on, at most `rows` of them; returns the row after. */
static int draw_bars(const struct ui *ui, struct canvas *canvas, int y, int width, int rows)
{
    struct fold folds[STAGES_MAX];
    int count = stage_folds(ui->shown, folds);
    double scale = bar_scale(ui->shown);
    int gap = ui->options.present && count * 2 <= rows ? 2 : 1;
    int top = page_top(fold_of(folds, count, ui_stage(ui)), count, rows);
    int shown = count - top < rows ? count - top : rows;
    for (int i = 0; i < shown; i++)
        draw_bar_row(ui, canvas, y + i * gap, width, &folds[top + i], scale);
    return y + shown * gap;
}

static void draw_legend(struct canvas *canvas, int y, int width)
{
    bool is_wide = width >= 86;
    int x = 0;
    for (int i = 0; i < stage_components.count; i++) {
        const struct component *c = &stage_components.row[i];
        if (!c->brief)
            continue;
        component_mark(canvas, x, y, c, 1);
        x = canvas_format(canvas, x + 1, y, ROLE_DIM, " %s", is_wide ? c->name : c->brief) + 1 + is_wide;
    }
}

/* ---- the components of one stage ---------------------------------------------------------------------------------- */

/* The rows of the table. */
struct rows {
    const struct component *row[COMPONENTS_MAX];
    int count;
    bool is_joined; /* the small parts have no rows of their own */
};

static struct rows table_rows(int room)
{
    struct rows rows = {0};
    rows.count = component_rows(&stage_components, false, rows.row);
    rows.is_joined = rows.count > room;
    if (rows.is_joined)
        rows.count = component_rows(&stage_components, true, rows.row);
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

/* The small part that a row is joined with; NULL when it stands alone. */
static const struct component *small_after(const struct component *component)
{
    const struct component *end = stage_components.row + stage_components.count;
    do
        component++;
    while (component < end && !component->letter);
    return component < end && component->style == COMPONENT_SMALL ? component : NULL;
}

/* A part, with the small ones after it when they have no rows of their own. */
static double table_value(const struct estimate *e, int stage, const struct component *component, bool is_joined)
{
    double sum = stage_component(component, e, &e->stage[stage]);
    while (is_joined && (component = small_after(component)))
        sum += stage_component(component, e, &e->stage[stage]);
    return sum;
}

/* The type of the weights, gradients or optimizer states as they lie in memory. */
static void state_type(const struct estimate *e, int i, char out[FIELD_TEXT_MAX])
{
    static const enum param types[STATE_PARTS] = {PARAM_train_dtype, PARAM_train_grad_dtype,
                                                  PARAM_train_main_param_dtype};
    const struct symbols *y = &e->symbols;
    if (i == 0 && y->Bw == 4)
        snprintf(out, FIELD_TEXT_MAX, "fp32");
    else if (i == 0 && y->Bw == y->B && e->plan.value[PARAM_train_dtype] >= DTYPE_FP8)
        snprintf(out, FIELD_TEXT_MAX, "bf16");
    else
        form_value(&e->plan, types[i], out);
}

/* "optimizer fp32 /8": with the type, and over how many ranks they are shared. */
static void state_label(const struct estimate *e, const struct component *component, char *out, size_t size)
{
    int state = (int)component->color - COLOR_WEIGHTS;
    char type[FIELD_TEXT_MAX];
    state_type(e, state, type);
    int used = snprintf(out, size, "%s %.8s", component->name, type);
    if (e->symbols.zs >= STATE_PARTS - state && e->symbols.D > 1 && used > 0 && (size_t)used < size)
        snprintf(out + used, size - (size_t)used, " /%.0f", e->symbols.D);
}

/* What a row is called in `room` columns: its name with types, sharing, passes in flight, or its longer label. */
static void component_label(const struct ui *ui, const struct component *c, bool is_joined, int room, char *out,
                            size_t size)
{
    const struct estimate *e = ui->shown;
    if (c->color >= COLOR_WEIGHTS && c->color < COLOR_WEIGHTS + STATE_PARTS)
        state_label(e, c, out, size);
    else if (c->color == COLOR_ACTIVATIONS && !isnan(e->stage[ui_stage(ui)].chunks_in_flight))
        snprintf(out, size, "%s %.0f in flight", c->name, e->stage[ui_stage(ui)].chunks_in_flight);
    else if (c->kind == COMPONENT_LEFT && bytes_of(ui, ui_stage(ui), c) < 0)
        snprintf(out, size, "missing");
    else if (c->kind == COMPONENT_LEFT)
        snprintf(out, size, "%s of %s", c->name, figure(FIGURE_GIB, e->usable_bytes).text);
    else if (is_joined && small_after(c))
        snprintf(out, size, "%s, cache, context", c->name);
    else
        snprintf(out, size, "%s", (int)strlen(c->label) <= room ? c->label : c->name);
}

static double percent_of(const struct ui *ui, double value)
{
    return value / (isnan(ui->shown->usable_bytes) ? ui->shown->stage[ui_stage(ui)].device_bytes
                    : ui->shown->usable_bytes);
}

/* Where the columns of the component table stand. */
struct columns {
    int label, value, percent, delta; /* right edges; 0: not there */
    int stages, first_stage;          /* folds with a column of their own, and the first one's right edge */
};
enum { STAGE_COLUMN = 7 };

static struct columns place_columns(const struct ui *ui, int width, int folds)
{
    struct columns c = {.label = width < 36 ? width - 8 : 27};
    c.value = c.label + 8;
    c.percent = c.value + 8 <= width ? c.value + 8 : 0;
    int edge = c.percent ? c.percent : c.value;
    if (ui->has_baseline && edge + 9 <= width)
        c.delta = edge += 9;
    int room = (width - edge - 3) / STAGE_COLUMN;
    c.stages = folds < 2 || room < 1 ? 0 : room < folds ? room : folds;
    c.first_stage = edge + 3 + STAGE_COLUMN;
    return c;
}

static void draw_table_header(const struct ui *ui, struct canvas *canvas, int y, const struct columns *c,
                              const struct fold folds[])
{
    char name[16], title[40];
    snprintf(title, sizeof title, "stage %d, one GPU", ui_stage(ui));
    canvas_fit(canvas, 0, y, c->label, ROLE_TITLE, title);
    canvas_right(canvas, c->value, y, ROLE_TITLE, "GiB");
    if (c->percent)
        canvas_right(canvas, c->percent, y, ROLE_TITLE, "%");
    snprintf(title, sizeof title, "vs b%d", ui->baseline_number);
    if (c->delta)
        canvas_right(canvas, c->delta, y, ROLE_TITLE, title);
    for (int i = 0; i < c->stages; i++) {
        fold_name(&folds[i], name);
        canvas_right(canvas, c->first_stage + i * STAGE_COLUMN, y, ROLE_DIM, name);
    }
}

static void draw_delta(const struct ui *ui, struct canvas *canvas, int end, int y, const struct component *component,
                       bool is_joined, double value)
{
    int stage = ui_stage(ui), stages = ui->baseline->is_computed ? ui->baseline->stages : 0;
    if (stages == 0 || !end)
        return;
    stage = ui->stage < 0 ? ui->baseline->peak_stage : stage < stages ? stage : stages - 1;
    double delta = value - table_value(ui->baseline, stage, component, is_joined);
    bool is_part = component->kind == COMPONENT_PART,
         is_good = component->kind == COMPONENT_LEFT ? delta > 0 : delta < 0;
    struct figure text = figure_delta(FIGURE_GIB, delta);
    enum role role = is_part || text.text[0] == '=' ? ROLE_TEXT : is_good ? ROLE_GOOD : ROLE_BAD;
    canvas_right(canvas, end, y, role, text.text);
}

static void draw_table_row(const struct ui *ui, struct canvas *canvas, int y, const struct component *component,
                           bool is_joined, const struct columns *c, const struct fold folds[])
{
    const struct estimate *e = ui->shown;
    char label[64];
    double value = table_value(e, ui_stage(ui), component, is_joined);
    bool is_short = component->kind == COMPONENT_LEFT && value < 0;
    enum role role = is_short ? ROLE_BAD : component->kind == COMPONENT_SUM ? ROLE_TITLE : ROLE_TEXT;
    component_label(ui, component, is_joined, c->label - 2, label, sizeof label);
    component_mark(canvas, 0, y, component, 1);
    canvas_fit(canvas, 2, y, c->label - 2, role, label);
    canvas_right(canvas, c->value, y, role, figure(FIGURE_GIB, value).text);
    if (c->percent)
        canvas_right(canvas, c->percent, y, role, figure(FIGURE_PERCENT, percent_of(ui, value)).text);
    draw_delta(ui, canvas, c->delta, y, component, is_joined, value);
    for (int s = 0; s < c->stages; s++)
        canvas_right(canvas, c->first_stage + s * STAGE_COLUMN, y, ROLE_TEXT,
                     figure(FIGURE_GIB, table_value(e, folds[s].first, component, is_joined)).text);
}

static void draw_table(const struct ui *ui, struct canvas *canvas, int y, int width, int height)
{
    struct fold folds[STAGES_MAX];
    struct rows rows = table_rows(height - 1);
    int at = selected_row(ui, &rows), top = page_top(at, rows.count, height - 1);
    struct columns c = place_columns(ui, width, stage_folds(ui->shown, folds));
    draw_table_header(ui, canvas, y, &c, folds);
    for (int i = 0; i + top < rows.count && i < height - 1; i++) {
        draw_table_row(ui, canvas, y + 1 + i, rows.row[top + i], rows.is_joined, &c, folds);
        if (top + i == at && pane_has_focus(ui, PANE_MEMORY))
            canvas_paint(canvas, 2, y + 1 + i, c.value - 2, ROLE_FOCUS, 0);
    }
}

/* ---- the view ----------------------------------------------------------------------------------------------------- */

/* How the rows of the pane are shared out. */
struct shares {
    bool has_head, has_legend, has_gap;
    int bars, table; /* rows, the table's title included */
};

static struct shares share_rows(const struct ui *ui, int height)
{
    struct fold folds[STAGES_MAX];
    int count = stage_folds(ui->shown, folds), all = table_rows(COMPONENTS_MAX).count, few = table_rows(0).count;
    int least = height >= 14 ? few + 1 : height >= 10 ? 7 : 0;
    struct shares s = {.has_head = height > count + least || height >= 16, .has_legend = height >= 16};
    int wanted = ui->options.present ? 2 * count : count;
    s.bars = height - s.has_head - s.has_legend - least;
    s.bars = s.bars < 1 ? 1 : s.bars > wanted ? wanted : s.bars;
    s.table = height - s.has_head - s.has_legend - s.bars;
    s.has_gap = s.table > all + 1;
    s.table -= s.has_gap;
    return s;
}

static void draw_head(const struct ui *ui, struct canvas *canvas, int width, int bars)
{
    const struct estimate *e = ui->shown;
    struct fold folds[STAGES_MAX];
    int count = stage_folds(e, folds);
    double scale = bar_scale(e);
    canvas_text(canvas, 0, 0, ROLE_TITLE, "stage");
    int x = canvas_format(canvas, width < 40 ? 6 : 7, 0, ROLE_DIM, "0 .. %s GiB%s", figure(FIGURE_GIB, scale).text,
                          e->usable_bytes < scale ? ", usable to |" : isnan(e->usable_bytes) ? "" : " usable");
    if (bars < count && x + 20 < width)
        canvas_format(canvas, x + 2, 0, ROLE_DIM, "%d of %d bars", bars, count);
    canvas_right(canvas, width - 2, 0, ROLE_TITLE, "GiB");
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    if (pane_excuse(ui, canvas, width))
        return;
    if (ui->shown->is_serving) {
        serving_draw(ui, canvas, width, height);
        return;
    }
    struct shares s = share_rows(ui, height);
    int y = s.has_head;
    if (s.has_head)
        draw_head(ui, canvas, width, s.bars);
    y = draw_bars(ui, canvas, y, width, s.bars);
    if (s.has_legend)
        draw_legend(canvas, y++, width);
    y += s.has_gap;
    if (height - y >= 3)
        draw_table(ui, canvas, y, width, height - y);
}

static int wish(const struct ui *ui)
{
    struct fold folds[STAGES_MAX];
    int count = ui->shown->is_computed ? stage_folds(ui->shown, folds) : 1;
    return 1 + 1 + (count > 16 ? 16 : count) + 1 + 1 + 1 + table_rows(COMPONENTS_MAX).count;
}

static int rows_of(const struct ui *ui)
{
    if (!ui->shown->is_computed)
        return 0;
    return ui->shown->is_serving ? serving_rows() : table_rows(COMPONENTS_MAX).count;
}

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    snprintf(out, SUBTITLE_MAX,
             ui->shown->is_serving ? "serving, fullest GPU of a replica" : "per GPU, fullest rank of each stage");
}

static bool path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    if (!ui->shown->is_computed)
        return false;
    if (ui->shown->is_serving)
        return serving_path(ui, out);
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
        snprintf(out, UI_MESSAGE_MAX, "serving one replica of tp x pp GPUs; e explains the row");
    else if (term && ui->shown->is_computed)
        snprintf(out, UI_MESSAGE_MAX, "%s: %s. Stage %d peaks in %s", name, term->label, stage,
                 peak_at_names[stage_peak_at(&ui->shown->stage[stage])]);
}

/* Up and down go through the rows that are shown. */
static bool move_row(struct ui *ui, int dy)
{
    struct rect rect = layout_find(&ui->layout, PANE_MEMORY);
    struct rows all = table_rows(COMPONENTS_MAX), rows = table_rows(share_rows(ui, rect.height - 1).table - 1);
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
    if (ui->shown->is_serving) {
        ui->at[PANE_MEMORY].row = row_within(ui->at[PANE_MEMORY].row + dy, serving_rows());
        return dy != 0;
    }
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

static void click(struct ui *ui, int x, int y)
{
    struct fold folds[STAGES_MAX];
    int count = ui->shown->is_computed ? stage_folds(ui->shown, folds) : 0;
    (void)x;
    if (y >= 1 && y <= count)
        ui->stage = folds[y - 1].first;
}

const struct pane pane_memory = {
    .name = "memory", .title = "Memory", .tab = "Memory", .key = '1', .wish = wish, .rows = rows_of,
    .subtitle = subtitle, .draw = draw, .path = path, .describe = describe, .move = move, .click = click,
};
