/* The time view: a bar for each stage, and where the iteration of one stage goes. */
#include "core/base.h"
#include "core/plan/param.h"
#include "core/show/figure.h"
#include "core/show/time_parts.h"
#include "ui/command/action.h"
#include "ui/pane/lesson_marks.h"
#include "ui/state/limits.h"
#include "ui/pane/lecture.h"
#include "ui/pane/pane.h"
#include "ui/pane/waterfall.h"
#include "ui/state/result.h"
#include "ui/widget/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last row: all parts together; below computing, where it is opened, its passes. */
enum { ROW_SUM = TIME_PARTS_MAX, ROW_PASSES, PASSES = 4, ROWS = ROW_PASSES + PASSES };

static const struct {
    char letter;
    const char *words, *about, *term;
    size_t offset;
} passes[PASSES] = {
#define PASS(letter, words, about, member) {letter, words, about, #member, offsetof(struct stage_time, member)}
    PASS('f', "forward", "forward passes", forward_s),
    PASS('b', "backward", "backward passes, weight gradients with them", backward_s),
    PASS('w', "of it weights", "weight gradients, which backward passes contain", wgrad_s),
    PASS('r', "repeated", "forward passes that backward repeats", repeat_s),
#undef PASS
};

/* The pass of a row, or -1. */
static int pass_of(int row)
{
    return row >= ROW_PASSES ? row - ROW_PASSES : -1;
}

static bool is_compute(int row)
{
    return row < ROW_SUM && time_parts[row].letter == 'c';
}

/* How a part is painted, in the order of time_parts. */
static const enum role roles[TIME_PARTS_MAX] = {ROLE_BELOW, ROLE_TRAFFIC, ROLE_TRAFFIC, ROLE_TRAFFIC, ROLE_TRAFFIC,
                                                ROLE_IDLE,  ROLE_TRAFFIC, ROLE_STEP,    ROLE_TRAFFIC};

void time_mark(struct canvas *canvas, int x, int y, int part)
{
    canvas_format(canvas, x, y, roles[part], "%c", time_parts[part].letter);
}

/* ---- what is shown ---------------------------------------------------------------------------------------------- */

/* All figures of a pane have one unit, in which the iteration has four digits. */
struct unit {
    double seconds;
    int decimals;
    const char *name;
};

static struct unit unit_of(const struct estimate *e)
{
    double whole_s = e->step.estimated_s;
    struct unit unit = whole_s < 0.9995 ? (struct unit){1e-3, 0, "ms"} : (struct unit){1, 0, "s"};
    double amount = whole_s / unit.seconds;
    unit.decimals = amount < 99.995 ? 2 : amount < 999.95 ? 1 : 0;
    return unit;
}

static struct figure amount(const struct unit *unit, double seconds, int fewer)
{
    struct figure out = {"?"};
    int decimals = unit->decimals > fewer ? unit->decimals - fewer : 0;
    if (isfinite(seconds))
        snprintf(out.text, sizeof out.text, "%.*f", decimals, seconds / unit->seconds);
    return out;
}

/* The same with a sign; "=" where nothing changes. */
static struct figure change(const struct unit *unit, double seconds)
{
    struct figure out = amount(unit, fabs(seconds), 0), none = amount(unit, 0, 0);
    if (!isfinite(seconds))
        return out;
    if (strcmp(out.text, none.text) == 0)
        return (struct figure){"="};
    char text[20];
    snprintf(text, sizeof text, "%.19s", out.text);
    snprintf(out.text, sizeof out.text, "%c%s", seconds < 0 ? '-' : '+', text);
    return out;
}

static int stage_of(const struct ui *ui)
{
    return ui->stage >= 0 && ui->stage < ui->shown->stages ? ui->stage : ui->shown->binding_stage;
}

/* From what is kept, where it is of this plan. */
static void times_of(const struct ui *ui, int stage, struct stage_time *out)
{
    if (ui->times && ui->times->generation == ui->generation)
        *out = ui->times->stage[stage];
    else
        stage_time_of(ui->shown, stage, out);
}

static void keep_times(struct ui *ui)
{
    if (!ui->times)
        ui->times = calloc(1, sizeof *ui->times);
    if (!ui->times || ui->times->generation == ui->generation)
        return;
    for (int i = 0; i < ui->shown->stages; i++)
        stage_time_of(ui->shown, i, &ui->times->stage[i]);
    spent_of(ui->shown, &ui->times->spent);
    ui->times->generation = ui->generation;
}

