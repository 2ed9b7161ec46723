#include "src/text/json_out.h"

#include "core/plan/number.h"
#include "src/text/text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void new_line(struct json *json)
{
    if (json->depth <= json->lines && json->lines > 0)
        buffer_printf(json->out, "\n%*s", 2 * json->depth, "");
}

/* A character as an escape; beyond the first plane as two halves. */
static void put_escape(struct buffer *out, uint32_t code)
{
    if (code > 0xffff)
        buffer_printf(out, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
    else
        buffer_printf(out, "\\u%04x", code);
}

/* How many characters from here stand for themselves, as most do. */
static size_t plain_length(const char *text)
{
    const char *end = text;
    while (*end >= ' ' && *end < 0x7f && *end != '"' && *end != '\\')
        end++;
    return (size_t)(end - text);
}

static void put_string(struct buffer *out, const char *text)
{
    buffer_puts(out, "\"");
    while (*text) {
        uint32_t unsafe;
        size_t plain = plain_length(text);
        buffer_add(out, text, plain);
        text += plain;
        if (!*text)
            break;
        size_t n = text_safe_length(text, UTF8_MAX, &unsafe);
        if (unsafe)
            put_escape(out, unsafe);
        else if (*text == '"' || *text == '\\')
            buffer_printf(out, "\\%c", *text);
        else
            buffer_add(out, text, n);
        text += n;
    }
    buffer_puts(out, "\"");
}

void json_copy(struct buffer *out, const char *text, size_t size)
{
    while (size > 0) {
        uint32_t unsafe;
        size_t n = text_safe_length(text, size, &unsafe);
        if (unsafe && unsafe < 0x20)
            buffer_puts(out, " "); /* between values; inside texts they are escaped already */
        else if (unsafe)
            put_escape(out, unsafe);
        else
            buffer_add(out, text, n);
        text += n;
        size -= n;
    }
}

/* Everything before a value: comma, line, name. */
static void begin(struct json *json, const char *name)
{
    if (json->has_member)
        buffer_puts(json->out, json->depth > json->lines || json->lines == 0 ? ", " : ",");
    if (json->depth > 0)
        new_line(json);
    json->has_member = true;
    if (name) {
        put_string(json->out, name);
        buffer_puts(json->out, ": ");
    }
}

void json_open(struct json *json, const char *name, char bracket)
{
    begin(json, name);
    buffer_add(json->out, &bracket, 1);
    json->depth++;
    json->has_member = false;
}

void json_close(struct json *json, char bracket)
{
    bool had_member = json->has_member, was_split = json->depth <= json->lines;
    json->depth--;
    if (had_member && was_split)
        new_line(json);
    buffer_add(json->out, &bracket, 1);
    json->has_member = true;
}

void json_text(struct json *json, const char *name, const char *text)
{
    begin(json, name);
    if (text)
        put_string(json->out, text);
    else
        buffer_puts(json->out, "null");
}

void json_number(struct json *json, const char *name, double value)
{
    char text[40];
    begin(json, name);
    if (isfinite(value))
        buffer_add(json->out, text, (size_t)number_print(value, text, sizeof text));
    else
        buffer_puts(json->out, "null");
}

void json_word(struct json *json, const char *name, const char *text)
{
    char *end = NULL;
    double number = text ? strtod(text, &end) : NAN;
    if (end != text && !*end && isfinite(number))
        json_number(json, name, number);
    else
        json_text(json, name, text);
}

void json_bytes(struct json *json, const char *name, double value)
{
    bool is_whole = fabs(value) < 0x1p63; /* readers keep larger ones in a double */
    if (!is_whole) {
        json_number(json, name, value);
        return;
    }
    begin(json, name);
    buffer_printf(json->out, "%lld", llround(value));
}

void json_bool(struct json *json, const char *name, bool value)
{
    begin(json, name);
    buffer_puts(json->out, value ? "true" : "false");
}

void json_null(struct json *json, const char *name)
{
    json_text(json, name, NULL);
}

void json_numbers(struct json *json, const char *name, const double *value, size_t count)
{
    json_open(json, name, '[');
    for (size_t i = 0; i < count; i++)
        json_number(json, NULL, value[i]);
    json_close(json, ']');
}
