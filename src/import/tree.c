#include "src/import/tree.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

#include "core/plan/number.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/text.h"

enum {
    DEPTH_MAX = 64,
    EVENTS_MAX = 400000, /* of the whole text */
    VISITS_MAX = 100000, /* nodes walked, so that aliases cannot multiply */
    KEYS_MAX = 4096,     /* in one mapping */
    PATH_MAX_BYTES = 200,
    UNUSED_MAX = 300,
};

/* ---- syntax, depth and size, before a tree is built --------------------------------------------------------------- */

static void syntax_fault(const yaml_parser_t *parser, bool is_json, const char *file, struct errors *errors)
{
    const char *problem = parser->problem ? parser->problem : "unknown problem";
    int line = parser->error == YAML_READER_ERROR ? 0 : (int)parser->problem_mark.line + 1;
    errors_add(errors, file, line, NULL, "is not valid %s (%s); check %s here", is_json ? "JSON" : "YAML", problem,
               is_json ? "commas, quotes and braces" : "indentation, colons and quotes");
}

/* Reads all events; libyaml needs time quadratic in the nesting, so a text that nests too deeply is refused here. */
static int check_shape(const char *text, size_t size, bool is_json, const char *file, struct errors *errors)
{
    yaml_parser_t parser;
    yaml_event_t event;
    if (!yaml_parser_initialize(&parser))
        return -1;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    int depth = 0, events = 0;
    size_t faults = errors->faults;
    for (yaml_event_type_t type = YAML_NO_EVENT; type != YAML_STREAM_END_EVENT && errors->faults == faults;) {
        if (!yaml_parser_parse(&parser, &event)) {
            syntax_fault(&parser, is_json, file, errors);
            break;
        }
        type = event.type;
        depth += type == YAML_MAPPING_START_EVENT || type == YAML_SEQUENCE_START_EVENT;
        depth -= type == YAML_MAPPING_END_EVENT || type == YAML_SEQUENCE_END_EVENT;
        int line = (int)event.start_mark.line + 1;
        yaml_event_delete(&event);
        if (depth > DEPTH_MAX)
            errors_add(errors, file, line, NULL, "is nested more than %d deep; flatten it", DEPTH_MAX);
        else if (++events > EVENTS_MAX)
            errors_add(errors, file, line, NULL, "has more than %d items; give the configuration alone", EVENTS_MAX);
    }
    yaml_parser_delete(&parser);
    return errors->faults > faults ? -1 : 0;
}

/* ---- the tree ------------------------------------------------------------------------------------------------------ */

struct walk {
    yaml_document_t *document;
    struct tree *tree;
    bool is_over;
};

static int line_of(const yaml_node_t *node)
{
    return (int)node->start_mark.line + 1;
}

static bool may_visit(struct walk *walk, const yaml_node_t *node, int depth)
{
    if (walk->is_over)
        return false;
    if (depth <= DEPTH_MAX && ++walk->tree->visits <= VISITS_MAX)
        return true;
    walk->is_over = true;
    if (depth > DEPTH_MAX)
        errors_add(walk->tree->errors, walk->tree->file, line_of(node), NULL,
                   "an alias contains itself; write the value out");
    else
        errors_add(walk->tree->errors, walk->tree->file, line_of(node), NULL,
                   "has more than %d values, aliases written out; give the configuration alone", VISITS_MAX);
    return false;
}

static void add_value(struct tree *tree, const char *path, const char *text, int line, bool is_null)
{
    if (tree->count == tree->capacity) {
        tree->capacity = tree->capacity ? 2 * tree->capacity : 64;
        tree->item = xrealloc(tree->item, tree->capacity * sizeof *tree->item);
    }
    tree->item[tree->count++] = (struct tree_value){xstrdup(path), xstrdup(text), line, is_null, false};
}

static bool is_null(const yaml_node_t *node)
{
    const char *text = (const char *)node->data.scalar.value;
    return node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           (!*text || strcmp(text, "~") == 0 || strcasecmp(text, "null") == 0 || strcmp(text, "None") == 0);
}

static bool is_flat(struct walk *walk, const yaml_node_t *list)
{
    for (yaml_node_item_t *item = list->data.sequence.items.start; item < list->data.sequence.items.top; item++)
        if (yaml_document_get_node(walk->document, *item)->type == YAML_MAPPING_NODE)
            return false;
    return true;
}

