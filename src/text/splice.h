/* src/text/splice.h - edits a setting in a file's text and preserves everything around it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct span;
struct spans;

/** Replaces the bytes from `from` up to `to` (exclusive) with `with`. */
void splice_text(struct buffer *text, size_t from, size_t to, const char *with);

/** Start of the line containing byte `at`, and its end without the line break. */
size_t splice_line_begin(const struct buffer *text, size_t at);
size_t splice_line_end(const struct buffer *text, size_t at);

/** The line break used in this text. */
const char *splice_break(const struct buffer *text);

/** True when only blanks precede `at` on its line. */
bool splice_begins_line(const struct buffer *text, size_t at);

/** Replaces a setting's value with `value`, given in the file's syntax; false for a multi-line value. */
bool splice_value(struct buffer *text, const struct span *span, const char *value);

/**
 * Inserts `what` after member `after` of a mapping (-1: it is empty), formatted like its other members; false when it
 * cannot.
 */
bool splice_member(const struct spans *spans, int mapping, int after, const char *what, struct buffer *text);

/**
 * Removes a member of a mapping in braces and one comma, keeping comments after it; false when there is a comment
 * inside its value.
 */
bool splice_leave(const struct span *member, struct buffer *text);

/** Inserts `what` as the first member of an empty group; false when it cannot. */
bool splice_first(const struct span *group, const char *what, struct buffer *text);

/**
 * Sets the value at a dotted path, adding it and missing parent mappings as needed. Keys match with `-` for `_`; a new
 * key follows the spelling of its neighbours, and a text keeps the quoting of the old value. Returns false when the
 * text is not a mapping or the path runs through a value.
 */
bool splice_path(struct buffer *text, const char *path, const char *value, bool is_json);

/** True when there is a setting at a path. */
bool splice_has(const struct buffer *text, const char *path);

/** Like splice_path() for a new path in TOML; adds the table if missing. */
bool splice_table(struct buffer *text, const char *path, const char *value);
