#include "src/course/answer.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "src/course/outcome.h"
#include "src/course/play.h"
#include "src/course/unit.h"
#include "src/text/node.h"
#include "src/text/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool answer_unit(const struct lesson_ask *ask, struct unit_format *out)
{
    const char *text = ask->unit ? ask->unit->text : "";
    return unit_find(text, strlen(text), out);
}

bool answer_within(const struct lesson_ask *ask, double answer, double *out)
{
    char *end;
    struct unit_format format;
    double number = strtod(ask->within->text, &end);
    if (end == ask->within->text || !(number >= 0) || !answer_unit(ask, &format))
        return false;
    *out = *end == '%' ? fabs(answer) * number / 100 : number * format.unit->factor;
    return *end == '\0' || strcmp(end, "%") == 0;
}

char *answer_text(struct play *play, const struct lesson_ask *ask)
{
    struct moment moment = play_ask_moment(play, ask);
    struct unit_format format;
    char text[UNIT_TEXT_MAX];
    if (ask->choice_count) {
        int right = play_right_choice(play, ask);
        return right < 0 ? xstrdup("") : play_text(&moment, ask->choice[right].text->text);
    }
    if (!answer_unit(ask, &format))
        return xstrdup("");
    unit_write(&format, play_answer(play, ask), text);
    return xstrdup(text);
}

/* ---- choices ----------------------------------------------------------------------------------------------------- */

static int choice_of(const struct lesson_ask *ask, const char *typed)
{
    size_t n = strlen(typed);
    int letter = tolower((unsigned char)*typed) - 'a', digit = *typed - '1';
    if (n == 1 && letter >= 0 && letter < ask->choice_count)
        return letter;
    if (n == 1 && digit >= 0 && digit < ask->choice_count)
        return digit;
    for (int i = 0; i < ask->choice_count; i++)
        if (n > 1 && strncasecmp(ask->choice[i].text->text, typed, n) == 0)
            return i;
    return -1;
}

static enum answer_kind judge_choice(struct play *play, const struct lesson_ask *ask, const char *typed, char *said)
{
    int choice = choice_of(ask, typed);
    if (choice < 0) {
        snprintf(said, ANSWER_TEXT_MAX, "answer with a number, 1 to %c", '1' + ask->choice_count - 1);
        return ANSWER_UNREADABLE;
    }
    bool is_right = choice == play_right_choice(play, ask);
    snprintf(said, ANSWER_TEXT_MAX, is_right ? "right" : "no, not %c", '1' + choice);
    return is_right ? ANSWER_RIGHT : ANSWER_WRONG;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static bool is_near(double ratio, double factor)
{
    return fabs(ratio / factor - 1) < 0.01 || fabs(ratio * factor - 1) < 0.01;
}

/* A factor between two units that people mistake for each other. */
static const char *unit_slip(double ratio)
{
    static const struct {
        double factor;
        const char *what;
    } slips[] = {{0x1p30 / 1e9, "GB and GiB differ by this"},  {0x1p20 / 1e6, "MB and MiB differ by this"},
                 {1000, "a factor of 1000"},                   {1024, "a factor of 1024"},
                 {8, "a factor of 8, as between bits and bytes"}, {100, "a factor of 100: percent or share?"}};
    for (size_t i = 0; i < LENGTH(slips); i++)
        if (is_near(ratio, slips[i].factor))
            return slips[i].what;
    return NULL;
}

/* A factor that the plan knows, by the name of its key. */
static const char *plan_factor(const struct plan *plan, double ratio)
{
    static const enum param keys[] = {PARAM_parallel_tp, PARAM_parallel_pp, PARAM_parallel_dp, PARAM_parallel_cp,
                                      PARAM_parallel_vpp, PARAM_parallel_ep, PARAM_train_micro_batch_size};
    for (size_t i = 0; i < LENGTH(keys); i++)
        if (plan->value[keys[i]] > 1 && is_near(ratio, plan->value[keys[i]]))
            return param_rows[keys[i]].key;
    return NULL;
}

void answer_say_wrong(const struct plan *plan, double answer, double given, char said[ANSWER_TEXT_MAX])
{
    double ratio = answer != 0 ? given / answer : NAN;
    const char *slip = ratio > 0 ? unit_slip(ratio) : NULL;
    const char *key = ratio > 0 ? plan_factor(plan, ratio) : NULL;
    if (key)
        snprintf(said, ANSWER_TEXT_MAX, "no: off by the factor %s", key);
    else if (slip)
        snprintf(said, ANSWER_TEXT_MAX, "no: %s", slip);
    else if (ratio > 0 && is_near(ratio, 2))
        snprintf(said, ANSWER_TEXT_MAX, "no: a factor of two too %s", ratio > 1 ? "high" : "low");
    else if (ratio > 0 && fabs(ratio - 1) < 1)
        snprintf(said, ANSWER_TEXT_MAX, "no: too %s by %.0f %%", ratio > 1 ? "high" : "low",
                 fmax(1, fabs(ratio - 1) * 100));
    else
        snprintf(said, ANSWER_TEXT_MAX, "no: too %s", given > answer ? "high" : "low");
}

static enum answer_kind judge_number(struct play *play, const struct lesson_ask *ask, const char *typed, char *said)
{
    struct unit_format format;
    double answer = play_answer(play, ask), given, within;
    if (!answer_unit(ask, &format) || !unit_read(&format, typed, &given) || !answer_within(ask, answer, &within)) {
        snprintf(said, ANSWER_TEXT_MAX, "answer with a number%s%s", format.unit && *format.unit->behind ? " of" : "",
                 format.unit && *format.unit->behind ? format.unit->behind : "");
        return ANSWER_UNREADABLE;
    }
    if (fabs(given - answer) <= within * (1 + 1e-9)) {
        snprintf(said, ANSWER_TEXT_MAX, "right");
        return ANSWER_RIGHT;
    }
    struct moment moment = play_ask_moment(play, ask);
    answer_say_wrong(outcome_plan(play_outcome(&moment)), answer, given, said);
    return ANSWER_WRONG;
}

enum answer_kind answer_judge(struct play *play, int step, const char *typed, char *said)
{
    const struct lesson_ask *ask = &play->lesson.step[step].ask;
    typed += strspn(typed, " \t");
    char *word = xstrndup(typed, strcspn(typed, "\r\n"));
    for (size_t n = strlen(word); n > 0 && word[n - 1] == ' '; n--)
        word[n - 1] = '\0';
    enum answer_kind out =
        ask->choice_count ? judge_choice(play, ask, word, said) : judge_number(play, ask, word, said);
    free(word);
    return out;
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

bool task_is_free(const struct lesson_task *task, const char *key)
{
    for (int i = 0; key && lesson_item(task->free, i); i++) {
        const char *name = lesson_item(task->free, i);
        size_t n = strlen(name);
        if (strncmp(name, key, n) == 0 && (key[n] == '\0' || key[n] == '.'))
            return true;
    }
    return false;
}

const char *task_touched(const struct lesson_task *task, const struct plan *before, const struct plan *after)
{
    for (int i = 0; i < PARAM_COUNT; i++)
        if (!param_equal(before, after, (enum param)i) && !task_is_free(task, param_rows[i].dotted))
            return param_rows[i].dotted;
    return NULL;
}
