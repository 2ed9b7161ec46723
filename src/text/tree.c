#include "src/text/tree.h"

#include "core/base.h"
#include "core/plan/number.h"
#include "src/text/errors.h"
#include "src/text/json.h"
#include "src/text/keyval.h"
#include "src/text/node.h"
#include "src/text/text.h"
#include "src/text/toml.h"
#include "src/text/yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- policies --------------------------------------------------------------------------------------------------- */

struct rules {
    struct node_limits limits;
    size_t keys; /* in one mapping */
    int path;    /* bytes of a path */
};

static const struct rules rules_of[] = {
    [TREE_STRICT] = {{40000, 20000, "a plan has two levels", "a plan is a few lines"}, 1024, 160},
    [TREE_LENIENT] = {{400000, 100000, "flatten it", "give the configuration alone"}, 4096, 199},
};

enum { PATH_ROOM = 208 };

struct walk {
    const struct rules *rules;
    bool is_strict;
    struct tree *tree;
};

static void fault(const struct walk *walk, int line, const char *path, const char *what)
{
    errors_add(walk->tree->errors, walk->tree->file, line, path && *path ? path : NULL, "%s", what);
}

static bool is_null(const struct walk *walk, const struct node *value)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    if (!value->is_bare)
        return false;
    for (size_t i = 0; i < LENGTH(words); i++)
        if (strcmp(value->text, words[i]) == 0)
            return true;
    return !walk->is_strict && (strcasecmp(value->text, "null") == 0 || strcmp(value->text, "None") == 0);
}

/* ---- nodes as values by path ------------------------------------------------------------------------------------ */

static void add_value(struct tree *tree, const char *path, const char *text, int line, bool is_null)
{
    if (tree->count == tree->capacity) {
        tree->capacity = tree->capacity ? 2 * tree->capacity : 64;
        tree->item = xrealloc(tree->item, tree->capacity * sizeof *tree->item);
    }
    tree->item[tree->count++] =
        (struct tree_value){.path = xstrdup(path), .text = xstrdup(text), .line = line, .is_null = is_null};
}

/* Appends a list; false when a strict one holds something other than values. */
static bool list_text(const struct walk *walk, const struct node *list, const char *path, struct buffer *text)
{
    bool is_good = true;
    buffer_puts(text, "[");
    for (const struct node *item = list->child; item && is_good; item = item->next) {
        buffer_puts(text, item == list->child ? "" : ",");
        if (item->kind == NODE_LIST)
            is_good = list_text(walk, item, path, text);
        else if (item->kind == NODE_VALUE)
            buffer_puts(text, walk->is_strict && is_null(walk, item) ? "" : item->text);
        else
            buffer_puts(text, "{}");
        if (walk->is_strict && (item->kind == NODE_MAPPING || item->has_nul)) {
            fault(walk, item->line, path,
                  "is a list with something other than values in it; write plain values such as [1, 2]");
            is_good = false;
        }
    }
    buffer_puts(text, "]");
    return is_good;
}

static void walk_node(const struct walk *walk, const struct node *node, const char *path, int line);

/* The members of a list that holds mappings, numbered. */
static void walk_items(const struct walk *walk, const struct node *list, const char *path)
{
    char below[PATH_ROOM];
    int index = 0;
    for (const struct node *item = list->child; item; item = item->next)
        if (snprintf(below, sizeof below, "%s.%d", path, index++) <= walk->rules->path)
            walk_node(walk, item, below, item->line);
}

static void walk_list(const struct walk *walk, const struct node *list, const char *path, int line)
{
    bool has_mapping = false;
    for (const struct node *item = list->child; item; item = item->next)
        has_mapping |= item->kind == NODE_MAPPING;
    if (has_mapping && !walk->is_strict) {
        walk_items(walk, list, path);
        return;
    }
    struct buffer text = {0};
    if (list_text(walk, list, path, &text))
        add_value(walk->tree, path, text.text, line, false);
    buffer_free(&text);
}

