#include "src/course/play.h"

#include "src/course/outcome.h"
#include "src/course/unit.h"
#include "src/plan/plan_io.h"
#include "src/text/keyval.h"
#include "src/text/node.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- plans ------------------------------------------------------------------------------------------------------- */

static int apply(struct plan *plan, const struct node *mapping, const char *file, struct errors *errors)
{
    const struct plan_source source = {.file = file, .from = FROM_FILE};
    struct keyvals list = {0};
    lesson_settings(mapping, &list);
    int result = plan_apply(plan, &list, &source, errors);
    keyvals_free(&list);
    return result;
}

/* A complete plan: `file: NAME` is a shipped one. */
static int whole_plan(struct plan *plan, const struct node *mapping, const char *file, struct errors *errors)
{
    plan_clear(plan);
    const struct node *first = mapping->child;
    bool is_file = mapping->count == 1 && first->key && strcmp(first->key, "file") == 0 && first->kind == NODE_VALUE;
    int result = is_file ? plan_load_preset(plan, first->text, errors) : apply(plan, mapping, file, errors);
    if (result == 0)
        plan_finish(plan);
    return result;
}

/* Both plans of a step, from those before it. */
static int make_plans(struct play *play, int index, struct errors *errors)
{
    const struct lesson *lesson = &play->lesson;
    const struct lesson_step *step = &lesson->step[index];
    struct plan *start = &play->plan[index][PLAY_START], *done = &play->plan[index][PLAY_DONE];
    int before = step->from ? step->from_step : index - 1, result = 0;
    if (step->plan)
        result = whole_plan(start, step->plan, lesson->file, errors);
    else if (before >= 0)
        *start = play->plan[before][step->from ? PLAY_START : PLAY_DONE];
    else
        result = whole_plan(start, lesson->plan, lesson->file, errors);
    if (result == 0 && step->set)
        result = apply(start, step->set, lesson->file, errors);
    *done = *start;
    if (result == 0 && step->task.line)
        result = apply(done, step->task.solution, lesson->file, errors);
    return result;
}

int play_begin(struct play *play, struct lesson *lesson, struct errors *errors)
{
    int result = 0;
    memset(play, 0, sizeof *play);
    play->lesson = *lesson;
    *lesson = (struct lesson){0};
    for (int i = 0; i < play->lesson.steps && result == 0; i++)
        result = make_plans(play, i, errors);
    return result;
}

int play_load(struct play *play, const char *name_or_path, struct errors *errors)
{
    struct lesson lesson = {0};
    if (lesson_load(name_or_path, &lesson, errors) == 0)
        return play_begin(play, &lesson, errors);
    lesson_free(&lesson);
    return -1;
}

void play_free(struct play *play)
{
    for (int i = 0; i < LESSON_STEPS_MAX; i++)
        for (int when = 0; when < PLAY_WHENS; when++)
            outcome_free(play->outcome[i][when]);
    lesson_free(&play->lesson);
    memset(play, 0, sizeof *play);
}

