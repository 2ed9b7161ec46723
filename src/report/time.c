/* src/report/time.c - what one iteration takes, and how fast that is. */
#include "core/base.h"
#include "core/estimate/estimate.h"
#include "src/report/data.h"
#include "src/report/quantity.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>

static const char peak_key[] = "hardware.peak_tflops";

/* Together with hardware.fixed_overhead_ms these make up the first. */
static const struct quantity time_list[] = {
    {"iteration", "iteration_s", cell_seconds, "", peak_key, false},
    {"  computing on the slowest stage", "compute_s", cell_seconds, "", peak_key, true},
    {"  pipeline bubble", "bubble_s", cell_seconds, "", peak_key, true},
    {"  tensor-parallel traffic not hidden", "tp_exposed_s", cell_seconds, "", peak_key, true},
    {"  context-parallel traffic not hidden", "cp_exposed_s", cell_seconds, "", peak_key, true},
    {"  expert-parallel traffic not hidden", "ep_exposed_s", cell_seconds, "", peak_key, true},
    {"  pipeline messages not hidden", "pp_exposed_s", cell_seconds, "", peak_key, true},
    {"  gradient and weight exchange not hidden", "dp_exposed_s", cell_seconds, "", peak_key, true},
    {"  optimizer step", "optimizer_s", cell_seconds, "", "hardware.memory_gb_s", true},
};

static const struct quantity speed_list[] = {
    {"tokens/s", "tokens_per_s", cell_count, "", peak_key, false},
    {"tokens/s per GPU", "tokens_per_s_per_gpu", cell_count, "", peak_key, false},
    {"model operations per GPU", "model_tflops_per_gpu", show_number, "TFLOP/s", peak_key, false},
    {"operations done per GPU, recomputed included", "hardware_tflops_per_gpu", show_number, "TFLOP/s", peak_key, false},
    {"MFU (model operations over the peak)", "mfu", cell_share, "", peak_key, false},
    {"HFU (operations done over the peak)", "hfu", cell_share, "", peak_key, false},
    {"MFU with causal attention counted half", "mfu_causal", cell_share, "", peak_key, false},
    {"HFU with causal attention counted half", "hfu_causal", cell_share, "", peak_key, false},
    {"operations per GPU by BigScience's formula", "bigscience_tflops", show_number, "TFLOP/s", peak_key, false},
    {"the same by its older formula, layers only", "bigscience_layers_tflops", show_number, "TFLOP/s", peak_key, false},
    {"the same by its first formula, model size", "bigscience_size_tflops", show_number, "TFLOP/s", peak_key, false},
};

void report_time(struct page *page, const struct estimates *all)
{
    const struct estimate *e = all->item[0];
    page_heading(page, "Time of one iteration");
    if (print_unknown(page, e, time_list, LENGTH(time_list)))
        return;
    print_quantities(page, e, time_list, LENGTH(time_list));
    if (e->symbols.overhead > 0)
        buffer_printf(page->out, "%-*s%16s\n", QUANTITY_COLUMNS, "  host work (hardware.fixed_overhead_ms)",
                      cell_seconds(e->symbols.overhead * 1e-3).text);
    print_quantities(page, e, speed_list, LENGTH(speed_list));
    if (isfinite(report_step(e, "iteration_s")) && e->stages > 1)
        buffer_printf(page->out, "the slowest stage is stage %d\n", e->binding_stage);
}

void report_table_time(struct table *table, const struct estimate *e)
{
    add_quantities(table, e, time_list, LENGTH(time_list));
    add_quantities(table, e, speed_list, LENGTH(speed_list));
}
