/* src/text/keyval.h - key/value pairs as text with the line they came from: what every reader of input produces. */
#ifndef SHARDTOP_SRC_TEXT_KEYVAL_H
#define SHARDTOP_SRC_TEXT_KEYVAL_H

#include <stddef.h>

/** One setting as it was written. */
struct keyval {
    char *key;   /* plan key in dotted form, or its unique last part */
    char *value; /* the text of the value; lists as `[1,2,3]` */
    int line;    /* 1-based line in its file, 0 when there is none */
};

/** Settings in the order they were read; zero-initialise, release with keyvals_free(). */
struct keyvals {
    struct keyval *item;
    size_t count, capacity;
};

/** Appends a copy of one setting. */
void keyvals_add(struct keyvals *list, const char *key, const char *value, int line);

/** Appends copies of the settings of another list. */
void keyvals_join(struct keyvals *to, const struct keyvals *from);

/** The last setting of a key, NULL when there is none. */
const struct keyval *keyvals_last(const struct keyvals *list, const char *key);

/** Releases all settings and leaves an empty list. */
void keyvals_free(struct keyvals *list);

#endif
