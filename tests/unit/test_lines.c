/* Command lines from run to run: the last two hundred, and nothing that a terminal would obey. */
#include "tests/check.h"
#include "tests/own_folder.h"

#include "src/cli/session/command_history.h"
#include "src/text/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct kept {
    int count;
    char first[64], last[64];
};

static void take(void *to, const char *line)
{
    struct kept *kept = to;
    if (kept->count++ == 0)
        snprintf(kept->first, sizeof kept->first, "%.60s", line);
    snprintf(kept->last, sizeof kept->last, "%.60s", line);
}

static struct kept read_all(void)
{
    struct kept kept = {0};
    worker_finish(2000);
    lines_read(take, &kept);
    return kept;
}

static void lines_are_kept_and_the_oldest_go(void **state)
{
    (void)state;
    assert_int_equal(read_all().count, 0);
    for (int i = 0; i < 3; i++) {
        char line[16];
        snprintf(line, sizeof line, "tp %d", i);
        lines_keep(line);
        assert_int_equal(read_all().count, i + 1);
    }
    FILE *out = fopen(own_file, "w");
    assert_non_null(out);
    for (int i = 0; i < 250; i++)
        fprintf(out, "pp %d\n", i);
    fclose(out);
    lines_keep("gpus 64");
    struct kept kept = read_all();
    assert_int_equal(kept.count, 200);
    assert_string_equal(kept.first, "pp 51");
    assert_string_equal(kept.last, "gpus 64");
}

static void what_a_terminal_would_obey_is_left_out(void **state)
{
    (void)state;
    FILE *out = fopen(own_file, "w");
    assert_non_null(out);
    fprintf(out, "tp 4\n\033]52;c;AAAA\007\n\n%0300d\npp 2", 1);
    fclose(out);
    struct kept kept = read_all();
    assert_int_equal(kept.count, 2);
    assert_string_equal(kept.first, "tp 4");
    assert_string_equal(kept.last, "pp 2");
}

static int set_up(void **state)
{
    (void)state;
    return own_folder_begin("XDG_STATE_HOME", "lines");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_kept_and_the_oldest_go),
        cmocka_unit_test(what_a_terminal_would_obey_is_left_out),
    };
    return cmocka_run_group_tests_name("lines", tests, set_up, own_folder_end) != 0;
}
