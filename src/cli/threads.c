#include "src/cli/threads.h"

#include "core/search/feature.h"
#include "src/text/process.h"
#include "src/text/progress.h"
#include "src/text/text.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SLICE = 64 };

static volatile sig_atomic_t is_stopped;

static void stop(int signal)
{
    (void)signal;
    is_stopped = 1;
}

/* Items that threads take one by one. */
struct items {
    threads_item *item;
    void *context;
    int last;
    atomic_int next, done;
};

struct worker {
    pthread_t thread;
    int number;
    struct search search;
    struct items *items; /* NULL: a part of one search */
    atomic_int percent;
    atomic_bool is_done;
};

bool threads_finish(struct search *search)
{
    while (!is_stopped && search_step(search, SLICE))
        ;
    return search->answer.is_complete;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct items *items = worker->items;
    while (!items && !is_stopped && search_step(&worker->search, SLICE))
        atomic_store(&worker->percent, (int)(100 * search_share(&worker->search)));
    for (int item; items && !is_stopped && (item = atomic_fetch_add(&items->next, 1)) < items->last;) {
        items->item(items->context, worker->number, &worker->search, item);
        atomic_fetch_add(&items->done, 1);
    }
    atomic_store(&worker->is_done, true);
    return NULL;
}

/* Waits for all of them, and prints how far they are. */
static void wait_for(struct worker *const all[], int count, const char *what)
{
    const struct timespec moment = {.tv_nsec = 2000000};
    struct items *items = all[0]->items;
    for (bool is_done = false; !is_done;) {
        int percent = 0;
        is_done = true;
        for (int i = 0; i < count; i++) {
            is_done &= atomic_load(&all[i]->is_done);
            percent += atomic_load(&all[i]->percent);
        }
        if (!is_done && items)
            progress_say((size_t)atomic_load(&items->done), what);
        else if (!is_done)
            progress_say((size_t)(percent / count), what);
        if (!is_done)
            nanosleep(&moment, NULL);
    }
}

static int sharers = 1; /* processes that divide the processors among them */

void threads_share(int processes)
{
    sharers = processes;
}

int threads_here(void)
{
    int cores = process_cores() / sharers;
    return cores < 1 ? 1 : cores < THREADS_MAX ? cores : THREADS_MAX;
}

/* One search, or one run of items, at a time uses them: what they keep serves the next question. */
static struct worker *workers[THREADS_MAX];
static pthread_mutex_t workers_lock = PTHREAD_MUTEX_INITIALIZER;

/* Takes workers, which outlive the question. */
static void take_workers(int count, struct items *items)
{
    bool has_all = true;
    pthread_mutex_lock(&workers_lock);
    for (int i = 0; i < count; i++)
        has_all &= workers[i] || (workers[i] = calloc(1, sizeof *workers[i]));
    if (!has_all) {
        pthread_mutex_unlock(&workers_lock);
        memory_out();
    }
    for (int i = 0; i < count; i++) {
        workers[i]->number = i;
        workers[i]->items = items;
        atomic_init(&workers[i]->percent, 0);
        atomic_init(&workers[i]->is_done, false);
    }
}

/* Lets `count` workers work; an interrupt ends it early. */
static void run_workers(int count, const char *what)
{
    int started = 0;
    struct sigaction before, stops = {.sa_handler = stop};
    sigaction(SIGINT, &stops, &before);
    while (started < count && process_thread(&workers[started]->thread, work, workers[started]))
        started++;
    for (int i = started; i < count; i++) /* no thread was to be had */
        work(workers[i]);
    wait_for(workers, count, what);
    for (int i = 0; i < started; i++)
        pthread_join(workers[i]->thread, NULL);
    sigaction(SIGINT, &before, NULL);
}

/* One round: all workers search their parts of the layouts, knowing what `out` has, and add what they find. */
static void search_round(const struct search_ask *ask, int count, struct search_answer *out)
{
    char what[96] = "% of the layouts looked at";
    if (out->count > 0)
        snprintf(what, sizeof what, "%% of the layouts looked at again; an iteration of the best takes %.4g s",
                 out->best[0].iteration_s);
    for (int i = 0; i < count; i++) {
        atomic_init(&workers[i]->percent, 0);
        atomic_init(&workers[i]->is_done, false);
        search_begin(&workers[i]->search, ask, i, count);
        if (out->is_one_each)
            search_know(&workers[i]->search, out);
    }
    run_workers(count, what);
    progress_end();
    for (int i = 0; i < count; i++)
        search_merge(out, &workers[i]->search.answer, ask);
}

/* Rounds until none is better; `ask` ends with what it had. */
static void search_rounds(struct search_ask *ask, int count, struct search_answer *out)
{
    struct feature_rounds rounds;
    struct estimate *scratch = xmalloc(sizeof *scratch);
    out->is_one_each = true;
    feature_begin(&rounds, ask);
    do
        search_round(ask, count, out);
    while (out->is_complete && feature_next(&rounds, ask, out, scratch));
    free(scratch);
}

void threads_search(const struct search_ask *ask, int count, struct search_answer *out)
{
    struct search_ask round = *ask;
    take_workers(count, NULL);
    search_answer_begin(out);
    if (feature_has_rounds(ask))
        search_rounds(&round, count, out);
    else
        search_round(ask, count, out);
    pthread_mutex_unlock(&workers_lock);
}

bool threads_items(int threads, int first, int last, threads_item *item, void *context, const char *what)
{
    struct items items = {.item = item, .context = context, .last = last, .next = first, .done = first};
    take_workers(threads, &items);
    run_workers(threads, what);
    pthread_mutex_unlock(&workers_lock);
    return !is_stopped;
}
