/* The diff view: the plan against a baseline: what the user changed, what follows, figures, and why they differ. */
#include "core/estimate/constants.h"
#include "core/plan/param.h"
#include "core/show/components.h"
#include "core/show/time_parts.h"
#include "ui/state/baseline.h"
#include "ui/pane/pane.h"
#include "ui/state/result.h"
#include "ui/widget/bar.h"
#include "ui/widget/form.h"
#include "ui/widget/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 15, VALUE = 9, BAR_MAX = 20, STEP_TEXT = 160,
      LINES_MAX = 2 * PARAM_COUNT + RESULT_COUNT + 2 * WATERFALL_MAX + 12 };

enum line_kind { LINE_HEAD, LINE_KEY, LINE_FOLLOWS, LINE_TITLES, LINE_RESULT, LINE_STEP };

struct line {
    enum line_kind kind;
    int id;                     /* enum param, enum result_id, or the step's place */
    const struct waterfall *of, *mean; /* of a step; `mean`: over all orders, by key */
    char head[72];
};

struct lines_of {
    const struct ui *ui;
    struct waterfall memory, time, memory_mean, time_mean;
    int count, keys, follows;
    struct line line[LINES_MAX];
};

/* ---- what changed ----------------------------------------------------------------------------------------------- */

static const struct plan *before(const struct ui *ui)
{
    return &ui->baseline->plan;
}

static const struct plan *after(const struct ui *ui)
{
    return &ui->shown->plan;
}

static struct line *add(struct lines_of *lines, enum line_kind kind, int id)
{
    struct line *line = &lines->line[lines->count < LINES_MAX ? lines->count++ : LINES_MAX - 1];
    *line = (struct line){.kind = kind, .id = id};
    return line;
}

static int add_keys(struct lines_of *lines, enum diff_key difference, enum line_kind kind)
{
    const struct ui *ui = lines->ui;
    int count = 0;
    for (int form = 0; form < PANE_FORMS; form++)
        for (int i = 0; i < ui->field_count[form]; i++)
            if (plan_diff_key(before(ui), after(ui), ui->fields[form][i]) == difference) {
                add(lines, kind, (int)ui->fields[form][i]);
                count++;
            }
    return count;
}

static bool is_by_key(const struct ui *ui)
{
    return ui->by_key.generation == ui->generation && ui->by_key.baseline == ui->baseline_number;
}

static void add_steps(struct lines_of *lines, const char *what, const struct waterfall *of,
                      const struct waterfall *mean, enum figure_kind kind)
{
    struct figure total = units_delta(kind, of->to - of->from);
    if (of->count == 0)
        return;
    struct line *head = add(lines, LINE_HEAD, 0);
    snprintf(head->head, sizeof head->head, "why %s %s%s%s", what, total.text,
             kind == FIGURE_GIB ? units_word(" GiB").text : "", is_by_key(lines->ui) ? ", in your order" : "");
    head->mean = mean;
    for (int i = 0; i < of->count; i++) {
        struct line *line = add(lines, LINE_STEP, i);
        line->of = of;
        line->mean = mean;
    }
}

static void find_steps(struct lines_of *lines)
{
    const struct ui *ui = lines->ui;
    if (is_by_key(ui)) {
        lines->memory = ui->by_key.memory;
        lines->time = ui->by_key.time;
        lines->memory_mean = ui->by_key.memory_mean;
        lines->time_mean = ui->by_key.time_mean;
        return;
    }
    lines->memory.count = lines->time.count = lines->memory_mean.count = lines->time_mean.count = 0;
    if (ui->shown->is_serving || ui->baseline->is_serving)
        return;
    waterfall_memory(ui->baseline, ui->shown, &lines->memory);
    waterfall_time(ui->baseline, ui->shown, &lines->time);
}

