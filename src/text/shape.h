/*
 * src/text/shape.h - reads files with a fixed schema: models, GPUs, clusters, themes, settings; only shape.c includes
 * libcyaml.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct errors;
struct keyvals;

enum { SHAPE_KEYS_MAX = 96, SHAPE_BESIDE_MAX = 16 };

/** Schema of a file: scalar keys in one mapping, with optional keys beside it at the top level. */
struct shape {
    const char *what;  /* "a GPU file" */
    const char *if_other; /* hint for an unknown key: "remove it" */
    const char *group; /* key of the mapping; NULL when the mapping is the whole file */
    const char *key[SHAPE_KEYS_MAX];
    size_t count;      /* number of keys */
    const char *beside[SHAPE_BESIDE_MAX]; /* keys beside the group */
    size_t besides;
    const char *list;  /* the key of `beside` that accepts a list, joined with commas; may be NULL */
    bool has_lists;    /* keys of the group accept lists, joined with blanks */
};

/**
 * Reads a YAML file into settings `group.key`, or the plain key beside the group, as written and in file order. `null`
 * and empty values are skipped. Reports every error with its line: invalid syntax, unknown or duplicate keys, lists and
 * mappings in place of values, aliases. Returns 0, or -1 with errors added (`out` then holds what could be read).
 */
int shape_read(const char *text, size_t size, const char *file, const struct shape *shape, struct keyvals *out,
               struct errors *errors);
