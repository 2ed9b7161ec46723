/*
 * src/text/node.h - a parsed text as values, lists and mappings, each with its line; src/text/yaml.c and json.c build
 * it.
 */
#ifndef SHARDTOP_SRC_TEXT_NODE_H
#define SHARDTOP_SRC_TEXT_NODE_H

#include <stdbool.h>
#include <stddef.h>

struct errors;

enum node_kind { NODE_VALUE, NODE_LIST, NODE_MAPPING };

/** One value, list or mapping. */
struct node {
    enum node_kind kind;
    char *key;    /* of a member of a mapping; NULL when it is not plain text */
    char *text;   /* of a value, as it is written (numbers of JSON: the shortest text); NULL for lists and mappings */
    bool is_bare; /* a value without quotes: it may mean null */
    bool has_nul; /* the value goes on behind a NUL character */
    bool is_huge; /* a number of JSON beyond a double */
    int line, key_line;
    size_t count; /* of children */
    struct node *child, *next;
};

enum { NODE_DEPTH_MAX = 64 };

/** How much a text may hold, and what to say to one that holds more. */
struct node_limits {
    int items;  /* parsed */
    int values; /* with aliases written out */
    const char *if_deep, *if_many; /* what to do then */
};

/** What a parse in progress knows. */
struct node_parse {
    const struct node_limits *limits;
    const char *file;
    struct errors *errors;
    int values;
    int alias_line; /* of the first alias, 0 for none */
    bool is_over; /* too many values or too deep: said once */
};

/** A new node of this parse at `depth`; NULL once a limit is exceeded, which is said the first time. */
struct node *node_new(struct node_parse *parse, enum node_kind kind, int line, int depth);

/** `root` when the parse stayed within its limits; else NULL, and `root` is released. */
struct node *node_whole(struct node *root, const struct node_parse *parse);

/** Releases a node with everything below it; NULL is fine. */
void node_free(struct node *node);

#endif
