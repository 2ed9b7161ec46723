#include "src/list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/estimate.h"
#include "core/framework.h"
#include "core/number.h"
#include "core/param.h"
#include "core/reference.h"
#include "core/schedule.h"
#include "src/errors.h"
#include "src/json_out.h"
#include "src/keyval.h"
#include "src/plan_io.h"
#include "src/preset.h"
#include "src/text.h"

/* ---- a table that prints itself both ways ---------------------------------------------------------------------------- */

enum column_kind { COLUMN_TEXT, COLUMN_NUMBER, COLUMN_COUNT_OF, COLUMN_BOOL };

struct column {
    const char *name;
    enum column_kind kind;
};

enum { COLUMNS_MAX = 12 };

/* Rows of cells; texts are owned, numbers that are not known are NAN. */
struct table {
    const struct column *column;
    int columns;
    struct cell_value {
        char *text;
        double number;
    } *cell;
    size_t cells;
};

static void add_cell(struct table *table, const char *text, double number)
{
    table->cell = xrealloc(table->cell, (table->cells + 1) * sizeof *table->cell);
    table->cell[table->cells++] = (struct cell_value){text ? xstrdup(text) : NULL, number};
}

static void add_text(struct table *table, const char *text)
{
    add_cell(table, text, NAN);
}

static void add_number(struct table *table, double number)
{
    add_cell(table, NULL, number);
}

static void free_table(struct table *table)
{
    for (size_t i = 0; i < table->cells; i++)
        free(table->cell[i].text);
    free(table->cell);
}

/* A count as people say it: 6.74 B. */
static void print_count(double count, char *out, size_t size)
{
    double unit = count >= 1e12 ? 1e12 : count >= 1e9 ? 1e9 : 1e6;
    snprintf(out, size, "%.*f %s", count / unit < 99.5 ? 2 : 0, count / unit, unit == 1e12 ? "T" : unit == 1e9 ? "B" : "M");
}

static void print_cell(const struct column *column, const struct cell_value *cell, char *out, size_t size)
{
    bool is_unknown = column->kind != COLUMN_TEXT && isnan(cell->number);
    if (column->kind == COLUMN_TEXT)
        snprintf(out, size, "%s", cell->text ? cell->text : "-");
    else if (is_unknown)
        snprintf(out, size, "-");
    else if (column->kind == COLUMN_BOOL)
        snprintf(out, size, "%s", cell->number > 0 ? "yes" : "no");
    else if (column->kind == COLUMN_COUNT_OF)
        print_count(cell->number, out, size);
    else
        number_print(cell->number, out, size);
}

static void measure(const struct table *table, int width[])
{
    char text[512];
    for (int c = 0; c < table->columns; c++)
        width[c] = (int)strlen(table->column[c].name);
    for (size_t i = 0; i < table->cells; i++) {
        int c = (int)(i % (size_t)table->columns);
        print_cell(&table->column[c], &table->cell[i], text, sizeof text);
        width[c] = (int)strlen(text) > width[c] ? (int)strlen(text) : width[c];
    }
}

/* One cell on a line; the last one is not padded, numbers are flush right. */
static void put_cell(struct buffer *out, const struct table *table, int c, const char *text, int width)
{
    bool is_last = c == table->columns - 1, is_number = table->column[c].kind == COLUMN_NUMBER || table->column[c].kind == COLUMN_COUNT_OF;
    if (is_number)
        buffer_printf(out, "%*s%s", width, text, is_last ? "\n" : "  ");
    else if (is_last)
        buffer_printf(out, "%s\n", text);
    else
        buffer_printf(out, "%-*s  ", width, text);
}

static void table_text(struct buffer *out, const struct table *table)
{
    int width[COLUMNS_MAX];
    char text[512];
    measure(table, width);
    for (int c = 0; c < table->columns; c++)
        put_cell(out, table, c, table->column[c].name, width[c]);
    for (size_t i = 0; i < table->cells; i++) {
        int c = (int)(i % (size_t)table->columns);
        print_cell(&table->column[c], &table->cell[i], text, sizeof text);
        put_cell(out, table, c, text, width[c]);
    }
}

