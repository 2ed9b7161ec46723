/* core/search/layout_name.h - a layout in few words. */
#pragma once

#include "core/plan/key.h"

#include <stdbool.h>
#include <stddef.h>

enum { LAYOUT_NAME_MAX = 480 };

/** How a layout is written. */
struct layout_style {
    bool is_brief;         /* "tp4 sp pp8 mbs1 zero1", not "tp 4 sp pp 8 dp 2 mbs 1 zero 1" */
    int own;               /* further keys, */
    const enum param *key; /* in the order of their layouts */
};

/** Writes what sets layouts of a resolved plan apart: all that a search changes, as far as it is not what is usual. */
void layout_name(const struct plan *resolved, const struct layout_style *style, char *out, size_t size);
