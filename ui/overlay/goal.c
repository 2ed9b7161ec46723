/*
 * A goal: what is asked on the left, in fields, its answer on the right with the ways nearest to it. Nothing changes
 * before Enter, which makes the answer the plan.
 */
#include "core/base.h"
#include "core/plan/param.h"
#include "ui/command/command.h"
#include "ui/command/keymap.h"
#include "ui/overlay/overlay.h"
#include "ui/state/effect.h"
#include "ui/widget/bar.h"
#include "ui/widget/rule.h"
#include "ui/widget/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double assumed_tokens = 1e12; /* as the price in the header is of so many */
static const double usual_sure = 0.8;      /* of `shardtop goal` */

/* ---- asking ----------------------------------------------------------------------------------------------------- */

/* As many GPUs as were asked for; to look for the largest else those on the screen, or one of a card that was named. */
static bool begin_gpus(const struct ui *ui, const struct inquiry *said, bool is_size, struct plan *out, char *why)
{
    const struct plan *now = &ui->now->plan;
    double shown = *said->gpu ? 1 : KEY_OF(now, hardware, nodes) * KEY_OF(now, hardware, gpus_per_node);
    double count = isfinite(said->gpus) || !is_size ? said->gpus : shown;
    char gpus[32];
    snprintf(gpus, sizeof gpus, "%.0f", count);
    return isnan(count) || param_set_gpus(out, gpus, (double)NAN, why) == 0;
}

bool goal_base(const struct ui *ui, const struct inquiry *said, bool is_size, struct plan *out, char *why)
{
    const struct {
        enum param key;
        const char *name;
    } named[] = {{PARAM_model_name, said->model},
                 {PARAM_hardware_gpu, *said->gpu ? said->gpu : ui->plan.text[TEXT_GPU]},
                 {PARAM_framework_name, said->framework}, {PARAM_train_peft, said->method}};
    plan_clear(out);
    for (int i = 0; i < PARAM_COUNT && !*said->model; i++)
        if (param_rows[i].group_id == GROUP_model)
            param_copy(out, &ui->plan, (enum param)i, (enum origin)ui->plan.from[i]);
    for (size_t i = 0; i < LENGTH(named); i++)
        if (*named[i].name && ui_parse(ui, out, named[i].key, named[i].name, why) != 0)
            return false;
    return begin_gpus(ui, said, is_size, out, why);
}

/* Makes a request a question, with the plan's own tokens where it names none. */
static bool begin(const struct ui *ui, const struct inquiry *said, const char *name, struct goal_question *out,
                  char *why)
{
    bool is_size = strcmp(name, "size") == 0;
    *out = (struct goal_question){
        .name = name,
        .figures = {said->tokens, said->days, said->users, said->context, said->ms_per_token, said->first_token, NAN,
                    isfinite(said->gpus), *said->model != '\0'}};
    if (isnan(out->figures.tokens) && !is_size)
        out->figures.tokens = KEY_OF(&ui->plan, train, total_tokens);
    return goal_base(ui, said, is_size, &out->base, why);
}

bool goal_ask(const struct ui *ui, const struct goal_question *question, struct plan *answer,
              struct ui_goal_ways *ways, char *why)
{
    struct ui_goal figures = question->figures;
    char text[UI_MESSAGE_MAX];
    bool is_assumed = isnan(figures.tokens) && strcmp(question->name, "train") == 0;
    if (is_assumed)
        figures.tokens = assumed_tokens;
    if (!ui->host->goal) {
        snprintf(why, UI_MESSAGE_MAX, "goals need the whole program");
        return false;
    }
    bool is_found =
        ui->host->goal(ui->host->context, question->name, &figures, &question->base, answer, ways, text) == 0;
    snprintf(why, UI_MESSAGE_MAX, "%s%.220s", is_assumed && is_found ? "1T tokens assumed: " : "", text);
    return is_found;
}

bool goal_plan(const struct ui *ui, const struct inquiry *said, const char *name, struct plan *answer,
               struct ui_goal_ways *ways, char *why)
{
    struct goal_question question;
    return begin(ui, said, name, &question, why) && goal_ask(ui, &question, answer, ways, why);
}

void goal_take(struct ui *ui, const struct plan *answer, const char *name, enum action view, const char *why)
{
    ui_change(ui, answer, name);
    ui_do(ui, view);
    ui_say(ui, ROLE_GOOD, "%s", why);
}

