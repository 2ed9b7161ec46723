#include "src/course/lesson.h"

#include "core/base.h"
#include "core/plan/nearest.h"
#include "core/plan/number.h"
#include "core/plan/param.h"
#include "src/course/figure.h"
#include "src/plan/preset.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/keyval.h"
#include "src/text/node.h"
#include "src/text/text.h"
#include "src/text/yaml.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const lesson_view_names[LESSON_VIEW_COUNT + 1] = {"memory", "communication", "grid",       "schedule",
                                                              "layers", "time",   "serving",       "estimators",
                                                              "sweep",  NULL};

/* ---- what a file may hold ---------------------------------------------------------------------------------------- */

const char *const lesson_kind_names[] = {"a text", "a number", "true", "a list such as [one, two]", "a mapping"};

#define MEMBER(type, name, slot, kind, is_needed, size, help)                                                          \
    {name, LESSON_##kind, is_needed, offsetof(struct type, slot), size, help}
#define IN(type, name, kind, size, help)     MEMBER(type, #name, name, kind, false, size, help)
#define NEEDED(type, name, kind, size, help) MEMBER(type, #name, name, kind, true, size, help)

static const struct lesson_member lesson_members[] = {
    NEEDED(lesson, schema, NUMBER, 0, "1, the version of this format"),
    NEEDED(lesson, name, TEXT, LESSON_NAME_MAX, "the name that opens the lesson: a-z, 0-9 and -"),
    NEEDED(lesson, title, TEXT, 160, "its heading"),
    NEEDED(lesson, goal, TEXT, 200, "what the reader can do afterwards"),
    NEEDED(lesson, take, TEXT, 400, "the takeaway, shown at the end"),
    NEEDED(lesson, minutes, NUMBER, 0, "duration in minutes, 5 to 60"),
    IN(lesson, needs, LIST, 0, "lessons to take first"),
    NEEDED(lesson, plan, MAPPING, 0,
           "the plan before the first step, keys in dotted form; or file: with the name of a shipped plan"),
    IN(lesson, given, LIST, 0, "numbers from papers and logs that notes may quote literally"),
    MEMBER(lesson, "steps", steps_node, LIST, true, 0, "the steps, at most 40"),
    NEEDED(lesson, sources, LIST, 0, "sources of its facts"),
};
static const struct lesson_member step_members[] = {
    NEEDED(lesson_step, id, TEXT, 24, "its name in the lesson: a-z, 0-9 and _"),
    IN(lesson_step, plan, MAPPING, 0, "a whole plan instead of the current one"),
    IN(lesson_step, from, TEXT, 24, "the earlier step whose plan it starts from, instead of the previous one"),
    IN(lesson_step, set, MAPPING, 0, "keys that it sets; null resets a key to its default"),
    IN(lesson_step, view, TEXT, 24,
       "the view: memory, communication, grid, schedule, layers, time, serving or estimators"),
    IN(lesson_step, figure, TEXT, 24,
       "the figure beside the text, in place of view: memory, traffic, devices, schedule, layers, map, curve, "
       "waterfall, serving or estimators; the text must speak of what it shows"),
    IN(lesson_step, mark, TEXT, 80,
       "the part of the figure that is drawn in the colour of a warning: a path such as "
       "memory.stages.0.activations_bytes, or time.waterfall[part=bubble].seconds, in the schedule the "
       "waits"),
    IN(lesson_step, sweep, TEXT, 120,
       "what the figure curve goes over, one key as train.global_batch_size=8,16,32, and map, two; without it, tp and "
       "pp"),
    IN(lesson_step, look, LIST, 0, "up to four keys or values to highlight"),
    NEEDED(lesson_step, note, TEXT, 2000, "the text, with templates; at most six lines of 79 columns"),
    IN(lesson_step, check, LIST, 0, "conditions that must hold for the note to be true"),
    IN(lesson_step, given, LIST, 0, "numbers that this note may quote literally"),
    IN(lesson_step, invalid, TRUE, 0, "the plan is meant to be invalid"),
    MEMBER(lesson_step, "ask", ask_node, MAPPING, false, 0, "a question"),
    MEMBER(lesson_step, "task", task_node, MAPPING, false, 0, "a target to reach by changing the plan"),
};
static const struct lesson_member ask_members[] = {
    NEEDED(lesson_ask, q, TEXT, 400, "the question"),
    IN(lesson_ask, answer, TEXT, 0, "the number asked for, as an expression"),
    IN(lesson_ask, unit, TEXT, 12, "its unit, as in templates"),
    IN(lesson_ask, within, TEXT, 12, "tolerance: 2% or a number"),
    IN(lesson_ask, choices, LIST, 0, "answers to choose from instead, at most four"),
    IN(lesson_ask, at, TEXT, 24,
       "the step that the answer belongs to, or next, which asks before showing it; default: this step"),
    IN(lesson_ask, hints, LIST, 0, "hints, the most general first"),
    IN(lesson_ask, because, TEXT, 500, "the explanation shown with the answer"),
};
static const struct lesson_member choice_members[] = {
    NEEDED(lesson_choice, text, TEXT, 160, "the answer"),
    IN(lesson_choice, when, TEXT, 0, "correct if this condition holds"),
    IN(lesson_choice, right, TRUE, 0, "correct"),
};
static const struct lesson_member task_members[] = {
    NEEDED(lesson_task, free, LIST, 0, "keys or groups that may change"),
    NEEDED(lesson_task, until, LIST, 0, "conditions that the learner's plan must reach"),
    NEEDED(lesson_task, solution, MAPPING, 0, "settings that reach them; the next step starts from these"),
    IN(lesson_task, hints, LIST, 0, "hints, the most general first"),
    IN(lesson_task, after, TEXT, 500, "the text shown when it is done"),
};

const struct lesson_shape lesson_shapes[LESSON_SHAPES] = {
    [SHAPE_LESSON] = {"lesson", "The lesson", lesson_members, LENGTH(lesson_members)},
    [SHAPE_STEP] = {"steps", "A step", step_members, LENGTH(step_members)},
    [SHAPE_ASK] = {"ask", "A question", ask_members, LENGTH(ask_members)},
    [SHAPE_CHOICE] = {"choices", "A choice", choice_members, LENGTH(choice_members)},
    [SHAPE_TASK] = {"task", "A task", task_members, LENGTH(task_members)},
};

/* What is read: the file, and where faults go. */
struct reading {
    struct lesson *lesson;
    struct errors *errors;
};

static void fault(const struct reading *reading, int line, const char *key, const char *what)
{
    errors_add(reading->errors, reading->lesson->file, line, key, "%s", what);
}

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

static bool is_number(const struct node *node)
{
    double value;
    char why[NUMBER_WHY_MAX];
    return node->kind == NODE_VALUE && number_parse(node->text, SUFFIX_PLAIN, NULL, NULL, &value, why) == 0;
}

static bool is_texts(const struct node *list)
{
    for (const struct node *item = list->child; item; item = item->next)
        if (item->kind != NODE_VALUE)
            return false;
    return true;
}

static bool is_kind(const struct node *node, const struct lesson_member *member)
{
    bool is_open_list = strcmp(member->name, "steps") == 0 || strcmp(member->name, "choices") == 0;
    switch (member->kind) {
    case LESSON_TEXT:
        return node->kind == NODE_VALUE && *node->text;
    case LESSON_NUMBER:
        return is_number(node);
    case LESSON_TRUE:
        return node->kind == NODE_VALUE && strcmp(node->text, "true") == 0;
    case LESSON_LIST:
        return node->kind == NODE_LIST && (is_open_list || is_texts(node));
    default:
        return node->kind == NODE_MAPPING;
    }
}

/* ---- mappings ---------------------------------------------------------------------------------------------------- */

static void unknown_member(const struct reading *reading, const struct node *child, const struct lesson_shape *shape)
{
    struct nearest nearest = {.typed = child->key ? child->key : ""};
    char names[NEAREST_TEXT_MAX];
    for (size_t i = 0; i < shape->count; i++)
        nearest_offer(&nearest, shape->member[i].name, shape->member[i].name);
    bool is_near = nearest_list(&nearest, names) > 0;
    errors_add(reading->errors, reading->lesson->file, child->key_line, child->key, "is not a member here; %s%s%s",
               is_near ? "did you mean " : "see shardtop-lesson(5)", is_near ? names : "", is_near ? "?" : "");
}

static void take_member(const struct reading *reading, const struct node *child, const struct lesson_member *member,
                        void *out)
{
    const struct node **slot = (const struct node **)(void *)((char *)out + member->slot);
    if (*slot)
        fault(reading, child->key_line, member->name, "is given twice; keep one");
    else if (!is_kind(child, member))
        errors_add(reading->errors, reading->lesson->file, child->line, member->name, "is not %s",
                   lesson_kind_names[member->kind]);
    else if (member->kind == LESSON_TEXT && member->size_max && strlen(child->text) > member->size_max)
        errors_add(reading->errors, reading->lesson->file, child->line, member->name,
                   "is longer than %zu characters; shorten it", member->size_max);
    else
        *slot = child;
}

/* Fills the slots of `out` from a mapping. */
static void read_members(const struct reading *reading, const struct node *mapping, enum lesson_shape_id id, void *out)
{
    const struct lesson_shape *shape = &lesson_shapes[id];
    const struct lesson_member *end = shape->member + shape->count;
    size_t faults = reading->errors->faults;
    for (const struct node *child = mapping->child; child; child = child->next) {
        const struct lesson_member *member = shape->member;
        while (member < end && (!child->key || strcmp(member->name, child->key) != 0))
            member++;
        if (member == end)
            unknown_member(reading, child, shape);
        else
            take_member(reading, child, member, out);
    }
    for (const struct lesson_member *member = shape->member; member < end && reading->errors->faults == faults;
         member++)
        if (member->is_needed && !*(const struct node **)(void *)((char *)out + member->slot))
            fault(reading, mapping->line, member->name, "is missing; add it");
}

/* ---- questions and tasks ----------------------------------------------------------------------------------------- */

static void read_choices(const struct reading *reading, struct lesson_ask *ask)
{
    for (const struct node *item = ask->choices->child; item; item = item->next) {
        if (item->kind != NODE_MAPPING) {
            fault(reading, item->line, "choices", "expected entries {text, when} or {text, right}");
            return;
        }
        if (ask->choice_count == LESSON_CHOICES_MAX) {
            fault(reading, item->line, "choices", "more than four choices; remove some");
            return;
        }
        read_members(reading, item, SHAPE_CHOICE, &ask->choice[ask->choice_count++]);
    }
}

static void read_ask(const struct reading *reading, struct lesson_step *step)
{
    struct lesson_ask *ask = &step->ask;
    size_t faults = reading->errors->faults;
    ask->line = step->ask_node->line;
    read_members(reading, step->ask_node, SHAPE_ASK, ask);
    if (ask->choices)
        read_choices(reading, ask);
    if (reading->errors->faults > faults)
        return;
    if (!ask->answer == !ask->choices)
        fault(reading, ask->line, "ask", "needs either answer or choices; write one of them");
    else if (ask->answer && !ask->within)
        fault(reading, ask->line, "within", "is missing; give the tolerance, such as 2%");
}

static void read_task(const struct reading *reading, struct lesson_step *step)
{
    step->task.line = step->task_node->line;
    read_members(reading, step->task_node, SHAPE_TASK, &step->task);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

int lesson_step_find(const struct lesson *lesson, const char *id, size_t size)
{
    for (int i = 0; i < lesson->steps; i++)
        if (lesson->step[i].id && strlen(lesson->step[i].id->text) == size &&
            memcmp(lesson->step[i].id->text, id, size) == 0)
            return i;
    return -1;
}

static bool is_name(const char *text, const char *others)
{
    for (const char *p = text; *p; p++)
        if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) && !strchr(others, *p))
            return false;
    return *text != '\0';
}

