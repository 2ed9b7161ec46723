#include "src/cli/docs/schema.h"

#include "core/base.h"
#include "core/estimate/range.h"
#include "core/plan/finding.h"
#include "core/plan/param.h"
#include "core/reference/reference.h"
#include "core/search/change.h"
#include "core/search/search.h"
#include "core/search/sweep.h"
#include "core/show/columns.h"
#include "core/show/components.h"
#include "core/show/quantity.h"
#include "core/show/time_parts.h"
#include "src/cli/verbs/list.h"
#include "src/report/table.h"
#include "src/runs/runs.h"
#include "src/text/errors.h"
#include "src/text/json_out.h"
#include "src/text/text.h"
#include "src/text/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct visit;

enum row_kind { ROW_ANSWER, ROW_TYPE, ROW_SHAPE, ROW_HAS, ROW_MAY, ROW_MEMBERS, ROW_COLUMNS, ROW_WITH, ROW_VALUES };

/* A row of src/cli/docs/schema.def. */
struct row {
    enum row_kind kind;
    const char *name, *type, *about;
    void (*members)(struct visit *visit);
    enum reference_fn fn; /* of ROW_VALUES */
};

/* A walk over the members of a shape. */
struct visit {
    void (*member)(struct visit *visit, const char *name, const char *type, const char *about, bool is_always);
    struct json *json;
    bool *is_used; /* rows that were referred to */
};

/* ---- members that tables name ----------------------------------------------------------------------------------- */

static const char *type_of(const char *name)
{
    size_t n = strlen(name), suffix = strlen("_bytes");
    return n >= suffix && strcmp(name + n - suffix, "_bytes") == 0 ? "bytes?" : "number?";
}

static void visit_number(struct visit *visit, const char *name, const char *about)
{
    visit->member(visit, name, type_of(name), about + strspn(about, " "), true);
}

/* The rows of a list that are members of `group` ("" for those that stand alone). */
static void visit_quantities(struct visit *visit, const struct quantity_list *list, const char *group)
{
    for (int i = 0; i < list->count; i++) {
        const char *name = strchr(list->row[i].path, '.') + 1;
        size_t n = strlen(group);
        if (strncmp(name, group, n) == 0 && !strchr(name + n, '.'))
            visit_number(visit, name + n, list->row[i].label ? list->row[i].label : "");
    }
}

static void time_members(struct visit *visit)
{
    visit_quantities(visit, &time_quantities, "");
    visit->member(visit, "exposed_communication_s", "exposed", "traffic not hidden", true);
    visit_quantities(visit, &speed_quantities, "");
}

static void exposed_members(struct visit *visit)
{
    visit_quantities(visit, &time_quantities, "exposed_communication_s.");
}

static void training_members(struct visit *visit)
{
    visit_quantities(visit, &training_quantities, "");
}

static void checkpoint_members(struct visit *visit)
{
    visit_quantities(visit, &checkpoint_quantities, "");
}

static void stage_time_members(struct visit *visit)
{
    for (int i = 0; i < TIME_PARTS_MAX; i++)
        visit_number(visit, time_parts[i].term, time_parts[i].about);
}

static void stage_members(struct visit *visit)
{
    for (int i = 0; i < stage_components.count; i++)
        if (stage_components.row[i].kind != COMPONENT_ROOM)
            visit_number(visit, stage_components.row[i].term, stage_components.row[i].label);
}

static void serving_members(struct visit *visit)
{
    for (size_t i = 0; i < serving_term_count; i++)
        visit_number(visit, serving_terms[i].name, serving_terms[i].label);
}

static void rl_members(struct visit *visit)
{
    for (size_t i = 0; i < rl_term_count; i++)
        visit_number(visit, rl_terms[i].name, rl_terms[i].label);
}

static void operator_members(struct visit *visit)
{
    for (int i = 0; i < layer_shown_count; i++)
        visit_number(visit, layer_shown[i].name, "");
}

static void traffic_members(struct visit *visit)
{
    static const char *const types[] = {
        [CONTENT_STAGE] = "count", [CONTENT_TEXT] = "text", [CONTENT_YES_NO] = "bool", [CONTENT_SHAPE] = "[number]"};
    for (int i = 0; i < comm_shown_count; i++) {
        const struct comm_column *column = &comm_shown[i];
        if (column->content == CONTENT_NUMBER)
            visit_number(visit, column->name, "");
        else
            visit->member(visit, column->name, types[column->content], "", true);
    }
}

