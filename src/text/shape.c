#include "src/text/shape.h"

#include "core/plan/nearest.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/node.h"
#include "src/text/text.h"
#include "src/text/yaml.h"

#include <cyaml/cyaml.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_ROOM = 128, LOAD_BYTES_MAX = 16 << 20 };

/* ---- the schema ------------------------------------------------------------------------------------------------- */

/*
 * Every value is a string: libcyaml's own numbers stop at the first letter (`1e3` is 1), so number_parse() reads them
 * later. A loaded file is an array of strings in the order of the keys, then the keys beside the group; NULL for
 * missing keys.
 */
struct schema {
    cyaml_schema_field_t key[SHAPE_KEYS_MAX + 1]; /* terminated by an empty entry */
    cyaml_schema_field_t group[SHAPE_BESIDE_MAX + 2]; /* keys beside the group come first */
    cyaml_schema_value_t root;
};

static cyaml_schema_field_t text_field(const char *key, size_t at)
{
    return (cyaml_schema_field_t){
        .key = key,
        .data_offset = (uint32_t)(at * sizeof(char *)),
        .value = {.type = CYAML_STRING,
                  .flags = CYAML_FLAG_POINTER_NULL_STR | CYAML_FLAG_OPTIONAL,
                  .data_size = sizeof(char),
                  .string = {.min = 0, .max = CYAML_UNLIMITED}}};
}

static void make_schema(const struct shape *shape, struct schema *out)
{
    const uint32_t size = (uint32_t)(shape->count * sizeof(char *));
    *out = (struct schema){0};
    for (size_t i = 0; i < shape->count; i++)
        out->key[i] = text_field(shape->key[i], i);
    for (size_t i = 0; i < shape->besides; i++)
        out->group[i] = text_field(shape->beside[i], shape->count + i);
    out->group[shape->besides] = (cyaml_schema_field_t){
        .key = shape->group,
        .value = {
            .type = CYAML_MAPPING, .flags = CYAML_FLAG_OPTIONAL, .data_size = size, .mapping = {.fields = out->key}}};
    out->root = (cyaml_schema_value_t){.type = CYAML_MAPPING,
                                       .flags = CYAML_FLAG_POINTER,
                                       .data_size = size + (uint32_t)(shape->besides * sizeof(char *)),
                                       .mapping = {.fields = shape->group ? out->group : out->key}};
}

/* Drops a key of the group or beside it from the schema, so libcyaml ignores it. */
static void leave_out(struct schema *schema, const char *path)
{
    const char *dot = strchr(path, '.');
    cyaml_schema_field_t *field = dot || schema->root.mapping.fields == schema->key ? schema->key : schema->group;
    while (field->key && strcmp(field->key, dot ? dot + 1 : path) != 0)
        field++;
    for (; field->key; field++)
        *field = field[1];
}

/* ---- checks: all errors with their lines, as libcyaml stops at the first ---------------------------------------- */

struct check {
    const struct shape *shape;
    const char *file;
    struct errors *errors;
    size_t faults;         /* errors before this file */
    struct keyvals *lines; /* key, "" and line of every valid value, in file order */
    struct keyvals *lists; /* key, joined texts and line of every list */
    struct keyvals *other; /* keys with non-scalar values, which must not stop the others */
};

static void unknown_key(const struct check *check, const struct node *member, const char *path)
{
    const char *group = check->shape->group, *dot = strrchr(path, '.');
    struct nearest nearest = {.typed = dot ? dot + 1 : path}, beside = nearest;
    for (size_t i = 0; i < check->shape->count; i++)
        nearest_offer(&nearest, check->shape->key[i], check->shape->key[i]);
    for (size_t i = 0; i < check->shape->besides; i++)
        nearest_offer(&beside, check->shape->beside[i], check->shape->beside[i]);
    if (beside.count && !dot)
        errors_add(check->errors, check->file, member->key_line, path, "is not a key of %s; did you mean %s?",
                   check->shape->what, beside.name[0]);
    else if (nearest.count)
        errors_add(check->errors, check->file, member->key_line, path, "is not a key of %s; did you mean %s%s%s?",
                   check->shape->what, group ? group : "", group ? "." : "", nearest.name[0]);
    else
        errors_add(check->errors, check->file, member->key_line, path, "is not a key of %s; %s", check->shape->what,
                   check->shape->if_other);
}

