/* ui/term/screenshot.h - the screen as a text, with colours, or as a picture. */
#pragma once

#include "ui/term/canvas.h"

#include <stdbool.h>
#include <stddef.h>

/** The forms. */
enum shot { SHOT_TEXT, SHOT_ANSI, SHOT_SVG };

/** The form that a file's ending asks for: .txt, .ans or .svg; false for another. */
bool shot_form(const char *path, enum shot *form);

/**
 * Writes what a canvas shows, in a theme's 256 colours, into fresh memory; `title` is what it is called. NULL without
 * memory.
 */
char *shot_write(const struct canvas *canvas, const struct theme *theme, enum shot form, const char *title);
