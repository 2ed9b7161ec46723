#include "src/plan/plan_io.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/plan/nearest.h"
#include "core/plan/param.h"
#include "src/import/args.h"
#include "src/import/deepspeed.h"
#include "src/import/hf.h"
#include "src/import/import.h"
#include "src/import/megatron.h"
#include "src/import/nanotron.h"
#include "src/plan/preset.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/keyval.h"
#include "src/text/text.h"
#include "src/text/tree.h"
#include "src/text/write.h"
#include "src/text/yaml.h"

const char plan_default_gpu[] = "h100-sxm-80";

/* ---- settings to keys ---------------------------------------------------------------------------------------------- */

/* The group that `name` names, -1 for none. */
static int find_group(const char *name)
{
    for (int i = 0; i < GROUP_plan; i++)
        if (strcmp(name, param_group_names[i]) == 0)
            return i;
    return -1;
}

/* The key that `name` names in a source; a group alone stands for its own name (`model: NAME`, `framework: NAME`). */
static int find_key(const char *name, const struct plan_source *source)
{
    char own_name[64];
    snprintf(own_name, sizeof own_name, "%.40s.name", name);
    int id = find_group(name) >= 0 ? param_find(own_name) : -1;
    return id >= 0 ? id : source->is_typed ? param_find_alias(name) : param_find(name);
}

/* The keys of which `name` is the last part, when there are several. */
static bool is_several(const char *name, char list[NEAREST_TEXT_MAX])
{
    struct nearest same = {.typed = name};
    for (int i = 0; i < PARAM_COUNT; i++)
        if (strcmp(param_rows[i].key, name) == 0)
            nearest_offer(&same, name, param_rows[i].dotted);
    return nearest_list(&same, list) > 1;
}

static void unknown_key(const struct keyval *kv, const struct plan_source *source, struct errors *errors)
{
    struct nearest nearest = {.typed = kv->key};
    char names[NEAREST_TEXT_MAX];
    int meant = param_find_alias(kv->key);
    param_nearest(&nearest);
    if (find_group(kv->key) >= 0)
        errors_add(errors, source->file, kv->line, kv->key, "is a group of keys, not a value; write its keys below it");
    else if (strncmp(kv->key, "gpu.", 4) == 0)
        errors_add(errors, source->file, kv->line, kv->key,
                   "belongs to a GPU file; put that into the configuration folder as gpus/NAME.yaml and write `gpu: NAME`");
    else if (is_several(kv->key, names))
        errors_add(errors, source->file, kv->line, kv->key, "could be several keys; write %s", names);
    else if (meant >= 0)
        errors_add(errors, source->file, kv->line, kv->key, "is another name of a key; write %s",
                   param_rows[meant].dotted);
    else if (nearest_list(&nearest, names))
        errors_add(errors, source->file, kv->line, kv->key, "is not a key; did you mean %s?", names);
    else
        errors_add(errors, source->file, kv->line, kv->key, "is not a key; see `shardtop list keys`");
}

/* One setting on its way into the plan. */
struct setting {
    const struct keyval *kv;
    int id;                       /* enum param; -1 when the key is not known */
    bool is_preset;               /* loads a preset of this TYPE_NAME key */
    bool is_late;                 /* an expression that may name other keys */
    bool is_done;                 /* needs no value (any more) */
    const struct keyval *earlier; /* the same key before in the same file */
    char *why;                    /* what is wrong with the value, or NULL */
};

/* Numbers with letters in them may be expressions over other keys, so they wait until those are read. */
static bool may_be_expression(int id, const char *value)
{
    for (const char *p = value; id >= 0 && param_type((enum param)id)->is_number && *p; p++)
        if (isalpha((unsigned char)*p))
            return true;
    return false;
}

