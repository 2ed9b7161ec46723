/* tests/screens/structure.h - what every drawn screen has, whatever it shows. */
#pragma once

#include "ui/state/state.h"
#include "ui/term/canvas.h"

/**
 * Fails unless the screen has a title and key hints in their roles, panes keep to their rectangles, text is cut only
 * where there is no room, numbers of a table end in one column, and totals equal the estimate and their parts.
 */
void structure_check(const struct ui *ui, const struct canvas *canvas, const char *keys);
