/* src/report/svg_time.c - an iteration: a row of passes for each stage, and what it is spent on. */
#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/plan/param.h"
#include "core/show/spent.h"
#include "src/report/data.h"
#include "src/report/svg_draw.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_MAX = 32, MICRO_BATCHES_MAX = 64, PLOT_WIDTH = SVG_WIDTH - SVG_LEFT - 40, FIRST = SVG_TOP + 44 };
enum { CAPTION = 30, AXIS = 58, EMPTY = 40, PANEL_GAP = 14 }; /* heights in a panel, beside its rows */

/* The colours of passes: of even and of odd chunks; apart on grey paper too. */
static const char *const fills[SIM_PASS_KINDS][2] = {[SIM_FORWARD] = {SVG_SKY, "#b9dff5"},
                                                     [SIM_BACKWARD] = {SVG_VERMILLION, "#ebb38a"},
                                                     [SIM_WGRAD] = {"#00456e", "#4d7d9a"}};
static const char *const inks[SIM_PASS_KINDS] = {
    [SIM_FORWARD] = SVG_BLACK, [SIM_BACKWARD] = SVG_BLACK, [SIM_WGRAD] = SVG_WHITE};
static const char *const pass_names[SIM_PASS_KINDS] = {"forward", "backward", "weight gradients"};

/* The schedule of one estimate as it is played. */
struct panel {
    const struct estimate *estimate;
    struct schedule_shape shape; /* of at most about MICRO_BATCHES_MAX micro-batches */
    double end_s;                /* when the last pass ends; 0 when the order of passes or their times are not known */
    int micro_batches;           /* drawn */
    /* while it is drawn */
    struct buffer *out;
    double top, row, pixels; /* pixels: of a second */
};

/* ---- playing ---------------------------------------------------------------------------------------------------- */

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
    estimate_play(e, panel.shape.micro_batches, measure_pass, &panel);
    return panel;
}

/* ---- drawing ---------------------------------------------------------------------------------------------------- */

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
    if (panel->estimate->is_serving) /* no schedule, only the parts of a token's time */
        return 0;
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
    svg_rect(panel->out, pass_names[event->pass], x, y + 1, width > 2 ? width - 0.5 : width,
             panel->row - 2, fills[event->pass][event->chunk % 2]);
    char look[80];
    snprintf(look, sizeof look, "font-size=\"11\" " SVG_MIDDLE " fill=\"%s\"", inks[event->pass]);
    if (width > 7 * digits + 3)
        svg_text(panel->out, x + width / 2, y + panel->row / 2 + 4, look, "%d", event->micro_batch);
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
        svg_text(panel->out, SVG_LEFT, y, SVG_SMALL,
                 "%sDrawn with %d of %.0f micro-batches: the steady state is cut short, "
                 "the bubble above is that of the whole iteration.",
                 stages, panel->micro_batches, all);
    else
        svg_text(panel->out, SVG_LEFT, y, SVG_SMALL,
                 "%sNumbers are micro-batches. Exposed gradient exchange and optimizer "
                 "step, %s, follow.",
                 stages, svg_known(after).text);
}

static const char *why_no_passes(const struct estimate *e, char *out, size_t size)
{
    if (!e->is_computed || !e->is_modelled || !isfinite(report_step(e, "iteration_s")))
        return report_why_unknown(e, "hardware.peak_tflops", out, size);
    return "this schedule has no order of passes for these stages and micro-batches";
}

static void draw_caption(struct buffer *out, const struct estimate *e, double y)
{
    char schedule[PARAM_TEXT_MAX] = "";
    param_print(&e->plan, PARAM_parallel_schedule, schedule, sizeof schedule);
    svg_text(
        out, 20, y, "font-size=\"15\" " SVG_BOLD, "%s: schedule %.32s, %s micro-batches, iteration %s%s, bubble %s",
        report_framework(e), schedule[0] ? schedule : "unknown",
        svg_known(cell_count(e->is_computed ? e->schedule.micro_batches : NAN)).text,
        svg_known(cell_seconds(report_step(e, "iteration_s"))).text, e->symbols.measured_s > 0 ? " (measured)" : "",
        svg_known(cell_share(report_step(e, "bubble_fraction"))).text);
}

/* One estimate; `pixels` of a second are the same for all. */
static void draw_panel(struct buffer *out, struct panel *panel, double top, double pixels)
{
    char why[200];
    if (panel->estimate->is_serving)
        return;
    draw_caption(out, panel->estimate, top + 14);
    panel->out = out;
    panel->top = top + CAPTION;
    panel->row = row_height(panel);
    panel->pixels = pixels;
    if (panel->end_s > 0) {
        draw_rows(panel);
        estimate_play(panel->estimate, panel->shape.micro_batches, draw_pass, panel);
        draw_axis(panel);
        draw_remark(panel);
    } else {
        svg_text(out, SVG_LEFT, panel->top + 12, SVG_NORMAL, "unknown: %s",
                 why_no_passes(panel->estimate, why, sizeof why));
    }
}

/* ---- what the iteration is spent on ------------------------------------------------------------------------------ */

enum { PART_HEIGHT = 22, PART_LEFT = 280, PARTS_HEIGHT = 46 };

