/* Undo and redo keep whole plans, at most HISTORY_MAX of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/plan/key.h"
#include "ui/state/history.h"

static struct plan plan_with(double tp)
{
    struct plan plan;
    plan_clear(&plan);
    plan.value[PARAM_parallel_tp] = tp;
    return plan;
}

static void push(struct history *history, double tp)
{
    struct plan plan = plan_with(tp);
    char label[32];
    snprintf(label, sizeof label, "tp %.0f", tp);
    assert_int_equal(history_push(history, &plan, label), 0);
}

static double tp_of(const struct history_entry *entry)
{
    assert_non_null(entry);
    return entry->plan.value[PARAM_parallel_tp];
}

static void test_undo_and_redo_walk_the_states(void **state)
{
    (void)state;
    struct history h = {0};
    assert_null(history_undo(&h));
    push(&h, 1);
    assert_null(history_undo(&h));
    push(&h, 2);
    push(&h, 4);
    assert_true(tp_of(history_undo(&h)) == 2);
    assert_true(tp_of(history_undo(&h)) == 1);
    assert_null(history_undo(&h));
    assert_true(tp_of(history_redo(&h)) == 2);
    assert_true(tp_of(history_redo(&h)) == 4);
    assert_null(history_redo(&h));
    history_free(&h);
}

static void test_a_new_state_forgets_what_could_be_redone(void **state)
{
    (void)state;
    struct history h = {0};
    push(&h, 1);
    push(&h, 2);
    push(&h, 4);
    history_undo(&h);
    history_undo(&h);
    push(&h, 8);
    assert_null(history_redo(&h));
    assert_true(tp_of(history_undo(&h)) == 1);
    history_free(&h);
}

static void test_the_oldest_states_make_room(void **state)
{
    (void)state;
    struct history h = {0};
    for (int i = 1; i <= 2 * HISTORY_MAX + 17; i++)
        push(&h, i);
    assert_int_equal(h.count, HISTORY_MAX);
    double last = 2 * HISTORY_MAX + 17;
    for (int i = 1; i < HISTORY_MAX; i++)
        assert_true(tp_of(history_undo(&h)) == last - i);
    assert_null(history_undo(&h));
    for (int i = HISTORY_MAX - 2; i >= 0; i--)
        assert_true(tp_of(history_redo(&h)) == last - i);
    assert_true(tp_of(history_at(&h, 0)) == last - HISTORY_MAX + 1);
    history_free(&h);
}

/* What a state comes to stays with it. */
static void test_states_keep_what_they_come_to(void **state)
{
    (void)state;
    struct history h = {0};
    history_note(&h, 1, 2); /* of no state */
    push(&h, 1);
    history_note(&h, 10, 20);
    push(&h, 2);
    history_note(&h, 30, 40);
    assert_true(history_undo(&h)->peak_bytes == 10 && history_at(&h, 1)->iteration_s == 40);
    history_free(&h);
}

static void test_memory_grows_with_use(void **state)
{
    (void)state;
    struct history h = {0};
    for (int i = 0; i < HISTORY_BLOCK; i++)
        push(&h, i + 1);
    assert_non_null(h.block[0]);
    assert_null(h.block[1]);
    history_free(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undo_and_redo_walk_the_states),
        cmocka_unit_test(test_a_new_state_forgets_what_could_be_redone),
        cmocka_unit_test(test_the_oldest_states_make_room),
        cmocka_unit_test(test_states_keep_what_they_come_to),
        cmocka_unit_test(test_memory_grows_with_use),
    };
    return cmocka_run_group_tests_name("ui/history", tests, NULL, NULL) != 0;
}
