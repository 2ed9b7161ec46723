/* src/report/serving.c - what serving a model needs, how fast it answers and what that costs. */
#include "core/show/components.h"
#include "src/report/quantity.h"
#include "src/report/table.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double value_of(const struct estimate *e, const char *name)
{
    const struct term *term = term_find(serving_terms, serving_term_count, name, strlen(name));
    return term && e->is_serving && e->is_computed ? term_value(term, &e->serving) : NAN;
}

static void print_component(struct page *page, const struct estimate *e, const struct component *row)
{
    char why[200];
    double bytes = e->is_computed ? serving_component(row, &e->serving) : NAN;
    const char *needs = row->kind == COMPONENT_ROOM ? "hardware.usable_gib" : NULL;
    page_pad(page, row->label, QUANTITY_COLUMNS);
    if (isnan(bytes))
        buffer_printf(page->out, "%16s: %s\n", "n/a", report_why_unknown(e, needs, why, sizeof why));
    else
        buffer_printf(page->out, "%16s\n", cell_bytes(bytes).text);
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
    for (int i = 0; i < serving_components.count; i++)
        print_component(page, e, &serving_components.row[i]);
    print_quantities(page, e, &serving_quantities);
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
