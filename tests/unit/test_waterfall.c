/* Why two plans differ: steps that sum to the difference, by part and by key. */
#include "tests/check.h"

#include "core/search/waterfall.h"

static struct estimate a, b, scratch;
static struct waterfall memory, iteration;

#define CLUSTER                                                                                                        \
    LLAMA3_70B "framework.name=megatron-core nodes=128 gpus_per_node=8 global_batch_size=2048 sp=true zero_stage=1 "

static double sum_of(const struct waterfall *waterfall)
{
    double sum = waterfall->from;
    for (int i = 0; i < waterfall->count; i++)
        sum += waterfall->step[i].delta;
    return sum;
}

static double delta_of(const struct waterfall *waterfall, const char *name)
{
    for (int i = 0; i < waterfall->count; i++)
        if (strcmp(waterfall->step[i].name, name) == 0)
            return waterfall->step[i].delta;
    return 0;
}

/* Sums to the last bit, largest first. */
static void check_waterfall(const struct waterfall *waterfall, int first, const char *what)
{
    bool is_right = isnan(waterfall->from) ? waterfall->count == 0 : sum_of(waterfall) == waterfall->to;
    assert_that(is_right, "%s: %.17g, not %.17g", what, sum_of(waterfall), waterfall->to);
    for (int i = first + 1; i < waterfall->count && strcmp(waterfall->step[i].name, "rounding") != 0; i++)
        assert_true(fabs(waterfall->step[i].delta) <= fabs(waterfall->step[i - 1].delta) * (1 + 1e-9));
}

static void a_worked_example(void **state)
{
    (void)state;
    check_estimate(&a, CLUSTER "tp=8 pp=4 micro_batch_size=1");
    check_estimate(&b, CLUSTER "tp=4 pp=8 micro_batch_size=2");
    waterfall_memory(&a, &b, &memory);
    waterfall_time(&a, &b, &iteration);
    const struct stage *x = &a.stage[0], *y = &b.stage[0];
    assert_int_equal(a.peak_stage, 0);
    assert_int_equal(b.peak_stage, 0);
    assert_same(delta_of(&memory, "activations"), round(y->activations_bytes) - round(x->activations_bytes));
    assert_same(delta_of(&memory, "weights"), round(y->weights_bytes) - round(x->weights_bytes));
    assert_same(delta_of(&memory, "context"), 0);
    assert_string_equal(memory.step[0].name, "activations");
    assert_near(delta_of(&iteration, "tp"), b.step.tp_exposed_s - a.step.tp_exposed_s, 1e-9);
    assert_near(delta_of(&iteration, "bubble"), b.step.bubble_s - a.step.bubble_s, 1e-9);
    assert_same(iteration.from, a.step.iteration_s);
    assert_same(iteration.to, b.step.iteration_s);
    check_waterfall(&memory, 0, "memory");
    check_waterfall(&iteration, 0, "time");
}

/* What the fullest stage of the second holds in the first comes before what the plans differ in. */
static void another_stage_may_be_the_fullest(void **state)
{
    (void)state;
    check_estimate(&a, CLUSTER "tp=8 pp=4");
    check_estimate(&b, CLUSTER "tp=8 pp=4 last_stage_layers=23");
    b.peak_stage = 3;
    waterfall_memory(&a, &b, &memory);
    assert_string_equal(memory.step[0].name, "stage");
    assert_true(memory.step[0].delta < 0);
    check_waterfall(&memory, 1, "memory");
}

/* Pairs of random plans: sums, and the way back. */
static void steps_sum_exactly(void **state)
{
    (void)state;
    struct check_random random = {11};
    for (int i = 0; i < 300; i++) {
        struct plan one, other;
        struct waterfall back;
        check_random_plan(&random, &one);
        check_random_plan(&random, &other);
        estimate_plan(&one, &a);
        estimate_plan(&other, &b);
        waterfall_memory(&a, &b, &memory);
        waterfall_time(&a, &b, &iteration);
        check_waterfall(&memory, strcmp(memory.step[0].name, "stage") == 0, "memory");
        check_waterfall(&iteration, 0, "time");
        waterfall_time(&b, &a, &back);
        assert_near(delta_of(&back, "compute"), -delta_of(&iteration, "compute"), 1e-9);
        assert_near(delta_of(&back, "dp"), -delta_of(&iteration, "dp"), 1e-6);
    }
}

