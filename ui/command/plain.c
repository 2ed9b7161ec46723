/* The line mode: commands in, one line for each change out; the same state and text as the screen's. */
#include "core/base.h"
#include "core/plan/param.h"
#include "core/search/diff_text.h"
#include "core/show/glyph.h"
#include "ui/state/advisor.h"
#include "ui/command/command.h"
#include "ui/state/effect.h"
#include "ui/widget/gantt_words.h"
#include "ui/overlay/estimators.h"
#include "ui/overlay/overlay.h"
#include "ui/command/palette.h"
#include "ui/pane/pane.h"
#include "ui/state/result.h"
#include "ui/widget/spoken.h"
#include "ui/ui.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_WIDTH = 100, PAGE_WIDTH_MIN = 40, PAGE_WIDTH_MAX = 400, PAGE_HEIGHT = 200 /* room for a whole view */ };

__attribute__((format(printf, 2, 3))) static void plain_print(const struct ui *ui, const char *format, ...)
{
    char text[COPY_MAX + UI_MESSAGE_MAX], spoken[4 * COPY_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (ui->options.is_spoken)
        spoken_write(text, spoken, sizeof spoken);
    fputs(ui->options.is_spoken ? spoken : text, stdout);
}

/* ", 80 % between 45 and 54", where the range says something. */
static void print_between(const struct ui *ui, enum figure_kind kind, double value, struct interval ends, bool is_guess)
{
    struct figure range = units_range(kind, value, ends.low, ends.high);
    const char *dash = strchr(range.text, '-');
    if (dash)
        plain_print(ui, ", 80 %% between %.*s and %s%s", (int)(dash - range.text), range.text, dash + 1,
                 is_guess ? ", a guess" : "");
}

/* ", 10.5 s faster", against what was said last; nothing at first, and where no digit that is printed changes. */
static void print_change(const struct ui *ui, enum figure_kind kind, double value, double *before, const char *less,
                         const char *more)
{
    double change = value - *before;
    *before = value;
    if (isnan(change) || units_delta(kind, change).text[0] == '=')
        return;
    plain_print(ui, ", %s%s%s %s", units_figure(kind, fabs(change)).text, kind == FIGURE_GIB ? " " : "",
             kind == FIGURE_GIB ? units_name() : "", change < 0 ? less : more);
}

/* What is wrong, and whose figures there are. */
static void print_stale(const struct ui *ui)
{
    char text[UI_MESSAGE_MAX];
    if (ui_stale(ui, text))
        plain_print(ui, "%s\n", text);
}

/* ", minus 22.8 against pinned 1" */
static void print_against(const struct ui *ui)
{
    double delta = result_delta(RESULT_PEAK, ui->baseline, ui->now);
    if (units_delta(FIGURE_GIB, delta).text[0] == '=')
        plain_print(ui, ", the same as pinned %d", ui->baseline_number);
    else
        plain_print(ui, ", %s %s against pinned %d", delta < 0 ? "minus" : "plus",
                    units_figure(FIGURE_GIB, fabs(delta)).text,
                 ui->baseline_number);
}

/* "peak 48.9 GiB, minus 22.8 against pinned 1, fits" */
static void print_result(struct ui *ui, const char *what)
{
    double peak = result_value(RESULT_PEAK, ui->now);
    enum verdict verdict = range_verdict(ui->now);
    const struct diag *error = ui_first_error(ui);
    struct time_range time;
    plain_print(ui, "%s: ", what);
    if (ui->shown != ui->now && ui_first_error(ui)) {
        print_stale(ui);
        return;
    }
    if (error)
        plain_print(ui, "invalid, %s: %s; ", param_rows[error->param].key, finding_text(error).text);
    plain_print(ui, "peak %s %s", isnan(peak) ? "unknown" : units_figure(FIGURE_GIB, peak).text, units_name());
    if (!ui->now->is_serving && ui->now->stages > 0)
        print_between(ui, FIGURE_GIB, peak, range_memory_ends(ui->now, ui->now->peak_stage, 3), false);
    print_change(ui, FIGURE_GIB, peak, &ui->printed.peak_bytes, "less", "more");
    if (ui->has_baseline)
        print_against(ui);
    plain_print(ui, ", %s %s",
             ui->now->is_serving           ? "token"
             : result_is_measured(ui->now) ? "iteration measured"
                                           : "iteration",
             figure(FIGURE_SECONDS, result_value(RESULT_ITERATION, ui->now)).text);
    range_time(ui->now, &time);
    print_between(ui, FIGURE_SECONDS, result_value(RESULT_ITERATION, ui->now),
                  range_of(&time, result_value(RESULT_ITERATION, ui->now), 1), time.level == LEVEL_FAR);
    print_change(ui, FIGURE_SECONDS, result_value(RESULT_ITERATION, ui->now), &ui->printed.iteration_s, "faster",
                 "slower");
    if (verdict == VERDICT_NO)
        plain_print(ui, ", does not fit, %s %s over\n", units_figure(FIGURE_GIB, -ui->now->headroom_bytes).text,
                    units_name());
    else if (verdict == VERDICT_TIGHT)
        plain_print(ui, ", tight, fits with %.0f %%\n", 100 * range_fit_probability(ui->now));
    else
        plain_print(ui, verdict == VERDICT_FITS ? ", fits, %s %s free\n" : ", fit unknown\n",
                 units_figure(FIGURE_GIB, ui->now->headroom_bytes).text, units_name());
}

static void say(const struct ui *ui)
{
    if (ui->message[0])
        plain_print(ui, "%s\n", ui->message);
}

static void print_key(const struct ui *ui, enum param id)
{
    char value[FIELD_TEXT_MAX];
    const struct diag *finding = ui_finding(ui, id);
    form_value(&ui->now->plan, id, value);
    plain_print(ui, "%s %s %s, %s. %s%s%s\n", param_rows[id].dotted, value, param_rows[id].unit,
             origin_names[ui->now->plan.from[id]], param_rows[id].help, *param_rows[id].more ? ". " : "",
             param_rows[id].more);
    if (finding)
        plain_print(ui, "%s\n", finding_text(finding).text);
}

typedef void draw_function(const struct ui *ui, struct canvas *canvas, int width, int height);

/* What is drawn in `height` rows of its own, without blank lines. */
static void print_lines(const struct ui *ui, draw_function *draw, int height)
{
    struct canvas canvas = {.ascii = true};
    char line[PAGE_WIDTH_MAX * 4 + 1];
    if (canvas_resize(&canvas, ui->width, height) != 0)
        return;
    draw(ui, &canvas, ui->width, height);
    for (int y = 0; y < height; y++)
        if (canvas_line(&canvas, y, line, sizeof line) > 0)
            plain_print(ui, "%s\n", line);
    canvas_free(&canvas);
}

/* What a view or an overlay draws on a page. */
static void print_page(const struct ui *ui, draw_function *draw)
{
    print_lines(ui, draw, PAGE_HEIGHT);
}

static void message_of(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    overlays[ui->mode]->message(ui, canvas, width, height);
}

/* What lies over the views, with its heading. */
static void print_overlay(struct ui *ui)
{
    char title[OVERLAY_TITLE_MAX], remark[OVERLAY_REMARK_MAX];
    const struct overlay *overlay = overlays[ui->mode];
    if (overlay->update)
        overlay->update(ui);
    overlay->title(ui, title, remark);
    plain_print(ui, "%s\n", title);
    print_page(ui, overlay->draw);
}

static void update_alone(struct ui *ui, enum pane_id view)
{
    ui->view = view;
    ui->is_view_focused = ui->is_zoomed = true;
    ui_update(ui);
}

/* The values that work, and what a step down and a step up come to, as the screen's lowest lines have them. */
static void print_steps(struct ui *ui, enum param id)
{
    char text[256];
    ui->is_view_focused = false;
    ui_select(ui, id);
    ui_update(ui);
    const struct hints *h = effect_hints(ui);
    if (!h)
        return;
    for (int i = 0; i < h->valid_count; i++) {
        param_number(id, h->valid[i], text);
        plain_print(ui, h->valid[i] == ui->now->plan.value[id] ? "%s<%s>" : "%s%s", i ? " " : "works: ", text);
    }
    plain_print(ui, h->valid_count == VALID_MAX ? " ...\n" : h->valid_count ? "\n" : "");
    const struct effect *steps[] = {&h->down, &h->up};
    for (int i = 0; i < 2; i++) {
        effect_text(ui, steps[i], i ? "+" : "-", ui->width, text, sizeof text);
        if (steps[i]->exists)
            plain_print(ui, "%s\n", text);
    }
}

static void print_field(struct ui *ui, enum param id)
{
    print_key(ui, id);
    print_steps(ui, id);
}

/* The view in use as the screen draws it alone, with its heading; what it has to search for is found first. */
static void print_current(struct ui *ui)
{
    char words[SUBTITLE_MAX];
    update_alone(ui, ui->view);
    advisor_finish(ui);
    panes[ui->view]->subtitle(ui, words);
    words[strcspn(words, "|")] = '\0'; /* the longest wording */
    plain_print(ui, "%s%s%s\n", ui->view == PANE_TIME && ui->shown->is_serving ? "Serving" : panes[ui->view]->title,
             *words ? ": " : "", words);
    print_stale(ui);
    print_page(ui, panes[ui->view]->draw);
}

/* The view of this name, or whose name begins so; false when there is none. */
static bool print_view(struct ui *ui, const char *name, bool is_whole)
{
    for (int view = PANE_FORMS; view < PANE_COUNT; view++) {
        const char *own = view == PANE_TIME && ui->shown->is_serving ? "serving" : view_rows[view].name;
        bool is_it = strcmp(view_rows[view].name, name) == 0 ||
                     strncmp(own, name, is_whole ? strlen(own) + 1 : strlen(name)) == 0;
        if (!is_it)
            continue;
        ui->view = (enum pane_id)view;
        print_current(ui);
        return true;
    }
    return false;
}

/* Passes by their numbers and stages, both with the last; a bounded part is said, and how to ask for the rest. */
struct part {
    int first, last, from, to;
};

static void print_passes(struct ui *ui, struct part part)
{
    enum { STAGES_SAID = 16, PASSES_SAID = 64 };
    char text[GANTT_WORDS_MAX];
    const struct gantt *g = &ui->schedule.gantt;
    char kind[FIELD_TEXT_MAX];
    update_alone(ui, PANE_SCHEDULE);
    if (g->stages == 0 || ui_first_error(ui)) {
        print_page(ui, panes[PANE_SCHEDULE]->draw);
        return;
    }
    int stages = part.to < g->stages ? part.to + 1 : g->stages;
    int end = stages - part.from > STAGES_SAID ? part.from + STAGES_SAID : stages;
    int all = part.last;
    if (part.from < g->stages && gantt_count(g, part.from) > 0)
        gantt_number(g, part.from, 0, &all);
    part.last = part.last < all ? part.last : all;
    int last = part.last - part.first >= PASSES_SAID ? part.first + PASSES_SAID - 1 : part.last;
    form_value(&ui->shown->plan, PARAM_parallel_schedule, kind);
    plain_print(ui, "%s, stages 0 to %d, %.0f micro-batches", kind, g->stages - 1, g->micro_batches);
    if (g->left_out > 0)
        plain_print(ui, ", %.0f steady ones left out", g->left_out);
    plain_print(ui, ", bubble %s\n", figure(FIGURE_PERCENT, ui->shown->step.bubble_fraction).text);
    for (int stage = part.from; stage < end; stage++) {
        gantt_words(g, ui->shown, stage, part.first, last, text);
        plain_print(ui, "%s\n", text);
    }
    if (end < stages)
        plain_print(ui, "stages %d to %d: show schedule %d..%d stages %d..%d\n", end, stages - 1, part.first, last, end,
                 stages - 1);
    if (last < part.last)
        plain_print(ui, "passes %d to %d: show schedule %d..%d\n", last + 1, part.last, last + 1, part.last);
}

/* "schedule 0..8 stages 2..3"; false when it is something else. */
static bool read_part(const char *text, struct part *out)
{
    int n = 0;
    *out = (struct part){.to = STAGES_MAX};
    if (sscanf(text, "schedule %5d..%5d%n", &out->first, &out->last, &n) != 2)
        return false;
    if (text[n])
        text += n, n = 0, (void)sscanf(text, " stages %5d..%5d%n", &out->from, &out->to, &n);
    out->first = out->first < 1 ? 1 : out->first;
    return n > 0 && !text[n] && out->from >= 0 && out->from <= out->to && out->first <= out->last;
}

/* ---- commands --------------------------------------------------------------------------------------------------- */

/* "MFU 42.5%, -0.6 against pinned 1"; the room is the verdict. */
static void print_figure(const struct ui *ui, enum result_id id)
{
    const struct result *row = result_row(id, ui->shown);
    struct figure delta = {.text = ""};
    char verdict[VERDICT_MAX];
    result_verdict(ui->shown, verdict);
    plain_print(ui, "%s %s", row->name, id == RESULT_HEADROOM ? verdict : result_text(id, ui->shown).text);
    if (ui->has_baseline)
        delta = units_delta(row->kind, result_delta(id, ui->baseline, ui->shown));
    if (delta.text[0] == '=')
        plain_print(ui, ", the same as pinned %d", ui->baseline_number);
    else if (*delta.text)
        plain_print(ui, ", %s against pinned %d", delta.text, ui->baseline_number);
    plain_print(ui, "\n");
}

/* "64 x h100-sxm-80, tp 8, cp 1, pp 4, vpp 1, ep 1, dp 2, not saved", as the screen's first row. */
static void print_layout(const struct ui *ui)
{
    int open = messages_open(ui);
    static const enum param axes[] = {PARAM_parallel_tp,  PARAM_parallel_cp, PARAM_parallel_pp,
                                      PARAM_parallel_vpp, PARAM_parallel_ep, PARAM_parallel_dp};
    const struct plan *plan = &ui->shown->plan;
    plain_print(ui, "%d x %s%s", ui->shown->grid.world, plan->gpu.name[0] ? plan->gpu.name : "GPU",
             plan->from[PARAM_hardware_gpu] <= FROM_ASSUMED ? " (assumed)" : "");
    for (size_t i = 0; i < LENGTH(axes); i++)
        plain_print(ui, isnan(plan->value[axes[i]]) ? ", %s ?" : ", %s %.0f", param_rows[axes[i]].key,
                    plan->value[axes[i]]);
    plain_print(ui, "%s%s%s\n", ui->path[0] ? ", file " : "", ui->path, ui_is_modified(ui) ? ", not saved" : "");
    if (open > 0)
        plain_print(ui, "%d open question%s: messages lists %s\n", open, open == 1 ? "" : "s",
                    open == 1 ? "it" : "them");
}

/* The best single change and the best layout, which the screen's message line always has. */
static void print_best(struct ui *ui)
{
    advisor_finish(ui);
    const struct advisor *advisor = ui->advisor;
    if (!advisor || ui_first_error(ui))
        return;
    if (advisor->change.text[0] && advisor->change.generation == ui->generation)
        plain_print(ui, "what-if: %s\n", advisor->change.text);
    if (advisor->best.text[0] && advisor->best.generation == ui->generation)
        plain_print(ui, "tuner: %s\n", advisor->best.text);
}

static void print_all(struct ui *ui)
{
    print_result(ui, ui->now->plan.text[TEXT_MODEL][0] ? ui->now->plan.text[TEXT_MODEL] : "plan");
    print_layout(ui);
    for (int i = RESULT_ITERATION; i < RESULT_COUNT; i++)
        print_figure(ui, (enum result_id)i);
    for (int i = 0; i < ui->now->diags.count; i++)
        plain_print(ui, "%s %s: %s\n", diag_level_names[ui->now->diags.item[i].level],
                 param_rows[ui->now->diags.item[i].param].dotted, finding_text(&ui->now->diags.item[i]).text);
    print_best(ui);
}

static void run_shared(struct ui *ui, const char *line);

/* All figures, a view, passes, a key, or what a command lists. */
static void run_show(struct ui *ui, const char *rest)
{
    struct part part;
    int id = *rest ? param_find_alias(rest) : -1;
    if (!*rest)
        print_all(ui);
    else if (print_view(ui, rest, true))
        return;
    else if (read_part(rest, &part))
        print_passes(ui, part);
    else if (id >= 0)
        print_field(ui, (enum param)id);
    else if (!print_view(ui, rest, false))
        run_shared(ui, rest);
}

static void run_keys(struct ui *ui, const char *rest)
{
    for (int form = 0; form < PANE_FORMS; form++)
        for (int i = 0; i < ui->field_count[form]; i++)
            if (!*rest || strstr(param_rows[ui->fields[form][i]].dotted, rest))
                print_key(ui, ui->fields[form][i]);
}

/* What each other value of a switch or a choice would give. */
static void print_values(struct ui *ui, enum param id)
{
    static const struct diff_units units = {units_figure, units_delta};
    char lines[DIFF_VALUE_MAX];
    explain_update(ui, param_rows[id].dotted);
    for (int i = 0; i < ui->explained.value_count; i++) {
        diff_text_value(&ui->explained.value[i].diff, id, ui->explained.value[i].value, &units, lines);
        plain_print(ui, "%s", lines);
    }
}

/* A key, or the page of a figure as the screen has it. */
static void run_explain(struct ui *ui, const char *rest)
{
    struct explanation x;
    int id = param_find_alias(rest);
    if (id >= 0) {
        print_field(ui, (enum param)id);
        print_values(ui, (enum param)id);
        return;
    }
    if (explain_value(ui->shown, rest, &x) != 0) {
        plain_print(ui, "'%.80s' is not a value of this plan; try time.iteration_s or device_bytes\n", rest);
        return;
    }
    print_stale(ui);
    explain_open(ui, rest);
    print_overlay(ui);
    ui->mode = MODE_BROWSE;
}

/* The same with what changed it since the baseline; without a path the iteration. */
static void run_changed(struct ui *ui, const char *rest)
{
    if (!ui->has_baseline) {
        plain_print(ui, "nothing is pinned; use baseline to pin the plan, then changed to see the changes\n");
        return;
    }
    ui->explains_change = true;
    run_explain(ui, *rest ? rest : "time.iteration_s");
    ui->explains_change = false;
}

static void run_estimators(struct ui *ui, const char *rest)
{
    (void)rest;
    if (estimators_update(ui) != 0 || ui->estimators->count == 0) {
        plain_print(ui, "no published estimator supports this plan\n");
        return;
    }
    for (int i = 0; i < ui->estimators->count; i++) {
        char line[ESTIMATOR_LINE_MAX];
        estimators_line(&ui->estimators->row[i], line);
        plain_print(ui, "%s\n", line);
    }
}

static void press(void *ui, int key)
{
    ui_update(ui);
    advisor_finish(ui);
    ui_key(ui, key);
}

/* What the screen's message line says of the selected row. */
static void print_selected(const struct ui *ui)
{
    char text[UI_MESSAGE_MAX] = "";
    if (overlays[ui->mode]->message)
        print_lines(ui, message_of, 2);
    if (ui->mode == MODE_BROWSE && ui->is_view_focused && panes[ui->view]->describe)
        panes[ui->view]->describe(ui, text);
    if (*text)
        plain_print(ui, "%s\n", text);
}

/* Keys as on the screen, then what they lead to. */
static void run_press(struct ui *ui, const char *rest)
{
    unsigned before = ui->generation;
    while (!ui->is_done && key_script_next(&rest, press, ui))
        ;
    if (overlays[ui->mode]->draw)
        print_overlay(ui);
    else if (ui->mode == MODE_BROWSE)
        print_current(ui);
    print_selected(ui);
    if (ui->generation != before)
        print_result(ui, history_at(&ui->history, ui->history.now)->label);
    say(ui);
}

/* What the palette finds, the best first. */
static void run_find(struct ui *ui, const char *rest)
{
    enum { SHOWN = 10 };
    struct palette palette = {0};
    const struct palette_item *item;
    palette_fill(&palette, ui);
    palette_find(&palette, ui, rest);
    for (int i = 0; i < SHOWN && (item = palette_at(&palette, i)); i++)
        plain_print(ui, "%s %s%s%s\n", palette_kind_names[item->kind], item->path, *item->help ? ": " : "", item->help);
    if (palette.found_count == 0)
        plain_print(ui, "nothing is called '%.80s'\n", rest);
    palette_free(&palette);
}

/* "0 3", "s0 s3": stages of the plan; returns how many of the two there are. */
static int read_stages(const struct ui *ui, const char *text, int stage[2])
{
    int count = 0;
    for (char *end; *text; text = end + strspn(end, " ")) {
        const char *digits = text + (*text == 's');
        long number = strtol(digits, &end, 10);
        if (end == digits || count == 2 || number < 0 || number >= ui->shown->stages)
            return 0;
        stage[count++] = (int)number;
    }
    return count;
}

/* Why a stage is fuller than another, or works longer; of a figure, where it comes from. */
static void run_why(struct ui *ui, const char *rest)
{
    enum pane_id view = ui->view;
    bool is_time = strncmp(rest, "time", 4) == 0 && (rest[4] == ' ' || !rest[4]), was_focused = ui->is_view_focused;
    rest += is_time ? 4 + strspn(rest + 4, " ") : 0;
    int stage[2] = {0}, count = read_stages(ui, rest, stage);
    if (*rest && count == 0) {
        run_explain(ui, rest);
        return;
    }
    ui->stage = count > 0 ? stage[0] : ui->stage;
    ui->view = is_time ? PANE_TIME : PANE_MEMORY;
    ui->is_view_focused = true;
    ui_do(ui, ACTION_stages);
    ui->view = view;
    ui->is_view_focused = was_focused;
    ui->stages.other = count > 1 ? stage[1] : ui->stages.other;
    print_stale(ui);
    if (ui->mode == MODE_STAGES)
        print_overlay(ui);
    else
        say(ui);
    ui->mode = MODE_BROWSE;
}

/* The next value of a key that works, of the selected one where none is named. */
static void step(struct ui *ui, const char *rest, char sign)
{
    char line[EDIT_MAX];
    snprintf(line, sizeof line, "%.100s %c", *rest ? rest : param_rows[ui_field(ui)].dotted, sign);
    run_shared(ui, line);
}

static void run_next(struct ui *ui, const char *rest)
{
    step(ui, rest, '+');
}

static void run_previous(struct ui *ui, const char *rest)
{
    step(ui, rest, '-');
}

/* How wide pages are: tables have more columns, and names and changes their end, as on a wide screen. */
static void run_columns(struct ui *ui, const char *rest)
{
    char *end = NULL;
    long width = strtol(rest, &end, 10);
    if (*rest && *end == '\0' && width >= PAGE_WIDTH_MIN && width <= PAGE_WIDTH_MAX) {
        ui_resize(ui, (int)width, PAGE_HEIGHT);
    } else if (*rest) {
        plain_print(ui, "columns are %d to %d\n", PAGE_WIDTH_MIN, PAGE_WIDTH_MAX);
    }
    plain_print(ui, "pages are %d columns wide\n", ui->width);
}

static void run_quit(struct ui *ui, const char *rest)
{
    (void)rest;
    ui->is_done = true;
}

static void run_help(struct ui *ui, const char *rest);

static const struct {
    const char *name, *help;
    void (*run)(struct ui *ui, const char *rest);
} own_commands[] = {
    {"show",
     "show [KEY|VIEW]: the results, one key, or a view: memory, time, communication, grid, schedule, layers, what-if, "
     "sweep, tuner, diff\n"
     "show schedule FIRST..LAST [stages FIRST..LAST]: the passes of each stage as sentences, as in: show schedule 1..8",
     run_show},
    {"press", "press KEYS: keys as on the screen, as in: press 2 s, press 3 H m; then the view", run_press},
    {"keys", "keys [TEXT]: all keys of the plan and their values; show keys: those of the screen", run_keys},
    {"explain", "explain PATH: where a number comes from", run_explain},
    {"why",
     "why [time] [STAGE [STAGE]]: why one stage is fuller than another, or works longer, as in: why 0 3, why time 3 0; "
     "why PATH explains it",
     run_why},
    {"changed", "changed [PATH]: explain a number's change since the baseline, key by key, as in: changed device_bytes",
     run_changed},
    {"next", "next [KEY]: its next value that works", run_next},
    {"previous", "previous [KEY]: the one before", run_previous},
    {"find", "find WORD: find keys, views, commands, models, GPUs, plans and values by name",
     run_find},
    {"estimators", "estimators: compare with the published estimators and explain differences", run_estimators},
    {"columns", "columns [N]: how wide views are; wider tables leave less out, as in: columns 200", run_columns},
    {"help", "help [WORD]: this list, or its entries with the word; help legend: explain letters and marks", run_help},
    {"quit", "quit: leave", run_quit},
    {"q", "q: leave", run_quit},
    {"?", "?: this list", run_help},
};
enum { COMMANDS = LENGTH(own_commands) };

/* A line of the help that has the word. */
static void help_line(const struct ui *ui, const char *word, const char *text)
{
    if (!*word || strstr(text, word))
        plain_print(ui, "%s\n", text);
}

static bool is_own(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(own_commands[i].name, name) == 0)
            return true;
    return false;
}

