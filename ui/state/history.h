/* ui/state/history.h - undo and redo: a bounded list of whole plans, allocated in blocks as it grows. */
#pragma once

#include "core/plan/plan.h"

enum { HISTORY_MAX = 1000 /* entries */, HISTORY_BLOCK = 16 /* entries */, HISTORY_LABEL_MAX = 96 /* bytes */ };

/** One state and how it came about. */
struct history_entry {
    struct plan plan;
    char label[HISTORY_LABEL_MAX]; /* "tp 4 -> 8" */
    int file; /* number of the file that the plan is of */
    double peak_bytes, iteration_s; /* what the plan comes to; NAN where that is not known */
};

/** The states; zero-initialise. Entry 0 is the oldest kept. */
struct history {
    struct history_entry *block[(HISTORY_MAX + HISTORY_BLOCK - 1) / HISTORY_BLOCK];
    int first; /* ring position of the oldest entry */
    int count; /* entries kept, redo included */
    int now;   /* entry of the present state */
    int file;  /* what states that are added are of */
};

/** Adds a state after the present one; what could be redone is forgotten. Returns -1 when memory runs out. */
int history_push(struct history *history, const struct plan *plan, const char *label);

/** Keeps what the present state comes to. */
void history_note(struct history *history, double peak_bytes, double iteration_s);

/** Goes back one state; NULL at the oldest one. */
const struct history_entry *history_undo(struct history *history);

/** Goes forward one state; NULL at the newest one. */
const struct history_entry *history_redo(struct history *history);

/** Entry `index` (0: oldest), or NULL. */
const struct history_entry *history_at(const struct history *history, int index);

/** Frees everything. */
void history_free(struct history *history);
