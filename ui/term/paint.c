#include "ui/term/paint.h"

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

/* The look of a cell: that of its role, or the role's bar colour, on its own background or another role's. */
struct ink {
    unsigned attributes;
    short fg, bg;
    const char *fg_word, *bg_word;
};

static unsigned attributes_of(const struct paint *paint, const struct cell *cell, bool has_color)
{
    unsigned a = paint->look[cell->role].attributes;
    a |= (cell->mark & CELL_STRONG ? PAINT_BOLD : 0u) | (cell->mark & CELL_UNDER ? PAINT_UNDERLINE : 0u);
    a ^= cell->mark & CELL_INVERSE ? PAINT_REVERSE : 0u;
    a ^= cell->mark & CELL_SWAP ? PAINT_REVERSE : 0u;
    return has_color ? a & ~paint->words.not_in_color : a;
}

static struct ink ink_of(const struct paint *paint, const struct cell *cell)
{
    const struct paint_look *look = &paint->look[cell->role], *behind = &paint->look[cell->ground];
    struct ink ink = {0, look->fg, look->bg, look->fg_word, look->bg_word};
    if (cell->mark & CELL_BAR) {
        ink.fg = look->bg;
        ink.fg_word = look->bar_word;
    }
    if (cell->ground || cell->mark & CELL_BAR) {
        ink.bg = cell->ground ? behind->bg : -1;
        ink.bg_word = cell->ground ? behind->bg_word : "";
    }
    ink.attributes = attributes_of(paint, cell, ink.fg >= 0 || ink.bg >= 0);
    return ink;
}

/* What stands for a cell: a blank of a bar that no colour shows is filled. */
static uint32_t glyph_of(const struct paint *paint, const struct cell *cell)
{
    const struct paint_look *look = &paint->look[cell->role];
    return cell->glyph == ' ' && look->fill && look->bg < 0 && !paint->is_ascii ? look->fill : cell->glyph;
}

static const struct ink own_ink = {.fg = -1, .bg = -1, .fg_word = "", .bg_word = ""};

/* Attributes that a blank shows. */
static const unsigned on_blanks = PAINT_REVERSE | PAINT_UNDERLINE;

