/* src/report_svg_time.c - the pipeline schedule of one iteration, a row of passes for each stage. */
#include "core/estimate.h"
#include "core/param.h"
#include "core/simulate.h"
#include "core/split.h"
#include "src/report_data.h"
#include "src/report_svg_draw.h"
#include "src/report_text.h"
#include "src/text.h"

#include <math.h>
#include <stdio.h>

enum { ROWS_MAX = 32, MICRO_BATCHES_MAX = 64, PLOT_WIDTH = SVG_WIDTH - SVG_LEFT - 40, FIRST = SVG_TOP + 44 };
enum { CAPTION = 30, AXIS = 58, EMPTY = 40, PANEL_GAP = 14 }; /* heights in a panel, beside its rows */

/** The colours of forward and backward passes: of even and of odd chunks. */
static const char *const fills[2][2] = {{SVG_SKY, "#b9dff5"}, {SVG_ORANGE, "#f7d68f"}};

/** Seconds of every chunk's passes, in the order of the model. */
struct chunk_times {
    double forward[LAYOUT_CHUNKS_MAX], backward[LAYOUT_CHUNKS_MAX];
};

/** The schedule of one estimate as it is played. */
struct panel {
    const struct estimate *estimate;
    struct schedule_shape shape; /* of at most about MICRO_BATCHES_MAX micro-batches */
    double end_s;                /* when the last pass ends; 0 when the order of passes or their times are not known */
    int micro_batches;           /* drawn */
    /* while it is drawn */
    struct buffer *out;
    double top, row, pixels; /* pixels: of a second */
};

/* ---- playing ------------------------------------------------------------------------------------------------------ */

/*
 * Each chunk takes its share of the stage's time by layers, the first the embedding's on top, the last the output
 * layer's; exposed traffic is spread evenly. The same as play_schedule() of core/estimate.c, which a test checks.
 */
static void time_chunk(const struct estimate *e, const struct split *split, int n, struct chunk_times *out)
{
    int p = split->stages, last = p * split->chunks - 1, stage = n % p;
    const struct pass *pass = &e->pass[stage];
    double layers = e->stage[stage].layers;
    double share = layers > 0 ? split->layers[split->is_uniform ? 0 : n] / layers : 1.0 / split->chunks;
    double end_f = n == 0 ? pass->embed_f : n == last ? pass->head_f : 0;
    double end_b = n == 0 ? pass->embed_b : n == last ? pass->head_b : 0;
    double all_f = stage == 0 ? pass->embed_f : stage == p - 1 ? pass->head_f : 0;
    double all_b = stage == 0 ? pass->embed_b : stage == p - 1 ? pass->head_b : 0;
    double compute = pass->forward_s + pass->recompute_s + pass->backward_s;
    double stretch = compute > 0 ? pass->micro_s / compute : 1;
    if (p == 1) /* embedding and output layer are on the same stage: chunks are not played apart */
        end_f = end_b = all_f = all_b = 0;
    out->forward[n] = stretch * ((pass->forward_s - all_f) * share + end_f);
    out->backward[n] = stretch * ((pass->recompute_s + pass->backward_s - all_b) * share + end_b);
}

/* Plays the schedule; every pass goes to `each`. */
static void play(const struct panel *panel, void (*each)(void *context, const struct sim_event *event), void *context)
{
    const struct estimate *e = panel->estimate;
    struct chunk_times times;
    struct sim_scratch scratch;
    struct split split;
    if (!e->is_computed || !e->is_modelled || e->is_serving || split_layers(&e->plan, &split) == SPLIT_NONE)
        return;
    for (int n = 0; n < split.stages * split.chunks; n++) {
        time_chunk(e, &split, n, &times);
        if (!(times.forward[n] + times.backward[n] > 0))
            return;
    }
    simulate(&panel->shape, times.forward, times.backward, &scratch, each, context);
}

static void measure_pass(void *context, const struct sim_event *event)
{
    struct panel *panel = context;
    panel->end_s = fmax(panel->end_s, event->end_s);
    panel->micro_batches = event->micro_batch >= panel->micro_batches ? event->micro_batch + 1 : panel->micro_batches;
}

