#include "src/text/json_out.h"

#include "core/plan/number.h"
#include "src/text/text.h"

#include <math.h>
#include <string.h>

static void new_line(struct json *json)
{
    if (json->depth <= json->lines && json->lines > 0)
        buffer_printf(json->out, "\n%*s", 2 * json->depth, "");
}

static void put_string(struct buffer *out, const char *text)
{
    buffer_puts(out, "\"");
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        size_t n = utf8_length(p, UTF8_MAX);
        if (n == 0)
            buffer_puts(out, "\\ufffd");
        else if (*p == '"' || *p == '\\')
            buffer_printf(out, "\\%c", *p);
        else if (*p < 0x20 || *p == 0x7f)
            buffer_printf(out, "\\u%04x", *p);
        else
            buffer_add(out, (const char *)p, n);
        p += n ? n : 1;
    }
    buffer_puts(out, "\"");
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

void json_bytes(struct json *json, const char *name, double value)
{
    begin(json, name);
    if (isfinite(value))
        buffer_printf(json->out, "%.0f", round(value) + 0.0);
    else
        buffer_puts(json->out, "null");
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
