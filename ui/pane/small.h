/* ui/pane/small.h - the screen where it is too narrow for panes: the verdict, one field with its steps, bars below. */
#pragma once

#include "ui/term/canvas.h"
#include "ui/state/state.h"

/** Draws all but what lies over it, the message and the hints. */
void small_draw(const struct ui *ui, struct canvas *canvas);
