#include "src/export/script.h"

#include "src/text/splice.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ------------------------------------------------------------------------------------------------------- */

static bool is_part(char c, const char *marks)
{
    return isalnum((unsigned char)c) || (c && strchr(marks, c));
}

bool script_word(const struct buffer *text, size_t at, const char *marks, struct range *out)
{
    while (at < text->size && (!is_part(text->text[at], marks) || (at > 0 && is_part(text->text[at - 1], marks))))
        at++;
    out->from = out->to = at;
    while (out->to < text->size && is_part(text->text[out->to], marks))
        out->to++;
    return out->to > out->from;
}

/* ---- flags ------------------------------------------------------------------------------------------------------- */

static bool is_flag_at(const struct buffer *text, size_t at, const char *flag)
{
    const char *p = text->text + at;
    size_t dashes = flag ? strspn(flag, "-") : 2;
    bool begins = strncmp(p, "--", dashes) == 0 && isalpha((unsigned char)p[dashes]);
    if (!begins || (at > 0 && !strchr(" \t\n\"'(=", p[-1])))
        return false;
    size_t i = 0;
    while (flag && flag[i] && (p[i] == flag[i] || (strchr("-_", flag[i]) && p[i] && strchr("-_", p[i]))))
        i++;
    return !flag || (!flag[i] && !is_part(p[i], "-_"));
}

bool script_flag(const struct buffer *text, size_t at, const char *flag, struct range *out)
{
    while (at < text->size && !is_flag_at(text, at, flag))
        at++;
    out->from = out->to = at;
    while (is_part(text->text[out->to], "-_"))
        out->to++;
    return at < text->size;
}

bool script_override(const struct buffer *text, const char *path, struct range *out)
{
    size_t size = strlen(path);
    for (const char *at = text->text; (at = strstr(at, path)); at++) {
        bool is_begin = at == text->text || strchr(" \t\n\"'+", at[-1]);
        *out = (struct range){(size_t)(at - text->text), (size_t)(at - text->text) + size};
        if (is_begin && at[size] == '=')
            return true;
    }
    return false;
}

/* Past blanks and continued lines. */
static size_t skip_gap(const struct buffer *text, size_t at)
{
    for (;;) {
        const char *p = text->text + at + strspn(text->text + at, " \t");
        size_t line = strncmp(p, "\\\r\n", 3) == 0 ? 3 : strncmp(p, "\\\n", 2) == 0 ? 2 : 0;
        at = (size_t)(p - text->text) + line;
        if (line == 0)
            return at;
    }
}

/* Past what begins with a quote, `$(`, `${` or a backslash at `at`; `at + 1` for anything else. */
static size_t skip_piece(const struct buffer *text, size_t at)
{
    const char *p = text->text + at, *pairs = "''\"\"(){}";
    bool is_group = *p == '$' && (p[1] == '(' || p[1] == '{');
    const char *pair = is_group ? strchr(pairs, p[1]) : *p == '\'' || *p == '"' ? strchr(pairs, *p) : NULL;
    int depth = 1;
    if (!pair)
        return at + 1 + (*p == '\\' && p[1]);
    for (at += 1 + is_group; text->text[at] && depth > 0; at++)
        depth += text->text[at] == pair[1] ? -1 : text->text[at] == pair[0] ? 1 : 0;
    return at;
}

struct range script_value(const struct buffer *text, const struct range *flag)
{
    bool has_sign = text->text[flag->to] == '=';
    size_t from = has_sign ? flag->to + 1 : skip_gap(text, flag->to), to = from;
    bool is_word = has_sign || (from > flag->to && strncmp(text->text + from, "--", 2) != 0);
    bool is_quoted = is_word && strchr("\"'", text->text[from]) && text->text[from];
    if (is_quoted)
        return (struct range){from, skip_piece(text, from)};
    while (is_word && text->text[to] && !strchr(" \t\r\n\"')#;&|>", text->text[to]) &&
           strncmp(text->text + to, "\\\n", 2) != 0)
        to = skip_piece(text, to);
    return (struct range){from, to};
}

size_t script_end(const struct buffer *text, size_t at)
{
    size_t end = at;
    while (text->text[at] && !strchr("\n#;&|>)", text->text[at])) {
        bool is_gap = strchr(" \t\r", text->text[at]) || strncmp(text->text + at, "\\\n", 2) == 0;
        at = is_gap ? skip_gap(text, at + (text->text[at] == '\r')) : skip_piece(text, at);
        end = is_gap ? end : at;
    }
    return end;
}

void script_set(struct buffer *text, const struct range *flag, const char *value)
{
    struct range old = script_value(text, flag);
    char *with = old.to > old.from ? xstrdup(value) : xasprintf(" %s", value);
    if (old.to > old.from)
        splice_text(text, old.from, old.to, with);
    else
        splice_text(text, flag->to, flag->to, with);
    free(with);
}

/* Where the blanks and continued lines before a flag begin. */
static size_t gap_before(const struct buffer *text, size_t at)
{
    while (at > 0 && strchr(" \t\r\n\\", text->text[at - 1]))
        at--;
    return at;
}

void script_add(struct buffer *text, const struct range *before, const char *flag, const char *value)
{
    size_t gap = gap_before(text, before->from);
    int size = (int)(before->from - gap);
    const char *apart = size ? text->text + gap : " ";
    char *with = xasprintf("%s%s%s%.*s", flag, *value ? " " : "", value, size ? size : 1, apart);
    splice_text(text, before->from, before->from, with);
    free(with);
}

void script_remove(struct buffer *text, const struct range *flag)
{
    struct range value = script_value(text, flag);
    size_t from = gap_before(text, flag->from), to = value.to > value.from ? value.to : flag->to;
    if (from == flag->from)
        to = skip_gap(text, to);
    splice_text(text, from, to, "");
}
