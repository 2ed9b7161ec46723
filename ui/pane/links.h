/* ui/pane/links.h - who talks to whom, at a glance. */
#ifndef SHARDTOP_UI_PANE_LINKS_H
#define SHARDTOP_UI_PANE_LINKS_H

#include "ui/state/state.h"

struct canvas;

/** Draws stages, copies and the GPUs of a node, and what each kind of group waits for and sends. */
void links_draw(const struct ui *ui, struct canvas *canvas, int width, int height);

#endif
