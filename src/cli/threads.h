/* src/cli/threads.h - a search of layouts in several threads, which says how far it is and can be interrupted. */
#ifndef SHARDTOP_SRC_CLI_THREADS_H
#define SHARDTOP_SRC_CLI_THREADS_H

struct search_answer;
struct search_ask;

enum { THREADS_MAX = 16 };

/** As many threads as there are processors, THREADS_MAX at most. */
int threads_here(void);

/**
 * Searches in so many threads, 1 to THREADS_MAX; the answer does not depend on how many. Says how far it is on a
 * terminal when it takes long; an interrupt leaves the answer as far as it is, of this search and of all that follow.
 */
void threads_search(const struct search_ask *ask, int threads, struct search_answer *out);

#endif
