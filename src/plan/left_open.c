#include "src/plan/left_open.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/text.h"
#include "src/text/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Between what decides a key and as what it was taken. */
#define LEFT_TAKEN " = "

const char *const left_open_names[LEFT_KINDS] = {RECOGNISE_ASSUMED, RECOGNISE_UNCERTAIN};

/* ---- which keys are open ---------------------------------------------------------------------------------------- */

bool left_open_still(const struct plan *plan, enum left_open group, enum param key)
{
    bool is_weak = param_blank(plan, key) || plan->from[key] < FROM_PRESET;
    return is_weak || (group == LEFT_UNCERTAIN && plan->from[key] <= FROM_FILE);
}

/* The number and kind of GPUs that nobody named: asked for when the plan is whole, in words of plan_ask_hardware(). */
static bool is_asked_later(const char *variable, enum param key)
{
    return (key == PARAM_hardware_nodes && strcmp(variable, PLAN_ASKS_GPUS) == 0) ||
           (key == PARAM_hardware_gpu && strcmp(variable, PLAN_ASKS_GPU) == 0);
}

/* What decides a key, and as what it was taken. */
static void put_decides(const struct plan *plan, const struct question *question, enum param key,
                        char out[LEFT_TEXT_MAX])
{
    char value[PARAM_TEXT_MAX];
    param_print(plan, key, value, sizeof value);
    bool is_word = question && *question->assumed && strcmp(question->assumed, value) != 0 &&
                   !is_asked_later(question->variable, key);
    snprintf(out, LEFT_TEXT_MAX, is_word ? "%s" LEFT_TAKEN "%s" : "%s",
             question ? question->variable : param_rows[key].key, is_word ? question->assumed : "");
}

