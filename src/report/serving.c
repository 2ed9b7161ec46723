/* src/report/serving.c - what serving a model needs, how fast it answers and what that costs. */
#include "core/show/components.h"
#include "src/report/quantity.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
