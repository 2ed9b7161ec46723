#include "ui/state/advisor.h"

#include "core/base.h"
#include "ui/state/state.h"
#include "ui/widget/form.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Work between two keys, short enough not to be noticed. */
enum { ESTIMATES = 2, BLOCKS = 16, CELLS = 4 };

/* ---- beginning -------------------------------------------------------------------------------------------------- */

static void begin_search(struct ui *ui, struct advisor *advisor)
{
    struct search_ask ask;
    search_ask_about(&ui->plan, &ask);
    ask.top = SEARCH_TOP_MAX; /* the one to take may be further down than anybody looks */
    ask.objective = advisor->objective;
    ask.space.free = advisor->free ? advisor->free : ask.space.free;
    advisor->refused[0] = '\0';
    bool is_asked = search_line_apply(&advisor->line, &ask, ui->scratch, advisor->refused) == 0;
    advisor->is_judged = advisor->is_walking = false;
    advisor->estimated = 0;
    advisor->recommending = (struct recommend_state){.judged = 0};
    advisor->take = advisor->dots = 0;
    advisor->forbidden.count = 0;
    ui->at[PANE_TUNER].column = 0; /* no longer along the front of another plan */
    advisor->has_search = advisor->is_searching =
        is_asked && !ui->now->is_serving && search_begin(&advisor->search, &ask, 0, 1);
}

static void forget_cells(struct advisor *advisor)
{
    advisor->cells = 0;
    advisor->sought = -1;
}

/* NULL if memory runs out. */
static struct advisor *advisor_of(struct ui *ui)
{
    if (!ui->advisor)
        ui->advisor = calloc(1, sizeof *ui->advisor);
    struct advisor *advisor = ui->advisor;
    if (!advisor || (advisor->has_begun && advisor->generation == ui->generation))
        return advisor;
    if (!advisor->has_begun) {
        advisor->objective = (enum search_objective)ui->settings.objective;
        advisor->free = ui->settings.free;
    }
    advisor->has_begun = true;
    advisor->generation = ui->generation;
    advice_begin(&advisor->advice, &ui->plan);
    begin_search(ui, advisor);
    forget_cells(advisor);
    return advisor;
}

/* ---- work ------------------------------------------------------------------------------------------------------- */

static bool is_shown(const struct ui *ui, enum pane_id pane)
{
    return layout_find(&ui->layout, pane).height > 0;
}

static int cells_of(const struct advisor *advisor)
{
    return advisor->axes ? advisor->axis[0].count * advisor_columns(advisor) : 0;
}

static bool is_current(const struct ui *ui)
{
    return ui->advisor && ui->advisor->has_begun && ui->advisor->generation == ui->generation;
}

/* The kinds of work, in the order in which they are done. */
enum work { WORK_SWEEP, WORK_ADVICE, WORK_SEARCH, WORK_JUDGEMENT, WORK_DOTS, WORK_COUNT };

/* Work that is not done, whether or not it is needed. */
static bool is_open(const struct ui *ui, enum work work)
{
    const struct advisor *advisor = ui->advisor;
    if (!is_current(ui))
        return work < WORK_JUDGEMENT;
    switch (work) {
    case WORK_SWEEP: return advisor->cells < cells_of(advisor);
    case WORK_ADVICE: return advisor->advice.phase != ADVICE_DONE;
    case WORK_SEARCH: return advisor->is_searching;
    case WORK_JUDGEMENT: return advisor->has_search && !advisor->is_searching && !advisor->is_judged;
    default: return advisor->is_walking;
    }
}

/* Whether the tuner draws memory against time. */
static bool has_plot(const struct ui *ui)
{
    struct rect r = layout_find(&ui->layout, PANE_TUNER);
    return r.height > ADVISOR_PLOT_ROWS ||
           (r.x > 0 && r.height > ADVISOR_GLANCE_ROWS && r.width >= ADVISOR_GLANCE_WIDTH);
}

