/* src/export/script.h - places of words and flags in the text of a launch script. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct buffer;

/** A range of bytes, its end left out. */
struct range {
    size_t from, to;
};

/** The next word of letters, digits and `marks` at or behind byte `at`; false when there is none. */
bool script_word(const struct buffer *text, size_t at, const char *marks, struct range *out);

/** The next place of a flag, with `-` for `_`, at or behind byte `at`; NULL: of any with two dashes. False for none. */
bool script_flag(const struct buffer *text, size_t at, const char *flag, struct range *out);

/** The end of the command that holds byte `at`, before a comment, an operator and the blanks in front of them. */
size_t script_end(const struct buffer *text, size_t at);

/** The place of the key of a word `path=value`; false when there is none. */
bool script_override(const struct buffer *text, const char *path, struct range *out);

/** The word behind a flag, or behind its `=`; empty where another flag or the end of the command follows. */
struct range script_value(const struct buffer *text, const struct range *flag);

/** Gives a flag that stands there a value. */
void script_set(struct buffer *text, const struct range *flag, const char *value);

/** Adds a flag (and its value, "" for none) before the one at `before`, set apart as that is. */
void script_add(struct buffer *text, const struct range *before, const char *flag, const char *value);

/** Takes a flag away with its value and what sets it apart. */
void script_remove(struct buffer *text, const struct range *flag);
