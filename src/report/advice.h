/* src/report/advice.h - advice on a plan, printed. */
#pragma once

#include "src/report/report.h"

struct advice;

/**
 * Appends finished advice: single changes, what makes the plan fit, room to grow, what the hardware limits; `top` rows
 * a group. `best` is the best layout of all, NULL where none was found; `nearest` the one with the fewest changes that
 * fits, where no two changes do; NULL where there is none, or no need.
 */
void report_advice(struct buffer *out, const struct advice *advice, const struct plan *best, const struct plan *nearest,
                   int top, const struct report_options *options);

/** Appends what makes a plan fit, as in its advice; nothing where the advice has none. */
void report_fixes(struct buffer *out, const struct advice *advice, const struct report_options *options);
