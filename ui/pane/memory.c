/* The memory view: a bar for each stage, and the components of one stage. */
#include "ui/pane/pane.h"
#include "ui/result.h"
#include "ui/table.h"

#include "core/plan/param.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* A part of a stage's memory. */
struct component {
    char letter; /* in bars */
    enum role role;
    const char *label;
    const char *path; /* last part */
    size_t offset;    /* in struct stage */
    bool is_small;    /* drawn together with the one before where there is little room */
};

#define AT(member) #member, offsetof(struct stage, member)
static const struct component components[] = {
    {'W', ROLE_WEIGHTS, "weights", AT(weights_bytes), false},
    {'G', ROLE_GRADIENTS, "gradients", AT(gradients_bytes), false},
    {'O', ROLE_OPTIMIZER, "optimizer", AT(optimizer_bytes), false},
    {'A', ROLE_ACTIVATIONS, "activations", AT(activations_bytes), false},
    {'T', ROLE_TRANSIENT, "transient at the peak", AT(transient_bytes), false},
    {'B', ROLE_BUFFERS, "buffers, workspaces", AT(buffers_bytes), false},
    {'B', ROLE_BUFFERS, "allocator's cache", AT(fragmentation_bytes), true},
    {'B', ROLE_BUFFERS, "NCCL buffers", AT(communicator_bytes), true},
    {'B', ROLE_BUFFERS, "driver's context", AT(context_bytes), true},
    {'=', ROLE_TEXT, "on the device", AT(device_bytes), false},
    {'.', ROLE_TEXT, "free", AT(headroom_bytes), false},
};
enum { COMPONENTS = sizeof components / sizeof *components, BAR_PARTS = 9, DEVICE = 9, STATE_PARTS = 3 };

static double part(const struct stage *stage, int i)
{
    return *(const double *)((const char *)stage + components[i].offset);
}

/* ---- stages that look alike --------------------------------------------------------------------------------------- */

static bool looks_alike(const struct stage *a, const struct stage *b)
{
    for (int i = 0; i < COMPONENTS; i++)
        if (part(a, i) != part(b, i) && !(isnan(part(a, i)) && isnan(part(b, i))))
            return false;
    return true;
}