static void run_help(struct ui *ui, const char *rest)
{
    char line[UI_MESSAGE_MAX];
    if (strcmp(rest, "legend") == 0) {
        run_shared(ui, rest);
        return;
    }
    help_line(ui, rest, "KEY VALUE ...: set keys, as in: tp 8, seq_length=8k pp=4, mbs x2, gpus 64");
    help_line(ui, rest, "KEY: one key; KEY + and KEY -: the next value that works");
    for (int i = 0; i < COMMANDS; i++)
        help_line(ui, rest, own_commands[i].help);
    for (int i = 0; i < command_count; i++) {
        if (is_own(commands[i].name))
            continue;
        snprintf(line, sizeof line, "%s%s%s: %s", commands[i].name, *commands[i].usage ? " " : "", commands[i].usage,
                 commands[i].help);
        help_line(ui, rest, line);
    }
    if (*rest)
        return;
    plain_print(ui, "Also as on the screen:");
    for (int i = ACTION_step_up; i < ACTION_accept; i++)
        plain_print(ui, " %s", actions[i].name);
    plain_print(ui, "\n");
}

/* A pane as text, without the blank lines below it. */
static void print_text(const struct ui *ui, char *text)
{
    for (size_t n = strlen(text); n > 0 && text[n - 1] == '\n'; n--)
        text[n - 1] = '\0';
    plain_print(ui, "%s\n", text);
}

