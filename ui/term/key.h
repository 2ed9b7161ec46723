/* ui/term/key.h - keys as numbers and as names. */
#pragma once

#include <stddef.h>

/** A key is a character, a control character (1 .. 31, 127), or one of these. */
enum key {
    KEY_NONE = 0,
    KEY_TAB = 9,
    KEY_RETURN = 13,
    KEY_ESCAPE = 27,
    KEY_RUBOUT = 127,
    KEY_FIRST = 0x110000,
    KEY_ARROW_UP = KEY_FIRST, KEY_ARROW_DOWN, KEY_ARROW_LEFT, KEY_ARROW_RIGHT,
    KEY_TO_HOME, KEY_TO_END, KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_INSERT, KEY_DELETE, KEY_BACKTAB,
    KEY_F1, KEY_F2, KEY_F3, KEY_F4, KEY_F5, KEY_F6, KEY_F7, KEY_F8, KEY_F9, KEY_F10, KEY_F11, KEY_F12,
    KEY_MOUSE_EVENT, /* the event says where and which button */
    KEY_PASTE_START, KEY_PASTE_END,
    KEY_FOCUS_IN, KEY_FOCUS_OUT,
    KEY_SYNC,        /* tests only: draw, then answer */
    KEY_STATUS,      /* the terminal's answer to the question that follows a frame */
    KEY_GROUND_LIGHT, KEY_GROUND_DARK, /* the terminal says what its background is */
    KEY_SCHEME_LIGHT, KEY_SCHEME_DARK, /* and that the desktop has changed to light or dark */
    KEY_REPORT,      /* it says what nobody asked */
    KEY_UNKNOWN,     /* a sequence that means nothing here */
    KEY_WITH_ALT = 0x1000000, /* added to a key typed with Alt */
};

/** The key's code for a control character: KEY_CTRL('L'). */
#define KEY_CTRL(letter) ((letter) & 0x1f)

enum { KEY_NAME_MAX = 16 }; /* bytes */

/** Writes the name of a key as help shows it: Enter, ^S, F1, M-+, a. */
void key_name(int key, char name[KEY_NAME_MAX]);

/** The key of a name (Up or UP, Enter, F1, ^S or C-s, M-x) or of one character; KEY_NONE when it is neither. */
int key_named(const char *name);

/**
 * Reads the next of the blank-separated tokens of a key script: a key name (Up or UP, Enter, Esc, Tab, BTab, Space,
 * BS, PgDn, F1, ^S or C-s, M-x), text between backquotes, or text typed as it stands; `~200` (a wait) is skipped.
 * `*script` moves on. Each key is given to `each`. Returns 0 at the end of the script, else 1.
 */
int key_script_next(const char **script, void (*each)(void *context, int key), void *context);
