/* The what-if view: one change from here, what makes the plan fit, room to grow, what limits; Enter takes a change. */
#include "core/base.h"
#include "core/plan/param.h"
#include "core/search/diff_text.h"
#include "core/show/figure.h"
#include "core/show/line.h"
#include "ui/state/advisor.h"
#include "ui/state/limits.h"
#include "ui/pane/choices.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BELOW = 5 }; /* lines below the table */

static const struct advice *shown_advice(const struct ui *ui)
{
    return ui->advisor && ui->advisor->has_advice ? &ui->advisor->shown_advice : NULL;
}

static bool is_stale(const struct ui *ui)
{
    return ui->advisor->shown_generation != ui->generation;
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

static void text_change(const void *context, int row, char out[CELL_TEXT_MAX])
{
    const struct advice *advice = shown_advice(context);
    struct plan plan, resolved;
    row_plan(context, row, &plan);
    plan_resolve(&plan, &resolved);
    diff_text_keys(&advice->resolved, &resolved, out, CELL_TEXT_MAX);
}

static void text_time(const void *context, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", figure(FIGURE_SECONDS, figures_at(context, row)->iteration_s).text);
}

static void text_delta(const void *context, int row, char out[CELL_TEXT_MAX])
{
    const struct ui *ui = context;
    const struct figures *now = &shown_advice(context)->now;
    double now_s = now->is_valid ? now->iteration_s : ui->shown->step.iteration_s; /* the last valid plan's */
    double change_s = figures_at(context, row)->iteration_s - now_s;
    snprintf(out, CELL_TEXT_MAX, "%s", figure_delta(FIGURE_SECONDS, change_s).text);
}

static void text_memory(const void *context, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", units_figure(FIGURE_GIB, figures_at(context, row)->device_bytes).text);
}

static void text_verdict(const void *context, int row, char out[CELL_TEXT_MAX])
{
    const struct figures *figures = figures_at(context, row);
    if (figures->verdict == VERDICT_TIGHT)
        snprintf(out, CELL_TEXT_MAX, "%.0f%%", 100 * figures->probability);
    else
        snprintf(out, CELL_TEXT_MAX, "%s", verdict_names[figures->verdict]);
}

static void text_group(const void *context, int row, char out[CELL_TEXT_MAX])
{
    bool is_pair = row < pairs(shown_advice(context));
    snprintf(out, CELL_TEXT_MAX, "%s", change_group_names[is_pair ? CHANGE_LAYOUT : single_at(context, row)->group]);
}

static const struct column columns[] = {
    {"one change", 18, 0, COLUMN_CHANGES, NULL, text_change},
    {"time", 7, 0, COLUMN_RIGHT, NULL, text_time},
    {"change", 7, 1, COLUMN_RIGHT, NULL, text_delta},
    {"GiB", 5, 2, COLUMN_RIGHT, NULL, text_memory},
    {"fits", 5, 1, COLUMN_RIGHT, NULL, text_verdict},
    {"whose", 11, 4, COLUMN_RIGHT, NULL, text_group},
};
static const struct choices choices = {columns, LENGTH(columns), 0, is_stale, is_stale, row_plan};

enum { LABEL = 11 };

static void line(struct canvas *canvas, int *y, int width, const char *label, const char *text)
{
    canvas_text(canvas, 0, *y, ROLE_MUTED, label);
    canvas_fit(canvas, LABEL, *y, width - LABEL, ROLE_TEXT, *text ? text : "-");
    ++*y;
}

static void write_fix(const struct advice *advice, char *out, size_t size)
{
    struct plan plan, resolved;
    if (!advice->now.is_valid) {
        snprintf(out, size, advice->rows + advice->fixes ? "each row makes the plan valid" : "more than two changes");
    } else if (advice->now.verdict == VERDICT_FITS) {
        *out = '\0';
    } else if (advice->fix.changes == 0) {
        snprintf(out, size, "more than two changes; see view 8");
    } else {
        char keys[120];
        advice_plan(advice, advice->fix.change, advice->fix.changes, &plan);
        plan_resolve(&plan, &resolved);
        diff_text_keys(&advice->resolved, &resolved, keys, sizeof keys);
        snprintf(out, size, "%s: %s", keys, figure(FIGURE_SECONDS, advice->fix.figures.iteration_s).text);
    }
}

static void write_room(const struct advice *advice, char *out, size_t size)
{
    static const char *const names[ROOMS] = {"mbs", "seq", "layers", "batch"};
    struct text_line line = line_in(out, size);
    for (int i = 0; i < advice->rooms; i++) {
        double fits = advice->room[i].fits;
        line_add(&line, "%s%s %s", i ? "  " : "", names[i],
                 isinf(fits) ? "any" : isnan(fits) ? "none" : figure(FIGURE_PLAIN, fits).text);
    }
}

/* The largest three that there is room for; efficiencies repeat their peaks. */
static void write_limits(const struct ui *ui, const struct advice *advice, int room, char *out, size_t size)
{
    enum { SHOWN = 3 };
    const double matters = 0.0005;
    struct text_line line = line_in(out, size);
    int shown = 0;
    for (int i = 0; i < advice->sensitivities && shown < SHOWN; i++) {
        const struct sensitivity *row = &advice->sensitivity[i];
        char text[64];
        if (strstr(param_rows[row->key].key, "efficiency") || fabs(row->relative) < matters)
            continue;
        shown++;
        int n = snprintf(text, sizeof text, "%s%s %+.1f%%", line.at ? "  " : "", limit_of_key(ui, row->key),
                         100 * row->relative);
        if ((int)line.at + n <= room)
            line_add(&line, "%s", text);
    }
}

static void write_best(const struct ui *ui, int room, char *out, size_t size)
{
    const struct advisor *advisor = ui->advisor;
    const struct search_answer *answer = &advisor->search.answer;
    struct plan plan, resolved;
    char keys[160];
    if (!advisor->has_search || answer->count == 0) {
        snprintf(out, size, advisor->is_searching ? "%.0f %% searched" : "nothing fits",
                 100 * search_share(&advisor->search));
        return;
    }
    const char *none = advisor_no_better(ui);
    if (none) {
        snprintf(out, size, "%s", none);
        return;
    }
    const struct search_result *take = &answer->best[advisor->take];
    search_plan(&advisor->search.ask, take, &plan);
    plan_resolve(&plan, &resolved);
    diff_text_keys(&ui->now->plan, &resolved, keys, sizeof keys);
    int used = snprintf(out, size, "%s %s%s ", figure(FIGURE_SECONDS, take->iteration_s).text,
                        figure_share(take->iteration_s / ui->shown->step.iteration_s - 1).text,
                        advisor->is_searching ? " .." : "");
    diff_text_shorten(keys, room - used);
    snprintf(out + used, size - (size_t)used, "%s", keys);
}

static void draw_below(const struct ui *ui, struct canvas *canvas, int y, int width)
{
    const struct advice *advice = shown_advice(ui);
    char text[512];
    if (advice->phase > ADVICE_PAIRS) {
        write_fix(advice, text, sizeof text);
        if (*text)
            line(canvas, &y, width, advice->now.is_valid ? "fits by" : "mends it", text);
    }
    if (advice->phase > ADVICE_ROOM) {
        write_room(advice, text, sizeof text);
        line(canvas, &y, width, "room for", text);
    }
    if (advice->phase == ADVICE_DONE) {
        write_limits(ui, advice, width - LABEL, text, sizeof text);
        line(canvas, &y, width, "+10 % of", text);
    }
    write_best(ui, width - LABEL, text, sizeof text);
    line(canvas, &y, width, "best", text);
}

static int rows_of(const struct ui *ui)
{
    return shown_advice(ui) ? shown_advice(ui)->rows + pairs(shown_advice(ui)) : 0;
}

/* ---- at a glance ------------------------------------------------------------------------------------------------ */

enum { CHANGES_SHOWN = 8, CHANGE_MAX = 48 };

/* What a plan changes, each in words: "tp 4"; with dp where it follows. Returns how many. */
static int list_changes(const struct ui *ui, const struct plan *plan, char part[CHANGES_SHOWN][CHANGE_MAX])
{
    struct plan resolved;
    int count = 0;
    plan_resolve(plan, &resolved);
    for (int id = 0; id < PARAM_COUNT && count < CHANGES_SHOWN; id++) {
        char name[64], value[FIELD_TEXT_MAX];
        bool is_follower = id == PARAM_parallel_dp && plan->from[id] < FROM_FILE && count > 0;
        if (param_equal(&ui->now->plan, &resolved, (enum param)id) || id == PARAM_parallel_schedule ||
            (resolved.from[id] < FROM_FILE && !is_follower))
            continue;
        form_name((enum param)id, name);
        form_shown(&resolved, (enum param)id, value);
        char text[CHANGE_MAX];
        int at = count++;
        snprintf(text, sizeof text, "%.24s %.20s", name, value);
        for (; at > 0 && text_width(part[at - 1]) > text_width(text); at--) /* short ones first: more of them fit */
            memcpy(part[at], part[at - 1], sizeof part[at]);
        memcpy(part[at], text, sizeof text);
    }
    return count;
}

/* "tp 4, cp 2": as many as there is room for, and how many more there are; the first always. */
static void say_changes(const struct ui *ui, const struct plan *plan, int room, char *out, size_t size)
{
    enum { MORE = 4 /* columns of ", +2" */ };
    char part[CHANGES_SHOWN][CHANGE_MAX];
    struct text_line line = line_in(out, size);
    int count = list_changes(ui, plan, part), shown = 0, used = 0;
    for (; shown < count; shown++) {
        int need = text_width(part[shown]) + (shown ? 2 : 0), after = shown + 1 < count ? MORE : 0;
        if (shown > 0 && used + need + after > room)
            break;
        line_add(&line, "%s%s", shown ? ", " : "", part[shown]);
        used += need;
    }
    if (shown < count && used + MORE <= room)
        line_add(&line, ", +%d", count - shown);
    if (used > room) /* the value alone says most */
        snprintf(out, size, "%s", strrchr(part[0], ' ') + 1);
}

/* Where the columns of numbers end. */
struct brief_columns {
    int change, time, delta, memory, fits; /* 0: not there */
};

static struct brief_columns brief_columns(int width, bool has_verdict)
{
    enum { ROOMY = 46 };
    int less = width >= ROOMY ? 0 : 2, time = 8 - less, delta = 9 - less, memory = 8 - less, fits = has_verdict ? 6 : 0;
    width = width > 78 ? 78 : width;
    struct brief_columns c = {.fits = fits ? width : 0, .memory = width - fits};
    c.delta = has_verdict ? 0 : c.memory - memory; /* what cannot run has no time to compare with */
    c.time = c.memory - memory - (has_verdict ? 0 : delta);
    c.change = c.time - time;
    return c;
}

/* One change and what it gives: time, its change, memory; whether that fits. */
static void draw_brief_row(const struct ui *ui, struct canvas *canvas, int y, const struct brief_columns *c,
                           const char *before, const struct plan *plan, const struct figures *figures, bool is_best)
{
    const double matters = 0.005;
    char text[160], changes[128];
    double now_s = ui->shown->step.iteration_s, delta_s = figures->iteration_s - now_s, unit = now_s < 1 ? 1e-3 : 1;
    int lead = text_width(before) + 20 <= c->change ? text_width(before) : 0;
    say_changes(ui, plan, c->change - 2 - lead, changes, sizeof changes);
    snprintf(text, sizeof text, "%s%s", lead ? before : "", changes);
    canvas_text(canvas, 2, y, is_best ? ROLE_STRONG : ROLE_TEXT, text);
    int digits = unit < 1 ? 0 : now_s < 100 ? 2 : 1;
    snprintf(text, sizeof text, "%.*f", digits, figures->iteration_s / unit);
    canvas_right(canvas, c->time, y, ROLE_TEXT, isnan(figures->iteration_s) ? "?" : text);
    snprintf(text, sizeof text, "%+.*f", digits, delta_s / unit);
    enum role role = delta_s < -matters * now_s ? ROLE_GOOD : delta_s < matters * now_s ? ROLE_MUTED : ROLE_TEXT;
    if (c->delta)
        canvas_right(canvas, c->delta, y, role, isnan(delta_s) ? "?" : text);
    canvas_right(canvas, c->memory, y, figures->verdict == VERDICT_NO ? ROLE_BAD : ROLE_TEXT,
                 units_figure(FIGURE_GIB, figures->device_bytes).text);
    if (!c->fits)
        return;
    snprintf(text, sizeof text, figures->verdict == VERDICT_TIGHT ? "%.0f %%" : "%.0f", 100 * figures->probability);
    canvas_right(canvas, c->fits, y, verdict_role(figures->verdict),
                 figures->verdict == VERDICT_TIGHT ? text : verdict_names[figures->verdict]);
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
    bool changes = fabs(figures->iteration_s - now->iteration_s) >= matters * now->iteration_s ||
                   fabs(figures->device_bytes - now->device_bytes) >= least * units_bytes();
    bool is_wanted = !now->is_valid ||
                     (now->verdict == VERDICT_FITS ? figures->verdict == VERDICT_FITS : figures->verdict != VERDICT_NO);
    if (seen[key] || !changes || !is_wanted)
        return false;
    seen[key] = 1;
    return true;
}

/* The best layout of all, where it is known and better. */
static bool best_plan(const struct ui *ui, struct plan *plan, struct figures *figures)
{
    const struct advisor *advisor = ui->advisor;
    const struct search_answer *answer = &advisor->search.answer;
    if (!advisor->has_search || answer->count == 0 || advisor_no_better(ui) || ui->shown != ui->now)
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
        bool is_slower = is_framework && !(figures_at(ui, row)->iteration_s < 0.99 * advice->now.iteration_s);
        if (!is_of || is_slower || !is_worthy(ui, row, seen))
            continue;
        row_plan(ui, row, &plan);
        draw_brief_row(ui, canvas, y++, c, "", &plan, figures_at(ui, row), false);
    }
    return y;
}

