/* src/cli/verbs/list.h - what there is: presets, frameworks, schedules and plan keys, as a table or as JSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/plan/key.h"

struct buffer;
struct errors;
struct table_column;

/** What can be listed, ended by NULL: "models", "gpus", ... */
extern const char *const list_names[];

/** Appends the list `what`. Returns 0, or -1 with a fault added. */
int list_write(struct buffer *out, const char *what, bool json, struct errors *errors);

/** The columns of a list, which are the members of its JSON objects; NULL and none for "keys" and what is no list. */
const struct table_column *list_columns(const char *what, size_t *count);

/** Writes what a blank of this key becomes, in words: one value, or one for each framework that has its own. */
void list_key_default(enum param id, char *out, size_t size);
