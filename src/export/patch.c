#include "src/export/patch.h"

#include <stdlib.h>
#include <string.h>

#include "src/export/patch_job.h"
#include "src/import/args.h"
#include "src/plan/save.h"
#include "src/text/diff.h"
#include "src/text/errors.h"
#include "src/text/file.h"

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool is_own_kind(enum plan_kind kind)
{
    return kind == KIND_YAML || kind == KIND_JSON;
}

bool patch_is_script(const struct job *job)
{
    return job->kind == KIND_MEGATRON || job->kind == KIND_SCRIPT;
}

/* Reads the files with `text` for the target; `import` (NULL: nobody wants it) gets what that gave. */
static int read_files(const struct job *job, const struct buffer *text, struct plan *plan, struct import *import,
                      struct errors *errors)
{
    int result = 0;
    plan_clear(plan);
    for (int i = 0; i < job->ask->files && result == 0; i++) {
        const struct buffer *it = i == job->target ? text : &job->file[i];
        struct plan_reading reading = {.options = job->ask->options, .import = i == job->target ? import : NULL};
        reading.options.path = job->ask->file[i];
        if (i > 0)
            reading.options.argument = NULL;
        if (i == job->target || !is_own_kind(plan_recognise(it->text, it->size)))
            result = plan_read(plan, it->text, it->size, job->ask->file[i], &reading, errors);
    }
    plan_finish(plan);
    return result;
}

/* Reads a text, which the state then owns. Returns 0, or -1 for one that cannot be read. */
static int read_state(const struct job *job, struct buffer *text, struct state *out)
{
    struct errors errors = {0};
    out->text = *text;
    *text = (struct buffer){0};
    int result = read_files(job, &out->text, &out->plan, NULL, &errors);
    errors_free(&errors);
    if (result == 0)
        plan_resolve(&out->plan, &out->resolved);
    return result;
}

/* A key that says something else than is wanted; what is derived differs only as long as what it comes from does. */
static bool is_other(const struct job *job, const struct state *state, enum param key)
{
    return !param_equal(&state->plan, job->ask->wanted, key) && !param_equal(&state->resolved, &job->resolved, key);
}

/* The same of keys that are to be changed: what nobody asked for and no line of the file tells may follow others. */
static bool differs(const struct job *job, const struct state *state, enum param key)
{
    return !job->follows[key] && is_other(job, state, key);
}

bool patch_is_source(const struct keyval *it, enum param key)
{
    return it->line > 0 && (strcmp(it->key, param_rows[key].dotted) == 0 ||
                            (strcmp(it->key, "model") == 0 && param_rows[key].group_id == GROUP_model));
}

/* ---- trying ------------------------------------------------------------------------------------------------------ */

/* True when the key that is being changed is as wanted, and no other key is off that was not. */
static bool is_better(const struct job *job, const struct state *state)
{
    if (differs(job, state, job->key))
        return false;
    for (int i = 0; i < PARAM_COUNT && !job->is_detour; i++)
        if (differs(job, state, (enum param)i) && !differs(job, &job->now, (enum param)i))
            return false;
    return true;
}

bool patch_try(struct job *job, struct buffer *text)
{
    struct state next;
    bool is_new = text->size != job->now.text.size || memcmp(text->text, job->now.text.text, text->size) != 0;
    if (!is_new || job->trials++ >= TRIALS_MAX) {
        buffer_free(text);
        return false;
    }
    bool is_taken = read_state(job, text, &next) == 0 && is_better(job, &next);
    buffer_free(is_taken ? &job->now.text : &next.text);
    if (is_taken)
        job->now = next;
    return is_taken;
}

struct buffer patch_copy(const struct job *job)
{
    struct buffer copy = {0};
    buffer_add(&copy, job->now.text.text, job->now.text.size);
    return copy;
}

/* ---- one key after another --------------------------------------------------------------------------------------- */

/* What the text now reads as, with what its reader tells. */
static int read_now(struct job *job, struct errors *errors)
{
    import_free(&job->import);
    int result = read_files(job, &job->now.text, &job->now.plan, &job->import, errors);
    plan_resolve(&job->now.plan, &job->now.resolved);
    return result;
}

