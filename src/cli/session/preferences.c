#include "src/cli/session/preferences.h"

#include "core/base.h"
#include "src/plan/preset.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/keyval.h"
#include "src/text/paths.h"
#include "src/text/shape.h"
#include "src/text/spans.h"
#include "src/text/text.h"
#include "src/text/worker.h"
#include "src/text/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATIENCE_MS = 1000, KEYS_SHOWN = 8 };

static const char keys_group[] = "keys";

/* ---- reading -------------------------------------------------------------------------------------------------- */

static struct shape shape_of_settings(void)
{
    struct shape out = {
        .what = "the settings", .if_other = "see `shardtop list settings`", .group = keys_group,
        .list = "free", .has_lists = true};
    for (int i = 1; i < ACTION_accept; i++)
        out.key[out.count++] = actions[i].name;
    for (const struct setting_row *row = setting_rows; row->name; row++)
        out.beside[out.besides++] = row->name;
    return out;
}

/* Whether a choice names themes that there are; else the fault is said where it stands. */
static bool names_themes(const char *choice, const struct keyval *kv, const char *file, struct errors *errors)
{
    static const enum ground grounds[] = {GROUND_LIGHT, GROUND_DARK};
    for (size_t i = 0; i < LENGTH(grounds); i++) {
        char name[THEME_NAME_MAX];
        theme_chosen(choice, grounds[i], name);
        if (!preset_known(PRESET_THEME, name)) {
            preset_unknown(PRESET_THEME, name, &(struct place){file, kv->line, kv->key}, errors);
            return false;
        }
    }
    return true;
}

static void take(struct settings *out, const struct keyval *kv, const char *file, struct errors *errors)
{
    char why[SETTING_WHY_MAX];
    const struct setting_row *row = setting_named(kv->key);
    struct settings before = *out;
    int result = row ? setting_set(out, row, kv->value, why)
                     : bindings_bind(&out->bindings, kv->key + sizeof keys_group, *kv->value ? kv->value : "none", why);
    if (result != 0)
        errors_add(errors, file, kv->line, kv->key, "%s", why);
    else if (row && row->kind == SETTING_NAME && !names_themes(out->theme, kv, file, errors))
        *out = before;
}

/* No key may mean two things; the line that gave it is at fault. */
static void settle(struct settings *out, const struct keyvals *list, const char *file, struct errors *errors)
{
    char why[BINDINGS_WHY_MAX], key[64];
    for (const char *loser; (loser = bindings_settle(&out->bindings, why));) {
        snprintf(key, sizeof key, "%s.%s", keys_group, loser);
        const struct keyval *kv = keyvals_last(list, key);
        errors_add(errors, file, kv ? kv->line : 0, key, "%s", why);
    }
}

/* True for a file of comments and blank lines: all is as usual. */
static bool is_empty(const char *text, size_t size)
{
    bool is_comment = false;
    for (size_t i = 0; i < size; i++) {
        is_comment = text[i] != '\n' && (is_comment || text[i] == '#');
        if (!is_comment && !strchr(" \r\n", text[i]))
            return false;
    }
    return true;
}

void preferences_read(const char *text, size_t size, const char *file, struct settings *out, struct errors *errors)
{
    struct shape shape = shape_of_settings();
    struct keyvals list = {0};
    settings_default(out);
    if (is_empty(text, size))
        return;
    shape_read(text, size, file, &shape, &list, errors);
    for (size_t i = 0; i < list.count; i++)
        take(out, &list.item[i], file, errors);
    settle(out, &list, file, errors);
    keyvals_free(&list);
}

/* The file's text, its path in fresh memory; both NULL when there is none. */
static char *read_file(char **path, size_t *size, struct errors *errors)
{
    struct stat info;
    *path = paths_config("settings.yaml", NULL);
    return *path && stat(*path, &info) == 0 ? file_read(*path, size, errors) : NULL;
}

void preferences_load(struct settings *out, struct errors *errors)
{
    char *path;
    size_t size;
    char *text = read_file(&path, &size, errors);
    settings_default(out);
    if (text)
        preferences_read(text, size, path, out, errors);
    free(text);
    free(path);
}

/* ---- writing -------------------------------------------------------------------------------------------------- */

static bool is_same(const struct settings *a, const struct settings *b, const struct setting_row *row)
{
    char one[SETTING_TEXT_MAX], other[SETTING_TEXT_MAX];
    setting_print(a, row, one);
    setting_print(b, row, other);
    return strcmp(one, other) == 0;
}

