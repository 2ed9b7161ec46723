/* src/report/training.c - what the whole training takes, and its checkpoints. */
#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/plan/param.h"
#include "src/report/quantity.h"
#include "src/report/text.h"

#include <math.h>

static const struct quantity training_list[] = {
    {"iterations", "iterations", cell_count, "", "train.total_tokens", false},
    {"wall time", "seconds", cell_seconds, "", "train.total_tokens", false},
    {"GPU hours", "gpu_hours", show_sum, "h", "train.total_tokens", false},
    {"rent of the GPUs", "cost", show_sum, "USD", "hardware.price_per_gpu_hour", false},
    {"energy of the GPUs at their rated power", "kwh", show_sum, "kWh", "hardware.watts", false},
};

static const struct quantity checkpoint_list[] = {
    {"weights", "weights_bytes", cell_bytes, "", NULL, false},
    {"optimizer states", "checkpoint_optimizer_bytes", cell_bytes, "", NULL, false},
    {"checkpoint", "total_bytes", cell_bytes, "", NULL, false},
    {"writing it", "write_s", cell_seconds, "", "hardware.storage_gb_s", false},
};

/* A quantity of the training lacks the number of tokens before it lacks anything else. */
static void print_training(struct page *page, const struct estimate *e)
{
    for (size_t i = 0; i < LENGTH(training_list); i++) {
        struct quantity quantity = training_list[i];
        if (param_blank(&e->plan, PARAM_train_total_tokens))
            quantity.needs = "train.total_tokens";
        print_quantity(page, e, &quantity);
    }
}

void report_training(struct page *page, const struct estimates *all)
{
    page_heading(page, "The whole training");
    if (!print_unknown(page, all->item[0], training_list, LENGTH(training_list)))
        print_training(page, all->item[0]);
}

void report_checkpoint(struct page *page, const struct estimates *all)
{
    page_heading(page, "Checkpoint");
    if (!print_unknown(page, all->item[0], checkpoint_list, LENGTH(checkpoint_list)))
        print_quantities(page, all->item[0], checkpoint_list, LENGTH(checkpoint_list));
}

void report_table_training(struct table *table, const struct estimate *e)
{
    add_quantities(table, e, training_list, LENGTH(training_list));
}

void report_table_checkpoint(struct table *table, const struct estimate *e)
{
    add_quantities(table, e, checkpoint_list, LENGTH(checkpoint_list));
}
