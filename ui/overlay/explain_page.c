/* Why a number is what it is: its formula, the values, the source, and the numbers that it is made of. */
#include "core/explain/live.h"
#include "core/plan/param.h"
#include "core/plan/step.h"
#include "core/search/diff_text.h"
#include "core/show/figure.h"
#include "ui/state/baseline.h"
#include "ui/pane/pane.h"
#include "ui/widget/table.h"
#include "ui/widget/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Whether the state has the keys and changes of this figure. */
static bool is_explained(const struct ui *ui, const char *path)
{
    return ui->explained.generation == ui->generation && strcmp(ui->explained.path, path) == 0;
}

enum { LABEL = 10 /* columns before a text */ };

static int draw_labelled(struct canvas *canvas, int y, int width, const char *label, const char *text)
{
    if (!text || !*text)
        return y;
    canvas_text(canvas, 0, y, ROLE_MUTED, label);
    return canvas_wrap(canvas, LABEL, y, width - LABEL, ROLE_TEXT, text);
}

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
    const struct diag *first = &ui->scratch->diags.item[0];
    struct plan copy = ui->plan;
    char text[FIELD_TEXT_MAX];
    param_set(&copy, id, value);
    estimate_plan(&copy, ui->scratch);
    if (ui->scratch->diags.errors == 0)
        return y;
    param_number(id, value, text);
    int x = canvas_format(canvas, 0, y, ROLE_MUTED, "not    ");
    x = canvas_format(canvas, x, y, ROLE_TEXT, "%s: ", text);
    if (first->param != (int)id) /* the values that would work are those of another key */
        x = canvas_format(canvas, x, y, ROLE_TEXT, "%s: ", param_rows[first->param].key);
    return canvas_wrap(canvas, x, y, width - x, ROLE_TEXT, finding_text(first).text);
}

/* The values that work now, and of those that do not the first between them and the first above. */
static int draw_valid(const struct ui *ui, struct canvas *canvas, int y, int width, enum param id)
{
    double valid[VALID_SHOWN], gap = param_rows[id].min;
    char text[512] = "", one[FIELD_TEXT_MAX];
    int count = param_valid(&ui->plan, id, valid, VALID_SHOWN);
    size_t used = 0;
    for (int i = 0; i < count && used + FIELD_TEXT_MAX < sizeof text; i++) {
        param_number(id, valid[i], one);
        used += (size_t)snprintf(text + used, sizeof text - used, valid[i] == ui->now->plan.value[id] ? "<%s> " : "%s ",
                                 one);
    }
    if (count == 0 || (count == VALID_SHOWN && !is_among(ui->now->plan.value[id], valid, count)))
        return y;
    canvas_text(canvas, 0, y, ROLE_MUTED, "valid");
    y = canvas_wrap(canvas, 7, y, width - 7, ROLE_TEXT, text);
    while (is_among(gap, valid, count))
        gap++;
    double beyond = param_rows[id].choices ? valid[count - 1] + 1 : 2 * valid[count - 1];
    if (gap < valid[count - 1])
        y = draw_refused(ui, canvas, y, width, id, gap);
    return count < VALID_SHOWN && beyond <= param_rows[id].max ? draw_refused(ui, canvas, y, width, id, beyond) : y;
}

/* ---- the other values of a switch or a choice ------------------------------------------------------------------- */

enum { VALUE_GIB = 8, VALUE_TIME = 10, VALUE_CHANGE = 9, VALUE_WORD_LEAST = 3,
       VALUE_DETAILS = 5 /* rows below the list */ };