static double row_seconds(int row, const struct stage_time *time)
{
    int pass = pass_of(row);
    return pass >= 0        ? *(const double *)((const char *)time + passes[pass].offset)
           : row == ROW_SUM ? time->whole_s
                            : time_part(&time_parts[row], time);
}

/* Rows of the table: parts that no stage has are left out. */
struct rows {
    int row[ROWS], count;
};

static struct rows table_rows(const struct ui *ui)
{
    struct rows rows = {.count = 0};
    double most[TIME_PARTS_MAX] = {0};
    bool has_pass[PASSES] = {false}, is_apart = schedule_rows[ui->shown->schedule.kind].apart;
    for (int stage = 0; stage < ui->shown->stages; stage++) {
        struct stage_time time;
        times_of(ui, stage, &time);
        for (int i = 0; i < TIME_PARTS_MAX; i++)
            most[i] = fmax(most[i], time_part(&time_parts[i], &time));
        for (int k = 0; k < PASSES; k++)
            has_pass[k] |= row_seconds(ROW_PASSES + k, &time) > 0 && (passes[k].letter != 'w' || is_apart);
    }
    for (int i = 0; i < TIME_PARTS_MAX; i++) {
        if (most[i] != 0)
            rows.row[rows.count++] = i;
        for (int k = 0; k < PASSES && most[i] != 0 && is_compute(i) && ui->opens_compute; k++)
            if (has_pass[k])
                rows.row[rows.count++] = ROW_PASSES + k;
    }
    rows.row[rows.count++] = ROW_SUM;
    return rows;
}

static int selected_row(const struct ui *ui, const struct rows *rows)
{
    return rows->row[row_within(ui->at[PANE_TIME].row, rows->count)];
}

/* ---- bars ------------------------------------------------------------------------------------------------------- */

/* The bubble is what the bar leaves over. */
static int parts_of(const struct estimate *e, int stage, struct bar_part out[])
{
    struct stage_time time;
    int count = 0;
    stage_time_of(e, stage, &time);
    for (int i = 0; i < TIME_PARTS_MAX; i++)
        if (time_parts[i].letter != '.')
            out[count++] = (struct bar_part){time_parts[i].letter, roles[i], time_part(&time_parts[i], &time),
                                             time_parts[i].words};
    return count;
}

static struct figure busy_of(const struct estimate *e, int stage)
{
    struct stage_time time;
    struct unit unit = unit_of(e);
    stage_time_of(e, stage, &time);
    return amount(&unit, time.busy_s, 1);
}

enum { SCALE_WIDTH = 40 /* columns from which words stand for signs */ };

static int draw_bars(const struct ui *ui, struct canvas *canvas, int y, int width, int rows)
{
    const struct estimate *e = ui->shown;
    struct stage_bars bars = {.pane = PANE_TIME, .stage = stage_of(ui), .decides = e->binding_stage,
                              .scale = e->step.estimated_s, .limit = NAN, .parts = parts_of, .number = busy_of};
    char scale[64];
    snprintf(scale, sizeof scale, width < SCALE_WIDTH ? "of %s" : "of %s, one iteration",
             figure(FIGURE_SECONDS, e->step.estimated_s).text);
    if (y)
        stage_bars_head(ui, canvas, scale, unit_of(e).name, width, rows);
    return stage_bars_draw(ui, canvas, &bars, y, width, rows);
}

/* ---- the parts of one stage ------------------------------------------------------------------------------------- */

enum { LABEL = 15, VALUE = LABEL + 9, SHARE = VALUE + 7, DELTA = 8, STAGE_COLUMN = 6 };

/* Where the columns stand: right edges, 0 where there is none. */
struct columns {
    int value, share, delta, stages, first_stage, all;
};

static struct columns place_columns(const struct ui *ui, int width, int folds)
{
    struct columns c = {.value = VALUE <= width ? VALUE : width, .share = SHARE <= width ? SHARE : 0, .all = folds - 1};
    int edge = c.share ? SHARE : c.value;
    if (ui->has_baseline && edge + DELTA <= width)
        c.delta = edge += DELTA;
    int room = (width - edge) / STAGE_COLUMN;
    c.stages = room < 0 ? 0 : room < c.all ? room : c.all;
    c.first_stage = edge + STAGE_COLUMN;
    return c;
}