/* Finds out what a setting means. */
static struct setting read_setting(const struct keyval *kv, const struct plan_source *source)
{
    bool is_model = strcmp(kv->key, "model") == 0;
    struct setting out = {.kv = kv, .id = find_key(kv->key, source)};
    bool is_empty_group = find_group(kv->key) >= 0 && !*kv->value && source->from != FROM_SET;
    if (out.id < 0 || is_empty_group) {
        out.id = -1;
        out.is_done = is_empty_group;
        return out;
    }
    bool is_known_label = out.id == PARAM_model_name && source->from == FROM_SET && preset_known(PRESET_MODEL, kv->value);
    out.is_preset = is_model || is_known_label || out.id == PARAM_hardware_gpu || out.id == PARAM_plan_cluster;
    out.is_late = may_be_expression(out.id, kv->value);
    return out;
}

/* Marks keys that one file gives twice, perhaps spelled in two ways. A model's name and its preset are two things. */
static void mark_repeated(struct setting *settings, size_t count)
{
    const struct keyval *seen[PARAM_COUNT + 1] = {0};
    for (size_t i = 0; i < count; i++) {
        struct setting *s = &settings[i];
        if (s->id < 0)
            continue;
        const struct keyval **first = &seen[s->id == PARAM_model_name && s->is_preset ? PARAM_COUNT : s->id];
        s->earlier = *first;
        s->is_done = *first != NULL;
        *first = *first ? *first : s->kv;
    }
}

/* ---- applying ------------------------------------------------------------------------------------------------------ */

static void apply_preset(struct plan *plan, const struct setting *setting, const struct plan_source *source,
                         struct errors *errors)
{
    struct place place = {source->file, setting->kv->line, setting->kv->key};
    enum param id = (enum param)setting->id;
    if (*setting->kv->value)
        preset_apply(plan, id, setting->kv->value, source->from, &place, errors);
    else if (id == PARAM_model_name)
        preset_blank_group(plan, GROUP_model);
    else
        preset_set_name(plan, id, "", FROM_DEFAULT);
    if (!*setting->kv->value && id == PARAM_hardware_gpu)
        gpu_clear(&plan->gpu);
}

/* Applies the last preset of one key and marks all of that key as done. */
static void apply_presets(struct plan *plan, struct setting *settings, size_t count, enum param id,
                          const struct plan_source *source, struct errors *errors)
{
    struct setting *last = NULL;
    for (size_t i = 0; i < count; i++)
        if (settings[i].is_preset && settings[i].id == (int)id && !settings[i].earlier) {
            settings[i].is_done = true;
            last = &settings[i];
        }
    if (last)
        apply_preset(plan, last, source, errors);
}

/* Reads one value; names must be safe to print. */
static int apply_value(struct plan *plan, const struct setting *setting, enum origin from, char *why)
{
    const char *value = setting->kv->value;
    if (param_rows[setting->id].type != TYPE_NAME)
        return param_parse(plan, (enum param)setting->id, value, from, false, why);
    struct plan scratch;
    char clean[4 * PLAN_TEXT_MAX];
    plan_clear(&scratch);
    if (param_parse(&scratch, (enum param)setting->id, value, from, false, why) != 0)
        return -1;
    const char *name = scratch.text[param_text_slot((enum param)setting->id)];
    text_clean(name, clean, sizeof clean);
    if (strcmp(clean, name) != 0) {
        snprintf(why, PARAM_WHY_MAX, "has a control character in it; use a plain name");
        return -1;
    }
    preset_set_name(plan, (enum param)setting->id, name, from);
    return 0;
}

/* Applies the plain (or the late) values once, in order; returns how many could be read. */
static size_t apply_round(struct plan *plan, struct setting *settings, size_t count, bool is_late, enum origin from)
{
    char why[PARAM_WHY_MAX];
    size_t done = 0;
    for (size_t i = 0; i < count; i++) {
        struct setting *s = &settings[i];
        if (s->is_done || s->id < 0 || s->is_late != is_late)
            continue;
        s->is_done = apply_value(plan, s, from, why) == 0;
        done += s->is_done;
        free(s->why);
        s->why = s->is_done ? NULL : xstrdup(why);
    }
    return done;
}

