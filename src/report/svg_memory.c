/* src/report/svg_memory.c - what each pipeline stage holds, as stacked bars. */
#include "core/base.h"
#include "core/show/components.h"
#include "src/report/data.h"
#include "src/report/svg_draw.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- memory: what is drawn -------------------------------------------------------------------------------------- */

enum {
    BARS_MAX = 32, PLOT_HEIGHT = 400, GROUP_GAP = 40, GROUP_LEAST = 230, RIGHT = 130, PITCH_LEAST = 46,
    LETTERED = 50 /* width of a bar from which on its parts have their letter, so that no colour is needed */,
    PLOT_TOP = SVG_TOP + 56
};

/* How a part looks. */
static const struct look {
    const char *fill, *ink;
} looks[COLOR_COUNT] = {
    [COLOR_NONE] = {SVG_WHITE, SVG_BLACK},         [COLOR_WEIGHTS] = {SVG_BLUE, SVG_WHITE},
    [COLOR_GRADIENTS] = {SVG_SKY, SVG_BLACK},      [COLOR_OPTIMIZER] = {SVG_GREEN, SVG_WHITE},
    [COLOR_ACTIVATIONS] = {SVG_ORANGE, SVG_BLACK}, [COLOR_TRANSIENT] = {SVG_YELLOW, SVG_BLACK},
    [COLOR_SCRATCH] = {SVG_PURPLE, SVG_BLACK},     [COLOR_CACHE] = {SVG_PALE, SVG_BLACK},
    [COLOR_DRIVER] = {SVG_GREY, SVG_BLACK},       [COLOR_LINKS] = {SVG_DARK, SVG_WHITE},
};

/* Neighbouring stages that hold the same. */
struct bar {
    int from, to;
};

/* The bars of one estimate; none when its memory is not known. */
struct group {
    const struct estimate *estimate;
    const struct component_list *components;
    int count, runs; /* bars drawn, of how many */
    struct bar bar[BARS_MAX];
};

/* The last stage from `from` on that holds the same. */
static int last_equal(const struct estimate *e, int from)
{
    int to = from;
    while (to + 1 < e->stages && report_stages_equal(e, to, to + 1))
        to++;
    return to;
}

/* Evenly chosen runs, the first, the last and the one at the peak among them. */
static void choose_bars(struct group *group, const struct bar run[], int peak)
{
    int last = group->count - 1, before_peak = 0;
    for (int i = 0; i <= last; i++)
        group->bar[i] = run[last ? i * (group->runs - 1) / last : 0];
    while (before_peak < last && group->bar[before_peak + 1].from <= peak)
        before_peak++;
    for (int i = 0; i < group->runs; i++)
        if (run[i].from <= peak && peak <= run[i].to && group->bar[before_peak].from != run[i].from)
            group->bar[before_peak ? before_peak : 1] = run[i];
}

static struct group group_of(const struct estimate *e)
{
    const struct component_list *list = e->is_computed && e->is_serving ? &serving_components : &stage_components;
    struct group group = {.estimate = e, .components = list};
    struct bar run[STAGES_MAX];
    if (!e->is_computed || !e->is_modelled)
        return group;
    for (int from = 0, to; from < (e->is_serving ? 1 : e->stages); from = to + 1) {
        to = e->is_serving ? 0 : last_equal(e, from);
        run[group.runs++] = (struct bar){from, to};
    }
    group.count = group.runs < BARS_MAX ? group.runs : BARS_MAX;
    choose_bars(&group, run, e->is_serving ? 0 : e->peak_stage);
    return group;
}

static double bytes_of(const struct group *group, const struct bar *bar, const struct component *component)
{
    const struct estimate *e = group->estimate;
    return e->is_serving ? serving_component(component, &e->serving)
                         : stage_component(component, e, &e->stage[bar->from]);
}

static double total_of(const struct group *group, const struct bar *bar)
{
    return bytes_of(group, bar, component_total(group->components));
}

static double limit_of(const struct estimate *e)
{
    return !e->is_computed ? NAN : e->is_serving ? e->serving.room_bytes : e->usable_bytes;
}

/* ---- memory: drawing -------------------------------------------------------------------------------------------- */

/* The vertical axis that all groups share, and the room and the width of a bar. */
struct scale {
    double top_bytes, pitch, width;
};

static double y_of(const struct scale *scale, double bytes)
{
    return PLOT_TOP + PLOT_HEIGHT * (1 - bytes / scale->top_bytes);
}

static struct scale scale_of(const struct estimates *all)
{
    double most = 0;
    int bars = 0;
    for (size_t i = 0; i < all->count; i++) {
        struct group group = group_of(all->item[i]);
        most = fmax(most, limit_of(all->item[i]));
        for (int k = 0; k < group.count; k++)
            most = fmax(most, total_of(&group, &group.bar[k]));
        bars += group.count;
    }
    double room = SVG_WIDTH - SVG_LEFT - RIGHT - GROUP_GAP * (double)(all->count - 1);
    double pitch = fmax(room / fmax(bars, 1), PITCH_LEAST);
    return (struct scale){.top_bytes = most > 0 ? 1.06 * most : GIB, .pitch = pitch, .width = fmin(0.78 * pitch, 130)};
}