/* Long schedules are drawn with fewer micro-batches; whole groups fall out, so that the order stays the same. */
static void shorten(struct schedule_shape *shape)
{
    double group = shape->chunks > 1 ? shape->group : 1, rest = fmod(shape->micro_batches, group);
    double keep = fmax(MICRO_BATCHES_MAX, 2 * fmax(shape->stages, group));
    if (shape->micro_batches > keep)
        shape->micro_batches = floor((keep - rest) / group) * group + rest;
}

static struct panel panel_of(const struct estimate *e)
{
    struct panel panel = {.estimate = e};
    if (!e->is_computed)
        return panel;
    panel.shape = e->schedule;
    shorten(&panel.shape);
    play(&panel, measure_pass, &panel);
    return panel;
}

/* ---- drawing ------------------------------------------------------------------------------------------------------ */

static int rows_of(const struct panel *panel)
{
    return panel->shape.stages < ROWS_MAX ? panel->shape.stages : ROWS_MAX;
}

/* The row of a stage: of many stages the first and the last are drawn; -1 for the others. */
static int row_of(const struct panel *panel, int stage)
{
    int left_out = panel->shape.stages - rows_of(panel);
    return stage < ROWS_MAX / 2 ? stage : stage - left_out >= ROWS_MAX / 2 ? stage - left_out : -1;
}

static double row_height(const struct panel *panel)
{
    return panel->shape.stages <= 8 ? 34 : panel->shape.stages <= 16 ? 24 : 18;
}

static double panel_height(const struct panel *panel)
{
    return CAPTION + PANEL_GAP + (panel->end_s > 0 ? rows_of(panel) * row_height(panel) + AXIS : EMPTY);
}

/* One pass, with the number of its micro-batch where there is room. */
static void draw_pass(void *context, const struct sim_event *event)
{
    const struct panel *panel = context;
    int row = row_of(panel, event->stage), digits = event->micro_batch < 10 ? 1 : event->micro_batch < 100 ? 2 : 3;
    double x = SVG_LEFT + event->start_s * panel->pixels, width = (event->end_s - event->start_s) * panel->pixels;
    double y = panel->top + row * panel->row;
    if (row < 0)
        return;
    svg_rect(panel->out, event->is_backward ? "backward" : "forward", x, y + 1, width > 2 ? width - 0.5 : width,
             panel->row - 2, fills[event->is_backward][event->chunk % 2]);
    if (width > 7 * digits + 3)
        svg_text(panel->out, x + width / 2, y + panel->row / 2 + 4, "font-size=\"11\" " SVG_MIDDLE, "%d", event->micro_batch);
}

/* The rows that passes are drawn on; what stays visible of them is idle time. */
static void draw_rows(const struct panel *panel)
{
    for (int stage = 0; stage < panel->shape.stages; stage++) {
        int row = row_of(panel, stage);
        double y = panel->top + row * panel->row;
        if (row < 0)
            continue;
        svg_rect(panel->out, "idle", SVG_LEFT, y + 1, panel->end_s * panel->pixels, panel->row - 2, SVG_PALE);
        svg_text(panel->out, SVG_LEFT - 8, y + panel->row / 2 + 4, SVG_NORMAL " " SVG_END, "stage %d", stage);
    }
}

static void draw_axis(const struct panel *panel)
{
    double step = svg_step(panel->end_s, 10), y = panel->top + rows_of(panel) * panel->row;
    for (int i = 0; i * step <= panel->end_s; i++) {
        double x = SVG_LEFT + i * step * panel->pixels;
        svg_line(panel->out, "tick", x, y, x, y + 5, "stroke=\"" SVG_BLACK "\"");
        svg_text(panel->out, x, y + 19, SVG_SMALL " " SVG_MIDDLE, "%s", cell_seconds(i * step).text);
    }
}

/* What the rows do not show. */
static void draw_remark(const struct panel *panel)
{
    double all = panel->estimate->schedule.micro_batches, y = panel->top + rows_of(panel) * panel->row + 38;
    const struct estimate *e = panel->estimate;
    struct cell after = cell_seconds(report_step(e, "dp_exposed_s") + report_step(e, "optimizer_s"));
    char stages[96] = "";
    if (rows_of(panel) < panel->shape.stages)
        snprintf(stages, sizeof stages, "The first and the last %d of %d stages are drawn. ", ROWS_MAX / 2,
                 panel->shape.stages);
    if (panel->micro_batches < all)
        svg_text(panel->out, SVG_LEFT, y, SVG_SMALL, "%sDrawn with %d of %.0f micro-batches: the steady state is cut short, "
                 "the bubble above is that of the whole iteration.", stages, panel->micro_batches, all);
    else
        svg_text(panel->out, SVG_LEFT, y, SVG_SMALL, "%sNumbers are micro-batches. Exposed gradient exchange and optimizer "
                 "step, %s, follow.", stages, svg_known(after).text);
}