static void visit_columns(struct visit *visit, const char *list)
{
    size_t count;
    const struct table_column *column = list_columns(list, &count);
    for (size_t i = 0; i < count; i++)
        visit->member(visit, column[i].name,
                      column[i].kind == COLUMN_TEXT   ? "text?"
                      : column[i].kind == COLUMN_BOOL ? "bool"
                                                      : "number?",
                      "", true);
}

/* Whether any row below `group` is always there: then the object is. */
static bool is_always_there(const struct reference_function *f, const char *group, size_t size)
{
    for (int i = 0; i < f->value_count; i++)
        if (strncmp(f->values[i].name, group, size) == 0 && f->values[i].presence != REFERENCE_OPTIONAL)
            return true;
    return false;
}

static const char *type_of_value(const struct reference_member *row)
{
    return row->type == REFERENCE_STAGES   ? "[layers_of_devices]"
           : row->type == REFERENCE_GROUPS ? "[[text]]"
           : row->type == REFERENCE_WORD   ? row->count ? "[text?]" : "text?"
           : row->type == REFERENCE_BOOL   ? row->count ? "[bool?]" : "bool?"
                                           : row->count ? "[number?]" : "number?";
}

/*
 * What a published estimator answers, below a path such as "per_gpu." ("" for all). Groups stand together in its table.
 */
static void visit_values(struct visit *visit, enum reference_fn fn, const char *below)
{
    const struct reference_function *f = reference_functions[fn];
    size_t start = strlen(below);
    const char *group = "";
    for (int i = 0; i < f->value_count; i++) {
        const char *name = f->values[i].name,
                   *dot = strncmp(name, below, start) == 0 ? strchr(name + start, '.') : NULL;
        if (strncmp(name, below, start) != 0 || (dot && strncmp(name, group, (size_t)(dot + 1 - name)) == 0))
            continue;
        if (!dot) {
            visit->member(visit, name + start, type_of_value(&f->values[i]), f->values[i].unit,
                          f->values[i].presence != REFERENCE_OPTIONAL);
            continue;
        }
        char *type = xasprintf("@%d:%.*s", (int)fn, (int)(dot + 1 - name), name),
             *last = xstrndup(name + start, (size_t)(dot - name) - start);
        visit->member(visit, last, type, "", is_always_there(f, name, (size_t)(dot + 1 - name)));
        group = name;
        free(last);
        free(type);
    }
    if (!*below && f->has_warnings)
        visit->member(visit, "warnings", "[text]", "rules that were bent", true);
}

/* ---- the rows --------------------------------------------------------------------------------------------------- */

static const struct row rows[] = {
#define ANSWER(name, type, about) {ROW_ANSWER, name, type, about, NULL, 0},
#define TYPE(name, type, about)   {ROW_TYPE, name, type, about, NULL, 0},
#define SHAPE(name, about)        {ROW_SHAPE, name, NULL, about, NULL, 0},
#define HAS(name, type, about)    {ROW_HAS, name, type, about, NULL, 0},
#define MAY(name, type, about)    {ROW_MAY, name, type, about, NULL, 0},
#define MEMBERS(function, write)  {ROW_MEMBERS, NULL, NULL, NULL, function, 0},
#define COLUMNS(list)             {ROW_COLUMNS, list, NULL, NULL, NULL, 0},
#define WITH(name, ...)           {ROW_WITH, #name, NULL, NULL, NULL, 0},
#define VALUES(fn)                {ROW_VALUES, NULL, NULL, NULL, NULL, fn},
/* rows of src/text/json_writers.def */
#define OBJECT(name, about, ...)                                SHAPE(#name, about)
#define END
#define LET(...)
#define SCHEMA(about)                                           HAS("schema", "1", about) HAS("program", "program", "")
#define NUMBER(name, value, about)                              HAS(#name, "number?", about)
#define KNOWN(name, value, about)                               HAS(#name, "number", about)
#define BYTES(name, value, about)                               HAS(#name, "bytes?", about)
#define COUNT(name, value, about)                               HAS(#name, "count", about)
#define TEXT(name, value, about)                                HAS(#name, "text", about)
#define TEXT_OR_NULL(name, value, about)                        HAS(#name, "text?", about)
#define YES_NO(name, value, about)                              HAS(#name, "bool", about)
#define WORD(name, type, value, about)                          HAS(#name, type, about)
#define FIELD(name, type, write, about)                         HAS(#name, type, about)
#define NULLABLE(name, type, condition, write, about)           HAS(#name, type, about)
#define LIST(name, type, loop, write, about)                    HAS(#name, "[" type "]", about)
#define LIST_OR_NULL(name, type, condition, loop, write, about) HAS(#name, "[" type "]?", about)
#define OPTIONAL(name, type, condition, write, about)           MAY(#name, type, about)
#define PART(section, name, type, write, about)                 MAY(#name, type, about)
#include "src/cli/docs/schema.def"
#undef ANSWER
#undef TYPE
#undef SHAPE
#undef HAS
#undef MAY
#undef MEMBERS
#undef COLUMNS
#undef WITH
#undef VALUES
};

