/* core/estimate/rl.h - reinforcement learning: phases of an iteration on the same GPUs, as a sheet of terms. */
#pragma once

#include "core/estimate/term.h"

struct estimate;
struct plan;

/** Every quantity of core/estimate/rl.def. */
struct rl {
#define GIVEN(name, ...) double name;
#define TERM(name, ...) double name;
#include "core/estimate/rl.def"
#undef GIVEN
#undef TERM
};

/** The rows of core/estimate/rl.def, over struct rl. */
extern const struct term rl_terms[];
extern const size_t rl_term_count;

/** The phases, in order; RL_PHASE_COUNT ends them. */
enum rl_phase { RL_ROLLOUT, RL_RESHARDING, RL_LOGPROB, RL_UPDATE, RL_STEP, RL_PHASE_COUNT };

/** One phase: what it is called, bytes of the fullest GPU, and seconds (NAN: it is part of another one's). */
struct rl_row {
    const char *name;
    double bytes, seconds;
};

/** Computes the sheet for a computed estimate whose workload is rl; NAN where the training step is not modelled. */
void rl_evaluate(const struct estimate *estimate, struct rl *out);

/** A phase of an evaluated sheet. */
struct rl_row rl_phase(const struct rl *rl, enum rl_phase phase);

/** The phase that needs the most memory. */
enum rl_phase rl_largest(const struct rl *rl);

/** 1 when every phase fits beyond its band, 0 when one does not, NAN within the band or when not known. */
double rl_fits(const struct rl *rl);

/** Fills the blank keys of the group `rl`: what the trainer's program defaults to. */
void rl_resolve(struct plan *plan);
