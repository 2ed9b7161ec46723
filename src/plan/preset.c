#include "src/plan/preset.h"

#include "core/base.h"
#include "core/plan/nearest.h"
#include "src/plan/embedded.h"
#include "src/plan/aliases.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/keyval.h"
#include "src/text/paths.h"
#include "src/text/shape.h"
#include "src/text/text.h"
#include "ui/term/theme.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const preset_folders[PRESET_KIND_COUNT] = {"models", "gpus", "clusters", "plans", "themes", "lessons"};
static const char *const nouns[PRESET_KIND_COUNT] = {"model", "GPU", "cluster", "plan", "theme", "lesson"};

static const char *const embedded_prefix[PRESET_KIND_COUNT] = {"configs/models/", "configs/gpus/", "configs/clusters/",
                                                               "configs/plans/", "themes/", "configs/lessons/"};
static const char suffix[] = ".yaml";

enum preset_kind preset_kind_of(enum param key)
{
    return key == PARAM_model_name ? PRESET_MODEL : key == PARAM_hardware_gpu ? PRESET_GPU : PRESET_CLUSTER;
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* A name that can be a file's: no folder, nothing hidden, nothing that a terminal would obey. */
static bool is_file_name(const char *name)
{
    if (!*name || *name == '.' || strlen(name) >= PLAN_TEXT_MAX)
        return false;
    for (const unsigned char *p = (const unsigned char *)name; *p; p++)
        if (*p <= ' ' || *p >= 0x7f || *p == '/' || *p == '\\')
            return false;
    return true;
}

/* The length of the name when `file` is NAME.yaml, 0 otherwise. */
static size_t name_length(const char *file)
{
    size_t n = strlen(file), tail = sizeof suffix - 1;
    return n > tail && strcmp(file + n - tail, suffix) == 0 ? n - tail : 0;
}

static int compare_path(const void *path, const void *file)
{
    return strcmp(path, ((const struct embedded_file *)file)->path);
}

static const struct embedded_file *find_embedded(enum preset_kind kind, const char *name)
{
    char path[PLAN_TEXT_MAX + 32];
    int size = snprintf(path, sizeof path, "%s%s%s", embedded_prefix[kind], name, suffix);
    return size < (int)sizeof path
               ? bsearch(path, embedded_files, embedded_file_count, sizeof *embedded_files, compare_path)
               : NULL;
}

/* The user's own file of this name, in fresh memory; NULL when there is none. */
static char *find_own(enum preset_kind kind, const char *name)
{
    char *path = paths_config(preset_folders[kind], name);
    if (path && access(path, F_OK) == 0)
        return path;
    free(path);
    return NULL;
}

bool preset_known(enum preset_kind kind, const char *name)
{
    if (!is_file_name(name))
        return false;
    if (find_embedded(kind, name))
        return true;
    char *own = find_own(kind, name);
    free(own);
    return own != NULL;
}

struct names {
    char **item;
    size_t count;
    bool is_read;
};

static void add_name(struct names *names, const char *file)
{
    size_t n = name_length(file);
    char *name = xstrndup(file, n);
    bool is_new = n > 0 && is_file_name(name);
    for (size_t i = 0; i < names->count && is_new; i++)
        is_new = strcmp(names->item[i], name) != 0;
    if (!is_new) {
        free(name);
        return;
    }
    names->item = xrealloc(names->item, (names->count + 1) * sizeof *names->item);
    names->item[names->count++] = name;
}

/* The order in which people count: gpt3-7b stands before gpt3-13b. */
static int compare_names(const void *one, const void *other)
{
    static const char digits[] = "0123456789";
    const char *a = *(char *const *)one, *b = *(char *const *)other;
    int order = 0;
    while (order == 0 && *a && *b) {
        size_t n = strspn(a, digits), m = strspn(b, digits);
        if (n == 0 || m == 0)
            n = m = 1;
        order = n != m ? (n > m) - (n < m) : memcmp(a, b, n);
        a += n;
        b += m;
    }
    return order ? order : (*a != '\0') - (*b != '\0');
}

static void close_folder(void *folder)
{
    closedir(folder);
}

static void read_names(enum preset_kind kind, struct names *names)
{
    enum { OWN_MAX = 4096 };
    size_t prefix = strlen(embedded_prefix[kind]);
    for (size_t i = 0; i < embedded_file_count; i++)
        if (strncmp(embedded_files[i].path, embedded_prefix[kind], prefix) == 0)
            add_name(names, embedded_files[i].path + prefix);
    char *folder = paths_config(preset_folders[kind], NULL);
    DIR *dir = folder ? opendir(folder) : NULL;
    free(folder);
    memory_hold(dir, close_folder);
    for (struct dirent *entry; dir && names->count < OWN_MAX && (entry = readdir(dir));)
        add_name(names, entry->d_name);
    memory_drop(dir);
    if (dir)
        closedir(dir);
    if (names->count)
        qsort(names->item, names->count, sizeof *names->item, compare_names);
}

/* The names of each kind, read when they are first asked for, maybe by threads of a caller. */
static struct names known_names[PRESET_KIND_COUNT];
static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;

static bool names_are_known(enum preset_kind kind)
{
    pthread_mutex_lock(&names_lock);
    bool is_read = known_names[kind].is_read;
    pthread_mutex_unlock(&names_lock);
    return is_read;
}

/* Keeps names that were read, unless another thread was first. */
static void keep_names(enum preset_kind kind, struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        memory_drop(names->item[i]);
    memory_drop(names->item);
    names->is_read = true;
    pthread_mutex_lock(&names_lock);
    struct names other = known_names[kind].is_read ? *names : (struct names){0};
    known_names[kind] = known_names[kind].is_read ? known_names[kind] : *names;
    pthread_mutex_unlock(&names_lock);
    for (size_t i = 0; i < other.count; i++)
        free(other.item[i]);
    free(other.item);
}

size_t preset_names(enum preset_kind kind, const char *const **names)
{
    struct names fresh = {0};
    if (!names_are_known(kind)) {
        read_names(kind, &fresh);
        keep_names(kind, &fresh);
    }
    *names = (const char *const *)known_names[kind].item;
    return known_names[kind].count;
}

void preset_unknown(enum preset_kind kind, const char *name, const struct place *place, struct errors *errors)
{
    struct nearest nearest = {.typed = name};
    char hint[NEAREST_TEXT_MAX];
    const char *const *names;
    size_t known = preset_names(kind, &names);
    for (size_t i = 0; i < known; i++)
        nearest_offer(&nearest, names[i], names[i]);
    if (nearest_list(&nearest, hint))
        errors_add(errors, place->file, place->line, place->key, "'%.40s' is not a known %s; did you mean %s?", name,
                   nouns[kind], hint);
    else
        errors_add(errors, place->file, place->line, place->key, "'%.40s' is not a known %s; see `shardtop list %s`",
                   name, nouns[kind], preset_folders[kind]);
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

char *preset_text(enum preset_kind kind, const char *name, size_t *size, char **path, const struct place *place,
                  struct errors *errors)
{
    *path = NULL;
    if (is_file_name(name)) {
        *path = find_own(kind, name);
        if (*path) {
            char *own = file_read(*path, size, errors);
            if (!own) {
                free(*path);
                *path = NULL;
            }
            return own;
        }
        const struct embedded_file *file = find_embedded(kind, name);
        if (file) {
            *path = xstrdup(file->path);
            *size = file->size;
            return xstrndup(file->text, file->size);
        }
    }
    preset_unknown(kind, name, place, errors);
    return NULL;
}

/* Keys of the group `group` of a plan. */
static void add_keys(struct shape *shape, enum param_group group)
{
    shape->group = param_group_names[group];
    for (int i = 0; i < PARAM_COUNT; i++)
        if (param_rows[i].group_id == group)
            shape->key[shape->count++] = param_rows[i].key;
}

/* What a preset's file holds. */
static struct shape shape_of(enum preset_kind kind)
{
    static const char *const whats[] = {"a model file", "a GPU file", "a cluster file", "a plan", "a theme"};
    struct shape out = {.what = whats[kind], .if_other = "remove it"};
    if (kind == PRESET_MODEL || kind == PRESET_CLUSTER) {
        add_keys(&out, kind == PRESET_MODEL ? GROUP_model : GROUP_hardware);
        out.if_other = "remove it, or open the file as a plan";
    } else if (kind == PRESET_GPU) {
        out.group = "gpu";
        for (size_t i = 0; i < gpu_field_count; i++)
            out.key[out.count++] = gpu_fields[i].key;
    } else {
        static const char *const about[] = {"name", "about", "light", "dim"};
        for (size_t i = 0; i < LENGTH(about); i++)
            out.key[out.count++] = about[i];
        for (int i = 0; i < ROLE_COUNT; i++)
            out.key[out.count++] = role_name((enum role)i);
    }
    return out;
}

int preset_read(enum preset_kind kind, const char *name, struct keyvals *out, char **path, const struct place *place,
                struct errors *errors)
{
    size_t size;
    struct shape shape = shape_of(kind);
    char *text = preset_text(kind, name, &size, path, place, errors);
    int result = text ? shape_read(text, size, *path, &shape, out, errors) : -1;
    free(text);
    return result;
}

/* ---- applying --------------------------------------------------------------------------------------------------- */

/* What a built-in preset fills; kept until the program ends, so that a request costs no reading of YAML. */
struct kept {
    struct kept *next;
    enum param key;
    char name[PLAN_TEXT_MAX];
    struct plan plan;
};

static struct kept *kept_presets;
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

void preset_set_name(struct plan *plan, enum param key, const char *name, enum origin from)
{
    char *slot = plan->text[param_text_slot(key)];
    memset(slot, 0, PLAN_TEXT_MAX);
    memcpy(slot, name, strnlen(name, PLAN_TEXT_MAX - 1));
    plan->value[key] = NAN;
    plan->from[key] = (uint8_t)(*name ? from : FROM_DEFAULT);
}

void preset_blank_group(struct plan *plan, enum param_group group)
{
    for (int i = 0; i < PARAM_COUNT; i++) {
        if (param_rows[i].group_id != group)
            continue;
        param_clear(plan, (enum param)i);
    }
    if (group == GROUP_hardware)
        gpu_clear(&plan->gpu);
}

/* Fills one group from the settings of a preset. */
static int fill_group(struct plan *plan, const struct keyvals *list, const char *path, struct errors *errors)
{
    char why[PARAM_WHY_MAX];
    size_t faults = errors->faults;
    for (size_t i = 0; i < list->count; i++) {
        const struct keyval *kv = &list->item[i];
        struct place place = {path, kv->line, kv->key};
        enum param id = (enum param)param_find(kv->key);
        if (id == PARAM_hardware_gpu)
            preset_apply(plan, PARAM_hardware_gpu, kv->value, FROM_PRESET, &place, errors);
        else if (param_parse(plan, id, kv->value, FROM_PRESET, false, why) != 0)
            errors_add(errors, path, kv->line, kv->key, "%s", why);
    }
    return errors->faults > faults ? -1 : 0;
}

static const struct gpu_field *find_field(const char *key)
{
    const struct gpu_field *field = gpu_fields;
    while (strcmp(field->key, key + sizeof "gpu." - 1) != 0)
        field++;
    return field;
}

static enum suffix field_suffix(const char *key)
{
    size_t n = strlen(key);
    bool is_size = n > 4 && strcmp(key + n - 4, "_gib") == 0, is_rate = n > 5 && strcmp(key + n - 5, "_gb_s") == 0;
    return is_size ? SUFFIX_GIB : is_rate ? SUFFIX_RATE : SUFFIX_PLAIN;
}

static void fill_field(struct gpu *gpu, const struct gpu_field *field, const struct keyval *kv, const char *path,
                       struct errors *errors)
{
    char why[NUMBER_WHY_MAX];
    char *slot = (char *)gpu + field->offset;
    double value;
    if (field->is_text) {
        text_clean(kv->value, slot, GPU_NAME_MAX);
    } else if (number_parse(kv->value, field_suffix(field->key), NULL, NULL, &value, why) != 0) {
        errors_add(errors, path, kv->line, kv->key, "'%.40s' %s; write a number such as 80", kv->value, why);
    } else if (!(value > 0)) {
        errors_add(errors, path, kv->line, kv->key, "'%.40s' must be above 0; omit unknown values", kv->value);
    } else {
        memcpy(slot, &value, sizeof value);
    }
}

static int fill_gpu(struct gpu *gpu, const struct keyvals *list, const char *path, struct errors *errors)
{
    size_t faults = errors->faults;
    gpu_clear(gpu);
    for (size_t i = 0; i < list->count; i++)
        fill_field(gpu, find_field(list->item[i].key), &list->item[i], path, errors);
    return errors->faults > faults ? -1 : 0;
}

/* Fills `plan` from the settings of the preset; `plan` may be half filled on failure. */
static int fill(struct plan *plan, enum param key, const char *name, enum origin from, const struct keyvals *list,
                const char *path, struct errors *errors)
{
    int result = 0;
    if (key == PARAM_hardware_gpu) {
        result = fill_gpu(&plan->gpu, list, path, errors);
        snprintf(plan->gpu.name, sizeof plan->gpu.name, "%.*s", GPU_NAME_MAX - 1, name);
    } else {
        enum param_group group = key == PARAM_model_name ? GROUP_model : GROUP_hardware;
        preset_blank_group(plan, group);
        result = fill_group(plan, list, path, errors);
    }
    preset_set_name(plan, key, name, from);
    return result;
}

/* Whether the user has a file of this name, or one for the GPU of a cluster. */
static bool is_overridden(const struct kept *it)
{
    char *own = find_own(preset_kind_of(it->key), it->name);
    char *gpu = it->key == PARAM_plan_cluster ? find_own(PRESET_GPU, it->plan.text[TEXT_GPU]) : NULL;
    bool is = own || gpu;
    free(own);
    free(gpu);
    return is;
}

/* Fills a plan from a preset that was applied before; false where it was not. */
static bool apply_kept(struct plan *plan, enum param key, const char *name, enum origin from)
{
    pthread_mutex_lock(&kept_lock);
    const struct kept *it = kept_presets;
    while (it && (it->key != key || strcmp(it->name, name) != 0))
        it = it->next;
    pthread_mutex_unlock(&kept_lock);
    if (!it || is_overridden(it))
        return false;
    enum param_group group = key == PARAM_model_name ? GROUP_model : GROUP_hardware;
    for (int i = 0; i < PARAM_COUNT && key != PARAM_hardware_gpu; i++)
        if (param_rows[i].group_id == group)
            param_copy(plan, &it->plan, (enum param)i, (enum origin)it->plan.from[i]);
    if (group == GROUP_hardware)
        plan->gpu = it->plan.gpu;
    preset_set_name(plan, key, name, from);
    return true;
}

/* Keeps what a built-in file filled; a user's own file may change, and is read each time. */
static void keep(enum param key, const char *name, const char *path, const struct plan *filled)
{
    const struct embedded_file *file = find_embedded(preset_kind_of(key), name);
    if (!file || strcmp(file->path, path) != 0)
        return;
    struct kept *it = xmalloc(sizeof *it);
    *it = (struct kept){.key = key, .plan = *filled};
    snprintf(it->name, sizeof it->name, "%s", name);
    if (!is_overridden(it)) {
        pthread_mutex_lock(&kept_lock);
        it->next = kept_presets;
        kept_presets = it;
        memory_drop(it);
        it = NULL;
        pthread_mutex_unlock(&kept_lock);
    }
    free(it);
}

int preset_apply(struct plan *plan, enum param key, const char *name, enum origin from, const struct place *place,
                 struct errors *errors)
{
    struct keyvals list = {0};
    struct plan candidate = *plan;
    char *path = NULL;
    const char *meant = preset_meant(preset_kind_of(key), name);
    if (meant && strcmp(meant, name) != 0)
        errors_note(errors, place->file, place->line, place->key, "'%.60s' is read as %s", name, meant);
    name = meant ? meant : name;
    if (apply_kept(plan, key, name, from))
        return 0;
    int result = preset_read(preset_kind_of(key), name, &list, &path, place, errors);
    if ((result == 0 || list.count) && fill(&candidate, key, name, from, &list, path, errors) != 0)
        result = -1; /* said together with what is wrong with the file's shape */
    if (result == 0) {
        *plan = candidate;
        keep(key, name, path, &candidate);
    }
    keyvals_free(&list);
    free(path);
    return result;
}
