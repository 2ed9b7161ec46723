/*
 * src/import/arguments.h - a script's own arguments by name: `MODEL_SIZE=$2` makes `-- MODEL_SIZE=7B` its second one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct errors;
struct import;
struct keyvals;

/** Finds lines that give an argument a name; `out` gets the names with their number, in the order of the numbers. */
void arguments_name(const char *text, size_t size, struct keyvals *out);

/** True when the caller gives arguments by these names. */
bool arguments_are_named(const struct import *import, const struct keyvals *names);

/** Adds a fault for each of them that has none of the names. */
void arguments_check(const struct import *import, const struct keyvals *names, const char *file, struct errors *errors);

/** The value that the caller gives by name to an argument with this number; NULL for none. */
const char *arguments_given(const struct import *import, const struct keyvals *names, const char *number);

/** The name of an argument; NULL for none. */
const char *arguments_name_of(const struct keyvals *names, const char *number);

/** All arguments, ready to paste, in allocated memory; NULL if there are none or the caller gave some. */
char *arguments_all(const struct import *import, const struct keyvals *names);

/**
 * Remarks once on the arguments that decide settings, as what is to be typed; on all of them where the program or its
 * configuration is open.
 */
void arguments_note(const struct import *import, const struct keyvals *names, const char *file, bool is_open,
                    struct errors *errors);
