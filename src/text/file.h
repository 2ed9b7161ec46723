/* src/text/file.h - whole files, read, and what tells that one has changed. */
#ifndef SHARDTOP_SRC_TEXT_FILE_H
#define SHARDTOP_SRC_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

struct errors;

enum { FILE_MAX = 4 << 20 }; /* bytes; larger input files are refused */

/** What else than regular files and what is open already (`-`, /dev/stdin, /dev/fd/N) may be read. */
enum file_patience {
    FILE_AT_ONCE, /* nothing */
    FILE_WAITS    /* a FIFO that the user named: reading waits for its writer, as tools do */
};

/** Opens a file for reading; `*name` is what messages call it. Returns the descriptor, or -1 with a fault added. */
int file_open(const char *path, enum file_patience patience, const char **name, struct errors *errors);

/**
 * Reads a whole file of at most FILE_MAX bytes into fresh memory, NUL-terminated. Returns NULL with a fault added for
 * one that cannot be opened or read, is too large, has NUL bytes or is not UTF-8.
 */
char *file_read(const char *path, size_t *size, struct errors *errors);

/** The same of a FIFO that the user named too. */
char *file_read_waiting(const char *path, size_t *size, struct errors *errors);

/** Faults of a text that file_read() would refuse: its size, NUL bytes, what is not UTF-8. Returns 0, or -1. */
int file_check(const char *name, const char *text, size_t size, struct errors *errors);

/** True when `path` is a FIFO. */
bool file_is_fifo(const char *path);

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
