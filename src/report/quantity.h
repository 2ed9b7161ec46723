/* src/report/quantity.h - lists of numbers of the iteration, each on its line with its name. */
#ifndef SHARDTOP_SRC_REPORT_QUANTITY_H
#define SHARDTOP_SRC_REPORT_QUANTITY_H

#include "src/report/format.h"

struct estimate;
struct table;

enum { QUANTITY_COLUMNS = 46 }; /* of the names */

/** A line of such a list: a term of core/estimate/timing.def, and the key that is missing when it is unknown. */
struct quantity {
    const char *label, *term;
    struct cell (*show)(double value);
    const char *unit, *needs;
    bool is_part; /* of the iteration: its share beside the value; left out when 0 */
};

/** A number of two decimals, whole from 100 on. */
struct cell show_number(double value);

/** A sum over the whole training; one of a few steps is small. */
struct cell show_sum(double value);

/** One line. */
void print_quantity(struct page *page, const struct estimate *estimate, const struct quantity *quantity);

/** All lines of a list. */
void print_quantities(struct page *page, const struct estimate *estimate, const struct quantity *list, size_t count);

/** One line instead of a list of which nothing is known; false when something is. */
bool print_unknown(struct page *page, const struct estimate *estimate, const struct quantity *list, size_t count);

/** The list as rows of name, value, unit and meaning. */
void add_quantities(struct table *table, const struct estimate *estimate, const struct quantity *list, size_t count);

#endif
