#include "src/course/tutor.h"

#include "src/course/outcome.h"
#include "src/text/node.h"
#include "src/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tutor_begin(struct tutor *tutor, const char *name_or_path, struct errors *errors)
{
    memset(tutor, 0, sizeof *tutor);
    if (play_load(&tutor->play, name_or_path, errors) != 0)
        return -1;
    tutor_go(tutor, 0);
    return 0;
}

void tutor_free(struct tutor *tutor)
{
    play_free(&tutor->play);
    memset(tutor, 0, sizeof *tutor);
}

const struct lesson_step *tutor_step(const struct tutor *tutor)
{
    return &tutor->play.lesson.step[tutor->step];
}

struct moment tutor_now(struct tutor *tutor)
{
    return (struct moment){&tutor->play, tutor->step, PLAY_START};
}

/* Takes the learner's changes back. */
static void take_back(struct tutor *tutor)
{
    tutor->own = tutor->play.plan[tutor->step][PLAY_START];
    tutor->is_edited = false;
}

bool tutor_go(struct tutor *tutor, int step)
{
    if (step < 0 || step >= tutor->play.lesson.steps)
        return false;
    tutor->step = step;
    tutor->at[step].is_seen = true;
    take_back(tutor);
    return true;
}

int tutor_find(const struct tutor *tutor, const char *word)
{
    char *end;
    long number = strtol(word, &end, 10);
    if (end != word && !*end)
        return number >= 1 && number <= tutor->play.lesson.steps ? (int)number - 1 : -1;
    return lesson_step_find(&tutor->play.lesson, word, strlen(word));
}

/* ---- the learner's plan ------------------------------------------------------------------------------------------ */

/* Puts a plan in the place of one of a step's. */
static void put_plan(struct play *play, int step, enum play_when when, const struct plan *plan)
{
    play->plan[step][when] = *plan;
    outcome_free(play->outcome[step][when]);
    play->outcome[step][when] = NULL;
}

struct moment tutor_own(struct tutor *tutor)
{
    put_plan(&tutor->play, tutor->step, PLAY_OWN, &tutor->own);
    return (struct moment){&tutor->play, tutor->step, PLAY_OWN};
}

int tutor_met(struct tutor *tutor, int *of)
{
    const struct node *until = tutor_step(tutor)->task.until;
    struct moment moment = tutor_own(tutor);
    char why[EXPR_WHY_MAX];
    int met = 0;
    for (*of = 0; lesson_item(until, *of); ++*of)
        met += play_holds(&moment, lesson_item(until, *of), why);
    return met;
}

bool tutor_is_solved(struct tutor *tutor)
{
    int of;
    return tutor_step(tutor)->task.line && tutor_met(tutor, &of) == of;
}

bool tutor_edit(struct tutor *tutor, const struct plan *plan, const char **key)
{
    const struct lesson_task *task = &tutor_step(tutor)->task;
    *key = task->line ? task_touched(task, &tutor->play.plan[tutor->step][PLAY_START], plan) : NULL;
    if (*key)
        return false;
    tutor->own = *plan;
    tutor->is_edited = !plan_equal(plan, &tutor->play.plan[tutor->step][PLAY_START]);
    if (task->line && tutor_is_solved(tutor)) {
        tutor->at[tutor->step].is_right = true;
        put_plan(&tutor->play, tutor->step, PLAY_DONE, plan);
    }
    return true;
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

char *tutor_hint(struct tutor *tutor)
{
    const struct lesson_step *step = tutor_step(tutor);
    const struct node *hints = step->ask.line ? step->ask.hints : step->task.hints;
    struct moment moment = step->ask.line ? play_ask_moment(&tutor->play, &step->ask) : tutor_now(tutor);
    const char *hint = lesson_item(hints, tutor->at[tutor->step].hints);
    if (!hint)
        return NULL;
    tutor->at[tutor->step].hints++;
    return play_text(&moment, hint);
}

static void add_reason(struct tutor *tutor, const struct lesson_ask *ask, struct buffer *out)
{
    struct moment moment = play_ask_moment(&tutor->play, ask);
    char *answer = answer_text(&tutor->play, ask),
         *because = ask->because ? play_text(&moment, ask->because->text) : NULL;
    buffer_printf(out, "answer: %s", answer);
    if (because)
        buffer_printf(out, ". %s", because);
    free(because);
    free(answer);
}

char *tutor_answer(struct tutor *tutor, const char *typed)
{
    const struct lesson_ask *ask = &tutor_step(tutor)->ask;
    struct tutor_step *at = &tutor->at[tutor->step];
    char said[ANSWER_TEXT_MAX];
    struct buffer out = {0};
    enum answer_kind kind = answer_judge(&tutor->play, tutor->step, typed, said);
    buffer_puts(&out, said);
    if (kind == ANSWER_UNREADABLE)
        return out.text;
    at->tries++;
    at->is_right |= kind == ANSWER_RIGHT;
    at->is_shown |= at->tries >= TUTOR_TRIES && kind != ANSWER_RIGHT;
    char *hint = kind == ANSWER_WRONG && at->tries == TUTOR_TRIES - 1 ? tutor_hint(tutor) : NULL;
    if (hint)
        buffer_printf(&out, "\nhint: %s", hint);
    if (kind == ANSWER_RIGHT || at->is_shown) {
        buffer_puts(&out, "\n");
        add_reason(tutor, ask, &out);
    }
    free(hint);
    return out.text;
}

char *tutor_reveal(struct tutor *tutor)
{
    const struct lesson_step *step = tutor_step(tutor);
    struct buffer out = {0};
    tutor->at[tutor->step].is_shown = true;
    if (step->ask.line) {
        add_reason(tutor, &step->ask, &out);
    } else {
        buffer_puts(&out, "solution: ");
        lesson_say_settings(step->task.solution, &out);
    }
    return out.text;
}

int tutor_score(const struct tutor *tutor, int *of)
{
    int done = 0;
    *of = 0;
    for (int i = 0; i < tutor->play.lesson.steps; i++) {
        const struct lesson_step *step = &tutor->play.lesson.step[i];
        *of += step->ask.line || step->task.line;
        done += (step->ask.line || step->task.line) && tutor->at[i].is_right;
    }
    return done;
}