struct outcome *play_outcome(const struct moment *moment)
{
    struct outcome **slot = &moment->play->outcome[moment->step][moment->when];
    if (!*slot)
        *slot = outcome_make(&moment->play->plan[moment->step][moment->when]);
    return *slot;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* The moment that `@STEP:` or `@STEP_done:` names; false when there is no such step. */
static bool find_moment(const struct moment *here, const char *name, size_t size, struct moment *out)
{
    static const char done[] = "_done";
    size_t tail = sizeof done - 1;
    const struct lesson *lesson = &here->play->lesson;
    *out = (struct moment){here->play, lesson_step_find(lesson, name, size), PLAY_START};
    if (out->step < 0 && size > tail && memcmp(name + size - tail, done, tail) == 0) {
        out->when = PLAY_DONE;
        out->step = lesson_step_find(lesson, name, size - tail);
    }
    return out->step >= 0;
}

static bool look_up(void *context, const char *path, size_t size, struct expr_value *out, char *why)
{
    const struct moment *here = context;
    struct moment there = *here;
    if (*path == '@') {
        const char *colon = memchr(path, ':', size);
        size_t name = colon ? (size_t)(colon - path) - 1 : size - 1;
        if (!find_moment(here, path + 1, name, &there)) {
            snprintf(why, EXPR_WHY_MAX, "unknown step '%.*s'; use @STEP:PATH",
                     (int)(name > 40 ? 40 : name), path + 1);
            return false;
        }
        size -= colon ? name + 2 : size;
        path = colon ? colon + 1 : "";
    }
    return outcome_value(play_outcome(&there), path, size, out, why);
}

/*
 * Evaluates an expression at a moment: paths of src/course/outcome.h, `@STEP:PATH` those of another step,
 * `@STEP_done:PATH` when its task is solved. Returns 0, or -1 with what is wrong in `why` (EXPR_WHY_MAX bytes).
 */
static int evaluate(const struct moment *moment, const char *text, size_t size, struct expr_value *out, char *why)
{
    struct moment here = *moment;
    return expr_evaluate(text, size, look_up, &here, out, why);
}

bool play_holds(const struct moment *moment, const char *condition, char *why)
{
    struct expr_value value;
    *why = '\0';
    return evaluate(moment, condition, strlen(condition), &value, why) == 0 && expr_holds(&value);
}

int play_first_unmet(const struct moment *moment, const struct node *conditions)
{
    char why[EXPR_WHY_MAX];
    for (int i = 0; lesson_item(conditions, i); i++)
        if (!play_holds(moment, lesson_item(conditions, i), why))
            return i;
    return -1;
}

bool play_all_hold(const struct moment *moment, const struct node *conditions)
{
    return play_first_unmet(moment, conditions) < 0;
}

/* ---- templates --------------------------------------------------------------------------------------------------- */

static void put_value(const struct unit_format *format, const struct expr_value *value, struct buffer *out)
{
    char text[UNIT_TEXT_MAX];
    unit_write(format, value->kind == EXPR_NUMBER ? value->number : NAN, text);
    buffer_puts(out, value->kind == EXPR_WORD ? value->word : text);
}

/* What stands between braces. */
static int fill_template(const struct moment *moment, const char *at, size_t size, struct buffer *out, char *why)
{
    struct expr_value value;
    struct unit_format format;
    if (size && *at == '!') {
        buffer_add(out, at + 1, size - 1);
        return 0;
    }
    const char *bar = memchr(at, '|', size);
    size_t expression = bar ? (size_t)(bar - at) : size, head = size && *at == '=';
    size_t unit = bar ? size - expression - 1 : 0;
    if (!unit_find(at + size - unit, unit, &format)) {
        snprintf(why, EXPR_WHY_MAX, "unknown unit '%.*s'; use GiB, GB, s, ms, %%, n, x, B or .1 for decimals",
                 (int)(unit > 20 ? 20 : unit), at + size - unit);
        return -1;
    }
    if (evaluate(moment, at + head, expression - head, &value, why) != 0)
        return -1;
    put_value(&format, &value, out);
    return 0;
}

int play_fill(const struct moment *moment, const char *text, struct buffer *out, char *why)
{
    for (;;) {
        size_t plain = strcspn(text, "{}");
        buffer_add(out, text, plain);
        text += plain;
        if (!*text)
            return 0;
        const char *end = *text == '{' ? strpbrk(text + 1, "{}") : NULL;
        if (!end || *end != '}') {
            snprintf(why, EXPR_WHY_MAX, "has an unpaired brace; write {PATH|UNIT}");
            buffer_puts(out, "?");
            return -1;
        }
        if (fill_template(moment, text + 1, (size_t)(end - text) - 1, out, why) != 0) {
            buffer_puts(out, "?");
            return -1;
        }
        text = end + 1;
    }
}

char *play_text(const struct moment *moment, const char *text)
{
    struct buffer out = {0};
    char why[EXPR_WHY_MAX];
    play_fill(moment, text, &out, why);
    return out.text ? out.text : xstrdup("");
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

struct moment play_ask_moment(struct play *play, const struct lesson_ask *ask)
{
    return (struct moment){play, ask->at_step, PLAY_START};
}

int play_right_choice(struct play *play, const struct lesson_ask *ask)
{
    struct moment moment = play_ask_moment(play, ask);
    char why[EXPR_WHY_MAX];
    int right = -1;
    for (int i = 0; i < ask->choice_count; i++) {
        const struct lesson_choice *choice = &ask->choice[i];
        if (!choice->right && !(choice->when && play_holds(&moment, choice->when->text, why)))
            continue;
        if (right >= 0)
            return -1;
        right = i;
    }
    return right;
}

double play_answer(struct play *play, const struct lesson_ask *ask)
{
    struct moment moment = play_ask_moment(play, ask);
    struct expr_value value;
    char why[EXPR_WHY_MAX];
    bool is_known = evaluate(&moment, ask->answer->text, strlen(ask->answer->text), &value, why) == 0;
    return is_known && value.kind == EXPR_NUMBER ? value.number : (double)NAN;
}
