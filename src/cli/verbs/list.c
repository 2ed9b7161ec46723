#include "src/cli/verbs/list.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/estimate/schedule.h"
#include "core/plan/framework.h"
#include "core/plan/nearest.h"
#include "core/plan/number.h"
#include "core/plan/param.h"
#include "core/reference/reference.h"
#include "core/show/figure.h"
#include "core/show/glossary.h"
#include "src/cli/session/preferences.h"
#include "src/course/lesson.h"
#include "src/course/progress.h"
#include "src/plan/plan_io.h"
#include "src/plan/preset.h"
#include "src/report/table.h"
#include "src/text/errors.h"
#include "src/text/json_out.h"
#include "src/text/keyval.h"
#include "src/text/node.h"
#include "src/text/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a table as aligned text and as JSON ------------------------------------------------------------------------ */

enum { COLUMNS_MAX = 12, CELL_TEXT_MAX = 512 };

/* A text, "-" and null where there is none. */
static void add_text(struct table *table, const char *text)
{
    if (text)
        table_text(table, text);
    else
        table_number(table, NAN);
}

static void print_cell(const struct table_column *column, const struct table_cell *cell, char *out, size_t size)
{
    bool is_unknown = column->kind != COLUMN_TEXT && isnan(cell->number);
    if (column->kind == COLUMN_TEXT)
        snprintf(out, size, "%s", cell->text ? cell->text : "-");
    else if (is_unknown)
        snprintf(out, size, "-");
    else if (column->kind == COLUMN_BOOL)
        snprintf(out, size, "%s", cell->number > 0 ? "yes" : "no");
    else if (column->kind == COLUMN_COUNT)
        snprintf(out, size, "%s", figure(FIGURE_COUNT, cell->number).text);
    else
        number_print(cell->number, out, size);
}

static void measure(const struct table *table, int width[])
{
    char text[CELL_TEXT_MAX];
    for (size_t c = 0; c < table->columns; c++)
        width[c] = (int)strlen(table->column[c].name);
    for (size_t i = 0; i < table->cells; i++) {
        size_t c = i % table->columns;
        print_cell(&table->column[c], &table->cell[i], text, sizeof text);
        width[c] = (int)strlen(text) > width[c] ? (int)strlen(text) : width[c];
    }
}

/* One cell on a line; the last one is not padded, numbers are flush right. */
static void put_cell(struct buffer *out, const struct table *table, size_t c, const char *text, int width)
{
    enum column_kind kind = table->column[c].kind;
    bool is_last = c == table->columns - 1, is_number = kind == COLUMN_NUMBER || kind == COLUMN_COUNT;
    if (is_number)
        buffer_printf(out, "%*s%s", width, text, is_last ? "\n" : "  ");
    else if (is_last)
        buffer_printf(out, "%s\n", text);
    else
        buffer_printf(out, "%-*s  ", width, text);
}

static void print_text(struct buffer *out, const struct table *table)
{
    int width[COLUMNS_MAX];
    char text[CELL_TEXT_MAX];
    measure(table, width);
    for (size_t c = 0; c < table->columns; c++)
        put_cell(out, table, c, table->column[c].name, width[c]);
    for (size_t i = 0; i < table->cells; i++) {
        size_t c = i % table->columns;
        print_cell(&table->column[c], &table->cell[i], text, sizeof text);
        put_cell(out, table, c, text, width[c]);
    }
}

