/* libshardtop: answers, refusals, callers with other locales, and several threads at once. */
#include "tests/check.h"
#include "tests/json.h"

#include <locale.h>
#include <pthread.h>

#include "src/lib/shardtop.h"
#include "src/text/version.h"

static const char request[] =
    "{\"id\": 7, \"plan\": {\"model\": \"llama3-8b\", \"tp\": 2}, \"want\": [\"memory.headroom_bytes\", \"time.mfu\"]}";

static void test_a_request_is_answered(void **state)
{
    (void)state;
    struct shardtop *shardtop = shardtop_open();
    const char *answer = shardtop_ask(shardtop, request);
    assert_true(json_is_valid(answer, strlen(answer)));
    assert_true(strstr(answer, "{\"id\": 7, \"result\": {") == answer && strstr(answer, "\"mfu\": 0."));
    assert_true(strncmp(shardtop_ask(shardtop, "\n{\"plan\": {}\n}\n"), "{\"id\": null, \"result\"", 21) == 0);
    assert_non_null(strstr(shardtop_ask(shardtop, "{\"plan\": {}, \"want\": []}"), "\"result\": {}"));
    shardtop_close(shardtop);
    shardtop_close(NULL);
}

static void test_what_has_no_answer_says_why(void **state)
{
    (void)state;
    static const char *const requests[] = {"", "[]", "{\"plan\": {\"model\": \"none\"}}",
                                           "{\"plan\": {\"modle\": \"x\"}}", "{\"other\": 1}"};
    struct shardtop *shardtop = shardtop_open();
    for (size_t i = 0; i < COUNT(requests); i++) {
        const char *answer = shardtop_ask(shardtop, requests[i]);
        assert_that(strstr(answer, "\"error\": {\"rule\": \""), "%s: %s", requests[i], answer);
    }
    assert_non_null(strstr(shardtop_ask(shardtop, NULL), "\"error\""));
    assert_non_null(strstr(shardtop_list(shardtop, NULL), "\"error\""));
    assert_non_null(strstr(shardtop_list(shardtop, "nothing"), "\"error\""));
    assert_non_null(strstr(shardtop_schema(shardtop, "nothing"), "\"error\""));
    shardtop_close(shardtop);
}

static void test_lists_schemas_and_the_version(void **state)
{
    (void)state;
    struct shardtop *shardtop = shardtop_open();
    assert_non_null(strstr(shardtop_list(shardtop, "models"), "\"llama3-8b\""));
    assert_non_null(strstr(shardtop_schema(shardtop, "batch"), "\"$defs\""));
    assert_non_null(strstr(shardtop_schema(shardtop, NULL), "\"$defs\""));
    assert_string_equal(shardtop_version(), version_number);
    shardtop_close(shardtop);
}

/* A locale whose decimal point is a comma, where one is installed. */
static const char *comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "fr_FR.utf8"};
    for (size_t i = 0; i < COUNT(names); i++)
        if (setlocale(LC_ALL, names[i]))
            return names[i];
    return NULL;
}

static void test_the_callers_locale_does_not_matter(void **state)
{
    (void)state;
    struct shardtop *shardtop = shardtop_open();
    char *plain = strdup(shardtop_ask(shardtop, request));
    if (!comma_locale()) {
        free(plain);
        shardtop_close(shardtop);
        skip();
    }
    assert_string_equal(shardtop_ask(shardtop, request), plain);
    setlocale(LC_ALL, "C");
    free(plain);
    shardtop_close(shardtop);
}

/* Asks and lists for a while; the first answer that is another than `expected`, or NULL. */
static void *ask_often(void *expected)
{
    struct shardtop *shardtop = shardtop_open();
    const void *other = NULL;
    for (int i = 0; i < 40 && !other; i++) {
        bool is_same = strcmp(shardtop_ask(shardtop, request), expected) == 0 &&
                       strstr(shardtop_list(shardtop, "plans"), "default") &&
                       check_mentions(shardtop_ask(shardtop, "{\"plan\": {\"model\": \"lama3-8b\"}}"), "llama3-8b");
        other = is_same ? NULL : expected;
    }
    shardtop_close(shardtop);
    return (void *)(uintptr_t)other;
}

static void test_threads_do_not_meet(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    struct shardtop *shardtop = shardtop_open();
    char *expected = strdup(shardtop_ask(shardtop, request));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, ask_often, expected), 0);
    for (int i = 0; i < THREADS; i++) {
        void *other;
        assert_int_equal(pthread_join(thread[i], &other), 0);
        assert_null(other);
    }
    free(expected);
    shardtop_close(shardtop);
}

enum { SHARERS = 4, QUESTIONS = 200 };

/* Asks for the layers of plans of its own, and counts the answers that belong to another thread. */
static void *ask_shared(void *handle)
{
    static _Atomic int next;
    int first = 1 + QUESTIONS * next++;
    size_t wrong = 0;
    for (int layers = first; layers < first + QUESTIONS; layers++) {
        char line[128], expected[64];
        snprintf(line, sizeof line, "{\"id\": %d, \"plan\": {\"model\": \"llama3-8b\", \"gpus\": 8}}", layers);
        snprintf(expected, sizeof expected, "{\"id\": %d, ", layers);
        wrong += strncmp(shardtop_ask(handle, line), expected, strlen(expected)) != 0;
    }
    return (void *)wrong;
}

