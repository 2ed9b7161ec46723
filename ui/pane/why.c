/* Why a number is what it is: its formula, the values, the source, and the numbers that it is made of. */
#include "core/explain/live.h"
#include "core/plan/param.h"
#include "core/plan/step.h"
#include "core/show/figure.h"
#include "ui/pane/pane.h"
#include "ui/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a plan key ------------------------------------------------------------------------------------------------- */

enum { VALID_SHOWN = 64 };

static bool is_among(double value, const double values[], int count)
{
    for (int i = 0; i < count; i++)
        if (values[i] == value)
            return true;
    return false;
}

/* Why a value cannot be: the first fault of the plan that has it. */
static int draw_refused(const struct ui *ui, struct canvas *canvas, int y, int width, enum param id, double value)
{
    struct plan copy = ui->plan;
    char text[FIELD_TEXT_MAX];
    copy.value[id] = value;
    copy.from[id] = FROM_SET;
    estimate_plan(&copy, ui->scratch);
    if (ui->scratch->diags.errors == 0)
        return y;
    form_number(id, value, text);
    int x = canvas_format(canvas, 0, y, ROLE_DIM, "not    ");
    x = canvas_format(canvas, x, y, ROLE_TEXT, "%s: ", text);
    return canvas_wrap(canvas, x, y, width - x, ROLE_TEXT, ui->scratch->diags.item[0].message);
}

/* The values that work now, and of those that do not the first between them and the first above. */
static int draw_valid(const struct ui *ui, struct canvas *canvas, int y, int width, enum param id)
{
    double valid[VALID_SHOWN], gap = param_rows[id].min;
    char text[512] = "", one[FIELD_TEXT_MAX];
    int count = param_valid(&ui->plan, id, valid, VALID_SHOWN);
    size_t used = 0;
    for (int i = 0; i < count && used + FIELD_TEXT_MAX < sizeof text; i++) {
        form_number(id, valid[i], one);
        used += (size_t)snprintf(text + used, sizeof text - used, valid[i] == ui->now->plan.value[id] ? "<%s> " : "%s ",
                                 one);
    }
    if (count == 0 || (count == VALID_SHOWN && !is_among(ui->now->plan.value[id], valid, count)))
        return y;
    canvas_text(canvas, 0, y, ROLE_DIM, "valid");
    y = canvas_wrap(canvas, 7, y, width - 7, ROLE_TEXT, text);
    while (is_among(gap, valid, count))
        gap++;
    double beyond = param_rows[id].choices ? valid[count - 1] + 1 : 2 * valid[count - 1];
    if (gap < valid[count - 1])
        y = draw_refused(ui, canvas, y, width, id, gap);
    return count < VALID_SHOWN && beyond <= param_rows[id].max ? draw_refused(ui, canvas, y, width, id, beyond) : y;
}

static void draw_key(const struct ui *ui, struct canvas *canvas, int width, enum param id)
{
    const struct param_row *row = &param_rows[id];
    const struct diag *finding = ui_finding(ui, id);
    char value[FIELD_TEXT_MAX], low[32], high[32];
    form_value(&ui->now->plan, id, value);
    int y = canvas_wrap(canvas, 0, 0, width, ROLE_TEXT, row->help);
    if (*row->more)
        y = canvas_wrap(canvas, 0, y, width, ROLE_TEXT, row->more);
    y++;
    canvas_format(canvas, 0, y++, ROLE_TITLE, "%s %s", value, row->unit);
    canvas_format(canvas, 0, y++, ROLE_TEXT, "from:  %s", origin_names[ui->now->plan.from[id]]);
    number_print(row->min, low, sizeof low);
    number_print(row->max, high, sizeof high);
    if (param_type(id)->is_number)
        canvas_format(canvas, 0, y++, ROLE_TEXT, "range: %s to %s", low, high);
    for (int i = 0; row->choices && row->choices[i]; i++)
        canvas_format(canvas, 0, y++, ROLE_TEXT, "%s %s", i ? "      " : "choices", row->choices[i]);
    y = draw_valid(ui, canvas, y, width, id);
    if (finding)
        canvas_wrap(canvas, 0, y + 1, width, finding->level == DIAG_ERROR ? ROLE_BAD : ROLE_WARN, finding->message);
}

