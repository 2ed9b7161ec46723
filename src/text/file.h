/* src/text/file.h - whole files, read and written. */
#ifndef SHARDTOP_SRC_TEXT_FILE_H
#define SHARDTOP_SRC_TEXT_FILE_H

#include <stddef.h>

struct errors;

enum { FILE_MAX = 4 << 20 }; /* bytes; larger input files are refused */

/**
 * Reads a whole regular file (`-` is standard input) of at most FILE_MAX bytes into fresh memory, NUL-terminated.
 * Returns NULL with a fault added for a missing or unreadable file, a directory, a file too large, one with NUL bytes
 * or one that is not UTF-8.
 */
char *file_read(const char *path, size_t *size, struct errors *errors);

/**
 * Writes `path` atomically: a temporary file beside it, fsync, rename; the old file stays when anything fails.
 * Returns 0, or -1 with a fault added.
 */
int file_write(const char *path, const char *text, size_t size, struct errors *errors);

#endif
