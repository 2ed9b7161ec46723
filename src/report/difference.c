#include "src/report/difference.h"

#include "core/base.h"
#include "core/estimate/constants.h"
#include "core/plan/param.h"
#include "core/search/diff_text.h"
#include "core/show/quantity.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/table.h"
#include "src/text/json_out.h"
#include "src/text/text.h"
#include "src/text/version.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESULTS_MAX = 64, PATH_MAX_BYTES = 64 };

struct changed {
    char path[PATH_MAX_BYTES];
    enum figure_kind kind;
    double a, b;
};

struct found {
    const struct difference *of;
    int keys, given; /* keys derived in both plans come after the first `given` */
    enum param key[PARAM_COUNT];
    int results;
    struct changed result[RESULTS_MAX];
    struct plan_diff diff;
    struct diff_speed speed;
};

/* ---- what differs ----------------------------------------------------------------------------------------------- */

static void find_keys(struct found *out)
{
    const struct difference *of = out->of;
    for (enum diff_key kind = DIFF_GIVEN; kind <= DIFF_DERIVED; kind++) {
        out->given = out->keys;
        for (int i = 0; i < PARAM_COUNT; i++)
            if (plan_diff_key(&of->estimate[0]->plan, &of->estimate[1]->plan, (enum param)i) == kind)
                out->key[out->keys++] = (enum param)i;
    }
}

static double relative_of(const struct changed *row)
{
    double larger = fmax(fabs(row->a), fabs(row->b));
    return isfinite(row->a) && isfinite(row->b) ? fabs(row->b - row->a) / larger : 0;
}

static void add_result(struct found *out, const char *path, enum figure_kind kind, double a, double b)
{
    a = kind == FIGURE_BYTES ? round(a) : a; /* as the report has them */
    b = kind == FIGURE_BYTES ? round(b) : b;
    bool is_same = a == b || (isnan(a) && isnan(b)) || out->results == RESULTS_MAX;
    if (is_same)
        return;
    struct changed *row = &out->result[out->results++];
    *row = (struct changed){.kind = kind, .a = a, .b = b};
    snprintf(row->path, sizeof row->path, "%s", path);
}

static int by_size(const void *one, const void *other)
{
    double difference = relative_of(other) - relative_of(one);
    return difference > 0   ? 1
           : difference < 0 ? -1
                            : strcmp(((const struct changed *)one)->path, ((const struct changed *)other)->path);
}

static void add_stage(struct found *out, int stage)
{
    char path[PATH_MAX_BYTES];
    double bytes[2];
    for (int i = 0; i < 2; i++) {
        const struct estimate *e = out->of->estimate[i];
        bytes[i] = stage < e->stages ? e->stage[stage].device_bytes : NAN;
    }
    snprintf(path, sizeof path, "memory.stages.%d.device_bytes", stage);
    add_result(out, path, FIGURE_BYTES, bytes[0], bytes[1]);
}

static void find_results(struct found *out)
{
    static const struct quantity_list *const lists[] = {&time_quantities, &speed_quantities, &training_quantities,
                                                        &checkpoint_quantities, &serving_quantities};
    const struct estimate *a = out->of->estimate[0], *b = out->of->estimate[1];
    for (size_t i = 0; i < LENGTH(lists); i++)
        for (const struct quantity *row = lists[i]->row; row < lists[i]->row + lists[i]->count; row++)
            add_result(out, row->path, row->kind, quantity_value(row, a), quantity_value(row, b));
    if (!a->is_serving && !b->is_serving)
        add_stage(out, b->peak_stage);
    if (!a->is_serving && !b->is_serving && a->peak_stage != b->peak_stage)
        add_stage(out, a->peak_stage);
    add_result(out, "memory.headroom_bytes", FIGURE_BYTES, report_headroom(a), report_headroom(b));
    add_result(out, "parameters.total", FIGURE_EXACT, a->totals.total, b->totals.total);
    qsort(out->result, (size_t)out->results, sizeof *out->result, by_size);
}

