/* src/import/python_value.h - expressions of Python programs: where they end, and their values. */
#pragma once

#include "src/text/keyval.h"

#include <stdbool.h>

/** Stands for a value that is computed, or depends on a condition; a name that has it is not known. */
#define PYTHON_OPEN "???"

/** A letter, a digit or an underscore. */
bool python_is_name(char c);

/** Past a string literal that begins at `p`, of one or three quotes. */
const char *python_past_string(const char *p);

/** The end of the line, where a comment ends. */
const char *python_past_comment(const char *p);

/** Past blanks and comments, at most to `end`. */
const char *python_past_blank(const char *p, const char *end);

/** Where an expression ends: a comma or a bracket of the call, or with `is_line` the line where nothing is open. */
const char *python_past_value(const char *p, bool is_line);

/**
 * The value of the expression from `p` to `end` in fresh memory: a literal, a list of them as `[a,b]`, arithmetic, with
 * the values that `names` have; NULL for one that is computed otherwise.
 */
char *python_value(const struct keyvals *names, const char *p, const char *end);

/** The same of a literal or a name alone. */
char *python_literal(const struct keyvals *names, const char *p, const char *end);
