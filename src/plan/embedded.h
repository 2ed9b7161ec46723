/* src/plan/embedded.h - the files of configs/ and themes/, compiled in. */
#pragma once

#include <stddef.h>

/** One file as it stood in the source tree. */
struct embedded_file {
    const char *path; /* configs/models/llama2-7b.yaml */
    const char *text; /* NUL-terminated */
    size_t size;      /* bytes without the NUL */
};

/** Sorted by path (C order). */
extern const struct embedded_file embedded_files[];
extern const size_t embedded_file_count;
