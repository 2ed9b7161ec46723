#include "src/text/process.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

const char *process_host(void)
{
    static char name[HOST_NAME_MAX + 1];
    if (!name[0] && (gethostname(name, sizeof name - 1) != 0 || !name[0]))
        snprintf(name, sizeof name, "localhost");
    for (char *p = name; *p; p++)
        *p = *p == '/' || *p == '@' ? '_' : *p;
    return name;
}

/* The name of a process as the system shows it; false where it cannot be told. */
static bool process_name(long pid, char name[32])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/comm", pid);
    FILE *file = fopen(path, "re");
    bool is_known = file && fgets(name, 32, file);
    if (file)
        fclose(file);
    return is_known;
}

bool process_lives(long pid)
{
    char its[32], ours[32];
    if (pid <= 0 || pid > INT_MAX || (kill((pid_t)pid, 0) != 0 && errno != EPERM))
        return false;
    return !process_name(pid, its) || !process_name(getpid(), ours) || strcmp(its, ours) == 0;
}
