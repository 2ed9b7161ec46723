#include "src/plan/plan_io.h"

#include "core/plan/param.h"
#include "src/import/sibling_files.h"
#include "src/import/unknown.h"
#include "src/plan/left_open.h"
#include "src/plan/aliases.h"
#include "src/plan/named.h"
#include "src/plan/preset.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/text.h"
#include "src/text/tree.h"
#include "src/text/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char plan_default_gpu[] = "h100-sxm-80";

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* What hangs on a branch that nobody chose is assumed, so that a verdict says so. */
static void mark_branches(struct plan *plan, const struct questions *questions)
{
    for (int i = 0; i < questions->count; i++)
        for (int k = 0; k < questions->item[i].count && questions->item[i].has_words; k++) {
            uint8_t *from = &plan->from[questions->item[i].decides[k]];
            *from = *from == FROM_FILE ? FROM_ASSUMED : *from;
        }
}

void plan_mark_nodes(struct plan *plan)
{
    bool is_each = !param_blank(plan, PARAM_hardware_gpus_per_node); /* of one node, unless more are given */
    if (!is_each && !(plan->value[PARAM_parallel_dp] > 0))
        plan->from[PARAM_hardware_nodes] = FROM_ASSUMED;
}

static int read_foreign(struct plan *plan, struct plan_reading *reading, const char *text, size_t size,
                        const char *name, struct errors *errors)
{
    enum plan_kind kind = reading->kind;
    struct import import = {.base = plan, .options = &reading->options};
    struct plan candidate = *plan;
    int result = recognise_read(kind, text, size, name, &import, errors);
    if (kind == KIND_HF)
        preset_blank_group(&candidate, GROUP_model);
    else if (result == 0)
        result = named_model(&candidate, &import, name, errors);
    if (result == 0)
        result = plan_apply_import(&candidate, &import, name, FROM_FILE, errors);
    if (result == 0) {
        mark_branches(&candidate, &import.questions);
        unknown_ask(&import, &candidate, name);
        plan_mark_nodes(&candidate);
        *plan = candidate;
        char method[PARAM_TEXT_MAX] = "";
        bool is_full = param_print(plan, PARAM_train_peft, method, sizeof method) <= 0 || strcmp(method, "none") == 0;
        comment_read(text, is_full ? "full" : method, &reading->figures);
        reading->commands = import.commands;
        reading->has_auto = import.has_auto;
        questions_join(&reading->questions, &import.questions);
        if (reading->unused)
            keyvals_join(reading->unused, &import.unused);
    }
    import.base = NULL;
    import.options = NULL;
    if (reading->import)
        *reading->import = import;
    else
        import_free(&import);
    return result;
}

/* `model: {name: llama2-7b}` alone is most likely meant as `model: llama2-7b`. */
static void note_label(const struct keyvals *list, const char *name, struct errors *errors)
{
    const struct keyval *label = NULL;
    for (size_t i = 0; i < list->count; i++) {
        bool is_label = strcmp(list->item[i].key, "model.name") == 0;
        int id = param_find(list->item[i].key);
        if (strcmp(list->item[i].key, "model") == 0 || (!is_label && id >= 0 && param_rows[id].group_id == GROUP_model))
            return;
        if (is_label)
            label = &list->item[i];
    }
    if (label && preset_known(PRESET_MODEL, label->value))
        errors_note(errors, name, label->line, label->key, "only labels the plan; write `model: %s` to load that model",
                    label->value);
}

static int read_settings(struct plan *plan, enum tree_format format, const char *text, size_t size, const char *name,
                         struct plan_reading *reading, struct errors *errors)
{
    struct keyvals list = {0}, open = {0};
    struct plan candidate = *plan;
    size_t faults = errors->faults;
    tree_settings(text, size, name, format, &list, errors);
    const struct plan_source source = {.file = name, .from = FROM_FILE, .is_last_wins = errors->faults > faults};
    left_open_split(&list, &open);
    plan_apply(&candidate, &list, &source, errors);
    const struct left_open_file file = {.name = name, .settings = &list, .open = &open, .before = plan};
    left_open_apply(&candidate, &file, reading, errors);
    bool is_good = errors->faults == faults;
    if (is_good) {
        note_label(&list, name, errors);
        *plan = candidate;
    }
    keyvals_free(&list);
    keyvals_free(&open);
    return is_good ? 0 : -1;
}

