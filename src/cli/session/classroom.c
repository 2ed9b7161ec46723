#include "src/cli/session/classroom.h"

#include "core/base.h"
#include "src/cli/session/host.h"
#include "src/course/figure.h"
#include "src/course/outcome.h"
#include "src/course/plain.h"
#include "src/course/practice.h"
#include "src/course/progress.h"
#include "src/course/tutor.h"
#include "src/plan/preset.h"
#include "src/text/errors.h"
#include "src/text/node.h"
#include "src/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The lesson, and the texts of its page. */
struct room {
    struct tutor *tutor;
    struct ui_lesson page;
    struct ui_lesson_step chain[LESSON_STEPS_MAX];
    struct buffer change, note, ask, said, score, choice[LESSON_CHOICES_MAX];
    bool is_answered; /* the last text is about an answer */
    bool is_over;     /* the last text is the end of the lesson */
    char look[UI_LOOKS_MAX][128];
};

/* The one who practises, and the texts of the page. */
struct drill {
    struct practice *practice;
    struct ui_lesson page;
    struct buffer change, ask, said, score;
};

struct classroom {
    struct room room;
    struct drill drill;
    char **name, **title; /* of all lessons, once somebody asked for the list */
    size_t count;
};

struct classroom *classroom_create(void)
{
    return xcalloc(1, sizeof(struct classroom));
}

/* A text in the place of one before. */
static void put(struct buffer *out, const char *text)
{
    out->size = 0;
    buffer_puts(out, text);
}

static int refuse(struct errors *errors, char *message)
{
    snprintf(message, UI_MESSAGE_MAX, "%s", errors->count ? errors->line[0] : "the lesson cannot be read");
    errors_free(errors);
    return -1;
}

/* ---- exercises: pages with a question each, whose plan opens with the answer ------------------------------------ */

/* The view in which an answer can be seen. */
static const char *const views[EXERCISE_KINDS] = {
    [EXERCISE_FITS] = "memory",    [EXERCISE_MEMORY] = "memory", [EXERCISE_FASTEST] = "time",
    [EXERCISE_LARGEST] = "memory",
    [EXERCISE_BUBBLE] = "schedule", [EXERCISE_CROSSES] = "grid", [EXERCISE_KV] = "memory",
    [EXERCISE_STATIC] = "memory", [EXERCISE_FREES] = "memory",
};

static void write_question(const struct exercise *e, struct buffer *out)
{
    put(out, "");
    if (e->kind == EXERCISE_CROSSES)
        buffer_puts(out, "? the groups, such as tp dp");
    else if (!e->choices)
        buffer_printf(out, "? a number%s%s", *e->unit ? ", " : "", e->unit);
}

static void write_exercise(struct drill *drill)
{
    const struct practice *practice = drill->practice;
    const struct exercise *e = &practice->exercise;
    char *score = practice_score(practice);
    put(&drill->change, score);
    free(score);
    write_question(e, &drill->ask);
    drill->score.size = 0;
    buffer_printf(&drill->score, " %d/%d right ", practice->right, practice->asked);
    bool is_number = !e->choices && e->kind != EXERCISE_CROSSES;
    drill->page = (struct ui_lesson){
        .name = "exercise",
        .title = "",
        .id = exercise_kind_names[e->kind],
        .step = e->number - 1,
        .change = drill->change.text,
        .note = e->text,
        .ask = drill->ask.text,
        .said = drill->said.text,
        .score = drill->score.text,
        .takes_number = is_number,
        .takes_words = e->kind == EXERCISE_CROSSES,
        .choices = e->choices,
        .first_choice = 'a',
        .right = practice->is_done && e->choices ? (int)e->answer : -1,
        .view = views[e->kind],
        .plan = &e->plan,
        .is_hidden = !practice->is_done,
    };
    for (int i = 0; i < e->choices && i < UI_CHOICES_MAX; i++)
        drill->page.choice[i] = e->choice[i];
}

static int ask_question(struct drill *drill, int number, char *message)
{
    if (!practice_go(drill->practice, number)) {
        snprintf(message, UI_MESSAGE_MAX, "no such question; leave out the kind, or use another level");
        return -1;
    }
    put(&drill->said, "");
    write_exercise(drill);
    return 0;
}

