/* core/search/differs.h - how a plan differs from another and why, in one sentence. */
#ifndef SHARDTOP_CORE_SEARCH_DIFFERS_H
#define SHARDTOP_CORE_SEARCH_DIFFERS_H

#include <stdbool.h>
#include <stddef.h>

struct estimate;
struct plan;

enum { DIFFERS_MAX = 400 };

/**
 * Writes "tp 8 > 4, pp 4 > 8 (dp 32): -0.742 s (-3.20 s tensor-parallel traffic, +2.30 s pipeline bubble); +62.9 GiB
 * activations, no longer fits": keys with what follows from them in brackets, the two largest parts of the change of
 * time, the change of memory with its parts where one is a GiB or more, the verdict where it is another; "the plan as
 * it is" where no key differs.
 */
void differs_write(const struct estimate *before, const struct estimate *after, char out[DIFFERS_MAX]);

/** The first part alone, "tp 8 > 4, pp 4 > 8 (dp 32)", of two resolved plans. */
void differs_keys(const struct plan *before, const struct plan *after, char *out, size_t size);

/**
 * Shortens what differs_keys() wrote to `room` bytes: without what follows, then with fewer changes, ".." standing for
 * the others: "tp 8 > 4, cp 1 > 2 ..". One change alone is not cut.
 */
void differs_cut(char *keys, int room);

/** Which of two plans is the faster, the errors of both estimates considered. */
struct faster {
    bool is_same_batch; /* else their times are those of as many tokens on as many GPUs */
    double log_time;    /* ln of a's time over b's */
    double probability; /* that b is faster than a; NAN where it is not known, or both take as long */
};

void differs_faster(const struct estimate *a, const struct estimate *b, struct faster *out);

/** "b takes 0.9 % longer; that a is faster is 57 % probable, within the error of the estimate"; "" where not known. */
void differs_say_faster(const struct faster *faster, const char *a, const char *b, char *out, size_t size);

/** What an iteration is spent on: "85 % computing, 9 % tensor-parallel traffic". */
void differs_bound(const struct estimate *estimate, char *out, size_t size);

#endif
