#include "src/report/servers.h"

#include "core/base.h"
#include "core/search/diff_text.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/table.h"
#include "src/text/json_out.h"
#include "src/text/text.h"
#include "src/text/version.h"

#include <math.h>
#include <stdio.h>

static const char *const limit_names[SERVER_LIMITS] = {"fit", "memory", "latency", "rate", "tokens-per-s", "where"};

/* What a layout is excluded by, in words. */
static const char *const limit_words[SERVER_LIMITS] = {
    "do not start or do not hold the requests", "exceed the memory limit",
    "exceed serve.max_first_token_ms or serve.max_per_token_ms", "cannot keep up with serve.request_rate",
    "are below --tokens-per-s", "miss a condition"};

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_head(struct page *page, const struct servers *found)
{
    char load[96] = "as many requests as the limits allow";
    if (isfinite(found->rate))
        snprintf(load, sizeof load, "%s requests/s", cell_of(FIGURE_PLAIN, found->rate).text);
    else if (isfinite(found->users))
        snprintf(load, sizeof load, "%s at once", cell_counted(found->users, "request").text);
    page_prose(page, 0, "%s layouts tried, %s within the limits: least %s, %s.",
               cell_count((double)found->candidates).text, cell_count((double)found->feasible).text,
               found->objective, load);
    for (int i = 0; i < SERVER_LIMITS; i++)
        if (found->excluded[i] > 0)
            page_prose(page, 2, "%s %s", cell_count((double)found->excluded[i]).text, limit_words[i]);
}

static void print_layout(struct page *page, const struct servers *found, const struct server_layout *layout,
                         const char *rank)
{
    struct plan plan;
    char keys[DIFF_TEXT_MAX], gpus[48];
    plan_resolve(&layout->plan, &plan);
    diff_text_keys(found->now, &plan, keys, sizeof keys);
    snprintf(gpus, sizeof gpus, "%.0f x %.30s", layout->gpus, plan.text[TEXT_GPU]);
    page_pad(page, rank, -4);
    buffer_puts(page->out, " ");
    page_pad(page, gpus, 20);
    page_pad(page, cell_count(layout->load.batch * KEY_OF(&plan, parallel, dp)).text, -9);
    page_pad(page, cell_seconds(layout->load.first_s).text, -10);
    page_pad(page, cell_seconds(layout->load.per_token_s).text, -10);
    page_pad(page, cell_count(round(layout->load.tokens_per_s)).text, -11);
    page_pad(page, cell_of(FIGURE_SUM, layout->cost).text, -9);
    page_pad(page, cell_count(layout->kv_tokens).text, -14);
    buffer_printf(page->out, "  %s\n", layout->fits ? "fits" : "does not fit");
    page_prose(page, 5, "%s", *keys ? keys : "the present layout");
}

static void write_text(struct buffer *out, const struct servers *found, const struct report_options *options)
{
    struct page page = page_on(out, options);
    print_head(&page, found);
    if (found->count == 0 && !found->has_nearest)
        return;
    buffer_printf(out, "\n%4s %-20s%9s%10s%10s%11s%9s%14s\n", "", "GPUs", "requests", "first", "token", "tokens/s",
                  "$ per 1M", "cache tokens");
    if (found->count == 0)
        buffer_puts(out, "nothing is within the limits; the nearest:\n");
    for (int i = 0; i < found->count && i < found->top; i++) {
        char rank[16];
        snprintf(rank, sizeof rank, "%d", i + 1);
        print_layout(&page, found, &found->best[i], rank);
    }
    if (found->count == 0)
        print_layout(&page, found, &found->nearest, "");
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

#define SHAPES "src/report/servers.def"
#include "src/text/json_writers.def"

static void write_excluded(struct json *json, const struct servers *found)
{
    json_open(json, "excluded", '{');
    for (int i = 0; i < SERVER_LIMITS; i++)
        json_number(json, limit_names[i], (double)found->excluded[i]);
    json_close(json, '}');
}

#include "src/text/json_writers.def"

/* ---- table ------------------------------------------------------------------------------------------------------- */

static void write_csv(struct buffer *out, const struct servers *found)
{
    static const struct table_column columns[] = {{"rank", COLUMN_COUNT},
                                                  {"gpu", COLUMN_TEXT},
                                                  {"gpus", COLUMN_COUNT},
                                                  {"changes", COLUMN_TEXT},
                                                  {"requests", COLUMN_COUNT},
                                                  {"time_to_first_token_s", COLUMN_SECONDS},
                                                  {"per_token_s", COLUMN_SECONDS},
                                                  {"tokens_per_s", COLUMN_NUMBER},
                                                  {"cost_per_million_tokens", COLUMN_NUMBER},
                                                  {"kv_tokens", COLUMN_COUNT},
                                                  {"peak_device_bytes", COLUMN_BYTES},
                                                  {"headroom_bytes", COLUMN_BYTES}};
    struct table table = {.name = "search", .column = columns, .columns = LENGTH(columns)};
    for (int i = 0; i < found->count && i < found->top; i++) {
        const struct server_layout *layout = &found->best[i];
        struct plan plan;
        char keys[DIFF_TEXT_MAX];
        plan_resolve(&layout->plan, &plan);
        diff_text_keys(found->now, &plan, keys, sizeof keys);
        table_number(&table, i + 1);
        table_text(&table, plan.text[TEXT_GPU]);
        table_number(&table, layout->gpus);
        table_text(&table, keys);
        const double row[] = {layout->load.batch * KEY_OF(&plan, parallel, dp), layout->load.first_s,
                              layout->load.per_token_s, layout->load.tokens_per_s, layout->cost, layout->kv_tokens,
                              layout->needed_bytes, layout->headroom_bytes};
        for (size_t k = 0; k < LENGTH(row); k++)
            table_number(&table, row[k]);
    }
    table_csv(out, &table);
    table_free(&table);
}

void report_servers(struct buffer *out, const struct servers *found, const struct report_options *options)
{
    if (options->format == REPORT_JSON)
        WRITE_ANSWER(out, 2, servers, found)
    else if (options->format == REPORT_CSV)
        write_csv(out, found);
    else
        write_text(out, found, options);
}
