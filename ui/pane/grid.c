/* The grid view: which rank sits on which device, and which ranks it talks to. */
#include "core/base.h"
#include "core/estimate/rank.h"
#include "core/estimate/stage_time.h"
#include "core/show/figure.h"
#include "core/show/line.h"
#include "core/show/link.h"
#include "core/show/ranks.h"
#include "ui/pane/lecture.h"
#include "ui/pane/links.h"
#include "ui/pane/members.h"
#include "ui/pane/pane.h"
#include "ui/pane/room.h"
#include "ui/widget/bar.h"
#include "ui/widget/rule.h"
#include "ui/widget/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FOLDS_MAX = 4096 /* more than any screen shows */, HEATS = 5, HEAD_LEAST = 14 /* rows */, FOLD_SCREENS = 4 };
enum { NAME_WIDTH = 6, FOLD_WIDTH = 21, RANKS_WIDTH = 16, VALUE_WIDTH = 8 }; /* columns */

/* What each label shows, and whose group is marked with it. */
static const struct {
    const char *name;
    enum rank_axis axis;
} labels[LABEL_COUNT] = {
    [LABEL_STAGE] = {"stage", AXIS_PP}, [LABEL_TP] = {"tp", AXIS_TP}, [LABEL_DP] = {"dp", AXIS_DP},
    [LABEL_CP] = {"cp", AXIS_CP},       [LABEL_EP] = {"ep", AXIS_EP}, [LABEL_EDP] = {"edp", AXIS_EDP},
    [LABEL_NODE] = {"node", AXIS_COUNT},
};

/* Everything that one drawing of the grid needs. */
struct view {
    const struct ui *ui;
    const struct rank_grid *grid;
    int nodes, per_node;
    int digits; /* of the largest label */
    int name_width;
    int cells;  /* of a node; 1 where all are alike and there is no room */
    double least, most; /* of what shades the cells */
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
    return (g->world + g->gpus_per_node - 1) / g->gpus_per_node;
}

/*
 * Where ranks stand needs no more than the layout; what a stage holds and does is unknown until the plan is computed.
 */
static bool has_grid(const struct ui *ui)
{
    static const enum rank_axis axes[] = {AXIS_TP, AXIS_CP, AXIS_PP, AXIS_DP};
    const struct rank_grid *g = &ui->shown->grid;
    double ranks = 1;
    for (size_t i = 0; i < LENGTH(axes); i++)
        ranks *= g->size[axes[i]];
    return ui->shown->is_computed ||
           (g->world > 0 && ranks == g->world && g->gpus_per_node > 0 && g->size[AXIS_PP] <= STAGES_MAX);
}

static double memory_bytes(const struct estimate *e, int stage)
{
    return stage < e->stages ? e->stage[stage].device_bytes : NAN;
}

static double busy_s(const struct estimate *e, int stage)
{
    struct stage_time time;
    if (stage >= e->stages)
        return NAN;
    stage_time_of(e, stage, &time);
    return time.busy_s;
}

static double heat_value(const struct ui *ui, int stage)
{
    return ui->heat == HEAT_MEMORY ? memory_bytes(ui->shown, stage) : busy_s(ui->shown, stage);
}

static void measure_heat(struct view *v)
{
    v->least = INFINITY;
    v->most = -INFINITY;
    for (int i = 0; v->ui->heat != HEAT_OFF && i < v->ui->shown->stages; i++) {
        v->least = fmin(v->least, heat_value(v->ui, i));
        v->most = fmax(v->most, heat_value(v->ui, i));
    }
}

/* 0 for the least, HEATS - 1 for the most; -1 where cells are not shaded. */
static int heat_of(const struct view *v, int rank)
{
    if (v->ui->heat == HEAT_OFF || !(v->most > v->least))
        return -1;
    double share = (heat_value(v->ui, rank_stage(v->grid, rank)) - v->least) / (v->most - v->least);
    return share >= 1 ? HEATS - 1 : (int)(share * HEATS);
}

static struct view view_of(const struct ui *ui)
{
    const struct rank_grid *g = &ui->shown->grid;
    struct view v = {.ui = ui, .grid = g, .nodes = node_count(g)};
    v.per_node = g->gpus_per_node < g->world ? g->gpus_per_node : g->world;
    enum rank_axis axis = labels[ui->label].axis;
    v.digits = digits_of(axis == AXIS_COUNT ? v.nodes - 1 : g->size[axis] - 1);
    v.name_width = NAME_WIDTH;
    v.cells = v.per_node;
    measure_heat(&v);
    return v;
}

static int label_of(const struct view *v, int rank)
{
    enum rank_axis axis = labels[v->ui->label].axis;
    return axis == AXIS_COUNT ? rank / v->grid->gpus_per_node : rank / v->grid->stride[axis] % v->grid->size[axis];
}

/* The axis whose group is marked. */
static enum rank_axis marked_axis(const struct ui *ui)
{
    return ui->group > 0 ? (enum rank_axis)(ui->group - 1) : labels[ui->label].axis;
}

/* True when a rank belongs to the marked group of the selected one. */
static bool is_marked(const struct view *v, int rank)
{
    enum rank_axis axis = marked_axis(v->ui);
    if (axis == AXIS_COUNT)
        return rank / v->grid->gpus_per_node == v->ui->rank / v->grid->gpus_per_node;
    return v->grid->size[axis] > 1 && rank_group_of(v->grid, axis, rank) == rank_group_of(v->grid, axis, v->ui->rank);
}

/* ---- one line for each node ------------------------------------------------------------------------------------- */

static bool has_rank_at(const struct view *v, const struct fold *fold, int gpu)
{
    int node = v->ui->rank / v->per_node;
    return node >= fold->first && node <= fold->last && v->ui->rank % v->per_node == gpu;
}

