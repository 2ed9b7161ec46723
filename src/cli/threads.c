#include "src/cli/threads.h"

#include "core/search/search.h"
#include "src/text/progress.h"
#include "src/text/text.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { SLICE = 64 };

static volatile sig_atomic_t is_stopped;

static void stop(int signal)
{
    (void)signal;
    is_stopped = 1;
}

struct worker {
    pthread_t thread;
    struct search search;
    atomic_int percent;
    atomic_bool is_done;
};

static void *work(void *argument)
{
    struct worker *worker = argument;
    while (!is_stopped && search_step(&worker->search, SLICE))
        atomic_store(&worker->percent, (int)(100 * search_share(&worker->search)));
    atomic_store(&worker->is_done, true);
    return NULL;
}

/* Waits for all of them, and says how far they are. */
static void wait_for(struct worker *const all[], int count)
{
    const struct timespec moment = {.tv_nsec = 2000000};
    for (bool is_done = false; !is_done;) {
        int percent = 0;
        is_done = true;
        for (int i = 0; i < count; i++) {
            is_done &= atomic_load(&all[i]->is_done);
            percent += atomic_load(&all[i]->percent);
        }
        if (!is_done) {
            progress_say((size_t)(percent / count), "% of the layouts looked at");
            nanosleep(&moment, NULL);
        }
    }
    progress_end();
}

int threads_here(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores < THREADS_MAX ? (int)cores : THREADS_MAX;
}

/* One search at a time uses them: what they keep serves the next question. */
static struct worker *workers[THREADS_MAX];
static pthread_mutex_t workers_lock = PTHREAD_MUTEX_INITIALIZER;

/* Takes workers for a search, which outlive it. */
static void take_workers(int count)
{
    bool has_all = true;
    pthread_mutex_lock(&workers_lock);
    for (int i = 0; i < count; i++)
        has_all &= workers[i] || (workers[i] = calloc(1, sizeof *workers[i]));
    if (has_all)
        return;
    pthread_mutex_unlock(&workers_lock);
    memory_out();
}

void threads_search(const struct search_ask *ask, int count, struct search_answer *out)
{
    int started = 0;
    struct sigaction before, stops = {.sa_handler = stop};
    take_workers(count);
    sigaction(SIGINT, &stops, &before);
    for (int i = 0; i < count; i++) {
        atomic_init(&workers[i]->percent, 0);
        atomic_init(&workers[i]->is_done, false);
        search_begin(&workers[i]->search, ask, i, count);
    }
    while (started < count && pthread_create(&workers[started]->thread, NULL, work, workers[started]) == 0)
        started++;
    for (int i = started; i < count; i++) /* no thread was to be had */
        work(workers[i]);
    wait_for(workers, count);
    for (int i = 0; i < started; i++)
        pthread_join(workers[i]->thread, NULL);
    *out = workers[0]->search.answer;
    for (int i = 1; i < count; i++)
        search_merge(out, &workers[i]->search.answer, ask);
    pthread_mutex_unlock(&workers_lock);
    sigaction(SIGINT, &before, NULL);
}
