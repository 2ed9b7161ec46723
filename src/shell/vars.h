/* src/shell/vars.h - the variables of a script. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct shell;
struct words;

/** A variable with its marked values: one, or any number for an array. */
struct variable {
    char *name;
    char **item;
    size_t count;
    bool is_array;
    int line;
    int construct, branch; /* undecided construct and its branch in which the value was given */
};

/** The variable of this name, NULL when the script has none. */
struct variable *variable_find(const struct shell *sh, const char *name);

/** The same, or a new one with the value that the caller gave for this name. */
struct variable *variable_known(struct shell *sh, const char *name);

/** `name=value` or `name=(values)`; with `is_added`, `+=`. */
void variable_assign(struct shell *sh, const char *name, const struct words *value, bool is_array, bool is_added,
                     int line);
/** Makes its value unknown. */
void variable_set_unknown(struct shell *sh, const char *name, int reason, int line);

/**
 * The name under which the element of a key is kept, `name[key]`, in fresh memory; marks and quotes of the key are left
 * out.
 */
char *element_name(const char *name, const char *key);

/** Takes all values away. */
void variable_clear(struct variable *v);
