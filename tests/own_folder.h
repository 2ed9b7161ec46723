/* tests/own_folder.h - a folder for settings or state of a test's own, with one file in it. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char own_folder[] = "/tmp/shardtop-test-XXXXXX", own_file[64];

/* Makes the folder, which `variable` names from now on, and `own_file` the path of shardtop/`name` in it. */
static int own_folder_begin(const char *variable, const char *name)
{
    if (!mkdtemp(own_folder))
        return -1;
    snprintf(own_file, sizeof own_file, "%s/shardtop/%s", own_folder, name);
    return setenv(variable, own_folder, 1);
}

/* Removes file and folders. */
static int own_folder_end(void **state)
{
    (void)state;
    unlink(own_file);
    *strrchr(own_file, '/') = '\0';
    return rmdir(own_file) || rmdir(own_folder);
}