/* Sizes as they stand in the figure. */
static struct cell size_of(const struct scale *scale, double bytes)
{
    return svg_known(cell_fixed(bytes / GIB, scale->top_bytes < 10 * GIB ? 2 : 1));
}

static double group_width(const struct group *group, const struct scale *scale)
{
    return fmax(group->count * scale->pitch, GROUP_LEAST);
}

static void draw_axis(struct buffer *out, const struct scale *scale, double right)
{
    double top = scale->top_bytes / GIB, step = svg_step(top, 8);
    for (int i = 0; i * step <= top; i++) {
        double y = y_of(scale, i * step * GIB);
        svg_line(out, "grid", SVG_LEFT, y, right, y, "stroke=\"" SVG_PALE "\"");
        svg_text(out, SVG_LEFT - 8, y + 4, SVG_NORMAL " " SVG_END, "%g", i * step);
    }
    svg_text(out, SVG_LEFT - 8, PLOT_TOP - 14, SVG_NORMAL " " SVG_END, "GiB");
}

/* A bar being drawn. */
struct place {
    const struct group *group;
    const struct scale *scale;
    const struct bar *bar;
    double x;
};

/* The pieces with their sizes; returns the bytes that they sum to. */
static double draw_parts(struct buffer *out, const struct place *at)
{
    double base = 0;
    for (int i = 0; i < at->group->components->count; i++) {
        const struct component *part = &at->group->components->row[i];
        double bytes = bytes_of(at->group, at->bar, part), height = PLOT_HEIGHT * bytes / at->scale->top_bytes;
        char look[96];
        if (part->kind != COMPONENT_PART || !(bytes > 0))
            continue;
        svg_rect(out, "part", at->x, y_of(at->scale, base + bytes), at->scale->width, height, looks[part->color].fill);
        snprintf(look, sizeof look, "font-size=\"11\" " SVG_MIDDLE " fill=\"%s\"", looks[part->color].ink);
        if (height >= 13)
            svg_text(out, at->x + at->scale->width / 2, y_of(at->scale, base + bytes / 2) + 4, look,
                     at->scale->width < LETTERED ? "%.0s%s" : "%s %s", (const char[]){part->letter, '\0'},
                     size_of(at->scale, bytes).text);
        base += bytes;
    }
    return base;
}

/* One stacked bar with its sum above and its stages below. */
static void draw_bar(struct buffer *out, const struct place *at)
{
    double total = total_of(at->group, at->bar), middle = at->x + at->scale->width / 2;
    double top = draw_parts(out, at), below = PLOT_TOP + PLOT_HEIGHT + SVG_LINE;
    bool is_over = total > limit_of(at->group->estimate);
    svg_text(out, middle, y_of(at->scale, top) - 5,
             is_over ? SVG_NORMAL " " SVG_BOLD " " SVG_MIDDLE " " SVG_RED : SVG_NORMAL " " SVG_BOLD " " SVG_MIDDLE,
             "%s", size_of(at->scale, total).text);
    if (at->group->estimate->is_serving)
        svg_text(out, middle, below, SVG_NORMAL " " SVG_MIDDLE, "fullest GPU");
    else if (at->bar->from == at->bar->to)
        svg_text(out, middle, below, SVG_NORMAL " " SVG_MIDDLE, "s%d", at->bar->from);
    else
        svg_text(out, middle, below, SVG_NORMAL " " SVG_MIDDLE, "s%d-%d", at->bar->from, at->bar->to);
}

/* Whether it fits, below a group. */
static void draw_verdict(struct buffer *out, const struct estimate *e, double x, double y)
{
    const char *look = SVG_NORMAL " " SVG_MIDDLE;
    double left = e->is_computed ? e->headroom_bytes : NAN;
    if (e->diags.errors > 0)
        svg_text(out, x, y, look, "invalid: training would not start");
    else if (!isfinite(left))
        svg_text(out, x, y, look, "unknown whether it fits");
    else if (e->fits)
        svg_text(out, x, y, look, "fits, %s left", cell_bytes(left).text);
    else
        svg_text(out, x, y, SVG_NORMAL " " SVG_MIDDLE " " SVG_RED, "does not fit, %s too much",
                 cell_bytes(fabs(left)).text);
}

