/* src/text/csv_in.h - streaming reader for comma-separated values (RFC 4180); tables may be of any size. */
#pragma once

#include "src/text/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct errors;

/** True when spreadsheets would run `text` as a formula: it starts with = + - @, a tab or a carriage return. */
bool csv_is_formula(const char *text);

enum { CSV_COLUMNS_MAX = 4096, CSV_RECORD_MAX = 1 << 20 /* bytes */ }; /* larger tables are rejected */

/** A table being read: its header and the current record. */
struct csv {
    char **name; /* column names */
    size_t columns;
    const char **cell; /* one per column; valid until the next record is read */
    int line;    /* 1-based line where the record begins */
    /* internal to the reader */
    const char *path, *text;
    size_t left;       /* bytes of `text` not read yet */
    FILE *file;        /* read after `text`; may be NULL */
    int at, after;     /* current and next byte, EOF at the end */
    int here;          /* current line */
    bool is_bad;       /* the record is malformed */
    size_t fields;
    struct buffer all; /* the record's fields, each NUL-terminated */
    struct errors *errors;
};

/**
 * Opens a table: `size` bytes at `text`, then the contents of `file` (may be NULL); both must outlive the reader.
 * `path` is used in messages. Quoted fields may hold commas, line ends and doubled quotes; the apostrophe that protects
 * a formula is removed. Lines end in LF or CR LF; blank lines and a byte order mark are skipped. Reports a missing
 * header and unnamed or duplicate columns. Returns 0, or -1 with errors added; call csv_close() in both cases.
 */
int csv_open(struct csv *csv, const char *text, size_t size, FILE *file, const char *path, struct errors *errors);

/** What the next record is; the cells of a bad one are those that it has, none where it cannot be taken apart. */
enum csv_record { CSV_END, CSV_ROW, CSV_BAD };

/**
 * Reads the next record into `cell` and `line`. Malformed records are reported with their line: an unclosed or
 * misplaced quote, a wrong number of fields, invalid UTF-8, a record over CSV_RECORD_MAX, a read error.
 */
enum csv_record csv_record(struct csv *csv);

/** Reads the next valid record; false at the end. */
bool csv_next(struct csv *csv);

/** The index of a column, or -1. */
int csv_column(const struct csv *csv, const char *name);

/** Releases all buffers. */
void csv_close(struct csv *csv);
