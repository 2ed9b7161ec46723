/*
 * Any bytes as a file of fine-tuning, by each of its readers: no crash, no leak, bounded time, a fault where refused.
 */
#include <stdint.h>

#include "src/import/tuning.h"
#include "src/text/text.h"
#include "tests/fuzz/importer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static importer *const readers[] = {trainer_import, llama_factory_import, llama_factory_v1_import,
                                       axolotl_import, torchtune_import,     accelerate_import};
    char *text = xstrndup((const char *)data, size); /* ends at a NUL, as file_read() refuses them */
    fuzz_importers(readers, sizeof readers / sizeof *readers, text);
    free(text);
    return 0;
}
