/* ui/term/rect.h - a part of the screen, in cells. */
#pragma once

#include <stdbool.h>

/** Columns x .. x + width - 1 and rows y .. y + height - 1. */
struct rect {
    int x, y, width, height;
};

/** True when the cell lies inside. */
static inline bool rect_has(struct rect r, int x, int y)
{
    return x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height;
}

/** The rectangle without its first `rows` rows. */
static inline struct rect rect_below(struct rect r, int rows)
{
    rows = rows > r.height ? r.height : rows;
    return (struct rect){r.x, r.y + rows, r.width, r.height - rows};
}
