/* ui/command/action.h - what a user can do, and what does it. */
#pragma once

#include "ui/term/input.h"

struct ui;

/** What keys mean at the moment: one mode for each overlay, and the panes themselves. */
enum mode {
    MODE_BROWSE,
#define OVERLAY(id, MODE, key, help) MODE_##MODE,
#include "ui/command/action.def"
    MODE_QUESTION, /* asked by the program: no key opens it */
    MODE_SETTINGS, /* `:keys` opens it */
    MODE_CHANGES,  /* a question opens it */
    MODE_START,    /* the program begins with it where it has no plan; `:start` opens it */
    MODE_GOAL,     /* a goal of the palette or the start screen opens it */
    MODE_COUNT
};

/** An action. */
enum action {
    ACTION_NONE,
#define ACTION(id, ...)  ACTION_##id,
#define OVERLAY(id, ...) ACTION_##id,
#include "ui/command/action.def"
    ACTION_COUNT
};

/** One row. */
struct action_row {
    const char *name, *help;
    enum mode opens; /* the overlay that it opens, MODE_BROWSE for none */
};

/** The rows, by action. */
extern const struct action_row actions[ACTION_COUNT];

/** The action of this name that the panes have a key for; ACTION_NONE when there is none. */
enum action action_named(const char *name);

/** What runs an action. */
struct action_handler {
    enum action action; /* ACTION_NONE ends a list */
    void (*run)(struct ui *ui);
};

/** Each file lists the actions of its subject. */
extern const struct action_handler baseline_handlers[], browse_handlers[], change_handlers[], event_handlers[],
    explain_handlers[], find_handlers[], lesson_handlers[], value_handlers[];

/** Does it. */
void ui_do(struct ui *ui, enum action action);

/** Applies a key (or a mouse button): the line editor first where text is typed, then the key map. */
void ui_event(struct ui *ui, const struct event *event);

/** The same for a plain key. */
void ui_key(struct ui *ui, int key);
