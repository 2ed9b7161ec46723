/* core/show/figure.h - numbers as short texts: unknown is "?", never 0. */
#ifndef SHARDTOP_CORE_SHOW_FIGURE_H
#define SHARDTOP_CORE_SHOW_FIGURE_H

/** A text returned by value, so that it can be used inside a call. */
struct figure {
    char text[24];
};

/** The ways in which screens write a number. */
enum figure_kind {
    FIGURE_GIB,     /* bytes as GiB without the unit: 48.9 */
    FIGURE_BYTES,   /* bytes with the unit that suits: 128 MiB */
    FIGURE_SECONDS, /* 18.0 s, 812 ms, 3.2 us */
    FIGURE_MS,      /* seconds as milliseconds without the unit: 71.02 */
    FIGURE_SPAN,    /* seconds as hours, days or years: 199 d */
    FIGURE_PERCENT, /* a fraction: 42.0% */
    FIGURE_COUNT,   /* 5120, 10.2k, 131.3M, 70.6B */
    FIGURE_MONEY,   /* $763k */
    FIGURE_PLAIN,   /* shortest text */
};

/** Writes a value; NAN is "?". */
struct figure figure(enum figure_kind kind, double value);

/** Writes a difference with its sign: +2.4, -1.1 s; "?" when unknown, "=" when nothing changed. */
struct figure figure_delta(enum figure_kind kind, double difference);

#endif
