/* src/runs/watch.h - a run while it goes on: what its log says so far beside the estimate of its plan. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/estimate/range.h"
#include "src/runs/runs.h"

struct buffer;
struct json;
struct watch;

/** One measured number beside its estimate, in the unit of the metric's name. */
struct watch_row {
    enum metric metric;
    double measured, estimated;
    struct interval range; /* 80 % of the estimate; NAN where it has none */
    double error;          /* estimated / measured - 1; for speeds as time. NAN where there is no estimate */
    bool is_beyond;        /* the measured number lies outside of the range */
};

enum { WATCH_ROWS_MAX = 12, WATCH_CAUSE_MAX = 300 };

/** What a log has said so far. */
struct watch_view {
    const char *kind;              /* "a Megatron log"; of "a log" nothing is known yet */
    int step, steps;               /* -1 and 0 where the log does not say */
    double iteration_s, last_s;    /* mean after the first two, and the last one; NAN where not known */
    double tokens_per_s;           /* of all GPUs, by the mean */
    struct watch_row row[WATCH_ROWS_MAX]; /* times, speeds and memory: what the log has */
    int rows;
    bool is_out_of_memory;
    bool is_judged;                /* enough iterations were seen to compare times */
    char cause[WATCH_CAUSE_MAX];   /* what is off and what the likely cause is, in one sentence; "" where nothing is */
};

/** Begins to follow a run of this plan, whose blanks need not be filled. Release with watch_close(). */
struct watch *watch_open(const struct plan *plan);

/** Takes the next bytes of the log. */
void watch_feed(struct watch *watch, const char *bytes, size_t size);

/** Forgets the log, which begins again: it was cut or replaced. */
void watch_restart(struct watch *watch);

/** What is known now. */
void watch_look(const struct watch *watch, struct watch_view *out);

/** Appends the view as one line, and as the JSON object of `watch --json`. */
void watch_line(struct buffer *out, const struct watch_view *view);
void watch_json(struct json *json, const struct watch_view *view);

/** Appends a row as people read it: "iteration 1.15 s, estimated 1.05 (0.98-1.22), within the range". */
void watch_row_text(struct buffer *out, const struct watch_row *row);

void watch_close(struct watch *watch);
