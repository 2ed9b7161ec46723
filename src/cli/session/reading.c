#include "src/cli/session/reading.h"

#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/text.h"
#include "src/text/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void reading_given(struct reading *reading, const char *path, const struct import_options *options)
{
    free(reading->given_path);
    reading->given_path = path ? xstrdup(path) : NULL;
    reading->given_options = *options;
    reading_of(reading, path, options);
}

const struct import_options *reading_how(const struct reading *reading, const char *path)
{
    return reading->given_path && path && strcmp(path, reading->given_path) == 0 ? &reading->given_options : NULL;
}

/* Forgets the file. */
static void forget(struct reading *reading)
{
    free(reading->path);
    free(reading->text);
    import_free(&reading->import);
    reading->path = reading->text = NULL;
    reading->is_read = false;
    reading->import = (struct import){0};
}

void reading_of(struct reading *reading, const char *path, const struct import_options *options)
{
    char *copy = path ? xstrdup(path) : NULL;
    forget(reading);
    reading->path = copy;
    reading->options = options ? *options : (struct import_options){0};
}

void reading_free(struct reading *reading)
{
    forget(reading);
    free(reading->given_path);
    *reading = (struct reading){0};
}

static int by_line(const void *one, const void *two)
{
    return ((const struct keyval *)one)->line - ((const struct keyval *)two)->line;
}

/* Reads the file once; false when there is none, or no longer. */
static bool is_there(struct reading *reading)
{
    if (!reading->path || reading->is_read)
        return reading->text != NULL;
    struct errors errors = {0};
    struct plan plan;
    struct plan_reading how = {.options = reading->options, .import = &reading->import};
    size_t size = 0;
    plan_clear(&plan);
    reading->is_read = true;
    reading->text = file_read(reading->path, &size, &errors);
    if (reading->text)
        plan_read(&plan, reading->text, size, reading->path, &how, &errors);
    reading->kind = how.kind;
    if (reading->import.settings.count > 0)
        qsort(reading->import.settings.item, reading->import.settings.count, sizeof *reading->import.settings.item,
              by_line);
    errors_free(&errors);
    return reading->text != NULL;
}

void reading_return_to(struct reading *reading, const char *path)
{
    reading_of(reading, path, reading_how(reading, path));
    if (is_there(reading) && !formats[reading->kind].read)
        reading_of(reading, NULL, NULL); /* a plan of ours */
}

/* "43 settings change neither memory nor time: --lr, --min-lr, ..." */
static void take_unused(const struct reading *reading, void (*take)(void *to, const struct ui_read *line), void *to)
{
    const struct keyvals *unused = &reading->import.unused;
    struct buffer names = {0}, text = {0};
    int count = 0;
    for (size_t i = 0; i < unused->count; i++)
        if (strcmp(unused->item[i].value, IMPORT_NO_EFFECT) == 0)
            buffer_printf(&names, "%s%s", count++ ? ", " : "", unused->item[i].key);
    if (count > 0)
        buffer_printf(&text, "%d setting%s neither memory nor time: %s", count, count > 1 ? "s change" : " changes",
                      names.text);
    if (count > 0)
        take(to, &(struct ui_read){.text = text.text, .key = -1});
    buffer_free(&names);
    buffer_free(&text);
}

void reading_lines(struct reading *reading, void (*take)(void *to, const struct ui_read *line), void *to)
{
    char text[UI_MESSAGE_MAX];
    if (!is_there(reading))
        return;
    snprintf(text, sizeof text, "%s: %s", reading->path, formats[reading->kind].what);
    take(to, &(struct ui_read){.text = text, .key = -1});
    for (size_t i = 0; i < reading->import.settings.count; i++) {
        const struct keyval *it = &reading->import.settings.item[i];
        int key = param_find(it->key);
        if (it->line == 0 || key < 0)
            continue;
        snprintf(text, sizeof text, ":%d  %s %s", it->line, param_rows[key].key, it->value);
        take(to, &(struct ui_read){.text = text, .key = key, .line = it->line});
    }
    take_unused(reading, take, to);
}

int reading_line_of(struct reading *reading, enum param key)
{
    struct keyvals own = {0};
    struct errors errors = {0};
    bool is_plan = is_there(reading) && !formats[reading->kind].read;
    int line = 0;
    if (is_plan)
        tree_settings(reading->text, strlen(reading->text), reading->path,
                      tree_format(reading->text, strlen(reading->text)), &own, &errors);
    const struct keyvals *all = is_plan ? &own : &reading->import.settings;
    for (size_t i = 0; i < all->count; i++)
        line = param_find(all->item[i].key) == (int)key && all->item[i].line > 0 ? all->item[i].line : line;
    keyvals_free(&own);
    errors_free(&errors);
    return line;
}

int reading_line(struct reading *reading, int number, char *out, size_t size)
{
    const char *p = is_there(reading) ? reading->text : NULL;
    for (int i = 1; p && i < number; i++)
        p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL;
    if (!p || !*p || number < 1)
        return -1;
    snprintf(out, size, "%.*s", (int)strcspn(p, "\r\n"), p);
    return 0;
}