/* A random plan that may have other GPUs, types or schedules than those of other tests, fine-tune or serve. */
static void any_plan(struct check_random *random, struct plan *plan, struct estimate *e)
{
    static const char *const more[] = {
        "dtype=fp8", "gpu=a100-sxm-80", "gpu=b200-sxm", "gpu=h200-sxm dtype=fp8", "gpu=a10g nodes=9 dp=0",
        "vpp=1 schedule=zb-h1", "vpp=1 schedule=zb-h2", "vpp=2 schedule=zb-v", "vpp=1 schedule=dualpipe",
        "peft=lora", "offload_optimizer=1", "fragmentation=1.2", "optimizer=muon", "workload=inference",
        "embedding_counts_as_layer=true loss_counts_as_layer=true", "fsdp=full zero_stage=0"};
    do {
        check_random_plan(random, plan);
        check_set(plan, check_pick(random, more, COUNT(more)));
        estimate_plan(plan, e);
    } while (e->diags.errors > 0 || !e->is_modelled);
}

/* By part and by key, both ways, of all kinds of plans; the other way round the parts are what they were, negated. */
static void steps_of_any_plans_sum_exactly(void **state)
{
    (void)state;
    struct check_random random = {61};
    int known = 0, by_key = 0;
    for (int i = 0; i < 400; i++) {
        struct plan one, other;
        any_plan(&random, &one, &a);
        any_plan(&random, &other, &b);
        waterfall_memory(&a, &b, &memory);
        waterfall_time(&a, &b, &iteration);
        check_waterfall(&memory, strcmp(memory.step[0].name, "stage") == 0, "memory");
        check_waterfall(&iteration, 0, "time");
        for (int k = 0; k < memory.count; k++)
            assert_same(memory.step[k].delta, floor(memory.step[k].delta));
        known += !isnan(iteration.from);
        if (i % 20 != 0)
            continue;
        waterfall_keys(&one, &other, &scratch, &memory, &iteration);
        check_waterfall(&memory, 0, "memory by key");
        check_waterfall(&iteration, 0, "time by key");
        by_key += iteration.count > 0;
        assert_true(isnan(iteration.to) || iteration.to == b.step.iteration_s);
    }
    assert_true(known > 300 && by_key > 12);
}

/* The rest of twenty to five seconds in one step is no difference of doubles; it takes two. */
static void even_a_single_step_sums(void **state)
{
    (void)state;
    check_estimate(&a, CLUSTER "tp=8 pp=4");
    b = a;
    for (int i = 0; i < 2000; i++) {
        b.step.bubble_s = 0;
        b.step.iteration_s = a.step.iteration_s * (0.1 + i * 1.7e-4);
        b.step.compute_s = a.step.compute_s + b.step.iteration_s - a.step.iteration_s + a.step.bubble_s;
        waterfall_time(&a, &b, &iteration);
        check_waterfall(&iteration, 0, "time");
    }
}

/* ---- by key ----------------------------------------------------------------------------------------------------- */

static void take(const char *one, const char *other)
{
    struct plan first, second;
    check_plan(&first, one);
    check_plan(&second, other);
    waterfall_keys(&first, &second, &scratch, &memory, &iteration);
    check_waterfall(&memory, 0, "memory");
    check_waterfall(&iteration, 0, "time");
}

static double seconds_of(const char *settings)
{
    check_estimate(&a, settings);
    return a.step.iteration_s;
}

/* Of two keys each is worth the mean of being changed first and last. */
static void two_keys_by_hand(void **state)
{
    (void)state;
    double none = seconds_of(CLUSTER "tp=8 pp=4"), tp = seconds_of(CLUSTER "tp=4 pp=4"),
           pp = seconds_of(CLUSTER "tp=8 pp=8"), both = seconds_of(CLUSTER "tp=4 pp=8");
    take(CLUSTER "tp=8 pp=4", CLUSTER "tp=4 pp=8");
    assert_int_equal(iteration.count, 2);
    assert_near(delta_of(&iteration, "parallel.tp"), ((tp - none) + (both - pp)) / 2, 1e-9);
    assert_near(delta_of(&iteration, "parallel.pp"), ((pp - none) + (both - tp)) / 2, 1e-9);
}

