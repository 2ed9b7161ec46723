/* src/import/tree.h - a foreign YAML or JSON file as values by path: tolerant where plans are strict. */
#ifndef SHARDTOP_SRC_IMPORT_TREE_H
#define SHARDTOP_SRC_IMPORT_TREE_H

#include <stdbool.h>
#include <stddef.h>

struct errors;
struct keyvals;

/** One value of a foreign file. */
struct tree_value {
    char *path; /* keys joined with dots; the members of a list of mappings are numbered: `stages.0.name` */
    char *text; /* the scalar as it is written; a list as `[a,b]` */
    int line;
    bool is_null, is_used;
};

/** A foreign file; zero-initialise, release with tree_free(). */
struct tree {
    const char *file; /* for messages */
    struct errors *errors;
    struct tree_value *item;
    size_t count, capacity;
    int visits; /* of the walk that built it */
};

/**
 * Reads a YAML or JSON mapping. A key twice in one mapping counts as written last, with a remark. Broken syntax,
 * something other than a mapping, nesting beyond 64, too many values, aliases that contain themselves or multiply are
 * faults. Bare `NaN` and `Infinity` stay text. Returns 0, or -1 with a fault added.
 */
int tree_read(const char *text, size_t size, const char *file, struct tree *out, struct errors *errors);

/** Releases all values and leaves an empty tree. */
void tree_free(struct tree *tree);

/** The value at `path`, even `null`, without marking it as used; NULL when there is none. */
const struct tree_value *tree_peek(const struct tree *tree, const char *path);

/** The value at `path`, marked as used; NULL when there is none or it is `null`. */
const struct tree_value *tree_find(struct tree *tree, const char *path);

/** True when there is anything at or below `path`. */
bool tree_has(const struct tree *tree, const char *path);

/** Marks everything at and below `path` as used. */
void tree_use(struct tree *tree, const char *path);

/** The line of the value at `path`, 0 when there is none. */
int tree_line(const struct tree *tree, const char *path);

/** Remarks on the value at `path`, in its line. */
void tree_note(const struct tree *tree, const char *path, const char *text);

/** Reads `value` as a finite number; false, with a fault at its path, when it is none. */
bool tree_number(const struct tree *tree, const struct tree_value *value, double *out);

/** Reads `value` as true or false; false, with a fault at its path, when it is neither. */
bool tree_bool(const struct tree *tree, const struct tree_value *value, bool *out);

/** True when `value` is there and says true in any spelling. */
bool tree_is_true(const struct tree_value *value);

/**
 * Lists every part of the file without a used value once, by the shortest path that says so, leaving out `prefix`.
 * `why` becomes its value.
 */
void tree_unused(const struct tree *tree, const char *prefix, const char *why, struct keyvals *out);

/** Sets `key` to a number in its shortest form. */
void keyvals_number(struct keyvals *list, const char *key, double value, int line);

/** How a value of a file becomes one of a plan. */
enum tree_kind {
    TREE_WHOLE,  /* a whole number from 0 on */
    TREE_NUMBER, /* any number from 0 on */
    TREE_BOOL,
    TREE_CHOICE, /* looked up in `choices`, whatever its case */
};

/** One pair of words; a list ends with a NULL. */
struct tree_choice {
    const char *from, *to;
};

/** One row of a table that maps a file to plan keys. */
struct tree_row {
    const char *path; /* one path, or several in order of preference, separated by `|` */
    const char *key;
    enum tree_kind kind;
    const struct tree_choice *choices;
};

/** Applies rows of a table below `prefix`; a word that is not among the choices is remarked on. */
void tree_apply(struct tree *tree, const char *prefix, const struct tree_row *rows, size_t count, struct keyvals *out);

/** The first value that is there of several paths separated by `|`, below `prefix`; NULL when there is none. */
const struct tree_value *tree_first(struct tree *tree, const char *prefix, const char *paths);

/** True when a text seems to be a JSON object in which one of `keys` (NULL-terminated) is a key, at any depth. */
bool json_has_key(const char *text, size_t size, const char *const keys[]);

#endif
