#include "src/text/json_out.h"

#include "core/plan/number.h"
#include "src/text/text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void new_line(struct json *json)
{
    if (json->depth <= json->lines && json->lines > 0)
        buffer_printf(json->out, "\n%*s", 2 * json->depth, "");
}

/* Appends a character as an escape; a surrogate pair beyond the basic plane. */
static void put_escape(struct buffer *out, uint32_t code)
{
    if (code > 0xffff)
        buffer_printf(out, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
    else
        buffer_printf(out, "\\u%04x", code);
}

/* Length of the prefix that needs no escaping. */
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
            buffer_puts(out, " "); /* only between values; inside strings they are already escaped */
        else if (unsafe)
            put_escape(out, unsafe);
        else
            buffer_add(out, text, n);
        text += n;
        size -= n;
    }
}

/* ---- selection -------------------------------------------------------------------------------------------------- */

/* Whether a path is `whole` or leads to a part of it. */
static bool is_part(const char *path, const char *whole)
{
    size_t size = strlen(whole);
    return strncmp(path, whole, size) == 0 && (path[size] == '.' || path[size] == '\0');
}

bool want_add(struct want *want, const char *path)
{
    int count = 0;
    if (strlen(path) >= WANT_PATH_MAX)
        return false;
    for (int i = 0; i < want->count; i++)
        if (is_part(path, want->path[i]))
            return true;
    for (int i = 0; i < want->count; i++)
        if (!is_part(want->path[i], path) && count++ != i)
            memcpy(want->path[count - 1], want->path[i], WANT_PATH_MAX);
    want->count = count;
    if (count == WANT_MAX)
        return false;
    strcpy(want->path[want->count++], path);
    return true;
}

const char *want_missing(const struct want *want)
{
    for (int i = 0; i < want->count; i++)
        if (!want->is_found[i])
            return want->path[i];
    return NULL;
}

/* The path below `name`; NULL when the path leads elsewhere. */
static const char *path_below(const char *path, const char *name)
{
    if (!path)
        return NULL;
    while (*name && *path == *name)
        path++, name++;
    return *name ? NULL : *path == '.' ? path + 1 : *path == '\0' ? path : NULL;
}

bool json_wants(const struct json *json, const char *name)
{
    const struct want *want = json->want;
    if (!want || want->whole || want->skipped || want->depth == 0)
        return !want || !want->skipped;
    for (int i = 0; i < want->count; i++)
        if (path_below(want->level[want->depth - 1].rest[i], name))
            return true;
    return false;
}

/* Follows the paths into the next value of the open level. Returns whether any matches. */
static bool follow_paths(struct want *want, const char *name)
{
    char position[16] = "";
    bool is_any = false, is_entry = want->depth > 0 && want->level[want->depth - 1].entry >= 0;
    if (is_entry)
        snprintf(position, sizeof position, "%d", want->level[want->depth - 1].entry++);
    for (int i = 0; i < want->count; i++) {
        const char *path = want->depth ? want->level[want->depth - 1].rest[i] : want->path[i];
        bool is_every = path && is_entry && (*path < '0' || *path > '9');
        if (want->depth > 0 && !is_every)
            path = path_below(path, is_entry ? position : name);
        want->level[want->depth].rest[i] = path;
        is_any |= path != NULL;
    }
    return is_any;
}

/*
 * Marks the paths that end at the current value, or with `is_all` every path that reaches it. Returns whether any does.
 */
static bool mark_found(struct want *want, bool is_all)
{
    bool is_any = false;
    for (int i = 0; i < want->count; i++) {
        const char *rest = want->level[want->depth].rest[i];
        bool is_end = rest && (is_all || !*rest);
        want->is_found[i] |= is_end;
        is_any |= is_end;
    }
    return is_any;
}

/* How a value is written. */
enum selection { OMITTED, EMPTY_ENTRY, WRITTEN };

/* Decides how to write a value that begins with `sign`: a bracket, n for null, or anything else. */
static enum selection select_value(struct want *want, const char *name, char sign)
{
    bool is_open = sign == '{' || sign == '[', is_entry = want->depth > 0 && want->level[want->depth - 1].entry >= 0;
    if (want->skipped || want->whole) {
        *(want->skipped ? &want->skipped : &want->whole) += is_open;
        return want->skipped ? OMITTED : WRITTEN;
    }
    if (!follow_paths(want, name)) {
        want->skipped += is_open;
        return is_entry ? EMPTY_ENTRY : OMITTED;
    }
    if (mark_found(want, sign == 'n') || want->depth == WANT_DEPTH_MAX - 1)
        want->whole += is_open;
    else if (is_open)
        want->level[want->depth++].entry = sign == '[' ? 0 : -1;
    return WRITTEN;
}

/* Closes the innermost open bracket; false when it is omitted. */
static bool leave_value(struct want *want)
{
    if (want->skipped > 0) {
        want->skipped--;
        return false;
    }
    if (want->whole > 0) {
        want->whole--;
        return true;
    }
    if (want->level[--want->depth].entry == 0)
        mark_found(want, true);
    return true;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* Writes the comma, line break and name before a value that begins with `sign`; false when it is omitted. */
static bool begin(struct json *json, const char *name, char sign)
{
    enum selection how = json->want ? select_value(json->want, name, sign) : WRITTEN;
    if (how == OMITTED)
        return false;
    if (json->has_member)
        buffer_puts(json->out, json->depth > json->lines || json->lines == 0 ? ", " : ",");
    if (json->depth > 0)
        new_line(json);
    json->has_member = true;
    if (how == EMPTY_ENTRY) {
        buffer_puts(json->out, "{}");
        return false;
    }
    if (name) {
        put_string(json->out, name);
        buffer_puts(json->out, ": ");
    }
    return true;
}

void json_open(struct json *json, const char *name, char bracket)
{
    if (!begin(json, name, bracket))
        return;
    buffer_add(json->out, &bracket, 1);
    json->depth++;
    json->has_member = false;
}

void json_close(struct json *json, char bracket)
{
    bool had_member = json->has_member, was_split = json->depth <= json->lines;
    if (json->want && !leave_value(json->want))
        return;
    json->depth--;
    if (had_member && was_split)
        new_line(json);
    buffer_add(json->out, &bracket, 1);
    json->has_member = true;
}

void json_text(struct json *json, const char *name, const char *text)
{
    if (!begin(json, name, text ? '"' : 'n'))
        return;
    if (text)
        put_string(json->out, text);
    else
        buffer_puts(json->out, "null");
}

void json_number(struct json *json, const char *name, double value)
{
    char text[40];
    if (!isfinite(value))
        json_null(json, name);
    else if (begin(json, name, '0'))
        buffer_add(json->out, text, (size_t)number_print(value, text, sizeof text));
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
    char text[NUMBER_WHOLE_MAX];
    bool is_whole = fabs(value) < 0x1p63; /* readers store larger ones in a double */
    if (!is_whole)
        json_number(json, name, value);
    else if (begin(json, name, '0'))
        buffer_add(json->out, text, (size_t)number_whole(llround(value), text));
}

void json_bool(struct json *json, const char *name, bool value)
{
    if (begin(json, name, 'b'))
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
