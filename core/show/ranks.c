#include "core/show/ranks.h"

#include <stdio.h>

bool ranks_has_group(const struct rank_grid *g, enum rank_axis axis)
{
    bool has_experts = g->size[AXIS_EP] > 1 || g->size[AXIS_ETP] > 1;
    if (axis == AXIS_EDP)
        return has_experts && (g->size[axis] != g->size[AXIS_DP] || g->stride[axis] != g->stride[AXIS_DP]);
    if (axis == AXIS_ETP)
        return has_experts && g->size[axis] > 1 && g->size[axis] != g->size[AXIS_TP];
    return g->size[axis] > 1;
}

void ranks_write(const struct rank_grid *g, enum rank_axis axis, int rank, char *out, size_t size)
{
    enum { LISTED = 8, SHOWN = 3 };
    int first = rank_group_of(g, axis, rank), count = g->size[axis], step = g->stride[axis],
        last = first + (count - 1) * step;
    size_t used = 0;
    if (step == 1 && count > 2) {
        snprintf(out, size, "%d-%d", first, last);
        return;
    }
    for (int i = 0; i < (count <= LISTED ? count : SHOWN) && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%d", i ? " " : "", first + i * step);
    if (count > LISTED && used < size)
        snprintf(out + used, size - used, " .. %d (step %d)", last, step);
}