static double device_bytes(const void *context, const struct estimate *e)
{
    (void)context;
    return e->stage[0].device_bytes;
}

/* Any figure is shared out as the two are. */
static void a_figure_of_choice_by_key(void **state)
{
    (void)state;
    struct plan first, second;
    struct waterfall bytes;
    check_plan(&first, CLUSTER "tp=8 pp=4");
    check_plan(&second, CLUSTER "tp=4 pp=8");
    waterfall_keys_of(&(struct waterfall_figure){.of = device_bytes}, &first, &second, &scratch, &bytes);
    check_waterfall(&bytes, 0, "device");
    assert_int_equal(bytes.count, 2);
    estimate_plan(&second, &a);
    assert_near(bytes.to, a.stage[0].device_bytes, 1e-12);
}

/* Of keys changed one after another each is worth what it adds to those before it. */
static void keys_in_an_order(void **state)
{
    (void)state;
    struct plan first, second;
    static const enum param order[] = {PARAM_parallel_tp, PARAM_parallel_pp},
                            back[] = {PARAM_parallel_pp, PARAM_parallel_tp};
    double none = seconds_of(CLUSTER "tp=8 pp=4"), tp = seconds_of(CLUSTER "tp=4 pp=4"),
           pp = seconds_of(CLUSTER "tp=8 pp=8"), both = seconds_of(CLUSTER "tp=4 pp=8");
    check_plan(&first, CLUSTER "tp=8 pp=4");
    check_plan(&second, CLUSTER "tp=4 pp=8");
    waterfall_in_order(&waterfall_iteration, &first, &second, order, 2, &scratch, &iteration);
    assert_same(delta_of(&iteration, "parallel.tp"), tp - none);
    assert_near(delta_of(&iteration, "parallel.pp"), both - tp, 1e-9);
    assert_true(iteration.to == both);
    assert_near(sum_of(&iteration), both, 1e-12);
    waterfall_in_order(&waterfall_iteration, &first, &second, back, 2, &scratch, &iteration);
    assert_string_equal(iteration.step[0].name, "parallel.pp");
    assert_same(delta_of(&iteration, "parallel.pp"), pp - none);
    assert_near(delta_of(&iteration, "parallel.tp"), both - pp, 1e-9);
    static const enum param three[] = {PARAM_parallel_tp, PARAM_parallel_pp, PARAM_train_seq_length};
    check_plan(&second, CLUSTER "tp=4 pp=2 seq_length=2048");
    waterfall_in_order(&waterfall_iteration, &first, &second, three, 3, &scratch, &iteration);
    assert_int_equal(iteration.count, 3); /* what rounding leaves is no step */
    check_plan(&second, CLUSTER "tp=4 pp=8");
    waterfall_in_order(&waterfall_fullest, &first, &second, order, 2, &scratch, &memory);
    assert_true(sum_of(&memory) == memory.to && memory.count == 2);
}

/* A key after which the plan has faults is one step with the next; of many the neighbours of a group are. */
static void keys_of_faulty_plans_are_one_step(void **state)
{
    (void)state;
    struct plan first, second;
    static const enum param order[] = {PARAM_parallel_vpp, PARAM_parallel_pp};
    check_plan(&first, CLUSTER "tp=8 pp=1");
    check_plan(&second, CLUSTER "tp=8 pp=4 vpp=2");
    waterfall_in_order(&waterfall_iteration, &first, &second, order, 2, &scratch, &iteration);
    assert_int_equal(iteration.count, 1);
    assert_string_equal(iteration.step[0].name, "parallel.pp+parallel.vpp");
    assert_near(sum_of(&iteration), iteration.to, 1e-12);
    enum param all[PARAM_COUNT];
    int count = 0;
    check_plan(&second, GPT_6B "tp=2 pp=2 zero_stage=1 micro_batch_size=4 global_batch_size=512 nodes=2");
    for (int id = 0; id < PARAM_COUNT; id++)
        if (!param_equal(&first, &second, (enum param)id))
            all[count++] = (enum param)id;
    assert_true(count > WATERFALL_KEYS_MAX);
    waterfall_in_order(&waterfall_iteration, &first, &second, all, count, &scratch, &iteration);
    assert_true(iteration.count < count);
    assert_near(sum_of(&iteration), iteration.to, 1e-12);
    assert_near(iteration.to,
                seconds_of(GPT_6B "tp=2 pp=2 zero_stage=1 micro_batch_size=4 global_batch_size=512 nodes=2"), 1e-12);
}