static void print_json(struct buffer *out, const struct table *table)
{
    struct json json = {.out = out, .lines = 1};
    json_open(&json, NULL, '[');
    for (size_t i = 0; i < table->cells; i++) {
        size_t c = i % table->columns;
        const struct table_cell *cell = &table->cell[i];
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

/* ---- presets ---------------------------------------------------------------------------------------------------- */

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
    table_text(table, about);
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

static const struct table_column model_columns[] = {
    {"name", COLUMN_TEXT}, {"parameters", COLUMN_COUNT}, {"num_layers", COLUMN_NUMBER}, {"hidden_size", COLUMN_NUMBER},
    {"num_attention_heads", COLUMN_NUMBER}, {"num_query_groups", COLUMN_NUMBER}, {"num_experts", COLUMN_NUMBER},
    {"vocab_size", COLUMN_NUMBER}, {"about", COLUMN_TEXT},
};

static void add_model(struct table *table, const char *name, struct errors *errors)
{
    static const enum param shown[] = {PARAM_model_num_layers, PARAM_model_hidden_size, PARAM_model_num_attention_heads,
                                       PARAM_model_num_query_groups, PARAM_model_num_experts, PARAM_model_vocab_size};
    struct plan plan;
    if (plan_with(PARAM_model_name, name, &plan, errors) != 0)
        return;
    struct estimate *estimate = xmalloc(sizeof *estimate);
    estimate_plan(&plan, estimate);
    table_text(table, name);
    table_number(table, estimate->totals.unpadded);
    for (size_t i = 0; i < LENGTH(shown); i++)
        table_number(table, estimate->plan.value[shown[i]]);
    free(estimate);
    add_about(table, PRESET_MODEL, name, errors);
}

static const struct table_column gpu_columns[] = {
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
    table_text(table, name);
    table_text(table, gpu->label);
    for (size_t i = 0; i < LENGTH(number); i++)
        table_number(table, number[i]);
    table_text(table, gpu->link);
    table_text(table, gpu->efficiency_basis);
}

static const struct table_column cluster_columns[] = {
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
    table_text(table, name);
    table_text(table, plan.text[TEXT_GPU]);
    for (size_t i = 0; i < LENGTH(shown); i++)
        table_number(table, resolved.value[shown[i]]);
    add_about(table, PRESET_CLUSTER, name, errors);
}

static const struct table_column about_columns[] = {{"name", COLUMN_TEXT}, {"about", COLUMN_TEXT}};

static void add_plan(struct table *table, const char *name, struct errors *errors)
{
    table_text(table, name);
    add_about(table, PRESET_PLAN, name, errors);
}

/* A theme says what it is for in its own words. */
static void add_theme(struct table *table, const char *name, struct errors *errors)
{
    struct keyvals list = {0};
    char *path;
    table_text(table, name);
    preset_read(PRESET_THEME, name, &list, &path, &(struct place){0}, errors);
    const struct keyval *about = keyvals_last(&list, "about");
    if (about)
        table_text(table, about->value);
    else
        add_about(table, PRESET_THEME, name, errors);
    keyvals_free(&list);
    free(path);
}

/* ---- what the core knows ---------------------------------------------------------------------------------------- */

static const struct table_column framework_columns[] = {
    {"name", COLUMN_TEXT}, {"date", COLUMN_TEXT}, {"version", COLUMN_TEXT}, {"about", COLUMN_TEXT},
};

static void fill_frameworks(struct table *table)
{
    for (int i = 0; i < FRAMEWORK_COUNT; i++) {
        table_text(table, frameworks[i].name);
        table_text(table, frameworks[i].date);
        table_text(table, frameworks[i].version);
        table_text(table, frameworks[i].summary);
    }
}

static const struct table_column fabric_columns[] = {
    {"name", COLUMN_TEXT}, {"about", COLUMN_TEXT}, {"rate", COLUMN_NUMBER}, {"all_to_all_rate", COLUMN_NUMBER},
    {"start_us", COLUMN_NUMBER}, {"node_us", COLUMN_NUMBER}, {"all_to_all_start_us", COLUMN_NUMBER},
    {"all_to_all_node_us", COLUMN_NUMBER}, {"rising_mb", COLUMN_NUMBER}, {"source", COLUMN_TEXT},
};

static void fill_fabrics(struct table *table)
{
    for (const struct fabric_facts *fabric = fabric_facts; fabric < fabric_facts + FABRIC_COUNT; fabric++) {
        const double numbers[] = {fabric->rate,        fabric->exchange,         fabric->start_us, fabric->node_us,
                                  fabric->exchange_us, fabric->exchange_node_us, fabric->link_bytes / 1e6};
        table_text(table, fabric->word);
        table_text(table, fabric->help);
        for (size_t i = 0; i < LENGTH(numbers); i++)
            table_number(table, numbers[i]);
        add_text(table, fabric->source[0] ? fabric->source : NULL);
    }
}

static const struct table_column constant_columns[] = {
    {"name", COLUMN_TEXT}, {"value", COLUMN_NUMBER}, {"low", COLUMN_NUMBER}, {"high", COLUMN_NUMBER},
    {"unit", COLUMN_TEXT},
    {"basis", COLUMN_TEXT}, {"date", COLUMN_TEXT}, {"about", COLUMN_TEXT}, {"source", COLUMN_TEXT},
};

static void fill_constants(struct table *table)
{
    for (size_t i = 0; i < constant_count; i++) {
        const struct term *term = &constant_terms[i];
        table_text(table, term->name);
        table_number(table, constant_values[i]);
        table_number(table, constant_ranges[i].low);
        table_number(table, constant_ranges[i].high);
        table_text(table, term->unit);
        table_text(table, basis_names[term->basis]);
        table_text(table, constant_ranges[i].date);
        table_text(table, term->label);
        table_text(table, term->source);
    }
}

static const struct table_column estimator_columns[] = {
    {"name", COLUMN_TEXT}, {"source", COLUMN_TEXT}, {"about", COLUMN_TEXT}};

static void add_estimator(struct table *table, const char *name, const char *source, const char *about)
{
    table_text(table, name);
    add_text(table, source);
    table_text(table, about);
}

static void fill_estimators(struct table *table)
{
    add_estimator(table, "shardtop", NULL, "our own model");
    for (int i = 0; i < REFERENCE_COUNT; i++)
        add_estimator(table, reference_rows[i].name, reference_rows[i].source, reference_rows[i].help);
}

static const struct table_column lesson_columns[] = {
    {"name", COLUMN_TEXT}, {"minutes", COLUMN_NUMBER}, {"steps", COLUMN_NUMBER}, {"seen", COLUMN_NUMBER},
    {"title", COLUMN_TEXT}};

static void add_lesson(struct table *table, const char *name, struct errors *errors)
{
    struct lesson lesson = {0};
    if (lesson_load(name, &lesson, errors) == 0) {
        table_text(table, lesson.name->text);
        table_number(table, strtod(lesson.minutes->text, NULL));
        table_number(table, lesson.steps);
        table_number(table, progress_of(lesson.name->text).seen);
        table_text(table, lesson.title->text);
    }
    lesson_free(&lesson);
}

static const struct table_column glossary_columns[] = {
    {"term", COLUMN_TEXT}, {"also", COLUMN_TEXT}, {"lesson", COLUMN_TEXT}, {"formula", COLUMN_TEXT},
    {"sentence", COLUMN_TEXT}};

static void fill_glossary(struct table *table)
{
    for (int i = 0; i < glossary_count; i++) {
        table_text(table, glossary[i].term);
        table_text(table, glossary[i].also);
        table_text(table, glossary[i].lesson);
        table_text(table, glossary[i].formula);
        table_text(table, glossary[i].sentence);
    }
}

static const struct table_column name_column[] = {{"name", COLUMN_TEXT}};

static void fill_schedules(struct table *table)
{
    for (int i = 0; param_rows[PARAM_parallel_schedule].choices[i]; i++)
        table_text(table, param_rows[PARAM_parallel_schedule].choices[i]);
}

static const struct table_column format_columns[] = {
    {"name", COLUMN_TEXT}, {"what", COLUMN_TEXT}, {"read", COLUMN_TEXT}, {"instead", COLUMN_TEXT}};

/* Kinds of files; which are read and, of the others, what to do with them. */
static void fill_formats(struct table *table)
{
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        bool is_read = formats[kind].read || kind == KIND_YAML || kind == KIND_JSON;
        char name[40];
        size_t n = strlen(formats[kind].id);
        for (size_t i = 0; i <= n && i < sizeof name; i++)
            name[i] = formats[kind].id[i] == '_' ? '-' : (char)tolower((unsigned char)formats[kind].id[i]);
        if (kind == KIND_EMPTY || kind == KIND_UNKNOWN || kind == KIND_MAPPING)
            continue;
        table_text(table, name);
        table_text(table, formats[kind].what);
        table_text(table, is_read ? "yes" : "no");
        add_text(table, *formats[kind].instead ? formats[kind].instead : NULL);
    }
}

static const struct table_column setting_columns[] = {
    {"name", COLUMN_TEXT}, {"value", COLUMN_TEXT}, {"about", COLUMN_TEXT}};

/* The user's settings and the keys of the screen. */
static void fill_settings(struct table *table)
{
    struct settings settings;
    struct errors faults = {0}; /* what is at fault is not among the settings */
    char text[CELL_TEXT_MAX], name[64];
    preferences_load(&settings, &faults);
    for (const struct setting_row *row = setting_rows; row->name; row++) {
        setting_print(&settings, row, text);
        table_text(table, row->name);
        table_text(table, text);
        table_text(table, row->help);
    }
    for (int i = 1; i < ACTION_accept; i++) {
        preferences_keys(&settings, (enum action)i, text, sizeof text);
        snprintf(name, sizeof name, "keys.%s", actions[i].name);
        table_text(table, name);
        table_text(table, text);
        table_text(table, actions[i].help);
    }
    errors_free(&faults);
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

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
    used += (size_t)snprintf(out, size, "%s",
                             id == PARAM_hardware_gpu ? plan_default_gpu
                             : *text                  ? text
                                                      : "derived or unknown");
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
        buffer_printf(out, "%s\n    %s%s%s%s\n", row->dotted, row->help, *row->unit ? " [" : "", row->unit,
                      *row->unit ? "]" : "");
        if (*row->more)
            buffer_printf(out, "    %s\n", row->more);
        for (const char *at = row->aliases; *at; at += strcspn(at, "|"), at += *at == '|')
            buffer_printf(out, "%s%.*s", at == row->aliases ? "    also " : ", ", (int)strcspn(at, "|"), at);
        buffer_puts(out, *row->aliases ? "\n" : "");
        buffer_printf(out, "    %s", param_type((enum param)i)->name);
        if (param_type((enum param)i)->is_number) {
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
    print_value(id, value, text, sizeof text);
    if (id == PARAM_hardware_gpu)
        json_text(json, name, plan_default_gpu);
    else if (!*text)
        json_null(json, name);
    else if (param_type(id)->json == PARAM_JSON_BOOL)
        json_bool(json, name, value > 0);
    else if (param_type(id)->is_number && row->suffix != SUFFIX_VERSION)
        json_number(json, name, value);
    else
        json_text(json, name, text);
}

static void write_defaults(struct json *json, enum param id)
{
    json_open(json, "framework_defaults", '{');
    for (int i = 0; i < FRAMEWORK_COUNT; i++)
        if (!isnan(framework_default((enum framework_id)i, id)))
            key_value(json, frameworks[i].name, id, framework_default((enum framework_id)i, id));
    json_close(json, '}');
}

#define SHAPES "src/cli/verbs/list.def"
#include "src/text/json_writers.def"
#include "src/text/json_writers.def"

static void keys_json(struct buffer *out)
{
    struct json whole = {.out = out, .lines = 1}, *json = &whole;
    ARRAY(NULL, (int i = 0; i < PARAM_COUNT; i++), PUT(key, NULL, (enum param)i))
    buffer_puts(out, "\n");
}

/* ---- the lists -------------------------------------------------------------------------------------------------- */

const char *const list_names[] = {"models",   "gpus",       "clusters",  "plans",      "lessons",
                                  "glossary", "frameworks", "fabrics",   "constants",  "estimators",
                                  "schedules", "themes",    "formats",   "keys",       "settings",   NULL};

#define COLUMNS(array) array, LENGTH(array)

static const struct list_row {
    const char *name;
    const struct table_column *column;
    size_t columns;
    void (*fill)(struct table *table); /* NULL: `add` is called for each preset of `kind` */
    enum preset_kind kind;
    void (*add)(struct table *table, const char *name, struct errors *errors);
} list_rows[] = {
    {"models", COLUMNS(model_columns), NULL, PRESET_MODEL, add_model},
    {"gpus", COLUMNS(gpu_columns), NULL, PRESET_GPU, add_gpu},
    {"clusters", COLUMNS(cluster_columns), NULL, PRESET_CLUSTER, add_cluster},
    {"plans", COLUMNS(about_columns), NULL, PRESET_PLAN, add_plan},
    {"lessons", COLUMNS(lesson_columns), NULL, PRESET_LESSON, add_lesson},
    {"glossary", COLUMNS(glossary_columns), fill_glossary, PRESET_KIND_COUNT, NULL},
    {"themes", COLUMNS(about_columns), NULL, PRESET_THEME, add_theme},
    {"frameworks", COLUMNS(framework_columns), fill_frameworks, PRESET_KIND_COUNT, NULL},
    {"fabrics", COLUMNS(fabric_columns), fill_fabrics, PRESET_KIND_COUNT, NULL},
    {"constants", COLUMNS(constant_columns), fill_constants, PRESET_KIND_COUNT, NULL},
    {"estimators", COLUMNS(estimator_columns), fill_estimators, PRESET_KIND_COUNT, NULL},
    {"schedules", COLUMNS(name_column), fill_schedules, PRESET_KIND_COUNT, NULL},
    {"formats", COLUMNS(format_columns), fill_formats, PRESET_KIND_COUNT, NULL},
    {"settings", COLUMNS(setting_columns), fill_settings, PRESET_KIND_COUNT, NULL},
};

static const struct list_row *find_list(const char *name)
{
    for (size_t i = 0; i < LENGTH(list_rows); i++)
        if (strcmp(name, list_rows[i].name) == 0)
            return &list_rows[i];
    return NULL;
}

const struct table_column *list_columns(const char *what, size_t *count)
{
    const struct list_row *list = find_list(what);
    *count = list ? list->columns : 0;
    return list ? list->column : NULL;
}

static void fill_presets(struct table *table, const struct list_row *list, struct errors *errors)
{
    const char *const *names;
    size_t count = preset_names(list->kind, &names);
    for (size_t i = 0; i < count; i++) {
        struct errors own = {0}; /* of a user's file, which is no reason to show nothing */
        list->add(table, names[i], &own);
        if (errors_any(&own))
            errors_note(errors, NULL, 0, names[i], "is left out: %s", own.line[0]);
        errors_free(&own);
    }
}

static int unknown_list(const char *what, struct errors *errors)
{
    struct buffer all = {0};
    for (int i = 0; list_names[i]; i++)
        if (text_distance(what, list_names[i]) <= 1) {
            errors_add(errors, "shardtop", 0, "list", "'%.40s' is not a list; did you mean %s?", what, list_names[i]);
            return -1;
        }
    for (int i = 0; list_names[i]; i++)
        buffer_printf(&all, "%s%s", i ? ", " : "", list_names[i]);
    errors_add(errors, "shardtop", 0, "list", "'%.40s' is not a list; use one of %s", what, all.text);
    buffer_free(&all);
    return -1;
}

int list_write(struct buffer *out, const char *what, bool json, struct errors *errors)
{
    size_t faults = errors->faults;
    if (strcmp(what, "keys") == 0) {
        (json ? keys_json : keys_text)(out);
        return 0;
    }
    if (strcmp(what, "settings") == 0) {
        struct settings settings;
        preferences_load(&settings, errors); /* what is at fault is not among them, and is said */
        if (!json)
            return preferences_list(&settings, out), errors->faults > faults ? -1 : 0;
    }
    const struct list_row *list = find_list(what);
    if (!list)
        return unknown_list(what, errors);
    struct table table = {.name = list->name, .column = list->column, .columns = list->columns};
    if (list->fill)
        list->fill(&table);
    else
        fill_presets(&table, list, errors);
    (json ? print_json : print_text)(out, &table);
    table_free(&table);
    return errors->faults > faults ? -1 : 0;
}
