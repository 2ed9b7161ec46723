#include "src/text/yaml.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/text.h"

enum {
    DEPTH_MAX = 64,
    EVENTS_MAX = 40000,  /* of the whole text */
    VISITS_MAX = 20000,  /* nodes walked, so that aliases cannot multiply */
    KEYS_MAX = 1024,     /* in one mapping */
    KEY_MAX = 160,       /* bytes of a dotted key */
};

struct walk {
    yaml_document_t *document;
    const char *name;
    struct keyvals *out;
    struct errors *errors;
    int visits;
    int is_over; /* depth or budget exceeded: said once */
};

static int line_of(const yaml_node_t *node)
{
    return (int)node->start_mark.line + 1;
}

/* ---- syntax, depth and size, before a tree is built --------------------------------------------------------------- */

static void syntax_fault(const yaml_parser_t *parser, const char *name, struct errors *errors)
{
    const char *problem = parser->problem ? parser->problem : "unknown problem";
    int line = (int)parser->problem_mark.line + 1;
    if (parser->error == YAML_READER_ERROR)
        errors_add(errors, name, 0, NULL, "has a character that YAML does not allow (%s at byte %zu); remove it", problem,
                   parser->problem_offset);
    else
        errors_add(errors, name, line, NULL, "is not valid YAML (%s%s%s); check indentation, colons and quotes", problem,
                   parser->context ? " " : "", parser->context ? parser->context : "");
}

/* Reads all events; libyaml needs time quadratic in the nesting, so a text that nests too deeply is refused here. */
static int check_shape(const char *text, size_t size, const char *name, struct errors *errors)
{
    yaml_parser_t parser;
    yaml_event_t event;
    if (!yaml_parser_initialize(&parser))
        return -1;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    int depth = 0, events = 0, result = 0;
    for (yaml_event_type_t type = YAML_NO_EVENT; result == 0 && type != YAML_STREAM_END_EVENT;) {
        if (!yaml_parser_parse(&parser, &event)) {
            syntax_fault(&parser, name, errors);
            result = -1;
            break;
        }
        type = event.type;
        depth += type == YAML_MAPPING_START_EVENT || type == YAML_SEQUENCE_START_EVENT;
        depth -= type == YAML_MAPPING_END_EVENT || type == YAML_SEQUENCE_END_EVENT;
        int line = (int)event.start_mark.line + 1;
        yaml_event_delete(&event);
        if (depth > DEPTH_MAX) {
            errors_add(errors, name, line, NULL, "is nested more than %d deep; a plan has two levels", DEPTH_MAX);
            result = -1;
        } else if (++events > EVENTS_MAX) {
            errors_add(errors, name, line, NULL, "has more than %d items; a plan is a few lines", EVENTS_MAX);
            result = -1;
        }
    }
    yaml_parser_delete(&parser);
    return result;
}

/* ---- the tree as settings ------------------------------------------------------------------------------------------ */

/* Counts a visit; false once the budget is used up. */
static bool may_visit(struct walk *walk, const yaml_node_t *node, int depth)
{
    if (walk->is_over)
        return false;
    if (depth <= DEPTH_MAX && ++walk->visits <= VISITS_MAX)
        return true;
    walk->is_over = 1;
    errors_add(walk->errors, walk->name, line_of(node), NULL,
               depth > DEPTH_MAX ? "an alias contains itself; write the value out"
                                 : "aliases multiply into too many values; write the values out");
    return false;
}

/* The text of a scalar; `null`, `~` and nothing, unquoted, are "". */
static const char *scalar_text(const yaml_node_t *node)
{
    const char *text = (const char *)node->data.scalar.value;
    bool is_null = node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
                   (strcmp(text, "~") == 0 || strcmp(text, "null") == 0 || strcmp(text, "Null") == 0 ||
                    strcmp(text, "NULL") == 0);
    return is_null ? "" : text;
}

static bool has_nul(const yaml_node_t *node)
{
    return strlen((const char *)node->data.scalar.value) != node->data.scalar.length;
}