/* A list of scalars and lists as text. */
static void list_text(struct walk *walk, const yaml_node_t *list, int depth, struct buffer *text)
{
    buffer_puts(text, "[");
    for (yaml_node_item_t *item = list->data.sequence.items.start; item < list->data.sequence.items.top; item++) {
        const yaml_node_t *node = yaml_document_get_node(walk->document, *item);
        if (!may_visit(walk, node, depth))
            break;
        buffer_puts(text, item > list->data.sequence.items.start ? "," : "");
        if (node->type == YAML_SEQUENCE_NODE)
            list_text(walk, node, depth + 1, text);
        else if (node->type == YAML_SCALAR_NODE)
            buffer_puts(text, (const char *)node->data.scalar.value);
        else
            buffer_puts(text, "{}");
    }
    buffer_puts(text, "]");
}

static void walk_node(struct walk *walk, const yaml_node_t *node, const char *path, int line, int depth);

/* Joins a key to the path and walks its value; keys too long for any path of ours are passed over. */
static void walk_below(struct walk *walk, const yaml_node_t *node, const char *path, const char *key, int line,
                       int depth)
{
    char whole[PATH_MAX_BYTES];
    int n = snprintf(whole, sizeof whole, "%s%s%s", path, *path ? "." : "", key);
    if (n < PATH_MAX_BYTES)
        walk_node(walk, node, whole, line, depth);
}

static void walk_sequence(struct walk *walk, const yaml_node_t *list, const char *path, int line, int depth)
{
    if (is_flat(walk, list)) {
        struct buffer text = {0};
        list_text(walk, list, depth + 1, &text);
        add_value(walk->tree, path, text.text, line, false);
        buffer_free(&text);
        return;
    }
    int index = 0;
    for (yaml_node_item_t *item = list->data.sequence.items.start; item < list->data.sequence.items.top; item++) {
        char number[16];
        const yaml_node_t *node = yaml_document_get_node(walk->document, *item);
        snprintf(number, sizeof number, "%d", index++);
        walk_below(walk, node, path, number, line_of(node), depth + 1);
    }
}

static bool is_same(const yaml_node_t *a, const yaml_node_t *b)
{
    return b->type == YAML_SCALAR_NODE && a->data.scalar.length == b->data.scalar.length &&
           memcmp(a->data.scalar.value, b->data.scalar.value, a->data.scalar.length) == 0;
}

/* The line of a later pair with the same key, which then counts; 0 when there is none. */
static int line_of_later(struct walk *walk, const yaml_node_t *mapping, const yaml_node_pair_t *pair)
{
    const yaml_node_t *key = yaml_document_get_node(walk->document, pair->key);
    for (yaml_node_pair_t *p = mapping->data.mapping.pairs.top - 1; p > pair; p--) {
        const yaml_node_t *other = yaml_document_get_node(walk->document, p->key);
        if (is_same(key, other))
            return line_of(other);
    }
    return 0;
}

static void walk_pair(struct walk *walk, const yaml_node_t *mapping, const yaml_node_pair_t *pair, const char *path,
                      int depth)
{
    const yaml_node_t *key = yaml_document_get_node(walk->document, pair->key);
    struct tree *tree = walk->tree;
    if (key->type != YAML_SCALAR_NODE)
        return; /* no configuration read here has such keys */
    int later = line_of_later(walk, mapping, pair);
    const char *name = (const char *)key->data.scalar.value;
    if (later)
        errors_note(tree->errors, tree->file, line_of(key), name, "is given again on line %d, which counts", later);
    else
        walk_below(walk, yaml_document_get_node(walk->document, pair->value), path, name, line_of(key), depth + 1);
}

static void walk_mapping(struct walk *walk, const yaml_node_t *mapping, const char *path, int depth)
{
    yaml_node_pair_t *first = mapping->data.mapping.pairs.start, *end = mapping->data.mapping.pairs.top;
    if (end - first > KEYS_MAX) {
        errors_add(walk->tree->errors, walk->tree->file, line_of(mapping), *path ? path : NULL,
                   "has %td keys, more than %d; give the configuration alone", end - first, KEYS_MAX);
        walk->is_over = true;
    }
    for (yaml_node_pair_t *pair = first; pair < end && !walk->is_over; pair++)
        walk_pair(walk, mapping, pair, path, depth);
}

