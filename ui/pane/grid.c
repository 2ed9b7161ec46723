/* The grid view: which rank sits on which device, and which ranks it talks to. */
#include "core/estimate/rank.h"
#include "core/show/figure.h"
#include "ui/pane/pane.h"
#include "ui/table.h"

#include <stdio.h>
#include <string.h>

enum { NODES_MAX = 4096, NAME_WIDTH = 6, FOLD_WIDTH = 21, RANKS_WIDTH = 16 };

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
    int name_width;
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
    v.name_width = NAME_WIDTH;
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

/* The rank among nodes first .. last with this place in its node that is selected, or marked; -1 for none. */
static int rank_at(const struct view *v, const struct fold *fold, int gpu, bool (*is)(const struct view *, int rank))
{
    for (int node = fold->first; node <= fold->last; node++) {
        int rank = node * v->per_node + gpu;
        if (rank < v->grid->world && is(v, rank))
            return rank;
    }
    return -1;
}

static bool is_selected(const struct view *v, int rank)
{
    return rank == v->ui->rank;
}

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
        if (folds && count > 0 && same_labels(v, out[count - 1].last, node))
            out[count - 1].last = node;
        else
            out[count++] = (struct fold){node, node};
    }
    return count;
}

static void draw_cell(const struct view *v, struct canvas *canvas, int x, int y, const struct fold *fold, int gpu)
{
    bool is_here = rank_at(v, fold, gpu, is_selected) >= 0, is_group = !is_here && rank_at(v, fold, gpu, is_marked) >= 0;
    enum role role = is_here ? ROLE_SELECTED : is_group ? ROLE_GROUP : ROLE_TEXT;
    canvas_format(canvas, x, y, role, "%s%*d%s", is_here ? "[" : is_group ? "(" : " ", v->digits,
                  label_of(v, fold->first * v->per_node + gpu), is_here ? "]" : is_group ? ")" : " ");
}

/* Cells that fit in one line. */
static int cells_per_line(const struct view *v, int width)
{
    int cells = (width - v->name_width) / (v->digits + 2);
    return cells < 1 ? 1 : cells > v->per_node ? v->per_node : cells;
}

/* "n512 - n639 x128", its cells, and the ranks on it. */
static void draw_node(const struct view *v, struct canvas *canvas, int y, int width, const struct fold *fold)
{
    int cells = cells_per_line(v, width), end = v->name_width + cells * (v->digits + 2);
    char name[40];
    bool is_folded = fold->first != fold->last;
    snprintf(name, sizeof name, is_folded ? "n%-5d- n%-5d x%d" : "n%d", fold->first, fold->last, fold->last - fold->first + 1);
    canvas_fit(canvas, 0, y, v->name_width, ROLE_DIM, name);
    for (int gpu = 0; gpu < v->per_node; gpu++)
        if (fold->first * v->per_node + gpu < v->grid->world)
            draw_cell(v, canvas, v->name_width - 1 + gpu % cells * (v->digits + 2), y + gpu / cells, fold, gpu);
    int last = (fold->last + 1) * v->per_node - 1;
    last = last < v->grid->world ? last : v->grid->world - 1;
    if (end + RANKS_WIDTH <= width)
        canvas_format(canvas, end + 2, y, ROLE_DIM, "%6d - %d", fold->first * v->per_node, last);
    if (end + RANKS_WIDTH + 8 <= width && v->ui->label == LABEL_STAGE)
        canvas_right(canvas, end + RANKS_WIDTH + 8, y, ROLE_TEXT,
                     figure(FIGURE_GIB, v->ui->shown->stage[label_of(v, fold->first * v->per_node)].device_bytes).text);
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
    bool is_here = v->ui->rank >= first && v->ui->rank <= last, is_group = !is_here && has_mark(v, node);
    enum role role = is_here ? ROLE_SELECTED : is_group ? ROLE_GROUP : ROLE_TEXT;
    bool is_uniform = true;
    for (int rank = first; rank <= last; rank++)
        is_uniform &= label_of(v, rank) == label_of(v, first);
    canvas_format(canvas, x, y, role, "%s%*d%s%s", is_here ? "[" : is_group ? "(" : " ", v->digits,
                  label_of(v, first),
                  is_uniform ? "" : "+", is_here ? "]" : is_group ? ")" : " ");
}

