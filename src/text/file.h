/* src/text/file.h - whole files, read, and what tells that one has changed. */
#ifndef SHARDTOP_SRC_TEXT_FILE_H
#define SHARDTOP_SRC_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

struct errors;

enum { FILE_MAX = 4 << 20 }; /* bytes; larger input files are refused */

/**
 * Opens a regular file for reading, or what is open already: `-`, /dev/stdin, /dev/fd/N, which may be pipes. `*name` is
 * what messages call it. Returns the descriptor, or -1 with a fault added.
 */
int file_open(const char *path, const char **name, struct errors *errors);

/**
 * Reads a whole file, opened by file_open(), of at most FILE_MAX bytes into fresh memory, NUL-terminated. Returns NULL
 * with a fault added for one that cannot be opened or read, is too large, has NUL bytes or is not UTF-8.
 */
char *file_read(const char *path, size_t *size, struct errors *errors);

/** By what a later change of a file is noticed; links are followed. */
struct file_mark {
    bool exists;
    dev_t device;
    ino_t inode;
    off_t size;              /* bytes */
    struct timespec changed; /* its content, last */
};

/** The mark of a file as it is now; all zero when there is none. */
struct file_mark file_mark(const char *path);

/** True when both are marks of the same file with no change between. */
bool file_mark_equal(const struct file_mark *a, const struct file_mark *b);

#endif
