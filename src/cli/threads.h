/* src/cli/threads.h - one search, or many, in several threads, with progress on the terminal; interrupts end them. */
#pragma once

#include <stdbool.h>

struct search;
struct search_answer;
struct search_ask;

enum { THREADS_MAX = 16 };

/** The number of processors that this process may use, 1 to THREADS_MAX. */
int threads_here(void);

/** From now on threads_here() is the part of one of so many processes that work at the same time. */
void threads_share(int processes);

/**
 * Searches in so many threads, 1 to THREADS_MAX; the answer does not depend on how many. Says how far it is on a
 * terminal when it takes long; an interrupt leaves the answer as far as it is, of this search and of all that follow.
 */
void threads_search(const struct search_ask *ask, int threads, struct search_answer *out);

/** Finishes a search that has begun. Returns false after an interrupt. */
bool threads_finish(struct search *search);

/** Does item `item`, in a thread of its own; `worker` numbers the thread, and `search` is that thread's. */
typedef void threads_item(void *context, int worker, struct search *search, int item);

/**
 * Does items `first` to `last` - 1 in so many threads, each as soon as one is free. On a terminal, `what` follows the
 * number of items done; progress_end() clears the line. Returns false after an interrupt.
 */
bool threads_items(int threads, int first, int last, threads_item *item, void *context, const char *what);
