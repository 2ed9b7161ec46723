/* Any bytes as a DeepSpeed configuration, with and without a plan: no crash, no leak, bounded time, a fault where refused. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/plan/plan.h"
#include "src/import/deepspeed.h"
#include "src/import/import.h"
#include "src/import/recognise.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_importer(const char *text, size_t size, const struct plan *base)
{
    struct import import = {0};
    struct errors errors = {0};
    struct plan plan;
    int result = deepspeed_import(text, size, "fuzz", base, &import, &errors);
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
    struct plan base;
    plan_clear(&base);
    base.value[PARAM_model_hidden_size] = 4096;
    base.value[PARAM_hardware_gpus_per_node] = 8;
    plan_recognise(text, length);
    fuzz_importer(text, length, NULL);
    fuzz_importer(text, length, &base);
    free(text);
    return 0;
}
