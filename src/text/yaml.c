#include "src/text/yaml.h"

#include "core/base.h"
#include "src/text/errors.h"
#include "src/text/node.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

/* ---- syntax, depth and size, before a tree is built ------------------------------------------------------------- */

/* The line of a byte, from 1. */
static int line_at(const char *text, size_t size, size_t offset)
{
    int line = 1;
    for (size_t i = 0; i < offset && i < size; i++)
        line += text[i] == '\n';
    return line;
}

/* A character that is refused has no mark of libyaml's, but its place among the bytes of the text. */
static void syntax_fault(const yaml_parser_t *parser, const char *text, size_t size, const struct node_parse *parse)
{
    const char *problem = parser->problem ? parser->problem : "unknown problem";
    if (parser->error == YAML_MEMORY_ERROR)
        memory_out();
    int line = (int)parser->problem_mark.line + 1;
    if (parser->error == YAML_READER_ERROR)
        errors_add(parse->errors, parse->file, line_at(text, size, parser->problem_offset), NULL,
                   "has a character that YAML does not allow (%s); remove it", problem);
    else
        errors_add(parse->errors, parse->file, line, NULL, "is not valid YAML (%s%s%s); %s", problem,
                   parser->context ? " " : "", parser->context ? parser->context : "",
                   memmem(text, size, "{{", 2) ? "it holds `{{ }}` of a template: give the file that is made from it"
                                               : "check indentation, colons and quotes");
}

enum { ANCHORS_MAX = 500, TAGS_MAX = 500 }; /* libyaml compares each with all others */

/* What was read so far. */
struct shape_counts {
    int depth, events, anchors;
};

static bool has_anchor(const yaml_event_t *event)
{
    return (event->type == YAML_SCALAR_EVENT && event->data.scalar.anchor) ||
           (event->type == YAML_SEQUENCE_START_EVENT && event->data.sequence_start.anchor) ||
           (event->type == YAML_MAPPING_START_EVENT && event->data.mapping_start.anchor);
}

/* Counts one event; false with a fault when it exceeds a limit. */
static bool may_go_on(const yaml_event_t *event, struct shape_counts *counts, struct node_parse *parse)
{
    int line = (int)event->start_mark.line + 1;
    counts->anchors += has_anchor(event);
    if (event->type == YAML_ALIAS_EVENT && !parse->alias_line)
        parse->alias_line = line;
    counts->depth += event->type == YAML_MAPPING_START_EVENT || event->type == YAML_SEQUENCE_START_EVENT;
    counts->depth -= event->type == YAML_MAPPING_END_EVENT || event->type == YAML_SEQUENCE_END_EVENT;
    if (counts->depth > NODE_DEPTH_MAX)
        errors_add(parse->errors, parse->file, line, NULL, "is nested more than %d deep; %s", NODE_DEPTH_MAX,
                   parse->limits->if_deep);
    else if (++counts->events > parse->limits->items)
        errors_add(parse->errors, parse->file, line, NULL, "has more than %d items; %s", parse->limits->items,
                   parse->limits->if_many);
    else if (counts->anchors > ANCHORS_MAX)
        errors_add(parse->errors, parse->file, line, NULL, "has more than %d anchors; write the values out",
                   ANCHORS_MAX);
    else
        return true;
    return false;
}

/* Whether there are few enough `%TAG` lines, which libyaml reads all before the first event. */
static bool has_few_tags(const char *text, struct node_parse *parse)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, "%TAG")); at++)
        count += at == text || at[-1] == '\n';
    if (count > TAGS_MAX)
        errors_add(parse->errors, parse->file, 0, NULL, "has more than %d %%TAG lines; remove them", TAGS_MAX);
    return count <= TAGS_MAX;
}

static void release_parser(void *parser)
{
    yaml_parser_delete(parser);
}

static void release_event(void *event)
{
    yaml_event_delete(event);
}

static void release_document(void *document)
{
    yaml_document_delete(document);
}

static void open_parser(yaml_parser_t *parser, const char *text, size_t size)
{
    if (!yaml_parser_initialize(parser))
        memory_out();
    memory_hold(parser, release_parser);
    yaml_parser_set_input_string(parser, (const unsigned char *)text, size);
}

static void close_parser(yaml_parser_t *parser)
{
    memory_drop(parser);
    yaml_parser_delete(parser);
}

/* Reads all events; libyaml needs time quadratic in the nesting, so a text that nests too deeply is refused here. */
static bool check_shape(const char *text, size_t size, struct node_parse *parse)
{
    yaml_parser_t parser;
    yaml_event_t event = {0};
    if (!has_few_tags(text, parse))
        return false;
    open_parser(&parser, text, size);
    memory_hold(&event, release_event);
    struct shape_counts counts = {0};
    bool is_good = true;
    for (yaml_event_type_t type = YAML_NO_EVENT; is_good && type != YAML_STREAM_END_EVENT;) {
        is_good = yaml_parser_parse(&parser, &event);
        if (!is_good) {
            syntax_fault(&parser, text, size, parse);
            break;
        }
        type = event.type;
        is_good = may_go_on(&event, &counts, parse);
        yaml_event_delete(&event);
    }
    memory_drop(&event);
    close_parser(&parser);
    return is_good;
}