enum left_open left_open_of(const struct plan *plan, const struct questions *questions, enum param key,
                            char decides[LEFT_TEXT_MAX])
{
    const struct question *question = question_about(questions, key);
    bool is_assumed = !param_blank(plan, key) && plan->from[key] == FROM_ASSUMED;
    enum left_open group = !is_assumed && question && question->is_uncertain ? LEFT_UNCERTAIN : LEFT_ASSUMED;
    put_decides(plan, question, key, decides);
    if (questions && !question)
        decides[0] = '\0'; /* it came with another key */
    return is_assumed || (question && left_open_still(plan, group, key)) ? group : LEFT_KINDS;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* The group of a setting's path, LEFT_KINDS for none; `key` gets what stands behind it. */
static enum left_open group_of(const char *path, const char **key)
{
    for (int group = 0; group < LEFT_KINDS; group++) {
        size_t n = strlen(left_open_names[group]);
        if (strncmp(path, left_open_names[group], n) != 0 || (path[n] != '.' && path[n] != '\0'))
            continue;
        *key = path + n + (path[n] == '.');
        return (enum left_open)group;
    }
    return LEFT_KINDS;
}

void left_open_split(struct keyvals *settings, struct keyvals *open)
{
    size_t kept = 0;
    const char *key;
    for (size_t i = 0; i < settings->count; i++) {
        struct keyval *it = &settings->item[i];
        if (group_of(it->key, &key) == LEFT_KINDS && strcmp(it->key, RECOGNISE_DEFAULTS) != 0) {
            settings->item[kept++] = *it;
            continue;
        }
        keyvals_add(open, it->key, it->value, it->line);
        free(it->key);
        free(it->value);
    }
    settings->count = kept;
}

/* What stands behind a key as it is answered. */
static void put_answer(enum param key, char out[QUESTION_TEXT_MAX])
{
    static const struct {
        enum param key;
        const char *how;
    } own[] = {{PARAM_hardware_gpu, "--gpu NAME"}, {PARAM_model_name, "--model NAME"}};
    snprintf(out, QUESTION_TEXT_MAX, "--set %s=VALUE", param_rows[key].dotted);
    for (size_t i = 0; i < LENGTH(own); i++)
        if (own[i].key == key)
            snprintf(out, QUESTION_TEXT_MAX, "%s", own[i].how);
}

static void ask_key(const struct plan *plan, const struct keyval *line, enum left_open group, enum param key,
                    const char *name, struct questions *questions)
{
    struct question question = {.is_uncertain = group == LEFT_UNCERTAIN};
    char value[PARAM_TEXT_MAX], where[PARAM_TEXT_MAX], *taken = strstr(line->value, LEFT_TAKEN);
    size_t size = taken ? (size_t)(taken - line->value) : strlen(line->value);
    char *variable = xstrndup(line->value, size);
    param_print(plan, key, value, sizeof value);
    snprintf(where, sizeof where, "%.200s:%d", name, line->line);
    text_clean(variable, question.variable, sizeof question.variable);
    text_clean(taken ? taken + strlen(LEFT_TAKEN) : value, question.assumed, sizeof question.assumed);
    text_clean(where, question.where, sizeof question.where);
    put_answer(key, question.how);
    question_ask(questions, &question, key);
    free(variable);
}

/* Whether a key has a value, and not one that an earlier file gave: a key may be open in this file alone. */
static bool is_own(const struct plan *plan, const struct left_open_file *file, enum param key)
{
    for (size_t i = 0; i < file->settings->count; i++)
        if (param_find(file->settings->item[i].key) == (int)key)
            return !param_blank(plan, key);
    return !param_blank(plan, key) && !param_equal(plan, file->before, key);
}

/* The values of a list are defaults. */
static void apply_defaults(struct plan *plan, const struct keyval *line, const struct left_open_file *file,
                           struct errors *errors)
{
    static const char between[] = "[], ";
    for (const char *p = line->value + strspn(line->value, between); *p; p += strspn(p, between)) {
        size_t n = strcspn(p, between);
        char *key = xstrndup(p, n);
        int id = param_find(key);
        if (id < 0)
            errors_add(errors, file->name, line->line, line->key, "unknown key '%.60s'; remove it from the list", key);
        else if (is_own(plan, file, (enum param)id) && param_rows[id].type != TYPE_NAME)
            plan->from[id] = FROM_DEFAULT;
        free(key);
        p += n;
    }
}

static void apply_line(struct plan *plan, const struct keyval *line, const struct left_open_file *file,
                       struct plan_reading *reading, struct errors *errors)
{
    const char *key;
    enum left_open group = group_of(line->key, &key);
    int id = *key ? param_find(key) : -1;
    if (!*key && (!*line->value || strcmp(line->value, "{}") == 0))
        return;
    if (id < 0) {
        errors_add(errors, file->name, line->line, line->key,
                   "expected a key and the setting that decides it, as in `parallel.tp: TP`");
        return;
    }
    if (!is_own(plan, file, (enum param)id) && !param_blank(plan, (enum param)id))
        return; /* an earlier file answers it */
    if (group == LEFT_ASSUMED && !param_blank(plan, (enum param)id))
        plan->from[id] = FROM_ASSUMED;
    else if (group == LEFT_ASSUMED && id == PARAM_hardware_nodes)
        plan_mark_nodes(plan);
    bool is_named = id == PARAM_hardware_gpu && !param_blank(plan, PARAM_hardware_gpu);
    if (reading && !is_named && is_asked_later(line->value, (enum param)id))
        reading->asks_hardware = true;
    else if (reading && *line->value)
        ask_key(plan, line, group, (enum param)id, file->name, &reading->questions);
}

void left_open_apply(struct plan *plan, const struct left_open_file *file, struct plan_reading *reading,
                     struct errors *errors)
{
    for (size_t i = 0; i < file->open->count; i++)
        if (strcmp(file->open->item[i].key, RECOGNISE_DEFAULTS) == 0)
            apply_defaults(plan, &file->open->item[i], file, errors);
        else
            apply_line(plan, &file->open->item[i], file, reading, errors);
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static const char *const remarks[LEFT_KINDS] = {
    "# Not given by the source: assumed or blank. A line is removed when you set its key.",
    "# Read, but may not apply.",
};

static bool is_default(const struct plan *plan, enum param key)
{
    return !param_blank(plan, key) && plan->from[key] == FROM_DEFAULT && param_rows[key].type != TYPE_NAME;
}

int left_open_defaults(struct buffer *out, const struct plan *plan, const struct plan *among, bool is_json)
{
    const char *quote = is_json ? "\"" : "";
    int count = 0;
    for (int i = 0; i < PARAM_COUNT; i++)
        if (is_default(plan, (enum param)i) && is_default(among, (enum param)i))
            buffer_printf(out, "%s%s%s%s", count++ ? ", " : "[", quote, param_rows[i].dotted, quote);
    buffer_puts(out, count ? "]" : "");
    return count;
}

void left_open_emit(struct buffer *out, const struct plan *plan, const struct questions *questions)
{
    for (int group = 0; group < LEFT_KINDS; group++) {
        bool is_begun = false;
        for (int i = 0; i < PARAM_COUNT; i++) {
            char decides[LEFT_TEXT_MAX];
            if (left_open_of(plan, questions, (enum param)i, decides) != (enum left_open)group)
                continue;
            if (!is_begun)
                buffer_printf(out, "\n%s\n%s:\n", remarks[group], left_open_names[group]);
            is_begun = true;
            buffer_printf(out, "  %s:%s", param_rows[i].dotted, *decides ? " " : "");
            if (*decides)
                yaml_scalar(out, decides);
            buffer_puts(out, "\n");
        }
    }
    struct buffer list = {0};
    if (left_open_defaults(&list, plan, plan, false) > 0)
        buffer_printf(out, "\n# Set by the framework itself.\n%s: %s\n", RECOGNISE_DEFAULTS, list.text);
    buffer_free(&list);
}
