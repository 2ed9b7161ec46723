#include "src/cli/session/session.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "src/plan/offer.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/keyval.h"
#include "src/text/paths.h"
#include "src/text/process.h"
#include "src/text/text.h"
#include "src/text/tree.h"
#include "src/text/worker.h"
#include "src/text/yaml.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FAULT_MS = 5 /* to wait for a quick disk */, NAME_KEPT = 60 /* bytes */, CHANGES_SHOWN = 3 };

struct journal_left {
    int file;
    char *path;
};

/* ---- names ---------------------------------------------------------------------------------------------------- */

/*
 * The name of a plan file without folder, ending and what a file name should not have; of a plan without one its
 * model's.
 */
static void name_of(const char *path, const char *model, char name[NAME_KEPT + 1])
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    int size = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    if (*path)
        snprintf(name, NAME_KEPT + 1, "%.*s", size, base);
    else
        snprintf(name, NAME_KEPT + 1, "%s", *model ? model : "unnamed");
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("._-", *p))
            *p = '_';
}

static char *journal_path(const struct journal *own, const char *path, const char *model)
{
    char name[NAME_KEPT + 1];
    name_of(path, model, name);
    char *folder = paths_state("sessions");
    char count[16] = "", *journal = NULL;
    if (own->ended)
        snprintf(count, sizeof count, "-%d", own->ended + 1);
    if (folder)
        journal = xasprintf("%s/%s@%s@%ld%s.yaml", folder, name, process_host(), (long)getpid(), count);
    free(folder);
    return journal;
}

/* Takes a journal's file name apart; false when it is none. */
static bool read_name(const char *file, struct session *session)
{
    char stem[NAME_MAX + 1];
    if (!text_ends_with(file, ".yaml"))
        return false;
    snprintf(stem, sizeof stem, "%.*s", (int)(strlen(file) - strlen(".yaml")), file);
    char *pid = strrchr(stem, '@'), *host;
    if (!pid)
        return false;
    *pid++ = '\0';
    host = strrchr(stem, '@');
    if (!host)
        return false;
    *host++ = '\0';
    session->name = xstrdup(stem);
    session->host = strcmp(host, process_host()) != 0 ? xstrdup(host) : NULL;
    session->is_running = session->host || process_lives(atol(pid));
    return true;
}

/* ---- reading -------------------------------------------------------------------------------------------------- */

/* The head of a journal is comments, each a setting. */
static void read_head(struct session *session, const char *text)
{
    struct errors errors = {0};
    struct keyvals head = {0};
    struct buffer lines = {0};
    for (; strncmp(text, "# ", 2) == 0; text += strcspn(text, "\n"), text += *text == '\n')
        buffer_printf(&lines, "%.*s\n", (int)strcspn(text + 2, "\n"), text + 2);
    if (lines.size)
        tree_settings(lines.text, lines.size, session->journal, TREE_YAML, &head, &errors);
    const struct keyval *path = keyvals_last(&head, "file"), *changes = keyvals_last(&head, "changes");
    session->path = xstrdup(path ? path->value : "");
    session->changes = xstrdup(changes ? changes->value : "changes");
    keyvals_free(&head);
    buffer_free(&lines);
    errors_free(&errors);
}

static void read_session(struct sessions *out, const char *folder, const char *file)
{
    struct session session = {0};
    struct errors errors = {0};
    struct stat info;
    size_t size;
    if (!read_name(file, &session))
        return;
    session.journal = xasprintf("%s/%s", folder, file);
    char *text = file_read(session.journal, &size, &errors);
    read_head(&session, text ? text : "");
    session.written = stat(session.journal, &info) == 0 ? info.st_mtime : 0;
    free(text);
    errors_free(&errors);
    if (out->count == out->capacity) {
        out->capacity = out->capacity ? 2 * out->capacity : 16;
        out->item = xrealloc(out->item, out->capacity * sizeof *out->item);
    }
    out->item[out->count++] = session;
}

static int later(const void *a, const void *b)
{
    const struct session *x = a, *y = b;
    int order = (x->written < y->written) - (x->written > y->written);
    return order ? order : strcmp(x->journal, y->journal);
}

void sessions_read(struct sessions *out)
{
    char *folder = paths_state("sessions");
    DIR *entries = folder ? opendir(folder) : NULL;
    for (const struct dirent *entry; entries && (entry = readdir(entries));)
        if (entry->d_name[0] != '.')
            read_session(out, folder, entry->d_name);
    if (entries)
        closedir(entries);
    free(folder);
    if (out->count)
        qsort(out->item, out->count, sizeof *out->item, later);
}

