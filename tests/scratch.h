/* tests/scratch.h - a folder in memory for the files of a test, which is the user's home too. */
#pragma once

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch_folder[64];
static pid_t scratch_owner; /* a process that was forked leaves the folder alone */

static int scratch_remove(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind;
    return at->level > 0 ? remove(path) : 0;
}

/* Empties the folder. */
static inline void scratch_empty(void)
{
    nftw(scratch_folder, scratch_remove, 8, FTW_DEPTH | FTW_PHYS);
}

static void scratch_end(void)
{
    if (scratch_owner != getpid())
        return;
    scratch_empty();
    rmdir(scratch_folder);
}

/* Makes the folder with the first call, and takes it away when the process ends. */
static void scratch_begin(void)
{
    static const char *const names[] = {"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"};
    if (*scratch_folder)
        return;
    snprintf(scratch_folder, sizeof scratch_folder, "%s/shardtop-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(scratch_folder))
        abort();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        setenv(names[i], scratch_folder, 1);
    scratch_owner = getpid();
    atexit(scratch_end);
}

/* The path of a name in the folder; valid until it was called three more times. */
static const char *scratch_path(const char *name)
{
    static char path[4][256];
    static int at;
    scratch_begin();
    at = (at + 1) % 4;
    snprintf(path[at], sizeof path[at], "%s/%s", scratch_folder, name);
    return path[at];
}

/* Writes a file of the folder and returns its path. */
static inline const char *scratch_put(const char *name, const void *bytes, size_t size)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
    return path;
}
