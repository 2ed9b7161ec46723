/*
 * tests/pty/line.h - the program on a line of any speed, in a time of its own: it runs in this process, what it asks of
 * its terminal and of the clock is answered here, and the clock goes on only while it waits. So the same bytes come at
 * the same moments on every machine, however busy that is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/** A line and the terminal at its end. */
struct line_options {
    const char *arguments; /* after the program, separated by blanks; NULL for none */
    int rows, columns;     /* 0: 24 x 80 */
    double bytes_per_s;    /* that it takes; 0: at once */
    double delay_ms;       /* of each answer */
    bool is_mute;          /* the terminal answers nothing */
};

/** Starts the program with an empty home directory; one at a time. It has drawn nothing yet. */
void line_start(const struct line_options *options);

/** The line is lost: waits for the end of the program, frees everything and returns the exit status. */
int line_end(void);

/** True while the program runs. */
bool line_is_up(void);

/** What is typed now. */
void line_type(const char *keys);

/** Goes on for so long, or to the end of the program. */
void line_run(double ms);

/** Goes on until the text shows, at most so long; returns the milliseconds that took, or fails with the screen. */
double line_until(const char *text, double most_ms);

/** Goes on until all is sent and the program waits for keys only; returns the milliseconds until the last byte. */
double line_settle(void);

/** Changes the size of the terminal. */
void line_resize(int rows, int columns);

/** Whether the terminal answers from now on. */
void line_mute(bool is_mute);

/** True when the text stands on the screen, within one row. */
bool line_shows(const char *text);

/** Fails with the screen when it does not. */
void line_expect(const char *text);

/** Row `row` as UTF-8 without trailing blanks; valid until the next call. */
const char *line_row(int row);

/** Everything that the program sent so far, arrived or not, and how much it is. */
const char *line_sent(size_t *count);

/** Bytes of what was typed or answered that the program has not read. */
size_t line_unread(void);

/** Milliseconds since the start. */
double line_now(void);
