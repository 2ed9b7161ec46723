/*
 * ui/command/keymap.h - which key does what, in which mode, and what the hint line says: those of the panes, then of an
 * overlay.
 */
#pragma once

#include "ui/command/bindings.h"

#include <stddef.h>

/** What a key does in a mode; ACTION_NONE when nothing. */
enum action keymap_find(const struct bindings *bindings, enum mode mode, int key);

/** Writes the keys of an action in a mode, "u" or "Enter F2"; at most `max` of them. Returns how many there are. */
int keymap_keys(const struct bindings *bindings, enum mode mode, enum action action, int max, char *out, size_t size);

/** One item of the hint line. */
struct hint {
    enum mode mode;
    enum action action, other; /* `other`: shown with it as "+/-"; or ACTION_NONE */
    const char *text;
    int least_width; /* of the screen */
};

/** Those of the panes and of what is typed, in the order of the line. */
extern const struct hint hints[];
extern const int hint_count;

/** Hint number `i` of these and then of the overlay of `mode`, other modes' among them; NULL at the end. */
const struct hint *hint_at(enum mode mode, int i);

/** Whether the hint line shows this hint: for the present mode and width, and only if its key does something now. */
bool hint_is_shown(const struct ui *ui, const struct hint *hint);

struct view_key;

/** The same for a key of the view in use. */
bool hint_has_view_key(const struct ui *ui, const struct view_key *key);
