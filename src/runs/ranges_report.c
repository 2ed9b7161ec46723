/* src/runs/ranges_report.c - what measured runs say about ranges, as text, JSON, CSV and Markdown. */
#include "core/base.h"
#include "src/report/format.h"
#include "src/report/table.h"
#include "src/runs/ranges.h"
#include "src/text/json_out.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_WIDTH = 52 };

/* A share, or "-". */
static struct cell cell_part(double share)
{
    return isnan(share) ? (struct cell){"-"} : cell_share(share);
}

static void print_cover(struct page *page, const char *name, const struct ranges_cover *cover)
{
    page_pad(page, name, NAME_WIDTH);
    buffer_printf(page->out, "%6d %8d %8s %8s %8.3f %8.3f\n", cover->rows, cover->sources,
                  cell_part(cover->inside).text, cell_part(cover->inside_sources).text, cover->width,
                  cover->core_width);
}

static void print_covers(struct page *page, const struct ranges *ranges)
{
    buffer_printf(page->out, "\n%-*s%6s %8s %8s %8s %8s %8s\n", NAME_WIDTH, "", "runs", "sources", "inside", "sources",
                  "width", "core");
    for (int level = LEVEL_COUNT; level >= 0; level--)
        for (int is_left_out = 0; is_left_out < 2; is_left_out++) {
            struct ranges_cover cover;
            char name[NAME_WIDTH];
            ranges_cover(ranges, level, is_left_out, &cover);
            snprintf(name, sizeof name, "%s, %s", level == LEVEL_COUNT ? "all" : range_levels[level].word,
                     is_left_out ? "each source left out" : "ranges of this program");
            print_cover(page, name, &cover);
        }
}

/* A source, and its mean error. */
struct place {
    int source;
    double error;
};

static int compare_places(const void *one, const void *other)
{
    const struct place *a = one, *b = other;
    return (a->error < b->error) - (a->error > b->error);
}

/* Sources, the one with the largest error first; in fresh memory. */
static struct place *worst_first(const struct ranges *ranges)
{
    struct place *order = xmalloc((size_t)(ranges->sources + 1) * sizeof *order);
    for (int i = 0; i < ranges->sources; i++) {
        struct ranges_cover cover;
        ranges_cover_source(ranges, i, LEVEL_COUNT, true, &cover);
        order[i] = (struct place){i, cover.error};
    }
    qsort(order, (size_t)ranges->sources, sizeof *order, compare_places);
    return order;
}

static void print_sources(struct page *page, const struct ranges *ranges)
{
    struct place *order = worst_first(ranges);
    buffer_printf(page->out, "\n%-*s%6s %8s %8s %8s %8s %8s\n", NAME_WIDTH, "source, worst first", "runs", "error",
                  "bias", "inside", "left out", "width");
    for (int i = 0; i < ranges->sources; i++) {
        struct ranges_cover own, without;
        ranges_cover_source(ranges, order[i].source, LEVEL_COUNT, false, &own);
        ranges_cover_source(ranges, order[i].source, LEVEL_COUNT, true, &without);
        page_pad(page, ranges->source[order[i].source], NAME_WIDTH);
        buffer_printf(page->out, "%6d %7.1f%% %+7.1f%% %8s %8s %8.2f\n", own.rows, 100 * own.error, 100 * own.bias,
                      cell_part(own.inside).text, cell_part(without.inside).text, without.width);
    }
    free(order);
}

static void print_parts(struct page *page, const struct ranges *ranges)
{
    buffer_printf(page->out, "\n%-*s%6s %9s %8s %10s\n", NAME_WIDTH, "part or distance", "runs", "sources", "sigma",
                  "compiled");
    for (int i = 0; i < RANGE_COUNT; i++) {
        page_pad(page, range_rows[i].label, NAME_WIDTH);
        buffer_printf(page->out, "%6d %9d %8.3f %10.3f\n", ranges->rows[i], ranges->in_sources[i], ranges->sigma[i],
                      range_sigmas[i]);
    }
}

static void print_ends(struct page *page, const struct ranges *ranges)
{
    for (int i = 0; i < LEVEL_COUNT; i++) {
        struct ranges_cover cover;
        ranges_cover(ranges, i, true, &cover);
        buffer_printf(page->out, "ENDS(%s, %.2f, %.2f, %d, %d)\n", range_levels[i].id, -ranges->ends[i].low,
                      ranges->ends[i].high, cover.rows, cover.sources);
    }
}

void ranges_print(struct page *page, const struct ranges *ranges)
{
    page_heading(page, "How far times are off");
    page_prose(page, 0,
               "Inside: the measured time lies in the 80 %% range. Left out: the range was made as if the source's "
               "runs had never been seen. Width: ln(high/low).");
    print_covers(page, ranges);
    print_sources(page, ranges);
    print_parts(page, ranges);
    buffer_puts(page->out, "\nAs core/estimate/sigma.def has them:\n");
    for (int i = 0; i < RANGE_COUNT; i++)
        buffer_printf(page->out, "SIGMA(%s, %.3f, %d, %d)\n", range_rows[i].id, ranges->sigma[i], ranges->rows[i],
                      ranges->in_sources[i]);
    print_ends(page, ranges);
}

/* ---- for programs ----------------------------------------------------------------------------------------------- */

#define SHAPES "src/runs/ranges.def"
#include "src/text/json_writers.def"
#include "src/text/json_writers.def"

void ranges_json(struct json *json, const struct ranges *ranges)
{
    PUT(ranges, "ranges", ranges);
}

void ranges_table(struct buffer *out, const struct ranges *ranges, bool is_csv)
{
    static const struct table_column columns[] = {
        {"part", COLUMN_TEXT}, {"sigma", COLUMN_NUMBER}, {"compiled", COLUMN_NUMBER}, {"runs", COLUMN_COUNT},
        {"sources", COLUMN_COUNT}};
    struct table table = {.name = "ranges", .column = columns, .columns = LENGTH(columns)};
    for (int i = 0; i < RANGE_COUNT; i++) {
        table_text(&table, range_rows[i].id);
        table_number(&table, ranges->sigma[i]);
        table_number(&table, range_sigmas[i]);
        table_number(&table, ranges->rows[i]);
        table_number(&table, ranges->in_sources[i]);
    }
    (is_csv ? table_csv : table_markdown)(out, &table);
    table_free(&table);
}
