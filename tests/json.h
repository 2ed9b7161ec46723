/* tests/json.h - JSON that the program printed, as nodes; anything beyond RFC 8259 is refused. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "src/text/errors.h"
#include "src/text/json.h"
#include "src/text/node.h"

/** The value of `size` bytes at `text`, which are followed by a NUL or a line's end; NULL when it is not JSON. */
static inline struct node *json_nodes(const char *text, size_t size)
{
    static const struct node_limits limits = {0, 1 << 24, "", ""};
    struct errors errors = {0};
    struct node_parse parse = {.limits = &limits, .errors = &errors, .is_rfc = true};
    char *line = strndup(text, size);
    struct node *root = line ? json_parse(line, strlen(line), &parse) : NULL;
    errors_free(&errors);
    free(line);
    return root;
}

/** Whether the text is JSON. */
static inline bool json_is_valid(const char *text, size_t size)
{
    struct node *root = json_nodes(text, size);
    node_free(root);
    return root != NULL;
}

/** The last member of this name; NULL for none. */
static inline const struct node *json_member(const struct node *object, const char *name)
{
    const struct node *found = NULL;
    for (const struct node *member = object ? object->child : NULL; member; member = member->next)
        if (member->key && strcmp(member->key, name) == 0)
            found = member;
    return found;
}
