/* ui/pane/links.h - who talks to whom, at a glance. */
#pragma once

#include "ui/state/state.h"

struct canvas;

/** Draws stages, copies and the GPUs of a node, and what each kind of group waits for and sends. */
void links_draw(const struct ui *ui, struct canvas *canvas, int width, int height);
