/* ui/pane/members.h - the ranks of a group by node: what the row of a group in the grid opens into. */
#pragma once

#include "core/estimate/rank.h"
#include "ui/term/canvas.h"
#include "ui/state/state.h"

/** The axis whose row is selected below the devices; AXIS_COUNT when none is, or ranks have no group along it. */
enum rank_axis members_axis(const struct ui *ui);

/** True when the devices give way to the members of that group. */
bool members_are_open(const struct ui *ui);

/** Draws who is in the group of the selected rank: "n4 g0-7  n5 g0-7". */
void members_draw(const struct ui *ui, struct canvas *canvas, int width, int height);

/** Goes to the next member, or with `dy` to another node; false at the first and the last. */
bool members_move(struct ui *ui, int width, int dx, int dy);

/** Goes to the members that stand at this place of what was drawn. */
void members_click(struct ui *ui, int width, int height, int x, int y);
