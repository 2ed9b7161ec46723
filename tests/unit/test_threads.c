/* A search in several threads: the answer is that of one, each time. */
#include "tests/check.h"

#include "core/search/search.h"
#include "src/cli/threads.h"

#include <pthread.h>
#include <stddef.h>

static struct search_answer one, several;

static void check_equal(const struct search_result a[], const struct search_result b[], int count)
{
    for (int i = 0; i < count; i++) /* what stands behind its last member is padding */
        assert_memory_equal(&a[i], &b[i], offsetof(struct search_result, complexity) + sizeof a->complexity);
}

static void check_same(void)
{
    assert_true(several.is_complete);
    assert_int_equal(several.candidates, one.candidates);
    assert_int_equal(several.evaluated, one.evaluated);
    assert_int_equal(several.feasible, one.feasible);
    assert_int_equal(several.count, one.count);
    assert_int_equal(several.front_count, one.front_count);
    assert_memory_equal(several.excluded, one.excluded, sizeof one.excluded);
    assert_int_equal(several.has_nearest, one.has_nearest);
    check_equal(several.best, one.best, one.count);
    check_equal(several.front, one.front, one.front_count);
    check_equal(&several.nearest, &one.nearest, one.has_nearest);
}

static void the_answer_is_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    static const char *const plans[] = {
        LLAMA3_70B "nodes=4 seq_length=8192 global_batch_size=64",
        MIXTRAL_8X7B "nodes=2 global_batch_size=32",
        LLAMA3_70B "nodes=1 usable_gib=20 global_batch_size=8", /* nothing fits */
    };
    static const int counts[] = {2, 8, 3, THREADS_MAX, 8};
    static const enum search_objective objectives[] = {SEARCH_TIME, SEARCH_MEMORY};
    for (size_t i = 0; i < COUNT(plans) * COUNT(objectives); i++) {
        struct search_ask ask;
        struct plan plan;
        check_plan(&plan, plans[i / COUNT(objectives)]);
        search_ask_about(&plan, &ask);
        ask.top = SEARCH_TOP_MAX;
        ask.objective = objectives[i % COUNT(objectives)];
        threads_search(&ask, 1, &one);
        assert_true(one.is_complete && one.evaluated > 500 && one.count + one.has_nearest > 0);
        for (size_t k = 0; k < COUNT(counts); k++) {
            threads_search(&ask, counts[k], &several);
            check_same();
        }
    }
}

/* Where the system gives a thread little, as macOS and musl do. */
static void a_search_has_room_on_small_stacks(void **state)
{
    (void)state;
#ifdef __GLIBC__
    pthread_attr_t small;
    struct search_ask ask;
    struct plan plan;
    check_plan(&plan, LLAMA3_70B "nodes=4 global_batch_size=64");
    search_ask_about(&plan, &ask);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 128 * 1024);
    assert_int_equal(pthread_setattr_default_np(&small), 0);
    threads_search(&ask, 2, &several);
    pthread_attr_destroy(&small);
    assert_true(several.is_complete && several.count > 0);
#else
    skip();
#endif
}

static void there_are_as_many_threads_as_processors(void **state)
{
    (void)state;
    assert_true(threads_here() >= 1 && threads_here() <= THREADS_MAX);
}

/* A share that Slurm gives without binding the task to it. */
static void a_task_of_slurm_has_its_share(void **state)
{
    (void)state;
    unsetenv("SLURM_CPUS_PER_TASK");
    unsetenv("SLURM_CPUS_ON_NODE");
    int all = threads_here();
    setenv("SLURM_CPUS_ON_NODE", "100000", 1);
    assert_int_equal(threads_here(), all);
    setenv("SLURM_CPUS_PER_TASK", "1", 1);
    assert_int_equal(threads_here(), 1);
    setenv("SLURM_CPUS_PER_TASK", "4(x2)", 1);
    assert_int_equal(threads_here(), all);
    unsetenv("SLURM_CPUS_PER_TASK");
    unsetenv("SLURM_CPUS_ON_NODE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_of_slurm_has_its_share),
        cmocka_unit_test(the_answer_is_the_same_on_any_number_of_threads),
        cmocka_unit_test(a_search_has_room_on_small_stacks),
        cmocka_unit_test(there_are_as_many_threads_as_processors),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL) != 0;
}