static void list_text(struct walk *walk, const yaml_node_t *list, const char *key, int depth, struct buffer *text)
{
    buffer_puts(text, "[");
    for (yaml_node_item_t *item = list->data.sequence.items.start; item < list->data.sequence.items.top; item++) {
        yaml_node_t *node = yaml_document_get_node(walk->document, *item);
        if (!may_visit(walk, node, depth))
            return;
        if (item > list->data.sequence.items.start)
            buffer_puts(text, ",");
        if (node->type == YAML_SEQUENCE_NODE)
            list_text(walk, node, key, depth + 1, text);
        else if (node->type == YAML_SCALAR_NODE && !has_nul(node))
            buffer_puts(text, scalar_text(node));
        else
            errors_add(walk->errors, walk->name, line_of(node), key,
                       "is a list with something other than values in it; write plain values such as [1, 2]");
    }
    buffer_puts(text, "]");
}

static void walk_mapping(struct walk *walk, const yaml_node_t *mapping, const char *prefix, int depth);

static void walk_value(struct walk *walk, const yaml_node_t *node, const char *key, int line, int depth)
{
    struct buffer text = {0};
    size_t faults = walk->errors->faults;
    if (!may_visit(walk, node, depth))
        return;
    switch (node->type) {
    case YAML_MAPPING_NODE:
        walk_mapping(walk, node, key, depth + 1);
        break;
    case YAML_SEQUENCE_NODE:
        list_text(walk, node, key, depth + 1, &text);
        if (text.text && walk->errors->faults == faults)
            keyvals_add(walk->out, key, text.text, line);
        break;
    default:
        if (has_nul(node))
            errors_add(walk->errors, walk->name, line, key, "has a NUL character in it; remove it");
        else
            keyvals_add(walk->out, key, scalar_text(node), line);
    }
    buffer_free(&text);
}

/* The line of the first pair before `pair` with the same key; 0 when there is none. */
static int line_of_same_key(struct walk *walk, const yaml_node_t *mapping, const yaml_node_pair_t *pair)
{
    const yaml_node_t *key = yaml_document_get_node(walk->document, pair->key);
    for (yaml_node_pair_t *p = mapping->data.mapping.pairs.start; p < pair; p++) {
        const yaml_node_t *other = yaml_document_get_node(walk->document, p->key);
        if (other->type == YAML_SCALAR_NODE && other->data.scalar.length == key->data.scalar.length &&
            memcmp(other->data.scalar.value, key->data.scalar.value, key->data.scalar.length) == 0)
            return line_of(other);
    }
    return 0;
}

static void walk_pair(struct walk *walk, const yaml_node_t *mapping, const yaml_node_pair_t *pair, const char *prefix,
                      int depth)
{
    const yaml_node_t *key = yaml_document_get_node(walk->document, pair->key);
    const yaml_node_t *value = yaml_document_get_node(walk->document, pair->value);
    char path[KEY_MAX + 2];
    if (key->type != YAML_SCALAR_NODE || key->data.scalar.length == 0 || has_nul(key)) {
        errors_add(walk->errors, walk->name, line_of(key), *prefix ? prefix : NULL,
                   "has a key that is not plain text; write `key: value`");
        return;
    }
    int n = snprintf(path, sizeof path, "%s%s%.*s", prefix, *prefix ? "." : "", KEY_MAX + 1,
                     (const char *)key->data.scalar.value);
    int first = line_of_same_key(walk, mapping, pair);
    if (first)
        errors_add(walk->errors, walk->name, line_of(key), path, "is given twice (first on line %d); keep one", first);
    else if (n > KEY_MAX)
        errors_add(walk->errors, walk->name, line_of(key), path, "is longer than any key; check the indentation");
    else
        walk_value(walk, value, path, line_of(key), depth);
}

