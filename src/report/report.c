#include "src/report/report.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/table.h"
#include "src/report/text.h"
#include "src/text/json_out.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const report_section_names[SECTION_COUNT] = {
    [SECTION_ALL] = "all",           [SECTION_SUMMARY] = "summary",   [SECTION_DIAGNOSTICS] = "diagnostics",
    [SECTION_LAYERS] = "layers",     [SECTION_MEMORY] = "memory",     [SECTION_GRID] = "grid",
    [SECTION_COMMUNICATION] = "communication", [SECTION_TIME] = "time", [SECTION_TRAINING] = "training",
    [SECTION_CHECKPOINT] = "checkpoint", [SECTION_SERVING] = "serving"};

int report_section_find(const char *name)
{
    for (int i = 0; i < SECTION_COUNT; i++)
        if (strcmp(report_section_names[i], name) == 0)
            return i;
    return -1;
}

static bool is_wanted(const struct report_options *options, enum report_section section)
{
    return options->section == SECTION_ALL || options->section == section;
}

/* ---- text --------------------------------------------------------------------------------------------------------- */

/* The parts of a text report in their order; a section may have several. */
static const struct {
    enum report_section section;
    void (*write)(struct page *page, const struct estimates *all);
} parts[] = {
    {SECTION_SUMMARY, report_summary},          {SECTION_SUMMARY, report_questions},
    {SECTION_DIAGNOSTICS, report_diagnostics},
    {SECTION_LAYERS, report_layers},            {SECTION_LAYERS, report_products},
    {SECTION_COMMUNICATION, report_traffic},
    {SECTION_MEMORY, report_memory},            {SECTION_MEMORY, report_timeline},
    {SECTION_GRID, report_grid},
    {SECTION_COMMUNICATION, report_communication}, {SECTION_TIME, report_time},
    {SECTION_TRAINING, report_training},        {SECTION_CHECKPOINT, report_checkpoint},
    {SECTION_SERVING, report_serving},          {SECTION_DIAGNOSTICS, report_assumptions},
};

/* Of a whole report, serving leaves out the parts about training, and training the one about serving. */
static bool has_part(const struct report_options *options, enum report_section section, bool is_serving)
{
    bool is_training = section == SECTION_MEMORY || section == SECTION_COMMUNICATION || section == SECTION_TIME ||
                       section == SECTION_TRAINING || section == SECTION_CHECKPOINT;
    return options->section != SECTION_ALL || !(is_serving ? is_training : section == SECTION_SERVING);
}

static void write_text(struct buffer *out, const struct estimates *all, const struct report_options *options)
{
    struct page page = page_on(out, options);
    if (options->brief) {
        report_summary(&page, all);
        report_questions(&page, all);
        report_diagnostics(&page, all);
        report_brief(&page, all);
        return;
    }
    for (size_t i = 0; i < LENGTH(parts); i++)
        if (is_wanted(options, parts[i].section) && has_part(options, parts[i].section, all->item[0]->is_serving))
            parts[i].write(&page, all);
}

/* ---- tables ------------------------------------------------------------------------------------------------------- */

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
static const struct table_column memory_columns[] = { /* report_component_columns() follow */
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
    {SECTION_SUMMARY, COLUMNS(summary_columns), report_table_summary, NULL},
    {SECTION_DIAGNOSTICS, COLUMNS(diagnostics_columns), report_table_diagnostics, NULL},
    {SECTION_LAYERS, COLUMNS(layers_columns), report_table_layers, NULL},
    {SECTION_MEMORY, COLUMNS(memory_columns), report_table_memory, report_component_columns},
    {SECTION_GRID, COLUMNS(grid_columns), report_table_grid, NULL},
    {SECTION_COMMUNICATION, NULL, 0, report_table_communication, report_comm_columns},
    {SECTION_TIME, COLUMNS(ranged_columns), report_table_time, NULL},
    {SECTION_TRAINING, COLUMNS(ranged_columns), report_table_training, NULL},
    {SECTION_CHECKPOINT, COLUMNS(ranged_columns), report_table_checkpoint, NULL},
    {SECTION_SERVING, COLUMNS(quantity_columns), report_table_serving, NULL},
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

/* One table over all estimates; a first column tells them apart when there are several. */
static void write_table(struct buffer *out, size_t which, const struct estimates *all,
                        const struct report_options *options)
{
    enum { COLUMNS_MAX = 32 };
    struct table_column named[COLUMNS_MAX] = {{"framework", COLUMN_TEXT}};
    size_t columns = tables[which].columns;
    bool is_named = all->count > 1;
    if (columns > 0)
        memcpy(named + 1, tables[which].column, columns * sizeof *named);
    columns += tables[which].more_columns ? tables[which].more_columns(named + 1 + columns) : 0;
    struct table whole = {.name = report_section_names[tables[which].section], .column = is_named ? named : named + 1,
                          .columns = columns + is_named};
    for (size_t i = 0; i < all->count; i++) {
        struct table part = {.column = named + 1, .columns = columns};
        if (tables[which].section != SECTION_GRID || report_lists_ranks(all->item[i], options))
            tables[which].fill(is_named ? &part : &whole, all->item[i]);
        add_named_rows(&whole, &part, report_framework(all->item[i]));
        table_free(&part);
    }
    if (options->format == REPORT_MARKDOWN)
        table_markdown(out, &whole);
    else
        table_csv(out, &whole);
    table_free(&whole);
}

static void write_tables(struct buffer *out, const struct estimates *all, const struct report_options *options)
{
    bool is_csv = options->format == REPORT_CSV;
    for (size_t i = 0; i < LENGTH(tables); i++) {
        if (!is_wanted(options, tables[i].section))
            continue;
        if (options->section == SECTION_ALL && i > 0)
            buffer_puts(out, is_csv ? "\r\n" : "\n");
        if (options->section == SECTION_ALL && is_csv)
            buffer_printf(out, "# %s\r\n", report_section_names[tables[i].section]);
        write_table(out, i, all, options);
    }
}

/* ---- JSON --------------------------------------------------------------------------------------------------------- */

static void write_json(struct buffer *out, const struct estimates *all, const struct report_options *options)
{
    enum { LINES = 3 }; /* results, their members, and the members' members stand on lines */
    struct json json = {.out = out, .lines = LINES + (all->count > 1)};
    if (all->count > 1)
        json_open(&json, NULL, '[');
    for (size_t i = 0; i < all->count; i++)
        json_result(&json, NULL, all->item[i], options);
    if (all->count > 1)
        json_close(&json, ']');
    buffer_puts(out, "\n");
}

void report_write(struct buffer *out, const struct estimate *const estimates[], size_t count,
                  const struct report_options *options)
{
    static void (*const write[])(struct buffer *, const struct estimates *, const struct report_options *) = {
        [REPORT_TEXT] = write_text, [REPORT_JSON] = write_json, [REPORT_CSV] = write_tables,
        [REPORT_MARKDOWN] = write_tables};
    const struct estimates all = {estimates, count};
    write[options->format](out, &all, options);
}
