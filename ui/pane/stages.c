/* Stages that look alike are shown as one: which they are, what they are called, and how wide that is. */
#include "core/base.h"
#include "ui/pane/lecture.h"
#include "ui/pane/lesson_marks.h"
#include "ui/pane/pane.h"
#include "ui/widget/table.h"
#include "ui/widget/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_same(double one, double other)
{
    return one == other || (isnan(one) && isnan(other));
}

static bool has_same_memory(const struct estimate *e, int a, int b)
{
    for (int i = 0; i < stage_components.count; i++)
        if (!is_same(stage_component(&stage_components.row[i], e, &e->stage[a]),
                     stage_component(&stage_components.row[i], e, &e->stage[b])))
            return false;
    return true;
}

static bool has_same_time(const struct estimate *e, int a, int b)
{
    const struct pass *one = &e->pass[a], *other = &e->pass[b];
    return is_same(one->micro_s, other->micro_s) && is_same(one->tp_s, other->tp_s) &&
           is_same(one->pp_s, other->pp_s) && is_same(e->stage[a].owned, e->stage[b].owned);
}

int stage_folds(const struct estimate *e, struct fold out[STAGES_MAX])
{
    int count = 0;
    for (int i = 0; i < e->stages; i++) {
        if (count > 0 && has_same_memory(e, i, i - 1) && has_same_time(e, i, i - 1))
            out[count - 1].last = i;
        else
            out[count++] = (struct fold){i, i};
    }
    return count;
}

void fold_name(const struct fold *fold, char out[FOLD_NAME_MAX])
{
    if (fold->first == fold->last)
        snprintf(out, FOLD_NAME_MAX, "s%d", fold->first);
    else
        snprintf(out, FOLD_NAME_MAX, "s%d-s%d", fold->first, fold->last);
}

int fold_of(const struct fold folds[], int count, int stage)
{
    for (int i = 0; i < count; i++)
        if (stage <= folds[i].last)
            return i;
    return 0;
}

/* The fold of column number `column` of a table that has the stage's own fold in front. */
static int fold_beside(const struct fold folds[], int count, int stage, int column)
{
    int own = fold_of(folds, count, stage);
    return column < own ? column : column + 1;
}

int stage_column(const struct ui *ui, const struct fold folds[], int count, int stage, int column, int columns)
{
    int from_end = columns;
    for (int i = 0; i < count; i++) {
        bool is_own = i == fold_of(folds, count, stage), is_there = false;
        for (int k = 0; k < columns; k++)
            is_there |= fold_beside(folds, count, stage, k) == i;
        if (!is_own && !is_there && lesson_marks_stage(ui, folds[i].first) && from_end > 0 && --from_end == column)
            return i;
    }
    return fold_beside(folds, count, stage, column);
}

/* ---- bars ------------------------------------------------------------------------------------------------------- */

enum { BAR_VALUE = 7, HIGH_LEAST = 5, HIGH_MOST = 12 /* rows of a bar that is read from afar */ };

/* "stage 0" where there is room, "s0", "s1-s6". */
static void bar_name(const struct fold *fold, bool is_long, char out[FOLD_NAME_MAX])
{
    if (is_long && fold->first == fold->last)
        snprintf(out, FOLD_NAME_MAX, "stage %d", fold->first);
    else
        fold_name(fold, out);
}

enum { LONG_NAMES = 50 /* columns of a pane that says "stage 0" */ };

/* Columns of the longest name, and a blank. */
static int name_width(const struct fold folds[], int count, int width_of_pane)
{
    char name[FOLD_NAME_MAX];
    int width = 3;
    for (int i = 0; i < count; i++) {
        bar_name(&folds[i], width_of_pane >= LONG_NAMES, name);
        width = (int)strlen(name) >= width ? (int)strlen(name) + 1 : width;
    }
    return width;
}

/*
 * Rows from one bar to the next: when presenting as many as fill the page, a blank one among them; where that leaves
 * each a single row without one, so many that some of the bars are high enough.
 */
static int pitch_of(const struct ui *ui, int count, int rows)
{
    enum { SOME = 4 /* bars, at least, that stand for all */, LOW = 3 /* where they are but two rows high */ };
    int most = (rows + 1) / count;
    if (!ui->options.present)
        return 1;
    if (most < HIGH_LEAST)
        return (rows + 1) / HIGH_LEAST >= SOME ? HIGH_LEAST : most >= 2 ? most : (rows + 1) / LOW < SOME ? 1 : LOW;
    return most > HIGH_MOST ? HIGH_MOST + 1 : most;
}

/* The fold of bar number `at` of `bars`: all from the first to the last alike, the chosen one among them. */
static int fold_apart(int at, int bars, int count, int chosen)
{
    int nearest = bars > 1 ? (chosen * (bars - 1) + (count - 1) / 2) / (count - 1) : 0;
    return at == nearest ? chosen : at * (count - 1) / (bars - 1);
}