/* ---- libyaml's tree as nodes ------------------------------------------------------------------------------------ */

static int line_of(const yaml_node_t *node)
{
    return (int)node->start_mark.line + 1;
}

static struct node *convert(struct node_parse *parse, yaml_document_t *document, int index, int depth);

static void convert_list(struct node_parse *parse, yaml_document_t *document, const yaml_node_t *list, struct node *out,
                         int depth)
{
    struct node **end = &out->child;
    for (yaml_node_item_t *item = list->data.sequence.items.start; item < list->data.sequence.items.top; item++) {
        *end = convert(parse, document, *item, depth + 1);
        if (!*end)
            return;
        end = &(*end)->next;
        out->count++;
    }
}

static void convert_mapping(struct node_parse *parse, yaml_document_t *document, const yaml_node_t *mapping,
                            struct node *out, int depth)
{
    struct node **end = &out->child;
    for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start; pair < mapping->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_document_get_node(document, pair->key);
        *end = convert(parse, document, pair->value, depth + 1);
        if (!*end)
            return;
        (*end)->key_line = line_of(key);
        if (key->type == YAML_SCALAR_NODE && key->data.scalar.length > 0 &&
            strlen((const char *)key->data.scalar.value) == key->data.scalar.length)
            (*end)->key = xstrdup((const char *)key->data.scalar.value);
        end = &(*end)->next;
        out->count++;
    }
}

/* The words inside `{{ NAME }}`, which YAML reads as a mapping with a mapping for its key; NULL for anything else. */
static const char *hole_name(yaml_document_t *document, const yaml_node_t *node)
{
    for (int depth = 0; depth < 2; depth++) {
        if (node->type != YAML_MAPPING_NODE || node->data.mapping.pairs.top - node->data.mapping.pairs.start != 1)
            return NULL;
        node = yaml_document_get_node(document, node->data.mapping.pairs.start->key);
    }
    return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

static struct node *convert(struct node_parse *parse, yaml_document_t *document, int index, int depth)
{
    static const enum node_kind kinds[] = {
        [YAML_SCALAR_NODE] = NODE_VALUE, [YAML_SEQUENCE_NODE] = NODE_LIST, [YAML_MAPPING_NODE] = NODE_MAPPING};
    const yaml_node_t *node = yaml_document_get_node(document, index);
    const char *hole = hole_name(document, node);
    struct node *out = node_new(parse, hole ? NODE_VALUE : kinds[node->type], line_of(node), depth);
    if (!out)
        return NULL;
    if (hole) {
        out->text = xasprintf("{{ %s }}", hole);
    } else if (node->type == YAML_SEQUENCE_NODE) {
        convert_list(parse, document, node, out, depth);
    } else if (node->type == YAML_MAPPING_NODE) {
        convert_mapping(parse, document, node, out, depth);
    } else {
        out->text = xstrdup((const char *)node->data.scalar.value);
        out->is_bare = node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        out->has_nul = strlen(out->text) != node->data.scalar.length;
    }
    return out;
}

/* The next document; NULL at the end and with a fault. */
static struct node *read_document(yaml_parser_t *parser, const char *text, size_t size, struct node_parse *parse)
{
    yaml_document_t document;
    if (!yaml_parser_load(parser, &document)) {
        syntax_fault(parser, text, size, parse);
        return NULL;
    }
    memory_hold(&document, release_document);
    struct node *out = yaml_document_get_root_node(&document) ? convert(parse, &document, 1, 0) : NULL;
    memory_drop(&document);
    yaml_document_delete(&document);
    return node_whole(out, parse);
}

struct node *yaml_parse(const char *text, size_t size, struct node_parse *parse, struct node **next)
{
    yaml_parser_t parser;
    if (next)
        *next = NULL;
    if (!check_shape(text, size, parse))
        return NULL;
    open_parser(&parser, text, size);
    struct node *first = read_document(&parser, text, size, parse);
    if (first && next)
        *next = read_document(&parser, text, size, parse);
    close_parser(&parser);
    return first;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

/* True when `text` can stand unquoted as a YAML scalar and reads back as the same text. */
static bool is_plain(const char *text)
{
    static const char *const words[] = {"null", "true", "false", "yes", "no", "on", "off", "auto", "nan", "inf"};
    if (!isalpha((unsigned char)text[0]))
        return false;
    for (const char *p = text; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("._-/", *p))
            return false;
    for (size_t i = 0; i < LENGTH(words); i++)
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
