/* Any bytes as a settings file: no crash, a fault for what is refused, no key with two meanings, and a way out. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/session/preferences.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "ui/state/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_keys(const struct bindings *map)
{
    for (int i = 0; i < map->count; i++)
        for (int j = 0; j < i; j++)
            if (map->at[i].mode == map->at[j].mode && map->at[i].key == map->at[j].key)
                abort();
    if (bindings_find(map, MODE_BROWSE, KEY_RETURN) != ACTION_edit ||
        bindings_find(map, MODE_BROWSE, ':') != ACTION_command ||
        bindings_find(map, MODE_BROWSE, KEY_CTRL('C')) != ACTION_interrupt)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct settings settings;
    struct errors errors = {0};
    struct buffer list = {0};
    char *text = xstrndup((const char *)data, size); /* ends at a NUL, as file_read() refuses them */
    preferences_read(text, strlen(text), "fuzz", &settings, &errors);
    check_keys(&settings.bindings);
    for (size_t i = 0; i < errors.count; i++)
        for (const unsigned char *p = (const unsigned char *)errors.line[i]; *p; p++)
            if (*p < 0x20 || *p == 0x7f)
                abort();
    preferences_list(&settings, &list);
    buffer_free(&list);
    errors_free(&errors);
    free(text);
    return 0;
}
