/* Any bytes as a configuration of each program that src/import/foreign.c reads: no crash, no leak, bounded time. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/import/foreign.h"
#include "src/import/import.h"
#include "src/import/recognise.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static importer *const readers[] = {neox_import, nemo_import, titan_import, foundry_import, olmo_import, llm_model_import,
                                        simumax_model_import, simumax_strategy_import, calculon_model_import,
                                        calculon_execution_import};
    char *text = xstrndup((const char *)data, size); /* ends at a NUL, as file_read() refuses them */
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        struct import import = {0};
        struct errors errors = {0};
        struct plan plan;
        plan_clear(&plan);
        int result = readers[i](text, strlen(text), "fuzz", &import, &errors);
        if ((result == 0) == errors_any(&errors))
            abort();
        if (result == 0)
            plan_apply_import(&plan, &import, "fuzz", FROM_FILE, &errors);
        import_free(&import);
        errors_free(&errors);
    }
    free(text);
    return 0;
}
