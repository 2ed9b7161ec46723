#include "src/text/spans.h"

#include "src/text/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { DEPTH_MAX = 8 };

struct walk {
    yaml_parser_t parser;
    yaml_event_t event;
    uint32_t *byte_of; /* byte offset of each character: libyaml counts characters */
    size_t characters;
    struct spans *out;
};

/* Fills in the byte offset of each character and of the end. */
static void count_characters(struct walk *walk, const char *text, size_t size)
{
    size_t at = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* libyaml skips the byte order mark */
    walk->byte_of = xmalloc((size + 1) * sizeof *walk->byte_of);
    for (; at < size; walk->characters++) {
        size_t length = utf8_length((const unsigned char *)text + at, size - at);
        walk->byte_of[walk->characters] = (uint32_t)at;
        at += length ? length : 1;
    }
    walk->byte_of[walk->characters] = (uint32_t)size;
}

static size_t byte_at(const struct walk *walk, yaml_mark_t mark)
{
    return walk->byte_of[mark.index < walk->characters ? mark.index : walk->characters];
}

/* Replaces the current event with the next; false on an error. */
static bool next(struct walk *walk)
{
    yaml_event_delete(&walk->event);
    return yaml_parser_parse(&walk->parser, &walk->event);
}

static int add(struct walk *walk, char *path, int parent)
{
    struct spans *out = walk->out;
    if (out->count == out->capacity) {
        out->capacity = out->capacity ? 2 * out->capacity : 64;
        out->item = xrealloc(out->item, out->capacity * sizeof *out->item);
    }
    out->item[out->count] = (struct span){.path = path, .parent = parent, .first = -1, .last = -1,
                                          .key = byte_at(walk, walk->event.start_mark)};
    int at = (int)out->count++;
    if (parent >= 0 && out->item[parent].first < 0)
        out->item[parent].first = at;
    if (parent >= 0)
        out->item[parent].last = at;
    return at;
}

static void take_anchor(struct span *span, const yaml_char_t *anchor)
{
    span->anchor = anchor ? xasprintf("&%s ", (const char *)anchor) : NULL;
}

/* Skips a list. It ends with its last value, since a block's end mark comes after trailing blanks and comments. */
static bool walk_list(struct walk *walk, struct span *span)
{
    bool is_flow = walk->event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
    take_anchor(span, walk->event.data.sequence_start.anchor);
    for (int depth = 1; depth > 0;) {
        if (!next(walk))
            return false;
        yaml_event_type_t type = walk->event.type;
        depth += type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT;
        depth -= type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT;
        if (is_flow || type == YAML_SCALAR_EVENT || type == YAML_ALIAS_EVENT)
            span->value_end = byte_at(walk, walk->event.end_mark);
    }
    return true;
}

static bool walk_mapping(struct walk *walk, int at, int depth);

/* Reads the value of member `at`, whose first event is current. */
static bool walk_value(struct walk *walk, int at, int depth)
{
    struct span *span = &walk->out->item[at];
    span->value = byte_at(walk, walk->event.start_mark);
    span->value_end = byte_at(walk, walk->event.end_mark);
    yaml_scalar_style_t style = walk->event.data.scalar.style;
    switch (walk->event.type) {
    case YAML_SCALAR_EVENT:
        take_anchor(span, walk->event.data.scalar.anchor);
        span->is_fixed = style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE;
        return true;
    case YAML_ALIAS_EVENT:
        return true;
    case YAML_SEQUENCE_START_EVENT:
        return walk_list(walk, span);
    case YAML_MAPPING_START_EVENT:
        return depth < DEPTH_MAX && walk_mapping(walk, at, depth + 1);
    default:
        return false;
    }
}

/* Reads the members of mapping `at`: the current event is its start on entry, its end on return. */
static bool walk_mapping(struct walk *walk, int at, int depth)
{
    struct spans *out = walk->out;
    bool is_flow = walk->event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
    out->item[at].is_mapping = true;
    out->item[at].is_flow = is_flow;
    while (next(walk) && walk->event.type == YAML_SCALAR_EVENT) {
        const char *above = out->item[at].path, *key = (const char *)walk->event.data.scalar.value;
        int member = add(walk, xasprintf("%s%s%s", above, *above ? "." : "", key), at);
        if (!next(walk) || !walk_value(walk, member, depth))
            return false;
        out->item[at].value_end = out->item[member].value_end;
    }
    if (is_flow)
        out->item[at].value_end = byte_at(walk, walk->event.end_mark);
    return walk->event.type == YAML_MAPPING_END_EVENT;
}

static bool walk_document(struct walk *walk)
{
    if (!next(walk) || !next(walk) || walk->event.type != YAML_DOCUMENT_START_EVENT || !next(walk) ||
        walk->event.type != YAML_MAPPING_START_EVENT)
        return false;
    int root = add(walk, xstrdup(""), -1);
    walk->out->item[root].value = walk->out->item[root].key;
    return walk_mapping(walk, root, 0) && next(walk) && next(walk) && walk->event.type == YAML_STREAM_END_EVENT;
}

int spans_read(const char *text, size_t size, struct spans *out)
{
    struct walk walk = {.out = out};
    if (!yaml_parser_initialize(&walk.parser))
        return -1;
    count_characters(&walk, text, size);
    yaml_parser_set_input_string(&walk.parser, (const unsigned char *)text, size);
    bool is_good = walk_document(&walk);
    yaml_event_delete(&walk.event);
    yaml_parser_delete(&walk.parser);
    free(walk.byte_of);
    return is_good ? 0 : -1;
}

void spans_free(struct spans *spans)
{
    for (size_t i = 0; i < spans->count; i++) {
        free(spans->item[i].path);
        free(spans->item[i].anchor);
    }
    free(spans->item);
    *spans = (struct spans){0};
}
