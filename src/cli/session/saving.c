#include "src/cli/session/saving.h"

#include "src/plan/plan_io.h"
#include "src/plan/save.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/text.h"
#include "src/text/worker.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATIENCE_MS = 1000 }; /* for a slow disk, while the screen stands still */

/* ---- what this run has read and written ----------------------------------------------------------------------- */

struct saving_file {
    char *path; /* without links */
    bool is_written;
    struct file_mark mark;
};

static struct saving_file *find_known(const struct saving *saving, const char *path)
{
    char *whole = realpath(path, NULL);
    struct saving_file *found = NULL;
    for (size_t i = 0; whole && i < saving->count; i++)
        if (strcmp(saving->known[i].path, whole) == 0)
            found = &saving->known[i];
    free(whole);
    return found;
}

static void remember(struct saving *saving, const char *path, const struct file_mark *mark)
{
    struct saving_file *it = find_known(saving, path);
    char *whole = it ? NULL : realpath(path, NULL);
    if (!it && whole) {
        saving->known = xrealloc(saving->known, (saving->count + 1) * sizeof *saving->known);
        it = &saving->known[saving->count++];
        *it = (struct saving_file){.path = whole};
    }
    if (it)
        it->mark = *mark;
}

static void mark_written(struct saving *saving, const char *path)
{
    struct saving_file *it = find_known(saving, path);
    if (it)
        it->is_written = true;
}

void saving_begin_with(struct saving *saving, const char *path)
{
    free(saving->base);
    saving->base = path ? xstrdup(path) : NULL;
}

void saving_note_as(struct saving *saving, const char *path, const struct file_mark *mark)
{
    remember(saving, path, mark);
    saving_begin_with(saving, path);
}

void saving_note(struct saving *saving, const char *path)
{
    struct file_mark now = file_mark(path);
    saving_note_as(saving, path, &now);
}

void saving_free(struct saving *saving)
{
    for (size_t i = 0; i < saving->count; i++)
        free(saving->known[i].path);
    free(saving->known);
    free(saving->base);
    *saving = (struct saving){0};
}

/* What stands at a path. */
enum found { FOUND_NOTHING, FOUND_SPECIAL, FOUND_KNOWN, FOUND_CHANGED, FOUND_OTHER, FOUND_READ };

static enum found look_at(const struct saving *saving, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0 || (S_ISREG(info.st_mode) && info.st_size == 0))
        return FOUND_NOTHING;
    if (!S_ISREG(info.st_mode))
        return FOUND_SPECIAL;
    const struct saving_file *it = find_known(saving, path);
    struct file_mark now = file_mark(path);
    return !it ? FOUND_OTHER : file_mark_equal(&it->mark, &now) ? FOUND_KNOWN : FOUND_CHANGED;
}

/* ---- asking --------------------------------------------------------------------------------------------------- */

/* Asks what is lost when a file is replaced; false when nothing is. */
static bool ask(const char *path, enum found found, bool loses_comments, char *message)
{
    const char *lost = loses_comments ? "; comments and layout of this file cannot be kept" : "";
    char question[2 * UI_MESSAGE_MAX] = "";
    if (found == FOUND_CHANGED)
        snprintf(question, sizeof question, "Changed on disk since it was read%s. Replace %.200s?", lost, path);
    else if (found == FOUND_OTHER)
        snprintf(question, sizeof question, "File exists and was not opened here. Replace %.200s?", path);
    else if (found == FOUND_READ)
        snprintf(question, sizeof question, "The plan was read from this file. Replace %.200s?", path);
    else if (loses_comments)
        snprintf(question, sizeof question, "Comments and layout of this file cannot be kept. Replace %.200s?", path);
    text_clean(question, message, UI_MESSAGE_MAX);
    return question[0];
}

