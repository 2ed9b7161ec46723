#include "ui/term/paint.h"

#include "core/base.h"

#include <limits.h>
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
    free(paint->run);
    *paint = (struct paint){0};
}

/* ---- looks ------------------------------------------------------------------------------------------------------ */

static unsigned attributes_of(const struct paint *paint, const struct cell *cell, bool has_color)
{
    unsigned a = paint->look[cell->role].attributes;
    a |= (cell->mark & CELL_STRONG ? PAINT_BOLD : 0u) | (cell->mark & CELL_UNDER ? PAINT_UNDERLINE : 0u);
    a ^= cell->mark & CELL_INVERSE ? PAINT_REVERSE : 0u;
    a ^= cell->mark & CELL_SWAP ? PAINT_REVERSE : 0u;
    return has_color ? a & ~paint->words.not_in_color : a;
}

/* What stands for a cell: a blank of a bar that no colour shows is filled. */
static uint32_t glyph_of(const struct paint *paint, const struct cell *cell)
{
    const struct paint_look *look = &paint->look[cell->role];
    return cell->glyph == ' ' && look->fill && look->bg < 0 && !paint->is_ascii ? look->fill : cell->glyph;
}

/* Attributes that a blank shows. */
static const unsigned on_blanks = PAINT_REVERSE | PAINT_UNDERLINE;

/* The look of a blank on the terminal's own background. */
static const struct ink own_ink = {.fg = -1, .bg = -1, .fg_word = "", .bg_word = "", .is_blank = true};

/* The look of a cell: that of its role, or the role's bar colour, on its own background or another role's. */
static struct ink ink_of(const struct paint *paint, const struct cell *cell)
{
    const struct paint_look *look = &paint->look[cell->role], *behind = &paint->look[cell->ground];
    struct ink ink = {.fg = look->fg, .bg = look->bg, .fg_word = look->fg_word, .bg_word = look->bg_word};
    if (cell->mark & CELL_BAR) {
        ink.fg = look->bg;
        ink.fg_word = look->bar_word;
    }
    if (cell->ground || cell->mark & CELL_BAR) {
        ink.bg = cell->ground ? behind->bg : -1;
        ink.bg_word = cell->ground ? behind->bg_word : "";
    }
    ink.attributes = attributes_of(paint, cell, ink.fg >= 0 || ink.bg >= 0);
    ink.is_blank = glyph_of(paint, cell) == ' ' && !(ink.attributes & on_blanks);
    return ink;
}

/*
 * Whether what is written in one look is as wanted in another: for a blank its background is all, also where that is
 * the reverse of a colour.
 */
static bool serves(unsigned attributes, short fg, short bg, const struct ink *wanted)
{
    if (wanted->is_blank && attributes == PAINT_REVERSE)
        return fg >= 0 && fg == wanted->bg;
    if (wanted->is_blank)
        return bg == wanted->bg && !(attributes & on_blanks);
    return attributes == wanted->attributes && fg == wanted->fg && bg == wanted->bg;
}

static bool ink_serves(const struct ink *ink, const struct ink *wanted)
{
    return serves(ink->attributes, ink->fg, ink->bg, wanted);
}

/* A blank that looks like any other. */
static bool is_clear(const struct paint *paint, const struct cell *cell)
{
    struct ink ink = ink_of(paint, cell);
    return ink.is_blank && ink.bg < 0;
}

/* The look to choose: for a blank, of what it does not show all that is chosen already. */
static struct ink wanted_ink(const struct paint_pen *pen, const struct ink *look)
{
    struct ink wanted = *look;
    if (!look->is_blank)
        return wanted;
    bool stays = pen->is_chosen && !(pen->attributes & on_blanks) && (look->bg >= 0 || pen->bg < 0);
    wanted.attributes = stays ? pen->attributes : 0;
    wanted.fg = stays ? pen->fg : -1;
    return wanted;
}