static const char *part_fill(const char *part)
{
    static const struct {
        const char *name, *fill;
    } fills_of[] = {{"peak_math", SVG_GREEN}, {"kernels", SVG_BLUE}, {"recompute", SVG_PURPLE}, {"bubble", SVG_GREY},
                    {"imbalance", SVG_GREY}, {"optimizer", SVG_YELLOW}, {"token_weights_s", SVG_BLUE},
                    {"token_cache_s", SVG_SKY}, {"token_kernels_s", SVG_GREEN}, {"token_launches_s", SVG_PURPLE},
                    {"token_prompts_s", SVG_GREY}};
    for (size_t i = 0; i < LENGTH(fills_of); i++)
        if (strcmp(fills_of[i].name, part) == 0)
            return fills_of[i].fill;
    return SVG_ORANGE;
}

static double parts_height(const struct estimate *e)
{
    struct spent spent;
    int rows = 0;
    spent_of(e, &spent);
    for (int i = 0; i < spent.count; i++)
        rows += spent_is_shown(&spent, i);
    return rows ? PARTS_HEIGHT + rows * PART_HEIGHT : 0;
}

/* A waterfall: each bar begins where the last one ends. */
static void draw_parts(struct buffer *out, const struct estimate *e, double top)
{
    struct spent spent;
    spent_of(e, &spent);
    double pixels = (SVG_WIDTH - PART_LEFT - 40) / spent.whole_s, at = 0, y = top + CAPTION;
    if (spent.count > 0)
        svg_text(out, 20, top + 14, "font-size=\"15\" " SVG_BOLD, "%s%stime of %s by part%s",
                 e->is_serving ? "" : report_framework(e), e->is_serving ? "" : ": ", spent.what,
                 spent.is_mean ? ", mean over all GPUs" : "");
    for (int i = 0; i < spent.count; i++) {
        const struct spent_part *part = &spent.part[i];
        if (spent_is_shown(&spent, i)) {
            svg_text(out, 20, y + 15, SVG_NORMAL, "%s", part->words);
            svg_text(out, PART_LEFT - 62, y + 15, SVG_NORMAL " " SVG_END, "%s", cell_seconds(part->seconds).text);
            svg_text(out, PART_LEFT - 12, y + 15, SVG_NORMAL " " SVG_END, "%s",
                     cell_share(part->seconds / spent.whole_s).text);
            svg_rect(out, part->name, PART_LEFT + at * pixels, y + 2, fmax(part->seconds * pixels, 1),
                     PART_HEIGHT - 4, part_fill(part->name));
            y += PART_HEIGHT;
        }
        at += part->seconds;
    }
}

/* The kinds of passes that any panel has. */
static void draw_legend(struct buffer *out, bool has_chunks, bool has_wgrad)
{
    double x = SVG_LEFT;
    char label[64];
    for (int pass = 0; pass < (has_wgrad ? SIM_PASS_KINDS : SIM_WGRAD); pass++) {
        snprintf(label, sizeof label, "%s%s", pass_names[pass], has_chunks ? ", even chunks" : "");
        x = svg_key(out, x, SVG_TOP + 8, label, fills[pass][0]);
        x = has_chunks ? svg_key(out, x, SVG_TOP + 8, "odd chunks", fills[pass][1]) : x;
    }
    svg_key(out, x, SVG_TOP + 8, "idle", SVG_PALE);
}

/* "pipeline schedule", of one estimate with its time and bubble. */
static void describe(const struct estimates *all, char out[SVG_TEXT_MAX])
{
    const struct estimate *e = all->item[0];
    snprintf(out, SVG_TEXT_MAX, e->is_serving ? "time of a token" : "pipeline schedule");
    if (all->count == 1 && !e->is_serving)
        snprintf(out, SVG_TEXT_MAX, "pipeline schedule, iteration %s, bubble %s",
                 svg_known(cell_seconds(report_step(e, "iteration_s"))).text,
                 svg_known(cell_share(report_step(e, "bubble_fraction"))).text);
}

static void draw(struct buffer *out, const struct estimates *all)
{
    char subject[SVG_TEXT_MAX];
    double end_s = 0, height = FIRST, top = FIRST;
    bool has_chunks = false, has_wgrad = false;
    for (size_t i = 0; i < all->count; i++) {
        struct panel panel = panel_of(all->item[i]);
        end_s = fmax(end_s, panel.end_s);
        height += panel_height(&panel) + parts_height(all->item[i]);
        has_chunks = has_chunks || panel.shape.chunks > 1;
        has_wgrad = has_wgrad || panel.shape.kind > SCHEDULE_INTERLEAVED;
    }
    describe(all, subject);
    svg_open(out, all->item[0], SVG_WIDTH, height, subject);
    if (!all->item[0]->is_serving)
        draw_legend(out, has_chunks, has_wgrad);
    for (size_t i = 0; i < all->count; i++) {
        struct panel panel = panel_of(all->item[i]);
        draw_panel(out, &panel, top, PLOT_WIDTH / fmax(end_s, 1e-9));
        top += panel_height(&panel);
        draw_parts(out, all->item[i], top);
        top += parts_height(all->item[i]);
    }
    svg_close(out);
}

const struct svg_figure svg_time = {SECTION_TIME, draw};