static void find(const struct difference *of, struct found *out)
{
    *out = (struct found){.of = of};
    find_keys(out);
    plan_diff(of->estimate[0], of->estimate[1], &out->diff);
    find_results(out);
    plan_diff_speed(of->estimate[0], of->estimate[1], &out->speed);
    if (!of->by_key)
        return;
    struct estimate *scratch = xmalloc(sizeof *scratch);
    waterfall_keys(of->plan[0], of->plan[1], scratch, &out->diff.memory, &out->diff.time);
    free(scratch);
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static void print_plans(struct page *page, const struct difference *of)
{
    for (int i = 0; i < 2; i++) {
        char clean[PARAM_TEXT_MAX];
        text_clean(of->name[i], clean, sizeof clean);
        buffer_printf(page->out, "%c  ", 'a' + i);
        page_pad(page, clean, 32);
        buffer_puts(page->out, "  ");
        report_check(page->out, of->estimate[i]);
    }
}

static void print_key(struct page *page, const struct difference *of, enum param id)
{
    buffer_printf(page->out, "  %-41s", param_rows[id].dotted);
    for (int i = 0; i < 2; i++) {
        char text[PARAM_TEXT_MAX], clean[PARAM_TEXT_MAX];
        int size = param_print(&of->estimate[i]->plan, id, text, sizeof text);
        text_clean(size > 0 ? text : "n/a", clean, sizeof clean);
        buffer_printf(page->out, "%s%s", i ? " " : "", i ? page->glyph->arrow : "");
        buffer_printf(page->out, "%s%s", i ? " " : "", clean);
    }
    buffer_puts(page->out, "\n");
}

static void print_keys(struct page *page, const struct found *found)
{
    page_heading(page, "Changed keys");
    if (found->keys == 0)
        buffer_puts(page->out, "none: the plans are equal\n");
    for (int i = 0; i < found->keys; i++) {
        if (i == found->given)
            buffer_puts(page->out, "derived from them\n");
        print_key(page, found->of, found->key[i]);
    }
}

static void print_results(struct page *page, const struct found *found)
{
    if (found->results == 0)
        return;
    page_heading(page, "Changed results, largest ratio first");
    buffer_printf(page->out, "  %-44s%16s%16s%18s\n", "", "a", "b", "change");
    for (int i = 0; i < found->results; i++) {
        const struct changed *row = &found->result[i];
        bool is_share = isfinite(row->a) && isfinite(row->b) && row->a != 0;
        buffer_printf(page->out, "  %-44s%16s%16s%18s%10s\n", row->path, cell_of(row->kind, row->a).text,
                      cell_of(row->kind, row->b).text,
                      isfinite(row->a) && isfinite(row->b) ? figure_delta(row->kind, row->b - row->a).text : "",
                      is_share ? figure_share(row->b / row->a - 1).text : "");
    }
}

/* Digits are printed so that they sum exactly. */
struct scale {
    double unit; /* in bytes or seconds */
    const char *name;
    int decimals;
};

static struct scale scale_of(const struct waterfall *w, bool is_memory)
{
    double largest = fmax(w->from, w->to);
    if (is_memory)
        return (struct scale){GIB, "GiB", 2};
    return largest >= 1      ? (struct scale){1, "s", 3}
           : largest >= 1e-3 ? (struct scale){1e-3, "ms", 3}
                             : (struct scale){1e-6, "us", 3};
}

static void print_waterfall(struct page *page, const struct waterfall *w, bool is_memory, const char *title)
{
    double shown[WATERFALL_MAX];
    if (w->count == 0)
        return;
    struct scale scale = scale_of(w, is_memory);
    double digit = scale.unit / pow(10, scale.decimals);
    page_heading(page, "%s", title);
    buffer_printf(page->out, "  %-44s%16.*f %s\n", "a", scale.decimals, round(w->from / digit) * digit / scale.unit,
                  scale.name);
    waterfall_shown(w, digit, shown);
    for (int i = 0; i < w->count; i++)
        if (shown[i] != 0)
            buffer_printf(page->out, "  %-44s%+16.*f\n", waterfall_label(&w->step[i]),
                          scale.decimals, shown[i] * digit / scale.unit);
    buffer_printf(page->out, "  %-44s%16.*f %s\n", "b", scale.decimals, round(w->to / digit) * digit / scale.unit,
                  scale.name);
}

static void print_faster(struct page *page, const struct found *found)
{
    char sentence[DIFF_TEXT_MAX];
    diff_text_speed(&found->speed, "a", "b", sentence, sizeof sentence);
    if (sentence[0])
        page_prose(page, 0, "%s", sentence);
}

static void write_text(struct buffer *out, const struct found *found, const struct report_options *options)
{
    struct page page = page_on(out, options);
    print_plans(&page, found->of);
    print_keys(&page, found);
    print_results(&page, found);
    print_waterfall(&page, &found->diff.time, false, "Time of one iteration, from a to b");
    print_faster(&page, found);
    print_waterfall(&page, &found->diff.memory, true, "Memory of the fullest GPU, from a to b");
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

#define SHAPES "src/report/difference.def"
#include "src/text/json_writers.def"
#include "src/text/json_writers.def"

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static void fill_keys(struct table *table, const struct found *found)
{
    for (int i = 0; i < found->keys; i++) {
        table_text(table, i < found->given ? "key" : "derived");
        table_text(table, param_rows[found->key[i]].dotted);
        for (int k = 0; k < 2; k++) {
            char text[PARAM_TEXT_MAX];
            table_text(table,
                       param_print(&found->of->estimate[k]->plan, found->key[i], text, sizeof text) > 0 ? text : "");
        }
        table_text(table, "");
    }
}

static void fill_numbers(struct table *table, const char *part, const char *name, double a, double b, double delta)
{
    table_text(table, part);
    table_text(table, name);
    table_number(table, a);
    table_number(table, b);
    table_number(table, delta);
}

static void fill_waterfall(struct table *table, const char *part, const struct waterfall *w)
{
    for (int i = 0; i < w->count; i++)
        fill_numbers(table, part, w->step[i].name, NAN, NAN, w->step[i].delta);
}

static void write_table(struct buffer *out, const struct found *found, enum report_format format)
{
    static const struct table_column columns[] = {{"part", COLUMN_TEXT},
                                                  {"name", COLUMN_TEXT},
                                                  {"a", COLUMN_NUMBER},
                                                  {"b", COLUMN_NUMBER},
                                                  {"delta", COLUMN_NUMBER}};
    struct table table = {.name = "comparison", .column = columns, .columns = LENGTH(columns)};
    fill_keys(&table, found);
    for (int i = 0; i < found->results; i++)
        fill_numbers(&table, "result", found->result[i].path, found->result[i].a, found->result[i].b,
                     found->result[i].b - found->result[i].a);
    fill_waterfall(&table, "time", &found->diff.time);
    fill_waterfall(&table, "memory", &found->diff.memory);
    if (format == REPORT_CSV)
        table_csv(out, &table);
    else
        table_markdown(out, &table);
    table_free(&table);
}

void report_difference(struct buffer *out, const struct difference *of, const struct report_options *options)
{
    struct found *found = xmalloc(sizeof *found);
    find(of, found);
    if (options->format == REPORT_TEXT)
        write_text(out, found, options);
    else if (options->format == REPORT_JSON)
        WRITE_ANSWER(out, 2, comparison, found)
    else
        write_table(out, found, options->format);
    free(found);
}
