/* Each call of the system that a command writes with fails in turn: its file has the old or the new content. */
#include "tests/check.h"
#include "tests/verbs.h"

#include <errno.h>
#include <stdatomic.h>

#include "core/plan/param.h"
#include "src/cli/session/preferences.h"
#include "src/cli/session/saving.h"
#include "src/cli/session/session.h"
#include "src/text/file.h"
#include "src/text/worker.h"

/* ---- calls: the nth fails, in whichever thread it is ------------------------------------------------------------ */

ssize_t __real_write(int fd, const void *bytes, size_t size);
int __real_ftruncate(int fd, off_t size);
int __real_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __real_unlink(const char *path);
int __real_close(int fd);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);
int __wrap_ftruncate(int fd, off_t size);
int __wrap_fsync(int fd);
int __wrap_rename(const char *from, const char *to);
int __wrap_unlink(const char *path);
int __wrap_close(int fd);

static atomic_int until_fault; /* 0 or less: none fails */

static bool is_failing(void)
{
    bool fails = until_fault > 0 && --until_fault == 0;
    if (fails)
        errno = ENOSPC;
    return fails;
}

ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
    return is_failing() ? -1 : __real_write(fd, bytes, size);
}

int __wrap_ftruncate(int fd, off_t size)
{
    return is_failing() ? -1 : __real_ftruncate(fd, size);
}

int __wrap_fsync(int fd)
{
    (void)fd; /* no power fails here */
    return is_failing() ? -1 : 0;
}

int __wrap_rename(const char *from, const char *to)
{
    return is_failing() ? -1 : __real_rename(from, to);
}

int __wrap_unlink(const char *path)
{
    return is_failing() ? -1 : __real_unlink(path);
}

int __wrap_close(int fd)
{
    int result = __real_close(fd);
    return is_failing() ? -1 : result;
}

/* ---- what writes ------------------------------------------------------------------------------------------------ */

enum { WAIT_MS = 10000 };

static const char script[] = "python pretrain_gpt.py --num-layers 24 --hidden-size 2048 --num-attention-heads 16 "
                             "--seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 1 "
                             "--global-batch-size 8 --bf16 --tensor-model-parallel-size 1\n";
static char path[256]; /* of the file that is written */
static const char *old_text;
static struct journal session;

/* Runs the program; what it prints is not looked at. */
static void run(int argc, char **argv)
{
    int kept = verb_hush();
    cli_run(argc, argv);
    verb_unhush(kept);
}

static void print_to_a_file(void)
{
    char *argv[] = {"shardtop", "import", "default", "-o", path, NULL};
    run(5, argv);
}

static void apply_a_patch(void)
{
    char *argv[] = {"shardtop", "export", "--patch", path, "--set", "tp=2", "--gpus", "8", "--apply", NULL};
    run(9, argv);
}

static void save_settings(void)
{
    struct settings settings;
    struct errors errors = {0};
    preferences_load(&settings, &errors);
    snprintf(settings.theme, sizeof settings.theme, "paper");
    free(preferences_save(&settings, &errors));
    errors_free(&errors);
}

/* As ^S on the screen. */
static void save_a_plan(void)
{
    struct saving saving = {0};
    struct plan plan;
    struct errors errors = {0};
    char message[UI_MESSAGE_MAX];
    plan_clear(&plan);
    if (plan_load(&plan, path, NULL, &errors) != 0)
        abort();
    plan.value[PARAM_parallel_tp] = 4;
    plan.from[PARAM_parallel_tp] = FROM_SET;
    saving_note(&saving, path);
    saving_plan(&saving, path, &plan, NULL, true, message);
    saving_free(&saving);
    errors_free(&errors);
}

/* Keeps a plan with this tp as the session. */
static void keep(double tp)
{
    struct plan plan, saved;
    struct errors errors = {0};
    plan_clear(&saved);
    plan_finish(&saved);
    plan = saved;
    plan.value[PARAM_parallel_tp] = tp;
    plan.from[PARAM_parallel_tp] = FROM_SET;
    journal_keep(&session, "", &plan, &saved, NULL, &errors);
    free(worker_fault(WAIT_MS));
    errors_free(&errors);
}

static void keep_the_new_plan(void)
{
    keep(4);
}

static void set_old_text(void)
{
    const char *name = strrchr(path, '/') + 1;
    char file[128];
    mkdir(scratch_path("shardtop"), 0700);
    snprintf(file, sizeof file, "%s%s", strcmp(name, "settings.yaml") == 0 ? "shardtop/" : "", name);
    scratch_put(file, old_text, strlen(old_text));
}

static void keep_the_old_plan(void)
{
    keep(2);
    snprintf(path, sizeof path, "%s", session.path);
}

/* ---- each call -------------------------------------------------------------------------------------------------- */

static char *content(void)
{
    struct errors errors = {0};
    size_t size;
    char *text = file_read(path, &size, &errors);
    errors_free(&errors);
    return text ? text : xstrdup("(nothing)");
}

/* Writes with each call failing in turn, until there is no such call any more. */
static void fail_each(void (*before)(void), void (*writes)(void), int least_calls)
{
    before();
    char *old = content();
    writes();
    char *fresh = content();
    assert_that(strcmp(old, fresh) != 0, "%s is not written: %s", path, old);
    int nth = 0, kept = 0;
    for (bool failed = true; failed;) {
        before();
        until_fault = ++nth;
        writes();
        failed = until_fault == 0;
        until_fault = 0;
        char *now = content();
        assert_that(strcmp(now, old) == 0 || strcmp(now, fresh) == 0, "call %d leaves %s", nth, now);
        kept += strcmp(now, old) == 0;
        free(now);
    }
    assert_that(nth > least_calls && kept > 0, "%d calls, %d of which kept the old content", nth, kept);
    free(old);
    free(fresh);
}

static void output_is_old_or_new(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s", scratch_path("out.yaml"));
    old_text = "an old report\n";
    fail_each(set_old_text, print_to_a_file, 4);
}

static void a_patched_script_is_old_or_new(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s", scratch_path("train.sh"));
    old_text = script;
    fail_each(set_old_text, apply_a_patch, 4);
}

static void a_saved_plan_is_old_or_new(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s", scratch_path("plan.yaml"));
    old_text = "model: gpt2-xl # mine\nparallel: {tp: 2}\n";
    fail_each(set_old_text, save_a_plan, 4);
}

static void settings_are_old_or_new(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s", scratch_path("shardtop/settings.yaml"));
    old_text = "theme: mono # mine\n";
    fail_each(set_old_text, save_settings, 4);
}

static void a_session_is_old_or_new(void **state)
{
    (void)state;
    scratch_begin();
    fail_each(keep_the_old_plan, keep_the_new_plan, 2);
    journal_drop(&session);
    worker_finish(WAIT_MS);
    journal_free(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_is_old_or_new),
        cmocka_unit_test(a_patched_script_is_old_or_new),
        cmocka_unit_test(a_saved_plan_is_old_or_new),
        cmocka_unit_test(settings_are_old_or_new),
        cmocka_unit_test(a_session_is_old_or_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
