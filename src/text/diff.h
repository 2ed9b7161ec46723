/* src/text/diff.h - unified diff of two texts. */
#pragma once

struct buffer;

/**
 * Appends the unified diff of `before` and `after`, with three lines of context; nothing when they are equal. `name`
 * goes into the header. Minimal (Myers 1986, "An O(ND) Difference Algorithm and Its Variations", section 2) up to a
 * thousand changed lines; beyond that, everything between the first and the last change is replaced.
 */
void diff_unified(struct buffer *out, const char *name, const char *before, const char *after);
