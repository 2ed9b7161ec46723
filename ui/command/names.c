#include "ui/command/names.h"

#include "core/base.h"
#include "core/plan/match.h"

#include <string.h>

static const struct {
    const char *item, *names;
} rows[] = {
#define NAMES(item, names) {item, names},
#define IGNORED(name)
#include "ui/command/names.def"
#undef NAMES
#undef IGNORED
};

static const char *const ignored[] = {
#define NAMES(item, names)
#define IGNORED(name) name,
#include "ui/command/names.def"
#undef NAMES
#undef IGNORED
};

const char *names_of(const char *item)
{
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (strcmp(rows[i].item, item) == 0)
            return rows[i].names;
    return "";
}

const char *names_item(const char *text)
{
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (match_same(text, rows[i].names))
            return rows[i].item;
    return NULL;
}

bool names_are_ignored(const char *text)
{
    for (size_t i = 0; i < LENGTH(ignored); i++)
        if (match_same(text, ignored[i]))
            return true;
    return false;
}
