/* src/text/toml.h - TOML text as nodes: tables, arrays of tables, inline tables, arrays, strings, numbers, booleans. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct node;
struct node_parse;

/** True when the first lines of a text that say something are those of TOML: `[table]`, or `key = value`. */
bool toml_recognise(const char *text);

/**
 * Reads a text that ends in a NUL. Dates stay text. Broken syntax, nesting beyond 64 and more than the limits allow are
 * faults, and then the answer is NULL. Source: toml.io, version 1.0.
 */
struct node *toml_parse(const char *text, struct node_parse *parse);