bool lesson_is_name(const char *text)
{
    return is_name(text, "-") && strlen(text) >= 2 && strlen(text) <= LESSON_NAME_MAX;
}

static enum lesson_view find_view(const char *name)
{
    for (int i = 0; i < LESSON_VIEW_COUNT; i++)
        if (strcmp(name, lesson_view_names[i]) == 0)
            return (enum lesson_view)i;
    return LESSON_VIEW_AS_IT_IS;
}

/* What a step asks for itself: a figure, or a view. */
static enum lesson_view own_view(const struct lesson_step *step)
{
    return step->figure ? figure_named(step->figure->text)
           : step->view ? find_view(step->view->text)
                        : LESSON_VIEW_AS_IT_IS;
}

static void check_step(const struct reading *reading, const struct lesson_step *step, int index)
{
    if (step->id && !is_name(step->id->text, "_"))
        fault(reading, step->id->line, "id", "may only contain a-z, 0-9 and _; rename the step");
    else if (step->id && lesson_step_find(reading->lesson, step->id->text, strlen(step->id->text)) < index)
        fault(reading, step->id->line, "id", "is already used by an earlier step; rename one of them");
    if (step->view && find_view(step->view->text) < 0)
        fault(reading, step->view->line, "view",
              "is not a view; use memory, communication, grid, schedule, layers, time, serving or estimators");
    if (step->figure && figure_named(step->figure->text) < 0)
        fault(reading, step->figure->line, "figure",
              "is not a figure; use memory, traffic, devices, schedule, layers, map, curve, waterfall, serving or "
              "estimators");
    if (step->look && step->look->count > LESSON_LOOKS_MAX)
        fault(reading, step->look->line, "look", "has more than four entries; remove some");
    if (step->plan && step->from)
        fault(reading, step->from->line, "from", "cannot be combined with plan; keep one of them");
}

