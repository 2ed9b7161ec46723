/*
 * core/estimate/stage_time.h - where the iteration of each stage goes, in parts that sum to it; apart from the
 * estimate.
 */
#pragma once

#include "core/estimate/estimate.h"
#include "core/estimate/term.h"

/** The iteration of one stage: every quantity of core/estimate/stage_time.def, in seconds. */
struct stage_time {
#define GIVEN(name, ...) double name;
#define TERM(name, ...) double name;
#include "core/estimate/stage_time.def"
};

/** The rows of core/estimate/stage_time.def, over struct stage_time. */
extern const struct term stage_time_terms[];
extern const size_t stage_time_term_count;

/**
 * The parts of a stage's iteration; all NAN where its time is not known. They sum to the estimated iteration, also
 * where a measured one takes its place.
 */
void stage_time_of(const struct estimate *estimate, int stage, struct stage_time *out);
