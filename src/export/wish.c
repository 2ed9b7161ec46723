#include "src/export/wish.h"

#include "src/export/common.h"
#include "src/export/export.h"
#include "src/import/megatron.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "src/text/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* `--flag value` for each flag of a command over several lines. */
static void read_flags(const char *text, struct keyvals *out)
{
    for (const char *at = text; (at = strstr(at, " --")); ) {
        at++;
        size_t line = strcspn(at, "\n"), name = strcspn(at, " \n");
        const char *next = strstr(at + name, " --");
        size_t end = next && (size_t)(next - at) < line ? (size_t)(next - at) : line;
        while (end > name && strchr(" \\", at[end - 1]))
            end--;
        char *flag = xstrndup(at, name);
        int arity = 0;
        if (megatron_flag_known(flag, &arity) && arity == 1 && end > name) /* behind it may stand the program */
            end = name + 1 + strcspn(at + name + 1, " \\\n");
        char *value = end > name ? xstrndup(at + name + 1, end - name - 1) : xstrdup("");
        keyvals_add(out, flag, value, 0);
        free(flag);
        free(value);
        at += end;
    }
}

static void read_paths(const struct buffer *text, struct keyvals *out)
{
    struct errors errors = {0};
    struct tree tree = {0};
    if (tree_read(text->text, text->size, "", tree_format(text->text, text->size), TREE_LENIENT, &tree, &errors) == 0)
        for (size_t i = 0; i < tree.count; i++)
            keyvals_add(out, tree.item[i].path, tree.item[i].text, 0);
    tree_free(&tree);
    errors_free(&errors);
}

/* Writes a plan as `name`, which is a format; false while a key that it needs is blank. */
static bool write_export(const char *name, const struct plan *resolved, struct buffer *out)
{
    const struct export_format *format = export_find(name);
    for (const enum param *key = format->needs; *key != PARAM_COUNT; key++)
        if (isnan(resolved->value[*key]))
            return false;
    format->write(out, resolved);
    return true;
}

static bool read_format(const char *format, const struct plan *resolved, struct keyvals *out)
{
    struct buffer text = {0};
    bool is_written = write_export(format, resolved, &text);
    if (is_written && (strcmp(format, "megatron") == 0 || export_find(format)->is_server))
        read_flags(text.text, out);
    else if (is_written)
        read_paths(&text, out);
    buffer_free(&text);
    return is_written;
}

/* What `all` has and `other` has not, or has with another value. */
static void list_others(const struct keyvals *all, const struct keyvals *other, bool by_value, struct keyvals *out)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct keyval *it = &all->item[i], *twin = keyvals_last(other, it->key);
        if (!twin || (by_value && strcmp(twin->value, it->value) != 0))
            keyvals_add(out, it->key, it->value, 0);
    }
}

void wishes_of(const char *format, const struct plan *before, const struct plan *after, struct keyvals *out,
               struct keyvals *gone)
{
    struct keyvals old = {0}, new = {0};
    if (read_format(format, before, &old) && read_format(format, after, &new)) {
        list_others(&new, &old, true, out);
        list_others(&old, &new, false, gone);
    }
    keyvals_free(&old);
    keyvals_free(&new);
}
