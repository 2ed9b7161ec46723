/* ui/state/log.h - what was said and done in this session, kept to be read later. */
#pragma once

#include "ui/term/theme.h"

enum { LOG_MAX = 500, LOG_LINE_MAX = 200, CLOCK_MAX = 6 /* "09:12", or "" where no clock runs */ };

/** The lines; zero-initialise, free with log_free(). */
struct log {
    struct log_line {
        enum role role;
        char clock[CLOCK_MAX]; /* when it was said, "" where the time of day is not known */
        char text[LOG_LINE_MAX];
    } *line;
    int first, count; /* a ring */
};

/** Writes the time of day; "" unless a clock runs. */
void log_clock(bool runs, char out[CLOCK_MAX]);

/**
 * Adds a line said at `clock`, which may be ""; the oldest makes room. A line that is the same as the one before is not
 * added again.
 */
void log_add(struct log *log, enum role role, const char *clock, const char *text);

/** Line `index` from 0, the newest; NULL past the end. */
const struct log_line *log_at(const struct log *log, int index);

/** Frees the lines. */
void log_free(struct log *log);