/* Whether any of the nodes has, in this place, a rank of the marked group. Places of members repeat after per_node. */
static bool has_group_at(const struct view *v, const struct fold *fold, int gpu)
{
    enum rank_axis axis = marked_axis(v->ui);
    int node = v->ui->rank / v->per_node, from = fold->first * v->per_node, to = (fold->last + 1) * v->per_node;
    if (axis == AXIS_COUNT)
        return node >= fold->first && node <= fold->last;
    int first = rank_group_of(v->grid, axis, v->ui->rank), stride = v->grid->stride[axis], size = v->grid->size[axis];
    int begin = from > first ? (from - first + stride - 1) / stride : 0;
    for (int i = begin; size > 1 && i < size && i < begin + v->per_node && first + i * stride < to; i++)
        if ((first + i * stride) % v->per_node == gpu)
            return true;
    return false;
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

static bool has_opened(const struct ui *ui)
{
    return ui->opened_for == ui->generation;
}

/* The last of the nodes from `node` on with the same labels: until one of its ranks passes on along the axis. */
static int last_alike(const struct view *v, int node)
{
    enum rank_axis axis = labels[v->ui->label].axis;
    int last = v->grid->world / v->per_node - 1; /* the node after it is not full */
    if (axis == AXIS_COUNT || node > last)
        return node;
    int stride = v->grid->stride[axis], size = v->grid->size[axis];
    if (size == 1 || v->per_node % rank_span(size, stride) == 0)
        return last;
    if (stride < v->per_node) {
        while (node < last && same_labels(v, node, node + 1))
            node++;
        return node;
    }
    for (int gpu = 0; gpu < v->per_node; gpu++) {
        int next = ((node * v->per_node + gpu) / stride + 1) * stride, least = (next - 1 - gpu) / v->per_node;
        last = least < last ? least : last;
    }
    return last;
}

/* Nodes in rows: those that look alike in one, or each in one of its own. */
struct rows {
    int count;  /* of rows */
    int ranges; /* FOLDS_MAX: maybe not all */
    struct fold range[FOLDS_MAX];
    int row[FOLDS_MAX + 1]; /* the first of each range, which has one or as many as it has nodes */
};

static void fold_nodes(const struct view *v, bool folds, struct rows *out)
{
    out->count = out->ranges = 0;
    for (int node = 0; node < v->nodes && out->ranges < FOLDS_MAX;) {
        bool is_each = !folds || (has_opened(v->ui) && node >= v->ui->opened.first && node <= v->ui->opened.last);
        int last = is_each ? (folds ? v->ui->opened.last : v->nodes - 1) : last_alike(v, node);
        if (!is_each && has_opened(v->ui) && node < v->ui->opened.first && last >= v->ui->opened.first)
            last = v->ui->opened.first - 1;
        last = last < v->nodes ? last : v->nodes - 1;
        out->range[out->ranges] = (struct fold){node, last};
        out->row[out->ranges++] = out->count;
        out->count += is_each ? last - node + 1 : 1;
        node = last + 1;
    }
    out->row[out->ranges] = out->count;
}

/* The nodes in a row. */
static struct fold nodes_in(const struct rows *rows, int row)
{
    int i = 0;
    while (rows->row[i + 1] <= row)
        i++;
    int node = rows->range[i].first + row - rows->row[i];
    return rows->row[i + 1] - rows->row[i] > 1 ? (struct fold){node, node} : rows->range[i];
}

/* A cell that begins with this rank; `more`: others in it have other labels. The marks of heat are those of a sweep;
 * in the marked group they close the bracket: of folded nodes all cells may be in it. */
static void draw_label(const struct view *v, struct canvas *canvas, int x, int y, int rank, int label, bool is_here,
                       bool is_group, const char *more)
{
    int heat = is_here ? -1 : heat_of(v, rank);
    enum role role = is_here     ? ROLE_SELECTED
                     : heat >= 0 ? (enum role)(ROLE_HEAT1 + heat)
                     : is_group  ? ROLE_GROUP
                                 : ROLE_TEXT;
    char begin = is_here    ? '['
                 : is_group ? '('
                            : ' ',
         end = is_here     ? ']'
               : heat >= 0 ? ".:-=#"[heat]
               : is_group  ? ')'
                           : ' ';
    canvas_format(canvas, x, y, role, "%c%*d%s%c", begin, v->digits, label, more, end);
}

static void draw_cell(const struct view *v, struct canvas *canvas, int x, int y, const struct fold *fold, int gpu)
{
    bool is_here = false, is_group = false;
    for (int i = gpu; i < gpu + v->per_node / v->cells; i++) {
        is_here |= has_rank_at(v, fold, i);
        is_group |= has_group_at(v, fold, i);
    }
    int rank = fold->first * v->per_node + gpu;
    draw_label(v, canvas, x, y, rank, label_of(v, rank), is_here, is_group && !is_here, "");
}

/* Cells that fit in one line. */
static int cells_per_line(const struct view *v, int width)
{
    int cells = (width - v->name_width) / (v->digits + 2);
    return cells < 1 ? 1 : cells > v->cells ? v->cells : cells;
}

/* What stands right of the cells where there is room: ranks, memory and time of their stage. */
static void draw_figures(const struct view *v, struct canvas *canvas, int x, int y, int width, const struct fold *fold)
{
    const struct estimate *e = v->ui->shown;
    int first = fold->first * v->per_node, last = (fold->last + 1) * v->per_node - 1,
        stage = rank_stage(v->grid, first);
    last = last < v->grid->world ? last : v->grid->world - 1;
    if (x + RANKS_WIDTH <= width)
        canvas_format(canvas, x + 2, y, ROLE_MUTED, "%6d - %d", first, last);
    x += VALUE_WIDTH + (x + RANKS_WIDTH <= width ? RANKS_WIDTH : 0);
    if (v->ui->label != LABEL_STAGE || e->is_serving || x >= width)
        return;
    canvas_right(canvas, x, y, ROLE_TEXT, units_figure(FIGURE_GIB, memory_bytes(e, stage)).text);
    canvas_text(canvas, x, y, ROLE_TEXT, e->is_computed && stage == e->peak_stage ? "*" : " ");
    if (x + VALUE_WIDTH + 2 <= width)
        canvas_right(canvas, x + VALUE_WIDTH + 2, y, ROLE_TEXT, figure(FIGURE_SECONDS, busy_s(e, stage)).text);
}

/* "n512 - n639 x128", its cells, and the ranks on it. */
static void draw_node(const struct view *v, struct canvas *canvas, int y, int width, const struct fold *fold)
{
    int cells = cells_per_line(v, width), end = v->name_width + cells * (v->digits + 2);
    enum { PADDED_MOST = 9999 };
    char name[40];
    bool is_folded = fold->first != fold->last;
    snprintf(name, sizeof name,
             !is_folded                 ? "n%d"
             : fold->last > PADDED_MOST ? "n%d-n%d x%d"
                                        : "n%-5d- n%-5d x%d",
             fold->first, fold->last, fold->last - fold->first + 1);
    canvas_fit(canvas, 0, y, v->name_width, ROLE_MUTED, name);
    for (int gpu = 0; gpu < v->cells; gpu++)
        if (fold->first * v->per_node + gpu < v->grid->world)
            draw_cell(v, canvas, v->name_width - 1 + gpu % cells * (v->digits + 2), y + gpu / cells, fold, gpu);
    draw_figures(v, canvas, end, y, width, fold);
}

/* What the columns are. */
static void draw_head(const struct view *v, struct canvas *canvas, int width)
{
    int cells = cells_per_line(v, width), x = v->name_width + cells * (v->digits + 2);
    canvas_text(canvas, 0, 0, ROLE_MUTED, "node");
    if (v->cells == cells && cells > 1)
        for (int gpu = 0; gpu < cells; gpu++)
            canvas_format(canvas, v->name_width + gpu * (v->digits + 2), 0, ROLE_MUTED, "%*d", v->digits, gpu);
    if (x + RANKS_WIDTH <= width)
        canvas_right(canvas, x + 8, 0, ROLE_MUTED, "ranks");
    x += VALUE_WIDTH + (x + RANKS_WIDTH <= width ? RANKS_WIDTH : 0);
    if (v->ui->label == LABEL_STAGE && !v->ui->shown->is_serving && x < width)
        canvas_right(canvas, x, 0, ROLE_MUTED, units_name());
    if (v->ui->label == LABEL_STAGE && !v->ui->shown->is_serving && x + VALUE_WIDTH + 2 <= width)
        canvas_right(canvas, x + VALUE_WIDTH + 2, 0, ROLE_MUTED, "busy");
}

static int line_of_rank(const struct view *v, const struct rows *rows)
{
    int node = v->ui->rank / v->per_node, i = 0;
    while (i + 1 < rows->ranges && node > rows->range[i].last)
        i++;
    bool is_each = rows->row[i + 1] - rows->row[i] > 1;
    return rows->row[i] + (is_each ? node - rows->range[i].first : 0);
}

/* ---- one cell for each node ------------------------------------------------------------------------------------- */

static void draw_node_cell(const struct view *v, struct canvas *canvas, int x, int y, int node)
{
    int first = node * v->per_node, last = first + v->per_node - 1;
    last = last < v->grid->world ? last : v->grid->world - 1;
    bool is_here = v->ui->rank >= first && v->ui->rank <= last, is_group = !is_here && has_mark(v, node);
    bool is_uniform = true;
    for (int rank = first; rank <= last; rank++)
        is_uniform &= label_of(v, rank) == label_of(v, first);
    draw_label(v, canvas, x, y, first, label_of(v, first), is_here, is_group, is_uniform ? "" : "+");
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
        canvas_format(canvas, 0, line, ROLE_MUTED, "n%d", first);
        for (int i = 0; i < columns && first + i < v->nodes; i++)
            draw_node_cell(v, canvas, NAME_WIDTH - 1 + i * cell, line, first + i);
    }
}