static bool view_wants(const struct ui *ui, enum work work)
{
    bool is_needed = is_shown(ui, PANE_WHATIF) || is_shown(ui, PANE_TUNER);
    if (work == WORK_SWEEP)
        is_needed = is_shown(ui, PANE_SWEEP) && ui->advisor && ui->advisor->axes > 0;
    else if (work == WORK_ADVICE)
        is_needed = is_shown(ui, PANE_WHATIF);
    else if (work == WORK_DOTS)
        is_needed = has_plot(ui);
    return is_needed && is_open(ui, work);
}

/* Not on slow lines, which it would keep busy, nor while presenting. */
static bool has_line(const struct ui *ui)
{
    return !ui->options.slow && !ui->options.present && !ui->now->is_serving && ui->now->is_computed &&
           ui->now->is_modelled && ui->now->diags.errors == 0;
}

/* Whether the line of advice needs the work: the best change, or pair of changes, and the best layout by time. */
static bool line_wants(const struct ui *ui, enum work work)
{
    bool is_needed = work == WORK_SEARCH || work == WORK_ADVICE || work == WORK_JUDGEMENT;
    if (is_current(ui) && work == WORK_ADVICE)
        is_needed = ui->advisor->advice.phase <= ADVICE_PAIRS || ui->advisor->advice.now.verdict == VERDICT_NO;
    else if (is_current(ui) && work == WORK_JUDGEMENT)
        is_needed = ui->advisor->objective == SEARCH_TIME;
    return is_needed && has_line(ui) && is_open(ui, work);
}

static bool views_wait(const struct ui *ui)
{
    bool is_any = false;
    for (int work = 0; work < WORK_COUNT; work++)
        is_any |= view_wants(ui, (enum work)work);
    return is_any && !ui->options.slow;
}

bool advisor_is_busy(const struct ui *ui)
{
    return views_wait(ui) || line_wants(ui, WORK_ADVICE) || line_wants(ui, WORK_SEARCH) ||
           line_wants(ui, WORK_JUDGEMENT);
}

bool advisor_owes(const struct ui *ui, enum pane_id pane)
{
    bool is_room = pane == PANE_GRID && ui->shown->grid.world == 1; /* which the advice ends with */
    return (pane == PANE_WHATIF || pane == PANE_TUNER || is_room) && views_wait(ui);
}

/* ---- the line that is always there ------------------------------------------------------------------------------ */

/* Returns whether the line changed. */
static bool update_line(const struct ui *ui, struct advisor_line *line, const struct advisor_line *next)
{
    bool is_new = line->generation != ui->generation || strcmp(line->text, next->text) != 0;
    *line = *next;
    line->generation = ui->generation;
    return is_new;
}

static void set_words(const char *words, struct advisor_line *out)
{
    snprintf(out->text, sizeof out->text, "%s", words);
    snprintf(out->brief, sizeof out->brief, "%s", words);
}

/* "pp 8, tp 4, dp 32: 15.0 s -26.0%"; brief "pp 8 .. -26.0%" or, with `name`, "best -26.0%". */
static void set_step(const struct ui *ui, const char *words, const char *name, const struct plan *plan,
                     double iteration_s, struct advisor_line *out)
{
    enum { ROOM = 60 };
    char keys[ADVISOR_TEXT_MAX - 48], share[16] = "";
    double relative = iteration_s / estimate_pace(ui->now) - 1;
    struct figure change = figure_delta(FIGURE_PERCENT, relative);
    form_changes(&ui->now->plan, plan, ROOM, keys, sizeof keys);
    if (isfinite(relative))
        snprintf(share, sizeof share, " %.12s%s", change.text, change.text[0] == '=' ? "" : "%");
    snprintf(out->text, sizeof out->text, "%s%s: %s%s", words, keys, figure(FIGURE_SECONDS, iteration_s).text, share);
    int first = (int)strcspn(keys, ",");
    if (name)
        snprintf(out->brief, sizeof out->brief, "%s%s", name, share);
    else
        snprintf(out->brief, sizeof out->brief, "%s%.*s%s%s", words, first, keys, keys[first] == ',' ? " .." : "",
                 share);
}

