/*
 * ui/state/advisor.h - what to do with the plan, found in slices between keys: single changes, the best layouts, a
 * sweep.
 */
#pragma once

#include "core/search/advice.h"
#include "core/search/refusal.h"
#include "core/search/search.h"
#include "core/search/recommend.h"
#include "core/search/sweep.h"
#include "ui/term/canvas.h"
#include "ui/state/host.h"
#include "ui/widget/layout.h"
#include "ui/command/search_line.h"

enum { ADVISOR_DOTS = 640, ADVISOR_PLOT_ROWS = 28 /* of the tuner, from which on it draws memory against time */,
       ADVISOR_GLANCE_ROWS = 9, ADVISOR_GLANCE_WIDTH = 60 /* of that plot beside other views */ };
enum { ADVISOR_TEXT_MAX = 160, ADVISOR_OBJECTIVES = SEARCH_CHANGES };

/** One sentence of the line that is always there, and the plan that it is about. */
struct advisor_line {
    char text[ADVISOR_TEXT_MAX], brief[ADVISOR_TEXT_MAX]; /* "" before there is any */
    unsigned generation;
};

/** The parts of the list of single changes, in their order. */
enum change_section { SECTION_LAYOUT, SECTION_FRAMEWORK, SECTION_OVER, SECTION_HARDWARE, CHANGE_SECTIONS };

/** The largest term of the change of time that a row of the list makes. */
struct change_cause {
    char name[16];     /* of the term; "": none */
    const char *label; /* the same in words */
    double delta_s;
};

/** A layout that fits, for the plot of memory against time. */
struct advisor_dot {
    double bytes, iteration_s;
};

/** The work and its answers; allocated when it is first asked for, of which a system gives out what is used. */
struct advisor {
    unsigned generation;  /* of the plan that the work below is about */
    bool has_begun;
    struct estimate scratch;

    struct advice advice;    /* under way */
    struct advice shown_advice;      /* the last that was complete enough to show; its plan may be an older one */
    bool has_advice;
    uint8_t order[CHANGES_MAX]; /* its rows as `objective` puts them */
    unsigned shown_generation;
    struct change_cause cause[CHANGES_MAX + FIXES_MAX]; /* of the rows as they are shown */
    unsigned cause_generation;                          /* of the plan of the first `causes` of them */
    int causes;

    uint8_t marked[CHANGES_MAX + FIXES_MAX]; /* rows of the advice, then what mends it, to be tried together */
    unsigned marked_generation;              /* of the plan that they are of */

    enum search_objective objective;
    struct search_line line; /* limits */
    char refused[UI_MESSAGE_MAX]; /* why the plan cannot be searched within them, or "" */
    uint32_t free; /* what a search may change: bit set of enum search_axis; 0: what is usual */
    struct search search;
    struct refusals forbidden; /* why no layout is valid, of a search that has ended */
    bool has_search, is_searching; /* the plan can be searched; there is more to do */

    bool is_judged; /* the search has ended, and: */
    struct recommendation recommendation[SEARCH_TOP_MAX];
    struct recommend_state recommending;
    struct estimate judged; /* the result that is being judged */
    double mfu[SEARCH_TOP_MAX], price[SEARCH_TOP_MAX]; /* of the results that have been estimated */
    int estimated;     /* results */
    int take;          /* the result to take; 0 before */
    struct space walk; /* through some of the layouts, for the plot */
    bool is_walking;
    long walked;
    int dots;
    struct advisor_dot dot[ADVISOR_DOTS];

    struct advisor_line change, best; /* the best single change, the best layout */

    int axes; /* of the sweep; 0: none was asked for */
    struct sweep_axis axis[SWEEP_AXES];
    char asked[SWEEP_AXES][UI_MESSAGE_MAX]; /* their values as typed: "1..16" */
    int metric; /* of sweep_metrics */
    int cells;  /* that are known */
    bool has_best;              /* each cell has the best layout with its values */
    struct search cell_search;  /* that of cell `sought`; -1 for none */
    int sought;
    struct sweep_cell cell[SWEEP_VALUES_MAX * SWEEP_VALUES_MAX];
    double cell_value[SWEEP_VALUES_MAX * SWEEP_VALUES_MAX]; /* scratch for their fifths */
    struct explanation opened;
};

/**
 * True while there is something left to find about the present plan: for views that are on the screen, or for the line
 * that is always there.
 */
bool advisor_is_busy(const struct ui *ui);

/** True while what a view shows is still to be found, so that what it has is of an older plan or a part. */
bool advisor_owes(const struct ui *ui, enum pane_id pane);

/** Works for a fraction of a millisecond. True when there is something new to draw. */
bool advisor_step(struct ui *ui);

/** Works until all is known. */
void advisor_finish(struct ui *ui);

/**
 * Works until all is known that the view in use waits for; views beside it and the line of advice come with idle time.
 */
void advisor_settle(struct ui *ui);

/** What to say where a search by time has ended and the layout to take is no faster than a plan that fits; or NULL. */
const char *advisor_no_better(const struct ui *ui);

/** Draws what is best to change here and the best layout at all into what is free at the end of row `y`. */
void advisor_draw(const struct ui *ui, struct canvas *canvas, int y, int width);

/**
 * Begins a sweep, as "tp=1,2,4 pp=1..16": values, a range of those that are valid, or `*`, all of them. Returns 0, or
 * -1 with the reason in `why` (UI_MESSAGE_MAX bytes).
 */
int advisor_sweep(struct ui *ui, const char *text, char *why);

/** Each cell with its best layout, or with the plan's own. */
void advisor_toggle_best(struct ui *ui);

/** What searches may change from here on, a bit set of enum search_axis; 0 for what is usual. */
void advisor_set_free(struct ui *ui, uint32_t axes);

/**
 * Searches as a line asks: by its objective, else by time; with its limits in place of those before, and what it frees.
 * Returns 0, or -1 with the reason in `why` (UI_MESSAGE_MAX bytes), nothing changed.
 */
int advisor_search(struct ui *ui, const char *text, char *why);

/** Stops a search that is under way, with what was found so far; false where there is none. */
bool advisor_stop(struct ui *ui);

/** The part of the list that a change belongs to. */
enum change_section advisor_section(const struct advice_row *row);

/** Writes the line that asks for the search that is there: "search cost free=tp,pp max-memory=72GiB". */
void advisor_search_line(const struct ui *ui, char *out, size_t size);

/** Columns of the sweep. */
int advisor_columns(const struct advisor *advisor);

/** The plan of a cell. */
void advisor_cell_plan(const struct ui *ui, int cell, struct plan *out);

/** Another objective, or metric, from here on. */
void advisor_set_objective(struct ui *ui, enum search_objective objective);
void advisor_next_objective(struct ui *ui);
void advisor_next_metric(struct ui *ui);
