/* Numbers as people write them: units, what a suffix means for which key, expressions, and what is refused. */
#include "tests/check.h"

#include <locale.h>

static void reads_numbers_units_and_expressions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum suffix suffix;
        double value;
    } cases[] = {
        {"4096", SUFFIX_PLAIN, 4096},
        {"4_096", SUFFIX_PLAIN, 4096},
        {"4*1024", SUFFIX_PLAIN, 4096},
        {"8,192", SUFFIX_BINARY, 8192},
        {"1,000,000", SUFFIX_PLAIN, 1e6},
        {"0.5", SUFFIX_PLAIN, 0.5},
        {".5", SUFFIX_PLAIN, 0.5},
        {"5.", SUFFIX_PLAIN, 5},
        {"0.3", SUFFIX_PLAIN, 0.3},
        {"1.5e12", SUFFIX_PLAIN, 1.5e12},
        {"1E+3", SUFFIX_PLAIN, 1000},
        {"25e-2", SUFFIX_PLAIN, 0.25},
        {"032", SUFFIX_PLAIN, 32},
        {"  7  ", SUFFIX_PLAIN, 7},
        {"-3", SUFFIX_PLAIN, -3},
        {"--3", SUFFIX_PLAIN, 3},
        {"2+3*4", SUFFIX_PLAIN, 14},
        {"(2+3)*4", SUFFIX_PLAIN, 20},
        {"2 - 3 - 4", SUFFIX_PLAIN, -5},
        {"64/4/2", SUFFIX_PLAIN, 8},
        {"8Ki", SUFFIX_PLAIN, 8192},
        {"2Mi", SUFFIX_PLAIN, 2097152},
        {"8k", SUFFIX_BINARY, 8192},
        {"8K", SUFFIX_BINARY, 8192},
        {"8Ki", SUFFIX_BINARY, 8192},
        {"1M", SUFFIX_BINARY, 1048576},
        {"4 k", SUFFIX_BINARY, 4096},
        {"0.5k", SUFFIX_BINARY, 512},
        {"2*4k", SUFFIX_BINARY, 8192},
        {"40k", SUFFIX_DECIMAL, 40000},
        {"5M", SUFFIX_DECIMAL, 5e6},
        {"300B", SUFFIX_DECIMAL, 3e11},
        {"300G", SUFFIX_DECIMAL, 3e11},
        {"1.4T", SUFFIX_DECIMAL, 1.4e12},
        {"1Ki", SUFFIX_DECIMAL, 1024},
        {"1Gi", SUFFIX_DECIMAL, 1073741824},
        {"80", SUFFIX_GIB, 80},
        {"80GiB", SUFFIX_GIB, 80},
        {"80 GiB", SUFFIX_GIB, 80},
        {"80GB", SUFFIX_GIB, 80e9 / GIB},
        {"512MiB", SUFFIX_GIB, 0.5},
        {"1024MB", SUFFIX_GIB, 1024e6 / GIB},
        {"2TiB", SUFFIX_GIB, 2048},
        {"2TB", SUFFIX_GIB, 2e12 / GIB},
        {"50", SUFFIX_RATE, 50},
        {"50GB/s", SUFFIX_RATE, 50},
        {"400Gb/s", SUFFIX_RATE, 50},
        {"400Gbps", SUFFIX_RATE, 50},
        {"400Gbit/s", SUFFIX_RATE, 50},
        {"3.35TB/s", SUFFIX_RATE, 3350},
        {"1.6Tb/s", SUFFIX_RATE, 200},
        {"500MB/s", SUFFIX_RATE, 0.5},
        {"1GiB/s", SUFFIX_RATE, 1.073741824},
        {"8*400Gb/s", SUFFIX_RATE, 400},
        {"2.9", SUFFIX_VERSION, 2.09},
        {"2.11", SUFFIX_VERSION, 2.11},
        {"2.18", SUFFIX_VERSION, 2.18},
        {"2.11.3", SUFFIX_VERSION, 2.1103},
        {"2", SUFFIX_VERSION, 2},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        double value = NAN;
        char why[NUMBER_WHY_MAX] = "";
        int column = number_parse(cases[i].text, cases[i].suffix, NULL, NULL, &value, why);
        assert_that(column == 0, "'%s' refused: %s", cases[i].text, why);
        assert_that(fabs(value - cases[i].value) <= 1e-15 * fabs(cases[i].value), "'%s' is %.17g, not %.17g",
                    cases[i].text, value, cases[i].value);
    }
}

