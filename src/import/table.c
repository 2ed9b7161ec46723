#include "src/import/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/plan/number.h"
#include "src/import/import.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/text.h"

enum { UNUSED_MAX = 300 };

/* ---- what is not used ---------------------------------------------------------------------------------------------- */

/* The number of bytes of the shortest leading part of `path` that has no used value below it. */
static size_t unused_part(const struct tree *tree, const char *path, const size_t *used, size_t count)
{
    size_t n = 0;
    for (;;) {
        n += strcspn(path + n, ".");
        bool is_shared = false;
        for (size_t i = 0; i < count && !is_shared; i++)
            is_shared = tree_is_below(tree->item[used[i]].path, path, n);
        if (!is_shared || !path[n])
            return n;
        n++;
    }
}

void tree_unused(const struct tree *tree, const char *prefix, const char *why, struct keyvals *out)
{
    size_t *used = xmalloc((tree->count + 1) * sizeof *used), count = 0, skip = strlen(prefix);
    for (size_t i = 0; i < tree->count; i++)
        if (tree->item[i].is_used)
            used[count++] = i;
    const char *last = "";
    size_t last_size = 0;
    for (size_t i = 0; i < tree->count && out->count < UNUSED_MAX; i++) {
        const char *path = tree->item[i].path;
        if (tree->item[i].is_used || (last_size && tree_is_below(path, last, last_size)))
            continue;
        last = path;
        last_size = unused_part(tree, path, used, count);
        char *name = xstrndup(path, last_size);
        keyvals_add(out, strncmp(name, prefix, skip) == 0 ? name + skip : name, why, tree->item[i].line);
        free(name);
    }
    free(used);
}

/* ---- tables -------------------------------------------------------------------------------------------------------- */

void keyvals_number(struct keyvals *list, const char *key, double value, int line)
{
    char text[40];
    number_print(value, text, sizeof text);
    keyvals_add(list, key, text, line);
}

static void apply_choice(const struct tree *tree, const struct tree_row *row, const struct tree_value *value,
                         struct keyvals *out)
{
    for (const struct tree_choice *choice = row->choices; choice->from; choice++)
        if (strcasecmp(choice->from, value->text) == 0) {
            keyvals_add(out, row->key, choice->to, value->line);
            return;
        }
    errors_note(tree->errors, tree->file, value->line, value->path, "%s has no counterpart here; give %s with --set",
                value->text, row->key);
}

static void apply_number(const struct tree *tree, const struct tree_row *row, const struct tree_value *value,
                         struct keyvals *out)
{
    double number;
    if (!tree_number(tree, value, &number))
        return;
    if (number < 0 || (row->kind == TREE_WHOLE && number != floor(number)))
        errors_add(tree->errors, tree->file, value->line, value->path, "%s is not a %snumber from 0 on; write one",
                   value->text, row->kind == TREE_WHOLE ? "whole " : "");
    else
        keyvals_number(out, row->key, number, value->line);
}

void tree_keep(struct import *out, const char *prefix, const struct tree_row *rows, size_t count)
{
    out->table = xrealloc(out->table, (out->tables + 1) * sizeof *out->table);
    out->table[out->tables++] = (struct import_table){xstrdup(prefix), rows, count};
}

void tree_apply(struct tree *tree, const char *prefix, const struct tree_row *rows, size_t count, struct import *import)
{
    struct keyvals *out = &import->settings;
    tree_keep(import, prefix, rows, count);
    for (const struct tree_row *row = rows; row < rows + count; row++) {
        const struct tree_value *value = tree_first(tree, prefix, row->path);
        bool is = false;
        if (!value)
            continue;
        if (row->kind == TREE_CHOICE)
            apply_choice(tree, row, value, out);
        else if (row->kind != TREE_BOOL)
            apply_number(tree, row, value, out);
        else if (tree_bool(tree, value, &is))
            keyvals_add(out, row->key, is ? "true" : "false", value->line);
    }
}
