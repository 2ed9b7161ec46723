/* ui/browse.h - going through the fields and views when nothing lies over them. */
#ifndef SHARDTOP_UI_BROWSE_H
#define SHARDTOP_UI_BROWSE_H

#include "ui/state.h"

/** Closes what is open: a list in the grid, a zoom; false when nothing is. */
bool browse_close(struct ui *ui);

/** Goes `by` fields on, through all forms as one list. */
void browse_fields(struct ui *ui, int by);

/** Rows of a page of the focused pane. */
int browse_page(const struct ui *ui);

#endif
