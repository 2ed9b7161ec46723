/* ui/pane/front.h - memory against time as a plot: what no layout beats in both, a sample of what is beaten, this plan. */
#ifndef SHARDTOP_UI_PANE_FRONT_H
#define SHARDTOP_UI_PANE_FRONT_H

#include "ui/canvas.h"

struct ui;

/** Draws the front of a finished search; `chosen` is marked, 0 the fastest, -1 none. Far slower layouts are counted, not drawn. */
void front_draw(const struct ui *ui, struct canvas *canvas, struct rect where, int chosen);

/** The same in one line: both ends, or the layout of `chosen`. */
void front_say(const struct ui *ui, struct canvas *canvas, int y, int width, int chosen);

#endif
