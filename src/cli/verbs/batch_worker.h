/*
 * src/cli/verbs/batch_worker.h - answers requests in a process of its own, so that one that crashes or runs away costs
 * one answer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "src/text/text.h"

/** How a request ended. */
enum worker_end {
    WORKER_ANSWERED,
    WORKER_CRASHED,
    WORKER_TOO_SLOW, /* more than WORKER_CPU_S of processor time */
    WORKER_NO_MEMORY
};

enum { WORKER_CPU_S = 10 };

/**
 * Requests, one a line, in the worker: appends the answers to `out`. `number` is that of the first request, `after` how
 * it ended before. Calls worker_begin() before each.
 */
typedef void worker_function(void *context, const char *requests, size_t size, long number, enum worker_end after,
                             struct buffer *out);

/** Set `run`, `context` and `is_apart`, zero the rest; release with worker_close(). */
struct batch_worker {
    worker_function *run;
    void *context;
    bool is_apart; /* false: requests are answered in the caller's process */
    pid_t pid;     /* 0: none is running */
    int channel;
    struct buffer asked; /* what is being answered */
    long number;
    enum worker_end after;
};

/** Hands requests over, with a NUL behind their `size` bytes; the worker is started when there is none. */
void worker_send(struct batch_worker *worker, const char *requests, size_t size, long number, enum worker_end after);

/** Waits for the answers to what was sent last. Unless they are WORKER_ANSWERED, none is in `out`. */
enum worker_end worker_receive(struct batch_worker *worker, struct buffer *out);

/** In the worker: the next request has WORKER_CPU_S of processor time. */
void worker_begin(void);

/** Ends the process that answers, whatever it is at; the next request starts another. */
void worker_end_now(struct batch_worker *worker);

/** Ends the worker. */
void worker_close(struct batch_worker *worker);