static void draw_header(const struct ui *ui, struct canvas *canvas, int y, const struct columns *c,
                        const struct fold folds[])
{
    char name[FOLD_NAME_MAX];
    int x = canvas_format(canvas, 0, y, ROLE_TITLE, "part, stage %d", stage_of(ui));
    if (c->stages < c->all && x + 4 < c->value)
        canvas_text(canvas, x, y, ROLE_MUTED, " < >");
    canvas_right(canvas, c->value, y, ROLE_TITLE, unit_of(ui->shown).name);
    if (c->share)
        canvas_right(canvas, c->share, y, ROLE_TITLE, "share");
    if (c->delta)
        canvas_right(canvas, c->delta, y, ROLE_TITLE, "change");
    for (int i = 0; i < c->stages; i++) {
        fold_name(&folds[stage_column(ui, folds, c->all + 1, stage_of(ui), i, c->stages)], name);
        canvas_right(canvas, c->first_stage + i * STAGE_COLUMN, y, ROLE_MUTED, name);
    }
}

/* A part of this plan's stage less the same part of the baseline's: of the stages that bind, until one is chosen. */
static double baseline_change(const struct ui *ui, int row, double seconds)
{
    const struct estimate *b = ui->baseline;
    struct stage_time time;
    if (!b->is_computed || b->is_serving)
        return NAN;
    stage_time_of(b, ui->stage >= 0 && ui->stage < b->stages ? ui->stage : b->binding_stage, &time);
    return seconds - row_seconds(row, &time);
}

/* A number of row `at` of the table, which a lesson may look at. */
static void draw_number(const struct ui *ui, struct canvas *canvas, int end, int y, int at, int stage, enum role role,
                        const char *text)
{
    canvas_right(canvas, end, y, role, text);
    if (lesson_marks_cell(ui, PANE_TIME, at, stage))
        lesson_marks_draw(canvas, end - text_width(text), y, text_width(text));
}

static void draw_row(const struct ui *ui, struct canvas *canvas, int y, const struct rows *rows, int at,
                     const struct columns *c, const struct fold folds[])
{
    int row = rows->row[at];
    const struct estimate *e = ui->shown;
    const struct unit unit = unit_of(e);
    struct stage_time time;
    enum role role = row == ROW_SUM ? ROLE_TITLE : ROLE_TEXT;
    times_of(ui, stage_of(ui), &time);
    double seconds = row_seconds(row, &time);
    if (pass_of(row) >= 0)
        canvas_format(canvas, 2, y, ROLE_MUTED, "%c %s", passes[pass_of(row)].letter, passes[pass_of(row)].words);
    else if (row == ROW_SUM)
        canvas_text(canvas, 0, y, ROLE_TITLE, "= iteration");
    else
        canvas_text(canvas, canvas_format(canvas, 0, y, roles[row], "%c", time_parts[row].letter) + 1, y, role,
                    time_parts[row].words);
    draw_number(ui, canvas, c->value, y, at, stage_of(ui), role, amount(&unit, seconds, 0).text);
    if (c->share)
        canvas_right(canvas, c->share, y, role, figure(FIGURE_PERCENT, seconds / time.whole_s).text);
    if (c->delta)
        canvas_right(canvas, c->delta, y, role, change(&unit, baseline_change(ui, row, seconds)).text);
    for (int i = 0; i < c->stages; i++) {
        int stage = folds[stage_column(ui, folds, c->all + 1, stage_of(ui), i, c->stages)].first;
        times_of(ui, stage, &time);
        draw_number(ui, canvas, c->first_stage + i * STAGE_COLUMN, y, at, stage, ROLE_TEXT,
                    amount(&unit, row_seconds(row, &time), 1).text);
    }
}

static int draw_table(const struct ui *ui, struct canvas *canvas, int y, int width, int height)
{
    struct fold folds[STAGES_MAX];
    struct columns c = place_columns(ui, width, stage_folds(ui->shown, folds));
    struct rows rows = table_rows(ui);
    int at = row_within(ui->at[PANE_TIME].row, rows.count), top = page_top(at, rows.count, height - 1);
    draw_header(ui, canvas, y++, &c, folds);
    for (int i = 0; i < height - 1 && top + i < rows.count; i++, y++) {
        draw_row(ui, canvas, y, &rows, top + i, &c, folds);
        canvas_link(canvas, 0, y, width, LINK_ROWS + top + i);
        if (top + i == at && pane_has_focus(ui, PANE_TIME))
            canvas_paint(canvas, 2, y, VALUE - 2, ROLE_FOCUS, 0);
    }
    return y;
}