static void threads_share_a_handle(void **state)
{
    (void)state;
    struct shardtop *shardtop = shardtop_open();
    pthread_t thread[SHARERS];
    const char *own = shardtop_ask(shardtop, request);
    char *was = strdup(own);
    for (int i = 0; i < SHARERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, ask_shared, shardtop), 0);
    for (int i = 0; i < SHARERS; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        assert_null(wrong);
    }
    assert_string_equal(own, was); /* until this thread's next call */
    free(was);
    shardtop_close(shardtop);
}

/* Opens a handle, asks it in each way, and closes it; NULL where all was answered. */
static void *ask_all(void *context)
{
    static const char *const keys[] = {"parallel.tp"}, *const want[] = {"time.mfu"};
    static const char large[] = "{\"plan\": {\"model\": \"llama3.1-405b\", \"pp\": 8}}";
    const double values[] = {2};
    double out[1];
    struct shardtop *shardtop = shardtop_open();
    bool is_answered = strstr(shardtop_ask(shardtop, request), "\"mfu\": 0.") &&
                       strstr(shardtop_ask(shardtop, large), "\"result\"") &&
                       strstr(shardtop_list(shardtop, "models"), "\"llama3-8b\"") &&
                       strstr(shardtop_schema(shardtop, NULL), "\"$defs\"") &&
                       shardtop_numbers(shardtop, "{\"model\": \"llama3-8b\"}", keys, values, 1, want, out, 1) == 0;
    shardtop_close(shardtop);
    return is_answered ? NULL : context;
}

/* As musl gives a thread, and less. */
static void a_thread_with_a_small_stack_is_answered(void **state)
{
    pthread_attr_t small;
    pthread_t thread;
    void *failed;
    pthread_attr_init(&small);
    assert_int_equal(pthread_attr_setstacksize(&small, 64 * 1024), 0);
    assert_int_equal(pthread_create(&thread, &small, ask_all, state), 0);
    pthread_join(thread, &failed);
    pthread_attr_destroy(&small);
    assert_null(failed);
}

/* As --gpus on the command line. */
static void numbers_of_gpus_are_refused_as_on_the_command_line(void **state)
{
    (void)state;
    struct shardtop *shardtop = shardtop_open();
    const char *answer = shardtop_ask(shardtop, "{\"plan\": {\"model\": \"llama3-8b\", \"gpus\": 12}}");
    assert_true(check_mentions(answer, "12 does not fill nodes of 8 GPUs; try 8 or 16"));
    shardtop_close(shardtop);
}

/* Numbers are those of the JSON answer, and faults name what is wrong. */
static void test_numbers_are_those_of_the_answer(void **state)
{
    static const char *const keys[] = {"parallel.tp"}, *const wrong[] = {"parallel.tq"};
    static const char *const want[] = {"memory.probability", "time.mfu", "memory.stages.0.device_bytes"};
    const double values[] = {2}, much[] = {1e9}, half[] = {1.5};
    double out[3];
    char mfu[64];
    (void)state;
    struct shardtop *shardtop = shardtop_open();
    assert_int_equal(
        shardtop_numbers(shardtop, "{\"model\": \"llama3-8b\"}", keys, values, 1, want, out, 3), 0);
    snprintf(mfu, sizeof mfu, "\"mfu\": %.15g", out[1]);
    mfu[strlen(mfu) - 2] = '\0';
    assert_non_null(strstr(shardtop_ask(shardtop, request), mfu));
    assert_true(out[0] >= 0 && out[0] <= 1 && out[2] > 1e9);
    assert_int_equal(shardtop_numbers(shardtop, NULL, wrong, values, 1, want, out, 3), -1);
    assert_string_equal(shardtop_error(shardtop), "parallel.tq: is not a key");
    assert_true(isnan(out[0]));
    assert_int_equal(shardtop_numbers(shardtop, NULL, keys, much, 1, want, out, 3), -1);
    assert_int_equal(shardtop_numbers(shardtop, NULL, keys, half, 1, want, out, 3), -1);
    assert_int_equal(shardtop_numbers(shardtop, "[]", keys, values, 1, want, out, 3), -1);
    assert_int_equal(shardtop_numbers(shardtop, NULL, keys, values, 1, wrong, out, 1), -1);
    shardtop_close(shardtop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_request_is_answered),
        cmocka_unit_test(test_what_has_no_answer_says_why),
        cmocka_unit_test(test_lists_schemas_and_the_version),
        cmocka_unit_test(test_the_callers_locale_does_not_matter),
        cmocka_unit_test(test_threads_do_not_meet),
        cmocka_unit_test(threads_share_a_handle),
        cmocka_unit_test(a_thread_with_a_small_stack_is_answered),
        cmocka_unit_test(numbers_of_gpus_are_refused_as_on_the_command_line),
        cmocka_unit_test(test_numbers_are_those_of_the_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
