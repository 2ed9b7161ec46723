#include "src/import/sibling_files.h"

#include "src/import/import.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FOLDERS_UP = 7 };

static char *read_regular(const char *path, size_t *size)
{
    struct stat info;
    struct errors errors = {0};
    char *text = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? file_read(path, size, &errors) : NULL;
    errors_free(&errors);
    return text;
}

char *beside_open(const struct import_options *options, const char *path, size_t *size)
{
    path += strncmp(path, "./", 2) == 0 ? 2 : 0;
    const struct keyval *kept = options->beside ? keyvals_last(options->beside, path) : NULL;
    if (kept) {
        *size = strlen(kept->value);
        return xstrdup(kept->value);
    }
    char *text = read_regular(path, size);
    if (text && options->beside)
        keyvals_add(options->beside, path, text, 0);
    return text;
}

static char *read_written(const struct import *import, const char *name, size_t *size)
{
    const struct keyval *it = import->written ? keyvals_last(import->written, name) : NULL;
    if (!it)
        return NULL;
    *size = strlen(it->value);
    return xstrdup(it->value);
}

char *beside_read(const struct import *import, const char *name, size_t *size)
{
    char *text = read_written(import, name, size);
    const char *path = import->options ? import->options->path : NULL, *slash = path ? strrchr(path, '/') : NULL;
    if (text || !path || *name == '/' || !*name)
        return text;
    name += strncmp(name, "./", 2) == 0 ? 2 : 0;
    struct buffer folder = {0};
    buffer_add(&folder, path, slash ? (size_t)(slash - path + 1) : 0);
    for (int up = 0; up <= FOLDERS_UP && !text; up++) {
        char *whole = xasprintf("%s%s", folder.text ? folder.text : "", name);
        text = beside_open(import->options, whole, size);
        free(whole);
        buffer_puts(&folder, "../");
    }
    buffer_free(&folder);
    return text;
}
