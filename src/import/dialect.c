#include "src/import/dialect.h"

#include "core/base.h"
#include "src/import/recognise.h"
#include "src/text/keyval.h"
#include "src/text/text.h"
#include "src/text/tree.h"

#include <stdlib.h>
#include <string.h>

static const struct dialect {
    const char *framework, *holds, *names, *silent;
} rows[] = {
#define DIALECT(id, framework, holds, names, silent) {framework, holds, names, silent},
#include "src/import/dialects.def"
};

static const struct dialect *find(const struct tree *tree)
{
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (recognise_holds(tree, rows[i].holds))
            return &rows[i];
    return NULL;
}

/* Calls `take` for every `a=b` of a list. */
static void each_pair(struct tree *tree, const char *list, void (*take)(struct tree *tree, char *from, char *to))
{
    char *copy = xstrdup(list), *state = NULL;
    for (char *word = strtok_r(copy, " ", &state); word; word = strtok_r(NULL, " ", &state)) {
        char *equals = strchr(word, '=');
        *equals = '\0';
        take(tree, word, equals + 1);
    }
    free(copy);
}

static void rename_value(struct tree *tree, char *from, char *to)
{
    if (tree_peek(tree, to))
        return;
    for (size_t i = 0; i < tree->count; i++)
        if (strcmp(tree->item[i].path, from) == 0) {
            free(tree->item[i].path);
            tree->item[i].path = xstrdup(to);
        }
}

static void add_silent(struct tree *tree, char *key, char *value)
{
    static const char *const same[][2] = {
        {"lora_r", "lora_rank"}, {"method", "use_lora"}, {"method", "full_finetune"},
        {"model_max_length", "max_length"},
        {"model_max_length", "max_seq_length"}, {"model_max_length", "block_size"}};
    struct keyvals one = {0};
    bool is_said = false; /* or left open */
    for (size_t i = 0; i < tree->count; i++)
        is_said |= strcmp(tree->item[i].path, key) == 0;
    for (size_t i = 0; i < LENGTH(same); i++)
        is_said |= strcmp(same[i][0], key) == 0 && tree_peek(tree, same[i][1]);
    if (!is_said) {
        keyvals_add(&one, key, value, DIALECT_SILENT);
        tree_override(tree, &one);
    }
    keyvals_free(&one);
}

void dialect_rename(struct tree *tree, const char *names)
{
    each_pair(tree, names, rename_value);
}

const char *dialect_of(const struct tree *tree)
{
    const struct dialect *row = find(tree);
    return row ? row->framework : NULL;
}

const char *dialect_apply(struct tree *tree)
{
    const struct dialect *row = find(tree);
    if (!row)
        return NULL;
    each_pair(tree, row->names, rename_value);
    each_pair(tree, row->silent, add_silent);
    return row->framework;
}
