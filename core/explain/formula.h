/* core/explain/formula.h - prints a formula, once as it was compiled and once with every name replaced by its value. */
#pragma once

#include "core/explain/explain.h"

/** One sheet of terms with its values and the path prefix under which they are opened. */
struct scope {
    const struct term *rows;
    size_t count;
    const void *sheet;
    char prefix[64];
};

enum { SCOPES_MAX = 9 };

/** Where a formula finds its names, the first scope first. */
struct scopes {
    const struct estimate *estimate;
    const struct plan *plan; /* resolved: values of keys */
    bool is_full;            /* the operators that sums go over are those of the model without parallelism */
    const struct term *spelled; /* terms that are written as their formula, in brackets, not by name; NULL: none */
    size_t spelled_count;
    int count;
    struct scope scope[SCOPES_MAX];
};

/** Adds a sheet; `prefix` is what stands before a name in its path, with one %d for `index` where there is one. */
void scope_add(struct scopes *scopes, const struct term *rows, size_t count, const void *sheet, const char *prefix,
               int index);

/** Prints `text` into formula, substituted and inputs; `out->value` is set. */
void formula_write(const struct scopes *scopes, const char *text, struct explanation *out);

/** Prints words that stand where there is no equation, and as inputs the names among them. */
void formula_words(const struct scopes *scopes, const char *words, struct explanation *out);

/** Adds a number that a formula uses, once; nothing beyond EXPLAIN_INPUTS_MAX. */
void formula_input(struct explanation *out, const struct explain_input *input);

/**
 * Adds as inputs what words stand for: keys by name, figures of the stages or the rows of traffic that they go over.
 */
void words_inputs(const struct estimate *estimate, const char *words, struct explanation *out);

/** One part of a printed sum. */
struct summand {
    char name[40], path[EXPLAIN_PATH_MAX];
    const char *label;
    double value;
};

/** Starts a sum, adds a part to it (parts that are 0 are left out), ends it. */
void sum_begin(struct explanation *out);
void sum_add(struct explanation *out, const struct summand *part);
void sum_end(struct explanation *out);

/** Copies a source, with its short names spelled out. */
void source_write(const char *text, char *out, size_t size);
