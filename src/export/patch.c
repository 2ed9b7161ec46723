#include "src/export/patch.h"

#include "src/export/patch_job.h"
#include "src/import/args.h"
#include "src/plan/save.h"
#include "src/text/diff.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/splice.h"

#include <string.h>

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool is_own_kind(enum plan_kind kind)
{
    return kind == KIND_YAML || kind == KIND_JSON;
}

/* Keeps what was read for the first time as it is. */
static void keep_old(struct job *job)
{
    for (size_t i = job->old.count; i < job->text.count; i++)
        keyvals_add(&job->old, job->text.item[i].key, job->text.item[i].value, 0);
}

static void settle_auto(struct job *job, int file, struct plan *plan)
{
    struct errors unheard = {0};
    struct import_options options = job->ask->options;
    options.beside = &job->text;
    plan_settle_auto(plan, job->ask->file[file], &options, &unheard);
    errors_free(&unheard);
}

/* Reads the files, with texts as they are to be; `import` (NULL: nobody wants it) gets what the target gave. */
static int read_files(struct job *job, struct plan *plan, struct import *import, struct errors *errors)
{
    int result = 0;
    bool *has_auto = xcalloc((size_t)job->ask->files, sizeof *has_auto);
    plan_clear(plan);
    for (int i = 0; i < job->ask->files && result == 0; i++) {
        const char *text = i == job->target ? job->text.item[0].value : job->file[i].text;
        struct plan_reading reading = {.options = job->ask->options, .import = i == job->target ? import : NULL};
        reading.options.path = job->ask->file[i];
        reading.options.beside = &job->text;
        if (i > 0)
            reading.options.argument = NULL;
        if (i == job->target || !is_own_kind(plan_recognise(text, strlen(text))))
            result = plan_read(plan, text, strlen(text), job->ask->file[i], &reading, errors);
        has_auto[i] = reading.has_auto;
    }
    for (int i = 0; i < job->ask->files; i++)
        if (has_auto[i])
            settle_auto(job, i, plan);
    free(has_auto);
    plan_finish(plan);
    keep_old(job);
    return result;
}

static int read_resolved(struct job *job, struct plan *plan, struct plan *resolved)
{
    struct errors unheard = {0};
    int result = read_files(job, plan, NULL, &unheard);
    errors_free(&unheard);
    if (result == 0)
        plan_resolve(plan, resolved);
    return result;
}

static void put_text(struct job *job, const char *text)
{
    char **value = &job->text.item[job->at].value;
    free(*value);
    *value = xstrdup(text);
}

/* What the file is; what a script sources is as that. */
static enum plan_kind kind_of(const struct job *job, size_t at)
{
    const char *text = job->text.item[at].value;
    enum plan_kind kind = plan_recognise(text, strlen(text));
    bool is_plain = !*formats[kind].holds && kind != KIND_JSON;
    return at > 0 && is_plain ? kind_of(job, 0) : kind;
}

void patch_turn(struct job *job, size_t at)
{
    buffer_free(&job->now.text);
    buffer_puts(&job->now.text, job->text.item[at].value);
    job->at = at;
    job->kind = kind_of(job, at);
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
    struct state next = {.text = *text};
    bool is_new = text->size != job->now.text.size || memcmp(text->text, job->now.text.text, text->size) != 0;
    bool is_taken = is_new && job->trials++ < TRIALS_MAX;
    *text = (struct buffer){0};
    if (is_taken) {
        put_text(job, next.text.text);
        is_taken = read_resolved(job, &next.plan, &next.resolved) == 0 && is_better(job, &next);
    }
    if (is_new && !is_taken)
        put_text(job, job->now.text.text);
    buffer_free(is_taken ? &job->now.text : &next.text);
    if (is_taken)
        job->now = next;
    return is_taken;
}

/* ---- one key after another --------------------------------------------------------------------------------------- */

/* What the text now reads as, with what its reader tells. */
static int read_now(struct job *job, struct errors *errors)
{
    import_free(&job->import);
    int result = read_files(job, &job->now.plan, &job->import, errors);
    plan_resolve(&job->now.plan, &job->now.resolved);
    return result;
}

/* True when the key reads otherwise without a line of a file. */
static bool depends_on_line(struct job *job, size_t at, int line, enum param key)
{
    struct plan plan, resolved;
    struct buffer without = {0};
    patch_turn(job, at);
    buffer_puts(&without, job->now.text.text);
    struct range gone = patch_line(&without, line);
    splice_text(&without, gone.from, gone.to, "");
    put_text(job, without.text);
    bool is_other = read_resolved(job, &plan, &resolved) == 0 && !param_equal(&plan, &job->now.plan, key);
    put_text(job, job->now.text.text);
    buffer_free(&without);
    return is_other;
}

static int count_lines(const char *text)
{
    int lines = 0;
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
        lines++;
    return lines;
}

/* The line of a file read beside the target that decides a key; 0 for none. */
static int find_beside(struct job *job, enum param key, size_t *at)
{
    for (*at = 1; *at < job->text.count; ++*at)
        for (int line = count_lines(job->text.item[*at].value); line > 0 && job->trials < TRIALS_MAX; line--,
             job->trials++)
            if (depends_on_line(job, *at, line, key))
                return line;
    *at = 0;
    return 0;
}