static void walk_node(struct walk *walk, const yaml_node_t *node, const char *path, int line, int depth)
{
    if (!may_visit(walk, node, depth))
        return;
    if (node->type == YAML_MAPPING_NODE)
        walk_mapping(walk, node, path, depth);
    else if (node->type == YAML_SEQUENCE_NODE)
        walk_sequence(walk, node, path, line, depth);
    else
        add_value(walk->tree, path, (const char *)node->data.scalar.value, line, is_null(node));
}

/* JSON escapes characters beyond 16 bits as pairs that YAML does not know; no value read here has any. */
static char *without_surrogates(const char *text, size_t size)
{
    char *copy = xmalloc(size + 1);
    memcpy(copy, text, size);
    copy[size] = '\0';
    for (char *p = copy; p + 6 <= copy + size; p++)
        if (p[0] == '\\' && p[1] == 'u' && strchr("dD", p[2]) && p[2] && strchr("89abcdefABCDEF", p[3]) && p[3])
            memcpy(p + 2, "003f", 4);
        else if (p[0] == '\\')
            p++;
    return copy;
}

static void load(const char *text, size_t size, bool is_json, struct tree *out)
{
    yaml_parser_t parser;
    yaml_document_t document;
    if (!yaml_parser_initialize(&parser))
        return;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    if (!yaml_parser_load(&parser, &document)) {
        syntax_fault(&parser, is_json, out->file, out->errors);
        yaml_parser_delete(&parser);
        return;
    }
    struct walk walk = {&document, out, false};
    const yaml_node_t *root = yaml_document_get_root_node(&document);
    if (root && root->type == YAML_MAPPING_NODE)
        walk_node(&walk, root, "", 1, 0);
    else
        errors_add(out->errors, out->file, 0, NULL, "is not a mapping of keys to values; give the whole file");
    yaml_document_delete(&document);
    yaml_parser_delete(&parser);
}

int tree_read(const char *text, size_t size, const char *file, struct tree *out, struct errors *errors)
{
    size_t faults = errors->faults;
    bool is_json = text[strspn(text, " \t\r\n")] == '{';
    char *copy = is_json ? without_surrogates(text, size) : NULL;
    const char *clean = copy ? copy : text;
    *out = (struct tree){.file = file, .errors = errors};
    if (check_shape(clean, size, is_json, file, errors) == 0)
        load(clean, size, is_json, out);
    free(copy);
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

/* ---- looking values up --------------------------------------------------------------------------------------------- */

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

const struct tree_value *tree_find(struct tree *tree, const char *path)
{
    struct tree_value *value = find(tree, path);
    if (value)
        value->is_used = true;
    return value && !value->is_null ? value : NULL;
}

/* True when `path` is `above` or lies below it. */
static bool is_below(const char *path, const char *above, size_t n)
{
    return strncmp(path, above, n) == 0 && (path[n] == '\0' || path[n] == '.');
}

bool tree_has(const struct tree *tree, const char *path)
{
    for (size_t i = 0; i < tree->count; i++)
        if (is_below(tree->item[i].path, path, strlen(path)))
            return true;
    return false;
}

void tree_use(struct tree *tree, const char *path)
{
    for (size_t i = 0; i < tree->count; i++)
        if (is_below(tree->item[i].path, path, strlen(path)))
            tree->item[i].is_used = true;
}

bool tree_number(const struct tree *tree, const struct tree_value *value, double *out)
{
    char why[NUMBER_WHY_MAX];
    bool is_plain = *value->text && strspn(value->text, "+-.0123456789_eE") == strlen(value->text);
    if (is_plain && number_parse(value->text, SUFFIX_PLAIN, NULL, NULL, out, why) == 0)
        return true;
    errors_add(tree->errors, tree->file, value->line, value->path, "\"%s\" is not a number; write one", value->text);
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
    *out = is == 1;
    if (is < 0)
        errors_add(tree->errors, tree->file, value->line, value->path, "\"%s\" is not true or false; write one of them",
                   value->text);
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
        char path[PATH_MAX_BYTES];
        snprintf(path, sizeof path, "%s%.*s", prefix, (int)n, paths);
        const struct tree_value *value = tree_find(tree, path);
        if (value)
            return value;
        paths += n + (paths[n] == '|');
    }
    return NULL;
}