/* ---- the lines below -------------------------------------------------------------------------------------------- */

static void say_compute(const struct ui *ui, int width, char *out, size_t size)
{
    enum { OF_WIDTH = 52 };
    struct stage_time time;
    const struct unit unit = unit_of(ui->shown);
    times_of(ui, stage_of(ui), &time);
    snprintf(out, size,
             width < SCALE_WIDTH ? "f %s  b %s  r %s"
             : width < OF_WIDTH  ? "forward %s  backward %s  repeated %s"
                                 : "of compute: forward %s  backward %s  repeated %s",
             amount(&unit, time.forward_s, 1).text, amount(&unit, time.backward_s, 1).text,
             time.repeat_s > 0 ? amount(&unit, time.repeat_s, 1).text : "0");
}

/* "slowest is stage 3: busy 17.7 of 18.5 s" */
static void draw_slowest(const struct ui *ui, struct canvas *canvas, int y, int width)
{
    const struct estimate *e = ui->shown;
    const struct unit unit = unit_of(e);
    char text[160];
    struct figure busy = busy_of(e, e->binding_stage), all = amount(&unit, e->step.estimated_s, 1);
    snprintf(text, sizeof text, "slowest is stage %d: busy %s of %s %s|slowest: stage %d", e->binding_stage, busy.text,
             all.text, unit.name, e->binding_stage);
    canvas_pick(canvas, 0, y, width, ROLE_MUTED, text);
}

/* What a tenth more of each resource saves: two rows, the most first. */
static void draw_limits(const struct ui *ui, struct canvas *canvas, int y, int width)
{
    enum { FIRST = 25, COLUMN = 9 };
    const double matters = 3e-4;
    const struct unit unit = unit_of(ui->shown);
    int order[LIMITS_MAX], end = FIRST;
    int count = ui->limits.generation == ui->generation ? limits_order(&ui->limits, order) : 0;
    for (int i = 0; i < count && end <= width; i++) {
        double saved_s = -ui->limits.delta_s[order[i]];
        if (saved_s < matters * ui->shown->step.iteration_s)
            continue;
        canvas_right(canvas, end, y, ROLE_TEXT, limit_name(ui, order[i]));
        canvas_right(canvas, end, y + 1, ROLE_TEXT, amount(&unit, saved_s, 0).text);
        end += COLUMN;
    }
    if (end == FIRST)
        return;
    canvas_text(canvas, 0, y, ROLE_MUTED, "10 % more");
    canvas_format(canvas, 0, y + 1, ROLE_MUTED, "saves, %s", unit.name);
}

/* What decides, and what would shorten it. */
static void draw_summary(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    bool has_stages = ui->shown->stages > 1;
    if (ui->shown->is_rl)
        return; /* both describe the update alone */
    if (has_stages)
        draw_slowest(ui, canvas, 0, width);
    if (height >= has_stages + 2)
        draw_limits(ui, canvas, has_stages, width);
}

static void say_speed(const struct ui *ui, char *out, size_t size)
{
    const struct estimate *e = ui->shown;
    snprintf(out, size, "%s tok/s a GPU, %s TFLOP/s of %s",
             units_figure(FIGURE_COUNT, e->step.tokens_per_s_per_gpu).text,
             units_figure(FIGURE_COUNT, e->step.model_tflops_per_gpu).text,
             units_figure(FIGURE_COUNT, e->step.model_tflops_per_gpu / e->step.mfu).text);
}

/* Of the chosen stage: its passes; of the plan: what would shorten it, and its speed. */
static void draw_below(const struct ui *ui, struct canvas *canvas, int y, int width, int height)
{
    char line[128];
    say_compute(ui, width, line, sizeof line);
    if (!ui->opens_compute && y < height)
        canvas_text(canvas, 0, y++, ROLE_MUTED, line);
    if (y + 1 < height) {
        draw_limits(ui, canvas, y, width);
        y += 2;
    }
    say_speed(ui, line, sizeof line);
    if (y < height && text_width(line) <= width)
        canvas_text(canvas, 0, y, ROLE_MUTED, line);
}

/* ---- the view --------------------------------------------------------------------------------------------------- */

