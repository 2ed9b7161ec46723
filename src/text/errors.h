/* src/text/errors.h - collects errors and warnings about input as `FILE:LINE: KEY: what is wrong; what to do`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/** Settings that change nothing, a note, a warning that the estimate may be off, an error that rejects the input. */
enum message_level { MESSAGE_UNUSED, MESSAGE_NOTE, MESSAGE_WARNING, MESSAGE_FAULT };

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

/** Adds a message of a level below MESSAGE_FAULT, which rejects nothing; other arguments as errors_add(). */
void errors_say(struct errors *errors, enum message_level level, const char *file, int line, const char *key,
                const char *format, ...) __attribute__((format(printf, 6, 7)));

/** Adds a note (`not used`, `unknown value`). */
#define errors_note(errors, ...) errors_say(errors, MESSAGE_NOTE, __VA_ARGS__)

/** Adds a warning about something that affects memory or time and is not modelled. */
#define errors_warn(errors, ...) errors_say(errors, MESSAGE_WARNING, __VA_ARGS__)

/** True when at least one error was added. */
bool errors_any(const struct errors *errors);

/** Releases all messages and resets the collection. */
void errors_free(struct errors *errors);
