/* Any bytes as the nodes of a Slurm cluster: no crash, no leak, a fault where refused. */
#include <stdint.h>

#include "src/import/recognise.h"
#include "src/import/slurm.h"
#include "src/text/text.h"
#include "tests/fuzz/importer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = xstrndup((const char *)data, size); /* ends at a NUL, as file_read() refuses them */
    static importer *const reader = slurm_import;
    plan_recognise(text, strlen(text));
    fuzz_importers(&reader, 1, text);
    free(text);
    return 0;
}
