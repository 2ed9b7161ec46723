#include "src/text/process.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static char host[HOST_NAME_MAX + 1]; /* cached by process_host() */

const char *process_host(void)
{
    if (!host[0] && (gethostname(host, sizeof host - 1) != 0 || !host[0]))
        snprintf(host, sizeof host, "localhost");
    for (char *p = host; *p; p++)
        *p = *p == '/' || *p == '@' ? '_' : *p;
    return host;
}

/* Reads the name and state letter of a process; false when they are not available. */
static bool process_state(long pid, char name[32], char *state)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    bool is_known = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    char *begin = is_known ? strchr(line, '(') : NULL, *end = is_known ? strrchr(line, ')') : NULL;
    if (!begin || !end || end < begin || end[1] != ' ')
        return false;
    snprintf(name, 32, "%.*s", (int)(end - begin - 1), begin + 1);
    *state = end[2];
    return true;
}

bool process_exists(long pid)
{
    char name[32], state;
    if (pid <= 0 || pid > INT_MAX || (kill((pid_t)pid, 0) != 0 && errno != EPERM))
        return false;
    return !process_state(pid, name, &state) ||
           (state != 'Z' && state != 'X'); /* zombie, not reaped by its parent */
}

bool process_lives(long pid)
{
    char its[32], ours[32], state;
    bool is_known = process_state(pid, its, &state) && process_state(getpid(), ours, &state);
    return process_exists(pid) && (!is_known || strcmp(its, ours) == 0);
}

/* What Slurm gives a task, bound or not, or all tasks on this node where it does not say; or INT_MAX. */
static int share_of_slurm(void)
{
    static const char *const names[] = {"SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *end = NULL;
        const char *text = getenv(names[i]);
        long cores = text ? strtol(text, &end, 10) : 0;
        if (cores > 0 && cores < INT_MAX && !*end)
            return (int)cores;
    }
    return INT_MAX;
}

int process_cores(void)
{
    int share = share_of_slurm();
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set) < share ? CPU_COUNT(&set) : share;
#endif
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores < share ? (int)cores : share;
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

enum { STACK = 8 << 20, STACK_NEEDED = 1 << 20 };

/* The calling thread's stack; 0 before it was asked for. */
static _Thread_local struct {
    uintptr_t low, high;
} own_stack;

bool process_thread(pthread_t *thread, void *(*work)(void *context), void *context)
{
    pthread_attr_t roomy;
    if (pthread_attr_init(&roomy) != 0)
        return false;
    pthread_attr_setstacksize(&roomy, STACK);
    bool is_started = pthread_create(thread, &roomy, work, context) == 0;
    pthread_attr_destroy(&roomy);
    return is_started;
}

static void find_stack(void)
{
#ifdef __APPLE__
    own_stack.high = (uintptr_t)pthread_get_stackaddr_np(pthread_self());
    own_stack.low = own_stack.high - pthread_get_stacksize_np(pthread_self());
#else
    pthread_attr_t own;
    void *low = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &own) != 0)
        return;
    pthread_attr_getstack(&own, &low, &size);
    pthread_attr_destroy(&own);
    own_stack.low = (uintptr_t)low;
    own_stack.high = own_stack.low + size;
#endif
}

bool process_has_stack(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (!own_stack.high)
        find_stack();
    return here > own_stack.low && here < own_stack.high && here - own_stack.low >= STACK_NEEDED;
}
