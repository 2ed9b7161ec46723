#include "src/cli/mdoc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "src/text/text.h"

void mdoc_begin(struct buffer *out, const char *name, int section, const char *about)
{
    char *title = xstrdup(name);
    for (char *at = title; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    buffer_printf(out, ".Dd November 22, 2026\n.Dt %s %d\n.Os\n.Sh NAME\n.Nm %s\n.Nd ", title, section, name);
    mdoc_prose(out, about);
    free(title);
}

void mdoc_text(struct buffer *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        buffer_puts(out, "\\&");
    for (; *text; text++) {
        if (*text == '\\' || *text == '-')
            buffer_puts(out, *text == '-' ? "\\-" : "\\e");
        else
            buffer_add(out, text, 1);
    }
}

/* Where a sentence of `text` ends. */
static size_t sentence_length(const char *text)
{
    size_t n = 0;
    while (text[n] && !(strchr(".?", text[n]) && text[n + 1] == ' ' && isupper((unsigned char)text[n + 2])))
        n++;
    return n + (text[n] != '\0');
}

void mdoc_prose(struct buffer *out, const char *text)
{
    while (*text) {
        size_t n = sentence_length(text);
        char *sentence = xstrndup(text, n);
        mdoc_text(out, sentence);
        buffer_puts(out, "\n");
        free(sentence);
        text += n + strspn(text + n, " ");
    }
}

void mdoc_sentence(struct buffer *out, const char *help)
{
    char *text = xasprintf("%c%s.", toupper((unsigned char)help[0]), help + 1);
    mdoc_prose(out, text);
    free(text);
}

void mdoc_literal(struct buffer *out, const char *text)
{
    buffer_puts(out, ".Bd -literal\n");
    while (*text) {
        size_t n = strcspn(text, "\n");
        char *line = xstrndup(text, n);
        mdoc_text(out, line);
        buffer_puts(out, "\n");
        free(line);
        text += n + (text[n] == '\n');
    }
    buffer_puts(out, ".Ed\n");
}

void mdoc_example(struct buffer *out, const char *command)
{
    buffer_puts(out, ".Pp\n.Dl ");
    mdoc_text(out, command);
    buffer_puts(out, "\n");
}

void mdoc_see_also(struct buffer *out, const char *const pages[])
{
    buffer_puts(out, ".Sh SEE ALSO\n");
    for (int i = 0; pages[i]; i++)
        buffer_printf(out, ".Xr %s%s\n", pages[i], pages[i + 1] ? " ," : "");
}