/* ---- stages side by side ---------------------------------------------------------------------------------------- */

enum { SIDE = 9 /* columns of the rows' names */, ARROW = 4, BY_STAGES_LEAST = 100 /* columns */ };

/* The pipeline's stages beside each other, each with a row for the GPUs of each of its nodes. */
struct by_stages {
    int stages, rows, per_box; /* boxes, rows of each, GPUs of a row */
    enum rank_axis axis;       /* whose number a GPU has */
    int cell, pitch, high;     /* columns of a GPU and from box to box, lines of a row */
};

/* Line mode has no pictures. */
static bool has_page(const struct view *v, int width)
{
    return !pane_is_beside(v->ui) && width >= BY_STAGES_LEAST && !v->ui->draws_lines;
}

/* False if there is no room, or the ranks of a stage are not consecutive. */
static bool stages_fit(const struct view *v, int width, int height, struct by_stages *out)
{
    enum { ROOMY = 3, TIGHT = 2 };
    const struct rank_grid *g = v->grid;
    int gpus = g->world / g->size[AXIS_PP], per_box = gpus < v->per_node ? gpus : v->per_node;
    enum rank_axis axis = g->size[AXIS_TP] > 1 ? AXIS_TP : g->size[AXIS_EP] > 1 ? AXIS_EP : AXIS_DP;
    int rows = per_box > 0 ? gpus / per_box : 0, cell = digits_of(g->size[axis] - 1) + 2;
    *out = (struct by_stages){g->size[AXIS_PP], rows, per_box, axis, cell, per_box * cell + ARROW,
                              1 + ROOMY * rows <= height ? ROOMY : TIGHT};
    return v->ui->label == LABEL_STAGE && has_page(v, width) && g->world > 1 && rows > 0 && !g->pp_inside_dp &&
           gpus % per_box == 0 && SIDE + out->stages * out->pitch - ARROW <= width && 1 + TIGHT * rows <= height;
}

/* "dp 0", "dp 0-3": the copies of the model that a row has, where there are several. */
static void draw_copies(const struct view *v, struct canvas *canvas, int y, int first, int last)
{
    struct rank_place from, to;
    rank_place_of(v->grid, first, &from);
    rank_place_of(v->grid, last, &to);
    if (v->grid->size[AXIS_DP] > 1)
        canvas_format(canvas, 0, y, ROLE_MUTED, from.at[AXIS_DP] < to.at[AXIS_DP] ? "dp %d-%d" : "dp %d",
                      from.at[AXIS_DP], to.at[AXIS_DP]);
}

/* The GPUs of a row of a stage, by their number along an axis, below the node that they are on. */
static void draw_box(const struct view *v, struct canvas *canvas, int x, int y, const struct by_stages *b, int first)
{
    struct view digits = *v;
    digits.digits = b->cell - 2;
    canvas_format(canvas, x + 1, y, ROLE_MUTED, "node %d", first / v->grid->gpus_per_node);
    for (int rank = first; rank < first + b->per_box; rank++) {
        bool is_here = rank == v->ui->rank;
        draw_label(&digits, canvas, x + (rank - first) * b->cell, y + 1, rank,
                   rank / v->grid->stride[b->axis] % v->grid->size[b->axis], is_here, !is_here && is_marked(v, rank),
                   "");
    }
}

static void draw_by_stages(const struct view *v, struct canvas *canvas, const struct by_stages *b)
{
    const struct estimate *e = v->ui->shown;
    for (int stage = 0; stage < b->stages; stage++) {
        int x = SIDE + stage * b->pitch, at = canvas_format(canvas, x + 1, 0, ROLE_TEXT, "stage %d", stage);
        if (e->is_computed && !e->is_serving)
            canvas_format(canvas, at + 2, 0, stage == e->peak_stage ? ROLE_STRONG : ROLE_MUTED, "%s %s",
                          units_figure(FIGURE_GIB, memory_bytes(e, stage)).text, units_name());
        for (int row = 0; row < b->rows; row++) {
            int first = (stage * b->rows + row) * b->per_box, y = 1 + row * b->high;
            draw_box(v, canvas, x, y, b, first);
            if (stage == 0)
                draw_copies(v, canvas, y + 1, first, first + b->per_box - 1);
            if (stage + 1 < b->stages)
                canvas_text(canvas, x + b->pitch - ARROW / 2 - 1, y + 1, ROLE_FAINT,
                            canvas->ascii ? ">" : "\xe2\x86\x92");
        }
    }
}

