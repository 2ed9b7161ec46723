/* The line editor: characters of several bytes, selection, bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ui/widget/edit.h"
#include "ui/term/key.h"

static void press(struct edit *edit, const int keys[])
{
    for (; *keys; keys++)
        edit_key(edit, *keys);
}

#define PRESS(edit, ...) press(edit, (const int[]){__VA_ARGS__, 0})

static void test_typing_replaces_a_selected_text(void **state)
{
    (void)state;
    struct edit e;
    edit_start(&e, "8192", true);
    PRESS(&e, '1', '6');
    assert_string_equal(e.text, "16");
}

static void test_moving_keeps_a_selected_text(void **state)
{
    (void)state;
    struct edit e;
    edit_start(&e, "8192", true);
    PRESS(&e, KEY_TO_END, KEY_RUBOUT, '3');
    assert_string_equal(e.text, "8193");
}

static void test_rubout_removes_a_selected_text(void **state)
{
    (void)state;
    struct edit e;
    edit_start(&e, "8192", true);
    PRESS(&e, KEY_RUBOUT);
    assert_string_equal(e.text, "");
}

static void test_characters_of_several_bytes_stay_whole(void **state)
{
    (void)state;
    struct edit e;
    edit_start(&e, "a\xc3\xa9\xe6\xbc\xa2z", false);
    PRESS(&e, KEY_ARROW_LEFT, KEY_RUBOUT);
    assert_string_equal(e.text, "a\xc3\xa9z");
    PRESS(&e, KEY_ARROW_LEFT, KEY_DELETE);
    assert_string_equal(e.text, "az");
    PRESS(&e, 0xe9);
    assert_string_equal(e.text, "a\xc3\xa9z");
}

static void test_line_and_word_are_removed(void **state)
{
    (void)state;
    struct edit e;
    edit_start(&e, "set tp 8", false);
    PRESS(&e, KEY_CTRL('W'));
    assert_string_equal(e.text, "set tp ");
    PRESS(&e, KEY_CTRL('A'), KEY_CTRL('K'));
    assert_string_equal(e.text, "");
    edit_start(&e, "abc", false);
    PRESS(&e, KEY_CTRL('U'));
    assert_int_equal(e.length, 0);
}

static void test_other_keys_are_not_taken(void **state)
{
    (void)state;
    struct edit e;
    edit_start(&e, "8", false);
    assert_false(edit_key(&e, KEY_RETURN));
    assert_false(edit_key(&e, KEY_ESCAPE));
    assert_false(edit_key(&e, KEY_F1));
    assert_false(edit_key(&e, KEY_TAB));
    assert_string_equal(e.text, "8");
}

static void test_control_characters_are_left_out(void **state)
{
    (void)state;
    struct edit e;
    edit_start(&e, "", false);
    edit_insert(&e, "a\tb\x1b[31m\nc\x80");
    assert_string_equal(e.text, "ab[31mc");
}

static void test_long_text_is_bounded(void **state)
{
    (void)state;
    struct edit e;
    edit_start(&e, "", false);
    for (int i = 0; i < 3 * EDIT_MAX; i++)
        edit_key(&e, i % 2 ? 0x6f22 : 'x');
    assert_true(e.length < EDIT_MAX);
    assert_int_equal(strlen(e.text), e.length);
}

static void test_random_keys_keep_it_sound(void **state)
{
    (void)state;
    static const int keys[] = {'a', 0xe9, 0x1f600, KEY_ARROW_LEFT, KEY_ARROW_RIGHT, KEY_RUBOUT, KEY_DELETE, KEY_TO_HOME,
                               KEY_TO_END, KEY_CTRL('W'), KEY_CTRL('K'), KEY_CTRL('U'), ' ', '1'};
    struct edit e;
    edit_start(&e, "8192", true);
    srand(1);
    for (int i = 0; i < 200000; i++) {
        edit_key(&e, keys[(unsigned)rand() % (sizeof keys / sizeof *keys)]);
        assert_true(e.cursor <= e.length && e.length < EDIT_MAX && e.text[e.length] == '\0');
        assert_true(e.cursor == e.length || (e.text[e.cursor] & 0xc0) != 0x80);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_typing_replaces_a_selected_text),
        cmocka_unit_test(test_moving_keeps_a_selected_text),
        cmocka_unit_test(test_rubout_removes_a_selected_text),
        cmocka_unit_test(test_characters_of_several_bytes_stay_whole),
        cmocka_unit_test(test_line_and_word_are_removed),
        cmocka_unit_test(test_other_keys_are_not_taken),
        cmocka_unit_test(test_control_characters_are_left_out),
        cmocka_unit_test(test_long_text_is_bounded),
        cmocka_unit_test(test_random_keys_keep_it_sound),
    };
    return cmocka_run_group_tests_name("ui/edit", tests, NULL, NULL) != 0;
}
