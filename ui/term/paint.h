/*
 * ui/term/paint.h - the bytes that make a terminal show a canvas: only cells that changed, only looks that differ. It
 * knows the terminal by words of its description, and no curses.
 */
#pragma once

#include "ui/term/canvas.h"
#include "ui/term/theme.h"

#include <stdbool.h>
#include <stddef.h>

/** Attributes of a look, by the bits of terminfo's no_color_video. */
enum paint_attribute { PAINT_UNDERLINE = 2, PAINT_REVERSE = 4, PAINT_DIM = 16, PAINT_BOLD = 32 };

enum { PAINT_WORD_MAX = 32, PAINT_LOOKS_MAX = 64, PAINT_CHOICE_MAX = 8, PAINT_ALL = 1 << 30 /* bytes */ };

/** How a role looks on this terminal, and the words for its colours; -1 and "": the terminal's own. */
struct paint_look {
    unsigned attributes; /* enum paint_attribute bits */
    short fg, bg;
    char fg_word[PAINT_WORD_MAX], bg_word[PAINT_WORD_MAX];
    char bar_word[PAINT_WORD_MAX]; /* for glyphs in the colour of `bg` */
    uint32_t fill; /* what a blank of this role is drawn as; 0: as a blank */
};

/** What the terminal understands; "" for what it does not. */
struct paint_words {
    char plain[PAINT_WORD_MAX]; /* no attributes, own colours */
    char underline[PAINT_WORD_MAX], reverse[PAINT_WORD_MAX], dim[PAINT_WORD_MAX], bold[PAINT_WORD_MAX];
    char unreverse[PAINT_WORD_MAX]; /* ends reverse alone */
    char own_fg[PAINT_WORD_MAX], own_bg[PAINT_WORD_MAX]; /* the terminal's own colours */
    char clear[PAINT_WORD_MAX];
    char erase_rest[PAINT_WORD_MAX]; /* the rest of the row, in the terminal's own background */
    bool has_erase;  /* so many cells with ESC [ count X */
    bool has_erase_in_color; /* which leaves them in the background that is chosen */
    bool is_ansi;    /* it is moved with ESC [ row ; column H */
    bool has_column; /* and within a row with ESC [ column G */
    bool has_steps;  /* and from where it stands with ESC [ count C, ESC [ count D, \b, \n and \r */
    bool has_tabs;   /* and by \t to the next column of eight */
    bool has_repeat; /* ESC [ count b writes the last character again */
    bool has_corner; /* a character in the last cell does not scroll it */
    bool joins;      /* all words for looks are ESC [ ... m, so that several may be one */
    unsigned not_in_color; /* attributes that it cannot show beside colours */
    void (*move)(int x, int y, char out[PAINT_WORD_MAX]); /* for one that is not */
};

/** Attributes and colours that a cell is written in, with the words for the colours; -1 and "" as above. */
struct ink {
    unsigned attributes;
    short fg, bg;
    const char *fg_word, *bg_word;
    bool is_blank; /* only the background shows */
};

/** Cells of a row in one look, by its number, and blanks behind them that are erased. */
struct paint_run {
    int y, from, end, erased, look;
    bool is_first; /* what is erased has text behind it, which comes later */
};

/** Where the terminal's cursor stands, and the look that it writes in. */
struct paint_pen {
    bool is_placed; /* x and y are known */
    bool is_sure;   /* x for certain: no glyph since then that some take for a wide one */
    int x, y;
    bool is_chosen; /* the next three are its look */
    unsigned attributes;
    short fg, bg;
};

/** What the terminal shows, and the bytes that are to be sent. */
struct paint {
    struct paint_words words;
    struct paint_look look[ROLE_COUNT];
    char *out; /* allocated */
    size_t used, size;
    struct cell *shown; /* allocated; NULL: not known */
    struct cell *before; /* the same before the frame, behind it */
    size_t room;
    struct paint_run *run; /* allocated: what changes */
    int runs, runs_max;
    struct ink ink[PAINT_LOOKS_MAX]; /* looks of runs; the first is a blank's, which many show */
    int looks;
    int width, height;
    bool is_ascii;     /* bars without colours are not filled */
    bool is_forgotten; /* nothing is known of what it shows */
    bool is_new;       /* nothing was, before this frame */
    bool is_owed;      /* rows of it are left to paint_end() */
    struct paint_pen pen, pen_before; /* now, and where the frame begins */
    size_t begun;                     /* bytes before the frame */
};

/** Appends bytes as they are. */
void paint_bytes(struct paint *paint, const char *bytes, size_t count);

/** Begins a frame of this size: what is not known any more is cleared. */
void paint_begin(struct paint *paint, const struct canvas *canvas);

/**
 * Shows the cells of a row from one column to before another where that takes at most so many bytes. Returns how many
 * it took, 0 when they are shown as they are, or -1 when they do not fit, and stay as they were. With PAINT_ALL on a
 * screen that is not known they are left to paint_end(), by looks, and 1 stands for their bytes.
 */
int paint_part(struct paint *paint, const struct canvas *canvas, int y, int from, int end, int bytes);

/** Ends a frame: what its parts showed is sent by looks, where wanted and in fewer bytes, or row by row as it is. */
void paint_end(struct paint *paint, bool by_looks);

/**
 * A whole frame within about so many bytes: rows that changed of some parts of the canvas, which one of height 0 ends,
 * then of everything from above; at least one of them. By looks it takes fewer bytes, by rows what comes first is there
 * at once. Returns whether all of it is shown.
 */
bool paint_frame(struct paint *paint, const struct canvas *canvas, const struct rect first[], int bytes, bool by_looks);

/** Puts the cursor somewhere. */
void paint_move(struct paint *paint, int x, int y);

/** Frees what was allocated. */
void paint_free(struct paint *paint);
