/*
 * Any bytes as a DeepSpeed configuration, with and without a plan: no crash, no leak, bounded time, a fault where
 * refused.
 */
#include <stdint.h>

#include "src/import/deepspeed.h"
#include "src/import/recognise.h"
#include "src/text/text.h"
#include "tests/fuzz/importer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_with(const char *text, size_t size, const struct plan *base)
{
    struct import import = {0};
    struct errors errors = {0};
    struct plan plan;
    int result = deepspeed_import(text, size, "fuzz", base, &import, &errors);
    fuzz_apply(result, &import, &errors, &plan);
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
    fuzz_with(text, length, NULL);
    fuzz_with(text, length, &base);
    free(text);
    return 0;
}
