#include "src/text/json.h"

#include <cJSON.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/plan/number.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/text.h"

enum { DEPTH_MAX = 64, KEYS_MAX = 1024, VALUES_MAX = 20000, KEY_MAX = 160 };

/* cJSON keeps no positions. Members are visited in the order of the text, so a cursor that runs along finds them. */
struct cursor {
    const char *at, *end;
    int line;
};

struct walk {
    struct cursor cursor;
    const char *name;
    struct keyvals *out;
    struct errors *errors;
    int visits;
};

/* Moves past the string at the cursor (which stands on its opening quote). */
static void skip_string(struct cursor *c)
{
    for (c->at++; c->at < c->end && *c->at != '"'; c->at++) {
        if (*c->at == '\\' && c->at + 1 < c->end)
            c->at++;
        c->line += *c->at == '\n';
    }
    if (c->at < c->end)
        c->at++;
}

static void skip_blanks(struct cursor *c)
{
    for (; c->at < c->end && (unsigned char)*c->at <= ' '; c->at++)
        c->line += *c->at == '\n';
}

/* Moves behind the next `"key":` and returns the line of the key. */
static int next_key(struct cursor *c)
{
    while (c->at < c->end) {
        if (*c->at != '"') {
            c->line += *c->at++ == '\n';
            continue;
        }
        int line = c->line;
        skip_string(c);
        skip_blanks(c);
        if (c->at < c->end && *c->at == ':')
            return line;
    }
    return c->line;
}

static int check_depth(const char *text, size_t size, const char *name, struct errors *errors)
{
    struct cursor c = {text, text + size, 1};
    int depth = 0;
    while (c.at < c.end) {
        if (*c.at == '"') {
            skip_string(&c);
            continue;
        }
        depth += *c.at == '{' || *c.at == '[';
        depth -= *c.at == '}' || *c.at == ']';
        if (depth > DEPTH_MAX) {
            errors_add(errors, name, c.line, NULL, "is nested more than %d deep; a plan has two levels", DEPTH_MAX);
            return -1;
        }
        c.line += *c.at++ == '\n';
    }
    return 0;
}

static int line_at(const char *text, const char *at)
{
    int line = 1;
    for (const char *p = text; p < at; p++)
        line += *p == '\n';
    return line;
}

static bool may_visit(struct walk *walk, int line)
{
    if (++walk->visits == VALUES_MAX + 1)
        errors_add(walk->errors, walk->name, line, NULL, "has more than %d values; a plan is a few lines", VALUES_MAX);
    return walk->visits <= VALUES_MAX;
}

/* Appends the text of a number, a string, a boolean or null; false for anything else. */
static bool scalar_text(const cJSON *item, struct buffer *text)
{
    char number[40];
    if (cJSON_IsNumber(item)) {
        number_print(item->valuedouble, number, sizeof number);
        buffer_puts(text, number);
    } else if (cJSON_IsString(item)) {
        buffer_puts(text, item->valuestring);
    } else if (cJSON_IsBool(item)) {
        buffer_puts(text, cJSON_IsTrue(item) ? "true" : "false");
    } else {
        return cJSON_IsNull(item);
    }
    return true;
}

/* Moves the cursor past the members of something that is not read. */
static void pass_over(struct walk *walk, const cJSON *item)
{
    const cJSON *child;
    cJSON_ArrayForEach(child, item)
    {
        if (child->string)
            next_key(&walk->cursor);
        pass_over(walk, child);
    }
}

static void list_text(struct walk *walk, const cJSON *list, const char *key, int line, struct buffer *text)
{
    const cJSON *item;
    buffer_puts(text, "[");
    cJSON_ArrayForEach(item, list)
    {
        if (!may_visit(walk, line))
            return;
        if (item != list->child)
            buffer_puts(text, ",");
        if (cJSON_IsArray(item)) {
            list_text(walk, item, key, line, text);
        } else if (!scalar_text(item, text)) {
            errors_add(walk->errors, walk->name, line, key,
                       "is a list with something other than values in it; write plain values such as [1, 2]");
            pass_over(walk, item);
        }
    }
    buffer_puts(text, "]");
}

static void walk_object(struct walk *walk, const cJSON *object, const char *prefix);

static void walk_value(struct walk *walk, const cJSON *item, const char *key, int line)
{
    struct buffer text = {0};
    if (cJSON_IsObject(item)) {
        walk_object(walk, item, key);
        return;
    }
    size_t faults = walk->errors->faults;
    buffer_puts(&text, "");
    if (cJSON_IsNumber(item) && !isfinite(item->valuedouble))
        errors_add(walk->errors, walk->name, line, key, "is too large a number; write a smaller one");
    else if (cJSON_IsArray(item))
        list_text(walk, item, key, line, &text);
    else
        scalar_text(item, &text);
    if (walk->errors->faults == faults)
        keyvals_add(walk->out, key, text.text, line);
    buffer_free(&text);
}

static bool is_repeated(const cJSON *object, const cJSON *item)
{
    for (const cJSON *before = object->child; before != item; before = before->next)
        if (strcmp(before->string, item->string) == 0)
            return true;
    return false;
}

static void walk_object(struct walk *walk, const cJSON *object, const char *prefix)
{
    const cJSON *item;
    int keys = cJSON_GetArraySize(object);
    if (keys > KEYS_MAX) {
        errors_add(walk->errors, walk->name, walk->cursor.line, *prefix ? prefix : NULL,
                   "has %d keys, more than %d; a plan is a few lines", keys, KEYS_MAX);
        return;
    }
    cJSON_ArrayForEach(item, object)
    {
        char key[KEY_MAX + 2];
        int line = next_key(&walk->cursor);
        if (!may_visit(walk, line))
            return;
        int n = snprintf(key, sizeof key, "%s%s%.*s", prefix, *prefix ? "." : "", KEY_MAX + 1, item->string);
        if (n <= KEY_MAX && !is_repeated(object, item)) {
            walk_value(walk, item, key, line);
            continue;
        }
        errors_add(walk->errors, walk->name, line, key,
                   n > KEY_MAX ? "is longer than any key; check the braces" : "is given twice; keep one");
        pass_over(walk, item);
    }
}

int json_read(const char *text, size_t size, const char *name, struct keyvals *out, struct errors *errors)
{
    const char *end = NULL;
    size_t faults = errors->faults;
    if (check_depth(text, size, name, errors) != 0)
        return -1;
    /* With require_null_terminated the length counts the NUL. */
    cJSON *root = cJSON_ParseWithLengthOpts(text, size + 1, &end, 1);
    struct walk walk = {{text, text + size, 1}, name, out, errors, 0};
    if (!root)
        errors_add(errors, name, line_at(text, end ? end : text), NULL,
                   "is not valid JSON; check commas, quotes and braces here");
    else if (!cJSON_IsObject(root))
        errors_add(errors, name, 1, NULL, "is not an object; write {\"key\": value}");
    else
        walk_object(&walk, root, "");
    cJSON_Delete(root);
    return errors->faults > faults ? -1 : 0;
}
