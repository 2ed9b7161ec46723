/* ui/command/bindings.h - keys of the panes and of what is typed: one table, and what users make of it. */
#pragma once

#include "ui/command/action.h"
#include "ui/term/key.h"

#include <stddef.h>

/** One key in one mode. */
struct binding {
    enum mode mode;
    int key;
    enum action action;
};

enum { BINDINGS_MAX = 240, BINDINGS_WHY_MAX = 160 /* bytes */ };

/** The keys of the panes and of what is typed; the first key of an action is the one that help shows. */
struct bindings {
    struct binding at[BINDINGS_MAX];
    int count;
};

/** The keys that the program has by itself. */
void bindings_default(struct bindings *bindings);

/**
 * Gives an action of the panes, by name, other keys: "F12 C-a"; "also F12" and "+ [F12]" add, "none" leaves it without.
 * Enter, Esc, the arrows, `:` and ^C stay as they are. Returns 0; or -1, with what is wrong in `why` (BINDINGS_WHY_MAX
 * bytes).
 */
int bindings_bind(struct bindings *bindings, const char *action, const char *keys, char *why);

/**
 * Takes a key that two actions of the panes have from the one that was given it last, whose name is returned, with what
 * is wrong in `why`; NULL when there is none (any more). An action without a key then has its own again.
 */
const char *bindings_settle(struct bindings *bindings, char *why);

/** What a key does in a mode; ACTION_NONE when nothing. */
enum action bindings_find(const struct bindings *bindings, enum mode mode, int key);

/** Writes the keys that an action has in a mode, "Enter F2"; at most `max` of them. Returns how many there are. */
int bindings_keys(const struct binding list[], int count, enum mode mode, enum action action, int max, char *out,
                  size_t size);
