/* core/estimate/serving.h - serving a model, as a sheet of terms. */
#ifndef SHARDTOP_CORE_ESTIMATE_SERVING_H
#define SHARDTOP_CORE_ESTIMATE_SERVING_H

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

/** The rows of core/estimate/serving.def, over struct serving. */
extern const struct term serving_terms[];
extern const size_t serving_term_count;

/** Computes the sheet for a resolved plan; the GIVEN members of `out` but `positions` are set by the caller. */
void serving_evaluate(const struct symbols *symbols, const struct plan *resolved, const struct totals *totals,
                      struct serving *out);

#endif
