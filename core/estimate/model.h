/*
 * core/estimate/model.h - the model without any parallelism: parameters, bytes and operations, as two sheets of terms.
 */
#pragma once

#include "core/estimate/op.h"
#include "core/estimate/term.h"

struct plan;
struct symbols;

/** Counts of parameters (elements), bytes and operations of the whole model. */
struct totals {
#define GIVEN(name, ...) double name;
#define FOLD(name, ...) double name;
#define TERM(name, ...) double name;
#include "core/estimate/model.def"
};

/** One pipeline stage with all its tensor-parallel ranks. */
struct whole {
#define GIVEN_WHOLE(name, ...) double name;
#define WHOLE(name, ...) double name;
#include "core/estimate/model.def"
};

extern const struct term model_terms[], whole_terms[];
extern const size_t model_term_count, whole_term_count;

/** Totals of which nothing is known. */
void model_clear(struct totals *totals);

/** Evaluates the sheet of the whole model; `one` are its symbols. */
void model_evaluate(const struct symbols *one, const struct plan *resolved, struct totals *totals);

/** Computes the WHOLE rows of `out`, whose stage, stages, layers and expert_layers are set. */
void model_whole(const struct symbols *one, const struct totals *totals, struct whole *out);