static void find_lines(const struct ui *ui, struct lines_of *lines)
{
    enum { MAIN = RESULT_MFU + 1 }; /* figures before the reasons; the others stand behind them */
    lines->ui = ui;
    lines->count = 0;
    struct line *head = add(lines, LINE_HEAD, 0);
    lines->keys = add_keys(lines, DIFF_GIVEN, LINE_KEY);
    lines->follows = add_keys(lines, DIFF_DERIVED, LINE_FOLLOWS);
    snprintf(head->head, sizeof head->head, lines->follows ? "%d changed by you, %d follow%s" : "%d changed by you",
             lines->keys, lines->follows, lines->follows == 1 ? "s" : "");
    add(lines, LINE_TITLES, 0);
    for (int i = 0; i < MAIN; i++)
        add(lines, LINE_RESULT, i);
    find_steps(lines);
    add_steps(lines, ui->shown->is_serving ? "token" : "iteration", &lines->time, &lines->time_mean,
              FIGURE_SECONDS);
    add_steps(lines, "fullest", &lines->memory, &lines->memory_mean, FIGURE_GIB);
    snprintf(add(lines, LINE_HEAD, 0)->head, sizeof head->head, "other figures");
    for (int i = MAIN; i < RESULT_COUNT; i++)
        if (!isnan(result_value((enum result_id)i, ui->shown)) || !isnan(result_value((enum result_id)i, ui->baseline)))
            add(lines, LINE_RESULT, i);
}

/* ---- drawing ---------------------------------------------------------------------------------------------------- */

/* Its name, else "pinned 1". */
static void say_baseline(const struct ui *ui, char *out, size_t size)
{
    const struct pin *pin = &ui->pin[ui->baseline_number - 1];
    if (*pin->name)
        snprintf(out, size, "%s", pin->name);
    else
        snprintf(out, size, "pinned %d", ui->baseline_number);
}

static void draw_result(const struct ui *ui, struct canvas *canvas, int y, enum result_id id)
{
    const struct result *row = result_row(id, ui->shown);
    double new = result_value(id, ui->shown), delta = result_delta(id, ui->baseline, ui->shown), old = new - delta;
    const enum figure_kind kind = row->kind == FIGURE_SPAN ? FIGURE_SECONDS : row->kind; /* columns are narrow */
    struct figure text = units_delta(kind, delta);
    bool is_same = text.text[0] == '=' || isnan(delta);
    char share[16] = "";
    enum role role = is_same || !row->better ? ROLE_TEXT : (delta > 0) == (row->better > 0) ? ROLE_GOOD : ROLE_BAD;
    if (!is_same && old != 0 && row->kind != FIGURE_PERCENT && id != RESULT_HEADROOM)
        snprintf(share, sizeof share, "%+.1f%%", 100 * delta / fabs(old));
    char name[40];
    snprintf(name, sizeof name, "%s%s%s", row->name, row->kind == FIGURE_GIB ? " " : "",
             row->kind == FIGURE_GIB ? units_name() : "");
    canvas_fit(canvas, 0, y, NAME - 1, ROLE_TEXT, name);
    canvas_right(canvas, NAME + VALUE, y, ROLE_TEXT, units_figure(kind, old).text);
    canvas_right(canvas, NAME + 2 * VALUE, y, ROLE_TEXT, units_figure(kind, new).text);
    canvas_right(canvas, NAME + 3 * VALUE, y, role, text.text);
    canvas_right(canvas, NAME + 3 * VALUE + 8, y, ROLE_MUTED, share);
}

static void draw_key(const struct ui *ui, struct canvas *canvas, int y, int width, const struct line *line)
{
    char one[FIELD_TEXT_MAX], two[FIELD_TEXT_MAX], text[2 * FIELD_TEXT_MAX + 8], name[64];
    bool is_following = line->kind == LINE_FOLLOWS;
    form_value(before(ui), (enum param)line->id, one);
    form_value(after(ui), (enum param)line->id, two);
    snprintf(text, sizeof text, "%s -> %s", one, two);
    int x = is_following ? canvas_text(canvas, 2, y, ROLE_MUTED, "follows: ") : 2;
    form_name((enum param)line->id, name);
    x = canvas_fit(canvas, x, y, width - x, ROLE_TEXT, name);
    x = x < 24 ? 24 : x + 1;
    canvas_fit(canvas, x, y, width - x, ROLE_TEXT, text);
}

static bool is_memory(const struct waterfall *of)
{
    return of->from > 1e6; /* bytes, not seconds */
}

static bool is_term(const char *term, const char *name, const char *end)
{
    size_t length = strlen(name);
    return strncmp(term, name, length) == 0 && strcmp(term + length, end) == 0;
}

