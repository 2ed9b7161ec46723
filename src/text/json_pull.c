#include "src/text/json_pull.h"

#include "core/base.h"
#include "src/text/text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64, NUMBER_MAX = 512 };

/* ---- checking --------------------------------------------------------------------------------------------------- */

struct check {
    const char *at, *end;
    const char *why;
};

static bool fault(struct check *c, const char *why)
{
    c->why = why;
    return false;
}

static const char *after_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

static bool is_next(struct check *c, char sign)
{
    if (c->at == c->end || *c->at != sign)
        return false;
    c->at++;
    return true;
}

static bool check_digits(struct check *c)
{
    const char *first = c->at;
    while (c->at < c->end && *c->at >= '0' && *c->at <= '9')
        c->at++;
    return c->at > first ? true : fault(c, "a number lacks a digit");
}

static bool check_number(struct check *c)
{
    is_next(c, '-');
    if (!is_next(c, '0') && !check_digits(c))
        return false;
    if (is_next(c, '.') && !check_digits(c))
        return false;
    if (!is_next(c, 'e') && !is_next(c, 'E'))
        return true;
    if (!is_next(c, '+'))
        is_next(c, '-');
    return check_digits(c);
}

static bool check_escape(struct check *c)
{
    if (c->at == c->end || !strchr("\"\\/bfnrtu", *c->at) || *c->at == '\0')
        return fault(c, "a string has an unknown escape");
    if (*c->at++ != 'u')
        return true;
    for (int i = 0; i < 4; i++, c->at++)
        if (c->at == c->end || !strchr("0123456789abcdefABCDEF", *c->at) || *c->at == '\0')
            return fault(c, "\\u needs four hexadecimal digits");
    return true;
}

/* The opening quote is read. */
static bool check_string(struct check *c)
{
    while (c->at < c->end && *c->at != '"') {
        unsigned char sign = (unsigned char)*c->at;
        if (sign < 0x20)
            return fault(c, "a string has a control character in it");
        if (sign < 0x80) {
            c->at++;
            if (sign == '\\' && !check_escape(c))
                return false;
            continue;
        }
        size_t n = utf8_length((const unsigned char *)c->at, (size_t)(c->end - c->at));
        if (n == 0)
            return fault(c, "a string is not UTF-8");
        c->at += n;
    }
    return is_next(c, '"') ? true : fault(c, "a string does not end");
}

static bool check_word(struct check *c)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < LENGTH(words); i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(c->end - c->at) >= n && memcmp(c->at, words[i], n) == 0) {
            c->at += n;
            return true;
        }
    }
    return fault(c, "here should be a value");
}

static bool check_value(struct check *c, int depth);

static bool check_key(struct check *c)
{
    c->at = after_blanks(c->at, c->end);
    if (!is_next(c, '"'))
        return fault(c, "here should be a key in quotes");
    if (!check_string(c))
        return false;
    c->at = after_blanks(c->at, c->end);
    return is_next(c, ':') ? true : fault(c, "here should be a colon");
}

/* The opening bracket is read. */
static bool check_members(struct check *c, char close, int depth)
{
    if (depth > DEPTH_MAX)
        return fault(c, "nested more than 64 levels deep");
    c->at = after_blanks(c->at, c->end);
    if (is_next(c, close))
        return true;
    do {
        if (close == '}' && !check_key(c))
            return false;
        if (!check_value(c, depth))
            return false;
    } while (is_next(c, ','));
    return is_next(c, close) ? true
                             : fault(c, close == '}' ? "here should be a comma or }" : "here should be a comma or ]");
}

/* With the blanks around it. */
static bool check_value(struct check *c, int depth)
{
    bool is_good;
    c->at = after_blanks(c->at, c->end);
    if (is_next(c, '{'))
        is_good = check_members(c, '}', depth + 1);
    else if (is_next(c, '['))
        is_good = check_members(c, ']', depth + 1);
    else if (is_next(c, '"'))
        is_good = check_string(c);
    else if (c->at < c->end && (*c->at == '-' || (*c->at >= '0' && *c->at <= '9')))
        is_good = check_number(c);
    else
        is_good = check_word(c);
    c->at = after_blanks(c->at, c->end);
    return is_good;
}

size_t json_pull_check(const char *text, size_t size, const char **why)
{
    struct check c = {text, text + size, NULL};
    if (check_value(&c, 0) && c.at < c.end)
        fault(&c, "something stands behind the value");
    *why = c.why;
    return c.why ? (size_t)(c.at - text) + 1 : 0;
}

