/* core/search/refusal.h - why a search finds no valid layout: the rules that refuse them. */
#pragma once

#include "core/search/search.h"

enum { REFUSALS_MAX = 3, REFUSAL_VALID_MAX = 8, REFUSAL_KEYS_MAX = SEARCH_AXES + 1,
       REFUSAL_TEXT_MAX = 400 /* bytes */ };

/** The values that a key may have in the plan as it is. */
struct refusal_valid {
    enum param key;
    int count; /* of all; the first are in `value` */
    double value[REFUSAL_VALID_MAX];
};

/** A rule that refuses layouts, and what it finds in the one that is nearest to being valid. */
struct refusal {
    const char *rule;
    enum param key;
    long layouts;
    struct diag finding;
    int valid_count;
    struct refusal_valid valid[REFUSAL_KEYS_MAX]; /* of keys that can have none of the values asked for */
};

/** A sentence. */
struct refusal_text {
    char text[REFUSAL_TEXT_MAX];
};

/** "tp 3 does not divide 64 heads; works: 1 2 4 8 16; micro_batch_size may be 1 2". */
struct refusal_text refusal_text(const struct refusal *refusal);

/**
 * The rules, those that refuse most first, until every layout that was tried is refused by one; then those of further
 * keys of which no value that was asked for can be, whatever the others are.
 */
struct refusals {
    long tried;
    int count;
    struct refusal item[REFUSALS_MAX];
};

/**
 * Finds the rules for an answer without a valid layout, from some hundred of its layouts; where it has none at all,
 * since no value that is asked for goes with any other, from those values in the plan as it is. Else there are none.
 * `scratch` is used for estimates.
 */
void refusals_of(const struct search_ask *ask, const struct search_answer *answer, struct estimate *scratch,
                 struct refusals *out);
