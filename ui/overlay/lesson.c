/*
 * A lesson: a bar below the panes with a step's note, its question and what was said to the answer; the plan is the
 * step's.
 */
#include "core/base.h"
#include "core/explain/live.h"
#include "core/plan/param.h"
#include "ui/state/advisor.h"
#include "ui/state/baseline.h"
#include "ui/command/keymap.h"
#include "ui/pane/lesson_marks.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"
#include "ui/widget/units.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY(key, id) {MODE_LESSON, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY(' ', lesson_next), KEY(KEY_PAGE_DOWN, lesson_next), KEY(KEY_RUBOUT, lesson_back), KEY(KEY_PAGE_UP, lesson_back),
    KEY(KEY_RETURN, accept), KEY('h', lesson_hint), KEY('l', lesson_look), KEY('.', lesson_blank),
    KEY('e', lesson_explain), KEY('r', lesson_reset),
    KEY('g', lesson_steps), KEY('k', lesson_keep), KEY(KEY_TAB, lesson_panes), KEY('q', lesson_leave),
    KEY(KEY_ESCAPE, cancel), KEY('?', help), KEY(':', command), KEY(KEY_F11, present),
    KEY(KEY_CTRL('S'), save), KEY(KEY_CTRL('C'), interrupt), KEY(KEY_CTRL('L'), redraw), KEY(KEY_CTRL('Z'), suspend),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_LESSON, ACTION_lesson_next, ACTION_NONE, "next", 0},
    {MODE_LESSON, ACTION_lesson_back, ACTION_NONE, "back", 0},
    {MODE_LESSON, ACTION_lesson_hint, ACTION_NONE, "hint", 0},
    {MODE_LESSON, ACTION_lesson_look, ACTION_NONE, "look", 0},
    {MODE_LESSON, ACTION_lesson_explain, ACTION_NONE, "explain", 0},
    {MODE_LESSON, ACTION_lesson_blank, ACTION_NONE, "blank", 120},
    {MODE_LESSON, ACTION_lesson_reset, ACTION_NONE, "reset", 100},
    {MODE_LESSON, ACTION_lesson_steps, ACTION_NONE, "steps", 90},
    {MODE_LESSON, ACTION_lesson_keep, ACTION_NONE, "keep plan", 100},
    {MODE_LESSON, ACTION_lesson_panes, ACTION_NONE, "panes", 0},
    {MODE_LESSON, ACTION_lesson_leave, ACTION_NONE, "leave", 0},
    {0},
};

static const struct ui_lesson *page_of(const struct ui *ui)
{
    return ui->host->lessons->page(ui->host->context);
}

static bool is_open(struct ui *ui)
{
    if (!ui->aside)
        ui_say(ui, ROLE_WARN, "no lesson is open; C lists them");
    return ui->aside != NULL;
}

/* ---- going to a step --------------------------------------------------------------------------------------------- */

static void show_view(struct ui *ui, const char *name)
{
    if (name && strcmp(name, "serving") == 0) /* a plan that serves has its parts there */
        name = view_rows[PANE_MEMORY].name;
    for (int i = PANE_FORMS; name && i < PANE_COUNT; i++)
        if (strcmp(view_rows[i].name, name) == 0)
            ui->view = (enum pane_id)i;
    ui->is_view_focused = true;
    ui->is_zoomed = false;
}

/* Differences are those to the step before. */
static void compare(struct ui *ui, const struct plan *before)
{
    ui->has_baseline = false;
    ui->pins = 0;
    if (!before)
        return;
    baseline_estimate(ui, before);
    ui->has_baseline = ui->baseline->diags.errors == 0;
    ui->pins = ui->baseline_number = ui->has_baseline;
    ui->pin[0] = (struct pin){.plan = *before};
}

/* The present step with its own plan; what was done before it cannot be undone. */
static void show_step(struct ui *ui)
{
    const struct ui_lesson *page = page_of(ui);
    struct plan plan = *page->plan;
    char why[UI_MESSAGE_MAX];
    history_free(&ui->history);
    history_push(&ui->history, &plan, "lesson");
    ui->saved = plan;
    compare(ui, page->before);
    ui_adopt(ui, &plan);
    ui->stage = -1;
    show_view(ui, page->view);
    if (page->sweep && advisor_sweep(ui, page->sweep, why) != 0)
        ui_say(ui, ROLE_WARN, "%s", why);
    for (int i = 0; page->sweep && page->looks && sweep_metrics[i].name; i++) /* it goes over what is looked at */
        if (sweep_metrics[i].path && strcmp(sweep_metrics[i].path, page->look[0]) == 0)
            ui->advisor->metric = i;
    ui->schedule.is_whole = ui->width >= LESSON_WIDTH || ui->options.present; /* a bubble is a share of the whole */
    ui->schedule.wanted_s = ui->schedule.column_s = 0;
    ui->schedule.left = ui->schedule.event = 0;
    ui->lesson.look = 0;
    ui->lesson.sentences = 1;
    ui->lesson.is_blank = false;
    ui->marks = (struct lesson_marks){0};
    edit_start(&ui->edit, "", false);
    ui->mode = MODE_LESSON;
    ui->lesson.has_keys = true;
}

