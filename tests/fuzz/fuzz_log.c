/* Any bytes as a training log: no crash, no read beyond the end, and numbers that can be measured or none. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/import/log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_positive(double value)
{
    if (!isnan(value) && !(value > 0))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1); /* exactly as large as it is, so that a read beyond is seen */
    struct log_run run;
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    log_import(text, size, &run);
    check_positive(run.iteration_s);
    check_positive(run.sample_s);
    check_positive(run.allocated_bytes);
    check_positive(run.reserved_bytes);
    if (run.averaged > run.iterations || (run.iterations > 0 && isnan(run.iteration_s) && isnan(run.sample_s)))
        abort();
    log_says_something(&run);
    free(text);
    return 0;
}