/* A blank that looks like any other. */
static bool is_clear(const struct paint *paint, const struct cell *cell)
{
    if (glyph_of(paint, cell) != ' ')
        return false;
    struct ink ink = ink_of(paint, cell);
    return ink.bg < 0 && !(ink.attributes & on_blanks);
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

static void choose(struct paint *paint, const struct ink *look)
{
    unsigned attributes = look->attributes;
    const struct {
        unsigned bit;
        const char *word;
    } all[] = {{PAINT_BOLD, paint->words.bold},
               {PAINT_DIM, paint->words.dim},
               {PAINT_UNDERLINE, paint->words.underline},
               {PAINT_REVERSE, paint->words.reverse}};
    size_t start = paint->used;
    bool is_less = (paint->pen.attributes & ~attributes) || (paint->pen.fg >= 0 && look->fg < 0) ||
                   (paint->pen.bg >= 0 && look->bg < 0);
    if (is_less || !paint->pen.is_chosen) {
        put(paint, paint->words.plain);
        paint->pen.attributes = 0;
        paint->pen.fg = paint->pen.bg = -1;
    }
    for (size_t i = 0; i < LENGTH(all); i++)
        if (attributes & ~paint->pen.attributes & all[i].bit)
            put(paint, all[i].word);
    if (look->fg != paint->pen.fg)
        put(paint, look->fg_word);
    if (look->bg != paint->pen.bg)
        put(paint, look->bg_word);
    if (paint->words.joins)
        join(paint, start);
    paint->pen.attributes = attributes;
    paint->pen.fg = look->fg;
    paint->pen.bg = look->bg;
    paint->pen.is_chosen = true;
}

/* Whether a cell needs no other look than that which is chosen. */
static bool is_chosen(const struct paint *paint, const struct cell *cell)
{
    const struct paint_pen *pen = &paint->pen;
    if (!pen->is_chosen)
        return false;
    if (is_clear(paint, cell))
        return pen->bg < 0 && !(pen->attributes & on_blanks);
    struct ink ink = ink_of(paint, cell);
    return ink.attributes == pen->attributes && ink.fg == pen->fg && ink.bg == pen->bg;
}

/* ---- places ----------------------------------------------------------------------------------------------------- */

/* Digits of a number of rows or columns. */
static int digits(int number)
{
    return number < 10 ? 1 : number < 100 ? 2 : 3;
}

/* The shortest way along the row where the cursor stands; false where only another kind of move is known. */
static bool move_along(const struct paint *paint, int x, char out[PAINT_WORD_MAX])
{
    int by = x - paint->pen.x, far = abs(by);
    bool is_sure = paint->pen.is_sure, is_there = by == 0 && is_sure;
    bool has_column = paint->words.has_column, has_steps = paint->words.has_steps && is_sure && by;
    out[0] = '\0';
    if (paint->words.has_steps && x == 0 && !is_there)
        snprintf(out, PAINT_WORD_MAX, "\r");
    else if (has_steps && by < 0 && far <= 4)
        snprintf(out, PAINT_WORD_MAX, "%.*s", far, "\b\b\b\b");
    else if (has_steps && by == 1)
        snprintf(out, PAINT_WORD_MAX, "\033[C");
    else if (has_steps && (digits(far) < digits(x + 1) || !has_column))
        snprintf(out, PAINT_WORD_MAX, "\033[%d%c", far, by < 0 ? 'D' : 'C');
    else if (has_column && !is_there)
        snprintf(out, PAINT_WORD_MAX, "\033[%dG", x + 1);
    return out[0] || is_there;
}

/* The way there from anywhere. */
static void move_anywhere(const struct paint *paint, int x, int y, char out[PAINT_WORD_MAX])
{
    if (!paint->words.is_ansi)
        paint->words.move(x, y, out);
    else if (x == 0)
        snprintf(out, PAINT_WORD_MAX, y == 0 ? "\033[H" : "\033[%dH", y + 1);
    else
        snprintf(out, PAINT_WORD_MAX, "\033[%d;%dH", y + 1, x + 1);
}

void paint_move(struct paint *paint, int x, int y)
{
    enum { FEEDS_MAX = 3 };
    char text[PAINT_WORD_MAX], along[PAINT_WORD_MAX];
    int down = y - paint->pen.y;
    bool is_near = paint->pen.is_placed && paint->words.is_ansi && move_along(paint, x, along) &&
                   (down == 0 || (paint->words.has_steps && down > 0 && down <= FEEDS_MAX));
    if (paint->pen.is_placed && paint->pen.x == x && down == 0)
        return;
    move_anywhere(paint, x, y, text);
    if (is_near && (size_t)down + strlen(along) <= strlen(text)) {
        paint_bytes(paint, "\n\n\n", (size_t)down);
        put(paint, along);
        paint->pen.is_sure |= x == 0 || strchr(along, 'G');
    } else {
        put(paint, text);
        paint->pen.is_sure = true;
    }
    paint->pen.is_placed = true;
    paint->pen.x = x;
    paint->pen.y = y;
}

/* ---- cells ------------------------------------------------------------------------------------------------------ */

static bool look_alike(const struct paint *paint, const struct cell *a, const struct cell *b)
{
    struct ink one = ink_of(paint, a), other = ink_of(paint, b);
    return one.attributes == other.attributes && one.fg == other.fg && one.bg == other.bg;
}

/* Whether one shows something else than the other: not where only the roles differ, and these look alike. */
static bool differs(const struct paint *paint, const struct cell *a, const struct cell *b)
{
    if (memcmp(a, b, sizeof *a) == 0 || (is_clear(paint, a) && is_clear(paint, b)))
        return false;
    return glyph_of(paint, a) != glyph_of(paint, b) || !look_alike(paint, a, b);
}

static void put_cell(struct paint *paint, const struct cell *cell, bool is_wide)
{
    char text[8];
    uint32_t glyph = glyph_of(paint, cell);
    struct ink ink = ink_of(paint, cell);
    if (!is_chosen(paint, cell))
        choose(paint, &ink);
    paint_bytes(paint, text, (size_t)utf8_put(glyph, text));
    paint->pen.x += is_wide ? 2 : 1;
    paint->pen.is_sure &= glyph < 0x7f;
    /* past the last column it is here or there, and terminals do not agree on how wide wide is */
    paint->pen.is_placed = !is_wide && paint->pen.x < paint->width;
}

/* Cells of a row, those before `end`, and what the terminal shows in their place. */
struct span {
    const struct cell *row, *shown;
    int from, end, y;
};

/* Goes to a cell of the span: over a few before it that look like it, or as chosen, by writing them again. */
static void go_to(struct paint *paint, const struct span *span, int x)
{
    enum { AGAIN_MAX = 5 };
    const struct cell *row = span->row;
    int at = paint->pen.x;
    bool is_near = paint->pen.is_placed && paint->pen.y == span->y && at >= span->from && at < x && x - at <= AGAIN_MAX;
    bool is_as_chosen = true, is_as_next = true;
    for (int i = at; is_near && i < x; i++) {
        is_as_chosen &= is_chosen(paint, &row[i]);
        is_as_next &= look_alike(paint, &row[i], &row[x]);
        uint32_t glyph = glyph_of(paint, &row[i]);
        is_near = glyph > 0 && glyph < 0x7f && (is_as_chosen || is_as_next);
    }
    while (is_near && paint->pen.x < x)
        put_cell(paint, &row[paint->pen.x], false);
    paint_move(paint, x, span->y);
}

/* Whether the rest of a row is to be erased: no text in it stays as it is, and blanks in it take more bytes. */
static bool is_rest_erasable(const struct paint *paint, const struct span *span, int x)
{
    enum { GO_BYTES = 6 /* to a text behind the blanks */ };
    int blanks = 0, bytes = (int)strlen(paint->words.erase_rest);
    for (int i = x; i < paint->width; i++) {
        bool is_blank = is_clear(paint, &span->row[i]), is_new = differs(paint, &span->row[i], &span->shown[i]);
        if (!is_blank && !is_new)
            return false;
        blanks += is_blank && is_new;
        bytes += is_blank ? 0 : GO_BYTES * (i > x && is_clear(paint, &span->row[i - 1]));
    }
    return span->end == paint->width && paint->words.erase_rest[0] && blanks > bytes;
}

/* How many cells from `x` on are to become blank and are erased in fewer bytes than they are; else 0. */
static int erasable(const struct paint *paint, const struct span *span, int x)
{
    enum { WORD_BYTES = 5 };
    int end = x;
    for (int i = x; paint->words.has_erase && i < span->end && is_clear(paint, &span->row[i]); i++)
        end = differs(paint, &span->row[i], &span->shown[i]) ? i + 1 : end;
    bool goes_on = end < span->end && differs(paint, &span->row[end], &span->shown[end]);
    return end - x > WORD_BYTES * (1 + goes_on) ? end - x : 0;
}

/* Erases `count` cells from a blank one on, or the rest of the row; returns how many that are. */
static int erase(struct paint *paint, const struct span *span, int x, int count)
{
    char text[PAINT_WORD_MAX];
    bool is_rest = x + count == paint->width && paint->words.erase_rest[0];
    snprintf(text, sizeof text, "\033[%dX", count);
    go_to(paint, span, x);
    if (!is_chosen(paint, &span->row[x]))
        choose(paint, &own_ink);
    put(paint, is_rest ? paint->words.erase_rest : text);
    return count;
}

/* Shows the cells that are not as they are shown. */
static void put_span(struct paint *paint, const struct span *span)
{
    const struct cell *row = span->row, *shown = span->shown;
    bool is_last = span->y == paint->height - 1 && !paint->words.has_corner, is_erased = false; /* from here on */
    int width = paint->width;
    for (int x = span->from; x < span->end; x++) {
        bool is_wide = x + 1 < width && row[x + 1].glyph == 0, is_blank = is_clear(paint, &row[x]);
        bool is_same = !differs(paint, &row[x], &shown[x]) && !(is_wide && differs(paint, &row[x + 1], &shown[x + 1]));
        bool is_corner = is_last && x + is_wide >= width - 1;
        if (row[x].glyph == 0 || (is_erased ? is_blank : is_same) || is_corner)
            continue;
        if (is_blank && is_rest_erasable(paint, span, x)) {
            erase(paint, span, x, width - x);
            is_erased = true;
            continue;
        }
        int count = is_blank ? erasable(paint, span, x) : 0;
        if (count > 0) {
            x += erase(paint, span, x, count) - 1;
            continue;
        }
        go_to(paint, span, x);
        put_cell(paint, &row[x], is_wide);
    }
}

/* The cells of a row between two columns; a wide character is not parted. */
static struct span span_of(const struct paint *paint, const struct canvas *canvas, int y, int from, int end)
{
    size_t at = (size_t)y * (size_t)canvas->width;
    const struct cell *row = &canvas->cells[at];
    from = from < 0 ? 0 : from;
    end = end > canvas->width ? canvas->width : end;
    from -= from > 0 && from < end && row[from].glyph == 0;
    end += end > from && end < canvas->width && row[end].glyph == 0;
    return (struct span){row, &paint->shown[at], from, end, y};
}

int paint_part(struct paint *paint, const struct canvas *canvas, int y, int from, int end, int bytes)
{
    if (!paint->shown)
        return -1; /* there was no memory for it */
    struct span span = span_of(paint, canvas, y, from, end);
    struct cell *shown = &paint->shown[(size_t)y * (size_t)canvas->width + (size_t)span.from];
    struct paint_pen pen = paint->pen;
    size_t used = paint->used, size = span.end > span.from ? (size_t)(span.end - span.from) * sizeof *shown : 0;
    if (memcmp(&span.row[span.from], shown, size) == 0)
        return 0;
    put_span(paint, &span);
    int taken = (int)(paint->used - used);
    if (taken > bytes) {
        paint->used = used;
        paint->pen = pen;
        return -1;
    }
    memcpy(shown, &span.row[span.from], size);
    return taken;
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
    enum { UNKNOWN = 0xffffff /* no glyph */ };
    fit(paint, canvas);
    paint->is_ascii = canvas->ascii;
    if (!paint->is_forgotten)
        return;
    paint->is_forgotten = paint->pen.is_placed = paint->pen.is_chosen = false;
    choose(paint, &own_ink);
    put(paint, paint->words.clear);
    bool is_blank = paint->look[ROLE_TEXT].bg < 0 && paint->words.clear[0];
    for (size_t i = 0; paint->shown && i < (size_t)canvas->width * (size_t)canvas->height; i++)
        paint->shown[i] = (struct cell){.glyph = is_blank ? ' ' : UNKNOWN, .role = ROLE_TEXT};
}