/* By at least a tenth of a per cent as shown. */
static bool is_faster(const struct ui *ui, double iteration_s)
{
    const double least = 5e-4;
    return iteration_s < estimate_pace(ui->now) * (1 - least);
}

static const struct advice_row *best_change(const struct ui *ui, const struct advice *advice)
{
    const struct advice_row *row = &advice->row[0];
    bool is_better = advice->rows > 0 && row->group == CHANGE_LAYOUT && row->figures.verdict == VERDICT_FITS &&
                     is_faster(ui, row->figures.iteration_s);
    return is_better ? row : NULL;
}

static bool update_change(const struct ui *ui, struct advisor *advisor)
{
    const struct advice *advice = &advisor->advice;
    const struct advice_row *row = best_change(ui, advice);
    struct advisor_line next;
    struct plan plan;
    set_words("no single change is faster", &next);
    if (advice->now.verdict != VERDICT_FITS && advice->fix.changes > 0) {
        advice_plan(advice, advice->fix.change, advice->fix.changes, &plan);
        set_step(ui, "fits with ", NULL, &plan, advice->fix.figures.iteration_s, &next);
    } else if (advice->now.verdict == VERDICT_NO && advice->fixes > 0) {
        advice_plan(advice, advice->fixed[0].change, advice->fixed[0].changes, &plan);
        set_step(ui, "fits with ", NULL, &plan, advice->fixed[0].figures.iteration_s, &next);
    } else if (advice->now.verdict == VERDICT_NO) {
        set_words("no change here makes it fit", &next);
    } else if (row) {
        advice_plan(advice, &row->change, 1, &plan);
        set_step(ui, "", NULL, &plan, row->figures.iteration_s, &next);
    }
    return update_line(ui, &advisor->change, &next);
}

const char *advisor_no_better(const struct ui *ui)
{
    const struct advisor *advisor = ui->advisor;
    const struct search_result *best = advisor->search.answer.best;
    bool is_told = advisor->is_judged && advisor->objective == SEARCH_TIME && advisor->search.answer.count > 0;
    if (!is_told || !ui->now->fits || is_faster(ui, best[advisor->take].iteration_s))
        return NULL;
    return is_faster(ui, best[0].iteration_s) ? "no layout is certain to be faster" : "no layout is faster";
}

static bool update_best(const struct ui *ui, struct advisor *advisor)
{
    const struct search_answer *answer = &advisor->search.answer;
    const struct search_result *take = &answer->best[advisor->take];
    const char *none = advisor_no_better(ui);
    struct advisor_line next;
    struct plan plan;
    if (!answer->is_complete) {
        set_words("search stopped", &next);
    } else if (answer->count == 0) {
        set_words(advisor->line.text[0] ? "no layout is within the limits" : "nothing fits", &next);
    } else if (none) {
        set_words(none, &next);
    } else {
        search_plan(&advisor->search.ask, take, &plan);
        set_step(ui, "best ", "best", &plan, take->iteration_s, &next);
    }
    return update_line(ui, &advisor->best, &next);
}

static int draw_sentence(const struct ui *ui, struct canvas *canvas, int x, int y, const char *key,
                         const struct advisor_line *line, bool is_brief)
{
    x = canvas_text(canvas, x, y, ROLE_KEY, key) + 1;
    return canvas_text(canvas, x, y, line->generation == ui->generation ? ROLE_TEXT : ROLE_MUTED,
                       is_brief ? line->brief : line->text);
}

static int width_of(const struct advisor_line *line, bool is_brief)
{
    return line->text[0] ? text_width(is_brief ? line->brief : line->text) + 2 : 0;
}