/* Words that choose a look one after the other, and their bytes. */
struct choice {
    const char *word[PAINT_CHOICE_MAX];
    int count, bytes;
};

/* Of a sequence that goes on, two bytes are spared: ESC [ m ESC [ 1 m says the same as ESC [ ; 1 m. */
static void add_word(const struct paint *paint, struct choice *choice, const char *word)
{
    if (!word[0])
        return;
    choice->bytes += (int)strlen(word) - (paint->words.joins && choice->count > 0 ? 2 : 0);
    choice->word[choice->count++] = word;
}

/* Adds what a look has beyond these attributes and colours. */
static void add_look(const struct paint *paint, struct choice *choice, const struct paint_pen *pen,
                     const struct ink *wanted)
{
    const struct {
        unsigned bit;
        const char *word;
    } all[] = {{PAINT_BOLD, paint->words.bold},
               {PAINT_DIM, paint->words.dim},
               {PAINT_UNDERLINE, paint->words.underline},
               {PAINT_REVERSE, paint->words.reverse}};
    for (size_t i = 0; i < LENGTH(all); i++)
        if (wanted->attributes & ~pen->attributes & all[i].bit)
            add_word(paint, choice, all[i].word);
    if (wanted->fg != pen->fg)
        add_word(paint, choice, wanted->fg >= 0 ? wanted->fg_word : paint->words.own_fg);
    if (wanted->bg != pen->bg)
        add_word(paint, choice, wanted->bg >= 0 ? wanted->bg_word : paint->words.own_bg);
}

/* The words from the look at hand to another: by way of none, or where all can be ended that ends, without it. */
static struct choice choice_of(const struct paint *paint, const struct paint_pen *pen, const struct ink *look)
{
    static const struct paint_pen none = {.fg = -1, .bg = -1};
    const struct ink wanted = wanted_ink(pen, look);
    const struct paint_words *words = &paint->words;
    struct paint_pen kept = *pen;
    struct choice anew = {0}, on = {0};
    unsigned ended = pen->attributes & ~wanted.attributes;
    add_word(paint, &anew, words->plain);
    add_look(paint, &anew, &none, &wanted);
    bool can_go_on = pen->is_chosen && (ended == 0 || (ended == PAINT_REVERSE && words->unreverse[0])) &&
                     (pen->fg < 0 || wanted.fg >= 0 || words->own_fg[0]) &&
                     (pen->bg < 0 || wanted.bg >= 0 || words->own_bg[0]);
    if (!can_go_on)
        return anew;
    if (ended)
        add_word(paint, &on, words->unreverse);
    kept.attributes &= ~ended;
    add_look(paint, &on, &kept, &wanted);
    return on.bytes <= anew.bytes ? on : anew;
}

static void choose(struct paint *paint, const struct ink *look)
{
    struct paint_pen *pen = &paint->pen;
    const struct ink wanted = wanted_ink(pen, look);
    const struct choice choice = choice_of(paint, pen, look);
    for (int i = 0; i < choice.count; i++) {
        bool joins = paint->words.joins && i > 0;
        if (joins)
            paint->out[paint->used - 1] = ';';
        put(paint, choice.word[i] + (joins ? 2 : 0));
    }
    pen->attributes = wanted.attributes;
    pen->fg = wanted.fg;
    pen->bg = wanted.bg;
    pen->is_chosen = true;
}

/* Whether a look is as chosen. */
static bool is_pen(const struct paint *paint, const struct ink *ink)
{
    const struct paint_pen *pen = &paint->pen;
    return pen->is_chosen && serves(pen->attributes, pen->fg, pen->bg, ink);
}

/* Whether a cell needs no other look than that which is chosen. */
static bool is_chosen(const struct paint *paint, const struct cell *cell)
{
    struct ink ink = ink_of(paint, cell);
    return is_pen(paint, &ink);
}

