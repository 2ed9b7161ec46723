/*
 * src/text/shape.h - files of fixed shape, read with a schema: models, GPUs, clusters, themes, settings; the only file
 * that knows libcyaml.
 */
#ifndef SHARDTOP_SRC_TEXT_SHAPE_H
#define SHARDTOP_SRC_TEXT_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

struct errors;
struct keyvals;

enum { SHAPE_KEYS_MAX = 96, SHAPE_BESIDE_MAX = 16 };

/** What such a file may hold: texts by key, in one mapping, or in one with others beside it. */
struct shape {
    const char *what;  /* "a GPU file" */
    const char *if_other; /* what to do with a key that is none of these: "remove it" */
    const char *group; /* the key below which the mapping stands; NULL: it is the whole file */
    const char *key[SHAPE_KEYS_MAX];
    size_t count;      /* of keys */
    const char *beside[SHAPE_BESIDE_MAX]; /* keys that stand beside the group */
    size_t besides;
    const char *list;  /* of those, the one that may be a list of texts, which comes with commas between; NULL: none */
    bool has_lists;    /* those of the group may be lists of texts, which come with blanks between */
};

/**
 * Reads a YAML file. What is given comes as `group.key`, or the key beside the group, with the text as it is written,
 * in the order of the file; `null` and nothing leave a key out. Every fault is added with its line: broken syntax,
 * other keys, a key twice, lists and mappings for values, aliases. Returns 0, or -1 when a fault was added (`out` then
 * holds what could be read).
 */
int shape_read(const char *text, size_t size, const char *file, const struct shape *shape, struct keyvals *out,
               struct errors *errors);

#endif