void advisor_draw(const struct ui *ui, struct canvas *canvas, int y, int width)
{
    enum { GAP = 3 };
    static const struct {
        bool has_best, is_brief;
    } lengths[] = {{true, false}, {true, true}, {false, false}, {false, true}};
    const struct advisor *advisor = ui->advisor;
    int room = width - canvas_end(canvas, y) - GAP;
    if (!advisor || !has_line(ui) || !advisor->change.text[0])
        return;
    for (size_t i = 0; i < LENGTH(lengths); i++) {
        int best =
            lengths[i].has_best && advisor->best.text[0] ? width_of(&advisor->best, lengths[i].is_brief) + GAP : 0;
        int all = width_of(&advisor->change, lengths[i].is_brief) + best;
        if (all > room || (lengths[i].has_best && best == 0))
            continue;
        int x = draw_sentence(ui, canvas, width - all, y, "6", &advisor->change, lengths[i].is_brief);
        if (best)
            draw_sentence(ui, canvas, x + GAP, y, "8", &advisor->best, lengths[i].is_brief);
        return;
    }
}

/* ---- slices ----------------------------------------------------------------------------------------------------- */

/* Less is better. A GPU costs the same wherever it is. */
static double worth_of(const struct advisor *advisor, const struct advice_row *row)
{
    if (advisor->objective == SEARCH_MEMORY)
        return row->figures.device_bytes;
    bool is_of_gpus = advisor->objective == SEARCH_COST || advisor->objective == SEARCH_ENERGY ||
                      advisor->objective == SEARCH_TRAIN_COST || advisor->objective == SEARCH_GPUS;
    bool is_nodes = is_of_gpus && row->change.key == PARAM_hardware_nodes;
    double nodes = KEY_OF(&advisor->shown_advice.resolved, hardware, nodes);
    return row->figures.iteration_s * (is_nodes ? row->change.value / nodes : 1);
}

enum change_section advisor_section(const struct advice_row *row)
{
    return row->group == CHANGE_HARDWARE          ? SECTION_HARDWARE
           : row->figures.verdict == VERDICT_NO   ? SECTION_OVER
           : row->group == CHANGE_FRAMEWORK       ? SECTION_FRAMEWORK
                                                  : SECTION_LAYOUT;
}

static bool comes_before(const struct advisor *advisor, const struct advice_row *a, const struct advice_row *b)
{
    if (advisor_section(a) != advisor_section(b))
        return advisor_section(a) < advisor_section(b);
    if (a->figures.verdict != b->figures.verdict)
        return a->figures.verdict < b->figures.verdict;
    if (figures_are_nearer(&a->figures, &b->figures) || figures_are_nearer(&b->figures, &a->figures))
        return figures_are_nearer(&a->figures, &b->figures);
    return worth_of(advisor, a) < worth_of(advisor, b);
}

/* Whether a change alone is listed among those that make the plan fit. */
static bool is_a_fix(const struct advice *advice, const struct change *change)
{
    for (int i = 0; i < advice->fixes; i++)
        if (advice->fixed[i].changes == 1 && advice->fixed[i].change[0].key == change->key &&
            advice->fixed[i].change[0].value == change->value)
            return true;
    return false;
}

/* Each change has one row: what makes the plan fit stands above the others. */
static void order_rows(struct advisor *advisor)
{
    struct advice_row *row = advisor->shown_advice.row;
    int count = advisor->shown_advice.rows, kept = 0;
    for (int i = 0; i < count; i++)
        if (!is_a_fix(&advisor->shown_advice, &row[i].change))
            row[kept++] = row[i];
    advisor->shown_advice.rows = kept;
    for (int i = 0; i < kept; i++) {
        int at = i;
        for (; at > 0 && comes_before(advisor, &row[i], &row[advisor->order[at - 1]]); at--)
            advisor->order[at] = advisor->order[at - 1];
        advisor->order[at] = (uint8_t)i;
    }
}

