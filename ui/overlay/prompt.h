/* ui/overlay/prompt.h - the line below the panes in which a command or a name is typed. */
#ifndef SHARDTOP_UI_OVERLAY_PROMPT_H
#define SHARDTOP_UI_OVERLAY_PROMPT_H

#include "ui/canvas.h"
#include "ui/state.h"

/** Draws the typed line behind its mark, ":" or "/", and the message or a hint below it; returns 2, its lines. */
int prompt_draw(const struct ui *ui, struct canvas *canvas, int width, const char *mark, const char *hint);

#endif
