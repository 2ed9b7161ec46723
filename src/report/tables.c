/* src/report/tables.c - the sections of a report as tables for CSV and Markdown. */
#include "core/base.h"
#include "core/estimate/range.h"
#include "core/explain/detail.h"
#include "core/explain/explain.h"
#include "core/plan/param.h"
#include "core/show/columns.h"
#include "core/show/components.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/quantity.h"
#include "src/report/report.h"
#include "src/report/table.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what fills them -------------------------------------------------------------------------------------------- */

static void add_fact(struct table *table, const char *name, double value, const char *unit)
{
    table_text(table, name);
    table_quantity(table, value, unit);
}

static void fill_summary(struct table *table, const struct estimate *e)
{
    bool is_known = isfinite(e->headroom_bytes);
    add_fact(table, "fits", is_known && e->diags.errors == 0 ? e->fits : NAN, "");
    add_fact(table, "fit_probability", range_fit_probability(e), "");
    add_fact(table, "peak_device_bytes", is_known ? e->stage[e->peak_stage].device_bytes : NAN, "bytes");
    add_fact(table, "usable_bytes", e->usable_bytes, "bytes");
    add_fact(table, "headroom_bytes", report_headroom(e), "bytes");
    struct time_range time;
    range_time(e, &time);
    add_fact(table, "iteration_s", report_step(e, "iteration_s"), "s");
    add_fact(table, "iteration_s_low", report_step(e, "iteration_s") * time.factor.low, "s");
    add_fact(table, "iteration_s_high", report_step(e, "iteration_s") * time.factor.high, "s");
    add_fact(table, "tokens_per_s", report_step(e, "tokens_per_s"), "tokens/s");
    add_fact(table, "mfu", report_step(e, "mfu"), "");
    add_fact(table, "parameters", e->totals.total, "elements");
    add_fact(table, "parameters_mtp", e->totals.mtp, "elements");
    add_fact(table, "parameters_unpadded", e->totals.unpadded, "elements");
    add_fact(table, "parameters_active", e->totals.active, "elements");
}

static void fill_diagnostics(struct table *table, const struct estimate *e)
{
    for (int i = 0; i < e->diags.count; i++) {
        const struct diag *diag = &e->diags.item[i];
        char message[DIAG_TEXT_MAX];
        text_clean(finding_text(diag).text, message, sizeof message);
        table_text(table, diag_level_names[diag->level]);
        table_text(table, param_rows[diag->param].dotted);
        table_text(table, diag->rule);
        table_text(table, message);
    }
}

static void add_shape(struct table *table, const struct op *op, double rows, double columns)
{
    const double shape[2] = {rows, columns == 1 && op->m == 0 ? 0 : columns};
    table_text(table, op->times == 0 || rows == 0 ? "" : cell_shape(shape, 2).text);
}

static void fill_layers(struct table *table, const struct estimate *e)
{
    enum op_id id;
    struct op op, full;
    for (int i = 0; e->is_computed && explain_layer_row(e, i, &id); i++) {
        estimate_op(e, id, &op);
        estimate_full_op(e, id, &full);
        struct layer_traffic forward, backward;
        char path[REPORT_PATH_MAX];
        report_layer_path(id, path);
        detail_traffic(e, id, &forward, &backward);
        table_text(table, path);
        table_number(table, estimate_op_count(e, id));
        add_shape(table, &op, op.out, op.in);
        add_shape(table, &op, op.out_rank, op.in_rank);
        table_number(table, full.params);
        table_number(table, full.saved);
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

static size_t component_columns(struct table_column *out)
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

static void fill_memory(struct table *table, const struct estimate *e)
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
        for (int depth = 1; depth <= MEMORY_DEPTHS; depth++) {
            struct interval range = range_memory_ends(e, i, depth);
            table_number(table, round(range.low));
            table_number(table, round(range.high));
        }
    }
}

