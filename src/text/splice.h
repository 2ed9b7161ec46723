/* src/text/splice.h - changes in the text of a file, with everything around them as its author left it. */
#ifndef SHARDTOP_SRC_TEXT_SPLICE_H
#define SHARDTOP_SRC_TEXT_SPLICE_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct span;
struct spans;

/** Puts `with` in the place of the bytes from `from` to before `to`. */
void splice_text(struct buffer *text, size_t from, size_t to, const char *with);

/** Where the line of byte `at` begins, and where it ends, its break left out. */
size_t splice_line_begin(const struct buffer *text, size_t at);
size_t splice_line_end(const struct buffer *text, size_t at);

/** How lines end in this text. */
const char *splice_break(const struct buffer *text);

/** True when nothing but blanks stands before `at` in its line. */
bool splice_begins_line(const struct buffer *text, size_t at);

/**
 * Puts a value, written as the file's language has it, in the place of a setting's; false for one over several lines.
 */
bool splice_value(struct buffer *text, const struct span *span, const char *value);

/**
 * Adds `what` behind member `after` of a mapping (-1: it is empty) as its members are written; false where it cannot.
 */
bool splice_member(const struct spans *spans, int mapping, int after, const char *what, struct buffer *text);

/**
 * Takes a member of a mapping in braces away, with one comma; what is remarked behind it stays. False where a remark
 * stands in its value.
 */
bool splice_leave(const struct span *member, struct buffer *text);

/** Adds `what` as the first member of a group that stands there without any; false where it cannot. */
bool splice_first(const struct span *group, const char *what, struct buffer *text);

/**
 * Gives the setting at a path of keys, joined with dots, a value: in its place, or added with the mappings above it. A
 * key is found with `-` for `_` and added as those beside it are written; a text is quoted as the one that stood there.
 * Returns false where the text is no mapping or the path leads through something else.
 */
bool splice_path(struct buffer *text, const char *path, const char *value, bool is_json);

/** True where a setting stands at a path. */
bool splice_has(const struct buffer *text, const char *path);

/** splice_path() of TOML for a path that is not there yet; its table is added where there is none. */
bool splice_table(struct buffer *text, const char *path, const char *value);

#endif
