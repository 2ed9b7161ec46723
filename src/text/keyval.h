/* src/text/keyval.h - key/value settings with their source lines, as produced by every input reader. */
#pragma once

#include <stddef.h>

/** One setting as written. */
struct keyval {
    char *key;   /* dotted plan key, or its unique last part */
    char *value; /* value as text; lists as `[1,2,3]` */
    int line;    /* 1-based line in its file, 0 for none */
};

/** Settings in input order; zero-initialise, release with keyvals_free(). */
struct keyvals {
    struct keyval *item;
    size_t count, capacity;
};

/** Appends a copy of one setting. */
void keyvals_add(struct keyvals *list, const char *key, const char *value, int line);

/** Appends copies of all settings of another list. */
void keyvals_join(struct keyvals *to, const struct keyvals *from);

/** The last setting of a key; NULL when it is not set. */
const struct keyval *keyvals_last(const struct keyvals *list, const char *key);

/** Removes every setting of a key. */
void keyvals_drop(struct keyvals *list, const char *key);

/** Releases all settings and resets the list. */
void keyvals_free(struct keyvals *list);
