/*
 * src/import/rollout.h - reinforcement learning in TRL, ms-swift and OpenRLHF: the engine that makes the samples, and
 * what the trainer frees for it.
 */
#pragma once

#include <stdbool.h>

struct import;
struct tree;

/**
 * Sets workload rl and the group rl of a configuration that learns by `method` ("grpo", "ppo") with samples of an
 * engine. Returns false, and does nothing, where no engine is configured.
 */
bool rollout_read(struct tree *tree, struct import *out, const char *method);

/** The value of rl.algorithm for a trainer's advantage estimator; "grpo" if its name says nothing. */
const char *rollout_algorithm(const char *estimator);