static void walk_mapping(struct walk *walk, const yaml_node_t *mapping, const char *prefix, int depth)
{
    yaml_node_pair_t *first = mapping->data.mapping.pairs.start, *end = mapping->data.mapping.pairs.top;
    if (end - first > KEYS_MAX) {
        errors_add(walk->errors, walk->name, line_of(mapping), *prefix ? prefix : NULL,
                   "has %td keys, more than %d; a plan is a few lines", end - first, KEYS_MAX);
        return;
    }
    for (yaml_node_pair_t *pair = first; pair < end && !walk->is_over; pair++)
        walk_pair(walk, mapping, pair, prefix, depth);
}

static void walk_document(struct walk *walk)
{
    yaml_node_t *root = yaml_document_get_root_node(walk->document);
    bool is_nothing = !root || (root->type == YAML_SCALAR_NODE && !*scalar_text(root));
    if (is_nothing)
        errors_add(walk->errors, walk->name, 0, NULL, "is empty; write lines of `key: value`");
    else if (root->type != YAML_MAPPING_NODE)
        errors_add(walk->errors, walk->name, line_of(root), NULL, "is not a mapping; write lines of `key: value`");
    else
        walk_mapping(walk, root, "", 1);
}

static void check_single(yaml_parser_t *parser, const char *name, struct errors *errors)
{
    yaml_document_t document;
    if (!yaml_parser_load(parser, &document)) {
        syntax_fault(parser, name, errors);
        return;
    }
    const yaml_node_t *root = yaml_document_get_root_node(&document);
    if (root)
        errors_add(errors, name, line_of(root), NULL, "has a second document; keep the first, or split the file");
    yaml_document_delete(&document);
}

int yaml_read(const char *text, size_t size, const char *name, struct keyvals *out, struct errors *errors)
{
    yaml_parser_t parser;
    yaml_document_t document;
    size_t faults = errors->faults;
    if (check_shape(text, size, name, errors) != 0 || !yaml_parser_initialize(&parser))
        return -1;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    if (!yaml_parser_load(&parser, &document)) {
        syntax_fault(&parser, name, errors);
    } else {
        struct walk walk = {&document, name, out, errors, 0, 0};
        walk_document(&walk);
        check_single(&parser, name, errors);
        yaml_document_delete(&document);
    }
    yaml_parser_delete(&parser);
    return errors->faults > faults ? -1 : 0;
}

/* ---- writing ------------------------------------------------------------------------------------------------------- */

/* True when `text` can stand unquoted as a YAML scalar and reads back as the same text. */
static bool is_plain(const char *text)
{
    static const char *const words[] = {"null", "true", "false", "yes", "no", "on", "off", "auto", "nan", "inf"};
    if (!isalpha((unsigned char)text[0]))
        return false;
    for (const char *p = text; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("._-/", *p))
            return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0)
            return false;
    return true;
}

/* Reads one code point of valid UTF-8. */
static uint32_t code_point(const unsigned char *p, int *length)
{
    *length = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    uint32_t code = *length == 1 ? p[0] : p[0] & (0x7fu >> *length);
    for (int i = 1; i < *length; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            *length = 1;
            return p[0]; /* not UTF-8: escaped as the byte it is */
        }
        code = code << 6 | (p[i] & 0x3f);
    }
    return code;
}

static bool is_printable(uint32_t code)
{
    bool is_break = code == 0x2028 || code == 0x2029 || code == 0xfeff;
    return (code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code <= 0xd7ff && !is_break) ||
           (code >= 0xe000 && code <= 0xfffd && !is_break) || (code >= 0x10000 && code <= 0x10ffff);
}

void yaml_scalar(struct buffer *out, const char *text)
{
    if (is_plain(text)) {
        buffer_puts(out, text);
        return;
    }
    buffer_puts(out, "\"");
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        int length;
        uint32_t code = code_point(p, &length);
        if (code == '"' || code == '\\')
            buffer_printf(out, "\\%c", (int)code);
        else if (!is_printable(code) || (length == 1 && *p >= 0x80))
            buffer_printf(out, code > 0xff ? "\\u%04x" : "\\x%02x", code);
        else
            buffer_add(out, (const char *)p, (size_t)length);
        p += length;
    }
    buffer_puts(out, "\"");
}