/* ---- what is not used ---------------------------------------------------------------------------------------------- */

/* The number of bytes of the shortest leading part of `path` that has no used value below it. */
static size_t unused_part(const struct tree *tree, const char *path, const size_t *used, size_t count)
{
    size_t n = 0;
    for (;;) {
        n += strcspn(path + n, ".");
        bool is_shared = false;
        for (size_t i = 0; i < count && !is_shared; i++)
            is_shared = is_below(tree->item[used[i]].path, path, n);
        if (!is_shared || !path[n])
            return n;
        n++;
    }
}

void tree_unused(const struct tree *tree, const char *prefix, const char *why, struct keyvals *out)
{
    size_t *used = xmalloc((tree->count + 1) * sizeof *used), count = 0, skip = strlen(prefix);
    for (size_t i = 0; i < tree->count; i++)
        if (tree->item[i].is_used)
            used[count++] = i;
    const char *last = "";
    size_t last_size = 0;
    for (size_t i = 0; i < tree->count && out->count < UNUSED_MAX; i++) {
        const char *path = tree->item[i].path;
        if (tree->item[i].is_used || (last_size && is_below(path, last, last_size)))
            continue;
        last = path;
        last_size = unused_part(tree, path, used, count);
        char *name = xstrndup(path, last_size);
        keyvals_add(out, strncmp(name, prefix, skip) == 0 ? name + skip : name, why, tree->item[i].line);
        free(name);
    }
    free(used);
}

/* ---- tables -------------------------------------------------------------------------------------------------------- */

void keyvals_number(struct keyvals *list, const char *key, double value, int line)
{
    char text[40];
    number_print(value, text, sizeof text);
    keyvals_add(list, key, text, line);
}

static void apply_choice(const struct tree *tree, const struct tree_row *row, const struct tree_value *value,
                         struct keyvals *out)
{
    for (const struct tree_choice *choice = row->choices; choice->from; choice++)
        if (strcasecmp(choice->from, value->text) == 0) {
            keyvals_add(out, row->key, choice->to, value->line);
            return;
        }
    errors_note(tree->errors, tree->file, value->line, value->path, "%s has no counterpart here; give %s with --set",
                value->text, row->key);
}

static void apply_number(const struct tree *tree, const struct tree_row *row, const struct tree_value *value,
                         struct keyvals *out)
{
    double number;
    if (!tree_number(tree, value, &number))
        return;
    if (number < 0 || (row->kind == TREE_WHOLE && number != floor(number)))
        errors_add(tree->errors, tree->file, value->line, value->path, "%s is not a %snumber from 0 on; write one",
                   value->text, row->kind == TREE_WHOLE ? "whole " : "");
    else
        keyvals_number(out, row->key, number, value->line);
}

void tree_apply(struct tree *tree, const char *prefix, const struct tree_row *rows, size_t count, struct keyvals *out)
{
    for (const struct tree_row *row = rows; row < rows + count; row++) {
        const struct tree_value *value = tree_first(tree, prefix, row->path);
        bool is = false;
        if (!value)
            continue;
        if (row->kind == TREE_CHOICE)
            apply_choice(tree, row, value, out);
        else if (row->kind != TREE_BOOL)
            apply_number(tree, row, value, out);
        else if (tree_bool(tree, value, &is))
            keyvals_add(out, row->key, is ? "true" : "false", value->line);
    }
}

/* True when `"key"` and a colon stand somewhere in the text. */
static bool has_quoted_key(const char *text, size_t size, const char *key)
{
    const char *end = text + size, *at = text;
    size_t n = strlen(key);
    while ((at = memmem(at, (size_t)(end - at), key, n))) {
        bool is_open = at > text && at[-1] == '"';
        at += n;
        if (!is_open || at >= end || *at != '"')
            continue;
        do
            at++;
        while (at < end && strchr(" \t\r\n", *at) && *at);
        if (at < end && *at == ':')
            return true;
    }
    return false;
}

bool json_has_key(const char *text, size_t size, const char *const keys[])
{
    size_t start = 0;
    while (start < size && text[start] && strchr(" \t\r\n", text[start]))
        start++;
    if (start >= size || text[start] != '{')
        return false;
    for (size_t i = 0; keys[i]; i++)
        if (has_quoted_key(text, size, keys[i]))
            return true;
    return false;
}
