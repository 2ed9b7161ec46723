#include "ui/term/canvas.h"

#include "core/show/glyph.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* ---- characters ------------------------------------------------------------------------------------------------- */

uint32_t utf8_next(const char **text)
{
    static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)*text;
    if (*p == 0)
        return 0;
    int more = *p < 0x80                 ? 0
               : *p >= 0xc2 && *p < 0xe0 ? 1
               : *p >= 0xe0 && *p < 0xf0 ? 2
               : *p >= 0xf0 && *p < 0xf5 ? 3
                                         : -1;
    uint32_t glyph = more <= 0 ? *p : *p & (0x3fu >> more);
    *text += 1;
    if (more < 0)
        return 0xfffd;
    for (int i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0xfffd;
        glyph = glyph << 6 | (p[i] & 0x3f);
    }
    if (glyph < least[more] || glyph > 0x10ffff || (glyph >= 0xd800 && glyph < 0xe000))
        return 0xfffd;
    *text += more;
    return glyph;
}

int utf8_put(uint32_t glyph, char *out)
{
    int more = glyph < 0x80 ? 0 : glyph < 0x800 ? 1 : glyph < 0x10000 ? 2 : 3;
    static const unsigned char lead[4] = {0, 0xc0, 0xe0, 0xf0};
    for (int i = more; i > 0; i--) {
        out[i] = (char)(0x80 | (glyph & 0x3f));
        glyph >>= 6;
    }
    out[0] = (char)(lead[more] | glyph);
    return more + 1;
}

int glyph_width(uint32_t glyph)
{
    if (glyph >= 0x20 && glyph < 0x7f)
        return 1;
    int width = glyph < 0xa0 ? -1 : wcwidth((wchar_t)glyph);
    return width < 0 ? 1 : width; /* what the locale cannot draw becomes '?' */
}

/* What is stored for a character: control characters and what the locale does not know are shown as '?'. */
static uint32_t drawable(const struct canvas *canvas, uint32_t glyph)
{
    if (glyph >= 0x20 && glyph < 0x7f)
        return glyph;
    if (!glyph_is_safe(glyph) || canvas->ascii || wcwidth((wchar_t)glyph) < 0)
        return '?';
    return glyph;
}

int text_width(const char *text)
{
    int width = 0;
    for (uint32_t glyph; (glyph = utf8_next(&text)) != 0;)
        width += glyph_width(glyph);
    return width;
}

enum { GLYPH_MASK = 0xffffff /* bits of a cell's glyph */ };

/* ---- the grid --------------------------------------------------------------------------------------------------- */

int canvas_resize(struct canvas *canvas, int width, int height)
{
    width = width < 1 ? 1 : width > 1000 ? 1000 : width;
    height = height < 1 ? 1 : height > 500 ? 500 : height;
    size_t need = (size_t)width * (size_t)height;
    if (need > canvas->room) {
        struct cell *cells = realloc(canvas->cells, need * sizeof *cells);
        if (!cells)
            return -1;
        memset(cells, 0, need * sizeof *cells); /* halves of characters are looked for before cells are written */
        canvas->cells = cells;
        canvas->room = need;
    }
    canvas->width = width;
    canvas->height = height;
    canvas_clear(canvas);
    return 0;
}

void canvas_free(struct canvas *canvas)
{
    free(canvas->cells);
    *canvas = (struct canvas){0};
}

void canvas_clear(struct canvas *canvas)
{
    memset(canvas->note, 0, sizeof canvas->note);
    canvas_blank(canvas, (struct rect){0, 0, canvas->width, canvas->height});
}

/* Before a cell becomes another: the other half of a wide character that has it is a blank from now on. */
static void part(const struct canvas *canvas, struct cell *cell)
{
    const struct cell *end = canvas->cells + (size_t)canvas->width * (size_t)canvas->height;
    if (cell->glyph == 0 && cell > canvas->cells)
        cell[-1].glyph = ' ';
    if (cell + 1 < end && cell[1].glyph == 0)
        cell[1].glyph = ' ';
}

void canvas_blank(struct canvas *canvas, struct rect r)
{
    canvas_clip(canvas, r);
    r = canvas->clip;
    for (int y = r.y; y < r.y + r.height && r.width > 0; y++) {
        struct cell *row = &canvas->cells[(size_t)y * (size_t)canvas->width + (size_t)r.x];
        part(canvas, &row[0]);
        part(canvas, &row[r.width - 1]);
        for (int x = 0; x < r.width; x++)
            row[x] = (struct cell){.glyph = ' ', .role = ROLE_TEXT};
    }
    canvas->clip = (struct rect){0, 0, canvas->width, canvas->height};
}

