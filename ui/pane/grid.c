/* The grid view: which rank sits on which device, and which ranks it talks to. */
#include "core/estimate/rank.h"
#include "ui/pane/pane.h"
#include "ui/table.h"

#include <stdio.h>
#include <string.h>

enum { NODES_MAX = 4096, NAME_WIDTH = 6 };

/* What each label shows, and whose group is marked with it. */
static const struct {
    const char *name;
    enum rank_axis axis;
} labels[LABEL_COUNT] = {
    [LABEL_STAGE] = {"stage", AXIS_PP}, [LABEL_TP] = {"tp", AXIS_TP}, [LABEL_DP] = {"dp", AXIS_DP},
    [LABEL_CP] = {"cp", AXIS_CP},       [LABEL_EP] = {"ep", AXIS_EP}, [LABEL_NODE] = {"node", AXIS_COUNT},
};

/* Everything that one drawing of the grid needs. */
struct view {
    const struct ui *ui;
    const struct rank_grid *grid;
    int nodes, per_node;
    int digits; /* of the largest label */
};

static int digits_of(int value)
{
    int digits = 1;
    for (; value >= 10; value /= 10)
        digits++;
    return digits;
}

static int node_count(const struct rank_grid *g)
{
    int nodes = (g->world + g->gpus_per_node - 1) / g->gpus_per_node;
    return nodes > NODES_MAX ? NODES_MAX : nodes;
}

static struct view view_of(const struct ui *ui)
{
    const struct rank_grid *g = &ui->shown->grid;
    struct view v = {.ui = ui, .grid = g, .nodes = node_count(g)};
    v.per_node = g->gpus_per_node < g->world ? g->gpus_per_node : g->world;
    enum rank_axis axis = labels[ui->label].axis;
    v.digits = digits_of(axis == AXIS_COUNT ? v.nodes - 1 : g->size[axis] - 1);
    return v;
}

static int label_of(const struct view *v, int rank)
{
    struct rank_place place;
    enum rank_axis axis = labels[v->ui->label].axis;
    if (axis == AXIS_COUNT)
        return rank / v->grid->gpus_per_node;
    rank_place_of(v->grid, rank, &place);
    return place.at[axis];
}

/* True when a rank belongs to the marked group of the selected one. */
static bool is_marked(const struct view *v, int rank)
{
    enum rank_axis axis = labels[v->ui->label].axis;
    if (axis == AXIS_COUNT)
        return rank / v->grid->gpus_per_node == v->ui->rank / v->grid->gpus_per_node;
    return v->grid->size[axis] > 1 && rank_group_of(v->grid, axis, rank) == rank_group_of(v->grid, axis, v->ui->rank);
}

/* ---- one line for each node --------------------------------------------------------------------------------------- */

static bool has_mark(const struct view *v, int node)
{
    for (int rank = node * v->per_node; rank < (node + 1) * v->per_node && rank < v->grid->world; rank++)
        if (rank == v->ui->rank || is_marked(v, rank))
            return true;
    return false;
}

static bool same_labels(const struct view *v, int a, int b)
{
    for (int gpu = 0; gpu < v->per_node; gpu++) {
        int one = a * v->per_node + gpu, two = b * v->per_node + gpu;
        if ((one >= v->grid->world) != (two >= v->grid->world))
            return false;
        if (two < v->grid->world && label_of(v, one) != label_of(v, two))
            return false;
    }
    return true;
}

/* Nodes that look alike, folded; without `folds` each node is on its own. Returns how many lines there are. */
static int fold_nodes(const struct view *v, bool folds, struct fold out[NODES_MAX])
{
    int count = 0;
    for (int node = 0; node < v->nodes; node++) {
        bool joins = folds && count > 0 && !has_mark(v, node) && !has_mark(v, out[count - 1].last) &&
                     same_labels(v, out[count - 1].last, node);
        if (joins)
            out[count - 1].last = node;
        else
            out[count++] = (struct fold){node, node};
    }
    return count;
}

static void draw_cell(const struct view *v, struct canvas *canvas, int x, int y, int rank)
{
    bool is_selected = rank == v->ui->rank, is_group = is_marked(v, rank);
    enum role role = is_selected ? ROLE_SELECTED : is_group ? ROLE_GROUP : ROLE_TEXT;
    canvas_format(canvas, x, y, role, "%s%*d%s", is_selected ? "[" : is_group ? "(" : " ", v->digits, label_of(v, rank),
                  is_selected ? "]" : is_group ? ")" : " ");
}

