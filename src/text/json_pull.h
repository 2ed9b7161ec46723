/*
 * src/text/json_pull.h - steps through JSON text in place and allocates nothing, for the many short lines of `batch`,
 * where cJSON, which reads every JSON file (src/text/json.h), would take longer than the answer.
 */
#ifndef SHARDTOP_SRC_TEXT_JSON_PULL_H
#define SHARDTOP_SRC_TEXT_JSON_PULL_H

#include <stdbool.h>
#include <stddef.h>

/** A value as it stands in the text, without blanks around it; size 0 is none. */
struct json_piece {
    const char *text;
    size_t size;
};

/** A walk over the members of an object or the entries of an array. */
struct json_walk {
    const char *at, *end;
    bool is_object;
};

/**
 * Checks that `text` is one JSON value (RFC 8259) of at most 64 levels in UTF-8, with nothing but blanks around it.
 * Returns 0, or the 1-based column of the fault, with what is wrong in `*why`. The functions below need checked text.
 */
size_t json_pull_check(const char *text, size_t size, const char **why);

/** Begins a walk; false when the value is neither an object nor an array. */
bool json_pull_open(struct json_walk *walk, struct json_piece value);

/** The next member or entry; false at the end. A key comes as it stands between its quotes; entries have none. */
bool json_pull_next(struct json_walk *walk, struct json_piece *key, struct json_piece *value);

/** True when the key has this name. */
bool json_pull_is(struct json_piece key, const char *name);

/** Reads a number; false for anything else, for numbers beyond a double and for those of 512 or more digits. */
bool json_pull_number(struct json_piece value, double *number);

/** Copies a string with its escapes resolved; false for anything else, for NUL in it, and for one too long. */
bool json_pull_text(struct json_piece value, char *out, size_t size);

#endif
