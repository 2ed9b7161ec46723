/* src/import/table.h - tables that map the values of a foreign file to plan keys, and what no table has used. */
#ifndef SHARDTOP_SRC_IMPORT_TABLE_H
#define SHARDTOP_SRC_IMPORT_TABLE_H

#include "src/text/tree.h"

/**
 * Lists every part of the file without a used value once, by the shortest path that says so, leaving out `prefix`.
 * `why` becomes its value; NULL: by its name it changes neither memory nor time, or it is not known here.
 */
void tree_unused(const struct tree *tree, const char *prefix, const char *why, struct keyvals *out);

/** Sets `key` to a number in its shortest form. */
void keyvals_number(struct keyvals *list, const char *key, double value, int line);

struct import;

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

/**
 * Applies rows of a table, which lives as long as the program, below `prefix`; a word that is not among the choices is
 * remarked on. The import keeps the table for who writes a change back.
 */
void tree_apply(struct tree *tree, const char *prefix, const struct tree_row *rows, size_t count, struct import *out);

/**
 * Asks for the values that a file leaves open: `???`, `${NAME}`, `<path>`, `{{ hole }}`, a word such as BATCH_SIZE where a
 * number belongs, and `auto` with `has_auto`. They are then as good as null; the keys that they decide are those of the rows.
 */
void tree_ask_open(struct tree *tree, const struct tree_row *rows, size_t count, bool has_auto, struct import *out);

/** Keeps a table that nothing is read with: how to write what rules of the format read. */
void tree_keep(struct import *import, const char *prefix, const struct tree_row *rows, size_t count);

#endif
