/* src/text/yaml.h - YAML text as nodes; the only file that knows libyaml. */
#pragma once

#include <stddef.h>

struct buffer;
struct node;
struct node_parse;

/**
 * Reads the documents of a text: the first, and with `next` (may be NULL) what follows it, both NULL where there is
 * none. Aliases are written out, tags ignored. Broken syntax, nesting beyond 64, aliases that contain themselves and
 * more than the limits allow are faults, and then the answer is NULL.
 */
struct node *yaml_parse(const char *text, size_t size, struct node_parse *parse, struct node **next);

/** Appends `text` as a YAML scalar, double-quoted where it has to be. */
void yaml_scalar(struct buffer *out, const char *text);