/* A name for a plan beside a file that is none: train.sh gives train.yaml, or train-2.yaml where that is taken. */
static void name_beside(const char *path, char *name)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    size_t stem = dot && dot > path && dot[-1] != '/' ? (size_t)(dot - path) : strlen(path);
    stem = stem > UI_MESSAGE_MAX - 16 ? UI_MESSAGE_MAX - 16 : stem;
    snprintf(name, UI_MESSAGE_MAX, "%.*s.yaml", (int)stem, path);
    for (int i = 2; i < 100 && access(name, F_OK) == 0; i++)
        snprintf(name, UI_MESSAGE_MAX, "%.*s-%d.yaml", (int)stem, path, i);
}

/* ---- writing -------------------------------------------------------------------------------------------------- */

static enum ui_write write_text(const char *path, const struct buffer *text, char *message)
{
    struct errors errors = {0};
    int result = worker_write(path, text->text ? text->text : "", text->size, PATIENCE_MS, &errors);
    if (result != 0)
        snprintf(message, UI_MESSAGE_MAX, "%s", errors.line[0]);
    errors_free(&errors);
    return result == 0 ? UI_WRITTEN : UI_WRITE_FAILED;
}

static char *read_quietly(const char *path, size_t *size)
{
    struct errors errors = {0};
    char *text = file_read(path, size, &errors);
    errors_free(&errors);
    return text;
}

/* An empty file that the same people may read, unless one is there; only a regular one is written over. */
static bool make_like(const char *name, mode_t mode)
{
    struct stat old;
    int fd = open(name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode & 0777);
    bool is_made = fd >= 0 && fstat(fd, &old) == 0 && S_ISREG(old.st_mode) && fchmod(fd, mode & 0777) == 0;
    if (fd >= 0)
        close(fd);
    return is_made;
}

/* Where what a file holds is kept: FILE~ as editors do, over an older one; what another wrote later has FILE~2 on. */
static char *name_before(const char *path, bool is_first)
{
    char *name = xasprintf("%s~", path);
    for (int i = 2; !is_first && i < 100 && access(name, F_OK) == 0; i++) {
        free(name);
        name = xasprintf("%s~%d", path, i);
    }
    return name;
}

/* What is to be kept before a file is written: what this run did not write itself. */
static bool is_others(const struct saving *saving, const char *path, enum found found)
{
    const struct saving_file *it = find_known(saving, path);
    return found == FOUND_CHANGED || found == FOUND_OTHER || (found == FOUND_KNOWN && !it->is_written);
}

/* Keeps what a file holds; the name in fresh memory, or NULL with the reason. */
static char *keep_before(const struct saving *saving, const char *path, char *message)
{
    const struct saving_file *it = find_known(saving, path);
    struct stat info;
    struct buffer old = {0};
    char *name = name_before(path, !it || !it->is_written);
    old.text = read_quietly(path, &old.size);
    bool is_kept = old.text && stat(path, &info) == 0 && make_like(name, info.st_mode) &&
                   write_text(name, &old, message) == UI_WRITTEN;
    if (!is_kept && !*message)
        snprintf(message, UI_MESSAGE_MAX,
        "%.150s: cannot keep the file's content; save under another name with :save NAME", name);
    free(old.text);
    if (!is_kept) {
        free(name);
        name = NULL;
    }
    return name;
}

/* The plan in the text of a file; -1 where that cannot be. */
static int edit_file(const struct plan *plan, const struct questions *open, const char *path, struct buffer *out)
{
    size_t size;
    char *text = read_quietly(path, &size);
    int changed = text ? plan_edit(plan, open, text, size, out) : -1;
    free(text);
    return changed;
}

static bool is_plan_file(const char *path)
{
    size_t size;
    char *text = read_quietly(path, &size);
    enum plan_kind kind = text ? plan_recognise(text, size) : KIND_UNKNOWN;
    bool is_script = text && strncmp(text, "#!", 2) == 0;
    free(text);
    return kind == KIND_YAML || kind == KIND_JSON || (kind == KIND_EMPTY && !is_script);
}

/* True when a plan under this name can begin with the text of its own file: both JSON, or none. */
static bool is_same_form(const struct saving *saving, const char *path)
{
    return saving->base && text_ends_with(saving->base, ".json") == text_ends_with(path, ".json");
}

