#include "src/text/splice.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "src/text/spans.h"
#include "src/text/text.h"

/* ---- bytes and lines ---------------------------------------------------------------------------------------------- */

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

/* ---- settings of YAML and JSON ------------------------------------------------------------------------------------ */

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
    char *whole = xasprintf("%s%s%s", from > 0 && text->text[from - 1] == ':' ? " " : "", span->anchor ? span->anchor : "", value);
    splice_text(text, from, to, whole);
    free(whole);
    return true;
}

/* Adds `what` to a mapping in braces, behind its member `last` (NULL: it has none). */
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
