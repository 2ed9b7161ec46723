/* src/report/format.h - numbers with their units for people, and the page that text reports are written on. */
#pragma once

#include "core/show/figure.h"
#include "src/report/report.h"

#include <stdbool.h>
#include <stddef.h>

enum { CELL_MAX = 64 /* bytes */, PAGE_WIDTH = 110 /* columns */ };

/** A short text by value, so that several may stand in one call. Unknown numbers are "n/a". */
struct cell {
    char text[CELL_MAX];
};

/** A number as core/show/figure.h writes it; the others name the kinds that reports use. */
struct cell cell_of(enum figure_kind kind, double value);
struct cell cell_bytes(double bytes);     /* FIGURE_BYTES */
struct cell cell_gib(double bytes);       /* FIGURE_GIB_TO_SUM */
struct cell cell_count(double value);     /* FIGURE_EXACT */
struct cell cell_share(double share);     /* FIGURE_PERCENT */
struct cell cell_seconds(double seconds); /* FIGURE_SECONDS */

/** The range of a value behind it, " (70-82)"; "" where there is none to tell. */
struct cell cell_range(enum figure_kind kind, double value, double low, double high);

struct cell cell_fixed(double value, int decimals);       /* 12.5 */
struct cell cell_counted(double value, const char *noun); /* 1 GPU, 16 GPUs */
struct cell cell_shape(const double *size, int count);    /* [2048, 4, 4096], up to the first 0 */

/** Terminal columns of a text (code points; good for the texts that reports are made of). */
int text_columns(const char *text);

/** The signs that a page is drawn with. */
struct glyphs {
    const char *branch, *last, *bar, *blank; /* of trees; four columns each */
    const char *times, *dots, *arrow, *line;
};

/** How a text stands out. */
enum style { STYLE_PLAIN, STYLE_HEADING, STYLE_GOOD, STYLE_WARN, STYLE_BAD };

/** Where a text report is written. */
struct page {
    struct buffer *out;
    const struct report_options *options;
    const struct glyphs *glyph;
};

/** A page on `out` with the signs that the options allow. */
struct page page_on(struct buffer *out, const struct report_options *options);

/** A heading with a rule below it, after an empty line unless it is the first. */
void page_heading(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Writes `text` in a style, without colour when there is none. */
void page_styled(struct page *page, enum style style, const char *text);

/** Writes `text` padded to `columns`; flush right when `columns` is negative. */
void page_pad(struct page *page, const char *text, int columns);

/** Writes prose, broken at blanks within the page's width; every line starts with `indent` blanks. */
void page_prose(struct page *page, int indent, const char *format, ...) __attribute__((format(printf, 3, 4)));
