/*
 * src/cli/verbs/batch.h - JSON Lines in, JSON Lines out: plans and reference estimators, one answer a line, in order.
 */
#ifndef SHARDTOP_SRC_CLI_VERBS_BATCH_H
#define SHARDTOP_SRC_CLI_VERBS_BATCH_H

#include <stddef.h>
#include <stdbool.h>
#include <stdio.h>

/** What answers one request after the other. */
struct batch;

enum { BATCH_LINE_MAX = 1 << 20 }; /* bytes; longer lines are answered with an error and skipped */

/**
 * Answers each line of `in` on `out` and flushes it before the next is read; memory does not grow with the input. A
 * line is {"id", "plan": {key: value}} or {"id", "estimator", "fn", "inputs": {..}}; blank lines are passed over. What
 * cannot be answered gets {"id", "error": {"rule", "message"}}; lines that are no JSON object are named on `err` too.
 * With `is_apart` a process of its own answers, and a request that crashes it or takes more than WORKER_CPU_S of
 * processor time gets an error. Returns the exit status: 0, 2 when a line could not be read, 3 when an answer could
 * not be written.
 */
int batch_run(FILE *in, FILE *out, FILE *err, bool is_apart);

/** A batch that names requests which cannot be read on `err` (may be NULL); close it with batch_close(). */
struct batch *batch_open(FILE *err);

/** The answer to a request with a NUL behind its `size` bytes, without an end of line; it stands until the next. */
const char *batch_answer(struct batch *batch, const char *request, size_t size);

void batch_close(struct batch *batch);

#endif