/* The best step of each key, the best layout of all, and what the framework would have to do. */
static void draw_brief(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    enum { FRAMEWORK_LEAST = 7, FRAMEWORK_ROWS = 3 };
    const struct advice *advice = shown_advice(ui);
    unsigned char seen[PARAM_COUNT] = {0};
    bool fits = advice->now.is_valid && advice->now.verdict == VERDICT_FITS, is_fast = ui->shown->step.iteration_s < 1;
    struct brief_columns c = brief_columns(width, !fits);
    struct plan plan;
    struct figures figures;
    bool has_best = best_plan(ui, &plan, &figures);
    canvas_text(canvas, 2, 0, ROLE_MUTED, fits ? "one change" : "change");
    canvas_right(canvas, c.time, 0, ROLE_MUTED, is_fast ? "ms" : "s");
    if (c.delta)
        canvas_right(canvas, c.delta, 0, ROLE_MUTED, "change");
    canvas_right(canvas, c.memory, 0, ROLE_MUTED, units_name());
    int last = height - (fits && height >= FRAMEWORK_LEAST ? FRAMEWORK_ROWS : 0) - has_best;
    int y = draw_group_of(ui, canvas, 1, last < 2 ? 2 : last, &c, false, seen);
    if (has_best && y < height)
        draw_brief_row(ui, canvas, y++, &c, "best of all: ", &plan, &figures, true);
    if (!fits || y + 1 >= height)
        return;
    int after = draw_group_of(ui, canvas, y + 1, height, &c, true, seen);
    if (after > y + 1)
        canvas_text(canvas, 2, y, ROLE_MUTED, "if your framework can");
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const struct advice *advice = shown_advice(ui);
    if (ui->now->is_serving) {
        canvas_wrap(canvas, 0, 0, width, ROLE_TEXT, "Serving: see view 1 for the largest batch and context.");
        return;
    }
    if (!advice) {
        canvas_text(canvas, 0, 0, ROLE_MUTED, ui->options.slow ? "off on slow lines; see `shardtop advice`" : "..");
        return;
    }
    if (pane_is_beside(ui) && !pane_has_focus(ui, PANE_WHATIF) && rows_of(ui) > 0) {
        draw_brief(ui, canvas, width, height);
        return;
    }
    int below = height > BELOW + 4 && !pane_is_beside(ui) ? BELOW : 0;
    choices_draw(ui, PANE_WHATIF, canvas, 0, width, height - below);
    if (below)
        draw_below(ui, canvas, height - below + 1, width);
}

