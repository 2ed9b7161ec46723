/* Cells of a sweep: what each is, why, what follows, and which is the best. */
#include "tests/check.h"

#include "core/search/sweep.h"

static struct estimate scratch, whole;
static struct explanation opened;

#define CLUSTER LLAMA3_70B "framework.name=megatron-core nodes=8 gpus_per_node=8 global_batch_size=128 zero_stage=1 "

static struct sweep_cell cell_of(const char *settings, const char *metric, bool follow)
{
    static const enum param keys[] = {PARAM_parallel_tp, PARAM_parallel_pp};
    struct sweep_metric of = sweep_metric_named(metric, false);
    struct sweep_cell cell;
    struct plan plan;
    check_plan(&plan, settings);
    sweep_evaluate(&plan, &of, keys, COUNT(keys), follow, &scratch, &opened, &cell);
    estimate_plan(&plan, &whole);
    return cell;
}

static void states(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        enum sweep_state state;
        const char *rule;
    } cases[] = {
        {CLUSTER "tp=8 pp=4 sp=true", SWEEP_FITS, NULL},       {CLUSTER "tp=2 pp=2 sp=true", SWEEP_NO, NULL},
        {CLUSTER "tp=8 pp=16 sp=true", SWEEP_INVALID, "gpus_divisible"},
        {CLUSTER "tp=3", SWEEP_INVALID, "heads_divisible_by_tp"},
        {CLUSTER "tp=8 zero_stage=2", SWEEP_UNKNOWN, "zero_modelled"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct sweep_cell cell = cell_of(cases[i].settings, "iteration_s", false);
        assert_int_equal(cell.state, cases[i].state);
        assert_int_equal(isfinite(cell.value), cell.state < SWEEP_INVALID);
        if (cases[i].rule)
            assert_string_equal(cell.reason[0].rule, cases[i].rule);
        else
            assert_null(cell.reason[0].rule);
        assert_true((cell.reason[0].why[0] == '\0') == (cell.state == SWEEP_FITS));
    }
}