/* "off   87.3  +36.6   70.1 s  -1.32 s  NO", or why it cannot be. */
static void draw_value_row(struct canvas *canvas, int y, int width, int name_width, enum param id,
                           const struct value_diff *one)
{
    char name[FIELD_TEXT_MAX], why[DIFF_PARTS_MAX], text[DIFF_PARTS_MAX + 8];
    const struct figures *now = &one->diff.from, *f = &one->diff.to;
    int x = name_width + VALUE_GIB;
    param_number(id, one->value, name);
    canvas_fit(canvas, 0, y, name_width, ROLE_TEXT, name);
    if (!f->is_valid) {
        diff_text_fault(&one->diff, why);
        snprintf(text, sizeof text, "-- %s", why);
        canvas_fit(canvas, name_width + 1, y, width - name_width - 1, ROLE_MUTED, text);
        return;
    }
    canvas_right(canvas, x, y, ROLE_TEXT, units_figure(FIGURE_GIB, f->device_bytes).text);
    canvas_right(canvas, x += VALUE_GIB, y, ROLE_TEXT,
                 units_delta(FIGURE_GIB, f->device_bytes - now->device_bytes).text);
    canvas_right(canvas, x += VALUE_TIME, y, ROLE_TEXT, figure(FIGURE_SECONDS, f->iteration_s).text);
    canvas_right(canvas, x += VALUE_CHANGE, y, ROLE_TEXT,
                 figure_delta(FIGURE_SECONDS, f->iteration_s - now->iteration_s).text);
    if (x + VALUE_WORD_LEAST <= width)
        canvas_fit(canvas, x + 1, y, width - x - 1, verdict_role(f->verdict), verdict_names[f->verdict]);
}

static int name_width_of(const struct ui *ui, enum param id)
{
    int widest = 5;
    for (int i = 0; i < ui->explained.value_count; i++) {
        char name[FIELD_TEXT_MAX];
        param_number(id, ui->explained.value[i].value, name);
        widest = text_width(name) > widest ? text_width(name) : widest;
    }
    return widest < 16 ? widest : 16;
}

/* Which parts change by how much, the largest three of each kind. */
static int draw_value_parts(const struct plan_diff *diff, struct canvas *canvas, int y, int width)
{
    char text[DIFF_PARTS_MAX];
    diff_text_fault(diff, text);
    if (!diff->to.is_valid)
        return draw_labelled(canvas, y, width, "not valid", text);
    if (diff_is_nothing(diff))
        return draw_labelled(canvas, y, width, "changes", "nothing here");
    diff_text_parts(&diff->memory, FIGURE_BYTES, units_delta, text);
    y = draw_labelled(canvas, y, width, "memory", text);
    diff_text_parts(&diff->time, FIGURE_SECONDS, figure_delta, text);
    y = draw_labelled(canvas, y, width, "time", text);
    diff_text_parts(&diff->traffic, FIGURE_BYTES, units_delta, text);
    return draw_labelled(canvas, y, width, "all send", text);
}

static int draw_values(const struct ui *ui, struct canvas *canvas, int y, int width, int height, enum param id,
                       int selected)
{
    int name_width = name_width_of(ui, id), count = ui->explained.value_count;
    int room = height - y - 1 - VALUE_DETAILS, rows = count < room ? count : room < 1 ? 1 : room;
    int row = row_within(selected, count), top = page_top(row, count, rows), x = name_width + VALUE_GIB;
    canvas_text(canvas, 0, y, ROLE_TITLE, "value");
    canvas_right(canvas, x, y, ROLE_TITLE, units_name());
    canvas_right(canvas, x += VALUE_GIB, y, ROLE_TITLE, "change");
    canvas_right(canvas, x += VALUE_TIME, y, ROLE_TITLE, ui->shown->is_serving ? "reply" : "iteration");
    canvas_right(canvas, x + VALUE_CHANGE, y++, ROLE_TITLE, "change");
    for (int i = top; i < top + rows && i < count; i++, y++) {
        draw_value_row(canvas, y, width, name_width, id, &ui->explained.value[i]);
        canvas_link(canvas, 0, y, selected < 0 ? 0 : width, LINK_ROWS + i);
        if (i == selected)
            canvas_paint(canvas, 0, y, width, ROLE_FOCUS, 0);
    }
    return draw_value_parts(&ui->explained.value[row].diff, canvas, y, width);
}

