/* Any bytes as the nodes of a Slurm cluster: no crash, no leak, a fault where refused. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/plan/plan.h"
#include "src/import/import.h"
#include "src/import/recognise.h"
#include "src/import/slurm.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = xstrndup((const char *)data, size); /* ends at a NUL, as file_read() refuses them */
    struct import import = {0};
    struct errors errors = {0};
    struct plan plan;
    plan_clear(&plan);
    plan_recognise(text, strlen(text));
    int result = slurm_import(text, strlen(text), "fuzz", &import, &errors);
    if ((result == 0) == errors_any(&errors))
        abort();
    if (result == 0)
        plan_apply_import(&plan, &import, "fuzz", FROM_FILE, &errors);
    import_free(&import);
    errors_free(&errors);
    free(text);
    return 0;
}
