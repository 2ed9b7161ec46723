/*
 * Any bytes as what earlier runs left: kept plans, journals of files in place, command lines, progress. No crash, and
 * nothing outside of the folder of state is touched.
 */
#include "core/plan/question.h"
#include "src/cli/session/command_history.h"
#include "src/cli/session/session.h"
#include "src/course/progress.h"
#include "src/text/errors.h"
#include "src/text/process.h"
#include "src/text/text.h"
#include "src/text/write.h"
#include "tests/fuzz/plans.h"
#include "tests/scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DEAD = 4194305 /* beyond the largest process of Linux */ };

/* Writes a file of the state folder. */
static void leave(const char *folder, const char *name, const uint8_t *data, size_t size)
{
    char path[192];
    mkdir(scratch_path("shardtop"), 0700);
    snprintf(path, sizeof path, "shardtop/%s", folder);
    mkdir(scratch_path(path), 0700);
    snprintf(path, sizeof path, "shardtop/%s/%s", folder, name);
    scratch_put(path, data, size);
}

static void take_session(const struct session *session)
{
    struct plan plan, saved;
    struct questions open = {0};
    struct errors errors = {0};
    struct journal own = {0};
    char age[64];
    session_age(session, age, sizeof age);
    plan_clear(&plan);
    plan_clear(&saved);
    if ((session_load(session, &plan, &saved, &open, &errors) == 0) == errors_any(&errors))
        abort();
    if (!errors_any(&errors)) {
        journal_take(&own, session);
        journal_keep(&own, session->path, &plan, &saved, &open, &errors);
        journal_leave(&own, 0);
        journal_return(&own, 0);
        journal_drop(&own);
    }
    journal_free(&own);
    errors_free(&errors);
}

static void take_sessions(const uint8_t *data, size_t size)
{
    struct sessions kept = {0};
    struct buffer list = {0};
    struct errors errors = {0};
    char name[128];
    snprintf(name, sizeof name, "plan@%.60s@%d.yaml", process_host(), DEAD);
    leave("sessions", name, data, size);
    sessions_read(&kept);
    sessions_list(&kept, &list);
    session_named(&kept, "1", &errors);
    sessions_offer(&kept, "", NULL);
    for (size_t i = 0; i < kept.count; i++)
        take_session(&kept.item[i]);
    sessions_expire(0);
    buffer_free(&list);
    errors_free(&errors);
    sessions_free(&kept);
}

/* A journal of the file `there`, and one of whatever the bytes name. */
static void take_unfinished(const uint8_t *data, size_t size)
{
    struct stat info;
    char name[128];
    struct buffer journal = {0};
    const char *path = scratch_put("there", data, size / 2);
    size_t third = size / 3;
    if (stat(path, &info) != 0)
        abort();
    buffer_printf(&journal, "shardtop in place 1: inode %llu path %zu old %zu new %zu\n%s",
                  (unsigned long long)info.st_ino, strlen(path), third, size - third, path);
    buffer_add(&journal, (const char *)data, size);
    snprintf(name, sizeof name, "%.60s@%d", process_host(), DEAD);
    leave("unfinished", name, (const uint8_t *)journal.text, journal.size);
    write_recover();
    leave("unfinished", name, data, size);
    write_recover();
    buffer_free(&journal);
}

static void take_line(void *count, const char *line)
{
    ++*(size_t *)count;
    for (const unsigned char *p = (const unsigned char *)line; *p; p++)
        if (*p < 0x20 || *p == 0x7f)
            abort();
}

static void take_lines(const uint8_t *data, size_t size)
{
    size_t count = 0;
    mkdir(scratch_path("shardtop"), 0700);
    scratch_put("shardtop/lines", data, size);
    lines_read(take_line, &count);
    lines_keep("set tp 2");
    lines_read(take_line, &count);
}

static void take_progress(const uint8_t *data, size_t size)
{
    int of;
    mkdir(scratch_path("shardtop"), 0700);
    scratch_put("shardtop/lessons.yaml", data, size);
    progress_on();
    struct progress lesson = progress_of("activations");
    struct progress_kind kind = progress_kind_of("fits");
    if (lesson.done > lesson.of || kind.right > kind.asked || kind.box > PROGRESS_BOXES ||
        progress_level_of(1, &of) > of)
        abort();
    progress_score("fits", 1, true, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const takes[])(const uint8_t *data, size_t size) = {take_sessions, take_unfinished, take_lines,
                                                                      take_progress};
    if (size < 1)
        return 0;
    scratch_begin();
    takes[data[0] % COUNT(takes)](data + 1, size - 1);
    return 0;
}
