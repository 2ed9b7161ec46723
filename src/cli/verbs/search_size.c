#include "src/cli/verbs/search_size.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/plan/param.h"
#include "core/search/depth.h"
#include "src/report/format.h"
#include "src/report/table.h"
#include "src/text/errors.h"
#include "src/text/json_out.h"
#include "src/text/progress.h"
#include "src/text/text.h"
#include "src/text/version.h"

#include <stdlib.h>

static double peak_device_bytes(const struct estimate *e)
{
    return e->is_serving ? e->serving.needed_bytes : e->stage[e->peak_stage].device_bytes;
}

static void each_best(const struct plan *plan, const struct search_depth *found, int top, struct estimate *e,
                      void (*each)(void *out, const struct estimate *e, int rank, int layers), void *out)
{
    struct plan deeper;
    for (int rank = 1; rank <= top && found->largest - (rank - 1) * found->step > 0; rank++) {
        int layers = found->largest - (rank - 1) * found->step;
        search_set_layers(plan, layers, &deeper);
        estimate_plan(&deeper, e);
        if (e->is_computed)
            each(out, e, rank, layers);
    }
}

static void print_text(void *out, const struct estimate *e, int rank, int layers)
{
    if (rank == 1)
        buffer_printf(out, "%6s %22s %14s %14s %9s\n", "layers", "parameters", "fullest GPU", "iteration", "MFU");
    buffer_printf(out, "%6d %22s %14s %14s %9s\n", layers, cell_count(e->totals.total).text,
                  cell_bytes(peak_device_bytes(e)).text, cell_seconds(e->step.iteration_s).text,
                  cell_share(e->step.mfu).text);
}

static void add_row(void *table, const struct estimate *e, int rank, int layers)
{
    const double row[] = {rank,        layers,      e->totals.total, peak_device_bytes(e), e->step.iteration_s,
                          e->step.mfu, e->step.cost};
    for (size_t i = 0; i < LENGTH(row); i++)
        table_number(table, row[i]);
}

static void write_csv(struct buffer *out, const struct plan *plan, const struct search_depth *found, int top,
                      struct estimate *e)
{
    static const struct table_column columns[] = {
        {"rank", COLUMN_COUNT}, {"model.num_layers", COLUMN_COUNT}, {"parameters", COLUMN_COUNT},
        {"peak_device_bytes", COLUMN_BYTES},
        {"iteration_s", COLUMN_SECONDS}, {"mfu", COLUMN_SHARE}, {"cost", COLUMN_NUMBER}};
    struct table table = {.name = "search", .column = columns, .columns = LENGTH(columns)};
    each_best(plan, found, top, e, add_row, &table);
    table_csv(out, &table);
    table_free(&table);
}

#define SHAPES "src/cli/verbs/search_size.def"
#include "src/text/json_writers.def"

static void put_depth(void *context, const struct estimate *e, int rank, int layers)
{
    struct json *json = context;
    PUT(depth, NULL, e, rank, layers);
}

#include "src/text/json_writers.def"

int search_size(struct buffer *out, const struct plan *plan, int top, enum report_format format, struct errors *errors)
{
    struct estimate *e = xmalloc(sizeof *e);
    struct search_depth found;
    double start_s = progress_clock_s();
    if (search_deepest(plan, e, &found) != 0) {
        errors_add(errors, "shardtop", 0, "search", "cannot judge this plan: %s %s",
                   e->diags.count ? param_rows[e->diags.item[0].param].dotted : "its memory",
                   e->diags.count ? finding_text(&e->diags.item[0]).text : "is unknown");
        free(e);
        return -1;
    }
    double seconds = progress_clock_s() - start_s;
    if (format == REPORT_JSON)
        WRITE_ANSWER(out, 2, depths, plan, &found, seconds, top, e)
    else if (format == REPORT_CSV)
        write_csv(out, plan, &found, top, e);
    else if (found.largest)
        each_best(plan, &found, top, e, print_text, out);
    else
        buffer_printf(out, "%d layers do not fit\n", found.step);
    free(e);
    return found.largest ? 0 : 1;
}
