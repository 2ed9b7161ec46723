/* ui/pane/makeup.h - how each row of a stage's memory comes about, in a few words. */
#pragma once

#include "core/show/components.h"

enum { MAKEUP_MAX = 160 /* bytes */, MAKEUP_LEAST = 30, MAKEUP_GAP = 3 /* columns */ };

/** Says it in wordings "a|b": "2.27B parameters x 4 bytes|x 4 bytes"; "" where nothing can be said. */
void makeup_say(const struct component *component, const struct estimate *estimate, int stage, char out[MAKEUP_MAX]);
