/* ui/term/input.h - turns the bytes of a terminal into keys: UTF-8, escape sequences, paste, mouse; pure. */
#pragma once

#include "ui/term/key.h"

#include <stdbool.h>

/** What the mouse did. */
enum mouse_button { MOUSE_NONE, MOUSE_LEFT, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

/** One key press, or a mouse button at a cell. */
struct event {
    int key;
    bool is_pasted; /* between paste marks: text, never a command */
    int x, y;       /* KEY_MOUSE_EVENT only */
    enum mouse_button button;
};

enum { INPUT_MAX = 64 }; /* bytes of one sequence */

/** What was read of an unfinished character or sequence; zero-initialise. */
struct input {
    unsigned char bytes[INPUT_MAX];
    int length;
    unsigned char held; /* the byte that told a key with Alt from a string; 0: none */
    bool is_pasting;
};

/** Takes one byte; returns true and fills `event` when it completes a key. */
bool input_byte(struct input *input, unsigned char byte, struct event *event);

/** After an event: takes the byte that ended it and is none of it. Returns as input_byte() does. */
bool input_next(struct input *input, struct event *event);

/** True while a sequence is unfinished, so that a lone Esc must be waited for. */
bool input_is_open(const struct input *input);

/** True within what a terminal says (ESC ] or ESC P, and a digit), which nobody types. */
bool input_is_string(const struct input *input);

/** True within a sequence that a terminal sends (ESC [ and more), which nobody types; its rest may come late. */
bool input_is_sequence(const struct input *input);

/** Ends an unfinished sequence after a quiet moment: a lone Esc becomes a key. Returns true when there is an event. */
bool input_flush(struct input *input, struct event *event);
