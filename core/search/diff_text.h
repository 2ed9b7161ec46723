/* core/search/diff_text.h - the difference of two plans in words. */
#pragma once

#include "core/search/plan_diff.h"
#include "core/show/figure.h"

#include <stddef.h>

enum { DIFF_TEXT_MAX = 400 };

/**
 * Writes "tp 8 > 4, pp 4 > 8 (dp 32): -0.742 s (-3.20 s tensor-parallel traffic, +2.30 s pipeline bubble); +62.9 GiB
 * activations, no longer fits": changed keys with their consequences in brackets, the change of time with its two
 * largest parts, the change of memory if a part of it is a GiB or more, the verdict if it changes; "no change"
 * where no key differs.
 */
void diff_text(const struct estimate *before, const struct estimate *after, char out[DIFF_TEXT_MAX]);

/** The first part alone, "tp 8 > 4, pp 4 > 8 (dp 32)", of two resolved plans. */
void diff_text_keys(const struct plan *before, const struct plan *after, char *out, size_t size);

/**
 * Shortens the text of diff_text_keys() to `room` bytes: drops the brackets, then changes from the end, and ends in
 * ".." if any were dropped: "tp 8 > 4, cp 1 > 2 ..". The first change is never cut.
 */
void diff_text_shorten(char *keys, int room);

/** "b takes 0.9 % longer; a is faster with 57 % probability, within the error of the estimate"; "" if unknown. */
void diff_text_speed(const struct diff_speed *speed, const char *a, const char *b, char *out, size_t size);

/** The two largest parts of an iteration: "85 % computing, 9 % tensor-parallel traffic". */
void diff_text_time_spent(const struct estimate *estimate, char *out, size_t size);

/* ---- one key with another value --------------------------------------------------------------------------------- */

enum { DIFF_PARTS = 3, DIFF_PARTS_MAX = 240, DIFF_VALUE_MAX = 4 * DIFF_PARTS_MAX };

/** Number of steps that diff_text_parts() lists: the first ones, up to DIFF_PARTS, unless negligible. */
int diff_text_part_count(const struct waterfall *waterfall);

/** "activations +31.2 GiB, transient +3.10 GiB"; `delta` writes a difference as figure_delta() does. */
void diff_text_parts(const struct waterfall *waterfall, enum figure_kind kind,
                     struct figure (*delta)(enum figure_kind kind, double difference), char out[DIFF_PARTS_MAX]);

/** "tp: tp 3 does not divide 64 heads": why `after` is not valid; "" if it is. */
void diff_text_fault(const struct plan_diff *diff, char out[DIFF_PARTS_MAX]);

/** Whether memory, time and traffic are equal. */
bool diff_is_nothing(const struct plan_diff *diff);

/** How figures are written: figure() and figure_delta(), or functions that follow the user's units. */
struct diff_units {
    struct figure (*figure)(enum figure_kind kind, double value), (*delta)(enum figure_kind kind, double difference);
};

/**
 * Lines about a value of a key, each with a line feed: "off: 87.3 GiB (+36.6 GiB), 70.1 s (-1.32 s), no",
 * "  memory: ...", "  time: ...", "  all GPUs send: ..."; or "off: not valid: tp: ...".
 */
void diff_text_value(const struct plan_diff *diff, enum param key, double value, const struct diff_units *units,
                     char out[DIFF_VALUE_MAX]);