/* The rank at a cell; -1 for none. */
static int rank_by_stages(const struct by_stages *b, int x, int y)
{
    int stage = x < SIDE ? b->stages : (x - SIDE) / b->pitch, gpu = x < SIDE ? 0 : (x - SIDE) % b->pitch / b->cell;
    int row = y < 1 ? b->rows : (y - 1) / b->high;
    return stage < b->stages && gpu < b->per_box && row < b->rows ? (stage * b->rows + row) * b->per_box + gpu : -1;
}

/* Memory use and busy time of the nodes of each stage. */
static void draw_fullness(const struct view *v, struct canvas *canvas, int y, int width, int height)
{
    enum { STAGE = 16, BAR = 28, FIGURES = 34 };
    const struct estimate *e = v->ui->shown;
    const struct rule rule = {.name = "Nodes", .about = "those of a stage are alike|", .note = ""};
    int gpus = v->grid->world / v->grid->size[AXIS_PP], room = width - BAR - FIGURES;
    if (!has_page(v, width) || !e->is_computed || e->is_serving || height < 1 + e->stages || v->grid->pp_inside_dp)
        return;
    rule_draw(canvas, y, width, &rule);
    for (int stage = 0; stage < e->stages; stage++) {
        int first = stage * gpus / v->grid->gpus_per_node, last = ((stage + 1) * gpus - 1) / v->grid->gpus_per_node;
        const struct bar_part part = {'=', stage == e->peak_stage ? ROLE_ACTIVATIONS : ROLE_STAYS,
                                      memory_bytes(e, stage), ""};
        const struct bar bar = {.part = &part, .parts = 1, .limit = e->usable_bytes,
                                .scale = bar_scale_of(e->usable_bytes, memory_bytes(e, e->peak_stage))};
        canvas_format(canvas, 0, ++y, ROLE_MUTED, first < last ? "nodes %d-%d" : "node %d", first, last);
        canvas_format(canvas, STAGE, y, ROLE_TEXT, "stage %d", stage);
        bar_draw(&bar, canvas, (struct rect){BAR, y, room, 1});
        canvas_format(canvas, BAR + room + 2, y, ROLE_TEXT, "%6s %s   busy %s",
                      units_figure(FIGURE_GIB, memory_bytes(e, stage)).text, units_name(),
                      figure(FIGURE_SECONDS, busy_s(e, stage)).text);
    }
}

/* ---- groups of the selected rank -------------------------------------------------------------------------------- */

/* What a stage's GPU spends on an axis, and sends along it. */
static void say_traffic(const struct view *v, enum rank_axis axis, int stage, char *out, size_t size)
{
    static const enum comm_dim dims[AXIS_COUNT] = {
        [AXIS_TP] = COMM_TP, [AXIS_CP] = COMM_CP, [AXIS_DP] = COMM_DP, [AXIS_PP] = COMM_PP, [AXIS_EP] = COMM_EP,
        [AXIS_EDP] = COMM_EDP, [AXIS_ETP] = COMM_ETP};
    struct comm_table comm;
    double seconds = 0, bytes = 0;
    out[0] = '\0';
    if (v->ui->shown->is_serving || !v->ui->shown->is_modelled || !v->ui->shown->is_computed)
        return;
    estimate_comm_table(v->ui->shown, stage, &comm);
    for (int i = 0; i < comm.count; i++)
        if (comm_rows[comm.present[i]].dim == dims[axis]) {
            seconds += comm.row[comm.present[i]].exposed_s;
            bytes += comm.row[comm.present[i]].sent_bytes_per_rank;
        }
    snprintf(out, size, "%8s %9s", figure(FIGURE_SECONDS, seconds).text, units_figure(FIGURE_BYTES, bytes).text);
}

/* Nodes on which a group has members. */
static int nodes_of(const struct rank_grid *g, int first, int count, int stride)
{
    int nodes = 1;
    for (int i = 1; i < count; i++)
        nodes += (first + i * stride) / g->gpus_per_node != (first + (i - 1) * stride) / g->gpus_per_node;
    return nodes;
}

/* Traffic of a group, and its frequency. */
static const char *reason_of(const struct plan *plan, enum rank_axis axis)
{
    static const char *const reasons[AXIS_COUNT] = {
        [AXIS_TP] = "twice a layer, each way", [AXIS_CP] = "keys and values, each layer",
        [AXIS_DP] = "gradients, once", [AXIS_PP] = "each micro-batch", [AXIS_EP] = "tokens to their experts",
        [AXIS_EDP] = "gradients of experts, once", [AXIS_ETP] = "within experts, each way"};
    if (axis == AXIS_DP && plan->value[PARAM_parallel_fsdp] > 0)
        return "weights, gradients, by layer";
    return axis == AXIS_DP && plan->value[PARAM_parallel_zero_stage] > 0 ? "gradients, then weights" : reasons[axis];
}

static void draw_group(const struct view *v, struct canvas *canvas, int y, int width, enum rank_axis axis)
{
    enum { LINK_ROOM = 90, REASON_LEAST = 110, REASON = 30 };
    const struct rank_grid *g = v->grid;
    int first = rank_group_of(g, axis, v->ui->rank), last = first + (g->size[axis] - 1) * g->stride[axis];
    bool crosses = first / g->domain != last / g->domain;
    char members[96], traffic[48], link[32];
    int link_width = width >= LINK_ROOM ? 20 : 9;
    say_traffic(v, axis, rank_stage(g, v->ui->rank), traffic, sizeof traffic);
    snprintf(link, sizeof link, "%s", link_inside(&v->ui->shown->plan));
    if (crosses)
        snprintf(link, sizeof link, width >= LINK_ROOM ? "network, %d nodes" : "network",
                 nodes_of(g, first, g->size[axis], g->stride[axis]));
    bool is_shown_above = axis == marked_axis(v->ui), has_reason = width >= REASON_LEAST;
    int x = canvas_format(canvas, 0, y, ROLE_TEXT, is_shown_above ? "(%s)" : "%s", rank_axis_names[axis]);
    x = canvas_format(canvas, x > 5 ? x : 5, y, ROLE_TEXT, "%4d  ", g->size[axis]);
    int room = width - x - link_width - (width >= 50 ? 19 : 0) - (has_reason ? REASON : 0);
    ranks_write(g, axis, v->ui->rank, room, members, sizeof members);
    canvas_fit(canvas, x, y, room, ROLE_TEXT, members);
    canvas_fit(canvas, x + room + 1, y, link_width - 1, crosses ? ROLE_WARN : ROLE_TEXT, link);
    if (has_reason)
        canvas_text(canvas, x + room + link_width + 1, y, ROLE_MUTED, reason_of(&v->ui->shown->plan, axis));
    if (width >= 50)
        canvas_right(canvas, width, y, ROLE_TEXT, traffic);
    if (axis == members_axis(v->ui) && pane_has_focus(v->ui, PANE_GRID))
        canvas_paint(canvas, 0, y, width, ROLE_FOCUS, 0);
}

