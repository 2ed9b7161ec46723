/* src/shell/condition.h - the conditions `[ ]`, `[[ ]]` and `test`, and how far the outcome of a command is known. */
#pragma once

#include <stdbool.h>

struct reader;
struct shell;
struct words;

/** ASSUMED counts as success between commands and as not known in a condition. */
enum truth { NO, YES, MAYBE, ASSUMED };

/** Exit status of a command. */
struct verdict {
    enum truth truth;
    int doubt; /* reason why the status might be another, 0 for none */
};

/** `! a`. */
struct verdict verdict_not(struct verdict v);

/** `a && b` (is_and) or `a || b`. */
struct verdict verdict_join(struct verdict a, struct verdict b, bool is_and);

/** `[ ... ]` or `test ...`, already expanded. */
struct verdict test_command(struct shell *sh, const struct words *w);

/** `[[ ... ]]` at the reader, past which it moves. */
struct verdict test_double_bracket(struct shell *sh, struct reader *r);
