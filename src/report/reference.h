/* src/report/reference.h - answers of the reference estimators as text and JSON. */
#pragma once

#include "core/reference/reference.h"

struct buffer;

/**
 * Appends the answer as an object on one line: values by their paths, or {"rule", "message"} when refused. Arrays and
 * nested objects are those of the estimator's golden lines.
 */
void report_reference_json(struct buffer *out, const struct reference_answer *answer);

/** Appends the answer for people: the tool's own report for megatron-tool, else a list of values with units. */
void report_reference(struct buffer *out, const struct reference_inputs *in, const struct reference_answer *answer);