static bool has_time(const struct ui *ui)
{
    return ui->shown->is_computed && ui->shown->is_modelled && !ui->shown->is_serving &&
           isfinite(ui->shown->step.estimated_s);
}

/* Where high bars leave no room for the table: what the letters mean, and their shares. */
static void draw_legend(const struct ui *ui, struct canvas *canvas, int y, int width, int height)
{
    const double least = pane_is_lecture(ui) ? 0.02 : 0;
    struct rows rows = table_rows(ui);
    struct stage_time time;
    times_of(ui, stage_of(ui), &time);
    for (int i = 0, x = 0; i < rows.count && rows.row[i] != ROW_SUM; i++) {
        char text[64];
        int part = rows.row[i];
        if (pass_of(part) >= 0 || row_seconds(part, &time) < least * time.whole_s)
            continue;
        struct figure share = figure(FIGURE_PERCENT, row_seconds(part, &time) / time.whole_s);
        const char *words = time_parts[part].words;
        int letters = pane_is_lecture(ui) ? (int)strcspn(words, " ,") : (int)strlen(words);
        int need = 2 + snprintf(text, sizeof text, "%.*s %s", letters, words, share.text);
        if (x > 0 && x + need > width) {
            x = 0;
            y++;
        }
        if (x + need > width || y >= height)
            return;
        time_mark(canvas, x, y, part);
        x = canvas_text(canvas, x + 2, y, ROLE_TEXT, text) + 2;
    }
}

/* Bars of the stages, the parts of one, and what limits. */
static void draw_stages(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    enum { BELOW = 4 /* rows of what follows the table */ };
    struct rows rows = table_rows(ui);
    int least = ui->options.present ? 2
                : height >= 14      ? PANE_TABLE_LEAST
                : height >= 10      ? rows.count + 1
                                    : 0,
        head = height >= 12 && !ui->options.present;
    int bars = stage_bar_rows(ui, height - head - least);
    int y = draw_bars(ui, canvas, head, width, bars);
    if (height - y < 3 || ui->options.present) {
        draw_legend(ui, canvas, y, width, height);
        return;
    }
    bool is_explained = height - y > 1 + rows.count + BELOW;
    if (is_explained)
        draw_slowest(ui, canvas, y++, width);
    y = draw_table(ui, canvas, y, width, height - y);
    draw_below(ui, canvas, y, width, height);
}

/* Below the waterfall: the stages where they have room, else the parts of one stage. */
static void draw_below_waterfall(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    struct rows rows = table_rows(ui);
    if (pane_is_beside(ui) && !pane_has_focus(ui, PANE_TIME)) {
        draw_summary(ui, canvas, width, height);
        return;
    }
    if (height > 4 + rows.count + 1) {
        draw_stages(ui, canvas, width, height);
        return;
    }
    int y = height > rows.count + 1 ? draw_table(ui, canvas, 0, width, height) : 0;
    draw_below(ui, canvas, y, width, height);
}

/* Rows for the waterfall above the rest: all, where the parts of a stage fit below it or nobody goes through them. */
static int waterfall_room(const struct ui *ui, int width, int height)
{
    enum { LEAST = 5, WIDTH = 34 };
    struct rows rows = table_rows(ui);
    int wanted = waterfall_rows(ui), left = height - rows.count - 3;
    if (width < WIDTH || ui->options.present || wanted == 0 || height < LEAST)
        return 0;
    if (pane_has_focus(ui, PANE_TIME) && left >= LEAST)
        return wanted < left ? wanted : left;
    return wanted < height ? wanted : height;
}

