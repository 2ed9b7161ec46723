/*
 * Golden screens of `shardtop --screen`: the states of states.h at up to three sizes.
 * UPDATE=1 rewrites tests/screens/golden; review the difference before a commit.
 */
#include "tests/check.h"
#include "tests/screens/states.h"

#include <unistd.h>

struct golden {
    char name[80], command[400];
};

static const char *read_all(FILE *file, char *text, size_t size)
{
    size_t n = file ? fread(text, 1, size - 1, file) : 0;
    text[n] = '\0';
    return text;
}

static void print_difference(const char *expected, const char *actual)
{
    for (int line = 1; *expected || *actual; line++) {
        size_t n = strcspn(expected, "\n"), m = strcspn(actual, "\n");
        if (n != m || memcmp(expected, actual, n) != 0)
            print_error("%3d - %.*s\n    + %.*s\n", line, (int)n, expected, (int)m, actual);
        expected += n + (expected[n] != '\0');
        actual += m + (actual[m] != '\0');
    }
}

static void golden_screen(void **state)
{
    const struct golden *golden = *state;
    static char actual[1 << 18], expected[1 << 18];
    char path[160];
    FILE *pipe = popen(golden->command, "r");
    assert_non_null(pipe);
    read_all(pipe, actual, sizeof actual);
    int status = pclose(pipe);
    assert_that(status == 0, "'%s' ends with %d", golden->command, status);
    snprintf(path, sizeof path, "tests/screens/golden/%s.txt", golden->name);
    if (getenv("UPDATE")) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(actual, file);
        fclose(file);
        return;
    }
    FILE *file = fopen(path, "r");
    assert_that(file, "no %s; `make snapshots` writes it", path);
    read_all(file, expected, sizeof expected);
    fclose(file);
    if (strcmp(expected, actual) != 0) {
        print_difference(expected, actual);
        print_error("`make snapshots` accepts the new screens\n");
        fail();
    }
}

static void set_golden(struct golden *golden, const struct state *state, int width, int height, bool is_ascii)
{
    const char *program = getenv("SHARDTOP") ? getenv("SHARDTOP") : "build/shardtop";
    snprintf(golden->name, sizeof golden->name, "%dx%d-%s%s", width, height, state->name, is_ascii ? "-ascii" : "");
    snprintf(golden->command, sizeof golden->command, "%s --screen %dx%d --keys '%s'%s %s </dev/null 2>/dev/null",
             program, width, height, state->keys, is_ascii ? " --ascii" : "", state->plan);
}

int main(void)
{
    enum { MOST = COUNT(golden_sizes) * COUNT(states) + 1 };
    static struct CMUnitTest tests[MOST];
    static struct golden goldens[MOST];
    size_t count = 0;
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("HOME", "/dev/null", 1);
    unsetenv("NO_COLOR");
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("XDG_STATE_HOME");
    for (size_t i = 0; i < COUNT(states); i++)
        for (size_t j = 0; j < COUNT(golden_sizes); j++)
            if (states[i].sizes >> j & 1)
                set_golden(&goldens[count++], &states[i], golden_sizes[j].width, golden_sizes[j].height, false);
    set_golden(&goldens[count++], &states[0], 80, 24, true); /* test_screens compares the others without files */
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){goldens[i].name, golden_screen, NULL, NULL, &goldens[i]};
    return _cmocka_run_group_tests("golden screens", tests, count, NULL, NULL) != 0;
}
