/* ui/command/browse.h - going through the fields and views when nothing lies over them. */
#pragma once

#include "ui/state/state.h"

/** Closes what is open: a list in the grid, a zoom; false when nothing is. */
bool browse_close(struct ui *ui);

/** Goes `by` fields on, through all forms as one list. */
void browse_fields(struct ui *ui, int by);

/** The key of the view that has the focus enlarges it, and back; false where it is another view's. */
bool browse_again(struct ui *ui, enum pane_id view);

/** Shows a view and gives it the keys; what lies over the views closes. Diff goes back to memory. */
void browse_view(struct ui *ui, enum pane_id view);

/** Rows of a page of the focused pane. */
int browse_page(const struct ui *ui);
