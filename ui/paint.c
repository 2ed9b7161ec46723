#include "ui/paint.h"

#include "core/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

void paint_bytes(struct paint *paint, const char *bytes, size_t count)
{
    if (paint->used + count > paint->size) {
        size_t size = 2 * paint->size + count + 4096;
        char *out = realloc(paint->out, size);
        if (!out) {
            paint->is_forgotten = true; /* the frame lacks something: the next one has all */
            return;
        }
        paint->out = out;
        paint->size = size;
    }
    memcpy(paint->out + paint->used, bytes, count);
    paint->used += count;
}

static void put(struct paint *paint, const char *text)
{
    paint_bytes(paint, text, strlen(text));
}

void paint_free(struct paint *paint)
{
    free(paint->out);
    free(paint->shown);
    *paint = (struct paint){0};
}

/* ---- looks ------------------------------------------------------------------------------------------------------ */

static unsigned attributes_of(const struct paint *paint, const struct cell *cell)
{
    const struct paint_look *look = &paint->look[cell->role];
    bool has_color = look->fg >= 0 || look->bg >= 0;
    unsigned a = look->attributes;
    a |= (cell->mark & CELL_STRONG ? PAINT_BOLD : 0u) | (cell->mark & CELL_UNDER ? PAINT_UNDERLINE : 0u);
    a ^= cell->mark & CELL_INVERSE ? PAINT_REVERSE : 0u;
    return has_color ? a & ~paint->words.not_in_color : a;
}

/* Attributes that a blank shows. */
static const unsigned on_blanks = PAINT_REVERSE | PAINT_UNDERLINE;

/* A blank that looks like any other. */
static bool is_clear(const struct paint *paint, const struct cell *cell)
{
    return cell->glyph == ' ' && paint->look[cell->role].bg < 0 && !(attributes_of(paint, cell) & on_blanks);
}

/* Makes one sequence of those from `start` on: ESC [ m ESC [ 1 m says the same as ESC [ ; 1 m. */
static void join(struct paint *paint, size_t start)
{
    size_t to = start;
    for (size_t from = start; from < paint->used;) {
        bool is_seam = to > start && paint->out[to - 1] == 'm' && paint->used - from > 2 &&
                       memcmp(paint->out + from, "\033[", 2) == 0;
        if (is_seam)
            paint->out[to - 1] = ';';
        from += is_seam ? 2 : 0;
        paint->out[to++] = paint->out[from++];
    }
    paint->used = to;
}

static void choose(struct paint *paint, unsigned attributes, const struct paint_look *look)
{
    const struct {
        unsigned bit;
        const char *word;
    } all[] = {{PAINT_BOLD, paint->words.bold},
               {PAINT_DIM, paint->words.dim},
               {PAINT_UNDERLINE, paint->words.underline},
               {PAINT_REVERSE, paint->words.reverse}};
    size_t start = paint->used;
    bool is_less = (paint->attributes & ~attributes) || (paint->fg >= 0 && look->fg < 0) ||
                   (paint->bg >= 0 && look->bg < 0);
    if (is_less || !paint->is_chosen) {
        put(paint, paint->words.plain);
        paint->attributes = 0;
        paint->fg = paint->bg = -1;
    }
    for (size_t i = 0; i < LENGTH(all); i++)
        if (attributes & ~paint->attributes & all[i].bit)
            put(paint, all[i].word);
    if (look->fg != paint->fg)
        put(paint, look->fg_word);
    if (look->bg != paint->bg)
        put(paint, look->bg_word);
    if (paint->words.joins)
        join(paint, start);
    paint->attributes = attributes;
    paint->fg = look->fg;
    paint->bg = look->bg;
    paint->is_chosen = true;
}

/* Whether a cell needs no other look than that which is chosen. */
static bool is_chosen(const struct paint *paint, const struct cell *cell)
{
    const struct paint_look *look = &paint->look[cell->role];
    if (!paint->is_chosen)
        return false;
    if (is_clear(paint, cell))
        return paint->bg < 0 && !(paint->attributes & on_blanks);
    return attributes_of(paint, cell) == paint->attributes && look->fg == paint->fg && look->bg == paint->bg;
}

/* ---- places ----------------------------------------------------------------------------------------------------- */

void paint_move(struct paint *paint, int x, int y)
{
    char text[PAINT_WORD_MAX];
    if (paint->is_placed && paint->x == x && paint->y == y)
        return;
    if (!paint->words.is_ansi)
        paint->words.move(x, y, text);
    else if (paint->is_placed && paint->y == y && paint->words.has_column)
        snprintf(text, sizeof text, "\033[%dG", x + 1);
    else if (x == 0)
        snprintf(text, sizeof text, y == 0 ? "\033[H" : "\033[%dH", y + 1);
    else
        snprintf(text, sizeof text, "\033[%d;%dH", y + 1, x + 1);
    put(paint, text);
    paint->is_placed = true;
    paint->x = x;
    paint->y = y;
}

