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
 * Reads a whole regular file (`-` is standard input) of at most FILE_MAX bytes into fresh memory, NUL-terminated.
 * Returns NULL with a fault added for a missing or unreadable file, a directory, a file too large, one with NUL bytes
 * or one that is not UTF-8.
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
