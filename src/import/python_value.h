/* src/import/python_value.h - expressions of Python programs: where they end, and their values. */
#ifndef SHARDTOP_SRC_IMPORT_PYTHON_VALUE_H
#define SHARDTOP_SRC_IMPORT_PYTHON_VALUE_H

#include "src/text/keyval.h"

#include <stdbool.h>

/** A letter, a digit or an underscore. */
bool python_is_name(char c);

/** Past a string literal that begins at `p`, of one or three quotes; past a comment; past blanks and comments. */
const char *python_past_string(const char *p);
const char *python_past_comment(const char *p);
const char *python_past_blank(const char *p, const char *end);

/** Where an expression ends: a comma or a bracket of the call, or with `is_line` the line where nothing is open. */
const char *python_past_value(const char *p, bool is_line);

/**
 * The value of the expression from `p` to `end` in fresh memory: a literal, a list of them as `[a,b]`, arithmetic, with
 * the values that `names` have; NULL for one that is computed otherwise. python_literal() reads a literal alone.
 */
char *python_value(const struct keyvals *names, const char *p, const char *end);
char *python_literal(const struct keyvals *names, const char *p, const char *end);

#endif
