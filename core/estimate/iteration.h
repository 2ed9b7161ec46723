/* core/estimate/iteration.h - what an iteration is spent on, over all GPUs, in parts that sum to it. */
#pragma once

#include "core/estimate/estimate.h"
#include "core/estimate/term.h"

/** Every quantity of core/estimate/iteration.def; seconds unless its row says otherwise. */
struct iteration {
#define GIVEN(name, ...) double name;
#define TERM(name, ...) double name;
#include "core/estimate/iteration.def"
};

/** The rows of core/estimate/iteration.def, over struct iteration. */
extern const struct term iteration_terms[];
extern const size_t iteration_term_count;

/** One part: its name in JSON and paths, what screens call it, what it is. */
struct iteration_part {
    const char *name, *words, *about;
    size_t offset; /* of its double in struct iteration */
};

#define PART(...) + 1
enum {
    ITERATION_PARTS = 0
#include "core/estimate/iteration.def"
};

extern const struct iteration_part iteration_parts[ITERATION_PARTS];

/** The mean over all GPUs; all NAN where time is not known, and of serving. The parts sum to time.iteration_s. */
void iteration_of(const struct estimate *estimate, struct iteration *out);

/** Seconds of a part. */
double iteration_part(const struct iteration *iteration, int part);
