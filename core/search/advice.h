/*
 * core/search/advice.h - advice on a plan: single changes, what makes it fit, room to grow, sensitivity to hardware
 * figures.
 */
#pragma once

#include "core/search/change.h"
#include "core/search/plan_diff.h"

/** One change and its figures. */
struct advice_row {
    struct change change;
    enum change_group group;
    struct figures figures;
};

/** The smallest set of changes that makes a plan fit. */
struct advice_fix {
    int changes; /* 0: none found, or the plan fits */
    struct change change[2];
    struct figures figures;
};

enum { FIXES_MAX = 8 };

/** How far one key can grow while the rest stays. */
struct room {
    enum param key;
    double now;
    /* the largest values with that verdict (`tight`: or `fits`); NAN for none, INFINITY where no limit was met */
    double fits, tight;
    double step; /* between the values that are tried; 1 of a micro-batch, of which all that are valid are */
};

/** The effect of 10 % more of a hardware figure. */
struct sensitivity {
    enum param key;
    double relative; /* change of the iteration, of whole answers when serving: -0.05 is 5 % less */
    double delta_s;
    double headroom_bytes; /* change of the memory left */
    double cost;           /* relative change of the training's cost; NAN where that is not known */
};

enum { ROOMS = 4, SENSITIVITIES = 17 };

/** Progress of the advice. */
enum advice_phase {
    ADVICE_NOW, ADVICE_CHANGES, ADVICE_PAIRS, ADVICE_SAVINGS, ADVICE_ROOM, ADVICE_SENSITIVITY, ADVICE_DONE
};

/** Advice on a plan; complete when `phase` is ADVICE_DONE. Results first, then the state of the work. */
struct advice {
    struct figures now;
    /* `row` is sorted by group, verdict, then time; what does not fit by the excess of memory */
    int tried, rows;
    struct advice_row row[CHANGES_MAX];
    struct advice_fix fix;
    /* what else makes it fit, the least given up first; with one or two keys, none of which does it alone */
    int fixes;
    struct advice_fix fixed[FIXES_MAX];
    int rooms;
    struct room room[ROOMS];
    int sensitivities; /* the largest gain of time first */
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

/** Continues for a number of estimates, made in `scratch`; true while there is more to do. */
bool advice_step(struct advice *advice, struct estimate *scratch, int estimates);

/** The plan that a change of the advice makes, on the same GPUs. */
void advice_plan(const struct advice *advice, const struct change change[], int changes, struct plan *out);