static const char *why_no_passes(const struct estimate *e, char *out, size_t size)
{
    if (e->is_serving)
        return "a plan that serves has no training schedule";
    if (!e->is_computed || !e->is_modelled || !isfinite(report_step(e, "iteration_s")))
        return report_why_unknown(e, "hardware.peak_tflops", out, size);
    return "the order of passes of this schedule is not modelled";
}

static void draw_caption(struct buffer *out, const struct estimate *e, double y)
{
    char schedule[PARAM_TEXT_MAX] = "";
    param_print(&e->plan, PARAM_parallel_schedule, schedule, sizeof schedule);
    svg_text(out, 20, y, "font-size=\"15\" " SVG_BOLD, "%s: schedule %.32s, %s micro-batches, iteration %s%s, bubble %s",
             report_framework(e), schedule[0] ? schedule : "unknown",
             svg_known(cell_count(e->is_computed ? e->schedule.micro_batches : NAN)).text,
             svg_known(cell_seconds(report_step(e, "iteration_s"))).text, e->symbols.measured_s > 0 ? " (measured)" : "",
             svg_known(cell_share(report_step(e, "bubble_fraction"))).text);
}

/* One estimate; `pixels` of a second are the same for all. */
static void draw_panel(struct buffer *out, struct panel *panel, double top, double pixels)
{
    char why[200];
    draw_caption(out, panel->estimate, top + 14);
    panel->out = out;
    panel->top = top + CAPTION;
    panel->row = row_height(panel);
    panel->pixels = pixels;
    if (panel->end_s > 0) {
        draw_rows(panel);
        play(panel, draw_pass, panel);
        draw_axis(panel);
        draw_remark(panel);
    } else {
        svg_text(out, SVG_LEFT, panel->top + 12, SVG_NORMAL, "unknown: %s", why_no_passes(panel->estimate, why, sizeof why));
    }
}

static void draw_legend(struct buffer *out, bool has_chunks)
{
    double x = svg_key(out, SVG_LEFT, SVG_TOP + 8, has_chunks ? "forward, even chunks" : "forward", fills[0][0]);
    x = has_chunks ? svg_key(out, x, SVG_TOP + 8, "odd chunks", fills[0][1]) : x;
    x = svg_key(out, x, SVG_TOP + 8, has_chunks ? "backward, even chunks" : "backward", fills[1][0]);
    x = has_chunks ? svg_key(out, x, SVG_TOP + 8, "odd chunks", fills[1][1]) : x;
    svg_key(out, x, SVG_TOP + 8, "idle", SVG_PALE);
}

/* "pipeline schedule", of one estimate with its time and bubble. */
static void describe(const struct estimates *all, char out[SVG_TEXT_MAX])
{
    const struct estimate *e = all->item[0];
    snprintf(out, SVG_TEXT_MAX, "pipeline schedule");
    if (all->count == 1)
        snprintf(out, SVG_TEXT_MAX, "pipeline schedule, iteration %s, bubble %s",
                 svg_known(cell_seconds(report_step(e, "iteration_s"))).text,
                 svg_known(cell_share(report_step(e, "bubble_fraction"))).text);
}

void svg_time(struct buffer *out, const struct estimates *all)
{
    char subject[SVG_TEXT_MAX];
    double end_s = 0, height = FIRST, top = FIRST;
    bool has_chunks = false;
    for (size_t i = 0; i < all->count; i++) {
        struct panel panel = panel_of(all->item[i]);
        end_s = fmax(end_s, panel.end_s);
        height += panel_height(&panel);
        has_chunks = has_chunks || panel.shape.chunks > 1;
    }
    describe(all, subject);
    svg_open(out, all->item[0], SVG_WIDTH, height, subject);
    draw_legend(out, has_chunks);
    for (size_t i = 0; i < all->count; i++) {
        struct panel panel = panel_of(all->item[i]);
        draw_panel(out, &panel, top, PLOT_WIDTH / fmax(end_s, 1e-9));
        top += panel_height(&panel);
    }
    svg_close(out);
}
