#include "src/cli/session/host.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "src/cli/session/classroom.h"
#include "src/cli/verbs/compare.h"
#include "src/cli/verbs/goal.h"
#include "src/cli/session/command_history.h"
#include "src/cli/verbs/patch.h"
#include "src/cli/session/preferences.h"
#include "src/export/export.h"
#include "src/export/patch.h"
#include "src/plan/offer.h"
#include "src/plan/preset.h"
#include "src/report/html.h"
#include "src/report/report.h"
#include "src/report/svg.h"
#include "src/text/file.h"
#include "src/text/text.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Hands the first fault over as a message and forgets the rest. Returns `result`. */
static int answer(int result, struct errors *errors, char *message)
{
    message[0] = '\0';
    if (result != 0)
        snprintf(message, UI_MESSAGE_MAX, "%s", errors->count ? errors->line[0] : "failed for an unknown reason");
    errors_free(errors);
    return result;
}

static int read_fresh(const char *path, struct plan *plan, struct plan_reading *reading, struct errors *errors)
{
    struct plan fresh;
    plan_clear(&fresh);
    int result = plan_load(&fresh, path, reading, errors);
    if (result == 0 && reading && reading->has_auto)
        plan_settle_auto(&fresh, path, &reading->options, errors);
    plan_finish(&fresh);
    if (result == 0)
        *plan = fresh;
    return result;
}

void host_remember(struct host *host, const struct errors *errors)
{
    errors_free(&host->remarks);
    for (size_t i = 0; i < errors->count; i++)
        errors_say(&host->remarks, errors->level[i], NULL, 0, NULL, "%s", errors->line[i]);
}

static int host_load(void *context, const char *path, struct plan *plan, char *message)
{
    struct host *host = context;
    struct errors errors = {0};
    const struct import_options *how = reading_how(&host->reading, path);
    struct plan_reading reading = {.kind = KIND_UNKNOWN};
    if (how)
        reading.options = *how;
    saving_note(&host->saving, path);
    int result = read_fresh(path, plan, &reading, &errors);
    if (result == 0) {
        host_remember(host, &errors);
        reading_of(&host->reading, formats[reading.kind].read ? path : NULL, how);
        host->left_open = reading.questions;
        questions_finish(plan, formats[reading.kind].read || reading.asks_hardware ? path : NULL, &host->left_open);
    }
    return answer(result, &errors, message);
}

static void host_reopen(void *context, const char *path, const struct questions *questions)
{
    struct host *host = context;
    host->left_open = questions ? *questions : (struct questions){0};
    saving_begin_with(&host->saving, *path ? path : NULL);
    reading_return_to(&host->reading, *path ? path : NULL);
}

static const struct questions *host_questions(void *context)
{
    struct host *host = context;
    return &host->left_open;
}

static void host_remarks(void *context, void (*take)(void *to, const char *line), void *to)
{
    struct host *host = context;
    for (size_t i = 0; i < host->remarks.count; i++)
        if (!host->reading.path || host->remarks.level[i] != MESSAGE_UNUSED) /* host_read() lists them by name */
            take(to, host->remarks.line[i]);
}

static void host_read(void *context, void (*take)(void *to, const struct ui_read *line), void *to)
{
    struct host *host = context;
    reading_lines(&host->reading, take, to);
}

static int host_read_line(void *context, int number, char *out, size_t size)
{
    struct host *host = context;
    return reading_line(&host->reading, number, out, size);
}

/* The path with the home directory for a ~ in front. */
static const char *at_home(const char *path, char out[PATH_MAX])
{
    const char *home = getenv("HOME");
    if (strncmp(path, "~/", 2) != 0 || !home || !*home)
        return path;
    snprintf(out, PATH_MAX, "%s%s", home, path + 1);
    return out;
}