/* Expressions over keys that nobody gave see what these are by default. */
static void apply_over_defaults(struct plan *plan, struct setting *settings, size_t count, enum origin from)
{
    struct plan resolved;
    char why[PARAM_WHY_MAX];
    for (size_t i = 0; i < count; i++) {
        struct setting *s = &settings[i];
        if (s->is_done || !s->is_late)
            continue;
        plan_resolve(plan, &resolved);
        if (param_parse(&resolved, (enum param)s->id, s->kv->value, from, false, why) != 0)
            continue;
        plan->value[s->id] = resolved.value[s->id];
        plan->from[s->id] = (uint8_t)from;
        free(s->why);
        s->why = NULL;
    }
}

/* Says what is wrong with each setting, in the order of the file. */
static void report_settings(const struct setting *settings, size_t count, const struct plan_source *source,
                            struct errors *errors)
{
    for (size_t i = 0; i < count; i++) {
        const struct setting *s = &settings[i];
        if (s->earlier)
            errors_add(errors, source->file, s->kv->line, s->kv->key, "is given twice (first as %s on line %d); keep one",
                       s->earlier->key, s->earlier->line);
        else if (s->id < 0 && !s->is_done)
            unknown_key(s->kv, source, errors);
        else if (s->why)
            errors_add(errors, source->file, s->kv->line, s->kv->key, "%s", s->why);
    }
}

int plan_apply(struct plan *plan, const struct keyvals *list, const struct plan_source *source, struct errors *errors)
{
    static const enum param presets[] = {PARAM_model_name, PARAM_plan_cluster, PARAM_hardware_gpu};
    struct setting *settings = xmalloc(list->count * sizeof *settings);
    struct plan candidate = *plan;
    size_t faults = errors->faults;
    for (size_t i = 0; i < list->count; i++)
        settings[i] = read_setting(&list->item[i], source);
    if (!source->is_last_wins)
        mark_repeated(settings, list->count);
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        apply_presets(&candidate, settings, list->count, presets[i], source, errors);
    apply_round(&candidate, settings, list->count, false, source->from);
    while (apply_round(&candidate, settings, list->count, true, source->from) > 0)
        ; /* an expression may name a key that another expression gives */
    apply_over_defaults(&candidate, settings, list->count, source->from);
    report_settings(settings, list->count, source, errors);
    for (size_t i = 0; i < list->count; i++)
        free(settings[i].why);
    free(settings);
    if (errors->faults > faults)
        return -1;
    *plan = candidate;
    return 0;
}

/* ---- recognising --------------------------------------------------------------------------------------------------- */

const char *const plan_kind_names[KIND_COUNT] = {
    "a plan (YAML)",
    "a plan (JSON)",
    "a Megatron launch script",
    "Megatron's arguments",
    "a Hugging Face config.json",
    "a nanotron configuration",
    "a DeepSpeed configuration",
    "an empty file",
    "something unknown",
};

/* The first character that is neither blank nor in a comment. */
static const char *skip_comments(const char *p)
{
    for (;;) {
        p += strspn(p, " \t\r\n");
        if (*p != '#')
            return p;
        p += strcspn(p, "\n");
    }
}

/* True when the first line that says something is `key:`, `key: value`, `---` or a YAML directive. */
static bool is_like_yaml(const char *text)
{
    const char *p = skip_comments(text);
    if (strncmp(p, "---", 3) == 0 || strncmp(p, "%YAML", 5) == 0 || *p == '"' || *p == '{')
        return true;
    size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    return n > 0 && p[n] == ':' && (p[n + 1] == '\0' || isspace((unsigned char)p[n + 1]));
}

enum plan_kind plan_recognise(const char *text, size_t size)
{
    static const char bom[] = "\xef\xbb\xbf";
    if (strncmp(text, bom, 3) == 0) {
        text += 3;
        size -= 3;
    }
    const char *p = text + strspn(text, " \t\r\n");
    if (!*skip_comments(p))
        return KIND_EMPTY;
    bool is_json = *p == '{' && strchr("\"}", p[1 + strspn(p + 1, " \t\r\n")]);
    if (is_json)
        return hf_recognise(text, size) ? KIND_HF : deepspeed_recognise(text, size) ? KIND_DEEPSPEED : KIND_JSON;
    bool is_script = strncmp(p, "#!", 2) == 0;
    if (!is_script && nanotron_recognise(text, size))
        return KIND_NANOTRON;
    if (!is_script && args_recognise(text, size))
        return KIND_ARGUMENTS;
    if (!is_script && is_like_yaml(p))
        return KIND_YAML;
    return megatron_recognise(text, size) ? KIND_MEGATRON : KIND_UNKNOWN;
}