/* A member with the same key: before `member` when strict, behind it when not; NULL when there is none. */
static const struct node *find_twin(const struct walk *walk, const struct node *mapping, const struct node *member)
{
    const struct node *from = walk->is_strict ? mapping->child : member->next, *to = walk->is_strict ? member : NULL;
    for (const struct node *other = from; other != to; other = other->next)
        if (other->key && strcmp(other->key, member->key) == 0)
            return other;
    return NULL;
}

/* Says what is wrong with a member's key in a plan; false when its value must not be read. */
static bool check_key(const struct walk *walk, const struct node *member, const struct node *twin, const char *path,
                      int size)
{
    struct tree *tree = walk->tree;
    if (twin && walk->is_strict)
        errors_add(tree->errors, tree->file, member->key_line, path, "is given twice (first on line %d); keep one",
                   twin->key_line);
    else if (twin)
        errors_note(tree->errors, tree->file, member->key_line, member->key,
                    "is given again on line %d; the last one counts", twin->key_line);
    else if (size > walk->rules->path && walk->is_strict)
        fault(walk, member->key_line, path, "is longer than any key; check indentation and braces");
    return !twin && size <= walk->rules->path;
}

static void walk_mapping(const struct walk *walk, const struct node *mapping, const char *path)
{
    char below[PATH_ROOM];
    if (mapping->count > walk->rules->keys) {
        errors_add(walk->tree->errors, walk->tree->file, mapping->line, *path ? path : NULL,
                   "has %zu keys, more than %zu; %s", mapping->count, walk->rules->keys, walk->rules->limits.if_many);
        return;
    }
    for (const struct node *member = mapping->child; member; member = member->next) {
        if (!member->key) {
            if (walk->is_strict)
                fault(walk, member->key_line, path, "has a key that is not plain text; write `key: value`");
            continue;
        }
        int size = snprintf(below, sizeof below, "%s%s%s", path, *path ? "." : "", member->key);
        below[walk->rules->path + 1] = '\0';
        if (check_key(walk, member, find_twin(walk, mapping, member), below, size))
            walk_node(walk, member, below, member->key_line);
    }
}

static void walk_node(const struct walk *walk, const struct node *node, const char *path, int line)
{
    bool is_blank = node->kind == NODE_VALUE && is_null(walk, node);
    if (node->kind == NODE_MAPPING && walk->is_strict && !node->child)
        add_value(walk->tree, path, "{}", line, false);
    else if (node->kind == NODE_MAPPING)
        walk_mapping(walk, node, path);
    else if (node->kind == NODE_LIST)
        walk_list(walk, node, path, line);
    else if (walk->is_strict && node->has_nul)
        fault(walk, line, path, "contains a NUL character; remove it");
    else if (walk->is_strict && node->is_huge)
        fault(walk, line, path, "number too large");
    else
        add_value(walk->tree, path, walk->is_strict && is_blank ? "" : node->text, line, is_blank);
}

void tree_override(struct tree *tree, const struct keyvals *values)
{
    for (size_t i = 0; values && i < values->count; i++) {
        const struct keyval *it = &values->item[i];
        bool is_blank = strcasecmp(it->value, "null") == 0 || strcmp(it->value, "None") == 0;
        size_t at = 0;
        while (at < tree->count && strcmp(tree->item[at].path, it->key) != 0)
            at++;
        if (at == tree->count) {
            add_value(tree, it->key, it->value, it->line, is_blank);
            continue;
        }
        struct tree_value *old = &tree->item[at];
        free(old->text);
        *old = (struct tree_value){old->path, xstrdup(it->value), it->line, is_blank, old->is_used, false};
    }
}

/* ---- texts ------------------------------------------------------------------------------------------------------ */

