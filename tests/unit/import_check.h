/* tests/unit/import_check.h - what the tests of the importers share: an import as text, and its messages. */
#pragma once

#include "tests/check.h"

#include "src/import/import.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/text.h"

/* Everything that an import gave, as text; release with outcome_free(). */
struct outcome {
    int result;
    char *settings; /* `key=value` lines, each key once with its last value, defaults behind `- ` */
    char *unused;   /* keys, separated by blanks */
    char *messages; /* lines */
};

static inline void outcome_free(struct outcome *o)
{
    free(o->settings);
    free(o->unused);
    free(o->messages);
}

static inline void outcome_list(struct buffer *out, const struct keyvals *list, const char *mark)
{
    for (size_t i = 0; i < list->count; i++) {
        bool is_last = true;
        for (size_t k = i + 1; k < list->count; k++)
            is_last = is_last && strcmp(list->item[i].key, list->item[k].key) != 0;
        if (is_last)
            buffer_printf(out, "%s%s=%s\n", mark, list->item[i].key, list->item[i].value);
    }
}

/* Turns an import and its messages into text, checks that the keys are known and the values taken, and frees both. */
static inline struct outcome outcome_of(int result, struct import *import, struct errors *errors)
{
    struct buffer settings = {0}, unused = {0}, messages = {0};
    struct plan plan;
    assert_int_equal(result == 0, !errors_any(errors));
    buffer_puts(&settings, "");
    buffer_puts(&unused, "");
    buffer_puts(&messages, "");
    outcome_list(&settings, &import->settings, "");
    outcome_list(&settings, &import->defaults, "- ");
    for (size_t i = 0; i < import->unused.count; i++)
        buffer_printf(&unused, "%s%s", i ? " " : "", import->unused.item[i].key);
    for (size_t i = 0; i < errors->count; i++)
        buffer_printf(&messages, "%s\n", errors->line[i]);
    plan_clear(&plan);
    if (result == 0)
        assert_that(plan_apply_import(&plan, import, "file", FROM_FILE, errors) == 0, "%s",
                    errors->line[errors->count - 1]);
    import_free(import);
    errors_free(errors);
    return (struct outcome){result, settings.text, unused.text, messages.text};
}

/* A file below tests/inputs. */
static inline char *input_text(const char *name, size_t *size)
{
    char path[256];
    struct errors errors = {0};
    snprintf(path, sizeof path, "tests/inputs/%s", name);
    char *text = file_read(path, size, &errors);
    assert_that(text, "%s", errors.count ? errors.line[0] : path);
    return text;
}