/* Runs a line of the screen's grammar and prints what it says, with the results where they changed. */
static void run_shared(struct ui *ui, const char *line)
{
    char text[COPY_MAX];
    unsigned before = ui->generation;
    enum pane_id view = ui->view;
    bool is_read = command_run(ui, line);
    bool is_rank = (*line == '#' || strncmp(line, "rank ", 5) == 0) && !ui->message[0]; /* asked again, too */
    bool is_view = ui->mode == MODE_BROWSE && (ui->view != view || is_rank);
    const struct overlay *overlay = overlays[ui->mode];
    ui_update(ui);
    if (is_view)
        print_current(ui);
    else if (overlay->draw && overlay->copy && overlay->copy(ui, text, sizeof text) > 0)
        print_text(ui, text);
    else if (overlay->draw)
        print_overlay(ui);
    else if (ui->generation != before)
        print_result(ui, ui->message[0] ? ui->message : history_at(&ui->history, ui->history.now)->label);
    bool is_silent = overlay->draw ? ui->message_role != ROLE_BAD : ui->generation != before;
    if (!is_view && !is_silent)
        say(ui);
    if (!is_read && ui->fault.length > 0)
        plain_print(ui, "%s\n%*s^\n", line, ui->fault.at, "");
}

/* What the screen would open: a question is answered by the next line, anything else by its message. */
static void say_opened(struct ui *ui)
{
    if (ui->mode == MODE_QUESTION)
        plain_print(ui, "%s yes does it\n", ui->question.text);
    else
        ui->mode = MODE_BROWSE;
}

