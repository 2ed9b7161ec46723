/* src/report/comm.c - where the ranks sit, which groups they form, and what they send. */
#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/plan/param.h"
#include "core/show/columns.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 8, RANKS_MAX = 16, STAGES_SHOWN = 16, FULL_MAX = 256, NAME_COLUMNS = 16 };

/* How many of a list are printed: `brief`, or with --full more; JSON has all of any number. */
static int most_of(const struct page *page, int brief)
{
    return page->options->full ? FULL_MAX : brief;
}

static void print_rest(struct page *page, const char *before, int rest, const char *what)
{
    if (rest > 0)
        buffer_printf(page->out, "%s%s %d more%s (--full%s lists all)\n", before, page->glyph->dots, rest, what,
                      page->options->full ? " --json" : "");
}

/* One dimension of communication: its name, and along which axes its groups lie. */
struct dimension {
    enum comm_dim dim;
    const char *title, *groups, *off;
    enum rank_axis axis[2]; /* members run over both, the first one fastest; AXIS_COUNT: none */
};

static const struct dimension dimensions[] = {
    {COMM_PP, "Pipeline-parallel communication", "pipeline", "one stage (pp 1), nothing is sent",
     {AXIS_PP, AXIS_COUNT}},
    {COMM_DP, "Data-parallel communication", "data-parallel group", "one replica (dp x cp = 1), nothing is sent",
     {AXIS_CP, AXIS_DP}},
    {COMM_EMBEDDING, "Tied-embedding communication", "embedding group", NULL, {AXIS_PP, AXIS_COUNT}},
    {COMM_TP, "Tensor-parallel communication", "tensor-parallel group", "tp is 1, nothing is sent",
     {AXIS_TP, AXIS_COUNT}},
    {COMM_CP, "Context-parallel communication", "context-parallel group", NULL, {AXIS_CP, AXIS_COUNT}},
    {COMM_EP, "Expert-parallel communication", "expert-parallel group", NULL, {AXIS_EP, AXIS_COUNT}},
    {COMM_ETP, "Expert-tensor-parallel communication", "expert-tensor-parallel group", NULL, {AXIS_ETP, AXIS_COUNT}},
    {COMM_EDP, "Expert-data-parallel communication", "expert-data-parallel group", NULL, {AXIS_EDP, AXIS_COUNT}},
};

enum { DIMENSIONS = LENGTH(dimensions) };

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* A communication row of one or several neighbouring stages with equal numbers. */
struct traffic {
    int from, to;
    enum comm_id id;
    struct comm row;
};

static bool rows_equal(const struct comm *a, const struct comm *b)
{
    for (size_t i = 0; i < comm_column_count; i++) {
        double one = term_value(&comm_columns[i], a), other = term_value(&comm_columns[i], b);
        if (one != other && !(isnan(one) && isnan(other)))
            return false;
    }
    return a->crosses_nodes == b->crosses_nodes && memcmp(a->shape, b->shape, sizeof a->shape) == 0;
}

/* Adds a row, or widens the row of the stage before it. */
static size_t add_row(struct traffic *rows, size_t count, const struct comm_walk *walk)
{
    const struct comm *row = &walk->comm[walk->id];
    for (size_t i = 0; i < count; i++)
        if (rows[i].id == walk->id && rows[i].to == walk->stage - 1 && rows_equal(&rows[i].row, row)) {
            rows[i].to = walk->stage;
            return count;
        }
    rows[count] = (struct traffic){.from = walk->stage, .to = walk->stage, .id = walk->id, .row = *row};
    return count + 1;
}

/* The rows of one dimension; the caller frees them. */
static size_t rows_of(const struct estimate *e, enum comm_dim dim, struct traffic **out)
{
    struct comm_walk walk = {.estimate = e};
    size_t count = 0, capacity = 64;
    *out = xmalloc(capacity * sizeof **out);
    while (comm_walk_next(&walk)) {
        if (comm_rows[walk.id].dim != dim)
            continue;
        if (count == capacity) {
            capacity *= 2;
            *out = xrealloc(*out, capacity * sizeof **out);
        }
        count = add_row(*out, count, &walk);
    }
    return count;
}

/* ---- the cluster ------------------------------------------------------------------------------------------------ */

/* Sums over a dimension and the whole cluster. */
struct cluster_sum {
    double calls, bytes, rows;
};