int plan_read(struct plan *plan, const char *text, size_t size, const char *name, struct plan_reading *reading,
              struct errors *errors)
{
    struct plan_reading own = {0};
    enum plan_kind kind = plan_recognise(text, size);
    reading = reading ? reading : &own;
    reading->kind = kind;
    if (kind == KIND_YAML || kind == KIND_JSON)
        return read_settings(plan, kind == KIND_JSON ? TREE_JSON : TREE_YAML, text, size, name, reading, errors);
    if (formats[kind].read)
        return read_foreign(plan, reading, text, size, name, errors);
    recognise_refuse(kind, text, size, name, errors);
    return -1;
}

int plan_load_preset(struct plan *plan, const char *name, struct errors *errors)
{
    size_t size;
    char *path = NULL;
    char *text = preset_text(PRESET_PLAN, name, &size, &path, &(struct place){0}, errors);
    /* plans of the library are our own */
    int result = text ? read_settings(plan, TREE_YAML, text, size, path, NULL, errors) : -1;
    free(text);
    free(path);
    return result;
}

int plan_load(struct plan *plan, const char *path, struct plan_reading *reading, struct errors *errors)
{
    size_t size;
    bool is_stdin = strcmp(path, "-") == 0;
    if (!is_stdin && access(path, F_OK) != 0 && preset_known(PRESET_PLAN, path)) {
        if (reading)
            reading->kind = KIND_UNKNOWN; /* nothing to save to */
        return plan_load_preset(plan, path, errors);
    }
    if (reading)
        reading->options.path = is_stdin ? NULL : path;
    char *text = file_read(path, &size, errors);
    int result = text ? plan_read(plan, text, size, is_stdin ? "standard input" : path, reading, errors) : -1;
    free(text);
    return result;
}

/* Of settings the sizes that ZeRO works with and that nothing else has given. */
static void take_sizes(struct plan *plan, const struct keyvals *settings)
{
    char why[PARAM_WHY_MAX];
    for (size_t i = 0; i < settings->count; i++) {
        int id = param_find(settings->item[i].key);
        if (id >= 0 && strncmp(settings->item[i].key, "framework.zero_", strlen("framework.zero_")) == 0 &&
            plan->from[id] < FROM_FILE)
            param_parse(plan, (enum param)id, settings->item[i].value, FROM_FILE, false, why);
    }
}

void plan_settle_auto(struct plan *plan, const char *path, const struct import_options *options, struct errors *errors)
{
    struct import_options here = options ? *options : (struct import_options){0};
    struct import import = {.base = plan, .options = &here};
    struct errors unheard = {0};
    size_t size;
    here.path = path;
    if (param_blank(plan, PARAM_model_hidden_size)) {
        errors_note(errors, path, 0, NULL,
                    "sizes of \"auto\" depend on the hidden size, which is unknown; give the model with --model");
        return;
    }
    char *text = beside_open(&here, path, &size);
    enum plan_kind kind = text ? plan_recognise(text, size) : KIND_UNKNOWN;
    if (formats[kind].read && recognise_read(kind, text, size, path, &import, &unheard) == 0)
        take_sizes(plan, &import.settings);
    import.base = NULL;
    import.options = NULL;
    import_free(&import);
    errors_free(&unheard);
    free(text);
}

void plan_take_model(struct plan *to, const struct plan *from, enum origin origin)
{
    preset_blank_group(to, GROUP_model);
    for (int i = 0; i < PARAM_COUNT; i++)
        if (param_rows[i].group_id == GROUP_model && !param_blank(from, (enum param)i))
            param_copy(to, from, (enum param)i, origin);
}

/*
 * The file that holds the model, in fresh memory: the one of this path, or what a hub's client keeps; NULL for a
 * preset.
 */
static char *model_file(const char *name_or_path)
{
    if (preset_known(PRESET_MODEL, name_or_path))
        return NULL;
    bool is_path = strcmp(name_or_path, "-") == 0 || access(name_or_path, F_OK) == 0;
    return is_path ? xstrdup(name_or_path) : preset_hub_file(name_or_path);
}