static void check_value(const struct check *check, const struct node *node, const cyaml_schema_value_t *schema,
                        const char *path);

static void check_member(const struct check *check, const struct node *mapping, const struct node *member,
                         const cyaml_schema_field_t *field, const char *path)
{
    const struct node *first = mapping->child;
    while (first != member && !(first->key && strcmp(first->key, member->key) == 0))
        first = first->next;
    while (field->key && strcmp(field->key, member->key) != 0)
        field++;
    if (first != member)
        errors_add(check->errors, check->file, member->key_line, path, "is given twice (first on line %d); keep one",
                   first->key_line);
    else if (field->key)
        check_value(check, member, &field->value, path);
    else
        unknown_key(check, member, path);
}

static void check_mapping(const struct check *check, const struct node *mapping, const cyaml_schema_value_t *schema,
                          const char *path)
{
    char below[PATH_ROOM];
    if (mapping->count > SHAPE_KEYS_MAX * 4) {
        errors_add(check->errors, check->file, mapping->line, *path ? path : NULL, "has %zu keys; %s has at most %zu",
                   mapping->count, check->shape->what, check->shape->count);
        return;
    }
    for (const struct node *member = mapping->child; member; member = member->next) {
        if (!member->key) {
            errors_add(check->errors, check->file, member->key_line, *path ? path : NULL,
                       "has a key that is not plain text; write `key: value`");
            continue;
        }
        snprintf(below, sizeof below, "%s%s%s", path, *path ? "." : "", member->key);
        check_member(check, mapping, member, schema->mapping.fields, below);
    }
}

static bool may_be_list(const struct shape *shape, const char *path)
{
    return (shape->list && strcmp(path, shape->list) == 0) || (shape->has_lists && strchr(path, '.'));
}

/* Joins a list of texts with commas or, in the group, blanks. */
static void take_list(const struct check *check, const struct node *list, const char *path)
{
    const char *between = strchr(path, '.') ? " " : ",";
    struct buffer joined = {0};
    bool is_whole = true;
    buffer_puts(&joined, "");
    for (const struct node *item = list->child; item; item = item->next) {
        bool is_text = item->kind == NODE_VALUE && !item->has_nul;
        is_whole &= is_text;
        if (!is_text)
            errors_add(check->errors, check->file, item->line, path,
                       "is not a list of plain values; write one such as [tp, pp]");
        else
            buffer_printf(&joined, "%s%s", item == list->child ? "" : between, item->text);
    }
    if (is_whole) /* else the previous value stays */
        keyvals_add(check->lists, path, joined.text ? joined.text : "", list->key_line);
    buffer_free(&joined);
}

static void check_value(const struct check *check, const struct node *node, const cyaml_schema_value_t *schema,
                        const char *path)
{
    bool is_mapping = schema->type == CYAML_MAPPING;
    bool is_good = is_mapping ? node->kind == NODE_MAPPING : node->kind == NODE_VALUE;
    if (!is_good && *path)
        keyvals_add(check->other, path, "", node->key_line);
    if (is_mapping && node->kind == NODE_MAPPING)
        check_mapping(check, node, schema, path);
    else if (is_mapping)
        errors_add(check->errors, check->file, node->line, *path ? path : NULL,
                   "is not a mapping; write lines of `key: value`");
    else if (node->kind == NODE_LIST && may_be_list(check->shape, path))
        take_list(check, node, path);
    else if (node->kind != NODE_VALUE || node->has_nul)
        errors_add(check->errors, check->file, node->key_line, path, "is not a plain value; write one such as 80");
    else
        keyvals_add(check->lines, path, "", node->key_line);
}

/* ---- loading ---------------------------------------------------------------------------------------------------- */

/* What libcyaml may still allocate, and whether there was less than that. */
struct budget {
    size_t left;
    bool is_out;
};

/* Allocator with a budget, so that a file cannot make libcyaml use more memory than its size warrants. */
static void *allocate(void *context, void *old, size_t size)
{
    struct budget *budget = context;
    if (size == 0) {
        free(old);
        return NULL;
    }
    if (size > budget->left)
        return NULL;
    budget->left -= size;
    void *memory = realloc(old, size);
    budget->is_out |= !memory;
    return memory;
}

