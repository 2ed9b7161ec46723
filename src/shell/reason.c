/* src/shell/reason.c - why values of a script are not known, or in doubt. */
#include "src/shell/shell.h"
#include "src/shell/state.h"
#include "src/shell/words.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { REASONS_MAX = 1024, SHOWN = 42 };

/* How the kinds read: "comes from ", then `before`, the source or the line, `after`. */
static const struct {
    const char *id, *before, *after;
} kinds[] = {
    [REASON_NONE] = {"none", "", ""},
    [REASON_UNSET] = {"unset", "$", ", which the script does not set"},
    [REASON_FILE_UNSET] = {"file_unset", "$", ", which the file does not set"},
    [REASON_ARGUMENT] = {"argument", "$", ", which is set when the script is run"},
    [REASON_BRANCHES] = {"branches", "$", ", which the branches of an unknown condition set differently"},
    [REASON_ARRAY] = {"array", "all of $", ", a form that is not evaluated"},
    [REASON_NOT_EXECUTED] = {"not_executed", "", ", which is not executed"},
    [REASON_NOT_EVALUATED] = {"not_evaluated", "", ", a form that is not evaluated"},
    [REASON_CONDITION] = {"condition", "the condition in line ", ", which is unknown"},
};

/* ---- one reason ------------------------------------------------------------------------------------------------- */

static char *copy(const char *text)
{
    return text ? xstrdup(text) : NULL;
}

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

struct shell_reason *shell_reason_copy(const struct shell_reason *reason)
{
    struct shell_reason *to = reason ? xmalloc(sizeof *to) : NULL;
    if (to) {
        *to = *reason;
        to->source = copy(reason->source);
        to->words = copy(reason->words);
    }
    return to;
}

void shell_reason_free(struct shell_reason *reason)
{
    if (reason) {
        free(reason->source);
        free(reason->words);
    }
    free(reason);
}

bool shell_reason_equal(const struct shell_reason *a, const struct shell_reason *b)
{
    return a && b && a->kind == b->kind && a->is_doubt == b->is_doubt && a->line == b->line &&
           a->is_first == b->is_first && is_same(a->source, b->source) && is_same(a->words, b->words);
}

const char *shell_reason_variable(const struct shell_reason *reason)
{
    bool has_variable = reason && (reason->kind == REASON_UNSET || reason->kind == REASON_FILE_UNSET ||
                                   reason->kind == REASON_BRANCHES);
    return has_variable ? reason->source : NULL;
}

char *shell_reason_source(const struct shell_reason *reason)
{
    const char *before = kinds[reason->kind].before;
    return reason->source ? xasprintf("%s%s", before, reason->source) : xasprintf("%s%d", before, reason->line);
}

char *shell_reason_text(const struct shell_reason *reason)
{
    struct buffer out = {0};
    if (!reason)
        return xstrdup("is not known");
    char *source = shell_reason_source(reason);
#ifdef MESSAGES_AS_IDS
    buffer_printf(&out, "%s", kinds[reason->kind].id);
#else
    buffer_printf(&out, "%s %s%s", reason->is_doubt ? "depends on" : "comes from", source, kinds[reason->kind].after);
    if (reason->words)
        buffer_printf(&out, reason->is_first ? "; of %s the first is taken (line %d)" : "; not %s is taken (line %d)",
                      reason->words, reason->line);
#endif
    free(source);
    return out.text;
}

/* ---- those of a script ------------------------------------------------------------------------------------------ */

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

int reason_add(struct shell *sh, const struct shell_reason *reason)
{
    for (size_t i = 1; i < sh->reasons; i++)
        if (shell_reason_equal(sh->reason[i], reason))
            return (int)i;
    if (sh->reasons >= REASONS_MAX)
        return REASONS_MAX - 1;
    sh->reason = xrealloc(sh->reason, (sh->reasons + 1) * sizeof *sh->reason);
    sh->reason[sh->reasons] = shell_reason_copy(reason);
    return (int)sh->reasons++;
}

int reason_source(struct shell *sh, const char *text, size_t size, enum shell_reason_kind kind)
{
    char *shown = shell_excerpt(text, size);
    int reason = reason_add(sh, &(struct shell_reason){.kind = kind, .source = shown});
    free(shown);
    return reason;
}

int reason_variable(struct shell *sh, const char *name, enum shell_reason_kind kind)
{
    char *copied = xstrdup(name);
    int reason = reason_add(sh, &(struct shell_reason){.kind = kind, .source = copied});
    free(copied);
    return reason;
}

int reason_unset(struct shell *sh, const char *name)
{
    bool is_variable = isalpha((unsigned char)name[0]) || name[0] == '_';
    return reason_variable(sh, name, is_variable ? REASON_UNSET : REASON_ARGUMENT);
}

int reason_doubt(struct shell *sh, int reason)
{
    struct shell_reason doubt = *sh->reason[reason];
    doubt.is_doubt = true;
    return reason_add(sh, &doubt);
}

bool reason_is_unset(const struct shell *sh, int reason)
{
    const struct shell_reason *it = sh->reason[reason];
    return (it->kind == REASON_UNSET || it->kind == REASON_ARGUMENT) && !it->is_doubt;
}
