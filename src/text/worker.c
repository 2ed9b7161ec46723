#include "src/text/worker.h"

#include "src/text/errors.h"
#include "src/text/process.h"
#include "src/text/text.h"
#include "src/text/write.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum task { TASK_KEEP, TASK_DROP, TASK_WRITE };

enum { REST_MS = 1000 }; /* without anything new, before what was kept goes to the disk */

struct job {
    enum task task;
    char *path, *text;
    size_t size;
    unsigned number;
    struct job *next;
};

/* Everything below belongs to whoever holds the lock. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t has_work, has_answer;
    bool is_running;
    struct job *first;
    unsigned put, done; /* numbers of the last job put, and finished */
    char *unsynced;     /* kept, but not on the disk yet */
    char *keep_fault, *write_fault; /* one line each, or NULL */
} worker = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- in the thread -------------------------------------------------------------------------------------------- */

/* By which conditions wait: one that nobody sets, but on macOS, where conditions know the time of day only. */
#ifdef __APPLE__
static const clockid_t wait_clock = CLOCK_REALTIME;
#else
static const clockid_t wait_clock = CLOCK_MONOTONIC;
#endif

static struct timespec after(int ms)
{
    struct timespec at;
    clock_gettime(wait_clock, &at);
    at.tv_sec += ms / 1000;
    at.tv_nsec += ms % 1000 * 1000000L;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

/* Does a job without the lock; returns its fault, NULL for none. */
static char *run(const struct job *job)
{
    struct errors errors = {0};
    if (job->task == TASK_DROP)
        unlink(job->path);
    else
        write_file(job->path, job->text, job->size, job->task == TASK_WRITE ? WRITE_DURABLE : 0, &errors);
    char *fault = errors.count ? xstrdup(errors.line[0]) : NULL;
    errors_free(&errors);
    return fault;
}

static void replace_text(char **old, char *fresh)
{
    free(*old);
    *old = fresh;
}

/* Takes over what a job has done. */
static void finish(struct job *job, char *fault)
{
    if (job->task == TASK_WRITE)
        replace_text(&worker.write_fault, fault);
    else if (!worker.keep_fault)
        worker.keep_fault = fault;
    else
        free(fault);
    if (job->task == TASK_KEEP)
        replace_text(&worker.unsynced, xstrdup(job->path));
    worker.done = job->number;
    free(job->path);
    free(job->text);
    free(job);
    pthread_cond_broadcast(&worker.has_answer);
}

/* Waits for a job; what was kept goes to the disk once there has been none for a while. */
static void wait_for_work(void)
{
    struct timespec rest = after(REST_MS);
    while (!worker.first) {
        if (!worker.unsynced) {
            pthread_cond_wait(&worker.has_work, &worker.lock);
        } else if (pthread_cond_timedwait(&worker.has_work, &worker.lock, &rest) != 0) {
            char *path = worker.unsynced;
            worker.unsynced = NULL;
            pthread_mutex_unlock(&worker.lock);
            write_sync(path);
            free(path);
            pthread_mutex_lock(&worker.lock);
        }
    }
}

static void *work(void *nothing)
{
    pthread_mutex_lock(&worker.lock);
    for (;;) {
        wait_for_work();
        struct job *job = worker.first;
        worker.first = job->next;
        pthread_mutex_unlock(&worker.lock);
        char *fault = run(job);
        pthread_mutex_lock(&worker.lock);
        finish(job, fault);
    }
    return nothing;
}

/* ---- for the others ------------------------------------------------------------------------------------------- */

/* Starts the thread, which gets no signals. */
static bool start(void)
{
    pthread_condattr_t clock;
    pthread_t thread;
    sigset_t all, before;
    if (worker.is_running)
        return true;
    process_host(); /* is kept from the first call on */
    pthread_condattr_init(&clock);
#ifndef __APPLE__
    pthread_condattr_setclock(&clock, wait_clock);
#endif
    pthread_cond_init(&worker.has_work, &clock);
    pthread_cond_init(&worker.has_answer, &clock);
    pthread_condattr_destroy(&clock);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    worker.is_running = process_thread(&thread, work, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (worker.is_running)
        pthread_detach(thread);
    return worker.is_running;
}

/* Puts a job at the end, or in the place of one that keeps an older text; without a thread it is done here. */
static unsigned put(enum task task, const char *path, const char *text, size_t size)
{
    struct job *job = xmalloc(sizeof *job), **at = &worker.first;
    *job = (struct job){.task = task, .path = xstrdup(path), .text = xstrndup(text, size), .size = size};
    pthread_mutex_lock(&worker.lock);
    job->number = ++worker.put;
    bool is_running = start();
    while (*at && !(task == TASK_KEEP && (*at)->task == TASK_KEEP && !(*at)->next && strcmp((*at)->path, path) == 0))
        at = &(*at)->next;
    struct job *older = *at;
    if (is_running) {
        *at = job;
        pthread_cond_signal(&worker.has_work);
    }
    if (older) {
        free(older->path);
        free(older->text);
        free(older);
    }
    unsigned number = job->number;
    if (!is_running)
        finish(job, run(job));
    pthread_mutex_unlock(&worker.lock);
    return number;
}

/* Waits with the lock until job `number` is done; false when that takes longer than `ms`. */
static bool wait_for(unsigned number, int ms)
{
    struct timespec end = after(ms);
    while (worker.done < number)
        if (pthread_cond_timedwait(&worker.has_answer, &worker.lock, &end) != 0)
            return worker.done >= number;
    return true;
}

void worker_keep(const char *path, const char *text, size_t size)
{
    put(TASK_KEEP, path, text, size);
}

void worker_drop(const char *path)
{
    put(TASK_DROP, path, "", 0);
}

int worker_write(const char *path, const char *text, size_t size, int ms, struct errors *errors)
{
    unsigned number = put(TASK_WRITE, path, text, size);
    size_t faults = errors->faults;
    pthread_mutex_lock(&worker.lock);
    if (!wait_for(number, ms))
        errors_add(errors, path, 0, NULL, "is still being written, the disk is slow; save again to see if it is done");
    else if (worker.write_fault)
        errors_add(errors, NULL, 0, NULL, "%s", worker.write_fault);
    pthread_mutex_unlock(&worker.lock);
    return errors->faults > faults ? -1 : 0;
}

char *worker_fault(int ms)
{
    pthread_mutex_lock(&worker.lock);
    wait_for(worker.put, ms);
    char *fault = worker.keep_fault;
    worker.keep_fault = NULL;
    pthread_mutex_unlock(&worker.lock);
    return fault;
}

void worker_finish(int ms)
{
    pthread_mutex_lock(&worker.lock);
    wait_for(worker.put, ms);
    pthread_mutex_unlock(&worker.lock);
}
