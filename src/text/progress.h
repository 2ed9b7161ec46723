/* src/text/progress.h - progress line on the terminal for long jobs. */
#pragma once

#include <stddef.h>

/** Prints "DONE WHAT" on standard error when it is a terminal and half a second has passed since the first call. */
void progress_say(size_t done, const char *what);

/** Seconds of a clock that only goes forward. */
double progress_clock_s(void);

/** Clears the line and resets the timer. */
void progress_end(void);
