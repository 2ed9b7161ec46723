#include "src/course/plain.h"

#include "core/show/figure.h"
#include "src/course/outcome.h"
#include "src/course/paragraph.h"
#include "src/course/progress.h"
#include "src/course/tutor.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/node.h"
#include "src/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 79 };

/* ---- the parts of a step ----------------------------------------------------------------------------------------- */

/* A line of prose with templates filled in. */
static void put_text(const struct moment *moment, const char *before, const char *text, struct buffer *out)
{
    char *filled = play_text(moment, text), *line = xasprintf("%s%s", before, filled);
    paragraph_add(out, line, COLUMNS);
    free(line);
    free(filled);
}

/* The figure of a path, NAN when it has none. */
static double number_at(const struct moment *moment, const char *path)
{
    struct expr_value value;
    char why[EXPR_WHY_MAX];
    bool is_known = outcome_value(play_outcome(moment), path, strlen(path), &value, why) && value.kind == EXPR_NUMBER;
    return is_known ? value.number : (double)NAN;
}

static void put_delta(const char *what, enum figure_kind kind, const char *unit, double now, double before,
                      struct buffer *out)
{
    struct figure delta = figure_delta(kind, now - before);
    if (isfinite(now - before) && *delta.text != '=')
        buffer_printf(out, "%s %s%s", what, delta.text, unit);
}

/* Of a plan that serves: "a token in 7.08 ms, 137 tokens/s", else the fullest GPU and the time of an iteration. */
static void put_headline(const struct moment *now, struct buffer *out)
{
    double peak = number_at(now, "device"), time = number_at(now, "it"), token = number_at(now, "serving.per_token_s");
    if (isfinite(token))
        buffer_printf(out, "a token in %s, %s tokens/s", figure(FIGURE_SECONDS, token).text,
                      figure(FIGURE_COUNT, number_at(now, "serving.tokens_per_s")).text);
    else
        buffer_printf(out, "peak %s GiB on stage %.0f", figure(FIGURE_GIB, peak).text, number_at(now, "peak_stage"));
    if (isfinite(time))
        buffer_printf(out, ", iteration %s", figure(FIGURE_SECONDS, time).text);
}

/* Appends the figures of a moment: "peak 35.4 GiB on stage 0, iteration 1.81 s, fits". */
static void put_figures(const struct moment *moment, struct buffer *out)
{
    struct expr_value verdict = {0};
    char why[EXPR_WHY_MAX];
    outcome_value(play_outcome(moment), "verdict", strlen("verdict"), &verdict, why);
    if (outcome_errors(play_outcome(moment))) {
        buffer_puts(out, "this plan is invalid");
        return;
    }
    put_headline(moment, out);
    buffer_printf(out, ", %s", strcmp(verdict.word, "no") == 0 ? "does not fit" : verdict.word);
}

/* "peak -51.8 GiB, iteration -2.24 s" against the step before; nothing where both are the same. */
static void put_deltas(struct tutor *tutor, struct buffer *out)
{
    struct moment now = tutor_now(tutor), before = now;
    struct buffer change = {0};
    before.step -= before.step > 0;
    if (outcome_errors(play_outcome(&now)) || outcome_errors(play_outcome(&before)))
        return;
    put_delta("peak", FIGURE_GIB, " GiB", number_at(&now, "device"), number_at(&before, "device"), &change);
    put_delta(change.size ? ", iteration" : "iteration", FIGURE_SECONDS, "", number_at(&now, "it"),
              number_at(&before, "it"), &change);
    buffer_add(out, change.text ? change.text : "", change.size);
    buffer_free(&change);
}

static void put_deltas_behind(struct tutor *tutor, struct buffer *out)
{
    struct buffer deltas = {0};
    put_deltas(tutor, &deltas);
    if (deltas.size)
        buffer_printf(out, "; against step %d: %s", tutor->step, deltas.text);
    buffer_free(&deltas);
}

static void put_looks(const struct moment *now, const struct node *look, struct buffer *out)
{
    char place[128], why[EXPR_WHY_MAX];
    struct buffer line = {0};
    for (int i = 0; lesson_item(look, i); i++) {
        const char *path = lesson_item(look, i);
        buffer_printf(&line, "%s%s", i ? "; " : "look at: ",
                      outcome_locate(play_outcome(now), path, place, sizeof place, why) ? place : path);
    }
    if (line.size)
        paragraph_add(out, line.text, COLUMNS);
    buffer_free(&line);
}

