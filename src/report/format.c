#include "src/report/format.h"

#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

struct cell cell_of(enum figure_kind kind, double value)
{
    struct cell cell;
    snprintf(cell.text, sizeof cell.text, "%s", isfinite(value) ? figure(kind, value).text : "n/a");
    return cell;
}

struct cell cell_bytes(double bytes)
{
    return cell_of(FIGURE_BYTES, bytes);
}

struct cell cell_seconds(double seconds)
{
    return cell_of(FIGURE_SECONDS, seconds);
}

struct cell cell_range(enum figure_kind kind, double value, double low, double high)
{
    struct figure range = figure_range(kind, value, low, high);
    struct cell cell = {""};
    if (range.text[0])
        snprintf(cell.text, sizeof cell.text, " (%s)", range.text);
    return cell;
}

struct cell cell_gib(double bytes)
{
    return cell_of(FIGURE_GIB_TO_SUM, bytes);
}

struct cell cell_share(double share)
{
    return cell_of(FIGURE_PERCENT, share);
}

struct cell cell_count(double value)
{
    return cell_of(FIGURE_EXACT, value);
}

struct cell cell_fixed(double value, int decimals)
{
    struct cell cell = {"n/a"};
    if (isfinite(value))
        snprintf(cell.text, sizeof cell.text, fabs(value) < 1e12 ? "%.*f" : "%.*e", decimals, value);
    return cell;
}

struct cell cell_counted(double value, const char *noun)
{
    struct cell count = cell_count(value), cell;
    snprintf(cell.text, sizeof cell.text, "%.30s %.20s%s", count.text, noun, value == 1 ? "" : "s");
    return cell;
}

struct cell cell_shape(const double *size, int count)
{
    struct cell cell = {"["};
    size_t at = 1;
    for (int i = 0; i < count && size[i] > 0 && at < sizeof cell.text; i++)
        at += (size_t)snprintf(cell.text + at, sizeof cell.text - at, "%s%.0f", i ? ", " : "", size[i]);
    if (at < sizeof cell.text)
        snprintf(cell.text + at, sizeof cell.text - at, "]");
    return cell;
}

/* ---- the page --------------------------------------------------------------------------------------------------- */

int text_columns(const char *text)
{
    int columns = 0;
    for (const char *p = text; *p; p++)
        columns += ((unsigned char)*p & 0xc0) != 0x80;
    return columns;
}

struct page page_on(struct buffer *out, const struct report_options *options)
{
    static const struct glyphs unicode = {"├─ ", "└─ ", "│  ", "   ", "×", "…", "→", "─"};
    static const struct glyphs ascii = {"|- ", "`- ", "|  ", "   ", "x", "...", "->", "-"};
    return (struct page){out, options, options->ascii ? &ascii : &unicode};
}

void page_styled(struct page *page, enum style style, const char *text)
{
    static const char *const codes[] = {"0", "1", "32", "33", "31"};
    if (!page->options->color || style == STYLE_PLAIN)
        buffer_puts(page->out, text);
    else
        buffer_printf(page->out, "\033[%sm%s\033[0m", codes[style], text);
}

void page_pad(struct page *page, const char *text, int columns)
{
    int missing = abs(columns) - text_columns(text);
    buffer_printf(page->out, "%*s%s%*s", columns < 0 && missing > 0 ? missing : 0, "", text,
                  columns > 0 && missing > 0 ? missing : 0, "");
}

void page_heading(struct page *page, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = xvasprintf(format, args);
    va_end(args);
    if (page->out->size > 0)
        buffer_puts(page->out, "\n");
    page_styled(page, STYLE_HEADING, text);
    buffer_puts(page->out, "\n");
    for (int i = 0; i < PAGE_WIDTH; i++)
        buffer_puts(page->out, page->glyph->line);
    buffer_puts(page->out, "\n");
    free(text);
}

void page_prose(struct page *page, int indent, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = xvasprintf(format, args);
    va_end(args);
    int column = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        int width = text_columns(word);
        bool starts_line = column == 0 || column + 1 + width > PAGE_WIDTH;
        if (starts_line)
            buffer_printf(page->out, "%s%*s", column ? "\n" : "", indent, "");
        buffer_printf(page->out, "%s%s", starts_line ? "" : " ", word);
        column = starts_line ? indent + width : column + 1 + width;
    }
    buffer_puts(page->out, "\n");
    free(text);
}
