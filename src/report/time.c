/* src/report/time.c - what one iteration takes, and how fast that is. */
#include "src/report/data.h"
#include "src/report/quantity.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>

void report_time(struct page *page, const struct estimates *all)
{
    const struct estimate *e = all->item[0];
    page_heading(page, "Time of one iteration");
    if (print_unknown(page, e, &time_quantities))
        return;
    print_quantities(page, e, &time_quantities);
    if (e->symbols.overhead > 0)
        buffer_printf(page->out, "%-*s%16s\n", QUANTITY_COLUMNS, "  host work (hardware.fixed_overhead_ms)",
                      cell_seconds(e->symbols.overhead * 1e-3).text);
    print_quantities(page, e, &speed_quantities);
    if (isfinite(report_step(e, "iteration_s")) && e->stages > 1)
        buffer_printf(page->out, "the slowest stage is stage %d\n", e->binding_stage);
}
