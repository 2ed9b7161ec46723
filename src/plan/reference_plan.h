/* src/plan/reference_plan.h - what the reference estimators take from a plan, and the same as help. */
#pragma once

#include "core/reference/reference.h"

struct buffer;
struct plan;

enum { REFERENCE_WHY_MAX = 240 };

/**
 * The inputs that an estimator takes for a resolved plan: the function that fits its workload and ZeRO stage, each
 * input from the plan key that means the same. Returns 0, or -1 with what the estimator cannot express, or which key is
 * blank, in `why` (REFERENCE_WHY_MAX bytes).
 */
int reference_from_plan(const struct plan *resolved, enum reference_id id, struct reference_inputs *out, char *why);

/**
 * Appends a line for each input of an estimator that a plan sets: the input, the key, and how one follows from the
 * other.
 */
void reference_plan_help(struct buffer *out, enum reference_id id);