static void draw_key(const struct ui *ui, struct canvas *canvas, int width, int height, enum param id, int selected)
{
    const struct param_row *row = &param_rows[id];
    const struct diag *finding = ui_finding(ui, id);
    char value[FIELD_TEXT_MAX], low[32], high[32];
    form_value(&ui->now->plan, id, value);
    int y = canvas_wrap(canvas, 0, 0, width, ROLE_TEXT, row->help);
    if (*row->more)
        y = canvas_wrap(canvas, 0, y, width, ROLE_TEXT, row->more);
    y++;
    bool is_one = strcmp(value, "1") == 0 && row->unit[0] && row->unit[strlen(row->unit) - 1] == 's' && row->unit[1];
    canvas_format(canvas, 0, y++, ROLE_TITLE, "%s %.*s", value, (int)strlen(row->unit) - is_one, row->unit);
    canvas_format(canvas, 0, y++, ROLE_TEXT, "from:  %s", origin_names[ui->now->plan.from[id]]);
    number_print(row->min, low, sizeof low);
    number_print(row->max, high, sizeof high);
    if (param_type(id)->is_number)
        canvas_format(canvas, 0, y++, ROLE_TEXT, "range: %s to %s", low, high);
    bool is_known = is_explained(ui, row->dotted), has_values = is_known && ui->explained.value_count > 0;
    for (int i = 0; !has_values && row->choices && row->choices[i]; i++)
        canvas_format(canvas, 0, y++, ROLE_TEXT, "%s %s", i ? "      " : "choices", row->choices[i]);
    if (has_values)
        y = draw_values(ui, canvas, y, width, height, id, selected);
    else
        y = draw_valid(ui, canvas, y, width, id);
    if (is_known && !has_values)
        y = canvas_wrap(canvas, 0, y, width, ROLE_TEXT,
                        ui->explained.in_memory && ui->explained.in_time ? "Memory and time depend on it."
                        : ui->explained.in_memory                        ? "Memory depends on it."
                        : ui->explained.in_time                          ? "Time depends on it."
                        : "No equation of memory or time uses it here; + and - show what other values do.");
    if (finding)
        canvas_wrap(canvas, 0, y + 1, width, finding->level == DIAG_ERROR ? ROLE_BAD : ROLE_WARN,
                    finding_text(finding).text);
}

/* ---- a result --------------------------------------------------------------------------------------------------- */

/* Passes over a name that stands for another; true when what is left is folded. */
static bool follow_names(const struct ui *ui, struct explanation *x, struct live *live)
{
    for (int depth = 0; depth < 4; depth++) {
        const struct explain_input *only = NULL;
        bool is_folded = live_write(x, units_are_decimal(), live) == 0;
        for (int i = 0; is_folded && live->is_single && i < x->inputs; i++)
            only = live_has(live, &x->input[i]) && !x->input[i].is_key ? &x->input[i] : only;
        char inner[EXPLAIN_PATH_MAX];
        snprintf(inner, sizeof inner, "%s", only ? only->path : "");
        if (!only || explain_value(ui->shown, inner, x) != 0)
            return is_folded;
    }
    return live_write(x, units_are_decimal(), live) == 0;
}

/* The same of a value that is open. */
static int page_of(const struct ui *ui, struct explanation *x, int rows[EXPLAIN_INPUTS_MAX])
{
    struct live live;
    int count = 0;
    bool is_folded = !ui->explains_all && follow_names(ui, x, &live);
    for (int i = 0; i < x->inputs; i++)
        if (!is_folded || live_has(&live, &x->input[i]))
            rows[count++] = i;
    return count;
}

int explain_page(const struct ui *ui, const char *path, struct explanation *x, int rows[EXPLAIN_INPUTS_MAX])
{
    return explain_value(ui->shown, path, x) == 0 ? page_of(ui, x, rows) : -1;
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
    double value = is_before ? value_before(table->before, in) : in->value;
    live_value(value, in->unit ? in->unit : "", units_are_decimal(), out, 64);
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
        canvas_right(canvas, at, y, ROLE_MUTED, shown);
        at += 2 + table->value;
    }
    write_value(table, row, false, shown);
    canvas_right(canvas, at, y, ROLE_TEXT, shown);
    say_input(ui, in, width - at - 2, text, sizeof text);
    canvas_fit(canvas, at + 2, y, width - at - 2, in->is_key ? ROLE_KEY : ROLE_MUTED, text);
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

