/* Any bytes as a file of fine-tuning, by each of its readers: no crash, no leak, bounded time, a fault where refused. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/import/import.h"
#include "src/import/tuning.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static importer *const readers[] = {trainer_import, llama_factory_import, llama_factory_v1_import,
                                       axolotl_import, torchtune_import,     accelerate_import};
    char *text = xstrndup((const char *)data, size); /* ends at a NUL, as file_read() refuses them */
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        struct import import = {0};
        struct errors errors = {0};
        struct plan plan;
        int result = readers[i](text, strlen(text), "fuzz", &import, &errors);
        if ((result == 0) == errors_any(&errors))
            abort();
        plan_clear(&plan);
        if (result == 0)
            plan_apply_import(&plan, &import, "fuzz", FROM_FILE, &errors);
        import_free(&import);
        errors_free(&errors);
    }
    free(text);
    return 0;
}
