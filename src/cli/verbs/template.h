/* src/cli/verbs/template.h - `shardtop list KIND NAME --yaml`: a file to start one's own from. */
#pragma once

struct buffer;
struct errors;

/**
 * Appends the template of a list ("gpus", "models", "clusters", "frameworks", "plans"): every key with its value in
 * NAME, its unit and its meaning; keys that NAME leaves out are comments. Returns 0, or -1 with a fault added.
 */
int template_write(struct buffer *out, const char *list, const char *name, struct errors *errors);
