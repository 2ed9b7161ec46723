/* Who talks to whom: the pipeline's stages side by side, the copies below each other, and what each group sends. */
#include "ui/pane/links.h"

#include "core/show/figure.h"
#include "core/show/link.h"
#include "ui/term/canvas.h"
#include "ui/widget/units.h"

#include <stdio.h>
#include <string.h>

enum { LABEL = 5, ROWS_MOST = 2, WIDTH_MOST = 62, SHOWN_MOST = 8 /* GPUs of a box */ };

/* Boxes side by side: of the first stages and the last. */
struct boxes {
    int per_box, pitch, count, stages; /* GPUs, columns from one to the next, boxes, stages of the pipeline */
    bool has_gap;                      /* stages before the last are left out */
};

static struct boxes boxes_of(const struct ui *ui, int width)
{
    const struct rank_grid *g = &ui->shown->grid;
    int gpus = g->world / g->size[AXIS_PP], room = width - LABEL;
    struct boxes b = {.stages = g->size[AXIS_PP]};
    b.per_box = gpus < g->gpus_per_node ? gpus : g->gpus_per_node;
    b.per_box = b.per_box > SHOWN_MOST ? SHOWN_MOST : b.per_box < 1 ? 1 : b.per_box;
    b.pitch = b.per_box + 3;
    b.pitch = b.stages * b.pitch - 3 > room ? b.per_box + 2 : b.pitch;
    b.count = (room + b.pitch - b.per_box) / b.pitch;
    b.has_gap = b.count < b.stages;
    b.count = b.has_gap ? (room - 4 + 2) / b.pitch : b.stages;
    b.count = b.count < 1 ? 1 : b.count;
    return b;
}

/* The stage of a box. */
static int stage_of(const struct boxes *b, int box)
{
    return b->has_gap && box == b->count - 1 ? b->stages - 1 : box;
}

/* Where a box begins. */
static int column_of(const struct boxes *b, int box)
{
    return LABEL + box * b->pitch + (b->has_gap && box == b->count - 1 ? 4 : 0);
}

/* Shaded by how full the stage is. */
static enum role shade_of(const struct estimate *e, int stage)
{
    double share = e->usable_bytes > 0 ? e->stage[stage].device_bytes / e->usable_bytes : NAN;
    int fifth = isnan(share) ? 0 : (int)(share * 5 * 0.999);
    return (enum role)(ROLE_HEAT1 + (fifth < 0 ? 0 : fifth > 4 ? 4 : fifth));
}

/* Nodes of a stage, or its share of one where stages share nodes. */
static int rows_of_stage(const struct ui *ui)
{
    const struct rank_grid *g = &ui->shown->grid;
    int nodes = g->world / g->size[AXIS_PP] / g->gpus_per_node;
    return nodes < 1 ? 1 : nodes;
}

static void draw_box(const struct ui *ui, struct canvas *canvas, int x, int y, const struct boxes *b, int stage)
{
    int tp = ui->shown->grid.size[AXIS_TP] > 0 ? ui->shown->grid.size[AXIS_TP] : 1;
    for (int gpu = 0; gpu < b->per_box; gpu++)
        canvas_format(canvas, x + gpu, y, shade_of(ui->shown, stage), "%d", gpu % tp % 10);
}

/* The name of a row: which copies of the model a node of it has, or the one that has whole nodes. */
static void draw_row_name(const struct ui *ui, struct canvas *canvas, int y, int row)
{
    const struct rank_grid *g = &ui->shown->grid;
    int gpus = g->size[AXIS_TP] * g->size[AXIS_CP], of_row = gpus > 0 ? g->gpus_per_node / gpus : 0;
    int most = g->size[AXIS_DP] - 1, first = row * of_row, last = first + of_row - 1 < most ? first + of_row - 1 : most;
    char name[24];
    if (of_row < 2 && gpus > 0)
        canvas_format(canvas, 0, y, ROLE_MUTED, "dp %d", row * g->gpus_per_node / gpus);
    else if (last > first && snprintf(name, sizeof name, "%d-%d", first, last) <= LABEL)
        canvas_text(canvas, 0, y, ROLE_MUTED, name);
}

/* The diagram; returns the row after it. */
static int draw_boxes(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    struct boxes b = boxes_of(ui, width);
    int rows = rows_of_stage(ui), shown = rows < ROWS_MOST ? rows : ROWS_MOST, y = 0;
    const char *arrow = canvas->ascii ? ">" : "\xe2\x86\x92", *dots = canvas->ascii ? "." : "\xe2\x80\xa6";
    for (int i = 0; i < b.count && height > 3; i++)
        canvas_format(canvas, column_of(&b, i), 0, ROLE_MUTED, b.per_box >= 7 ? "stage %d" : "s%d", stage_of(&b, i));
    const struct rank_grid *g = &ui->shown->grid;
    if (height > 3 && g->size[AXIS_DP] > 1 && g->size[AXIS_TP] * g->size[AXIS_CP] * 2 <= g->gpus_per_node)
        canvas_text(canvas, 0, 0, ROLE_MUTED, "dp");
    for (int row = 0; row < shown && row + 1 < height; row++) {
        y = row + 1;
        draw_row_name(ui, canvas, y, row);
        for (int i = 0; i < b.count; i++) {
            draw_box(ui, canvas, column_of(&b, i), y, &b, stage_of(&b, i));
            int end = column_of(&b, i) + b.per_box;
            bool is_before_gap = b.has_gap && i == b.count - 2;
            if (is_before_gap)
                canvas_text(canvas, end + 1, y, ROLE_MUTED, dots);
            if (i + 1 < b.count)
                canvas_text(canvas, column_of(&b, i + 1) - (b.pitch - b.per_box > 2 ? 2 : 1), y, ROLE_MUTED, arrow);
        }
    }
    if (rows > shown && y + 1 < height)
        canvas_format(canvas, 0, ++y, ROLE_MUTED, "%s more rows like these", figure(FIGURE_EXACT, rows - shown).text);
    return y + 1;
}

