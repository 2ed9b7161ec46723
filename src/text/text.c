#include "src/text/text.h"

#include "core/show/glyph.h"

#include <stdio.h>
#include <string.h>

/* Takes note of fresh memory, which replaces that at `old` where it is not 0. */
static void *checked(uintptr_t old, void *memory)
{
    if (!memory)
        memory_out();
    memory_moved(old, memory);
    return memory;
}

void *xmalloc(size_t size)
{
    return checked(0, malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
    return checked(0, calloc(count, size));
}

void *xrealloc(void *old, size_t size)
{
    uintptr_t before = (uintptr_t)old;
    return checked(before, realloc(old, size ? size : 1));
}

char *xstrdup(const char *text)
{
    return checked(0, strdup(text));
}

char *xstrndup(const char *text, size_t size)
{
    return checked(0, strndup(text, size));
}

char *xvasprintf(const char *format, va_list args)
{
    char *text = NULL;
    return checked(0, vasprintf(&text, format, args) < 0 ? NULL : text);
}

char *xasprintf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = xvasprintf(format, args);
    va_end(args);
    return text;
}

void buffer_add(struct buffer *buffer, const char *text, size_t size)
{
    if (buffer->size + size + 1 > buffer->capacity) {
        size_t capacity = 2 * (buffer->size + size + 1);
        buffer->text = xrealloc(buffer->text, capacity);
        buffer->capacity = capacity;
    }
    memcpy(buffer->text + buffer->size, text, size);
    buffer->size += size;
    buffer->text[buffer->size] = '\0';
}

void buffer_puts(struct buffer *buffer, const char *text)
{
    buffer_add(buffer, text, strlen(text));
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
    char small[512];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int size = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (size >= (int)sizeof small) {
        char *large = xvasprintf(format, again);
        buffer_puts(buffer, large);
        free(large);
    } else if (size > 0) {
        buffer_add(buffer, small, (size_t)size);
    }
    va_end(again);
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->text);
    *buffer = (struct buffer){0};
}

/* As utf8_length(), with the character. */
static size_t decode(const unsigned char *p, size_t left, uint32_t *code)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = p[0] < 0x80 ? 1 : (p[0] & 0xe0) == 0xc0 ? 2 : (p[0] & 0xf0) == 0xe0 ? 3 : (p[0] & 0xf8) == 0xf0 ? 4 : 0;
    if (n == 0 || n > left)
        return 0;
    *code = n == 1 ? p[0] : p[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (p[i] & 0x3f);
    }
    bool is_surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < least[n] || *code > 0x10ffff || is_surrogate ? 0 : n;
}

size_t utf8_length(const unsigned char *p, size_t left)
{
    uint32_t code;
    return decode(p, left, &code);
}

size_t text_safe_length(const char *text, size_t left, uint32_t *unsafe)
{
    uint32_t code = 0xfffd;
    size_t n = decode((const unsigned char *)text, left, &code);
    *unsafe = n == 0 ? 0xfffd : glyph_is_safe(code) ? 0 : code;
    return n ? n : 1;
}

void text_clean(const char *in, char *out, size_t size)
{
    size_t left = strlen(in), at = 0;
    while (left > 0 && at + 1 < size) {
        uint32_t unsafe;
        size_t n = text_safe_length(in, left, &unsafe), used = unsafe ? 1 : n;
        if (at + used + 1 > size)
            break;
        memcpy(out + at, unsafe ? "?" : in, used);
        at += used;
        in += n;
        left -= n;
    }
    if (size)
        out[at] = '\0';
}

void buffer_lines(struct buffer *out, const char *before, const char *text)
{
    while (text && *text) {
        size_t n = strcspn(text, "\n");
        char *line = xstrndup(text, n), *clean = xmalloc(n + 1);
        text_clean(line, clean, n + 1);
        buffer_printf(out, "%s%s\n", before, clean);
        free(line);
        free(clean);
        text += n + (text[n] == '\n');
    }
}

bool text_ends_with(const char *text, const char *ending)
{
    size_t n = strlen(text), m = strlen(ending);
    return n >= m && strcmp(text + n - m, ending) == 0;
}
