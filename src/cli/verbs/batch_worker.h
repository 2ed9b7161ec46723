/*
 * src/cli/verbs/batch_worker.h - answers requests in a process of its own, so that one that crashes or runs away costs
 * one answer.
 */
#ifndef SHARDTOP_SRC_CLI_VERBS_BATCH_WORKER_H
#define SHARDTOP_SRC_CLI_VERBS_BATCH_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "src/text/text.h"

/** How a request ended. */
enum worker_end {
    WORKER_ANSWERED,
    WORKER_CRASHED,
    WORKER_TOO_SLOW /* more than WORKER_CPU_S of processor time */
};

enum { WORKER_CPU_S = 10 };

/** One request in the worker: appends the answer to `out`. `number` is the request's, `after` how it ended before. */
typedef void worker_function(void *context, const char *request, size_t size, long number, enum worker_end after,
                             struct buffer *out);

/** Set `run`, `context` and `is_apart`, zero the rest; release with worker_close(). */
struct batch_worker {
    worker_function *run;
    void *context;
    bool is_apart; /* false: requests are answered in the caller's process */
    pid_t pid;   /* 0: none is running */
    int channel;
};

/** Has the worker answer a request with a NUL behind its `size` bytes; the worker is started when there is none. */
enum worker_end worker_ask(struct batch_worker *worker, const char *request, size_t size, long number,
                           enum worker_end after, struct buffer *out);

/** Ends the worker. */
void worker_close(struct batch_worker *worker);

#endif
