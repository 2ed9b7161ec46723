/* src/course/draft.h - a lesson in the making: plans as the file of a lesson whose words are still to be written. */
#pragma once

#include "core/plan/plan.h"

#include <stdbool.h>

struct buffer;
struct keyvals;

/**
 * Appends a lesson of the first plan, and a step for it and for each of the other `count` - 1 with the keys that
 * change. It can be played and is true as it is; its notes have figures and no words.
 */
void draft_write(struct buffer *out, const char *name, const struct plan plans[], int count);

/** Appends a plan as settings with dotted keys: those that its file would have. */
void draft_settings(const struct plan *plan, struct keyvals *out);

/** Appends what leads from one plan to another; a blank value goes back to its default. False when no settings do. */
bool draft_difference(const struct keyvals *before, const struct keyvals *after, struct keyvals *out);