void canvas_clip(struct canvas *canvas, struct rect r)
{
    int right = r.x + r.width < canvas->width ? r.x + r.width : canvas->width;
    int bottom = r.y + r.height < canvas->height ? r.y + r.height : canvas->height;
    r.x = r.x < 0 ? 0 : r.x;
    r.y = r.y < 0 ? 0 : r.y;
    canvas->clip = (struct rect){r.x, r.y, right > r.x ? right - r.x : 0, bottom > r.y ? bottom - r.y : 0};
}

/* The cell at a position of the clip, or NULL outside. */
static struct cell *cell_at(const struct canvas *canvas, int x, int y)
{
    const struct rect *r = &canvas->clip;
    if (x < 0 || y < 0 || x >= r->width || y >= r->height)
        return NULL;
    return &canvas->cells[(size_t)(r->y + y) * (size_t)canvas->width + (size_t)(r->x + x)];
}

/* Stores one glyph of this width; one that would be cut in half becomes blanks. */
static void put(struct canvas *canvas, int x, int y, enum role role, uint32_t glyph, int width)
{
    struct cell *cell = cell_at(canvas, x, y), *next = width == 2 ? cell_at(canvas, x + 1, y) : NULL;
    if (cell)
        part(canvas, cell);
    if (next)
        part(canvas, next);
    if (cell)
        *cell = (struct cell){.glyph = (width == 2 && !next ? ' ' : glyph) & GLYPH_MASK, .role = (uint8_t)role,
                              .link = cell->link};
    if (next)
        *next = (struct cell){.glyph = cell ? 0 : ' ', .role = (uint8_t)role, .link = next->link};
}

/* ---- drawing ---------------------------------------------------------------------------------------------------- */

int canvas_text(struct canvas *canvas, int x, int y, enum role role, const char *text)
{
    for (uint32_t glyph; (glyph = utf8_next(&text)) != 0;) {
        int width = glyph_width(glyph);
        uint32_t shown = drawable(canvas, glyph);
        if (shown == '?' && width == 2)
            put(canvas, x + 1, y, role, '?', 1);
        if (width > 0)
            put(canvas, x, y, role, shown, shown == '?' ? 1 : width);
        x += width;
    }
    return x;
}

int canvas_format(struct canvas *canvas, int x, int y, enum role role, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return canvas_text(canvas, x, y, role, text);
}

void canvas_right(struct canvas *canvas, int end, int y, enum role role, const char *text)
{
    canvas_text(canvas, end - text_width(text), y, role, text);
}

/* The column of the mark where a text is cut: never right after a digit, numbers go as a whole. */
static int cut_at(const char *text, int width)
{
    int number = -1, column = 0;
    for (uint32_t glyph; (glyph = utf8_next(&text)) != 0 && column < width - 1;) {
        bool is_digit = glyph >= '0' && glyph <= '9', goes_on = number >= 0 && (glyph == '.' || glyph == ',');
        number = !is_digit && !goes_on ? -1 : number < 0 ? column : number;
        column += glyph_width(glyph);
    }
    return number >= 0 ? number : width - 1;
}

/* The column of the last blank that leaves room for ".." behind it, in the second half of the width; -1 for none. */
static int blank_before(const char *text, int width)
{
    enum { DOTS = 3 };
    int column = 0, blank = -1;
    for (const char *at = text; *at && column + DOTS <= width;) {
        bool is_blank = *at == ' ';
        if (is_blank && column * 2 >= width && at > text && at[-1] != ' ')
            blank = column;
        column += glyph_width(utf8_next(&at));
    }
    return blank;
}

/* Number of words up to a punctuation mark or `end`. */
static int words_until_mark(const char *text, const char *end)
{
    int words = 1;
    for (; *text && text != end && !strchr(",;:", *text); text++)
        words += *text == ' ';
    return words;
}

/* Whether a clause ends here; at a comma only between pieces of three words, to keep lists whole. */
static bool ends_clause(const char *text, const char *at)
{
    enum { WORDS = 3 };
    const char *piece = at;
    while (piece > text && !strchr(",;:", piece[-1]))
        piece--;
    bool is_piece = piece == text || words_until_mark(piece + 1, at) >= WORDS;
    bool is_comma = at[0] == ',' && at[1] == ' ' && at > text && !(at[-1] >= '0' && at[-1] <= '9') && is_piece;
    return (is_comma && words_until_mark(at + 2, NULL) >= WORDS) || (strchr(";:", *at) && at[1] == ' ') ||
           strncmp(at, " (", 2) == 0;
}

