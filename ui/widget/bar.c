#include "ui/widget/bar.h"

#include <math.h>
#include <string.h>

/* Draws `count` cells of a part; a bar of several rows says in the middle what it is. */
static void draw_part(const struct bar *bar, const struct bar_part *part, struct canvas *canvas, int x,
                      struct rect where, int count)
{
    int middle = where.y + where.height / 2;
    for (int y = where.y; y < where.y + where.height; y++) {
        canvas_repeat(canvas, x, y, part->role, (uint32_t)(unsigned char)part->letter, count);
        canvas_link(canvas, x, y, count, bar->link ? bar->link + part->letter : LINK_NONE);
    }
    if (where.height > 1 && part->word && (int)strlen(part->word) + 2 <= count) {
        canvas_repeat(canvas, x, middle, part->role, ' ', count);
        canvas_text(canvas, x + (count - (int)strlen(part->word)) / 2, middle, part->role, part->word);
    }
}

void bar_draw(const struct bar *bar, struct canvas *canvas, struct rect where)
{
    double sum = 0;
    int at = 0, width = where.width,
        limit = bar->limit < bar->scale ? (int)lround(bar->limit / bar->scale * width) : width;
    for (int i = 0; i < bar->parts; i++) {
        sum += bar->part[i].amount;
        if (!(bar->scale > 0) || isnan(sum))
            return;
        int end = sum < bar->scale ? (int)lround(sum / bar->scale * width) : width;
        draw_part(bar, &bar->part[i], canvas, where.x + at, where, end - at);
        at = end > at ? end : at;
    }
    for (int y = where.y; y < where.y + where.height; y++) {
        canvas_repeat(canvas, where.x + at, y, ROLE_DIM, bar->has_dots ? '.' : ' ', limit - at);
        canvas_repeat(canvas, where.x + limit, y, ROLE_BAD, '|', limit < width);
    }
}
