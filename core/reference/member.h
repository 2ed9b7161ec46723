/* core/reference/member.h - how the inputs and values of a reference estimator are described: one row each. */
#pragma once

#include <stddef.h>

enum { REFERENCE_NAME_MAX = 96 };

/** What lies at the offset of a row. */
enum reference_type {
    REFERENCE_NUMBER, /* double; NAN is null */
    REFERENCE_BOOL,   /* double: 0, 1, or NAN for null */
    REFERENCE_NAME,   /* struct reference_name */
    REFERENCE_WORD,   /* const char *, a constant; NULL is null */
    REFERENCE_LIST,   /* struct reference_list */
    REFERENCE_STAGES, /* struct reference_stages */
    REFERENCE_GROUPS, /* struct reference_groups */
};

/** What null means for a row. */
enum reference_presence {
    REFERENCE_NULLABLE, /* inputs: null is a value of its own; values: printed as null */
    REFERENCE_REQUIRED, /* inputs: must be given */
    REFERENCE_OPTIONAL, /* values: left out */
};

/** One input or value. */
struct reference_member {
    const char *name; /* path in a line, parts joined by dots: "inputs.tp_size", "per_gpu.param_bytes" */
    const char *unit; /* "bytes", "s", "FLOP", "" ... */
    enum reference_type type;
    enum reference_presence presence;
    int count;       /* entries of an array of numbers or words; 0 for a single one */
    size_t offset;   /* in the estimator's struct of inputs or values */
    double fallback; /* of an input that is not given */
};

/** A text that the caller gave; empty for null. */
struct reference_name {
    char text[REFERENCE_NAME_MAX];
};

/** An input that is a number or a list of numbers: of a list only what estimators ask is kept. */
struct reference_list {
    double scalar; /* NAN for a list and for null */
    double count, sum, last; /* count is 0 for a number and for null */
};

/**
 * Groups of ranks in closed form. Group i begins at rank (i / inner) * outer + i % inner and takes every stride-th rank
 * below ((i / inner) + 1) * outer. A rank is written n<node>_g<device>.
 */
struct reference_groups {
    long long count, inner, outer, stride, per_node;
};

/** Pipeline stages: stage i holds layers [i * layers, (i + 1) * layers - 1] on ranks from i * devices. */
struct reference_stages {
    long long count, layers, devices, per_node;
};