/* Column of the last clause end in the second half of the width; -1 for none. */
static int clause_before(const char *text, int width)
{
    int column = 0, end = -1;
    for (const char *at = text; *at && column <= width;) {
        if (column * 2 >= width && ends_clause(text, at))
            end = column;
        column += glyph_width(utf8_next(&at));
    }
    return end;
}

int canvas_fit(struct canvas *canvas, int x, int y, int width, enum role role, const char *text)
{
    struct rect whole = canvas->clip;
    if (width <= 0)
        return x;
    if (whole.width > x + width)
        canvas->clip.width = x + width;
    int end = canvas_text(canvas, x, y, role, text);
    canvas->clip = whole;
    if (end <= x + width)
        return end;
    int clause = clause_before(text, width), blank = clause < 0 ? blank_before(text, width) : -1;
    int cut = x + (clause >= 0 ? clause : blank >= 0 ? blank + 2 : cut_at(text, width));
    for (int column = x + blank; blank >= 0 && column < cut; column++)
        put(canvas, column, y, role, column == x + blank ? ' ' : '.', 1);
    put(canvas, cut, y, role, clause >= 0 ? ' ' : blank >= 0 ? '.' : '~', 1);
    for (int column = cut + 1; column < x + width; column++)
        put(canvas, column, y, role, ' ', 1);
    return x + width;
}

/* Whether a line does not end at this blank: a number and its unit stay together, and `=` and what follows. */
static bool is_tied(const char *text, const char *blank)
{
    char after = blank[1] | 0x20;
    bool is_unit = after >= 'a' && after <= 'z';
    return blank > text && (blank[-1] == '=' || (blank[-1] >= '0' && blank[-1] <= '9' && is_unit));
}

int canvas_wrap(struct canvas *canvas, int x, int y, int width, enum role role, const char *text)
{
    if (width < 1)
        return y;
    while (*text) {
        const char *p = text, *cut = NULL;
        int used = 0;
        for (const char *next = p; *p && *p != '\n'; p = next) {
            uint32_t glyph = utf8_next(&next);
            if (glyph == ' ' && !is_tied(text, p))
                cut = p;
            used += glyph_width(glyph);
            if (used > width)
                break;
        }
        const char *end = *p == '\0' || *p == '\n' ? p : cut && cut > text ? cut : p > text ? p : p + 1;
        const char *rest = end + (*end == ' ' || *end == '\n');
        bool is_cut = y == canvas->clip.height - 1 && *rest;
        char line[1024];
        snprintf(line, sizeof line, "%.*s", is_cut ? (int)sizeof line : (int)(end - text), text);
        for (char *feed = line; (feed = strchr(feed, '\n'));)
            *feed = ' ';
        canvas_fit(canvas, x, y++, width, role, line);
        text = rest;
    }
    return y;
}

int canvas_end(const struct canvas *canvas, int y)
{
    const struct rect *clip = &canvas->clip;
    if (y < 0 || y >= clip->height)
        return 0;
    const struct cell *row = &canvas->cells[(size_t)(clip->y + y) * (size_t)canvas->width + (size_t)clip->x];
    int end = clip->width;
    while (end > 0 && row[end - 1].glyph == ' ')
        end--;
    return end;
}

void canvas_repeat(struct canvas *canvas, int x, int y, enum role role, uint32_t glyph, int count)
{
    for (int i = 0; i < count; i++)
        put(canvas, x + i, y, role, glyph, 1);
}

void canvas_fill(struct canvas *canvas, int x, int y, enum role role, char letter, int count)
{
    canvas_repeat(canvas, x, y, role, canvas->ascii ? (uint32_t)(unsigned char)letter : ' ', count);
}

void canvas_block(struct canvas *canvas, int x, int y, enum role role, enum role ground, uint32_t glyph, char letter,
                  unsigned mark)
{
    struct cell *cell = cell_at(canvas, x, y);
    put(canvas, x, y, role, canvas->ascii ? (uint32_t)(unsigned char)letter : glyph, 1);
    if (!cell || canvas->ascii)
        return;
    cell->ground = (uint8_t)ground;
    cell->mark |= (uint8_t)mark;
}

void canvas_thin(struct canvas *canvas, int x, int y, enum role role, char letter, int count)
{
    enum { SEVEN_EIGHTHS = 0x2587 };
    for (int i = 0; i < count && canvas->has_gaps; i++)
        canvas_block(canvas, x + i, y, role, ROLE_TEXT, SEVEN_EIGHTHS, letter, CELL_BAR);
    canvas_fill(canvas, x, y, role, letter, canvas->has_gaps ? 0 : count);
}

