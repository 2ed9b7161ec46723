#include "src/course/practice.h"

#include "src/course/answer.h"
#include "src/course/progress.h"
#include "src/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The kind that is asked next: one that is known little comes up to sixteen times as often as one that is known well.
 */
static enum exercise_kind draw_kind(const struct practice *practice, int number)
{
    int weight[EXERCISE_KINDS];
    for (int i = 0; i < EXERCISE_KINDS; i++) {
        bool is_asked = !practice->kinds || practice->kinds >> i & 1;
        weight[i] = is_asked ? 1 << (PROGRESS_BOXES - progress_kind_of(exercise_kind_names[i]).box) : 0;
    }
    return exercise_draw(practice->seed, number, weight);
}

bool practice_go(struct practice *practice, int number)
{
    if (number > PRACTICE_MOST)
        return false;
    if (practice->is_drawn && !practice->kind[number])
        practice->kind[number] = (unsigned char)(1 + draw_kind(practice, number));
    unsigned kinds = practice->is_drawn ? 1u << (practice->kind[number] - 1) : practice->kinds;
    practice->tries = 0;
    practice->is_done = false;
    return exercise_make(practice->seed, number, kinds, practice->level, &practice->exercise) == 0 ||
           exercise_make(practice->seed, number, practice->kinds, practice->level, &practice->exercise) == 0;
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static void say_answer(const struct exercise *exercise, struct buffer *out)
{
    char answer[EXERCISE_CHOICE_MAX];
    exercise_answer(exercise, answer);
    buffer_printf(out, "answer: %s; %s", answer, exercise->because);
}

/* How a wrong answer is wrong. */
static void say_wrong(const struct exercise *exercise, const char *typed, struct buffer *out)
{
    char said[ANSWER_TEXT_MAX] = "no";
    struct plan plan;
    double given;
    if (exercise_read(exercise, typed, &given)) {
        plan_resolve(&exercise->plan, &plan);
        answer_say_wrong(&plan, exercise->answer, given, said);
    }
    buffer_puts(out, said);
}

/* What an answer looks like. */
static void say_form(const struct exercise *exercise, struct buffer *out)
{
    if (exercise->choices)
        buffer_printf(out, "answer with a letter, a to %c", 'a' + exercise->choices - 1);
    else if (exercise->kind == EXERCISE_CROSSES)
        buffer_puts(out, "answer with groups, such as tp dp");
    else
        buffer_printf(out, "answer with a number%s%s", *exercise->unit ? " of " : "", exercise->unit);
}

/* The first answer counts for the score, the question for the kind. */
static void finish(struct practice *practice, bool is_right)
{
    bool is_first = practice->tries <= 1;
    practice->is_done = true;
    practice->asked++;
    practice->right += is_right && is_first;
    progress_score(exercise_kind_names[practice->exercise.kind], practice->level, is_right, is_right && is_first);
}

char *practice_answer(struct practice *practice, const char *typed)
{
    const struct exercise *exercise = &practice->exercise;
    struct buffer out = {0};
    if (!exercise_is_answer(exercise, typed)) {
        say_form(exercise, &out);
        return out.text;
    }
    bool is_right = exercise_is_right(exercise, typed);
    practice->tries++;
    if (is_right)
        buffer_puts(&out, "right");
    else if (exercise->choices)
        buffer_printf(&out, "no, not (%c)", typed[strspn(typed, " \t")]);
    else
        say_wrong(exercise, typed, &out);
    if (!practice->is_done && (is_right || practice->tries == PRACTICE_TRIES)) {
        finish(practice, is_right);
        buffer_puts(&out, "\n");
        say_answer(exercise, &out);
    }
    return out.text;
}

char *practice_reveal(struct practice *practice)
{
    struct buffer out = {0};
    if (!practice->is_done)
        finish(practice, false);
    say_answer(&practice->exercise, &out);
    return out.text;
}

char *practice_score(const struct practice *practice)
{
    const char *kind = exercise_kind_names[practice->exercise.kind];
    int of, right = progress_level_of(practice->level, &of), box = progress_kind_of(kind).box;
    char *last = of ? xasprintf(": %d of the last %d right at the first answer, %d of %d pass it", right, of,
                                PRACTICE_PASS, PROGRESS_LAST)
                    : xstrdup("");
    char *text = xasprintf("%s in box %d of %d; level %d%s", kind, box, PROGRESS_BOXES, practice->level, last);
    free(last);
    return text;
}

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

bool practice_kinds(const char *text, unsigned *out, char *wrong, size_t size)
{
    char *copy = xstrdup(text), *rest = NULL;
    bool is_good = true;
    *out = 0;
    for (char *word = strtok_r(copy, ", ", &rest); word && is_good; word = strtok_r(NULL, ", ", &rest)) {
        int kind = 0;
        while (kind < EXERCISE_KINDS && strcmp(exercise_kind_names[kind], word) != 0)
            kind++;
        is_good = kind < EXERCISE_KINDS;
        *out |= is_good ? 1u << kind : 0;
        if (!is_good)
            snprintf(wrong, size, "%s", word);
    }
    free(copy);
    return is_good;
}
