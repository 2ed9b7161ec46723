/* Any bytes as a launch script, and as an argument vector: no crash, no leak, no undefined behaviour, bounded time. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/import/command.h"
#include "src/import/import.h"
#include "src/import/megatron.h"
#include "src/text/errors.h"
#include "src/text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WORDS = 256 };

static void fuzz_arguments(char *text)
{
    char *word[WORDS];
    int rest[WORDS], count = 0;
    for (char *p = strtok(text, " \n\t"); p && count < WORDS; p = strtok(NULL, " \n\t"))
        word[count++] = p;
    struct import import = {0};
    struct errors errors = {0};
    int n = megatron_arguments(count, word, &import, rest, &errors);
    if (n < 0 || n > count)
        abort();
    import_free(&import);
    errors_free(&errors);
}

static void fuzz_command(const char *text, size_t size)
{
    struct import import = {0};
    struct errors errors = {0};
    if ((command_import(text, size, "fuzz", &import, &errors) == 0) == errors_any(&errors))
        abort();
    import_free(&import);
    errors_free(&errors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = xstrndup((const char *)data, size); /* ends at a NUL, as file_read() refuses them */
    struct import import = {0};
    struct errors errors = {0};
    size_t length = strlen(text);
    megatron_recognise(text, length);
    int result = megatron_import(text, length, "fuzz", &import, &errors);
    if ((result == 0) == errors_any(&errors))
        abort();
    import_free(&import);
    errors_free(&errors);
    fuzz_command(text, length);
    fuzz_arguments(text);
    free(text);
    return 0;
}
