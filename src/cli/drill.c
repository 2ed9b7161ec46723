#include "src/cli/drill.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/lesson/practice.h"
#include "src/text/text.h"
#include "ui/ui.h"

/* The one who practises, and the texts of the page. */
static struct {
    struct practice *practice;
    struct ui_lesson page;
    struct buffer change, ask, said, score;
} drill;

/* The view in which an answer can be seen. */
static const char *const views[EXERCISE_KINDS] = {
    [EXERCISE_FITS] = "memory",    [EXERCISE_MEMORY] = "memory", [EXERCISE_FASTEST] = "time", [EXERCISE_LARGEST] = "memory",
    [EXERCISE_BUBBLE] = "schedule", [EXERCISE_CROSSES] = "grid", [EXERCISE_KV] = "memory",    [EXERCISE_STATIC] = "memory",
    [EXERCISE_FREES] = "memory",
};

bool drill_is_open(void)
{
    return drill.practice != NULL;
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

/* A text in the place of one before. */
static void put(struct buffer *out, const char *text)
{
    out->size = 0;
    buffer_puts(out, text);
}

static void write_ask(const struct exercise *e)
{
    put(&drill.ask, "");
    for (int i = 0; i < e->choices; i++)
        buffer_printf(&drill.ask, "%s(%c) %s", i ? "\n" : "", 'a' + i, e->choice[i]);
    if (e->kind == EXERCISE_CROSSES)
        buffer_puts(&drill.ask, "? the groups, such as tp dp");
    else if (!e->choices)
        buffer_printf(&drill.ask, "? a number%s%s", *e->unit ? ", " : "", e->unit);
}

static void write_page(void)
{
    const struct practice *practice = drill.practice;
    const struct exercise *e = &practice->exercise;
    char *score = practice_score(practice);
    put(&drill.change, score);
    free(score);
    write_ask(e);
    drill.score.size = 0;
    buffer_printf(&drill.score, " %d/%d right ", practice->right, practice->asked);
    bool is_number = !e->choices && e->kind != EXERCISE_CROSSES;
    drill.page = (struct ui_lesson){
        .name = "exercise", .id = exercise_kind_names[e->kind], .step = e->number - 1, .change = drill.change.text, .note = e->text,
        .ask = drill.ask.text, .said = drill.said.text, .score = drill.score.text, .takes_number = is_number,
        .takes_words = e->kind == EXERCISE_CROSSES, .choices = e->choices, .view = views[e->kind], .plan = &e->plan,
        .is_hidden = !practice->is_done,
    };
}

const struct ui_lesson *drill_page(void)
{
    return &drill.page;
}

/* ---- what the learner does --------------------------------------------------------------------------------------- */

static int ask(int number, char *message)
{
    if (!practice_go(drill.practice, number)) {
        snprintf(message, UI_MESSAGE_MAX, "there is no such question; leave out the kind, or take another level");
        return -1;
    }
    put(&drill.said, "");
    write_page();
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
        snprintf(message, UI_MESSAGE_MAX, "'%s' is no kind of exercise; use fits, memory, fastest, largest, bubble, crosses, kv, static, "
                 "frees, a level 1 to %d, or seed=N", wrong, EXERCISE_LEVELS);
    return is_good;
}

int drill_open(const char *words, char *message)
{
    struct practice *practice = xmalloc(sizeof *practice);
    if (!read_words(words, practice, message)) {
        free(practice);
        return -1;
    }
    drill_close();
    drill.practice = practice;
    int result = ask(1, message);
    if (result != 0)
        drill_close();
    return result;
}

int drill_go(const char *where, char *message)
{
    int number = drill.practice->exercise.number;
    if (strcmp(where, "back") == 0 && number == 1) {
        snprintf(message, UI_MESSAGE_MAX, "this is the first question");
        return -1;
    }
    return ask(strcmp(where, "next") == 0 ? number + 1 : strcmp(where, "back") == 0 ? number - 1 : number, message);
}

static void say(char *text)
{
    put(&drill.said, text);
    free(text);
    write_page();
}

void drill_answer(const char *typed)
{
    say(practice_answer(drill.practice, typed));
}

void drill_reveal(void)
{
    say(practice_reveal(drill.practice));
}

void drill_hint(void)
{
    say(xstrdup("no hints here: a wrong answer says how it is wrong, after the third the right one comes"));
}

void drill_close(void)
{
    free(drill.practice);
    drill.practice = NULL;
}
