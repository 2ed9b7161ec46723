/* core/estimate/timing.h - time of operators, stages and the iteration, as three sheets of terms. */
#pragma once

#include "core/estimate/comm.h"
#include "core/estimate/op.h"
#include "core/estimate/stage.h"
#include "core/estimate/term.h"

struct symbols;

/** One operator on one rank and micro-batch. */
struct op_time {
#define GIVEN_OP(name, ...) double name;
#define OPTIME(name, ...) double name;
#include "core/estimate/timing.def"
};

/** One micro-batch on one stage. */
struct pass {
#define GIVEN_PASS(name, ...) double name;
#define FOLD_PASS(name, ...) double name;
#define PASS(name, ...) double name;
#include "core/estimate/timing.def"
};

/** The iteration, and what follows from it. */
struct step {
#define GIVEN_STEP(name, ...) double name;
#define FROM(name, ...) double name;
#define STEP(name, ...) double name;
#include "core/estimate/timing.def"
};

/** What the exposure of a communication row is computed from, beside its stage's pass. */
struct exposure {
#define GIVEN_EXPOSURE(name, ...) double name;
#include "core/estimate/timing.def"
};

extern const struct term op_time_terms[], pass_terms[], step_terms[], exposure_terms[];
extern const size_t op_time_term_count, pass_term_count, step_term_count, exposure_term_count;

/** Formula and source of the exposed seconds of a row, by its dimension. */
extern const char *const exposed_text[COMM_DIM_COUNT], *const exposed_source[COMM_DIM_COUNT];

/** Times one operator that is there. */
void timing_op(const struct symbols *symbols, const struct op *op, struct op_time *out);

/** Times the passes of one stage; the GIVEN_PASS and FOLD_PASS members of `out` are set by the caller. */
void timing_pass(const struct symbols *symbols, const struct stage *stage, struct pass *out);

/** Times them again where only traffic, the GIVEN_PASS members, is another. */
void timing_traffic(const struct symbols *symbols, struct pass *out);

/** The members of the exposure of one row of a stage's table. */
void timing_exposure(enum comm_id id, const struct comm_table *comm, struct exposure *out);

/**
 * Marks what of each row hides behind compute, given the stage's own passes without traffic: exposed_s.
 * The EXPOSED rows of core/estimate/timing.def; overlapped traffic still costs a part of its time through contention.
 */
void timing_overlap(const struct symbols *symbols, const struct pass *pass, struct comm_table *comm);

/** Times the iteration; the GIVEN_STEP members of `out` are set by the caller. */
void timing_step(const struct symbols *symbols, struct step *out);