/* Of a plan that serves: what a token is spent on, and below it what each batch gives. */
static void draw_serving(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    enum { CURVE_LEAST = 2 };
    struct rect whole = canvas->clip;
    int rows = waterfall_rows(ui);
    bool is_curve_only = pane_has_focus(ui, PANE_TIME) && rows + 1 + CURVE_LEAST > height;
    rows = is_curve_only || ui->options.present ? 0 : rows < height ? rows : height;
    if (rows > 0)
        waterfall_draw(ui, canvas, width, rows);
    rows += rows > 0;
    if (height - rows < CURVE_LEAST)
        return;
    if (pane_is_lecture(ui) && ui->curve.generation == ui->generation) {
        lecture_users(ui, canvas, true, width, height);
        return;
    }
    canvas_clip(canvas, rect_below(whole, rows));
    pane_curve.draw(ui, canvas, width, height - rows);
    canvas_clip(canvas, whole);
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    if (pane_draw_unavailable(ui, canvas, width, PANE_TIME))
        return;
    if (ui->shown->is_serving) {
        draw_serving(ui, canvas, width, height);
        return;
    }
    if (!has_time(ui)) {
        canvas_wrap(canvas, 0, 0, width, ROLE_TEXT,
                    ui->shown->diags.errors > 0
                        ? "The time of an iteration is not known: the plan has errors; i lists them."
                        : "The time of an iteration is not known: a figure of the GPU or the batch is missing.");
        return;
    }
    int rows = waterfall_room(ui, width, height), has_stages = ui->shown->stages > 1;
    struct rect whole = canvas->clip;
    if (rows == 0) {
        draw_stages(ui, canvas, width, height);
        return;
    }
    waterfall_draw(ui, canvas, width, rows);
    int gap = height != rows + has_stages + 2; /* which goes where both lines of what would help fit without it */
    canvas_clip(canvas, (struct rect){whole.x, whole.y + rows + gap, whole.width, whole.height - rows - gap});
    if (height > rows + gap)
        draw_below_waterfall(ui, canvas, width, height - rows - gap);
    canvas_clip(canvas, whole);
}

static int rows_of(const struct ui *ui)
{
    return ui->shown->is_serving ? pane_curve.rows(ui) : has_time(ui) ? table_rows(ui).count : 0;
}

static int wish(const struct ui *ui)
{
    struct fold folds[STAGES_MAX];
    int count = ui->shown->is_computed ? stage_folds(ui->shown, folds) : 1;
    int waterfall = waterfall_rows(ui) + 1;
    return waterfall + 1 + 1 + (count > 16 ? 16 : count) + 1 + rows_of(ui) + 5;
}

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    if (!ui->shown->is_serving && has_time(ui))
        snprintf(out, SUBTITLE_MAX,
                 ui->shown->stages > 1 && !ui->shown->is_rl ? "where %s go, mean of all GPUs|where %s go"
                                                                : "where %s go",
                 figure(FIGURE_SECONDS, estimate_pace(ui->shown)).text,
                 figure(FIGURE_SECONDS, estimate_pace(ui->shown)).text);
    else if (ui->shown->is_serving)
        snprintf(out, SUBTITLE_MAX, "where %s of a token go|where %s go",
                 figure(FIGURE_SECONDS, ui->shown->serving.per_token_s).text,
                 figure(FIGURE_SECONDS, ui->shown->serving.per_token_s).text);
    else
        *out = '\0';
}

static bool path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    snprintf(out, EXPLAIN_PATH_MAX, "serving.per_token_s");
    if (ui->shown->is_serving)
        return ui->shown->is_computed;
    if (!has_time(ui))
        return false;
    struct rows rows = table_rows(ui);
    int row = selected_row(ui, &rows);
    if (row == ROW_SUM)
        snprintf(out, EXPLAIN_PATH_MAX, "time.iteration_s");
    else
        snprintf(out, EXPLAIN_PATH_MAX, "time.stages.%d.%s", stage_of(ui),
                 pass_of(row) >= 0 ? passes[pass_of(row)].term : time_parts[row].term);
    return true;
}

/* The switch that would hide a part behind computing, where the plan has it off. */
static const struct {
    char letter;
    enum param key;
} hiding[] = {{'t', PARAM_parallel_overlap_tp}, {'x', PARAM_parallel_overlap_cp}, {'e', PARAM_parallel_overlap_ep},
              {'p', PARAM_parallel_overlap_p2p},
              {'d', PARAM_parallel_overlap_grad_reduce}, {'d', PARAM_parallel_overlap_param_gather}};

/* "; overlap_tp on: -13.2 s" */
static void say_hiding(const struct ui *ui, int row, char out[UI_MESSAGE_MAX])
{
    for (size_t i = 0; i < LENGTH(hiding); i++) {
        struct plan plan = ui->plan;
        size_t used = strlen(out);
        if (hiding[i].letter != time_parts[row].letter || ui->shown->plan.value[hiding[i].key] > 0)
            continue;
        param_set(&plan, hiding[i].key, 1);
        estimate_plan(&plan, ui->scratch);
        double change_s = ui->scratch->step.iteration_s - ui->shown->step.iteration_s;
        if (ui->scratch->diags.errors == 0 && change_s < 0)
            snprintf(out + used, UI_MESSAGE_MAX - used, "; %s on: %s", param_rows[hiding[i].key].key,
                     figure_delta(FIGURE_SECONDS, change_s).text);
    }
}

