#include "src/shell/vars.h"

#include "src/shell/state.h"
#include "src/shell/words.h"
#include "src/text/text.h"

#include <stdlib.h>
#include <string.h>

struct variable *variable_find(const struct shell *sh, const char *name)
{
    for (size_t i = 0; i < sh->variables; i++)
        if (strcmp(sh->variable[i].name, name) == 0)
            return &sh->variable[i];
    return NULL;
}

char *element_name(const char *name, const char *key)
{
    char *text = plain_text(key), *to = text;
    for (const char *p = text; *p; p++)
        if (*p != '"' && *p != '\'')
            *to++ = *p;
    *to = '\0';
    char *whole = xasprintf("%s[%s]", name, text);
    free(text);
    return whole;
}

static struct variable *variable_make(struct shell *sh, const char *name, int line)
{
    struct variable *v = variable_find(sh, name);
    if (v)
        return v;
    if (sh->variables >= SHELL_VARIABLES_MAX) {
        shell_fail(sh, line, "more than %d variables are set; shorten the script", SHELL_VARIABLES_MAX);
        return NULL;
    }
    if (sh->variables == sh->variable_capacity) {
        sh->variable_capacity = sh->variable_capacity ? 2 * sh->variable_capacity : 64;
        sh->variable = xrealloc(sh->variable, sh->variable_capacity * sizeof *sh->variable);
    }
    sh->variable[sh->variables] = (struct variable){.name = xstrdup(name)};
    return &sh->variable[sh->variables++];
}

void variable_clear(struct variable *v)
{
    for (size_t i = 0; i < v->count; i++)
        free(v->item[i]);
    free(v->item);
    v->item = NULL;
    v->count = 0;
}

static void push(struct variable *v, char *item)
{
    v->item = xrealloc(v->item, (v->count + 1) * sizeof *v->item);
    v->item[v->count++] = item;
}

struct variable *variable_known(struct shell *sh, const char *name)
{
    struct variable *v = variable_find(sh, name);
    const struct shell_options *options = sh->options;
    const char *given = v || !options || !options->lookup ? NULL : options->lookup(options->context, name);
    if (!given || !(v = variable_make(sh, name, 0)))
        return v;
    push(v, unmarked(given));
    return v;
}

/* A copy of `value` that remembers the doubt under which it was assigned. */
static char *doubted(const struct shell *sh, const char *value)
{
    const int doubt = sh->frame.doubt;
    return doubt ? xasprintf("%cD%d%c%s%cD0%c", MARK, doubt, MARK_END, value, MARK, MARK_END) : xstrdup(value);
}

static bool is_same_value(const struct variable *v, const struct words *value)
{
    bool is_same = v->count == value->count;
    for (size_t i = 0; is_same && i < v->count; i++) {
        char *a = plain_text(v->item[i]), *b = plain_text(value->item[i]);
        is_same = strcmp(a, b) == 0;
        free(a);
        free(b);
    }
    return is_same;
}

/* Two branches of one undecided construct give different values: neither is taken. */
static bool is_conflict(const struct shell *sh, const struct variable *v, const struct words *value)
{
    return sh->frame.construct && v->construct == sh->frame.construct && v->branch != sh->frame.branch &&
           !is_same_value(v, value);
}

/* `name+=text`. */
static void join(struct shell *sh, struct variable *v, const char *more)
{
    char *marked = doubted(sh, more), *joined = xasprintf("%s%s", v->item[0], marked);
    sh->scanned += strlen(joined);
    free(marked);
    free(v->item[0]);
    v->item[0] = joined;
}

void variable_assign(struct shell *sh, const char *name, const struct words *value, bool is_array, bool is_added,
                     int line)
{
    struct variable *v = variable_make(sh, name, line);
    if (!v)
        return;
    v->line = line;
    if (is_added && !is_array && v->count > 0) {
        join(sh, v, value->count ? value->item[0] : "");
        return;
    }
    bool is_lost = !is_added && (v->count > 0 || v->is_array) && is_conflict(sh, v, value);
    if (!is_added)
        variable_clear(v);
    v->is_array = is_array || (is_added && v->is_array);
    v->construct = sh->frame.construct;
    v->branch = sh->frame.branch;
    if (is_lost) {
        push(v, xasprintf("%cU%d%c", MARK, reason_variable(sh, name, REASON_BRANCHES), MARK_END));
        return;
    }
    for (size_t i = 0; i < value->count; i++)
        push(v, doubted(sh, value->item[i]));
    if (!is_array && value->count == 0)
        push(v, doubted(sh, ""));
}

void variable_set_unknown(struct shell *sh, const char *name, int reason, int line)
{
    struct words w = {0};
    words_unknown(sh, &w, reason);
    words_close(sh, &w);
    variable_assign(sh, name, &w, false, false, line);
    words_free(&w);
}
