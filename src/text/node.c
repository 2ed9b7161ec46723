#include "src/text/node.h"

#include "src/text/errors.h"
#include "src/text/text.h"

#include <stdlib.h>

struct node *node_new(struct node_parse *parse, enum node_kind kind, int line, int depth)
{
    if (parse->is_over)
        return NULL;
    parse->is_over = depth > NODE_DEPTH_MAX || ++parse->values > parse->limits->values;
    if (!parse->is_over) {
        struct node *node = xmalloc(sizeof *node);
        *node = (struct node){.kind = kind, .line = line, .key_line = line};
        return node;
    }
    if (depth > NODE_DEPTH_MAX)
        errors_add(parse->errors, parse->file, line, NULL, "an alias contains itself; write the value out");
    else
        errors_add(parse->errors, parse->file, line, NULL, "has more than %d values%s; %s", parse->limits->values,
                   parse->alias_line ? ", aliases written out" : "", parse->limits->if_many);
    return NULL;
}

struct node *node_whole(struct node *root, const struct node_parse *parse)
{
    if (!parse->is_over)
        return root;
    node_free(root);
    return NULL;
}

void node_free(struct node *node)
{
    while (node) {
        struct node *next = node->next;
        node_free(node->child);
        free(node->key);
        free(node->text);
        free(node);
        node = next;
    }
}
