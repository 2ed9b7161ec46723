/* The settings file: what it says, the problem and where, and changes of it in place. */
#include "tests/check.h"
#include "tests/own_folder.h"

#include "core/search/space.h"
#include "src/cli/session/preferences.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "ui/pane/pane.h"
#include "ui/state/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void read_settings(const char *text, struct settings *out, struct errors *errors)
{
    preferences_read(text, strlen(text), "s.yaml", out, errors);
}

static void values_and_keys_are_read(void **state)
{
    (void)state;
    struct settings settings;
    struct errors errors = {0};
    read_settings(
        "theme: slate # blue\nmouse: true\nstart_view: time\nobjective: memory\nconfirm_save: never\nfree: [pp, "
        "mbs]\nrecovery_days: 7\nunits: GB\n"
        "keys:\n  step-up: C-a F8\n  step-down: [-, _]\n  save-plan: [also, F12]\n  yank: + [\"M-y\", C-y]\n"
        "  baseline: []\n  undo: b\n",
        &settings, &errors);
    assert_that(errors.count == 0, "%s", errors.line[0]);
    assert_string_equal(settings.theme, "slate");
    assert_true(settings.mouse == 1 && settings.start_view == 1 && settings.objective == 1 &&
                settings.confirm_save == CONFIRM_NEVER);
    assert_int_equal(settings.free, 1u << SEARCH_PP | 1u << SEARCH_MICRO_BATCH);
    assert_true(settings.recovery_days == 7 && settings.units == 1);
    assert_int_equal(bindings_find(&settings.bindings, MODE_BROWSE, KEY_CTRL('A')), ACTION_step_up);
    assert_int_equal(bindings_find(&settings.bindings, MODE_BROWSE, 'b'), ACTION_undo);
    assert_int_equal(bindings_find(&settings.bindings, MODE_BROWSE, '='), ACTION_NONE);
    assert_int_equal(bindings_find(&settings.bindings, MODE_BROWSE, KEY_F12), ACTION_save);
    static const int copies[] = {'y', 'y' | KEY_WITH_ALT, KEY_CTRL('Y')};
    for (size_t i = 0; i < COUNT(copies); i++)
        assert_int_equal(bindings_find(&settings.bindings, MODE_BROWSE, copies[i]), ACTION_yank);
    errors_free(&errors);
}

static void a_fault_leaves_the_rest(void **state)
{
    (void)state;
    struct settings settings;
    struct errors errors = {0};
    read_settings("theme: [slate]\nmouse: true\nkeys:\n  undo: {a: 1}\n  diff: D\n", &settings, &errors);
    assert_int_equal(errors.count, 2);
    assert_true(settings.mouse == 1);
    assert_int_equal(bindings_find(&settings.bindings, MODE_BROWSE, 'D'), ACTION_diff);
    errors_free(&errors);
}

static void every_fault_is_said_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *fault;
    } cases[] = {
        {"theme: slate\nthemme: dark\n", "s.yaml:2: themme: is not a key of the settings; did you mean theme?"},
        {"\nundo: b\n", "s.yaml:2: undo: is not a key of the settings; did you mean keys.undo?"},
        {"keys:\n  undoo: b\n", "s.yaml:2: keys.undoo: is not a key of the settings; did you mean keys.undo?"},
        {"xyzzyx: 1\n", "s.yaml:1: xyzzyx: is not a key of the settings; see `shardtop list settings`"},
        {"start_view: tim\n",
         "s.yaml:1: start_view: 'tim' is not one of memory time communication grid schedule layers what-if sweep "
         "tuner diff"},
        {"free: [tp, {a: 1}]\n", "s.yaml:1: free: is not a list of plain values; write one such as [tp, pp]"},
        {"keys:\n  undo: [[b]]\n", "s.yaml:2: keys.undo: is not a list of plain values; write one such as [tp, pp]"},
        {"theme: [a, b]\n", "s.yaml:1: theme: is not a plain value; write one such as 80"},
        {"free: tp,moon\n",
         "s.yaml:1: free: 'tp,moon' are not keys that a search changes, such as tp,pp; `usual` is the default"},
        {"recovery_days: 0\n", "s.yaml:1: recovery_days: '0' is not a number from 1 to 9999"},
        {"recovery_days: 7 days\n", "s.yaml:1: recovery_days: '7 days' is not a number from 1 to 9999"},
        {"mouse: false\ntheme: nosuch\n", "s.yaml:2: theme: 'nosuch' is not a known theme; see `shardtop list themes`"},
        {"theme: light papr, dark slate\n", "s.yaml:1: theme: 'papr' is not a known theme; did you mean paper?"},
        {"theme: light paper, dark\n",
         "s.yaml:1: theme: 'light paper, dark' is not a known theme; see `shardtop list themes`"},
        {"mouse: false\ntheme: \"\x1b[31m\"\n",
         "s.yaml:2: has a character that YAML does not allow (control characters are not allowed); remove it"},
        {"mouse: [true]\n", "s.yaml:1: mouse: is not a plain value; write one such as 80"},
        {"theme: dark\ntheme: light\n", "s.yaml:2: theme: is given twice (first on line 1); keep one"},
        {"keys:\n  undo: Enter\n", "s.yaml:2: keys.undo: Enter always does the same; choose another key"},
        {"keys:\n  undo: + [\"F12\"\n",
         "s.yaml:2: keys.undo: '+ [\"F12\"' is not understood; write keys with blanks between, `also F12` or "
         "`+ [F12]`, or `none`"},
        {"keys:\n  undo: + [F99]\n",
         "s.yaml:2: keys.undo: unknown key 'F99'; use one character, or F12, C-a, M-x, PgUp, Tab, Space"},
        {"keys:\n  undo: Entre\n",
         "s.yaml:2: keys.undo: unknown key 'Entre'; use one character, or F12, C-a, M-x, PgUp, Tab, Space"},
        {"keys:\n  up: F7\n  undo: b\n  step-down: none\n",
         "s.yaml:3: keys.undo: b is a key of baseline already; give that others, as in `baseline: none`"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct settings settings;
        struct errors errors = {0};
        read_settings(cases[i].text, &settings, &errors);
        assert_int_equal(errors.count, 1);
        assert_message(errors.line[0], cases[i].fault);
        errors_free(&errors);
        assert_int_equal(bindings_find(&settings.bindings, MODE_BROWSE, 'u'), ACTION_undo); /* as it was */
    }
}