/* ---- places ----------------------------------------------------------------------------------------------------- */

/* Digits of a number of rows or columns. */
static int digits(int number)
{
    return number < 10 ? 1 : number < 100 ? 2 : 3;
}

/* How the cursor gets to a column of its row; anywhere: by row and column. */
enum along { ALONG_NONE, ALONG_HOPS, ALONG_STEPS, ALONG_COLUMN, ANYWHERE };

/* A cursor movement and its bytes; by hops: tabs from the left edge or from here, then back. */
struct way {
    enum along along;
    int bytes;
    bool is_from_left;
    int tabs, backs;
};

static struct way shorter(struct way a, struct way b)
{
    return b.bytes < a.bytes ? b : a;
}

/* By hops from a column that is known. */
static struct way hops(const struct paint *paint, int from, int x)
{
    enum { TAB = 8 };
    bool is_ahead = x > from;
    int stop = is_ahead ? (x + TAB - 1) / TAB * TAB : from, tabs = is_ahead ? stop / TAB - from / TAB : 0;
    if (is_ahead && (!paint->words.has_tabs || stop >= paint->width))
        return (struct way){.along = ANYWHERE, .bytes = INT_MAX - 1};
    return (struct way){ALONG_HOPS, tabs + stop - x, false, tabs, stop - x};
}

/* The shortest way along the row where the cursor stands; ANYWHERE where only another kind of move is known. */
static struct way way_along(const struct paint *paint, int x)
{
    const struct paint_pen *pen = &paint->pen;
    int by = x - pen->x;
    struct way left = hops(paint, 0, x), way = {.along = ANYWHERE, .bytes = INT_MAX};
    left.bytes++;
    left.is_from_left = true;
    if (by == 0 && pen->is_sure)
        return (struct way){.along = ALONG_NONE};
    if (paint->words.has_column)
        way = (struct way){.along = ALONG_COLUMN, .bytes = 3 + digits(x + 1)};
    if (paint->words.has_steps && pen->is_sure) {
        way = shorter(way, hops(paint, pen->x, x));
        way = shorter(way, (struct way){.along = ALONG_STEPS, .bytes = by == 1 ? 3 : 3 + digits(abs(by))});
    }
    return paint->words.has_steps ? shorter(way, left) : way;
}

enum { FEEDS_MAX = 3 }; /* line feeds, beyond which a number of rows is said */

/* Bytes of a move to another row, in the column at hand. */
static int rows_bytes(int down)
{
    return down >= 0 && down <= FEEDS_MAX ? down : abs(down) == 1 ? 3 : 3 + digits(abs(down));
}

