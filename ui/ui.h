/*
 * ui/ui.h - the interactive screen; files, presets and themes are reached through functions that the caller hands over.
 */
#pragma once

#include "ui/state/host.h"

/**
 * Runs the screen until the user leaves; returns the program's exit status (0, 2 without a usable terminal, 128+n
 * after a signal).
 */
int ui_run(const struct ui_host *host, const struct ui_options *options);

/**
 * Draws the screen as text, exactly `height` lines of at most `width` columns, or as the picture that `options->shot`
 * asks for, after playing `keys` (tokens separated
 * by blanks: UP DOWN LEFT RIGHT ENTER ESC TAB BTAB BSPACE F1..F10 ^S `text` ...). Each line is given to `line`.
 * Returns the exit status.
 */
int ui_screen(const struct ui_host *host, const struct ui_options *options,
              void (*line)(void *context, const char *text), void *context);

/**
 * Line mode: reads commands from standard input, prints one line for each change; no cursor addressing. Returns the
 * exit status.
 */
int ui_plain(const struct ui_host *host, const struct ui_options *options);

/** The same with the plan of a screen that has ended; see `plain` of struct ui_options. */
int ui_plain_from(struct ui *ui);

/** A key or figure that a phrase gives: text where `text` is set. */
struct ui_value {
    const char *name, *text;
    double number;
};

enum { UI_VALUES_MAX = 16 };

/** What `/` lists for a phrase; texts are valid during the call. */
struct ui_found {
    const char *kind, *item, *text;
    int values;
    struct ui_value value[UI_VALUES_MAX];
};

/** Hands what `/` lists for a phrase to `each`, best first, at most `most`. Returns how many, -1 without memory. */
int ui_find(const struct ui_host *host, const struct ui_options *options, const char *phrase, int most,
            void (*each)(void *context, const struct ui_found *found), void *context);

/** Calls `each` with every command of the screen: what is typed, what it does, an example. */
void ui_commands(void (*each)(void *context, const char *usage, const char *help, const char *example), void *context);

/**
 * Calls `each` with what can be done in the panes: its keys ("u", "Enter F2"), its name as a command, and what it does.
 */
void ui_keys(void (*each)(void *context, const char *keys, const char *name, const char *help), void *context);

enum { UI_NOTE_MAX = 400, UI_NOTES_MAX = 16 };

/** A paragraph of a small screen. */
struct ui_note {
    bool is_warning, is_dim;
    char text[UI_NOTE_MAX];
};

/** What a small screen shows: a title, and what `look` says each half second. */
struct ui_follow {
    const char *term; /* as in struct ui_options */
    bool no_color;
    int (*look)(void *context, struct ui_note *notes); /* fills at most UI_NOTES_MAX, returns how many */
    void *context;
};

/**
 * Shows paragraphs, the first as the title, until q, Esc, ^C or a signal. Returns 0, or -1 with what is wrong in
 * `message`.
 */
int ui_follow(const struct ui_follow *follow, char *message, size_t size);
