/* src/plan/save.h - a changed plan into the text that it was read from, with everything else as the author left it. */
#pragma once

#include <stddef.h>

struct buffer;
struct plan;
struct questions;

enum { EDIT_TEXT_MAX = 256 << 10 }; /* bytes; larger texts are not edited */

/**
 * Appends to `out` the text of a plan (YAML or JSON) with only those values changed that make it read as `plan`: values
 * are replaced where they stand, a key that has none is added at the end of its group, one that is reset loses its line
 * but not the comment in it. What was answered leaves the groups of what is open (src/plan/left_open.h); `open`: what
 * the inputs left so, or NULL. Returns how many keys were changed; -1 with `out` unchanged where the text is no plan or
 * such a change does not read as `plan` (texts over several lines, comments inside a list).
 */
int plan_edit(const struct plan *plan, const struct questions *open, const char *text, size_t size, struct buffer *out);
