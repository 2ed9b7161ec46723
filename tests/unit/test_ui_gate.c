/* The gate between frames: what it takes an answer, and its lack, for. */
#include "tests/check.h"

#include "ui/gate.h"
#include "ui/input.h"

static void one_frame_is_on_its_way(void **state)
{
    (void)state;
    struct gate gate = {0};
    assert_int_equal(gate_wait(&gate, 0), 0);
    gate_asked(&gate, 0);
    assert_true(gate_wait(&gate, 1) > 0 && gate_expects(&gate, 1));
    gate_answered(&gate, 2);
    assert_int_equal(gate_wait(&gate, 2), 0);
    assert_false(gate_expects(&gate, 2) || gate.is_slow);
    gate_asked(&gate, 10);
    assert_true(gate_wait(&gate, 10 + GATE_UNKNOWN_MS) > 0);
    gate_answered(&gate, 10 + GATE_SLOW_MS + 1);
    assert_true(gate.is_slow);
}

static void a_terminal_that_does_not_answer_is_left_alone(void **state)
{
    (void)state;
    struct gate gate = {0};
    double now = 0;
    int asked = 0;
    for (; gate_asks(&gate) && asked < 20; asked++) {
        gate_asked(&gate, now);
        now += GATE_UNKNOWN_MS;
        assert_int_equal(gate_wait(&gate, now), 0);
    }
    assert_int_equal(asked, GATE_QUESTIONS_MAX + 1);
    assert_int_equal(gate_wait(&gate, now), 0);
    assert_false(gate_expects(&gate, now + GATE_FORGOTTEN_MS));
    gate_answered(&gate, now + 1); /* it was only slow */
    assert_true(gate_asks(&gate));
}

static void a_lost_answer_costs_one_wait(void **state)
{
    (void)state;
    struct gate gate = {0};
    gate_asked(&gate, 0);
    gate_answered(&gate, 1);
    gate_asked(&gate, 10);
    assert_int_equal(gate_wait(&gate, 10 + GATE_KNOWN_MS), 0);
    gate_asked(&gate, 10 + GATE_KNOWN_MS);
    gate_answered(&gate, 11 + GATE_KNOWN_MS);
    assert_int_equal(gate_wait(&gate, 11 + GATE_KNOWN_MS), 0);
}

/* An Esc just before an answer is a key, and the answer is none. */
static void an_escape_before_an_answer_is_a_key(void **state)
{
    (void)state;
    struct input input = {0};
    struct event event;
    int keys[4], count = 0;
    for (const char *p = "\033\033[0n"; *p; p++)
        if (input_byte(&input, (unsigned char)*p, &event))
            keys[count++] = event.key;
    assert_int_equal(count, 2);
    assert_int_equal(keys[0], KEY_ESCAPE);
    assert_int_equal(keys[1], KEY_STATUS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_frame_is_on_its_way),
        cmocka_unit_test(a_terminal_that_does_not_answer_is_left_alone),
        cmocka_unit_test(a_lost_answer_costs_one_wait),
        cmocka_unit_test(an_escape_before_an_answer_is_a_key),
    };
    return cmocka_run_group_tests_name("ui/gate", tests, NULL, NULL) != 0;
}
