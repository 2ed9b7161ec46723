#include "ui/term/screenshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_WIDTH = 9, CELL_HEIGHT = 18, BASELINE = 13, FONT_SIZE = 15 /* pixels */ };

bool shot_form(const char *path, enum shot *form)
{
    static const char *const endings[] = {[SHOT_TEXT] = ".txt", [SHOT_ANSI] = ".ans", [SHOT_SVG] = ".svg"};
    size_t length = strlen(path);
    for (int i = 0; i < 3; i++)
        if (length > strlen(endings[i]) && strcmp(path + length - strlen(endings[i]), endings[i]) == 0) {
            *form = (enum shot)i;
            return true;
        }
    return false;
}

static const struct cell *cell_of(const struct canvas *canvas, int x, int y)
{
    return &canvas->cells[(size_t)y * (size_t)canvas->width + (size_t)x];
}

/* Cells from x on that look alike. */
static int run_of(const struct canvas *canvas, int x, int y)
{
    const struct cell *first = cell_of(canvas, x, y);
    int count = 1;
    while (x + count < canvas->width && cell_of(canvas, x + count, y)->role == first->role &&
           cell_of(canvas, x + count, y)->mark == first->mark && cell_of(canvas, x + count, y)->ground == first->ground)
        count++;
    return count;
}

static void put_glyph(FILE *out, uint32_t glyph)
{
    char text[5] = {0};
    utf8_put(glyph, text);
    fputs(text, out);
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static void put_text(const struct canvas *canvas, FILE *out)
{
    char line[4 * 1000 + 8];
    for (int y = 0; y < canvas->height; y++) {
        canvas_line(canvas, y, line, sizeof line);
        fprintf(out, "%s\n", line);
    }
}

/* The look of a cell: that of its role, or the role's bar colour, on its own background or another role's. */
static struct look look_of(const struct theme *theme, const struct cell *cell)
{
    struct look look = theme->look[cell->role];
    if (cell->mark & CELL_BAR)
        look.fg256 = look.bg256;
    if (cell->ground || cell->mark & CELL_BAR)
        look.bg256 = cell->ground ? theme->look[cell->ground].bg256 : -1;
    look.reverse = look.reverse != ((cell->mark & (CELL_INVERSE | CELL_SWAP)) != 0);
    look.bold |= (cell->mark & CELL_STRONG) != 0;
    look.underline |= (cell->mark & CELL_UNDER) != 0;
    return look;
}

/* What stands for a cell: a blank of a bar that no colour shows is filled. */
static uint32_t glyph_of(const struct canvas *canvas, const struct theme *theme, const struct cell *cell)
{
    bool is_filled = cell->glyph == ' ' && theme->look[cell->role].bg256 < 0 && !canvas->ascii;
    uint32_t fill = is_filled ? role_fill((enum role)cell->role) : 0;
    return fill ? fill : cell->glyph;
}

/* The escape sequence of a look with 256 colours. */
static void put_look(FILE *out, const struct look *look)
{
    fprintf(out, "\033[0%s%s%s%s", look->bold ? ";1" : "", look->dim ? ";2" : "", look->underline ? ";4" : "",
            look->reverse ? ";7" : "");
    if (look->fg256 >= 0)
        fprintf(out, ";38;5;%d", look->fg256);
    if (look->bg256 >= 0)
        fprintf(out, ";48;5;%d", look->bg256);
    fputs("m", out);
}

static void put_ansi(const struct canvas *canvas, const struct theme *theme, FILE *out)
{
    for (int y = 0; y < canvas->height; y++) {
        for (int x = 0, count; x < canvas->width; x += count) {
            const struct cell *first = cell_of(canvas, x, y);
            count = run_of(canvas, x, y);
            struct look look = look_of(theme, first);
            put_look(out, &look);
            for (int i = 0; i < count; i++)
                if (cell_of(canvas, x + i, y)->glyph != 0)
                    put_glyph(out, glyph_of(canvas, theme, cell_of(canvas, x + i, y)));
        }
        fputs("\033[0m\n", out);
    }
}

/* ---- picture ---------------------------------------------------------------------------------------------------- */

static void put_escaped(FILE *out, uint32_t glyph)
{
    if (glyph == '&')
        fputs("&amp;", out);
    else if (glyph == '<')
        fputs("&lt;", out);
    else if (glyph == '>')
        fputs("&gt;", out);
    else
        put_glyph(out, glyph);
}

/* What a terminal has for its own two colours, on a light or a dark background. */
static unsigned own_color(const struct theme *theme, bool is_text)
{
    return theme->is_light ? is_text ? 0x000000 : 0xffffff : is_text ? 0xd0d0d0 : 0x1c1c1c;
}

struct paint {
    unsigned text, behind; /* 0xrrggbb */
    bool has_ground;       /* the background is not the terminal's own */
    bool is_bold, is_underlined;
};

static struct paint paint_of(const struct theme *theme, const struct cell *cell)
{
    const struct look look = look_of(theme, cell);
    struct paint out = {.is_bold = look.bold, .is_underlined = look.underline, .has_ground = look.bg256 >= 0};
    out.text = look.fg256 >= 0 ? theme_rgb(look.fg256) : own_color(theme, true);
    out.behind = look.bg256 >= 0 ? theme_rgb(look.bg256) : own_color(theme, false);
    if (look.reverse) {
        unsigned swap = out.text;
        out.text = out.behind;
        out.behind = swap;
        out.has_ground = true;
    }
    return out;
}

/* Blocks that are alike are one shape, so that they have no gaps whatever the font; false for another glyph. */
static bool put_block(FILE *out, uint32_t glyph, int x, int y, int count, unsigned color)
{
    double top = 0, wide = CELL_WIDTH * count, high = CELL_HEIGHT;
    if (glyph >= 0x2589 && glyph <= 0x258F)
        wide = CELL_WIDTH * (count - 1 + (0x2590 - glyph) / 8.0);
    else if (glyph >= 0x2581 && glyph <= 0x2587)
        top = CELL_HEIGHT - (high = CELL_HEIGHT * (glyph - 0x2580) / 8.0);
    else if (glyph == 0x2580)
        high = CELL_HEIGHT / 2.0;
    else if (glyph != 0x2588)
        return false;
    fprintf(out, "<rect x=\"%d\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"#%06x\"/>\n", x * CELL_WIDTH,
            y * CELL_HEIGHT + top, wide, high, color);
    return true;
}

/* Cells from `from` on that are one shape or one text: a text ends before two blanks, wide or narrow as the font is. */
static int piece_of(const struct canvas *canvas, const struct theme *theme, int x, int y, int from, int count)
{
    uint32_t first = glyph_of(canvas, theme, cell_of(canvas, x + from, y)), glyph, next;
    bool is_block = first >= 0x2580 && first <= 0x258F;
    int to = from + 1;
    for (; to < count; to++) {
        glyph = glyph_of(canvas, theme, cell_of(canvas, x + to, y));
        next = to + 1 < count ? glyph_of(canvas, theme, cell_of(canvas, x + to + 1, y)) : ' ';
        bool is_other = glyph >= 0x2580 && glyph <= 0x258F;
        if (is_block ? glyph != first || first > 0x2588 : is_other || (glyph == ' ' && next == ' '))
            break;
    }
    return to;
}

static void put_run(const struct canvas *canvas, const struct theme *theme, FILE *out, int x, int y, int count)
{
    struct paint paint = paint_of(theme, cell_of(canvas, x, y));
    if (paint.has_ground)
        fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n", x * CELL_WIDTH,
                y * CELL_HEIGHT, count * CELL_WIDTH, CELL_HEIGHT, paint.behind);
    for (int from = 0, to; from < count; from = to) {
        uint32_t glyph = glyph_of(canvas, theme, cell_of(canvas, x + from, y));
        to = glyph == ' ' ? from + 1 : piece_of(canvas, theme, x, y, from, count);
        if (glyph == ' ' || put_block(out, glyph, x + from, y, to - from, paint.text))
            continue;
        fprintf(out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"#%06x\"%s%s>", (x + from) * CELL_WIDTH,
                y * CELL_HEIGHT + BASELINE, (to - from) * CELL_WIDTH, paint.text,
                paint.is_bold ? " font-weight=\"bold\"" : "",
                paint.is_underlined ? " text-decoration=\"underline\"" : "");
        for (int i = from; i < to; i++)
            if (cell_of(canvas, x + i, y)->glyph != 0)
                put_escaped(out, glyph_of(canvas, theme, cell_of(canvas, x + i, y)));
        fputs("</text>\n", out);
    }
}

