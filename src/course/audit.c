#include "src/course/audit.h"

#include "core/plan/param.h"
#include "src/course/answer.h"
#include "src/course/figure.h"
#include "src/course/outcome.h"
#include "src/course/paragraph.h"
#include "src/course/play.h"
#include "src/course/unit.h"
#include "src/text/errors.h"
#include "src/text/node.h"
#include "src/text/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTE_LINES = 6, NOTE_COLUMNS = 79 };

/* A lesson under audit, and the step that is looked at. */
struct audit {
    struct play *play;
    const struct lesson *lesson;
    const struct lesson_step *step;
    struct moment now;
    struct errors *errors;
};

__attribute__((format(printf, 3, 4))) static void fault(const struct audit *audit, const struct node *at,
                                                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *what = xvasprintf(format, args);
    va_end(args);
    errors_add(audit->errors, audit->lesson->file, at ? at->line : audit->step->line, audit->step->id->text, "%s",
               what);
    free(what);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* A text filled in at a moment, in fresh memory; NULL with a fault. */
static char *filled(const struct audit *audit, const struct moment *moment, const struct node *text)
{
    struct buffer out = {0};
    char why[EXPR_WHY_MAX];
    if (play_fill(moment, text->text, &out, why) == 0)
        return out.text ? out.text : xstrdup("");
    fault(audit, text, "'%.60s...': %s", text->text, why);
    buffer_free(&out);
    return NULL;
}

static void audit_text(const struct audit *audit, const struct moment *moment, const struct node *text)
{
    if (text)
        free(filled(audit, moment, text));
}

static void audit_texts(const struct audit *audit, const struct moment *moment, const struct node *list)
{
    for (const struct node *item = list ? list->child : NULL; item; item = item->next)
        audit_text(audit, moment, item);
}

/* ---- numbers that are typed -------------------------------------------------------------------------------------- */

/* The next number in a text, without commas, in `out`; NULL at the end, else what stands behind it. */
static const char *next_number(const char *text, bool is_any, char out[UNIT_TEXT_MAX])
{
    for (const char *p = text; *p; p++) {
        if (!isdigit((unsigned char)*p) || (p > text && isdigit((unsigned char)p[-1])))
            continue;
        bool is_in_name = p > text && (isalpha((unsigned char)p[-1]) || p[-1] == '_');
        size_t used = 0;
        const char *end = p;
        for (; isdigit((unsigned char)*end) || (strchr(".,", *end) && *end && isdigit((unsigned char)end[1])); end++)
            if (*end != ',' && used < UNIT_TEXT_MAX - 1)
                out[used++] = *end;
        out[used] = '\0';
        if (is_any || !is_in_name)
            return end;
        p = end - 1;
    }
    return NULL;
}

static bool has_number(const char *text, const char *number)
{
    char other[UNIT_TEXT_MAX];
    while ((text = next_number(text, true, other)))
        if (strtod(other, NULL) == strtod(number, NULL))
            return true;
    return false;
}

static bool list_has(const struct node *list, const char *number)
{
    for (const struct node *item = list ? list->child : NULL; item; item = item->next)
        if (strcmp(item->text, number) == 0)
            return true;
    return false;
}

static bool mapping_has(const struct node *mapping, const char *number)
{
    bool has = false;
    for (const struct node *child = mapping ? mapping->child : NULL; child && !has; child = child->next) {
        char *value = lesson_value_text(child);
        has = has_number(value, number) || has_number(child->key ? child->key : "", number);
        free(value);
    }
    return has;
}

/* True when a number may stand in the note as it is: small, of the plan so far, or given. */
static bool may_stand(const struct audit *audit, const char *number)
{
    enum { SMALL = 16 };
    const struct lesson *lesson = audit->lesson;
    bool may = (!strchr(number, '.') && strtod(number, NULL) <= SMALL) || list_has(lesson->given, number) ||
               list_has(audit->step->given, number) || has_number(lesson->title->text, number) ||
               mapping_has(lesson->plan, number);
    for (const struct lesson_step *step = lesson->step; step <= audit->step && !may; step++)
        may = mapping_has(step->plan, number) || mapping_has(step->set, number) ||
              mapping_has(step->task.solution, number);
    return may;
}

/* A note without what stands between braces and backquotes, in fresh memory. */
static char *without_templates(const char *note)
{
    struct buffer out = {0};
    buffer_puts(&out, "");
    while (*note) {
        size_t plain = strcspn(note, "{`");
        buffer_add(&out, note, plain);
        note += plain;
        const char *end = *note ? strchr(note + 1, *note == '{' ? '}' : '`') : NULL;
        note = end ? end + 1 : note + strlen(note);
        buffer_puts(&out, " ");
    }
    return out.text;
}

static void audit_numbers(const struct audit *audit)
{
    char *text = without_templates(audit->step->note->text), number[UNIT_TEXT_MAX];
    for (const char *at = text; (at = next_number(at, false, number));)
        if (!may_stand(audit, number))
            fault(audit, audit->step->note,
                  "the note contains the literal number %s; write a template, {!%s} for a number from a source, or "
                  "list it in given",
                  number, number);
    free(text);
}

/* Numbers that are given stand in a note. */
static void audit_given(const struct audit *audit, const struct node *given, int first, int last)
{
    for (const struct node *item = given ? given->child : NULL; item; item = item->next) {
        bool is_used = false;
        for (int i = first; i <= last && !is_used; i++) {
            char *text = without_templates(audit->lesson->step[i].note->text);
            is_used = has_number(text, item->text);
            free(text);
        }
        if (!is_used)
            fault(audit, item, "%s is given but not used in the note; remove it", item->text);
    }
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */

static void audit_plan(const struct audit *audit)
{
    struct outcome *outcome = play_outcome(&audit->now);
    char why[EXPR_WHY_MAX];
    struct expr_value value = {0};
    bool is_refused = outcome_errors(outcome) > 0;
    if (is_refused == (audit->step->invalid != NULL))
        return;
    static const char first[] = "diagnostics.0.message";
    outcome_value(outcome, first, strlen(first), &value, why);
    fault(audit, NULL, is_refused ? "the plan is invalid: %s" : "the plan is valid%.0s; remove invalid",
          value.word);
}

static void audit_note(const struct audit *audit)
{
    char *text = filled(audit, &audit->now, audit->step->note);
    int lines = text ? paragraph_lines(text, NOTE_COLUMNS) : 0;
    if (lines > NOTE_LINES)
        fault(audit, audit->step->note, "the note has %d lines of %d columns; shorten it to %d", lines, NOTE_COLUMNS,
              NOTE_LINES);
    free(text);
    audit_numbers(audit);
    audit_given(audit, audit->step->given, (int)(audit->step - audit->lesson->step),
                (int)(audit->step - audit->lesson->step));
}

static void audit_claims(const struct audit *audit)
{
    char why[EXPR_WHY_MAX];
    for (const struct node *item = audit->step->check ? audit->step->check->child : NULL; item; item = item->next)
        if (!play_holds(&audit->now, item->text, why))
            fault(audit, item, "the claim '%.120s' is %s", item->text,
                  *why ? why : "false; correct the note or the condition");
}

static void audit_looks(const struct audit *audit)
{
    char place[128], why[EXPR_WHY_MAX];
    for (const struct node *item = audit->step->look ? audit->step->look->child : NULL; item; item = item->next)
        if (param_find(item->text) < 0 &&
            !outcome_locate(play_outcome(&audit->now), item->text, place, sizeof place, why))
            fault(audit, item, "cannot highlight '%.80s': %s", item->text, why);
}

/* True when a step's text or question has a word of what the figure of a view shows. */
static bool speaks_of(const struct lesson_step *step, enum lesson_view view)
{
    return figure_has_word(view, step->note->text) ||
           (step->ask.line && step->ask.q && figure_has_word(view, step->ask.q->text));
}

/* What is marked is a value that the figure shows; a curve goes over one key, a map over two. */
static void audit_parts(const struct audit *audit)
{
    char place[128], why[EXPR_WHY_MAX];
    const struct lesson_step *step = audit->step;
    enum lesson_view view = lesson_view_of(audit->lesson, (int)(step - audit->lesson->step));
    if (step->mark && !outcome_locate(play_outcome(&audit->now), step->mark->text, place, sizeof place, why))
        fault(audit, step->mark, "cannot mark '%.80s': %s", step->mark->text, why);
    else if (step->mark && !figure_has_path(view, step->mark->text))
        fault(audit, step->mark, "the figure %s does not show '%.80s'; use figure: %s", figure_name(view),
              step->mark->text, figure_name(figure_of_path(step->mark->text)));
    bool is_curve = step->figure && strcmp(step->figure->text, "curve") == 0;
    const char *first = step->sweep ? strchr(step->sweep->text, '=') : NULL;
    int keys = !first ? 0 : strchr(first + 1, '=') ? 2 : 1;
    if (step->sweep && view != LESSON_VIEW_SWEEP)
        fault(audit, step->sweep, "belongs to a map or a curve; add figure: %s", keys == 1 ? "curve" : "map");
    else if (is_curve ? keys != 1 : step->sweep && keys != 2)
        fault(audit, step->sweep ? step->sweep : step->figure, is_curve
              ? "a curve goes over one key; write sweep: train.global_batch_size=8,16,32"
              : "a map goes over two keys; write sweep: tp=1,2,4 pp=1,2,4");
}

/* The figure beside a text has what the text speaks of and what the step points at. */
static void audit_figure(const struct audit *audit)
{
    const struct lesson_step *step = audit->step;
    enum lesson_view view = lesson_view_of(audit->lesson, (int)(step - audit->lesson->step));
    enum lesson_view other = speaks_of(step, view) ? view : LESSON_VIEW_MEMORY;
    while (other < LESSON_VIEW_COUNT && !speaks_of(step, other))
        other++;
    if (other != view && other < LESSON_VIEW_COUNT)
        fault(audit, step->note, "the text does not speak of the figure %s; use figure: %s", figure_name(view),
              figure_name(other));
    for (const struct node *item = step->look ? step->look->child : NULL; item; item = item->next)
        if (!figure_has_path(view, item->text))
            fault(audit, item, "the figure %s does not show '%.80s'; use figure: %s", figure_name(view), item->text,
                  figure_name(figure_of_path(item->text)));
}

/* ---- questions and tasks ----------------------------------------------------------------------------------------- */

static void audit_choices(const struct audit *audit, const struct lesson_ask *ask, const struct moment *moment)
{
    for (int i = 0; i < ask->choice_count; i++) {
        char why[EXPR_WHY_MAX] = "";
        audit_text(audit, moment, ask->choice[i].text);
        if (ask->choice[i].when && !play_holds(moment, ask->choice[i].when->text, why) && *why)
            fault(audit, ask->choice[i].when, "the condition '%.80s' %s", ask->choice[i].when->text, why);
        for (int k = 0; k < i; k++)
            if (strcmp(ask->choice[i].text->text, ask->choice[k].text->text) == 0)
                fault(audit, ask->choice[i].text, "two choices have the same text; change one");
    }
    if (play_right_choice(audit->play, ask) < 0)
        fault(audit, ask->choices, "exactly one choice must be correct; correct their conditions");
}

static void audit_answer(const struct audit *audit, const struct lesson_ask *ask)
{
    struct unit_format format;
    double answer = play_answer(audit->play, ask), within;
    if (!answer_unit(ask, &format))
        fault(audit, ask->unit, "unknown unit '%.20s'; use GiB, GB, s, ms, %%, n, x, B or .1 for decimals",
              ask->unit->text);
    else if (isnan(answer))
        fault(audit, ask->answer, "the answer '%.80s' is unknown; ask for something else", ask->answer->text);
    else if (!answer_within(ask, answer, &within))
        fault(audit, ask->within, "invalid tolerance '%.20s'; use a share such as 2%% or a number", ask->within->text);
    else if (answer == 0 || within >= fabs(answer))
        fault(audit, ask->within, "accepts 0 or twice the answer; lower the tolerance");
}

static void audit_ask(const struct audit *audit)
{
    enum { ASK_LINES = 6 };
    const struct lesson_ask *ask = &audit->step->ask;
    struct moment moment = play_ask_moment(audit->play, ask);
    char *question = filled(audit, &audit->now, ask->q);
    int lines = (question ? paragraph_lines(question, NOTE_COLUMNS) : 0) + (ask->choice_count + 1) / 2;
    free(question);
    if (lines > ASK_LINES)
        fault(audit, ask->q, "question and choices have %d lines; shorten them to %d", lines, ASK_LINES);
    audit_texts(audit, &moment, ask->hints);
    audit_text(audit, &moment, ask->because);
    if (ask->choices)
        audit_choices(audit, ask, &moment);
    else
        audit_answer(audit, ask);
}

static void audit_task(const struct audit *audit)
{
    const struct lesson_task *task = &audit->step->task;
    struct moment done = {audit->play, audit->now.step, PLAY_DONE};
    int unmet = play_first_unmet(&done, task->until);
    if (unmet >= 0)
        fault(audit, task->until, "the solution does not meet '%.80s'; correct one of them",
              lesson_item(task->until, unmet));
    if (play_all_hold(&audit->now, task->until))
        fault(audit, task->until, "the task is done before it begins; demand more");
    for (const struct node *child = task->solution->child; child; child = child->next)
        if (!task_is_free(task, child->key))
            fault(audit, child, "the solution sets %.60s, which is not free; add it to free", child->key);
    audit_texts(audit, &audit->now, task->hints);
    audit_text(audit, &done, task->after);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void audit_needs(const struct audit *audit)
{
    for (const struct node *item = audit->lesson->needs ? audit->lesson->needs->child : NULL; item; item = item->next)
        if (!lesson_known(item->text))
            errors_add(audit->errors, audit->lesson->file, item->line, "needs",
                       "unknown lesson '%.40s'; see `shardtop list lessons`", item->text);
}

void lesson_audit(struct play *play, struct errors *errors)
{
    const struct lesson *lesson = &play->lesson;
    struct audit audit = {.play = play, .lesson = lesson, .step = lesson->step, .errors = errors};
    audit_needs(&audit);
    audit_given(&audit, lesson->given, 0, lesson->steps - 1);
    for (int i = 0; i < lesson->steps; i++) {
        audit.step = &lesson->step[i];
        audit.now = (struct moment){play, i, PLAY_START};
        audit_plan(&audit);
        audit_note(&audit);
        audit_claims(&audit);
        audit_looks(&audit);
        audit_figure(&audit);
        audit_parts(&audit);
        if (audit.step->ask.line)
            audit_ask(&audit);
        if (audit.step->task.line)
            audit_task(&audit);
    }
}
