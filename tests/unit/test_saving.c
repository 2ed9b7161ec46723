/* Files on disk: what this run did not write is never lost without a question or a copy. */
#include "tests/check.h"

#include "src/cli/session/saving.h"
#include "src/text/text.h"
#include "src/text/worker.h"

#include <unistd.h>

static void put(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void expect_file(const char *path, const char *text)
{
    char have[256];
    FILE *in = fopen(path, "r");
    assert_that(in, "%s is not there", path);
    have[fread(have, 1, sizeof have - 1, in)] = '\0';
    fclose(in);
    assert_string_equal(have, text);
}

static struct buffer text_of(const char *words)
{
    struct buffer text = {0};
    buffer_puts(&text, words);
    return text;
}

/*
 * A report, flags or a picture over the file that the plan came from is a question; over what this run wrote it is
 * none.
 */
static void a_report_never_replaces_what_was_read(void **state)
{
    (void)state;
    struct saving saving = {0};
    char message[UI_MESSAGE_MAX];
    struct buffer report = text_of("report\n");
    put("run.sh", "#!/bin/bash\n");
    saving_note(&saving, "run.sh");
    assert_int_equal(saving_report(&saving, "run.sh", &report, false, message), UI_WRITE_ASKS);
    assert_non_null(strstr(message, "The plan was read from this file"));
    expect_file("run.sh", "#!/bin/bash\n");
    assert_int_equal(saving_report(&saving, "new.txt", &report, false, message), UI_WRITTEN);
    assert_int_equal(saving_report(&saving, "new.txt", &report, false, message), UI_WRITTEN);
    put("other.txt", "mine\n");
    assert_int_equal(saving_report(&saving, "other.txt", &report, false, message), UI_WRITE_ASKS);
    assert_non_null(strstr(message, "not opened here"));
    assert_int_equal(saving_report(&saving, "run.sh", &report, true, message), UI_WRITTEN);
    expect_file("run.sh", "report\n");
    buffer_free(&report);
    saving_free(&saving);
}

/* A change of a script is shown before; what the script was stays beside it, once. */
static void a_changed_script_keeps_what_it_was(void **state)
{
    (void)state;
    struct saving saving = {0};
    char message[UI_MESSAGE_MAX];
    struct buffer once = text_of("tp 2\n"), twice = text_of("tp 4\n");
    put("train.sh", "tp 1\n");
    saving_note(&saving, "train.sh");
    assert_int_equal(saving_keep(&saving, "train.sh", message), 0);
    assert_int_equal(saving_change(&saving, "train.sh", &once, false, message), UI_WRITTEN);
    assert_int_equal(saving_keep(&saving, "train.sh", message), 0);
    assert_int_equal(saving_change(&saving, "train.sh", &twice, false, message), UI_WRITTEN);
    expect_file("train.sh", "tp 4\n");
    expect_file("train.sh~", "tp 1\n");
    put("train.sh", "somebody else's, and longer\n");
    assert_int_equal(saving_change(&saving, "train.sh", &once, false, message), UI_WRITE_ASKS);
    buffer_free(&once);
    buffer_free(&twice);
    saving_free(&saving);
}

static char folder[] = "/tmp/shardtop-test-XXXXXX";

static int begin(void **state)
{
    (void)state;
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int end(void **state)
{
    static const char *const made[] = {"run.sh", "new.txt", "other.txt", "train.sh", "train.sh~"};
    (void)state;
    worker_finish(1000);
    for (size_t i = 0; i < COUNT(made); i++)
        unlink(made[i]);
    return chdir("/") || rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_never_replaces_what_was_read),
        cmocka_unit_test(a_changed_script_keeps_what_it_was),
    };
    return cmocka_run_group_tests_name("saving", tests, begin, end) != 0;
}