/* Does what was asked about; any other line than `yes` is a no. Returns true for a yes. */
static bool answer(struct ui *ui, const char *line)
{
    bool is_yes = ui->mode == MODE_QUESTION && strcmp(line, "yes") == 0;
    if (is_yes)
        overlay_question.accept(ui);
    ui->mode = MODE_BROWSE;
    return is_yes;
}

/* What a terminal must not see becomes '?': faults show what was typed. */
static void clean(char *line)
{
    char *out = line;
    const char *in = line;
    for (uint32_t glyph; (glyph = utf8_next(&in)) != 0;)
        out += utf8_put(glyph == '\t' || (glyph_is_safe(glyph) && glyph != 0xfffd) ? glyph : '?', out);
    *out = '\0';
}

static void run_line(struct ui *ui, char *line)
{
    char name[64];
    line += strspn(line, " \t:");
    line[strcspn(line, "\r\n")] = '\0';
    clean(line);
    for (size_t end = strlen(line); end > 0 && strchr(" \t", line[end - 1]); end--)
        line[end - 1] = '\0';
    bool is_rank = *line == '#' && line[1] && strspn(line + 1, "-0123456789ng") == strlen(line + 1);
    if (!*line || (*line == '#' && !is_rank)) /* a remark */
        return;
    ui->message[0] = '\0';
    if (answer(ui, line)) {
        say(ui);
        return;
    }
    size_t n = strcspn(line, " \t");
    const char *rest = line + n + strspn(line + n, " \t");
    snprintf(name, sizeof name, "%.*s", (int)n, line);
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(own_commands[i].name, name) == 0) {
            own_commands[i].run(ui, rest);
            return;
        }
    int key = command_find(line, strlen(line)) ? -1 : param_find_alias(line);
    if (key >= 0)
        print_field(ui, (enum param)key);
    else
        run_shared(ui, line);
    if (ui_autosave(ui))
        say(ui);
}

