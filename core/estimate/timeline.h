/* core/estimate/timeline.h - allocated bytes of a stage through one step, pass by pass; the maximum is the peak. */
#pragma once

#include "core/estimate/estimate.h"

/** What happens at a point of the curve. */
enum timeline_event { EVENT_START, EVENT_FORWARD, EVENT_BACKWARD, EVENT_FREED, EVENT_WGRAD, EVENT_STEP, EVENT_COUNT };

/** Names of the events: start, forward, backward, freed, wgrad, step. */
extern const char *const timeline_event_names[EVENT_COUNT];

/**
 * One point: the bytes at the height of an event (`freed`: after a backward pass; `wgrad`: after weight gradients that
 * ran apart).
 */
struct timeline_point {
    enum timeline_event event;
    int chunk, micro_batch; /* -1 at start and step */
    double bytes;
    double after_bytes; /* what stays allocated when it is over */
};

enum { TIMELINE_POINTS_MAX = 1024 };

/**
 * The curve of one stage: states and buffers at the start, each forward and backward pass in the order of the schedule,
 * the optimizer step. Of long schedules the first and the last passes are kept; what lies between repeats the steady
 * state. Writes at most `max` points and returns how many; 0 where no schedule can run or memory is not
 * modelled.
 */
int timeline_of(const struct estimate *estimate, int stage, struct timeline_point out[], int max);