/* Each rule that refuses a plan is named once; GPUs that its ranks leave idle are counted. */
static void all_rules_and_idle_gpus_are_told(void **state)
{
    (void)state;
    struct sweep_cell cell = cell_of(CLUSTER "tp=3 pp=3 dp=2", "iteration_s", false);
    assert_int_equal(cell.reasons, 5);
    for (int i = 0; i < cell.reasons; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(cell.reason[i].rule, cell.reason[k].rule);
    assert_string_equal(cell.reason[4].rule, "layers_split");
    assert_true(check_mentions(cell.reason[4].why, "parallel.pp 80 layers"));
    assert_true(isnan(cell.gpus) && isnan(cell.idle_gpus));
    cell = cell_of(CLUSTER "tp=8 pp=4 dp=1", "iteration_s", false);
    assert_same(cell.gpus, 32);
    assert_same(cell.idle_gpus, 32);
    cell = cell_of(CLUSTER "tp=8 pp=4", "iteration_s", false);
    assert_same(cell.gpus, 64);
    assert_same(cell.idle_gpus, 0);
}

/* Steps come out as they are written. */
static void steps_are_round(void **state)
{
    (void)state;
    static const struct {
        enum param key;
        const char *list, *last;
        int count;
    } cases[] = {{PARAM_hardware_gemm_efficiency, "0.5..0.8+0.1", "0.8", 4},
                 {PARAM_hardware_gemm_efficiency, "0.1..0.121*1.1", "0.121", 3},
                 {PARAM_train_seq_length, "1024..16384*2", "16384", 5},
                 {PARAM_train_seq_length, "1024..204800+1024", "204800", 200},
                 {PARAM_train_total_tokens, "1000000000000..1000000000007+1", "1000000000007", 8}};
    static struct sweep_axis axis;
    struct plan plan;
    char why[SWEEP_WHY_MAX];
    plan_clear(&plan);
    for (size_t i = 0; i < COUNT(cases); i++) {
        axis.key = cases[i].key;
        assert_int_equal(sweep_axes_read(&axis, &cases[i].list, 1, &plan, NULL, NULL, why), -1);
        assert_int_equal(axis.count, cases[i].count);
        assert_string_equal(axis.text[axis.count - 1], cases[i].last);
    }
}

static void metrics_are_those_of_the_report(void **state)
{
    (void)state;
    const char *plan = CLUSTER "tp=8 pp=4 sp=true price_per_gpu_hour=2";
    double value;
    value = cell_of(plan, "iteration_s", false).value;
    assert_same(value, whole.step.iteration_s);
    value = cell_of(plan, "mfu", false).value;
    assert_same(value, whole.step.mfu);
    value = cell_of(plan, "peak_gib", false).value * GIB;
    assert_same(value, whole.stage[whole.peak_stage].device_bytes);
    value = cell_of(plan, "headroom_gib", false).value * GIB;
    assert_same(value, whole.headroom_bytes);
    value = cell_of(plan, "memory.stages.1.weights_bytes", false).value;
    assert_same(value, whole.stage[1].weights_bytes);
    /* 64 GPUs at 2 USD an hour */
    value = cell_of(plan, "cost", false).value;
    assert_near(value, 64 * 2 / 3600.0 * whole.step.iteration_s / (128 * 8192) * 1e6, 1e-9);
    assert_true(isnan(cell_of(plan, "no.such.value", false).value));
    assert_null(sweep_metric_named("", false).name);
    assert_true(sweep_metric_named("training.goodput", false).is_larger_better);
    assert_false(sweep_metric_named("training.seconds", false).is_larger_better);
    assert_string_equal(sweep_metric_named("tokens_per_s", true).path, "serving.tokens_per_s");
    assert_string_equal(sweep_metric_named("tokens_per_s", false).path, "time.tokens_per_s");
}

/* Days of the whole training, and what there is no figure without. */
static void what_a_metric_lacks_is_known(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *metric;
        enum param lacks;
    } cases[] = {{"", "training_days", PARAM_train_total_tokens},
                 {"price_per_gpu_hour=2 ", "training.cost", PARAM_train_total_tokens},
                 {"total_tokens=1T ", "training.cost", PARAM_hardware_price_per_gpu_hour},
                 {"total_tokens=1T price_per_gpu_hour=2 ", "training.cost", PARAM_COUNT},
                 {"", "training.cost_per_1t_tokens", PARAM_hardware_price_per_gpu_hour},
                 {"", "cost", PARAM_hardware_price_per_gpu_hour},
                 {"", "training.goodput", PARAM_hardware_mtbf_hours_per_gpu},
                 {"", "iteration_s", PARAM_COUNT},
                 {"", "memory.stages.0.weights_bytes", PARAM_COUNT}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char settings[512];
        struct sweep_metric metric = sweep_metric_named(cases[i].metric, false);
        struct sweep_cell cell;
        struct plan plan;
        snprintf(settings, sizeof settings, "%s%s", CLUSTER "tp=8 pp=4 sp=true ", cases[i].settings);
        check_plan(&plan, settings);
        plan.gpu.price_per_gpu_hour = NAN;
        sweep_evaluate(&plan, &metric, NULL, 0, false, &scratch, &opened, &cell);
        assert_that(sweep_missing_key(&metric, &scratch.plan) == cases[i].lacks, "%s: %d", cases[i].metric,
                    sweep_missing_key(&metric, &scratch.plan));
        assert_int_equal(isnan(cell.value), cases[i].lacks < PARAM_COUNT);
    }
    double days = cell_of(CLUSTER "tp=8 pp=4 sp=true total_tokens=1T", "training_days", false).value;
    assert_near(days, ceil(1e12 / (128 * 8192)) * whole.step.iteration_s / 86400, 1e-9);
}

/* A dp that was given, sequences that do not divide, experts that need sp: as little as is needed follows. */
static void sizes_follow(void **state)
{
    (void)state;
    struct sweep_cell cell = cell_of(CLUSTER "tp=16 pp=4 dp=2 sp=true", "iteration_s", false);
    assert_int_equal(cell.state, SWEEP_INVALID);
    cell = cell_of(CLUSTER "tp=16 pp=4 dp=2 sp=true", "iteration_s", true);
    assert_true(cell.state < SWEEP_INVALID);
    assert_int_equal(cell.followers, 1);
    assert_int_equal(cell.follower[0].key, PARAM_parallel_dp);
    cell = cell_of(CLUSTER "tp=8 pp=4 sp=true micro_batch_size=3", "iteration_s", true);
    assert_int_equal(cell.follower[0].key, PARAM_train_micro_batch_size);
    assert_same(cell.follower[0].value, 1);
    cell = cell_of(MIXTRAL_8X7B "nodes=1 gpus_per_node=8 global_batch_size=64 tp=2 ep=4", "iteration_s", true);
    assert_int_equal(cell.follower[0].key, PARAM_parallel_sp);
    cell = cell_of(CLUSTER "tp=3 pp=4", "iteration_s", true);
    assert_int_equal(cell.followers, 0);
    assert_int_equal(cell.state, SWEEP_INVALID);
}