/* ---- goals and their fields ------------------------------------------------------------------------------------- */

enum { TRAIN = 1, TUNE = 2, SERVE = 4, SIZE = 8, NO_KEY = -1, GPUS = -2 };

/* The goals, in the order of Tab. */
static const struct goal {
    const char *name, *title, *brief;
    int fields; /* which it has */
    enum action view;
    const char *figure; /* what the bars show */
} goals[] = {
    {"train", "Train by a date", "Train", TRAIN, ACTION_time, "days, the best layout on each number of GPUs|days"},
    {"tune", "Fine-tune on a card", "Fine-tune", TUNE, ACTION_memory, "GiB on one card|GiB"},
    {"serve", "Serve users", "Serve", SERVE, ACTION_serving, "ms a token"},
    {"size", "Largest that fits", "Largest", SIZE, ACTION_whatif, "GiB on one GPU|GiB"},
    {"faster", "Make it faster", "Faster", 0, ACTION_whatif, "seconds an iteration|s"},
};
enum { GOALS = LENGTH(goals) };

/* The fields: a key of the plan that the answer begins from, or a figure of the question. */
static const struct field {
    int goals;
    const char *label;
    int key;       /* NO_KEY: the figure; GPUS: nodes times GPUs a node */
    size_t figure; /* in struct ui_goal */
    enum param as; /* whose values are written like those of the figure */
    const char *unit;
    int taken; /* the answer's key that fills a field left empty; 0: no key */
} fields[] = {
    {TRAIN | TUNE | SERVE | SIZE, "model", PARAM_model_name, 0, 0, "", 0},
    {TRAIN, "tokens", NO_KEY, offsetof(struct ui_goal, tokens), PARAM_train_total_tokens, "",
     PARAM_train_total_tokens},
    {SERVE, "users", NO_KEY, offsetof(struct ui_goal, users), PARAM_train_total_tokens, "", PARAM_serve_batch_size},
    {SERVE, "tokens of a prompt", NO_KEY, offsetof(struct ui_goal, context), PARAM_train_seq_length, "",
     PARAM_serve_prompt_tokens},
    {SERVE, "each token within", NO_KEY, offsetof(struct ui_goal, ms_per_token), PARAM_COUNT, "ms", 0},
    {SERVE, "first token within", NO_KEY, offsetof(struct ui_goal, first_token), PARAM_COUNT, "s", 0},
    {TRAIN | SIZE, "in", NO_KEY, offsetof(struct ui_goal, days), PARAM_COUNT, "days", 0},
    {TRAIN | TUNE | SERVE | SIZE, "GPU", PARAM_hardware_gpu, 0, 0, "", 0},
    {TUNE | SIZE, "GPUs", GPUS, 0, 0, "", 0},
    {TRAIN, "GPUs a node", PARAM_hardware_gpus_per_node, 0, 0, "", 0},
    {TUNE, "tokens a sample", NO_KEY, offsetof(struct ui_goal, context), PARAM_train_seq_length, "",
     PARAM_train_seq_length},
    {TRAIN, "sequence", PARAM_train_seq_length, 0, 0, "", 0},
    {TRAIN | TUNE, "global batch", PARAM_train_global_batch_size, 0, 0, "", 0},
    {TRAIN | SERVE | SIZE, "price a GPU hour", PARAM_hardware_price_per_gpu_hour, 0, 0, "$", 0},
    {TRAIN | TUNE | SERVE | SIZE, "how sure", NO_KEY, offsetof(struct ui_goal, sure), PARAM_COUNT, "%", 0},
};

struct goal_panel {
    int goal, row; /* the selected goal, and the selected row of its fields */
    struct goal_question question;
    bool is_typing;
    bool is_answered, is_found; /* the answer is that of the question; there is one */
    struct plan answer;
    struct ui_goal_ways ways;
    char text[UI_MESSAGE_MAX]; /* the answer, or why it is missing */
};

/* Field number `row` of the goal in use; NULL past the last. */
static const struct field *field_at(const struct goal_panel *panel, int row)
{
    for (size_t i = 0; i < LENGTH(fields); i++)
        if ((fields[i].goals & goals[panel->goal].fields) && row-- == 0)
            return &fields[i];
    return NULL;
}

