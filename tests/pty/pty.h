/* tests/pty/pty.h - runs the program on a pseudo-terminal of its own and reads the screen as a terminal shows it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct pty;

/** How the program is started. */
struct pty_options {
    const char *arguments; /* after the program, separated by blanks; NULL for none */
    const char *term;      /* NULL: xterm-256color */
    const char *locale;    /* NULL: C.UTF-8 */
    const char *env[8];    /* more of the form NAME=value, ended by NULL */
    int rows, columns;     /* 0: 24 x 80 */
    bool has_no_sync;      /* without the sync key */
    bool is_mute;          /* a terminal that answers no question */
    bool is_unwaiting;     /* its file does not wait until there is room (O_NONBLOCK) */
    const char *home;      /* an existing home directory, NULL: a new one, removed at the end */
};

/** Where tests make folders: in memory where there is such a place, so that no disk is waited for. */
const char *pty_room(void);

/** Starts the program named by $SHARDTOP (build/shardtop) on a new terminal with an empty home directory. */
struct pty *pty_start(const struct pty_options *options);

/** Ends the program if it still runs, and frees everything. */
void pty_end(struct pty *pty);

/* ---- input ------------------------------------------------------------------------------------------------------ */

/** Writes bytes as they are. */
void pty_write(struct pty *pty, const char *bytes, size_t count);

/** Types a text (with escape sequences written out) and waits until the program has drawn what follows from it. */
void pty_type(struct pty *pty, const char *text);

/** Waits until the program has answered the sync key: all input before it is handled and drawn. False when it has
 * ended. */
bool pty_sync(struct pty *pty);

/** Bytes of the input that nobody has read. */
int pty_unread(struct pty *pty);

/** Has whole frames drawn that nobody reads until the program is kept by a terminal that takes no more; false when it
 * never is. */
bool pty_fill(struct pty *pty);

/** Changes the size of the terminal; the program is told by SIGWINCH. */
void pty_resize(struct pty *pty, int rows, int columns);

/** Sends a signal to the program. */
void pty_signal(struct pty *pty, int signal);

/** Closes the terminal's other end as a lost connection does, while the session leader ignores SIGHUP. */
void pty_drop(struct pty *pty);

/** Brings a stopped program to the foreground again, as a shell's `fg` does. */
void pty_foreground(struct pty *pty);

/* ---- output ----------------------------------------------------------------------------------------------------- */

/** Reads until nothing comes for `quiet_ms`. */
void pty_settle(struct pty *pty, int quiet_ms);

/** Reads for `ms` as a line of this speed would deliver; returns the milliseconds after which the last byte came. */
double pty_trickle(struct pty *pty, double bytes_per_s, int ms);

/** Row `row` as UTF-8 without trailing blanks; valid until the next call. */
const char *pty_row(struct pty *pty, int row);

/** All rows, each with its newline; the caller frees it. */
char *pty_screen(struct pty *pty);

/** True when the text stands on the screen, within one row. */
bool pty_shows(struct pty *pty, const char *text);

/** Reads until the text shows, at most `ms`; false when it does not. */
bool pty_wait_for(struct pty *pty, const char *text, int ms);

/** Fails the test with the screen when the text is not there. */
void pty_expect(struct pty *pty, const char *text);

/** Row and column of the first place where the text stands; false when it is nowhere. */
bool pty_find(struct pty *pty, const char *text, int *row, int *column);

/** Where the cursor stands; false when it is hidden. */
bool pty_cursor(struct pty *pty, int *row, int *column);

/** True when any cell has a colour of its own. */
bool pty_has_colour(struct pty *pty);

/** True when the cell is bold, reversed, underlined or coloured. */
bool pty_is_marked(struct pty *pty, int row, int column);

/** Everything that the program wrote so far. */
const char *pty_output(struct pty *pty, size_t *count);

/** Bytes that it wrote so far, sync marks left out. */
size_t pty_bytes(struct pty *pty);

/** True while the alternate screen is on. */
bool pty_is_alternate(struct pty *pty);

/** Terminal modes that are not as they were found (alternate screen, mouse, cursor, paste), "" for none. */
const char *pty_leftovers(struct pty *pty);

/* ---- the process ------------------------------------------------------------------------------------------------ */

/** Waits at most `ms` for the end; returns the exit status, 128 + n after signal n, or -1 when it still runs. */
int pty_wait_exit(struct pty *pty, int ms);

/** Waits at most `ms` for the end while nothing that it writes is read; false when it still runs. */
bool pty_ends_unread(struct pty *pty, int ms);

/** Waits at most `ms` until the program is stopped. */
bool pty_wait_stopped(struct pty *pty, int ms);

/** True when the line settings are those from before the start. */
bool pty_is_restored(struct pty *pty);

/** The process id of the program. */
int pty_pid(struct pty *pty);

/** The home directory, which is also where the program runs. */
const char *pty_home(struct pty *pty);

/** Milliseconds of a steady clock. */
double pty_now(void);
