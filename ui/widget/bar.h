/* ui/widget/bar.h - bars of coloured parts on a track; without colours fills, in ASCII the letters of the parts. */
#pragma once

#include "ui/term/canvas.h"

/** One part of a bar. */
struct bar_part {
    char letter;
    enum role role;
    double amount;    /* in the unit of the bar's scale; a bar with an unknown one stays empty */
    const char *word; /* where there is room */
};

/** A bar to draw. */
struct bar {
    const struct bar_part *part;
    int parts;
    double scale;     /* what its whole width means */
    double limit;     /* a line stands there when it lies inside the scale; NAN: none */
    double low, high; /* the range of its end, drawn where it is a cell long; both 0: none */
    double least;     /* parts outside PyTorch's tensors below it are one rest; 0: those below a cell and a half */
    bool has_gap;     /* to the bar above, where the grid has such */
    bool has_words;   /* parts are named, by their letters where words have no room */
    int link; /* where a click on a part leads, plus its letter; 0: nowhere */
};

/** Draws a bar of this many columns and rows; of several rows the middle one has the letters or words. */
void bar_draw(const struct bar *bar, struct canvas *canvas, struct rect where);

/**
 * Draws a bar of one row from one part of the width to another, 0 to 1, with eighths of a cell at both ends; what is
 * shorter than a cell is a stroke.
 */
void bar_step(struct canvas *canvas, int x, int y, int width, double from, double to, enum role role, char letter);

/** The end of a scale that holds `most`: `unit` times 1, 1.25, 1.5, 2, 3, 5, 10 and so on, so that bars stand still. */
double bar_scale_of(double unit, double most);
