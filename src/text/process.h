/* src/text/process.h - host name, processors, threads, and process checks for files that name their writer. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/** This machine's host name without slashes; "localhost" when it has none. */
const char *process_host(void);

/** True when process `pid` exists on this machine and is not a zombie. */
bool process_exists(long pid);

/**
 * True when process `pid` runs on this machine and may be this program. Where /proc is available its name must match
 * ours, since process numbers are reused.
 */
bool process_lives(long pid);

/**
 * The number of processors that this process may run on, at least 1: by its affinity, as taskset and Slurm set it, and
 * by what Slurm's variables give it where Slurm binds no task.
 */
int process_cores(void);

/** Starts a thread with the stack that a search takes, of which some systems give half or less; false for none. */
bool process_thread(pthread_t *thread, void *(*work)(void *context), void *context);

/** Whether the calling thread's stack has room for an estimate; where nobody knows, it has not. */
bool process_has_stack(void);
