/* Settings, whatever they come from, become values of a plan. */
#include "core/base.h"
#include "core/plan/nearest.h"
#include "core/plan/param.h"
#include "src/import/import.h"
#include "src/plan/aliases.h"
#include "src/plan/plan_io.h"
#include "src/plan/preset.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- settings to keys ------------------------------------------------------------------------------------------- */

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
                   "belongs in a GPU file; save that as gpus/NAME.yaml in the configuration folder and write `gpu: "
                   "NAME`");
    else if (param_names_gpus(kv->key))
        errors_add(errors, source->file, kv->line, kv->key,
                   "is not a key; use hardware.nodes and hardware.gpus_per_node, or the option --gpus %.20s",
                   kv->value);
    else if (is_several(kv->key, names))
        errors_add(errors, source->file, kv->line, kv->key, "is ambiguous; use %s", names);
    else if (meant >= 0)
        errors_add(errors, source->file, kv->line, kv->key, "is an alias of a key; use %s",
                   param_rows[meant].dotted);
    else if (nearest_list(&nearest, names))
        errors_add(errors, source->file, kv->line, kv->key, "is not a key; did you mean %s?", names);
    else
        errors_add(errors, source->file, kv->line, kv->key, "is not a key; see `shardtop list keys`");
}

/* One setting on its way into the plan. */
struct setting {
    const struct keyval *kv;
    const char *value;            /* "" makes the key blank */
    int id;                       /* enum param; -1 when the key is not known */
    bool is_preset;               /* loads a preset of this TYPE_NAME key */
    bool is_late;                 /* an expression that may name other keys */
    bool is_step;                 /* changes the value that is there */
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
    bool is_model = strcmp(kv->key, "model") == 0, is_blank = source->is_typed && strcasecmp(kv->value, "default") == 0;
    struct setting out = {.kv = kv, .value = is_blank ? "" : kv->value, .id = find_key(kv->key, source)};
    bool is_empty = strcmp(kv->value, "{}") == 0 || (!*kv->value && source->from != FROM_SET);
    bool is_empty_group = find_group(kv->key) >= 0 && is_empty;
    if (out.id < 0 || is_empty_group) {
        out.id = -1;
        out.is_done = is_empty_group;
        return out;
    }
    bool is_known_label =
        out.id == PARAM_model_name && source->from == FROM_SET && preset_known(PRESET_MODEL, out.value);
    out.is_preset = is_model || is_known_label || out.id == PARAM_hardware_gpu || out.id == PARAM_plan_cluster;
    out.is_step =
        source->has_steps && param_type((enum param)out.id)->is_number && *out.value && strchr("x/+-", *out.value);
    out.is_late = out.is_step || may_be_expression(out.id, out.value);
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

/* ---- applying --------------------------------------------------------------------------------------------------- */

static void apply_preset(struct plan *plan, const struct setting *setting, const struct plan_source *source,
                         struct errors *errors)
{
    struct place place = {source->file, setting->kv->line, setting->kv->key};
    enum param id = (enum param)setting->id;
    if (*setting->value)
        preset_apply(plan, id, setting->value, source->from, &place, errors);
    else if (id == PARAM_model_name)
        preset_blank_group(plan, GROUP_model);
    else
        preset_set_name(plan, id, "", FROM_DEFAULT);
    if (!*setting->value && id == PARAM_hardware_gpu)
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
    const char *value = setting->value;
    if (param_rows[setting->id].type != TYPE_NAME)
        return param_parse(plan, (enum param)setting->id, value, from, setting->is_step, why);
    struct plan scratch;
    char clean[4 * PLAN_TEXT_MAX];
    plan_clear(&scratch);
    if (param_parse(&scratch, (enum param)setting->id, value, from, false, why) != 0)
        return -1;
    const char *name = scratch.text[param_text_slot((enum param)setting->id)];
    text_clean(name, clean, sizeof clean);
    if (strcmp(clean, name) != 0) {
        snprintf(why, PARAM_WHY_MAX, "contains a control character; use a plain name");
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
        if (param_parse(&resolved, (enum param)s->id, s->value, from, s->is_step, why) != 0)
            continue;
        plan->value[s->id] = resolved.value[s->id];
        plan->from[s->id] = (uint8_t)from;
        free(s->why);
        s->why = NULL;
    }
}

/* The most used word of the field names a key of serving; typed alone while training it means another. */
static bool is_other_batch(const struct setting *setting, const struct plan *plan, const struct plan_source *source)
{
    return source->is_typed && setting->id == PARAM_serve_batch_size && !strchr(setting->kv->key, '.') &&
           plan->value[PARAM_plan_workload] != WORKLOAD_INFERENCE;
}

/* Says what is wrong with each setting, in the order of the file. */
static void report_settings(const struct setting *settings, size_t count, const struct plan *plan,
                            const struct plan_source *source, struct errors *errors)
{
    for (size_t i = 0; i < count; i++) {
        const struct setting *s = &settings[i];
        if (s->earlier)
            errors_add(errors, source->file, s->kv->line, s->kv->key,
                       "is given twice (first as %s on line %d); keep one", s->earlier->key, s->earlier->line);
        else if (s->id < 0 && !s->is_done)
            unknown_key(s->kv, source, errors);
        else if (is_other_batch(s, plan, source))
            errors_add(errors, source->file, s->kv->line, s->kv->key,
                       "is of serving; in training write global_batch_size or "
                       "micro_batch_size (serve.batch_size sets it all the same)");
        else if (s->why)
            errors_add(errors, source->file, s->kv->line, s->kv->key, "%s", s->why);
    }
}

/* An expression is read after plain values; one that a plain value of its key follows would undo that. */
static void drop_overtaken(struct setting *settings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count && !settings[i].is_done; k++)
            settings[i].is_done =
                settings[i].id >= 0 && settings[i].is_late && settings[k].id == settings[i].id && !settings[k].is_late;
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
    else
        drop_overtaken(settings, list->count);
    for (size_t i = 0; i < LENGTH(presets); i++)
        apply_presets(&candidate, settings, list->count, presets[i], source, errors);
    apply_round(&candidate, settings, list->count, false, source->from);
    while (apply_round(&candidate, settings, list->count, true, source->from) > 0)
        ; /* an expression may name a key that another expression gives */
    apply_over_defaults(&candidate, settings, list->count, source->from);
    report_settings(settings, list->count, &candidate, source, errors);
    for (size_t i = 0; i < list->count; i++)
        free(settings[i].why);
    free(settings);
    if (errors->faults > faults)
        return -1;
    *plan = candidate;
    return 0;
}

