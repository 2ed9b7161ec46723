#include "ui/widget/bar.h"

#include "core/base.h"

#include <math.h>
#include <string.h>

enum { LEFT_BLOCKS = 0x2590 /* less the eighths: U+258F is one, U+2588 eight */, REST_LETTER = '+', PARTS_MAX = 32 };

static double cells_of(const struct bar *bar, double amount, int width)
{
    return amount < bar->scale ? amount / bar->scale * width : width;
}

/* The cell of the limit: one of the bar's. */
static int limit_cell(const struct bar *bar, int width)
{
    int cell = (int)lround(cells_of(bar, bar->limit, width));
    return cell < width ? cell : width - 1;
}

/* What lies outside PyTorch's tensors is one rest where none of it has a cell and a half, or what the bar asks for. */
static int join_small(const struct bar *bar, int width, struct bar_part out[PARTS_MAX])
{
    const double least = bar->least > 0 ? cells_of(bar, bar->least, width) : 1.5;
    int count = 0, joined = 0;
    struct bar_part rest = {REST_LETTER, ROLE_CACHE, 0, NULL};
    for (int i = 0; i < bar->parts && count < PARTS_MAX - 1; i++) {
        const struct bar_part *part = &bar->part[i];
        bool is_small = strchr("TSCD", part->letter) && cells_of(bar, part->amount, width) < least;
        joined += is_small && part->amount > 0;
        rest.amount += is_small ? part->amount : 0;
        if (!is_small)
            out[count++] = *part;
    }
    if (joined < 2) {
        count = bar->parts < PARTS_MAX ? bar->parts : PARTS_MAX;
        memcpy(out, bar->part, (size_t)count * sizeof *out);
    } else {
        out[count++] = rest;
    }
    return count;
}

/* The name of a part in its cells: not under the limit. */
static void draw_name(const struct bar *bar, const struct bar_part *part, struct canvas *canvas, int x, int y,
                      int count, int limit)
{
    int length = part->word ? (int)strlen(part->word) : count, from = x + (count - length) / 2;
    if (!bar->has_words || count < 2)
        return;
    if (length + 2 <= count && !(from <= limit && limit < from + length)) {
        canvas_repeat(canvas, x, y, part->role, ' ', canvas->ascii ? count : 0);
        canvas_text(canvas, from, y, part->role, part->word);
    } else {
        canvas_repeat(canvas, x, y, part->role, (uint32_t)(unsigned char)part->letter, 1);
    }
}

/* Whether a row of a bar has a gap above: not the bar with words, as the first of a panel has. */
static bool is_thin(const struct bar *bar, int y, struct rect where)
{
    return bar->has_gap && !bar->has_words && y == where.y;
}

/* The rest of small parts, whose role has the letter of one of them. */
static bool fills_itself(const struct canvas *canvas, char letter)
{
    return canvas->is_coarse && letter == REST_LETTER;
}

static void draw_part(const struct bar *bar, const struct bar_part *part, struct canvas *canvas, int x,
                      struct rect where, int count)
{
    int middle = where.y + where.height / 2, limit = where.x + limit_cell(bar, where.width);
    for (int y = where.y; y < where.y + where.height && count > 0; y++) {
        (is_thin(bar, y, where) ? canvas_thin : canvas_fill)(canvas, x, y, part->role, part->letter, count);
        canvas_repeat(canvas, x, y, part->role, REST_LETTER, fills_itself(canvas, part->letter) ? count : 0);
        canvas_link(canvas, x, y, count, bar->link ? bar->link + part->letter : LINK_NONE);
    }
    draw_name(bar, part, canvas, x, middle, count, limit);
}

/* The range of the end: on the bar in its colours, behind it on the track. */
static void draw_range(const struct bar *bar, struct canvas *canvas, int x, int y, int width, int end)
{
    const double least = 0.8;
    double low = cells_of(bar, bar->low, width), high = cells_of(bar, bar->high, width);
    int from = (int)low, to = (int)high < width ? (int)high : width - 1;
    if (!(bar->high > bar->low) || high - low < least)
        return;
    to = to < end ? end < width ? end : width - 1 : to;
    for (int i = from < end ? end : from; i <= to; i++)
        canvas_block(canvas, x + i, y, ROLE_STRONG, ROLE_TRACK, i == to ? 0x2524 : i == from ? 0x251C : 0x2500,
                     i == to ? ')' : i == from ? '(' : '-', 0);
}