static double *figure_of(struct goal_panel *panel, const struct field *field)
{
    return (double *)((char *)&panel->question.figures + field->figure);
}

/* The answer is out of date: update() asks again once no key waits. */
static void ask_again(struct goal_panel *panel)
{
    panel->is_answered = false;
}

static void choose_goal(struct ui *ui, int goal)
{
    struct goal_panel *panel = ui->goal;
    panel->goal = goal;
    panel->row = 0;
    panel->is_typing = false;
    panel->question.name = goals[goal].name;
    ask_again(panel);
}

void goal_open(struct ui *ui, const char *name, const struct inquiry *said)
{
    char why[UI_MESSAGE_MAX];
    int goal = 0;
    while (goal + 1 < GOALS && strcmp(goals[goal].name, name) != 0)
        goal++;
    if (!ui->goal && !(ui->goal = calloc(1, sizeof *ui->goal)))
        return;
    if (!begin(ui, said, name, &ui->goal->question, why)) {
        ui_say(ui, ROLE_WARN, "%s", why);
        return;
    }
    overlay_open(ui, MODE_GOAL, "", false);
    choose_goal(ui, goal);
}

static void update(struct ui *ui)
{
    struct goal_panel *panel = ui->goal;
    if (panel->is_answered || ui->is_hurried || panel->is_typing)
        return;
    struct goal_question question = panel->question;
    if (!goals[panel->goal].fields) /* it is about the plan on the screen */
        question.base = ui->plan;
    panel->ways = (struct ui_goal_ways){.count = 0};
    panel->is_found = goal_ask(ui, &question, &panel->answer, &panel->ways, panel->text);
    panel->is_answered = true;
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

#define KEY(key, id) {MODE_GOAL, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY(KEY_RETURN, accept), KEY(KEY_ARROW_DOWN, down), KEY(KEY_ARROW_UP, up), KEY(KEY_TAB, complete), KEY('-', left),
    KEY('+', right), KEY(KEY_CTRL('Y'), copy), KEY(KEY_ESCAPE, cancel), KEY(KEY_CTRL('C'), cancel),
    KEY(KEY_CTRL('L'), redraw), KEY(KEY_CTRL('Z'), suspend),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_GOAL, ACTION_accept, ACTION_NONE, "open the answer as a plan|open the answer", 0},
    {MODE_GOAL, ACTION_complete, ACTION_NONE, "next goal", 0},
    {MODE_GOAL, ACTION_left, ACTION_right, "step", 0},
    {MODE_GOAL, ACTION_copy, ACTION_NONE, "copy the command", 90},
    {MODE_GOAL, ACTION_cancel, ACTION_NONE, "back", 0},
    {0},
};

/* Reads a figure as the key that is written alike, in percent or as a bare number; false with the reason said. */
static bool read_figure(struct ui *ui, const struct field *field, const char *text)
{
    struct plan scratch;
    char why[UI_MESSAGE_MAX], *end;
    double value = NAN;
    plan_clear(&scratch);
    if (*text && field->as != PARAM_COUNT) {
        if (ui_parse(ui, &scratch, field->as, text, why) != 0) {
            ui_say(ui, ROLE_BAD, "%s: %s", field->label, why);
            return false;
        }
        value = scratch.value[field->as];
    } else if (*text) {
        value = strtod(text, &end);
        bool is_share = field->figure == offsetof(struct ui_goal, sure);
        if (*(end + strspn(end, " %dayms$")) || !(value > 0) || (is_share && value >= 100)) {
            ui_say(ui, ROLE_BAD, "%s: '%.40s' is not a number of %s%s", field->label, text, field->unit,
                   is_share ? " below 100" : " above 0");
            return false;
        }
        value = is_share ? value / 100 : value;
    }
    *figure_of(ui->goal, field) = value;
    return true;
}

/* Takes what was typed; false with the reason said. */
static bool take_typed(struct ui *ui)
{
    struct goal_panel *panel = ui->goal;
    const struct field *field = field_at(panel, panel->row);
    struct plan *base = &panel->question.base;
    const char *text = ui->edit.text;
    char why[UI_MESSAGE_MAX];
    int fault = 0;
    if (field->key == NO_KEY && !read_figure(ui, field, text))
        return false;
    if (field->key == GPUS)
        fault = param_set_gpus(base, text, (double)NAN, why);
    else if (field->key != NO_KEY)
        fault = ui_parse(ui, base, (enum param)field->key, text, why);
    if (fault != 0) {
        ui_say(ui, ROLE_BAD, "%s", why);
        return false;
    }
    panel->question.figures.has_model |= field->key == PARAM_model_name;
    panel->question.figures.has_gpus |= field->key == GPUS;
    panel->is_typing = false;
    ask_again(panel);
    return true;
}