/* ---- a result --------------------------------------------------------------------------------------------------- */

static int draw_labelled(struct canvas *canvas, int y, int width, const char *label, const char *text)
{
    if (!text || !*text)
        return y;
    canvas_text(canvas, 0, y, ROLE_DIM, label);
    return canvas_wrap(canvas, 10, y, width - 10, ROLE_TEXT, text);
}

/* Passes over a name that stands for another; true when what is left is folded. */
static bool follow_names(const struct ui *ui, struct explanation *x, struct live *live)
{
    for (int depth = 0; depth < 4; depth++) {
        const struct explain_input *only = NULL;
        bool is_folded = live_write(x, live) == 0;
        for (int i = 0; is_folded && live->is_single && i < x->inputs; i++)
            only = live_has(live, &x->input[i]) && !x->input[i].is_key ? &x->input[i] : only;
        char inner[EXPLAIN_PATH_MAX];
        snprintf(inner, sizeof inner, "%s", only ? only->path : "");
        if (!only || explain_value(ui->shown, inner, x) != 0)
            return is_folded;
    }
    return live_write(x, live) == 0;
}

int explain_page(const struct ui *ui, const char *path, struct explanation *x, int rows[EXPLAIN_INPUTS_MAX])
{
    struct live live;
    int count = 0;
    if (explain_value(ui->shown, path, x) != 0)
        return -1;
    bool is_folded = !ui->explains_all && follow_names(ui, x, &live);
    for (int i = 0; i < x->inputs; i++)
        if (!is_folded || live_has(&live, &x->input[i]))
            rows[count++] = i;
    return count;
}

/* The same input of the baseline; NAN where it has none. */
static double value_before(const struct explanation *before, const struct explain_input *input)
{
    for (int i = 0; before && i < before->inputs; i++)
        if (strcmp(before->input[i].name, input->name) == 0)
            return before->input[i].value;
    return NAN;
}

/* How an input comes about, in values; else what it is. */
static void say_input(const struct ui *ui, const struct explain_input *in, int width, char *out, size_t size)
{
    struct explanation x;
    struct live live;
    snprintf(out, size, "%s%s", in->is_key ? "key " : "", in->is_key ? in->path : in->label ? in->label : "");
    if (in->is_key || explain_value(ui->shown, in->path, &x) != 0 || !follow_names(ui, &x, &live) || live.is_single)
        return;
    const char *result = strstr(live.values, " = ");
    if (result && result > live.values && strpbrk(live.values, "x/+-") && result - live.values <= width)
        snprintf(out, size, "%.*s", (int)(result - live.values), live.values);
}

/* What the figure is made of, from the first row that is shown. */
struct input_table {
    const struct explanation *x, *before; /* of the baseline, or NULL */
    const int *rows;
    int count, top, selected, name, value; /* columns of a name and of a value */
};

static void write_value(const struct input_table *table, int row, bool is_before, char out[64])
{
    const struct explain_input *in = &table->x->input[table->rows[row]];
    live_value(is_before ? value_before(table->before, in) : in->value, in->unit ? in->unit : "", out, 64);
}

static int widest(int width, int text)
{
    return text > width ? text : width;
}

/* As wide as names and values are. */
static void fit_table(struct input_table *table, int width)
{
    char shown[64];
    int most = width >= 64 ? 24 : 16;
    for (int i = 0; i < table->count; i++) {
        int name = (int)strlen(table->x->input[table->rows[i]].name);
        table->name = widest(table->name, name < most ? name : most);
        write_value(table, i, false, shown);
        table->value = widest(table->value, text_width(shown));
        write_value(table, i, true, shown);
        table->value = widest(table->value, table->before ? text_width(shown) : 0);
    }
}