/* Reads what stands behind `:exercise`; false with what is wrong. */
static bool read_words(const char *words, struct practice *out, char *message)
{
    char *copy = xstrdup(words), *rest = NULL, wrong[40] = "";
    bool is_good = true;
    *out = (struct practice){.seed = (uint64_t)time(NULL), .level = EXERCISE_LEVEL, .is_drawn = true};
    for (char *word = strtok_r(copy, ", ", &rest); word && is_good; word = strtok_r(NULL, ", ", &rest)) {
        unsigned kinds = 0;
        int level = word[0] - '0';
        if (strncmp(word, "seed=", strlen("seed=")) == 0) {
            out->seed = strtoull(word + strlen("seed="), NULL, 10);
            out->is_drawn = false;
        } else if (!word[1] && level >= 1 && level <= EXERCISE_LEVELS) {
            out->level = level;
        } else {
            is_good = practice_kinds(word, &kinds, wrong, sizeof wrong);
        }
        out->kinds |= kinds;
    }
    free(copy);
    if (!is_good)
        snprintf(message, UI_MESSAGE_MAX,
                 "'%s' is not a kind of exercise; use fits, memory, fastest, largest, bubble, crosses, kv, static, "
                 "frees, a level 1 to %d, or seed=N",
                 wrong, EXERCISE_LEVELS);
    return is_good;
}

static void drill_close(struct drill *drill)
{
    free(drill->practice);
    drill->practice = NULL;
}

static int drill_open(struct drill *drill, const char *words, char *message)
{
    struct practice *practice = xmalloc(sizeof *practice);
    if (!read_words(words, practice, message)) {
        free(practice);
        return -1;
    }
    drill_close(drill);
    drill->practice = practice;
    int result = ask_question(drill, 1, message);
    if (result != 0)
        drill_close(drill);
    return result;
}

static int drill_go(struct drill *drill, const char *where, char *message)
{
    int number = drill->practice->exercise.number;
    if (strcmp(where, "back") == 0 && number == 1) {
        snprintf(message, UI_MESSAGE_MAX, "this is the first question");
        return -1;
    }
    return ask_question(drill, number + (strcmp(where, "next") == 0) - (strcmp(where, "back") == 0), message);
}

static void show_result(struct drill *drill, char *text)
{
    put(&drill->said, text);
    free(text);
    write_exercise(drill);
}

/* ---- the page of a lesson --------------------------------------------------------------------------------------- */

static void write_ask(struct room *room, const struct lesson_ask *ask)
{
    struct moment now = tutor_now(room->tutor);
    char *text = play_text(&now, ask->q->text);
    buffer_printf(&room->ask, "? %s", text);
    free(text);
    for (int i = 0; i < ask->choice_count && i < UI_CHOICES_MAX; i++) {
        text = play_text(&now, ask->choice[i].text->text);
        put(&room->choice[i], text);
        room->page.choice[i] = room->choice[i].text;
        free(text);
    }
}

/* Each condition with a tick, and what may be changed. */
static void write_task(struct room *room, const struct lesson_task *task)
{
    struct moment own = tutor_own(room->tutor);
    char why[EXPR_WHY_MAX];
    buffer_puts(&room->ask, "task:");
    for (int i = 0; lesson_item(task->until, i); i++)
        buffer_printf(&room->ask, " [%c] %s ", play_holds(&own, lesson_item(task->until, i), why) ? 'x' : ' ',
                      lesson_item(task->until, i));
    buffer_puts(&room->ask, "- free:");
    for (int i = 0; lesson_item(task->free, i); i++)
        buffer_printf(&room->ask, " %s", lesson_item(task->free, i));
    buffer_puts(&room->ask, " (Tab to the panes)");
}

static void write_looks(struct room *room, const struct moment *now, const struct node *look)
{
    char why[EXPR_WHY_MAX];
    struct ui_lesson *page = &room->page;
    page->looks = 0;
    for (int i = 0; i < UI_LOOKS_MAX && lesson_item(look, i); i++) {
        if (!outcome_locate(play_outcome(now), lesson_item(look, i), room->look[i], sizeof room->look[i], why))
            snprintf(room->look[i], sizeof room->look[i], "%s", lesson_item(look, i));
        page->look[page->looks++] = room->look[i];
    }
}

static void write_chain(struct room *room)
{
    for (int i = 0; i < room->tutor->play.lesson.steps; i++) {
        const struct tutor_step *at = &room->tutor->at[i];
        room->chain[i].id = room->tutor->play.lesson.step[i].id->text;
        room->chain[i].mark = at->is_right ? '+' : at->is_shown ? '-' : at->is_seen ? '.' : ' ';
    }
    room->page.chain = room->chain;
}

