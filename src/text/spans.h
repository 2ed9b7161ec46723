/* src/text/spans.h - byte ranges of the settings in a YAML or JSON text, for editing one in place. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/** One `key: value` or mapping. Ranges are byte offsets, end exclusive. */
struct span {
    char *path;              /* keys joined with dots; "" for the root mapping */
    char *anchor;            /* "&name " before the value, or NULL */
    size_t key;              /* start of the key */
    size_t value, value_end; /* range of the value; empty when there is none */
    int parent;              /* index of the parent mapping; -1 for the root */
    int last;                /* mapping: index of its last member; -1 when empty or not a mapping */
    int first;               /* index of its first member, likewise */
    bool is_mapping, is_flow; /* flow: a mapping in braces */
    bool is_fixed;           /* a multi-line text or an alias: cannot be replaced */
};

/** All settings in text order, the root mapping first; zero-initialise, release with spans_free(). */
struct spans {
    struct span *item;
    size_t count, capacity;
};

/** Reads one document. Returns 0, or -1 when it is not a single mapping with plain keys. */
int spans_read(const char *text, size_t size, struct spans *out);

/** Releases all spans and resets the list. */
void spans_free(struct spans *spans);
