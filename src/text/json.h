/* src/text/json.h - parses JSON into nodes; json.c is the only file that includes cJSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct node;
struct node_parse;

/**
 * Parses one value from `text`, which is NUL-terminated after `size` bytes and must outlive the nodes' `source`.
 * Numbers are normalised to the shortest text of the same value, or Infinity and -Infinity. Returns NULL with an error
 * added for invalid syntax, text after the value, nesting beyond 64, or too many values.
 */
struct node *json_parse(const char *text, size_t size, struct node_parse *parse);

/**
 * Converts the JSON dialect that Python readers accept into JSON, in new memory: removes comments (`//`, `#`, slash and
 * star) and trailing commas, turns NaN into null, Infinity into an out-of-range number and lone surrogate escapes into
 * `?`. Line numbers are preserved.
 */
char *json_clean(const char *text, size_t size);