enum ui_own saving_own(const struct saving *saving, const char *path)
{
    if (look_at(saving, path) != FOUND_KNOWN || !is_plan_file(path))
        return UI_OWN_NONE;
    return find_known(saving, path)->is_written ? UI_OWN_WRITTEN : UI_OWN_READ;
}

/* "1 value changed, the rest as it was; before: l70.yaml~" */
static void say_written(int changed, const char *before, char *message)
{
    int used = 0;
    message[0] = '\0';
    if (changed > 0)
        used = snprintf(message, UI_MESSAGE_MAX, "%d value%s changed, the rest as it was", changed,
                        changed == 1 ? "" : "s");
    if (before)
        snprintf(message + used, UI_MESSAGE_MAX - (size_t)used, "%sbefore: %.100s", used ? "; " : "", before);
}

/* Writes the text of a plan, after what others wrote there is kept. */
static enum ui_write replace(struct saving *saving, const char *path, enum found found, const struct buffer *text,
                             int changed, char *message)
{
    char *before = is_others(saving, path, found) ? keep_before(saving, path, message) : NULL;
    enum ui_write result = UI_WRITE_FAILED;
    if (before || !is_others(saving, path, found))
        result = write_text(path, text, message);
    if (result == UI_WRITTEN) {
        saving_note(saving, path);
        mark_written(saving, path);
        say_written(changed, before, message);
    }
    free(before);
    return result;
}

enum ui_write saving_plan(struct saving *saving, const char *path, const struct plan *plan,
                          const struct questions *open, bool is_confirmed, char *message)
{
    struct buffer text = {0};
    enum found found = look_at(saving, path);
    bool is_own = found == FOUND_KNOWN || found == FOUND_CHANGED;
    message[0] = '\0';
    if ((is_own || found == FOUND_OTHER) && !is_plan_file(path)) {
        name_beside(path, message);
        return UI_WRITE_ELSEWHERE;
    }
    const char *base = is_own ? path : is_same_form(saving, path) ? saving->base : NULL;
    int changed = base ? edit_file(plan, open, base, &text) : -1;
    if (changed < 0)
        plan_emit(&text, plan, open, "A plan for shardtop; unset keys take the framework's defaults.");
    enum ui_write result = found == FOUND_CHANGED ? UI_WRITE_CHANGED : UI_WRITE_ASKS;
    if (is_own && changed == 0) {
        saving_note(saving, path);
        snprintf(message, UI_MESSAGE_MAX, "the file already holds this plan");
        result = UI_WRITTEN;
    } else if (is_confirmed || !ask(path, found, is_own && changed < 0, message)) {
        result = replace(saving, path, found, &text, is_own ? changed : 0, message);
    }
    buffer_free(&text);
    return result;
}

int saving_keep(const struct saving *saving, const char *path, char *message)
{
    bool is_due = is_others(saving, path, look_at(saving, path));
    char *before = is_due ? keep_before(saving, path, message) : NULL;
    int result = is_due && !before ? -1 : 0;
    free(before);
    return result;
}

/* Writes a text that is no plan; asks where `found` is a loss. */
static enum ui_write write_other(struct saving *saving, const char *path, const struct buffer *text, enum found found,
                                 bool is_confirmed, char *message)
{
    message[0] = '\0';
    if (!is_confirmed && ask(path, found, false, message))
        return UI_WRITE_ASKS;
    enum ui_write result = write_text(path, text, message);
    if (result == UI_WRITTEN) {
        struct file_mark now = file_mark(path);
        remember(saving, path, &now);
        mark_written(saving, path);
    }
    return result;
}

enum ui_write saving_report(struct saving *saving, const char *path, const struct buffer *text, bool is_confirmed,
                            char *message)
{
    enum found found = look_at(saving, path);
    bool is_read = found == FOUND_KNOWN && is_others(saving, path, found);
    return write_other(saving, path, text, is_read ? FOUND_READ : found, is_confirmed, message);
}

enum ui_write saving_change(struct saving *saving, const char *path, const struct buffer *text, bool is_confirmed,
                            char *message)
{
    return write_other(saving, path, text, look_at(saving, path), is_confirmed, message);
}