static struct cluster_sum cluster_sum_of(const struct estimate *e, enum comm_dim dim)
{
    struct comm_walk walk = {.estimate = e};
    struct cluster_sum sum = {0};
    while (comm_walk_next(&walk)) {
        if (comm_rows[walk.id].dim != dim)
            continue;
        sum.calls += report_comm_calls(e, &walk.comm[walk.id], walk.id);
        sum.bytes += walk.comm[walk.id].cluster_bytes;
        sum.rows++;
    }
    return sum;
}

static void print_sum(struct page *page, const char *name, struct cluster_sum sum, double total)
{
    page_pad(page, name, 40);
    page_pad(page, cell_count(sum.calls).text, -16);
    page_pad(page, cell_bytes(sum.bytes).text, -16);
    page_pad(page, total > 0 ? cell_share(sum.bytes / total).text : "-", -12);
    buffer_puts(page->out, "\n");
}

static void print_unknown(struct page *page, const char *title, const struct estimate *e)
{
    char why[160];
    page_heading(page, "%s", title);
    page_prose(page, 0, "n/a: %s", report_why_unknown(e, NULL, why, sizeof why));
}

void report_traffic(struct page *page, const struct estimates *all)
{
    const struct estimate *e = all->item[0];
    struct cluster_sum sums[DIMENSIONS], total = {0};
    if (!e->is_computed) {
        print_unknown(page, "Communication of the whole cluster", e);
        return;
    }
    for (int i = 0; i < DIMENSIONS; i++) {
        sums[i] = cluster_sum_of(e, dimensions[i].dim);
        total.calls += sums[i].calls;
        total.bytes += sums[i].bytes;
    }
    page_heading(page, "Communication of the whole cluster in one iteration");
    page_prose(page, 0, "Bytes are what leaves the GPUs over links (ring or pairwise algorithms), summed over %s%s. "
               "A collective of n GPUs counts once, a message once.", e->symbols.world > 1 ? "all " : "",
               cell_counted(e->symbols.world, "GPU").text);
    buffer_puts(page->out, "\n");
    page_pad(page, "", 40);
    page_pad(page, "calls", -16);
    page_pad(page, "sent", -16);
    page_pad(page, "of all", -12);
    buffer_puts(page->out, "\n");
    for (int i = 0; i < DIMENSIONS; i++)
        if (sums[i].rows > 0 || dimensions[i].off)
            print_sum(page, dimensions[i].title, sums[i], total.bytes);
    print_sum(page, "all", total, total.bytes);
}

/* ---- groups ----------------------------------------------------------------------------------------------------- */

static int members_of(const struct rank_grid *grid, const struct dimension *dimension)
{
    int size = grid->size[dimension->axis[0]];
    if (dimension->dim == COMM_EMBEDDING)
        return size > 1 ? 2 : 1;
    return dimension->axis[1] == AXIS_COUNT ? size : size * grid->size[dimension->axis[1]];
}

static int member_of(const struct rank_grid *grid, const struct dimension *dimension, int first, int index)
{
    enum rank_axis fast = dimension->axis[0], slow = dimension->axis[1];
    if (dimension->dim == COMM_EMBEDDING)
        return first + index * (grid->size[fast] - 1) * grid->stride[fast];
    int rank = first + index % grid->size[fast] * grid->stride[fast];
    return slow == AXIS_COUNT ? rank : rank + index / grid->size[fast] * grid->stride[slow];
}

static bool is_leader(const struct rank_grid *grid, const struct dimension *dimension, int rank)
{
    struct rank_place place;
    rank_place_of(grid, rank, &place);
    return place.at[dimension->axis[0]] == 0 && (dimension->axis[1] == AXIS_COUNT || place.at[dimension->axis[1]] == 0);
}

static struct cell rank_name(const struct rank_grid *grid, int rank)
{
    struct cell cell;
    snprintf(cell.text, sizeof cell.text, "n%d_g%d", rank / grid->gpus_per_node, rank % grid->gpus_per_node);
    return cell;
}

static void print_group(struct page *page, const struct rank_grid *grid, const struct dimension *dimension, int first)
{
    int size = members_of(grid, dimension);
    int most = most_of(page, LIST_MAX);
    bool is_long = size > most;
    struct buffer line = {0};
    for (int i = 0; i < size; i++) {
        if (is_long && i == most - 2) {
            buffer_printf(&line, " %s", page->glyph->dots);
            i = size - 2;
            continue;
        }
        buffer_printf(&line, "%s%s", i ? " " : "[", rank_name(grid, member_of(grid, dimension, first, i)).text);
    }
    buffer_puts(&line, "]");
    page_prose(page, 2, "%s", line.text);
    buffer_free(&line);
}