static struct search search;

/* A cell's best layout is that of a search with the swept keys as they are; loaded, it shows the cell's figures. */
static void a_cell_has_its_best_layout(void **state)
{
    (void)state;
    static const enum param keys[] = {PARAM_parallel_tp, PARAM_parallel_pp};
    static const struct {
        const char *settings, *metric;
        enum sweep_state state;
    } cases[] = {{CLUSTER "tp=8 pp=4 sp=true", "iteration_s", SWEEP_FITS},
                 {CLUSTER "tp=8 pp=4 dp=1", "mfu", SWEEP_FITS},
                 {CLUSTER "tp=4 pp=2 sp=true", "peak_gib", SWEEP_FITS},
                 {CLUSTER "tp=1 pp=1 usable_gib=9", "iteration_s", SWEEP_NO},
                 {CLUSTER "tp=8 pp=7", "iteration_s", SWEEP_INVALID}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct sweep_metric metric = sweep_metric_named(cases[i].metric, false);
        struct search_ask ask;
        struct sweep_cell cell, plain;
        struct plan plan, loaded;
        check_plan(&plan, cases[i].settings);
        loaded = plan;
        sweep_ask(&plan, &metric, keys, COUNT(keys), &ask);
        assert_true(search_begin(&search, &ask, 0, 1));
        while (search_step(&search, 64))
            ;
        sweep_evaluate_best(&plan, &metric, &ask, &search.answer, &scratch, &opened, &cell);
        assert_int_equal(cell.state, cases[i].state);
        for (size_t k = 0; k < COUNT(keys); k++)
            assert_same(scratch.plan.value[keys[k]], loaded.value[keys[k]]);
        if (search.answer.count > 0)
            assert_same(cell.figures.iteration_s, search.answer.best[0].iteration_s);
        sweep_follow(&cell, &loaded);
        sweep_evaluate(&loaded, &metric, NULL, 0, false, &scratch, &opened, &plain);
        assert_int_equal(plain.state, cell.state);
        assert_true(plain.value == cell.value || (isnan(plain.value) && isnan(cell.value)));
    }
}

/* Sizes of experts are not among the keys that follow in a model without any. */
static void experts_that_are_none_do_not_follow(void **state)
{
    (void)state;
    static const enum param keys[] = {PARAM_parallel_pp};
    struct sweep_metric metric = sweep_metric_named("iteration_s", false);
    struct search_ask ask;
    struct sweep_cell cell;
    struct plan plan;
    check_plan(&plan, CLUSTER "tp=8 pp=4 sp=true");
    sweep_ask(&plan, &metric, keys, COUNT(keys), &ask);
    assert_true(search_begin(&search, &ask, 0, 1));
    while (search_step(&search, 64))
        ;
    sweep_evaluate_best(&plan, &metric, &ask, &search.answer, &scratch, &opened, &cell);
    bool has_tp = false;
    for (int i = 0; i < cell.followers; i++) {
        has_tp |= cell.follower[i].key == PARAM_parallel_tp;
        assert_int_not_equal(cell.follower[i].key, PARAM_parallel_etp);
        assert_int_not_equal(cell.follower[i].key, PARAM_parallel_ep);
    }
    assert_true(has_tp);
}

/* Where no layout has all GPUs the plan's own on some of them is no cell beside those that have. */
static void a_part_of_the_gpus_is_no_cell(void **state)
{
    (void)state;
    static const enum param keys[] = {PARAM_parallel_dp, PARAM_parallel_pp};
    static const struct {
        const char *settings, *why; /* NULL: it is a cell */
    } cases[] = {{CLUSTER "tp=8 sp=true dp=1 pp=5", "pp x dp = 5 does not divide 64 GPUs"},
                 {CLUSTER "tp=8 sp=true dp=2 pp=5", "pp x dp = 10 does not divide 64 GPUs"}, /* the plan's has 80 */
                 {CLUSTER "tp=8 seq_length=8190 dp=1 pp=1", "no layout with these values uses all 64 GPUs"},
                 {CLUSTER "tp=64 seq_length=8190 dp=2 pp=1", "no layout with these values uses all 64 GPUs"},
                 {CLUSTER "tp=8 sp=true dp=1 pp=4", NULL},
                 {CLUSTER "tp=8 sp=true dp=2 pp=4", NULL}};
    struct sweep_metric metric = sweep_metric_named("iteration_s", false);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct search_ask ask;
        struct sweep_cell cell;
        struct plan plan;
        check_plan(&plan, cases[i].settings);
        sweep_ask(&plan, &metric, keys, COUNT(keys), &ask);
        assert_true(search_begin(&search, &ask, 0, 1));
        while (search_step(&search, 64))
            ;
        sweep_evaluate_best(&plan, &metric, &ask, &search.answer, &scratch, &opened, &cell);
        assert_that((cell.state == SWEEP_INVALID) == (cases[i].why != NULL), "%s: %d", cases[i].settings, cell.state);
        assert_int_equal(isnan(cell.value) && isnan(cell.figures.iteration_s), cases[i].why != NULL);
        if (cases[i].why)
            assert_string_equal(cell.reason[0].why, cases[i].why);
        for (int k = 0; k < cell.followers; k++)
            assert_int_not_equal(cell.follower[k].key, PARAM_parallel_dp); /* it was asked for */
    }
}

