/*
 * core/search/standing.h - how the results of a search stand beside the first, the errors of their estimates
 * considered.
 */
#ifndef SHARDTOP_CORE_SEARCH_STANDING_H
#define SHARDTOP_CORE_SEARCH_STANDING_H

#include "core/search/search.h"

/** One result. */
struct standing {
    enum verdict verdict;
    double probability; /* that it is no worse than the first; NAN where time has no range */
    bool as_good;       /* the first is not better beyond the error of the estimate */
    bool is_taken;      /* the one to take of those */
};

/** Results that are judged one after the other: how many have been, and which of those to take; zero at first. */
struct judging {
    int judged, take;
    int steps; /* that the next result has had */
    struct time_range first, next;
};

/**
 * Judges the results of `best` as standing_judge(), in steps of an estimate or of a part of a range; true while there
 * are more. `scratch` is to stay as it is in between.
 */
bool standing_step(const struct search_ask *ask, const struct search_answer *answer, struct estimate *scratch,
                   struct judging *judging, struct standing out[SEARCH_TOP_MAX]);

/**
 * Judges every result of `best`; `scratch` is used for the estimates. Returns which of those as good as the first to
 * take: what fits before what is tight, then the simpler, then the roomier, then the faster. -1 where there is no
 * result.
 */
int standing_judge(const struct search_ask *ask, const struct search_answer *answer, struct estimate *scratch,
                   struct standing out[SEARCH_TOP_MAX]);

#endif