/* What a GPU waits for along an axis and sends, at most of any stage. */
static void most_traffic(const struct estimate *e, enum rank_axis axis, double *seconds, double *bytes)
{
    static const enum comm_dim dims[AXIS_COUNT] = {
        [AXIS_TP] = COMM_TP, [AXIS_CP] = COMM_CP, [AXIS_DP] = COMM_DP, [AXIS_PP] = COMM_PP, [AXIS_EP] = COMM_EP,
        [AXIS_EDP] = COMM_EDP, [AXIS_ETP] = COMM_ETP};
    *seconds = *bytes = 0;
    for (int stage = 0; stage < e->stages; stage++) {
        struct comm_table comm;
        double waited = 0, sent = 0;
        estimate_comm_table(e, stage, &comm);
        for (int i = 0; i < comm.count; i++)
            if (comm_rows[comm.present[i]].dim == dims[axis]) {
                waited += comm.row[comm.present[i]].exposed_s;
                sent += comm.row[comm.present[i]].sent_bytes_per_rank;
            }
        *seconds = fmax(*seconds, waited);
        *bytes = fmax(*bytes, sent);
    }
}

enum { SIZE = 4, LINK = 14, CROSSES = 23, CROSSES_WIDTH = 56, BYTES_WIDE = 50 };

static void draw_group(const struct ui *ui, struct canvas *canvas, int y, int width, enum rank_axis axis)
{
    const struct estimate *e = ui->shown;
    bool crosses = rank_axis_crosses(&e->grid, axis);
    double seconds, bytes;
    char text[32];
    most_traffic(e, axis, &seconds, &bytes);
    canvas_text(canvas, 0, y, ROLE_TITLE, rank_axis_names[axis]);
    canvas_format(canvas, SIZE, y, ROLE_TEXT, axis == AXIS_PP ? "%s stages" : "%s GPUs",
                  figure(FIGURE_EXACT, e->grid.size[axis]).text);
    canvas_text(canvas, LINK, y, crosses ? ROLE_WARN : ROLE_TEXT, crosses ? "network" : link_inside(&e->plan));
    if (crosses && width >= CROSSES_WIDTH)
        canvas_text(canvas, CROSSES, y, ROLE_MUTED, "crosses nodes");
    snprintf(text, sizeof text, e->step.iteration_s < 1 ? "%.1f" : "%.2f",
             seconds * (e->step.iteration_s < 1 ? 1e3 : 1));
    canvas_right(canvas, width - (width >= BYTES_WIDE ? 10 : 7), y, ROLE_TEXT, text);
    double amount = bytes / units_bytes();
    canvas_right(canvas, width, y, ROLE_TEXT,
                 amount < 999.95 ? units_figure(FIGURE_GIB, bytes).text : figure(FIGURE_EXACT, amount).text);
}

void links_draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    static const enum rank_axis axes[] = {AXIS_TP, AXIS_CP, AXIS_EP, AXIS_DP, AXIS_PP};
    const struct estimate *e = ui->shown;
    char head[48];
    if (e->grid.world == 1) {
        canvas_text(canvas, 0, 0, ROLE_MUTED, "one GPU: nothing is sent");
        return;
    }
    width = width > WIDTH_MOST ? WIDTH_MOST : width;
    int y = draw_boxes(ui, canvas, width, height);
    if (y >= height || !e->is_computed || !e->is_modelled || e->is_serving || e->diags.errors > 0)
        return; /* their traffic is unknown */
    canvas_pick(canvas, 0, y, width - 18, ROLE_MUTED, "digit: tp rank; darker: fuller|digit: tp rank|");
    canvas_right(canvas, width - (width >= BYTES_WIDE ? 10 : 7), y, ROLE_MUTED, e->step.iteration_s < 1 ? "ms" : "s");
    snprintf(head, sizeof head, width >= BYTES_WIDE ? "%s sent" : "%s", units_name());
    canvas_right(canvas, width, y++, ROLE_MUTED, head);
    for (size_t i = 0; i < sizeof axes / sizeof *axes && y < height; i++)
        if (e->grid.size[axes[i]] > 1)
            draw_group(ui, canvas, y++, width, axes[i]);
}