static void walk_root(const struct walk *walk, const struct node *root, enum tree_format format)
{
    if (root && root->kind == NODE_MAPPING)
        walk_mapping(walk, root, "");
    else if (!walk->is_strict)
        fault(walk, 0, NULL, "is not a mapping of keys to values; give the whole file");
    else if (format == TREE_JSON)
        fault(walk, 1, NULL, "is not an object; write {\"key\": value}");
    else if (!root || (root->kind == NODE_VALUE && is_null(walk, root)))
        fault(walk, 0, NULL, "is empty; write lines of `key: value`");
    else
        fault(walk, root->line, NULL, "is not a mapping; write lines of `key: value`");
}

/* The nodes of a text; NULL with a fault, and for one without any. */
static struct node *parse_text(const char *text, size_t size, enum tree_format format, const struct walk *walk)
{
    struct node_parse parse = {.limits = &walk->rules->limits, .file = walk->tree->file, .errors = walk->tree->errors};
    struct node *root, *next = NULL;
    if (format == TREE_YAML) {
        root = yaml_parse(text, size, &parse, walk->is_strict ? &next : NULL);
    } else if (format == TREE_TOML) {
        root = toml_parse(text, &parse);
    } else if (walk->is_strict) {
        root = json_parse(text, size, &parse);
    } else {
        char *clean = json_clean(text, size);
        root = json_parse(clean, strlen(clean), &parse);
        free(clean);
    }
    if (next)
        fault(walk, next->line, NULL, "has a second document; keep the first, or split the file");
    node_free(next);
    return root;
}

/* True when a text can be read in this format, whatever it holds. */
static bool can_read(const char *text, size_t size, enum tree_format format)
{
    struct errors errors = {0};
    struct tree tree = {.errors = &errors};
    const struct walk walk = {&rules_of[TREE_LENIENT], false, &tree};
    struct node *root = parse_text(text, size, format, &walk);
    node_free(root);
    errors_free(&errors);
    return root != NULL;
}

enum tree_format tree_format(const char *text, size_t size)
{
    static const char bom[] = "\xef\xbb\xbf";
    size_t skip = strncmp(text, bom, strlen(bom)) == 0 ? strlen(bom) : 0;
    skip += strspn(text + skip, " \t\r\n");
    if (toml_recognise(text + skip))
        return TREE_TOML;
    if (text[skip] != '{' && text[skip] != '[')
        return TREE_YAML;
    bool is_json = can_read(text, size, TREE_JSON) || !can_read(text, size, TREE_YAML);
    return is_json ? TREE_JSON : TREE_YAML;
}

int tree_read(const char *text, size_t size, const char *file, enum tree_format format, enum tree_policy policy,
              struct tree *out, struct errors *errors)
{
    size_t faults = errors->faults;
    *out = (struct tree){.file = file, .errors = errors};
    const struct walk walk = {&rules_of[policy], policy == TREE_STRICT, out};
    struct node *root = parse_text(text, size, format, &walk);
    if (root || errors->faults == faults)
        walk_root(&walk, root, format);
    node_free(root);
    return errors->faults > faults ? -1 : 0;
}

/* Moves the values of a tree to `out`. */
static void move_values(struct tree *tree, struct keyvals *out)
{
    for (size_t i = 0; i < tree->count; i++)
        keyvals_add(out, tree->item[i].path, tree->item[i].text, tree->item[i].line);
    tree_free(tree);
}

int tree_settings(const char *text, size_t size, const char *file, enum tree_format format, struct keyvals *out,
                  struct errors *errors)
{
    struct tree tree;
    int result = tree_read(text, size, file, format, TREE_STRICT, &tree, errors);
    move_values(&tree, out);
    return result;
}

int tree_node_settings(const struct node *root, const char *file, struct keyvals *out, struct errors *errors)
{
    size_t faults = errors->faults;
    struct tree tree = {.file = file, .errors = errors};
    walk_root(&(struct walk){&rules_of[TREE_STRICT], true, &tree}, root, TREE_JSON);
    move_values(&tree, out);
    return errors->faults > faults ? -1 : 0;
}

