#include "ui/state/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void log_clock(bool runs, char out[CLOCK_MAX])
{
    struct tm day;
    time_t now = time(NULL);
    bool is_known = runs && localtime_r(&now, &day) && strftime(out, CLOCK_MAX, "%H:%M", &day) > 0;
    out[is_known ? CLOCK_MAX - 1 : 0] = '\0';
}

void log_add(struct log *log, enum role role, const char *clock, const char *text)
{
    const struct log_line *before = log_at(log, 0);
    if (!*text || (before && strcmp(before->text, text) == 0))
        return;
    if (!log->line && !(log->line = calloc(LOG_MAX, sizeof *log->line)))
        return;
    struct log_line *line = &log->line[(log->first + log->count) % LOG_MAX];
    line->role = role;
    snprintf(line->clock, sizeof line->clock, "%s", clock);
    snprintf(line->text, sizeof line->text, "%s", text);
    if (log->count < LOG_MAX)
        log->count++;
    else
        log->first = (log->first + 1) % LOG_MAX;
}

const struct log_line *log_at(const struct log *log, int index)
{
    if (index < 0 || index >= log->count)
        return NULL;
    return &log->line[(log->first + log->count - 1 - index) % LOG_MAX];
}

void log_free(struct log *log)
{
    free(log->line);
    *log = (struct log){0};
}
