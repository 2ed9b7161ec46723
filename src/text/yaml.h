/* src/text/yaml.h - YAML text as settings; with src/import/tree.h the only user of libyaml. */
#ifndef SHARDTOP_SRC_TEXT_YAML_H
#define SHARDTOP_SRC_TEXT_YAML_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct errors;
struct keyvals;

/**
 * Reads one mapping. Keys of nested mappings are joined with dots, lists become `[a,b,[c]]`, `null`, `~` and nothing
 * become "", tags are ignored, every other scalar stays the text that it is. A nested mapping that is empty adds
 * nothing. Every fault is added with its line: broken syntax, a key twice in one mapping, keys that are not text, a list
 * of mappings, a second document, nesting beyond 64, too many keys, aliases that contain themselves or multiply.
 * Returns 0, or -1 when a fault was added (`out` then holds what could be read).
 */
int yaml_read(const char *text, size_t size, const char *name, struct keyvals *out, struct errors *errors);

/** Appends `text` as a YAML scalar, double-quoted where it has to be. */
void yaml_scalar(struct buffer *out, const char *text);

#endif
