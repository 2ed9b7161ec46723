/* Any bytes as a file of fixed shape: no crash, no leak, bounded time; a fault where it is refused; clean messages. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/shape.h"
#include "src/text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_as(const char *text, const struct shape *shape)
{
    struct keyvals list = {0};
    struct errors errors = {0};
    int result = shape_read(text, strlen(text), "fuzz", shape, &list, &errors);
    if ((result == 0) == errors_any(&errors) || list.count > shape->count + shape->besides)
        abort();
    for (size_t i = 0; i < errors.count; i++)
        for (const unsigned char *p = (const unsigned char *)errors.line[i]; *p; p++)
            if (*p < 0x20 || *p == 0x7f)
                abort();
    keyvals_free(&list);
    errors_free(&errors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct shape below = {"a GPU file", "remove it", "gpu", {"name", "watts", "memory_gib"}, 3,
                                       {NULL},       0,           NULL, false};
    static const struct shape beside = {"settings", "remove it",        "keys", {"undo", "redo"},
                                        2,          {"theme", "light"}, 2,      "theme", true};
    static const struct shape flat = {"a theme", "remove it", NULL, {"name", "text", "light"}, 3, {NULL}, 0, NULL,
                                      false};
    char *text = xstrndup((const char *)data, size); /* ends at a NUL, as file_read() refuses them */
    read_as(text, &below);
    read_as(text, &beside);
    read_as(text, &flat);
    free(text);
    return 0;
}
