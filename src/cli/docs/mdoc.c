#include "src/cli/docs/mdoc.h"

#include "src/text/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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