enum { LINES_BELOW = 5 /* beside the groups: the rank, axes of one, the world */ };

static int groups_of(const struct rank_grid *g)
{
    int count = 0;
    for (int axis = 0; axis < AXIS_COUNT; axis++)
        count += ranks_has_group(g, (enum rank_axis)axis);
    return count;
}

/*
 * " (chunks 4, 20, 36 .. 116)": the pieces of the pipeline that a stage runs, where they are several and there is room.
 */
static int say_chunks(const struct view *v, int stage, int width, char *out, size_t size)
{
    enum { ROOM = 80 };
    int chunks = (int)v->ui->shown->schedule.chunks, stages = v->ui->shown->stages;
    if (chunks < 2 || width < ROOM || v->ui->shown->is_serving)
        return 0;
    if (chunks <= 3)
        return snprintf(out, size, chunks == 2 ? " (chunks %d, %d)" : " (chunks %d, %d, %d)", stage, stage + stages,
                        stage + 2 * stages);
    return snprintf(out, size, " (chunks %d, %d, %d .. %d)", stage, stage + stages, stage + 2 * stages,
                    stage + (chunks - 1) * stages);
}

/* True along an axis of one, that of experts where there are any. */
static bool is_alone(const struct view *v, enum rank_axis axis)
{
    bool has_experts = v->ui->shown->plan.value[PARAM_model_num_experts] > 0;
    return axis < AXIS_EDP && v->grid->size[axis] == 1 && (axis != AXIS_EP || has_experts);
}

enum { WORLD_MAX = 48 /* bytes */ };

static void say_world(const struct rank_grid *g, char out[WORLD_MAX])
{
    snprintf(out, WORLD_MAX, g->world > 1 ? "world %d: 0-%d" : "world %d", g->world, g->world - 1);
}

/* "alone in cp; edp as dp; world 64: 0-63", from one part to the next as far as there is room. */
static void draw_rest(const struct view *v, struct canvas *canvas, int y, int width)
{
    const struct rank_grid *g = v->grid;
    char alone[48] = "", world[WORLD_MAX];
    size_t used = 0;
    for (int axis = 0; axis < AXIS_COUNT; axis++)
        if (is_alone(v, (enum rank_axis)axis))
            used += (size_t)snprintf(alone + used, sizeof alone - used, "%s%s", used ? " " : "alone in ",
                                     rank_axis_names[axis]);
    say_world(g, world);
    const char *parts[] = {alone, ranks_has_group(g, AXIS_EDP) ? "" : "edp as dp", world};
    for (size_t i = 0, x = 0; i < LENGTH(parts); i++) {
        const char *between = x && *parts[i] ? "; " : "";
        if (*parts[i] && (int)(x + strlen(between) + strlen(parts[i])) <= width)
            x = (size_t)canvas_format(canvas, (int)x, y, ROLE_MUTED, "%s%s", between, parts[i]);
    }
}

/* The same with a row each, and what marks mean, where there is room for them; false where there is not. */
static bool draw_each(const struct view *v, struct canvas *canvas, int y, int width, int height)
{
    const struct rank_grid *g = v->grid;
    bool has_experts = v->ui->shown->plan.value[PARAM_model_num_experts] > 0, has_edp = ranks_has_group(g, AXIS_EDP);
    enum { MARKS_WIDTH = 50 };
    int needed = 1 + !has_edp, end = y + height;
    char world[WORLD_MAX];
    for (int axis = 0; axis < AXIS_COUNT; axis++)
        needed += is_alone(v, (enum rank_axis)axis);
    if (needed > height)
        return false;
    for (int axis = 0; axis < AXIS_COUNT; axis++)
        if (is_alone(v, (enum rank_axis)axis))
            canvas_format(canvas, 0, y++, ROLE_MUTED, "%-5s   1  -", rank_axis_names[axis]);
    if (!has_edp)
        canvas_fit(canvas, 0, y++, width, ROLE_MUTED,
                   has_experts || width < 37 ? "edp     -  the same as dp" : "edp     -  the same as dp: no experts");
    say_world(g, world);
    canvas_text(canvas, 0, y++, ROLE_MUTED, world);
    if (y < end && !has_page(v, width)) /* whose title says it */
        canvas_fit(canvas, 0, y, width, ROLE_MUTED,
                   width < MARKS_WIDTH ? "[ ] here  ( ) one group"
                                       : "[ ] here  ( ) in one group with it");
    return true;
}

/* The selected rank, and what its stage holds: a title where the view has the screen. */
static void draw_rank(const struct view *v, struct canvas *canvas, int y, int width, const char *text,
                      const struct rank_place *at)
{
    char held[48] = "", name[32], about[280];
    struct rule rule = {.name = name, .about = about, .note = held};
    if (!v->ui->shown->is_serving)
        snprintf(held, sizeof held, "%s %s", units_figure(FIGURE_GIB, memory_bytes(v->ui->shown, at->at[AXIS_PP])).text,
                 units_name());
    if (has_page(v, width)) {
        struct text_line line = line_in(about, sizeof about);
        const char *place = strstr(text, ": ");
        snprintf(name, sizeof name, "Rank %d", at->rank);
        line_add(&line, "node %d, GPU %d%s; [ ] here, ( ) in one group with it|", at->node, at->gpu, place);
        line_add(&line, "node %d, GPU %d%s", at->node, at->gpu, place);
        rule_draw(canvas, y, width, &rule);
        return;
    }
    int x = canvas_fit(canvas, 0, y, width, ROLE_TITLE, text);
    if (x + 2 + (int)strlen(held) <= width)
        canvas_right(canvas, width, y, ROLE_TITLE, held);
}

static void draw_groups(const struct view *v, struct canvas *canvas, int y, int width, int height)
{
    struct rank_place at;
    rank_place_of(v->grid, v->ui->rank, &at);
    if (height < 1)
        return;
    char text[160];
    int used = snprintf(text, sizeof text, "rank %d = n%d g%d: stage %d", at.rank, at.node, at.gpu, at.at[AXIS_PP]);
    used += say_chunks(v, at.at[AXIS_PP], width, text + used, sizeof text - (size_t)used);
    static const enum rank_axis axes[] = {AXIS_TP, AXIS_CP, AXIS_EP, AXIS_DP};
    for (size_t i = 0; i < LENGTH(axes); i++)
        if (v->grid->size[axes[i]] > 1)
            used +=
                snprintf(text + used, sizeof text - (size_t)used, " %s %d", rank_axis_names[axes[i]], at.at[axes[i]]);
    draw_rank(v, canvas, y, width, text, &at);
    for (int axis = 0; axis < AXIS_COUNT; axis++)
        if (ranks_has_group(v->grid, (enum rank_axis)axis) && --height > 0)
            draw_group(v, canvas, ++y, width, (enum rank_axis)axis);
    if (--height > 0 && !draw_each(v, canvas, y + 1, width, height))
        draw_rest(v, canvas, y + 1, width);
}

