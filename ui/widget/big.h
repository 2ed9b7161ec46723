/* ui/widget/big.h - digits three rows high, for those who sit far away. */
#pragma once

#include "ui/term/canvas.h"

enum { BIG_ROWS = 3 };

/** Draws a number so; returns the column after it. */
int big_draw(struct canvas *canvas, int x, int y, enum role role, const char *number);
