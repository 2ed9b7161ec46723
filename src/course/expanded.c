#include "src/course/expanded.h"

#include "core/plan/param.h"
#include "src/course/answer.h"
#include "src/course/outcome.h"
#include "src/course/play.h"
#include "src/report/data.h"
#include "src/text/json_out.h"
#include "src/text/keyval.h"
#include "src/text/node.h"
#include "src/text/text.h"
#include "src/text/version.h"

#include <stdlib.h>

/* A text with its templates filled in; null where there is none. */
static void put_text(struct json *json, const char *name, const struct moment *moment, const struct node *text)
{
    char *filled = text ? play_text(moment, text->text) : NULL;
    json_text(json, name, filled);
    free(filled);
}

static void put_texts(struct json *json, const char *name, const struct moment *moment, const struct node *list)
{
    json_open(json, name, '[');
    for (const struct node *item = list ? list->child : NULL; item; item = item->next)
        put_text(json, NULL, moment, item);
    json_close(json, ']');
}

/* A list as it is written. */
static void put_list(struct json *json, const char *name, const struct node *list)
{
    json_open(json, name, '[');
    for (int i = 0; lesson_item(list, i); i++)
        json_text(json, NULL, lesson_item(list, i));
    json_close(json, ']');
}

static void put_settings(struct json *json, const char *name, const struct node *mapping)
{
    struct keyvals list = {0};
    lesson_settings(mapping, &list);
    json_open(json, name, '{');
    for (size_t i = 0; i < list.count; i++)
        json_text(json, list.item[i].key, *list.item[i].value ? list.item[i].value : NULL);
    json_close(json, '}');
    keyvals_free(&list);
}

/* The keys that are not blank. */
static void put_plan(struct json *json, const struct plan *plan)
{
    json_open(json, "plan", '{');
    for (int id = 0; id < PARAM_COUNT; id++)
        if (!param_blank(plan, (enum param)id))
            json_value(json, param_rows[id].dotted, plan, (enum param)id);
    json_close(json, '}');
}

/* The places as paths of `show --json`, or keys. */
static void put_looks(struct json *json, const struct moment *now, const struct node *look)
{
    char place[128], why[EXPR_WHY_MAX];
    json_open(json, "look", '[');
    for (int i = 0; lesson_item(look, i); i++)
        json_text(json, NULL,
                  outcome_locate(play_outcome(now), lesson_item(look, i), place, sizeof place, why)
                      ? place
                      : lesson_item(look, i));
    json_close(json, ']');
}

static void put_ask(struct json *json, struct play *play, const struct moment *now, const struct lesson_ask *ask,
                    bool answers)
{
    struct moment moment = play_ask_moment(play, ask);
    json_open(json, "ask", '{');
    put_text(json, "q", now, ask->q);
    json_open(json, "choices", '[');
    for (int i = 0; i < ask->choice_count; i++)
        put_text(json, NULL, now, ask->choice[i].text);
    json_close(json, ']');
    json_text(json, "unit", ask->unit ? ask->unit->text : NULL);
    if (answers) {
        char *answer = answer_text(play, ask);
        json_text(json, "answer", answer);
        json_text(json, "within", ask->within ? ask->within->text : NULL);
        put_texts(json, "hints", &moment, ask->hints);
        put_text(json, "because", &moment, ask->because);
        free(answer);
    }
    json_close(json, '}');
}

static void put_task(struct json *json, const struct moment *now, const struct lesson_task *task, bool answers)
{
    struct moment done = {now->play, now->step, PLAY_DONE};
    json_open(json, "task", '{');
    put_list(json, "free", task->free);
    put_list(json, "until", task->until);
    if (answers) {
        put_settings(json, "solution", task->solution);
        put_texts(json, "hints", now, task->hints);
        put_text(json, "after", &done, task->after);
    }
    json_close(json, '}');
}

static void put_step(struct json *json, struct play *play, int index, bool answers)
{
    const struct lesson_step *step = &play->lesson.step[index];
    struct moment now = {play, index, PLAY_START};
    enum lesson_view view = lesson_view_of(&play->lesson, index);
    json_open(json, NULL, '{');
    json_text(json, "id", step->id->text);
    put_plan(json, &play->plan[index][PLAY_START]);
    put_settings(json, "set", step->set);
    json_text(json, "view", view < 0 ? NULL : lesson_view_names[view]);
    put_looks(json, &now, step->look);
    put_text(json, "note", &now, step->note);
    if (step->ask.line)
        put_ask(json, play, &now, &step->ask, answers);
    if (step->task.line)
        put_task(json, &now, &step->task, answers);
    json_close(json, '}');
}

void expanded_json(struct buffer *out, struct play *play, bool answers)
{
    const struct lesson *lesson = &play->lesson;
    struct json json = {.out = out, .lines = 3};
    json_open(&json, NULL, '{');
    version_json(&json);
    json_text(&json, "name", lesson->name->text);
    json_text(&json, "title", lesson->title->text);
    json_text(&json, "goal", lesson->goal->text);
    json_text(&json, "take", lesson->take->text);
    json_number(&json, "minutes", strtod(lesson->minutes->text, NULL));
    put_list(&json, "needs", lesson->needs);
    put_list(&json, "sources", lesson->sources);
    json_open(&json, "steps", '[');
    for (int i = 0; i < lesson->steps; i++)
        put_step(&json, play, i, answers);
    json_close(&json, ']');
    json_close(&json, '}');
    buffer_puts(out, "\n");
}
