/* Any bytes as a training log: no crash, no read beyond the end, and numbers that can be measured or none. */
#include <math.h>
#include <stdbool.h>
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

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* A log that comes in pieces says the same. */
static void check_pieces(const char *text, size_t size, const struct log_run *whole)
{
    struct log_run run;
    struct log_reader *reader = log_open();
    size_t piece = 1 + (size > 0 ? (uint8_t)text[0] % 31u : 0);
    for (size_t at = 0; at < size; at += piece)
        log_feed(reader, text + at, piece < size - at ? piece : size - at);
    log_close(reader, &run);
    if (!is_same(run.iteration_s, whole->iteration_s) || !is_same(run.sample_s, whole->sample_s) ||
        !is_same(run.token_s, whole->token_s) ||
        !is_same(run.allocated_bytes, whole->allocated_bytes) || !is_same(run.reserved_bytes, whole->reserved_bytes) ||
        run.iterations != whole->iterations || run.kind != whole->kind || run.has_trace != whole->has_trace)
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
    struct log_reader *reader = log_open();
    log_feed(reader, text, size);
    log_close(reader, &run);
    check_positive(run.iteration_s);
    check_positive(run.sample_s);
    check_positive(run.token_s);
    check_positive(run.allocated_bytes);
    check_positive(run.reserved_bytes);
    bool has_time = !isnan(run.iteration_s) || !isnan(run.sample_s) || !isnan(run.token_s);
    if (run.averaged > run.iterations || (run.iterations > 0 && !has_time))
        abort();
    log_says_something(&run);
    check_pieces(text, size, &run);
    free(text);
    return 0;
}
