/* Any bytes as a table: no crash, no leak; what was read without a fault comes back when it is written and read again. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/report/table.h"
#include "src/text/csv_in.h"
#include "src/text/errors.h"
#include "src/text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_line(struct buffer *out, char *const *cell, size_t count)
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

static void check_equal(char *const *a, char *const *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(a[i], b[i]) != 0)
            abort();
}

static void check_again(const struct csv *csv)
{
    struct buffer out = {0};
    struct csv again = {0};
    struct errors errors = {0};
    buffer_puts(&out, "\xef\xbb\xbf"); /* a first name may begin with another one */
    put_line(&out, csv->name, csv->columns);
    for (size_t i = 0; i < csv->records; i++)
        put_line(&out, csv->record[i].cell, csv->columns);
    if (csv_read(out.text, out.size, "again", &again, &errors) != 0 || again.records != csv->records || again.columns != csv->columns)
        abort();
    check_equal(csv->name, again.name, csv->columns);
    for (size_t i = 0; i < csv->records; i++)
        check_equal(csv->record[i].cell, again.record[i].cell, csv->columns);
    csv_free(&again);
    errors_free(&errors);
    buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = xstrndup((const char *)data, size); /* ends at a NUL, as file_read() refuses them */
    struct csv csv = {0};
    struct errors errors = {0};
    int result = csv_read(text, strlen(text), "fuzz", &csv, &errors);
    if ((result == 0) == errors_any(&errors))
        abort();
    if (result == 0)
        check_again(&csv);
    csv_free(&csv);
    errors_free(&errors);
    free(text);
    return 0;
}