/* Enter: a value that is typed is taken; else the answer becomes the plan. */
static void accept(struct ui *ui)
{
    struct goal_panel *panel = ui->goal;
    if (panel->is_typing) {
        take_typed(ui);
        return;
    }
    update(ui);
    if (!panel->is_found) {
        ui_say(ui, ROLE_WARN, "no plan reaches this: change a field, or Esc");
        return;
    }
    ui->mode = MODE_BROWSE;
    goal_take(ui, &panel->answer, goals[panel->goal].name, goals[panel->goal].view, panel->text);
}

/* The next of 1, 1.5, 2, 3, 5, 7, 10 and so on. */
static double next_round(double value, int by)
{
    static const double steps[] = {1, 1.5, 2, 3, 5, 7};
    int count = LENGTH(steps), decade = (int)floor(log10(value)), at = 0;
    while (at + 1 < count && steps[at + 1] * pow(10, decade) <= value * (1 + 1e-9))
        at++;
    bool is_on_it = fabs(steps[at] * pow(10, decade) - value) < 1e-9 * value;
    at += by > 0 || is_on_it ? by : 0;
    decade += at < 0 ? -1 : at == count;
    return steps[(at + count) % count] * pow(10, decade);
}

/* A share of runs above or below. */
static double next_sure(double value, int by)
{
    static const double sure[] = {0.5, 0.6, 0.7, 0.8, 0.9, 0.95};
    int at = 0, last = LENGTH(sure) - 1;
    while (at < last && sure[at] < value - 1e-9)
        at++;
    at += by;
    return sure[at < 0 ? 0 : at > last ? last : at];
}

/* What a field holds, or the answer takes for it; NAN where neither does. */
static double value_of(struct goal_panel *panel, const struct field *field)
{
    struct plan resolved;
    bool is_own = field->key == GPUS ? panel->question.figures.has_gpus
                                     : field->key >= 0 && panel->question.base.from[field->key] >= FROM_PRESET;
    bool is_sure = field->key == NO_KEY && field->figure == offsetof(struct ui_goal, sure);
    if (field->key == NO_KEY && (isfinite(*figure_of(panel, field)) || !panel->is_found || !field->taken))
        return is_sure && isnan(panel->question.figures.sure) ? usual_sure : *figure_of(panel, field);
    plan_resolve(is_own || !panel->is_found ? &panel->question.base : &panel->answer, &resolved);
    return field->key == GPUS ? KEY_OF(&resolved, hardware, nodes) * KEY_OF(&resolved, hardware, gpus_per_node)
                              : resolved.value[field->key == NO_KEY ? field->taken : field->key];
}

/* Names go on to the next, counts double or halve, others take the next round figure. */
static void step(struct ui *ui, int by)
{
    struct goal_panel *panel = ui->goal;
    const struct field *field = field_at(panel, panel->row);
    double value = field ? value_of(panel, field) : NAN, doubled = by > 0 ? 2 * value : fmax(1, floor(value / 2));
    char gpus[32], why[UI_MESSAGE_MAX];
    snprintf(gpus, sizeof gpus, "%.0f", doubled);
    if (!field || (isnan(value) && field->key == NO_KEY))
        return;
    if (field->key == GPUS)
        panel->question.figures.has_gpus |= param_set_gpus(&panel->question.base, gpus, (double)NAN, why) == 0;
    else if (field->key == NO_KEY && field->figure == offsetof(struct ui_goal, sure))
        panel->question.figures.sure = next_sure(value, by);
    else if (field->key == NO_KEY)
        *figure_of(panel, field) = next_round(value, by);
    else if (param_rows[field->key].type == TYPE_NAME)
        ui_step(ui, &panel->question.base, (enum param)field->key, by);
    else
        param_set(&panel->question.base, (enum param)field->key,
                  param_rows[field->key].type == TYPE_INT ? doubled : next_round(value, by));
    ask_again(panel);
}

