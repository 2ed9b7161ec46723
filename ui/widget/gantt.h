/*
 * ui/widget/gantt.h - the passes of a schedule as a chart: the ones that give the iteration's time, sorted by stage
 * and start.
 */
#pragma once

#include "core/estimate/estimate.h"

#include <stdbool.h>

enum { GANTT_NONE = -1 };

/**
 * A schedule that was played. Of long ones some micro-batches in the middle are left out, where all rounds are alike.
 */
struct gantt {
    unsigned generation;      /* of the plan, for the caller */
    bool is_brief;            /* a few rounds only */
    int stages;               /* 0: nothing could be played */
    int first[STAGES_MAX + 1]; /* events of stage s are event[first[s]] .. event[first[s + 1] - 1] */
    struct sim_event *event;  /* micro-batches and times as they were played */
    double *height_bytes;     /* of the weighed stage's events: allocated at the height of the pass, and after it */
    double *after_bytes;
    size_t room;              /* events allocated */
    bool is_paired;           /* micro-batches come from both ends */
    int weighed_stage;
    double micro_batches, left_out;
    double cut_s, gap_s;      /* what begins at cut_s or later lies gap_s later than in the chart */
    double end_s;             /* of the last pass, in the chart */
};

/** Plays the schedule of an estimate, all micro-batches or as many as show how it begins, goes on and ends. */
void gantt_build(struct gantt *gantt, const struct estimate *estimate, bool is_brief);

/** Works out the memory of a stage along its passes; unknown ones are NAN. */
void gantt_weigh(struct gantt *gantt, const struct estimate *estimate, int stage);

/** Frees it. */
void gantt_free(struct gantt *gantt);

/** Events of a stage. */
int gantt_count(const struct gantt *gantt, int stage);

/** Number `i` of a stage. */
const struct sim_event *gantt_event(const struct gantt *gantt, int stage, int i);

/** The last event of a stage that begins at this time of the chart or before; GANTT_NONE where there is none. */
int gantt_find(const struct gantt *gantt, int stage, double at_s);

/** The event that has most of a span of time; GANTT_NONE where the stage waits for half of it. */
int gantt_winner(const struct gantt *gantt, int stage, double from_s, double to_s);

/** A time of the chart in the whole schedule. */
double gantt_real_s(const struct gantt *gantt, double at_s);

/** The micro-batch of an event in the whole schedule. */
int gantt_micro_batch(const struct gantt *gantt, const struct sim_event *event);

/** The number of event `i` of a stage in the whole schedule, from 1 on, and how many there are. */
int gantt_number(const struct gantt *gantt, int stage, int i, int *all);

/** Seconds that a stage waited before event `i`; 0 for none. */
double gantt_wait_s(const struct gantt *gantt, int stage, int i);

/**
 * What event `i` of a stage waited for, besides its own stage: the event, its stage in `*other`; GANTT_NONE for none.
 */
int gantt_needs(const struct gantt *gantt, const struct estimate *estimate, int stage, int i, int *other);

/** What a pass is called, by enum sim_pass: "forward". */
extern const char *const gantt_pass_words[];
