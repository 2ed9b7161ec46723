#include "src/text/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double patience_s = 0.5, pause_s = 0.2;

static struct {
    double next_s; /* time of the next update; 0: not started */
    int columns;   /* width of the printed line */
} progress;

double progress_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_say(size_t done, const char *what)
{
    double now = progress_clock_s();
    if (progress.next_s == 0)
        progress.next_s = now + patience_s;
    if (now < progress.next_s || !isatty(STDERR_FILENO))
        return;
    progress.next_s = now + pause_s;
    progress.columns = fprintf(stderr, "\r%zu %s", done, what) - 1;
    fflush(stderr);
}

void progress_end(void)
{
    if (progress.columns > 0)
        fprintf(stderr, "\r%*s\r", progress.columns, "");
    progress.columns = 0;
    progress.next_s = 0;
}
