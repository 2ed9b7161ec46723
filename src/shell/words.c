#include "src/shell/words.h"

#include "src/shell/state.h"

#include <ctype.h>
#include <string.h>

/* ---- marks ----------------------------------------------------------------------------------------------------- */

size_t mark_at(const char *p, char *letter, int *number)
{
    if (p[0] != MARK || !p[1])
        return 0;
    char *end;
    *letter = p[1];
    *number = (int)strtol(p + 2, &end, 10);
    return (size_t)(end - p) + (*end == MARK_END);
}

size_t marks_size(const char *p, const char *end)
{
    const char *start = p;
    while (p < end && *p == MARK) {
        while (p < end && *p != MARK_END)
            p++;
        p += p < end;
    }
    return (size_t)(p - start);
}

struct plain plain_of(const char *marked)
{
    struct plain out = {.text = xmalloc(strlen(marked) + 1)};
    char *to = out.text, letter;
    int number;
    while (*marked) {
        size_t n = mark_at(marked, &letter, &number);
        if (n == 0) {
            *to++ = *marked++;
            continue;
        }
        int *slot = letter == 'U' ? &out.unknown : letter == 'D' ? &out.doubt : &out.line;
        if (*slot == 0)
            *slot = number;
        marked += n;
    }
    *to = '\0';
    return out;
}

char *unmarked(const char *text)
{
    char *copy = xstrdup(text);
    for (char *p = copy; (p = strpbrk(p, "\001\002")) != NULL;)
        *p = '?';
    return copy;
}

char *plain_text(const char *marked)
{
    return plain_of(marked).text;
}

/* ---- words ----------------------------------------------------------------------------------------------------- */

static void put_mark(struct words *w, char letter, int number)
{
    buffer_printf(&w->open, "%c%c%d%c", MARK, letter, number, MARK_END);
}

void words_open(struct words *w)
{
    if (w->is_open)
        return;
    w->is_open = true;
    w->emitted = w->marked = 0;
    buffer_puts(&w->open, "");
}

/* Makes sure that a word is open and that line and doubt of the visible text that follows are marked. */
static void open_visible(struct words *w)
{
    words_open(w);
    if (w->doubt != w->marked)
        put_mark(w, 'D', w->marked = w->doubt);
    char last = w->open.size > 0 ? w->open.text[w->open.size - 1] : ' ';
    if (w->line > 0 && w->line != w->emitted && (last == MARK_END || isspace((unsigned char)last)))
        put_mark(w, 'L', w->emitted = w->line);
}

void words_put(struct shell *sh, struct words *w, char c)
{
    if (!shell_spend(sh, 1, w->line))
        return;
    if (isspace((unsigned char)c))
        words_open(w);
    else
        open_visible(w);
    buffer_add(&w->open, &c, 1);
}

void words_unknown(struct shell *sh, struct words *w, int reason)
{
    if (!shell_spend(sh, 8, w->line))
        return;
    open_visible(w);
    put_mark(w, 'U', reason);
}

void words_doubt(struct words *w, int doubt)
{
    words_open(w);
    if (doubt)
        put_mark(w, 'D', doubt);
}

size_t words_take(struct shell *sh, struct words *w, const char *p, bool is_quoted)
{
    char letter;
    int number;
    size_t n = mark_at(p, &letter, &number);
    if (n > 0 && letter == 'L')
        w->line = number;
    else if (n > 0 && letter == 'D')
        w->doubt = number;
    else if (n > 0)
        words_unknown(sh, w, number);
    else if (!is_quoted && !w->is_unsplit && isspace((unsigned char)*p))
        words_close(sh, w);
    else
        words_put(sh, w, *p);
    return n ? n : 1;
}

void words_value(struct shell *sh, struct words *w, const char *value, bool is_quoted)
{
    int line = w->line, doubt = w->doubt;
    if (is_quoted)
        words_open(w);
    while (*value && !sh->is_failed)
        value += words_take(sh, w, value, is_quoted);
    w->line = line;
    w->doubt = doubt;
}

void words_close(struct shell *sh, struct words *w)
{
    if (!w->is_open)
        return;
    if (w->marked)
        put_mark(w, 'D', 0);
    shell_spend(sh, 16, w->line);
    if (w->count == w->capacity) {
        w->capacity = w->capacity ? 2 * w->capacity : 8;
        w->item = xrealloc(w->item, w->capacity * sizeof *w->item);
    }
    w->item[w->count++] = xstrdup(w->open.text);
    buffer_free(&w->open);
    w->open = (struct buffer){0};
    w->is_open = false;
}

void words_free(struct words *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->item[i]);
    free(w->item);
    buffer_free(&w->open);
    *w = (struct words){0};
}
