/* src/text/write.h - the one writer: everything that the program writes into files goes through here. */
#pragma once

#include <stddef.h>

struct errors;

/** How a file is written; add them up. */
enum write_how {
    WRITE_DURABLE = 1, /* file and folder are on the disk before the old content is given up */
    WRITE_PATIENT = 2  /* waits until somebody reads a FIFO, as tools do */
};

/**
 * Writes a text to `path`, through symbolic links. A regular file is replaced at once by a temporary file beside it
 * that takes its owner, mode, access list and extended attributes. One with several names, whose attributes cannot be
 * kept, or in a folder that refuses the temporary file is written in place, with the new content first in a journal
 * (`unfinished/` of the state folder). Into FIFOs, devices and open descriptors
 * (/dev/stdout, /dev/fd/N, the file that standard output is) the text is written; they are never replaced.
 * Returns 0, or -1 with a fault added, the old file unchanged.
 */
int write_file(const char *path, const char *text, size_t size, unsigned how, struct errors *errors);

/** Removes the temporary files that killed runs of this machine left in the folder of `path`. */
void write_clean(const char *path);

/** Completes what killed runs were writing in place, where the file is still as that run left it. */
void write_recover(void);

/** Brings what was written to `path` and its folder's entry to the disk. */
void write_sync(const char *path);
