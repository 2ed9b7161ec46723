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
           cell_of(canvas, x + count, y)->mark == first->mark)
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

/* The escape sequence of a look with 256 colours. */
static void put_look(FILE *out, const struct look *look, unsigned mark)
{
    bool is_reverse = look->reverse != ((mark & CELL_INVERSE) != 0);
    fprintf(out, "\033[0%s%s%s%s", look->bold || mark & CELL_STRONG ? ";1" : "", look->dim ? ";2" : "",
            look->underline || mark & CELL_UNDER ? ";4" : "", is_reverse ? ";7" : "");
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
            put_look(out, &theme->look[first->role], first->mark);
            for (int i = 0; i < count; i++)
                if (cell_of(canvas, x + i, y)->glyph != 0)
                    put_glyph(out, cell_of(canvas, x + i, y)->glyph);
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
    const struct look *look = &theme->look[cell->role];
    struct paint out = {0};
    out.is_bold = look->bold || cell->mark & CELL_STRONG;
    out.is_underlined = look->underline || cell->mark & CELL_UNDER;
    out.text = look->fg256 >= 0 ? theme_rgb(look->fg256) : own_color(theme, true);
    out.behind = look->bg256 >= 0 ? theme_rgb(look->bg256) : own_color(theme, false);
    out.has_ground = look->bg256 >= 0;
    if (look->reverse != ((cell->mark & CELL_INVERSE) != 0)) {
        unsigned swap = out.text;
        out.text = out.behind;
        out.behind = swap;
        out.has_ground = true;
    }
    return out;
}

static void put_run(const struct canvas *canvas, const struct theme *theme, FILE *out, int x, int y, int count)
{
    struct paint paint = paint_of(theme, cell_of(canvas, x, y));
    int first = 0, last = count;
    if (paint.has_ground)
        fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n", x * CELL_WIDTH,
                y * CELL_HEIGHT, count * CELL_WIDTH, CELL_HEIGHT, paint.behind);
    while (first < last && cell_of(canvas, x + first, y)->glyph == ' ')
        first++;
    while (last > first && cell_of(canvas, x + last - 1, y)->glyph == ' ')
        last--;
    if (first == last)
        return;
    fprintf(out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"#%06x\"%s%s>", (x + first) * CELL_WIDTH,
            y * CELL_HEIGHT + BASELINE, (last - first) * CELL_WIDTH, paint.text,
            paint.is_bold ? " font-weight=\"bold\"" : "", paint.is_underlined ? " text-decoration=\"underline\"" : "");
    for (int i = first; i < last; i++)
        if (cell_of(canvas, x + i, y)->glyph != 0)
            put_escaped(out, cell_of(canvas, x + i, y)->glyph);
    fputs("</text>\n", out);
}

static void put_svg(const struct canvas *canvas, const struct theme *theme, FILE *out, const char *title)
{
    int width = canvas->width * CELL_WIDTH, height = canvas->height * CELL_HEIGHT;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
            "font-family=\"monospace\" font-size=\"%d\" xml:space=\"preserve\">\n<title>",
            width, height, width, height, FONT_SIZE);
    for (uint32_t glyph; (glyph = utf8_next(&title)) != 0;)
        put_escaped(out, glyph);
    fprintf(out, "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n", width, height,
            own_color(theme, false));
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
