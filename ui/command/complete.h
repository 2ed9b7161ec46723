/* ui/command/complete.h - what could be typed next: commands, keys, values, names, files. */
#pragma once

#include "ui/state/state.h"

/** Completes the last word of the command line being typed as far as it is clear. */
void complete_line(struct ui *ui);

/** Writes what could be typed next in the command line. */
void complete_hint(const struct ui *ui, char *out, size_t size);

/** Writes the names of a TYPE_NAME key that contain `text`. */
void complete_names(const struct ui *ui, enum param id, const char *text, char *out, size_t size);

/** Completes a name or choice of a field being typed; returns false when nothing was added. */
bool complete_value(const struct ui *ui, enum param id, struct edit *edit);
