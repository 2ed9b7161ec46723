#include "src/import/tokenizer.h"

#include "core/base.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static const struct tokenizer rows[] = {
#define TOKENIZER(name, size, kind, source) {name, size, TOKENIZER_##kind, source},
#include "src/import/tokenizers.def"
#undef TOKENIZER
};

const struct tokenizer *tokenizer_find(const char *prefix, const char *name)
{
    enum { LONGEST = 512 };
    size_t n = strlen(prefix);
    const char *slash = strrchr(name, '/');
    const char *compared = strcmp(prefix, "file:") == 0 && slash ? slash + 1 : name;
    for (size_t i = 0; i < LENGTH(rows) && strlen(compared) < LONGEST; i++)
        for (const char *p = rows[i].name + n; strncmp(rows[i].name, prefix, n) == 0 && *p;) {
            char pattern[LONGEST];
            snprintf(pattern, sizeof pattern, "%.*s", (int)strcspn(p, "|"), p);
            if (fnmatch(pattern, compared, FNM_CASEFOLD) == 0)
                return &rows[i];
            p += strlen(pattern) + (p[strlen(pattern)] == '|');
        }
    return NULL;
}
