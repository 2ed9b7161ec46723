/* ui/term/paint_order.h - which parts of a screen a slow line shows before the others; pure. */
#pragma once

#include "ui/term/canvas.h"
#include "ui/state/state.h"

enum { ORDER_MAX = 10 };

/**
 * Writes the parts of the drawn screen by importance: the row where the user types or has selected something, the
 * verdict and figures; of the pane or overlay in use the title, what stands below the selection, what right above it,
 * and the rest; what is said at the bottom, and the view that was chosen. One of height 0 ends them; what is in none
 * comes after them.
 */
void order_parts(const struct ui *ui, const struct canvas *canvas, struct rect parts[ORDER_MAX]);
