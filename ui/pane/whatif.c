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
    {"one change from here", 22, 0, COLUMN_CHANGES, NULL, text_change},
    {"iter", 7, 0, COLUMN_RIGHT, NULL, text_time},
    {"vs now", 7, 1, COLUMN_RIGHT, NULL, text_delta},
    {"GiB", 5, 2, COLUMN_RIGHT, NULL, text_memory},
    {"fits", 5, 1, COLUMN_RIGHT, NULL, text_verdict},
    {"whose", 11, 4, COLUMN_RIGHT, NULL, text_group},
};
static const struct choices choices = {columns, LENGTH(columns), 0, is_stale, is_stale, row_plan};

enum { LABEL = 11 };

static void line(struct canvas *canvas, int *y, int width, const char *label, const char *text)
{
    canvas_text(canvas, 0, *y, ROLE_DIM, label);
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

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const struct advice *advice = shown_advice(ui);
    if (ui->now->is_serving) {
        canvas_wrap(canvas, 0, 0, width, ROLE_TEXT, "Serving: see view 1 for the largest batch and context.");
        return;
    }
    if (!advice) {
        canvas_text(canvas, 0, 0, ROLE_DIM, ui->options.slow ? "off on slow lines; see `shardtop advice`" : "..");
        return;
    }
    int below = height > BELOW + 4 ? BELOW : 0;
    choices_draw(ui, PANE_WHATIF, canvas, 0, width, height - below);
    if (below)
        draw_below(ui, canvas, height - below + 1, width);
}

static int rows_of(const struct ui *ui)
{
    return shown_advice(ui) ? shown_advice(ui)->rows + pairs(shown_advice(ui)) : 0;
}

static int wish(const struct ui *ui)
{
    return rows_of(ui) + BELOW + 3;
}

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    const struct advice *advice = shown_advice(ui);
    const char *asked = "What would be faster";
    if (advice && !advice->now.is_valid)
        asked = advice->rows + advice->fixes ? "What would make it valid" : "What is possible";
    else if (advice && (advice->now.verdict == VERDICT_NO || advice->now.verdict == VERDICT_TIGHT))
        asked = advice->now.verdict == VERDICT_NO ? "What would make it fit" : "What would make it fit for sure";
    if (advice)
        snprintf(out, SUBTITLE_MAX, "%s: %d of %d changes, by %s; Enter takes one, u takes it back", asked,
                 advice->rows + advice->fixes, advice->tried, search_goals[ui->advisor->objective].name);
    else
        snprintf(out, SUBTITLE_MAX, "%s", asked);
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
    .title = "What-if",
    .tab = "If",
    .wish = wish,
    .rows = rows_of,
    .subtitle = subtitle,
    .draw = draw,
    .path = path,
    .describe = choices_describe,
    .open = choices_take,
    .keys = keys,
    .choices = &choices,
};