static int host_peek(void *context, const char *path, struct plan *plan, char *message)
{
    struct stat info;
    struct errors errors = {0};
    char real[PATH_MAX];
    (void)context;
    path = at_home(path, real);
    if (stat(path, &info) == 0 ? !S_ISREG(info.st_mode) || info.st_size > 1 << 20 : !preset_known(PRESET_PLAN, path)) {
        snprintf(message, UI_MESSAGE_MAX, "Enter reads it");
        return -1;
    }
    return answer(read_fresh(path, plan, NULL, &errors), &errors, message);
}

static enum ui_write host_save(void *context, const char *path, const struct plan *plan, bool is_confirmed,
                               char *message)
{
    struct host *host = context;
    return saving_plan(&host->saving, path, plan, &host->left_open, is_confirmed, message);
}

static enum ui_own host_own(void *context, const char *path)
{
    struct host *host = context;
    return saving_own(&host->saving, path);
}

static int host_preset(void *context, enum param key, const char *name, struct plan *plan, char *message)
{
    (void)context;
    struct errors errors = {0};
    struct place place = {NULL, 0, param_rows[key].dotted};
    int result = preset_apply(plan, key, name, FROM_SET, &place, &errors);
    if (result == 0)
        plan_finish(plan);
    return answer(result, &errors, message);
}

static int host_goal(void *context, const char *name, const struct ui_goal *figures, const struct plan *plan,
                     struct plan *out, struct ui_goal_ways *ways, char *message)
{
    char text[GOAL_TEXT_MAX];
    (void)context;
    int result = goal_answer(name, figures, plan, out, ways, text);
    if (result == 0)
        plan_finish(out);
    snprintf(message, UI_MESSAGE_MAX, "%.250s", text);
    return result;
}

static size_t host_names(void *context, enum param key, const char *const **names)
{
    (void)context;
    return preset_names(preset_kind_of(key), names);
}

static size_t host_plan_names(void *context, const char *const **names)
{
    (void)context;
    return preset_names(PRESET_PLAN, names);
}