/* ---- cells ------------------------------------------------------------------------------------------------------ */

static const struct cell *row_of(const struct cell *cells, int width, int y)
{
    return &cells[(size_t)y * (size_t)width];
}

static bool differs(const struct paint *paint, const struct cell *a, const struct cell *b)
{
    return memcmp(a, b, sizeof *a) != 0 && !(is_clear(paint, a) && is_clear(paint, b));
}

static void put_cell(struct paint *paint, const struct cell *cell, bool is_wide)
{
    char text[8];
    if (!is_chosen(paint, cell))
        choose(paint, attributes_of(paint, cell), &paint->look[cell->role]);
    paint_bytes(paint, text, (size_t)utf8_put(cell->glyph, text));
    paint->x += is_wide ? 2 : 1;
    /* past the last column it is here or there, and terminals do not agree on how wide wide is */
    paint->is_placed = !is_wide && paint->x < paint->width;
}

/* Goes to a cell of the row where the cursor is: over a few cells that look alike by writing them again. */
static void go_to(struct paint *paint, const struct cell *row, int x, int y)
{
    enum { AGAIN_MAX = 5 };
    bool is_near = paint->is_placed && paint->y == y && paint->x < x && x - paint->x <= AGAIN_MAX;
    for (int i = paint->x; is_near && i < x; i++)
        is_near = row[i].glyph > 0 && row[i].glyph < 0x7f && is_chosen(paint, &row[i]);
    while (is_near && paint->x < x)
        put_cell(paint, &row[paint->x], false);
    paint_move(paint, x, y);
}

int paint_cost(const struct paint *paint, const struct canvas *canvas, int y)
{
    enum { ROW_BYTES = 8, LOOK_BYTES = 6 }; /* for going there, and for choosing a look */
    const struct cell *row = row_of(canvas->cells, canvas->width, y);
    if (!paint->shown)
        return canvas->width + ROW_BYTES;
    const struct cell *shown = row_of(paint->shown, canvas->width, y);
    int cost = 0;
    if (memcmp(row, shown, (size_t)canvas->width * sizeof *row) == 0)
        return 0;
    for (int x = 0, role = -1; x < canvas->width; x++)
        if (differs(paint, &row[x], &shown[x])) {
            cost += 1 + (row[x].role != role ? LOOK_BYTES : 0);
            role = row[x].role;
        }
    return cost > 0 ? cost + ROW_BYTES : 0;
}

void paint_row(struct paint *paint, const struct canvas *canvas, int y)
{
    const struct cell *row = row_of(canvas->cells, canvas->width, y);
    struct cell *shown = paint->shown ? &paint->shown[row - canvas->cells] : NULL;
    bool is_last = y == canvas->height - 1 && !paint->words.has_corner;
    for (int x = 0; x < canvas->width; x++) {
        bool is_wide = x + 1 < canvas->width && row[x + 1].glyph == 0;
        bool is_same = shown && !differs(paint, &row[x], &shown[x]) &&
                       !(is_wide && differs(paint, &row[x + 1], &shown[x + 1]));
        bool is_corner = is_last && x + is_wide >= canvas->width - 1;
        if (row[x].glyph == 0 || is_same || is_corner)
            continue;
        go_to(paint, row, x, y);
        put_cell(paint, &row[x], is_wide);
    }
    if (shown)
        memcpy(shown, row, (size_t)canvas->width * sizeof *row);
}

/* Makes `shown` as large as the canvas; what was in it is then worthless. */
static void fit(struct paint *paint, const struct canvas *canvas)
{
    size_t need = (size_t)canvas->width * (size_t)canvas->height;
    if (paint->width == canvas->width && paint->height == canvas->height && paint->shown)
        return;
    if (need > paint->room) {
        free(paint->shown);
        paint->shown = malloc(need * sizeof *paint->shown);
        paint->room = paint->shown ? need : 0;
    }
    paint->width = canvas->width;
    paint->height = canvas->height;
    paint->is_forgotten = true;
}

void paint_begin(struct paint *paint, const struct canvas *canvas)
{
    fit(paint, canvas);
    if (!paint->is_forgotten)
        return;
    paint->is_forgotten = paint->is_placed = paint->is_chosen = false;
    choose(paint, 0, &(struct paint_look){.fg = -1, .bg = -1});
    put(paint, paint->words.clear);
    bool is_blank = paint->look[ROLE_TEXT].bg < 0 && paint->words.clear[0];
    for (size_t i = 0; paint->shown && i < (size_t)canvas->width * (size_t)canvas->height; i++)
        paint->shown[i] = (struct cell){.glyph = is_blank ? ' ' : UINT32_MAX, .role = ROLE_TEXT};
}
