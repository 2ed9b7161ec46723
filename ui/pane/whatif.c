/* The what-if view: one change from here, what makes the plan fit, room to grow, what limits; Enter takes a change. */
#include "core/base.h"
#include "core/plan/param.h"
#include "core/search/waterfall.h"
#include "core/show/figure.h"
#include "ui/overlay/overlay.h"
#include "ui/state/advisor.h"
#include "ui/pane/choices.h"
#include "ui/pane/room.h"
#include "ui/state/result.h"
#include "ui/widget/bar.h"
#include "ui/widget/rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct advice *shown_advice(const struct ui *ui)
{
    return ui->advisor && ui->advisor->has_advice ? &ui->advisor->shown_advice : NULL;
}

static bool is_stale(const struct ui *ui)
{
    return messages_asked(ui) > 0 || ui->advisor->shown_generation != ui->generation;
}

/* What makes the plan fit or mends it with more than a row's change is listed above the single changes. */
static int pairs(const struct advice *advice)
{
    return advice->fixes;
}

static const struct advice_row *single_at(const struct ui *ui, int row)
{
    return &shown_advice(ui)->row[ui->advisor->order[row - pairs(shown_advice(ui))]];
}

static const struct figures *figures_at(const void *context, int row)
{
    const struct advice *advice = shown_advice(context);
    return row < pairs(advice) ? &advice->fixed[row].figures : &single_at(context, row)->figures;
}

static void row_plan(const struct ui *ui, int row, struct plan *out)
{
    const struct advice *advice = shown_advice(ui);
    if (row < pairs(advice))
        advice_plan(advice, advice->fixed[row].change, advice->fixed[row].changes, out);
    else
        advice_plan(advice, &single_at(ui, row)->change, 1, out);
}

/* Index of the mark of a row, independent of the order of rows. */
static int mark_of(const struct ui *ui, int row)
{
    const struct advice *advice = shown_advice(ui);
    return row < pairs(advice) ? CHANGES_MAX + row : ui->advisor->order[row - pairs(advice)];
}

static bool is_marked(const struct ui *ui, int row)
{
    return ui->advisor->marked_generation == ui->generation && ui->advisor->marked[mark_of(ui, row)];
}

/* The changes of all marked rows, or of the selected one where none is. */
static void chosen_plan(const struct ui *ui, int row, struct plan *out)
{
    const struct advice *advice = shown_advice(ui);
    struct change all[LENGTH(advice->fixed[0].change) * FIXES_MAX + CHANGES_MAX];
    int count = 0;
    for (int i = 0; i < advice->rows + pairs(advice); i++) {
        bool is_fix = i < pairs(advice);
        if (!is_marked(ui, i))
            continue;
        if (!is_fix)
            all[count++] = single_at(ui, i)->change;
        for (int k = 0; is_fix && k < advice->fixed[i].changes; k++)
            all[count++] = advice->fixed[i].change[k];
    }
    if (count > 0)
        advice_plan(advice, all, count, out);
    else
        row_plan(ui, row, out);
}

static const struct choices choices = {.is_old = is_stale, .is_open = is_stale, .plan = chosen_plan};

static int rows_of(const struct ui *ui)
{
    if (messages_asked(ui) > 0)
        return messages_asked(ui);
    return shown_advice(ui) ? shown_advice(ui)->rows + pairs(shown_advice(ui)) : 0;
}

/* ---- columns and bars ------------------------------------------------------------------------------------------- */

enum { CAUSE_LEAST = 104 /* columns */, CAUSE = 22, BARS_LEAST = 74, VERDICT_LEAST = 60, GLANCE_ROWS = 64 };

/* Where the columns of numbers end. */
struct brief_columns {
    int change, time, delta, memory, fits; /* 0: not there */
    double *drawn_s; /* takes the change of time of each row of the pane that is drawn; or NULL */
};