/* Name, value, and what it is; against a baseline the value there before it. */
static void draw_input(const struct ui *ui, const struct input_table *table, struct canvas *canvas, int y, int width,
                       int row)
{
    const struct explain_input *in = &table->x->input[table->rows[row]];
    char text[160], shown[64];
    int at = table->name + 1 + table->value;
    canvas_fit(canvas, 0, y, table->name, ROLE_TEXT, in->name);
    if (table->before) {
        write_value(table, row, true, shown);
        canvas_right(canvas, at, y, ROLE_DIM, shown);
        at += 2 + table->value;
    }
    write_value(table, row, false, shown);
    canvas_right(canvas, at, y, ROLE_TEXT, shown);
    say_input(ui, in, width - at - 2, text, sizeof text);
    canvas_fit(canvas, at + 2, y, width - at - 2, in->is_key ? ROLE_KEY : ROLE_DIM, text);
    canvas_link(canvas, 0, y, table->selected < 0 ? 0 : width, LINK_ROWS + row); /* beside the panes it is only read */
    if (row == table->selected)
        canvas_paint(canvas, 0, y, at < width ? at : width, ROLE_FOCUS, 0);
}

static int draw_inputs(const struct ui *ui, struct input_table *table, struct canvas *canvas, int y, int width,
                       int height)
{
    table->top = page_top(table->selected < 0 ? 0 : table->selected, table->count, height - y);
    fit_table(table, width);
    for (int i = table->top; i < table->count && y < height; i++)
        draw_input(ui, table, canvas, y++, width, i);
    return y;
}

/* The plan keys at the bottom of a figure, each with its value, in the order in which they are met. */
struct leaves {
    const struct ui *ui;
    char seen[48][EXPLAIN_PATH_MAX], text[400];
    int count;
};

static void find_leaves(struct leaves *leaves, const char *path, int depth)
{
    struct explanation x;
    struct live live;
    if (depth > 7 || leaves->count == (int)(sizeof leaves->seen / sizeof *leaves->seen) ||
        explain_value(leaves->ui->shown, path, &x) != 0)
        return;
    bool is_folded = live_write(&x, &live) == 0;
    for (int i = 0; i < x.inputs; i++) {
        const struct explain_input *in = &x.input[i];
        size_t used = strlen(leaves->text);
        bool is_known = is_folded && !live_has(&live, in);
        for (int j = 0; j < leaves->count; j++)
            is_known |= strcmp(leaves->seen[j], in->path) == 0;
        if (is_known || leaves->count == (int)(sizeof leaves->seen / sizeof *leaves->seen))
            continue;
        snprintf(leaves->seen[leaves->count++], EXPLAIN_PATH_MAX, "%s", in->path);
        int key = in->is_key ? param_find(in->path) : -1;
        char value[FIELD_TEXT_MAX];
        if (key >= 0) {
            form_value(&leaves->ui->shown->plan, (enum param)key, value);
            snprintf(leaves->text + used, sizeof leaves->text - used, "%s%s %.24s", used ? "  " : "",
                     param_rows[key].key, value);
        } else if (in->path[0]) {
            find_leaves(leaves, in->path, depth + 1);
        }
    }
}

/* A key and its value stay on one line. */
static int draw_leaves(const struct ui *ui, const struct explanation *x, struct canvas *canvas, int y, int width)
{
    enum { LABEL = 10 };
    struct leaves leaves = {.ui = ui};
    int at = LABEL;
    find_leaves(&leaves, x->path, 0);
    if (!leaves.text[0])
        return y;
    canvas_text(canvas, 0, y, ROLE_DIM, "keys");
    for (char *item = leaves.text, *next; item; item = next) {
        next = strstr(item, "  ");
        if (next) {
            *next = '\0';
            next += 2;
        }
        if (at > LABEL && at + text_width(item) > width) {
            at = LABEL;
            y++;
        }
        at = canvas_fit(canvas, at, y, width - at, ROLE_TEXT, item) + 2;
    }
    return y + 1;
}

static int draw_formula(const struct ui *ui, const struct explanation *x, struct canvas *canvas, int y, int width,
                        int hidden)
{
    struct live live;
    if (ui->explains_all || live_write(x, &live) != 0) {
        bool is_words = strncmp(x->formula, "the ", 4) == 0;
        y = draw_labelled(canvas, y, width, is_words ? "is" : "formula", x->formula);
        return is_words ? y : draw_labelled(canvas, y, width, "here", x->substituted);
    }
    y = draw_labelled(canvas, y, width, "is", live.names);
    y = draw_labelled(canvas, y, width, "here", live.values);
    if (hidden > 0 && y < 30)
        canvas_format(canvas, 10, y++, ROLE_DIM, "%d term%s not live here (a shows all)", hidden,
                      hidden == 1 ? "" : "s");
    return y;
}