static void put_ask(const struct moment *now, const struct lesson_ask *ask, struct buffer *out)
{
    put_text(now, "? ", ask->q->text, out);
    for (int i = 0; i < ask->choice_count; i++) {
        char before[] = "  (1) ";
        before[3] = (char)('1' + i);
        put_text(now, before, ask->choice[i].text->text, out);
    }
}

static void put_task(const struct lesson_task *task, struct buffer *out)
{
    struct buffer line = {0};
    buffer_puts(&line, "task: until ");
    for (int i = 0; lesson_item(task->until, i); i++)
        buffer_printf(&line, "%s%s", i ? " and " : "", lesson_item(task->until, i));
    buffer_puts(&line, "; change ");
    for (int i = 0; lesson_item(task->free, i); i++)
        buffer_printf(&line, "%s%s", i ? ", " : "", lesson_item(task->free, i));
    buffer_puts(&line, " with KEY=VALUE");
    paragraph_add(out, line.text, COLUMNS);
    buffer_free(&line);
}

/* ---- the lesson -------------------------------------------------------------------------------------------------- */

/* Appends what a lesson begins with: its title, goal and what it needs. */
static void put_title(const struct tutor *tutor, struct buffer *out)
{
    const struct lesson *lesson = &tutor->play.lesson;
    struct buffer line = {0};
    buffer_printf(out, "lesson %s: %s, %s minutes\n", lesson->name->text, lesson->title->text, lesson->minutes->text);
    paragraph_add(out, lesson->goal->text, COLUMNS);
    for (int i = 0; lesson_item(lesson->needs, i); i++)
        buffer_printf(&line, "%s%s", i ? ", " : "needs: ", lesson_item(lesson->needs, i));
    if (line.size)
        buffer_printf(out, "%s\n", line.text);
    buffer_free(&line);
    lesson_say_settings(lesson->plan, &line);
    char *plan = xasprintf("plan: %s", line.text);
    paragraph_add(out, plan, COLUMNS);
    free(plan);
    buffer_free(&line);
}

void plain_set(const struct lesson_step *step, struct buffer *out)
{
    if (step->plan)
        buffer_puts(out, "another plan: ");
    else if (step->from)
        buffer_printf(out, step->set ? "step %s with " : "step %s again", step->from->text);
    else if (step->set)
        buffer_puts(out, "set ");
    lesson_say_settings(step->plan ? step->plan : step->set, out);
}

void plain_change(struct tutor *tutor, struct buffer *out)
{
    struct buffer deltas = {0};
    plain_set(tutor_step(tutor), out);
    put_deltas(tutor, &deltas);
    if (deltas.size)
        buffer_printf(out, "%s%s", out->size ? "; " : "", deltas.text);
    buffer_free(&deltas);
}

void plain_step(struct tutor *tutor, struct buffer *out)
{
    const struct lesson *lesson = &tutor->play.lesson;
    const struct lesson_step *step = tutor_step(tutor);
    struct moment now = tutor_now(tutor);
    struct buffer line = {0};
    buffer_printf(&line, "-- %s %d/%d %s%s", lesson->name->text, tutor->step + 1, lesson->steps, step->id->text,
                  step->plan || step->set ? ": " : "");
    plain_set(step, &line);
    buffer_puts(out, "\n");
    paragraph_add(out, line.text, COLUMNS);
    buffer_free(&line);
    put_figures(&now, &line);
    put_deltas_behind(tutor, &line);
    paragraph_add(out, line.text, COLUMNS);
    buffer_free(&line);
    put_text(&now, "", step->note->text, out);
    put_looks(&now, step->look, out);
    if (step->ask.line)
        put_ask(&now, &step->ask, out);
    if (step->task.line)
        put_task(&step->task, out);
}

/* Appends what a lesson ends with: what to take away, and the score. */
static void put_end(const struct tutor *tutor, struct buffer *out)
{
    int of, done = tutor_score(tutor, &of);
    char *take = xasprintf("To take away: %s", tutor->play.lesson.take->text);
    buffer_puts(out, "\n");
    paragraph_add(out, take, COLUMNS);
    buffer_printf(out, "right: %d of %d\n", done, of);
    free(take);
}

/* ---- on lines ---------------------------------------------------------------------------------------------------- */

static void print(FILE *out, struct buffer *text)
{
    if (text->size)
        fwrite(text->text, 1, text->size, out);
    buffer_free(text);
    fflush(out);
}

