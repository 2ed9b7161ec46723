/* Memory that runs out at each allocation in turn: the library and batch answer all the same, and lose nothing. */
#include "tests/check.h"
#include "tests/json.h"

#include "src/cli/verbs/batch.h"
#include "src/lib/shardtop.h"
#include "src/text/text.h"

/* ---- allocations: the nth fails ---------------------------------------------------------------------------------- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
int __real_vasprintf(char **out, const char *format, va_list args);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);
int __wrap_vasprintf(char **out, const char *format, va_list args);

static _Thread_local int until_fault; /* 0: none fails */

static bool is_failing(void)
{
    return until_fault > 0 && --until_fault == 0;
}

void *__wrap_malloc(size_t size)
{
    bool is_too_much = size > SIZE_MAX / 8; /* a sanitizer's malloc() would end the program */
    return is_failing() || is_too_much ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_failing() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return is_failing() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
    return is_failing() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t size)
{
    return is_failing() ? NULL : __real_strndup(text, size);
}

int __wrap_vasprintf(char **out, const char *format, va_list args)
{
    return is_failing() ? -1 : __real_vasprintf(out, format, args);
}

/* Ends the time of failing; whether one has failed. */
static bool has_failed(void)
{
    bool failed = until_fault == 0;
    until_fault = 0;
    return failed;
}

/* ---- the library ------------------------------------------------------------------------------------------------- */

static bool is_out_of_memory(const char *answer)
{
    return strstr(answer, "\"rule\": \"out_of_memory\"") != NULL;
}

/* Asks with each allocation failing in turn, beginning with the first; the handle's next answer is always the same. */
static int fail_each(struct shardtop *shardtop, const char *(*call)(struct shardtop *shardtop, const char *text),
                     const char *text)
{
    char *expected = __real_strdup(call(shardtop, text));
    int nth = 0, told = 0;
    bool failed = true;
    while (failed) {
        until_fault = ++nth;
        const char *answer = call(shardtop, text);
        failed = has_failed();
        assert_true(json_is_valid(answer, strlen(answer)));
        assert_that(failed || strcmp(answer, expected) == 0, "%s", answer);
        told += is_out_of_memory(answer);
        assert_string_equal(call(shardtop, text), expected);
    }
    free(expected);
    assert_that(told == nth - 1, "%d of %d said that memory ran out", told, nth - 1);
    return nth - 1;
}

static void the_library_answers_whatever_allocation_fails(void **state)
{
    (void)state;
    struct shardtop *shardtop = shardtop_open();
    int asked = fail_each(shardtop, shardtop_ask, "{\"id\": 1, \"plan\": {\"model\": \"gpt2-124m\", \"tp\": 2}, "
                                                  "\"want\": [\"memory.fits\"]}");
    int refused = fail_each(shardtop, shardtop_ask, "{\"plan\": {\"modle\": \"x\", \"gpus\": 12}}");
    int listed = fail_each(shardtop, shardtop_list, "gpus");
    int wrong = fail_each(shardtop, shardtop_schema, "nothing");
    assert_that(asked > 20 && refused > 5 && listed > 5 && wrong > 2, "%d, %d, %d, %d allocations", asked, refused,
                listed, wrong);
    shardtop_close(shardtop);
}

static void a_handle_that_cannot_be_had_is_null_and_answers(void **state)
{
    (void)state;
    int nth = 0;
    struct shardtop *shardtop = NULL;
    while (!shardtop) {
        until_fault = ++nth;
        shardtop = shardtop_open();
        assert_true(has_failed() || shardtop);
        assert_true(shardtop || is_out_of_memory(shardtop_ask(shardtop, "{}")));
    }
    assert_true(nth > 2);
    shardtop_close(shardtop);
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

static int released;

static void release(void *what)
{
    released += what == &released;
}

/* Grows what was there before, keeps a text, and wants more than there is. */
static void want_too_much(void *context)
{
    struct buffer *before = context, own = {0};
    memory_hold(&released, release);
    for (int i = 0; i < 2000; i++) {
        free(xstrdup("released in time"));
        xstrdup("released at the end");
        buffer_puts(i % 2 ? before : &own, "more");
    }
    char *kept = xstrdup("kept");
    memory_drop(kept);
    free(kept);
    xmalloc(SIZE_MAX / 4);
}

static void work_ends_with_what_was_there_before(void **state)
{
    (void)state;
    struct buffer before = {0};
    buffer_puts(&before, "old");
    assert_false(memory_try(want_too_much, &before));
    assert_int_equal(released, 1);
    assert_int_equal(strlen(before.text), 3 + 1000 * 4);
    buffer_free(&before);
}

/* ---- batch ------------------------------------------------------------------------------------------------------- */

static const char lines[] = "{\"id\": 1, \"plan\": {\"model\": \"gpt2-124m\"}, \"want\": [\"memory.fits\"]}\n"
                            "{\"id\": 2, \"plan\": {\"model\": \"none\"}}\n"
                            "{\"id\": 3, \"estimator\": \"megatron-tool\", \"fn\": \"analyze\", \"inputs\": {}}\n";

/* How many lines batch answers when an allocation fails, all of them JSON. */
static int answered(int nth, bool is_apart)
{
    char *out = NULL;
    size_t size = 0;
    int count = 0;
    FILE *in = fmemopen((void *)(uintptr_t)lines, strlen(lines), "r"), *to = open_memstream(&out, &size);
    FILE *err = fopen("/dev/null", "w");
    until_fault = nth;
    batch_run(in, to, err, &(struct batch_options){.is_apart = is_apart});
    bool failed = has_failed();
    fclose(in);
    fclose(to);
    fclose(err);
    for (char *rest = NULL, *line = strtok_r(out, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), count++)
        assert_that(json_is_valid(line, strlen(line)), "%s", line);
    free(out);
    return failed || is_apart ? count : -count;
}

static void batch_answers_every_line_whatever_allocation_fails(void **state)
{
    (void)state;
    enum { OPENING = 5 /* allocations before the first line is read: without them there is nothing to answer with */ };
    int nth = OPENING, count;
    while ((count = answered(++nth, false)) > 0)
        assert_that(count == 3, "allocation %d: %d answers", nth, count);
    assert_int_equal(count, -3);
    assert_true(nth > 40);
    for (int n = OPENING + 1; n < nth; n += check_is_slow() ? 97 : 29)
        assert_that(answered(n, true) == 3, "allocation %d of a worker", n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_library_answers_whatever_allocation_fails),
        cmocka_unit_test(a_handle_that_cannot_be_had_is_null_and_answers),
        cmocka_unit_test(work_ends_with_what_was_there_before),
        cmocka_unit_test(batch_answers_every_line_whatever_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
