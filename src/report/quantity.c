#include "src/report/quantity.h"

#include "core/estimate/range.h"
#include "src/report/table.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <stdio.h>
#include <string.h>

/* What stands behind a value that cannot be true: the finding that says why. */
static void print_doubt(struct page *page, const struct estimate *e, const char *path)
{
    const struct diag *diag = finding_doubts(&e->diags, path);
    if (diag)
        buffer_printf(page->out, "  ! %s", diag->rule);
    buffer_puts(page->out, "\n");
}

/*
 * The 80 % range of a value that follows the time of the iteration to a power, and in a word or two why it is wide.
 */
static struct interval range_of_value(const struct estimate *e, double value, int power, char why[RANGE_WHY_MAX])
{
    struct time_range time;
    why[0] = '\0';
    if (power == 0)
        return (struct interval){NAN, NAN};
    range_time(e, &time);
    range_why(&time, why);
    return range_of(&time, value, power);
}

struct cell cell_time_range(const struct estimate *e, enum figure_kind kind, double value, int power)
{
    char why[RANGE_WHY_MAX];
    struct interval ends = range_of_value(e, value, power, why);
    struct cell cell = cell_range(kind, value, ends.low, ends.high);
    size_t used = strlen(cell.text);
    if (used > 0 && why[0])
        snprintf(cell.text + used - 1, sizeof cell.text - used + 1, ", %.40s)", why);
    return cell;
}

void print_quantity(struct page *page, const struct estimate *e, const struct quantity *row, const char *needs)
{
    double value = quantity_value(row, e);
    char text[96], why[200];
    if (!row->label || (row->is_part && value == 0))
        return;
    bool is_endless = isinf(value) && row->kind == FIGURE_EXACT;
    snprintf(text, sizeof text, "%s%s%s", is_endless ? "no limit" : cell_of(row->kind, value).text,
             row->unit[0] ? " " : "", row->unit);
    page_pad(page, row->label, QUANTITY_COLUMNS);
    if (!isfinite(value) && !is_endless)
        buffer_printf(page->out, "%16s: %s\n", "n/a", report_why_unknown(e, needs, why, sizeof why));
    else {
        buffer_printf(page->out, "%16s", text);
        if (row->is_part)
            buffer_printf(page->out, " %10s", cell_share(value / e->step.iteration_s).text);
        buffer_puts(page->out, cell_time_range(e, row->kind, value, quantity_power(row)).text);
        print_doubt(page, e, row->path);
    }
}

void print_quantities(struct page *page, const struct estimate *e, const struct quantity_list *list)
{
    for (int i = 0; i < list->count; i++)
        print_quantity(page, e, &list->row[i], list->row[i].needs);
}

bool print_unknown(struct page *page, const struct estimate *e, const struct quantity_list *list)
{
    char why[200];
    for (int i = 0; i < list->count; i++)
        if (isfinite(quantity_value(&list->row[i], e)))
            return false;
    page_prose(page, 0, "n/a: %s", report_why_unknown(e, list->row[0].needs, why, sizeof why));
    return true;
}

void add_quantities(struct table *table, const struct estimate *e, const struct quantity_list *list)
{
    for (int i = 0; i < list->count; i++) {
        const struct quantity *row = &list->row[i];
        const struct term *term = term_find(step_terms, step_term_count, row->term, strlen(row->term));
        if (!row->label)
            continue;
        table_text(table, row->term);
        table_quantity(table, quantity_value(row, e), term ? term->unit : "");
        table_text(table, term ? term->label : "");
        char why[RANGE_WHY_MAX];
        struct interval range = range_of_value(e, quantity_value(row, e), quantity_power(row), why);
        table_number(table, range.low);
        table_number(table, range.high);
    }
}
