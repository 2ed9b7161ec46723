/* core/estimate/symbols.h - the symbols of a plan (s, b, h, t ...), computed once and used by every formula. */
#pragma once

#include "core/estimate/constants.h"
#include "core/estimate/varies.h"

struct plan;

/** Every symbol of core/estimate/symbols.def as a number; NAN where the plan leaves it unknown. */
struct symbols {
#define SYM(name, key, unit, meaning, expression) double name;
#include "core/estimate/symbols.def"
#undef SYM
};

/** The rows of core/estimate/symbols.def. */
extern const struct term symbol_terms[];
extern const size_t symbol_term_count;

/** Computes the symbols of a resolved plan. */
void symbols_of(const struct plan *resolved, struct symbols *out);

/**
 * The same where `out` has the symbols of a plan that differs in sharding alone (VARIES_SHARDED), in recomputation
 * alone (VARIES_RECOMPUTED), in both, or in the pipeline as well (VARIES_PIPELINED).
 */
void symbols_again(const struct plan *resolved, enum varies changed, struct symbols *out);

/** Copies those that follow from sharding. */
void symbols_take_sharded(const struct symbols *symbols, struct symbols *out);

/** The same model and batch without any parallelism: one rank, one micro-batch. */
void symbols_unparallel_plan(const struct plan *resolved, struct plan *out);

/** The symbols of that plan; `symbols` are those of the resolved one. */
void symbols_unparallel(const struct plan *resolved, const struct symbols *symbols, struct symbols *out);
