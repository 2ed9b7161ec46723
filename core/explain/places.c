/* Figures that are places: layers of a stage, points of its memory, ranks and their groups. */
#include "core/base.h"
#include "core/estimate/timeline.h"
#include "core/explain/open.h"

#include <string.h>

/* The first and the last layer of a stage. */
int open_held_layer(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    if (at.first < 0 || at.first >= e->stages || at.second < 0 || at.second > 1 || e->split[at.first].layers == 0)
        return -1;
    const struct stage_split *split = &e->split[at.first];
    return open_plain(e, name, "", at.second ? "the last layer of the stage" : "the first layer of the stage",
                     at.second ? split->last_layer : split->first_layer,
                     "the number of the layer in the model, counted from 0, from the split", out);
}

/* A point of the curve of allocated memory. */
int open_point(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    struct timeline_point points[TIMELINE_POINTS_MAX];
    bool is_stage = at.first >= 0 && at.first < e->stages && !e->is_serving;
    int count = is_stage ? timeline_of(e, at.first, points, LENGTH(points)) : 0;
    if (at.second < 0 || at.second >= count)
        return -1;
    return open_plain(e, name, "bytes", "allocated on the stage at this pass, at its height", points[at.second].bytes,
                     "the order of passes, simulated: what is always there, what forward passes whose backward pass "
                     "has not run keep, and what comes and goes in this one",
                     out);
}

int open_stage_number(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    if (at.first < 0 || at.first >= e->stages)
        return -1;
    return open_plain(e, name, "", "pipeline stage, counted from 0", at.first,
                     "the number of the stage, one of parallel.pp", out);
}

int open_grid(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    (void)at;
    return open_plain(e, name, "GPUs", "GPUs of a node", e->grid.gpus_per_node, "KEY(hardware, gpus_per_node)", out);
}

/* The axis of this name; AXIS_COUNT for another. */
static int axis_named(const char *name)
{
    int axis = 0;
    while (axis < AXIS_COUNT && strcmp(rank_axis_names[axis], name) != 0)
        axis++;
    return axis;
}

/* Where a rank sits: its number, its node, its place there and along each axis. */
int open_rank(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    static const struct {
        const char *name, *words;
    } facts[] = {{"rank", "the number of the rank, counted from 0"},
                 {"node", "the rank over hardware.gpus_per_node, rounded down"},
                 {"gpu", "the rank less those of the nodes before, of hardware.gpus_per_node"}};
    struct rank_place place;
    int axis = axis_named(name), fact = 0;
    if (at.first < 0 || at.first >= e->grid.world)
        return -1;
    rank_place_of(&e->grid, at.first, &place);
    while (fact < (int)LENGTH(facts) && strcmp(facts[fact].name, name) != 0)
        fact++;
    if (axis < AXIS_COUNT)
        return open_plain(e, name, "", "place along the axis", place.at[axis],
                         "the rank over the ranks between neighbours of the axis, modulo its size, from parallel.order",
                          out);
    const int values[] = {place.rank, place.node, place.gpu};
    return fact < (int)LENGTH(facts)
               ? open_plain(e, name, "", "where the rank sits", values[fact], facts[fact].words, out)
               : -1;
}

/* A member of a group: groups in the order of their first ranks. */
int open_member(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    int axis = axis_named(name);
    if (axis == AXIS_COUNT || at.first < 0 || at.first >= rank_group_count(&e->grid, (enum rank_axis)axis) ||
        at.second < 0 || at.second >= e->grid.size[axis])
        return -1;
    int first = rank_group_first(&e->grid, (enum rank_axis)axis, at.first);
    return open_plain(e, name, "", "a rank of the group", first + at.second * e->grid.stride[axis],
                     "the first rank of the group and as often the ranks between neighbours, from parallel.order", out);
}