/* The row that defines a name; -1 for none. */
static int find_row(const char *name, size_t size)
{
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (rows[i].kind <= ROW_SHAPE && strlen(rows[i].name) == size && strncmp(rows[i].name, name, size) == 0)
            return (int)i;
    return -1;
}

static void visit_members(struct visit *visit, const struct row *shape)
{
    for (const struct row *row = shape + 1; row < rows + LENGTH(rows) && row->kind > ROW_SHAPE; row++) {
        if (row->kind == ROW_MEMBERS)
            row->members(visit);
        else if (row->kind == ROW_COLUMNS)
            visit_columns(visit, row->name);
        else if (row->kind == ROW_VALUES)
            visit_values(visit, row->fn, "");
        else if (row->kind == ROW_WITH)
            visit_members(visit, &rows[find_row(row->name, strlen(row->name))]);
        else
            visit->member(visit, row->name, row->type, row->about, row->kind == ROW_HAS);
    }
}

/* ---- types ------------------------------------------------------------------------------------------------------ */

static const struct {
    const char *name, *type;
} plain_types[] = {
    {"text", "string"}, {"number", "number"}, {"count", "integer"}, {"bytes", "integer"}, {"bool", "boolean"}};

/* Words of the program that are a type. */
static const struct {
    const char *name;
    const char *const *word;
    int count;
} word_lists[] = {
    {"verdict", verdict_names, VERDICT_COUNT}, {"level", diag_level_names, DIAG_NOTE + 1},
    {"origin", origin_names, ORIGIN_COUNT}, {"basis", basis_names, BASIS_COUNT}, {"peak", peak_at_names, PEAK_COUNT},
    {"metric", metric_names, METRIC_COUNT}, {"sweep_state", sweep_state_names, SWEEP_STATES},
    {"change_group", change_group_names, CHANGE_GROUPS}, {"limit", search_limit_names, LIMIT_COUNT},
};

static bool is_named(const char *name, const char *at, size_t size)
{
    return strlen(name) == size && strncmp(name, at, size) == 0;
}

static void put_type(struct visit *visit, const char *type, size_t size);
static void put_group(struct visit *visit, const char *type, size_t size);

/* A schema of its own. */
static void put_inner(struct visit *visit, const char *name, const char *type, size_t size)
{
    json_open(visit->json, name, '{');
    put_type(visit, type, size);
    json_close(visit->json, '}');
}

/* Length of a type up to a `sign` outside of brackets. */
static size_t up_to(const char *type, size_t size, char sign)
{
    size_t i = 0;
    for (int depth = 0; i < size && (depth > 0 || type[i] != sign); i++)
        depth += type[i] == '[' || type[i] == '{' ? 1 : type[i] == ']' || type[i] == '}' ? -1 : 0;
    return i;
}

static void put_enum(struct visit *visit, const char *words, size_t size)
{
    json_open(visit->json, "enum", '[');
    for (size_t at = 0; at < size;) {
        size_t n = strcspn(words + at, " '");
        char *word = xstrndup(words + at, n);
        json_text(visit->json, NULL, word);
        free(word);
        at += n + 1;
    }
    json_close(visit->json, ']');
}

