#include "src/import/foreign_read.h"

#include "core/base.h"
#include "src/import/dialect.h"
#include "src/import/import.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- looking at the file ---------------------------------------------------------------------------------------- */

/* What this file leaves open and an earlier one says stays as it is. */
static bool is_said_before(const struct foreign *im, const char *key, const char *path)
{
    int id = param_find(key);
    return id >= 0 && im->out->base && im->out->base->from[id] >= FROM_FILE && !tree_peek(&im->tree, path);
}

void foreign_set(struct foreign *im, const char *key, const char *value, const char *path)
{
    if (!is_said_before(im, key, path))
        keyvals_add(&im->out->settings, key, value, tree_line(&im->tree, path));
}

void foreign_set_number(struct foreign *im, const char *key, double value, const char *path)
{
    if (!is_said_before(im, key, path))
        keyvals_number(&im->out->settings, key, value, tree_line(&im->tree, path));
}

void foreign_clear_unless(struct foreign *im, const char *key, const char *path)
{
    if (!foreign_is_true(im, path) && keyvals_last(&im->out->settings, key))
        foreign_set(im, key, "0", path);
}

/* The number at a path, `otherwise` where there is none. */
double foreign_number(struct foreign *im, const char *path, double otherwise)
{
    const struct tree_value *value = tree_find(&im->tree, path);
    double n;
    return value && tree_number(&im->tree, value, &n) ? n : otherwise;
}

bool foreign_is_true(struct foreign *im, const char *path)
{
    return tree_is_true(tree_find(&im->tree, path));
}

const char *foreign_text(struct foreign *im, const char *path)
{
    const struct tree_value *value = tree_find(&im->tree, path);
    return value ? value->text : "";
}

/* True when the text at a path is one of several words separated by blanks. */
bool foreign_is_word(struct foreign *im, const char *path, const char *words)
{
    const char *text = foreign_text(im, path);
    size_t n = strlen(text);
    for (const char *p = words; *p && n; p += strcspn(p, " "), p += strspn(p, " "))
        if (strcspn(p, " ") == n && strncasecmp(p, text, n) == 0)
            return true;
    return false;
}

/* ---- recipes by name --------------------------------------------------------------------------------------------- */

/* A version of two digits has a point, which names of hubs write. */
void foreign_recipe(const char *recipe, char out[FOREIGN_RECIPE])
{
    static const char *const ends[] = {"_pretrain", "_finetune", "_sft",  "_peft",
                                       "_config",   "_override", ".yaml", ".yml"};
    const char *slash = strrchr(recipe, '/'), *name = slash ? slash + 1 : recipe;
    size_t n = strlen(name), used = 0;
    for (size_t i = 0; i < LENGTH(ends); i++) {
        const char *at = strstr(name, ends[i]);
        n = at && (size_t)(at - name) < n ? (size_t)(at - name) : n;
    }
    for (size_t i = 0; i < n && used + 2 < FOREIGN_RECIPE; i++) {
        bool is_minor = i >= 2 && isdigit((unsigned char)name[i]) && isdigit((unsigned char)name[i - 1]) &&
                        isalpha((unsigned char)name[i - 2]) && (i + 1 == n || name[i + 1] == '_');
        bool is_point = name[i] == 'p' && i > 0 && isdigit((unsigned char)name[i - 1]) && i + 1 < n &&
                        isdigit((unsigned char)name[i + 1]); /* `1p7b` */
        if (is_minor)
            out[used++] = '.';
        out[used++] = name[i] == '_' ? '-' : is_point ? '.' : name[i];
    }
    out[used] = '\0';
}

void foreign_ask_recipe(struct foreign *im, const char *const (*keys)[2], size_t count)
{
    const char *recipe = foreign_text(im, "recipe");
    for (size_t i = 0; i < count && *recipe; i++)
        if (!keyvals_last(&im->out->settings, keys[i][0]))
            import_ask(im->out, keys[i][0],
                       &(struct asked){recipe, keys[i][1], im->tree.file, 0, "--set KEY=VALUE", false});
}

/* ---- values that are left open ---------------------------------------------------------------------------------- */

/* What `${a.b}` names in the file, or `${.b}` beside the value; NULL for any other text. */
static const struct tree_value *referred(const struct tree *tree, const struct tree_value *from, const char *text)
{
    char path[208];
    size_t n = strlen(text);
    const char *dot = strrchr(from->path, '.');
    bool is_beside = strncmp(text, "${.", 3) == 0 && text[3] != '.';
    if (strncmp(text, "${", 2) != 0 || text[n - 1] != '}' || n - 3 >= sizeof path / 2)
        return NULL;
    int head = !is_beside || !dot ? 0 : dot - from->path < 100 ? (int)(dot - from->path) : 100;
    int skip = is_beside && !dot;
    snprintf(path, sizeof path, "%.*s%.*s", head, from->path, (int)(n - 3) - skip, text + 2 + skip);
    return tree_peek(tree, path);
}