static void go(struct ui *ui, const char *where)
{
    char why[UI_MESSAGE_MAX];
    if (!is_open(ui))
        return;
    if (ui->host->lessons->go(ui->host->context, where, why) == 0)
        show_step(ui);
    else
        ui_say(ui, ROLE_WARN, "%s", why);
}

/* ---- beginning and leaving --------------------------------------------------------------------------------------- */

/* Puts aside what the user had. */
static bool set_aside(struct ui *ui)
{
    struct set_aside *aside = calloc(1, sizeof *aside);
    if (!aside) {
        ui_say(ui, ROLE_BAD, "no memory left for a lesson");
        return false;
    }
    ui_autosave(ui);
    *aside = (struct set_aside){
        .plan = ui->plan,
        .saved = ui->saved,
        .questions = ui->options.questions,
        .history = ui->history,
        .has_baseline = ui->has_baseline,
        .baseline_number = ui->baseline_number,
        .pins = ui->pins,
        .form = ui->form,
        .view = ui->view,
        .is_view_focused = ui->is_view_focused,
        .is_zoomed = ui->is_zoomed,
        .is_whole = ui->schedule.is_whole,
        .stage = ui->stage,
    };
    memcpy(aside->path, ui->path, sizeof aside->path);
    memcpy(aside->pin, ui->pin, sizeof aside->pin);
    ui->history = (struct history){0};
    ui->path[0] = '\0';
    ui->options.questions = NULL;
    ui->aside = aside;
    return true;
}

static void take_back(struct ui *ui)
{
    struct set_aside *aside = ui->aside;
    ui->aside = NULL;
    history_free(&ui->history);
    ui->history = aside->history;
    ui->saved = aside->saved;
    ui->options.questions = aside->questions;
    memcpy(ui->path, aside->path, sizeof ui->path);
    memcpy(ui->pin, aside->pin, sizeof ui->pin);
    ui->has_baseline = aside->has_baseline;
    ui->baseline_number = aside->baseline_number;
    ui->pins = aside->pins;
    if (ui->has_baseline)
        baseline_estimate(ui, &ui->pin[ui->baseline_number - 1].plan);
    ui->form = aside->form;
    ui->view = aside->view;
    ui->is_view_focused = aside->is_view_focused;
    ui->is_zoomed = aside->is_zoomed;
    ui->stage = aside->stage;
    ui->schedule.is_whole = aside->is_whole;
    ui_adopt(ui, &aside->plan);
    free(aside);
}

void lesson_begin(struct ui *ui, const char *name, const char *step)
{
    char why[UI_MESSAGE_MAX];
    if (!ui->host->lessons) {
        ui_say(ui, ROLE_BAD, "there are no lessons here");
        return;
    }
    if (ui->host->lessons->open(ui->host->context, name, why) != 0 ||
        (step && ui->host->lessons->go(ui->host->context, step, why) != 0)) {
        ui_say(ui, ROLE_BAD, "%s", why);
        return;
    }
    if (ui->aside || set_aside(ui))
        show_step(ui);
}

void lesson_practise(struct ui *ui, const char *words)
{
    char why[UI_MESSAGE_MAX] = "there are no exercises here";
    bool was_open = ui->aside != NULL;
    if (!ui->host->lessons || ui->host->lessons->practise(ui->host->context, words, why) != 0)
        ui_say(ui, ROLE_BAD, "%s", why);
    else if (was_open || set_aside(ui))
        show_step(ui);
}

/* While a question stands alone its plan is not to be seen. */
static bool is_barred(struct ui *ui)
{
    if (lesson_is_hidden(ui))
        ui_say(ui, ROLE_WARN, "answer first; Space goes on to the next question");
    return lesson_is_hidden(ui);
}

void lesson_leave(struct ui *ui)
{
    if (!is_open(ui))
        return;
    ui->host->lessons->close(ui->host->context);
    take_back(ui);
    ui->mode = MODE_BROWSE;
    ui->marks = (struct lesson_marks){0};
    ui_say(ui, ROLE_TEXT, "the lesson's progress is kept; your plan is as it was");
}

