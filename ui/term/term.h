/* ui/term/term.h - the terminal: the only file that knows terminfo, signals and termios. */
#pragma once

#include "ui/term/canvas.h"
#include "ui/term/theme.h"

#include <stdbool.h>
#include <stddef.h>

/** Why term_wait() came back. */
enum term_wake {
    TERM_INPUT = 1,   /* bytes can be read */
    TERM_RESIZED = 2, /* the size may have changed */
    TERM_GONE = 4,    /* the line dropped */
    TERM_SIGNAL = 8,  /* a signal asks the program to end: term_signal() */
    TERM_STOP = 16,   /* asked to suspend */
    TERM_QUIET = 32,  /* nothing happened in the time given */
    TERM_CONTINUED = 64, /* somebody else stopped the program, and it goes on: all must be drawn again */
};

/** How the terminal is used. */
struct term_options {
    const char *name;  /* instead of $TERM, or NULL */
    const char *(*describe)(const char *name); /* as in struct ui_options */
    bool no_color, always_color, slow;
};

/**
 * Takes over the terminal: alternate screen, no echo, own signal handlers. Returns 0; or -1 with one line of what is
 * wrong and what to do in `message`. `message` may hold a notice after success too, else "".
 */
int term_open(const struct term_options *options, char *message, size_t size);

/** Gives the terminal back as it was found. May be called twice. */
void term_close(void);

/** Whether it shows colours. */
bool term_has_colors(void);

/** True where those are 256 or more. */
bool term_has_palette(void);

/** The size. */
void term_size(int *width, int *height);

/** Sets the colours of all roles. */
void term_theme(const struct theme *theme);

/** What of a frame was sent: about how many bytes, and whether that was all of it. */
struct term_sent {
    int bytes;
    bool is_whole;
};

/** Bytes of the frame that answers a key: on a large screen or a small one, and where the verdict changes. */
static inline int term_hot_bytes(bool is_large, bool flips)
{
    enum { SMALL = 800, SMALL_FLIP = 1400, LARGE = 1000, LARGE_FLIP = 1800 };
    return is_large ? flips ? LARGE_FLIP : LARGE : flips ? SMALL_FLIP : SMALL;
}

/** Shows what of the canvas changed since the last time, within about so many bytes: see paint_frame(). */
struct term_sent term_show(const struct canvas *canvas, const struct rect first[], int bytes, bool by_looks);

/** Asks the terminal for its status, which it says when it has taken in all before; returns false where none can. */
bool term_ask(void);

/** Makes the next term_show() send everything. */
void term_forget(void);

/** Waits for something to happen, at most `milliseconds` (-1: for ever). Returns enum term_wake bits. */
unsigned term_wait(int milliseconds);

/** Reads what is there, without waiting; 0 when the line dropped. */
int term_read(unsigned char *bytes, int size);

/** True when input is waiting. */
bool term_has_input(void);

/** The signal that asked the program to end, 0 for none. */
int term_signal(void);

/** Takes the terminal over again after a stop that came from outside. */
void term_resume(void);

/** Stops the program until the shell continues it. */
void term_suspend(void);

/** Mouse reports on or off. */
void term_mouse(bool on);

/**
 * The terminal is asked for its background, to tell when the desktop's changes, and for its status, which it says last;
 * none is waited for: KEY_GROUND_LIGHT and KEY_GROUND_DARK, KEY_SCHEME_LIGHT and KEY_SCHEME_DARK, KEY_STATUS. Only one
 * with colours enough for a theme is asked, and once until it is turned off or resumed. Returns whether it was asked.
 */
bool term_follow_ground(bool on);

/** Sends text to the clipboard of the terminal (OSC 52), through tmux and screen too. */
void term_copy(const char *text, size_t length);

/** Writes bytes behind the last frame. */
void term_write(const char *bytes, size_t length);

/** True when the line is known to be slow (below 38400 baud). */
bool term_is_slow(void);
