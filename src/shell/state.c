#include "src/shell/state.h"

#include "src/text/errors.h"
#include "src/text/text.h"

void shell_fail(struct shell *sh, int line, const char *format, ...)
{
    if (sh->is_failed)
        return;
    va_list args;
    va_start(args, format);
    char *what = xvasprintf(format, args);
    va_end(args);
    errors_add(sh->errors, sh->name, line, NULL, "%s", what);
    free(what);
    sh->is_failed = true;
}

void shell_enter(struct shell *sh, int line)
{
    if (++sh->depth > SHELL_DEPTH_MAX)
        shell_fail(sh, line, "nested deeper than %d; simplify the script", SHELL_DEPTH_MAX);
}

bool shell_spend(struct shell *sh, size_t bytes, int line)
{
    sh->expanded += bytes;
    if (sh->expanded > SHELL_EXPANDED_MAX)
        shell_fail(sh, line, "the variables expand to more than 1 MiB; shorten the script");
    return !sh->is_failed;
}

bool shell_is_live(const struct shell *sh)
{
    return !(sh->frame.is_skipped || sh->is_stopped || sh->is_returning || sh->is_breaking || sh->is_continuing ||
             sh->is_failed);
}
