/* core/show/line.h - a text of limited size that is added to; what does not fit is cut. */
#pragma once

#include <stddef.h>

/** Where the text is; `at` is its length. */
struct text_line {
    char *out;
    size_t size, at;
};

/** An empty text in `out`, which holds `size` bytes, at least 1. */
struct text_line line_in(char *out, size_t size);

void line_add(struct text_line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