int stage_bar_rows(const struct ui *ui, int room)
{
    struct fold folds[STAGES_MAX];
    int count = stage_folds(ui->shown, folds), wanted = ui->options.present ? count * (HIGH_MOST + 1) - 1 : count;
    return room < 1 ? 1 : room > wanted ? wanted : room;
}

/* Columns behind the bars: a blank, the longest number, the mark, and a blank. */
static int value_width(const struct ui *ui, const struct stage_bars *bars, const struct fold folds[], int count)
{
    int width = BAR_VALUE;
    for (int i = 0; i < count; i++) {
        int own = (int)strlen(bars->number(ui->shown, folds[i].first).text) + 2;
        width = own > width ? own : width;
    }
    return width;
}

/* The bar stands in `where`, its number ends at column `end`. */
static void draw_row(const struct ui *ui, struct canvas *canvas, const struct stage_bars *bars, struct rect where,
                     int end, const struct fold *fold, bool is_first)
{
    struct bar_part parts[COMPONENTS_MAX];
    struct bar bar = {.part = parts, .scale = bars->scale, .limit = bars->limit,
                      .has_gap = true, .has_words = is_first};
    char name[FOLD_NAME_MAX];
    int middle = where.y + where.height / 2;
    bool is_over = bars->is_over && bars->is_over(ui->shown, fold->first),
         decides = fold->first <= bars->decides && bars->decides <= fold->last;
    enum role role = is_over ? ROLE_BAD : decides ? ROLE_STRONG : ROLE_TEXT;
    if (decides) {
        bar.low = bars->low;
        bar.high = bars->high;
    }
    bar_name(fold, end >= LONG_NAMES, name);
    canvas_text(canvas, 0, middle, decides ? ROLE_STRONG : ROLE_TEXT, name);
    bool is_chosen = fold->first <= bars->stage && bars->stage <= fold->last && pane_has_focus(ui, bars->pane);
    if (is_chosen || lesson_marks_stage(ui, fold->first))
        canvas_paint(canvas, 0, middle, (int)strlen(name), ROLE_FOCUS, 0);
    bar.link = LINK_BARS + fold->first * LINK_STAGE;
    for (int y = where.y; y < where.y + where.height; y++)
        canvas_link(canvas, 0, y, end + 2, bar.link);
    bar.parts = bars->parts(ui->shown, fold->first, parts);
    for (int i = 0; i < bar.parts; i++)
        parts[i].role = bars->warned && parts[i].letter == bars->warned ? ROLE_WARN : parts[i].role;
    for (int i = 0; pane_is_lecture(ui) && i < bar.parts; i++) { /* the legend has the words */
        bar.least += LECTURE_SPECK * parts[i].amount;
        parts[i].word = NULL;
    }
    bar_draw(&bar, canvas, where);
    canvas_right(canvas, end, middle, role, bars->number(ui->shown, fold->first).text);
}

/* ---- more stages than rows -------------------------------------------------------------------------------------- */

enum { MANY_LEAST = 4 /* rows from which on one of them stands for all */ };

/* The folds that have a row of their own: the fullest, the first, the last, the chosen one, others evenly apart. */
static void choose_folds(int count, int fullest, int chosen, int lines, int out[])
{
    bool is_taken[STAGES_MAX] = {false};
    const int wanted[] = {fullest, 0, count - 1, chosen};
    int taken = 0;
    for (int i = 0; taken < lines && i < (int)LENGTH(wanted) + count; i++) {
        int at = i < (int)LENGTH(wanted) ? wanted[i] : (i - (int)LENGTH(wanted)) * (count - 1) / (lines - 1) % count;
        taken += !is_taken[at];
        is_taken[at] = true;
    }
    out[0] = fullest;
    for (int i = 0, row = 1; i < count; i++)
        if (is_taken[i] && i != fullest)
            out[row++] = i;
}

static double bytes_of_stage(const struct ui *ui, const struct stage_bars *bars, int stage)
{
    struct bar_part parts[COMPONENTS_MAX];
    double sum = 0;
    for (int i = 0, count = bars->parts(ui->shown, stage, parts); i < count; i++)
        sum += parts[i].amount;
    return sum;
}

