#include "core/show/line.h"

#include <stdarg.h>
#include <stdio.h>

struct text_line line_in(char *out, size_t size)
{
    out[0] = '\0';
    return (struct text_line){out, size, 0};
}

void line_add(struct text_line *line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line->out + line->at, line->size - line->at, format, args);
    va_end(args);
    line->at += length > 0 ? (size_t)length : 0;
    line->at = line->at < line->size ? line->at : line->size - 1;
}
