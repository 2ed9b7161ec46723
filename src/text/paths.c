#include "src/text/paths.h"

#include "src/text/errors.h"
#include "src/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The base directory that `variable` names, or `fallback` below the home directory; NULL without either. */
static char *base_directory(const char *variable, const char *fallback)
{
    const char *base = getenv(variable);
    if (base && base[0] == '/')
        return xasprintf("%s/shardtop", base);
    const char *home = getenv("HOME");
    return home && home[0] == '/' ? xasprintf("%s/%s/shardtop", home, fallback) : NULL;
}

/* `base`/`name`; frees `base`. */
static char *below(char *base, const char *name)
{
    char *path = base ? xasprintf("%s/%s", base, name) : NULL;
    free(base);
    return path;
}

char *paths_config(const char *folder, const char *name)
{
    char *path = below(base_directory("XDG_CONFIG_HOME", ".config"), folder);
    if (!path || !name)
        return path;
    char *file = xasprintf("%s/%s.yaml", path, name);
    free(path);
    return file;
}

char *paths_state(const char *name)
{
    return below(base_directory("XDG_STATE_HOME", ".local/state"), name);
}

int paths_make_parents(const char *path, struct errors *errors)
{
    char *copy = xstrdup(path);
    int result = 0;
    for (char *slash = strchr(copy + 1, '/'); slash && result == 0; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0700) != 0 && errno != EEXIST && errno != EISDIR) {
            errors_add(errors, copy, 0, NULL, "cannot be created: %s; create this folder by hand", strerror(errno));
            result = -1;
        }
        *slash = '/';
    }
    free(copy);
    return result;
}