/* ---- the view --------------------------------------------------------------------------------------------------- */

/* How the devices are drawn: the most detailed form that fits. */
struct device_form {
    enum { FORM_LINES, FORM_FOLDS, FORM_CELLS, FORM_STAGES } kind;
    int lines; /* of a row */
    struct by_stages by;
    struct rows rows;
};

/* True when all devices of each node have the same label. */
static bool has_like_cells(const struct view *v)
{
    enum rank_axis axis = labels[v->ui->label].axis;
    return axis == AXIS_COUNT || v->grid->size[axis] == 1 || v->grid->stride[axis] >= v->grid->world ||
           v->grid->stride[axis] % v->per_node == 0;
}

static void choose_form(struct view *v, int width, int height, struct device_form *form)
{
    form->kind = FORM_LINES;
    form->lines = (v->cells + cells_per_line(v, width) - 1) / cells_per_line(v, width);
    fold_nodes(v, false, &form->rows);
    if (stages_fit(v, width, height, &form->by))
        form->kind = FORM_STAGES;
    if (form->kind == FORM_STAGES || v->nodes * form->lines <= height)
        return;
    bool has_room = width >= FOLD_WIDTH + v->per_node * (v->digits + 2);
    form->kind = FORM_FOLDS;
    fold_nodes(v, true, &form->rows);
    bool is_all_open = has_opened(v->ui) && form->rows.count == v->nodes;
    v->cells = is_all_open || has_room || !has_like_cells(v) ? v->per_node : 1;
    v->name_width = !is_all_open && (has_room || v->cells == 1) ? FOLD_WIDTH : NAME_WIDTH;
    form->lines = (v->cells + cells_per_line(v, width) - 1) / cells_per_line(v, width);
    if (form->rows.ranges * form->lines <= FOLD_SCREENS * height || (v->per_node == 1 && v->nodes <= height))
        return;
    form->kind = FORM_CELLS;
    v->name_width = NAME_WIDTH;
    v->cells = v->per_node;
}

/* Rows for the groups of the selected rank. */
static int rows_below(const struct view *v, int height)
{
    int below = height >= 6 ? groups_of(v->grid) + 1 + (height >= HEAD_LEAST) : 0;
    bool is_glance = pane_is_beside(v->ui) && !pane_has_focus(v->ui, PANE_GRID) && height < HEAD_LEAST;
    if (is_glance && v->nodes <= height && v->nodes + below > height)
        return height - v->nodes > 2 ? height - v->nodes : 0; /* the devices first */
    return below > height / 2 ? height / 2 : below;
}

/* Rows that the devices have, their head not counted. */
static int device_rows(const struct view *v, int height, int *head)
{
    int below = rows_below(v, height);
    *head = height >= HEAD_LEAST;
    return height - *head - below - (below > 0 && height > 10);
}

/* Rows that the devices take, or the members of a group in their place. */
static int rows_used(const struct view *v, const struct device_form *form, int rows, int head)
{
    int shown = rows / form->lines > 0 ? rows / form->lines : 1;
    if (members_are_open(v->ui) || form->kind == FORM_CELLS)
        return rows + head;
    if (form->kind == FORM_STAGES) /* without the blank line behind the last row */
        return form->by.rows * form->by.high + (form->by.high < 3);
    return head + (form->rows.count < shown ? form->rows.count : shown) * form->lines;
}

static void draw_lines(const struct view *v, struct canvas *canvas, int width, int rows, int head,
                       const struct device_form *form)
{
    int shown = rows / form->lines > 0 ? rows / form->lines : 1;
    int count = form->rows.count, top = page_top(line_of_rank(v, &form->rows), count, shown);
    if (head)
        draw_head(v, canvas, width);
    for (int i = 0; i < shown && top + i < count; i++) {
        struct fold nodes = nodes_in(&form->rows, top + i);
        draw_node(v, canvas, head + i * form->lines, width, &nodes);
    }
    if (shown < count) /* in the blank line above the groups; where there is none the groups draw over it */
        canvas_format(canvas, 0, head + shown * form->lines, ROLE_MUTED, "%d more", count - shown);
}

/* Draws the devices; returns the rows used. */
static int draw_devices(struct view *v, struct canvas *canvas, int width, int height)
{
    struct device_form form;
    int head, rows = device_rows(v, height, &head);
    choose_form(v, width, rows, &form);
    if (members_are_open(v->ui))
        members_draw(v->ui, canvas, width, rows + head);
    else if (form.kind == FORM_CELLS)
        draw_nodes(v, canvas, width, rows + head);
    else if (form.kind == FORM_STAGES)
        draw_by_stages(v, canvas, &form.by);
    else
        draw_lines(v, canvas, width, rows, head, &form);
    return rows_used(v, &form, rows, head);
}

/* Beside others one GPU talks to nobody: what is the largest that fits on it, once that is known. */
static bool is_room(const struct ui *ui)
{
    return ui->shown->grid.world == 1 && pane_is_beside(ui) && !pane_has_focus(ui, PANE_GRID) && room_is_known(ui);
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    if (is_room(ui)) {
        room_draw(ui, canvas, width, height);
        return;
    }
    if (!has_grid(ui)) {
        pane_draw_unavailable(ui, canvas, width, PANE_GRID);
        return;
    }
    if (pane_is_beside(ui) && !pane_has_focus(ui, PANE_GRID)) {
        links_draw(ui, canvas, width, height);
        return;
    }
    if (pane_is_lecture(ui)) {
        lecture_devices(ui, canvas, width, height);
        return;
    }
    struct view v = view_of(ui);
    int used = draw_devices(&v, canvas, width, height);
    if (rows_below(&v, height) == 0)
        return;
    int y = used + (height > 10), rows = groups_of(v.grid) + LINES_BELOW;
    draw_groups(&v, canvas, y, width, height - y);
    draw_fullness(&v, canvas, y + rows + 1, width, height - y - rows - 1);
}

static int rows_of(const struct ui *ui)
{
    return has_grid(ui) ? node_count(&ui->shown->grid) : 0;
}

static int wish(const struct ui *ui)
{
    int nodes = rows_of(ui);
    return 1 + 1 + (nodes > 16 ? 16 : nodes) + 2 + (nodes ? groups_of(&ui->shown->grid) + 1 : 0) + 1;
}

