#include "core/show/glossary.h"

#include "core/base.h"
#include "core/plan/nearest.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

const struct glossary_row glossary[] = {
#define TERM(...) {__VA_ARGS__},
#include "core/show/glossary.def"
};
const int glossary_count = LENGTH(glossary);

/* The first item of a list, or the one behind `item`; its length in `*size`. NULL past the end. */
static const char *next_item(const char *list, const char *item, size_t *size)
{
    const char *at = item ? item + *size : list;
    at += item && *at == '|';
    *size = strcspn(at, "|");
    return *at ? at : NULL;
}

/* ---- by name ----------------------------------------------------------------------------------------------------- */

/* How well a name answers: 3 it is that, 2 begins so, 1 one slip away, 0 not. */
static int rank_of(const char *name, size_t size, const char *text)
{
    enum { NAME_MAX_BYTES = 64 };
    char copy[NAME_MAX_BYTES];
    size_t n = strlen(text);
    size = size < sizeof copy ? size : sizeof copy - 1;
    memcpy(copy, name, size);
    copy[size] = '\0';
    if (strcasecmp(copy, text) == 0)
        return 3;
    if (n > 1 && n < size && strncasecmp(copy, text, n) == 0)
        return 2;
    return n > 3 && text_distance(copy, text) == 1;
}

const struct glossary_row *glossary_find(const char *text)
{
    const struct glossary_row *best = NULL;
    int most = 0;
    for (const struct glossary_row *row = glossary; row < glossary + glossary_count; row++) {
        size_t size = 0;
        int rank = rank_of(row->term, strlen(row->term), text);
        for (const char *name = NULL; (name = next_item(row->also, name, &size));) {
            int other = rank_of(name, size, text);
            rank = other > rank ? other : rank;
        }
        best = rank > most ? row : best;
        most = rank > most ? rank : most;
    }
    return best;
}

/* ---- by what they are about -------------------------------------------------------------------------------------- */

/* True when two paths differ in their numbers at most. */
static bool is_same_path(const char *a, size_t size, const char *b)
{
    static const char digits[] = "0123456789";
    const char *end = a + size;
    while (a < end && *b) {
        size_t n = strspn(a, digits), m = strspn(b, digits);
        if (n > 0 && m > 0) {
            a += n;
            b += m;
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return a >= end && !*b;
}

static bool has_path(const char *list, const char *path)
{
    size_t size = 0;
    for (const char *item = NULL; (item = next_item(list, item, &size));)
        if (is_same_path(item, size, path))
            return true;
    return false;
}

const struct glossary_row *glossary_about(const char *path, const struct glossary_row *after)
{
    for (const struct glossary_row *row = after ? after + 1 : glossary; row < glossary + glossary_count; row++)
        if (has_path(row->keys, path) || has_path(row->paths, path))
            return row;
    return NULL;
}
