/*
 * Any bytes as a Hugging Face config.json: no crash, no leak, bounded time; a fault where it is refused; clean
 * messages.
 */
#include <stdint.h>

#include "src/export/export.h"
#include "src/import/hf.h"
#include "src/import/recognise.h"
#include "src/text/text.h"
#include "tests/fuzz/importer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What could be applied is written as a configuration again. */
static void fuzz_export(const struct plan *plan)
{
    struct plan resolved;
    struct buffer out = {0};
    struct errors notes = {0};
    plan_resolve(plan, &resolved);
    if ((export_plan(export_find("hf"), plan, &resolved, &out, &notes) == 0) == errors_any(&notes))
        abort();
    buffer_free(&out);
    errors_free(&notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = xstrndup((const char *)data, size); /* ends at a NUL, as file_read() refuses them */
    struct import import = {0};
    struct errors errors = {0};
    struct plan plan;
    size_t length = strlen(text);
    plan_recognise(text, length);
    int result = hf_import(text, length, "fuzz", &import, &errors);
    for (size_t i = 0; i < errors.count; i++)
        for (const unsigned char *p = (const unsigned char *)errors.line[i]; *p; p++)
            if (*p < 0x20 || *p == 0x7f)
                abort();
    if (fuzz_apply(result, &import, &errors, &plan) == 0 && size < 400)
        fuzz_export(&plan);
    free(text);
    return 0;
}