/* Returns how many folds there are. */
static int stage_folds(const struct estimate *e, struct fold out[STAGES_MAX])
{
    int count = 0;
    for (int i = 0; i < e->stages; i++) {
        if (count > 0 && looks_alike(&e->stage[i], &e->stage[i - 1]))
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

static void draw_bar(const struct ui *ui, struct canvas *canvas, int x, int y, int width, const struct stage *stage,
                     double scale)
{
    const struct estimate *e = ui->shown;
    double sum = 0;
    int at = 0, usable = isnan(e->usable_bytes) ? width : (int)lround(e->usable_bytes / scale * width);
    for (int i = 0; i < BAR_PARTS; i++) {
        sum += part(stage, i);
        if (isnan(sum))
            return;
        double exact = sum / scale * width;
        int end = ui->utf8 && i == BAR_PARTS - 1 ? (int)floor(exact) : (int)lround(exact);
        end = end > width ? width : end;
        canvas_repeat(canvas, x + at, y, components[i].role, (uint32_t)(unsigned char)components[i].letter, end - at);
        at = end > at ? end : at;
        if (i == BAR_PARTS - 1 && at < width)
            draw_tip(ui, canvas, x + at, y, components[i].role, exact - at);
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
    draw_bar(ui, canvas, label, y, width - label - value_width, stage, scale);
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
    static const char *const long_names[] = {"weights", "gradients", "optimizer", "activations", "transient",
                                             "buffers", "free"};
    static const char *const short_names[] = {"weight", "grad", "optim", "activ", "trans", "buf", "free"};
    static const int at[] = {0, 1, 2, 3, 4, 5, 10};
    for (int i = 0, x = 0; i < 7; i++) {
        const struct component *c = &components[at[i]];
        canvas_repeat(canvas, x, y, c->role, (uint32_t)(unsigned char)c->letter, 1);
        x = canvas_format(canvas, x + 1, y, ROLE_DIM, " %s",
                          width >= 86 ? long_names[i] : short_names[i]) + 1 + (width >= 86);
    }
}

/* ---- the components of one stage ---------------------------------------------------------------------------------- */

/* The rows of the table where there is room for `room` of them: small parts join the buffers. */
static int table_rows(int room, int rows[COMPONENTS])
{
    int count = 0;
    for (int i = 0; i < COMPONENTS; i++)
        if (room >= COMPONENTS || !components[i].is_small)
            rows[count++] = i;
    return count;
}

/* A part, with the small ones joined to the buffers when they have no rows of their own. */
static double table_value(const struct stage *stage, int i, bool is_joined)
{
    double sum = part(stage, i);
    if (is_joined && components[i].letter == 'B')
        for (int j = i + 1; components[j].is_small; j++)
            sum += part(stage, j);
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

/* What the label says beside the name: types, sharing, passes in flight. */
static void component_label(const struct ui *ui, int i, bool is_joined, char *out, size_t size)
{
    const struct estimate *e = ui->shown;
    const struct stage *stage = &e->stage[ui_stage(ui)];
    char type[FIELD_TEXT_MAX];
    if (i < STATE_PARTS) {
        state_type(e, i, type);
        int used = snprintf(out, size, "%s %.8s", components[i].label, type);
        if (e->symbols.zs >= STATE_PARTS - i && e->symbols.D > 1 && used > 0 && (size_t)used < size)
            snprintf(out + used, size - (size_t)used, " /%.0f", e->symbols.D);
    } else if (components[i].letter == 'A') {
        snprintf(out, size, "activations %.0f in flight", stage->chunks_in_flight);
    } else if (components[i].letter == '.') {
        snprintf(out, size, "free of %s", figure(FIGURE_GIB, e->usable_bytes).text);
    } else {
        bool is_joint = is_joined && components[i].letter == 'B';
        snprintf(out, size, "%s", is_joint ? "buffers, cache, context" : components[i].label);
    }
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

static void draw_delta(const struct ui *ui, struct canvas *canvas, int end, int y, int i, bool is_joined, double value)
{
    int stage = ui_stage(ui), stages = ui->baseline->is_computed ? ui->baseline->stages : 0;
    if (stages == 0 || !end)
        return;
    stage = ui->stage < 0 ? ui->baseline->peak_stage : stage < stages ? stage : stages - 1;
    double delta = value - table_value(&ui->baseline->stage[stage], i, is_joined);
    bool is_free = components[i].letter == '.', is_good = is_free ? delta > 0 : delta < 0;
    struct figure text = figure_delta(FIGURE_GIB, delta);
    enum role role = i < DEVICE || text.text[0] == '=' ? ROLE_TEXT : is_good ? ROLE_GOOD : ROLE_BAD;
    canvas_right(canvas, end, y, role, text.text);
}

static void draw_table_row(const struct ui *ui, struct canvas *canvas, int y, int i, bool is_joined,
                           const struct columns *c,
                           const struct fold folds[])
{
    const struct estimate *e = ui->shown;
    char label[64];
    double value = table_value(&e->stage[ui_stage(ui)], i, is_joined);
    bool is_short = components[i].letter == '.' && value < 0;
    enum role role = is_short ? ROLE_BAD : i == DEVICE ? ROLE_TITLE : ROLE_TEXT;
    component_label(ui, i, is_joined, label, sizeof label);
    canvas_repeat(canvas, 0, y, components[i].role, (uint32_t)(unsigned char)components[i].letter, 1);
    canvas_fit(canvas, 2, y, c->label - 2, role, is_short ? "missing" : label);
    canvas_right(canvas, c->value, y, role, figure(FIGURE_GIB, value).text);
    if (c->percent)
        canvas_right(canvas, c->percent, y, role, figure(FIGURE_PERCENT, percent_of(ui, value)).text);
    draw_delta(ui, canvas, c->delta, y, i, is_joined, value);
    for (int s = 0; s < c->stages; s++)
        canvas_right(canvas, c->first_stage + s * STAGE_COLUMN, y, ROLE_TEXT,
                     figure(FIGURE_GIB, table_value(&e->stage[folds[s].first], i, is_joined)).text);
}

static void draw_table(const struct ui *ui, struct canvas *canvas, int y, int width, int height)
{
    struct fold folds[STAGES_MAX];
    int rows[COMPONENTS], selected = 0;
    int count = table_rows(height - 1, rows);
    bool is_joined = count < COMPONENTS;
    struct columns c = place_columns(ui, width, stage_folds(ui->shown, folds));
    draw_table_header(ui, canvas, y, &c, folds);
    for (int i = 0; i < count; i++)
        selected = rows[i] <= ui->at[PANE_MEMORY].row ? i : selected;
    int top = page_top(selected, count, height - 1);
    for (int i = 0; i + top < count && i < height - 1; i++) {
        draw_table_row(ui, canvas, y + 1 + i, rows[top + i], is_joined, &c, folds);
        if (top + i == selected && pane_has_focus(ui, PANE_MEMORY))
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
    int count = stage_folds(ui->shown, folds), least = height >= 14 ? COMPONENTS - 2 : height >= 10 ? 7 : 0;
    struct shares s = {.has_head = height > count + least || height >= 16, .has_legend = height >= 16};
    int wanted = ui->options.present ? 2 * count : count;
    s.bars = height - s.has_head - s.has_legend - least;
    s.bars = s.bars < 1 ? 1 : s.bars > wanted ? wanted : s.bars;
    s.table = height - s.has_head - s.has_legend - s.bars;
    s.has_gap = s.table > COMPONENTS + 1;
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
    return 1 + 1 + (count > 16 ? 16 : count) + 1 + 1 + 1 + COMPONENTS;
}

static int rows_of(const struct ui *ui)
{
    return !ui->shown->is_computed ? 0 : ui->shown->is_serving ? SERVING_ROWS : COMPONENTS;
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
    snprintf(out, EXPLAIN_PATH_MAX, "memory.stages.%d.%s", ui_stage(ui), components[ui->at[PANE_MEMORY].row].path);
    return true;
}

/* The label of the term that the row is, and when the stage peaks. */
static void describe(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    const char *name = components[ui->at[PANE_MEMORY].row].path;
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
    int rows[COMPONENTS], at = 0;
    struct rect rect = layout_find(&ui->layout, PANE_MEMORY);
    int count = ui->shown->is_computed ? table_rows(share_rows(ui, rect.height - 1).table - 1, rows) : 0;
    for (int i = 0; i < count; i++)
        at = rows[i] <= ui->at[PANE_MEMORY].row ? i : at;
    int next = row_within(at + dy, count);
    if (next == at || count == 0)
        return false;
    ui->at[PANE_MEMORY].row = rows[next];
    return true;
}

/* Left and right go through the stages; left of the first one is the form. */
static bool move(struct ui *ui, int dx, int dy)
{
    if (ui->shown->is_serving) {
        ui->at[PANE_MEMORY].row = row_within(ui->at[PANE_MEMORY].row + dy, SERVING_ROWS);
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
