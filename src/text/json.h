/*
 * src/text/json.h - JSON text as nodes; the only file that knows cJSON. Streams of many short lines:
 * src/text/json_pull.h.
 */
#ifndef SHARDTOP_SRC_TEXT_JSON_H
#define SHARDTOP_SRC_TEXT_JSON_H

#include <stdbool.h>
#include <stddef.h>

struct node;
struct node_parse;

/**
 * Reads one value from `text`, which has a NUL behind its `size` bytes. Numbers become the shortest text of the same
 * value, or Infinity and -Infinity. Broken syntax, anything behind the value, nesting beyond 64 and more than the
 * limits allow are faults, and then the answer is NULL.
 */
struct node *json_parse(const char *text, size_t size, struct node_parse *parse);

/**
 * A copy of what readers in Python take for JSON as JSON: comments (`//`, `#`, slash and star) and commas before a
 * closing bracket go, NaN becomes null, Infinity a number beyond all others, an escaped half of a character `?`. Lines
 * stay.
 */
char *json_clean(const char *text, size_t size);

#endif