/* Shown when its table is complete, and again at the end. */
static bool step_advice(struct ui *ui, struct advisor *advisor)
{
    enum advice_phase before = advisor->advice.phase;
    advice_step(&advisor->advice, &advisor->scratch, ESTIMATES);
    if (advisor->advice.phase == before || advisor->advice.phase == ADVICE_CHANGES)
        return false;
    advisor->shown_advice = advisor->advice;
    order_rows(advisor);
    advisor->has_advice = true;
    advisor->shown_generation = ui->generation;
    bool is_updated = advisor->advice.phase > ADVICE_PAIRS && update_change(ui, advisor);
    return is_updated || is_shown(ui, PANE_WHATIF);
}

/* After the last result the layout to take is known, and dots can be drawn. */
static bool judge(struct ui *ui, struct advisor *advisor)
{
    bool has_more = recommend_step(&advisor->search.ask, &advisor->search.answer, &advisor->judged,
                                   &advisor->recommending, advisor->recommendation);
    if (advisor->recommending.steps == 1) { /* a result has been estimated */
        advisor->mfu[advisor->recommending.judged] = result_value(RESULT_MFU, &advisor->judged);
        advisor->price[advisor->recommending.judged] = result_value(RESULT_PRICE, &advisor->judged);
        advisor->estimated = advisor->recommending.judged + 1;
    }
    if (has_more)
        return false;
    advisor->take = advisor->recommending.take;
    advisor->is_judged = true;
    advisor->is_walking = space_begin(&advisor->walk, &advisor->search.ask.space, 0, 1);
    advisor->walked = 0;
    bool is_updated = advisor->objective == SEARCH_TIME && update_best(ui, advisor);
    return is_updated || is_shown(ui, PANE_WHATIF) || is_shown(ui, PANE_TUNER);
}

static void add_dot(struct advisor *advisor)
{
    struct plan plan, resolved;
    struct figures figures;
    space_plan(&advisor->search.ask.space, &advisor->walk.at, &plan);
    plan_resolve(&plan, &resolved);
    if (rule_errors(&resolved))
        return;
    estimate_plan(&plan, &advisor->scratch);
    figures_of(&advisor->scratch, &figures);
    if (search_takes(&advisor->search.ask, &advisor->scratch) && advisor->dots < ADVISOR_DOTS)
        advisor->dot[advisor->dots++] = (struct advisor_dot){figures.device_bytes, figures.iteration_s};
}

/* Estimates about 200 layouts that fit, evenly spread; true at the end. */
static bool step_dots(struct ui *ui, struct advisor *advisor)
{
    (void)ui;
    enum { FIT = 200, ESTIMATED = 4000, STEPS = 256 };
    const struct search_answer *answer = &advisor->search.answer;
    long least = answer->candidates / ESTIMATED, every = answer->feasible / FIT;
    every = (every > least ? every : least) | 1;
    for (int step = 0, estimates = 0; step < STEPS && estimates < ESTIMATES; step++) {
        if (advisor->dots == ADVISOR_DOTS || !space_next(&advisor->walk)) {
            advisor->is_walking = false;
            return true;
        }
        if (advisor->walked++ % every == 0) {
            add_dot(advisor);
            estimates++;
        }
    }
    return false;
}

static bool step_search(struct ui *ui, struct advisor *advisor)
{
    const int tenths = 10;
    int before = (int)(tenths * search_share(&advisor->search));
    advisor->is_searching = search_step(&advisor->search, BLOCKS);
    if (!advisor->is_searching)
        refusals_of(&advisor->search.ask, &advisor->search.answer, &advisor->scratch, &advisor->forbidden);
    bool is_shown_here = is_shown(ui, PANE_WHATIF) || is_shown(ui, PANE_TUNER);
    bool is_used = ui->view == PANE_WHATIF || ui->view == PANE_TUNER,
         is_further = (int)(tenths * search_share(&advisor->search)) != before;
    return is_shown_here && (!advisor->is_searching || (is_used && is_further));
}