/* Remarks on a key that stays as it is: where it stands, or who answers it. */
static void note_left(const struct job *job, enum param key, struct buffer *rest, struct errors *errors)
{
    char value[PARAM_TEXT_MAX];
    const struct keyval *source = NULL;
    param_print(job->ask->wanted, key, value, sizeof value);
    for (size_t i = 0; i < job->import.settings.count; i++)
        if (patch_is_source(&job->import.settings.item[i], key))
            source = &job->import.settings.item[i];
    if (source)
        errors_note(errors, job->ask->target, source->line, param_rows[key].dotted,
                    "%s cannot be written here, where it is worked out, comes from elsewhere or decides other keys too; "
                    "change it by hand",
                    *value ? value : "auto");
    else
        buffer_printf(rest, "%s%s %s", rest->size ? ", " : "", param_rows[key].dotted, *value ? value : "auto");
}

static int count_differences(const struct job *job)
{
    int count = 0;
    for (int i = 0; i < PARAM_COUNT; i++)
        count += differs(job, &job->now, (enum param)i);
    return count;
}

/* Changes every key that differs and can be changed; returns how many. */
static int change_others(struct job *job)
{
    struct errors unheard = {0};
    int changed = 0;
    for (int i = 0; i < PARAM_COUNT; i++)
        if (differs(job, &job->now, (enum param)i) && patch_change(job, (enum param)i)) {
            changed++;
            read_now(job, &unheard);
        }
    errors_free(&unheard);
    return changed;
}

/* Changes a key though others go wrong by it, and then these; all stays where they cannot be set right again. */
static bool change_with_others(struct job *job, enum param key)
{
    struct errors unheard = {0};
    struct buffer old = patch_copy(job);
    int before = count_differences(job);
    job->is_detour = true;
    bool is_changed = patch_change(job, key);
    job->is_detour = false;
    if (is_changed) {
        read_now(job, &unheard);
        change_others(job);
        is_changed = count_differences(job) < before;
    }
    if (!is_changed) {
        buffer_free(&job->now.text);
        job->now.text = old;
        old = (struct buffer){0};
        read_now(job, &unheard);
    }
    buffer_free(&old);
    errors_free(&unheard);
    return is_changed;
}

static void change_all(struct job *job)
{
    while (change_others(job) > 0)
        ;
    for (int i = 0; i < PARAM_COUNT; i++)
        if (differs(job, &job->now, (enum param)i))
            change_with_others(job, (enum param)i);
}

static void note_all_left(const struct job *job, struct patch *out, struct errors *errors)
{
    struct buffer rest = {0};
    for (int i = 0; i < PARAM_COUNT; i++)
        if (differs(job, &job->now, (enum param)i)) {
            note_left(job, (enum param)i, &rest, errors);
            out->left++;
            out->is_partial |= param_rows[i].group_id != GROUP_hardware || i == PARAM_hardware_nodes || i == PARAM_hardware_gpus_per_node;
        }
    if (rest.size)
        errors_note(errors, job->ask->target, 0, NULL, "has no place for: %s", rest.text);
    buffer_free(&rest);
}

/*
 * What nobody changed and no line of its own tells: defaults, what a format means, and the tokens of a training, which
 * files count in iterations.
 */
static void find_followers(struct job *job)
{
    for (int i = 0; i < PARAM_COUNT; i++)
        job->follows[i] = param_equal(&job->now.plan, job->ask->wanted, (enum param)i) ||
                          (!param_blank(job->ask->wanted, (enum param)i) && job->ask->wanted->from[i] <= FROM_DERIVED);
    for (size_t i = 0; i < job->import.settings.count; i++)
        for (int k = 0; k < PARAM_COUNT; k++)
            if (k != PARAM_train_total_tokens && patch_is_source(&job->import.settings.item[i], (enum param)k))
                job->follows[k] = false;
}