int ui_plain_from(struct ui *ui)
{
    char *line = NULL;
    size_t room = 0;
    ui->draws_lines = true;
    ui_resize(ui, PAGE_WIDTH, PAGE_HEIGHT);
    ui->utf8 = false;
    ui->options.plain = NULL; /* it does already */
    ui->is_done = ui->goes_plain = false;
    ui->has_clock = true;
    ui->printed.peak_bytes = ui->printed.iteration_s = NAN;
    ui->settings.confirm_save = CONFIRM_NEVER; /* each line says what it did */
    say(ui);
    print_result(ui, ui->now->plan.text[TEXT_MODEL][0] ? ui->now->plan.text[TEXT_MODEL] : "plan");
    question_offer(ui);
    say_opened(ui);
    bool is_written = fflush(stdout) == 0;
    while (is_written && !ui->is_done && getline(&line, &room, stdin) >= 0) {
        run_line(ui, line);
        say_opened(ui);
        is_written = fflush(stdout) == 0;
    }
    if (!is_written)
        fprintf(stderr, "standard output: cannot be written: %s; check the disk or the pipe\n", strerror(errno));
    free(line);
    return is_written ? 0 : 3;
}

int ui_plain(const struct ui_host *host, const struct ui_options *options)
{
    struct ui *ui = ui_create(host, options, 1, 1);
    int status = ui ? ui_plain_from(ui) : 3;
    if (ui)
        ui_free(ui);
    return status;
}

void ui_commands(void (*each)(void *context, const char *usage, const char *help, const char *example), void *context)
{
    char usage[64];
    for (int i = 0; i < command_count; i++) {
        snprintf(usage, sizeof usage, "%s%s%s", commands[i].name, *commands[i].usage ? " " : "", commands[i].usage);
        each(context, usage, commands[i].help, commands[i].example);
    }
}