void tree_free(struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        free(tree->item[i].path);
        free(tree->item[i].text);
    }
    free(tree->item);
    *tree = (struct tree){0};
}

/* ---- looking values up ------------------------------------------------------------------------------------------ */

static struct tree_value *find(const struct tree *tree, const char *path)
{
    for (size_t i = 0; i < tree->count; i++)
        if (strcmp(tree->item[i].path, path) == 0)
            return &tree->item[i];
    return NULL;
}

const struct tree_value *tree_peek(const struct tree *tree, const char *path)
{
    return find(tree, path);
}

int tree_line(const struct tree *tree, const char *path)
{
    const struct tree_value *value = tree_peek(tree, path);
    return value ? value->line : 0;
}

void tree_note(const struct tree *tree, const char *path, const char *text)
{
    errors_note(tree->errors, tree->file, tree_line(tree, path), path, "%s", text);
}

void tree_warn(const struct tree *tree, const char *path, const char *text)
{
    errors_warn(tree->errors, tree->file, tree_line(tree, path), path, "%s", text);
}

const struct tree_value *tree_find(struct tree *tree, const char *path)
{
    struct tree_value *value = find(tree, path);
    if (value)
        value->is_used = true;
    return value && !value->is_null ? value : NULL;
}

bool tree_is_below(const char *path, const char *above, size_t n)
{
    return strncmp(path, above, n) == 0 && (path[n] == '\0' || path[n] == '.');
}

bool tree_has(const struct tree *tree, const char *path)
{
    for (size_t i = 0; i < tree->count; i++)
        if (tree_is_below(tree->item[i].path, path, strlen(path)))
            return true;
    return false;
}

void tree_use(struct tree *tree, const char *path)
{
    for (size_t i = 0; i < tree->count; i++)
        if (tree_is_below(tree->item[i].path, path, strlen(path)))
            tree->item[i].is_used = true;
}

void tree_refuse(const struct tree *tree, const struct tree_value *value, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *why = xvasprintf(format, args);
    va_end(args);
    bool is_own = value >= tree->item && value < tree->item + tree->count;
    if (!value->is_bad)
        errors_warn(tree->errors, tree->file, value->line, value->path, "%s; ignored", why);
    if (is_own)
        tree->item[value - tree->item].is_bad = true;
    free(why);
}

bool tree_number(const struct tree *tree, const struct tree_value *value, double *out)
{
    char why[NUMBER_WHY_MAX];
    bool is_plain = *value->text && strspn(value->text, "+-.0123456789_eE") == strlen(value->text);
    if (is_plain && number_parse(value->text, SUFFIX_PLAIN, NULL, NULL, out, why) == 0)
        return true;
    tree_refuse(tree, value, "\"%s\" is not a number", value->text);
    return false;
}

/* 1 for true, 0 for false, -1 for neither, as Python's YAML readers take words. */
static int truth(const char *text)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
    for (int i = 0; i < 8; i++)
        if (strcasecmp(text, words[i]) == 0)
            return i % 2;
    return -1;
}

bool tree_bool(const struct tree *tree, const struct tree_value *value, bool *out)
{
    int is = truth(value->text);
    if (is >= 0)
        *out = is == 1;
    else
        tree_refuse(tree, value, "\"%s\" is not true or false", value->text);
    return is >= 0;
}

bool tree_is_true(const struct tree_value *value)
{
    return value && !value->is_null && truth(value->text) == 1;
}

const struct tree_value *tree_first(struct tree *tree, const char *prefix, const char *paths)
{
    while (*paths) {
        size_t n = strcspn(paths, "|");
        char path[PATH_ROOM];
        snprintf(path, sizeof path, "%s%.*s", prefix, (int)n, paths);
        const struct tree_value *value = tree_find(tree, path);
        if (value)
            return value;
        paths += n + (paths[n] == '|');
    }
    return NULL;
}