static void followers_have_room(void **state)
{
    (void)state;
    int count = 2; /* dp, and the batch */
    for (int i = 0; i < PARAM_COUNT; i++)
        count += space_axis_of((enum param)i) >= 0;
    assert_that(count <= SWEEP_FOLLOWERS, "%d keys", count);
}

/* A cell is in fifth `better * 5 / ranked`, however many cells there are and however many are alike. */
static void fifths_count_better_cells(void **state)
{
    static struct sweep_cell cells[300];
    static double values[300];
    struct sweep_metric time = sweep_metric_named("iteration_s", false);
    (void)state;
    for (int count = 1; count <= 300; count += check_is_slow() ? 97 : 13) {
        struct sweep_scale scale;
        for (int i = 0; i < count; i++)
            cells[i] = (struct sweep_cell){.state = i % 7 == 3 ? SWEEP_NO : SWEEP_FITS,
                                           .value = i * 37 % (count / 3 + 1)};
        sweep_scale_of(&time, cells, count, values, &scale);
        for (int i = 0; i < count; i++) {
            int better = 0, ranked = 0;
            for (int k = 0; k < count; k++) {
                ranked += cells[k].state == SWEEP_FITS;
                better += cells[k].state == SWEEP_FITS && cells[k].value < cells[i].value;
            }
            int step = cells[i].state == SWEEP_FITS ? better * SWEEP_STEPS / ranked : -1;
            assert_int_equal(sweep_step(&scale, &cells[i]), step);
        }
    }
}

static void the_best_fits(void **state)
{
    (void)state;
    struct sweep_metric time = sweep_metric_named("iteration_s", false), mfu = sweep_metric_named("mfu", false);
    struct sweep_cell cells[] = {{.state = SWEEP_NO, .value = 1}, {.state = SWEEP_FITS, .value = 3},
                                 {.state = SWEEP_TIGHT, .value = 2},
                                 {.state = SWEEP_FITS, .value = 4}, {.state = SWEEP_INVALID, .value = NAN}};
    assert_int_equal(sweep_best(&time, cells, 5), 1);
    assert_int_equal(sweep_best(&mfu, cells, 5), 3);
    double values[5];
    struct sweep_scale of_time, of_mfu;
    sweep_scale_of(&time, cells, 5, values, &of_time);
    sweep_scale_of(&mfu, cells, 5, values, &of_mfu);
    assert_int_equal(sweep_step(&of_time, &cells[0]), -1);
    assert_int_equal(sweep_step(&of_time, &cells[2]), 0);
    assert_int_equal(sweep_step(&of_time, &cells[1]), 1);
    assert_int_equal(sweep_step(&of_time, &cells[3]), 3);
    assert_int_equal(sweep_step(&of_mfu, &cells[3]), 0);
    assert_int_equal(sweep_step(&of_mfu, &cells[4]), -1);
    cells[1].state = cells[3].state = SWEEP_NO;
    assert_int_equal(sweep_best(&time, cells, 5), 2);
    assert_int_equal(sweep_best(&time, cells, 1), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states),
        cmocka_unit_test(all_rules_and_idle_gpus_are_told),
        cmocka_unit_test(steps_are_round),
        cmocka_unit_test(metrics_are_those_of_the_report),
        cmocka_unit_test(what_a_metric_lacks_is_known),
        cmocka_unit_test(sizes_follow),
        cmocka_unit_test(a_cell_has_its_best_layout),
        cmocka_unit_test(experts_that_are_none_do_not_follow),
        cmocka_unit_test(a_part_of_the_gpus_is_no_cell),
        cmocka_unit_test(followers_have_room),
        cmocka_unit_test(fifths_count_better_cells),
        cmocka_unit_test(the_best_fits),
    };
    return cmocka_run_group_tests_name("sweep", tests, NULL, NULL) != 0;
}