/* The form on the screen; returns the rows that devices have, their head not counted. */
static int form_here(const struct ui *ui, struct view *v, struct device_form *form, int *head)
{
    struct rect rect = pane_inside(ui, PANE_GRID);
    int rows = device_rows(v, rect.height, head);
    choose_form(v, rect.width, rows, form);
    return rows;
}

/* What the shades of the cells mean; "" where they have none. */
static void say_heat(const struct ui *ui, char *out, size_t size)
{
    struct view v = view_of(ui);
    enum figure_kind kind = ui->heat == HEAT_MEMORY ? FIGURE_GIB : FIGURE_SECONDS;
    out[0] = '\0';
    if (v.most > v.least)
        snprintf(out, size, "%s %s . : - = # %s", ui->heat == HEAT_MEMORY ? units_name() : "busy",
                 units_figure(kind, v.least).text, units_figure(kind, v.most).text);
    else if (ui->heat != HEAT_OFF)
        snprintf(out, size, "%s alike on all stages", ui->heat == HEAT_MEMORY ? "memory" : "busy time");
}

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    const struct rank_grid *g = &ui->shown->grid;
    bool is_glance = pane_is_beside(ui) && !pane_has_focus(ui, PANE_GRID),
         has_heat = !is_glance && ui->heat != HEAT_OFF && ui->shown->is_computed && !ui->shown->is_serving;
    int nodes = (g->world + g->gpus_per_node - 1) / g->gpus_per_node;
    char size[64], label[48];
    snprintf(size, sizeof size, "%s GPU%s, %s node%s", figure(FIGURE_EXACT, g->world).text, g->world == 1 ? "" : "s",
             figure(FIGURE_EXACT, nodes).text, nodes == 1 ? "" : "s");
    if (has_heat)
        say_heat(ui, size, sizeof size);
    struct view v = view_of(ui);
    struct device_form form = {.kind = FORM_LINES};
    int head;
    if (!is_glance)
        form_here(ui, &v, &form, &head);
    bool is_diagram = form.kind == FORM_STAGES;
    snprintf(label, sizeof label, "digit: %s%s (v)",
             is_diagram ? rank_axis_names[form.by.axis] : labels[ui->label].name, is_diagram ? " rank" : "");
    if (is_room(ui) || pane_is_lecture(ui))
        snprintf(out, SUBTITLE_MAX, "the largest that fits|");
    else if (is_glance)
        snprintf(out, SUBTITLE_MAX, "%.60s|%s GPUs", size, figure(FIGURE_EXACT, g->world).text);
    else
        snprintf(out, SUBTITLE_MAX, "%.60s; %.40s|%.60s", size, label, has_heat ? size : label);
}

/* The node that lies where an arrow points from the selected one. */
static int node_beside(const struct view *v, const struct device_form *form, int dx, int dy)
{
    int node = v->ui->rank / v->per_node;
    if (form->kind == FORM_LINES)
        return node + dy;
    if (form->kind == FORM_CELLS)
        return node + dx + dy * node_columns(v, pane_inside(v->ui, PANE_GRID).width);
    int line = line_of_rank(v, &form->rows), next = row_within(line + dy, form->rows.count);
    return next == line ? node : nodes_in(&form->rows, next).first;
}

/* The axis of a row below the devices, counted from 0; AXIS_COUNT where there is none. */
static enum rank_axis axis_in_row(const struct rank_grid *g, int row)
{
    for (int axis = 0; axis < AXIS_COUNT; axis++)
        if (ranks_has_group(g, (enum rank_axis)axis) && row-- == 0)
            return (enum rank_axis)axis;
    return AXIS_COUNT;
}

static int row_of_axis(const struct rank_grid *g, enum rank_axis axis)
{
    int row = 0;
    while (axis_in_row(g, row) != axis)
        row++;
    return row;
}

/* Selects a row of those of groups that are shown, or the devices above them. */
static bool select_group(struct ui *ui, const struct view *v, int row)
{
    int room = rows_below(v, pane_inside(ui, PANE_GRID).height) - 1;
    enum rank_axis axis = row < 0 ? AXIS_COUNT : axis_in_row(v->grid, row);
    if (row >= room || (row >= 0 && axis == AXIS_COUNT))
        return false;
    ui->group_row = row < 0 ? GROUP_ROW_NONE : GROUP_ROW_CHOSEN;
    ui->group = row < 0 ? ui->group : 1 + (int)axis;
    return true;
}

/* The rank where an arrow points from the selected one; -1 for none at the sides, -2 below. */
static int rank_beside(const struct view *v, const struct device_form *form, int dx, int dy)
{
    const struct by_stages *b = &form->by;
    int rank = v->ui->rank;
    if (form->kind != FORM_STAGES) {
        int gpu = rank % v->per_node + (form->kind == FORM_CELLS ? 0 : dx);
        int next = row_within(node_beside(v, form, dx, dy), v->nodes) * v->per_node + gpu;
        return gpu < 0 || gpu >= v->per_node ? -1 : next == rank || next >= v->grid->world ? -2 : next;
    }
    int stage = rank / b->per_box / b->rows, row = rank / b->per_box % b->rows + dy, gpu = rank % b->per_box + dx;
    stage += gpu < 0 ? -1 : gpu >= b->per_box;
    gpu = (gpu + b->per_box) % b->per_box;
    if (row < 0 || row >= b->rows)
        return -2;
    return stage < 0 || stage >= b->stages ? -1 : (stage * b->rows + row) * b->per_box + gpu;
}

/*
 * Arrows move as the picture does: through the devices of a node and through nodes, and down to their groups; where
 * nodes are cells, through those; among the members of a group that is open.
 */
static bool move(struct ui *ui, int dx, int dy)
{
    struct view v = view_of(ui);
    if (!has_grid(ui))
        return false;
    if (members_are_open(ui))
        return members_move(ui, pane_inside(ui, PANE_GRID).width, dx, dy);
    if (members_axis(ui) != AXIS_COUNT)
        return dy != 0 && select_group(ui, &v, row_of_axis(v.grid, members_axis(ui)) + dy);
    struct device_form form;
    int head;
    form_here(ui, &v, &form, &head);
    int rank = rank_beside(&v, &form, dx, dy);
    if (rank >= 0)
        ui->rank = rank;
    return rank >= 0 || (rank == -2 && dy > 0 && select_group(ui, &v, 0));
}

/* The nodes that are one line with the selected rank's, or all where they are cells; false where each has a line. */
static bool is_folded(const struct ui *ui, struct fold *out)
{
    struct view v = view_of(ui);
    struct device_form form;
    int head;
    form_here(ui, &v, &form, &head);
    *out = form.kind == FORM_CELLS ? (struct fold){0, v.nodes - 1} : nodes_in(&form.rows, line_of_rank(&v, &form.rows));
    return out->first != out->last;
}