/* ---- reading ------------------------------------------------------------------------------------------------------- */

/* Flags with a reason of their own were remarked on where they stand. */
static void note_unused(const struct keyvals *unused, const char *name, struct errors *errors)
{
    struct buffer flags = {0};
    for (size_t i = 0; i < unused->count; i++) {
        const struct keyval *flag = &unused->item[i];
        if (strcmp(flag->value, IMPORT_NO_EFFECT) == 0 || strcmp(flag->value, IMPORT_NOT_KNOWN) == 0)
            buffer_printf(&flags, "%s%s", flags.size ? ", " : "", flag->key);
    }
    if (flags.size)
        errors_note(errors, name, 0, NULL, "not used: %s", flags.text);
    buffer_free(&flags);
}

/* Megatron's own defaults count only where nothing else was said. */
static int apply_defaults(struct plan *plan, const struct keyvals *defaults, const char *name, struct errors *errors)
{
    struct keyvals blank = {0};
    for (size_t i = 0; i < defaults->count; i++) {
        int id = param_find(defaults->item[i].key);
        if (id < 0 || param_blank(plan, (enum param)id))
            keyvals_add(&blank, defaults->item[i].key, defaults->item[i].value, 0);
    }
    const struct plan_source source = {.file = name, .from = FROM_DEFAULT, .is_last_wins = true};
    int result = plan_apply(plan, &blank, &source, errors);
    keyvals_free(&blank);
    return result;
}

int plan_apply_import(struct plan *plan, const struct import *import, const char *name, enum origin from,
                      struct errors *errors)
{
    const struct plan_source source = {.file = name, .from = from, .is_last_wins = true};
    struct plan candidate = *plan;
    if (plan_apply(&candidate, &import->settings, &source, errors) != 0 ||
        apply_defaults(&candidate, &import->defaults, name, errors) != 0)
        return -1;
    note_unused(&import->unused, name, errors);
    *plan = candidate;
    return 0;
}

typedef int importer(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);

/* Kinds that are read into an import, but for DeepSpeed's, which needs the plan so far. */
static importer *const importers[KIND_COUNT] = {
    [KIND_MEGATRON] = megatron_import,
    [KIND_ARGUMENTS] = args_import,
    [KIND_HF] = hf_import,
    [KIND_NANOTRON] = nanotron_import,
};

static int read_foreign(struct plan *plan, enum plan_kind kind, const char *text, size_t size, const char *name,
                        struct errors *errors)
{
    struct import import = {0};
    struct plan candidate = *plan;
    int result = kind == KIND_DEEPSPEED ? deepspeed_import(text, size, name, plan, &import, errors)
                                        : importers[kind](text, size, name, &import, errors);
    if (kind == KIND_HF)
        preset_blank_group(&candidate, GROUP_model);
    if (result == 0)
        result = plan_apply_import(&candidate, &import, name, FROM_FILE, errors);
    if (result == 0)
        *plan = candidate;
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
                         struct errors *errors)
{
    struct keyvals list = {0};
    struct plan candidate = *plan;
    size_t faults = errors->faults;
    tree_settings(text, size, name, format, &list, errors);
    const struct plan_source source = {.file = name, .from = FROM_FILE, .is_last_wins = errors->faults > faults};
    plan_apply(&candidate, &list, &source, errors);
    bool is_good = errors->faults == faults;
    if (is_good) {
        note_label(&list, name, errors);
        *plan = candidate;
    }
    keyvals_free(&list);
    return is_good ? 0 : -1;
}

