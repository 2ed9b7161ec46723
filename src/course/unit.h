/* src/course/unit.h - how lessons write numbers, and read answers: `GiB.1`, `%`, `s`, `n`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct buffer;

enum { UNIT_TEXT_MAX = 64 };

/** A unit: what a number is divided by and what stands behind it. */
struct unit {
    const char *name;   /* in a template: "GiB" */
    double factor;      /* of one such, in the result's own unit */
    const char *behind; /* " GiB" */
    int decimals;       /* -1: three digits */
};

/** A format as a template has it. */
struct unit_format {
    const struct unit *unit;
    int decimals; /* -1: three digits */
};

/** Reads `NAME`, `NAME.DECIMALS` or `.DECIMALS` of `size` bytes; false when there is no such unit. */
bool unit_find(const char *text, size_t size, struct unit_format *out);

/** Appends the names of all units. */
void unit_names(struct buffer *out);

/** Writes a number; unknown is "n/a". */
void unit_write(const struct unit_format *format, double value, char out[UNIT_TEXT_MAX]);

/**
 * Reads an answer in the format's unit: a bare number, or one with any unit of the same kind behind it. Returns false
 * when it is no number.
 */
bool unit_read(const struct unit_format *format, const char *text, double *out);