/* What the row of the selected rank means, and what its stage holds. */
static void describe(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    char heat[80] = "";
    struct fold folded;
    enum rank_axis axis = members_axis(ui);
    if (axis != AXIS_COUNT) {
        snprintf(out, UI_MESSAGE_MAX, members_are_open(ui) ? "%s of rank %d: arrows go to its members; Enter closes"
                                                           : "%s of rank %d: Enter lists its members by node",
                 rank_axis_names[axis], ui->rank);
        return;
    }
    if (ui->shown->is_computed && !ui->shown->is_serving)
        say_heat(ui, heat, sizeof heat);
    snprintf(out, UI_MESSAGE_MAX, "rank %d: %s%s# or :rank N goes to a rank from anywhere; Enter %s",
             ui->rank, heat, *heat ? "; " : "",
             ui->shown->is_computed && is_folded(ui, &folded) ? "opens these nodes one by one"
                                                              : "shows the memory of its stage");
}

static bool path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    if (!ui->shown->is_computed || ui->shown->is_serving)
        return false;
    snprintf(out, EXPLAIN_PATH_MAX, "memory.stages.%d.device_bytes", rank_stage(&ui->shown->grid, ui->rank));
    return true;
}

/* Nodes that are folded open one by one; those that are close again. */
static void open_nodes(struct ui *ui)
{
    bool had_opened = has_opened(ui);
    ui->opened_for = 0;
    if (had_opened || !ui->shown->is_computed || !is_folded(ui, &ui->opened))
        return;
    ui->opened_for = ui->generation;
    ui_say(ui, ROLE_TEXT, "n%d to n%d one by one; o folds them again", ui->opened.first, ui->opened.last);
}

static bool open(struct ui *ui)
{
    struct fold folded;
    if (members_axis(ui) != AXIS_COUNT) {
        ui->group_row = members_are_open(ui) ? GROUP_ROW_CHOSEN : GROUP_ROW_OPEN;
        return true;
    }
    if (!ui->shown->is_computed || ui->shown->is_serving)
        return false;
    if (is_folded(ui, &folded)) {
        ui->opened_for = 0;
        open_nodes(ui);
        return true;
    }
    ui->stage = rank_stage(&ui->shown->grid, ui->rank);
    ui->view = PANE_MEMORY;
    return true;
}

/* The node in a line, the selected one where that is folded into it. */
static int node_in(const struct view *v, const struct fold *fold)
{
    int node = v->ui->rank / v->per_node;
    return node >= fold->first && node <= fold->last ? node : fold->first;
}

/* What lies in line `y` of the devices and column `x`, as draw_node() has it; -1 for nothing. */
static int rank_in_lines(const struct view *v, const struct device_form *form, int rows, int width, int x, int y)
{
    int shown = rows / form->lines > 0 ? rows / form->lines : 1, cells = cells_per_line(v, width);
    int count = form->rows.count, line = page_top(line_of_rank(v, &form->rows), count, shown) + y / form->lines;
    int column = x < v->name_width - 1 ? -1 : (x - v->name_width + 1) / (v->digits + 2);
    int gpu = y % form->lines * cells + column;
    if (y < 0 || y >= shown * form->lines || line >= count || column >= cells || gpu >= v->cells)
        return -1;
    if (column < 0 || v->cells == 1) /* a name, or a cell for all of them */
        gpu = v->ui->rank % v->per_node;
    struct fold nodes = nodes_in(&form->rows, line);
    return node_in(v, &nodes) * v->per_node + gpu;
}

/* The same where nodes are cells, as draw_nodes() has it. */
static int rank_in_cells(const struct view *v, int rows, int width, int x, int y)
{
    int columns = node_columns(v, width), lines = (v->nodes + columns - 1) / columns;
    int top = page_top(v->ui->rank / v->per_node / columns, lines, rows);
    int column = (x - NAME_WIDTH + 1) / (v->digits + 3), node = (top + y) * columns + column;
    bool is_cell = x >= NAME_WIDTH - 1 && column < columns && y >= 0 && y < rows && node < v->nodes;
    return is_cell ? node * v->per_node + v->ui->rank % v->per_node : -1;
}

static void click(struct ui *ui, int x, int y)
{
    struct view v = view_of(ui);
    struct rect rect = pane_inside(ui, PANE_GRID);
    struct device_form form;
    if (!has_grid(ui))
        return;
    int head, rows = form_here(ui, &v, &form, &head);
    int used = rows_used(&v, &form, rows, head), group = y - used - (rect.height > 10) - 1;
    if (group >= 0) {
        select_group(ui, &v, group);
        return;
    }
    if (members_are_open(ui)) {
        members_click(ui, rect.width, used, x, y);
        return;
    }
    ui->group_row = GROUP_ROW_NONE;
    int rank = form.kind == FORM_CELLS    ? rank_in_cells(&v, rows + head, rect.width, x, y)
               : form.kind == FORM_STAGES ? rank_by_stages(&form.by, x, y)
                                          : rank_in_lines(&v, &form, rows, rect.width, x, y - head);
    if (rank >= 0 && rank < v.grid->world)
        ui->rank = rank;
}

static void next_heat(struct ui *ui)
{
    ui->heat = (enum grid_heat)((ui->heat + 1) % HEAT_COUNT);
}

/* The next axis along which the selected rank has company. */
static void next_group(struct ui *ui)
{
    const struct rank_grid *g = &ui->shown->grid;
    int axis = ui->shown->is_computed ? (int)marked_axis(ui) : AXIS_COUNT;
    for (int i = 1; i <= AXIS_COUNT; i++)
        if (ranks_has_group(g, (enum rank_axis)((axis + i) % AXIS_COUNT))) {
            ui->group = 1 + (axis + i) % AXIS_COUNT;
            return;
        }
}

static const struct view_key keys[] = {
    {'m', "next group", "mark the next of the groups that the selected rank belongs to", next_group},
    {'o', NULL, "nodes that are folded one by one, and folded again", open_nodes},
    {'H', "shade", "shade by memory, by busy time, or not", next_heat},
    {0},
};

static const struct pane_member members[] = {PANE_MEMBER(label), PANE_MEMBER(heat), PANE_MEMBER(opened),
    PANE_MEMBER(opened_for), PANE_MEMBER(group), PANE_MEMBER(group_row), {0}};

static const char *question(const struct ui *ui)
{
    return is_room(ui) ? "Room" : "Who talks to whom|Devices";
}

const struct pane pane_grid = {
    .question = question, .sentence = lecture_devices_sentence,
    .is_steady = true, .is_extra = true, .members = members, .title = "Devices", .wish = wish, .rows = rows_of,
    .subtitle = subtitle, .draw = draw, .path = path, .describe = describe, .move = move, .click = click,
    .open = open, .keys = keys,
};
