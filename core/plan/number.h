/* core/plan/number.h - numbers as people in the field write them: 4_096, 4,096, 4*1024, 8k, 80GiB, 64/pp. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/** What a suffix or a unit means for a key (interface section 1). */
enum suffix {
    SUFFIX_PLAIN,   /* k, M, B, T are refused, because their meaning would be a guess */
    SUFFIX_BINARY,  /* k, M = 1024, 1024^2: lengths and widths */
    SUFFIX_DECIMAL, /* k, M, B, T = 10^3 .. 10^12: amounts */
    SUFFIX_GIB,     /* a size; bare numbers are GiB; GB is 10^9 bytes */
    SUFFIX_RATE,    /* a rate; bare numbers are GB/s; Gb/s is divided by 8 */
    SUFFIX_VERSION, /* a release such as 2.9 or 2.18: compared part by part, so kept as 2.09 and 2.18 */
};

enum { NUMBER_WHY_MAX = 160 };

/**
 * Looks up a name inside an expression (`64/pp`); returns false when there is no such name.
 * `context` is what number_parse() was given.
 */
typedef bool number_lookup(const void *context, const char *name, size_t length, double *value);

/**
 * Reads `text` as a number or an expression with + - * / and parentheses.
 * Returns 0 and sets `*value`; or returns the 1-based column of the fault and writes what is wrong into `why`
 * (NUMBER_WHY_MAX bytes). `lookup` may be NULL. Decimal points are dots; the program never sets LC_NUMERIC.
 */
int number_parse(const char *text, enum suffix suffix, number_lookup *lookup, const void *context, double *value,
                 char *why);

enum { NUMBER_WHOLE_MAX = 24 };

/** Writes a whole number in decimal digits, which takes a tenth of what printf does. Returns its length. */
int number_whole(long long value, char out[NUMBER_WHOLE_MAX]);

/** Writes the shortest text that reads back as exactly `value`; integers without exponent. Returns its length. */
int number_print(double value, char *out, size_t size);