/* Draws a part like the memory and time views, "d data dp"; false if they do not have it. */
static bool draw_part(struct canvas *canvas, int y, int width, const struct line *line)
{
    enum { LETTER = 2, WORDS = 4 };
    const struct waterfall_step *step = &line->of->step[line->id];
    for (int i = 0; i < TIME_PARTS_MAX && !is_memory(line->of); i++)
        if (is_term(time_parts[i].term, step->name, "_s")) {
            time_mark(canvas, LETTER, y, i);
            canvas_fit(canvas, WORDS, y, width - WORDS, ROLE_TEXT, time_parts[i].words);
            return true;
        }
    for (int i = 0; i < stage_components.count && is_memory(line->of); i++)
        if (is_term(stage_components.row[i].term, step->name, "_bytes") && stage_components.row[i].letter) {
            component_mark(canvas, LETTER, y, &stage_components.row[i]);
            canvas_fit(canvas, WORDS, y, width - WORDS, ROLE_TEXT, stage_components.row[i].name);
            return true;
        }
    return false;
}

static void write_step(const struct ui *ui, const struct waterfall_step *step, char out[STEP_TEXT])
{
    if (step->label)
        snprintf(out, STEP_TEXT, "%s", step->label);
    else
        baseline_step(ui, step, out, STEP_TEXT);
}

enum { AMOUNT = 12, LABEL = 26, MEAN = 11, BAR_LEAST = 7 };

/* Left of a line in the middle what is less, right of it what is more. */
static void draw_change(struct canvas *canvas, int x, int y, int width, double share)
{
    int half = (width - 1) / 2;
    if (share < 0)
        bar_step(canvas, x, y, half, 1 + share, 1, ROLE_USEFUL, '<');
    else if (share > 0)
        bar_step(canvas, x + half + 1, y, half, 0, share, ROLE_TRAFFIC_MOST, '>');
    canvas_text(canvas, x + half, y, ROLE_FAINT, canvas->ascii ? "|" : "\xe2\x94\x82");
}

static void draw_step(const struct ui *ui, struct canvas *canvas, int y, int width, const struct line *line)
{
    const struct waterfall_step *step = &line->of->step[line->id];
    enum figure_kind kind = is_memory(line->of) ? FIGURE_GIB : FIGURE_SECONDS;
    int right = step->label ? BAR_MAX : MEAN, room = width - LABEL - AMOUNT - 2;
    right = room > right ? right : room < 0 ? 0 : room;
    int name = width - AMOUNT - right - 2, marks_at = name + AMOUNT + 1;
    double largest = 0, mean = baseline_mean(line->mean, step);
    for (int i = 0; i < line->of->count; i++)
        largest = fmax(largest, fabs(line->of->step[i].delta));
    char text[STEP_TEXT];
    write_step(ui, step, text);
    if (!draw_part(canvas, y, name - 1, line))
        canvas_fit(canvas, 2, y, name - 3, ROLE_TEXT, text);
    canvas_right(canvas, name + AMOUNT - 1, y, ROLE_TEXT, units_delta(kind, step->delta).text);
    bool is_same = units_delta(kind, step->delta).text[0] == '=';
    if (step->label && right >= BAR_LEAST)
        draw_change(canvas, marks_at, y, right, is_same ? 0 : step->delta / largest);
    else if (isfinite(mean))
        canvas_right(canvas, width, y, ROLE_MUTED, units_delta(kind, mean).text);
}

static void draw_head(struct canvas *canvas, int y, int width, const struct line *line)
{
    int end = canvas_fit(canvas, 0, y, width, ROLE_TITLE, line->head);
    if (line->mean && line->mean->count > 1 && end + MEAN < width)
        canvas_right(canvas, width, y, ROLE_MUTED, "any order");
}

static void draw_line(const struct ui *ui, struct canvas *canvas, int y, int width, const struct line *line)
{
    enum { STEPS_WIDTH = 80 };
    char baseline[40];
    if (line->of || line->mean)
        width = width < STEPS_WIDTH ? width : STEPS_WIDTH;
    switch (line->kind) {
    case LINE_HEAD: draw_head(canvas, y, width, line); break;
    case LINE_KEY:
    case LINE_FOLLOWS: draw_key(ui, canvas, y, width, line); break;
    case LINE_TITLES:
        say_baseline(ui, baseline, sizeof baseline);
        canvas_right(canvas, NAME + VALUE, y, ROLE_MUTED, text_width(baseline) < VALUE + NAME / 2 ? baseline : "then");
        canvas_right(canvas, NAME + 2 * VALUE, y, ROLE_MUTED, "now");
        canvas_right(canvas, NAME + 3 * VALUE, y, ROLE_MUTED, "change");
        break;
    case LINE_RESULT: draw_result(ui, canvas, y, (enum result_id)line->id); break;
    case LINE_STEP: draw_step(ui, canvas, y, width, line); break;
    }
}

