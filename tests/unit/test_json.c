/* JSON text as settings: what is read, and the whole message of everything that is refused. */
#include "tests/check.h"

#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/text.h"
#include "src/text/tree.h"

/* What a text is read as: `key=value@line` for each setting, then each message. */
static char *read_all(const char *text, size_t size)
{
    struct keyvals list = {0};
    struct errors errors = {0};
    struct buffer out = {0};
    buffer_puts(&out, "");
    int result = tree_settings(text, size, "f.json", TREE_JSON, &list, &errors);
    assert_int_equal(result, errors_any(&errors) ? -1 : 0);
    for (size_t i = 0; i < list.count; i++)
        buffer_printf(&out, "%s=%s@%d\n", list.item[i].key, list.item[i].value, list.item[i].line);
    for (size_t i = 0; i < errors.count; i++)
        buffer_printf(&out, "%s\n", errors.line[i]);
    keyvals_free(&list);
    errors_free(&errors);
    return out.text;
}

static const struct {
    const char *text, *expected;
} cases[] = {
    /* values */
    {"{}", ""},
    {"{\"tp\": 2}", "tp=2@1\n"},
    {"{\n \"parallel\": {\n  \"tp\": 2,\n  \"sp\": true}, \"cp\": null}\n",
     "parallel.tp=2@3\nparallel.sp=true@4\ncp=@4\n"},
    {"{\"a\": 1e3, \"b\": 0.1, \"c\": 3000000000, \"d\": 1.5e12, \"e\": -7}",
     "a=1000@1\nb=0.1@1\nc=3000000000@1\nd=1500000000000@1\ne=-7@1\n"},
    {"{\"a\": \"8k\", \"b\": [3, 4], \"c\": [[1,2],[3]], \"d\": [\"x\", true], \"e\": []}",
     "a=8k@1\nb=[3,4]@1\nc=[[1,2],[3]]@1\nd=[x,true]@1\ne=[]@1\n"},
    /* keys inside strings do not move the lines */
    {"{\"a\": \"x\\\": {\\n\",\n\"b\": [\"c:\", \"d\"\n],\n\"e\": 1}", "a=x\": {\n@1\nb=[c:,d]@2\ne=1@4\n"},
    {"{\"A\": 1, \"a\": 2}", "A=1@1\na=2@1\n"},
    /* refused */
    {"", "f.json:1: is not valid JSON; check commas, quotes and braces here\n"},
    {"{\"tp\": 2,\n\"pp\": }", "f.json:2: is not valid JSON; check commas, quotes and braces here\n"},
    {"{\"tp\": 2,\n}", "f.json:2: is not valid JSON; check commas, quotes and braces here\n"},
    {"{\"tp\": 2}\n{\"tp\": 3}", "f.json:2: is not valid JSON; check commas, quotes and braces here\n"},
    {"{\"model\": {\"name\": \"x\",\n \"num_layers\": 3",
     "f.json:2: is not valid JSON; check commas, quotes and braces here\n"},
    {"{'tp': 2}", "f.json:1: is not valid JSON; check commas, quotes and braces here\n"},
    {"{\"tp\": 2 /* two */}", "f.json:1: is not valid JSON; check commas, quotes and braces here\n"},
    {"{\"a\": Infinity}", "f.json:1: is not valid JSON; check commas, quotes and braces here\n"},
    {"[1, 2]", "f.json:1: is not an object; write {\"key\": value}\n"},
    {"3", "f.json:1: is not an object; write {\"key\": value}\n"},
    {"{\"a\": 1e999,\n\"b\": 2}", "b=2@2\nf.json:1: a: number too large\n"},
    {"{\"a\": 1,\n\"b\": {\"x\": 1},\n\"a\": {\"c\": 2},\n\"d\": 3}",
     "a=1@1\nb.x=1@2\nd=3@4\nf.json:3: a: is given twice (first on line 1); keep one\n"},
    {"{\"a\": [1, {\"b\": 2,\n\"c\": 3}],\n\"d\": 4}",
     "d=4@3\nf.json:1: a: is a list with something other than values in it; write plain values such as [1, 2]\n"},
};

static void test_texts_become_settings_or_whole_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *actual = read_all(cases[i].text, strlen(cases[i].text));
        assert_that(check_message(actual, cases[i].expected), "%s\ngives\n%s\nnot\n%s", cases[i].text, actual,
                    cases[i].expected);
        free(actual);
    }
}

/* `count` times `piece`, in fresh memory. */
static char *repeat(const char *before, const char *piece, int count, const char *after)
{
    struct buffer out = {0};
    buffer_puts(&out, before);
    for (int i = 0; i < count; i++)
        buffer_puts(&out, piece);
    buffer_puts(&out, after);
    return out.text;
}

static void test_large_texts_are_refused(void **state)
{
    (void)state;
    const struct {
        char *text;
        const char *expected;
    } large[] = {
        {repeat("{\"a\":\n", "[", 100000, ""), "f.json:2: is nested more than 64 deep; a plan has two levels\n"},
        {repeat("", "{\"a\":", 100000, ""), "f.json:1: is nested more than 64 deep; a plan has two levels\n"},
        {repeat("{\"a\": [", "1,", 30000, "1]}"), "f.json:1: has more than 20000 values; a plan is a few lines\n"},
        {repeat("{", "\"k\":1,", 2000, "\"l\":1}"), "f.json:1: has 2001 keys, more than 1024; a plan is a few lines\n"},
        {repeat("{\"a\": \"", "[{", 1000, "\"}"), NULL}, /* brackets in a string nest nothing */
    };
    for (size_t i = 0; i < COUNT(large); i++) {
        char *actual = read_all(large[i].text, strlen(large[i].text));
        if (large[i].expected)
            assert_message(actual, large[i].expected);
        else
            assert_memory_equal(actual, "a=[{[{", 6);
        free(actual);
        free(large[i].text);
    }
}

static void test_a_long_key_is_refused(void **state)
{
    (void)state;
    char *text = repeat("{\"", "k", 1000, "\": 1}");
    char *actual = read_all(text, strlen(text));
    assert_true(check_mentions(actual, "is longer than any key; check indentation and braces\n"));
    assert_true(strlen(actual) < 300);
    free(actual);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_become_settings_or_whole_messages),
        cmocka_unit_test(test_large_texts_are_refused),
        cmocka_unit_test(test_a_long_key_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