/* An array of any length, or of two entries. */
static void put_array(struct visit *visit, const char *type, size_t size)
{
    size_t first = up_to(type, size, ',');
    json_text(visit->json, "type", "array");
    if (first == size) {
        put_inner(visit, "items", type, size);
        return;
    }
    json_open(visit->json, "prefixItems", '[');
    put_inner(visit, NULL, type, first);
    put_inner(visit, NULL, type + first + 1, size - first - 1);
    json_close(visit->json, ']');
    json_bool(visit->json, "items", false);
    json_number(visit->json, "minItems", 2);
}

/* A name of the program's: of one of its words, or of a row. */
static void put_name(struct visit *visit, const char *name, size_t size)
{
    char ref[64];
    int row = find_row(name, size);
    if (is_named("any", name, size))
        return;
    for (size_t i = 0; i < LENGTH(word_lists); i++)
        if (is_named(word_lists[i].name, name, size)) {
            json_open(visit->json, "enum", '[');
            for (int k = 0; k < word_lists[i].count; k++)
                json_text(visit->json, NULL, word_lists[i].word[k]);
            json_close(visit->json, ']');
            return;
        }
    if (row >= 0)
        visit->is_used[row] = true;
    snprintf(ref, sizeof ref, "#/$defs/%.*s", (int)size, name);
    json_text(visit->json, "$ref", ref);
}

/* A type that is neither nullable nor one of several. */
static void put_single(struct visit *visit, const char *type, size_t size)
{
    for (size_t i = 0; i < LENGTH(plain_types); i++)
        if (is_named(plain_types[i].name, type, size)) {
            json_text(visit->json, "type", plain_types[i].type);
            return;
        }
    if (*type == '[') {
        put_array(visit, type + 1, size - 2);
    } else if (*type == '{') {
        json_text(visit->json, "type", "object");
        put_inner(visit, "additionalProperties", type + 1, size - 2);
    } else if (*type == '\'') {
        put_enum(visit, type + 1, size - 2);
    } else if (*type == '@') {
        put_group(visit, type + 1, size - 1);
    } else if (*type >= '0' && *type <= '9') {
        json_number(visit->json, "const", atoi(type));
    } else {
        put_name(visit, type, size);
    }
}

static void put_type(struct visit *visit, const char *type, size_t size)
{
    bool has_null = type[size - 1] == '?';
    size -= has_null;
    size_t first = up_to(type, size, '|');
    if (first == size && !has_null) {
        put_single(visit, type, size);
        return;
    }
    json_open(visit->json, "anyOf", '[');
    for (size_t at = 0; at < size; at += first + 1) {
        first = up_to(type + at, size - at, '|');
        put_inner(visit, NULL, type + at, first);
    }
    if (has_null) {
        json_open(visit->json, NULL, '{');
        json_text(visit->json, "type", "null");
        json_close(visit->json, '}');
    }
    json_close(visit->json, ']');
}

/* ---- for readers ------------------------------------------------------------------------------------------------ */

/* A walk that hands members over. */
struct telling {
    struct visit visit; /* first */
    void (*each)(void *context, const struct schema_member *member);
    void *context;
};

static void tell_member(struct visit *visit, const char *name, const char *type, const char *about, bool is_always)
{
    struct telling *telling = (struct telling *)visit;
    telling->each(telling->context,
                  &(struct schema_member){.name = name, .type = type, .about = about, .is_always = is_always});
}

static void tell_words(const struct telling *telling)
{
    for (size_t i = 0; i < LENGTH(word_lists); i++) {
        struct buffer words = {0};
        for (int k = 0; k < word_lists[i].count; k++)
            buffer_printf(&words, "%s%s", k ? " " : "'", word_lists[i].word[k]);
        buffer_puts(&words, "'");
        telling->each(
            telling->context,
            &(struct schema_member){.shape = word_lists[i].name, .type = words.text, .about = "one of these words"});
        buffer_free(&words);
    }
}

void schema_each(void (*each)(void *context, const struct schema_member *member), void *context)
{
    struct telling telling = {.visit.member = tell_member, .each = each, .context = context};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        if (rows[i].kind > ROW_SHAPE)
            continue;
        each(context, &(struct schema_member){.shape = rows[i].name, .type = rows[i].type, .about = rows[i].about});
        if (rows[i].kind == ROW_SHAPE)
            visit_members(&telling.visit, &rows[i]);
    }
    tell_words(&telling);
}

