#include "ui/advisor.h"

#include "core/base.h"
#include "core/plan/number.h"
#include "core/plan/param.h"
#include "core/plan/rule.h"
#include "core/plan/step.h"
#include "core/search/differs.h"
#include "core/show/figure.h"
#include "ui/state.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A slice: few enough estimates and blocks of layouts that a key which comes meanwhile does not notice. */
enum { ESTIMATES = 2, BLOCKS = 16, CELLS = 4 };

enum { TRIED_MAX = 1024 /* valid values of a swept key */ };

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
    advisor->judging = (struct judging){.judged = 0};
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

/* The advisor, allocated and begun for the present plan; NULL when memory runs out. */
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

static bool wants_advice(const struct ui *ui)
{
    return is_shown(ui, PANE_WHATIF) && (!is_current(ui) || ui->advisor->advice.phase != ADVICE_DONE);
}

static bool wants_search(const struct ui *ui)
{
    return (is_shown(ui, PANE_WHATIF) || is_shown(ui, PANE_TUNER)) && (!is_current(ui) || ui->advisor->is_searching);
}

/* Whether the plot of the tuner is on the screen and lacks layouts to draw. */
static bool wants_dots(const struct ui *ui)
{
    return is_current(ui) && ui->advisor->is_walking && layout_find(&ui->layout, PANE_TUNER).height > ADVISOR_PLOT_ROWS;
}

/* Whether a search has ended of which it is not known which result to take. */
static bool is_unjudged(const struct ui *ui)
{
    const struct advisor *advisor = ui->advisor;
    return is_current(ui) && advisor->has_search && !advisor->is_searching && !advisor->is_judged;
}

static bool wants_judgement(const struct ui *ui)
{
    return (is_shown(ui, PANE_WHATIF) || is_shown(ui, PANE_TUNER)) && is_unjudged(ui);
}

static bool wants_sweep(const struct ui *ui)
{
    return is_shown(ui, PANE_SWEEP) && ui->advisor && ui->advisor->axes > 0 &&
           (!is_current(ui) || ui->advisor->cells < cells_of(ui->advisor));
}

/* Whether the line that is always there is looked after: not where it would keep a slow line or a lecture busy. */
static bool has_line(const struct ui *ui)
{
    return !ui->options.slow && !ui->options.present && !ui->now->is_serving && ui->now->is_computed &&
           ui->now->is_modelled && ui->now->diags.errors == 0;
}

/* Single changes and, where none makes the plan fit, pairs of them. */
static bool line_wants_advice(const struct ui *ui)
{
    return has_line(ui) && (!is_current(ui) || ui->advisor->advice.phase <= ADVICE_PAIRS);
}

static bool line_wants_search(const struct ui *ui)
{
    return has_line(ui) && (!is_current(ui) || ui->advisor->is_searching);
}

static bool line_wants_judgement(const struct ui *ui)
{
    return has_line(ui) && is_unjudged(ui) && ui->advisor->objective == SEARCH_TIME;
}

static bool views_wait(const struct ui *ui)
{
    return !ui->options.slow &&
           (wants_advice(ui) || wants_search(ui) || wants_sweep(ui) || wants_judgement(ui) || wants_dots(ui));
}

bool advisor_is_busy(const struct ui *ui)
{
    return views_wait(ui) || line_wants_advice(ui) || line_wants_search(ui) || line_wants_judgement(ui);
}

bool advisor_owes(const struct ui *ui, enum pane_id pane)
{
    return (pane == PANE_WHATIF || pane == PANE_TUNER) && views_wait(ui);
}

/* ---- the line that is always there ------------------------------------------------------------------------------ */

/* Sets a sentence; true when it reads otherwise. */
static bool say(const struct ui *ui, struct advisor_line *line, const struct advisor_line *said)
{
    bool is_new = line->generation != ui->generation || strcmp(line->text, said->text) != 0;
    *line = *said;
    line->generation = ui->generation;
    return is_new;
}

static void say_words(const char *words, struct advisor_line *out)
{
    snprintf(out->text, sizeof out->text, "%s", words);
    snprintf(out->brief, sizeof out->brief, "%s", words);
}

/*
 * What leads from the plan to another: "tp 8 > 4, pp 4 > 8 (dp 32): 15.0 s -26.0%", briefly "tp 8 > 4 .. -26.0%" or,
 * with `name`, "best -26.0%".
 */
