/* Sums over operators, all in one pass, against operators opened one by one. */
#include "tests/check.h"

#include "core/estimate/fold.h"
#include "core/estimate/model.h"

#include <string.h>

static struct estimate estimate;
static struct op op[OP_COUNT];
static struct op_time seconds[OP_COUNT]; /* of those that are there */

static void open_operators(const struct symbols *symbols)
{
    for (int i = 0; i < OP_COUNT; i++) {
        op_evaluate(symbols, (enum op_id)i, &op[i]);
        assert_int_equal(op_is_there(symbols, (enum op_id)i), op[i].when != 0);
        if (op[i].when != 0)
            timing_op(symbols, &op[i], &seconds[i]);
    }
}

static bool is_in(enum op_set set, int id)
{
    return op[id].when != 0 && op_is_in(set, (enum op_id)id);
}

/* The sum of a column of `of` over a set is `sum`, to the bit. */
#define SAME_SUM(of, name, sum, set_, column)                                                                          \
    {                                                                                                                 \
        double all = 0;                                                                                               \
        for (int i = 0; i < OP_COUNT; i++)                                                                            \
            all += is_in(SET_##set_, i) ? of[i].column : 0;                                                           \
        assert_that(memcmp(&all, &(sum), sizeof all) == 0, "%s is %.17g, its operators are %.17g: %s", name, sum, all, \
                    check_describe(plan));                                                                            \
    }

static void same_layers(const struct plan *plan, const struct layer_cost *cost)
{
#define FOLD(name, unit, label, set, column) SAME_SUM(op, #name, cost->name, set, column)
#define GIVEN(...)
#define TERM(...)
#include "core/estimate/stage.def"
#undef FOLD
#undef GIVEN
#undef TERM
#define FOLD_PASS(name, unit, label, set, column) SAME_SUM(seconds, #name, cost->name, set, column)
#include "core/estimate/timing.def"
}

static void same_shapes(const struct op_shapes *shapes)
{
    int count = 0;
    for (int i = 0; i < OP_COUNT; i++)
        if (op[i].when != 0 && op[i].m != 0) {
            assert_true(count < shapes->count);
            assert_int_equal(shapes->of[count].id, i);
            assert_same(shapes->of[count].rows, op[i].out_rank);
            assert_same(shapes->of[count++].columns, op[i].in_rank);
        }
    assert_int_equal(count, shapes->count);
}

static void same_whole(const struct plan *plan, const struct totals *totals)
{
#define FOLD(name, unit, label, set, column) SAME_SUM(op, #name, totals->name, set, column)
#include "core/estimate/model.def"
}

/* Most plans are bare; adapters, quantised weights and projections are worked out apart. */
static void sums_are_those_of_the_operators(void **state)
{
    (void)state;
    static const char *const tunings[] = {"train.peft=none", "train.peft=lora lora_rank=16", "train.peft=dora",
                                          "train.peft=qlora quant_dtype=nf4 lora_targets=all-linear",
                                          "optimizer=galore galore_rank=128", "train.peft=lora quant_dtype=gptq4"};
    struct check_random random = {56};
    int bare = 0, rich = 0;
    for (int i = 0; i < 2000; i++) {
        struct plan plan;
        struct layer_cost cost;
        struct op_shapes shapes;
        struct totals totals;
        check_random_plan(&random, &plan);
        check_set(&plan, check_pick(&random, tunings, COUNT(tunings)));
        estimate_plan(&plan, &estimate);
        const struct symbols *y = &estimate.symbols;
        *(y->lora + y->quant + y->galore > 0 ? &rich : &bare) += 1;
        open_operators(y);
        fold_layers(y, &cost, &shapes);
        same_layers(&plan, &cost);
        same_shapes(&shapes);
        open_operators(&estimate.unparallel);
        fold_whole(&estimate.unparallel, &totals);
        same_whole(&plan, &totals);
    }
    assert_true(bare > 200 && rich > 1000);
}

/* An operator that the model lacks has nothing; one whose time is not modelled, or that serves, has unknown seconds. */
static void what_is_not_there_is_not_known(void **state)
{
    (void)state;
    struct check_random random = {38};
    int known = 0, unknown = 0, absent = 0;
    for (int i = 0; i < 500; i++) {
        struct plan plan;
        check_random_plan(&random, &plan);
        if (i % 5 == 0)
            plan.value[PARAM_plan_workload] = WORKLOAD_INFERENCE;
        estimate_plan(&plan, &estimate);
        bool is_timed = estimate.is_modelled && !estimate.is_serving;
        for (int id = 0; id < OP_COUNT && estimate.is_computed; id++) {
            const struct op one = check_op(&estimate, (enum op_id)id);
            if (one.when == 0) {
                assert_true(one.params == 0 && one.gemm_flops == 0);
                absent++;
                continue;
            }
            const struct op_time time = check_op_time(&estimate, (enum op_id)id);
            assert_int_equal(is_timed, !isnan(one.saved));
            assert_int_equal(is_timed, !isnan(time.forward_s));
            assert_int_equal(is_timed, !isnan(time.backward_s));
            known += is_timed;
            unknown += !is_timed;
        }
    }
    assert_true(known > 1000 && unknown > 100 && absent > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_operators),
        cmocka_unit_test(what_is_not_there_is_not_known),
    };
    return cmocka_run_group_tests_name("fold", tests, NULL, NULL) != 0;
}