/* Remarks on what came along. */
static void note_followers(const struct job *job, struct errors *errors)
{
    struct buffer list = {0};
    for (int i = 0; i < PARAM_COUNT; i++) {
        char value[PARAM_TEXT_MAX];
        if (!job->follows[i] || !is_other(job, &job->now, (enum param)i))
            continue;
        param_print(&job->now.resolved, (enum param)i, value, sizeof value);
        buffer_printf(&list, "%s%s %s", list.size ? ", " : "", param_rows[i].dotted, *value ? value : "blank");
    }
    if (list.size)
        errors_note(errors, job->ask->target, 0, NULL, "with these changes it also means: %s", list.text);
    buffer_free(&list);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static int load_files(struct job *job, struct errors *errors)
{
    const struct patch_ask *ask = job->ask;
    job->target = -1;
    for (int i = 0; i < ask->files; i++) {
        size_t size;
        char *text = file_read(ask->file[i], &size, errors);
        if (!text)
            return -1;
        buffer_add(&job->file[i], text, size);
        free(text);
        job->target = strcmp(ask->file[i], ask->target) == 0 ? i : job->target;
    }
    return 0;
}

/* A plan of ours: its own editor does it. */
static int edit_plan(const struct job *job, struct patch *out, struct errors *errors)
{
    const struct buffer *old = &job->file[job->target];
    int changed = plan_edit(job->ask->wanted, old->text, old->size, &out->text);
    if (changed < 0)
        errors_add(errors, job->ask->target, 0, NULL, "cannot be changed value by value; write a plan of its own");
    out->changed = changed;
    return changed < 0 ? -1 : 0;
}

static int edit_foreign(struct job *job, struct patch *out, struct errors *errors)
{
    struct errors notes = {0};
    const struct buffer *old = &job->file[job->target];
    buffer_add(&job->now.text, old->text, old->size);
    int result = read_now(job, &notes);
    find_followers(job);
    for (size_t i = 0; i < notes.count && result != 0; i++)
        errors_add(errors, NULL, 0, NULL, "%s", notes.line[i]);
    int differences = result == 0 ? count_differences(job) : 0;
    if (result == 0)
        change_all(job);
    note_all_left(job, out, errors);
    note_followers(job, errors);
    out->changed = differences - out->left;
    out->text = job->now.text;
    job->now.text = (struct buffer){0};
    import_free(&job->import);
    errors_free(&notes);
    return result;
}

int patch_make(const struct patch_ask *ask, struct patch *out, struct errors *errors)
{
    struct job *job = xmalloc(sizeof *job);
    *out = (struct patch){0};
    *job = (struct job){.ask = ask, .file = xmalloc((size_t)(ask->files + 1) * sizeof *job->file)};
    memset(job->file, 0, (size_t)(ask->files + 1) * sizeof *job->file);
    plan_resolve(ask->wanted, &job->resolved);
    int result = load_files(job, errors);
    const struct buffer *old = result == 0 && job->target >= 0 ? &job->file[job->target] : NULL;
    if (old && old->size > 0 && old->size <= EDIT_TEXT_MAX) {
        job->kind = plan_recognise(old->text, old->size);
        bool is_log = job->kind == KIND_ARGUMENTS && args_is_dump(old->text, old->size);
        if (is_log)
            errors_add(errors, ask->target, 0, NULL, "is what a run printed; change what it was started with");
        result = is_log ? -1 : is_own_kind(job->kind) ? edit_plan(job, out, errors) : edit_foreign(job, out, errors);
        if (result == 0)
            diff_unified(&out->diff, ask->target, old->text, out->text.text);
    } else if (result == 0) {
        errors_add(errors, ask->target, 0, NULL, "is empty, or too long to be changed value by value");
        result = -1;
    }
    for (int i = 0; i < ask->files; i++)
        buffer_free(&job->file[i]);
    free(job->file);
    free(job);
    return result;
}

void patch_free(struct patch *patch)
{
    buffer_free(&patch->text);
    buffer_free(&patch->diff);
    *patch = (struct patch){0};
}
