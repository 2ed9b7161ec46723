#include "src/text/csv_in.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "src/text/errors.h"
#include "src/text/text.h"

/* Where reading stands. */
struct reader {
    const char *at, *end;
    const char *name;
    int line;
    bool is_bad; /* the present record has a fault of its own */
    struct errors *errors;
};

/* The fields of one record while it grows. */
struct fields {
    char **item;
    size_t count, capacity;
};

static void fields_add(struct fields *fields, char *text)
{
    if (fields->count == fields->capacity) {
        fields->capacity = fields->capacity ? 2 * fields->capacity : 16;
        fields->item = xrealloc(fields->item, fields->capacity * sizeof *fields->item);
    }
    fields->item[fields->count++] = text;
}

static void fields_free(struct fields *fields)
{
    for (size_t i = 0; i < fields->count; i++)
        free(fields->item[i]);
    free(fields->item);
    *fields = (struct fields){0};
}

static void fault(struct reader *reader, int line, const char *what)
{
    if (!reader->is_bad)
        errors_add(reader->errors, reader->name, line, NULL, "%s", what);
    reader->is_bad = true;
}

static bool at_line_end(const struct reader *reader)
{
    return reader->at == reader->end || *reader->at == '\n' ||
           (*reader->at == '\r' && (reader->at + 1 == reader->end || reader->at[1] == '\n'));
}

static void pass_line_end(struct reader *reader)
{
    reader->at += reader->at < reader->end && *reader->at == '\r';
    reader->at += reader->at < reader->end && *reader->at == '\n';
    reader->line++;
}

/* A quoted field; `at` stands behind the opening quote. */
static char *read_quoted(struct reader *reader)
{
    struct buffer text = {0};
    int first = reader->line;
    buffer_puts(&text, "");
    for (;; reader->at++) {
        if (reader->at == reader->end) {
            fault(reader, first, "has a quote that is not closed; end the field with \"");
            break;
        }
        if (*reader->at == '"' && reader->at + 1 < reader->end && reader->at[1] == '"')
            reader->at++;
        else if (*reader->at == '"') {
            reader->at++;
            break;
        }
        reader->line += *reader->at == '\n';
        buffer_add(&text, reader->at, 1);
    }
    if (!at_line_end(reader) && *reader->at != ',')
        fault(reader, reader->line, "has text behind a quoted field; put the whole field in quotes and double those inside");
    while (!at_line_end(reader) && *reader->at != ',')
        reader->at++;
    return text.text;
}

static char *read_plain(struct reader *reader)
{
    const char *start = reader->at;
    while (!at_line_end(reader) && *reader->at != ',') {
        if (*reader->at == '"')
            fault(reader, reader->line, "has a quote inside a field; put the whole field in quotes and double those inside");
        reader->at++;
    }
    return xstrndup(start, (size_t)(reader->at - start));
}

bool csv_is_formula(const char *text)
{
    return *text && strchr("=+-@\t\r", *text);
}

/* Without the apostrophe that keeps a spreadsheet from running the field. */
static char *without_guard(char *text)
{
    if (text[0] == '\'' && csv_is_formula(text + 1))
        memmove(text, text + 1, strlen(text));
    return text;
}

/* Reads the fields of one record and passes its line end. */
static void read_fields(struct reader *reader, struct fields *fields)
{
    for (;;) {
        bool is_quoted = reader->at < reader->end && *reader->at == '"';
        reader->at += is_quoted;
        fields_add(fields, without_guard(is_quoted ? read_quoted(reader) : read_plain(reader)));
        if (at_line_end(reader))
            break;
        reader->at++; /* the comma */
    }
    pass_line_end(reader);
}

/* Passes over lines without anything in them; false at the end of the text. */
static bool find_record(struct reader *reader)
{
    while (reader->at < reader->end && at_line_end(reader))
        pass_line_end(reader);
    return reader->at < reader->end;
}

static void take_header(struct reader *reader, struct csv *csv, int line)
{
    struct fields fields = {0};
    read_fields(reader, &fields);
    csv->name = fields.item;
    csv->columns = fields.count;
    if (fields.count > CSV_COLUMNS_MAX) {
        fault(reader, line, "has more columns than any table of runs; check what the file is");
        return;
    }
    for (size_t i = 0; i < csv->columns; i++) {
        if (!*csv->name[i])
            errors_add(reader->errors, reader->name, line, NULL, "column %zu has no name; name it or take it out", i + 1);
        else if (csv_column(csv, csv->name[i]) != (int)i)
            errors_add(reader->errors, reader->name, line, csv->name[i], "is a column twice; keep one");
    }
}

static void take_record(struct reader *reader, struct csv *csv, size_t *capacity)
{
    struct fields fields = {0};
    int line = reader->line;
    reader->is_bad = false;
    read_fields(reader, &fields);
    if (!reader->is_bad && fields.count != csv->columns) {
        errors_add(reader->errors, reader->name, line, NULL, "has %zu fields where the header has %zu; %s", fields.count,
                   csv->columns, fields.count > csv->columns ? "quote fields that hold commas" : "add commas for empty fields");
        reader->is_bad = true;
    }
    if (reader->is_bad) {
        fields_free(&fields);
        return;
    }
    if (csv->records == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 64;
        csv->record = xrealloc(csv->record, *capacity * sizeof *csv->record);
    }
    csv->record[csv->records++] = (struct csv_record){fields.item, line};
}

int csv_read(const char *text, size_t size, const char *name, struct csv *out, struct errors *errors)
{
    static const char bom[] = "\xef\xbb\xbf";
    struct reader reader = {text, text + size, name, 1, false, errors};
    size_t faults = errors->faults, capacity = 0;
    if (size >= 3 && memcmp(text, bom, 3) == 0)
        reader.at += 3;
    if (!find_record(&reader)) {
        errors_add(errors, name, 0, NULL, "is empty; write a line of column names and a line for each run");
        return -1;
    }
    take_header(&reader, out, reader.line);
    if (errors->faults > faults)
        return -1;
    while (find_record(&reader))
        take_record(&reader, out, &capacity);
    return errors->faults > faults ? -1 : 0;
}

int csv_column(const struct csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->columns; i++)
        if (strcmp(csv->name[i], name) == 0)
            return (int)i;
    return -1;
}

void csv_free(struct csv *csv)
{
    for (size_t i = 0; i < csv->records; i++) {
        for (size_t j = 0; j < csv->columns; j++)
            free(csv->record[i].cell[j]);
        free(csv->record[i].cell);
    }
    for (size_t j = 0; j < csv->columns; j++)
        free(csv->name[j]);
    free(csv->record);
    free(csv->name);
    *csv = (struct csv){0};
}