bool plan_is_model_file(const char *name_or_path)
{
    char *path = model_file(name_or_path);
    free(path);
    return path != NULL;
}

int plan_load_model(struct plan *plan, const char *name_or_path, enum origin from, struct errors *errors)
{
    struct place place = {NULL, 0, "--model"};
    char *path = model_file(name_or_path);
    if (!path)
        return preset_apply(plan, PARAM_model_name, name_or_path, from, &place, errors);
    struct plan other;
    plan_clear(&other);
    int result = plan_load(&other, path, NULL, errors);
    if (result == 0)
        plan_take_model(plan, &other, from);
    free(path);
    return result;
}

/* Asks for one key that is still as nobody gave it. */
static void ask_key(struct questions *questions, enum param key, const char *variable, const char *assumed,
                    const char *where, const char *how)
{
    struct question question = {0};
    snprintf(question.variable, sizeof question.variable, "%s", variable);
    snprintf(question.assumed, sizeof question.assumed, "%s", assumed);
    text_clean(where, question.where, sizeof question.where);
    snprintf(question.how, sizeof question.how, "%s", how);
    question_ask(questions, &question, key);
}

/* A variable that decides the nodes is asked for in place of the GPUs; it says how many were taken. */
static void name_nodes(struct questions *questions, double nodes)
{
    for (int i = 0; i < questions->count; i++) {
        struct question *it = &questions->item[i];
        if (it->decides[0] == (int16_t)PARAM_hardware_nodes && it->count == 1 && !*it->assumed)
            snprintf(it->assumed, sizeof it->assumed, "%.0f", nodes);
    }
}

void plan_ask_model(const struct plan *plan, const char *where, struct questions *questions)
{
    bool has_shape = !param_blank(plan, PARAM_model_num_layers) || !param_blank(plan, PARAM_model_layer_pattern);
    if (has_shape || question_about(questions, PARAM_model_num_layers))
        return;
    ask_key(questions, PARAM_model_num_layers, PLAN_ASKS_MODEL, "", where, "--model NAME or FILE");
    ask_key(questions, PARAM_model_hidden_size, PLAN_ASKS_MODEL, "", where, "--model NAME or FILE");
}

void plan_ask_hardware(const struct plan *plan, const char *where, struct questions *questions)
{
    struct plan resolved;
    char assumed[QUESTION_TEXT_MAX];
    plan_resolve(plan, &resolved);
    double nodes = resolved.value[PARAM_hardware_nodes], each = resolved.value[PARAM_hardware_gpus_per_node];
    bool is_counted = plan->from[PARAM_hardware_nodes] >= FROM_PRESET || plan->value[PARAM_parallel_dp] > 0;
    bool is_asked = !is_counted && nodes > 0 && each > 0;
    snprintf(assumed, sizeof assumed, "%.0f x %.0f", nodes, each);
    if (is_asked && question_about(questions, PARAM_hardware_nodes))
        name_nodes(questions, nodes);
    else if (is_asked)
        ask_key(questions, PARAM_hardware_nodes, PLAN_ASKS_GPUS, assumed, where, "--gpus N");
    if (plan->from[PARAM_hardware_gpu] <= FROM_ASSUMED && !question_about(questions, PARAM_hardware_gpu))
        ask_key(questions, PARAM_hardware_gpu, PLAN_ASKS_GPU, plan->text[TEXT_GPU], where, "--gpu NAME");
}