static void say_step(const struct ui *ui, const char *words, const char *name, const struct plan *plan,
                     double iteration_s, struct advisor_line *out)
{
    struct plan resolved;
    char keys[ADVISOR_TEXT_MAX - 48], share[16] = "";
    double relative = iteration_s / ui->now->step.iteration_s - 1;
    struct figure change = figure_delta(FIGURE_PERCENT, relative);
    plan_resolve(plan, &resolved);
    differs_keys(&ui->now->plan, &resolved, keys, sizeof keys);
    if (isfinite(relative))
        snprintf(share, sizeof share, " %.12s%s", change.text, change.text[0] == '=' ? "" : "%");
    snprintf(out->text, sizeof out->text, "%s%s: %s%s", words, keys, figure(FIGURE_SECONDS, iteration_s).text, share);
    int first = (int)strcspn(keys, ",(");
    first -= first > 0 && keys[first - 1] == ' ';
    if (name)
        snprintf(out->brief, sizeof out->brief, "%s%s", name, share);
    else
        snprintf(out->brief, sizeof out->brief, "%s%.*s%s%s", words, first, keys, keys[first] == ',' ? " .." : "",
                 share);
}

/* Whether a time is so much shorter than the plan's that a tenth of a per cent shows. */
static bool is_faster(const struct ui *ui, double iteration_s)
{
    const double least = 5e-4;
    return iteration_s < ui->now->step.iteration_s * (1 - least);
}

/* The best single change of the layout: the first row that fits, where it is faster. */
static const struct advice_row *best_change(const struct ui *ui, const struct advice *advice)
{
    const struct advice_row *row = &advice->row[0];
    bool is_better = advice->rows > 0 && row->group == CHANGE_LAYOUT && row->figures.verdict == VERDICT_FITS &&
                     is_faster(ui, row->figures.iteration_s);
    return is_better ? row : NULL;
}

static bool say_change(const struct ui *ui, struct advisor *advisor)
{
    const struct advice *advice = &advisor->advice;
    const struct advice_row *row = best_change(ui, advice);
    struct advisor_line said;
    struct plan plan;
    say_words("no single change is faster", &said);
    if (advice->now.verdict != VERDICT_FITS && advice->mend.changes > 0) {
        advice_plan(advice, advice->mend.change, advice->mend.changes, &plan);
        say_step(ui, "fits with ", NULL, &plan, advice->mend.figures.iteration_s, &said);
    } else if (advice->now.verdict == VERDICT_NO) {
        say_words("no two changes make it fit", &said);
    } else if (row) {
        advice_plan(advice, &row->change, 1, &plan);
        say_step(ui, "", NULL, &plan, row->figures.iteration_s, &said);
    }
    return say(ui, &advisor->change, &said);
}

const char *advisor_no_better(const struct ui *ui)
{
    const struct advisor *advisor = ui->advisor;
    const struct search_result *best = advisor->search.answer.best;
    bool is_told = advisor->is_judged && advisor->objective == SEARCH_TIME && advisor->search.answer.count > 0;
    if (!is_told || !ui->now->fits || is_faster(ui, best[advisor->take].iteration_s))
        return NULL;
    return is_faster(ui, best[0].iteration_s) ? "no layout is surely faster" : "no layout is faster";
}

/* The layout to take of all, the tuner's first row. */
static bool say_best(const struct ui *ui, struct advisor *advisor)
{
    const struct search_answer *answer = &advisor->search.answer;
    const struct search_result *take = &answer->best[advisor->take];
    const char *none = advisor_no_better(ui);
    struct advisor_line said;
    struct plan plan;
    if (!answer->is_complete) {
        say_words("search stopped", &said);
    } else if (answer->count == 0) {
        say_words(advisor->line.text[0] ? "no layout is within the limits" : "no layout fits", &said);
    } else if (none) {
        say_words(none, &said);
    } else {
        search_plan(&advisor->search.ask, take, &plan);
        say_step(ui, "best ", "best", &plan, take->iteration_s, &said);
    }
    return say(ui, &advisor->best, &said);
}

