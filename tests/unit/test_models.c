/* Every shipped preset loads, and every model has the parameters counted from its published configuration. */
#include "tests/check.h"

#include "src/plan/preset.h"
#include "src/text/errors.h"

static struct estimate estimate;

static void apply(struct plan *plan, enum param key, const char *name)
{
    struct errors errors = {0};
    assert_that(preset_apply(plan, key, name, FROM_SET, NULL, &errors) == 0, "%s does not load", name);
    errors_free(&errors);
}

static void every_model_has_its_published_parameters(void **state)
{
    (void)state;
    FILE *file = fopen("tests/data/model_totals.csv", "r");
    char line[256];
    int models = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char name[80];
        double total, active = NAN;
        if (line[0] == '#' || sscanf(line, "%79[^,],%lf,%lf", name, &total, &active) < 2)
            continue;
        struct plan plan;
        plan_clear(&plan);
        check_h100(&plan);
        apply(&plan, PARAM_model_name, name);
        estimate_plan(&plan, &estimate);
        /* the mean of layers of several kinds, times their number, is the sum but for rounding */
        assert_that(fabs(estimate.totals.unpadded - total) < 0.5, "%s: %.0f parameters, published shape has %.0f", name,
                    estimate.totals.unpadded, total);
        assert_that(isnan(active) || fabs(estimate.totals.active - active) < 1, "%s: %.0f active, expected %.0f", name,
                    estimate.totals.active, active);
        for (int i = 0; i < estimate.diags.count; i++)
            assert_that(estimate.diags.item[i].level != DIAG_ERROR, "%s: %s %s", name,
                        param_rows[estimate.diags.item[i].param].dotted, finding_text(&estimate.diags.item[i]).text);
        models++;
    }
    fclose(file);
    assert_int_equal(models, 226);
}

static void every_preset_loads(void **state)
{
    (void)state;
    static const enum param keys[] = {PARAM_model_name, PARAM_hardware_gpu, PARAM_plan_cluster};
    for (size_t i = 0; i < COUNT(keys); i++) {
        const char *const *names;
        size_t count = preset_names(preset_kind_of(keys[i]), &names);
        assert_true(count >= 10);
        for (size_t j = 0; j < count; j++) {
            struct plan plan;
            plan_clear(&plan);
            apply(&plan, keys[i], names[j]);
            assert_string_equal(plan.text[param_text_slot(keys[i])], names[j]);
        }
    }
}

/* Of each device enough is known to say what a plan allocates, and whether it fits where the usable memory is known. */
static void every_device_and_cluster_gives_a_verdict(void **state)
{
    (void)state;
    static const enum param keys[] = {PARAM_hardware_gpu, PARAM_plan_cluster};
    for (size_t i = 0; i < COUNT(keys); i++) {
        const char *const *names;
        size_t count = preset_names(preset_kind_of(keys[i]), &names);
        for (size_t j = 0; j < count; j++) {
            struct plan plan;
            plan_clear(&plan);
            apply(&plan, keys[i], names[j]);
            check_set(&plan, LLAMA2_7B "dtype=fp16");
            estimate_plan(&plan, &estimate);
            assert_that(estimate.diags.errors == 0, "%s: %s", names[j], finding_text(&estimate.diags.item[0]).text);
            assert_that(isfinite(estimate.stage[0].allocated_bytes), "%s: memory is unknown", names[j]);
            assert_that(isfinite(estimate.headroom_bytes) == isfinite(estimate.usable_bytes), "%s: verdict", names[j]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_has_its_published_parameters),
        cmocka_unit_test(every_preset_loads),
        cmocka_unit_test(every_device_and_cluster_gives_a_verdict),
    };
    return cmocka_run_group_tests_name("models", tests, NULL, NULL) != 0;
}
