/* ui/pane/waterfall.h - what all GPUs spend an iteration on: a row for each part, each bar where the last one ends. */
#pragma once

#include "ui/state/state.h"

struct canvas;

/** Rows that it wants, its sum included; 0 where the time is not known. */
int waterfall_rows(const struct ui *ui);

/** Draws it in so many rows from the top; the smallest parts go together where they do not fit. */
void waterfall_draw(const struct ui *ui, struct canvas *canvas, int width, int rows);

/** Says the share of the maths and of the largest loss in a sentence; "" where the time is not known. */
void waterfall_sentence(const struct ui *ui, char out[UI_MESSAGE_MAX]);