/* ---- what was imported ------------------------------------------------------------------------------------------ */

/* The settings that were not used for one reason, and how many they are; release with buffer_free(). */
static int list_unused(const struct keyvals *unused, const char *why, struct buffer *out)
{
    int count = 0;
    for (size_t i = 0; i < unused->count; i++)
        if (strcmp(unused->item[i].value, why) == 0)
            buffer_printf(out, "%s%s", count++ ? ", " : "", unused->item[i].key);
    return count;
}

/* Those with a reason of their own were remarked on where they stand. */
static void note_unused(const struct keyvals *unused, const char *name, struct errors *errors)
{
    struct buffer harmless = {0}, unknown = {0};
    int count = list_unused(unused, IMPORT_NO_EFFECT, &harmless);
    if (count > 0)
        errors_say(errors, MESSAGE_UNUSED, name, 0, NULL,
                   "%d setting%s neither memory nor time (JSON has them as `unused`)", count,
                   count > 1 ? "s change" : " changes");
    if (list_unused(unused, IMPORT_NOT_KNOWN, &unknown) > 0)
        errors_note(errors, name, 0, NULL, "not known here: %s", unknown.text);
    buffer_free(&harmless);
    buffer_free(&unknown);
}

/*
 * The framework's own defaults, and what is assumed, count only where nothing stronger was said; a default answers who
 * shards, which the files of `before` left to a launcher. A device whose name is not known leaves it open.
 */
static int apply_weak(struct plan *plan, const struct plan *before, const struct keyvals *values, enum origin from,
                      const char *name, struct errors *errors)
{
    struct keyvals blank = {0};
    bool is_open = false;
    for (size_t i = 0; i < values->count; i++) {
        int id = param_find(values->item[i].key);
        bool is_unmeant = id == PARAM_hardware_gpu && !preset_meant(PRESET_GPU, values->item[i].value);
        bool is_assumed = id >= 0 && plan->from[id] == FROM_ASSUMED;
        bool is_answer = from == FROM_ASSUMED || (id == PARAM_parallel_fsdp && before->from[id] == FROM_ASSUMED);
        if (id >= 0 && !param_blank(plan, (enum param)id) && !(is_assumed && is_answer && !is_unmeant))
            continue;
        keyvals_add(&blank, values->item[i].key, is_unmeant ? plan_default_gpu : values->item[i].value, 0);
        is_open = id == PARAM_hardware_gpu ? is_unmeant : is_open;
    }
    const struct plan_source source = {.file = name, .from = from, .is_last_wins = true};
    int result = plan_apply(plan, &blank, &source, errors);
    if (is_open && result == 0)
        plan->from[PARAM_hardware_gpu] = FROM_ASSUMED;
    keyvals_free(&blank);
    return result;
}

/* Takes settings with a value that its key cannot have out of a file's, each with a finding: the rest is read. */
static void drop_bad(struct plan *scratch, struct import *import, const char *name, struct keyvals *to,
                     struct errors *errors)
{
    for (size_t i = 0; i < import->settings.count; i++) {
        const struct keyval *it = &import->settings.item[i];
        char why[PARAM_WHY_MAX];
        int id = param_find(it->key);
        bool is_bad = id >= 0 && param_type((enum param)id)->is_number &&
                      param_parse(scratch, (enum param)id, it->value, FROM_FILE, false, why) != 0;
        if (is_bad)
            errors_warn(errors, name, it->line, it->key, "%s; ignored", why);
        keyvals_add(is_bad ? &import->unread : to, it->key, it->value, it->line);
    }
}

int plan_apply_import(struct plan *plan, struct import *import, const char *name, enum origin from,
                      struct errors *errors)
{
    const struct plan_source source = {.file = name, .from = from, .is_last_wins = true};
    struct plan candidate = *plan, scratch = *plan;
    struct keyvals settings = {0};
    if (from == FROM_FILE)
        drop_bad(&scratch, import, name, &settings, errors);
    else
        keyvals_join(&settings, &import->settings);
    int result = plan_apply(&candidate, &settings, &source, errors);
    keyvals_free(&settings);
    if (result != 0 || apply_weak(&candidate, plan, &import->assumed, FROM_ASSUMED, name, errors) != 0 ||
        apply_weak(&candidate, plan, &import->defaults, FROM_DEFAULT, name, errors) != 0)
        return -1;
    note_unused(&import->unused, name, errors);
    *plan = candidate;
    return 0;
}