static void table_json(struct buffer *out, const struct table *table)
{
    struct json json = {.out = out, .lines = 1};
    json_open(&json, NULL, '[');
    for (size_t i = 0; i < table->cells; i++) {
        int c = (int)(i % (size_t)table->columns);
        const struct cell_value *cell = &table->cell[i];
        const char *name = table->column[c].name;
        if (c == 0)
            json_open(&json, NULL, '{');
        if (table->column[c].kind == COLUMN_TEXT)
            json_text(&json, name, cell->text);
        else if (table->column[c].kind == COLUMN_BOOL)
            json_bool(&json, name, cell->number > 0);
        else
            json_number(&json, name, cell->number);
        if (c == table->columns - 1)
            json_close(&json, '}');
    }
    json_close(&json, ']');
    buffer_puts(out, "\n");
}

/* ---- presets --------------------------------------------------------------------------------------------------------- */

/* The first line of a preset's comment without `NAME:`, in fresh memory; "" when there is none. */
static char *about_of(const char *text, const char *name)
{
    if (text[0] != '#')
        return xstrdup("");
    text += 1 + strspn(text + 1, " ");
    size_t n = strlen(name);
    if (strncmp(text, name, n) == 0 && text[n] == ':')
        text += n + 1 + strspn(text + n + 1, " ");
    char *line = xstrndup(text, strcspn(text, "\r\n"));
    char *clean = xmalloc(strlen(line) + 1);
    text_clean(line, clean, strlen(line) + 1);
    free(line);
    return clean;
}

static void add_about(struct table *table, enum preset_kind kind, const char *name, struct errors *errors)
{
    size_t size;
    char *path;
    char *text = preset_text(kind, name, &size, &path, &(struct place){0}, errors);
    char *about = about_of(text ? text : "", name);
    add_text(table, about);
    free(about);
    free(text);
    free(path);
}

/* The plan with one preset in it, resolved; -1 with a fault when the preset is broken. */
static int plan_with(enum param key, const char *name, struct plan *plan, struct errors *errors)
{
    plan_clear(plan);
    return preset_apply(plan, key, name, FROM_PRESET, &(struct place){0}, errors);
}

static const struct column model_columns[] = {
    {"name", COLUMN_TEXT},    {"parameters", COLUMN_COUNT_OF}, {"num_layers", COLUMN_NUMBER}, {"hidden_size", COLUMN_NUMBER},
    {"num_attention_heads", COLUMN_NUMBER}, {"num_query_groups", COLUMN_NUMBER}, {"num_experts", COLUMN_NUMBER},
    {"vocab_size", COLUMN_NUMBER}, {"about", COLUMN_TEXT},
};

static void add_model(struct table *table, const char *name, struct errors *errors)
{
    static const enum param shown[] = {PARAM_model_num_layers, PARAM_model_hidden_size, PARAM_model_num_attention_heads,
                                       PARAM_model_num_query_groups, PARAM_model_num_experts, PARAM_model_vocab_size};
    static struct estimate estimate;
    struct plan plan;
    if (plan_with(PARAM_model_name, name, &plan, errors) != 0)
        return;
    estimate_plan(&plan, &estimate);
    add_text(table, name);
    add_number(table, estimate.totals.unpadded);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        add_number(table, estimate.plan.value[shown[i]]);
    add_about(table, PRESET_MODEL, name, errors);
}

static const struct column gpu_columns[] = {
    {"name", COLUMN_TEXT},        {"label", COLUMN_TEXT},           {"memory_gib", COLUMN_NUMBER},
    {"memory_gb_s", COLUMN_NUMBER}, {"tflops_bf16", COLUMN_NUMBER}, {"tflops_fp16", COLUMN_NUMBER},
    {"tflops_fp8", COLUMN_NUMBER},  {"intra_node_gb_s", COLUMN_NUMBER}, {"watts", COLUMN_NUMBER},
    {"link", COLUMN_TEXT},        {"efficiency_basis", COLUMN_TEXT},
};

