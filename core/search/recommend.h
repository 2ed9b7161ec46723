/* core/search/recommend.h - which result of a search to take, given the errors of the estimates. */
#ifndef SHARDTOP_CORE_SEARCH_RECOMMEND_H
#define SHARDTOP_CORE_SEARCH_RECOMMEND_H

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
 * Compares results with the best: those that are shown and those that may be recommended. `scratch` is used for the
 * estimates. Returns the number of the recommended one, -1 if there is no result: of those as good as the best, the
 * first by verdict, then by simplicity, headroom and speed. One of the same verdict is at most take_loss slower.
 */
int recommend_layout(const struct search_ask *ask, const struct search_answer *answer, int shown,
                     struct estimate *scratch, struct recommendation out[SEARCH_TOP_MAX]);

#endif