static void fill_grid(struct table *table, const struct estimate *e)
{
    static const enum rank_axis axes[] = {AXIS_TP, AXIS_CP, AXIS_DP, AXIS_PP, AXIS_EP};
    int count = table->most > 0 && table->most < e->grid.world ? table->most : e->grid.world;
    for (int rank = 0; e->is_computed && rank < count; rank++) {
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

static size_t traffic_columns(struct table_column *out)
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

static void fill_communication(struct table *table, const struct estimate *e)
{
    struct comm_walk walk = {.estimate = e};
    while (comm_walk_next(&walk))
        for (int i = 0; i < comm_shown_count; i++)
            add_comm_cell(table, &comm_shown[i], &walk);
}

static double value_of(const struct estimate *e, const char *name)
{
    const struct term *term = term_find(serving_terms, serving_term_count, name, strlen(name));
    return term && e->is_serving && e->is_computed ? term_value(term, &e->serving) : NAN;
}

static void fill_serving(struct table *table, const struct estimate *e)
{
    for (size_t i = 0; i < serving_term_count && e->is_serving; i++) {
        table_text(table, serving_terms[i].name);
        table_number(table, value_of(e, serving_terms[i].name));
        table_text(table, serving_terms[i].unit);
        table_text(table, serving_terms[i].label);
    }
}

/* What an iteration takes, and how fast that is. */
static void fill_time(struct table *table, const struct estimate *e)
{
    add_quantities(table, e, &time_quantities);
    add_quantities(table, e, &speed_quantities);
}

static void fill_training(struct table *table, const struct estimate *e)
{
    add_quantities(table, e, &training_quantities);
}

static void fill_checkpoint(struct table *table, const struct estimate *e)
{
    add_quantities(table, e, &checkpoint_quantities);
}

/* ---- the tables ------------------------------------------------------------------------------------------------- */

static const struct table_column quantity_columns[] = {
    {"quantity", COLUMN_TEXT}, {"value", COLUMN_NUMBER}, {"unit", COLUMN_TEXT}, {"meaning", COLUMN_TEXT}};
static const struct table_column ranged_columns[] = {
    {"quantity", COLUMN_TEXT}, {"value", COLUMN_NUMBER}, {"unit", COLUMN_TEXT}, {"meaning", COLUMN_TEXT},
    {"low", COLUMN_NUMBER}, {"high", COLUMN_NUMBER}};
static const struct table_column summary_columns[] = {
    {"quantity", COLUMN_TEXT}, {"value", COLUMN_NUMBER}, {"unit", COLUMN_TEXT}};
static const struct table_column diagnostics_columns[] = {
    {"level", COLUMN_TEXT}, {"key", COLUMN_TEXT}, {"rule", COLUMN_TEXT}, {"message", COLUMN_TEXT}};
static const struct table_column layers_columns[] = {
    {"path", COLUMN_TEXT}, {"count", COLUMN_COUNT}, {"full_shape", COLUMN_TEXT}, {"param_shape", COLUMN_TEXT},
    {"full_params", COLUMN_COUNT}, {"full_saved_bytes", COLUMN_BYTES}, {"params", COLUMN_COUNT},
    {"param_bytes", COLUMN_BYTES}, {"saved_bytes", COLUMN_BYTES}, {"forward_flops", COLUMN_NUMBER},
    {"forward_s", COLUMN_SECONDS}, {"backward_s", COLUMN_SECONDS}, {"tp_forward", COLUMN_TEXT},
    {"tp_backward", COLUMN_TEXT}, {"tp_message_bytes", COLUMN_BYTES}};
static const struct table_column memory_columns[] = { /* component_columns() follow */
    {"stage", COLUMN_COUNT}, {"layers", COLUMN_COUNT}, {"first_layer", COLUMN_COUNT}, {"last_layer", COLUMN_COUNT},
    {"in_flight", COLUMN_COUNT}, {"params", COLUMN_COUNT}};
static const struct table_column grid_columns[] = {
    {"rank", COLUMN_COUNT}, {"node", COLUMN_COUNT}, {"gpu", COLUMN_COUNT}, {"tp", COLUMN_COUNT},
    {"cp", COLUMN_COUNT}, {"dp", COLUMN_COUNT}, {"pp", COLUMN_COUNT}, {"ep", COLUMN_COUNT}};

#define COLUMNS(columns) columns, LENGTH(columns)
static const struct {
    enum report_section section;
    const struct table_column *column;
    size_t columns;
    void (*fill)(struct table *table, const struct estimate *estimate);
    size_t (*more_columns)(struct table_column *out); /* after `column`, or NULL */
} tables[] = {
    {SECTION_SUMMARY, COLUMNS(summary_columns), fill_summary, NULL},
    {SECTION_DIAGNOSTICS, COLUMNS(diagnostics_columns), fill_diagnostics, NULL},
    {SECTION_LAYERS, COLUMNS(layers_columns), fill_layers, NULL},
    {SECTION_MEMORY, COLUMNS(memory_columns), fill_memory, component_columns},
    {SECTION_GRID, COLUMNS(grid_columns), fill_grid, NULL},
    {SECTION_COMMUNICATION, NULL, 0, fill_communication, traffic_columns},
    {SECTION_TIME, COLUMNS(ranged_columns), fill_time, NULL},
    {SECTION_TRAINING, COLUMNS(ranged_columns), fill_training, NULL},
    {SECTION_CHECKPOINT, COLUMNS(ranged_columns), fill_checkpoint, NULL},
    {SECTION_SERVING, COLUMNS(quantity_columns), fill_serving, NULL},
};

/* Moves the cells of `from` behind those of `to`, the framework before each row. */
static void add_named_rows(struct table *to, const struct table *from, const char *framework)
{
    for (size_t i = 0; i < from->cells; i++) {
        if (i % from->columns == 0)
            table_text(to, framework);
        if (from->cell[i].text)
            table_text(to, from->cell[i].text);
        else
            table_number(to, from->cell[i].number);
    }
}

/* The number of ranks that a page leaves out. */
static void put_rest(struct buffer *out, const struct estimate *e, const struct report_options *options)
{
    int rest = e->grid.world - (options->full ? REPORT_RANKS_MAX : 0);
    if (e->is_computed && e->grid.world > REPORT_RANKS_MAX && rest > 0)
        buffer_printf(out, "\n%s%s (--full --json lists all)\n", options->full ? "and " : "",
                      cell_counted(rest, options->full ? "more rank" : "rank").text);
}

/* One table over all estimates; a first column tells them apart when there are several. */
static void write_table(struct buffer *out, size_t which, const struct estimates *all,
                        const struct report_options *options)
{
    enum { COLUMNS_MAX = 32 };
    struct table_column named[COLUMNS_MAX] = {{"framework", COLUMN_TEXT}};
    size_t columns = tables[which].columns;
    bool is_named = all->count > 1, is_page = options->format == REPORT_MARKDOWN;
    if (columns > 0)
        memcpy(named + 1, tables[which].column, columns * sizeof *named);
    columns += tables[which].more_columns ? tables[which].more_columns(named + 1 + columns) : 0;
    struct table whole = {.name = report_section_names[tables[which].section], .column = is_named ? named : named + 1,
                          .columns = columns + is_named, .most = is_page ? REPORT_RANKS_MAX : 0};
    for (size_t i = 0; i < all->count; i++) {
        struct table part = {.column = named + 1, .columns = columns, .most = whole.most};
        if (tables[which].section != SECTION_GRID || report_lists_ranks(all->item[i], options))
            tables[which].fill(is_named ? &part : &whole, all->item[i]);
        add_named_rows(&whole, &part, report_framework(all->item[i]));
        table_free(&part);
    }
    if (is_page)
        table_markdown(out, &whole);
    else
        table_csv(out, &whole);
    for (size_t i = 0; i < all->count && is_page && tables[which].section == SECTION_GRID; i++)
        put_rest(out, all->item[i], options);
    table_free(&whole);
}

void report_tables(struct buffer *out, const struct estimates *all, const struct report_options *options)
{
    bool is_csv = options->format == REPORT_CSV;
    for (size_t i = 0; i < LENGTH(tables); i++) {
        if (options->section != SECTION_ALL && options->section != tables[i].section)
            continue;
        if (options->section == SECTION_ALL && i > 0)
            buffer_puts(out, is_csv ? "\r\n" : "\n");
        if (options->section == SECTION_ALL && is_csv)
            buffer_printf(out, "# %s\r\n", report_section_names[tables[i].section]);
        write_table(out, i, all, options);
    }
}
