#include "src/import/branch.h"

#include "src/shell/shell.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_flag(const char *word)
{
    return strncmp(word, "--", 2) == 0 && isalpha((unsigned char)word[2]);
}

/* The length of a flag without `=` and its value. */
static size_t name_size(const char *word)
{
    return strcspn(word, "=");
}

static bool is_same(const char *a, const char *b)
{
    return name_size(a) == name_size(b) && strncmp(a, b, name_size(a)) == 0;
}

static bool has_flag(const struct shell_command *command, const char *flag)
{
    bool has = false;
    for (size_t i = 0; i < command->count && !has; i++)
        has = is_same(command->word[i].text, flag);
    return has;
}

/* The next word of a text that has neither blanks nor quotes, in fresh memory; NULL at its end. */
static char *next_word(const char **p)
{
    static const char between[] = " \t\r\n\\\"'";
    *p += strspn(*p, between);
    size_t size = strcspn(*p, between);
    const char *word = *p;
    *p += size;
    return size > 0 ? xstrndup(word, size) : NULL;
}

static bool text_has(const char *text, const char *flag)
{
    bool has = false;
    for (char *word; !has && (word = next_word(&text)); free(word))
        has = is_same(word, flag);
    return has;
}

void branch_differs(const struct shell_script *script, const struct shell_command *found,
                    void (*take)(void *context, const char *flag, int line), void *context)
{
    for (size_t i = 0; i < script->skipped.count; i++) {
        const struct keyval *text = &script->skipped.item[i];
        const char *p = text->value;
        if (!strstr(p, ".py"))
            continue;
        for (char *word; (word = next_word(&p)); free(word))
            if (is_flag(word) && !has_flag(found, word))
                take(context, word, text->line);
        for (size_t k = 0; k < found->count; k++) /* those written in its own branch */
            if (found->word[k].line >= found->line && is_flag(found->word[k].text) &&
                !text_has(text->value, found->word[k].text))
                take(context, found->word[k].text, found->word[k].line);
    }
}