static void evaluate_cell(struct ui *ui, struct advisor *advisor)
{
    const enum param keys[SWEEP_AXES] = {advisor->axis[0].key, advisor->axis[1].key};
    struct plan plan;
    advisor_cell_plan(ui, advisor->cells, &plan);
    sweep_evaluate(&plan, &sweep_metrics[advisor->metric], keys, advisor->axes, false, &advisor->scratch,
                   &advisor->opened, &advisor->cell[advisor->cells]);
    advisor->cells++;
}

static void search_cell(struct ui *ui, struct advisor *advisor)
{
    const enum param keys[SWEEP_AXES] = {advisor->axis[0].key, advisor->axis[1].key};
    const struct sweep_metric *metric = &sweep_metrics[advisor->metric];
    struct search *search = &advisor->cell_search;
    struct search_ask ask;
    struct plan plan;
    advisor_cell_plan(ui, advisor->cells, &plan);
    sweep_ask(&plan, metric, keys, advisor->axes, &ask);
    bool is_under_way = advisor->sought == advisor->cells || search_begin(search, &ask, 0, 1);
    advisor->sought = advisor->cells;
    if (is_under_way && search_step(search, BLOCKS))
        return;
    sweep_evaluate_best(&plan, metric, &search->ask, &search->answer, &advisor->scratch, &advisor->opened,
                        &advisor->cell[advisor->cells]);
    advisor->cells++;
}

static bool step_sweep(struct ui *ui, struct advisor *advisor)
{
    if (advisor->has_best)
        search_cell(ui, advisor);
    for (int i = 0; i < CELLS && !advisor->has_best && advisor->cells < cells_of(advisor); i++)
        evaluate_cell(ui, advisor);
    return advisor->cells == cells_of(advisor);
}

bool advisor_step(struct ui *ui)
{
    struct advisor *advisor = advisor_of(ui);
    if (!advisor)
        return false;
    static bool (*const steps[WORK_COUNT])(struct ui *, struct advisor *) = {
        step_sweep, step_advice, step_search, judge, step_dots};
    for (int work = 0; work < WORK_COUNT; work++)
        if (view_wants(ui, (enum work)work) || line_wants(ui, (enum work)work))
            return steps[work](ui, advisor);
    return false;
}

void advisor_finish(struct ui *ui)
{
    while (advisor_is_busy(ui) && advisor_of(ui))
        advisor_step(ui);
}

void advisor_settle(struct ui *ui)
{
    bool is_in_use = ui->view == PANE_WHATIF || ui->view == PANE_SWEEP || ui->view == PANE_TUNER;
    while (is_in_use && views_wait(ui) && advisor_of(ui))
        advisor_step(ui);
}

static bool report_missing_key(struct ui *ui, enum search_objective objective)
{
    enum param lacks = search_missing_key(objective, &ui->now->plan);
    if (lacks < PARAM_COUNT)
        ui_say(ui, ROLE_BAD, "%s needs %s; set it, as in :%s", search_goals[objective].name,
               param_rows[lacks].dotted, search_example(lacks));
    return lacks < PARAM_COUNT;
}

/* The best layout by another objective is not kept. */
static void search_again(struct ui *ui, struct advisor *advisor)
{
    order_rows(advisor);
    advisor->has_search = false;
    advisor->best = (struct advisor_line){.text = ""};
    begin_search(ui, advisor);
}

bool advisor_stop(struct ui *ui)
{
    struct advisor *advisor = ui->advisor;
    if (!is_current(ui) || !advisor->is_searching)
        return false;
    advisor->is_searching = false;
    ui_say(ui, ROLE_TEXT, "stopped at %.0f %%; F and Enter search again", 100 * search_share(&advisor->search));
    return true;
}

void advisor_set_objective(struct ui *ui, enum search_objective objective)
{
    struct advisor *advisor = advisor_of(ui);
    if (!advisor || advisor->objective == objective || report_missing_key(ui, objective))
        return;
    advisor->objective = objective;
    search_again(ui, advisor);
    ui_say(ui, ROLE_TEXT, "ranked by %s", search_goals[objective].name);
}