/* The line that decides a key; 0 where none does. */
static int find_source(struct job *job, enum param key, size_t *at)
{
    int line = find_beside(job, key, at);
    for (size_t i = 0; i < job->import.settings.count && *at == 0; i++)
        if (patch_is_source(&job->import.settings.item[i], key))
            line = job->import.settings.item[i].line;
    return line;
}

/* Remarks on a key that stays as it is: where it stands, or who answers it. */
static void note_left(struct job *job, enum param key, struct buffer *rest, struct errors *errors)
{
    char value[PARAM_TEXT_MAX];
    size_t at;
    int line = find_source(job, key, &at);
    param_print(job->ask->wanted, key, value, sizeof value);
    if (line > 0)
        errors_note(errors, job->text.item[at].key, line, param_rows[key].dotted,
                    "%s cannot be written here, because it is computed, set elsewhere or decides other keys "
                    "too; change it by hand",
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

/* Texts as they were; those opened since are as they lie there. */
static void put_back(struct job *job, const struct keyvals *texts)
{
    for (size_t i = 0; i < job->text.count; i++) {
        free(job->text.item[i].value);
        job->text.item[i].value = xstrdup(i < texts->count ? texts->item[i].value : job->old.item[i].value);
    }
    patch_turn(job, 0);
}

/* Changes a key though others go wrong by it, and then these; all stays where they cannot be set right again. */
static bool change_with_others(struct job *job, enum param key)
{
    struct errors unheard = {0};
    struct keyvals old = {0};
    keyvals_join(&old, &job->text);
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
        put_back(job, &old);
        read_now(job, &unheard);
    }
    keyvals_free(&old);
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

static void note_all_left(struct job *job, struct patch *out, struct errors *errors)
{
    struct buffer rest = {0};
    for (int i = 0; i < PARAM_COUNT; i++)
        if (differs(job, &job->now, (enum param)i)) {
            note_left(job, (enum param)i, &rest, errors);
            out->left++;
            out->is_partial |= param_rows[i].group_id != GROUP_hardware || i == PARAM_hardware_nodes ||
                               i == PARAM_hardware_gpus_per_node;
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
        errors_note(errors, job->ask->target, 0, NULL, "these changes also set: %s", list.text);
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
static int edit_plan(struct job *job, struct patch *out, struct errors *errors)
{
    const struct buffer *old = &job->file[job->target];
    struct buffer text = {0};
    int changed = plan_edit(job->ask->wanted, NULL, old->text, old->size, &text);
    if (changed < 0)
        errors_add(errors, job->ask->target, 0, NULL, "cannot be patched; save the plan to a new file");
    else
        put_text(job, text.text);
    buffer_free(&text);
    out->changed = changed;
    return changed < 0 ? -1 : 0;
}

static int edit_foreign(struct job *job, struct patch *out, struct errors *errors)
{
    struct errors notes = {0};
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
    import_free(&job->import);
    errors_free(&notes);
    return result;
}

/* Hands over the texts that change. */
static void list_changes(const struct job *job, struct patch *out)
{
    for (size_t i = 0; i < job->old.count; i++) {
        const struct keyval *new = &job->text.item[i], *old = &job->old.item[i];
        if (strcmp(new->value, old->value) != 0) {
            keyvals_add(&out->file, new->key, new->value, 0);
            diff_unified(&out->diff, new->key, old->value, new->value);
        }
    }
}

static int edit_target(struct job *job, struct patch *out, struct errors *errors)
{
    const char *target = job->ask->target;
    const struct buffer *text = job->target >= 0 ? &job->file[job->target] : NULL;
    if (!text || text->size == 0 || text->size > EDIT_TEXT_MAX) {
        errors_add(errors, target, 0, NULL, "is empty, or too long to be changed value by value");
        return -1;
    }
    keyvals_add(&job->text, target, text->text, 0);
    keep_old(job);
    patch_turn(job, 0);
    if (job->kind == KIND_ARGUMENTS && args_is_dump(text->text, text->size)) {
        errors_add(errors, target, 0, NULL, "is the output of a run; change the files it was started with");
        return -1;
    }
    return is_own_kind(job->kind) ? edit_plan(job, out, errors) : edit_foreign(job, out, errors);
}

int patch_make(const struct patch_ask *ask, struct patch *out, struct errors *errors)
{
    struct job *job = xmalloc(sizeof *job);
    *out = (struct patch){0};
    *job = (struct job){.ask = ask, .file = xmalloc((size_t)(ask->files + 1) * sizeof *job->file)};
    memset(job->file, 0, (size_t)(ask->files + 1) * sizeof *job->file);
    plan_resolve(ask->wanted, &job->resolved);
    int result = load_files(job, errors) == 0 ? edit_target(job, out, errors) : -1;
    if (result == 0)
        list_changes(job, out);
    for (int i = 0; i < ask->files; i++)
        buffer_free(&job->file[i]);
    buffer_free(&job->now.text);
    keyvals_free(&job->text);
    keyvals_free(&job->old);
    free(job->file);
    free(job);
    return result;
}

void patch_free(struct patch *patch)
{
    keyvals_free(&patch->file);
    buffer_free(&patch->diff);
    *patch = (struct patch){0};
}
