/* core/show/ranks.h - the groups of a rank as a person reads them. */
#pragma once

#include "core/estimate/rank.h"

#include <stddef.h>

/** Whether ranks have groups along an axis to be told: more than one member, and not the dense axis once more. */
bool ranks_has_group(const struct rank_grid *grid, enum rank_axis axis);

/**
 * Writes the ranks of a rank's group, as many as have room in so many columns: "32-39", "5 21 37 53",
 * "37 1061 2085 .. 15397 (step 1024)", "37 .. 15397".
 */
void ranks_write(const struct rank_grid *grid, enum rank_axis axis, int rank, int room, char *out, size_t size);

/** Writes which ranks there are: "0 to 63, or n0g0 to n7g7"; "none" where no rank has its place. */
void ranks_range(const struct rank_grid *grid, char *out, size_t size);
