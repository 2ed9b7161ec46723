#include "src/keyval.h"

#include "src/text.h"

#include <stdlib.h>

void keyvals_add(struct keyvals *list, const char *key, const char *value, int line)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 32;
        list->item = xrealloc(list->item, list->capacity * sizeof *list->item);
    }
    list->item[list->count++] = (struct keyval){xstrdup(key), xstrdup(value), line};
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
