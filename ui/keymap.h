/* ui/keymap.h - which key does what, in which mode: one table. */
#ifndef SHARDTOP_UI_KEYMAP_H
#define SHARDTOP_UI_KEYMAP_H

#include "ui/action.h"
#include "ui/key.h"

#include <stddef.h>

/** One key in one mode. */
struct binding {
    enum mode mode;
    int key;
    enum action action;
};

enum { KEYMAP_MAX = 240, KEYMAP_WHY_MAX = 160 /* bytes */ };

/** The keys of the panes and of what is typed; the first key of an action is the one that help shows. */
struct keymap {
    struct binding at[KEYMAP_MAX];
    int count;
};

/** The keys that the program has by itself. */
void keymap_default(struct keymap *map);

/**
 * Gives an action of the panes, by name, other keys: "F12 C-a"; "also F12" adds, "none" leaves it without. Enter, Esc, the
 * arrows, `:` and ^C stay as they are. Returns 0; or -1, with what is wrong in `why` (KEYMAP_WHY_MAX bytes).
 */
int keymap_bind(struct keymap *map, const char *action, const char *keys, char *why);

/**
 * Takes a key that two actions of the panes have from the one that was given it last, whose name is returned, with what is wrong
 * in `why`; NULL when there is none (any more).
 */
const char *keymap_settle(struct keymap *map, char *why);

/** What a key does in a mode; ACTION_NONE when nothing. */
enum action keymap_find(const struct keymap *map, enum mode mode, int key);

/** Writes the keys of an action in a mode, "u" or "Enter F2"; at most `max` of them. Returns how many there are. */
int keymap_keys(const struct keymap *map, enum mode mode, enum action action, int max, char *out, size_t size);

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

#endif
