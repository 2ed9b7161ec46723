/*
 * core/search/advice.h - what to do with a plan: single changes, what makes it fit, how far it may grow, what limits
 * it.
 */
#ifndef SHARDTOP_CORE_SEARCH_ADVICE_H
#define SHARDTOP_CORE_SEARCH_ADVICE_H

#include "core/estimate/range.h"
#include "core/search/change.h"

/** What is shown of an estimate. */
struct figures {
    bool is_valid; /* breaks no rule and is modelled: the rest is known */
    double iteration_s, device_bytes, headroom_bytes, mfu, probability;
    enum verdict verdict;
};

/** The figures of an estimate. */
void figures_of(const struct estimate *estimate, struct figures *out);

/** Whether of two that do not fit the first lacks less memory. */
bool figures_are_nearer(const struct figures *a, const struct figures *b);

/** One change and what it leads to. */
struct advice_row {
    struct change change;
    enum change_group group;
    struct figures figures;
};

/** The smallest set of changes that makes a plan fit. */
struct advice_mend {
    int changes; /* 0: none was found, or the plan fits */
    struct change change[2];
    struct figures figures;
};

/** How far one key can grow while the rest stays. */
struct room {
    enum param key;
    double now;
    /* the largest values with that verdict (`tight`: or `fits`); NAN for none, INFINITY where no limit was met */
    double fits, tight;
    double step; /* between the values that are tried; 1 of a micro-batch, of which all that are valid are */
};

/** What 10 % more of a figure of the hardware is worth. */
struct sensitivity {
    enum param key;
    double relative; /* change of the iteration, of whole answers when serving: -0.05 is 5 % less */
    double delta_s;
    double headroom_bytes; /* change of the memory left */
    double cost;           /* relative change of the training's cost; NAN where that is not known */
};

enum { ROOMS = 4, SENSITIVITIES = 17 };

/** Where the advice stands. */
enum advice_phase { ADVICE_NOW, ADVICE_CHANGES, ADVICE_PAIRS, ADVICE_ROOM, ADVICE_SENSITIVITY, ADVICE_DONE };

/** Advice on a plan; complete when `phase` is ADVICE_DONE. What is shown comes first, how far it is after that. */
struct advice {
    struct figures now;
    /* `row` is sorted: by group, what fits first, then by time; what does not fit by the memory that it lacks */
    int tried, rows;
    struct advice_row row[CHANGES_MAX];
    struct advice_mend mend;
    int rooms;
    struct room room[ROOMS];
    int sensitivities; /* what shortens the iteration most comes first */
    struct sensitivity sensitivity[SENSITIVITIES];

    enum advice_phase phase;
    struct plan plan, resolved;
    int at, changes;
    struct change change[CHANGES_MAX];
    int other, others; /* the changes that may follow `change[at]` */
    struct change follow[CHANGES_MAX];
    double seconds, cost;
    struct probe {
        enum verdict wanted; /* VERDICT_FITS, then VERDICT_TIGHT */
        double grain, offset, limit, low, high, value;
        int beyond;
    } probe;
};

/** Begins advice on a plan. */
void advice_begin(struct advice *advice, const struct plan *plan);

/** Goes on for so many estimates, which `scratch` is used for. True while there is more to do. */
bool advice_step(struct advice *advice, struct estimate *scratch, int estimates);

/** The plan that a change of the advice makes, on the same GPUs. */
void advice_plan(const struct advice *advice, const struct change change[], int changes, struct plan *out);

#endif
