/*
 * src/text/tree.h - a YAML, JSON or TOML text as values by path: strictly for plans, leniently for files of other
 * programs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct errors;
struct keyvals;
struct node;

enum tree_format { TREE_YAML, TREE_JSON, TREE_TOML };

/**
 * The format of a text with a NUL behind its `size` bytes: TOML by its first lines; JSON where it begins with a bracket
 * and can be read as that, or neither as that nor as YAML; else YAML.
 */
enum tree_format tree_format(const char *text, size_t size);

/** What is done with what a careful author would not write. */
enum tree_policy {
    TREE_STRICT,  /* a key twice, keys that are no text, mappings in lists, a second document, NUL: faults */
    /* the last of several counts, with a remark; what no path can name is passed over; JSON as Python takes it */
    TREE_LENIENT,
};

/** One value of a file. */
struct tree_value {
    char *path; /* keys joined with dots; the members of a list of mappings are numbered: `stages.0.name` */
    char *text; /* the value as it is written; a list as `[a,b,[c]]`; "" for null in a strict tree */
    int line;
    bool is_null, is_used;
    bool is_bad; /* cannot be what it has to be */
};

/** A file; zero-initialise, release with tree_free(). */
struct tree {
    const char *file; /* for messages */
    struct errors *errors;
    struct tree_value *item;
    size_t count, capacity;
};

/**
 * Reads one mapping. Tags are ignored, an empty mapping adds nothing. Every fault is added with its line: those of the
 * policy, broken syntax, something other than a mapping, nesting beyond 64, too many values or keys, aliases that
 * contain themselves or multiply. JSON and TOML need a NUL behind its `size` bytes.
 * Returns 0, or -1 with faults added (`out` then holds what could be read).
 */
int tree_read(const char *text, size_t size, const char *file, enum tree_format format, enum tree_policy policy,
              struct tree *out, struct errors *errors);

/** A strict tree_read() as settings. */
int tree_settings(const char *text, size_t size, const char *file, enum tree_format format, struct keyvals *out,
                  struct errors *errors);

/** The same of JSON that is parsed already. */
int tree_node_settings(const struct node *root, const char *file, struct keyvals *out, struct errors *errors);

/** Puts values by path in the place of those that the tree has, or adds them; their line is that of the setting. */
void tree_override(struct tree *tree, const struct keyvals *values);

/** Releases all values and leaves an empty tree. */
void tree_free(struct tree *tree);

/** The value at `path`, even `null`, without marking it as used; NULL when there is none. */
const struct tree_value *tree_peek(const struct tree *tree, const char *path);

/** The value at `path`, marked as used; NULL when there is none or it is `null`. */
const struct tree_value *tree_find(struct tree *tree, const char *path);

/** True when there is anything at or below `path`. */
bool tree_has(const struct tree *tree, const char *path);

/** True when `path` is the first `size` bytes of `above` or lies below them. */
bool tree_is_below(const char *path, const char *above, size_t size);

/** Marks everything at and below `path` as used. */
void tree_use(struct tree *tree, const char *path);

/** The line of the value at `path`, 0 when there is none. */
int tree_line(const struct tree *tree, const char *path);

/** Remarks on the value at `path`, in its line. */
void tree_note(const struct tree *tree, const char *path, const char *text);

/** The same, of what changes memory or time and is not counted. */
void tree_warn(const struct tree *tree, const char *path, const char *text);

/** Says, with the format, that a value cannot be used, and marks it. */
void tree_refuse(const struct tree *tree, const struct tree_value *value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Reads `value` as a finite number; false, with a finding at its path and `*out` as it was, when it is none. */
bool tree_number(const struct tree *tree, const struct tree_value *value, double *out);

/** Reads `value` as true or false; false, with a finding at its path and `*out` as it was, when it is neither. */
bool tree_bool(const struct tree *tree, const struct tree_value *value, bool *out);

/** True when `value` is there and says true in any spelling. */
bool tree_is_true(const struct tree_value *value);

/** The first value that is there of several paths separated by `|`, below `prefix`; NULL when there is none. */
const struct tree_value *tree_first(struct tree *tree, const char *prefix, const char *paths);
