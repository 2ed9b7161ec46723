/* ui/command/change.h - changing the selected field, going back and forth between plans, pinning one. */
#pragma once

#include "ui/state/state.h"

/**
 * The plan that comes next is another file's: undo goes back to this file, and what of it is not saved is kept for a
 * later start. Returns true when there is such.
 */
bool change_leave_file(struct ui *ui);

/** Goes back or forth to a state of the history. */
void change_go(struct ui *ui, int index);

/** Makes the selected field the next (1) or previous (-1) value that works; says so when there is none. */
void change_step(struct ui *ui, int direction);

/** Reads a text into the selected field as if it had been typed; says why and returns false when it is refused. */
bool change_enter(struct ui *ui, const char *text);