/* Up and Down choose a field, - and + step it; while a value is typed they belong to that. */
static void move(struct ui *ui, int dx, int dy)
{
    struct goal_panel *panel = ui->goal;
    if (panel->is_typing && dx) {
        edit_key(&ui->edit, dx < 0 ? '-' : '+');
        return;
    }
    if (panel->is_typing && !take_typed(ui))
        return;
    if (dx)
        step(ui, dx);
    else if (field_at(panel, panel->row + dy) && panel->row + dy >= 0)
        panel->row += dy;
}

static void complete(struct ui *ui)
{
    choose_goal(ui, (ui->goal->goal + 1) % GOALS);
}

static void back(struct ui *ui)
{
    ui->mode = ui->goal->is_typing ? ui->mode : MODE_BROWSE;
    ui->goal->is_typing = false;
}

/* A letter or a digit begins the value of the selected field; arrows step where none is typed. */
static bool type(struct ui *ui, int key, bool is_pasted)
{
    struct goal_panel *panel = ui->goal;
    bool is_arrow = key == KEY_ARROW_LEFT || key == KEY_ARROW_RIGHT;
    if (!panel->is_typing && is_arrow && !is_pasted) {
        step(ui, key == KEY_ARROW_LEFT ? -1 : 1);
        return true;
    }
    if (!panel->is_typing && (key < ' ' || key >= KEY_RUBOUT || !field_at(panel, panel->row)))
        return false;
    if (!panel->is_typing)
        edit_start(&ui->edit, "", false);
    panel->is_typing = true;
    return edit_key(&ui->edit, key);
}

/* Another one takes what was typed into this one, if it is a value. */
static int *row(struct ui *ui)
{
    if (ui->goal->is_typing && !take_typed(ui))
        ui->goal->is_typing = false;
    return &ui->goal->row;
}

static size_t copy(const struct ui *ui, char *out, size_t size)
{
    return (size_t)snprintf(out, size, "%s", ui->goal->ways.command);
}

/* ---- drawing ---------------------------------------------------------------------------------------------------- */

/* A field's value: yours, or what the answer takes; "any" or "open" where nobody decides. */
static enum role say_value(struct goal_panel *panel, const struct field *field, char *out, size_t size)
{
    const struct plan *base = &panel->question.base;
    struct plan shown;
    char text[FIELD_TEXT_MAX];
    if (field->key < 0) {
        double value = value_of(panel, field);
        bool is_share = field->figure == offsetof(struct ui_goal, sure) && field->key == NO_KEY;
        bool is_own = field->key == GPUS ? panel->question.figures.has_gpus : isfinite(*figure_of(panel, field));
        snprintf(text, sizeof text, "%s", figure(FIGURE_COUNT, value).text);
        if (field->key == NO_KEY && field->as != PARAM_COUNT && !isnan(value)) {
            plan_clear(&shown);
            shown.value[field->as] = value;
            form_shown(&shown, field->as, text);
        }
        if (is_share)
            snprintf(out, size, "%.0f %%", 100 * value);
        else
            snprintf(out, size, isnan(value) ? "open" : "%s%s%s", text, *field->unit ? " " : "", field->unit);
        return is_own ? ROLE_STRONG : ROLE_MUTED;
    }
    bool is_any = field->key == PARAM_model_name && strcmp(panel->question.name, "size") == 0 &&
                  !panel->question.figures.has_model;
    bool is_own = base->from[field->key] >= FROM_PRESET;
    plan_resolve(is_own || !panel->is_found ? base : &panel->answer, &shown);
    form_shown(&shown, (enum param)field->key, text);
    bool is_open = !panel->is_found && shown.from[field->key] < FROM_PRESET; /* the goal chooses */
    snprintf(out, size, "%s", is_any ? "any" : is_open ? "open" : text);
    return is_own && !is_any ? ROLE_STRONG : ROLE_MUTED;
}

