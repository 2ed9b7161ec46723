/* core/search/recommend.h - which result of a search to take, given the errors of the estimates. */
#pragma once

#include "core/search/search.h"

/** How one result compares with the first. */
struct recommendation {
    enum verdict verdict;
    double probability;  /* that it is no worse than the first; NAN where time has no range */
    bool as_good;        /* the first is not better beyond the error of the estimate */
    bool is_recommended; /* the one to take of those as good */
};

/** Progress of recommend_step(); zero at first. */
struct recommend_state {
    int judged, take; /* results compared so far, and which of them to take */
    int steps;        /* done for the next result */
    int shown;        /* first results whose probability is shown; 0: all. Of others only what decides is computed */
    bool needs_range; /* whether the next one's does */
    struct time_range first, next;
};

/**
 * Does a step of recommend_layout(), an estimate or a part of a range; true while there are more. `scratch` must not
 * change between steps.
 */
bool recommend_step(const struct search_ask *ask, const struct search_answer *answer, struct estimate *scratch,
                    struct recommend_state *state, struct recommendation out[SEARCH_TOP_MAX]);

/**
 * Compares the shown results, and every result that may be recommended, with the best. Returns the index of the
 * recommended result, or -1 if there are none. Among results as good as the best it prefers a better verdict, then
 * simplicity, headroom and speed; one with the same verdict is at most take_loss slower. Overwrites `scratch`.
 */
int recommend_layout(const struct search_ask *ask, const struct search_answer *answer, int shown,
                     struct estimate *scratch, struct recommendation out[SEARCH_TOP_MAX]);
