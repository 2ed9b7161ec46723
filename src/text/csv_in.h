/* src/text/csv_in.h - reads comma-separated values (RFC 4180) with the line in which each record begins. */
#ifndef SHARDTOP_SRC_TEXT_CSV_IN_H
#define SHARDTOP_SRC_TEXT_CSV_IN_H

#include <stdbool.h>
#include <stddef.h>

struct errors;

/** One record; as many cells as the header has names. */
struct csv_record {
    char **cell;
    int line; /* 1-based line in which it begins */
};

/** A table with a header; zero-initialise, release with csv_free(). */
struct csv {
    char **name; /* of the columns */
    size_t columns;
    struct csv_record *record;
    size_t records;
};

/** True for a text that spreadsheets take for a formula (= + - @, a tab or a carriage return at its start). */
bool csv_is_formula(const char *text);

enum { CSV_COLUMNS_MAX = 4096 }; /* a table with more is refused */

/**
 * Reads a table, which has a NUL behind its `size` bytes. Fields may be quoted; quoted ones may hold commas, line ends
 * and doubled quotes; an apostrophe before what would be a formula is dropped. Lines end in LF or CR LF; lines with nothing in them are passed over, as is a byte order mark.
 * Every fault is added with its line: a quote that is not closed or stands inside a field, a record with more or fewer
 * fields than the header, a column without a name or twice. Returns 0, or -1 when a fault was added (`out` then holds
 * the records that could be read).
 */
int csv_read(const char *text, size_t size, const char *name, struct csv *out, struct errors *errors);

/** The column of this name, or -1. */
int csv_column(const struct csv *csv, const char *name);

/** Releases a table and leaves an empty one. */
void csv_free(struct csv *csv);

#endif
