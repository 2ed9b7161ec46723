/* src/report/training.c - what the whole training takes, and its checkpoints. */
#include "core/base.h"
#include "core/plan/param.h"
#include "src/report/quantity.h"
#include "src/report/text.h"

#include <math.h>
#include <string.h>

/* The first key that is missing for what failures cost; NULL when none is. */
static const char *missing_for_failures(const struct estimate *e)
{
    static const enum param needed[] = {PARAM_hardware_mtbf_hours_per_gpu, PARAM_hardware_storage_gb_s, PARAM_train_restart_s};
    for (size_t i = 0; i < LENGTH(needed); i++)
        if (param_blank(&e->plan, needed[i]))
            return param_rows[needed[i]].dotted;
    return NULL;
}

/*
 * A quantity of the training lacks the number of tokens before it lacks anything else, but the price of a given number. Of
 * what failures cost one line stays where it is not known.
 */
static void print_training(struct page *page, const struct estimate *e)
{
    bool has_tokens = !param_blank(&e->plan, PARAM_train_total_tokens), is_told = false;
    for (int i = 0; i < training_quantities.count; i++) {
        const struct quantity *row = &training_quantities.row[i];
        bool is_whole = strcmp(row->term, "cost_per_1t_tokens") != 0;
        bool is_of_failures = row->needs && strcmp(row->needs, param_rows[PARAM_hardware_mtbf_hours_per_gpu].dotted) == 0;
        if (is_of_failures && is_told)
            continue;
        is_told = is_of_failures && isnan(quantity_value(row, e));
        print_quantity(page, e, row, is_of_failures ? missing_for_failures(e) : has_tokens || !is_whole ? row->needs : "train.total_tokens");
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
