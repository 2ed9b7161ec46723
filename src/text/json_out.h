/* src/text/json_out.h - streaming JSON writer; src/report/json.c writes estimates in schema 1 with it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct check;
struct estimate;
struct report_options;

enum { JSON_SCHEMA = 1 }; /* version of all JSON output */

enum { WANT_MAX = 64, WANT_PATH_MAX = 128, WANT_DEPTH_MAX = 24 };

/**
 * Selects the values to write by path, such as `memory.stages.0.device_bytes`. An array index may be omitted, which
 * selects every entry. Array entries keep their positions and are written as `{}` when nothing in them is selected. A
 * path that continues below null or an empty array selects that value. Set `path` and `count`; zero the rest.
 */
struct want {
    char path[WANT_MAX][WANT_PATH_MAX];
    bool is_found[WANT_MAX]; /* the path led to a value */
    int count;
    struct {
        const char *rest[WANT_MAX]; /* rest of each path below this level; NULL when it leads elsewhere */
        int entry;                  /* array index; -1 for an object */
    } level[WANT_DEPTH_MAX];
    int depth;   /* open levels that are written in part */
    int whole;   /* brackets open inside a value written in full */
    int skipped; /* brackets open inside an omitted value */
};

/** Adds a path, unless it leads to a part of another's value; false when there are too many or it is too long. */
bool want_add(struct want *want, const char *path);

/** The first path that matched no value; NULL when all matched. */
const char *want_missing(const struct want *want);

/** A writer; set `out`, `lines` and `want`, zero the rest. The output is valid JSON for any text and number. */
struct json {
    struct buffer *out;
    int lines; /* this many outer levels put each member on its own line; 0: everything on one line */
    struct want *want; /* NULL for everything */
    int depth;
    bool has_member; /* in the current object or array */
};

/** True when any part of this member is selected; check before computing an expensive value. */
bool json_wants(const struct json *json, const char *name);

/** Opens `{` or `[`; `name` is NULL inside arrays and at the top level. */
void json_open(struct json *json, const char *name, char bracket);

/** Closes with `}` or `]`. */
void json_close(struct json *json, char bracket);

/** Writes a string member. NULL becomes null, invalid UTF-8 U+FFFD; characters unsafe for a terminal are escaped. */
void json_text(struct json *json, const char *name, const char *text);

/** Writes a number when the text is one, else a string: "8" is 8, "full" is "full", NULL is null. */
void json_word(struct json *json, const char *name, const char *text);

/** Writes the shortest number that reads back the same; null when it is not finite. */
void json_number(struct json *json, const char *name, double value);

/** Writes a whole number of bytes; null when unknown, exponent notation from 2^63 on. */
void json_bytes(struct json *json, const char *name, double value);

/** Writes true or false; json_null() writes null. */
void json_bool(struct json *json, const char *name, bool value);
void json_null(struct json *json, const char *name);

/** Appends existing JSON, escaping characters unsafe for a terminal. */
void json_copy(struct buffer *out, const char *text, size_t size);

/** Writes an array of numbers. */
void json_numbers(struct json *json, const char *name, const double *value, size_t count);

/** Writes one estimate as an object of schema 1; `options` selects sections and long lists. */
void json_result(struct json *json, const char *name, const struct estimate *estimate,
                 const struct report_options *options);

/** Writes the result of `show --check`: name, valid, verdict, probability, sure, headroom_bytes and the line. */
void json_check(struct json *json, const struct check *check);
