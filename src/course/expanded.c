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

#define SHAPES "src/course/expanded.def"
#include "src/text/json_writers.def"

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

#include "src/text/json_writers.def"

void expanded_json(struct buffer *out, struct play *play, bool answers)
{
    WRITE_ANSWER(out, 3, expanded, play, answers)
}
