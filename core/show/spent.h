/* core/show/spent.h - parts that sum to the time of an iteration or of a token of an answer. */
#pragma once

#include "core/estimate/iteration.h"

#include <stdbool.h>

enum { SPENT_MAX = ITERATION_PARTS };

/** One part: its name in JSON and its label on screens and in reports. */
struct spent_part {
    const char *name, *words;
    double seconds;
};

/** The parts in order. */
struct spent {
    double whole_s;   /* NAN if the time is unknown; then there are no parts */
    const char *what, *title; /* "an iteration"; "What an iteration of reinforcement learning is spent on" */
    bool is_mean;             /* of all GPUs of a plan that trains: the first part is maths at peak speed */
    int count;
    struct spent_part part[SPENT_MAX];
};

/** The mean over all GPUs of a plan that trains, phases of reinforcement learning; each further token of serving. */
void spent_of(const struct estimate *estimate, struct spent *out);

/** Whether a part is worth a row: at least 0.05 %. */
bool spent_is_shown(const struct spent *spent, int part);
