/* The gate between frames: what it takes an answer, and its lack, for. */
#include "tests/check.h"

#include "ui/term/frame_pacer.h"
#include "ui/term/input.h"

static void one_frame_is_on_its_way(void **state)
{
    (void)state;
    struct gate gate = {0};
    assert_int_equal(gate_wait(&gate, 0), 0);
    gate_sent(&gate, 50, true, 0);
    assert_true(gate_wait(&gate, 1) > 0 && gate_expects(&gate, 1));
    gate_answered(&gate, 2);
    assert_int_equal(gate_wait(&gate, 2), 0);
    assert_false(gate_expects(&gate, 2) || gate.is_slow);
    gate_sent(&gate, 50, true, 10);
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
        gate_sent(&gate, 50, true, now);
        now += GATE_PIECE_MS;
        assert_int_equal(gate_wait(&gate, now), 0);
    }
    assert_int_equal(asked, GATE_QUESTIONS_MAX + 1);
    now += GATE_PIECE_MS;
    assert_int_equal(gate_wait(&gate, now), 0);
    assert_false(gate_expects(&gate, now + GATE_FORGOTTEN_MS));
    gate_answered(&gate, now + 1); /* it was only slow */
    assert_true(gate_asks(&gate));
}

static void a_lost_answer_costs_one_wait(void **state)
{
    (void)state;
    struct gate gate = {0};
    gate_sent(&gate, 50, true, 0);
    gate_answered(&gate, 1);
    gate_sent(&gate, 50, true, 10);
    assert_int_equal(gate_wait(&gate, 10 + GATE_KNOWN_MS), 0);
    gate_sent(&gate, 50, true, 10 + GATE_KNOWN_MS);
    gate_answered(&gate, 11 + GATE_KNOWN_MS);
    assert_int_equal(gate_wait(&gate, 11 + GATE_KNOWN_MS), 0);
}

/* Where nothing is answered a line of 2400 baud is never more than two seconds behind the keys, whatever is drawn. */
static void a_terminal_that_cannot_be_asked_is_given_time(void **state)
{
    (void)state;
    struct gate gate = {0};
    double now = 1000, line_is_free = now, most_ms = 0;
    gate_sent(&gate, 10, false, 0);
    assert_false(gate_asks(&gate));
    assert_true(gate_is_slow(&gate) && !gate_knows_slow(&gate));
    for (; now < 10000; now += 20) {
        gate_begin(&gate);
        if (gate_wait(&gate, now) > 0)
            continue;
        int room = gate_room(&gate, now);
        assert_true(room >= GATE_MUTE_LEAST - 1);
        gate_sent(&gate, room, false, now);
        line_is_free = fmax(line_is_free, now) + room / 0.24;
        most_ms = fmax(most_ms, line_is_free - now);
    }
    assert_true(most_ms > 1000 && most_ms <= 2010);
}

/* What is left is sent in pieces that grow, until something new is to be shown. */
static void pieces_grow_while_nothing_new_comes(void **state)
{
    (void)state;
    struct gate gate = {0};
    double now = 1000;
    gate_sent(&gate, 10, false, 0);
    gate_begin(&gate);
    for (int room = 480, i = 0; i < 5; i++, now += GATE_PIECE_MS) {
        assert_int_equal(gate_wait(&gate, now), 0);
        assert_int_equal(gate_room(&gate, now), i == 0 ? 479 : room);
        room = i == 0 ? room : 2 * room;
        gate_sent(&gate, gate_room(&gate, now), false, now);
        assert_true(gate_wait(&gate, now) > 0);
    }
    gate_begin(&gate);
    assert_true(gate_wait(&gate, now) > 0 && gate_wait(&gate, now + 500) == 0);
    assert_true(gate_room(&gate, now + 500) <= GATE_OWED_BYTES);
}

/* Nor is a terminal known before its first answer: what comes after the first frame is small. */
static void before_the_first_answer_frames_are_small(void **state)
{
    (void)state;
    struct gate gate = {0};
    assert_int_equal(gate_room(&gate, 0), GATE_ALL);
    gate_sent(&gate, 2400, true, 0);
    gate_begin(&gate);
    assert_true(gate_wait(&gate, GATE_UNKNOWN_MS - 1) > 0);
    assert_true(gate_room(&gate, 500) < 300);
    assert_false(gate_is_fast(&gate));
    gate_answered(&gate, 5);
    assert_int_equal(gate_room(&gate, 6), GATE_ALL);
    assert_true(gate_is_fast(&gate));
}

/* Asks about a frame of so many bytes, answered after so long. */
static void frame(struct gate *gate, int bytes, double took_ms, double *now)
{
    gate_sent(gate, bytes, true, *now);
    *now += took_ms;
    gate_answered(gate, *now);
}

static void a_slow_line_is_given_pieces(void **state)
{
    (void)state;
    struct gate gate = {0};
    double now = 0;
    assert_int_equal(gate_room(&gate, now), GATE_ALL);
    frame(&gate, 2400, 2500, &now);
    assert_int_equal(gate_room(&gate, now), 240);
    frame(&gate, 20, 21, &now); /* a small one says nothing of the speed */
    assert_int_equal(gate_room(&gate, now), 240);
    assert_true(gate_is_slow(&gate) && !gate_is_fast(&gate));
    frame(&gate, 240, 1, &now); /* it is fast again */
    assert_int_equal(gate_room(&gate, now), GATE_ALL);
    assert_false(gate_is_slow(&gate) || gate_is_fast(&gate)); /* once slow, always suspect */
    frame(&gate, 240, 1e6, &now);
    assert_int_equal(gate_room(&gate, now), GATE_PIECE_LEAST);
}

/* Far away is not slow: frames stay whole, but light ones go first. */
static void a_long_way_is_no_slow_line(void **state)
{
    (void)state;
    struct gate gate = {0};
    double now = 0;
    frame(&gate, 20, 300, &now);
    frame(&gate, 2400, 310, &now);
    assert_int_equal(gate_room(&gate, now), GATE_ALL);
    assert_true(gate_is_slow(&gate));
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
        cmocka_unit_test(a_terminal_that_cannot_be_asked_is_given_time),
        cmocka_unit_test(pieces_grow_while_nothing_new_comes),
        cmocka_unit_test(before_the_first_answer_frames_are_small),
        cmocka_unit_test(a_slow_line_is_given_pieces),
        cmocka_unit_test(a_long_way_is_no_slow_line),
        cmocka_unit_test(an_escape_before_an_answer_is_a_key),
    };
    return cmocka_run_group_tests_name("ui/gate", tests, NULL, NULL) != 0;
}