/* The cell in which a bar ends, or begins (CELL_SWAP), with so many eighths of its block. */
static void draw_end(struct canvas *canvas, int x, int y, enum role role, enum role ground, int eighths, char letter,
                     unsigned mark)
{
    enum { HALF = 4 };
    bool is_more = mark & CELL_SWAP ? eighths < HALF : eighths >= HALF;
    if (canvas->is_coarse)
        canvas_repeat(canvas, x, y, is_more ? role : ground,
                      is_more && fills_itself(canvas, letter) ? REST_LETTER : ' ', 1);
    else
        canvas_block(canvas, x, y, role, ground, (uint32_t)(LEFT_BLOCKS - eighths), letter, mark);
}

static void draw_row(const struct bar *bar, const struct bar_part *last, struct canvas *canvas, struct rect where,
                     int y, double sum)
{
    int width = where.width, end = (int)(cells_of(bar, sum, width) + 1e-9);
    int eighths = (int)((cells_of(bar, sum, width) - end) * 8), limit = limit_cell(bar, width);
    (is_thin(bar, y, where) ? canvas_thin : canvas_fill)(canvas, where.x + end, y, ROLE_TRACK, '.', width - end);
    if (eighths > 0 && end < width && !(canvas->has_gaps && is_thin(bar, y, where)))
        draw_end(canvas, where.x + end, y, last->role, ROLE_TRACK, eighths, canvas->is_coarse ? last->letter : '.',
                 CELL_BAR);
    if (y == where.y + where.height / 2)
        draw_range(bar, canvas, where.x, y, width, end + (where.height > 1 && eighths > 0 && end + 1 < width));
    if (bar->limit < bar->scale)
        canvas_block(canvas, where.x + limit, y, ROLE_LIMIT, ROLE_TEXT, 0x2503, '|', 0);
}

void bar_draw(const struct bar *bar, struct canvas *canvas, struct rect where)
{
    struct bar_part part[PARTS_MAX];
    double sum = 0, all = 0;
    int at = 0, width = where.width, parts = join_small(bar, width, part), last = 0;
    for (int i = 0; i < parts; i++)
        all += part[i].amount;
    if (!(bar->scale > 0) || isnan(all) || parts < 1)
        return;
    int whole = (int)(cells_of(bar, all, width) + 1e-9);
    for (int i = 0; i < parts; i++) {
        sum += part[i].amount;
        int end = i == parts - 1 ? whole : (int)lround(cells_of(bar, sum, width));
        end = end > whole ? whole : end;
        draw_part(bar, &part[i], canvas, where.x + at, where, end - at);
        last = end > at ? i : last;
        at = end > at ? end : at;
    }
    for (int y = where.y; y < where.y + where.height; y++)
        draw_row(bar, &part[last], canvas, where, y, all);
}

void bar_step(struct canvas *canvas, int x, int y, int width, double from, double to, enum role role, char letter)
{
    double start = from * width, end = to * width;
    int first = (int)start, last = (int)(end + 1e-9);
    if (first >= last) {
        int eighths = (int)lround((end - start) * 8);
        canvas_block(canvas, x + (first < width ? first : width - 1), y, role, ROLE_TEXT,
                     (uint32_t)(LEFT_BLOCKS - (eighths < 1 ? 1 : eighths)), letter, CELL_BAR);
        return;
    }
    int left = (int)((start - first) * 8), right = (int)((end - last) * 8);
    if (left > 0) /* the empty eighths of the first cell */
        draw_end(canvas, x + first++, y, role, ROLE_TEXT, left, letter, CELL_BAR | CELL_SWAP);
    canvas_fill(canvas, x + first, y, role, letter, last - first);
    if (right > 0 && last < width)
        draw_end(canvas, x + last, y, role, ROLE_TEXT, right, letter, CELL_BAR);
}

double bar_scale_of(double unit, double most)
{
    static const double steps[] = {1, 1.25, 1.5, 2, 3, 5, 10};
    for (size_t i = 0; i < LENGTH(steps); i++)
        if (!(most > unit * steps[i]))
            return unit * steps[i];
    return most;
}
