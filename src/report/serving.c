/* src/report/serving.c - what serving a model needs, how fast it answers and what that costs. */
#include "core/estimate/estimate.h"
#include "src/report/format.h"
#include "src/report/table.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { QUANTITY_COLUMNS = 46 };

/** A line of the report: a term of core/estimate/serving.def, and the key that is missing when it is unknown. */
static const struct line {
    const char *label, *term;
    struct cell (*show)(double value);
    const char *needs;
} lines[] = {
    {"weights on the fullest GPU", "weights_bytes", cell_bytes, NULL},
    {"key/value cache of the batch at full length", "kv_cache_bytes", cell_bytes, NULL},
    {"working set of a prefill", "activations_bytes", cell_bytes, NULL},
    {"together", "needed_bytes", cell_bytes, NULL},
    {"memory that serving may use", "room_bytes", cell_bytes, "hardware.usable_gib"},
    {"largest batch at this length", "max_batch_size", cell_count, "hardware.usable_gib"},
    {"longest context with this batch, tokens", "max_context_tokens", cell_count, "hardware.usable_gib"},
    {"prefill (time to the first token)", "prefill_s", cell_seconds, "hardware.peak_tflops"},
    {"each further token", "per_token_s", cell_seconds, "hardware.memory_gb_s"},
    {"  reading the weights", "read_weights_s", cell_seconds, "hardware.memory_gb_s"},
    {"  reading the cache", "read_cache_s", cell_seconds, "hardware.memory_gb_s"},
    {"  tensor-parallel reductions", "decode_link_s", cell_seconds, "hardware.intra_node_latency_us"},
    {"whole answers of the batch", "request_s", cell_seconds, "hardware.peak_tflops"},
    {"generated tokens/s, all replicas", "tokens_per_s", cell_count, "hardware.peak_tflops"},
    {"USD per million generated tokens", "cost_per_million_tokens", NULL, "hardware.price_per_gpu_hour"},
};

static double value_of(const struct estimate *e, const char *name)
{
    const struct term *term = term_find(serving_terms, serving_term_count, name, strlen(name));
    return term && e->is_serving && e->is_computed ? term_value(term, &e->serving) : NAN;
}

static void print_line(struct page *page, const struct estimate *e, const struct line *line)
{
    char why[200];
    double value = value_of(e, line->term);
    page_pad(page, line->label, QUANTITY_COLUMNS);
    if (isnan(value))
        buffer_printf(page->out, "%16s: %s\n", "n/a", report_why_unknown(e, line->needs, why, sizeof why));
    else
        buffer_printf(page->out, "%16s\n", isinf(value) ? "no limit" : line->show ? line->show(value).text : cell_fixed(value, 2).text);
}

void report_serving(struct page *page, const struct estimates *all)
{
    const struct estimate *e = all->item[0];
    page_heading(page, "Serving");
    if (!e->is_serving) {
        page_prose(page, 0, "n/a: this plan trains; set workload inference");
        return;
    }
    page_prose(page, 0, "%s of %s tokens, %s tokens generated for each, on %s of %s.",
               cell_counted(e->serving.batch, "prompt").text, cell_count(e->serving.prompt).text,
               cell_count(e->serving.generate).text, cell_counted(e->symbols.d, "replica").text,
               cell_counted(e->symbols.t * e->symbols.p, "GPU").text);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        print_line(page, e, &lines[i]);
}

void report_table_serving(struct table *table, const struct estimate *e)
{
    for (size_t i = 0; i < serving_term_count && e->is_serving; i++) {
        table_text(table, serving_terms[i].name);
        table_number(table, value_of(e, serving_terms[i].name));
        table_text(table, serving_terms[i].unit);
        table_text(table, serving_terms[i].label);
    }
}
