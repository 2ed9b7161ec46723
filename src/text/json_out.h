/*
 * src/text/json_out.h - writes JSON: a small streaming writer, and with it (src/report/json.c) estimates in schema 1.
 */
#ifndef SHARDTOP_SRC_TEXT_JSON_OUT_H
#define SHARDTOP_SRC_TEXT_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct estimate;
struct report_options;

enum { JSON_SCHEMA = 1 }; /* version of all JSON that is printed */

/** A writer; set `out` and `lines`, the rest zero. What comes out is valid JSON for any text and number. */
struct json {
    struct buffer *out;
    int lines; /* members of so many outer levels stand on lines of their own; 0: all on one line */
    int depth;
    bool has_member; /* of the present object or array */
};

/** Opens `{` or `[`; `name` is NULL inside arrays and at the top. */
void json_open(struct json *json, const char *name, char bracket);

/** Closes with `}` or `]`. */
void json_close(struct json *json, char bracket);

/** One member. A NULL text is null; broken UTF-8 becomes U+FFFD, what a terminal must not see an escape. */
void json_text(struct json *json, const char *name, const char *text);

/** A text, as a number where it is one: "8" is 8, "full" is "full", NULL is null. */
void json_word(struct json *json, const char *name, const char *text);

/** The shortest number that reads back the same; null when it is not finite. */
void json_number(struct json *json, const char *name, double value);

/** A whole number of bytes; null when it is not known, with an exponent from 2^63 on. */
void json_bytes(struct json *json, const char *name, double value);

/** True or false; null. */
void json_bool(struct json *json, const char *name, bool value);
void json_null(struct json *json, const char *name);

/** Appends what is JSON already, with what a terminal must not see as escapes. */
void json_copy(struct buffer *out, const char *text, size_t size);

/** An array of numbers. */
void json_numbers(struct json *json, const char *name, const double *value, size_t count);

/** One estimate as an object of schema 1; `options` decides about sections and long lists. */
void json_result(struct json *json, const char *name, const struct estimate *estimate,
                 const struct report_options *options);

/** What `show --check` says, as an object: valid, verdict, probability, headroom_bytes and the line. */
void json_check(struct json *json, const struct estimate *estimate);

#endif
