/* src/report/products.c - what partitioning leaves of each matrix product: shapes, efficiency, time. */
#include "core/estimate/estimate.h"
#include "core/explain/explain.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>

enum { NAME_COLUMNS = 36, SHAPE_COLUMNS = 16, ROWS_COLUMNS = 8, SHARE_COLUMNS = 8, TIME_COLUMNS = 9 };

static struct cell milliseconds(double seconds)
{
    return cell_fixed(seconds * 1e3, 3);
}

static void print_product(struct page *page, const struct estimate *e, enum op_id id)
{
    const struct op *op = &e->op[id];
    const struct op_time *time = &e->time[id];
    const double whole[2] = {op->out, op->in}, rank[2] = {op->out_rank, op->in_rank};
    page_pad(page, op_rows[id].path, NAME_COLUMNS);
    page_pad(page, cell_shape(whole, 2).text, SHAPE_COLUMNS);
    page_pad(page, cell_shape(rank, 2).text, SHAPE_COLUMNS);
    page_pad(page, cell_fixed(op->m, 0).text, -ROWS_COLUMNS);
    page_pad(page, cell_share(time->gemm_efficiency).text, -SHARE_COLUMNS);
    page_pad(page, cell_share(time->wave_efficiency).text, -SHARE_COLUMNS);
    page_pad(page, milliseconds(time->gemm_forward_s).text, -TIME_COLUMNS);
    page_pad(page, milliseconds(time->gemm_dgrad_s + time->gemm_wgrad_s).text, -TIME_COLUMNS);
    buffer_puts(page->out, "\n");
}

void report_products(struct page *page, const struct estimates *all)
{
    const struct estimate *e = all->item[0];
    enum op_id id;
    if (!e->is_computed || !e->is_modelled || e->is_serving)
        return;
    page_heading(page, "What partitioning leaves of each matrix product");
    page_prose(page, 0,
               "GEMM: share of the peak that the forward product reaches on this GPU. waves: how full 128 x 256 "
               "tiles keep its multiprocessors; it explains and is not in the time. ms: forward; both gradients.");
    page_pad(page, "operator", NAME_COLUMNS);
    page_pad(page, "whole", SHAPE_COLUMNS);
    page_pad(page, "one rank", SHAPE_COLUMNS);
    page_pad(page, "rows", -ROWS_COLUMNS);
    page_pad(page, "GEMM", -SHARE_COLUMNS);
    page_pad(page, "waves", -SHARE_COLUMNS);
    page_pad(page, "fwd ms", -TIME_COLUMNS);
    page_pad(page, "bwd ms", -TIME_COLUMNS);
    buffer_puts(page->out, "\n");
    for (int i = 0; explain_layer_row(e, i, &id); i++)
        if (e->op[id].m > 0)
            print_product(page, e, id);
}