/* Columns of a selected line: its name, a heading whole. */
static int marked_width(const struct line *line, int width)
{
    enum { NAMES = 24 };
    int wide = line->kind == LINE_HEAD ? text_width(line->head) : NAMES;
    return wide < width ? wide : width;
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    struct lines_of lines;
    if (!ui->has_baseline) {
        canvas_wrap(canvas, 0, 0, width, ROLE_TEXT,
                    "No baseline yet: b (:baseline) pins the present plan. Change something, and compare here.");
        return;
    }
    find_lines(ui, &lines);
    bool is_focused = pane_has_focus(ui, PANE_DIFF);
    int selected = is_focused ? row_within(ui->at[PANE_DIFF].row, lines.count) : 0,
        top = page_top(selected, lines.count, height);
    for (int i = top; i < lines.count && i - top < height; i++) {
        draw_line(ui, canvas, i - top, width, &lines.line[i]);
        canvas_link(canvas, 0, i - top, width, LINK_ROWS + i);
        if (is_focused && i == selected)
            canvas_paint(canvas, 0, i - top, marked_width(&lines.line[i], width), ROLE_FOCUS, 0);
    }
    char part[32];
    snprintf(part, sizeof part, " %d-%d of %d", top + 1, top + height, lines.count);
    if (lines.count > height)
        canvas_right(canvas, width, 0, ROLE_MUTED, part);
}

/* ---- the view --------------------------------------------------------------------------------------------------- */

static int rows_of(const struct ui *ui)
{
    struct lines_of lines;
    if (!ui->has_baseline)
        return 0;
    find_lines(ui, &lines);
    return lines.count;
}

static int wish(const struct ui *ui)
{
    return ui->has_baseline ? rows_of(ui) + 1 : 5;
}

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    const struct pin *pin = &ui->pin[ui->has_baseline ? ui->baseline_number - 1 : 0];
    char others[32] = "", name[40] = "";
    if (ui->has_baseline)
        say_baseline(ui, name, sizeof name);
    if (ui->pins > 1)
        snprintf(others, sizeof others, ", one of %d", ui->pins);
    if (ui->has_baseline)
        snprintf(out, SUBTITLE_MAX, "%s%s%s%s against %s%s%s", name, *pin->time ? " (" : "", pin->time,
                 *pin->time ? ")" : "", ui->shown != ui->now ? "the last valid plan" : "this plan", others,
                 is_by_key(ui) ? ", by key" : "");
    else
        snprintf(out, SUBTITLE_MAX, "no baseline");
}

static const struct line *selected_line(const struct ui *ui, struct lines_of *lines)
{
    if (!ui->has_baseline)
        return NULL;
    find_lines(ui, lines);
    return &lines->line[row_within(ui->at[PANE_DIFF].row, lines->count)];
}

/* Its first key, or the part of the iteration or fullest stage. */
static bool step_path(const struct ui *ui, const struct waterfall_step *step, char out[EXPLAIN_PATH_MAX])
{
    static const char *const ends[] = {"_s", "_exposed_s"};
    struct explanation x;
    if (!step->label) {
        snprintf(out, EXPLAIN_PATH_MAX, "%.*s", (int)strcspn(step->name, "+"), step->name);
        return param_find(out) >= 0;
    }
    for (int i = 0; i < 2; i++) {
        snprintf(out, EXPLAIN_PATH_MAX, "time.%.40s%s", step->name, ends[i]);
        if (explain_value(ui->shown, out, &x) == 0)
            return true;
    }
    snprintf(out, EXPLAIN_PATH_MAX, "memory.stages.%d.%.40s_bytes", ui->shown->peak_stage, step->name);
    return explain_value(ui->shown, out, &x) == 0;
}