void sessions_free(struct sessions *sessions)
{
    for (size_t i = 0; i < sessions->count; i++) {
        free(sessions->item[i].journal);
        free(sessions->item[i].name);
        free(sessions->item[i].host);
        free(sessions->item[i].path);
        free(sessions->item[i].changes);
    }
    free(sessions->item);
    *sessions = (struct sessions){0};
}

/* ---- finding -------------------------------------------------------------------------------------------------- */

/* The whole path of a file that may not exist, in fresh memory. */
static char *whole_path(const char *path)
{
    char *whole = realpath(path, NULL), here[PATH_MAX];
    if (!whole && *path && *path != '/' && getcwd(here, sizeof here))
        whole = xasprintf("%s/%s", here, path);
    return whole ? whole : xstrdup(path);
}

/* The session of a number from 1 on, or the latest of this name or plan file; NULL when there is none. */
static const struct session *sessions_find(const struct sessions *sessions, const char *word)
{
    char *path = whole_path(word), *end;
    unsigned long number = strtoul(word, &end, 10);
    bool is_number = *word && !*end && number >= 1 && number <= sessions->count;
    const struct session *found = is_number ? &sessions->item[number - 1] : NULL;
    for (size_t i = 0; i < sessions->count && !found; i++)
        if (strcmp(sessions->item[i].name, word) == 0 || (*word && strcmp(sessions->item[i].path, path) == 0))
            found = &sessions->item[i];
    free(path);
    return found;
}

const struct session *session_named(const struct sessions *sessions, const char *word, struct errors *errors)
{
    const struct session *found = sessions_find(sessions, word);
    if (!found)
        errors_add(errors, "shardtop", 0, "--restore",
                   "'%.60s' is not an unsaved plan; shardtop --restore lists them", word);
    return found;
}

const struct session *sessions_offer(const struct sessions *sessions, const char *path, const char *model)
{
    char *whole = whole_path(path), name[NAME_KEPT + 1] = "";
    const struct session *found = NULL;
    bool takes_any = !*path && !model;
    if (!takes_any)
        name_of(path, model ? model : "", name);
    for (size_t i = 0; i < sessions->count && !found; i++) {
        const struct session *it = &sessions->item[i];
        bool is_same = strcmp(it->path, whole) == 0 && (*path || strcmp(it->name, name) == 0);
        if (!it->is_running && (takes_any || is_same))
            found = it;
    }
    free(whole);
    return found;
}

void sessions_expire(int days)
{
    const double day_s = 86400;
    struct sessions all = {0};
    sessions_read(&all);
    for (size_t i = 0; i < all.count; i++)
        if (!all.item[i].is_running && difftime(time(NULL), all.item[i].written) > days * day_s)
            unlink(all.item[i].journal);
    sessions_free(&all);
}

void session_delete(const struct session *session)
{
    unlink(session->journal);
}

void session_age(const struct session *session, char *out, size_t size)
{
    static const struct {
        long seconds;
        const char *name;
    } units[] = {{86400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}};
    long age = (long)(time(NULL) - session->written);
    age = age > 0 ? age : 0;
    size_t unit = 0;
    while (unit + 1 < LENGTH(units) && age < units[unit].seconds)
        unit++;
    long count = age / units[unit].seconds;
    snprintf(out, size, "%ld %s%s ago", count, units[unit].name, count == 1 ? "" : "s");
}

void sessions_list(const struct sessions *sessions, struct buffer *out)
{
    for (size_t i = 0; i < sessions->count; i++) {
        const struct session *session = &sessions->item[i];
        char age[48], line[1024], clean[1024];
        session_age(session, age, sizeof age);
        snprintf(line, sizeof line, "%3zu  %-15s  %s: %s%s%s", i + 1, age,
                 *session->path ? session->path : session->name, session->changes,
                 session->host         ? ", perhaps still open on "
                 : session->is_running ? ", still open"
                                       : "",
                 session->host ? session->host : "");
        text_clean(line, clean, sizeof clean);
        buffer_printf(out, "%s\n", clean);
    }
}

