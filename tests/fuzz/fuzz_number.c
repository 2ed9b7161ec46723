/* Any text as a number: no crash; what is read is finite and reads back; what is refused says where and why. */
#include "core/plan/number.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool lookup(const void *context, const char *name, size_t length, double *value)
{
    (void)context;
    *value = 4;
    return length == 2 && memcmp(name, "pp", 2) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 4096)
        return 0;
    enum suffix suffix = (enum suffix)(data[0] % (SUFFIX_VERSION + 1));
    char *text = malloc(size), why[NUMBER_WHY_MAX] = "", printed[64];
    if (!text)
        abort();
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    double value = -1, back;
    int column = number_parse(text, suffix, lookup, NULL, &value, why);
    if (column < 0 || column > (int)strlen(text) + 1)
        abort();
    if (column > 0 && (value != -1 || !why[0] || !memchr(why, '\0', sizeof why)))
        abort();
    if (column == 0) {
        if (!isfinite(value))
            abort();
        number_print(value, printed, sizeof printed);
        if (number_parse(printed, SUFFIX_PLAIN, NULL, NULL, &back, why) != 0 || back != value)
            abort();
    }
    free(text);
    return 0;
}