void advisor_next_objective(struct ui *ui)
{
    struct advisor *advisor = advisor_of(ui);
    enum param lacks;
    int skipped = -1;
    if (!advisor)
        return;
    enum search_objective next = advisor->objective;
    while (lacks = search_missing_key(next = (enum search_objective)((next + 1) % ADVISOR_OBJECTIVES), &ui->now->plan),
           lacks < PARAM_COUNT && next != advisor->objective)
        skipped = skipped < 0 ? (int)next : skipped;
    advisor_set_objective(ui, next);
    if (skipped >= 0)
        ui_say(ui, ROLE_TEXT, "ranked by %s; %s needs %s", search_goals[next].name, search_goals[skipped].name,
               param_rows[search_missing_key((enum search_objective)skipped, &ui->now->plan)].dotted);
}

int advisor_search(struct ui *ui, const char *text, char *why)
{
    struct advisor *advisor = advisor_of(ui);
    struct search_line line;
    struct search_ask ask;
    snprintf(why, UI_MESSAGE_MAX, "search: out of memory");
    if (!advisor || search_line_read(text, &line, why) != 0)
        return -1;
    search_ask_about(&ui->plan, &ask);
    ask.objective = line.objective < SEARCH_OBJECTIVES ? line.objective : SEARCH_TIME;
    if (search_line_apply(&line, &ask, ui->scratch, why) != 0)
        return -1;
    snprintf(why, UI_MESSAGE_MAX, "%s", "");
    if (report_missing_key(ui, ask.objective))
        return -1;
    advisor->line = line;
    advisor->free = line.has_free ? line.free : advisor->free;
    advisor->objective = ask.objective;
    search_again(ui, advisor);
    return 0;
}

void advisor_search_line(const struct ui *ui, char *out, size_t size)
{
    const struct advisor *advisor = ui->advisor;
    const char *goal = advisor->objective != SEARCH_TIME ? search_goals[advisor->objective].name : "",
               *limits = advisor->line.text;
    int used = snprintf(out, size, "search%s%s%s%.*s free=", *goal ? " " : "", goal, *limits ? " " : "",
                        (int)size / 2, limits);
    space_axes_write(advisor->free ? advisor->free : space_default_axes(), out + used, size - (size_t)used);
}

void advisor_next_metric(struct ui *ui)
{
    struct advisor *advisor = advisor_of(ui);
    if (!advisor)
        return;
    const struct sweep_metric *skipped = NULL, *next;
    enum param lacks;
    int now = advisor->metric;
    do {
        advisor->metric = sweep_metric_for(advisor->metric + 1, ui->now->is_serving);
        next = &sweep_metrics[advisor->metric];
        lacks = sweep_missing_key(next, &ui->now->plan);
        skipped = lacks < PARAM_COUNT && !skipped ? next : skipped;
    } while (lacks < PARAM_COUNT && advisor->metric != now);
    forget_cells(advisor);
    if (skipped)
        ui_say(ui, ROLE_TEXT, "the map shows %s; %s needs %s", next->name, skipped->name,
               param_rows[sweep_missing_key(skipped, &ui->now->plan)].dotted);
    else
        ui_say(ui, ROLE_TEXT, "the map shows %s", next->name);
}

void advisor_set_free(struct ui *ui, uint32_t axes)
{
    struct advisor *advisor = advisor_of(ui);
    if (!advisor || advisor->free == axes)
        return;
    advisor->free = axes;
    begin_search(ui, advisor);
}

/* ---- sweeps ----------------------------------------------------------------------------------------------------- */

int advisor_columns(const struct advisor *advisor)
{
    return advisor->axes > 1 ? advisor->axis[1].count : 1;
}