static int wish(const struct ui *ui)
{
    return rows_of(ui) + BELOW + 3;
}

static const char *question(const struct ui *ui)
{
    const struct advice *advice = shown_advice(ui);
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
    if (advice)
        snprintf(out, SUBTITLE_MAX,
                 "%d of %d changes, by %s; Enter takes one, u takes it back|Enter tries, u takes back|",
                 advice->rows + advice->fixes, advice->tried, search_goals[ui->advisor->objective].name);
}

static bool path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    if (rows_of(ui) == 0)
        return false;
    const struct advice *advice = shown_advice(ui);
    int row = row_within(ui->at[PANE_WHATIF].row, rows_of(ui));
    const struct change *change = row < pairs(advice) ? &advice->fixed[row].change[0] : &single_at(ui, row)->change;
    snprintf(out, EXPLAIN_PATH_MAX, "%s", param_rows[change->key].dotted);
    return true;
}

static const struct view_key keys[] = {{'o', "objective", "rank by time, memory, cost, energy, ...",
                                        advisor_next_objective},
                                       {'D', "compare", "compare with the selected row's plan", choices_compare},
                                       {'p', "pin", "pin the selected row's plan as a baseline", choices_pin},
                                       {0}};

const struct pane pane_whatif = {
    .is_hidden_in_serving = true,
    .title = "What if",
    .wish = wish,
    .rows = rows_of,
    .subtitle = subtitle,
    .question = question,
    .draw = draw,
    .path = path,
    .describe = choices_describe,
    .open = choices_take,
    .keys = keys,
    .choices = &choices,
};