/* By the ending of the name: nothing is opened. */
static bool may_be_plan(const char *name)
{
    return *name != '.' && (text_ends_with(name, ".yaml") || text_ends_with(name, ".yml") ||
                            text_ends_with(name, ".json") || text_ends_with(name, ".sh"));
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static void host_files(void *context, const char *folder, void (*take)(void *to, const char *path), void *to)
{
    enum { MOST = 2000 };
    struct dirent **entries;
    char real[PATH_MAX];
    (void)context;
    int count = scandir(*folder ? at_home(folder, real) : ".", &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char path[PATH_MAX], clean[PATH_MAX];
        snprintf(path, sizeof path, "%s%s", folder, name);
        bool goes_on = i < MOST && *name != '.' && is_folder(at_home(path, real));
        snprintf(path, sizeof path, "%s%s%s", folder, name, goes_on ? "/" : "");
        text_clean(path, clean, sizeof clean);
        if (i < MOST && (goes_on || may_be_plan(name)) && strcmp(path, clean) == 0)
            take(to, path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

/* ---- sessions --------------------------------------------------------------------------------------------------- */

static int host_autosave(void *context, const char *path, const struct plan *plan, const struct plan *saved,
                         char *message)
{
    struct host *host = context;
    struct errors errors = {0};
    return answer(journal_keep(&host->journal, path, plan, saved, &host->left_open, &errors), &errors, message);
}

static char *host_settings_text(void *context, const struct settings *settings)
{
    (void)context;
    struct buffer text = {0};
    preferences_list(settings, &text);
    return text.text;
}

static void host_leave_kept(void *context, int file)
{
    struct host *host = context;
    journal_leave(&host->journal, file);
}

static void host_return_kept(void *context, int file)
{
    struct host *host = context;
    journal_return(&host->journal, file);
}

static void host_forget(void *context)
{
    struct host *host = context;
    journal_drop(&host->journal);
}

static int host_kept(void *context, const char *path, struct plan *plan, char *message)
{
    struct host *host = context;
    struct sessions all = {0};
    struct errors errors = {0};
    struct plan saved;
    char age[48], line[2 * UI_MESSAGE_MAX];
    sessions_read(&all);
    const struct session *it = sessions_offer(&all, path, host->offered_model);
    if (it) {
        session_age(it, age, sizeof age);
        snprintf(line, sizeof line, "Not saved %s: %.60s, %.120s. Restore it?", age, it->name, it->changes);
        text_clean(line, message, UI_MESSAGE_MAX);
    }
    int result = !it ? -1 : plan ? session_load(it, plan, &saved, NULL, &errors) : 0;
    errors_free(&errors);
    sessions_free(&all);
    return result;
}

static void host_drop_kept(void *context, const char *path)
{
    struct host *host = context;
    struct sessions all = {0};
    sessions_read(&all);
    const struct session *it = sessions_offer(&all, path, host->offered_model);
    if (it)
        session_delete(it);
    sessions_free(&all);
}

static int host_restore(void *context, struct plan *plan, struct plan *saved, char *path, size_t size, char *message)
{
    struct host *host = context;
    struct sessions all = {0};
    struct errors errors = {0};
    sessions_read(&all);
    const struct session *it = sessions_offer(&all, path, host->offered_model);
    int result = -1;
    if (!it)
        errors_add(&errors, NULL, 0, NULL, "another shardtop has restored it");
    else
        result = session_load(it, plan, saved, &host->left_open, &errors);
    if (result == 0) {
        snprintf(path, size, "%s", it->path);
        if (*path)
            saving_note(&host->saving, path);
        reading_return_to(&host->reading, *path ? path : NULL);
        journal_take(&host->journal, it);
    }
    sessions_free(&all);
    return answer(result, &errors, message);
}

/* ---- themes ----------------------------------------------------------------------------------------------------- */

static void theme_line(struct theme *theme, const struct keyval *kv, const char *path, struct errors *errors)
{
    char why[THEME_MESSAGE_MAX];
    if (strcmp(kv->key, "name") == 0)
        return;
    if (strcmp(kv->key, "about") == 0)
        text_clean(kv->value, theme->about, sizeof theme->about);
    else if (strcmp(kv->key, "light") == 0)
        theme->is_light = strcmp(kv->value, "true") == 0;
    else if (theme_set(theme, kv->key, kv->value, why) != 0)
        errors_add(errors, path, kv->line, kv->key, "%s", why);
}

/* A user's own theme may have a text that nobody can read. */
static void remark_theme(const struct theme *theme, const char *path, char *message)
{
    char line[2 * UI_MESSAGE_MAX];
    enum role role = theme_unreadable(theme);
    if (role == ROLE_COUNT)
        return;
    const struct look *look = &theme->look[role];
    snprintf(line, sizeof line, "%.120s: %s: text %d on %d has a contrast of %.1f; %.1f can be read", path,
             role_name((enum role)role), look->fg256, look->bg256, theme_contrast(look->fg256, look->bg256),
             THEME_LEAST_CONTRAST / 10.0);
    text_clean(line, message, UI_MESSAGE_MAX);
}

static int host_theme(void *context, const char *name, struct theme *theme, char *message)
{
    (void)context;
    struct errors errors = {0};
    struct keyvals list = {0};
    struct theme fresh;
    char *path = NULL;
    theme_default(&fresh);
    int result = 0;
    if (strcmp(name, "default") != 0 || preset_known(PRESET_THEME, name)) {
        result = preset_read(PRESET_THEME, name, &list, &path, &(struct place){NULL, 0, "theme"}, &errors);
        for (size_t i = 0; i < list.count && result == 0; i++)
            theme_line(&fresh, &list.item[i], path, &errors);
        snprintf(fresh.name, sizeof fresh.name, "%.*s", THEME_NAME_MAX - 1, name);
    }
    result = errors_any(&errors) ? -1 : result;
    if (result == 0)
        *theme = fresh;
    answer(result, &errors, message);
    if (result == 0 && path && *path == '/')
        remark_theme(&fresh, path, message);
    keyvals_free(&list);
    free(path);
    return result;
}

static size_t host_theme_names(void *context, const char *const **names)
{
    (void)context;
    return preset_names(PRESET_THEME, names);
}

/* ---- report ----------------------------------------------------------------------------------------------------- */

static const char svg[] = ".svg", html[] = ".html";

/* The form that a file's ending asks for; false when the report has no such form. Without an ending it is text. */
static bool format_of(const char *path, enum report_format *format)
{
    static const struct {
        const char *ending;
        enum report_format format;
    } forms[] = {{".json", REPORT_JSON},
                 {".csv", REPORT_CSV},
                 {".md", REPORT_MARKDOWN},
                 {".txt", REPORT_TEXT},
                 {svg, REPORT_TEXT},
                 {html, REPORT_TEXT}};
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    *format = REPORT_TEXT;
    for (size_t i = 0; dot && i < LENGTH(forms); i++)
        if (strcasecmp(dot, forms[i].ending) == 0) {
            *format = forms[i].format;
            return true;
        }
    return !dot;
}

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), n = strlen(ending);
    return length > n && strcasecmp(path + length - n, ending) == 0;
}

/* The page for a browser: the plan is in it. */
static void put_page(struct buffer *out, const struct plan *plan, const struct estimate *estimate)
{
    struct buffer text = {0};
    plan_emit(&text, plan, NULL, NULL);
    report_html(out, estimate, &(struct html_parts){text.text, "shardtop show plan.yaml"});
    buffer_free(&text);
}

static enum ui_write host_export(void *context, const char *path, const struct plan *plan, bool is_confirmed,
                                 char *message)
{
    struct host *host = context;
    struct errors errors = {0};
    struct buffer out = {0};
    struct report_options options = {0};
    if (!format_of(path, &options.format)) {
        errors_add(&errors, path, 0, NULL,
                   "unknown report format; end the name in .txt, .json, .csv, .md, .svg or .html");
        answer(-1, &errors, message);
        return UI_WRITE_FAILED;
    }
    struct estimate *estimate = xmalloc(sizeof *estimate);
    const struct estimate *const all[] = {estimate};
    estimate_plan(plan, estimate);
    if (ends_with(path, html))
        put_page(&out, plan, estimate);
    else if (ends_with(path, svg))
        report_svg(&out, all, 1, SECTION_MEMORY);
    else
        report_write(&out, all, 1, &options);
    enum ui_write result = saving_report(&host->saving, path, &out, is_confirmed, message);
    buffer_free(&out);
    free(estimate);
    return result;
}

/* ---- export ----------------------------------------------------------------------------------------------------- */

static const char *host_patched(void *context)
{
    struct host *host = context;
    return host->reading.path;
}

static size_t host_export_names(void *context, const char *const **names)
{
    struct host *host = context;
    size_t count = 0;
    while (export_names[count] && count + 2 < HOST_EXPORTS_MAX) {
        host->export_names[count] = export_names[count];
        count++;
    }
    if (host->reading.path) {
        host->export_names[count++] = "patch";
        host->export_names[count++] = "script";
    }
    *names = host->export_names;
    return count;
}

static int make_patch(const struct host *host, const struct plan *plan, struct patch *out, struct errors *notes)
{
    const char *const files[] = {host->reading.path};
    return patch_make(
        &(struct patch_ask){
            .wanted = plan, .file = files, .files = 1, .target = host->reading.path, .options = host->reading.options},
        out, notes);
}

static int patch_text(const struct host *host, const struct plan *plan, struct buffer *out, struct errors *notes)
{
    struct patch patch;
    int result = make_patch(host, plan, &patch, notes);
    if (result == 0 && patch.diff.size)
        buffer_lines(out, "", patch.diff.text);
    else if (result == 0 && !patch.left)
        buffer_printf(out, "# %s already describes this plan\n", host->reading.path);
    patch_free(&patch);
    return result;
}

static int host_export_text(void *context, const char *format, const struct plan *plan, char **text, char *message)
{
    struct host *host = context;
    struct errors notes = {0};
    struct buffer out = {0};
    struct plan resolved;
    plan_resolve(plan, &resolved);
    const struct export_format *known = export_find(format);
    int result = known ? export_plan(known, plan, &resolved, &out, &notes) : patch_text(host, plan, &out, &notes);
    bool has_comments = strcmp(format, "hf") != 0 && strcmp(format, "deepspeed") != 0; /* JSON has none */
    for (size_t i = 0; result == 0 && has_comments && i < notes.count; i++)
        buffer_printf(&out, "# %s\n", notes.line[i]);
    *text = result == 0 ? xstrdup(out.text ? out.text : "") : NULL;
    buffer_free(&out);
    return answer(result, &notes, message);
}

static int host_save_settings(void *context, const struct settings *settings, char *message)
{
    (void)context;
    struct errors errors = {0};
    char *path = preferences_save(settings, &errors);
    if (!path)
        return answer(-1, &errors, message);
    text_clean(path, message, UI_MESSAGE_MAX);
    free(path);
    return 0;
}

/* Changes the file itself, and those read beside it; what they held is kept as FILE~. */
static enum ui_write apply_patch(struct host *host, const struct plan *plan, bool is_confirmed, char *message)
{
    struct patch patch;
    struct errors notes = {0};
    enum ui_write result = UI_WRITE_FAILED;
    bool is_kept = make_patch(host, plan, &patch, &notes) == 0;
    bool is_made = is_kept;
    message[0] = '\0';
    for (size_t i = 0; is_kept && i < patch.file.count; i++)
        is_kept = saving_keep(&host->saving, patch.file.item[i].key, message) == 0;
    if (is_kept)
        result = patch_write(&host->saving, &patch, host->reading.path, is_confirmed, message);
    else if (!is_made)
        snprintf(message, UI_MESSAGE_MAX, "%s", notes.count ? notes.line[0] : "cannot be changed");
    patch_free(&patch);
    errors_free(&notes);
    return result;
}

/* What the file of a patch would be, itself where nothing changes; NULL where others change, or there is no memory. */
static char *text_of(const struct host *host, const struct patch *patch, struct errors *notes)
{
    size_t size;
    if (patch->file.count == 0)
        return file_read(host->reading.path, &size, notes);
    bool is_alone = patch->file.count == 1 && strcmp(patch->file.item[0].key, host->reading.path) == 0;
    if (!is_alone)
        errors_add(notes, NULL, 0, NULL, "%s: changes, too, and goes with it; `export patch` changes both",
                   patch->file.item[patch->file.count - 1].key);
    return is_alone ? xstrdup(patch->file.item[0].value) : NULL;
}

/* The user's script with the plan in it, as a new file that may do what the old one may. */
static enum ui_write write_script(struct host *host, const char *path, const struct plan *plan, bool is_confirmed,
                                  char *message)
{
    struct patch patch = {0};
    struct errors notes = {0};
    struct buffer out = {0};
    struct stat info;
    enum ui_write result = UI_WRITE_FAILED;
    char *text = make_patch(host, plan, &patch, &notes) == 0 ? text_of(host, &patch, &notes) : NULL;
    if (text) {
        buffer_puts(&out, text);
        result = saving_report(&host->saving, path, &out, is_confirmed, message);
    } else {
        snprintf(message, UI_MESSAGE_MAX, "%s", notes.count ? notes.line[notes.count - 1] : "cannot be written");
    }
    if (result == UI_WRITTEN && stat(host->reading.path, &info) == 0)
        chmod(path, info.st_mode & 0777);
    free(text);
    buffer_free(&out);
    patch_free(&patch);
    errors_free(&notes);
    return result;
}

static enum ui_write host_export_file(void *context, const char *format, const char *path, const struct plan *plan,
                                      bool is_confirmed, char *message)
{
    struct host *host = context;
    struct buffer out = {0};
    char *text = NULL;
    if (host->reading.path && strcmp(format, "patch") == 0 && strcmp(path, host->reading.path) == 0)
        return apply_patch(host, plan, is_confirmed, message);
    if (host->reading.path && strcmp(format, "script") == 0 && strcmp(path, host->reading.path) == 0) {
        snprintf(message, UI_MESSAGE_MAX, "script: takes a new name; `export patch` changes %.150s itself", path);
        return UI_WRITE_FAILED;
    }
    if (host->reading.path && strcmp(format, "script") == 0)
        return write_script(host, path, plan, is_confirmed, message);
    if (host_export_text(context, format, plan, &text, message) != 0)
        return UI_WRITE_FAILED;
    buffer_puts(&out, text);
    free(text);
    enum ui_write result = saving_report(&host->saving, path, &out, is_confirmed, message);
    buffer_free(&out);
    return result;
}

static enum ui_write host_write(void *context, const char *path, const char *text, bool is_confirmed, char *message)
{
    struct host *host = context;
    struct buffer out = {0};
    buffer_puts(&out, text);
    enum ui_write result = saving_report(&host->saving, path, &out, is_confirmed, message);
    buffer_free(&out);
    return result;
}

static void host_lines(void *context, void (*take)(void *to, const char *line), void *to)
{
    (void)context;
    lines_read(take, to);
}

static void host_keep_line(void *context, const char *line)
{
    (void)context;
    lines_keep(line);
}

static void host_estimators(void *context, const struct estimate *estimate,
                            void (*take)(void *to, const struct ui_comparison *comparison), void *to)
{
    (void)context;
    compare_each(estimate, take, to);
}

static int host_record(void *context, const struct plan *plan, char *message)
{
    struct host *host = context;
    return recorder_take(&host->recorder, plan, message);
}

static const struct ui_host functions = {
    .load = host_load,
    .peek = host_peek,
    .save = host_save,
    .own = host_own,
    .preset = host_preset,
    .names = host_names,
    .plan_names = host_plan_names,
    .files = host_files,
    .theme = host_theme,
    .theme_names = host_theme_names,
    .settings_text = host_settings_text, .autosave = host_autosave, .leave_kept = host_leave_kept,
    .return_kept = host_return_kept, .reopen = host_reopen,
    .forget = host_forget,
    .kept = host_kept,
    .drop_kept = host_drop_kept,
    .restore = host_restore,
    .export_report = host_export,
    .export_names = host_export_names,
    .export_text = host_export_text,
    .save_settings = host_save_settings,
    .export_file = host_export_file,
    .patched = host_patched,
    .write = host_write,
    .lines = host_lines,
    .keep_line = host_keep_line,
    .remarks = host_remarks,
    .read = host_read,
    .read_line = host_read_line,
    .questions = host_questions,
    .estimators = host_estimators,
    .goal = host_goal,
    .lessons = &classroom_functions,
};

struct ui_host host_functions(struct host *host)
{
    struct ui_host out = functions;
    out.context = host;
    out.record = host->recorder.path ? host_record : NULL;
    return out;
}

struct classroom *host_classroom(struct host *host)
{
    if (!host->classroom)
        host->classroom = classroom_create();
    return host->classroom;
}

void host_free(struct host *host)
{
    errors_free(&host->remarks);
    saving_free(&host->saving);
    reading_free(&host->reading);
    journal_free(&host->journal);
    recorder_free(&host->recorder);
    if (host->classroom)
        classroom_free(host->classroom);
    *host = (struct host){0};
}
