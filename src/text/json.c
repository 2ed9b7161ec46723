#include "src/text/json.h"

#include "core/plan/number.h"
#include "src/text/errors.h"
#include "src/text/node.h"
#include "src/text/text.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* cJSON keeps no positions: a cursor that runs over the same text beside its values finds their lines. */
struct cursor {
    const char *at, *end;
    int line;
};

static void skip_blanks(struct cursor *c)
{
    for (; c->at < c->end && (unsigned char)*c->at <= ' '; c->at++)
        c->line += *c->at == '\n';
}

/* Moves past the string at the cursor (which stands on its opening quote). */
static void skip_string(struct cursor *c)
{
    for (c->at++; c->at < c->end && *c->at != '"'; c->at++) {
        if (*c->at == '\\' && c->at + 1 < c->end)
            c->at++;
        c->line += *c->at == '\n';
    }
    c->at += c->at < c->end;
}

/* Moves past blanks, one of `marks` and the blanks behind it. */
static void skip_mark(struct cursor *c, const char *marks)
{
    skip_blanks(c);
    if (c->at < c->end && strchr(marks, *c->at))
        c->at++;
    skip_blanks(c);
}

static void skip_value(struct cursor *c)
{
    if (c->at < c->end && *c->at == '"')
        skip_string(c);
    else
        while (c->at < c->end && (unsigned char)*c->at > ' ' && !strchr(",]}", *c->at))
            c->at++;
}

/* ---- before a tree is built ------------------------------------------------------------------------------------- */

static bool check_depth(const char *text, size_t size, const struct node_parse *parse)
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
        if (depth > NODE_DEPTH_MAX) {
            errors_add(parse->errors, parse->file, c.line, NULL, "is nested more than %d deep; %s", NODE_DEPTH_MAX,
                       parse->limits->if_deep);
            return false;
        }
        c.line += *c.at++ == '\n';
    }
    return true;
}

static int line_at(const char *text, const char *at)
{
    int line = 1;
    for (const char *p = text; p < at; p++)
        line += *p == '\n';
    return line;
}

/* ---- cJSON's tree as nodes -------------------------------------------------------------------------------------- */

static char *value_text(const cJSON *item)
{
    char number[40];
    if (cJSON_IsString(item))
        return xstrdup(item->valuestring);
    if (cJSON_IsBool(item))
        return xstrdup(cJSON_IsTrue(item) ? "true" : "false");
    if (!cJSON_IsNumber(item))
        return xstrdup("null");
    if (isinf(item->valuedouble))
        return xstrdup(item->valuedouble > 0 ? "Infinity" : "-Infinity"); /* no number to number_parse() */
    number_print(item->valuedouble, number, sizeof number);
    return xstrdup(number);
}

static struct node *convert(struct node_parse *parse, struct cursor *c, const cJSON *item, int depth);

static void convert_children(struct node_parse *parse, struct cursor *c, const cJSON *item, struct node *out, int depth)
{
    struct node **end = &out->child;
    const cJSON *child;
    skip_mark(c, "[{");
    cJSON_ArrayForEach(child, item)
    {
        int key_line = c->line;
        if (child->string) {
            skip_string(c);
            skip_mark(c, ":");
        }
        *end = convert(parse, c, child, depth + 1);
        if (!*end)
            return;
        (*end)->key_line = key_line;
        (*end)->key = child->string && *child->string ? xstrdup(child->string) : NULL;
        end = &(*end)->next;
        out->count++;
        skip_mark(c, ",");
    }
    skip_mark(c, "]}");
}

static struct node *convert(struct node_parse *parse, struct cursor *c, const cJSON *item, int depth)
{
    enum node_kind kind = cJSON_IsArray(item) ? NODE_LIST : cJSON_IsObject(item) ? NODE_MAPPING : NODE_VALUE;
    skip_blanks(c);
    struct node *out = node_new(parse, kind, c->line, depth);
    if (!out)
        return NULL;
    if (kind == NODE_VALUE) {
        out->text = value_text(item);
        out->is_bare = !cJSON_IsString(item);
        out->is_huge = cJSON_IsNumber(item) && isinf(item->valuedouble);
        skip_value(c);
    } else {
        convert_children(parse, c, item, out, depth);
    }
    return out;
}

struct node *json_parse(const char *text, size_t size, struct node_parse *parse)
{
    const char *end = NULL;
    if (!check_depth(text, size, parse))
        return NULL;
    /* With require_null_terminated the length counts the NUL. */
    cJSON *root = cJSON_ParseWithLengthOpts(text, size + 1, &end, 1);
    if (!root) {
        errors_add(parse->errors, parse->file, line_at(text, end ? end : text), NULL,
                   "is not valid JSON; check commas, quotes and braces here");
        return NULL;
    }
    struct cursor cursor = {text, text + size, 1};
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) /* a mark at the start that cJSON passes over too */
        cursor.at += 3;
    struct node *out = convert(parse, &cursor, root, 0);
    cJSON_Delete(root);
    return node_whole(out, parse);
}

/* ---- JSON as Python takes it ------------------------------------------------------------------------------------ */

/* The length of the comment at `at`, 0 when none begins there. */
static size_t comment_length(const char *at)
{
    if (*at == '#' || strncmp(at, "//", 2) == 0)
        return strcspn(at, "\n");
    if (strncmp(at, "/*", 2) != 0)
        return 0;
    const char *end = strstr(at + 2, "*/");
    return end ? (size_t)(end + 2 - at) : strlen(at);
}

/* What stands behind the comma at `at`: blanks and comments passed over. */
static char behind_comma(const char *at)
{
    for (at++;;) {
        at += strspn(at, " \t\r\n");
        size_t n = comment_length(at);
        if (n == 0)
            return *at;
        at += n;
    }
}

/*
 * Copies the string at `at`; returns its length. No value that is read holds a character that JSON writes as two
 * halves.
 */
static size_t copy_string(const char *at, const char *end, struct buffer *out)
{
    struct cursor c = {at, end, 1};
    skip_string(&c);
    size_t n = (size_t)(c.at - at), from = out->size;
    buffer_add(out, at, n);
    for (char *p = out->text + from; p + 6 <= out->text + out->size; p++)
        if (p[0] == '\\' && p[1] == 'u' && strchr("dD", p[2]) && p[2] && strchr("89abcdefABCDEF", p[3]) && p[3])
            memcpy(p + 2, "003f", 4);
        else if (p[0] == '\\')
            p++;
    return n;
}

char *json_clean(const char *text, size_t size)
{
    struct buffer out = {0};
    buffer_puts(&out, "");
    for (const char *at = text; at < text + size && *at;) {
        size_t n = comment_length(at);
        if (n > 0) {
            for (const char *p = at; p < at + n; p++)
                buffer_puts(&out, *p == '\n' ? "\n" : "");
        } else if (*at == '"') {
            n = copy_string(at, text + size, &out);
        } else if (strncmp(at, "NaN", 3) == 0) {
            n = 3;
            buffer_puts(&out, "null");
        } else if (strncmp(at, "Infinity", 8) == 0) {
            n = 8;
            buffer_puts(&out, "1e999");
        } else {
            n = 1;
            buffer_add(&out, *at == ',' && strchr("]}", behind_comma(at)) ? " " : at, 1);
        }
        at += n;
    }
    return out.text;
}
