/* src/report/training.c - what the whole training takes, and its checkpoints. */
#include "core/plan/param.h"
#include "src/report/quantity.h"
#include "src/report/text.h"

#include <string.h>

/* A quantity of the training lacks the number of tokens before it lacks anything else, but the price of a given number. */
static void print_training(struct page *page, const struct estimate *e)
{
    bool has_tokens = !param_blank(&e->plan, PARAM_train_total_tokens);
    for (int i = 0; i < training_quantities.count; i++) {
        const struct quantity *row = &training_quantities.row[i];
        bool is_whole = strcmp(row->term, "cost_per_1t_tokens") != 0;
        print_quantity(page, e, row, has_tokens || !is_whole ? row->needs : "train.total_tokens");
    }
}

void report_training(struct page *page, const struct estimates *all)
{
    page_heading(page, "The whole training");
    if (!print_unknown(page, all->item[0], &training_quantities))
        print_training(page, all->item[0]);
}

void report_checkpoint(struct page *page, const struct estimates *all)
{
    page_heading(page, "Checkpoint");
    if (!print_unknown(page, all->item[0], &checkpoint_quantities))
        print_quantities(page, all->item[0], &checkpoint_quantities);
}

void report_table_training(struct table *table, const struct estimate *e)
{
    add_quantities(table, e, &training_quantities);
}

void report_table_checkpoint(struct table *table, const struct estimate *e)
{
    add_quantities(table, e, &checkpoint_quantities);
}
