/* src/text/spans.h - where each setting of a YAML or JSON text stands, so that one can be changed alone. */
#ifndef SHARDTOP_SRC_TEXT_SPANS_H
#define SHARDTOP_SRC_TEXT_SPANS_H

#include <stdbool.h>
#include <stddef.h>

/** One `key: value`, or a mapping that has such. Ranges are bytes of the text, their ends left out. */
struct span {
    char *path;              /* keys joined with dots; "" for the whole mapping */
    char *anchor;            /* "&name " before the value, or NULL */
    size_t key;              /* begin of the key */
    size_t value, value_end; /* the value; empty where there is none */
    int parent;              /* index of the mapping that it belongs to; -1 for the whole one */
    int last;                /* of a mapping: index of its last member; -1 when it is empty or no mapping */
    int first;               /* the same of its first member */
    bool is_mapping, is_flow; /* flow: a mapping in braces */
    bool is_fixed;           /* a text over several lines, or another value's alias: not to be replaced */
};

/** All settings in the order of the text, the whole mapping first; zero-initialise, release with spans_free(). */
struct spans {
    struct span *item;
    size_t count, capacity;
};

/** Reads one document. Returns 0, or -1 where it is no single mapping of plain keys. */
int spans_read(const char *text, size_t size, struct spans *out);

/** Releases all and leaves an empty list. */
void spans_free(struct spans *spans);

#endif