static void add_gpu(struct table *table, const char *name, struct errors *errors)
{
    struct plan plan;
    if (plan_with(PARAM_hardware_gpu, name, &plan, errors) != 0)
        return;
    const struct gpu *gpu = &plan.gpu;
    const double number[] = {gpu->memory_gib, gpu->memory_gb_s, gpu->tflops_bf16, gpu->tflops_fp16,
                             gpu->tflops_fp8, gpu->intra_node_gb_s, gpu->watts};
    add_text(table, name);
    add_text(table, gpu->label);
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        add_number(table, number[i]);
    add_text(table, gpu->link);
    add_text(table, gpu->efficiency_basis);
}

static const struct column cluster_columns[] = {
    {"name", COLUMN_TEXT},  {"gpu", COLUMN_TEXT},  {"nodes", COLUMN_NUMBER},  {"gpus_per_node", COLUMN_NUMBER},
    {"intra_node_gb_s", COLUMN_NUMBER}, {"inter_node_gb_s", COLUMN_NUMBER}, {"about", COLUMN_TEXT},
};

static void add_cluster(struct table *table, const char *name, struct errors *errors)
{
    static const enum param shown[] = {PARAM_hardware_nodes, PARAM_hardware_gpus_per_node,
                                       PARAM_hardware_intra_node_gb_s, PARAM_hardware_inter_node_gb_s};
    struct plan plan, resolved;
    if (plan_with(PARAM_plan_cluster, name, &plan, errors) != 0)
        return;
    plan_resolve(&plan, &resolved);
    add_text(table, name);
    add_text(table, plan.text[TEXT_GPU]);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        add_number(table, resolved.value[shown[i]]);
    add_about(table, PRESET_CLUSTER, name, errors);
}

static const struct column about_columns[] = {{"name", COLUMN_TEXT}, {"about", COLUMN_TEXT}};

static void add_plan(struct table *table, const char *name, struct errors *errors)
{
    add_text(table, name);
    add_about(table, PRESET_PLAN, name, errors);
}

/* A theme says what it is for in its own words. */
static void add_theme(struct table *table, const char *name, struct errors *errors)
{
    struct keyvals list = {0};
    char *path;
    const char *about = NULL;
    add_text(table, name);
    preset_read(PRESET_THEME, name, &list, &path, &(struct place){0}, errors);
    for (size_t i = 0; i < list.count; i++)
        if (strcmp(list.item[i].key, "about") == 0)
            about = list.item[i].value;
    if (about)
        add_text(table, about);
    else
        add_about(table, PRESET_THEME, name, errors);
    keyvals_free(&list);
    free(path);
}

/* ---- what the core knows --------------------------------------------------------------------------------------------- */

static const struct column framework_columns[] = {
    {"name", COLUMN_TEXT}, {"is_modelled", COLUMN_BOOL}, {"version", COLUMN_TEXT}, {"about", COLUMN_TEXT},
};

static void add_framework(struct table *table, int index)
{
    const struct framework *framework = &frameworks[index];
    add_text(table, framework->name);
    add_number(table, framework->is_modelled);
    add_text(table, framework->version[0] ? framework->version : NULL);
    add_text(table, framework->summary);
}

static const struct column estimator_columns[] = {{"name", COLUMN_TEXT}, {"source", COLUMN_TEXT}, {"about", COLUMN_TEXT}};

static void add_estimator(struct table *table, const char *name, const char *source, const char *about)
{
    add_text(table, name);
    add_text(table, source);
    add_text(table, about);
}

static const struct column name_column[] = {{"name", COLUMN_TEXT}};

static void add_choice(struct table *table, int index)
{
    add_text(table, param_rows[PARAM_parallel_schedule].choices[index]);
}

/* ---- keys ------------------------------------------------------------------------------------------------------------ */