static void put_value(const struct settings *settings, const struct setting_row *row, struct buffer *out)
{
    char value[SETTING_TEXT_MAX];
    setting_print(settings, row, value);
    if (row->kind == SETTING_NAME)
        yaml_scalar(out, value);
    else
        buffer_puts(out, value);
}

/* The text with one setting as it is wanted, in the place of the old value or on a line of its own. */
static void change(struct buffer *text, const struct settings *wanted, const struct setting_row *row)
{
    struct spans spans = {0};
    struct buffer out = {0};
    const struct span *found = NULL;
    if (text->size > 0)
        spans_read(text->text, text->size, &spans);
    for (size_t i = 1; i < spans.count; i++)
        found = strcmp(spans.item[i].path, row->name) == 0 ? &spans.item[i] : found;
    if (found) {
        buffer_add(&out, text->text, found->value);
        buffer_puts(&out, text->text[found->value - 1] == ':' ? " " : "");
        put_value(wanted, row, &out);
        buffer_add(&out, text->text + found->value_end, text->size - found->value_end);
    } else {
        buffer_printf(&out, "%s: ", row->name);
        put_value(wanted, row, &out);
        buffer_puts(&out, "\n");
        buffer_add(&out, text->text ? text->text : "", text->size);
    }
    spans_free(&spans);
    buffer_free(text);
    *text = out;
}

/* The text with all settings as they are wanted; false where it cannot have them. */
static bool edit(struct buffer *text, const struct settings *wanted)
{
    struct settings now;
    struct errors ignored = {0};
    bool is_done = true;
    for (const struct setting_row *row = setting_rows; row->name; row++) {
        settings_default(&now);
        if (text->size > 0)
            preferences_read(text->text, text->size, "", &now, &ignored);
        if (!is_same(&now, wanted, row))
            change(text, wanted, row);
    }
    if (text->size > 0)
        preferences_read(text->text, text->size, "", &now, &ignored);
    for (const struct setting_row *row = setting_rows; row->name; row++)
        is_done &= is_same(&now, wanted, row);
    errors_free(&ignored);
    return is_done;
}

char *preferences_save(const struct settings *settings, struct errors *errors)
{
    struct buffer text = {0};
    char *path;
    size_t size = 0, faults = errors->faults;
    char *old = read_file(&path, &size, errors);
    if (old)
        buffer_add(&text, old, size);
    if (!path)
        errors_add(errors, NULL, 0, NULL, "no home directory for settings; set HOME");
    else if (errors->faults == faults && !edit(&text, settings))
        errors_add(errors, path, 0, NULL, "cannot be changed in place; edit it by hand");
    if (errors->faults == faults && text.size > 0 && paths_make_parents(path, errors) == 0)
        worker_write(path, text.text, text.size, PATIENCE_MS, errors);
    buffer_free(&text);
    free(old);
    if (errors->faults > faults) {
        free(path);
        return NULL;
    }
    return path;
}

/* ---- listing -------------------------------------------------------------------------------------------------- */

void preferences_keys(const struct settings *settings, enum action action, char *out, size_t size)
{
    const struct bindings *bindings = &settings->bindings;
    if (bindings_keys(bindings->at, bindings->count, MODE_BROWSE, action, KEYS_SHOWN, out, size) == 0)
        snprintf(out, size, "none");
}

void preferences_list(const struct settings *settings, struct buffer *out)
{
    char keys[KEYS_SHOWN * KEY_NAME_MAX];
    for (const struct setting_row *row = setting_rows; row->name; row++) {
        buffer_printf(out, "%s: ", row->name);
        put_value(settings, row, out);
        buffer_printf(out, "  # %s%s", row->help, row->choices ? ":" : "");
        for (int i = 0; row->choices && row->choices[i]; i++)
            buffer_printf(out, " %s", row->choices[i]);
        buffer_puts(out, "\n");
    }
    buffer_printf(out,
                  "%s:  # keys with blanks between, or a list; `also F12` or `+ [F12]` adds, `none` takes them away\n",
                  keys_group);
    for (int i = 1; i < ACTION_accept; i++) {
        preferences_keys(settings, (enum action)i, keys, sizeof keys);
        buffer_printf(out, "  %s: ", actions[i].name);
        yaml_scalar(out, keys);
        buffer_printf(out, "  # %s\n", actions[i].help);
    }
}
