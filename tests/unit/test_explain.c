/*
 * Explanations: every path of the report opens, and what stands there is what was computed - the formula with its
 * values is worked out again by a small calculator of its own.
 */
#include "tests/check.h"

#include "core/explain/explain.h"

#include <ctype.h>

static struct estimate estimate;

/* ---- a calculator for formulas: C's operators, max, min, ceil, floor ... ---------------------------------------- */

static const char *at;
static bool is_readable;

static double choose(void);

static void skip_blanks(void)
{
    while (*at == ' ')
        at++;
}

static bool take(const char *token)
{
    skip_blanks();
    size_t n = strlen(token);
    if (strncmp(at, token, n) != 0)
        return false;
    at += n;
    return true;
}

static double call(const char *name, size_t n)
{
    double one = choose(), two = take(",") ? choose() : NAN;
    is_readable &= take(")");
    static const char *const names[] = {"max", "min", "ceil", "floor", "isnan", "isfinite", "log2", "fmod", "round"};
    const double results[] = {fmax(one, two), fmin(one, two), ceil(one),      floor(one), isnan(one),
                              isfinite(one),  log2(one),      fmod(one, two), round(one)};
    for (size_t i = 0; i < COUNT(names); i++)
        if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0)
            return results[i];
    is_readable = false;
    return NAN;
}

static double factor(void)
{
    skip_blanks();
    if (take("!"))
        return !(factor() != 0);
    if (take("-"))
        return -factor();
    if (take("(")) {
        double value = choose();
        is_readable &= take(")");
        return value;
    }
    if (isdigit((unsigned char)*at) || *at == '.') {
        char *end;
        double value = strtod(at, &end);
        is_readable &= !isalpha((unsigned char)*end);
        at = end;
        return value;
    }
    const char *name = at;
    while (isalnum((unsigned char)*at) || *at == '_')
        at++;
    if (at > name && take("("))
        return call(name, (size_t)(strchr(name, '(') - name));
    is_readable = false;
    return NAN;
}

static double product(void)
{
    double value = factor();
    for (;;) {
        if (take("*"))
            value *= factor();
        else if (take("/"))
            value /= factor();
        else
            return value;
    }
}

static double sum(void)
{
    double value = product();
    for (;;) {
        if (take("+"))
            value += product();
        else if (take("-"))
            value -= product();
        else
            return value;
    }
}

static double comparison(void)
{
    double value = sum();
    return take("==")   ? value == sum()
           : take("!=") ? value != sum()
           : take("<=") ? value <= sum()
           : take(">=") ? value >= sum()
           : take("<")  ? value < sum()
           : take(">")  ? value > sum()
                        : value;
}

static double both(void)
{
    double value = comparison();
    while (take("&&")) {
        double right = comparison();
        value = value != 0 && right != 0;
    }
    return value;
}

static double either(void)
{
    double value = both();
    while (take("||")) {
        double right = both();
        value = value != 0 || right != 0;
    }
    return value;
}

static double choose(void)
{
    double condition = either();
    if (!take("?"))
        return condition;
    double yes = choose();
    is_readable &= take(":");
    double no = choose();
    return condition != 0 ? yes : no;
}

/* The value of an expression; false when it has words that are no arithmetic. */
static bool work_out(const char *text, double *value)
{
    at = text;
    is_readable = true;
    *value = choose();
    skip_blanks();
    return is_readable && !*at;
}

static void the_calculator_calculates(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"1 + 2*3", 7},
                 {"(1 + 2)*3", 9},
                 {"0 ? 1 : 2", 2},
                 {"1 > 0 && 2 == 2 ? 5 : 6", 5},
                 {"max(1, 2)/min(4, 8)", 0.5},
                 {"ceil(50257/(128*2))*128*2", 50432},
                 {"!0 + -3", -2},
                 {"1 ? 2 : 0 ? 3 : 4", 2},
                 {"3e2 - 1e-1", 299.9},
                 {"2 - 1 - 1", 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        double value;
        assert_true(work_out(cases[i].text, &value));
        assert_near(value, cases[i].value, 1e-15);
    }
    double ignored;
    assert_false(work_out("time_s less what overlaps", &ignored));
    assert_false(work_out("1 + x", &ignored));
}

/* ---- every path ------------------------------------------------------------------------------------------------- */

static int paths, calculated;