static struct brief_columns brief_columns(int width, bool has_verdict)
{
    enum { ROOMY = 46 };
    int less = width >= ROOMY ? 0 : 2, time = 8 - less, delta = 9 - less, fits = has_verdict ? 6 : 0,
        memory = has_verdict ? 7 : 8 - less;
    width = width > 78 ? 78 : width;
    struct brief_columns c = {.fits = fits ? width : 0, .memory = width - fits};
    c.delta = has_verdict ? 0 : c.memory - memory; /* what cannot run has no time to compare with */
    c.time = c.memory - memory - (has_verdict ? 0 : delta);
    c.change = c.time - time;
    return c;
}

/* Where the bars and the causes are; 0: not there. */
struct list_columns {
    struct brief_columns brief;
    int bars, axis, half, cause;
};

static struct list_columns list_columns(int width, bool has_verdict)
{
    enum { LEFT_MOST = 64, BRIEF_MOST = 60, BAR_LEAST = 17 /* columns of both sides */, BAR_MOST = 24 };
    bool has_cause = width >= CAUSE_LEAST;
    int most = has_verdict ? LEFT_MOST : BRIEF_MOST, left = width - BAR_LEAST < most ? width - BAR_LEAST : most;
    left = width >= BARS_LEAST ? left : width;
    struct list_columns c = {.brief = brief_columns(left, has_verdict)};
    c.brief.delta = c.brief.memory - 8; /* what is faster is the question here, whatever fits */
    c.brief.time = c.brief.delta - 9;
    c.brief.change = c.brief.time - 7;
    if (left == width)
        return c;
    int room = width - left - 3 - (has_cause ? CAUSE : 0);
    c.half = room / 2 < BAR_MOST ? room / 2 : BAR_MOST;
    c.bars = left + 3;
    c.axis = c.bars + c.half;
    c.cause = has_cause ? c.axis + c.half + 3 : 0;
    return c;
}

static void draw_bars_head(struct canvas *canvas, const struct list_columns *c)
{
    if (c->half < 8)
        return;
    canvas_right(canvas, c->axis, 0, ROLE_MUTED, "faster");
    canvas_text(canvas, c->axis + 1, 0, ROLE_MUTED, "slower");
}

/* Left of a line what is faster, right of it what is slower. */
static void draw_change_bar(struct canvas *canvas, int y, const struct list_columns *c, double share)
{
    share = share > 1 ? 1 : share < -1 ? -1 : share;
    if (share < 0)
        bar_step(canvas, c->bars, y, c->half, 1 + share, 1, ROLE_USEFUL, '<');
    else if (share > 0)
        bar_step(canvas, c->axis + 1, y, c->half, 0, share, ROLE_IDLE, '>');
    canvas_text(canvas, c->axis, y, ROLE_FAINT, canvas->ascii ? "|" : "\xe2\x94\x82");
}

/* ---- at a glance ------------------------------------------------------------------------------------------------ */

/* One change and what it gives: time, its change, memory; whether that fits. */
static void draw_brief_row(const struct ui *ui, struct canvas *canvas, int y, const struct brief_columns *c,
                           const char *before, const struct plan *plan, const struct figures *figures, bool is_best)
{
    const double matters = 0.005;
    char text[160], changes[128];
    double now_s = estimate_pace(ui->shown), delta_s = figures->iteration_s - now_s, unit = now_s < 1 ? 1e-3 : 1;
    int lead = text_width(before) + 20 <= c->change ? text_width(before) : 0;
    form_changes(&ui->now->plan, plan, c->change - 2 - lead, changes, sizeof changes);
    snprintf(text, sizeof text, "%s%s", lead ? before : "", changes);
    canvas_text(canvas, 2, y, is_best ? ROLE_STRONG : ROLE_TEXT, text);
    int digits = unit < 1 ? 0 : fmax(now_s, figures->iteration_s) < 100 ? 2 : fmax(now_s, figures->iteration_s) < 1e4;
    snprintf(text, sizeof text, "%.*f", digits, figures->iteration_s / unit);
    canvas_right(canvas, c->time, y, ROLE_TEXT, isnan(figures->iteration_s) ? "?" : text);
    snprintf(text, sizeof text, fabs(delta_s) < 0.5 * unit * pow(10, -digits) ? "%.*f" : "%+.*f", digits,
             fabs(delta_s) < 0.5 * unit * pow(10, -digits) ? 0 : delta_s / unit);
    enum role role = delta_s < -matters * now_s ? ROLE_GOOD : delta_s < matters * now_s ? ROLE_MUTED : ROLE_TEXT;
    if (c->delta && !isnan(delta_s))
        canvas_right(canvas, c->delta, y, role, text);
    if (c->drawn_s && y < GLANCE_ROWS)
        c->drawn_s[y] = isnan(delta_s) ? 0 : delta_s;
    canvas_right(canvas, c->memory, y, figures->verdict == VERDICT_NO ? ROLE_BAD : ROLE_TEXT,
                 units_figure(FIGURE_GIB, figures->device_bytes).text);
    if (!c->fits)
        return;
    snprintf(text, sizeof text, figures->verdict == VERDICT_TIGHT ? "%.0f %%" : "%.0f", 100 * figures->probability);
    canvas_right(canvas, c->fits, y, verdict_role(figures->verdict),
                 figures->verdict == VERDICT_TIGHT     ? text
                 : figures->verdict == VERDICT_UNKNOWN ? "?"
                                                       : verdict_names[figures->verdict]);
}

