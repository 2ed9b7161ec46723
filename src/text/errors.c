#include "src/text/errors.h"

#include "src/text/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Formats the message; with MESSAGES_AS_IDS, a hash of the format instead, for tests that must not depend on wording.
 */
__attribute__((format(printf, 1, 0))) static char *word(const char *format, va_list args)
{
#ifdef MESSAGES_AS_IDS
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char *p = format; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 16777619u;
    (void)args;
    return xasprintf("m%08x", (unsigned)hash);
#else
    return xvasprintf(format, args);
#endif
}

/* Leaves out the middle of a line that repeats a huge value: what is wrong begins it, what to do ends it. */
static void shorten(char *line)
{
    enum { HEAD = 1500, TAIL = 300, DOTS = 2 };
    size_t size = strlen(line), head = HEAD, tail = size - TAIL;
    if (size <= HEAD + DOTS + TAIL)
        return;
    while (((unsigned char)line[head] & 0xc0) == 0x80) /* within a character */
        head--;
    while (((unsigned char)line[tail] & 0xc0) == 0x80)
        tail++;
    memcpy(line + head, "..", DOTS);
    memmove(line + head + DOTS, line + tail, size - tail + 1);
}

__attribute__((format(printf, 6, 0))) static void add(struct errors *errors, enum message_level level, const char *file,
                                                      int line, const char *key, const char *format, va_list args)
{
    if (errors->count >= ERRORS_MAX)
        return;
    struct buffer whole = {0};
    if (file)
        buffer_printf(&whole, line > 0 ? "%s:%d: " : "%s: ", file, line);
    if (key)
        buffer_printf(&whole, "%s: ", key);
    char *what = word(format, args);
    buffer_puts(&whole, what);
    free(what);
    char *clean = xmalloc(whole.size + 1);
    text_clean(whole.text, clean, whole.size + 1);
    shorten(clean);
    buffer_free(&whole);
    errors->line = xrealloc(errors->line, (errors->count + 1) * sizeof *errors->line);
    errors->level = xrealloc(errors->level, errors->count + 1);
    errors->level[errors->count] = (unsigned char)level;
    errors->line[errors->count++] = clean;
}

void errors_add(struct errors *errors, const char *file, int line, const char *key, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(errors, MESSAGE_FAULT, file, line, key, format, args);
    va_end(args);
    errors->faults++;
}

void errors_say(struct errors *errors, enum message_level level, const char *file, int line, const char *key,
                const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(errors, level, file, line, key, format, args);
    va_end(args);
}

bool errors_any(const struct errors *errors)
{
    return errors->faults > 0;
}

void errors_free(struct errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        free(errors->line[i]);
    free(errors->line);
    free(errors->level);
    *errors = (struct errors){0};
}