static void draw_group(struct buffer *out, const struct group *group, const struct scale *scale, double x)
{
    double width = group_width(group, scale), middle = x + width / 2, limit = limit_of(group->estimate);
    double below = PLOT_TOP + PLOT_HEIGHT;
    double start = middle - group->count * scale->pitch / 2 + (scale->pitch - scale->width) / 2;
    for (int i = 0; i < group->count; i++)
        draw_bar(out, &(struct place){group, scale, &group->bar[i], start + i * scale->pitch});
    if (group->count == 0)
        svg_text(out, middle, PLOT_TOP + PLOT_HEIGHT / 2, "font-size=\"16\" " SVG_MIDDLE, "unknown");
    if (isfinite(limit))
        svg_line(out, "usable", x, y_of(scale, limit), x + width, y_of(scale, limit),
                 "stroke=\"" SVG_VERMILLION "\" stroke-width=\"2\" stroke-dasharray=\"7 4\"");
    svg_text(out, middle, below + 2.3 * SVG_LINE, "font-size=\"14\" " SVG_BOLD " " SVG_MIDDLE, "%s",
             report_framework(group->estimate));
    draw_verdict(out, group->estimate, middle, below + 3.3 * SVG_LINE);
}

/* Beside the lines at the usable memory, or that there is none; the GPU of all estimates is the same. */
static void label_limit(struct buffer *out, const struct estimates *all, const struct scale *scale, double x)
{
    size_t i = 0;
    while (i + 1 < all->count && !isfinite(limit_of(all->item[i])))
        i++;
    const struct estimate *e = all->item[i];
    double limit = limit_of(e), y = isfinite(limit) ? y_of(scale, limit) : PLOT_TOP;
    svg_text(out, x, y - 2, SVG_NORMAL " " SVG_RED,
             e->is_computed && e->is_serving ? "room for serving" : "usable memory");
    svg_text(out, x, y + 14, SVG_NORMAL " " SVG_RED, "%s", svg_known(cell_bytes(limit)).text);
}

static bool has_remark(const struct group *group)
{
    return group->count == 0 || group->count < group->runs;
}

/* What a group does not show, as a line at the foot. */
static void draw_remark(struct buffer *out, const struct group *group, double y)
{
    char why[200];
    const char *name = report_framework(group->estimate);
    if (group->count == 0)
        svg_text(out, 20, y, SVG_SMALL, "%s: memory is unknown: %s", name,
                 report_why_unknown(group->estimate, NULL, why, sizeof why));
    else
        svg_text(out, 20, y, SVG_SMALL, "%s: %d of %d different stages are drawn, the fullest among them", name,
                 group->count, group->runs);
}

static void draw_groups(struct buffer *out, const struct estimates *all, const struct scale *scale)
{
    double x = SVG_LEFT, foot = PLOT_TOP + PLOT_HEIGHT + 4.8 * SVG_LINE;
    for (size_t i = 0; i < all->count; i++) {
        struct group group = group_of(all->item[i]);
        draw_group(out, &group, scale, x);
        if (has_remark(&group))
            draw_remark(out, &group, foot);
        foot += has_remark(&group) ? SVG_LINE : 0;
        x += group_width(&group, scale) + GROUP_GAP;
    }
    label_limit(out, all, scale, x - GROUP_GAP + 8);
}

/* True for a part that some bar has. */
static bool is_drawn(const struct estimates *all, const struct component *part)
{
    bool is_there = false;
    for (size_t i = 0; i < all->count && part->kind == COMPONENT_PART; i++) {
        struct group group = group_of(all->item[i]);
        for (int k = 0; k < group.count; k++)
            is_there |= bytes_of(&group, &group.bar[k], part) > 0;
        is_there |= group.count == 0; /* nothing is known: the legend says what there would be */
    }
    return is_there && part->letter;
}

static void draw(struct buffer *out, const struct estimates *all)
{
    struct scale scale = scale_of(all);
    struct group first = group_of(all->item[0]);
    double right = SVG_LEFT - GROUP_GAP, key = SVG_LEFT, height = PLOT_TOP + PLOT_HEIGHT + 4.8 * SVG_LINE;
    for (size_t i = 0; i < all->count; i++) {
        struct group group = group_of(all->item[i]);
        right += GROUP_GAP + group_width(&group, &scale);
        height += has_remark(&group) ? SVG_LINE : 0;
    }
    svg_open(out, all->item[0], fmax(right + RIGHT, SVG_WIDTH), height,
             first.components == &serving_components ? "memory of the fullest GPU"
                                                     : "memory of one GPU in each pipeline stage");
    for (int i = 0; i < first.components->count; i++) {
        const struct component *part = &first.components->row[i];
        char label[64];
        snprintf(label, sizeof label, "%c %.60s", part->letter, part->name);
        key = is_drawn(all, part) ? svg_key(out, key, SVG_TOP + 8, label, looks[part->color].fill) : key;
    }
    draw_axis(out, &scale, right);
    draw_groups(out, all, &scale);
    svg_close(out);
}

const struct svg_figure svg_memory = {SECTION_MEMORY, draw};
