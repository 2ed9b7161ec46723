#include "src/report/quantity.h"

#include "core/estimate/estimate.h"
#include "src/report/data.h"
#include "src/report/table.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct cell show_number(double value)
{
    return cell_fixed(value, fabs(value) < 100 ? 2 : 0);
}

struct cell show_sum(double value)
{
    bool is_small = fabs(value) < 0.0995 && value != 0;
    return is_small ? cell_fixed(value, 4) : fabs(value) < 99.95 ? cell_fixed(value, 2) : cell_count(value);
}

void print_quantity(struct page *page, const struct estimate *e, const struct quantity *quantity)
{
    double value = report_step(e, quantity->term), whole = report_step(e, "iteration_s");
    char text[96], why[200];
    if (quantity->is_part && value == 0)
        return;
    snprintf(text, sizeof text, "%s%s%s", quantity->show(value).text, quantity->unit[0] ? " " : "", quantity->unit);
    page_pad(page, quantity->label, QUANTITY_COLUMNS);
    if (!isfinite(value))
        buffer_printf(page->out, "%16s: %s\n", "n/a", report_why_unknown(e, quantity->needs, why, sizeof why));
    else if (quantity->is_part)
        buffer_printf(page->out, "%16s %10s\n", text, cell_share(value / whole).text);
    else
        buffer_printf(page->out, "%16s\n", text);
}

bool print_unknown(struct page *page, const struct estimate *e, const struct quantity *list, size_t count)
{
    char why[200];
    for (size_t i = 0; i < count; i++)
        if (isfinite(report_step(e, list[i].term)))
            return false;
    page_prose(page, 0, "n/a: %s", report_why_unknown(e, list[0].needs, why, sizeof why));
    return true;
}

void print_quantities(struct page *page, const struct estimate *e, const struct quantity *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        print_quantity(page, e, &list[i]);
}

void add_quantities(struct table *table, const struct estimate *e, const struct quantity *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct term *term = term_find(step_terms, step_term_count, list[i].term, strlen(list[i].term));
        table_text(table, list[i].term);
        table_quantity(table, report_step(e, list[i].term), term ? term->unit : "");
        table_text(table, term ? term->label : "");
    }
}
