/* src/text/node.h - syntax tree of values, lists and mappings with line numbers, built by yaml.c, json.c and toml.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct errors;

enum node_kind { NODE_VALUE, NODE_LIST, NODE_MAPPING };

/** One value, list or mapping. */
struct node {
    enum node_kind kind;
    char *key;    /* key of a mapping member; NULL when it is not plain text */
    char *text;   /* value as written (JSON numbers: shortest text); NULL for lists and mappings */
    bool is_bare; /* unquoted, so it may mean null */
    bool has_nul; /* the value contains a NUL character */
    bool is_huge; /* a JSON number beyond the range of a double */
    double number; /* value of a JSON number; NAN for any other JSON value */
    const char *source; /* JSON: the value in the input, `source_size` bytes */
    size_t source_size;
    int line, key_line;
    size_t count; /* number of children */
    struct node *child, *next;
};

enum { NODE_DEPTH_MAX = 64 };

/** Limits on a text, and the hint to give when one is exceeded. */
struct node_limits {
    int items;  /* parsed */
    int values; /* after expanding aliases */
    const char *if_deep, *if_many; /* hints */
};

/** State of a parse; set the limits, file and errors. */
struct node_parse {
    const struct node_limits *limits;
    const char *file;
    struct errors *errors;
    int values;
    int alias_line; /* line of the first alias, 0 for none */
    bool is_rfc; /* JSON: reject what cJSON accepts beyond RFC 8259 */
    size_t column; /* JSON: 1-based column of a syntax error; 0 for none */
    bool is_over; /* a limit was exceeded and reported */
};

/** Allocates a node at `depth`; NULL once a limit is exceeded, with an error added the first time. */
struct node *node_new(struct node_parse *parse, enum node_kind kind, int line, int depth);

/** Returns `root` when the parse stayed within its limits; else frees it and returns NULL. */
struct node *node_whole(struct node *root, const struct node_parse *parse);

/** Releases a node and its children; NULL is ignored. */
void node_free(struct node *node);
