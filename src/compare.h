/* src/compare.h - our estimate beside the published estimators': values, differences, and the reason for each. */
#ifndef SHARDTOP_SRC_COMPARE_H
#define SHARDTOP_SRC_COMPARE_H

#include <stdbool.h>

struct buffer;
struct estimate;

/**
 * Appends one row for each quantity that an estimator computes too: ours, theirs, theirs / ours - 1, why they differ. An
 * estimator that refuses the plan says so once. With `json`, an array of
 * {"quantity", "path", "unit", "value", "estimators": {name: {"value", "difference", "reason"}}}.
 */
void compare_estimators(struct buffer *out, const struct estimate *estimate, bool json);

#endif