/* The shortest way from where the cursor stands, in rows and along, or from anywhere. */
static struct way way_to(const struct paint *paint, int x, int y)
{
    const struct paint_pen *pen = &paint->pen;
    int down = y - pen->y;
    struct way way = {.along = ANYWHERE, .bytes = 4 + digits(y + 1) + digits(x + 1)};
    if (pen->is_placed && pen->x == x && down == 0)
        return (struct way){.along = ALONG_NONE};
    if (x == 0)
        way.bytes = y == 0 ? 3 : 3 + digits(y + 1);
    if (!pen->is_placed || !paint->words.is_ansi || (down != 0 && !paint->words.has_steps))
        return way;
    struct way along = way_along(paint, x);
    if (along.along == ANYWHERE)
        return way;
    along.bytes += rows_bytes(down);
    return along.bytes <= way.bytes ? along : way;
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

/* Goes some steps: down the screen or right when positive. */
static void put_steps(struct paint *paint, int by, const char letters[2])
{
    char text[PAINT_WORD_MAX];
    int length = abs(by) == 1 ? snprintf(text, sizeof text, "\033[") : snprintf(text, sizeof text, "\033[%d", abs(by));
    text[length] = letters[by > 0];
    paint_bytes(paint, text, (size_t)length + 1);
}

static void move_along(struct paint *paint, const struct way *way, int x)
{
    char text[PAINT_WORD_MAX];
    int by = x - paint->pen.x;
    if (way->along == ALONG_HOPS) {
        put(paint, way->is_from_left ? "\r" : "");
        for (int i = 0; i < way->tabs + way->backs; i++)
            put(paint, i < way->tabs ? "\t" : "\b");
    }
    if (way->along == ALONG_STEPS)
        put_steps(paint, by, "DC");
    snprintf(text, sizeof text, "\033[%dG", x + 1);
    put(paint, way->along == ALONG_COLUMN ? text : "");
}

void paint_move(struct paint *paint, int x, int y)
{
    char text[PAINT_WORD_MAX];
    const struct way way = way_to(paint, x, y);
    int down = y - paint->pen.y;
    if (paint->pen.is_placed && paint->pen.x == x && down == 0)
        return;
    if (way.along == ANYWHERE) {
        move_anywhere(paint, x, y, text);
        put(paint, text);
    } else {
        if (down >= 0 && down <= FEEDS_MAX)
            paint_bytes(paint, "\n\n\n", (size_t)down);
        else
            put_steps(paint, down, "AB");
        move_along(paint, &way, x);
    }
    paint->pen.is_sure = paint->pen.is_placed = true;
    paint->pen.x = x;
    paint->pen.y = y;
}

/* ---- cells ------------------------------------------------------------------------------------------------------ */

/* Whether a cell is to show something else than it does: not where only the roles differ, and these look alike. */
static bool differs(const struct paint *paint, const struct cell *a, const struct cell *b)
{
    if (memcmp(a, b, sizeof *a) == 0)
        return false;
    if (glyph_of(paint, a) != glyph_of(paint, b))
        return true;
    struct ink wanted = ink_of(paint, a), shown = ink_of(paint, b);
    return !ink_serves(&shown, &wanted);
}

/* Writes a cell in the look that is chosen. */
static void put_cell(struct paint *paint, const struct cell *cell, bool is_wide)
{
    enum { BRAILLE = 0x2800 }; /* 256 patterns, which no terminal takes for wide ones */
    char text[8];
    uint32_t glyph = glyph_of(paint, cell);
    paint_bytes(paint, text, (size_t)utf8_put(glyph, text));
    paint->pen.x += is_wide ? 2 : 1;
    /* past the last column it is here or there, and terminals do not agree on how wide wide is */
    bool is_past = paint->pen.x >= paint->width;
    paint->pen.is_sure &= (glyph < 0x7f || glyph - BRAILLE < 256) && !is_past;
    paint->pen.is_placed = !is_wide && !(is_past && !paint->words.has_corner);
}

/* Cells of a row, those before `end`, and what the terminal shows in their place. */
struct span {
    const struct cell *row, *shown;
    int from, end, y;
};

/* Goes to a cell of the span: over a few before it that look as chosen by writing them again. */
static void go_to(struct paint *paint, const struct span *span, int x)
{
    const struct cell *row = span->row;
    int at = paint->pen.x, most = 4 + !paint->pen.is_sure; /* bytes of a move */
    bool is_near = paint->pen.is_placed && paint->pen.y == span->y && at >= span->from && at < x && x - at <= most;
    for (int i = at; is_near && i < x; i++) {
        uint32_t glyph = glyph_of(paint, &row[i]);
        is_near = glyph > 0 && glyph < 0x7f && is_chosen(paint, &row[i]);
    }
    while (is_near && paint->pen.x < x)
        put_cell(paint, &row[paint->pen.x], false);
    paint_move(paint, x, span->y);
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

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

/* How many cells from a blank one on are to be like it, and are erased in fewer bytes than they are; else 0. */
static int erasable(const struct paint *paint, const struct span *span, int x)
{
    enum { WORD_BYTES = 5 };
    int end = x;
    struct ink ground = ink_of(paint, &span->row[x]), next = ground;
    bool can = ground.bg < 0 ? paint->words.has_erase : paint->words.has_erase_in_color;
    for (int i = x; can && i < span->end && next.is_blank && next.bg == ground.bg; i++) {
        end = differs(paint, &span->row[i], &span->shown[i]) ? i + 1 : end;
        next = i + 1 < span->end ? ink_of(paint, &span->row[i + 1]) : next;
    }
    bool goes_on = end < span->end && differs(paint, &span->row[end], &span->shown[end]);
    return end - x > WORD_BYTES * (1 + goes_on) ? end - x : 0;
}

/* The first column from `x` on that is not clear, or the end of the row. */
static int blank_end(const struct paint *paint, const struct cell *row, int x)
{
    while (x < paint->width && is_clear(paint, &row[x]))
        x++;
    return x;
}

enum { MIXED_LOOK = PAINT_LOOKS_MAX - 1 }; /* shared by those that the list has no room for: chosen by the cell */

/* The number of a look in the list of a frame. */
static int look_number(struct paint *paint, const struct ink *ink)
{
    int i = 1;
    while (i < paint->looks && (paint->ink[i].is_blank != ink->is_blank || !ink_serves(&paint->ink[i], ink)))
        i++;
    i = i < MIXED_LOOK ? i : MIXED_LOOK;
    paint->ink[i] = *ink;
    paint->looks = i < paint->looks ? paint->looks : i + 1;
    return i;
}

/* Whether a run of blanks can be written in another look; what is erased takes the background alone. */
static bool can_blanks_take(const struct paint *paint, const struct paint_run *blanks, int look)
{
    const struct ink *own = &paint->ink[blanks->look], *other = &paint->ink[look];
    return own->is_blank && blanks->look != MIXED_LOOK && look != MIXED_LOOK && ink_serves(other, own) &&
           (blanks->erased == 0 || other->bg == own->bg);
}

/* Adds a run, to the last one where it goes on in its look; a run of blanks takes any look that shows them. */
static void add_run(struct paint *paint, const struct paint_run *run)
{
    struct paint_run *last = paint->runs > 0 ? &paint->run[paint->runs - 1] : NULL;
    bool is_next = last && !run->is_first && last->y == run->y && last->end == run->from && last->erased == 0;
    bool is_taken = is_next && can_blanks_take(paint, last, run->look); /* by this run */
    if (is_next && (is_taken || last->look == run->look || can_blanks_take(paint, run, last->look))) {
        last->look = is_taken ? run->look : last->look;
        last->end = run->end;
        last->erased = run->erased;
        return;
    }
    if (paint->runs == paint->runs_max) {
        int count = 2 * paint->runs_max + 64;
        struct paint_run *all = realloc(paint->run, (size_t)count * sizeof *all);
        paint->is_forgotten |= !all; /* the frame lacks something: the next one has all */
        if (!all)
            return;
        paint->run = all;
        paint->runs_max = count;
    }
    paint->run[paint->runs++] = *run;
}

/* Lists the cells that are not as they are shown. */
static void find_runs(struct paint *paint, const struct span *span)
{
    const struct cell *row = span->row, *shown = span->shown;
    bool is_last = span->y == paint->height - 1 && !paint->words.has_corner, is_erased = false; /* from here on */
    int width = paint->width;
    for (int x = span->from, next; x < span->end; x = next) {
        next = x + 1;
        if (!is_erased && row[x].glyph == ' ' && memcmp(&row[x], &shown[x], sizeof row[x]) == 0)
            continue;
        const struct ink ink = ink_of(paint, &row[x]);
        bool is_wide = x + 1 < width && row[x + 1].glyph == 0, is_clear_one = ink.is_blank && ink.bg < 0;
        bool is_same = !differs(paint, &row[x], &shown[x]) && !(is_wide && differs(paint, &row[x + 1], &shown[x + 1]));
        bool is_corner = is_last && x + is_wide >= width - 1;
        next = x + 1 + is_wide;
        if (row[x].glyph == 0 || (is_erased ? is_clear_one : is_same) || is_corner)
            continue;
        bool is_rest = is_clear_one && is_rest_erasable(paint, span, x);
        int look = is_clear_one ? 0 : look_number(paint, &ink);
        bool can_erase = ink.is_blank && look != MIXED_LOOK;
        int count = is_rest ? width - x : can_erase ? erasable(paint, span, x) : 0;
        bool is_text_behind = is_rest && blank_end(paint, row, x) < width; /* it comes after the erasing */
        add_run(paint, &(struct paint_run){span->y, x, count > 0 ? x : next, count, look, is_text_behind});
        is_erased |= is_rest;
        next = count > 0 && !is_rest ? x + count : next;
    }
}

/* Sends a repeat count in place of cells in its look that equal the one just written; returns how many. */
static int put_repeats(struct paint *paint, const struct cell *row, int x, int end)
{
    char text[PAINT_WORD_MAX];
    int most = end < paint->width - 2 ? end : paint->width - 2; /* terminals differ near the last column */
    int count = 0;
    uint32_t glyph = glyph_of(paint, &row[x]);
    while (x + count + 1 < most && glyph_of(paint, &row[x + count + 1]) == glyph)
        count++;
    if (!paint->words.has_repeat || count * utf8_put(glyph, (char[8]){0}) <= 3 + digits(count))
        return 0;
    snprintf(text, sizeof text, "\033[%db", count);
    put(paint, text);
    paint->pen.x += count;
    return count;
}

/* Writes a run, and erases the blanks behind it. */
static void put_run(struct paint *paint, const struct span *span, const struct paint_run *run)
{
    char text[PAINT_WORD_MAX];
    const struct cell *row = span->row;
    const struct ink *ink = &paint->ink[run->look];
    bool is_rest = run->end + run->erased == paint->width && paint->words.erase_rest[0];
    if (!is_pen(paint, ink))
        choose(paint, ink);
    go_to(paint, span, run->from);
    bool is_mixed = run->look == MIXED_LOOK;
    for (int x = run->from; x < run->end; x++) {
        if (row[x].glyph == 0)
            continue;
        if (is_mixed && !is_chosen(paint, &row[x])) {
            const struct ink own = ink_of(paint, &row[x]);
            choose(paint, &own);
        }
        put_cell(paint, &row[x], x + 1 < paint->width && row[x + 1].glyph == 0);
        x += is_mixed ? 0 : put_repeats(paint, row, x, run->end);
    }
    if (run->erased == 0)
        return;
    paint_move(paint, run->end, span->y);
    snprintf(text, sizeof text, "\033[%dX", run->erased);
    put(paint, is_rest ? paint->words.erase_rest : text);
}

static void forget_runs(struct paint *paint)
{
    paint->ink[0] = own_ink;
    paint->looks = 1;
    paint->runs = 0;
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
    const size_t most = used + (size_t)(bytes > 0 ? bytes : 0);
    if (memcmp(&span.row[span.from], shown, size) == 0)
        return 0;
    if (paint->is_new && bytes == PAINT_ALL) {
        memcpy(shown, &span.row[span.from], size);
        paint->is_owed = true;
        return 1;
    }
    forget_runs(paint);
    find_runs(paint, &span);
    for (int i = 0; i < paint->runs && paint->used <= most; i++)
        put_run(paint, &span, &paint->run[i]);
    int taken = (int)(paint->used - used);
    if (taken > bytes) {
        paint->used = used;
        paint->pen = pen;
        return -1;
    }
    memcpy(shown, &span.row[span.from], size);
    return taken;
}

/* ---- a frame by looks ------------------------------------------------------------------------------------------- */

/* The row of a run as it is to be, and as it was before the frame. */
static struct span whole_row(const struct paint *paint, int y)
{
    size_t at = (size_t)y * (size_t)paint->width;
    return (struct span){&paint->shown[at], &paint->before[at], 0, paint->width, y};
}

/* The look, of those that are left, which takes the fewest bytes to go on in; -1 when none is. */
static int next_look(const struct paint *paint, const struct paint_run *const first[])
{
    int least = INT_MAX, best = -1;
    for (int look = 0; look < paint->looks; look++) {
        if (!first[look])
            continue;
        const struct ink *ink = &paint->ink[look];
        int bytes = is_pen(paint, ink) ? 0 : choice_of(paint, &paint->pen, ink).bytes;
        bytes += way_to(paint, first[look]->from, first[look]->y).bytes;
        best = bytes < least ? look : best;
        least = bytes < least ? bytes : least;
    }
    return best;
}

/* Writes the runs of a look from above, or of all looks what is to be erased before. */
static void put_look(struct paint *paint, int look, bool is_first)
{
    for (int i = 0; i < paint->runs; i++)
        if (paint->run[i].is_first ? is_first : !is_first && paint->run[i].look == look) {
            struct span span = whole_row(paint, paint->run[i].y);
            put_run(paint, &span, &paint->run[i]);
        }
}

/* A look chosen anyway that shows the blanks of a run: of the nearest run in its row, or any; its own if none. */
static int look_of_blanks(struct paint *paint, int i)
{
    const struct paint_run *run = &paint->run[i];
    for (int by = 1; by < paint->runs; by++) {
        bool has_before = i - by >= 0 && run[-by].y == run->y, has_behind = i + by < paint->runs && run[by].y == run->y;
        for (int side = 0; side < 2; side++) {
            int look = (side ? has_behind : has_before) ? run[side ? by : -by].look : 0;
            if (!paint->ink[look].is_blank && can_blanks_take(paint, run, look))
                return look;
        }
        if (!has_before && !has_behind)
            break;
    }
    for (int look = 1; look < paint->looks; look++)
        if (!paint->ink[look].is_blank && can_blanks_take(paint, run, look))
            return look;
    return run->look;
}

/* Writes all that changed in the frame, look by look: what is erased, and then what is in the look at hand. */
static void put_by_looks(struct paint *paint)
{
    const struct paint_run *first[PAINT_LOOKS_MAX] = {NULL};
    forget_runs(paint);
    for (int y = 0; y < paint->height; y++) {
        struct span span = whole_row(paint, y);
        if (memcmp(span.row, span.shown, (size_t)paint->width * sizeof *span.row) != 0)
            find_runs(paint, &span);
    }
    for (int i = paint->runs - 1; i >= 0; i--) {
        struct paint_run *run = &paint->run[i];
        bool is_open = paint->ink[run->look].is_blank && !run->is_first && run->look != MIXED_LOOK;
        run->look = is_open ? look_of_blanks(paint, i) : run->look;
        first[run->look] = run->is_first ? first[run->look] : run;
    }
    put_look(paint, 0, true);
    for (int look; (look = next_look(paint, first)) >= 0; first[look] = NULL)
        put_look(paint, look, false);
}

/* Turns rows into looks, where wanted and shorter. */
static void order(struct paint *paint, bool by_looks)
{
    const struct paint_pen pen = paint->pen;
    size_t end = paint->used, rows = end - paint->begun;
    if (!paint->shown)
        return;
    if (paint->is_owed || (by_looks && rows > 0)) {
        paint->pen = paint->pen_before;
        put_by_looks(paint);
        size_t looks = paint->used - end;
        if (looks < rows || paint->is_owed)
            memmove(paint->out + paint->begun, paint->out + end, looks);
        else
            paint->pen = pen;
        paint->used = paint->begun + (looks < rows || paint->is_owed ? looks : rows);
    }
    paint->is_owed = false;
}

/* Bytes of all that a frame shows. */
static size_t screen_size(const struct paint *paint)
{
    return paint->shown ? (size_t)paint->width * (size_t)paint->height * sizeof *paint->shown : 0;
}

void paint_end(struct paint *paint, bool by_looks)
{
    order(paint, by_looks);
    if (paint->shown)
        memcpy(paint->before, paint->shown, screen_size(paint));
}

/* Makes `shown` as large as the canvas; what was in it is then worthless. */
static void fit(struct paint *paint, const struct canvas *canvas)
{
    size_t need = (size_t)canvas->width * (size_t)canvas->height;
    if (paint->width == canvas->width && paint->height == canvas->height && paint->shown)
        return;
    if (need > paint->room) {
        free(paint->shown);
        paint->shown = malloc(2 * need * sizeof *paint->shown);
        paint->room = paint->shown ? need : 0;
    }
    paint->before = paint->shown ? paint->shown + need : NULL;
    paint->width = canvas->width;
    paint->height = canvas->height;
    paint->is_forgotten = true;
}

void paint_begin(struct paint *paint, const struct canvas *canvas)
{
    enum { UNKNOWN = 0xffffff /* no glyph */ };
    fit(paint, canvas);
    paint->is_ascii = canvas->ascii;
    paint->is_new = paint->is_forgotten;
    if (paint->is_forgotten) {
        paint->is_forgotten = paint->pen.is_placed = paint->pen.is_chosen = false;
        choose(paint, &own_ink);
        put(paint, paint->words.clear);
        bool is_blank = paint->look[ROLE_TEXT].bg < 0 && paint->words.clear[0];
        for (size_t i = 0; paint->shown && i < (size_t)canvas->width * (size_t)canvas->height; i++)
            paint->shown[i] = paint->before[i] = (struct cell){.glyph = is_blank ? ' ' : UNKNOWN, .role = ROLE_TEXT};
    }
    paint->begun = paint->used;
    paint->pen_before = paint->pen;
}

/* ---- a frame within bytes --------------------------------------------------------------------------------------- */

/* Shows rows of a part where there is room for them; a first one always is. Returns whether all of it is shown. */
static bool show_part(struct paint *paint, const struct canvas *canvas, struct rect part, int bytes)
{
    bool is_whole = true;
    for (int y = part.y; y < part.y + part.height; y++) {
        int sent = (int)(paint->used - paint->begun), room = sent > 0 ? bytes - sent : INT_MAX;
        room = bytes == PAINT_ALL ? PAINT_ALL : room;
        is_whole &= paint_part(paint, canvas, y, part.x, part.x + part.width, room) >= 0;
    }
    return is_whole;
}

static bool show_parts(struct paint *paint, const struct canvas *canvas, const struct rect first[], int bytes)
{
    bool is_whole = true;
    for (; first->height > 0; first++)
        is_whole &= show_part(paint, canvas, *first, bytes);
    return show_part(paint, canvas, (struct rect){0, 0, canvas->width, canvas->height}, bytes) && is_whole;
}

/* Where by looks the rows that there was room for take fewer bytes, others get the room that is left. */
bool paint_frame(struct paint *paint, const struct canvas *canvas, const struct rect first[], int bytes, bool by_looks)
{
    enum { TRIES = 3, CURSOR = 8 /* bytes of the last move */ };
    bool is_whole = false, is_more = true;
    int room = by_looks && bytes < PAINT_ALL ? bytes - CURSOR : bytes;
    paint_begin(paint, canvas);
    for (int tries = TRIES; tries > 0 && is_more && !is_whole; tries--) {
        size_t used = paint->used;
        is_whole = show_parts(paint, canvas, first, room);
        is_more = by_looks && paint->used > used;
        order(paint, by_looks);
    }
    paint_end(paint, false);
    return is_whole;
}