static const char *const type_names[] = {
    [TYPE_INT] = "integer", [TYPE_REAL] = "number", [TYPE_BOOL] = "boolean",  [TYPE_ENUM] = "choice",
    [TYPE_SET] = "choices", [TYPE_NAME] = "name",   [TYPE_LAYOUT] = "layout",
};

/* A value of a key as a file would hold it; "" for none. */
static void print_value(enum param id, double value, char *out, size_t size)
{
    struct plan plan;
    plan_clear(&plan);
    plan.value[id] = value;
    param_print(&plan, id, out, size);
}

void list_key_default(enum param id, char *out, size_t size)
{
    char text[64];
    size_t used = 0;
    print_value(id, param_rows[id].fallback, text, sizeof text);
    bool has_fallback = param_rows[id].type != TYPE_NAME && param_rows[id].type != TYPE_LAYOUT && *text;
    used += (size_t)snprintf(out, size, "%s", id == PARAM_hardware_gpu ? plan_default_gpu : has_fallback ? text : "derived or unknown");
    for (int i = 0; i < FRAMEWORK_COUNT && used < size; i++) {
        double own = framework_default((enum framework_id)i, id);
        if (isnan(own))
            continue;
        print_value(id, own, text, sizeof text);
        used += (size_t)snprintf(out + used, size - used, "; %s %s", frameworks[i].name, text);
    }
}

static void keys_text(struct buffer *out)
{
    char text[512];
    for (int i = 0; i < PARAM_COUNT; i++) {
        const struct param_row *row = &param_rows[i];
        buffer_printf(out, "%s\n    %s%s%s%s\n", row->dotted, row->help, *row->unit ? " [" : "", row->unit, *row->unit ? "]" : "");
        if (*row->more)
            buffer_printf(out, "    %s\n", row->more);
        buffer_printf(out, "    %s", type_names[row->type]);
        if (row->type == TYPE_INT || row->type == TYPE_REAL) {
            char low[40], high[40];
            number_print(row->min, low, sizeof low);
            number_print(row->max, high, sizeof high);
            buffer_printf(out, ", %s to %s", low, high);
        }
        for (int c = 0; row->choices && row->choices[c]; c++)
            buffer_printf(out, "%s%s", c ? ", " : ": ", row->choices[c]);
        list_key_default((enum param)i, text, sizeof text);
        buffer_printf(out, "\n    default: %s\n", text);
    }
}

/* A member with the value of a key in its own JSON type; null for none. */
static void key_value(struct json *json, const char *name, enum param id, double value)
{
    char text[64];
    const struct param_row *row = &param_rows[id];
    bool is_none = isnan(value) || row->type == TYPE_NAME || row->type == TYPE_LAYOUT;
    print_value(id, value, text, sizeof text);
    if (id == PARAM_hardware_gpu)
        json_text(json, name, plan_default_gpu);
    else if (is_none)
        json_null(json, name);
    else if (row->type == TYPE_BOOL)
        json_bool(json, name, value > 0);
    else if ((row->type == TYPE_INT || row->type == TYPE_REAL) && row->suffix != SUFFIX_VERSION)
        json_number(json, name, value);
    else
        json_text(json, name, text);
}

static void key_json(struct json *json, enum param id)
{
    const struct param_row *row = &param_rows[id];
    bool is_number = row->type == TYPE_INT || row->type == TYPE_REAL;
    json_open(json, NULL, '{');
    json_text(json, "key", row->dotted);
    json_text(json, "group", param_group_names[row->group_id]);
    json_text(json, "type", type_names[row->type]);
    json_text(json, "unit", row->unit);
    json_number(json, "min", is_number ? row->min : NAN);
    json_number(json, "max", is_number ? row->max : NAN);
    key_value(json, "default", id, row->fallback);
    json_open(json, "framework_defaults", '{');
    for (int i = 0; i < FRAMEWORK_COUNT; i++)
        if (!isnan(framework_default((enum framework_id)i, id)))
            key_value(json, frameworks[i].name, id, framework_default((enum framework_id)i, id));
    json_close(json, '}');
    json_open(json, "choices", '[');
    for (int c = 0; row->choices && row->choices[c]; c++)
        json_text(json, NULL, row->choices[c]);
    json_close(json, ']');
    json_text(json, "help", row->help);
    json_text(json, "more", row->more);
    json_close(json, '}');
}