/* ---- walking ---------------------------------------------------------------------------------------------------- */

/* The end of a string whose opening quote is at `at`. */
static const char *end_of_string(const char *at, const char *end)
{
    const char *quote = at;
    while ((quote = memchr(quote + 1, '"', (size_t)(end - quote) - 1))) {
        const char *slash = quote;
        while (slash[-1] == '\\')
            slash--;
        if ((quote - slash) % 2 == 0)
            return quote + 1;
    }
    return end;
}

static const char *end_of_value(const char *at, const char *end)
{
    int depth = 0;
    while (at < end) {
        if (*at == '"') {
            at = end_of_string(at, end);
            if (depth == 0)
                return at;
            continue;
        }
        if (depth == 0 && (*at == ',' || (unsigned char)*at <= ' '))
            return at;
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        at++;
        if (depth == 0 && (at[-1] == '}' || at[-1] == ']'))
            return at;
    }
    return at;
}

bool json_pull_open(struct json_walk *walk, struct json_piece value)
{
    if (value.size < 2 || (*value.text != '{' && *value.text != '['))
        return false;
    *walk = (struct json_walk){value.text + 1, value.text + value.size - 1, *value.text == '{'};
    return true;
}

bool json_pull_next(struct json_walk *walk, struct json_piece *key, struct json_piece *value)
{
    const char *end = walk->end, *at = after_blanks(walk->at, end);
    if (at < end && *at == ',')
        at = after_blanks(at + 1, end);
    if (at >= end)
        return false;
    *key = (struct json_piece){0};
    if (walk->is_object) {
        const char *close = end_of_string(at, end);
        *key = (struct json_piece){at + 1, (size_t)(close - at) - 2};
        at = after_blanks(close, end);
        at = after_blanks(at + 1, end);
    }
    walk->at = end_of_value(at, end);
    *value = (struct json_piece){at, (size_t)(walk->at - at)};
    return true;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

bool json_pull_is(struct json_piece key, const char *name)
{
    return strncmp(key.text, name, key.size) == 0 && name[key.size] == '\0';
}

bool json_pull_number(struct json_piece value, double *number)
{
    char text[NUMBER_MAX];
    int64_t whole = 0;
    size_t i = 0;
    while (i < value.size && i < 16 && value.text[i] >= '0' && value.text[i] <= '9')
        whole = whole * 10 + (value.text[i++] - '0');
    if (i > 0 && i == value.size) {
        *number = (double)whole;
        return true;
    }
    if (value.size == 0 || value.size >= sizeof text || (*value.text != '-' && i == 0))
        return false;
    memcpy(text, value.text, value.size);
    text[value.size] = '\0';
    *number = strtod(text, NULL);
    return isfinite(*number);
}

static unsigned hex_at(const char *at)
{
    char digits[5] = {at[0], at[1], at[2], at[3], '\0'};
    return (unsigned)strtoul(digits, NULL, 16);
}

/* Writes a code point in UTF-8; returns its length. */
static size_t encode(unsigned code, char out[4])
{
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(lead[n] | code);
    return n;
}

/* Resolves the escape behind a backslash at `at`; half a surrogate pair becomes U+FFFD. */
static size_t unescape(const char **at, const char *end, char out[4])
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char *known = strchr(from, **at);
    if (**at != 'u') {
        out[0] = known ? to[known - from] : **at;
        (*at)++;
        return 1;
    }
    unsigned code = hex_at(*at + 1);
    *at += 5;
    if (code >= 0xd800 && code < 0xdc00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u') {
        unsigned low = hex_at(*at + 2);
        if (low >= 0xdc00 && low < 0xe000) {
            *at += 6;
            return encode(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00), out);
        }
    }
    return encode(code >= 0xd800 && code < 0xe000 ? 0xfffd : code, out);
}

bool json_pull_text(struct json_piece value, char *out, size_t size)
{
    if (value.size < 2 || *value.text != '"')
        return false;
    const char *at = value.text + 1, *end = value.text + value.size - 1;
    size_t used = 0;
    while (at < end) {
        char part[4] = {*at};
        size_t n = 1;
        if (*at++ == '\\')
            n = unescape(&at, end, part);
        if (used + n >= size || part[0] == '\0')
            return false;
        memcpy(out + used, part, n);
        used += n;
    }
    out[used] = '\0';
    return true;
}