static bool path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    struct lines_of lines;
    const struct line *line = selected_line(ui, &lines);
    if (!line || line->kind == LINE_HEAD || line->kind == LINE_TITLES)
        return false;
    if (line->kind == LINE_STEP)
        return step_path(ui, &line->of->step[line->id], out);
    snprintf(out, EXPLAIN_PATH_MAX, "%s",
             line->kind == LINE_RESULT ? result_row((enum result_id)line->id, ui->shown)->path
                                       : param_rows[line->id].dotted);
    return true;
}

static bool write_speed(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    struct diff_speed speed;
    char name[40];
    say_baseline(ui, name, sizeof name);
    plan_diff_speed(ui->baseline, ui->shown, &speed);
    bool is_faster = speed.log_time > 0;
    double sure = is_faster ? speed.probability : 1 - speed.probability;
    if (!isfinite(sure))
        return false;
    double share = is_faster ? 1 - exp(-speed.log_time) : exp(-speed.log_time) - 1;
    snprintf(out, UI_MESSAGE_MAX, "%.0f %% %s than %s%s (%.0f %% sure%s)", 100 * share, is_faster ? "faster" : "slower",
             name, speed.is_same_batch ? "" : ", for as many tokens on as many GPUs", 100 * sure,
             sure >= pair_decided ? "" : ": within the error of the estimate");
    return true;
}

static void describe(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    struct lines_of lines;
    const struct line *line = selected_line(ui, &lines);
    out[0] = '\0';
    char step[STEP_TEXT];
    if (line && line->kind == LINE_STEP) {
        write_step(ui, &line->of->step[line->id], step);
        snprintf(out, UI_MESSAGE_MAX, "%.120s: one of the steps that sum to the difference%s", step,
                 is_by_key(ui) ? ", changed after those above it; any order: the mean over all orders" : "");
    } else if (line && is_by_key(ui))
        snprintf(out, UI_MESSAGE_MAX,
                 "effect of each key after the previous ones; any order: mean over all orders; K: by part");
    else if (line && !write_speed(ui, out))
        snprintf(out, UI_MESSAGE_MAX, "s swaps plan and baseline, r goes back to it, < > another baseline, K by key");
}

static void turn_by_key(struct ui *ui)
{
    bool is_on = is_by_key(ui);
    ui->by_key.generation = 0;
    if (is_on || !ui->has_baseline || ui->shown->is_serving || ui->baseline->is_serving)
        return;
    if (ui->shown != ui->now) {
        ui_say(ui, ROLE_WARN, "by key needs a valid plan");
        return;
    }
    baseline_changes(ui, &waterfall_fullest, &ui->by_key.memory);
    baseline_changes(ui, &waterfall_iteration, &ui->by_key.time);
    ui->by_key.memory_mean.count = ui->by_key.time_mean.count = 0;
    if (baseline_has_mean(ui))
        waterfall_keys(&ui->pin[ui->baseline_number - 1].plan, &ui->plan, ui->scratch, &ui->by_key.memory_mean,
                       &ui->by_key.time_mean);
    ui->by_key.generation = ui->generation;
    ui->by_key.baseline = ui->baseline_number;
}

static void choose(struct ui *ui, int by)
{
    int next = ui->baseline_number + by;
    baseline_choose(ui, next < 1 ? ui->pins : next > ui->pins ? 1 : next);
}

static void choose_next(struct ui *ui) { choose(ui, 1); }
static void choose_previous(struct ui *ui) { choose(ui, -1); }
static void unpin(struct ui *ui) { baseline_unpin(ui, ui->baseline_number); }

/* All need a baseline; switching needs two. */
static bool does(const struct ui *ui, int key)
{
    return ui->has_baseline && ((key != '>' && key != '<') || ui->pins > 1);
}

static const struct view_key keys[] = {
    {'s', "swap", "exchange the plan and the baseline", baseline_swap},
    {'r', "back to it", "replace the plan by the baseline", baseline_back},
    {'K', "by key", "contribution of each changed key", turn_by_key},
    {'>', "baseline", "compare with the next baseline", choose_next},
    {'<', NULL, "compare with the previous baseline", choose_previous},
    {KEY_DELETE, NULL, "unpin this baseline", unpin},
    {0},
};

const struct pane pane_diff = {
    .is_page = true, .title = "Compare", .wish = wish, .rows = rows_of,
    .subtitle = subtitle, .draw = draw, .path = path, .describe = describe, .keys = keys,
    .does = does,
};
