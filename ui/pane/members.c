#include "ui/pane/members.h"

#include "core/show/ranks.h"
#include "ui/widget/table.h"

#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 48 };

/* Members of a group on one node. */
struct share {
    int node, first, count;
};

/* Their names stand in columns of cells. */
struct shape {
    int count, selected; /* shares; the one with the selected rank */
    int cell, columns;
};

enum rank_axis members_axis(const struct ui *ui)
{
    enum rank_axis axis = (enum rank_axis)(ui->group - 1);
    bool is_chosen = ui->group_row != GROUP_ROW_NONE && ui->group > 0;
    return is_chosen && ranks_has_group(&ui->shown->grid, axis) ? axis : AXIS_COUNT;
}

bool members_are_open(const struct ui *ui)
{
    return ui->group_row == GROUP_ROW_OPEN && members_axis(ui) != AXIS_COUNT;
}

/* The rank behind the last member. */
static int end_of(const struct ui *ui)
{
    const struct rank_grid *g = &ui->shown->grid;
    enum rank_axis axis = members_axis(ui);
    return rank_group_of(g, axis, ui->rank) + g->size[axis] * g->stride[axis];
}

/* Goes on to the next share of the group; false past the last. Begins with one of no members. */
static bool next(const struct ui *ui, struct share *share)
{
    const struct rank_grid *g = &ui->shown->grid;
    enum rank_axis axis = members_axis(ui);
    int step = g->stride[axis], end = end_of(ui);
    share->first = share->count ? share->first + share->count * step : rank_group_of(g, axis, ui->rank);
    share->node = share->first / g->gpus_per_node;
    share->count = 0;
    while (share->first + share->count * step < end &&
           (share->first + share->count * step) / g->gpus_per_node == share->node)
        share->count++;
    return share->count > 0;
}

/* "n4 g5", "n4 g0-7", "n4 g1-7 step 2". */
static int name_share(const struct ui *ui, const struct share *share, char out[NAME_MAX_BYTES])
{
    const struct rank_grid *g = &ui->shown->grid;
    int step = g->stride[members_axis(ui)], gpu = share->first % g->gpus_per_node;
    int used = snprintf(out, NAME_MAX_BYTES, "n%d g%d", share->node, gpu);
    if (share->count > 1)
        used += snprintf(out + used, NAME_MAX_BYTES - (size_t)used, "-%d", gpu + (share->count - 1) * step);
    if (share->count > 1 && step > 1)
        used += snprintf(out + used, NAME_MAX_BYTES - (size_t)used, " step %d", step);
    return used;
}

static struct shape shape_of(const struct ui *ui, int width)
{
    struct shape shape = {0};
    char name[NAME_MAX_BYTES];
    int node = ui->rank / ui->shown->grid.gpus_per_node;
    for (struct share share = {0}; next(ui, &share); shape.count++) {
        int length = name_share(ui, &share, name);
        shape.cell = length > shape.cell ? length : shape.cell;
        shape.selected = share.node == node ? shape.count : shape.selected;
    }
    shape.cell += 3;
    shape.columns = width > shape.cell ? width / shape.cell : 1;
    return shape;
}

static int top_of(const struct shape *shape, int height)
{
    int lines = (shape->count + shape->columns - 1) / shape->columns;
    return page_top(shape->selected / shape->columns, lines, height - 1);
}

void members_draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    struct shape shape = shape_of(ui, width);
    enum rank_axis axis = members_axis(ui);
    int top = top_of(&shape, height), i = 0;
    char name[NAME_MAX_BYTES], title[80];
    snprintf(title, sizeof title, "%s %d by node; Left Right a member, Up Down a node, Enter closes",
             rank_axis_names[axis], ui->shown->grid.size[axis]);
    canvas_fit(canvas, 0, 0, width, ROLE_TITLE, title);
    for (struct share share = {0}; next(ui, &share); i++) {
        int y = 1 + i / shape.columns - top, x = i % shape.columns * shape.cell;
        bool is_here = i == shape.selected;
        if (y < 1 || y >= height)
            continue;
        name_share(ui, &share, name);
        canvas_format(canvas, x, y, is_here ? ROLE_SELECTED : ROLE_TEXT, is_here ? "[%s]" : " %s", name);
    }
}

/* Selects the first rank of share number `wanted`, the last where there are fewer. */
static bool go_to(struct ui *ui, int wanted)
{
    int rank = ui->rank, i = 0;
    for (struct share share = {0}; i <= wanted && next(ui, &share); i++)
        rank = share.first;
    bool is_moved = rank / ui->shown->grid.gpus_per_node != ui->rank / ui->shown->grid.gpus_per_node;
    ui->rank = is_moved ? rank : ui->rank;
    return is_moved;
}

bool members_move(struct ui *ui, int width, int dx, int dy)
{
    const struct rank_grid *g = &ui->shown->grid;
    enum rank_axis axis = members_axis(ui);
    struct shape shape = shape_of(ui, width);
    int next = ui->rank + dx * g->stride[axis];
    if (dy != 0)
        return go_to(ui, row_within(shape.selected + dy * shape.columns, shape.count));
    bool is_member = next >= rank_group_of(g, axis, ui->rank) && next < end_of(ui);
    ui->rank = is_member ? next : ui->rank;
    return is_member;
}

void members_click(struct ui *ui, int width, int height, int x, int y)
{
    struct shape shape = shape_of(ui, width);
    int column = x / shape.cell, wanted = (top_of(&shape, height) + y - 1) * shape.columns + column;
    if (y >= 1 && y < height && column < shape.columns && wanted < shape.count)
        go_to(ui, wanted);
}
