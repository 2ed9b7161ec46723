/* ui/pane/room.h - how far one key can grow while the rest stays. */
#pragma once

#include "ui/state/state.h"

struct canvas;

/** Whether that has been worked out for the plan on the screen, or an older one. */
bool room_is_known(const struct ui *ui);

/** Draws a table of it: a row for each key; nothing while it is not known. */
void room_draw(const struct ui *ui, struct canvas *canvas, int width, int height);