static void keys_json(struct buffer *out)
{
    struct json json = {.out = out, .lines = 1};
    json_open(&json, NULL, '[');
    for (int i = 0; i < PARAM_COUNT; i++)
        key_json(&json, (enum param)i);
    json_close(&json, ']');
    buffer_puts(out, "\n");
}

/* ---- the lists ------------------------------------------------------------------------------------------------------- */

const char *const list_names[] = {"models", "gpus", "clusters", "plans", "frameworks", "estimators", "schedules", "themes", "keys", NULL};

#define COLUMNS(array) array, sizeof array / sizeof *array

static const struct preset_list {
    const char *name;
    enum preset_kind kind;
    void (*add)(struct table *table, const char *name, struct errors *errors);
    const struct column *column;
    size_t columns;
} preset_lists[] = {
    {"models", PRESET_MODEL, add_model, COLUMNS(model_columns)},
    {"gpus", PRESET_GPU, add_gpu, COLUMNS(gpu_columns)},
    {"clusters", PRESET_CLUSTER, add_cluster, COLUMNS(cluster_columns)},
    {"plans", PRESET_PLAN, add_plan, COLUMNS(about_columns)},
    {"themes", PRESET_THEME, add_theme, COLUMNS(about_columns)},
};

static void fill_presets(struct table *table, const struct preset_list *list, struct errors *errors)
{
    const char *const *names;
    size_t count = preset_names(list->kind, &names);
    table->column = list->column;
    table->columns = (int)list->columns;
    for (size_t i = 0; i < count; i++)
        list->add(table, names[i], errors);
}

/* Fills `table` with the list `what`; -1 when there is no such table. */
static int fill_table(struct table *table, const char *what, struct errors *errors)
{
    for (size_t i = 0; i < sizeof preset_lists / sizeof *preset_lists; i++)
        if (strcmp(what, preset_lists[i].name) == 0)
            return fill_presets(table, &preset_lists[i], errors), 0;
    if (strcmp(what, "frameworks") == 0) {
        table->column = framework_columns;
        table->columns = sizeof framework_columns / sizeof *framework_columns;
        for (int i = 0; i < FRAMEWORK_COUNT; i++)
            add_framework(table, i);
        return 0;
    }
    if (strcmp(what, "estimators") == 0) {
        table->column = estimator_columns;
        table->columns = sizeof estimator_columns / sizeof *estimator_columns;
        add_estimator(table, "shardtop", NULL, "our own model");
        for (int i = 0; i < REFERENCE_COUNT; i++)
            add_estimator(table, reference_rows[i].name, reference_rows[i].source, reference_rows[i].help);
        return 0;
    }
    if (strcmp(what, "schedules") == 0) {
        table->column = name_column;
        table->columns = 1;
        for (int i = 0; param_rows[PARAM_parallel_schedule].choices[i]; i++)
            add_choice(table, i);
        return 0;
    }
    return -1;
}

static int unknown_list(const char *what, struct errors *errors)
{
    struct buffer all = {0};
    for (int i = 0; list_names[i]; i++)
        buffer_printf(&all, "%s%s", i ? ", " : "", list_names[i]);
    errors_add(errors, "shardtop", 0, "list", "'%.40s' is not a list; use one of %s", what, all.text);
    buffer_free(&all);
    return -1;
}

int list_write(struct buffer *out, const char *what, bool json, struct errors *errors)
{
    struct table table = {0};
    size_t faults = errors->faults;
    if (strcmp(what, "keys") == 0) {
        (json ? keys_json : keys_text)(out);
        return 0;
    }
    if (fill_table(&table, what, errors) != 0)
        return unknown_list(what, errors);
    (json ? table_json : table_text)(out, &table);
    free_table(&table);
    return errors->faults > faults ? -1 : 0;
}