static void refuses_with_column_and_reason(void **state)
{
    (void)state;
    static const char guess[] = "has a suffix that could mean powers of 1000 or of 1024 here; write the number out";
    static const struct {
        const char *text;
        enum suffix suffix;
        int column;
        const char *why;
    } cases[] = {
        {"", SUFFIX_PLAIN, 1, "missing number"},
        {"   ", SUFFIX_PLAIN, 4, "missing number"},
        {"8k", SUFFIX_PLAIN, 2, guess},
        {"1M", SUFFIX_PLAIN, 2, guess},
        {"7B", SUFFIX_PLAIN, 2, guess},
        {"1T", SUFFIX_BINARY, 2, guess},
        {"80G", SUFFIX_GIB, 3, guess},
        {"80Gb", SUFFIX_GIB, 3, "has an unknown unit; use GiB, GB, MiB, MB, TiB or TB"},
        {"50GB", SUFFIX_RATE, 3, "has an unknown unit; use GB/s, TB/s, Gb/s or Tb/s"},
        {"12 apples", SUFFIX_PLAIN, 4, "has an unknown unit or suffix; write a plain number"},
        {"1e", SUFFIX_PLAIN, 2, "has an unknown unit or suffix; write a plain number"},
        {"0x10", SUFFIX_PLAIN, 2, "cannot be read from here on"},
        {"1,5", SUFFIX_PLAIN, 2, "cannot be read from here on"},
        {"1 2", SUFFIX_PLAIN, 3, "cannot be read from here on"},
        {"2^3", SUFFIX_PLAIN, 2, "cannot be read from here on"},
        {"1.2.3", SUFFIX_PLAIN, 1, "is not a number"},
        {"1__0", SUFFIX_PLAIN, 1, "has an underscore that is not between digits"},
        {"10_", SUFFIX_PLAIN, 1, "has an underscore that is not between digits"},
        {"_1", SUFFIX_PLAIN, 1, "is not a number"},
        {"nan", SUFFIX_PLAIN, 1, "is not a number or the name of a number"},
        {"inf", SUFFIX_PLAIN, 1, "is not a number or the name of a number"},
        {"pp", SUFFIX_PLAIN, 1, "is not a number or the name of a number"},
        {"1e400", SUFFIX_PLAIN, 1, "is not a number"},
        {"1e300*1e300", SUFFIX_PLAIN, 12, "is too large"},
        {"3/0", SUFFIX_PLAIN, 4, "divides by zero"},
        {"2*", SUFFIX_PLAIN, 3, "missing number"},
        {"2+*3", SUFFIX_PLAIN, 3, "is not a number"},
        {"(2", SUFFIX_PLAIN, 3, "missing )"},
        {"2)", SUFFIX_PLAIN, 2, "cannot be read from here on"},
        {"1234567890123456789012345678901234567890123456789012345678901234567890", SUFFIX_PLAIN, 1,
         "has too many digits"},
        {"newest", SUFFIX_VERSION, 1, "is not a version such as 2.11"},
        {"2.100", SUFFIX_VERSION, 1, "is not a version such as 2.11"},
        {"2.11rc1", SUFFIX_VERSION, 1, "is not a version such as 2.11"},
        {"-1", SUFFIX_VERSION, 1, "is not a version such as 2.11"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        double value = 42;
        char why[NUMBER_WHY_MAX] = "";
        int column = number_parse(cases[i].text, cases[i].suffix, NULL, NULL, &value, why);
        assert_that(column == cases[i].column && strcmp(why, cases[i].why) == 0,
                    "'%s': column %d '%s', expected column %d '%s'", cases[i].text, column, why, cases[i].column,
                    cases[i].why);
        assert_that(value == 42, "'%s' was refused but changed the value", cases[i].text);
    }
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    char text[8192], why[NUMBER_WHY_MAX];
    double value;
    memset(text, '(', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_true(number_parse(text, SUFFIX_PLAIN, NULL, NULL, &value, why) > 0);
    assert_string_equal(why, "is nested too deeply");
    memset(text, '-', sizeof text - 2);
    text[sizeof text - 2] = '1';
    assert_true(number_parse(text, SUFFIX_PLAIN, NULL, NULL, &value, why) > 0);
    assert_string_equal(why, "is nested too deeply");
}

static bool lookup(const void *context, const char *name, size_t length, double *value)
{
    assert_string_equal(context, "context");
    *value = 4;
    return length == 2 && memcmp(name, "pp", 2) == 0;
}

static void names_are_looked_up(void **state)
{
    (void)state;
    double value;
    char why[NUMBER_WHY_MAX];
    assert_int_equal(number_parse("64/pp", SUFFIX_PLAIN, lookup, "context", &value, why), 0);
    assert_same(value, 16);
    assert_int_equal(number_parse("2*(pp+1)", SUFFIX_PLAIN, lookup, "context", &value, why), 0);
    assert_same(value, 10);
    assert_int_equal(number_parse("64/tp", SUFFIX_PLAIN, lookup, "context", &value, why), 4);
    assert_string_equal(why, "is not a number or the name of a number");
}

static void prints_whole_numbers_without_exponent(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},        {-0.0, "0"},
                 {1, "1"},        {-7, "-7"},
                 {8192, "8192"},  {1e12, "1000000000000"},
                 {0.5, "0.5"},    {0.1, "0.1"},
                 {1.06, "1.06"},  {1 / 3.0, "0.333333333333333"},
                 {1e18, "1e+18"}, {79.1, "79.1"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[40];
        int n = number_print(cases[i].value, text, sizeof text);
        if (cases[i].value == 1 / 3.0)
            assert_same(strtod(text, NULL), 1 / 3.0);
        else
            assert_string_equal(text, cases[i].text);
        assert_int_equal(n, (int)strlen(text));
    }
}

static void what_is_printed_reads_back_exactly(void **state)
{
    (void)state;
    struct check_random random = {1};
    for (int i = 0; i < 20000; i++) {
        double value = ldexp((double)(check_next(&random) >> 11), check_below(&random, 100) - 60), back;
        char text[40], why[NUMBER_WHY_MAX] = "";
        number_print(value, text, sizeof text);
        assert_that(number_parse(text, SUFFIX_PLAIN, NULL, NULL, &back, why) == 0, "'%s': %s", text, why);
        assert_that(back == value, "%.17g printed as '%s' reads as %.17g", value, text, back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_numbers_units_and_expressions),
        cmocka_unit_test(refuses_with_column_and_reason),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(names_are_looked_up),
        cmocka_unit_test(prints_whole_numbers_without_exponent),
        cmocka_unit_test(what_is_printed_reads_back_exactly),
    };
    return cmocka_run_group_tests_name("number", tests, NULL, NULL) != 0;
}