/* Valid, but of a pair of method and framework that is not modelled. */
static bool is_unmodelled(const struct ui *ui)
{
    return ui->now->is_computed && !ui->now->is_modelled && ui->now->diags.errors == 0;
}

/* Whether a row is worth a line: the best of its key, that changes something, and fits where the plan does. */
static bool is_worthy(const struct ui *ui, int row, unsigned char seen[PARAM_COUNT])
{
    const double matters = 0.005, least = 0.5;
    const struct advice *advice = shown_advice(ui);
    const struct figures *now = &advice->now, *figures = figures_at(ui, row);
    bool is_fix = row < pairs(advice);
    if (is_fix)
        return true;
    enum param key = single_at(ui, row)->change.key;
    bool changes = !now->is_valid || fabs(figures->iteration_s - now->iteration_s) >= matters * now->iteration_s ||
                   fabs(figures->device_bytes - now->device_bytes) >= least * units_bytes();
    bool is_wanted = !now->is_valid ||
                     (now->verdict == VERDICT_FITS ? figures->verdict == VERDICT_FITS : figures->verdict != VERDICT_NO);
    bool is_one_a_key = now->is_valid && !is_unmodelled(ui); /* what mends a plan are values of one key, often */
    if ((seen[key] && is_one_a_key) || !changes || !is_wanted)
        return false;
    seen[key] = 1;
    return true;
}

/* The best layout of all, where it is known and better. */
static bool best_plan(const struct ui *ui, struct plan *plan, struct figures *figures)
{
    const struct advisor *advisor = ui->advisor;
    const struct search_answer *answer = &advisor->search.answer;
    if (!advisor->has_search || ui->shown->is_rl || answer->count == 0 || advisor_no_better(ui) || ui->shown != ui->now)
        return false;
    const struct search_result *take = &answer->best[advisor->take];
    search_plan(&advisor->search.ask, take, plan);
    *figures = (struct figures){.iteration_s = take->iteration_s, .device_bytes = take->peak_device_bytes,
                                .verdict = VERDICT_FITS, .is_valid = true, .probability = 1};
    return true;
}

static int draw_group_of(const struct ui *ui, struct canvas *canvas, int y, int most, const struct brief_columns *c,
                         bool is_framework, unsigned char seen[PARAM_COUNT])
{
    const struct advice *advice = shown_advice(ui);
    int all = advice->rows + pairs(advice);
    for (int row = 0; row < all && y < most; row++) {
        struct plan plan;
        enum change_group group = row < pairs(advice) ? CHANGE_LAYOUT : single_at(ui, row)->group;
        bool is_of = group == (is_framework ? CHANGE_FRAMEWORK : CHANGE_LAYOUT);
        bool is_slower = is_framework && !is_unmodelled(ui) &&
                         !(figures_at(ui, row)->iteration_s < 0.99 * advice->now.iteration_s);
        if (!is_of || is_slower || !is_worthy(ui, row, seen))
            continue;
        row_plan(ui, row, &plan);
        draw_brief_row(ui, canvas, y++, c, "", &plan, figures_at(ui, row), false);
    }
    return y;
}