/* Shows a step; false past the end, where the lesson's end is shown. */
static bool show(struct tutor *tutor, int step, FILE *out)
{
    struct buffer text = {0};
    bool is_there = step < tutor->play.lesson.steps;
    if (is_there) {
        tutor_go(tutor, step < 0 ? 0 : step);
        plain_step(tutor, &text);
    } else {
        tutor->is_finished = true;
        put_end(tutor, &text);
    }
    progress_keep(tutor);
    print(out, &text);
    return is_there;
}

/* The figures of the learner's plan, and how far the task is. */
static void say_own(struct tutor *tutor, FILE *out)
{
    const struct lesson_task *task = &tutor_step(tutor)->task;
    struct moment own = tutor_own(tutor);
    struct buffer text = {0};
    int of, met = tutor_met(tutor, &of);
    put_figures(&own, &text);
    buffer_puts(&text, "\n");
    if (task->line)
        buffer_printf(&text, "%d of %d conditions are met%s\n", met, of, met == of ? ": done" : "");
    if (task->line && met == of && task->after)
        put_text(&own, "", task->after->text, &text);
    print(out, &text);
}

/* `KEY=VALUE KEY=VALUE` changes the learner's plan. */
static void edit(struct tutor *tutor, char *line, FILE *out)
{
    const struct plan_source source = {.file = "lesson", .from = FROM_SET, .is_last_wins = true, .is_typed = true};
    struct plan plan = tutor->own;
    struct keyvals list = {0};
    struct errors errors = {0};
    const char *key = NULL;
    for (char *rest = NULL, *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        if (value)
            *value++ = '\0';
        keyvals_add(&list, word, value ? value : "", 0);
    }
    plan_apply(&plan, &list, &source, &errors);
    keyvals_free(&list);
    for (size_t i = 0; i < errors.count; i++)
        fprintf(out, "%s\n", errors.line[i]);
    if (!errors_any(&errors) && !tutor_edit(tutor, &plan, &key))
        fprintf(out, "this task does not change %s\n", key);
    else if (!errors_any(&errors))
        say_own(tutor, out);
    errors_free(&errors);
    fflush(out);
}

static void answer(struct tutor *tutor, const char *typed, FILE *out)
{
    char *said = tutor_step(tutor)->ask.line ? tutor_answer(tutor, typed) : NULL;
    fprintf(out, "%s\n", said ? said : "n next, back, g STEP, h hint, r reset, KEY=VALUE, q leave");
    free(said);
}

static void hint(struct tutor *tutor, FILE *out)
{
    char *text = tutor_hint(tutor);
    fprintf(out, "%s\n", text ? text : "no more hints here");
    free(text);
}

/* What a line asks for; false when the learner leaves. */
static bool obey(struct tutor *tutor, char *line, FILE *out)
{
    bool is_alone = strlen(line) == 1;
    if (*line == '\0' || (is_alone && *line == 'n'))
        return show(tutor, tutor->step + 1, out);
    if (is_alone && *line == 'q')
        return false;
    if (strncmp(line, "g ", 2) == 0) {
        int step = tutor_find(tutor, line + 2);
        if (step >= 0)
            return show(tutor, step, out);
        fprintf(out, "unknown step '%.40s'; use its number or its name\n", line + 2);
    } else if (strchr(line, '=')) {
        edit(tutor, line, out);
    } else if (is_alone && *line == 'h') {
        hint(tutor, out);
    } else if (is_alone && (*line == 'r' || (*line == 'b' && !tutor_step(tutor)->ask.choice_count))) {
        return show(tutor, tutor->step - (*line == 'b'), out);
    } else if (strcmp(line, "back") == 0) {
        return show(tutor, tutor->step - 1, out);
    } else {
        answer(tutor, line, out);
    }
    return true;
}

void plain_play(struct tutor *tutor, FILE *in, bool is_terminal, FILE *out)
{
    struct buffer text = {0};
    char *line = NULL;
    size_t room = 0;
    put_title(tutor, &text);
    print(out, &text);
    bool goes_on = show(tutor, tutor->step, out);
    while (goes_on) {
        if (is_terminal) {
            fputs("> ", out);
            fflush(out);
        }
        ssize_t size = getline(&line, &room, in);
        if (size < 0)
            break;
        line[strcspn(line, "\r\n")] = '\0';
        goes_on = obey(tutor, line, out);
    }
    while (goes_on && !is_terminal)
        goes_on = show(tutor, tutor->step + 1, out);
    free(line);
}
