/*
 * Any bytes as a nanotron configuration, and as Megatron's arguments: no crash, no leak, bounded time, a fault where
 * refused.
 */
#include <stdbool.h>
#include <stdint.h>

#include "src/import/args.h"
#include "src/import/recognise.h"
#include "src/import/nanotron.h"
#include "src/text/text.h"
#include "tests/fuzz/importer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static importer *const readers[] = {nanotron_import, args_import};
    char *text = xstrndup((const char *)data, size); /* ends at a NUL, as file_read() refuses them */
    size_t length = strlen(text);
    bool is_arguments = plan_recognise(text, length) == KIND_ARGUMENTS;
    fuzz_importers(readers, is_arguments ? 2 : 1, text);
    free(text);
    return 0;
}
