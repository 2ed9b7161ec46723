#include "src/report/table.h"

#include "core/plan/number.h"
#include "src/report/format.h"
#include "src/text/csv_in.h"
#include "src/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct table_cell *next_cell(struct table *table)
{
    if (table->cells == table->capacity) {
        table->capacity = table->capacity ? 2 * table->capacity : 64;
        table->cell = xrealloc(table->cell, table->capacity * sizeof *table->cell);
    }
    return &table->cell[table->cells++];
}

void table_text(struct table *table, const char *text)
{
    size_t size = strlen(text) + 1;
    char *clean = xmalloc(size);
    text_clean(text, clean, size);
    *next_cell(table) = (struct table_cell){.text = clean};
}

void table_number(struct table *table, double number)
{
    *next_cell(table) = (struct table_cell){.number = number};
}

void table_free(struct table *table)
{
    for (size_t i = 0; i < table->cells; i++)
        free(table->cell[i].text);
    free(table->cell);
    table->cell = NULL;
    table->cells = table->capacity = 0;
}

void table_quantity(struct table *table, double number, const char *unit)
{
    table_number(table, strcmp(unit, "bytes") == 0 ? round(number) : number);
    table_text(table, unit);
}

/* ---- CSV -------------------------------------------------------------------------------------------------------- */

void csv_field(struct buffer *out, const char *text)
{
    const char *guard = csv_is_formula(text) ? "'" : "";
    if (!strpbrk(text, ",\"\r\n")) {
        buffer_printf(out, "%s%s", guard, text);
        return;
    }
    buffer_printf(out, "\"%s", guard);
    for (const char *p = text; *p; p++)
        buffer_add(out, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1);
    buffer_puts(out, "\"");
}

static void csv_number(struct buffer *out, double number, enum column_kind kind)
{
    char text[40];
    if (!isfinite(number))
        return;
    if (kind == COLUMN_BYTES && fabs(number) < 0x1p63)
        buffer_printf(out, "%.0f", number);
    else
        buffer_add(out, text, (size_t)number_print(number, text, sizeof text));
}

void table_csv(struct buffer *out, const struct table *table)
{
    for (size_t i = 0; i < table->columns; i++) {
        buffer_puts(out, i ? "," : "");
        csv_field(out, table->column[i].name);
    }
    buffer_puts(out, "\r\n");
    table_csv_rows(out, table);
}

void table_csv_rows(struct buffer *out, const struct table *table)
{
    for (size_t i = 0; i < table->cells; i++) {
        size_t column = i % table->columns;
        buffer_puts(out, column ? "," : "");
        if (table->cell[i].text)
            csv_field(out, table->cell[i].text);
        else
            csv_number(out, table->cell[i].number, table->column[column].kind);
        if (column + 1 == table->columns)
            buffer_puts(out, "\r\n");
    }
}

/* ---- Markdown --------------------------------------------------------------------------------------------------- */

static void markdown_text(struct buffer *out, const char *text)
{
    for (const char *p = text; *p; p++) {
        if (*p == '|')
            buffer_puts(out, "\\");
        buffer_add(out, *p == '\n' || *p == '\r' ? " " : p, 1);
    }
}

/* Whole numbers grouped, others with five digits or so. */
static struct cell plain_number(double number)
{
    double size = fabs(number);
    if (number == floor(number) || size >= 1e6)
        return cell_count(number);
    return cell_fixed(number, size >= 1000 ? 1 : size >= 1 ? 3 : 5);
}

static struct cell shown(double number, enum column_kind kind)
{
    static struct cell (*const show[])(double) = {
        [COLUMN_TEXT] = plain_number, [COLUMN_COUNT] = cell_count,     [COLUMN_NUMBER] = plain_number,
        [COLUMN_BYTES] = cell_bytes,  [COLUMN_SECONDS] = cell_seconds, [COLUMN_SHARE] = cell_share,
        [COLUMN_BOOL] = plain_number};
    return show[kind](number);
}

void table_markdown(struct buffer *out, const struct table *table)
{
    buffer_printf(out, "## %s\n\n", table->name);
    for (size_t i = 0; i < table->columns; i++)
        buffer_printf(out, "| %s ", table->column[i].name);
    buffer_puts(out, "|\n");
    for (size_t i = 0; i < table->columns; i++)
        buffer_puts(out, table->column[i].kind == COLUMN_TEXT ? "| --- " : "| ---: ");
    buffer_puts(out, "|\n");
    table_markdown_rows(out, table);
}

void table_markdown_rows(struct buffer *out, const struct table *table)
{
    for (size_t i = 0; i < table->cells; i++) {
        size_t column = i % table->columns;
        buffer_puts(out, "| ");
        if (table->cell[i].text)
            markdown_text(out, table->cell[i].text);
        else
            buffer_puts(out, shown(table->cell[i].number, table->column[column].kind).text);
        buffer_puts(out, column + 1 == table->columns ? " |\n" : " ");
    }
}
