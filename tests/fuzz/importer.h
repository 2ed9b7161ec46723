/*
 * tests/fuzz/importer.h - what every importer has to do with any text: a fault where it is refused, else settings for a
 * plan.
 */
#pragma once

#include "core/plan/plan.h"
#include "src/import/import.h"
#include "src/import/recognise.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"

#include <stdlib.h>
#include <string.h>

/* Takes what an importer answered into a plan and frees it; 0 when all of it holds. */
static int fuzz_apply(int result, struct import *import, struct errors *errors, struct plan *plan)
{
    if ((result == 0) == errors_any(errors))
        abort();
    plan_clear(plan);
    if (result == 0)
        result = plan_apply_import(plan, import, "fuzz", FROM_FILE, errors);
    import_free(import);
    errors_free(errors);
    return result;
}

/* Reads a text by each of the importers. */
static inline void fuzz_importers(importer *const readers[], size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++) {
        struct import import = {0};
        struct errors errors = {0};
        struct plan plan;
        int result = readers[i](text, strlen(text), "fuzz", &import, &errors);
        fuzz_apply(result, &import, &errors, &plan);
    }
}