static void print_groups(struct page *page, const struct estimate *e, const struct dimension *dimension)
{
    const struct rank_grid *grid = &e->grid;
    int count = grid->world / members_of(grid, dimension), shown = 0;
    if (dimension->dim == COMM_EMBEDDING)
        count = grid->world / grid->size[AXIS_PP];
    for (int rank = 0; rank < grid->world && shown < most_of(page, LIST_MAX); rank++)
        if (is_leader(grid, dimension, rank)) {
            print_group(page, grid, dimension, rank);
            shown++;
        }
    print_rest(page, "  ", count - shown, "");
}

/* ---- one dimension ---------------------------------------------------------------------------------------------- */

/* Columns of a text; negative: flush right. */
static int width_of(const struct comm_column *column)
{
    static const int widths[] = {[CONTENT_STAGE] = 8, [CONTENT_TEXT] = NAME_COLUMNS, [CONTENT_SHAPE] = 20};
    if (column->content != CONTENT_NUMBER)
        return widths[column->content];
    return column->kind == FIGURE_EXACT ? -10 : -12;
}

static void print_cell(struct page *page, const struct comm_column *column, const char *text)
{
    if (column->content == CONTENT_SHAPE)
        buffer_puts(page->out, "  ");
    page_pad(page, text, width_of(column));
}

static struct cell traffic_cell(const struct comm_column *column, const struct traffic *traffic)
{
    struct cell cell;
    if (column->content == CONTENT_NUMBER)
        return cell_of(column->kind, comm_number(column, &traffic->row));
    if (column->content == CONTENT_SHAPE)
        return cell_shape(traffic->row.shape, 3);
    if (column->content == CONTENT_TEXT)
        snprintf(cell.text, sizeof cell.text, "%s", column->text(traffic->id));
    else
        snprintf(cell.text, sizeof cell.text, traffic->from == traffic->to ? "%d" : "%d-%d", traffic->from,
                 traffic->to);
    return cell;
}

static void print_columns(struct page *page)
{
    for (int i = 0; i < comm_shown_count; i++)
        if (comm_shown[i].title)
            print_cell(page, &comm_shown[i], comm_shown[i].title);
    buffer_puts(page->out, "\n");
}

static void print_traffic_row(struct page *page, const struct traffic *traffic, int members)
{
    for (int i = 0; i < comm_shown_count; i++)
        if (comm_shown[i].title)
            print_cell(page, &comm_shown[i], traffic_cell(&comm_shown[i], traffic).text);
    buffer_printf(page->out, "\n        %s; %s", comm_rows[traffic->id].what, comm_rows[traffic->id].phase);
    if (traffic->row.group_size != members && comm_rows[traffic->id].op != COMM_SEND_RECV)
        buffer_printf(page->out, "; groups of %.0f", traffic->row.group_size);
    buffer_puts(page->out, "\n");
}

/* Where the groups lie; of a pipeline, whose hops differ, how many hops leave a domain. */
static struct cell place_of(const struct rank_grid *grid, const struct dimension *dimension, const struct traffic *rows,
                            size_t count)
{
    struct cell cell;
    int hops = 0, crossing = 0;
    for (int stage = 0; dimension->dim == COMM_PP && stage + 1 < grid->size[AXIS_PP]; stage++, hops++)
        crossing += rank_stage_domain(grid, stage) != rank_stage_domain(grid, stage + 1);
    bool crosses = crossing > 0;
    for (size_t i = 0; i < count; i++)
        crosses |= rows[i].row.crosses_nodes;
    snprintf(cell.text, sizeof cell.text, crosses ? "crossing nodes" : "inside a node");
    if (crossing > 0)
        snprintf(cell.text, sizeof cell.text, "%d of %d hops crossing nodes", crossing, hops);
    return cell;
}