/* What changes with an answer or with the learner's plan. */
static void write_state(struct room *room)
{
    const struct lesson_step *step = tutor_step(room->tutor);
    const struct tutor_step *at = &room->tutor->at[room->tutor->step];
    int of, right = tutor_score(room->tutor, &of);
    bool is_known = step->ask.choice_count && (at->is_right || at->is_shown);
    put(&room->ask, "");
    if (step->ask.line)
        write_ask(room, &step->ask);
    if (step->task.line)
        write_task(room, &step->task);
    room->score.size = 0;
    buffer_printf(&room->score, " %d/%d right ", right, of);
    room->page.ask = room->ask.text;
    room->page.said = room->said.text;
    room->page.score = room->score.text;
    room->page.right = is_known ? play_right_choice(&room->tutor->play, &step->ask) : -1;
    room->page.is_right = room->is_answered && at->is_right;
    room->page.is_wrong = room->is_answered && !at->is_right;
    write_chain(room);
}

static void write_page(struct room *room)
{
    const struct lesson *lesson = &room->tutor->play.lesson;
    const struct lesson_step *step = tutor_step(room->tutor);
    struct moment now = tutor_now(room->tutor);
    enum lesson_view view = lesson_view_of(lesson, room->tutor->step);
    char *note = play_text(&now, step->note->text);
    put(&room->note, note);
    free(note);
    put(&room->said, "");
    room->is_answered = room->is_over = false;
    put(&room->change, "");
    plain_change(room->tutor, &room->change);
    room->page = (struct ui_lesson){
        .name = lesson->name->text, .id = step->id->text, .title = lesson->title->text,
        .step = room->tutor->step, .steps = lesson->steps,
        .change = room->change.text, .note = room->note.text, .takes_number = step->ask.line && !step->ask.choice_count,
        .choices = step->ask.choice_count, .first_choice = '1', .view = view < 0 ? NULL : lesson_view_names[view],
        .mark = step->mark ? step->mark->text : NULL, .sweep = step->sweep ? step->sweep->text : NULL,
        .is_timed = figure_has_word(LESSON_VIEW_TIME, step->note->text),
        .plan = &room->tutor->play.plan[now.step][PLAY_START],
        .before = now.step > 0 ? &room->tutor->play.plan[now.step - 1][PLAY_DONE] : NULL,
    };
    write_looks(room, &now, step->look);
    write_state(room);
}

static const struct ui_lesson *page(void *context)
{
    const struct classroom *all = host_classroom(context);
    return all->drill.practice ? &all->drill.page : &all->room.page;
}

/* ---- what the learner does --------------------------------------------------------------------------------------- */

static void end_lesson(struct room *room)
{
    if (!room->tutor)
        return;
    progress_keep(room->tutor);
    tutor_free(room->tutor);
    free(room->tutor);
    room->tutor = NULL;
}

static void close_lesson(void *context)
{
    struct classroom *all = host_classroom(context);
    drill_close(&all->drill);
    end_lesson(&all->room);
}

static int open_lesson(void *context, const char *name, char *message)
{
    struct room *room = &host_classroom(context)->room;
    struct errors errors = {0};
    struct tutor *tutor = xmalloc(sizeof *tutor);
    if (tutor_begin(tutor, name, &errors) != 0) {
        tutor_free(tutor);
        free(tutor);
        return refuse(&errors, message);
    }
    errors_free(&errors);
    close_lesson(context);
    room->tutor = tutor;
    progress_resume(tutor);
    write_page(room);
    return 0;
}

static int practise(void *context, const char *words, char *message)
{
    struct classroom *all = host_classroom(context);
    if (drill_open(&all->drill, words, message) != 0)
        return -1;
    end_lesson(&all->room);
    return 0;
}

/* Shows a text below the note. */
static void show_said(struct room *room, const char *before, char *text)
{
    room->said.size = 0;
    room->is_over = false;
    buffer_printf(&room->said, "%s%s", before, text);
    free(text);
    write_state(room);
}

/* At the end what the lesson is to leave behind. */
static void show_end(struct room *room)
{
    int of, right = tutor_score(room->tutor, &of);
    room->tutor->is_finished = true;
    room->is_answered = false;
    progress_keep(room->tutor);
    show_said(room, "To take away: ",
              xasprintf("%s  (%d of %d right; q leaves)", room->tutor->play.lesson.take->text, right, of));
    room->is_over = true;
}