/* Why nothing is listed, and what to do. */
static const char *empty_text(const struct ui *ui)
{
    const struct advice *advice = shown_advice(ui);
    if (!advice)
        return ui->options.slow ? "off on slow lines; see `shardtop advice`" : "looking";
    if (is_unmodelled(ui))
        return "No other method or framework is modelled for this plan. i lists why; u takes the last change back.";
    if (!advice->now.is_valid)
        return "No one or two changes make this plan valid. u takes the last change back; i lists all that is wrong.";
    if (advice->now.verdict == VERDICT_FITS)
        return ui->now->is_serving ? "No single change makes a difference."
                                   : "No single change makes a difference. 8 searches all layouts.";
    const struct search_answer *layouts = &ui->advisor->search.answer;
    return ui->advisor->has_search && layouts->is_complete && layouts->count == 0
               ? "No layout fits on these GPUs: set nodes, or /fit compares methods and cards."
               : "No one or two changes make it fit. 8 searches all layouts; /fit compares methods and cards.";
}

static void draw_brief_head(const struct ui *ui, struct canvas *canvas, const struct brief_columns *c)
{
    canvas_text(canvas, 2, 0, ROLE_MUTED,
                !c->delta ? "change" : ui->now->is_serving ? "one change; whole answers" : "one change");
    canvas_right(canvas, c->time, 0, ROLE_MUTED, estimate_pace(ui->shown) < 1 ? "ms" : "s");
    if (c->delta)
        canvas_right(canvas, c->delta, 0, ROLE_MUTED, "change");
    canvas_right(canvas, c->memory, 0, ROLE_MUTED, units_name());
}

/* True for an invalid plan that fits with none of the changes that mend it. */
static bool is_mended_too_large(const struct ui *ui)
{
    const struct advice *advice = shown_advice(ui);
    bool is_too_large = !advice->now.is_valid;
    for (int row = 0; row < rows_of(ui); row++)
        is_too_large &= figures_at(ui, row)->verdict == VERDICT_NO;
    return is_too_large;
}

/* Beside the changes of a plan that fits, where there is room: how much faster or slower each is. */
static void draw_glance_bars(struct canvas *canvas, int height, const struct list_columns *c)
{
    double most_s = 0;
    draw_bars_head(canvas, c);
    for (int y = 1; y < height && y < GLANCE_ROWS; y++)
        most_s = fmax(most_s, fabs(c->brief.drawn_s[y]));
    for (int y = 1; y < height && y < GLANCE_ROWS; y++)
        if (c->brief.drawn_s[y] != 0)
            draw_change_bar(canvas, y, c, c->brief.drawn_s[y] / most_s);
}