/* Cells that fit in one line. */
static int cells_per_line(const struct view *v, int width)
{
    int cells = (width - NAME_WIDTH) / (v->digits + 2);
    return cells < 1 ? 1 : cells > v->per_node ? v->per_node : cells;
}

static void draw_node(const struct view *v, struct canvas *canvas, int y, int width, const struct fold *fold)
{
    int cells = cells_per_line(v, width), name_at = fold->first != fold->last ? 0 : -1;
    char name[32];
    snprintf(name, sizeof name, "n%d", fold->first);
    canvas_text(canvas, 0, y, ROLE_DIM, name);
    for (int gpu = 0; gpu < v->per_node; gpu++) {
        int rank = fold->first * v->per_node + gpu;
        if (rank < v->grid->world)
            draw_cell(v, canvas, NAME_WIDTH - 1 + gpu % cells * (v->digits + 2), y + gpu / cells, rank);
    }
    if (name_at == 0) {
        snprintf(name, sizeof name, "..n%d x%d", fold->last, fold->last - fold->first + 1);
        canvas_text(canvas, NAME_WIDTH + cells * (v->digits + 2), y, ROLE_DIM, name);
    }
}

static int line_of_rank(const struct view *v, const struct fold folds[], int count)
{
    int node = v->ui->rank / v->per_node;
    for (int i = 0; i < count; i++)
        if (node <= folds[i].last)
            return i;
    return 0;
}

/* ---- one cell for each node --------------------------------------------------------------------------------------- */

static void draw_node_cell(const struct view *v, struct canvas *canvas, int x, int y, int node)
{
    int first = node * v->per_node, last = first + v->per_node - 1;
    last = last < v->grid->world ? last : v->grid->world - 1;
    bool is_selected = v->ui->rank >= first && v->ui->rank <= last, is_group = !is_selected && has_mark(v, node);
    enum role role = is_selected ? ROLE_SELECTED : is_group ? ROLE_GROUP : ROLE_TEXT;
    bool is_uniform = true;
    for (int rank = first; rank <= last; rank++)
        is_uniform &= label_of(v, rank) == label_of(v, first);
    canvas_format(canvas, x, y, role, "%s%*d%s%s", is_selected ? "[" : is_group ? "(" : " ", v->digits,
                  label_of(v, first),
                  is_uniform ? "" : "+", is_selected ? "]" : is_group ? ")" : " ");
}

static void draw_nodes(const struct view *v, struct canvas *canvas, int width, int height)
{
    int cell = v->digits + 3, columns = (width - NAME_WIDTH) / cell;
    columns = columns < 1 ? 1 : columns >= 16 ? columns / 8 * 8 : columns;
    int lines = (v->nodes + columns - 1) / columns, top = page_top(v->ui->rank / v->per_node / columns, lines, height);
    for (int line = 0; line < height && top + line < lines; line++) {
        int first = (top + line) * columns;
        canvas_format(canvas, 0, line, ROLE_DIM, "n%d", first);
        for (int i = 0; i < columns && first + i < v->nodes; i++)
            draw_node_cell(v, canvas, NAME_WIDTH - 1 + i * cell, line, first + i);
    }
}

/* ---- groups of the selected rank ---------------------------------------------------------------------------------- */

static void draw_group(const struct view *v, struct canvas *canvas, int y, int width, enum rank_axis axis)
{
    const struct rank_grid *g = v->grid;
    int first = rank_group_of(g, axis, v->ui->rank), last = first + (g->size[axis] - 1) * g->stride[axis];
    bool crosses = first / g->domain != last / g->domain;
    char text[256];
    int used = snprintf(text, sizeof text, "%-3s %s ", rank_axis_names[axis], crosses ? "net! " : "node ");
    for (int i = 0; i < g->size[axis] && used < (int)sizeof text - 24; i++) {
        int rank = first + i * g->stride[axis];
        bool is_run = g->stride[axis] == 1 && g->size[axis] > 2;
        if (is_run && i > 0) {
            rank = last;
            i = g->size[axis];
        }
        used += snprintf(text + used, sizeof text - (size_t)used, "%s n%dg%d", is_run && i >= g->size[axis] ? " -" : "",
                         rank / g->gpus_per_node, rank % g->gpus_per_node);
    }
    canvas_fit(canvas, 0, y, width, ROLE_TEXT, text);
}

static int groups_of(const struct rank_grid *g)
{
    int count = 0;
    for (int axis = 0; axis < AXIS_EDP; axis++)
        count += g->size[axis] > 1;
    return count;
}

