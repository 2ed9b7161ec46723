/*
 * What is compiled twice (core/estimate/twice.h) gives the same bits both times, so the same searches: here one or the
 * other runs as the test says.
 */
#include "tests/check.h"

#include "core/estimate/twice.h"
#include "core/search/search.h"

#include <string.h>

static bool takes_avx2;

#ifdef HAVE_AVX2
#define EITHER(avx2, plain) takes_avx2 ? avx2 : plain
#else
#define EITHER(avx2, plain) plain
#endif

/* In place of core/estimate/twice.c, which is not linked. */
#define SHEET(type, name, parameters, arguments)                                                                       \
    type name parameters                                                                                              \
    {                                                                                                                 \
        return EITHER(name##_avx2 arguments, name##_plain arguments);                                                  \
    }
#include "core/estimate/twice.def"
#undef SHEET

static void needs_avx2(void)
{
#ifdef HAVE_AVX2
    if (__builtin_cpu_supports("avx2"))
        return;
#endif
    print_message("needs AVX2, and a compiler for it\n");
    skip();
}

/* All that follows from a plan: every member of every sheet. */
struct figures {
    struct estimate estimate;
    struct comm_table comm[STAGES_MAX];
    struct quick_cache cache;
    struct quick quick;
};

static void take_figures(const struct plan *plan, bool takes, struct figures *out)
{
    takes_avx2 = takes;
    estimate_plan(plan, &out->estimate);
    for (int i = 0; i < out->estimate.stages; i++)
        estimate_comm_table(&out->estimate, i, &out->comm[i]);
    estimate_quick(&out->estimate.plan, QUICK_PLAYED, &out->cache, &out->quick);
}

static void same_bits(void **state)
{
    (void)state;
    static struct figures one, two;
    struct check_random random = {47};
    needs_avx2();
    for (int i = 0; i < 2000; i++) {
        struct plan plan;
        check_random_plan(&random, &plan);
        take_figures(&plan, false, &one);
        take_figures(&plan, true, &two);
        assert_that(memcmp(&one.estimate, &two.estimate, sizeof one.estimate) == 0 &&
                        memcmp(one.comm, two.comm, sizeof one.comm) == 0 &&
                        memcmp(&one.quick, &two.quick, sizeof one.quick) == 0,
                    "%s", check_describe(&plan));
    }
}

static void find_all(const struct search_ask *ask, bool takes, struct search *search)
{
    takes_avx2 = takes;
    assert_true(search_begin(search, ask, 0, 1));
    while (search_step(search, 64))
        ;
}

static void same_searches(void **state)
{
    (void)state;
    static struct search one, two;
    struct check_random random = {48};
    needs_avx2();
    for (int i = 0; i < 10; i++) {
        struct search_ask ask;
        struct plan plan;
        check_random_plan(&random, &plan);
        search_ask_about(&plan, &ask);
        find_all(&ask, false, &one);
        find_all(&ask, true, &two);
        assert_true(one.answer.evaluated > 0);
        assert_memory_equal(&one.answer, &two.answer, sizeof one.answer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(same_searches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
