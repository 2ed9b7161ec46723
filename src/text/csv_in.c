#include "src/text/csv_in.h"

#include "src/text/errors.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

static int next_byte(struct csv *csv)
{
    if (csv->left > 0) {
        csv->left--;
        return (unsigned char)*csv->text++;
    }
    return csv->file ? getc_unlocked(csv->file) : EOF;
}

static void advance(struct csv *csv)
{
    csv->here += csv->at == '\n' && csv->here < INT_MAX;
    csv->at = csv->after;
    csv->after = csv->after == EOF ? EOF : next_byte(csv);
}

static void fault(struct csv *csv, int line, const char *what)
{
    if (!csv->is_bad)
        errors_add(csv->errors, csv->path, line, NULL, "%s", what);
    csv->is_bad = true;
}

static void add_byte(struct csv *csv, char byte)
{
    if (csv->all.size < CSV_RECORD_MAX)
        buffer_add(&csv->all, &byte, 1);
    else
        fault(csv, csv->line, "has more than 1 MiB in one record; look for an unclosed quote");
}

static void keep_byte(struct csv *csv)
{
    if (csv->at == '\0')
        fault(csv, csv->here, "contains a NUL byte and is not a table; give a text file with a row per run");
    else
        add_byte(csv, (char)csv->at);
    advance(csv);
}

static bool at_line_end(const struct csv *csv)
{
    return csv->at == EOF || csv->at == '\n' || (csv->at == '\r' && (csv->after == '\n' || csv->after == EOF));
}

static void skip_line_end(struct csv *csv)
{
    if (csv->at == '\r')
        advance(csv);
    if (csv->at == '\n')
        advance(csv);
}

/* ---- fields ----------------------------------------------------------------------------------------------------- */

/* Reads a quoted field, starting after its opening quote. */
static void read_quoted(struct csv *csv)
{
    int first = csv->here;
    while (csv->at != EOF && (csv->at != '"' || csv->after == '"')) {
        if (csv->at == '"')
            advance(csv);
        keep_byte(csv);
    }
    if (csv->at == EOF)
        fault(csv, first, "has an unclosed quote; end the field with \"");
    else
        advance(csv);
    if (!at_line_end(csv) && csv->at != ',')
        fault(csv, csv->here, "has text after a quoted field; quote the whole field and double the quotes inside");
    while (!at_line_end(csv) && csv->at != ',')
        advance(csv);
}

static void read_plain(struct csv *csv)
{
    while (!at_line_end(csv) && csv->at != ',') {
        if (csv->at == '"')
            fault(csv, csv->here, "has a quote inside a field; quote the whole field and double the quotes inside");
        keep_byte(csv);
    }
}

bool csv_is_formula(const char *text)
{
    return *text && strchr("=+-@\t\r", *text);
}

static bool is_text(const char *text)
{
    size_t n = 1;
    while (*text && n > 0) {
        n = utf8_length((const unsigned char *)text, UTF8_MAX);
        text += n;
    }
    return n > 0;
}

static void end_field(struct csv *csv, size_t start)
{
    add_byte(csv, '\0');
    csv->fields++;
    if (!csv->is_bad && !is_text(csv->all.text + start))
        fault(csv, csv->line, "is not UTF-8 text; convert it, or give another file");
}

/* Reads the fields of one record and its line end. */
static void read_fields(struct csv *csv)
{
    csv->all.size = csv->fields = 0;
    csv->is_bad = false;
    csv->line = csv->here;
    for (;; advance(csv) /* the comma */) {
        size_t start = csv->all.size;
        if (csv->at == '"') {
            advance(csv);
            read_quoted(csv);
        } else {
            read_plain(csv);
        }
        end_field(csv, start);
        if (at_line_end(csv))
            break;
    }
    skip_line_end(csv);
}

/* Skips blank lines; false at the end of input. */
static bool find_record(struct csv *csv)
{
    while (csv->at != EOF && at_line_end(csv))
        skip_line_end(csv);
    if (csv->at == EOF && csv->file && ferror(csv->file))
        errors_add(csv->errors, csv->path, 0, NULL, "cannot be read: %s; check the file", strerror(errno));
    return csv->at != EOF;
}

/* ---- records ---------------------------------------------------------------------------------------------------- */

static void take_header(struct csv *csv)
{
    const char *at = csv->all.text;
    if (csv->is_bad)
        return;
    csv->columns = csv->fields;
    csv->name = xmalloc(csv->columns * sizeof *csv->name);
    csv->cell = xmalloc(csv->columns * sizeof *csv->cell);
    for (size_t i = 0; i < csv->columns; i++, at += strlen(at) + 1)
        csv->name[i] = xstrdup(at + (at[0] == '\'' && csv_is_formula(at + 1)));
}

static void check_header(struct csv *csv)
{
    if (csv->columns > CSV_COLUMNS_MAX) {
        fault(csv, csv->line, "has too many columns for a table of runs; check the file");
        return;
    }
    for (size_t i = 0; i < csv->columns; i++) {
        if (!*csv->name[i])
            errors_add(csv->errors, csv->path, csv->line, NULL, "column %zu has no name; name or remove it",
                       i + 1);
        else if (csv_column(csv, csv->name[i]) != (int)i)
            errors_add(csv->errors, csv->path, csv->line, csv->name[i], "duplicate column; keep one");
    }
}

int csv_open(struct csv *csv, const char *text, size_t size, FILE *file, const char *path, struct errors *errors)
{
    size_t faults = errors->faults;
    size_t mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    *csv = (struct csv){
        .path = path, .text = text + mark, .left = size - mark, .file = file, .here = 1, .errors = errors};
    csv->at = next_byte(csv);
    csv->after = csv->at == EOF ? EOF : next_byte(csv);
    if (!find_record(csv)) {
        errors_add(errors, path, 0, NULL, "is empty; write a line of column names and a line for each run");
        return -1;
    }
    read_fields(csv);
    take_header(csv);
    check_header(csv);
    return errors->faults > faults ? -1 : 0;
}

/* Points the cells at the record's fields, past the apostrophe that protects a formula; missing ones are empty. */
static void set_cells(struct csv *csv)
{
    const char *at = csv->all.text;
    for (size_t i = 0; i < csv->columns; i++) {
        bool is_missing = csv->is_bad || i >= csv->fields;
        csv->cell[i] = is_missing ? "" : at + (at[0] == '\'' && csv_is_formula(at + 1));
        at += is_missing ? 0 : strlen(at) + 1;
    }
}

enum csv_record csv_record(struct csv *csv)
{
    if (!find_record(csv))
        return CSV_END;
    read_fields(csv);
    set_cells(csv);
    if (csv->is_bad)
        return CSV_BAD;
    if (csv->fields == csv->columns)
        return CSV_ROW;
    bool has_more = csv->fields > csv->columns;
    errors_add(csv->errors, csv->path, csv->line, NULL, "has %zu fields where the header has %zu; %s", csv->fields,
               csv->columns, has_more ? "quote fields that hold commas" : "add commas for empty fields");
    return CSV_BAD;
}

bool csv_next(struct csv *csv)
{
    enum csv_record record;
    while ((record = csv_record(csv)) == CSV_BAD)
        ;
    return record == CSV_ROW;
}

int csv_column(const struct csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->columns; i++)
        if (strcmp(csv->name[i], name) == 0)
            return (int)i;
    return -1;
}

void csv_close(struct csv *csv)
{
    for (size_t i = 0; i < csv->columns; i++)
        free(csv->name[i]);
    free(csv->name);
    free(csv->cell);
    buffer_free(&csv->all);
}