void plan_finish(struct plan *plan)
{
    struct errors errors = {0};
    if (param_blank(plan, PARAM_hardware_gpu))
        preset_apply(plan, PARAM_hardware_gpu, plan_default_gpu, FROM_DEFAULT, &(struct place){0}, &errors);
    errors_free(&errors);
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static bool is_preset_key(enum param id)
{
    return id == PARAM_model_name || id == PARAM_plan_cluster;
}

/* Loads the preset that a group of `plan` names into `base`; false when there is none of that name. */
static bool load_base(const struct plan *plan, enum param key, struct plan *base)
{
    struct errors errors = {0};
    const char *name = plan->text[param_text_slot(key)];
    plan_clear(base);
    bool is_there = *name && preset_known(preset_kind_of(key), name) &&
                    preset_apply(base, key, name, FROM_PRESET, &(struct place){0}, &errors) == 0;
    errors_free(&errors);
    return is_there;
}

/* How many keys of a group have a value in `plan`, and how many differ from `base`. */
static int count_differences(const struct plan *plan, const struct plan *base, enum param_group group, int *given)
{
    int differ = 0;
    *given = 0;
    for (int i = 0; i < PARAM_COUNT; i++) {
        if (param_rows[i].group_id != group || is_preset_key((enum param)i))
            continue;
        *given += !param_blank(plan, (enum param)i);
        differ += !param_equal(plan, base, (enum param)i);
    }
    return differ;
}

static void emit_value(struct buffer *out, const struct plan *plan, enum param id)
{
    char text[PARAM_TEXT_MAX];
    param_print(plan, id, text, sizeof text);
    if (param_rows[id].type == TYPE_NAME || (param_rows[id].type == TYPE_PATTERN && *text))
        yaml_scalar(out, text);
    else
        buffer_puts(out, *text ? text : "auto");
    buffer_puts(out, "\n");
}

/* The device that was loaded because nobody named one is loaded again when the file is read. */
static bool is_implied(const struct plan *plan, enum param id)
{
    return id == PARAM_hardware_gpu && plan->from[id] == FROM_DEFAULT &&
           strcmp(plan->text[TEXT_GPU], plan_default_gpu) == 0;
}

static void emit_group(struct buffer *out, const struct plan *plan, enum param_group group)
{
    bool is_open = false;
    for (int i = 0; i < PARAM_COUNT; i++) {
        if (param_rows[i].group_id != group || param_blank(plan, (enum param)i) || is_implied(plan, (enum param)i))
            continue;
        if (!is_open)
            buffer_printf(out, "\n%s:\n", param_group_names[group]);
        is_open = true;
        buffer_printf(out, "  %s: ", param_rows[i].key);
        emit_value(out, plan, (enum param)i);
    }
}

/* A group as the name of its preset and the keys that differ from it. */
static void emit_differences(struct buffer *out, const struct plan *plan, const struct plan *base,
                             enum param_group group, enum param key)
{
    buffer_printf(out, "\n%s: ", group == GROUP_model ? "model" : param_rows[key].dotted);
    emit_value(out, plan, key);
    for (int i = 0; i < PARAM_COUNT; i++) {
        if (param_rows[i].group_id != group || is_preset_key((enum param)i) || param_equal(plan, base, (enum param)i))
            continue;
        buffer_printf(out, "%s: ", param_rows[i].dotted);
        emit_value(out, plan, (enum param)i);
    }
}

/* The model group: named where it is mostly the preset, spelled out where it only has the preset's name. */
static void emit_model(struct buffer *out, const struct plan *plan)
{
    struct plan base;
    int given = 0;
    bool is_named = load_base(plan, PARAM_model_name, &base);
    if (is_named && 2 * count_differences(plan, &base, GROUP_model, &given) <= given)
        emit_differences(out, plan, &base, GROUP_model, PARAM_model_name);
    else
        emit_group(out, plan, GROUP_model);
}

static void emit_hardware(struct buffer *out, const struct plan *plan)
{
    struct plan base;
    if (load_base(plan, PARAM_plan_cluster, &base))
        emit_differences(out, plan, &base, GROUP_hardware, PARAM_plan_cluster);
    else
        emit_group(out, plan, GROUP_hardware);
}

void plan_emit(struct buffer *out, const struct plan *plan, const struct questions *questions, const char *comment)
{
    buffer_lines(out, "# ", comment);
    if (!param_blank(plan, PARAM_plan_workload)) {
        buffer_puts(out, "\nworkload: ");
        emit_value(out, plan, PARAM_plan_workload);
    }
    emit_group(out, plan, GROUP_framework);
    emit_model(out, plan);
    emit_group(out, plan, GROUP_parallel);
    emit_group(out, plan, GROUP_train);
    emit_hardware(out, plan);
    emit_group(out, plan, GROUP_serve);
    emit_group(out, plan, GROUP_rl);
    left_open_emit(out, plan, questions);
}