/* Nodes in a row of cells. */
static int node_columns(const struct view *v, int width)
{
    int columns = (width - NAME_WIDTH) / (v->digits + 3);
    return columns < 1 ? 1 : columns >= 16 ? columns / 8 * 8 : columns;
}

static void draw_nodes(const struct view *v, struct canvas *canvas, int width, int height)
{
    int cell = v->digits + 3, columns = node_columns(v, width);
    int lines = (v->nodes + columns - 1) / columns, top = page_top(v->ui->rank / v->per_node / columns, lines, height);
    for (int line = 0; line < height && top + line < lines; line++) {
        int first = (top + line) * columns;
        canvas_format(canvas, 0, line, ROLE_DIM, "n%d", first);
        for (int i = 0; i < columns && first + i < v->nodes; i++)
            draw_node_cell(v, canvas, NAME_WIDTH - 1 + i * cell, line, first + i);
    }
}

/* ---- groups of the selected rank ---------------------------------------------------------------------------------- */

/* "32-39", "5 21 37 53", "37 1061 2085 .. 15397 (step 1024)" */
static void say_members(const struct rank_grid *g, enum rank_axis axis, int rank, char *out, size_t size)
{
    enum { LISTED = 8, SHOWN = 3 };
    int first = rank_group_of(g, axis, rank), count = g->size[axis], step = g->stride[axis], last = first + (count - 1) * step;
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

/* What a stage's GPU spends on an axis, and sends along it. */
static void say_traffic(const struct view *v, enum rank_axis axis, int stage, char *out, size_t size)
{
    static const enum comm_dim dims[AXIS_COUNT] = {
        [AXIS_TP] = COMM_TP, [AXIS_CP] = COMM_CP, [AXIS_DP] = COMM_DP, [AXIS_PP] = COMM_PP, [AXIS_EP] = COMM_EP,
        [AXIS_EDP] = COMM_EDP, [AXIS_ETP] = COMM_ETP};
    struct comm_table comm;
    double seconds = 0, bytes = 0;
    out[0] = '\0';
    if (v->ui->shown->is_serving || !v->ui->shown->is_modelled)
        return;
    estimate_comm_table(v->ui->shown, stage, &comm);
    for (int i = 0; i < comm.count; i++)
        if (comm_rows[comm.present[i]].dim == dims[axis]) {
            seconds += comm.row[comm.present[i]].exposed_s;
            bytes += comm.row[comm.present[i]].sent_bytes_per_rank;
        }
    snprintf(out, size, "%8s %9s", figure(FIGURE_SECONDS, seconds).text, figure(FIGURE_BYTES, bytes).text);
}

/* The experts' groups are told apart only where they are others than the dense ones. */
static bool is_shown(const struct rank_grid *g, enum rank_axis axis)
{
    bool has_experts = g->size[AXIS_EP] > 1 || g->size[AXIS_ETP] > 1;
    if (axis == AXIS_EDP)
        return has_experts && (g->size[axis] != g->size[AXIS_DP] || g->stride[axis] != g->stride[AXIS_DP]);
    if (axis == AXIS_ETP)
        return has_experts && g->size[axis] > 1 && g->size[axis] != g->size[AXIS_TP];
    return g->size[axis] > 1;
}

static void draw_group(const struct view *v, struct canvas *canvas, int y, int width, enum rank_axis axis)
{
    const struct rank_grid *g = v->grid;
    int first = rank_group_of(g, axis, v->ui->rank), last = first + (g->size[axis] - 1) * g->stride[axis];
    bool crosses = first / g->domain != last / g->domain;
    char members[96], traffic[48];
    say_members(g, axis, v->ui->rank, members, sizeof members);
    say_traffic(v, axis, rank_stage(g, v->ui->rank), traffic, sizeof traffic);
    int x = canvas_format(canvas, 0, y, ROLE_TEXT, "%-4s%4d  ", rank_axis_names[axis], g->size[axis]);
    int room = width - x - 9 - (width >= 50 ? 19 : 0);
    canvas_fit(canvas, x, y, room, ROLE_TEXT, members);
    canvas_text(canvas, x + room + 1, y, crosses ? ROLE_WARN : ROLE_TEXT, crosses ? "network!" : "NVLink");
    if (width >= 50)
        canvas_right(canvas, width, y, ROLE_TEXT, traffic);
}

static int groups_of(const struct rank_grid *g)
{
    int count = 0;
    for (int axis = 0; axis < AXIS_COUNT; axis++)
        count += is_shown(g, (enum rank_axis)axis);
    return count;
}

static void draw_groups(const struct view *v, struct canvas *canvas, int y, int width, int height)
{
    struct rank_place at;
    rank_place_of(v->grid, v->ui->rank, &at);
    if (height < 1)
        return;
    char text[160];
    int used = snprintf(text, sizeof text, "rank %d = n%d g%d: stage %d", at.rank, at.node, at.gpu, at.at[AXIS_PP]);
    static const enum rank_axis axes[] = {AXIS_TP, AXIS_CP, AXIS_EP, AXIS_DP};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %s %d", rank_axis_names[axes[i]], at.at[axes[i]]);
    int x = canvas_fit(canvas, 0, y, width, ROLE_TITLE, text);
    snprintf(text, sizeof text, "%s GiB", figure(FIGURE_GIB, v->ui->shown->stage[at.at[AXIS_PP]].device_bytes).text);
    if (!v->ui->shown->is_serving && x + 2 + (int)strlen(text) <= width)
        canvas_right(canvas, width, y, ROLE_TITLE, text);
    for (int axis = 0; axis < AXIS_COUNT; axis++)
        if (is_shown(v->grid, (enum rank_axis)axis) && --height > 0)
            draw_group(v, canvas, ++y, width, (enum rank_axis)axis);
}

/* ---- the view ----------------------------------------------------------------------------------------------------- */

/* How the devices are drawn: the most detailed form that fits. */
struct device_form {
    enum { FORM_LINES, FORM_FOLDS, FORM_CELLS } kind;
    int lines; /* rows of a node */
    int count; /* folds */
    struct fold fold[NODES_MAX];
};

static void choose_form(struct view *v, int width, int height, struct device_form *form)
{
    form->kind = FORM_LINES;
    form->lines = (v->per_node + cells_per_line(v, width) - 1) / cells_per_line(v, width);
    form->count = fold_nodes(v, false, form->fold);
    if (v->nodes * form->lines <= height)
        return;
    v->name_width = width >= FOLD_WIDTH + v->per_node * (v->digits + 2) ? FOLD_WIDTH : NAME_WIDTH;
    form->kind = FORM_FOLDS;
    form->lines = (v->per_node + cells_per_line(v, width) - 1) / cells_per_line(v, width);
    form->count = fold_nodes(v, true, form->fold);
    if (form->count * form->lines <= height || (v->per_node == 1 && v->nodes <= height))
        return;
    form->kind = FORM_CELLS;
    v->name_width = NAME_WIDTH;
}

/* Rows for the groups of the selected rank. */
static int rows_below(const struct view *v, int height)
{
    int below = height >= 6 ? groups_of(v->grid) + 1 : 0;
    return below > height / 2 ? height / 2 : below;
}

/* Draws the devices into the clip; returns the rows used. */
static int draw_devices(struct view *v, struct canvas *canvas, int width, int height)
{
    struct device_form form;
    choose_form(v, width, height, &form);
    if (form.kind == FORM_CELLS) {
        draw_nodes(v, canvas, width, height);
        return height;
    }
    int shown = height / form.lines > 0 ? height / form.lines : 1;
    int top = page_top(line_of_rank(v, form.fold, form.count), form.count, shown);
    for (int i = 0; i < shown && top + i < form.count; i++)
        draw_node(v, canvas, i * form.lines, width, &form.fold[top + i]);
    return form.count < shown ? form.count * form.lines : shown * form.lines;
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    if (!ui->shown->is_computed) {
        pane_excuse(ui, canvas, width);
        return;
    }
    struct view v = view_of(ui);
    int below = rows_below(&v, height);
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
    snprintf(out, SUBTITLE_MAX, "label: %s (v)  %d GPU%s, %d node%s", labels[ui->label].name, g->world, g->world == 1 ? "" : "s",
             nodes, nodes == 1 ? "" : "s");
}

/* The node that lies where an arrow points from the selected one. */
static int node_beside(const struct ui *ui, struct view *v, int dx, int dy)
{
    struct rect rect = layout_find(&ui->layout, PANE_GRID);
    struct device_form form;
    int node = ui->rank / v->per_node, height = rect.height - 1, below = rows_below(v, height);
    choose_form(v, rect.width, height - below - (below > 0 && height > 10), &form);
    if (form.kind == FORM_LINES)
        return node + dy;
    if (form.kind == FORM_CELLS)
        return node + dx + dy * node_columns(v, rect.width);
    int line = line_of_rank(v, form.fold, form.count), next = row_within(line + dy, form.count);
    return next == line ? node : form.fold[next].first;
}

static bool has_cells(const struct ui *ui, struct view *v)
{
    struct rect rect = layout_find(&ui->layout, PANE_GRID);
    struct device_form form;
    int height = rect.height - 1, below = rows_below(v, height);
    choose_form(v, rect.width, height - below - (below > 0 && height > 10), &form);
    return form.kind == FORM_CELLS;
}

/* Arrows move as the picture does: through the devices of a node and through nodes; where nodes are cells, through those. */
static bool move(struct ui *ui, int dx, int dy)
{
    struct view v = view_of(ui);
    if (!ui->shown->is_computed)
        return false;
    bool is_cell = has_cells(ui, &v);
    int gpu = ui->rank % v.per_node + (is_cell ? 0 : dx), node = row_within(node_beside(ui, &v, dx, dy), v.nodes);
    if (gpu < 0 || gpu >= v.per_node)
        return false;
    int rank = node * v.per_node + gpu;
    bool is_moved = rank != ui->rank && rank < v.grid->world;
    if (is_moved)
        ui->rank = rank;
    return is_moved;
}

/* What the row of the selected rank means, and what its stage holds. */
static void describe(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    snprintf(out, UI_MESSAGE_MAX, "rank %d: # or :rank N goes to a rank from anywhere; Enter shows the memory of its stage; ! crosses nodes",
             ui->rank);
}

static bool path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    if (!ui->shown->is_computed || ui->shown->is_serving)
        return false;
    snprintf(out, EXPLAIN_PATH_MAX, "memory.stages.%d.device_bytes", rank_stage(&ui->shown->grid, ui->rank));
    return true;
}

static bool open(struct ui *ui)
{
    if (!ui->shown->is_computed || ui->shown->is_serving)
        return false;
    ui->stage = rank_stage(&ui->shown->grid, ui->rank);
    ui->view = PANE_MEMORY;
    return true;
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
    .is_steady = true, .name = "grid", .title = "Grid", .tab = "Grid", .key = '3', .wish = wish, .rows = rows_of, .subtitle = subtitle,
    .draw = draw, .path = path, .describe = describe, .move = move, .click = click, .open = open,
};
