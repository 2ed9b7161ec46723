/*
 * core/search/feature.h - what a framework can do to make the same layout faster or smaller, and a search over it.
 *
 * The values of many keys have too many combinations for all layouts. A search of them goes in rounds: all layouts with
 * one value of each key; then the best layouts try every other value of one key at a time, while that helps; then all
 * layouts with the best values so far, and with values that no layout could try yet. Each round is exact, the choice of
 * rounds is not.
 */
#pragma once

#include "core/search/search.h"

/** Lists the keys of features that the framework of a resolved plan has and the model and types can use. */
int feature_list(const struct plan *resolved, enum param out[SPACE_OWN_MAX]);

/** Whether a search has more combinations of own keys than it tries one by one; it then goes in rounds. */
bool feature_has_rounds(const struct search_ask *ask);

/** Begins the rounds: sets the values of own keys of the first in `ask`. */
void feature_begin(struct feature_rounds *rounds, struct search_ask *ask);

/**
 * Improves the best results of the rounds so far, and sets the values of the next round in `ask`; false when there is
 * none, the values in `ask` then being all. `scratch` is used for estimates.
 */
bool feature_next(struct feature_rounds *rounds, struct search_ask *ask, struct search_answer *answer,
                  struct estimate *scratch);