/* How far a figure can be trusted, in words. */
static const char *const bases[BASIS_COUNT] = {
    [BASIS_EXACT] = "exact: counted, no constant was fitted",
    [BASIS_FORMULA] = "formula, with constants that were fitted to runs",
    [BASIS_MEASURED] = "measured",
    [BASIS_INTERPOLATED] = "interpolated: efficiencies between those of other devices",
    [BASIS_BORROWED] = "borrowed: efficiencies of another device",
    [BASIS_CALIBRATED] = "calibrated: efficiencies that you gave",
};

static void draw_value(const struct ui *ui, const char *path, struct canvas *canvas, int width, int height,
                       int selected)
{
    struct explanation x, first, before;
    int rows[EXPLAIN_INPUTS_MAX], count = explain_page(ui, path, &x, rows), y = 0;
    char value[64], text[200];
    explain_value(ui->shown, path, &first);
    bool has_before =
        selected >= 0 && ui->explains_change && ui->has_baseline && explain_value(ui->baseline, x.path, &before) == 0;
    live_value(first.value, first.unit, value, sizeof value);
    snprintf(text, sizeof text, "%s = %s", first.label, value);
    y = canvas_wrap(canvas, 0, y, width, ROLE_TITLE, text);
    if (has_before) {
        live_value(before.value, x.unit, value, sizeof value);
        canvas_format(canvas, 10, y++, ROLE_TEXT, "%s against b%d", value, ui->baseline_number);
    }
    y = draw_formula(ui, &x, canvas, y, width, x.inputs - count);
    if (count > 0 && y < height)
        canvas_text(canvas, 0, y++, ROLE_TITLE, selected < 0 ? "made of" : "made of (Enter opens)");
    /* the rest stands below where there is room */
    int room = selected < 0 ? height : height - 5 > y + 2 ? height - 5 : height;
    struct input_table table = {
        .x = &x, .before = has_before ? &before : NULL, .rows = rows, .count = count, .selected = selected};
    y = draw_inputs(ui, &table, canvas, y, width, room) + (room < height);
    if (room < height)
        y = draw_leaves(ui, &x, canvas, y, width);
    enum basis basis = explain_basis(ui->shown, &x);
    y = draw_labelled(canvas, y, width, "basis", bases[basis]);
    y = draw_labelled(canvas, y, width, "source", x.source);
    draw_labelled(canvas, y, width, "without", first.not_included);
}

void explain_draw(const struct ui *ui, struct canvas *canvas, int width, int height, const char *path, int row)
{
    struct explanation x;
    int key = param_find(path);
    if (key >= 0)
        draw_key(ui, canvas, width, (enum param)key);
    else if (explain_value(ui->shown, path, &x) == 0)
        draw_value(ui, path, canvas, width, height, row);
    else
        canvas_wrap(canvas, 0, 0, width, ROLE_TEXT,
                    "There is nothing to explain about this value in the present plan.");
}

/* ---- as a pane: always about what is selected ------------------------------------------------------------------- */

/* The value selected in a view; while fields are edited, what the fullest stage needs. */
static void selected_path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    const struct pane *view = panes[ui->view];
    if (!ui->is_view_focused || !view->path || !view->path(ui, out))
        snprintf(out, EXPLAIN_PATH_MAX, "memory.stages.%d.device_bytes",
                 ui->shown->is_computed ? ui->shown->peak_stage : 0);
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    char path[EXPLAIN_PATH_MAX];
    selected_path(ui, path);
    explain_draw(ui, canvas, width, height, path, -1);
}

static int rows_of(const struct ui *ui)
{
    (void)ui;
    return 0;
}

static int wish(const struct ui *ui)
{
    (void)ui;
    return 12;
}

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    char path[EXPLAIN_PATH_MAX];
    selected_path(ui, path);
    snprintf(out, SUBTITLE_MAX, "%s", path);
}

const struct pane pane_why = {
    .name = "explain", .title = "Explain", .tab = "Explain", .wish = wish, .rows = rows_of,
    .subtitle = subtitle, .draw = draw,
};
