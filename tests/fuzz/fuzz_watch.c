/* Any bytes as a growing log beside a plan: no crash, one line and one JSON object at any time. */
#include "src/runs/watch.h"
#include "src/text/json_out.h"
#include "src/text/text.h"
#include "tests/fuzz/plans.h"
#include "tests/json.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 8, LOOKS = 3 };

static void look(const struct watch *watch)
{
    struct watch_view view;
    struct buffer line = {0}, object = {0}, row = {0};
    struct json json = {.out = &object};
    watch_look(watch, &view);
    watch_line(&line, &view);
    watch_json(&json, &view);
    for (int i = 0; i < view.rows; i++)
        watch_row_text(&row, &view.row[i]);
    if (view.rows > WATCH_ROWS_MAX || !line.text || strlen(view.cause) >= WATCH_CAUSE_MAX ||
        !json_is_valid(object.text, object.size))
        abort();
    for (const char *p = line.text; *p; p++)
        if ((unsigned char)*p < 0x20 && *p != '\n')
            abort();
    buffer_free(&line);
    buffer_free(&object);
    buffer_free(&row);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD)
        return 0;
    struct plan plan = *base_plan(data[0]);
    change_all(&plan, data + 2, HEAD - 2);
    struct watch *watch = watch_open(&plan);
    const char *log = (const char *)data + HEAD;
    size_t left = size - HEAD, piece = 1 + left / (1 + data[1] % LOOKS);
    for (size_t at = 0; at < left; at += piece) {
        watch_feed(watch, log + at, piece < left - at ? piece : left - at);
        look(watch);
        if (data[1] & 128)
            watch_restart(watch);
    }
    look(watch);
    watch_close(watch);
    return 0;
}
