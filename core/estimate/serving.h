/* core/estimate/serving.h - serving a model, as a sheet of terms. */
#pragma once

#include "core/estimate/term.h"

struct plan;
struct symbols;
struct totals;

/** Every quantity of core/estimate/serving.def. */
struct serving {
#define GIVEN(name, ...) double name;
#define TERM(name, ...) double name;
#include "core/estimate/serving.def"
#undef GIVEN
#undef TERM
};

/** Why a server does not start; SERVING_STARTS where it does, SERVING_UNKNOWN where that is not known. */
enum serving_why {
    SERVING_STARTS,
    SERVING_UNKNOWN,
    SERVING_NO_SHARE,  /* less memory is free than the share asks for */
    SERVING_NO_MEMORY, /* the cache that is asked for exceeds the memory */
    SERVING_NO_CACHE,  /* weights and the profiling run leave nothing for the cache */
    SERVING_TOO_LONG,  /* the cache is too small for one request of max_model_len */
    SERVING_NO_GRAPHS, /* CUDA graphs do not fit into what the share leaves */
    SERVING_WHY_COUNT
};

/** Whether the server of a sheet starts; unknown without an engine, and within the error of the cache's size. */
enum serving_why serving_why(const struct serving *serving);

/** The rows of core/estimate/serving.def, over struct serving. */
extern const struct term serving_terms[];
extern const size_t serving_term_count;

/** Computes the sheet for a resolved plan; the GIVEN members of `out` but `positions` are set by the caller. */
void serving_evaluate(const struct symbols *symbols, const struct plan *resolved, const struct totals *totals,
                      struct serving *out);
