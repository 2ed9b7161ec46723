/* The ranking of names by what was typed: which class holds, and which name comes first. */
#include "tests/check.h"

#include "core/plan/match.h"

static void classes_hold_in_order(void **state)
{
    (void)state;
    static const struct {
        const char *query, *name;
        int class;
    } cases[] = {
        {"tp", "tp", MATCH_SAME},
        {"H100-SXM 80", "h100-sxm-80", MATCH_SAME},
        {"micro", "micro_batch_size", MATCH_BEGIN},
        {"llama 70b", "llama3-70b", MATCH_WORDS},
        {"batch micro", "micro_batch_size", MATCH_ANY_ORDER},
        {"64h100", "llama3-70b-64h100", MATCH_WORDS},
        {"xtral", "mixtral-8x7b", MATCH_INSIDE},
        {"gbs", "global_batch_size", MATCH_INITIALS},
        {"glbs", "global_batch_size", MATCH_INITIALS},
        {"mirco batch", "micro_batch", MATCH_SLIP},
        {"globl batch", "global_batch_size", MATCH_SLIP},
        {"lama3-70b", "llama3-70b", MATCH_INSIDE},
        {"lame3-70b", "llama3-70b", MATCH_SLIP},
        {"xyzzy", "micro_batch_size", 0},
        {"tp", "pt", 0},
        {"", "tp", 0},
        {"--", "tp", 0},
        {"gbx", "global_batch_size", 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        int score = match_name(cases[i].query, cases[i].name), class = cases[i].class;
        assert_that(class ? score <= class && score >= class - 50 : score == 0, "'%s' for %s: %d", cases[i].query,
                    cases[i].name, score);
    }
}

static void longer_names_count_less(void **state)
{
    (void)state;
    assert_true(match_name("h100", "h100-sxm-80") > match_name("h100", "h100-sxm-96-hbm2e"));
    assert_true(match_name("tp", "tp") > match_name("tp", "tp_mode"));
    assert_int_equal(match_names("kv heads", "gqa|kv_heads|query_groups"), MATCH_SAME);
    assert_int_equal(match_names("kv heads", ""), 0);
}

static void help_is_searched_by_whole_words(void **state)
{
    (void)state;
    assert_true(match_help("gradient red", "hide the gradient reduction behind backward"));
    assert_false(match_help("gr", "hide the gradient reduction"));
    assert_false(match_help("dient", "hide the gradient reduction"));
    assert_false(match_help("", "hide"));
    assert_true(match_same("Llama-3 70b", "llama3-70b"));
    assert_false(match_same("", ""));
    assert_true(match_same("KV heads", "gqa|kv_heads|query_groups"));
    assert_true(match_same("Query-Groups", "gqa|kv_heads|query_groups"));
    assert_false(match_same("kv", "gqa|kv_heads|query_groups"));
    assert_false(match_same("gqakv", "gqa|kv_heads"));
    assert_false(match_same("-", "gqa||-"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_hold_in_order),
        cmocka_unit_test(longer_names_count_less),
        cmocka_unit_test(help_is_searched_by_whole_words),
    };
    return cmocka_run_group_tests_name("match", tests, NULL, NULL) != 0;
}
