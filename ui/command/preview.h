/* ui/command/preview.h - what an item of the palette is, and what taking it would do, in a few lines. */
#pragma once

#include "ui/command/palette.h"

enum { PREVIEW_LINES = 80, PREVIEW_LINE_MAX = 128 };

/** The lines; the first says most and stands alone where there is little room. */
struct preview {
    bool is_whole; /* asked for: all that a preset or a plan says, instead of what matters most */
    int count;
    char line[PREVIEW_LINES][PREVIEW_LINE_MAX];
};

/** Works them out; `item` may be NULL. Estimates into ui->scratch. */
void preview_of(struct ui *ui, const struct palette *palette, const struct palette_item *item, struct preview *out);

/** Adds a line. */
void preview_say(struct preview *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Writes the path of a result with the stage shown, or 0, for each N. */
void preview_path(const struct ui *ui, const char *path, char out[EXPLAIN_PATH_MAX]);
