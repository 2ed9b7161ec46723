#include "src/text/splice.h"

#include "src/text/spans.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- bytes and lines --------------------------------------------------------------------------------------------- */

void splice_text(struct buffer *text, size_t from, size_t to, const char *with)
{
    struct buffer out = {0};
    buffer_add(&out, text->text, from);
    buffer_puts(&out, with);
    buffer_add(&out, text->text + to, text->size - to);
    buffer_free(text);
    *text = out;
}

size_t splice_line_begin(const struct buffer *text, size_t at)
{
    while (at > 0 && text->text[at - 1] != '\n')
        at--;
    return at;
}

size_t splice_line_end(const struct buffer *text, size_t at)
{
    return at + strcspn(text->text + at, "\r\n");
}

const char *splice_break(const struct buffer *text)
{
    return strstr(text->text, "\r\n") ? "\r\n" : "\n";
}

bool splice_begins_line(const struct buffer *text, size_t at)
{
    size_t begin = splice_line_begin(text, at);
    return begin + strspn(text->text + begin, " \t") == at;
}

/* ---- settings of YAML and JSON ----------------------------------------------------------------------------------- */

bool splice_value(struct buffer *text, const struct span *span, const char *value)
{
    size_t from = span->value, to = span->value_end;
    const char *old = text->text + from;
    bool is_block = strncmp(old, "- ", 2) == 0;
    bool has_comment = memchr(old, '\n', to - from) && memchr(old, '#', to - from);
    if (span->is_fixed || has_comment)
        return false;
    while (is_block && from > 0 && isspace((unsigned char)text->text[from - 1]))
        from--;
    bool is_close = from > 0 && text->text[from - 1] == ':';
    char *whole = xasprintf("%s%s%s", is_close ? " " : "", span->anchor ? span->anchor : "", value);
    splice_text(text, from, to, whole);
    free(whole);
    return true;
}

/* Adds `what` to a mapping in braces after its member `last` (NULL: it is empty). */
static void add_in_braces(const struct span *mapping, const struct span *last, const char *what, struct buffer *text)
{
    size_t at = last ? last->value_end : mapping->value + 1;
    size_t comma = at + strspn(text->text + at, " \t"), rest = comma + (text->text[comma] == ',');
    rest += strspn(text->text + rest, " \t");
    bool has_comma = last && text->text[comma] == ',';
    bool has_line = last && splice_begins_line(text, last->key) && strchr("#\r\n", text->text[rest]);
    if (has_line) {
        size_t begin = splice_line_begin(text, last->key), end = splice_line_end(text, at);
        char *more = xasprintf("%s%.*s%s", splice_break(text), (int)(last->key - begin), text->text + begin, what);
        splice_text(text, end, end, more);
        splice_text(text, at, at, has_comma ? "" : ",");
        free(more);
        return;
    }
    char *more = xasprintf("%s%s", last ? ", " : "", what);
    splice_text(text, at, at, more);
    free(more);
}

bool splice_member(const struct spans *spans, int mapping, int after, const char *what, struct buffer *text)
{
    const struct span *last = after >= 0 ? &spans->item[after] : NULL;
    if (spans->item[mapping].is_flow) {
        add_in_braces(&spans->item[mapping], last, what, text);
        return true;
    }
    if (!last || !splice_begins_line(text, last->key))
        return false;
    size_t begin = splice_line_begin(text, last->key), at = splice_line_end(text, last->value_end);
    char *more = xasprintf("%s%.*s%s", splice_break(text), (int)(last->key - begin), text->text + begin, what);
    splice_text(text, at, at, more);
    free(more);
    return true;
}

/* Removes the last member of a mapping in braces and the comma before it. */
static void leave_last(size_t from, size_t to, struct buffer *text)
{
    size_t before = from, after = to + strspn(text->text + to, " \t\r\n");
    while (before > 0 && isspace((unsigned char)text->text[before - 1]))
        before--;
    bool is_alone = text->text[before - 1] == '{' && text->text[after] == '}';
    if (text->text[before - 1] == ',')
        splice_text(text, before - 1, to, "");
    else
        splice_text(text, is_alone ? before : from, is_alone ? after : to, "");
}

bool splice_leave(const struct span *member, struct buffer *text)
{
    size_t from = member->key, to = member->value_end, comma = to + strspn(text->text + to, " \t\r\n");
    if (memchr(text->text + from, '#', to - from))
        return false;
    if (text->text[comma] != ',') {
        leave_last(from, to, text);
        return true;
    }
    to = comma + 1 + strspn(text->text + comma + 1, " \t");
    bool is_line = splice_begins_line(text, from) && strchr("\r\n", text->text[to]);
    if (is_line) {
        from = splice_line_begin(text, from);
        to += strspn(text->text + to, "\r");
        to += text->text[to] == '\n';
    }
    splice_text(text, from, to, "");
    return true;
}

bool splice_first(const struct span *group, const char *what, struct buffer *text)
{
    size_t begin = splice_line_begin(text, group->key), end = splice_line_end(text, group->value_end);
    if (!splice_begins_line(text, group->key))
        return false;
    char *more = xasprintf("%s%.*s  %s", splice_break(text), (int)(group->key - begin), text->text + begin, what);
    splice_text(text, end, end, more);
    free(more);
    return true;
}

/* ---- settings by path -------------------------------------------------------------------------------------------- */

static bool is_same_path(const char *a, const char *b, size_t size)
{
    size_t i = 0;
    while (i < size && a[i] && (a[i] == b[i] || (strchr("-_", a[i]) && strchr("-_", b[i]))))
        i++;
    return i == size && !a[i];
}