int plan_read(struct plan *plan, const char *text, size_t size, const char *name, enum plan_kind *kind,
              struct errors *errors)
{
    enum plan_kind it = plan_recognise(text, size);
    if (kind)
        *kind = it;
    switch (it) {
    case KIND_YAML:
        return read_settings(plan, TREE_YAML, text, size, name, errors);
    case KIND_JSON:
        return read_settings(plan, TREE_JSON, text, size, name, errors);
    case KIND_EMPTY:
        errors_add(errors, name, 0, NULL, "is empty; write at least `model: NAME`");
        return -1;
    case KIND_UNKNOWN:
        errors_add(errors, name, 0, NULL,
                   "is nothing that is read here; give a plan (YAML or JSON), a Megatron launch script, a Hugging Face config.json, "
                   "a nanotron or a DeepSpeed configuration");
        return -1;
    default:
        return read_foreign(plan, it, text, size, name, errors);
    }
}

int plan_load_preset(struct plan *plan, const char *name, struct errors *errors)
{
    size_t size;
    char *path = NULL;
    char *text = preset_text(PRESET_PLAN, name, &size, &path, &(struct place){0}, errors);
    int result = text ? plan_read(plan, text, size, path, NULL, errors) : -1;
    free(text);
    free(path);
    return result;
}

int plan_load(struct plan *plan, const char *path, enum plan_kind *kind, struct errors *errors)
{
    size_t size;
    bool is_stdin = strcmp(path, "-") == 0;
    if (!is_stdin && access(path, F_OK) != 0 && preset_known(PRESET_PLAN, path)) {
        if (kind)
            *kind = KIND_UNKNOWN; /* nothing to save to */
        return plan_load_preset(plan, path, errors);
    }
    char *text = file_read(path, &size, errors);
    int result = text ? plan_read(plan, text, size, is_stdin ? "standard input" : path, kind, errors) : -1;
    free(text);
    return result;
}

/* Copies one group from another plan. */
static void copy_group(struct plan *to, const struct plan *from, enum param_group group, enum origin origin)
{
    preset_blank_group(to, group);
    for (int i = 0; i < PARAM_COUNT; i++) {
        if (param_rows[i].group_id != group || param_blank(from, (enum param)i))
            continue;
        param_copy(to, from, (enum param)i, origin);
    }
}

int plan_load_model(struct plan *plan, const char *name_or_path, enum origin from, struct errors *errors)
{
    struct place place = {NULL, 0, "--model"};
    bool is_file = !preset_known(PRESET_MODEL, name_or_path) &&
                   (strcmp(name_or_path, "-") == 0 || access(name_or_path, F_OK) == 0);
    if (!is_file)
        return preset_apply(plan, PARAM_model_name, name_or_path, from, &place, errors);
    struct plan other;
    plan_clear(&other);
    if (plan_load(&other, name_or_path, NULL, errors) != 0)
        return -1;
    copy_group(plan, &other, GROUP_model, from);
    return 0;
}

void plan_finish(struct plan *plan)
{
    struct errors errors = {0};
    if (param_blank(plan, PARAM_hardware_gpu))
        preset_apply(plan, PARAM_hardware_gpu, plan_default_gpu, FROM_DEFAULT, &(struct place){0}, &errors);
    errors_free(&errors);
}

/* ---- writing ------------------------------------------------------------------------------------------------------- */

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
    if (param_rows[id].type == TYPE_NAME)
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

static void emit_comment(struct buffer *out, const char *comment)
{
    while (comment && *comment) {
        size_t n = strcspn(comment, "\n");
        char *line = xstrndup(comment, n), *clean = xmalloc(n + 1);
        text_clean(line, clean, n + 1);
        buffer_printf(out, "# %s\n", clean);
        free(line);
        free(clean);
        comment += n + (comment[n] == '\n');
    }
}

void plan_emit(struct buffer *out, const struct plan *plan, const char *comment)
{
    emit_comment(out, comment);
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
}

int plan_save(const struct plan *plan, const char *path, struct errors *errors)
{
    struct buffer out = {0};
    plan_emit(&out, plan, "A plan for shardtop; keys that are not here follow the framework's defaults.");
    int result = write_file(path, out.text, out.size, WRITE_DURABLE, errors);
    buffer_free(&out);
    return result;
}