void text_pick(const char *wordings, int width, char *out, size_t size)
{
    for (const char *at = wordings; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
        snprintf(out, size, "%.*s", (int)strcspn(at, "|"), at);
        if (text_width(out) <= width)
            return;
    }
    *out = '\0';
}

int canvas_pick(struct canvas *canvas, int x, int y, int width, enum role role, const char *wordings)
{
    char text[512];
    text_pick(wordings, width, text, sizeof text);
    return canvas_text(canvas, x, y, role, text);
}

void canvas_paint(struct canvas *canvas, int x, int y, int width, enum role role, unsigned mark)
{
    for (int i = 0; i < width; i++) {
        struct cell *cell = cell_at(canvas, x + i, y);
        if (cell) {
            cell->role = (uint8_t)role;
            cell->mark |= (uint8_t)mark;
        }
    }
}

bool canvas_is_blank(const struct canvas *canvas, int x, int y)
{
    const struct cell *cell = cell_at(canvas, x, y);
    return cell && cell->glyph == ' ';
}

void canvas_mark(struct canvas *canvas, int x, int y, int width, unsigned mark)
{
    for (int i = 0; i < width; i++) {
        struct cell *cell = cell_at(canvas, x + i, y);
        if (cell)
            cell->mark |= (uint8_t)mark;
    }
}

void canvas_link(struct canvas *canvas, int x, int y, int width, int link)
{
    for (int i = 0; i < width && canvas->has_links; i++) {
        struct cell *cell = cell_at(canvas, x + i, y);
        if (cell)
            cell->link = (uint16_t)link;
    }
}

int canvas_link_at(const struct canvas *canvas, int x, int y)
{
    bool is_inside = x >= 0 && y >= 0 && x < canvas->width && y < canvas->height;
    return is_inside ? canvas->cells[(size_t)y * (size_t)canvas->width + (size_t)x].link : LINK_NONE;
}

/* How much a cell is where the user is: a line is typed there, it is in use, or only chosen; 0: not at all. */
static int selection(const struct cell *cell)
{
    bool is_inverse = cell->mark & CELL_INVERSE;
    if (is_inverse && (cell->role == ROLE_TEXT || cell->role == ROLE_EDIT))
        return 4;
    bool is_focus = cell->role == ROLE_FOCUS && !(cell->mark & CELL_ASIDE);
    return is_inverse ? 3 : is_focus ? 2 : cell->role == ROLE_SELECTED;
}

void canvas_selected(const struct canvas *canvas, int *x, int *y)
{
    int found = 0, most = 0;
    for (int i = 0; i < canvas->width * canvas->height && most < 4; i++) {
        const struct cell *cell = &canvas->cells[i];
        if (!(cell->mark & CELL_INVERSE) && cell->role != ROLE_FOCUS && cell->role != ROLE_SELECTED)
            continue; /* most cells */
        int here = selection(cell);
        bool is_in_later_row = here == most && most < 3 && i / canvas->width != found / canvas->width;
        if (here > most || (here > 0 && is_in_later_row))
            found = i;
        most = here > most ? here : most;
    }
    *x = found % canvas->width;
    *y = found / canvas->width;
}

/* A cell of a bar without its colour. */
static uint32_t cell_shown(const struct canvas *canvas, const struct cell *cell)
{
    enum { RIGHT_HALF = 0x2590 };
    uint32_t fill = cell->glyph == ' ' && !canvas->ascii ? role_fill((enum role)cell->role) : 0;
    return cell->mark & CELL_SWAP ? RIGHT_HALF : fill ? fill : cell->glyph;
}

size_t canvas_line(const struct canvas *canvas, int y, char *out, size_t size)
{
    size_t used = 0, end = 0;
    const struct cell *row = &canvas->cells[(size_t)y * (size_t)canvas->width];
    for (int x = 0; x < canvas->width && used + 5 <= size; x++) {
        if (row[x].glyph == 0)
            continue;
        uint32_t glyph = cell_shown(canvas, &row[x]);
        used += (size_t)utf8_put(glyph, out + used);
        if (glyph != ' ')
            end = used;
    }
    out[end] = '\0';
    return end;
}

size_t canvas_lines(const struct canvas *canvas, char *out, size_t size)
{
    size_t used = 0, longest = (size_t)canvas->width * 4 + 2;
    out[0] = '\0';
    for (int y = 0; y < canvas->height && used + longest < size; y++) {
        used += canvas_line(canvas, y, out + used, size - used - 1);
        out[used++] = '\n';
        out[used] = '\0';
    }
    return used;
}