static void a_key_that_changes_nothing_is_no_step(void **state)
{
    (void)state;
    take(CLUSTER "tp=8 pp=4", CLUSTER "tp=4 pp=4 price_per_gpu_hour=9");
    assert_int_equal(iteration.count, 1);
    assert_string_equal(iteration.step[0].name, "parallel.tp");
    assert_string_equal(memory.step[0].name, "parallel.tp");
}

/* vpp 2 is no plan without a pipeline, nor without the schedule that follows it; pp 4 is one alone. */
static void keys_that_need_each_other_are_one(void **state)
{
    (void)state;
    take(CLUSTER "tp=8 pp=1 micro_batch_size=1", CLUSTER "tp=4 pp=4 vpp=2 micro_batch_size=2");
    assert_int_equal(iteration.count, 3);
    assert_true(delta_of(&iteration, "parallel.pp+parallel.vpp") != 0);
}

/* More keys than can be told apart are taken by group. */
static void many_keys_are_groups(void **state)
{
    (void)state;
    take(CLUSTER "tp=8 pp=4", DEEPSEEK_V3
         "framework.name=megatron-core nodes=128 gpus_per_node=8 global_batch_size=2048 ep=64 zero_stage=1");
    assert_true(iteration.count >= 1 && iteration.count <= WATERFALL_KEYS_MAX);
    assert_true(
        iteration.to ==
        seconds_of(DEEPSEEK_V3
                   "framework.name=megatron-core nodes=128 gpus_per_node=8 global_batch_size=2048 ep=64 zero_stage=1"));
}

static void what_is_not_known_has_no_steps(void **state)
{
    (void)state;
    struct plan invalid, valid;
    check_plan(&invalid, CLUSTER "tp=3");
    check_plan(&valid, CLUSTER "tp=8 pp=4");
    waterfall_keys(&invalid, &valid, &scratch, &memory, &iteration);
    assert_true(isnan(memory.from) && isnan(iteration.to) && memory.count == 0 && iteration.count == 0);
    check_plan(&invalid, "num_layers=4");
    estimate_plan(&invalid, &a);
    estimate_plan(&valid, &b);
    waterfall_memory(&a, &b, &memory);
    waterfall_time(&a, &b, &iteration);
    assert_true(isnan(memory.to) && isnan(iteration.from) && memory.count == 0 && iteration.count == 0);
}

/* ---- printed digits --------------------------------------------------------------------------------------------- */

static void printed_digits_sum(void **state)
{
    (void)state;
    struct waterfall thirds = {
        .from = 1, .to = 2, .count = 3, .step = {{.delta = 1 / 3.0}, {.delta = 1 / 3.0}, {.delta = 1 / 3.0}}};
    double shown[WATERFALL_MAX];
    waterfall_shown(&thirds, 0.1, shown);
    assert_same(shown[0] + shown[1] + shown[2], 10);
    assert_same(shown[0], 4);
    thirds = (struct waterfall){.from = 2, .to = 1.5, .count = 2, .step = {{.delta = -0.24}, {.delta = -0.26}}};
    waterfall_shown(&thirds, 0.1, shown);
    assert_same(shown[0], -2);
    assert_same(shown[1], -3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worked_example),
        cmocka_unit_test(another_stage_may_be_the_fullest),
        cmocka_unit_test(steps_sum_exactly),
        cmocka_unit_test(steps_of_any_plans_sum_exactly),
        cmocka_unit_test(even_a_single_step_sums),
        cmocka_unit_test(two_keys_by_hand),
        cmocka_unit_test(a_figure_of_choice_by_key),
        cmocka_unit_test(keys_in_an_order),
        cmocka_unit_test(keys_of_faulty_plans_are_one_step),
        cmocka_unit_test(a_key_that_changes_nothing_is_no_step),
        cmocka_unit_test(keys_that_need_each_other_are_one),
        cmocka_unit_test(many_keys_are_groups),
        cmocka_unit_test(what_is_not_known_has_no_steps),
        cmocka_unit_test(printed_digits_sum),
    };
    return cmocka_run_group_tests_name("waterfall", tests, NULL, NULL) != 0;
}
