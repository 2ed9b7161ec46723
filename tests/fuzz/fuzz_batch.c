/* Any bytes as lines of batch: one answer a line, every answer JSON, no crash, no leak. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/verbs/batch.h"
#include "tests/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t requests(const uint8_t *data, size_t size)
{
    size_t count = 0;
    int is_blank = 1;
    for (size_t i = 0; i < size; i++) {
        if (data[i] != '\n') {
            is_blank = is_blank && strchr(" \t\r", data[i]) && data[i];
            continue;
        }
        count += !is_blank;
        is_blank = 1;
    }
    return count + !is_blank;
}

static size_t answers(const char *text)
{
    size_t count = 0;
    while (*text) {
        size_t n = strcspn(text, "\n");
        if (text[n] != '\n' || !json_is_valid(text, n))
            abort();
        text += n + 1;
        count++;
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *output = NULL, *errors = NULL;
    size_t output_size, errors_size;
    FILE *in = size ? fmemopen((void *)(uintptr_t)data, size, "r") : fopen("/dev/null", "r");
    FILE *out = open_memstream(&output, &output_size), *err = open_memstream(&errors, &errors_size);
    if (!in || !out || !err)
        abort();
    int status = batch_run(in, out, err, &(struct batch_options){0});
    fclose(in);
    fclose(out);
    fclose(err);
    if (answers(output) != requests(data, size) || (status == 0) != (errors_size == 0))
        abort();
    free(output);
    free(errors);
    return 0;
}
