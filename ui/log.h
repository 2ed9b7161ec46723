/* ui/log.h - what was said and done in this session, kept to be read later. */
#ifndef SHARDTOP_UI_LOG_H
#define SHARDTOP_UI_LOG_H

#include "ui/theme.h"

enum { LOG_MAX = 500, LOG_LINE_MAX = 200 };

/** The lines; zero-initialise, free with log_free(). */
struct log {
    struct log_line {
        enum role role;
        char text[LOG_LINE_MAX];
    } *line;
    int first, count; /* a ring */
};

/** Adds a line; the oldest makes room. A line that is the same as the one before is not added again. */
void log_add(struct log *log, enum role role, const char *text);

/** Line `index` from 0, the newest; NULL past the end. */
const struct log_line *log_at(const struct log *log, int index);

/** Frees the lines. */
void log_free(struct log *log);

#endif
