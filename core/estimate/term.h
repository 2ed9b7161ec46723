/*
 * core/estimate/term.h - a term: one named quantity whose formula is compiled and kept as text, so `explain` shows what
 * ran.
 */
#pragma once

#include <math.h>
#include <stddef.h>

/** How far a figure can be trusted. */
enum basis {
    BASIS_EXACT, BASIS_FORMULA, BASIS_MEASURED, BASIS_INTERPOLATED, BASIS_BORROWED, BASIS_CALIBRATED, BASIS_COUNT
};

extern const char *const basis_names[BASIS_COUNT];

/** One row of a sheet of terms. */
struct term {
    const char *name;   /* as in formulas and in JSON */
    const char *key;    /* the plan key that the term is, or NULL */
    const char *unit;   /* "bytes", "s", "FLOP", "" */
    const char *label;  /* what it is, a few words */
    const char *text;   /* the formula; words that begin with "the " where there is none */
    const char *source; /* paper section, or framework file and version; "" for arithmetic */
    enum basis basis;
    size_t offset; /* of its double in the sheet's struct */
    const char *column; /* the term is the sum of this column over operators, or NULL */
    int set;            /* of these (enum op_set) */
};

/** The value of a term in a sheet. */
static inline double term_value(const struct term *term, const void *sheet)
{
    return *(const double *)((const char *)sheet + term->offset);
}

/** The term of this name among `count` rows, or NULL. */
const struct term *term_find(const struct term *rows, size_t count, const char *name, size_t length);

/* The vocabulary of formulas beside + - * / and ?: . */
static inline double max(double one, double two)
{
    return one > two ? one : two;
}

static inline double min(double one, double two)
{
    return one < two ? one : two;
}

/**
 * The bytes that PyTorch's caching allocator takes for a tensor: steps of 512; from 10 MiB on a segment is a multiple
 * of 2 MiB and stays whole unless more than 1 MiB of it is left (c10/cuda/CUDACachingAllocator.cpp, should_split).
 */
static inline double held(double bytes)
{
    const double mib = 1048576, exact = ceil(bytes / 512) * 512, segment = ceil(exact / (2 * mib)) * 2 * mib;
    return exact >= 10 * mib && segment - exact <= mib ? segment : exact;
}

/** The standard normal distribution: the probability of a value below `deviations`. */
static inline double normal(double deviations)
{
    return erfc(-deviations / sqrt(2.0)) / 2;
}
