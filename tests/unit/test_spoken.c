/* Figures as words: units, magnitudes, money and signs of numbers, and nothing else. */
#include "tests/check.h"

#include "ui/widget/spoken.h"

static void figures_are_words(void **state)
{
    (void)state;
    static const struct {
        const char *text, *spoken;
    } cases[] = {
        {"peak 86.2 GiB, iteration 61.0 s", "peak 86.2 gibibytes, iteration 61.0 seconds"},
        {"tp 8 -> 4: -319 ms, +4.3%", "tp 8 to 4: minus 319 milliseconds, plus 4.3 percent"},
        {"80 % between 83 and 91", "80 percent between 83 and 91"},
        {"58.7k tok/s, 70.6B params", "58.7 thousand tokens a second, 70.6 billion params"},
        {"$1.43M per 1T tokens, -$13.9k", "1.43 million dollars per 1 trillion tokens, minus 13.9 thousand dollars"},
        {"h100-sxm-80 s0 llama3-70b 8k seq_2 s", "h100-sxm-80 s0 llama3-70b 8 thousand seq_2 s"},
        {"1,024 GiB at 450 GB/s", "1,024 gibibytes at 450 gigabytes a second"},
        {"", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char out[200];
        spoken_write(cases[i].text, out, sizeof out);
        assert_string_equal(out, cases[i].spoken);
    }
}

static void what_has_no_room_is_left_out(void **state)
{
    (void)state;
    char out[12];
    spoken_write("peak 86.2 GiB", out, sizeof out);
    assert_string_equal(out, "peak 86.2 g");
    spoken_write("12 s", out, 1);
    assert_string_equal(out, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(figures_are_words),
                                       cmocka_unit_test(what_has_no_room_is_left_out)};
    return cmocka_run_group_tests_name("spoken", tests, NULL, NULL) != 0;
}
