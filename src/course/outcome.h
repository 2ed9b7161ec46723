/* src/course/outcome.h - values of one plan's estimate by path: those of `show --json`, and short names for them. */
#pragma once

#include "src/course/expr.h"

struct plan;
struct outcome;

/** The estimate of a plan, in fresh memory; release with outcome_free(). */
struct outcome *outcome_make(const struct plan *plan);
void outcome_free(struct outcome *outcome);

/** The plan, with every blank filled in. */
const struct plan *outcome_plan(const struct outcome *outcome);

/** How many of the plan's findings are errors. */
int outcome_errors(const struct outcome *outcome);

/**
 * The value at a path of `show --json`, or of a short name of src/course/names.def. `[KEY=VALUE KEY=VALUE]` selects of
 * a list; numbers of several entries are summed, of words the first counts, none is 0. `.length` counts a list's
 * entries. `plan.KEY` is the value used, `~ESTIMATOR:PATH` what a published estimator says. False with the reason in
 * `why` (EXPR_WHY_MAX bytes) where a plan's result has no such value.
 */
bool outcome_value(struct outcome *outcome, const char *path, size_t size, struct expr_value *out, char *why);

/**
 * A path of one value, without selections: `comm[dim=dp].time_s` is `communication.3.time_s`, of the first that is
 * selected. A list or mapping is such a path too. False with the reason in `why` when there is nothing.
 */
bool outcome_locate(struct outcome *outcome, const char *path, char *out, size_t size, char *why);

/** Calls `each` with every short name and what it stands for. */
void outcome_names(void (*each)(void *context, const char *name, const char *path), void *context);
