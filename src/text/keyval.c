#include "src/text/keyval.h"

#include "src/text/text.h"

#include <stdlib.h>
#include <string.h>

void keyvals_add(struct keyvals *list, const char *key, const char *value, int line)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 32;
        list->item = xrealloc(list->item, list->capacity * sizeof *list->item);
    }
    list->item[list->count++] = (struct keyval){xstrdup(key), xstrdup(value), line};
}

void keyvals_join(struct keyvals *to, const struct keyvals *from)
{
    for (size_t i = 0; i < from->count; i++)
        keyvals_add(to, from->item[i].key, from->item[i].value, from->item[i].line);
}

const struct keyval *keyvals_last(const struct keyvals *list, const char *key)
{
    for (size_t i = list->count; i > 0; i--)
        if (strcmp(list->item[i - 1].key, key) == 0)
            return &list->item[i - 1];
    return NULL;
}

void keyvals_drop(struct keyvals *list, const char *key)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct keyval *it = &list->item[i];
        if (strcmp(it->key, key) != 0) {
            list->item[kept++] = *it;
            continue;
        }
        free(it->key);
        free(it->value);
    }
    list->count = kept;
}

void keyvals_free(struct keyvals *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->item[i].key);
        free(list->item[i].value);
    }
    free(list->item);
    *list = (struct keyvals){0};
}