static void put_svg(const struct canvas *canvas, const struct theme *theme, FILE *out, const char *title)
{
    enum { MARGIN = CELL_WIDTH };
    int width = canvas->width * CELL_WIDTH + 2 * MARGIN, height = canvas->height * CELL_HEIGHT + 2 * MARGIN;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"%d %d %d %d\" role=\"img\" "
            "font-family=\"monospace\" font-size=\"%d\" shape-rendering=\"crispEdges\" xml:space=\"preserve\">\n"
            "<title>",
            width, height, -MARGIN, -MARGIN, width, height, FONT_SIZE);
    for (uint32_t glyph; (glyph = utf8_next(&title)) != 0;)
        put_escaped(out, glyph);
    fprintf(out, "</title>\n<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n", -MARGIN,
            -MARGIN, width, height, own_color(theme, false));
    for (int y = 0; y < canvas->height; y++)
        for (int x = 0, count; x < canvas->width; x += count) {
            count = run_of(canvas, x, y);
            put_run(canvas, theme, out, x, y, count);
        }
    fputs("</svg>\n", out);
}

char *shot_write(const struct canvas *canvas, const struct theme *theme, enum shot form, const char *title)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (form == SHOT_TEXT)
        put_text(canvas, out);
    else if (form == SHOT_ANSI)
        put_ansi(canvas, theme, out);
    else
        put_svg(canvas, theme, out, title);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
