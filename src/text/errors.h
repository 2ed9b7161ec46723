/* src/text/errors.h - collects errors and warnings about input as `FILE:LINE: KEY: what is wrong; what to do`. */
#ifndef SHARDTOP_SRC_TEXT_ERRORS_H
#define SHARDTOP_SRC_TEXT_ERRORS_H

#include <stdbool.h>
#include <stddef.h>

/** Severity: a note, a warning that the estimate may be off, or an error that rejects the input. */
enum message_level { MESSAGE_NOTE, MESSAGE_WARNING, MESSAGE_FAULT };

/** Messages collected while reading; zero-initialise before use, release with errors_free(). */
struct errors {
    char **line;  /* complete messages, safe for the terminal, in order of arrival */
    unsigned char *level; /* enum message_level of each message */
    size_t count; /* number of messages kept; at most ERRORS_MAX */
    size_t faults; /* errors added with errors_add(), including those beyond ERRORS_MAX */
};

enum { ERRORS_MAX = 50 }; /* messages kept */

/**
 * Adds an error. `file` may be NULL (command line); `line` 0 means no line; `key` may be NULL. `format` gives `what is
 * wrong; what to do`. Control characters are escaped.
 */
void errors_add(struct errors *errors, const char *file, int line, const char *key, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/** Adds a note, which rejects nothing (`not used`, `unknown value`); same arguments as errors_add(). */
void errors_note(struct errors *errors, const char *file, int line, const char *key, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/** Adds a warning about something that affects memory or time and is not modelled; same arguments as errors_add(). */
void errors_warn(struct errors *errors, const char *file, int line, const char *key, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/** True when at least one error was added. */
bool errors_any(const struct errors *errors);

/** Releases all messages and resets the collection. */
void errors_free(struct errors *errors);

#endif
