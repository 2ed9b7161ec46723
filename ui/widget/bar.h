/* ui/widget/bar.h - solid bars: each cell has the colour of its part and the part's letter. */
#ifndef SHARDTOP_UI_WIDGET_BAR_H
#define SHARDTOP_UI_WIDGET_BAR_H

#include "ui/term/canvas.h"

/** One part of a bar. */
struct bar_part {
    char letter;
    enum role role;
    double amount;    /* in the unit of the bar's scale; a bar with an unknown one stays empty */
    const char *word; /* where bars are high and there is room */
};

/** A bar to draw. */
struct bar {
    const struct bar_part *part;
    int parts;
    double scale; /* what its whole width means */
    double limit; /* '|' stands there when it lies inside the scale; NAN: none */
    bool has_dots; /* what is not used is dotted */
    int link; /* where a click on a part leads, plus its letter; 0: nowhere */
};

/** Draws a bar of this many columns and rows; of several rows the middle one has the letters or words. */
void bar_draw(const struct bar *bar, struct canvas *canvas, struct rect where);

#endif