/* The setting or mapping that matches the most keys of the path; `*rest` is the unmatched part. */
static int find_deepest(const struct spans *spans, const char *path, const char **rest)
{
    int at = 0;
    *rest = path;
    for (size_t n = strcspn(path, ".");; n += 1 + strcspn(path + n + 1, ".")) {
        size_t i = 1;
        while (i < spans->count && !is_same_path(spans->item[i].path, path, n))
            i++;
        if (i == spans->count)
            return at;
        at = (int)i;
        *rest = path + n + (path[n] == '.');
        if (!path[n])
            return at;
    }
}

/* True for values that JSON and TOML write without quotes: numbers, true, false, null, lists. */
static bool is_bare(const char *value)
{
    char *end;
    strtod(value, &end);
    return (end != value && !*end) || *value == '[' || strcmp(value, "true") == 0 || strcmp(value, "false") == 0 ||
           strcmp(value, "null") == 0;
}

/* A value with the capitalisation and quotes of the old one, or the quotes the syntax requires; new memory. */
static char *quoted(const char *old, const char *value, bool is_strict)
{
    bool is_capital = strncmp(old, "True", 4) == 0 || strncmp(old, "False", 5) == 0;
    if (is_capital && (strcmp(value, "true") == 0 || strcmp(value, "false") == 0))
        return xstrdup(*value == 't' ? "True" : "False");
    bool has_quote = (*old == '"' || *old == '\'') && *value != '[';
    const char quote[2] = {has_quote ? *old : !has_quote && is_strict && !is_bare(value) ? '"' : '\0', '\0'};
    return xasprintf("%s%s%s", quote, value, quote);
}

/* `a: {b: value}` for the remaining keys, spelled like the key at `beside` (NULL: unchanged). */
static char *nested(const char *keys, const char *value, const char *beside, bool is_json)
{
    struct buffer out = {0};
    char *text = quoted("", value, is_json);
    size_t n = beside ? strcspn(beside, "\"':= ") : 0;
    bool has_dashes = beside && memchr(beside, '-', n) && !memchr(beside, '_', n);
    int depth = 0;
    for (const char *key = keys; *key; depth++) {
        size_t size = strcspn(key, ".");
        buffer_printf(&out, is_json ? "%s\"" : "%s", depth ? "{" : "");
        for (size_t i = 0; i < size; i++)
            buffer_add(&out, has_dashes && key[i] == '_' ? "-" : key + i, 1);
        buffer_puts(&out, is_json ? "\": " : ": ");
        key += size + (key[size] == '.');
    }
    buffer_puts(&out, text);
    while (--depth > 0)
        buffer_puts(&out, "}");
    free(text);
    return out.text;
}

static bool put_path(struct buffer *text, const struct spans *spans, const char *path, const char *value, bool is_json)
{
    const char *rest;
    int at = find_deepest(spans, path, &rest);
    const struct span *span = &spans->item[at];
    bool is_put = false;
    if (!*rest && !span->is_mapping) {
        char *with = quoted(text->text + span->value, value, is_json);
        is_put = splice_value(text, span, with);
        free(with);
    } else if (*rest) {
        const char *key = span->last >= 0 ? text->text + spans->item[span->last].key : NULL;
        char *what = nested(rest, value, key ? key + (*key == '"') : NULL, is_json);
        bool is_empty = !span->is_mapping && span->value == span->value_end;
        is_put = span->is_mapping ? splice_member(spans, at, span->last, what, text)
                                  : is_empty && splice_first(span, what, text);
        free(what);
    }
    return is_put;
}

bool splice_path(struct buffer *text, const char *path, const char *value, bool is_json)
{
    struct spans spans = {0};
    bool is_put = spans_read(text->text, text->size, &spans) == 0 && put_path(text, &spans, path, value, is_json);
    spans_free(&spans);
    return is_put;
}

bool splice_has(const struct buffer *text, const char *path)
{
    const char *rest = "";
    struct spans spans = {0};
    bool has =
        spans_read(text->text, text->size, &spans) == 0 && !spans.item[find_deepest(&spans, path, &rest)].is_mapping;
    spans_free(&spans);
    return has && !*rest;
}

/* The line after the last setting of a table; 0 when there is no such table. */
static size_t table_end(const struct buffer *text, const char *name, size_t size)
{
    size_t end = 0;
    bool is_inside = false;
    for (size_t at = 0; at < text->size;) {
        const char *line = text->text + at + strspn(text->text + at, " \t");
        bool is_head = *line == '[';
        at += strcspn(text->text + at, "\n");
        at += text->text[at] == '\n';
        is_inside = is_head ? strncmp(line + 1, name, size) == 0 && line[1 + size] == ']' : is_inside;
        if (is_inside && !strchr("#\r\n", *line))
            end = at;
    }
    return end;
}

bool splice_table(struct buffer *text, const char *path, const char *value)
{
    const char *dot = strrchr(path, '.');
    if (!dot)
        return false;
    size_t at = table_end(text, path, (size_t)(dot - path)), end = at > 0 ? at : text->size;
    const char *line = splice_break(text);
    bool is_open = end > 0 && text->text[end - 1] != '\n';
    char *with = quoted("", value, true);
    char *head = at > 0 ? xstrdup("") : xasprintf("%s[%.*s]%s", line, (int)(dot - path), path, line);
    char *what = xasprintf("%s%s%s = %s%s", is_open ? line : "", head, dot + 1, with, line);
    splice_text(text, end, end, what);
    free(what);
    free(head);
    free(with);
    return true;
}
