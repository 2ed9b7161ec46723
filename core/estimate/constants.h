/*
 * core/estimate/constants.h - the fitted and measured constants that formulas use by name, with what each was fitted
 * to.
 */
#pragma once

#include "core/estimate/term.h"

/* The names of core/estimate/constants.def, as formulas use them. */
#define CONSTANT(name, value, low, high, unit, meaning, source, date, basis) static const double name = value;
#include "core/estimate/constants.def"
#undef CONSTANT

/** The rows of core/estimate/constants.def, and their values in order: the sheet that the terms open. */
extern const struct term constant_terms[];
extern const size_t constant_count;
extern const double constant_values[];

/** The plausible range of each row, both the value where it was read or counted; the year or years of its source. */
extern const struct constant_range {
    double low, high;
    const char *date;
} constant_ranges[];
