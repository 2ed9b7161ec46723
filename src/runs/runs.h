/* src/runs/runs.h - measured runs: rows of CSV tables, and training logs beside a plan. */
#pragma once

#include "core/estimate/range.h"
#include "core/plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

struct errors;
struct keyvals;
struct log_run;

/** What may be measured of a run. `fits` and `starts` are 1 or 0. */
enum metric {
    METRIC_ALLOCATED, METRIC_RESERVED, METRIC_DEVICE, METRIC_STEADY, METRIC_ITERATION, METRIC_TOKENS, METRIC_TFLOPS,
    METRIC_FITS, METRIC_SAMPLES, METRIC_FIRST_TOKEN, METRIC_REQUEST, METRIC_GENERATED,
    METRIC_PER_TOKEN, METRIC_WEIGHTS, METRIC_PROFILE, METRIC_OUTSIDE, METRIC_GRAPHS, METRIC_KV, METRIC_KV_TOKENS,
    METRIC_STARTS, METRIC_RL_STEP, METRIC_RL_ROLLOUT, METRIC_RL_LOGPROB, METRIC_RL_UPDATE, METRIC_COUNT
};

/** Names of the metrics: "allocated_gib", ... */
extern const char *const metric_names[METRIC_COUNT];

/** Where memory was measured, besides the number of a stage. */
enum { STAGE_MAX = -1, STAGE_LAST = -2 };

/** True for what is answered with yes or no. */
bool metric_is_answer(enum metric metric);

/** One run; texts are safe for a terminal. */
struct run {
    char *id, *source, *tags, *notes, *group; /* never NULL; the group is a set of runs that belong together */
    char *assumed;                    /* keys that its source does not state, separated by blanks; "" for none */
    char *study;                      /* the layout study that it belongs to; "" where its source and plan say */
    char *remark;                     /* what reading the run found worth saying, or NULL */
    const char *file;                 /* for messages; lasts as long as the request */
    int line;                         /* 0 for a log */
    struct plan plan;
    double measured[METRIC_COUNT]; /* NAN where not measured */
    int stage;                     /* number, STAGE_MAX or STAGE_LAST */
    int rank_low, rank_high;       /* ranks whose memory a log has, -1 for none: they decide the stage */
    double sample_s; /* time of an iteration over the global batch size, in place of measured time; or NAN */
};

/** Gets a row that cannot be read: its place, its id ("" for none), and why. */
typedef void unread_taker(void *to, const char *file, int line, const char *id, const char *reason);

/** What to read. */
struct runs_request {
    const char *const *files; /* CSV tables, logs, and plans, told by their content; `-` is standard input */
    size_t file_count;
    const struct keyvals *settings; /* keys for every run, which win over its own; may be NULL */
    const char *tags;               /* keep rows with all of these, separated by commas: `core`, `-core` (without),
                                       `hardware.gpu=b200-sxm`; may be NULL */
    unread_taker *unread; /* gets rows that cannot be read, the others are read on; NULL: they are faults */
};

/** Gets a run as soon as it is read; the run and its texts last until it returns. */
typedef void run_taker(void *to, const struct run *run);

/**
 * Reads files of any size, FIFOs too, and hands each run to `take` in order; after the first fault only more faults are
 * looked for. A plan holds for the logs that stand with it: `a.yaml a.log b.yaml b.log`; beside a table it gives the
 * keys that no column sets (a fitted hardware file, say). Every fault is added. Returns 0, or -1 when one was.
 */
int runs_read(const struct runs_request *request, run_taker *take, void *to, struct errors *errors);

/** A run of which nothing is known yet; release with run_free(). `file` and `line` are for messages. */
struct run run_new(const char *file, int line);

/** Sets what a log has measured; `remark` is what reading it found worth saying, in fresh memory. */
void run_take_log(struct run *run, const struct log_run *log);

/** Releases the texts of a run. */
void run_free(struct run *run);

/** True when `list`, words separated by blanks, has this word. */
bool runs_has_tag(const char *list, const char *word, size_t length);

/** The number that the estimate has for a metric of a run, in the unit of its measurement; NAN when it has none. */
double run_estimated(const struct run *run, enum metric metric, const struct estimate *estimate);

/** The 80 % range of run_estimated() where it has one, in the unit of its measurement. */
struct interval run_range(const struct run *run, enum metric metric, const struct estimate *estimate);

/** The measured number; for logs with samples per second, the time follows from the batch size that is estimated. */
double run_measured(const struct run *run, enum metric metric, const struct estimate *estimate);

/** estimated / measured - 1, for speeds as time: positive is pessimistic. For `fits` 0 when right, else +-1. NAN when
 * not known. */
double run_error(enum metric metric, double measured, double estimated);

/** Why there is no estimate of a metric, in a sentence without a full stop. */
const char *run_why(const struct run *run, enum metric metric, const struct estimate *estimate, char *out, size_t size);

/** The first error that the plan has, "" when it has none. */
const char *run_finding(const struct estimate *estimate, char *out, size_t size);
