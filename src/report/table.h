/* src/report/table.h - tables as CSV (RFC 4180) and Markdown. */
#pragma once

#include <stddef.h>

struct buffer;

/** What a column holds: decides how Markdown shows its numbers; CSV always has the plain number in the base unit. */
enum column_kind { COLUMN_TEXT, COLUMN_COUNT, COLUMN_NUMBER, COLUMN_BYTES, COLUMN_SECONDS, COLUMN_SHARE, COLUMN_BOOL };

/** One column. */
struct table_column {
    const char *name; /* with its unit: activations_bytes */
    enum column_kind kind;
};

/** One cell. */
struct table_cell {
    char *text; /* NULL: the number counts */
    double number;
};

/** A table that is filled cell by cell, row by row; release with table_free(). */
struct table {
    const char *name;
    const struct table_column *column;
    size_t columns;
    struct table_cell *cell;
    size_t cells, capacity;
    int most; /* rows that whoever fills it should add at most; 0: all */
};

/** Adds the next cell, a copy of a text or a number. */
void table_text(struct table *table, const char *text);
void table_number(struct table *table, double number);

/** Adds two cells, a number and its unit; bytes are whole. */
void table_quantity(struct table *table, double number, const char *unit);

/** Appends the table with a line of column names. Unknown numbers are empty. Lines end in CR LF, as RFC 4180 asks. */
void table_csv(struct buffer *out, const struct table *table);

/** Appends the table with its name as a heading; numbers with units, unknown ones "n/a". */
void table_markdown(struct buffer *out, const struct table *table);

/** Append the rows alone, behind those of the same table that are printed already. */
void table_csv_rows(struct buffer *out, const struct table *table);
void table_markdown_rows(struct buffer *out, const struct table *table);

/** Appends one CSV field, quoted where needed; what a spreadsheet would run begins with an apostrophe. */
void csv_field(struct buffer *out, const char *text);

/** Releases the cells and leaves a table without rows. */
void table_free(struct table *table);
