/*
 * ui/overlay/estimators.h - the overlay with our figures beside the published estimators': values, differences,
 * reasons.
 */
#pragma once

#include "ui/state/state.h"

enum { ESTIMATOR_ROWS_MAX = 80, ESTIMATOR_LINE_MAX = 512 };

/** What an estimator says of a quantity, or why it says nothing. */
struct estimator_row {
    struct ui_comparison is; /* its `path` and `reason` point to the copies below */
    char path[EXPLAIN_PATH_MAX], reason[UI_MESSAGE_MAX];
};

/** All rows for one state of the plan. */
struct estimators {
    unsigned generation; /* of the plan; 0 before the first question */
    int count;
    struct estimator_row row[ESTIMATOR_ROWS_MAX];
};

/**
 * Asks the estimators again if the plan has changed, and keeps the selection among the rows. Returns -1 when nobody can
 * be asked.
 */
int estimators_update(struct ui *ui);

/** Writes a row as a sentence: "weights: ours 3.20 GiB, megatron-tool 3.20 GiB, =; embedding on every stage". */
void estimators_line(const struct estimator_row *row, char out[ESTIMATOR_LINE_MAX]);
