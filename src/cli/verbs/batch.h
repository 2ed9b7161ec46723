/*
 * src/cli/verbs/batch.h - JSON Lines in, JSON Lines out: plans and reference estimators, one answer a line, in order.
 */
#pragma once

#include <stddef.h>
#include <stdbool.h>
#include <stdio.h>

/** What answers one request after the other. */
struct batch;

enum { BATCH_LINE_MAX = 1 << 20 }; /* bytes; longer lines are answered with an error and skipped */

enum { BATCH_WORKERS_MAX = 64 };

/** How requests are answered. */
struct batch_options {
    bool is_apart; /* in processes of their own; one that crashes or takes over WORKER_CPU_S costs one answer */
    int workers;   /* how many at a time, BATCH_WORKERS_MAX at most; 0: one */
};

/**
 * Answers each line of `in` on `out`, in order, and all that were read before it waits for more; memory does not grow
 * with the input. A line is {"id", "plan": {key: value}} with or without "want", "search", "advice" or "sweep", or
 * {"id", "estimator", "fn", "inputs": {..}}; blank lines are skipped. What cannot be answered gets {"id", "error":
 * {"rule", "message"}}; lines that are no JSON object are named on `err` too. `in` is read past its buffer: use it for
 * nothing else. Returns the exit status: 0, 2 when a line could not be read, 3 when an answer could not be written.
 */
int batch_run(FILE *in, FILE *out, FILE *err, const struct batch_options *options);

/** A batch that names requests which cannot be read on `err` (may be NULL); close it with batch_close(). */
struct batch *batch_open(FILE *err);

/** The answer to a request with a NUL behind its `size` bytes, without an end of line; it stands until the next. */
const char *batch_answer(struct batch *batch, const char *request, size_t size);

/** One question in numbers: keys of a plan with their values, and paths of the result. */
struct batch_numbers {
    const char *base;         /* a plan as JSON, or NULL */
    const char *const *keys;  /* `count` of them */
    const double *values;
    size_t count;
    const char *const *want;  /* `wanted` of them */
    size_t wanted;
};

/**
 * Fills `out` with the value at each path, NAN where it is not known. Returns NULL, or what is wrong with the question.
 */
const char *batch_answer_numbers(struct batch *batch, const struct batch_numbers *asked, double out[]);

void batch_close(struct batch *batch);
