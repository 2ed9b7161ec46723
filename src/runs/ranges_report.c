/* src/runs/ranges_report.c - what measured runs say about ranges, as text, JSON, CSV and Markdown. */
#include "core/base.h"
#include "src/report/format.h"
#include "src/report/table.h"
#include "src/runs/ranges.h"
#include "src/text/json_out.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>

enum { NAME_WIDTH = 42 };

/* A share, or "-". */
static struct cell cell_part(double share)
{
    return isnan(share) ? (struct cell){"-"} : cell_share(share);
}

static void print_cover(struct page *page, const char *name, const struct ranges_cover *cover)
{
    page_pad(page, name, NAME_WIDTH);
    buffer_printf(page->out, "%6d %8s %10s %8.3f %8.3f\n", cover->rows, cell_part(cover->inside).text,
                  cell_part(cover->inside_families).text, cover->width, cover->core_width);
}

static void print_families(struct page *page, const struct ranges *ranges)
{
    buffer_printf(page->out, "\n%-*s%6s %8s %10s\n", NAME_WIDTH, "family", "runs", "inside", "left out");
    for (int i = 0; i < ranges->families; i++) {
        int count, inside = ranges_inside(ranges, i, false, &count), without = ranges_inside(ranges, i, true, &count);
        page_pad(page, ranges->family[i], NAME_WIDTH);
        buffer_printf(page->out, "%6d %8d %10d\n", count, inside, without);
    }
}

static void print_parts(struct page *page, const struct ranges *ranges)
{
    buffer_printf(page->out, "\n%-*s%6s %9s %8s %10s\n", NAME_WIDTH, "part", "runs", "families", "sigma", "compiled");
    for (int i = 0; i < RANGE_COUNT; i++)
        buffer_printf(page->out, "%-*s%6d %9d %8.3f %10.3f\n", NAME_WIDTH, range_rows[i].label, ranges->rows[i],
                      ranges->in_families[i], ranges->sigma[i], range_sigmas[i]);
    buffer_printf(page->out, "\n%-*s%24.2f %10.2f\n%-*s%24.2f %10.2f\n%-*s%24.2f %10.2f\n", NAME_WIDTH,
                  "lower end, sigmas (range_fast)", ranges->fast, range_fast, NAME_WIDTH,
                  "upper end, sigmas (range_slow)",
                  ranges->slow, range_slow, NAME_WIDTH, "widening (range_widening)", ranges->widening, range_widening);
}

void ranges_print(struct page *page, const struct ranges *ranges)
{
    page_heading(page, "How far times are off");
    page_prose(page, 0,
               "Runs that are tagged core, or not loose, slow-unexplained, bigscience, nanotron or automodel. Inside: "
               "the measured time lies in the 80 %% range. Left out: the range was made without any run of the family. "
               "Width: ln(high/low).");
    buffer_printf(page->out, "\n%-*s%6s %8s %10s %8s %8s\n", NAME_WIDTH, "", "runs", "inside", "families", "width",
                  "core");
    print_cover(page, "ranges of this program", &ranges->compiled);
    print_cover(page, "made without a family", &ranges->without);
    print_families(page, ranges);
    print_parts(page, ranges);
    buffer_puts(page->out, "\nAs core/estimate/sigma.def has them:\n");
    for (int i = 0; i < RANGE_COUNT; i++)
        buffer_printf(page->out, "SIGMA(%s, %.3f, %d, %d)\n", range_rows[i].id, ranges->sigma[i], ranges->rows[i],
                      ranges->in_families[i]);
}

/* ---- for programs ----------------------------------------------------------------------------------------------- */

static void json_cover(struct json *json, const char *name, const struct ranges_cover *cover)
{
    json_open(json, name, '{');
    json_number(json, "rows", cover->rows);
    json_number(json, "inside", cover->inside);
    json_number(json, "inside_families", cover->inside_families);
    json_number(json, "width", cover->width);
    json_number(json, "core_width", cover->core_width);
    json_close(json, '}');
}

static void json_families(struct json *json, const struct ranges *ranges)
{
    json_open(json, "families", '{');
    for (int i = 0; i < ranges->families; i++) {
        int count, inside = ranges_inside(ranges, i, false, &count), without = ranges_inside(ranges, i, true, &count);
        json_open(json, ranges->family[i], '{');
        json_number(json, "rows", count);
        json_number(json, "inside", inside);
        json_number(json, "inside_left_out", without);
        json_close(json, '}');
    }
    json_close(json, '}');
}

void ranges_json(struct json *json, const struct ranges *ranges)
{
    json_open(json, "ranges", '{');
    json_cover(json, "compiled", &ranges->compiled);
    json_cover(json, "left_out", &ranges->without);
    json_families(json, ranges);
    json_open(json, "parts", '[');
    for (int i = 0; i < RANGE_COUNT; i++) {
        json_open(json, NULL, '{');
        json_text(json, "part", range_rows[i].id);
        json_number(json, "sigma", ranges->sigma[i]);
        json_number(json, "compiled", range_sigmas[i]);
        json_number(json, "rows", ranges->rows[i]);
        json_number(json, "families", ranges->in_families[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_number(json, "fast", ranges->fast);
    json_number(json, "slow", ranges->slow);
    json_number(json, "widening", ranges->widening);
    json_close(json, '}');
}

void ranges_table(struct buffer *out, const struct ranges *ranges, bool is_csv)
{
    static const struct table_column columns[] = {
        {"part", COLUMN_TEXT}, {"sigma", COLUMN_NUMBER}, {"compiled", COLUMN_NUMBER}, {"runs", COLUMN_COUNT},
        {"families", COLUMN_COUNT}};
    struct table table = {.name = "ranges", .column = columns, .columns = LENGTH(columns)};
    for (int i = 0; i < RANGE_COUNT; i++) {
        table_text(&table, range_rows[i].id);
        table_number(&table, ranges->sigma[i]);
        table_number(&table, range_sigmas[i]);
        table_number(&table, ranges->rows[i]);
        table_number(&table, ranges->in_families[i]);
    }
    (is_csv ? table_csv : table_markdown)(out, &table);
    table_free(&table);
}