/* The plan's keys at the bottom of a figure, in `room` rows; a key and its value stay on one line. */
static int draw_keys(const struct ui *ui, struct canvas *canvas, int y, int width, int room)
{
    enum { VALUE_MOST = 24 };
    char value[FIELD_TEXT_MAX];
    int at = LABEL, last = y + (room > 1 ? room : 1) - 1, count = ui->explained.count;
    if (count == 0)
        return y;
    canvas_text(canvas, 0, y, ROLE_MUTED, "keys");
    for (int i = 0; i < count; i++) {
        enum param id = ui->explained.keys[i];
        form_value(&ui->shown->plan, id, value);
        int shown = text_width(value) < VALUE_MOST ? text_width(value) : VALUE_MOST;
        int rest = i + 1 < count ? (int)strlen(", 99 more") : 0;
        int end = at + text_width(param_rows[id].key) + 1 + shown;
        if (at > LABEL && end + (y == last ? rest : 0) > width) {
            if (y == last) {
                canvas_format(canvas, at, y, ROLE_MUTED, "%d more", count - i);
                break;
            }
            at = LABEL;
            y++;
        }
        at = canvas_fit(canvas, at, y, width - at, ROLE_TEXT, param_rows[id].key) + 1;
        at = canvas_fit(canvas, at, y, shown < width - at ? shown : width - at, ROLE_TEXT, value) + 2;
    }
    if (!ui->explained.is_whole)
        canvas_fit(canvas, at, y, width - at, ROLE_MUTED, "and those of values further below");
    return y + 1;
}

enum { AMOUNT = 12 };

/* "+1.25 GiB", right-aligned; nothing where it is not known. */
static void draw_amount(struct canvas *canvas, int end, int y, enum role role, double delta, const char *unit)
{
    char amount[64], text[72];
    live_value(fabs(delta), unit, units_are_decimal(), amount, sizeof amount);
    snprintf(text, sizeof text, "%c%s", delta < 0 ? '-' : '+', amount);
    if (isfinite(delta))
        canvas_right(canvas, end, y, role, text);
}

/* What each changed key added to the figure since the baseline, in the order of the changes, in at most `room` rows. */
static int draw_changes(const struct ui *ui, struct canvas *canvas, int y, int width, int room, const char *unit)
{
    enum { NAME_MAX = 44 };
    const struct waterfall *change = &ui->explained.change;
    double rest = 0;
    int shown = change->count < room ? change->count : room - 2; /* a row for the head, one for the rest */
    int mean_end = width < NAME_MAX + 2 * AMOUNT ? width : NAME_MAX + 2 * AMOUNT, end = mean_end - AMOUNT;
    if (change->count == 0 || room < 2)
        return y;
    canvas_fit(canvas, 0, y, end - 1, ROLE_MUTED,
               change->count > 1 ? "changed, in the order you made them" : "changed");
    if (ui->explained.mean.count > 1)
        canvas_right(canvas, mean_end, y, ROLE_MUTED, "any order");
    y++;
    for (int i = 0; i < shown; i++, y++) {
        char name[160];
        baseline_step(ui, &change->step[i], name, sizeof name);
        canvas_fit(canvas, 2, y, end - AMOUNT - 3, ROLE_TEXT, name);
        draw_amount(canvas, end, y, ROLE_TITLE, change->step[i].delta, unit);
        draw_amount(canvas, mean_end, y, ROLE_MUTED, baseline_mean(&ui->explained.mean, &change->step[i]), unit);
    }
    for (int i = shown; i < change->count; i++)
        rest += change->step[i].delta;
    if (shown == change->count)
        return y;
    canvas_format(canvas, 2, y, ROLE_TEXT, "%d keys more", change->count - shown);
    draw_amount(canvas, end, y, ROLE_TITLE, rest, unit);
    return y + 1;
}