/* A file of comments alone says nothing, and that is no fault. */
static void an_empty_file_is_none(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "\n", "# theme: dark\r\n\n  # mouse: true"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct settings settings;
        struct errors errors = {0};
        read_settings(texts[i], &settings, &errors);
        assert_that(errors.count == 0, "%s", errors.line[0]);
        assert_string_equal(settings.theme, "light paper, dark slate");
    }
}

static void views_have_the_names_of_their_panes(void **state)
{
    (void)state;
    const struct setting_row *row = setting_named("start_view");
    for (int i = 0; row->choices[i]; i++)
        assert_string_equal(row->choices[i], view_rows[PANE_FORMS + i].name);
}

static void put_file(const char *text)
{
    FILE *out = fopen(own_file, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void expect_file(const char *text)
{
    char have[1024];
    FILE *in = fopen(own_file, "r");
    assert_non_null(in);
    have[fread(have, 1, sizeof have - 1, in)] = '\0';
    fclose(in);
    assert_string_equal(have, text);
}

/* Saved are the values that differ, in place; what cannot be edited stays as it is. */
static void saving_keeps_the_rest_of_the_file(void **state)
{
    (void)state;
    static const struct {
        const char *before, *after; /* after NULL: refused */
    } cases[] = {
        {"# mine\ntheme: dark   # blue\nkeys:\n  undo: U # upper\n",
         "mouse: true\n# mine\ntheme: paper   # blue\nkeys:\n  undo: U # upper\n"},
        {"mouse: true\ntheme: paper\n", "mouse: true\ntheme: paper\n"},
        {"theme:\nmouse: false\n", "theme: paper\nmouse: true\n"},
        {"{theme: dark, mouse: true}\n", "{theme: paper, mouse: true}\n"},
        {"{theme: dark}\n", NULL},
        {"theme: [dark]\n", "mouse: true\ntheme: paper\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct settings settings;
        struct errors errors = {0};
        settings_default(&settings);
        snprintf(settings.theme, sizeof settings.theme, "paper");
        settings.mouse = 1;
        put_file(cases[i].before);
        char *path = preferences_save(&settings, &errors);
        assert_that(!path == !cases[i].after, "%zu: %s", i, errors.count ? errors.line[0] : "saved");
        expect_file(cases[i].after ? cases[i].after : cases[i].before);
        free(path);
        errors_free(&errors);
    }
}

/* The list is a file that gives the same settings. */
static void the_list_reads_as_what_it_lists(void **state)
{
    (void)state;
    struct settings settings, again;
    struct errors errors = {0};
    struct buffer text = {0};
    read_settings("theme: slate\nkeys:\n  save-plan: F12 \"\n  undo: none\n  zoom: also '\n", &settings, &errors);
    preferences_list(&settings, &text);
    read_settings(text.text, &again, &errors);
    assert_that(errors.count == 0, "%s", errors.line[0]);
    for (int i = 1; i < ACTION_accept; i++) {
        char one[64], other[64];
        bindings_keys(settings.bindings.at, settings.bindings.count, MODE_BROWSE, (enum action)i, 8, one, sizeof one);
        bindings_keys(again.bindings.at, again.bindings.count, MODE_BROWSE, (enum action)i, 8, other, sizeof other);
        assert_string_equal(one, other);
    }
    buffer_free(&text);
    errors_free(&errors);
}

static int set_up(void **state)
{
    (void)state;
    char made[64];
    int result = own_folder_begin("XDG_CONFIG_HOME", "settings.yaml");
    snprintf(made, sizeof made, "%s/shardtop", own_folder);
    return result != 0 ? result : mkdir(made, 0700);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_keys_are_read),
        cmocka_unit_test(a_fault_leaves_the_rest), cmocka_unit_test(every_fault_is_said_with_its_line),
        cmocka_unit_test(an_empty_file_is_none),
        cmocka_unit_test(views_have_the_names_of_their_panes),
        cmocka_unit_test(saving_keeps_the_rest_of_the_file),
        cmocka_unit_test(the_list_reads_as_what_it_lists),
    };
    return cmocka_run_group_tests_name("preferences", tests, set_up, own_folder_end) != 0;
}