static void draw_fields(const struct ui *ui, struct canvas *canvas, int y, int width)
{
    struct goal_panel *panel = ui->goal;
    const struct rule rule = {
        .name = goals[panel->goal].brief, .about = "what is asked", .note = "", .is_focused = true};
    rule_draw(canvas, y++, width, &rule);
    const struct field *field;
    for (int i = 0; (field = field_at(panel, i)); i++, y++) {
        char value[FIELD_TEXT_MAX + 16], shown[FIELD_TEXT_MAX + 24];
        bool is_selected = i == panel->row, is_typed = is_selected && panel->is_typing;
        enum role role = say_value(panel, field, value, sizeof value);
        snprintf(shown, sizeof shown, is_selected ? "- %s +" : "%s", value);
        canvas_text(canvas, 1, y, role == ROLE_MUTED ? ROLE_MUTED : ROLE_TEXT, field->label);
        if (is_typed)
            canvas_format(canvas, width / 2, y, ROLE_STRONG, "%.*s_", width / 2 - 2, ui->edit.text);
        else
            canvas_right(canvas, width - 1, y, role, shown);
        canvas_link(canvas, 0, y, width, LINK_ROWS + i);
        if (is_selected)
            canvas_paint(canvas, 0, y, width, ROLE_FOCUS, 0);
    }
    canvas_wrap(canvas, 1, y + 1, width - 2, ROLE_MUTED,
                goals[panel->goal].fields
                    ? "Type a value, or step it. The answer is a plan: Enter opens it, u takes it back."
                    : "Of the plan on the screen: one change, or several. Enter makes them, u takes them back.");
}

/* A text and what is left of it without its last clauses: "a, b: c|a, b|a". */
static void say_shorter(const char *text, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "%s", text), length = used;
    while (length > 0 && used + length + 1 < size) {
        do
            length--;
        while (length > 0 && text[length] != ':' && text[length] != ',');
        used += length > 0 ? (size_t)snprintf(out + used, size - used, "|%.*s", (int)length, text) : 0;
    }
}

/* Each way: what it is, and a bar against the limit; returns the row below. */
static int draw_ways(const struct goal_panel *panel, struct canvas *canvas, int y, int width)
{
    enum { TEXT = 56 /* columns before the bars */, CELLS_LEAST = 10, CELLS_MOST = 40 };
    const struct ui_goal_ways *ways = &panel->ways;
    double most = 0, unit = NAN;
    for (int i = 0; i < ways->count; i++) {
        most = fmax(most, ways->way[i].value);
        unit = isnan(unit) || ways->way[i].is_answer ? ways->way[i].limit : unit;
    }
    unit = isfinite(unit) && unit > 0 ? unit : most;
    const struct rule rule = {.name = "Ways", .about = goals[panel->goal].figure, .note = ""};
    rule_draw(canvas, y++, width, &rule);
    int cells = width - TEXT < CELLS_LEAST ? CELLS_LEAST : width - TEXT < CELLS_MOST ? width - TEXT : CELLS_MOST;
    for (int i = 0; i < ways->count; i++, y++) {
        const struct ui_goal_way *way = &ways->way[i];
        bool holds = !*way->why_not;
        char text[4 * GOAL_WORDS];
        struct bar_part part = {'#', way->is_answer ? ROLE_USEFUL : ROLE_ACTIVATIONS, way->value, NULL};
        const struct bar bar = {.part = &part, .parts = 1, .scale = bar_scale_of(unit, most), .limit = way->limit,
                                .low = way->low, .high = way->high};
        enum role role = way->is_answer ? ROLE_STRONG : holds ? ROLE_TEXT : ROLE_MUTED;
        if (way->is_answer)
            canvas_text(canvas, 0, y, ROLE_GOOD, ">");
        say_shorter(way->text, text, sizeof text);
        canvas_pick(canvas, 2, y, width - cells - 3, role, text);
        if (isfinite(way->value))
            bar_draw(&bar, canvas, (struct rect){width - cells, y, cells, 1});
    }
    return y;
}

/* The ways that miss the goal, and by how much. */
static void draw_missed(const struct goal_panel *panel, struct canvas *canvas, int y, int width, int height)
{
    const struct rule rule = {.name = "Not", .about = "the nearest that miss it", .note = ""};
    bool is_first = true;
    for (int i = 0; i < panel->ways.count && y < height; i++) {
        const struct ui_goal_way *way = &panel->ways.way[i];
        if (!*way->why_not || way->is_answer)
            continue;
        if (is_first)
            rule_draw(canvas, y++, width, &rule);
        is_first = false;
        char text[4 * GOAL_WORDS];
        say_shorter(way->text, text, sizeof text);
        int x = canvas_pick(canvas, 2, y, width / 2, ROLE_TEXT, text) + 2;
        say_shorter(way->why_not, text, sizeof text);
        canvas_pick(canvas, x, y++, width - x, ROLE_WARN, text);
    }
}

