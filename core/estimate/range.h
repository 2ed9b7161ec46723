/* core/estimate/range.h - how far an estimate may be off, and what that says about fitting; apart from the estimate. */
#ifndef SHARDTOP_CORE_ESTIMATE_RANGE_H
#define SHARDTOP_CORE_ESTIMATE_RANGE_H

#include "core/estimate/estimate.h"
#include "core/estimate/term.h"

/** Whether a plan fits the memory: with what probability, in a word. */
enum verdict { VERDICT_FITS, VERDICT_TIGHT, VERDICT_NO, VERDICT_UNKNOWN, VERDICT_COUNT };

extern const char *const verdict_names[VERDICT_COUNT];

/** The ends of an 80 % range; NAN where it is not known. */
struct interval {
    double low, high;
};

/** Memory of one stage: every quantity of core/estimate/range.def. */
struct memory_range {
#define GIVEN(name, ...) double name;
#define TERM(name, ...) double name;
#include "core/estimate/range.def"
#undef GIVEN
#undef TERM
};

/** The rows of core/estimate/range.def, over struct memory_range. */
extern const struct term memory_range_terms[];
extern const size_t memory_range_term_count;

/** The 80 % range of the device memory of a stage; all NAN where the stage's memory is not known, and when serving. */
void range_memory(const struct estimate *estimate, int stage, struct memory_range *out);

/**
 * The probability that the plan fits: the least over the stages, which share their errors; 0 when what is offloaded
 * does not fit the host. NAN when the plan is invalid, not modelled, or serves.
 */
double range_fit_probability(const struct estimate *estimate);

/** `fits` from a probability of 0.9, `no` up to 0.1, else `tight`; of a plan that serves, the estimate's yes or no. */
enum verdict range_verdict(const struct estimate *estimate);

#endif
