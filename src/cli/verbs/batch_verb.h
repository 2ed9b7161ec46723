/* src/cli/verbs/batch_verb.h - requests of `shardtop batch` for what a command answers. */
#pragma once

struct buffer;
struct errors;
struct node;

struct keyvals;

/**
 * Reads a request's plan as settings; null resets a key to its default. Returns 0, or -1 with a fault added, as for an
 * empty string.
 */
int batch_settings(const struct node *plan, struct keyvals *out, struct errors *errors);

/** A command, a plan, and the command's options: `{"top": 3, "where": ["tp<=8"]}`; for sweep `keys`: {key: values}. */
struct batch_verb {
    const char *name;
    const struct node *plan, *options;
};

/** Appends the answer of `shardtop NAME --json` on one line. Returns 0, or -1 with a fault added. */
int batch_verb_answer(const struct batch_verb *verb, struct buffer *out, struct errors *errors);