/* "all ...... 0 to 15   28-72": a column for each stage, as high as its bar is long. */
static void draw_all(const struct ui *ui, struct canvas *canvas, const struct stage_bars *bars, struct rect where,
                     int end)
{
    enum { WIDE = 4, BLOCKS = 0x2580, EIGHTHS = 8, DIGITS = 9 };
    where.width -= where.x < 4 ? 4 - where.x : 0; /* a blank behind "all" */
    where.x = where.x < 4 ? 4 : where.x;
    int stages = ui->shown->stages, wide = (where.width - 8) / stages, per = 1;
    int steps = canvas->ascii ? DIGITS : EIGHTHS;
    double least = INFINITY, most = 0;
    char text[40];
    wide = wide > WIDE ? WIDE : wide;
    for (; wide < 1 && stages / per > where.width - 8; per++) /* so many stages share a column */
        continue;
    for (int stage = 0, x = where.x; stage < stages; stage += per, x += wide < 1 ? 1 : wide) {
        double bytes = bytes_of_stage(ui, bars, stage), share = bytes / bars->scale * steps;
        int height = isnan(share) ? 1 : (int)fmin(fmax(ceil(share), 1), steps);
        bool is_fullest = stage <= bars->decides && bars->decides < stage + per;
        canvas_repeat(canvas, x, where.y, is_fullest ? ROLE_STRONG : ROLE_MUTED,
                      canvas->ascii ? (uint32_t)('0' + height) : (uint32_t)(BLOCKS + height), wide < 1 ? 1 : wide);
        least = fmin(least, bytes);
        most = fmax(most, bytes);
    }
    canvas_text(canvas, 0, where.y, ROLE_MUTED, "all");
    int used = where.x + (wide < 1 ? (stages + per - 1) / per : stages * wide) + 1;
    snprintf(text, sizeof text, "0 to %d|", stages - 1);
    canvas_pick(canvas, used, where.y, where.x + where.width - used, ROLE_MUTED, text);
    snprintf(text, sizeof text, "%.0f-%.0f", least / units_bytes(), most / units_bytes());
    canvas_right(canvas, end, where.y, ROLE_MUTED, text);
}

int stage_bars_draw(const struct ui *ui, struct canvas *canvas, const struct stage_bars *bars, int y, int width,
                    int rows)
{
    struct fold folds[STAGES_MAX];
    int count = stage_folds(ui->shown, folds), label = name_width(folds, count, width),
        pitch = pitch_of(ui, count, rows);
    int lines = (rows + (pitch > 1)) / pitch, chosen = fold_of(folds, count, bars->stage);
    int top = page_top(chosen, count, lines), own[STAGES_MAX];
    struct rect where = {label, y, width - label - value_width(ui, bars, folds, count), pitch > 1 ? pitch - 1 : 1};
    bool has_all = bars->has_all && pitch == 1 && lines < count && lines >= MANY_LEAST;
    if (has_all)
        choose_folds(count, fold_of(folds, count, bars->decides), chosen, --lines, own);
    for (int i = 0; i < lines && (has_all || top + i < count); i++, where.y += pitch)
        draw_row(ui, canvas, bars, where, width,
                 &folds[has_all                      ? own[i]
                        : lines < count && pitch > 1 ? fold_apart(i, lines, count, chosen)
                                                     : top + i],
                 i == 0);
    if (has_all)
        draw_all(ui, canvas, bars, where, width);
    return y + rows;
}

void stage_bars_axis(const struct ui *ui, struct canvas *canvas, const struct stage_bars *bars, int y, int width)
{
    enum { APART = 9 };
    static const double steps[] = {5, 10, 20, 40, 50, 100, 200, 400, 500, 1000, 2000, 5000};
    struct fold folds[STAGES_MAX];
    int count = stage_folds(ui->shown, folds), label = name_width(folds, count, width);
    int cells = width - label - value_width(ui, bars, folds, count), next = label;
    double scale = bars->scale / units_bytes();
    size_t step = 0;
    char text[40];
    snprintf(text, sizeof text, "%s usable", units_figure(FIGURE_GIB, bars->limit).text);
    int at = (int)lround(bars->limit / bars->scale * cells), end = label + at + 1, from;
    end = end > width ? width : at < text_width(text) ? label + at + text_width(text) : end;
    from = end - text_width(text);
    if (isnan(bars->limit) || cells < APART)
        return;
    canvas_text(canvas, from, y, ROLE_MUTED, text);
    while (step + 1 < LENGTH(steps) && steps[step] * cells < APART * scale)
        step++;
    for (double value = 0; value < scale; value += steps[step]) {
        int x = label + (int)lround(value / scale * cells);
        snprintf(text, sizeof text, "%g", value);
        bool is_free = x >= next && (x + text_width(text) + 1 < from || x > end);
        if (is_free && x + text_width(text) <= width)
            next = canvas_text(canvas, x, y, ROLE_MUTED, text) + 1;
    }
}

char stage_bar_click(struct ui *ui)
{
    int link = ui->pressed.link - LINK_BARS;
    if (link < 0)
        return '\0';
    ui->stage = link / LINK_STAGE;
    return (char)(link % LINK_STAGE);
}

void stage_bars_head(const struct ui *ui, struct canvas *canvas, const char *scale, const char *unit, int width,
                     int rows)
{
    struct fold folds[STAGES_MAX];
    int count = stage_folds(ui->shown, folds), pitch = pitch_of(ui, count, rows), lines = (rows + (pitch > 1)) / pitch;
    int x = canvas_text(canvas, 0, 0, ROLE_TITLE, "stage");
    x = canvas_fit(canvas, x + 1, 0, width - x - 1 - (int)strlen(unit) - 3, ROLE_MUTED, scale);
    char part[32];
    int room = width - x - 4 - (int)strlen(unit);
    snprintf(part, sizeof part, room < 15 ? "%d/%d" : "%d of %d bars", lines, count);
    if (lines < count)
        canvas_fit(canvas, x + 2, 0, room, ROLE_MUTED, part);
    canvas_right(canvas, width - 2, 0, ROLE_TITLE, unit);
}