static void print_dimension(struct page *page, const struct estimate *e, const struct dimension *dimension)
{
    struct traffic *rows;
    size_t count = rows_of(e, dimension->dim, &rows);
    struct cluster_sum sum = cluster_sum_of(e, dimension->dim);
    if (count > 0 || dimension->off)
        page_heading(page, "%s", dimension->title);
    if (count == 0 && dimension->off)
        page_prose(page, 0, "%s", dimension->off);
    if (count > 0) {
        const struct rank_grid *grid = &e->grid;
        int members = members_of(grid, dimension);
        int groups = grid->world / (dimension->dim == COMM_EMBEDDING ? grid->size[AXIS_PP] : members);
        buffer_printf(page->out, "%d %s%s of %d GPUs, %s\n", groups, dimension->groups, groups == 1 ? "" : "s", members,
                      place_of(grid, dimension, rows, count).text);
        print_groups(page, e, dimension);
        buffer_puts(page->out, "\n");
        print_columns(page);
        for (size_t i = 0; i < count; i++)
            print_traffic_row(page, &rows[i], members);
        buffer_printf(page->out, "whole cluster: %s calls, %s sent in one iteration\n", cell_count(sum.calls).text,
                      cell_bytes(sum.bytes).text);
    }
    free(rows);
}

void report_communication(struct page *page, const struct estimates *all)
{
    const struct estimate *e = all->item[0];
    if (!e->is_computed)
        return;
    for (int i = 0; i < DIMENSIONS; i++)
        print_dimension(page, e, &dimensions[i]);
}

/* ---- the grid --------------------------------------------------------------------------------------------------- */

static void print_stage_ranks(struct page *page, const struct rank_grid *grid, int stage)
{
    struct buffer line = {0};
    int per_stage = grid->world / grid->size[AXIS_PP], shown = 0;
    int most = per_stage > most_of(page, RANKS_MAX) ? most_of(page, RANKS_MAX) - 2 : per_stage;
    for (int rank = 0; rank < grid->world && shown < most; rank++)
        if (rank_stage(grid, rank) == stage)
            buffer_printf(&line, "%s%s", shown++ ? " " : "", rank_name(grid, rank).text);
    if (shown < per_stage)
        buffer_printf(&line, " %s %d more", page->glyph->dots, per_stage - shown);
    buffer_printf(page->out, "stage %d\n", stage);
    page_prose(page, 2, "%s", line.text);
    buffer_free(&line);
}

static void print_ranks(struct page *page, const struct rank_grid *grid)
{
    static const enum rank_axis axes[] = {AXIS_TP, AXIS_CP, AXIS_EP, AXIS_DP, AXIS_PP};
    int shown = grid->world < most_of(page, RANKS_MAX) ? grid->world : most_of(page, RANKS_MAX);
    buffer_printf(page->out, "%6s  %-10s", "rank", "GPU");
    for (size_t i = 0; i < LENGTH(axes); i++)
        buffer_printf(page->out, "%6s", rank_axis_names[axes[i]]);
    buffer_puts(page->out, "\n");
    for (int rank = 0; rank < shown; rank++) {
        struct rank_place place;
        rank_place_of(grid, rank, &place);
        buffer_printf(page->out, "%6d  %-10s", rank, rank_name(grid, rank).text);
        for (size_t i = 0; i < LENGTH(axes); i++)
            buffer_printf(page->out, "%6d", place.at[axes[i]]);
        buffer_puts(page->out, "\n");
    }
    print_rest(page, "", grid->world - shown, "");
}

void report_grid(struct page *page, const struct estimates *all)
{
    const struct estimate *e = all->item[0];
    const struct rank_grid *grid = &e->grid;
    char order[64];
    if (!e->is_computed) {
        print_unknown(page, "Device grid", e);
        return;
    }
    param_print(&e->plan, PARAM_parallel_order, order, sizeof order);
    page_heading(page, "Device grid");
    page_prose(page, 0, "%s = tp %d %s cp %d %s dp %d %s pp %d, %s in a node; order %s, the leftmost varies fastest. "
               "n1_g2 is GPU 2 of node 1.", cell_counted(grid->world, "GPU").text, grid->size[AXIS_TP],
               page->glyph->times, grid->size[AXIS_CP], page->glyph->times, grid->size[AXIS_DP], page->glyph->times,
               grid->size[AXIS_PP], cell_counted(grid->gpus_per_node, "GPU").text, order);
    buffer_puts(page->out, "\n");
    int stages = e->stages < most_of(page, STAGES_SHOWN) ? e->stages : most_of(page, STAGES_SHOWN);
    for (int stage = 0; stage < stages; stage++)
        print_stage_ranks(page, grid, stage);
    print_rest(page, "", e->stages - stages, " stages");
    buffer_puts(page->out, "\n");
    print_ranks(page, grid);
}