static void describe(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    out[0] = '\0';
    if (ui->shown->is_serving)
        pane_curve.describe(ui, out);
    if (!has_time(ui))
        return;
    struct rows rows = table_rows(ui);
    struct stage_time time;
    int row = selected_row(ui, &rows);
    times_of(ui, stage_of(ui), &time);
    double seconds = row_seconds(row, &time);
    if (row == ROW_SUM)
        snprintf(out, UI_MESSAGE_MAX, "one iteration: %s", figure(FIGURE_SECONDS, seconds).text);
    else
        snprintf(out, UI_MESSAGE_MAX, "%c  %s: %s = %s of the iteration%s",
                 pass_of(row) >= 0 ? passes[pass_of(row)].letter : time_parts[row].letter,
                 pass_of(row) >= 0 ? passes[pass_of(row)].about : time_parts[row].about,
                 figure(FIGURE_SECONDS, seconds).text, figure(FIGURE_PERCENT, seconds / time.whole_s).text,
                 is_compute(row) ? ui->opens_compute ? "; Enter closes it" : "; Enter opens its passes"
                 : pass_of(row) >= 0 ? "; Enter: its operators" : "");
    if (row < ROW_SUM)
        say_hiding(ui, row, out);
}

/* Up and down go through the parts, left and right through the stages. */
static bool move(struct ui *ui, int dx, int dy)
{
    struct fold folds[STAGES_MAX];
    int count = has_time(ui) ? stage_folds(ui->shown, folds) : 0,
        row = row_within(ui->at[PANE_TIME].row + dy, rows_of(ui));
    bool is_moved = row != ui->at[PANE_TIME].row;
    ui->at[PANE_TIME].row = row;
    int next = count ? fold_of(folds, count, stage_of(ui)) + dx : -1;
    if (dx == 0 || next < 0 || next >= count)
        return is_moved;
    ui->stage = folds[next].first;
    return true;
}

/* What a part is made of: passes and their operators, traffic of its dimension, or its equation. */
static bool open(struct ui *ui)
{
    if (ui->shown->is_serving)
        return pane_curve.open(ui);
    if (!has_time(ui))
        return false;
    struct rows rows = table_rows(ui);
    int row = selected_row(ui, &rows);
    bool is_pass = pass_of(row) >= 0, is_wait = row < ROW_SUM && time_parts[row].letter == '.';
    if (is_wait) {
        ui->stage = stage_of(ui);
        schedule_first_wait(ui);
    }
    if (is_compute(row))
        ui->opens_compute = !ui->opens_compute;
    if (is_wait || is_compute(row))
        return true;
    if (row == ROW_SUM || (!is_pass && time_parts[row].dim < 0))
        return false;
    ui->stage = stage_of(ui);
    ui->view = is_pass ? PANE_LAYERS : PANE_COMM;
    ui->at[ui->view].row = ui->at[ui->view].column = 0;
    ui->traffic.only = ui->view == PANE_COMM ? time_parts[row].dim + 1 : ui->traffic.only;
    return true;
}

/* A part of a bar is its stage and its row. */
static void click(struct ui *ui, int x, int y)
{
    struct rows rows = {.count = 0};
    char letter = stage_bar_click(ui);
    (void)x;
    (void)y;
    pane_click_row(ui, PANE_TIME);
    if (letter)
        rows = table_rows(ui);
    for (int i = 0; i < rows.count; i++)
        if (rows.row[i] < ROW_SUM && time_parts[rows.row[i]].letter == letter)
            ui->at[PANE_TIME].row = i;
}

static void update(struct ui *ui)
{
    curve_update(ui);
    if (!has_time(ui))
        return;
    keep_times(ui);
    limits_update(ui);
}

static const struct view_key keys[] = {
    {'v', NULL, "another key along the curve of a plan that serves", curve_next}, {0}};

static const struct pane_member members[] = {PANE_MEMBER(curve.generation), PANE_MEMBER(opens_compute), {0}};

const struct pane pane_time = {
    .is_steady = true, .members = members, .title = "Time", .wish = wish, .rows = rows_of,
    .subtitle = subtitle, .sentence = waterfall_sentence,
    .draw = draw, .path = path, .describe = describe, .move = move, .click = click, .open = open, .update = update,
    .keys = keys,
};
