/* core/search/differs.h - how a plan differs from another and why, in one sentence. */
#ifndef SHARDTOP_CORE_SEARCH_DIFFERS_H
#define SHARDTOP_CORE_SEARCH_DIFFERS_H

#include "core/plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

struct estimate;

enum { DIFFERS_MAX = 400 };

/**
 * Writes "tp 8 > 4, pp 4 > 8 (dp 32): -0.742 s (-3.20 s tensor-parallel traffic, +2.30 s pipeline bubble); +62.9 GiB
 * activations, no longer fits": keys with what follows from them in brackets, the two largest parts of the change of
 * time, the change of memory with its parts where one is a GiB or more, the verdict where it is another; "the plan as
 * it is" where no key differs.
 */
void differs_write(const struct estimate *before, const struct estimate *after, char out[DIFFERS_MAX]);

/** False for keys of what neither of two resolved plans has, experts or serving: nobody looks for them. */
bool differs_matters(const struct plan *a, const struct plan *b, enum param id);

/** The first part alone, "tp 8 > 4, pp 4 > 8 (dp 32)", of two resolved plans. */
void differs_keys(const struct plan *before, const struct plan *after, char *out, size_t size);

/**
 * Shortens what differs_keys() wrote to `room` bytes: without what follows, then with fewer changes, ".." standing for
 * the others: "tp 8 > 4, cp 1 > 2 ..". One change alone is not cut.
 */
void differs_cut(char *keys, int room);

/** What an iteration is spent on: "85 % computing, 9 % tensor-parallel traffic". */
void differs_bound(const struct estimate *estimate, char *out, size_t size);

#endif
