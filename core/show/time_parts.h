/* core/show/time_parts.h - the iteration of a stage as it is shown: a row for each part, in order. */
#pragma once

#include "core/estimate/stage_time.h"

/** One part; all of them sum to the iteration. */
struct time_part {
    const char *term;  /* in core/estimate/stage_time.def: its name in JSON, the end of its path */
    size_t offset;     /* of its double in struct stage_time */
    const char *words; /* on screens */
    char letter;       /* on screens: small letters are time */
    const char *about; /* in a sentence */
    int dim;           /* the dimension whose traffic it is (enum comm_dim), or -1 */
};

enum { TIME_PARTS_MAX = 9 };

extern const struct time_part time_parts[TIME_PARTS_MAX];

/** Seconds of a part. */
double time_part(const struct time_part *part, const struct stage_time *stage);