static int draw_formula(const struct ui *ui, const struct explanation *x, struct canvas *canvas, int y, int width,
                        int hidden)
{
    struct live live;
    if (ui->explains_all || live_write(x, units_are_decimal(), &live) != 0) {
        bool is_words = strncmp(x->formula, "the ", 4) == 0;
        y = draw_labelled(canvas, y, width, is_words ? "is" : "formula", x->formula);
        return is_words ? y : draw_labelled(canvas, y, width, "here", x->substituted);
    }
    y = draw_labelled(canvas, y, width, "is", live.names);
    y = draw_labelled(canvas, y, width, "here", live.values);
    if (hidden > 0 && y < 30)
        canvas_format(canvas, LABEL, y++, ROLE_MUTED, "%d term%s not live here (a shows all)", hidden,
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

/* "71.41 s in pinned 1, -2.966 s"; or that the baseline has none. */
static void draw_before(const struct ui *ui, struct canvas *canvas, int y, double now, const struct explanation *before)
{
    char was[64], change[64];
    if (!before) {
        canvas_format(canvas, LABEL, y, ROLE_TEXT, "pinned %d has no such figure", ui->baseline_number);
        return;
    }
    double delta = now - before->value;
    live_value(before->value, before->unit, units_are_decimal(), was, sizeof was);
    live_value(fabs(delta), before->unit, units_are_decimal(), change, sizeof change);
    if (delta == 0)
        canvas_format(canvas, LABEL, y, ROLE_TEXT, "the same in pinned %d", ui->baseline_number);
    else
        canvas_format(canvas, LABEL, y, ROLE_TEXT, "%s in pinned %d, %c%s", was, ui->baseline_number,
                      delta < 0 ? '-' : '+', change);
}

/* Keys of the page, where a row is left for them. */
static void draw_page_keys(const struct ui *ui, struct canvas *canvas, int y, int width, int height)
{
    char text[120];
    snprintf(text, sizeof text, "a %s  %sw why  < > stage  W words", ui->explains_all ? "what counts" : "all terms",
             ui->has_baseline ? ui->explains_change ? "c now only  " : "c change  " : "");
    if (y < height)
        canvas_fit(canvas, 0, height - 1, width, ROLE_MUTED, text);
}

/* The 80 % range and what makes it as wide, the largest reason first. */
static int draw_range(struct canvas *canvas, int y, int width, int height, const struct explanation *x)
{
    char low[64], high[64], text[600];
    if (!isfinite(x->range.low) || !isfinite(x->value) || x->value == 0 || y + 4 > height)
        return y;
    live_value(x->range.low, x->unit, units_are_decimal(), low, sizeof low);
    live_value(x->range.high, x->unit, units_are_decimal(), high, sizeof high);
    size_t used = (size_t)snprintf(text, sizeof text, "%s to %s in 8 of 10 runs", low, high);
    for (int i = 0; i < x->reasons && used + sizeof low + 16 < sizeof text; i++) {
        const struct range_reason *reason = &x->reason[i];
        char widens[16] = "";
        if (reason->remedy && reason->remedy[0] && reason->widens >= 1.05)
            snprintf(widens, sizeof widens, " (x%.2g)", reason->widens);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.63s%s", i == 0 ? "; wide for " : ", ",
                                 reason->label, widens);
    }
    return draw_labelled(canvas, y, width, "range", text);
}

static void draw_value(const struct ui *ui, const char *path, struct canvas *canvas, int width, int height,
                       int selected)
{
    struct explanation x, first, before;
    char value[64], text[200];
    if (explain_value(ui->shown, path, &first) != 0) {
        canvas_wrap(canvas, 0, 0, width, ROLE_TEXT,
                    "There is nothing to explain about this value in the present plan.");
        return;
    }
    x = first;
    int rows[EXPLAIN_INPUTS_MAX], count = page_of(ui, &x, rows), y = 0;
    bool asks = selected >= 0 && ui->explains_change && ui->has_baseline;
    bool has_before = asks && explain_value(ui->baseline, x.path, &before) == 0;
    live_value(first.value, first.unit, units_are_decimal(), value, sizeof value);
    snprintf(text, sizeof text, "%s = %s", first.label, value);
    y = canvas_wrap(canvas, 0, y, width, ROLE_TITLE, text);
    if (asks)
        draw_before(ui, canvas, y++, x.value, has_before ? &before : NULL);
    if (has_before && ui->shown != ui->now)
        y = draw_labelled(canvas, y, width, "changed",
                          "of the last valid plan; correct the plan to see which keys changed it");
    else if (has_before && is_explained(ui, path))
        y = draw_changes(ui, canvas, y, width, height / 3, first.unit);
    y = draw_formula(ui, &x, canvas, y, width, x.inputs - count);
    if (count > 0 && y < height)
        canvas_text(canvas, 0, y++, ROLE_TITLE, selected < 0 ? "made of" : "made of (Enter opens)");
    /* the rest stands below where there is room */
    int rest = height - 5 > y + 2 ? 5 : height - 3 > y + 1 ? 3 : 0, room = selected < 0 ? height : height - rest;
    struct input_table table = {
        .x = &x, .before = has_before ? &before : NULL, .rows = rows, .count = count, .selected = selected};
    y = draw_inputs(ui, &table, canvas, y, width, room) + (rest > 3 && selected >= 0);
    y = draw_range(canvas, y, width, height, &first);
    if (room < height && is_explained(ui, path))
        y = draw_keys(ui, canvas, y, width, height - y - 2);
    enum basis basis = explain_basis(ui->shown, &x);
    y = draw_labelled(canvas, y, width, "basis", bases[basis]);
    y = draw_labelled(canvas, y, width, "source", x.source);
    y = draw_labelled(canvas, y, width, "without", first.not_included);
    if (selected >= 0)
        draw_page_keys(ui, canvas, y, width, height);
}

/* What each other value of a switch or a choice would give. */
static void try_values(struct ui *ui, enum param id)
{
    int count = plan_diff_values(id);
    for (int value = 0; value < count && ui->explained.value_count < OTHER_VALUES_MAX; value++)
        if (value != ui->now->plan.value[id]) {
            struct value_diff *one = &ui->explained.value[ui->explained.value_count++];
            one->value = value;
            plan_diff_value(&ui->plan, ui->shown, id, value, ui->scratch, &one->diff);
        }
}

/* A figure of another estimate, by its path. */
static double value_at(const void *path, const struct estimate *e)
{
    struct explanation x;
    return explain_value(e, path, &x) == 0 ? x.value : (double)NAN;
}

void explain_update(struct ui *ui, const char *path)
{
    bool asks = ui->explains_change && ui->has_baseline;
    unsigned baseline = asks ? ui->baseline_generation : 0;
    int key = param_find(path);
    if (is_explained(ui, path) && ui->explained.baseline_generation == baseline)
        return;
    ui->explained.generation = ui->generation;
    ui->explained.baseline_generation = baseline;
    snprintf(ui->explained.path, sizeof ui->explained.path, "%s", path);
    ui->explained.count = ui->explained.change.count = 0;
    ui->explained.value_count = 0;
    if (key >= 0) {
        try_values(ui, (enum param)key);
        explain_uses(ui->shown, (enum param)key, &ui->explained.in_memory, &ui->explained.in_time);
        return;
    }
    ui->explained.count = explain_keys(ui->shown, path, ui->explained.keys, &ui->explained.is_whole);
    if (!asks || ui->shown != ui->now)
        return;
    const struct waterfall_figure figure = {value_at, path};
    baseline_changes(ui, &figure, &ui->explained.change);
    ui->explained.mean.count = 0;
    if (baseline_has_mean(ui))
        waterfall_keys_of(&figure, &ui->pin[ui->baseline_number - 1].plan, &ui->plan, ui->scratch, &ui->explained.mean);
}

void explain_draw(const struct ui *ui, struct canvas *canvas, int width, int height, const char *path, int row)
{
    int key = param_find(path);
    if (key >= 0)
        draw_key(ui, canvas, width, height, (enum param)key, row);
    else
        draw_value(ui, path, canvas, width, height, row);
}