/* A sentence behind the key of its view. */
static int draw_sentence(const struct ui *ui, struct canvas *canvas, int x, int y, const char *key,
                         const struct advisor_line *line, bool is_brief)
{
    x = canvas_text(canvas, x, y, ROLE_KEY, key) + 1;
    return canvas_text(canvas, x, y, line->generation == ui->generation ? ROLE_TEXT : ROLE_DIM,
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

/* How good a row is by the objective; less is better. A GPU costs the same wherever it is. */
static double worth_of(const struct advisor *advisor, const struct advice_row *row)
{
    if (advisor->objective == SEARCH_MEMORY)
        return row->figures.device_bytes;
    bool is_of_gpus = advisor->objective == SEARCH_COST || advisor->objective == SEARCH_ENERGY ||
                      advisor->objective == SEARCH_TRAIN_COST || advisor->objective == SEARCH_GPUS;
    bool is_nodes = is_of_gpus && row->change.key == PARAM_hardware_nodes;
    double nodes = KEY_OF(&advisor->told.resolved, hardware, nodes);
    return row->figures.iteration_s * (is_nodes ? row->change.value / nodes : 1);
}

static bool comes_before(const struct advisor *advisor, const struct advice_row *a, const struct advice_row *b)
{
    if (a->group != b->group)
        return a->group < b->group;
    if (a->figures.verdict != b->figures.verdict)
        return a->figures.verdict < b->figures.verdict;
    if (figures_are_nearer(&a->figures, &b->figures) || figures_are_nearer(&b->figures, &a->figures))
        return figures_are_nearer(&a->figures, &b->figures);
    return worth_of(advisor, a) < worth_of(advisor, b);
}

/* Rows of the same group and verdict by the objective; those that do not fit by what they lack. */
static void order_rows(struct advisor *advisor)
{
    const struct advice_row *row = advisor->told.row;
    for (int i = 0; i < advisor->told.rows; i++) {
        int at = i;
        for (; at > 0 && comes_before(advisor, &row[i], &row[advisor->order[at - 1]]); at--)
            advisor->order[at] = advisor->order[at - 1];
        advisor->order[at] = (uint8_t)i;
    }
}

/* The advice is shown when its table is complete, and again at its end. */
static bool step_advice(struct ui *ui, struct advisor *advisor)
{
    enum advice_phase before = advisor->advice.phase;
    advice_step(&advisor->advice, &advisor->scratch, ESTIMATES);
    if (advisor->advice.phase == before || advisor->advice.phase == ADVICE_CHANGES)
        return false;
    advisor->told = advisor->advice;
    order_rows(advisor);
    advisor->has_told = true;
    advisor->told_generation = ui->generation;
    bool is_said = advisor->advice.phase > ADVICE_PAIRS && say_change(ui, advisor);
    return is_said || is_shown(ui, PANE_WHATIF);
}

/*
 * Judges a result of a search that has ended; after the last one it is known which to take, and what to draw beside the
 * front.
 */
static bool judge(struct ui *ui, struct advisor *advisor)
{
    bool has_more = standing_step(&advisor->search.ask, &advisor->search.answer, &advisor->judged, &advisor->judging,
                                  advisor->standing);
    if (advisor->judging.steps == 1) { /* a result has been estimated */
        advisor->mfu[advisor->judging.judged] = result_value(RESULT_MFU, &advisor->judged);
        advisor->price[advisor->judging.judged] = result_value(RESULT_PRICE, &advisor->judged);
        advisor->estimated = advisor->judging.judged + 1;
    }
    if (has_more)
        return false;
    advisor->take = advisor->judging.take;
    advisor->is_judged = true;
    advisor->is_walking = space_begin(&advisor->walk, &advisor->search.ask.space, 0, 1);
    advisor->walked = 0;
    bool is_said = advisor->objective == SEARCH_TIME && say_best(ui, advisor);
    return is_said || is_shown(ui, PANE_WHATIF) || is_shown(ui, PANE_TUNER);
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

/* Estimates one layout in so many that about 200 fit; true at the end of the walk. */
static bool step_dots(struct advisor *advisor)
{
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

/* The next cell, as the plan has it. */
static void evaluate_cell(struct ui *ui, struct advisor *advisor)
{
    const enum param keys[SWEEP_AXES] = {advisor->axis[0].key, advisor->axis[1].key};
    struct plan plan;
    advisor_cell_plan(ui, advisor->cells, &plan);
    sweep_evaluate(&plan, &sweep_metrics[advisor->metric], keys, advisor->axes, false, &advisor->scratch,
                   &advisor->opened, &advisor->cell[advisor->cells]);
    advisor->cells++;
}

/* A slice of the search for the next cell's best layout. */
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
    if (wants_sweep(ui))
        return step_sweep(ui, advisor);
    if (wants_advice(ui) || line_wants_advice(ui))
        return step_advice(ui, advisor);
    if (wants_search(ui) || line_wants_search(ui))
        return step_search(ui, advisor);
    if (wants_judgement(ui) || line_wants_judgement(ui))
        return judge(ui, advisor);
    return wants_dots(ui) && step_dots(advisor);
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

/* Says what an objective cannot do without; true where that lacks. */
static bool says_lack(struct ui *ui, enum search_objective objective)
{
    enum param lacks = search_lacks(objective, &ui->now->plan);
    if (lacks < PARAM_COUNT)
        ui_say(ui, ROLE_BAD, "%s needs %s; give it, as in :%s", search_goals[objective].name,
               param_rows[lacks].dotted, search_example(lacks));
    return lacks < PARAM_COUNT;
}

/* Searches anew; what was best for another question is no start, and is no longer said. */
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
    if (!advisor || advisor->objective == objective || says_lack(ui, objective))
        return;
    advisor->objective = objective;
    search_again(ui, advisor);
    ui_say(ui, ROLE_TEXT, "the best by %s", search_goals[objective].name);
}

void advisor_next_objective(struct ui *ui)
{
    struct advisor *advisor = advisor_of(ui);
    enum param lacks;
    int skipped = -1;
    if (!advisor)
        return;
    enum search_objective next = advisor->objective;
    while (lacks = search_lacks(next = (enum search_objective)((next + 1) % ADVISOR_OBJECTIVES), &ui->now->plan),
           lacks < PARAM_COUNT && next != advisor->objective)
        skipped = skipped < 0 ? (int)next : skipped;
    advisor_set_objective(ui, next);
    if (skipped >= 0)
        ui_say(ui, ROLE_TEXT, "the best by %s; %s needs %s", search_goals[next].name, search_goals[skipped].name,
               param_rows[search_lacks((enum search_objective)skipped, &ui->now->plan)].dotted);
}

int advisor_search(struct ui *ui, const char *text, char *why)
{
    struct advisor *advisor = advisor_of(ui);
    struct search_line line;
    struct search_ask ask;
    snprintf(why, UI_MESSAGE_MAX, "search: finds no memory left");
    if (!advisor || search_line_read(text, &line, why) != 0)
        return -1;
    search_ask_about(&ui->plan, &ask);
    ask.objective = line.objective < SEARCH_OBJECTIVES ? line.objective : SEARCH_TIME;
    if (search_line_apply(&line, &ask, ui->scratch, why) != 0)
        return -1;
    snprintf(why, UI_MESSAGE_MAX, "%s", "");
    if (says_lack(ui, ask.objective))
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
        lacks = sweep_lacks(next, &ui->now->plan);
        skipped = lacks < PARAM_COUNT && !skipped ? next : skipped;
    } while (lacks < PARAM_COUNT && advisor->metric != now);
    forget_cells(advisor);
    if (skipped)
        ui_say(ui, ROLE_TEXT, "the map shows %s; %s needs %s", next->name, skipped->name,
               param_rows[sweep_lacks(skipped, &ui->now->plan)].dotted);
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
    ui_say(ui, ROLE_TEXT, advisor->has_best ? "each cell has its best layout" : "each cell has this plan's layout");
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

static int refuse_many(const struct advisor_axis *axis, char *why)
{
    return refuse(why, "%s=%.40s has over %d values; write fewer or larger steps", param_rows[axis->key].key,
                  axis->asked, SWEEP_VALUES_MAX);
}

/* `1,2,4`, each a value of the key. */
static int list_values(const struct ui *ui, struct advisor_axis *axis, char *why)
{
    const char *key = param_rows[axis->key].key;
    if (!axis->asked[0])
        return refuse(why, "%s has no values; write %s=1,2,4 or 1..16, or * for all", key, key);
    for (const char *list = axis->asked; axis->count < SWEEP_VALUES_MAX;) {
        struct plan plan = ui->plan;
        char reason[UI_MESSAGE_MAX];
        int length = (int)strcspn(list, ",");
        snprintf(axis->text[axis->count], ADVISOR_KEY_MAX, "%.*s", length, list);
        if (length == 0)
            return refuse(why, "%s=%.40s has an empty value; fill it, or take a comma away", key, axis->asked);
        if (ui_parse(ui, &plan, axis->key, axis->text[axis->count], reason) != 0)
            return refuse(why, "%s: %.200s", key, reason);
        axis->count++;
        if (!list[length])
            return 0;
        list += length + 1;
    }
    return refuse_many(axis, why);
}

static int read_bound(const char *text, int length, enum param key, double *out)
{
    char number[ADVISOR_KEY_MAX], why[UI_MESSAGE_MAX];
    snprintf(number, sizeof number, "%.*s", length, text);
    return number_parse(number, param_rows[key].suffix, NULL, NULL, out, why);
}

static void add_number(struct advisor_axis *axis, double value)
{
    char text[FIELD_TEXT_MAX];
    param_number(axis->key, value, text);
    snprintf(axis->text[axis->count++], ADVISOR_KEY_MAX, "%.*s", ADVISOR_KEY_MAX - 1, text);
}

/* `A..B*2` and `A..B+S`. */
static int stepped_values(struct advisor_axis *axis, double low, double high, char sign, double step, char *why)
{
    if (!(sign == '*' ? step > 1 && low > 0 : step > 0))
        return refuse(why, "%s=%.40s goes nowhere; write a larger step", param_rows[axis->key].key, axis->asked);
    for (double value = low; value <= high; value = sweep_stepped(low, sign, step, axis->count)) {
        if (axis->count == SWEEP_VALUES_MAX)
            return refuse_many(axis, why);
        add_number(axis, value);
    }
    return 0;
}

/* Those of a key's valid values in a plan that lie between two others, into a sorted list of those found before. */
static int add_valid(const struct plan *plan, enum param key, double low, double high, double found[], int count)
{
    double tried[TRIED_MAX];
    int n = param_valid(plan, key, tried, TRIED_MAX);
    for (int k = 0; k < n; k++) {
        int at = count;
        while (at > 0 && found[at - 1] > tried[k])
            at--;
        if (tried[k] < low || tried[k] > high || (at > 0 && found[at - 1] == tried[k]) || count == TRIED_MAX ||
            (isinf(low) && param_follows(plan, key, tried[k]))) /* of all one that stands for another is none */
            continue;
        memmove(&found[at + 1], &found[at], (size_t)(count++ - at) * sizeof *found);
        found[at] = tried[k];
    }
    return count;
}

/* Values from `low` to `high` that are valid in the plan, or with some value of the other key. */
static int valid_values(const struct ui *ui, struct advisor_axis *axis, const struct advisor_axis *other, double low,
                        double high, char *why)
{
    double found[TRIED_MAX];
    char unused[UI_MESSAGE_MAX];
    int count = add_valid(&ui->plan, axis->key, low, high, found, 0);
    for (int i = 0; i < (other ? other->count : 0); i++) {
        struct plan plan = ui->plan;
        if (ui_parse(ui, &plan, other->key, other->text[i], unused) == 0)
            count = add_valid(&plan, axis->key, low, high, found, count);
    }
    if (count > SWEEP_VALUES_MAX)
        return refuse_many(axis, why);
    for (int i = 0; i < count; i++)
        add_number(axis, found[i]);
    return count ? 0 : refuse(why, "%s=%.40s holds no valid value; list some, as in %s=%s",
                              param_rows[axis->key].key, axis->asked, param_rows[axis->key].key,
                              param_type(axis->key)->is_number ? "1,2,4" : "V1,V2");
}

/* Values have an order, and unless they are counted a range of them needs a step; -1 with why it is none. */
static int check_range(const struct advisor_axis *axis, double low, double high, bool has_step, char *why)
{
    const char *key = param_rows[axis->key].key;
    const struct param_type *type = param_type(axis->key);
    if (!type->is_number)
        return refuse(why, "%s has no order; list its values, as in %s=V1,V2", key, key);
    if (!type->is_counted && !has_step)
        return refuse(why, "%s=%.40s needs a step; write +S or *S behind it", key, axis->asked);
    if (low > high)
        return refuse(why, "%s=%.40s ends before it begins; write the smaller value first", key, axis->asked);
    return 0;
}

/* `A..B`, with `*F` or `+S` behind it, or `*`. */
static int range_values(const struct ui *ui, struct advisor_axis *axis, const struct advisor_axis *other, char *why)
{
    double low = -INFINITY, high = INFINITY, step = NAN;
    const char *list = axis->asked, *dots = strstr(list, ".."), *sign = dots ? dots + 2 + strcspn(dots + 2, "*+") : "";
    if (dots && (read_bound(list, (int)(dots - list), axis->key, &low) != 0 ||
                 read_bound(dots + 2, (int)(sign - dots - 2), axis->key, &high) != 0 ||
                 (*sign && read_bound(sign + 1, (int)strlen(sign + 1), axis->key, &step) != 0)))
        return refuse(why, "%s=%.40s is no range; write A..B, A..B*2 or A..B+S", param_rows[axis->key].key, list);
    if (dots && check_range(axis, low, high, *sign, why) != 0)
        return -1;
    return *sign ? stepped_values(axis, low, high, *sign, step, why)
                 : valid_values(ui, axis, other, low, high, why);
}

static void begin_sweep(struct ui *ui, const struct advisor_axis axis[SWEEP_AXES], int axes)
{
    memcpy(ui->advisor->axis, axis, sizeof ui->advisor->axis);
    ui->advisor->axes = axes;
    forget_cells(ui->advisor);
    if (sweep_metric_for(ui->advisor->metric, ui->now->is_serving) != ui->advisor->metric)
        ui->advisor->metric = sweep_metric_for(0, ui->now->is_serving);
}

/* One key and its values as they stand; returns what is behind them, or NULL with the reason in `why`. */
static const char *read_axis(const char *text, struct advisor_axis *out, char *why)
{
    int length = (int)strcspn(text, " "), name = (int)strcspn(text, "=");
    char key[64];
    snprintf(key, sizeof key, "%.*s", name < length ? name : length, text);
    int id = param_find_alias(key);
    if (id < 0)
        return refuse(why, "'%.40s' is no key; Tab completes names", key), NULL;
    out->key = (enum param)id;
    snprintf(out->asked, sizeof out->asked, "%.*s", length > name ? length - name - 1 : 0,
             text + (length > name ? name + 1 : length));
    return text + length + strspn(text + length, " ");
}

/* The keys and their values as they stand; returns how many keys, or -1 with the reason in `why`. */
static int read_axes(const char *text, struct advisor_axis axis[SWEEP_AXES], char *why)
{
    int axes = 0;
    while (text && *text && axes < SWEEP_AXES)
        text = read_axis(text, &axis[axes++], why);
    if (axes == 0)
        return refuse(why, "takes one or two keys with values, as in tp=1,2,4 pp=1..16");
    if (text && *text)
        return refuse(why, "takes two keys at most; take '%.40s' away", text);
    if (text && axes > 1 && axis[0].key == axis[1].key)
        return refuse(why, "%s is there twice; write all of its values once, or another key",
                      param_rows[axis[0].key].key);
    return text ? axes : -1;
}

/* Reads the values of both keys: lists first, for ranges ask what is valid with them. */
static int find_values(const struct ui *ui, struct advisor_axis axis[SWEEP_AXES], int axes, char *why)
{
    int result = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < axes && result == 0; i++) {
            bool is_range = strcmp(axis[i].asked, "*") == 0 || strstr(axis[i].asked, "..");
            if (is_range == (pass == 1))
                result = is_range ? range_values(ui, &axis[i], axes > 1 ? &axis[!i] : NULL, why)
                                  : list_values(ui, &axis[i], why);
        }
    return result;
}

int advisor_sweep(struct ui *ui, const char *text, char *why)
{
    struct advisor *advisor = advisor_of(ui);
    struct advisor_axis *axis = calloc(SWEEP_AXES, sizeof *axis);
    if (!advisor || !axis) {
        free(axis);
        return refuse(why, "finds no memory left");
    }
    int axes = read_axes(text, axis, why), result = axes < 0 ? -1 : find_values(ui, axis, axes, why);
    if (result == 0)
        begin_sweep(ui, axis, axes);
    free(axis);
    return result;
}
