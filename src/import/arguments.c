#include "src/import/arguments.h"

#include "core/base.h"
#include "src/import/import.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS_MAX = 64, OPTIONS_MAX = 64, BRANCH_MAX = 2000 };

/* The number of `NAME=$7`, `export NAME="${12}"`; 0 for another line. `name` gets where the name begins. */
static int number_of(const char *line, const char **name, size_t *size)
{
    static const char *const before[] = {"export ", "local ", "readonly "};
    const char *p = line + strspn(line, " \t");
    for (size_t i = 0; i < LENGTH(before); i++)
        p += strncmp(p, before[i], strlen(before[i])) == 0 ? strlen(before[i]) : 0;
    *name = p;
    *size = strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    p += *size;
    if (*size == 0 || isdigit((unsigned char)**name) || *p != '=')
        return 0;
    p += 1 + (p[1] == '"' || p[1] == '\'');
    if (*p++ != '$')
        return 0;
    bool is_braced = *p == '{';
    p += is_braced;
    size_t digits = strspn(p, "0123456789");
    bool is_it = digits > 0 && digits <= (is_braced ? 2U : 1U) && (!is_braced || p[digits] == '}' || p[digits] == ':');
    return is_it ? atoi(p) : 0;
}

/* The name in `-m | --model)`, behind which a value is taken; NULL for another line. */
static const char *option_of(const char *line, size_t *size)
{
    const char *p = line + strspn(line, " \t"), *close = p + strcspn(p, ")\n"), *name = NULL;
    if (*p != '-' || *close != ')' || strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-| ") !=
                                          (size_t)(close - p))
        return NULL;
    for (const char *at = p; at < close; at++)
        if (strncmp(at, "--", 2) == 0 && (at == p || at[-1] == '|' || at[-1] == ' '))
            name = at;
    size_t near = name ? strnlen(close, BRANCH_MAX) : 0;
    const char *end = memmem(close, near, ";;", 2);
    size_t body = end ? (size_t)(end - close) : 0;
    *size = name ? strcspn(name, "|) ") : 0;
    return memmem(close, body, "$2", 2) || memmem(close, body, "${2", 3) ? name : NULL;
}

/* Options that a loop over the arguments takes: under their names, without a number. */
static void name_options(const char *text, struct keyvals *out)
{
    size_t n;
    for (const char *line = strstr(text, "$#") ? text : NULL; line && out->count < OPTIONS_MAX;
         line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        const char *name = option_of(line, &n);
        char *key = name ? xasprintf("%.*s", (int)n, name) : NULL;
        if (key && !keyvals_last(out, key))
            keyvals_add(out, key, "", 0);
        free(key);
    }
}

void arguments_name(const char *text, size_t size, struct keyvals *out)
{
    char *copy = xstrndup(text, size), *names[NUMBERS_MAX] = {NULL};
    struct keyvals options = {0};
    name_options(copy, &options);
    const char *loop = options.count ? strstr(copy, "$#") : NULL; /* whose numbers count from where it is */
    for (const char *line = copy; line && !(loop && line > loop);
         line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        const char *name;
        size_t n;
        int number = number_of(line, &name, &n);
        if (number > 0 && number < NUMBERS_MAX && !names[number])
            names[number] = xstrndup(name, n);
    }
    for (int i = 1; i < NUMBERS_MAX; i++) {
        char number[12];
        snprintf(number, sizeof number, "%d", i);
        if (names[i])
            keyvals_add(out, names[i], number, 0);
        free(names[i]);
    }
    keyvals_join(out, &options);
    keyvals_free(&options);
    free(copy);
}

const char *arguments_name_of(const struct keyvals *names, const char *number)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->item[i].value, number) == 0)
            return names->item[i].key;
    return NULL;
}

/* The value behind `NAME=`; NULL for another word. */
static const char *value_behind(const char *word, const char *name)
{
    size_t n = strlen(name);
    return strncmp(word, name, n) == 0 && word[n] == '=' ? word + n + 1 : NULL;
}

/* True when a word is one of the names with its value. */
static bool is_named(const char *word, const struct keyvals *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (value_behind(word, names->item[i].key))
            return true;
    return false;
}

bool arguments_are_named(const struct import *import, const struct keyvals *names)
{
    return import->options && import->options->arguments > 0 && is_named(import->options->argument[0], names);
}

void arguments_check(const struct import *import, const struct keyvals *names, const char *file, struct errors *errors)
{
    struct buffer list = {0};
    int count = arguments_are_named(import, names) ? import->options->arguments : 0;
    for (size_t i = 0; i < names->count; i++)
        buffer_printf(&list, "%s%s", i ? ", " : "", names->item[i].key);
    for (int i = 0; i < count; i++)
        if (!is_named(import->options->argument[i], names))
            errors_add(errors, file, 0, "--", "the script has no argument '%.60s'; its arguments are %s",
                       import->options->argument[i], list.text);
    buffer_free(&list);
}

const char *arguments_given(const struct import *import, const struct keyvals *names, const char *number)
{
    const char *name = arguments_name_of(names, number), *found = NULL;
    int count = name && import->options ? import->options->arguments : 0;
    for (int i = 0; i < count && !found; i++)
        found = value_behind(import->options->argument[i], name);
    return found;
}

/* The arguments that decide by the script's own word where they are not given. */
static int list_doubted(const struct import *import, const struct keyvals *names, struct buffer *line)
{
    int count = 0;
    for (size_t i = 0; i < names->count; i++)
        for (size_t k = 0; k < import->doubted.count; k++)
            if (strcmp(import->doubted.item[k].value, names->item[i].value) == 0) {
                buffer_printf(line, " %s=VALUE", names->item[i].key);
                count++;
                break;
            }
    return count;
}

char *arguments_all(const struct import *import, const struct keyvals *names)
{
    struct buffer line = {0};
    bool is_given = import->options && import->options->arguments > 0;
    for (size_t i = 0; i < names->count && !is_given; i++)
        buffer_printf(&line, " %s%sVALUE", names->item[i].key, *names->item[i].value ? "=" : " ");
    return line.text;
}

void arguments_note(const struct import *import, const struct keyvals *names, const char *file, bool is_open,
                    struct errors *errors)
{
    struct buffer line = {0};
    int count = 0;
    for (size_t i = 0; i < names->count; i++)
        for (int k = 0; k < import->questions.count; k++) {
            const struct question *it = &import->questions.item[k];
            if (it->variable[0] != '$' || strcmp(it->variable + 1, names->item[i].value) != 0)
                continue;
            size_t n = it->has_words ? strcspn(it->choices, " ") : 0;
            buffer_printf(&line, " %s=%.*s", names->item[i].key, n ? (int)n : 5, n ? it->choices : "VALUE");
            count++;
        }
    count += list_doubted(import, names, &line);
    char *all = count == 0 && is_open ? arguments_all(import, names) : NULL;
    if (all) {
        count = (int)names->count;
        buffer_puts(&line, all);
    }
    free(all);
    if (count > 0)
        errors_note(errors, file, 0, NULL, "%d argument%s decide%s settings: shardtop show %s --%s", count,
                    count > 1 ? "s" : "", count > 1 ? "" : "s", file, line.text);
    buffer_free(&line);
}