/* Appends the texts in the order of `lines`. */
static void take_texts(const struct shape *shape, char *const *texts, const struct keyvals *lines, struct keyvals *out)
{
    size_t skip = shape->group ? strlen(shape->group) + 1 : 0;
    for (size_t i = 0; i < lines->count; i++) {
        const char *key = lines->item[i].key;
        bool is_inside = skip == 0 || strchr(key, '.');
        const char *const *names = is_inside ? shape->key : shape->beside;
        for (size_t k = 0; k < (is_inside ? shape->count : shape->besides); k++) {
            const char *value = texts[k + (is_inside ? 0 : shape->count)];
            if (value && strcmp(names[k], key + (is_inside ? skip : 0)) == 0)
                keyvals_add(out, key, value, lines->item[i].line);
        }
    }
}

/* What libcyaml has loaded. */
struct loaded {
    const cyaml_config_t *config;
    const struct schema *schema;
    cyaml_data_t *texts;
};

static void release(void *context)
{
    const struct loaded *loaded = context;
    if (loaded->texts)
        cyaml_free(loaded->config, &loaded->schema->root, loaded->texts, 0);
}

static void load(const char *text, size_t size, const struct check *check, const struct schema *schema,
                 struct keyvals *out)
{
    struct budget budget = {LOAD_BYTES_MAX, false};
    const cyaml_config_t config = {
        .mem_fn = allocate, .mem_ctx = &budget, .flags = CYAML_CFG_NO_ALIAS | CYAML_CFG_IGNORE_UNKNOWN_KEYS};
    struct loaded loaded = {&config, schema, NULL};
    cyaml_err_t result = cyaml_load_data((const uint8_t *)text, size, &config, &schema->root, &loaded.texts, NULL);
    if (budget.is_out)
        memory_out();
    memory_hold(&loaded, release);
    if (result == CYAML_OK && loaded.texts)
        take_texts(check->shape, (char *const *)loaded.texts, check->lines, out);
    else if (result != CYAML_OK && check->errors->faults == check->faults)
        errors_add(check->errors, check->file, 0, NULL, "cannot be loaded: %s; write it as the shipped files are",
                   cyaml_strerror(result));
    memory_drop(&loaded);
    release(&loaded);
}

/* Parses and checks the file; NULL with errors added. */
static struct node *parse(const char *text, size_t size, const struct check *check)
{
    static const struct node_limits limits = {4000, 2000, "a file of this kind has two levels",
                                              "a file of this kind is a few lines"};
    struct node_parse parse = {.limits = &limits, .file = check->file, .errors = check->errors};
    struct node *next, *root = yaml_parse(text, size, &parse, &next);
    if (next)
        errors_add(check->errors, check->file, next->line, NULL,
                   "has a second document; keep the first, or split the file");
    node_free(next);
    if (parse.alias_line)
        errors_add(check->errors, check->file, parse.alias_line, NULL, "has an alias; write the value out");
    return root;
}

int shape_read(const char *text, size_t size, const char *file, const struct shape *shape, struct keyvals *out,
               struct errors *errors)
{
    struct keyvals lines = {0}, lists = {0}, other = {0};
    struct schema schema;
    const struct check check = {shape, file, errors, errors->faults, &lines, &lists, &other};
    make_schema(shape, &schema);
    struct node *root = parse(text, size, &check);
    bool is_empty = errors->faults == check.faults &&
                    (!root || (root->kind == NODE_VALUE && root->is_bare && !*root->text));
    if (is_empty)
        errors_add(errors, file, 0, NULL, "is empty; write lines of `key: value`");
    else if (root)
        check_value(&check, root, &schema.root, "");
    node_free(root);
    for (size_t i = 0; i < other.count; i++)
        leave_out(&schema, other.item[i].key);
    if (lines.count)
        load(text, size, &check, &schema, out);
    for (size_t i = 0; i < lists.count; i++)
        keyvals_add(out, lists.item[i].key, lists.item[i].value, lists.item[i].line);
    keyvals_free(&lines);
    keyvals_free(&lists);
    keyvals_free(&other);
    return errors->faults > check.faults ? -1 : 0;
}
