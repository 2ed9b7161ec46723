/*
 * Frameworks as rows of behaviour: every cell has a text and a source, versions differ from their row where they say
 * so.
 */
#include "tests/check.h"

#include "core/explain/explain.h"
#include "core/plan/framework.h"
#include "core/plan/param.h"

static struct estimate estimate;
static struct explanation x;

static const char *const behaviours[] = {
#define BEHAVIOUR(name, ...) #name,
#include "core/plan/framework.def"
};

static void every_behaviour_opens_under_every_framework(void **state)
{
    (void)state;
    for (int framework = 0; framework < FRAMEWORK_COUNT; framework++) {
        struct plan plan;
        check_plan(&plan, LLAMA3_70B "tp=2 nodes=8 global_batch_size=128");
        plan.value[PARAM_framework_name] = framework;
        estimate_plan(&plan, &estimate);
        for (size_t i = 0; i < COUNT(behaviours); i++) {
            char path[EXPLAIN_PATH_MAX];
            snprintf(path, sizeof path, "symbols.%s", behaviours[i]);
            assert_int_equal(explain_value(&estimate, path, &x), 0);
            assert_that(isfinite(x.value) && x.formula[0], "%s of %s", behaviours[i], frameworks[framework].name);
            struct framework_cell cell = framework_cell((enum framework_id)framework, behaviours[i]);
            assert_that(x.source[0] && (!cell.row || strstr(x.source, cell.row->date)), "%s: %s", behaviours[i],
                        x.source);
        }
    }
}

static void a_row_has_a_name_a_date_and_a_version(void **state)
{
    (void)state;
    for (int i = 0; i < FRAMEWORK_COUNT; i++) {
        const struct framework *row = &frameworks[i];
        assert_that(row->name[0] && row->version[0] && row->summary[0], "%d", i);
        assert_that(strlen(row->date) == 7 && row->date[4] == '-', "%s: %s", row->name, row->date);
        assert_int_equal(frameworks[row->of].of, row->of);
        assert_string_equal(row->name, param_rows[PARAM_framework_name].choices[i]);
    }
}

static void a_cell_is_the_rows_or_that_of_the_row_it_is_a_version_of(void **state)
{
    (void)state;
    assert_string_equal(framework_cell(FRAMEWORK_NANOTRON, "gather_buffer").text, "1");
    assert_string_equal(framework_cell(FRAMEWORK_NANOTRON_203, "gather_buffer").text, "1");
    assert_string_equal(framework_cell(FRAMEWORK_NANOTRON_PRE203, "gather_buffer").text, "0");
    assert_string_equal(framework_cell(FRAMEWORK_DEEPSPEED, "gather_buffer").text, "0");
    assert_null(framework_cell(FRAMEWORK_DEEPSPEED, "no_such_behaviour").text);
    assert_same(framework_default(FRAMEWORK_NANOTRON_PRE203, PARAM_train_fused_glu), 0);
    assert_same(framework_default(FRAMEWORK_NANOTRON_203, PARAM_train_fused_glu), 1);
    assert_same(framework_default(FRAMEWORK_NANOTRON_203, PARAM_hardware_fragmentation), 1.02);
    assert_true(isnan(framework_default(FRAMEWORK_MEGATRON_CORE_014, PARAM_hardware_fragmentation)));
}

/*
 * Megatron-LM core 0.14 took TransformerEngine 2.7, whose workspace is 1 KiB smaller and whose loss keeps no fp32
 * gradient.
 */
static void a_dated_version_differs_where_its_row_says_so(void **state)
{
    (void)state;
    double workspace_bytes[2], loss_bytes[2];
    static const char *const names[] = {"framework.name=megatron-core", "framework.name=megatron-core-0.14"};
    for (int i = 0; i < 2; i++) {
        struct plan plan;
        check_plan(&plan, LLAMA3_70B "tp=8 pp=4 nodes=8 global_batch_size=128 cross_entropy=te_fused");
        check_set(&plan, names[i]);
        estimate_plan(&plan, &estimate);
        workspace_bytes[i] = estimate.stage[0].te_bytes;
        check_set(&plan, "te_version=2.18");
        estimate_plan(&plan, &estimate);
        loss_bytes[i] = estimate.symbols.loss_bytes_per_logit;
    }
    assert_same(workspace_bytes[0] - workspace_bytes[1], 1024); /* a dense model has one */
    assert_same(loss_bytes[0], loss_bytes[1]);
    assert_same(framework_default(FRAMEWORK_MEGATRON_CORE_014, PARAM_framework_te_version), 2.07);
}

/*
 * A month picks what was young then: torchtitan compiles the loss since 2025; other libraries of a family are no
 * versions of it.
 */
static void a_month_picks_a_dated_version(void **state)
{
    (void)state;
    assert_int_equal(framework_dated(FRAMEWORK_FSDP2, "2024-12"), FRAMEWORK_FSDP2);
    assert_int_equal(framework_dated(FRAMEWORK_FSDP2, "2025-05"), FRAMEWORK_FSDP2);
    assert_int_equal(framework_dated(FRAMEWORK_FSDP2, "2025-06"), FRAMEWORK_FSDP2_2025);
    assert_int_equal(framework_dated(FRAMEWORK_FSDP2, "torchtitan of 2026-01"), FRAMEWORK_FSDP2_2025);
    assert_int_equal(framework_dated(FRAMEWORK_FSDP2, "2023-06"), FRAMEWORK_FSDP2);
    assert_int_equal(framework_dated(FRAMEWORK_FSDP2, "12025-06, 2025-0, 2025-061"), FRAMEWORK_FSDP2);
    assert_int_equal(framework_dated(FRAMEWORK_HF_TRAINER, "2026-08"), FRAMEWORK_HF_TRAINER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_behaviour_opens_under_every_framework),
        cmocka_unit_test(a_row_has_a_name_a_date_and_a_version),
        cmocka_unit_test(a_dated_version_differs_where_its_row_says_so),
        cmocka_unit_test(a_month_picks_a_dated_version),
        cmocka_unit_test(a_cell_is_the_rows_or_that_of_the_row_it_is_a_version_of),
    };
    return cmocka_run_group_tests_name("framework", tests, NULL, NULL) != 0;
}