/* The best step of each key, the best layout of all, and what the framework would have to do. */
static void draw_brief(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    enum { FRAMEWORK_LEAST = 7, FRAMEWORK_ROWS = 3 };
    const struct advice *advice = shown_advice(ui);
    unsigned char seen[PARAM_COUNT] = {0};
    bool fits = advice->now.is_valid && advice->now.verdict == VERDICT_FITS;
    double drawn_s[GLANCE_ROWS] = {0};
    struct list_columns all = list_columns(width, false);
    struct brief_columns c = fits && all.half ? all.brief : brief_columns(width, !fits);
    struct plan plan;
    struct figures figures;
    bool has_best = best_plan(ui, &plan, &figures);
    int last = height - (fits && height >= FRAMEWORK_LEAST ? FRAMEWORK_ROWS : 0) - has_best;
    c.drawn_s = all.brief.drawn_s = drawn_s;
    int y = draw_group_of(ui, canvas, 1, last < 2 ? 2 : last, &c, is_unmodelled(ui), seen);
    if (has_best && y < height)
        draw_brief_row(ui, canvas, y++, &c, "best of all: ", &plan, &figures, true);
    if (is_unmodelled(ui))
        y = draw_group_of(ui, canvas, y, height, &c, false, seen);
    if (y == 1 && !fits) {
        canvas_wrap(canvas, 2, 0, width - 2, ROLE_MUTED, empty_text(ui));
        return;
    }
    draw_brief_head(ui, canvas, &c);
    if (y < height && is_mended_too_large(ui))
        canvas_wrap(canvas, 2, y, width - 2, ROLE_MUTED, "None of them fits: set nodes or open /fit.");
    if (fits && y + 1 < height && draw_group_of(ui, canvas, y + 1, height, &c, true, seen) > y + 1)
        canvas_text(canvas, 2, y, ROLE_MUTED, "if your framework can");
    if (fits && all.half)
        draw_glance_bars(canvas, height, &all);
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

enum { ROOM_ROWS = 8, NOT_SHOWN = -1, BEST_LEAST = 8, LINES_MAX = CHANGES_MAX + FIXES_MAX + CHANGE_SECTIONS };

static enum change_section section_of(const struct ui *ui, int row)
{
    return row < pairs(shown_advice(ui)) ? SECTION_LAYOUT : advisor_section(single_at(ui, row));
}

/* The rows with a caption before each part: the row, or below 0 the part. Returns how many. */
static int list_lines(const struct ui *ui, int line[LINES_MAX], int *selected)
{
    int count = 0, section = NOT_SHOWN;
    for (int row = 0; row < rows_of(ui); row++) {
        if (section != (int)section_of(ui, row)) {
            section = (int)section_of(ui, row);
            line[count++] = -1 - section;
        }
        if (row == ui->at[PANE_WHATIF].row)
            *selected = count;
        line[count++] = row;
    }
    return count;
}

/* The largest change of time among the rows, seconds. */
static double most_delta_s(const struct ui *ui)
{
    double most = 0;
    for (int row = 0; row < rows_of(ui); row++) {
        double delta_s = fabs(figures_at(ui, row)->iteration_s - estimate_pace(ui->shown));
        most = delta_s > most && section_of(ui, row) != SECTION_OVER ? delta_s : most;
    }
    return most;
}

/* "-0.62 bubble" */
static void draw_cause(const struct ui *ui, struct canvas *canvas, int x, int y, const struct change_cause *cause)
{
    double unit = estimate_pace(ui->shown) < 1 ? 1e-3 : 1;
    if (!cause->name[0] || fabs(cause->delta_s) < 0.005 * unit)
        return;
    bool is_traffic = strlen(cause->name) == 2; /* "tp" */
    x = canvas_format(canvas, x, y, ROLE_MUTED, unit < 1 ? "%+.0f " : "%+.2f ", cause->delta_s / unit);
    canvas_format(canvas, x, y, ROLE_MUTED, is_traffic ? "%s traffic" : "%s",
                  strcmp(cause->name, "compute") == 0 ? cause->label : cause->name);
}

static void draw_list_row(const struct ui *ui, struct canvas *canvas, int y, const struct list_columns *c, int row,
                          double most_s)
{
    const struct figures *figures = figures_at(ui, row);
    double delta_s = figures->iteration_s - estimate_pace(ui->shown);
    bool is_selected = pane_has_focus(ui, PANE_WHATIF) && row == ui->at[PANE_WHATIF].row;
    struct plan plan;
    struct brief_columns brief = c->brief;
    if (figures->verdict != VERDICT_TIGHT && row >= pairs(shown_advice(ui)) && section_of(ui, row) != SECTION_HARDWARE)
        brief.fits = 0; /* the caption says it */
    row_plan(ui, row, &plan);
    draw_brief_row(ui, canvas, y, &brief, "", &plan, figures, false);
    if (is_marked(ui, row))
        canvas_text(canvas, 0, y, ROLE_STRONG, "*");
    int end = c->brief.fits ? c->brief.fits : c->brief.memory;
    canvas_link(canvas, 0, y, end, LINK_ROWS + row);
    if (is_selected)
        canvas_paint(canvas, 1, y, end - 1, ROLE_SELECT, 0);
    if (c->half > 0)
        draw_change_bar(canvas, y, c, isnan(delta_s) || most_s <= 0 ? 0 : delta_s / most_s);
    if (c->cause && row < ui->advisor->causes && ui->advisor->cause_generation == ui->generation)
        draw_cause(ui, canvas, c->cause, y, &ui->advisor->cause[row]);
}

static void draw_list_head(const struct ui *ui, struct canvas *canvas, const struct list_columns *c)
{
    canvas_text(canvas, 2, 0, ROLE_MUTED, "one change");
    canvas_right(canvas, c->brief.time, 0, ROLE_MUTED, estimate_pace(ui->shown) < 1 ? "ms" : "s");
    canvas_right(canvas, c->brief.delta, 0, ROLE_MUTED, "change");
    canvas_right(canvas, c->brief.memory, 0, ROLE_MUTED, units_name());
    draw_bars_head(canvas, c);
    if (c->cause)
        canvas_text(canvas, c->cause, 0, ROLE_MUTED, "why");
}

/* All changes in their parts; the page that has the selected one. */
static void draw_list(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    static const char *const captions[2][CHANGE_SECTIONS] = {
        {"your layout", "only if your framework does it", "does not fit", "other hardware"},
        {"another method", "another framework", "does not fit", "other hardware"}};
    int line[LINES_MAX], selected = 0, count = list_lines(ui, line, &selected);
    int top = page_top(selected, count, height - 1);
    struct list_columns c = list_columns(width, width >= VERDICT_LEAST);
    double most_s = most_delta_s(ui);
    draw_list_head(ui, canvas, &c);
    for (int y = 1; y < height && top + y - 1 < count; y++) {
        int row = line[top + y - 1];
        if (row < 0)
            canvas_text(canvas, 1, y, ROLE_MUTED, captions[is_unmodelled(ui)][-1 - row]);
        else
            draw_list_row(ui, canvas, y, &c, row, most_s);
    }
}

/* For an audience: few changes, with bars that are read from afar. */
static void draw_afar(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    enum { HIGH = 4, PITCH = HIGH + 1, NAME = 22, CHANGE = 34 };
    const double now_s = estimate_pace(ui->shown), unit = now_s < 1 ? 1e-3 : 1;
    const int rows = rows_of(ui), shown = height / PITCH > 0 ? height / PITCH : 1;
    const int top = page_top(ui->at[PANE_WHATIF].row, rows, shown), end = top + shown < rows ? top + shown : rows;
    struct list_columns c = {.bars = CHANGE + 3, .half = (width - CHANGE - 6) / 2};
    double most_s = 0;
    c.axis = c.bars + c.half;
    for (int row = top; row < end; row++)
        most_s = fmax(most_s, fabs(figures_at(ui, row)->iteration_s - now_s));
    for (int row = top, y = 0; row < end; row++, y += PITCH) {
        double delta_s = figures_at(ui, row)->iteration_s - now_s;
        struct plan plan;
        char text[64];
        row_plan(ui, row, &plan);
        form_changes(&ui->now->plan, &plan, NAME, text, sizeof text);
        canvas_text(canvas, 1, y + 1, row == ui->at[PANE_WHATIF].row ? ROLE_STRONG : ROLE_TEXT, text);
        snprintf(text, sizeof text, unit < 1 ? "%+.0f ms" : "%+.2f s", delta_s / unit);
        canvas_right(canvas, CHANGE, y + 1, delta_s < 0 ? ROLE_GOOD : ROLE_TEXT, isnan(delta_s) ? "?" : text);
        for (int i = 0; i < HIGH; i++)
            draw_change_bar(canvas, y + i, &c, isnan(delta_s) || most_s <= 0 ? 0 : delta_s / most_s);
    }
}

/* The best layout of all, or that there is none better; below the list. */
static void draw_best(const struct ui *ui, struct canvas *canvas, int y, int width)
{
    struct list_columns c = list_columns(width, width >= VERDICT_LEAST);
    struct figures figures;
    struct plan plan;
    const char *none = ui->advisor->has_search ? advisor_no_better(ui) : NULL;
    if (none)
        canvas_format(canvas, 2, y, ROLE_MUTED, "best of all: %s", none);
    else if (best_plan(ui, &plan, &figures))
        draw_brief_row(ui, canvas, y, &c.brief, width < NAMES_WIDTH ? "best: " : "best of all: ", &plan, &figures,
                       true);
}

/* Questions that come before all others: Enter answers the selected one. */
static void draw_asked(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    enum { NAME = 20 };
    int rows = messages_asked(ui), top = page_top(ui->at[PANE_WHATIF].row, rows, height);
    for (int y = 0; y < height && top + y < rows; y++) {
        char name[QUESTION_TEXT_MAX], text[UI_MESSAGE_MAX];
        enum role role = messages_say_question(ui, top + y, name, text);
        int x = canvas_fit(canvas, 2, y, NAME - 3, ROLE_STRONG, name);
        canvas_pick(canvas, x < NAME / 2 ? NAME / 2 : x + 2, y, width - NAME, role, text);
        canvas_link(canvas, 0, y, width, LINK_ROWS + top + y);
        if (pane_has_focus(ui, PANE_WHATIF) && top + y == ui->at[PANE_WHATIF].row)
            canvas_paint(canvas, 1, y, width - 1, ROLE_SELECT, 0);
    }
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    if (messages_asked(ui) > 0) {
        draw_asked(ui, canvas, width, height);
        return;
    }
    if (rows_of(ui) == 0) {
        canvas_wrap(canvas, 2, 0, width - 2, ROLE_MUTED, empty_text(ui));
        return;
    }
    if (pane_is_beside(ui) && !pane_has_focus(ui, PANE_WHATIF)) {
        draw_brief(ui, canvas, width, height);
        return;
    }
    if (ui->options.present) {
        draw_afar(ui, canvas, width, height);
        return;
    }
    bool has_room = !pane_is_beside(ui) && height >= 3 * ROOM_ROWS && room_is_known(ui);
    bool has_best = height >= BEST_LEAST;
    int line[LINES_MAX], selected, lines = list_lines(ui, line, &selected) + 1;
    int most = height - has_best - (has_room ? ROOM_ROWS : 0), rows = lines < most ? lines : most;
    draw_list(ui, canvas, width, rows);
    if (has_best)
        draw_best(ui, canvas, rows, width);
    rows += 1 + has_best;
    if (!has_room)
        return;
    const struct rule rule = {.name = "Room", .about = "the largest that fits", .note = ""};
    rule_draw(canvas, rows, width, &rule);
    canvas_clip(canvas, rect_below(canvas->clip, rows + 1));
    room_draw(ui, canvas, width, height - rows - 1);
}

static int wish(const struct ui *ui)
{
    return rows_of(ui) + CHANGE_SECTIONS + ROOM_ROWS + 2;
}

/* Finds what each change of time is made of; once for a plan. */
static void update(struct ui *ui)
{
    struct advisor *advisor = ui->advisor;
    int rows = messages_asked(ui) > 0 ? 0 : rows_of(ui);
    bool is_known = advisor && advisor->cause_generation == ui->generation && advisor->causes == rows;
    if (ui->is_hurried || pane_is_beside(ui) || rows == 0 || is_known || is_stale(ui) || ui->shown != ui->now ||
        layout_find(&ui->layout, PANE_WHATIF).width < CAUSE_LEAST)
        return;
    for (int row = 0; row < rows; row++) {
        struct waterfall time;
        struct plan plan;
        row_plan(ui, row, &plan);
        estimate_plan(&plan, ui->scratch);
        waterfall_time(ui->now, ui->scratch, &time);
        struct change_cause *cause = &advisor->cause[row];
        *cause = (struct change_cause){"", "", 0};
        if (time.count == 0)
            continue;
        snprintf(cause->name, sizeof cause->name, "%.15s", time.step[0].name);
        cause->label = waterfall_label(&time.step[0]);
        cause->delta_s = time.step[0].delta;
    }
    advisor->cause_generation = ui->generation;
    advisor->causes = rows;
}

static int marks_of(const struct ui *ui)
{
    int count = 0;
    for (int row = 0; messages_asked(ui) == 0 && row < rows_of(ui); row++)
        count += is_marked(ui, row);
    return count;
}

/* Toggles the mark of the selected row and selects the next one. */
static void mark(struct ui *ui)
{
    if (rows_of(ui) == 0 || messages_asked(ui) > 0 || is_stale(ui))
        return;
    struct advisor *advisor = ui->advisor;
    int *row = &ui->at[PANE_WHATIF].row, at = mark_of(ui, row_within(*row, rows_of(ui)));
    if (advisor->marked_generation != ui->generation)
        memset(advisor->marked, 0, sizeof advisor->marked);
    advisor->marked_generation = ui->generation;
    for (int i = 0; at < CHANGES_MAX && i < shown_advice(ui)->rows; i++) /* one value a key */
        if (i != at && shown_advice(ui)->row[i].change.key == shown_advice(ui)->row[at].change.key)
            advisor->marked[i] = 0;
    advisor->marked[at] ^= 1;
    *row = row_within(*row + 1, rows_of(ui));
}

static const char *question(const struct ui *ui)
{
    const struct advice *advice = shown_advice(ui);
    if (messages_asked(ui) > 0)
        return "What is missing";
    if (is_unmodelled(ui))
        return "What is modelled";
    if (advice && !advice->now.is_valid)
        return advice->rows + advice->fixes ? "What would make it valid" : "What is possible";
    if (!advice || (advice->now.verdict != VERDICT_NO && advice->now.verdict != VERDICT_TIGHT))
        return "What would be faster";
    return advice->now.verdict == VERDICT_NO ? "What would make it fit"
                                             : "What would make it fit for sure|What would make it fit";
}

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    const struct advice *advice = shown_advice(ui);
    *out = '\0';
    if (messages_asked(ui) > 0)
        snprintf(out, SUBTITLE_MAX, "Enter answers");
    else if (advice && marks_of(ui) > 0)
        snprintf(out, SUBTITLE_MAX, "%d marked: Enter tries them together, u takes back|%d marked", marks_of(ui),
                 marks_of(ui));
    else if (advice && !pane_is_beside(ui))
        snprintf(out, SUBTITLE_MAX,
                 "%d of %d make a difference, by %s; Enter tries, u takes back|Enter tries, u takes back|",
                 advice->rows + advice->fixes, advice->tried, search_goals[ui->advisor->objective].name);
}