int session_load(const struct session *session, struct plan *plan, struct plan *saved, struct questions *open,
                 struct errors *errors)
{
    struct errors unread = {0};
    struct plan_reading reading = {0};
    plan_clear(plan);
    plan_clear(saved);
    if (plan_load(plan, session->journal, &reading, errors) != 0)
        return -1;
    plan_finish(plan);
    for (int i = 0; i < reading.questions.count; i++) /* nobody knows the journal */
        text_clean(session->path, reading.questions.item[i].where, QUESTION_TEXT_MAX);
    questions_finish(plan, reading.asks_hardware ? session->path : NULL, &reading.questions);
    if (open)
        *open = reading.questions;
    if (*session->path)
        plan_load(saved, session->path, NULL, &unread);
    plan_finish(saved);
    errors_free(&unread);
    return 0;
}

/* ---- keeping -------------------------------------------------------------------------------------------------- */

void journal_take(struct journal *own, const struct session *session)
{
    char *journal = journal_path(own, session->path, session->name);
    if (journal && rename(session->journal, journal) == 0) {
        free(own->path);
        own->path = journal;
    } else {
        free(journal);
    }
}

/* "3 changes (tp 4, pp 8, ...)", or nothing where the plans are equal. */
static void describe(const struct plan *plan, const struct plan *saved, struct buffer *out)
{
    struct buffer keys = {0};
    int count = 0;
    for (int i = 0; i < PARAM_COUNT; i++) {
        char value[PARAM_TEXT_MAX];
        bool is_answer = (plan->from[i] == FROM_ASSUMED) != (saved->from[i] == FROM_ASSUMED);
        if (param_equal(plan, saved, (enum param)i) && (!is_answer || param_blank(plan, (enum param)i)))
            continue;
        param_print(plan, (enum param)i, value, sizeof value);
        if (count < CHANGES_SHOWN)
            buffer_printf(&keys, "%s%s %.30s", count ? ", " : "", param_rows[i].key, *value ? value : "default");
        count++;
    }
    if (count)
        buffer_printf(out, "%d change%s (%s%s)", count, count == 1 ? "" : "s", keys.text,
                      count > CHANGES_SHOWN ? ", ..." : "");
    buffer_free(&keys);
}

void journal_leave(struct journal *own, int file)
{
    if (!own->path)
        return;
    own->left = xrealloc(own->left, (own->left_count + 1) * sizeof *own->left);
    own->left[own->left_count++] = (struct journal_left){file, own->path};
    own->path = NULL;
    own->ended++;
}

void journal_return(struct journal *own, int file)
{
    for (size_t i = 0; i < own->left_count; i++)
        if (own->left[i].file == file) {
            journal_drop(own);
            own->path = own->left[i].path;
            own->left[i] = own->left[--own->left_count];
            return;
        }
}

void journal_drop(struct journal *own)
{
    if (own->path)
        worker_drop(own->path);
    free(own->path);
    own->path = NULL;
}

void journal_free(struct journal *own)
{
    for (size_t i = 0; i < own->left_count; i++)
        free(own->left[i].path);
    free(own->left);
    free(own->path);
    *own = (struct journal){0};
}

/* The plan with a head of comments that tells whose it is. */
static void put_journal(struct buffer *out, const char *path, const char *changes, const struct plan *plan,
                        const struct questions *open)
{
    char *whole = whole_path(path);
    buffer_puts(out, "# kept: by shardtop, because it was not saved; shardtop --restore lists it\n# file: ");
    yaml_scalar(out, whole);
    buffer_puts(out, "\n# changes: ");
    yaml_scalar(out, changes);
    buffer_puts(out, "\n");
    plan_emit(out, plan, open, NULL);
    free(whole);
}

int journal_keep(struct journal *own, const char *path, const struct plan *plan, const struct plan *saved,
                 const struct questions *open, struct errors *errors)
{
    struct buffer changes = {0}, text = {0};
    size_t faults = errors->faults;
    char *journal = journal_path(own, path, plan->text[TEXT_MODEL]);
    describe(plan, saved, &changes);
    bool is_kept = false;
    if (!journal) {
        errors_add(errors, NULL, 0, NULL, "no home directory to keep the session in; set HOME");
    } else if (changes.size && paths_make_parents(journal, errors) == 0) {
        put_journal(&text, path, changes.text, plan, open);
        worker_keep(journal, text.text, text.size);
        is_kept = true;
    }
    if (own->path && (!is_kept || strcmp(own->path, journal) != 0))
        worker_drop(own->path);
    free(own->path);
    own->path = is_kept ? xstrdup(journal) : NULL;
    char *fault = worker_fault(FAULT_MS);
    if (fault)
        errors_add(errors, NULL, 0, NULL, "%s", fault);
    free(fault);
    free(journal);
    buffer_free(&text);
    buffer_free(&changes);
    return errors->faults > faults ? -1 : 0;
}
