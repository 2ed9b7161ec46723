#include "src/text/json.h"

#include "core/plan/number.h"
#include "src/text/errors.h"
#include "src/text/node.h"
#include "src/text/text.h"

#include <cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS      "0123456789"
#define HEX_LETTERS "abcdefABCDEF"

/* cJSON records no positions: a cursor over the same text finds the lines of its values. */
struct cursor {
    const char *at, *end;
    int line;
    bool has_nul; /* in the last string */
};

static void skip_blanks(struct cursor *c)
{
    for (; c->at < c->end && (unsigned char)*c->at <= ' '; c->at++)
        c->line += *c->at == '\n';
}

/* Skips the string whose opening quote is at the cursor. */
static void skip_string(struct cursor *c)
{
    c->has_nul = false;
    for (c->at++; c->at < c->end && *c->at != '"'; c->at++) {
        if (*c->at == '\\' && c->at + 1 < c->end) {
            c->at++;
            c->has_nul |= strncmp(c->at, "u0000", 5) == 0;
        }
        c->line += *c->at == '\n';
    }
    c->at += c->at < c->end;
}

/* Skips blanks, one of `marks`, and blanks again. */
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

/* ---- checks before parsing -------------------------------------------------------------------------------------- */

/* True when the text between quotes conforms to RFC 8259: no control characters, UTF-8, hexadecimal digits after \u. */
static bool is_rfc_string(const char *at, const char *end)
{
    while (at < end) {
        bool is_escape = *at == '\\', is_plain = *at >= ' ' && !is_escape;
        size_t n = is_plain ? 1 : utf8_length((const unsigned char *)at, (size_t)(end - at));
        if (n == 0 || (unsigned char)*at < ' ' || (is_escape && at[1] == 'u' && strspn(at + 2, DIGITS HEX_LETTERS) < 4))
            return false;
        at += is_escape ? 2 : n;
    }
    return true;
}

/* The same for a number: digits before and after the point, no leading 0. cJSON checks the exponent. */
static bool is_rfc_number(const char *at)
{
    at += *at == '-';
    size_t whole = strspn(at, DIGITS);
    return whole > 0 && (whole == 1 || *at != '0') && (at[whole] != '.' || strspn(at + whole + 1, DIGITS) > 0);
}

/* Skips a token; false for one that cJSON accepts and RFC 8259 does not. */
static bool skip_token(struct cursor *c)
{
    const char *first = c->at;
    if (*first == '"') {
        skip_string(c);
        return is_rfc_string(first + 1, c->at - (c->at[-1] == '"'));
    }
    if (*first == '-' || (*first >= '0' && *first <= '9')) {
        c->at += strspn(first, DIGITS ".eE+-");
        return is_rfc_number(first);
    }
    c->line += *c->at++ == '\n';
    return *first >= ' ' || *first == '\t' || *first == '\r' || *first == '\n';
}

/*
 * Reports a text that is too large or too deep before building anything. `*beyond_rfc` is the first token that RFC 8259
 * forbids, even if cJSON accepts it.
 */
static bool check_tokens(const char *text, size_t size, const struct node_parse *parse, const char **beyond_rfc)
{
    struct cursor c = {text, text + size, 1, false};
    int depth = 0, commas = 0;
    *beyond_rfc = NULL;
    while (c.at < c.end && depth <= NODE_DEPTH_MAX && commas <= parse->limits->values) {
        const char *token = c.at;
        depth += *token == '{' || *token == '[';
        depth -= *token == '}' || *token == ']';
        commas += *token == ',';
        if (!skip_token(&c) && !*beyond_rfc)
            *beyond_rfc = token;
    }
    if (depth > NODE_DEPTH_MAX)
        errors_add(parse->errors, parse->file, c.line, NULL, "is nested more than %d deep; %s", NODE_DEPTH_MAX,
                   parse->limits->if_deep);
    else if (commas > parse->limits->values)
        errors_add(parse->errors, parse->file, c.line, NULL, "has more than %d values; %s", parse->limits->values,
                   parse->limits->if_many);
    return depth <= NODE_DEPTH_MAX && commas <= parse->limits->values;
}

