#include "core/show/ranks.h"

#include "core/base.h"

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

/* The first ones, and the last where that is not all. Returns the length. */
static int write_some(const struct rank_grid *g, enum rank_axis axis, int rank, int shown, bool has_step, char *out,
                      size_t size)
{
    int first = rank_group_of(g, axis, rank), step = g->stride[axis], count = g->size[axis];
    size_t used = 0;
    for (int i = 0; i < count && i < shown && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%d", i ? " " : "", first + i * step);
    if (shown < count && used < size)
        used += (size_t)snprintf(out + used, size - used, " .. %d", first + (count - 1) * step);
    if (shown < count && has_step && used < size)
        used += (size_t)snprintf(out + used, size - used, " (step %d)", step);
    return (int)used;
}

void ranks_write(const struct rank_grid *g, enum rank_axis axis, int rank, int room, char *out, size_t size)
{
    enum { LISTED = 8 };
    static const struct {
        int shown;
        bool has_step;
    } forms[] = {{LISTED, false}, {3, true}, {3, false}, {2, false}, {1, false}};
    int first = rank_group_of(g, axis, rank), count = g->size[axis];
    bool is_row = g->stride[axis] == 1 && count > 2;
    if (is_row)
        snprintf(out, size, "%d-%d", first, first + count - 1);
    for (size_t i = count > LISTED; i < LENGTH(forms) && !is_row; i++)
        if (write_some(g, axis, rank, forms[i].shown, forms[i].has_step, out, size) <= room)
            return;
}

void ranks_range(const struct rank_grid *g, char *out, size_t size)
{
    int last = g->world - 1, each = g->gpus_per_node;
    if (last < 0 || each <= 0)
        snprintf(out, size, "none");
    else
        snprintf(out, size, "0 to %d, or n0g0 to n%dg%d", last, last / each, last % each);
}