static bool open(struct ui *ui)
{
    if (messages_asked(ui) == 0)
        return choices_take(ui);
    messages_answer(ui, ui->at[PANE_WHATIF].row);
    return true;
}

static void describe(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    *out = '\0';
    if (messages_asked(ui) == 0)
        choices_describe(ui, out);
}

static bool path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    if (rows_of(ui) == 0 || messages_asked(ui) > 0)
        return false;
    const struct advice *advice = shown_advice(ui);
    int row = row_within(ui->at[PANE_WHATIF].row, rows_of(ui));
    const struct change *change = row < pairs(advice) ? &advice->fixed[row].change[0] : &single_at(ui, row)->change;
    snprintf(out, EXPLAIN_PATH_MAX, "%s", param_rows[change->key].dotted);
    return true;
}

static const struct view_key keys[] = {{' ', "mark", "mark a change; Enter tries all that are marked together", mark},
                                       {'o', "objective", "rank by time, memory, cost, energy, ...",
                                        advisor_next_objective},
                                       {'D', "compare", "compare with the selected row's plan", choices_compare},
                                       {'p', "pin", "pin the selected row's plan as a baseline", choices_pin},
                                       {0}};

const struct pane pane_whatif = {
    .is_extra = true,
    .title = "What if",
    .wish = wish,
    .rows = rows_of,
    .subtitle = subtitle,
    .question = question,
    .draw = draw,
    .path = path,
    .describe = describe,
    .open = open,
    .keys = keys,
    .choices = &choices,
    .update = update,
};