/* ---- actions ----------------------------------------------------------------------------------------------------- */

/* While an answer is typed letters belong to it. */
static bool is_typed(struct ui *ui, int key)
{
    if (ui->mode != MODE_LESSON || ui->edit.length == 0)
        return false;
    edit_key(&ui->edit, key);
    return true;
}

static void open(struct ui *ui)
{
    if (!ui->aside) {
        find_lesson(ui);
        return;
    }
    edit_start(&ui->edit, "", false);
    ui->mode = MODE_LESSON;
    ui->lesson.has_keys = true;
}

static void do_lesson_next(struct ui *ui)
{
    if (is_typed(ui, ' ') || !is_open(ui))
        return;
    if (lesson_has_more(ui))
        ui->lesson.sentences++;
    else if (ui->options.present && *page_of(ui)->ask && !*page_of(ui)->said)
        ui->host->lessons->reveal(ui->host->context);
    else
        go(ui, "next");
}

static void do_lesson_back(struct ui *ui)
{
    if (!is_typed(ui, KEY_RUBOUT))
        go(ui, "back");
}

static void do_lesson_hint(struct ui *ui)
{
    if (!is_typed(ui, 'h') && is_open(ui))
        ui->host->lessons->hint(ui->host->context);
}

static void do_lesson_look(struct ui *ui)
{
    if (is_typed(ui, 'l') || !is_open(ui))
        return;
    ui->lesson.look++;
    lesson_look(ui);
}

static void do_lesson_blank(struct ui *ui)
{
    if (!ui->aside && ui->options.present) {
        ui->is_dark = !ui->is_dark;
        return;
    }
    if (!is_typed(ui, '.') && is_open(ui))
        ui->lesson.is_blank = !ui->lesson.is_blank;
}

static void do_lesson_explain(struct ui *ui)
{
    if (is_typed(ui, 'e') || !is_open(ui) || is_barred(ui))
        return;
    const struct ui_lesson *page = page_of(ui);
    if (page->looks > 0)
        explain_open(ui, page->look[ui->lesson.look % page->looks]);
    else
        ui_do(ui, ACTION_explain);
}

static void do_lesson_reset(struct ui *ui)
{
    if (!is_typed(ui, 'r'))
        go(ui, "reset");
}

static void do_lesson_steps(struct ui *ui)
{
    if (!is_typed(ui, 'g') && is_open(ui))
        overlay_open(ui, MODE_COMMAND, "lesson ", false);
}

static void do_lesson_keep(struct ui *ui)
{
    if (is_typed(ui, 'k') || !is_open(ui) || is_barred(ui))
        return;
    struct plan plan = ui->plan;
    char label[HISTORY_LABEL_MAX];
    const struct ui_lesson *page = page_of(ui);
    snprintf(label, sizeof label, "lesson %.24s %.24s", page->name, page->id);
    lesson_leave(ui);
    ui_change(ui, &plan, label);
    ui_say(ui, ROLE_TEXT, "the lesson's plan is yours now; u goes back to the one before");
}

static void do_lesson_panes(struct ui *ui)
{
    if (!is_open(ui) || is_barred(ui))
        return;
    ui->mode = MODE_BROWSE;
    ui->lesson.has_keys = false;
    ui_say(ui, ROLE_TEXT, "the keys go to the panes; C goes back to the lesson");
}

static void do_lesson_leave(struct ui *ui)
{
    if (!is_typed(ui, 'q'))
        lesson_leave(ui);
}

