#include "src/shell/state.h"

#include "src/shell/words.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { REASONS_MAX = 1024, SHOWN = 42 };

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

char *shell_excerpt(const char *text, size_t size)
{
    struct buffer b = {0};
    buffer_puts(&b, "");
    for (const char *p = text, *end = text + size; p < end && b.size < SHOWN; p++) {
        p += marks_size(p, end);
        if (p < end && !isspace((unsigned char)*p))
            buffer_add(&b, p, 1);
        else if (p < end && b.size > 0 && b.text[b.size - 1] != ' ')
            buffer_puts(&b, " ");
    }
    if (b.size >= SHOWN) {
        while (b.size > 0 && ((unsigned char)b.text[b.size - 1] & 0xC0) == 0x80) /* no half characters */
            b.text[--b.size] = '\0';
        buffer_printf(&b, "...%s", strchr(")`}", text[size - 1]) ? (char[]){text[size - 1], '\0'} : "");
    }
    return b.text;
}

int reason_of(struct shell *sh, char *text, bool is_unset)
{
    for (size_t i = 1; i < sh->reasons; i++)
        if (sh->reason[i].is_unset == is_unset && strcmp(sh->reason[i].text, text) == 0) {
            free(text);
            return (int)i;
        }
    if (sh->reasons >= REASONS_MAX) {
        free(text);
        return REASONS_MAX - 1;
    }
    sh->reason = xrealloc(sh->reason, (sh->reasons + 1) * sizeof *sh->reason);
    sh->reason[sh->reasons] = (struct reason){text, is_unset};
    return (int)sh->reasons++;
}

int reason_source(struct shell *sh, const char *text, size_t size, const char *what)
{
    char *shown = shell_excerpt(text, size);
    int reason = reason_of(sh, xasprintf("comes from %s, %s", shown, what), false);
    free(shown);
    return reason;
}

int reason_unset(struct shell *sh, const char *name)
{
    bool is_variable = isalpha((unsigned char)name[0]) || name[0] == '_';
    return reason_of(sh, xasprintf("comes from $%s, which %s", name,
                                   is_variable ? "the script does not set" : "is given when the script is run"), true);
}
