#include "ui/widget/big.h"

#include <string.h>

/* Rows of each digit: F full, U upper half, or blank. */
static const char *const digits[][BIG_ROWS] = {
    {"FUF", "F F", "UUU"}, {"UF ", " F ", "UUU"}, {"UUF", "FUU", "UUU"}, {"UUF", " UF", "UUU"}, {"F F", "UUF", "  U"},
    {"FUU", "UUF", "UUU"}, {"FUU", "FUF", "UUU"}, {"UUF", "  F", "  U"}, {"FUF", "FUF", "UUU"}, {"FUF", "UUF", "UUU"}};
static const char *const others[][BIG_ROWS] = {{" ", " ", "U"}, {"   ", "UUU", "   "}, {"  ", "  ", " U"}};

/* The rows of a character; NULL for one that has none. */
static const char *const *shape_of(char character)
{
    static const char marks[] = ".-,";
    const char *mark = character ? strchr(marks, character) : NULL;
    return character >= '0' && character <= '9' ? digits[character - '0'] : mark ? others[mark - marks] : NULL;
}

static uint32_t glyph_of(const struct canvas *canvas, char part)
{
    return canvas->ascii ? part == 'F' ? '#' : '"' : part == 'F' ? 0x2588 : 0x2580;
}

int big_draw(struct canvas *canvas, int x, int y, enum role role, const char *number)
{
    for (; *number; number++) {
        const char *const *rows = shape_of(*number);
        for (int row = 0; rows && row < BIG_ROWS; row++)
            for (int i = 0; rows[row][i]; i++)
                canvas_repeat(canvas, x + i, y + row, role, glyph_of(canvas, rows[row][i]), rows[row][i] != ' ');
        x += rows ? (int)strlen(rows[0]) + 1 : 0;
    }
    return x - 1;
}