static int go(void *context, const char *where, char *message)
{
    struct classroom *all = host_classroom(context);
    struct room *room = &all->room;
    if (all->drill.practice)
        return drill_go(&all->drill, where, message);
    int now = room->tutor->step, last = room->tutor->play.lesson.steps - 1;
    int step = strcmp(where, "next") == 0    ? now + 1
               : strcmp(where, "back") == 0  ? now - 1
               : strcmp(where, "reset") == 0 ? now
                                             : tutor_find(room->tutor, where);
    if (strcmp(where, "next") == 0 && now == last && !room->is_over) {
        show_end(room);
        snprintf(message, UI_MESSAGE_MAX, "this was the last step");
        return -1;
    }
    if (!tutor_go(room->tutor, step)) {
        snprintf(message, UI_MESSAGE_MAX,
                 step < 0 && now == 0 ? "this is the first step"
                 : step > last        ? "this was the last step; q leaves"
                                      : "unknown step '%.40s'; use a number from 1 to %d or a step's name",
                 where, last + 1);
        return -1;
    }
    write_page(room);
    progress_keep(room->tutor);
    return 0;
}

static void answer(void *context, const char *typed)
{
    struct classroom *all = host_classroom(context);
    if (all->drill.practice)
        show_result(&all->drill, practice_answer(all->drill.practice, typed));
    else if (tutor_step(all->room.tutor)->ask.line) {
        char *said = tutor_answer(all->room.tutor, typed);
        all->room.is_answered = true;
        show_said(&all->room, "", said);
    }
}

static void reveal(void *context)
{
    struct classroom *all = host_classroom(context);
    if (all->drill.practice)
        show_result(&all->drill, practice_reveal(all->drill.practice));
    else
        show_said(&all->room, "", tutor_reveal(all->room.tutor));
}

static void hint(void *context)
{
    struct classroom *all = host_classroom(context);
    if (all->drill.practice) {
        show_result(&all->drill, xstrdup("no hints here: a wrong answer is explained, the third shows the right one"));
        return;
    }
    char *text = tutor_hint(all->room.tutor);
    show_said(&all->room, text ? "hint: " : "", text ? text : xstrdup("no more hints here"));
}

static int edit(void *context, const struct plan *plan, char *message)
{
    struct classroom *all = host_classroom(context);
    struct room *room = &all->room;
    if (all->drill.practice || plan_equal(plan, &room->tutor->own))
        return 0;
    const struct lesson_task *task = &tutor_step(room->tutor)->task;
    const char *key;
    if (!tutor_edit(room->tutor, plan, &key)) {
        snprintf(message, UI_MESSAGE_MAX, "this task does not change %s", key);
        return -1;
    }
    bool is_solved = task->line && tutor_is_solved(room->tutor);
    struct moment own = tutor_own(room->tutor);
    char *after = is_solved && task->after ? play_text(&own, task->after->text) : xstrdup("");
    show_said(room, is_solved ? "done: " : "", after);
    return 0;
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static void read_titles(struct classroom *all)
{
    const char *const *presets;
    size_t count = preset_names(PRESET_LESSON, &presets);
    all->name = xcalloc(count + 1, sizeof *all->name);
    all->title = xcalloc(count + 1, sizeof *all->title);
    for (size_t i = 0; i < count; i++) {
        struct lesson lesson = {0};
        struct errors errors = {0};
        if (lesson_load(presets[i], &lesson, &errors) == 0) {
            all->name[all->count] = xstrdup(lesson.name->text);
            all->title[all->count++] = xstrdup(lesson.title->text);
        }
        errors_free(&errors);
        lesson_free(&lesson);
    }
}

static size_t list(void *context, const char *const **names, const char *const **titles)
{
    struct classroom *all = host_classroom(context);
    if (!all->name)
        read_titles(all);
    *names = (const char *const *)all->name;
    *titles = (const char *const *)all->title;
    return all->count;
}

static size_t kinds(void *context, const char *const **names)
{
    (void)context;
    *names = exercise_kind_names;
    return EXERCISE_KINDS;
}

const struct ui_lessons classroom_functions = {
    .list = list, .open = open_lesson, .practise = practise, .kinds = kinds, .page = page, .go = go, .answer = answer,
    .reveal = reveal, .hint = hint, .edit = edit, .close = close_lesson,
};

void classroom_free(struct classroom *all)
{
    struct buffer *texts[] = {&all->room.change, &all->room.note, &all->room.ask,  &all->room.said, &all->room.score,
                              &all->drill.change, &all->drill.ask, &all->drill.said, &all->drill.score};
    drill_close(&all->drill);
    end_lesson(&all->room);
    for (size_t i = 0; i < LENGTH(texts); i++)
        buffer_free(texts[i]);
    for (size_t i = 0; i < LENGTH(all->room.choice); i++)
        buffer_free(&all->room.choice[i]);
    for (size_t i = 0; i < all->count; i++) {
        free(all->name[i]);
        free(all->title[i]);
    }
    free(all->name);
    free(all->title);
    free(all);
}
