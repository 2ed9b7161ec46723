#include "src/report/format.h"

#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

static const double mib = 1048576, gib = 1073741824;

static struct cell printed(double value, int decimals, const char *unit)
{
    struct cell cell;
    if (isfinite(value))
        snprintf(cell.text, sizeof cell.text, "%.*f%s", decimals, value, unit);
    else
        snprintf(cell.text, sizeof cell.text, "n/a");
    return cell;
}

/* Decimals that leave three digits. */
static int decimals_of(double value)
{
    double size = fabs(value);
    return size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
}

struct unit {
    double size;
    const char *name;
};

/* The largest unit that leaves at least one of it. */
static struct cell scaled(double value, const struct unit *units, size_t count)
{
    size_t i = 0;
    while (i + 1 < count && fabs(value) < 0.9995 * units[i].size)
        i++;
    double amount = value / units[i].size;
    return printed(amount, decimals_of(amount), units[i].name);
}

struct cell cell_bytes(double bytes)
{
    static const struct unit units[] = {
        {1125899906842624.0, " PiB"}, {1099511627776.0, " TiB"}, {1073741824.0, " GiB"}, {1048576, " MiB"}, {1024, " KiB"}};
    return fabs(bytes) < 1024 ? printed(bytes, 0, " B") : scaled(bytes, units, sizeof units / sizeof *units);
}

struct cell cell_seconds(double seconds)
{
    static const struct unit units[] = {{86400, " days"}, {3600, " h"}, {60, " min"}, {1, " s"}, {1e-3, " ms"}, {1e-6, " us"}};
    return seconds == 0 ? printed(0, 0, " s") : scaled(seconds, units, sizeof units / sizeof *units);
}

struct cell cell_gib(double bytes)
{
    return printed(bytes / gib, 2, "");
}

struct cell cell_mib(double bytes)
{
    return printed(bytes / mib, 2, "");
}

struct cell cell_fixed(double value, int decimals)
{
    return printed(value, decimals, "");
}

struct cell cell_share(double share)
{
    return printed(100 * share, 1, " %");
}

struct cell cell_count(double value)
{
    if (!(fabs(value) < 1e18))
        return printed(value, 0, "");
    struct cell plain = printed(round(value), 0, ""), grouped;
    size_t n = strlen(plain.text), at = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0 && plain.text[i - 1] != '-')
            grouped.text[at++] = ',';
        grouped.text[at++] = plain.text[i];
    }
    grouped.text[at] = '\0';
    return grouped;
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

/* ---- the page ----------------------------------------------------------------------------------------------------- */

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
