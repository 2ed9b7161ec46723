/*
 * Fitted constants: each lies in its range, says where it comes from, and is opened by explain as an input of a
 * formula.
 */
#include "tests/check.h"

#include "core/estimate/constants.h"
#include "core/explain/explain.h"

static struct estimate estimate;
static struct explanation x;

static void each_lies_in_its_range_and_has_a_source(void **state)
{
    (void)state;
    for (size_t i = 0; i < constant_count; i++) {
        const struct term *term = &constant_terms[i];
        assert_that(constant_ranges[i].low <= constant_values[i] && constant_values[i] <= constant_ranges[i].high, "%s",
                    term->name);
        assert_that(term->label[0] && strlen(term->source) > strlen(" (2026)") && constant_ranges[i].date[0], "%s",
                    term->name);
        assert_that(!term_find(symbol_terms, symbol_term_count, term->name, strlen(term->name)), "%s is a symbol too",
                    term->name);
    }
}

static void each_opens_with_its_source(void **state)
{
    (void)state;
    check_estimate(&estimate, LLAMA3_70B "tp=8 pp=4 nodes=8 global_batch_size=128");
    for (size_t i = 0; i < constant_count; i++) {
        char path[EXPLAIN_PATH_MAX];
        snprintf(path, sizeof path, "constants.%s", constant_terms[i].name);
        assert_int_equal(explain_value(&estimate, path, &x), 0);
        assert_same(x.value, constant_values[i]);
        assert_string_equal(x.source, constant_terms[i].source);
        assert_int_equal(x.basis, constant_terms[i].basis);
    }
    assert_int_equal(explain_value(&estimate, "constants.nothing", &x), -1);
}

static void a_formula_lists_it_as_an_input(void **state)
{
    (void)state;
    check_estimate(&estimate, LLAMA3_70B "tp=8 pp=4 nodes=8 global_batch_size=128");
    assert_int_equal(explain_value(&estimate, "layers.2.gemm_forward_s", &x), 0);
    int found = 0;
    for (int i = 0; i < x.inputs; i++)
        found += strcmp(x.input[i].path, "constants.rate_reference") == 0;
    assert_int_equal(found, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_lies_in_its_range_and_has_a_source),
        cmocka_unit_test(each_opens_with_its_source),
        cmocka_unit_test(a_formula_lists_it_as_an_input),
    };
    return cmocka_run_group_tests_name("constants", tests, NULL, NULL) != 0;
}