/* ---- the schema ------------------------------------------------------------------------------------------------- */

static void put_about(struct json *json, const char *about)
{
    if (*about)
        json_text(json, "description", about);
}

static void put_property(struct visit *visit, const char *name, const char *type, const char *about, bool is_always)
{
    (void)is_always;
    json_open(visit->json, name, '{');
    put_about(visit->json, about);
    put_type(visit, type, strlen(type));
    json_close(visit->json, '}');
}

static void put_required(struct visit *visit, const char *name, const char *type, const char *about, bool is_always)
{
    (void)type;
    (void)about;
    if (is_always)
        json_text(visit->json, NULL, name);
}

/* An object: a shape or, where that is NULL, what an estimator's function answers below a path. */
static void put_object(struct visit *visit, const struct row *shape, enum reference_fn fn, const char *below)
{
    struct visit inner = *visit;
    json_text(visit->json, "type", "object");
    for (int pass = 0; pass < 2; pass++) {
        json_open(visit->json, pass == 0 ? "properties" : "required", pass == 0 ? '{' : '[');
        inner.member = pass == 0 ? put_property : put_required;
        if (shape)
            visit_members(&inner, shape);
        else
            visit_values(&inner, fn, below);
        json_close(visit->json, pass == 0 ? '}' : ']');
    }
}

/* A group of an estimator's values: "2:per_gpu." of the function 2. */
static void put_group(struct visit *visit, const char *type, size_t size)
{
    char *text = xstrndup(type, size), *below;
    long fn = strtol(text, &below, 10);
    put_object(visit, NULL, (enum reference_fn)fn, below + 1);
    free(text);
}

static void put_definition(struct visit *visit, const struct row *row)
{
    json_open(visit->json, row->name, '{');
    put_about(visit->json, row->about);
    if (row->kind == ROW_SHAPE)
        put_object(visit, row, 0, NULL);
    else
        put_type(visit, row->type, strlen(row->type));
    json_close(visit->json, '}');
}

/* What is used, and what that uses. */
static void put_definitions(struct visit *visit)
{
    bool is_written[LENGTH(rows)] = {false}, has_new;
    json_open(visit->json, "$defs", '{');
    do {
        has_new = false;
        for (size_t i = 0; i < LENGTH(rows); i++)
            if (visit->is_used[i] && !is_written[i]) {
                put_definition(visit, &rows[i]);
                is_written[i] = has_new = true;
            }
    } while (has_new);
    json_close(visit->json, '}');
}

static void put_all(struct visit *visit)
{
    json_open(visit->json, "anyOf", '[');
    for (size_t i = 0; i < LENGTH(rows) && rows[i].kind == ROW_ANSWER; i++)
        put_inner(visit, NULL, rows[i].name, strlen(rows[i].name));
    json_close(visit->json, ']');
}

static int refuse(const char *command, struct errors *errors)
{
    struct buffer all = {0};
    for (size_t i = 0; i < LENGTH(rows) && rows[i].kind == ROW_ANSWER; i++)
        buffer_printf(&all, "%s%s", i ? ", " : "", rows[i].name);
    errors_add(errors, "shardtop", 0, "schema", "'%.40s' has no JSON answer; use one of %s", command, all.text);
    buffer_free(&all);
    return -1;
}

int schema_write(struct buffer *out, const char *command, struct errors *errors)
{
    bool is_used[LENGTH(rows)] = {false};
    struct json json = {.out = out, .lines = 4};
    struct visit visit = {.json = &json, .is_used = is_used};
    char title[64];
    int row = command ? find_row(command, strlen(command)) : 0;
    if (row < 0 || rows[row].kind != ROW_ANSWER)
        return refuse(command, errors);
    snprintf(title, sizeof title, command ? "What shardtop %s answers" : "What shardtop answers", command);
    json_open(&json, NULL, '{');
    json_text(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_text(&json, "title", title);
    version_program_json(&json);
    if (command)
        put_name(&visit, command, strlen(command));
    else
        put_all(&visit);
    put_definitions(&visit);
    json_close(&json, '}');
    buffer_puts(out, "\n");
    return 0;
}
