/* src/text/text.h - memory, growing texts and strings safe for a terminal. */
#pragma once

#include "src/text/memory.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/** Whoever includes this frees what a memory_try() may hold. */
#define free(memory) memory_free(memory)

/** malloc/realloc/strdup that end the work of memory_try(), or the program with exit status 3, when memory runs out. */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t size);

/** printf into fresh memory; the caller frees it. */
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/** A growing text; zero-initialise, release with buffer_free(). `text` is NUL-terminated once anything was added. */
struct buffer {
    char *text;
    size_t size, capacity;
};
/** Appends `size` bytes, or a whole text. */
void buffer_add(struct buffer *buffer, const char *text, size_t size);
void buffer_puts(struct buffer *buffer, const char *text);
/** Appends as printf prints. */
void buffer_printf(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Releases the text and leaves an empty buffer. */
void buffer_free(struct buffer *buffer);

enum { UTF8_MAX = 4 }; /* bytes of one sequence */

/** Length of the valid UTF-8 sequence at `p`, which has `left` bytes or ends in a NUL; 0 when there is none. */
size_t utf8_length(const unsigned char *p, size_t left);

/**
 * Length of the character at `text`, which has `left` bytes or ends in a NUL. `*unsafe` is the character when a
 * terminal must not see it (core/show/glyph.h), U+FFFD for a byte that is not UTF-8, else 0.
 */
size_t text_safe_length(const char *text, size_t left, uint32_t *unsafe);

/**
 * Copies `in` into `out` (at most `size` bytes with the NUL) with characters unsafe for a terminal and broken UTF-8 as
 * `?`.
 */
void text_clean(const char *in, char *out, size_t size);

/** Appends every line of `text` (NULL: none) behind `before`, as text_clean() has it. */
void buffer_lines(struct buffer *out, const char *before, const char *text);

/** True when `text` ends with `ending`. */
bool text_ends_with(const char *text, const char *ending);
