/* src/text/errors.h - collects faults of input as `FILE:LINE: KEY: what is wrong; what to do`. */
#ifndef SHARDTOP_SRC_TEXT_ERRORS_H
#define SHARDTOP_SRC_TEXT_ERRORS_H

#include <stdbool.h>
#include <stddef.h>

/** What a message means: a remark, one that says that the estimate errs, or that the input is refused. */
enum message_level { MESSAGE_NOTE, MESSAGE_WARNING, MESSAGE_FAULT };

/** Faults and remarks met while reading; zero-initialise before use, release with errors_free(). */
struct errors {
    char **line;  /* complete messages, already filtered for the terminal, in order of arrival */
    unsigned char *level; /* of each: enum message_level */
    size_t count; /* number of messages kept; at most ERRORS_MAX */
    size_t faults; /* messages that mean "refused" (errors_add), counted beyond ERRORS_MAX too */
};

enum { ERRORS_MAX = 50 }; /* messages kept */

/**
 * Adds one fault. `file` may be NULL (command line); `line` 0 means "no line"; `key` may be NULL.
 * `format` gives `what is wrong; what to do`. Control characters are made visible.
 */
void errors_add(struct errors *errors, const char *file, int line, const char *key, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/** Adds one remark that refuses nothing (`not used`, `unknown value`); same arguments as errors_add(). */
void errors_note(struct errors *errors, const char *file, int line, const char *key, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/** Adds a remark on what changes memory or time and is not counted; same arguments as errors_add(). */
void errors_warn(struct errors *errors, const char *file, int line, const char *key, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/** True when at least one fault was added. */
bool errors_any(const struct errors *errors);

/** Releases the messages and leaves an empty collection. */
void errors_free(struct errors *errors);

#endif
