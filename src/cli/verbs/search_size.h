/* src/cli/verbs/search_size.h - the largest model that fits a layout (`search --objective size`). */
#pragma once

#include "src/report/report.h"

/**
 * Grows and shrinks the number of layers of `plan` in steps that the pipeline splits evenly and appends the `top`
 * largest models that fit, as text, CSV or the interface's JSON. Returns 0; 1 when none fits; -1 with a fault added
 * when the plan cannot be searched.
 */
int search_size(struct buffer *out, const struct plan *plan, int top, enum report_format format, struct errors *errors);
