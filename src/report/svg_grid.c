/* src/report/svg_grid.c - which rank is on which GPU, with its stage, and the groups that rank 0 belongs to. */
#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/show/link.h"
#include "src/report/svg_draw.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>

enum { NODES_MAX = 16, GPUS_MAX = 32, ROW = 34, FIRST = SVG_TOP + 24, CELLS = SVG_WIDTH - SVG_LEFT - 40, LISTED = 16 };

static const char *const fills[] = {SVG_PALE, SVG_SKY, SVG_YELLOW, SVG_ORANGE};

static int least(int one, int other)
{
    return one < other ? one : other;
}

static void draw_node(struct buffer *out, const struct rank_grid *g, int node, double y)
{
    int gpus = least(g->gpus_per_node, GPUS_MAX);
    double width = fmin(CELLS / gpus, 110);
    svg_text(out, SVG_LEFT - 8, y + 20, SVG_NORMAL " " SVG_END, "node %d", node);
    for (int i = 0; i < gpus && node * g->gpus_per_node + i < g->world; i++) {
        int rank = node * g->gpus_per_node + i, stage = rank_stage(g, rank);
        svg_rect(out, "rank", SVG_LEFT + i * width, y, width - 3, ROW - 5, fills[stage % (int)LENGTH(fills)]);
        svg_text(out, SVG_LEFT + (i + 0.5) * width - 1.5, y + 12, "font-size=\"11\" " SVG_MIDDLE, "%d", rank);
        svg_text(out, SVG_LEFT + (i + 0.5) * width - 1.5, y + 24, "font-size=\"11\" " SVG_MIDDLE, "s%d", stage);
    }
}

/* "tp 8: ranks 0 1 2 3 4 5 6 7; NVLink" */
static void draw_group(struct buffer *out, const struct rank_grid *g, enum rank_axis axis, const char *link, double y)
{
    struct buffer ranks = {0};
    bool crosses = rank_axis_crosses(g, axis);
    for (int i = 0; i < least(g->size[axis], LISTED); i++)
        buffer_printf(&ranks, " %d", i * g->stride[axis]);
    svg_text(out, SVG_LEFT, y, crosses ? SVG_NORMAL " " SVG_RED : SVG_NORMAL, "%s %d: ranks%s%s; %s%s%s",
             rank_axis_names[axis], g->size[axis], ranks.text, g->size[axis] > LISTED ? " ..." : "",
             crosses ? "crosses the network" : "inside the ", crosses ? "" : link, crosses ? "" : " domain");
    buffer_free(&ranks);
}

static int group_count(const struct rank_grid *g)
{
    int count = 0;
    for (int axis = 0; axis < AXIS_COUNT; axis++)
        count += g->size[axis] > 1;
    return count;
}

static void draw(struct buffer *out, const struct estimates *all)
{
    const struct estimate *e = all->item[0];
    const struct rank_grid *g = &e->grid;
    int nodes = e->is_computed ? (g->world + g->gpus_per_node - 1) / g->gpus_per_node : 0,
        shown = least(nodes, NODES_MAX);
    double y = FIRST + shown * ROW + SVG_LINE;
    svg_open(out, e, SVG_WIDTH, y + SVG_LINE * (2 + (nodes ? group_count(g) : 1)),
             "ranks and their stages, and the groups of rank 0");
    for (int i = 0; i < shown; i++)
        draw_node(out, g, i, FIRST + i * ROW);
    if (shown < nodes || (nodes && g->gpus_per_node > GPUS_MAX))
        svg_text(out, SVG_LEFT, y, SVG_SMALL, "The first %d of %d nodes are drawn, at most %d GPUs of each.", shown,
                 nodes, GPUS_MAX);
    for (int axis = 0; axis < AXIS_COUNT && nodes; axis++)
        if (g->size[axis] > 1)
            draw_group(out, g, (enum rank_axis)axis, link_inside(&e->plan), y += SVG_LINE);
    if (nodes == 0)
        svg_text(out, 20, y, SVG_NORMAL, "unknown");
    svg_close(out);
}

const struct svg_figure svg_grid = {SECTION_GRID, draw};