void lesson_command(struct ui *ui, const char *rest)
{
    static const struct {
        const char *word;
        void (*run)(struct ui *ui);
    } words[] = {{"", open}, {"keep", do_lesson_keep}, {"leave", do_lesson_leave}, {"hint", do_lesson_hint}};
    char why[UI_MESSAGE_MAX];
    for (size_t i = 0; i < LENGTH(words); i++)
        if (strcmp(rest, words[i].word) == 0) {
            words[i].run(ui);
            return;
        }
    if (ui->aside && ui->host->lessons->go(ui->host->context, rest, why) == 0)
        show_step(ui);
    else
        lesson_begin(ui, rest, NULL);
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static void answer(struct ui *ui, const char *typed)
{
    ui->host->lessons->answer(ui->host->context, typed);
    edit_start(&ui->edit, "", false);
}

/* Enter takes an answer; without one it goes on. */
static void accept(struct ui *ui)
{
    if (ui->edit.length > 0)
        answer(ui, ui->edit.text);
    else
        do_lesson_next(ui);
}

static void back(struct ui *ui)
{
    if (ui->edit.length > 0)
        edit_start(&ui->edit, "", false);
    else
        do_lesson_panes(ui);
}

static bool type(struct ui *ui, int key, bool is_pasted)
{
    const struct ui_lesson *page = page_of(ui);
    int choice = key >= KEY_RUBOUT ? -1 : isdigit(key) ? key - '1' : tolower(key) - 'a'; /* beyond are no characters */
    (void)is_pasted;
    if (page->choices > 0 && choice >= 0 && choice < page->choices) {
        answer(ui, (const char[]){(char)(page->first_choice + choice), '\0'});
        return true;
    }
    if (!page->takes_number && key > '0' && key <= '0' + page->looks) { /* a presenter points */
        ui->lesson.look = key - '1';
        lesson_look(ui);
        return true;
    }
    bool begins = ui->edit.length > 0 || (key > ' ' && key < KEY_RUBOUT && strchr("0123456789.-$(", key));
    begins |= page->takes_words && key > ' ' && key < KEY_RUBOUT;
    return (page->takes_number || page->takes_words) && begins && edit_key(&ui->edit, key);
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

/* The selected item and its value in words: "stage 0, tensor-parallel traffic: 4.3 s", "interleave: 2". */
static void draw_place(const struct ui *ui, struct canvas *canvas, int y, int width, const struct ui_lesson *page)
{
    struct explanation x;
    char value[FIELD_TEXT_MAX] = "", count[32] = "", where[24] = "", name[200], text[720];
    int stage;
    if (page->looks == 0)
        return;
    int at = ui->lesson.look % page->looks;
    const char *path = page->look[at];
    bool is_known = explain_value(ui->shown, path, &x) == 0;
    if (is_known)
        live_value(x.value, x.unit, units_are_decimal(), value, sizeof value);
    if (sscanf(path, "%*[a-z].stages.%4d.", &stage) == 1)
        snprintf(where, sizeof where, "stage %d, ", stage);
    if (page->looks > 1)
        snprintf(count, sizeof count, " (%d of %d)", at + 1, page->looks);
    int key = param_find(path);
    if (key >= 0)
        form_value(&ui->shown->plan, (enum param)key, value);
    snprintf(name, sizeof name, "%s", is_known ? x.label : path);
    if (key >= 0)
        form_name((enum param)key, name);
    for (char *sign = name; !is_known && (sign = strpbrk(sign, "._"));) /* of several: "time stages" */
        *sign = ' ';
    const char *colon = *value ? ": " : "";
    snprintf(text, sizeof text, "look: %s%s%s%s%s|%s%s%s%s", where, name, colon, value, count, where, name, colon,
             value);
    canvas_pick(canvas, 0, y, width, ROLE_TEXT, text);
}

static int message(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const struct ui_lesson *page = page_of(ui);
    bool is_text = page->takes_number || page->takes_words,
         has_answer = (is_text || page->choices > 0) && !lesson_has_more(ui);
    int cursor;
    if (has_answer && is_text) {
        int x = canvas_text(canvas, 0, 0, ROLE_KEY, "answer > ");
        canvas_text(canvas, x, 0, ROLE_TEXT, edit_scrolled(&ui->edit, width - x, &cursor));
        canvas_paint(canvas, x + cursor, 0, 1, ROLE_TEXT, CELL_INVERSE);
    } else if (has_answer) {
        canvas_format(canvas, 0, 0, ROLE_KEY, "answer %c to %c", page->first_choice,
                      page->first_choice + page->choices - 1);
    }
    if (ui->message[0])
        canvas_fit(canvas, 0, height > 1 && has_answer, width, ui->message_role, ui->message);
    else if (!has_answer || height > 1)
        draw_place(ui, canvas, has_answer, width, page);
    return 2;
}

const struct overlay overlay_lesson = {
    .keys = own_keys, .hints = own_hints, .open = open, .message = message, .accept = accept, .back = back,
    .type = type,
};

const struct action_handler lesson_handlers[] = {
    {ACTION_lesson_next, do_lesson_next}, {ACTION_lesson_back, do_lesson_back}, {ACTION_lesson_hint, do_lesson_hint},
    {ACTION_lesson_look, do_lesson_look}, {ACTION_lesson_blank, do_lesson_blank},
    {ACTION_lesson_explain, do_lesson_explain}, {ACTION_lesson_reset, do_lesson_reset},
    {ACTION_lesson_steps, do_lesson_steps}, {ACTION_lesson_keep, do_lesson_keep},
    {ACTION_lesson_panes, do_lesson_panes}, {ACTION_lesson_leave, do_lesson_leave}, {0},
};