static void draw_groups(const struct view *v, struct canvas *canvas, int y, int width, int height)
{
    struct rank_place at;
    rank_place_of(v->grid, v->ui->rank, &at);
    if (height < 1)
        return;
    char text[128];
    snprintf(text, sizeof text, "rank %d: n%d g%d, stage %d tp %d dp %d cp %d ep %d", at.rank, at.node, at.gpu,
             at.at[AXIS_PP], at.at[AXIS_TP], at.at[AXIS_DP], at.at[AXIS_CP], at.at[AXIS_EP]);
    canvas_fit(canvas, 0, y++, width, ROLE_TITLE, text);
    for (int axis = 0; axis < AXIS_EDP && --height > 0; axis++) {
        if (v->grid->size[axis] > 1)
            draw_group(v, canvas, y++, width, (enum rank_axis)axis);
        else
            height++;
    }
}

/* ---- the view ----------------------------------------------------------------------------------------------------- */

/* Draws the devices into the clip, in the most detailed form that fits; returns the rows used. */
static int draw_devices(const struct view *v, struct canvas *canvas, int width, int height)
{
    struct fold folds[NODES_MAX];
    int lines = (v->per_node + cells_per_line(v, width) - 1) / cells_per_line(v, width);
    int count = fold_nodes(v, v->nodes * lines > height, folds);
    if (count * lines > height && (v->per_node > 1 || v->nodes > height)) {
        draw_nodes(v, canvas, width, height);
        return height;
    }
    int shown = height / lines > 0 ? height / lines : 1, top = page_top(line_of_rank(v, folds, count), count, shown);
    for (int i = 0; i < shown && top + i < count; i++)
        draw_node(v, canvas, i * lines, width, &folds[top + i]);
    return count < shown ? count * lines : shown * lines;
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    if (!ui->shown->is_computed) {
        pane_excuse(ui, canvas, width);
        return;
    }
    struct view v = view_of(ui);
    int below = height >= 6 ? groups_of(v.grid) + 1 : 0;
    below = below > height / 2 ? height / 2 : below;
    int used = draw_devices(&v, canvas, width, height - below - (below > 0 && height > 10));
    if (below > 0)
        draw_groups(&v, canvas, used + (height > 10), width, height - used - (height > 10));
}

static int rows_of(const struct ui *ui)
{
    return ui->shown->is_computed ? node_count(&ui->shown->grid) : 0;
}

static int wish(const struct ui *ui)
{
    int nodes = rows_of(ui);
    return 1 + (nodes > 16 ? 16 : nodes) + 2 + (nodes ? groups_of(&ui->shown->grid) : 0) + 1;
}

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    const struct rank_grid *g = &ui->shown->grid;
    int nodes = (g->world + g->gpus_per_node - 1) / g->gpus_per_node;
    snprintf(out, SUBTITLE_MAX, "%d GPU%s, %d node%s, label: %s (v)", g->world, g->world == 1 ? "" : "s", nodes,
             nodes == 1 ? "" : "s", labels[ui->label].name);
}

/* Left and right go through the devices of a node, up and down through the nodes. */
static bool move(struct ui *ui, int dx, int dy)
{
    struct view v = view_of(ui);
    int gpu = ui->rank % v.per_node + dx, node = ui->rank / v.per_node + dy;
    node = row_within(node, v.nodes);
    if (!ui->shown->is_computed || gpu < 0 || gpu >= v.per_node)
        return false;
    int rank = node * v.per_node + gpu;
    bool is_moved = rank != ui->rank && rank < v.grid->world;
    if (is_moved)
        ui->rank = rank;
    return is_moved;
}

static void click(struct ui *ui, int x, int y)
{
    struct view v = view_of(ui);
    struct rect rect = layout_find(&ui->layout, PANE_GRID);
    int gpu = (x - NAME_WIDTH + 1) / (v.digits + 2), rank = y * v.per_node + gpu;
    bool is_plain = v.nodes <= rect.height - 1 - groups_of(v.grid) && cells_per_line(&v, rect.width) == v.per_node;
    if (is_plain && x >= NAME_WIDTH - 1 && gpu < v.per_node && y >= 0 && rank < v.grid->world)
        ui->rank = rank;
}

const struct pane pane_grid = {
    .name = "grid", .title = "Grid", .tab = "Grid", .key = '3', .wish = wish, .rows = rows_of, .subtitle = subtitle,
    .draw = draw, .move = move, .click = click,
};
