/* ui/term/canvas.h - the screen as a grid of cells; panes draw here, a terminal or a text file shows it. */
#pragma once

#include "ui/term/rect.h"
#include "ui/term/theme.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What is added to the look of a role. */
enum cell_mark {
    CELL_STRONG = 1,  /* bold beside what the role says */
    CELL_INVERSE = 2, /* the cursor of a line editor */
    CELL_UNDER = 4,   /* underlined beside what the role says */
    CELL_BAR = 8,     /* the glyph has the colour of the role's bars */
    CELL_SWAP = 16,   /* glyph and ground are exchanged: left ends of bars */
    CELL_ASIDE = 32,  /* looks selected, and is not where the user is */
};

/** One cell. A wide character fills its cell and leaves glyph 0 in the next. */
struct cell {
    uint32_t glyph : 24;
    uint32_t ground : 8; /* the role on whose background a glyph stands; 0: its own */
    uint8_t role; /* enum role */
    uint8_t mark; /* enum cell_mark bits */
    uint16_t link; /* what a click does (enum link); not shown */
};

/**
 * What a click does: an action (enum action), or by its number from here on a key of the view in use, a figure, a row
 * of the pane, or with LINK_STAGE for each stage the letter of a part of its bar (0: the bar itself).
 */
enum link { LINK_NONE, LINK_KEYS = 1000, LINK_FIGURES = 2000, LINK_ROWS = 3000, LINK_BARS = 20000, LINK_STAGE = 128 };

enum { CANVAS_NOTES = 32 };

/** The grid. Drawing positions are relative to the clip; what falls outside is dropped. */
struct canvas {
    int width, height;
    bool ascii; /* glyphs beyond ASCII become '?' */
    bool has_gaps; /* they have one now */
    bool is_coarse; /* no colour fills a bar: letters and dots do, in whole cells */
    bool has_links; /* what clicks do is kept: this grid is asked, not shown */
    struct rect clip;
    struct cell *cells;
    size_t room; /* cells allocated */
    uint64_t note[CANVAS_NOTES]; /* what the one who draws knows of its content; 0 once all is blank */
};

/** Makes the grid this large and clears it; returns -1 when memory runs out, the grid then being as before. */
int canvas_resize(struct canvas *canvas, int width, int height);

/** Frees the grid. */
void canvas_free(struct canvas *canvas);

/** Blanks everything and removes the clip. */
void canvas_clear(struct canvas *canvas);

/** Blanks a part and removes the clip. */
void canvas_blank(struct canvas *canvas, struct rect rect);

/** Limits drawing to `rect` (cut to the grid) and moves the origin there. */
void canvas_clip(struct canvas *canvas, struct rect rect);

/** Draws text from (x, y); control characters become '?'. Returns the column after it, also when it was cut. */
int canvas_text(struct canvas *canvas, int x, int y, enum role role, const char *text);

/** The same with printf's format, at most 511 bytes. */
int canvas_format(struct canvas *canvas, int x, int y, enum role role, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/** Draws text so that it ends before column `end`; what does not fit left of column 0 is cut. */
void canvas_right(struct canvas *canvas, int end, int y, enum role role, const char *text);

/**
 * Draws text in at most `width` columns; where it does not fit whole clauses, or whole words and "..", or of one word
 * as much as fits and '~'. Returns the column after.
 */
int canvas_fit(struct canvas *canvas, int x, int y, int width, enum role role, const char *text);

/** The column after the last glyph in row `y` of the clip. */
int canvas_end(const struct canvas *canvas, int y);

/**
 * Draws text over several lines of the clip, breaking at blanks; where the last one cannot hold the rest it ends in
 * '~'. Returns the row after the last.
 */
int canvas_wrap(struct canvas *canvas, int x, int y, int width, enum role role, const char *text);

/** Repeats one glyph `count` times. */
void canvas_repeat(struct canvas *canvas, int x, int y, enum role role, uint32_t glyph, int count);

/** Draws `count` cells of a bar: in colour, as fills of the role where there is none, or in ASCII as a letter. */
void canvas_fill(struct canvas *canvas, int x, int y, enum role role, char letter, int count);

/** The same with a gap above, where rows have gaps: what lies on many rows below each other. */
void canvas_thin(struct canvas *canvas, int x, int y, enum role role, char letter, int count);

/**
 * Draws a glyph of a bar's colour on the background of another role, with mark bits; in ASCII a letter of that role.
 */
void canvas_block(struct canvas *canvas, int x, int y, enum role role, enum role ground, uint32_t glyph, char letter,
                  unsigned mark);

/** Draws the longest of the wordings "a|b|c" that `width` columns have room for; none where there is none. */
int canvas_pick(struct canvas *canvas, int x, int y, int width, enum role role, const char *wordings);

/** Copies the longest of the wordings "a|b|c" that fits into `width` columns; "" where none does. */
void text_pick(const char *wordings, int width, char *out, size_t size);

/** Changes the role of `width` cells and adds mark bits. */
void canvas_paint(struct canvas *canvas, int x, int y, int width, enum role role, unsigned mark);

/** True for a cell of the clip with nothing in it. */
bool canvas_is_blank(const struct canvas *canvas, int x, int y);

/** Adds mark bits to `width` cells. */
void canvas_mark(struct canvas *canvas, int x, int y, int width, unsigned mark);

/** Says what a click on `width` cells does, whatever is drawn there; kept only where the grid has links. */
void canvas_link(struct canvas *canvas, int x, int y, int width, int link);

/** What a click on a cell of the whole grid does; 0 for nothing. */
int canvas_link_at(const struct canvas *canvas, int x, int y);

/** One row as UTF-8 without trailing blanks; returns its length. `size` of width * 4 + 1 always suffices. */
size_t canvas_line(const struct canvas *canvas, int y, char *out, size_t size);

/** All rows so, a line each, as many as `size` has room for; returns their length. */
size_t canvas_lines(const struct canvas *canvas, char *out, size_t size);

/**
 * Where a line is typed, or the first cell of what is drawn as in use, else as chosen, in the last row that has such:
 * there the cursor stands, for magnifiers and screen readers; (0, 0) where nothing is selected.
 */
void canvas_selected(const struct canvas *canvas, int *x, int *y);

/** Columns that text takes when drawn. */
int text_width(const char *text);

/** Reads one character of UTF-8 and moves on; a bad byte reads as U+FFFD. Returns 0 at the end. */
uint32_t utf8_next(const char **text);

/** Writes one character as UTF-8 (at most 4 bytes, no terminator); returns its length. */
int utf8_put(uint32_t glyph, char *out);

/** Columns of a character: 0 for those that combine or are not drawn, 1 or 2. */
int glyph_width(uint32_t glyph);
