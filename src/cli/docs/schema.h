/* src/cli/docs/schema.h - what every JSON answer holds, as a JSON Schema (draft 2020-12). */
#pragma once

#include <stdbool.h>

struct buffer;
struct errors;

/** A row of what JSON answers hold. */
struct schema_member {
    /* begins what this names: an object or, with a type, a type; NULL for a member of the last one */
    const char *shape;
    const char *name, *type, *about;
    bool is_always; /* else it may be missing */
};

/**
 * Hands over all that answers hold, in the order of src/cli/docs/schema.def, words last; an object's members follow
 * it.
 */
void schema_each(void (*each)(void *context, const struct schema_member *member), void *context);

/**
 * Appends the schema of a command's answer, or with NULL of all. Returns 0, or -1 with a fault added for no such
 * command.
 */
int schema_write(struct buffer *out, const char *command, struct errors *errors);
