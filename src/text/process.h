/* src/text/process.h - who wrote a file that a run left behind: host and process are part of its name. */
#ifndef SHARDTOP_SRC_TEXT_PROCESS_H
#define SHARDTOP_SRC_TEXT_PROCESS_H

#include <stdbool.h>

/** This machine's name, without slashes; "localhost" where it has none. */
const char *process_host(void);

/** True when process `pid` of this machine has not ended. */
bool process_exists(long pid);

/**
 * True when process `pid` of this machine runs and may be this program: where /proc tells, its name is ours, since the
 * system gives numbers of processes out again.
 */
bool process_lives(long pid);

#endif
