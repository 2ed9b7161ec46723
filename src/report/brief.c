/* src/report/brief.c - what a terminal shows first: memory of the fullest GPU beside what an iteration is spent on. */
#include "core/show/components.h"
#include "core/show/spent.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { LEFT_COLUMNS = 40, MEMORY_LABEL = 25, TIME_LABEL = 20, LINES_MAX = 24 };

/* Lines that stand beside others. */
struct column {
    struct cell line[LINES_MAX];
    int lines;
};

static void __attribute__((format(printf, 2, 3))) add_line(struct column *column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (column->lines < LINES_MAX)
        vsnprintf(column->line[column->lines++].text, CELL_MAX, format, args);
    va_end(args);
}

/* Parts, each with what is joined to it; what they sum to, and what that leaves. */
static void add_memory(struct column *column, const struct estimate *e)
{
    const struct component *row = stage_components.row, *end = row + stage_components.count;
    struct stage stage;
    report_stage_rounded(e, e->peak_stage, &stage);
    add_line(column, "GiB on a GPU of stage %d, the fullest", e->peak_stage);
    for (; row < end; row++) {
        bool is_part = row->kind == COMPONENT_PART && row->style != COMPONENT_JOINED;
        bool has_joined = row + 1 < end && row[1].style == COMPONENT_JOINED;
        double bytes = stage_component(row, e, &stage) + (has_joined ? stage_component(row + 1, e, &stage) : 0);
        bool is_end = row == component_total(&stage_components) || row->kind == COMPONENT_LEFT;
        if ((is_part || is_end) && bytes != 0)
            add_line(column, "  %-*s%9s", MEMORY_LABEL, row->words, figure(FIGURE_GIB_TO_SUM, bytes).text);
    }
}

/* Parts of the time of an iteration, without those below 0.05 %. */
static void add_time(struct column *column, const struct estimate *e)
{
    struct spent spent;
    spent_of(e, &spent);
    add_line(column, spent.is_mean ? "an iteration, the mean of all GPUs" : "an iteration of reinforcement learning");
    for (int i = 0; i < spent.count; i++)
        if (spent_is_shown(&spent, i))
            add_line(column, "  %-*s%9s%8s", TIME_LABEL, spent.part[i].words,
                     figure(FIGURE_SECONDS, spent.part[i].seconds).text,
                     figure(FIGURE_PERCENT, spent.part[i].seconds / spent.whole_s).text);
}

static void print_beside(struct page *page, const struct column *left, const struct column *right)
{
    buffer_puts(page->out, left->lines || right->lines ? "\n" : "");
    for (int i = 0; i < left->lines || i < right->lines; i++) {
        page_pad(page, i < left->lines ? left->line[i].text : "", i < right->lines ? LEFT_COLUMNS : 0);
        buffer_printf(page->out, "%s\n", i < right->lines ? right->line[i].text : "");
    }
}

void report_brief(struct page *page, const struct estimates *all)
{
    const struct estimate *e = all->item[0];
    struct column memory = {0}, time = {0};
    bool is_alone = all->count == 1 && !e->is_serving;
    if (is_alone && e->is_computed && e->is_modelled)
        add_memory(&memory, e);
    if (is_alone && isfinite(report_step(e, "iteration_s")))
        add_time(&time, e);
    if (is_alone)
        print_beside(page, &memory, &time);
    else
        (e->is_serving ? report_serving : report_memory)(page, all);
    buffer_puts(page->out, "\n");
    page_prose(page, 0,
               "all of it: --full; a part: --section memory, time, layers, communication or grid; where a number comes "
               "from: shardtop explain; what to change: shardtop advice");
}
