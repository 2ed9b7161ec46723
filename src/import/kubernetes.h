/* src/import/kubernetes.h - containers as nodes of YAML: their members, and their commands as a script. */
#pragma once

#include "src/text/node.h"

struct buffer;

/** The member of a mapping; NULL where there is none, or no mapping. */
const struct node *kubernetes_member(const struct node *mapping, const char *key);

/** The text of a value; "" for anything else. */
const char *kubernetes_text(const struct node *node);

/** Its positive whole number; 0 for anything else. */
long kubernetes_count(const struct node *node);

/** GPUs that a container asks for; 0 for none. */
long kubernetes_gpus(const struct node *container);

/** Appends the command of a container as a line of a script. */
void kubernetes_put_command(struct buffer *out, const struct node *container);

/** Reads the documents of a text, `max` at most; free each with node_free(). Returns how many there are. */
size_t kubernetes_parse(const char *text, const char *name, struct node **root, size_t max, struct errors *errors);
