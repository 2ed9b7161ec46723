/* src/text/worker.h - writes files in a thread of its own, so that a slow disk never stops the screen. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct errors;

/**
 * Writes a text to `path` soon; of several that wait for one path the last is written. It is safe from the end of the
 * program at once, from that of the machine when nothing has been put for a second.
 */
void worker_keep(const char *path, const char *text, size_t size);

/** Removes `path`, after everything that was put before. */
void worker_drop(const char *path);

/**
 * Writes a text durably (src/text/write.h), after what was put before, and waits at most `ms` for the answer.
 * Returns 0, or -1 with a fault added: the writer's, or that the disk has not answered yet.
 */
int worker_write(const char *path, const char *text, size_t size, int ms, struct errors *errors);

/** Waits at most `ms` for what was put. Takes the first fault of worker_keep(): fresh memory, NULL for none. */
char *worker_fault(int ms);

/** Waits at most `ms` until everything that was put is written. */
void worker_finish(int ms);