/* `${multiply:4, ${.hidden_size}}` of NeMo in fresh memory; NULL for any other text, and for what is not known. */
static char *product_of(const struct tree *tree, const struct tree_value *from)
{
    static const char head[] = "${multiply:";
    char *end;
    if (strncmp(from->text, head, strlen(head)) != 0)
        return NULL;
    double factor = strtod(from->text + strlen(head), &end);
    end += strspn(end, ", ");
    size_t n = strlen(end);
    char *inner = n > 0 ? xstrndup(end, n - 1) : xstrdup("");
    const struct tree_value *named = *inner ? referred(tree, from, inner) : NULL;
    double value = named ? atof(named->text) : 0;
    free(inner);
    return factor > 0 && value > 0 ? xasprintf("%.15g", factor * value) : NULL;
}

/* Puts what a reference names in its place, and asks for what stays open; -1 is a number that is not given. */
static void settle_open(struct foreign *im, const struct tree_row *row, size_t rows)
{
    for (size_t i = 0; i < im->tree.count; i++) {
        struct tree_value *value = &im->tree.item[i];
        const struct tree_value *named = referred(&im->tree, value, value->text);
        bool is_named = named && named != value && !named->is_null;
        char *text = is_named ? xstrdup(named->text) : product_of(&im->tree, value);
        if (text) {
            free(value->text);
            value->text = text;
        }
        if (strcmp(value->text, "-1") == 0)
            value->is_null = value->is_used = true;
    }
    tree_ask_open(&im->tree, row, rows, true, im->out);
}

/* Keys with dashes are the same as with underscores. */
static void settle_dashes(struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++)
        for (char *p = tree->item[i].path; *p; p++)
            *p = *p == '-' ? '_' : *p;
}

/* ---- what formats share ----------------------------------------------------------------------------------------- */

void foreign_like(struct foreign *im, const char *trainer, const char *framework)
{
    keyvals_add(&im->out->settings, "framework.name", framework, 0);
    keyvals_add(&im->out->settings, "framework.basis", "like", 0);
    errors_note(im->tree.errors, im->tree.file, 0, "framework.basis", "%s is estimated as %s; ranges are wider",
                trainer, framework);
}

void foreign_silent(struct foreign *im, const struct foreign_fixed *silent)
{
    for (; silent->key; silent++) {
        const size_t n = strcspn(silent->value, "?");
        char *value = xstrndup(silent->value, n);
        bool is_said =
            keyvals_last(&im->out->settings, silent->key) || keyvals_last(&im->out->defaults, silent->key);
        if (!is_said && silent->value[n])
            import_ask(im->out, silent->key,
                       &(struct asked){silent->key, value, im->tree.file, 0, "--set KEY=VALUE", false});
        else if (!is_said)
            keyvals_add(&im->out->defaults, silent->key, value, 0);
        free(value);
    }
}

void foreign_pairs(struct foreign *im, const char *pairs, const char *path)
{
    char *copy = xstrdup(pairs), *state = NULL;
    for (char *pair = strtok_r(copy, " ", &state); pair; pair = strtok_r(NULL, " ", &state)) {
        const int n = (int)strcspn(pair, "="), whole = strchr(pair, '.') && strchr(pair, '.') < pair + n;
        char *key = xasprintf("%s%.*s", whole ? "" : "model.", n, pair);
        if (path)
            foreign_set(im, key, pair + n + 1, path);
        else
            foreign_silent(im, (const struct foreign_fixed[]){{key, pair + n + 1}, {NULL, NULL}});
        free(key);
    }
    free(copy);
}

int foreign_read_as(const struct foreign_format *format, const char *names, const char *text, size_t size,
                    const char *name, struct import *out, struct errors *errors)
{
    struct foreign im = {.out = out};
    size_t faults = errors->faults;
    int result = tree_read(text, size, name, tree_format(text, size), TREE_LENIENT, &im.tree, errors);
    tree_override(&im.tree, out->overrides);
    if (result == 0) {
        settle_dashes(&im.tree);
        dialect_rename(&im.tree, names);
        settle_open(&im, format->row, format->rows);
        for (const struct foreign_fixed *it = format->given; it->key; it++)
            keyvals_add(&out->settings, it->key, it->value, 0);
        tree_apply(&im.tree, "", format->row, format->rows, out);
        tree_keep(out, "", format->rule_row, format->rule_rows);
        format->rule(&im);
        foreign_silent(&im, format->silent);
        for (size_t i = 0; i < im.tree.count; i++)
            im.tree.item[i].is_used |= im.tree.item[i].line == IMPORT_LINE_DEFAULT;
        tree_unused(&im.tree, "", NULL, out);
    }
    tree_free(&im.tree);
    return errors->faults > faults ? -1 : 0;
}

int foreign_read(const struct foreign_format *format, const char *text, size_t size, const char *name,
                 struct import *out, struct errors *errors)
{
    return foreign_read_as(format, "", text, size, name, out, errors);
}

const struct foreign_fixed foreign_nothing[] = {{NULL, NULL}};
