/* ui/change.h - changing the selected field, going back and forth between plans, pinning one. */
#ifndef SHARDTOP_UI_CHANGE_H
#define SHARDTOP_UI_CHANGE_H

#include "ui/state.h"

/** Makes the selected field the next (1) or previous (-1) value that works; says so when there is none. */
void change_step(struct ui *ui, int direction);

/** Reads a text into the selected field as if it had been typed; says why and returns false when it is refused. */
bool change_enter(struct ui *ui, const char *text);

#endif