static void refuse_syntax(struct node_parse *parse, const char *text, const char *at)
{
    int line = 1;
    const char *start = text;
    for (const char *p = text; p < at; p++)
        if (*p == '\n') {
            line++;
            start = p + 1;
        }
    parse->column = (size_t)(at - start) + 1;
    errors_add(parse->errors, parse->file, line, NULL, "is not valid JSON; check commas, quotes and braces here");
}

/* ---- cJSON's tree as nodes -------------------------------------------------------------------------------------- */

/* The text of a value whose source is `size` bytes at `source`. */
static char *value_text(const cJSON *item, const char *source, size_t size)
{
    enum { DIGITS_MAX = 15 }; /* integers up to this length are exact in a double */
    char number[40];
    if (size <= DIGITS_MAX && *source > '0' && strspn(source, DIGITS) == size)
        return xstrndup(source, size);
    if (cJSON_IsString(item))
        return xstrdup(item->valuestring);
    if (cJSON_IsBool(item))
        return xstrdup(cJSON_IsTrue(item) ? "true" : "false");
    if (!cJSON_IsNumber(item))
        return xstrdup("null");
    if (isinf(item->valuedouble))
        return xstrdup(item->valuedouble > 0 ? "Infinity" : "-Infinity"); /* number_parse() rejects these */
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
    skip_blanks(c);
    c->at += c->at < c->end; /* the closing bracket */
}

static struct node *convert(struct node_parse *parse, struct cursor *c, const cJSON *item, int depth)
{
    enum node_kind kind = cJSON_IsArray(item) ? NODE_LIST : cJSON_IsObject(item) ? NODE_MAPPING : NODE_VALUE;
    skip_blanks(c);
    struct node *out = node_new(parse, kind, c->line, depth);
    if (!out)
        return NULL;
    out->source = c->at;
    out->number = cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
    if (kind == NODE_VALUE) {
        skip_value(c);
        out->text = value_text(item, out->source, (size_t)(c->at - out->source));
        out->is_bare = !cJSON_IsString(item);
        out->is_huge = isinf(out->number);
        out->has_nul = !out->is_bare && c->has_nul;
    } else {
        convert_children(parse, c, item, out, depth);
    }
    out->source_size = (size_t)(c->at - out->source);
    return out;
}

static void release(void *root)
{
    cJSON_Delete(root);
}

struct node *json_parse(const char *text, size_t size, struct node_parse *parse)
{
    const char *end = NULL, *beyond_rfc;
    if (!check_tokens(text, size, parse, &beyond_rfc))
        return NULL;
    /* With require_null_terminated the length counts the NUL. */
    errno = 0;
    cJSON *root = cJSON_ParseWithLengthOpts(text, size + 1, &end, 1);
    if (!root && errno == ENOMEM)
        memory_out();
    memory_hold(root, release);
    const char *fault = !root ? end ? end : text : parse->is_rfc ? beyond_rfc : NULL;
    struct node *out = NULL;
    if (fault) {
        refuse_syntax(parse, text, fault);
    } else {
        struct cursor cursor = {text, text + size, 1, false};
        if (strncmp(text, "\xef\xbb\xbf", 3) == 0) /* cJSON skips the byte order mark too */
            cursor.at += 3;
        out = convert(parse, &cursor, root, 0);
    }
    memory_drop(root);
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

/* The first character after the comma at `at`, skipping blanks and comments. */
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

/* Copies the string at `at` and returns its length. Surrogate pairs become `?`: no value we read needs them. */
static size_t copy_string(const char *at, const char *end, struct buffer *out)
{
    struct cursor c = {at, end, 1, false};
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
