/* Any bytes as a table: no crash, no leak; in one piece or two it is the same; what was read without a fault comes back
 * when it is written and read again. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/report/table.h"
#include "src/text/csv_in.h"
#include "src/text/errors.h"
#include "src/text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_line(struct buffer *out, const char *const *cell, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buffer_puts(out, i ? "," : "");
        if (count == 1 && !*cell[i])
            buffer_puts(out, "\"\""); /* a line with nothing in it is no record */
        else
            csv_field(out, cell[i]);
    }
    buffer_puts(out, "\r\n");
}

static bool next(struct csv *csv, struct buffer *out)
{
    if (!csv_next(csv))
        return false;
    put_line(out, csv->cell, csv->columns);
    return true;
}

/* Writes what is read; false when there was a fault. */
static bool read_all(const char *text, size_t size, FILE *rest, struct buffer *out)
{
    struct csv csv;
    struct errors errors = {0};
    bool is_open = csv_open(&csv, text, size, rest, "fuzz", &errors) == 0;
    if (is_open == errors_any(&errors))
        abort();
    buffer_puts(out, "\xef\xbb\xbf"); /* a first name may begin with another one */
    if (is_open)
        put_line(out, (const char *const *)csv.name, csv.columns);
    while (is_open && next(&csv, out))
        continue;
    bool is_good = !errors_any(&errors);
    csv_close(&csv);
    errors_free(&errors);
    return is_good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buffer out = {0}, again = {0}, parts = {0};
    bool is_good = read_all((const char *)data, size, NULL, &out);
    size_t first = size / 2;
    FILE *rest = size > first ? fmemopen((void *)(uintptr_t)(data + first), size - first, "r") : NULL;
    bool has_mark = size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0;
    if ((first >= 3 || !has_mark) &&
        (read_all((const char *)data, first, rest, &parts) != is_good || strcmp(out.text, parts.text) != 0))
        abort();
    if (rest)
        fclose(rest);
    if (is_good && (!read_all(out.text, out.size, NULL, &again) || strcmp(out.text, again.text) != 0))
        abort();
    buffer_free(&out);
    buffer_free(&again);
    buffer_free(&parts);
    return 0;
}