/* The step that a member names, which must be there; `is_earlier` those before `index` only. */
static int named_step(const struct reading *reading, const struct node *name, int index, bool is_earlier)
{
    bool is_next = !is_earlier && strcmp(name->text, "next") == 0;
    int found = is_next ? index + 1 : lesson_step_find(reading->lesson, name->text, strlen(name->text));
    if (found < 0 || found >= reading->lesson->steps || (is_earlier && found >= index)) {
        fault(reading, name->line, name->key,
              is_earlier ? "is not an earlier step; write the id of one" : "is not a step; write the id of one");
        return index;
    }
    return found;
}

static void read_step(const struct reading *reading, const struct node *node)
{
    struct lesson *lesson = reading->lesson;
    struct lesson_step *step = &lesson->step[lesson->steps];
    *step = (struct lesson_step){.line = node->line, .from_step = -1};
    if (node->kind != NODE_MAPPING) {
        fault(reading, node->line, "steps", "expected a step with id, set and note");
        return;
    }
    read_members(reading, node, SHAPE_STEP, step);
    lesson->steps++;
    check_step(reading, step, lesson->steps - 1);
    if (step->ask_node)
        read_ask(reading, step);
    if (step->task_node)
        read_task(reading, step);
}

static void read_steps(const struct reading *reading)
{
    struct lesson *lesson = reading->lesson;
    for (const struct node *item = lesson->steps_node->child; item; item = item->next)
        if (lesson->steps < LESSON_STEPS_MAX)
            read_step(reading, item);
    if (lesson->steps_node->count > LESSON_STEPS_MAX)
        fault(reading, lesson->steps_node->line, "steps", "more than 40 steps; split the lesson");
    if (lesson->steps_node->count == 0)
        fault(reading, lesson->steps_node->line, "steps", "is empty; write at least one step");
    for (int i = 0; i < lesson->steps; i++) {
        struct lesson_step *step = &lesson->step[i];
        step->from_step = step->from ? named_step(reading, step->from, i, true) : -1;
        step->ask.at_step = step->ask.at ? named_step(reading, step->ask.at, i, false) : i;
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void check_head(const struct reading *reading)
{
    const struct lesson *lesson = reading->lesson;
    double minutes = strtod(lesson->minutes->text, NULL);
    if (strcmp(lesson->schema->text, "1") != 0)
        fault(reading, lesson->schema->line, "schema", "unknown version; write 1");
    if (!lesson_is_name(lesson->name->text))
        fault(reading, lesson->name->line, "name", "may only contain a-z, 0-9 and -; rename the lesson");
    if (!(minutes >= 5 && minutes <= 60))
        fault(reading, lesson->minutes->line, "minutes", "is not between 5 and 60; split a longer lesson");
    if (lesson->sources->count == 0)
        fault(reading, lesson->sources->line, "sources", "is empty; list the sources of the lesson's facts");
}

static struct node *parse(const char *text, size_t size, const char *file, struct errors *errors)
{
    static const struct node_limits limits = {20000, 20000, "a lesson has a few levels", "a lesson has 40 steps"};
    struct node_parse parse = {.limits = &limits, .file = file, .errors = errors};
    struct node *next = NULL;
    if (size > LESSON_BYTES_MAX) {
        errors_add(errors, file, 0, NULL, "is larger than 64 KiB; split the lesson");
        return NULL;
    }
    struct node *root = yaml_parse(text, size, &parse, &next);
    if (next)
        errors_add(errors, file, next->line, NULL, "has a second document; keep one lesson per file");
    node_free(next);
    if (!root && !errors_any(errors))
        errors_add(errors, file, 1, NULL, "is empty; see shardtop-lesson(5)");
    else if (root && root->kind != NODE_MAPPING)
        errors_add(errors, file, root->line, NULL, "is not a lesson; write name, title and steps");
    return root;
}

int lesson_read(const char *text, size_t size, const char *file, struct lesson *out, struct errors *errors)
{
    size_t faults = errors->faults;
    const struct reading reading = {out, errors};
    out->file = xstrdup(file);
    out->root = parse(text, size, file, errors);
    if (errors->faults > faults || !out->root)
        return -1;
    read_members(&reading, out->root, SHAPE_LESSON, out);
    if (errors->faults == faults) {
        check_head(&reading);
        read_steps(&reading);
    }
    return errors->faults > faults ? -1 : 0;
}

void lesson_free(struct lesson *lesson)
{
    node_free(lesson->root);
    free(lesson->file);
    *lesson = (struct lesson){0};
}

enum lesson_view lesson_view_of(const struct lesson *lesson, int step)
{
    while (step > 0 && own_view(&lesson->step[step]) == LESSON_VIEW_AS_IT_IS)
        step--;
    return own_view(&lesson->step[step]);
}

const char *lesson_item(const struct node *list, int index)
{
    const struct node *item = list ? list->child : NULL;
    while (item && index-- > 0)
        item = item->next;
    return item ? item->text : NULL;
}

/* ---- settings ---------------------------------------------------------------------------------------------------- */

static void put_value(struct buffer *out, const struct node *value)
{
    if (value->kind == NODE_LIST) {
        buffer_puts(out, "[");
        for (const struct node *item = value->child; item; item = item->next) {
            buffer_puts(out, item == value->child ? "" : ",");
            put_value(out, item);
        }
        buffer_puts(out, "]");
    } else if (value->kind == NODE_VALUE &&
               !(value->is_bare && (strcmp(value->text, "null") == 0 || strcmp(value->text, "~") == 0))) {
        buffer_puts(out, value->text);
    }
}

char *lesson_value_text(const struct node *value)
{
    struct buffer text = {0};
    buffer_puts(&text, "");
    put_value(&text, value);
    return text.text;
}

void lesson_settings(const struct node *mapping, struct keyvals *out)
{
    for (const struct node *child = mapping ? mapping->child : NULL; child; child = child->next) {
        char *text = lesson_value_text(child);
        keyvals_add(out, child->key ? child->key : "", text, child->key_line);
        free(text);
    }
}

/* The last part of a key where that is enough. */
static const char *short_key(const char *key)
{
    const char *dot = strchr(key, '.');
    return dot && param_find(dot + 1) >= 0 && param_find(dot + 1) == param_find(key) ? dot + 1 : key;
}

void lesson_say_settings(const struct node *set, struct buffer *out)
{
    struct keyvals list = {0};
    lesson_settings(set, &list);
    for (size_t i = 0; i < list.count; i++)
        buffer_printf(out, "%s%s %s", i ? ", " : "", short_key(list.item[i].key),
                      *list.item[i].value ? list.item[i].value : "by default");
    keyvals_free(&list);
}

/* ---- by name ----------------------------------------------------------------------------------------------------- */

/* Without the number that orders it: 07-pipeline is pipeline. */
static const char *plain_name(const char *preset)
{
    size_t digits = strspn(preset, "0123456789");
    return digits && preset[digits] == '-' ? preset + digits + 1 : preset;
}

/* The preset of this name, with or without its number; the name itself where there is none. */
static const char *preset_of(const char *name)
{
    const char *const *names;
    size_t count = preset_names(PRESET_LESSON, &names);
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0 || strcmp(plain_name(names[i]), name) == 0)
            return names[i];
    return name;
}

bool lesson_known(const char *name)
{
    return preset_known(PRESET_LESSON, preset_of(name));
}

int lesson_load(const char *name_or_path, struct lesson *out, struct errors *errors)
{
    size_t size;
    char *path = NULL;
    bool is_path = strchr(name_or_path, '/') || text_ends_with(name_or_path, ".yaml");
    char *text = is_path
                     ? file_read(name_or_path, &size, errors)
                     : preset_text(PRESET_LESSON, preset_of(name_or_path), &size, &path, &(struct place){0}, errors);
    int result = text ? lesson_read(text, size, path ? path : name_or_path, out, errors) : -1;
    free(text);
    free(path);
    return result;
}
