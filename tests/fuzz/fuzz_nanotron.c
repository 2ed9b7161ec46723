/* Any bytes as a nanotron configuration, and as Megatron's arguments: no crash, no leak, bounded time, a fault where refused. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/import/args.h"
#include "src/import/import.h"
#include "src/import/recognise.h"
#include "src/import/nanotron.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef int importer(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);

static void fuzz_importer(importer *import_text, const char *text, size_t size)
{
    struct import import = {0};
    struct errors errors = {0};
    struct plan plan;
    int result = import_text(text, size, "fuzz", &import, &errors);
    if ((result == 0) == errors_any(&errors))
        abort();
    plan_clear(&plan);
    if (result == 0)
        plan_apply_import(&plan, &import, "fuzz", FROM_FILE, &errors);
    import_free(&import);
    errors_free(&errors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = xstrndup((const char *)data, size); /* ends at a NUL, as file_read() refuses them */
    size_t length = strlen(text);
    plan_recognise(text, length);
    fuzz_importer(nanotron_import, text, length);
    if (plan_recognise(text, length) == KIND_ARGUMENTS)
        fuzz_importer(args_import, text, length);
    free(text);
    return 0;
}
