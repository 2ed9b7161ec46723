#include "src/course/progress.h"

#include "src/course/tutor.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/node.h"
#include "src/text/paths.h"
#include "src/text/text.h"
#include "src/text/write.h"
#include "src/text/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * lessons.yaml, a line for each lesson: `pipeline: {step: stage0, finished: true, done: 2, of: 4, right: [formula],
 * shown: [], seen: [bubble, formula, stage0]}`. What cannot be read is as if it were not there.
 */
static bool is_on;

void progress_on(void)
{
    is_on = true;
}

bool progress_is_on(void)
{
    return is_on;
}

static struct node *read_file(void)
{
    static const struct node_limits limits = {20000, 20000, "", ""};
    char *path = paths_state("lessons.yaml");
    struct errors errors = {0};
    struct node_parse parse = {.limits = &limits, .file = "lessons.yaml", .errors = &errors};
    struct node *next = NULL, *out = NULL;
    size_t size;
    char *text = path && access(path, R_OK) == 0 ? file_read(path, &size, &errors) : NULL;
    if (text)
        out = yaml_parse(text, size, &parse, &next);
    node_free(next);
    free(text);
    free(path);
    errors_free(&errors);
    if (out && out->kind == NODE_MAPPING)
        return out;
    node_free(out);
    return NULL;
}

static const struct node *member(const struct node *mapping, const char *key, enum node_kind kind)
{
    for (const struct node *child = mapping && mapping->kind == NODE_MAPPING ? mapping->child : NULL; child;
         child = child->next)
        if (child->key && strcmp(child->key, key) == 0)
            return child->kind == kind ? child : NULL;
    return NULL;
}

static int number(const struct node *mapping, const char *key)
{
    const struct node *value = member(mapping, key, NODE_VALUE);
    return value ? atoi(value->text) : 0;
}

/* ---- one lesson -------------------------------------------------------------------------------------------------- */

/* The steps that a list names: a flag of each. */
static void read_flags(const struct tutor *tutor, const struct node *list, bool flag[LESSON_STEPS_MAX])
{
    for (const struct node *item = list ? list->child : NULL; item; item = item->next) {
        int step =
            item->kind == NODE_VALUE ? lesson_step_find(&tutor->play.lesson, item->text, strlen(item->text)) : -1;
        if (step >= 0)
            flag[step] = true;
    }
}

void progress_resume(struct tutor *tutor)
{
    struct node *root = is_on ? read_file() : NULL;
    const struct node *own = member(root, tutor->play.lesson.name->text, NODE_MAPPING),
                      *step = member(own, "step", NODE_VALUE);
    bool right[LESSON_STEPS_MAX] = {0}, shown[LESSON_STEPS_MAX] = {0}, seen[LESSON_STEPS_MAX] = {0};
    read_flags(tutor, member(own, "right", NODE_LIST), right);
    read_flags(tutor, member(own, "shown", NODE_LIST), shown);
    read_flags(tutor, member(own, "seen", NODE_LIST), seen);
    for (int i = 0; i < tutor->play.lesson.steps; i++) {
        tutor->at[i].is_right = right[i];
        tutor->at[i].is_shown = shown[i];
        tutor->at[i].is_seen = seen[i];
    }
    tutor->is_finished = number(own, "finished") > 0;
    if (step && !tutor->is_finished)
        tutor_go(tutor, lesson_step_find(&tutor->play.lesson, step->text, strlen(step->text)));
    tutor->at[tutor->step].is_seen = true;
    node_free(root);
}

int progress_step(const struct tutor *tutor)
{
    struct node *root = read_file();
    const struct node *step = member(member(root, tutor->play.lesson.name->text, NODE_MAPPING), "step", NODE_VALUE);
    int found = step ? lesson_step_find(&tutor->play.lesson, step->text, strlen(step->text)) : -1;
    node_free(root);
    return found;
}

static void write_flags(const struct tutor *tutor, const char *name, size_t offset, struct buffer *out)
{
    buffer_printf(out, ", %s: [", name);
    const char *before = "";
    for (int i = 0; i < tutor->play.lesson.steps; i++)
        if (*(const bool *)((const char *)&tutor->at[i] + offset)) {
            buffer_printf(out, "%s%s", before, tutor->play.lesson.step[i].id->text);
            before = ", ";
        }
    buffer_puts(out, "]");
}

static void write_own(const struct tutor *tutor, struct buffer *out)
{
    int of, done = tutor_score(tutor, &of);
    buffer_printf(out, "%s: {step: %s, finished: %d, done: %d, of: %d", tutor->play.lesson.name->text,
                  tutor_step(tutor)->id->text, tutor->is_finished, done, of);
    write_flags(tutor, "right", offsetof(struct tutor_step, is_right), out);
    write_flags(tutor, "shown", offsetof(struct tutor_step, is_shown), out);
    write_flags(tutor, "seen", offsetof(struct tutor_step, is_seen), out);
    buffer_puts(out, "}\n");
}

/* ---- the others, as they were ------------------------------------------------------------------------------------ */

static void write_node(const struct node *node, struct buffer *out)
{
    if (node->kind == NODE_VALUE) {
        yaml_scalar(out, node->text);
        return;
    }
    buffer_puts(out, node->kind == NODE_LIST ? "[" : "{");
    for (const struct node *child = node->child; child; child = child->next) {
        buffer_printf(out, "%s", child == node->child ? "" : ", ");
        if (node->kind == NODE_MAPPING)
            buffer_printf(out, "%s: ", child->key ? child->key : "");
        write_node(child, out);
    }
    buffer_puts(out, node->kind == NODE_LIST ? "]" : "}");
}

/* Writes the file again, `own` in the place of the member `name`. */
static int put_member(const char *name, const char *own)
{
    char *path = is_on ? paths_state("lessons.yaml") : NULL;
    struct errors errors = {0};
    struct buffer text = {0};
    struct node *root = path ? read_file() : NULL;
    int result = path ? paths_make_parents(path, &errors) : -1;
    for (const struct node *child = root ? root->child : NULL; child; child = child->next)
        if (child->key && strcmp(child->key, name) != 0) {
            buffer_printf(&text, "%s: ", child->key);
            write_node(child, &text);
            buffer_puts(&text, "\n");
        }
    buffer_puts(&text, own);
    if (result == 0)
        result = write_file(path, text.text, text.size, 0, &errors);
    node_free(root);
    buffer_free(&text);
    errors_free(&errors);
    free(path);
    return result;
}

int progress_keep(const struct tutor *tutor)
{
    struct buffer own = {0};
    write_own(tutor, &own);
    int result = put_member(tutor->play.lesson.name->text, own.text);
    buffer_free(&own);
    return result;
}

/* ---- exercises --------------------------------------------------------------------------------------------------- */

/* `exercises_: {fits: [asked, right, first, box], level2: [1, 0, 1], ...}`; no lesson has such a name. */
static const char scores[] = "exercises_";

static int item(const struct node *list, int index)
{
    const char *text = lesson_item(list, index);
    return text ? atoi(text) : 0;
}

static struct progress_kind kind_in(const struct node *root, const char *kind)
{
    const struct node *own = member(member(root, scores, NODE_MAPPING), kind, NODE_LIST);
    int box = item(own, 3);
    return (struct progress_kind){item(own, 0), item(own, 1), item(own, 2),
                                  box < 1                ? 1
                                  : box > PROGRESS_BOXES ? PROGRESS_BOXES
                                                         : box};
}

static void name_level(int level, char out[16])
{
    snprintf(out, 16, "level%d", level);
}

struct progress_kind progress_kind_of(const char *kind)
{
    struct node *root = is_on ? read_file() : NULL;
    struct progress_kind out = kind_in(root, kind);
    node_free(root);
    return out;
}

int progress_level_of(int level, int *of)
{
    struct node *root = is_on ? read_file() : NULL;
    char name[16];
    int right = 0;
    name_level(level, name);
    const struct node *last = member(member(root, scores, NODE_MAPPING), name, NODE_LIST);
    *of = last ? (int)last->count : 0;
    for (int i = 0; i < *of; i++)
        right += item(last, i) > 0;
    node_free(root);
    return right;
}

/* The last ones of a level, with one more. */
static void write_level(const struct node *root, const char *name, bool is_first, struct buffer *out)
{
    const struct node *last = member(member(root, scores, NODE_MAPPING), name, NODE_LIST);
    int count = last ? (int)last->count : 0;
    buffer_printf(out, "%s: [", name);
    for (int i = count < PROGRESS_LAST ? 0 : count - PROGRESS_LAST + 1; i < count; i++)
        buffer_printf(out, "%d, ", item(last, i) > 0);
    buffer_printf(out, "%d]", is_first);
}

void progress_score(const char *kind, int level, bool is_right, bool is_first)
{
    struct node *root = is_on ? read_file() : NULL;
    const struct node *all = member(root, scores, NODE_MAPPING);
    struct progress_kind now = kind_in(root, kind);
    int box = !is_right ? 1 : is_first && now.box < PROGRESS_BOXES ? now.box + 1 : now.box;
    char name[16];
    struct buffer text = {0};
    name_level(level, name);
    buffer_printf(&text, "%s: {%s: [%d, %d, %d, %d], ", scores, kind, now.asked + 1, now.right + is_right,
                  now.first + is_first, box);
    write_level(root, name, is_first, &text);
    for (const struct node *child = all ? all->child : NULL; child; child = child->next)
        if (child->key && strcmp(child->key, kind) != 0 && strcmp(child->key, name) != 0) {
            buffer_printf(&text, ", %s: ", child->key);
            write_node(child, &text);
        }
    buffer_puts(&text, "}\n");
    put_member(scores, text.text);
    buffer_free(&text);
    node_free(root);
}

struct progress progress_of(const char *name)
{
    struct node *root = read_file();
    const struct node *own = member(root, name, NODE_MAPPING), *seen = member(own, "seen", NODE_LIST);
    struct progress out = {.done = number(own, "done"), .of = number(own, "of"), .seen = seen ? (int)seen->count : 0,
                           .is_finished = number(own, "finished") > 0};
    out.done = out.done < out.of ? out.done : out.of; /* a file that somebody changed may say anything */
    node_free(root);
    return out;
}
