/* src/report/tables.c - layers, memory, ranks and communication as rows for CSV and Markdown. */
#include "core/base.h"
#include "core/explain/detail.h"
#include "core/explain/explain.h"
#include "core/show/columns.h"
#include "core/show/components.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/table.h"
#include "src/report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_shape(struct table *table, const struct op *op, double rows, double columns)
{
    const double shape[2] = {rows, columns == 1 && op->m == 0 ? 0 : columns};
    table_text(table, op->times == 0 || rows == 0 ? "" : cell_shape(shape, 2).text);
}

void report_table_layers(struct table *table, const struct estimate *e)
{
    enum op_id id;
    for (int i = 0; e->is_computed && explain_layer_row(e, i, &id); i++) {
        const struct op *op = &e->op[id], *full = &e->full[id];
        struct layer_traffic forward, backward;
        char path[REPORT_PATH_MAX];
        report_layer_path(id, path);
        detail_traffic(e, id, &forward, &backward);
        table_text(table, path);
        table_number(table, estimate_op_count(e, id));
        add_shape(table, op, op->out, op->in);
        add_shape(table, op, op->out_rank, op->in_rank);
        table_number(table, full->params);
        table_number(table, full->saved);
        for (int k = 0; k < layer_shown_count; k++)
            if (layer_shown[k].is_tabled)
                table_number(table, layer_shown[k].of(e, id));
        table_text(table, forward.op ? forward.op : "");
        table_text(table, backward.op ? backward.op : "");
        if (forward.op || backward.op)
            table_number(table, fmax(forward.bytes, backward.bytes));
        else
            table_text(table, "");
    }
}

size_t report_component_columns(struct table_column *out)
{
    size_t count = 0;
    for (int i = 0; i < stage_components.count; i++)
        if (stage_components.row[i].kind != COMPONENT_DETAIL)
            out[count++] = (struct table_column){stage_components.row[i].term, COLUMN_BYTES};
    out[count++] = (struct table_column){"peak_at", COLUMN_TEXT};
    static const char *const ends[] = {"allocated_low_bytes", "allocated_high_bytes", "reserved_low_bytes",
                                       "reserved_high_bytes", "device_low_bytes", "device_high_bytes"};
    for (size_t i = 0; i < LENGTH(ends); i++)
        out[count++] = (struct table_column){ends[i], COLUMN_BYTES};
    return count;
}

void report_table_memory(struct table *table, const struct estimate *e)
{
    for (int i = 0; i < e->stages; i++) {
        struct stage stage;
        report_stage_rounded(e, i, &stage);
        const struct stage_split *split = &e->split[i];
        const double facts[] = {i, split->layers, split->first_layer, split->last_layer, stage.chunks_in_flight,
                                stage.params};
        for (size_t k = 0; k < LENGTH(facts); k++)
            table_number(table, facts[k]);
        for (int k = 0; k < stage_components.count; k++)
            if (stage_components.row[k].kind != COMPONENT_DETAIL)
                table_number(table, stage_component(&stage_components.row[k], e, &stage));
        table_text(table, e->is_modelled ? peak_at_names[stage_peak_at(&e->stage[i])] : "");
        for (int depth = 1; depth <= MEMORY_REASONS; depth++) {
            struct interval range = range_memory_ends(e, i, depth);
            table_number(table, round(range.low));
            table_number(table, round(range.high));
        }
    }
}

void report_table_grid(struct table *table, const struct estimate *e)
{
    static const enum rank_axis axes[] = {AXIS_TP, AXIS_CP, AXIS_DP, AXIS_PP, AXIS_EP};
    for (int rank = 0; e->is_computed && rank < e->grid.world; rank++) {
        struct rank_place place;
        rank_place_of(&e->grid, rank, &place);
        table_number(table, rank);
        table_number(table, place.node);
        table_number(table, place.gpu);
        for (size_t i = 0; i < LENGTH(axes); i++)
            table_number(table, place.at[axes[i]]);
    }
}

static enum column_kind kind_of(enum figure_kind kind)
{
    return kind == FIGURE_EXACT     ? COLUMN_COUNT
           : kind == FIGURE_BYTES   ? COLUMN_BYTES
           : kind == FIGURE_SECONDS ? COLUMN_SECONDS
                                    : COLUMN_NUMBER;
}

size_t report_comm_columns(struct table_column *out)
{
    for (int i = 0; i < comm_shown_count; i++) {
        enum column_content content = comm_shown[i].content;
        enum column_kind kind = content == CONTENT_NUMBER  ? kind_of(comm_shown[i].kind)
                                : content == CONTENT_STAGE ? COLUMN_COUNT
                                                           : COLUMN_TEXT;
        out[i] = (struct table_column){comm_shown[i].name, kind};
    }
    return (size_t)comm_shown_count;
}

static void add_comm_cell(struct table *table, const struct comm_column *column, const struct comm_walk *walk)
{
    const struct comm *row = &walk->comm[walk->id];
    if (column->content == CONTENT_STAGE)
        table_number(table, walk->stage);
    else if (column->content == CONTENT_TEXT)
        table_text(table, column->text(walk->id));
    else if (column->content == CONTENT_YES_NO)
        table_text(table, row->crosses_nodes ? "true" : "false");
    else if (column->content == CONTENT_SHAPE)
        table_text(table, cell_shape(row->shape, LENGTH(row->shape)).text);
    else
        table_number(table, comm_number(column, row));
}

void report_table_communication(struct table *table, const struct estimate *e)
{
    struct comm_walk walk = {.estimate = e};
    while (comm_walk_next(&walk))
        for (int i = 0; i < comm_shown_count; i++)
            add_comm_cell(table, &comm_shown[i], &walk);
}
