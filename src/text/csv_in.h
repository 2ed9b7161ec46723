/* src/text/csv_in.h - reads comma-separated values (RFC 4180) record by record, so that a table may be of any size. */
#ifndef SHARDTOP_SRC_TEXT_CSV_IN_H
#define SHARDTOP_SRC_TEXT_CSV_IN_H

#include "src/text/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct errors;

/** True for a text that spreadsheets take for a formula (= + - @, a tab or a carriage return at its start). */
bool csv_is_formula(const char *text);

enum { CSV_COLUMNS_MAX = 4096, CSV_RECORD_MAX = 1 << 20 /* bytes */ }; /* more is refused */

/** A table while it is read: its header, and the present record. */
struct csv {
    char **name; /* of the columns */
    size_t columns;
    char **cell; /* of the record, one for each column; they last until the next one is read */
    int line;    /* 1-based line in which the record begins */
    /* the rest is the reader's own */
    const char *path, *text;
    size_t left;       /* bytes of `text` */
    FILE *file;        /* what follows the text, or NULL */
    int at, after;     /* the byte that is read now and the next one, EOF at the end */
    int here;          /* the line that is read now */
    bool is_bad;       /* the record has a fault */
    size_t fields;
    struct buffer all; /* the record's fields, each with its NUL */
    struct errors *errors;
};

/**
 * Begins to read a table: `size` bytes at `text`, then what `file` has (NULL: nothing); both must last. `path` is what
 * messages call it. Fields may be quoted; quoted ones may hold commas, line ends and doubled quotes; an apostrophe
 * before what would be a formula is dropped. Lines end in LF or CR LF; lines with nothing in them are passed over, as
 * is a byte order mark. Faults of the header are added: none at all, a column without a name or twice. Returns 0, or -1
 * when one was; csv_close() either way.
 */
int csv_open(struct csv *csv, const char *text, size_t size, FILE *file, const char *path, struct errors *errors);

/**
 * Reads the next record that is right into `cell` and `line`; false at the end. Faults of those passed over are added
 * with their line: a quote that is not closed or stands inside a field, more or fewer fields than the header has, bytes
 * that are no UTF-8 text, a length beyond CSV_RECORD_MAX, a file that cannot be read.
 */
bool csv_next(struct csv *csv);

/** The column of this name, or -1. */
int csv_column(const struct csv *csv, const char *name);

/** Releases what was read. */
void csv_close(struct csv *csv);

#endif
