/* src/report/timeline.c - allocated memory through one step, drawn as text, one curve for each estimate. */
#include "core/estimate/timeline.h"
#include "src/report/format.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { HEIGHT = 12, AXIS_COLUMNS = 8, CURVE_COLUMNS = PAGE_WIDTH - AXIS_COLUMNS };

/* The curve of one stage, a column for each point. */
struct curve {
    int columns;
    double base, height[CURVE_COLUMNS]; /* bytes at the start; at each point */
    char mark[CURVE_COLUMNS];         /* f, b, w or s: the event of the point */
};

static char mark_of(enum timeline_event event)
{
    static const char marks[EVENT_COUNT] = {
        [EVENT_START] = 'f',    [EVENT_FORWARD] = 'f', [EVENT_BACKWARD] = 'b', [EVENT_FREED] = 'b', [EVENT_WGRAD] = 'w',
        [EVENT_STEP] = 's',
    };
    return marks[event];
}

static bool curve_of(const struct estimate *estimate, int stage, struct curve *curve)
{
    struct timeline_point points[CURVE_COLUMNS];
    int count = timeline_of(estimate, stage, points, CURVE_COLUMNS);
    *curve = (struct curve){.columns = count, .base = count ? points[0].bytes : 0};
    for (int i = 0; i < count; i++) {
        curve->height[i] = points[i].bytes;
        curve->mark[i] = mark_of(points[i].event);
    }
    return count > 0;
}

static double highest(const struct curve *curve)
{
    double most = 0;
    for (int i = 0; i < curve->columns; i++)
        most = fmax(most, curve->height[i]);
    return most;
}

static bool has_mark(const struct curve curves[], size_t count, char mark)
{
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < curves[i].columns; k++)
            if (curves[i].mark[k] == mark)
                return true;
    return false;
}

static void draw(struct page *page, const struct curve *curve, double top_bytes)
{
    for (int row = HEIGHT; row >= 1; row--) {
        char line[CURVE_COLUMNS + 1];
        double low = top_bytes * (row - 1) / HEIGHT, high = top_bytes * row / HEIGHT;
        int used = 0;
        for (int i = 0; i < curve->columns; i++)
            line[used++] = curve->height[i] <= low + top_bytes / HEIGHT / 2 ? ' '
                           : curve->base > low                              ? '.'
                                                                            : curve->mark[i];
        while (used > 0 && line[used - 1] == ' ')
            used--;
        line[used] = '\0';
        page_pad(page, cell_gib(high).text, 2 - AXIS_COLUMNS);
        buffer_puts(page->out, " |");
        buffer_puts(page->out, line);
        buffer_puts(page->out, "\n");
    }
}

/* The stage that every curve shows: the fullest of the first estimate that has one. */
static int shown_stage(const struct estimates *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->item[i]->stages > 0 && all->item[i]->is_modelled)
            return all->item[i]->peak_stage;
    return -1;
}

void report_timeline(struct page *page, const struct estimates *all)
{
    int stage = shown_stage(all);
    struct curve *curves = xmalloc(all->count * sizeof *curves);
    double top_bytes = 0;
    for (size_t i = 0; stage >= 0 && i < all->count; i++)
        top_bytes = curve_of(all->item[i], stage, &curves[i]) ? fmax(top_bytes, highest(&curves[i])) : top_bytes;
    if (top_bytes > 0)
        page_heading(page, "Allocated memory of stage %d through one step, GiB", stage);
    for (size_t i = 0; top_bytes > 0 && i < all->count; i++) {
        if (curves[i].columns == 0)
            continue;
        if (all->count > 1)
            page_prose(page, 0, "%s: peak %s", report_framework(all->item[i]), cell_bytes(highest(&curves[i])).text);
        draw(page, &curves[i], top_bytes);
    }
    if (top_bytes > 0)
        page_prose(page, 0,
                   "f after a forward pass, b in a backward pass, %ss in the optimizer step; . weights, gradients, "
                   "optimizer states and buffers, which stay. Of long schedules the first and last passes are shown.",
                   has_mark(curves, all->count, 'w') ? "w after weight gradients that run apart, " : "");
    free(curves);
}
