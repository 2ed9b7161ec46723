#include "src/cli/verbs/batch_worker.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL /* macOS */
#define MSG_NOSIGNAL 0
#define SOCK_CLOEXEC 0
#endif

enum { STATUS_NO_MEMORY = 3 }; /* of a worker */

/* What goes before a request; before an answer only its size counts. */
struct head {
    size_t size;
    long number;
    enum worker_end after;
};

static bool send_all(int channel, const void *bytes, size_t size)
{
    for (const char *at = bytes; size > 0;) {
        ssize_t n = send(channel, at, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool receive_all(int channel, void *bytes, size_t size)
{
    for (char *at = bytes; size > 0;) {
        ssize_t n = recv(channel, at, size, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

void worker_begin(void)
{
    static const struct itimerval limit = {.it_value.tv_sec = WORKER_CPU_S};
    struct itimerval before;
    if (getitimer(ITIMER_PROF, &before) == 0 && (before.it_value.tv_sec || before.it_value.tv_usec))
        setitimer(ITIMER_PROF, &limit, NULL);
}

/* The worker's end of the channel. */
struct end {
    const struct batch_worker *worker;
    int channel;
};

/* Answers requests. SIGPROF ends the process in the middle of one that takes too much processor time. */
static void answer_all(void *context)
{
    const struct end *end = context;
    static const struct itimerval limit = {.it_value.tv_sec = WORKER_CPU_S};
    struct buffer out = {0};
    struct head head;
    while (receive_all(end->channel, &head, sizeof head)) {
        char *requests = xmalloc(head.size + 1);
        if (!receive_all(end->channel, requests, head.size))
            break;
        requests[head.size] = '\0';
        out.size = 0;
        setitimer(ITIMER_PROF, &limit, NULL);
        end->worker->run(end->worker->context, requests, head.size, head.number, head.after, &out);
        free(requests);
        head.size = out.size;
        if (!send_all(end->channel, &head, sizeof head) || !send_all(end->channel, out.text, out.size))
            break;
    }
    _exit(0);
}

/* The worker, which ends without memory. */
static void __attribute__((noreturn)) work(const struct batch_worker *worker, int channel)
{
    signal(SIGPROF, SIG_DFL);
    memory_try(answer_all, &(struct end){worker, channel});
    _exit(STATUS_NO_MEMORY);
}

/* Starts the worker; false where the system has no room for one. */
static bool start(struct batch_worker *worker)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    worker->pid = fork();
    if (worker->pid == 0) {
        close(ends[0]);
        work(worker, ends[1]);
    }
    close(ends[1]);
    worker->channel = ends[0];
    if (worker->pid > 0)
        return true;
    close(ends[0]);
    worker->pid = 0;
    return false;
}

/* Waits for the end of the worker, which has closed its channel. */
static enum worker_end bury(struct batch_worker *worker)
{
    int status = 0;
    shutdown(worker->channel, SHUT_RDWR); /* workers that were started later hold it open, too */
    close(worker->channel);
    while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
        ;
    worker->pid = 0;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF             ? WORKER_TOO_SLOW
           : WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NO_MEMORY ? WORKER_NO_MEMORY
                                                                          : WORKER_CRASHED;
}

void worker_send(struct batch_worker *worker, const char *requests, size_t size, long number, enum worker_end after)
{
    struct head head = {size, number, after};
    worker->number = number;
    worker->after = after;
    worker->asked.size = 0;
    buffer_add(&worker->asked, requests, size);
    if (worker->is_apart && (worker->pid != 0 || start(worker)) && send_all(worker->channel, &head, sizeof head))
        send_all(worker->channel, requests, size); /* where it fails nothing is received */
}

enum worker_end worker_receive(struct batch_worker *worker, struct buffer *out)
{
    struct head head;
    out->size = 0;
    if (worker->pid == 0) {
        worker->run(worker->context, worker->asked.text, worker->asked.size, worker->number, worker->after, out);
        return WORKER_ANSWERED;
    }
    if (!receive_all(worker->channel, &head, sizeof head))
        return bury(worker);
    char *answer = xmalloc(head.size + 1);
    bool is_whole = receive_all(worker->channel, answer, head.size);
    if (is_whole)
        buffer_add(out, answer, head.size);
    free(answer);
    return is_whole ? WORKER_ANSWERED : bury(worker);
}

void worker_end_now(struct batch_worker *worker)
{
    if (worker->pid > 0)
        bury(worker);
}

void worker_close(struct batch_worker *worker)
{
    buffer_free(&worker->asked);
    worker_end_now(worker);
}
