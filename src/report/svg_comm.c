/* src/report/svg_comm.c - what one GPU of the slowest stage sends, a bar of time for each row. */
#include "core/show/columns.h"
#include "core/show/link.h"
#include "src/report/data.h"
#include "src/report/svg_draw.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>

enum {
    ROW = 30, LABELS = 300, NUMBERS = 420, ROWS_MAX = 32, FIRST = SVG_TOP + 40, BARS = SVG_WIDTH - LABELS - NUMBERS
};

/* The rows of one stage, as they are sent. */
struct rows {
    enum comm_id id[ROWS_MAX];
    struct comm row[ROWS_MAX];
    int count;
    double most_s;
    const char *link; /* inside a node */
};

static void read_rows(const struct estimate *e, struct rows *out)
{
    struct comm_walk walk = {.estimate = e};
    *out = (struct rows){.link = link_inside(&e->plan)};
    while (e->is_computed && !e->is_serving && comm_walk_next(&walk)) {
        if (walk.stage != e->binding_stage || out->count == ROWS_MAX)
            continue;
        out->id[out->count] = walk.id;
        out->row[out->count++] = walk.comm[walk.id];
        out->most_s = fmax(out->most_s, walk.comm[walk.id].time_s);
    }
}

/* The whole time, and in it what nothing hides. */
static void draw_row(struct buffer *out, const struct rows *rows, int i, double y)
{
    const struct comm *row = &rows->row[i];
    enum comm_id id = rows->id[i];
    double scale = BARS / rows->most_s;
    struct cell hidden = cell_seconds(row->time_s - row->exposed_s);
    svg_text(out, LABELS - 10, y + 16, SVG_NORMAL " " SVG_END, "%s %s, %s", comm_dim_text(id),
             comm_op_names[comm_rows[id].op], comm_where_text(id));
    svg_rect(out, "time", LABELS, y, row->time_s * scale, ROW - 8, SVG_PALE);
    svg_rect(out, "exposed", LABELS, y, row->exposed_s * scale, ROW - 8, SVG_BLUE);
    svg_text(out, LABELS + BARS + 10, y + 16, row->crosses_nodes ? SVG_NORMAL " " SVG_RED : SVG_NORMAL,
             "%s, %s hidden; %s in %s; %s", cell_seconds(row->time_s).text,
             row->time_s > row->exposed_s ? hidden.text : "nothing", cell_bytes(row->sent_bytes_per_rank).text,
             cell_counted(row->count, "call").text, row->crosses_nodes ? "network" : rows->link);
}

static void draw(struct buffer *out, const struct estimates *all)
{
    const struct estimate *e = all->item[0];
    struct rows rows;
    read_rows(e, &rows);
    svg_open(out, e, SVG_WIDTH, FIRST + ROW * fmax(rows.count, 1) + SVG_LINE,
             "traffic sent by one GPU of the slowest stage per iteration");
    double x = svg_key(out, LABELS, SVG_TOP + 8, "time not hidden", SVG_BLUE);
    svg_key(out, x, SVG_TOP + 8, "hidden behind compute", SVG_PALE);
    for (int i = 0; i < rows.count; i++)
        draw_row(out, &rows, i, FIRST + i * ROW);
    if (rows.count == 0)
        svg_text(out, 20, FIRST + 16, SVG_NORMAL, "%s", e->is_computed ? "Nothing is sent." : "unknown");
    svg_close(out);
}

const struct svg_figure svg_comm = {SECTION_COMMUNICATION, draw};
