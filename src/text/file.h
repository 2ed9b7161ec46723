/* src/text/file.h - reads whole files and detects changes to them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

struct errors;

enum { FILE_MAX = 4 << 20 }; /* larger input files are rejected */

/** What may be read besides regular files and open descriptors (`-`, /dev/stdin, /dev/fd/N). */
enum file_patience {
    FILE_AT_ONCE, /* nothing */
    FILE_WAITS    /* a FIFO that the user named: reading waits for its writer, as tools do */
};

/** Opens a file for reading; `*name` is its name in messages. Returns the descriptor, or -1 with an error added. */
int file_open(const char *path, enum file_patience patience, const char **name, struct errors *errors);

/**
 * Reads a whole file of at most FILE_MAX bytes into new memory, NUL-terminated. Returns NULL with an error added when
 * it cannot be opened or read, is too large, contains NUL bytes or is not UTF-8.
 */
char *file_read(const char *path, size_t *size, struct errors *errors);

/** Like file_read(), but also reads a FIFO, waiting for its writer. */
char *file_read_waiting(const char *path, size_t *size, struct errors *errors);

/** Applies the checks of file_read() to `text`: size, NUL bytes, UTF-8. Returns 0, or -1 with errors added. */
int file_check(const char *name, const char *text, size_t size, struct errors *errors);

/** True when `path` is a FIFO. */
bool file_is_fifo(const char *path);

/** Identifies a version of a file, to detect later changes; links are followed. */
struct file_mark {
    bool exists;
    dev_t device;
    ino_t inode;
    off_t size;              /* bytes */
    struct timespec changed; /* modification time of the content */
};

/** The current mark of a file; all zero when it does not exist. */
struct file_mark file_mark(const char *path);

/** True when both marks are of the same, unchanged file. */
bool file_mark_equal(const struct file_mark *a, const struct file_mark *b);
