/* core/show/figure.h - how every number is written: unknown is "?", never 0. */
#pragma once

/** A text returned by value, so that it can be used inside a call. */
struct figure {
    char text[24];
};

/**
 * The ways in which numbers are written. Scaled ones have three digits: 128 MiB, 16.0 MiB, 2.00 GiB. Reports, whose
 * columns people add up, write GiB and MiB with two decimals and counts in full.
 */
enum figure_kind {
    FIGURE_GIB,        /* bytes as GiB without the unit: 48.9 */
    FIGURE_GIB_TO_SUM, /* the same with two decimals: 48.93 */
    FIGURE_MIB,        /* bytes as MiB without the unit: 448.0, 0.02 */
    FIGURE_MIB_TO_SUM, /* the same with two decimals: 448.00 */
    FIGURE_BYTES,      /* bytes with the unit that suits: 128 MiB */
    FIGURE_SECONDS,    /* 3.20 us, 812 ms, 18.0 s, 3.00 h, 199 d */
    FIGURE_SPAN,       /* the same with words from hours on: 3.00 hours, 199 days, 8.38 years */
    FIGURE_MS,         /* seconds as milliseconds without the unit: 71.02 */
    FIGURE_PERCENT,    /* a fraction: 42.0% */
    FIGURE_COUNT,      /* 5120, 10.2k, 131M, 70.6B */
    FIGURE_EXACT,      /* a count in full: 6,642,515,968 */
    FIGURE_MONEY,      /* dollars: $763k */
    FIGURE_SUM,        /* what a training comes to, in full: 0.0012, 45.30, 1,234 */
    FIGURE_PLAIN,      /* shortest text */
};

/** Writes a value; NAN is "?". */
struct figure figure(enum figure_kind kind, double value);

/** The same where there is little room: counts are not written in full, nor GiB and MiB to be added up. */
struct figure figure_short(enum figure_kind kind, double value);

/**
 * Writes the range of a value in the unit of the value, without it: 70-82. Ends are rounded outward to a tenth of the
 * width; a range narrower than 1 % to either side, or unknown, is "".
 */
struct figure figure_range(enum figure_kind kind, double value, double low, double high);

/** Writes a difference with its sign: +2.4, -1.1 s; "?" when unknown, "=" when nothing changed. */
struct figure figure_delta(enum figure_kind kind, double difference);

/** Writes a change as a share of what was before: +2.4 %, -11.1 %; "?" and "=" as above. */
struct figure figure_share(double share);