static void check_path(void *context, const char *path)
{
    static struct explanation x;
    const struct plan *plan = context;
    assert_that(explain_value(&estimate, path, &x) == 0, "%s does not open: %s", path, check_describe(plan));
    assert_that(x.label && x.label[0], "%s has no label", path);
    assert_that(x.formula[0], "%s has no formula", path);
    assert_that(strlen(path) < EXPLAIN_PATH_MAX && strcmp(x.path, path) == 0, "%s calls itself %s", path, x.path);
    assert_between(x.basis, 0, BASIS_COUNT - 1);
    paths++;
    for (int i = 0; i < x.inputs; i++) {
        struct explanation inner;
        assert_that(x.input[i].name[0], "%s: input %d has no name", path, i);
        if (x.input[i].is_key)
            assert_that(param_find(x.input[i].path) >= 0, "%s: %s is no key", path, x.input[i].path);
        else if (x.input[i].path[0])
            assert_that(explain_value(&estimate, x.input[i].path, &inner) == 0, "%s: its input %s does not open", path,
                        x.input[i].path);
    }
    char text[EXPLAIN_TEXT_MAX];
    snprintf(text, sizeof text, "%s", x.substituted);
    char *result = NULL;
    for (char *p = text; (p = strstr(p, " = ")); p++)
        result = p;
    if (!result || isnan(x.value))
        return;
    *result = '\0';
    double value, shown = strtod(result + 3, NULL);
    assert_that(fabs(shown - x.value) <= 1e-6 * fabs(x.value) + 1e-12, "%s: shows %.9g, is %.9g", path, shown, x.value);
    if (!work_out(text, &value))
        return;
    /* values stand there with seven digits, so what is left of a difference has fewer */
    assert_that(fabs(value - x.value) <= 1e-4 * fabs(x.value) + 1e-9, "%s is %.9g, but '%s' gives %.9g: %s", path,
                x.value, text, value, check_describe(plan));
    calculated++;
}

static void open_all(const char *settings)
{
    struct plan plan;
    check_plan(&plan, settings);
    check_set(&plan, "total_tokens=1T");
    estimate_plan(&plan, &estimate);
    paths = calculated = 0;
    explain_paths(&estimate, check_path, &plan);
    assert_that(paths > 200, "%d paths", paths);
    assert_that(calculated >= paths * 3 / 4, "%d of %d formulas can be worked out", calculated, paths);
}

static void formulas_with_values_give_the_value(void **state)
{
    (void)state;
    open_all(GPT_6B "tp=2 pp=2 zero_stage=1 micro_batch_size=4 global_batch_size=512 nodes=2");
    open_all(LLAMA3_70B "tp=8 sp=true pp=4 vpp=2 zero_stage=1 global_batch_size=128 nodes=8 recompute=selective");
    open_all(DEEPSEEK_V3 "tp=1 ep=8 pp=1 nodes=4 zero_stage=1 global_batch_size=128");
    open_all(MIXTRAL_8X7B "tp=2 sp=true pp=2 ep=4 etp=1 nodes=4 zero_stage=1 global_batch_size=256");
}

static void every_path_opens_for_any_plan(void **state)
{
    (void)state;
    struct check_random random = {40};
    for (int i = 0; i < 60; i++) {
        struct plan plan;
        check_random_plan(&random, &plan);
        estimate_plan(&plan, &estimate);
        explain_paths(&estimate, check_path, &plan);
    }
}

/* An estimate that is not there has nothing to open, and says so. */
static void a_plan_without_numbers_opens_without_them(void **state)
{
    (void)state;
    static struct explanation x;
    struct plan plan;
    plan_clear(&plan);
    estimate_plan(&plan, &estimate);
    explain_paths(&estimate, check_path, &plan);
    if (explain_value(&estimate, "memory.stages.0.activations_bytes", &x) == 0)
        assert_true(isnan(x.value));
    assert_int_equal(explain_value(&estimate, "no.such.value", &x), -1);
    assert_int_equal(explain_value(&estimate, "", &x), -1);
    assert_int_equal(explain_value(&estimate, "memory.stages.99999999999.params", &x), -1);
    assert_int_equal(explain_value(&estimate, "memory.stages.-1.params", &x), -1);
}

static void short_names_open_what_they_are_the_end_of(void **state)
{
    (void)state;
    static struct explanation x;
    check_estimate(&estimate, LLAMA3_70B "tp=8 pp=4 nodes=8 global_batch_size=128");
    assert_int_equal(explain_value(&estimate, "iteration_s", &x), 0);
    assert_string_equal(x.path, "time.iteration_s");
    assert_same(x.value, estimate.step.iteration_s);
    assert_int_equal(explain_value(&estimate, "memory.stages.2.allocated_bytes", &x), 0);
    assert_same(x.value, estimate.stage[2].allocated_bytes);
    assert_int_equal(explain_value(&estimate, "parameters.total", &x), 0);
    assert_same(x.value, estimate.totals.total);
    assert_int_equal(explain_value(&estimate, "in_flight", &x), 0);
    assert_string_equal(x.path, "memory.stages.0.in_flight");
    assert_same(x.value, estimate.stage[0].chunks_in_flight);
    assert_int_equal(explain_value(&estimate, "peak_stage", &x), 0);
    assert_same(x.value, estimate.peak_stage);
    assert_int_equal(explain_value(&estimate, "time.binding_stage", &x), 0);
    assert_same(x.value, estimate.binding_stage);
    assert_int_equal(explain_value(&estimate, "layers.1.count", &x), 0);
    assert_same(x.value, 80);
    assert_int_equal(explain_value(&estimate, "memory.stages.3.layer_count", &x), 0);
    assert_same(x.value, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_calculator_calculates),
        cmocka_unit_test(formulas_with_values_give_the_value),
        cmocka_unit_test(every_path_opens_for_any_plan),
        cmocka_unit_test(a_plan_without_numbers_opens_without_them),
        cmocka_unit_test(short_names_open_what_they_are_the_end_of),
    };
    return cmocka_run_group_tests_name("explain", tests, NULL, NULL) != 0;
}