void advisor_cell_plan(const struct ui *ui, int cell, struct plan *out)
{
    const struct advisor *advisor = ui->advisor;
    const int at[SWEEP_AXES] = {cell / advisor_columns(advisor), cell % advisor_columns(advisor)};
    char why[UI_MESSAGE_MAX];
    *out = ui->plan;
    for (int i = 0; i < advisor->axes; i++)
        ui_parse(ui, out, advisor->axis[i].key, advisor->axis[i].text[at[i]], why);
    if (advisor->has_best && cell < advisor->cells)
        sweep_follow(&advisor->cell[cell], out);
}

void advisor_toggle_best(struct ui *ui)
{
    struct advisor *advisor = advisor_of(ui);
    if (!advisor)
        return;
    advisor->has_best = !advisor->has_best && !ui->now->is_serving;
    forget_cells(advisor);
    ui_say(ui, ROLE_TEXT, advisor->has_best ? "each cell has its best layout" : "each cell has the present layout");
}

static int __attribute__((format(printf, 2, 3))) refuse(char *why, const char *format, ...)
{
    va_list args;
    int used = snprintf(why, UI_MESSAGE_MAX, "sweep: ");
    va_start(args, format);
    vsnprintf(why + used, UI_MESSAGE_MAX - (size_t)used, format, args);
    va_end(args);
    return -1;
}

static int parse_value(const void *ui, struct plan *plan, enum param key, const char *text, char *why)
{
    return ui_parse(ui, plan, key, text, why);
}

/* Splits "tp=1,2,4 pp=1..16"; returns the number of keys, or -1 with the reason in `why`. */
static int read_keys(const char *text, struct sweep_axis axis[SWEEP_AXES], char asked[SWEEP_AXES][UI_MESSAGE_MAX],
                     char *why)
{
    int axes = 0;
    for (; *text && axes < SWEEP_AXES; axes++) {
        size_t length = strcspn(text, " "), name = strcspn(text, "= ");
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)name, text);
        int id = param_find_alias(key);
        if (id < 0)
            return refuse(why, "unknown key '%.40s'; Tab completes names", key);
        axis[axes].key = (enum param)id;
        size_t values = length > name ? name + 1 : length;
        snprintf(asked[axes], UI_MESSAGE_MAX, "%.*s", (int)(length - values), text + values);
        text += length + strspn(text + length, " ");
    }
    if (axes == 0)
        return refuse(why, "takes one or two keys with values, as in tp=1,2,4 pp=1..16");
    return *text ? refuse(why, "takes two keys at most; remove '%.40s'", text) : axes;
}

struct asked_sweep {
    struct sweep_axis axis[SWEEP_AXES];
    char asked[SWEEP_AXES][UI_MESSAGE_MAX];
};

static int read_sweep(struct ui *ui, const char *text, struct asked_sweep *read, char *why)
{
    struct advisor *advisor = ui->advisor;
    char reason[SWEEP_WHY_MAX];
    int axes = read_keys(text, read->axis, read->asked, why);
    if (axes < 0)
        return -1;
    int fault = sweep_axes_read(read->axis, (const char *const[]){read->asked[0], read->asked[1]}, axes, &ui->plan,
                                parse_value, ui, reason);
    if (fault >= 0)
        return refuse(why, "%s: %.200s", param_rows[read->axis[fault].key].key, reason);
    memcpy(advisor->axis, read->axis, sizeof advisor->axis);
    memcpy(advisor->asked, read->asked, sizeof advisor->asked);
    advisor->axes = axes;
    if (!sweep_metric_is_of(&sweep_metrics[advisor->metric], ui->now->is_serving))
        advisor->metric = sweep_metric_for(0, ui->now->is_serving);
    forget_cells(advisor);
    return 0;
}

int advisor_sweep(struct ui *ui, const char *text, char *why)
{
    struct asked_sweep *read = calloc(1, sizeof *read);
    int result = advisor_of(ui) && read ? read_sweep(ui, text, read, why) : refuse(why, "out of memory");
    free(read);
    return result;
}
