/* src/list.h - what there is: presets, frameworks, schedules and plan keys, as a table or as JSON. */
#ifndef SHARDTOP_SRC_LIST_H
#define SHARDTOP_SRC_LIST_H

#include <stdbool.h>

struct buffer;
struct errors;

/** What can be listed, ended by NULL: "models", "gpus", ... */
extern const char *const list_names[];

/** Appends the list `what`. Returns 0, or -1 with a fault added. */
int list_write(struct buffer *out, const char *what, bool json, struct errors *errors);

#endif