static void draw_answer(const struct ui *ui, struct canvas *canvas, int y, int width, int height)
{
    const struct goal_panel *panel = ui->goal;
    const struct rule rule = {.name = "Answer", .about = "", .note = ""};
    rule_draw(canvas, y++, width, &rule);
    if (!panel->is_answered) {
        canvas_text(canvas, 0, y, ROLE_MUTED, panel->is_typing ? "Enter asks with this value" : "working it out");
        return;
    }
    size_t first = strcspn(panel->text, ";"); /* the layout behind it has a line of its own */
    char head[UI_MESSAGE_MAX];
    snprintf(head, sizeof head, "%.*s", (int)first, panel->text);
    y = canvas_wrap(canvas, 0, y, width, panel->is_found ? ROLE_GOOD : ROLE_WARN, head);
    if (panel->text[first]) {
        struct plan base;
        plan_resolve(&panel->question.base, &base);
        form_changes(&base, &panel->answer, width, head, sizeof head);
        y = canvas_wrap(canvas, 0, y, width, ROLE_TEXT, panel->is_found ? head : panel->text + first + 2);
    }
    if (panel->ways.count > 0)
        draw_missed(panel, canvas, draw_ways(panel, canvas, y + 1, width) + 1, width, height);
}

/* The question of all goals, and whether this one has an answer. */
static void draw_header(const struct goal_panel *panel, struct canvas *canvas, int width)
{
    static const char title[] = "What do you want?|Goal";
    const char *pill = !panel->is_answered ? " ASKED " : panel->is_found ? " HOLDS " : " NO ANSWER ";
    bool holds = panel->is_answered && panel->is_found;
    int end = width - 1 - (int)strlen(pill), x = canvas_pick(canvas, 1, 0, end - 2, ROLE_STRONG, title);
    canvas_text(canvas, end, 0, holds ? ROLE_PILL_GOOD : ROLE_PILL_WARN, pill);
    canvas_pick(canvas, x + 3, 0, end - x - 4, ROLE_MUTED, "nothing changes before Enter; Esc goes back|Esc goes back");
}

/* The names of the goals, that in use marked. */
static void draw_goals(const struct ui *ui, struct canvas *canvas, int width)
{
    int x = 1, all = 0;
    for (int i = 0; i < GOALS; i++)
        all += (int)strlen(goals[i].title) + 3;
    for (int i = 0; i < GOALS; i++) {
        const char *title = all < width ? goals[i].title : goals[i].brief;
        bool is_it = i == ui->goal->goal;
        canvas_format(canvas, x, 1, is_it ? ROLE_STRONG : ROLE_MUTED, " %s ", title);
        if (is_it)
            canvas_paint(canvas, x, 1, (int)strlen(title) + 2, ROLE_SELECT, 0);
        x += (int)strlen(title) + 3;
    }
}

static void draw_whole(const struct ui *ui, struct canvas *canvas)
{
    int height = ui->layout.hint.y, left = ui->width >= NAMES_WIDTH ? 38 : 29, right = left + 3;
    canvas_clip(canvas, (struct rect){0, 0, ui->width, height});
    draw_header(ui->goal, canvas, ui->width);
    draw_goals(ui, canvas, ui->width);
    canvas_clip(canvas, (struct rect){1, 3, left, height - 5});
    draw_fields(ui, canvas, 0, left);
    canvas_clip(canvas, (struct rect){right, 3, ui->width - right - 1, height - 5});
    draw_answer(ui, canvas, 0, ui->width - right - 1, height - 5);
    canvas_clip(canvas, (struct rect){0, height - 2, ui->width, 2});
    if (*ui->goal->ways.command) {
        int x = canvas_text(canvas, 1, 0, ROLE_MUTED, ui->width >= NAMES_WIDTH ? "as a command  " : "");
        canvas_fit(canvas, x, 0, ui->width - x - 1, ROLE_TEXT, ui->goal->ways.command);
    }
    if (ui->message[0])
        canvas_fit(canvas, 1, 1, ui->width - 2, ui->message_role, ui->message);
}

const struct overlay overlay_goal = {
    .keys = own_keys, .hints = own_hints, .update = update, .draw_whole = draw_whole, .move = move, .accept = accept,
    .complete = complete, .back = back, .type = type, .row = row, .copy = copy,
};
