#include "src/cli/verbs/batch_worker.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL /* macOS */
#define MSG_NOSIGNAL 0
#define SOCK_CLOEXEC 0
#endif

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

/* The worker: SIGPROF ends it in the middle of a request that takes too much processor time. */
static void __attribute__((noreturn)) work(const struct batch_worker *worker, int channel)
{
    const struct itimerval limit = {.it_value.tv_sec = WORKER_CPU_S};
    struct buffer out = {0};
    struct head head;
    signal(SIGPROF, SIG_DFL);
    while (receive_all(channel, &head, sizeof head)) {
        char *request = xmalloc(head.size + 1);
        if (!receive_all(channel, request, head.size))
            break;
        request[head.size] = '\0';
        out.size = 0;
        setitimer(ITIMER_PROF, &limit, NULL);
        worker->run(worker->context, request, head.size, head.number, head.after, &out);
        free(request);
        head.size = out.size;
        if (!send_all(channel, &head, sizeof head) || !send_all(channel, out.text, out.size))
            break;
    }
    _exit(0);
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
    close(worker->channel);
    while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
        ;
    worker->pid = 0;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF ? WORKER_TOO_SLOW : WORKER_CRASHED;
}

enum worker_end worker_ask(struct batch_worker *worker, const char *request, size_t size, long number,
                           enum worker_end after, struct buffer *out)
{
    struct head head = {size, number, after};
    out->size = 0;
    if (!worker->is_apart || (worker->pid == 0 && !start(worker))) {
        worker->run(worker->context, request, size, number, after, out);
        return WORKER_ANSWERED;
    }
    if (!send_all(worker->channel, &head, sizeof head) || !send_all(worker->channel, request, size) ||
        !receive_all(worker->channel, &head, sizeof head))
        return bury(worker);
    char *answer = xmalloc(head.size + 1);
    bool is_whole = receive_all(worker->channel, answer, head.size);
    if (is_whole)
        buffer_add(out, answer, head.size);
    free(answer);
    return is_whole ? WORKER_ANSWERED : bury(worker);
}

void worker_close(struct batch_worker *worker)
{
    if (worker->pid > 0)
        bury(worker);
}
