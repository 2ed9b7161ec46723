/* src/text/process.h - host name, processors, and process checks for files whose name records their writer. */
#ifndef SHARDTOP_SRC_TEXT_PROCESS_H
#define SHARDTOP_SRC_TEXT_PROCESS_H

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

/** The number of processors that this process may run on, at least 1: by its affinity, as Slurm and taskset set it. */
int process_cores(void);

#endif
