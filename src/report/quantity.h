/* src/report/quantity.h - the lists of core/show/quantity.h as text and as tables. */
#pragma once

#include "core/show/quantity.h"
#include "src/report/format.h"

struct table;

enum { QUANTITY_COLUMNS = 46 }; /* of the labels */

/**
 * The 80 % range behind a value that follows the time of the iteration to a power, " (70-82)", with a question mark
 * where no measured run is like the plan; "" where the power is 0 or there is none to tell.
 */
struct cell cell_time_range(const struct estimate *estimate, enum figure_kind kind, double value, int power);

/** One line; `needs` is the key that is missing when the value is unknown, or NULL. */
void print_quantity(struct page *page, const struct estimate *estimate, const struct quantity *row, const char *needs);

/** A line for each row that has a label. */
void print_quantities(struct page *page, const struct estimate *estimate, const struct quantity_list *list);

/** One line instead of a list of which nothing is known; false when something is. */
bool print_unknown(struct page *page, const struct estimate *estimate, const struct quantity_list *list);

/** The rows that have a label, as name, value, unit and meaning. */
void add_quantities(struct table *table, const struct estimate *estimate, const struct quantity_list *list);
