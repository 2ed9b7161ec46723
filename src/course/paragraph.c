#include "src/course/paragraph.h"

#include "src/text/text.h"

#include <stdbool.h>
#include <string.h>

static int characters(const char *text, size_t size)
{
    int out = 0;
    for (size_t i = 0; i < size; i++)
        out += ((unsigned char)text[i] & 0xc0) != 0x80;
    return out;
}

void paragraph_add(struct buffer *out, const char *text, int columns)
{
    int used = 0;
    for (text += strspn(text, " \n"); *text; text += strspn(text, " \n")) {
        size_t size = strcspn(text, " \n");
        int word = characters(text, size);
        bool is_over = used > 0 && used + 1 + word > columns;
        if (used > 0)
            buffer_puts(out, is_over ? "\n" : " ");
        buffer_add(out, text, size);
        used = is_over || used == 0 ? word : used + 1 + word;
        text += size;
    }
    buffer_puts(out, "\n");
}

int paragraph_lines(const char *text, int columns)
{
    struct buffer lines = {0};
    int out = 0;
    paragraph_add(&lines, text, columns);
    for (const char *p = lines.text; *p; p++)
        out += *p == '\n';
    buffer_free(&lines);
    return out;
}
