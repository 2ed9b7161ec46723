#include "src/import/entry.h"

#include "core/base.h"
#include "src/import/words.h"

#include <string.h>

const char *const entry_does[ENTRY_KINDS] = {
    [ENTRY_UNKNOWN] = "is unknown",
    [ENTRY_TRAINS] = "trains",
    [ENTRY_SERVES] = "generates text",
    [ENTRY_EVALUATES] = "evaluates a model",
    [ENTRY_CONVERTS] = "converts checkpoints",
    [ENTRY_PREPARES] = "prepares data",
    [ENTRY_MEASURES] = "measures hardware",
};

static const struct {
    const char *words;
    enum entry_kind kind;
} rows[] = {
#define ENTRY(words, kind) {words, ENTRY_##kind},
#include "src/import/entries.def"
};

enum entry_kind entry_kind_of(const char *program)
{
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (words_all(name, rows[i].words))
            return rows[i].kind;
    for (size_t i = 0; i < LENGTH(rows) && slash; i++)
        if (rows[i].kind != ENTRY_TRAINS && words_all(program, rows[i].words))
            return rows[i].kind;
    return ENTRY_UNKNOWN;
}
