/*
 * src/cli/verbs/compare.h - our estimate beside the published estimators': values, differences, and the reason for
 * each.
 */
#pragma once

#include <stdbool.h>

struct buffer;
struct estimate;
struct ui_comparison;

/**
 * Appends one row for each quantity that an estimator computes too: ours, theirs, theirs / ours - 1, why they differ.
 * If an estimator refuses the plan, its reason is printed once. With `is_json`, appends an array of
 * {"quantity", "path", "unit", "value", "estimators": {name: {"value", "difference", "reason"}}}.
 */
void compare_estimators(struct buffer *out, const struct estimate *estimate, bool is_json);

/**
 * The same row by row: each value that an estimator has goes to `take`, those of one quantity in a row; at the end,
 * without a quantity, each estimator that does not answer to the plan.
 */
void compare_each(const struct estimate *estimate,
                  void (*take)(void *to, const struct ui_comparison *comparison), void *to);
